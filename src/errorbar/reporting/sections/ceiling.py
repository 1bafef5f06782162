"""What humans score under the same metric, and how much of it systems reach, by number of references."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from errorbar.ceilings import Ceiling
from errorbar.ceilings.spread import CeilingIntervals
from errorbar.reporting.charts import Dot, LinePoint, dot_chart, line_chart
from errorbar.reporting.charts.lines import MOST_COLORED
from errorbar.reporting.model import Cell, Chart, Prose, Section, Spec, Table
from errorbar.reporting.sections.figures import Ends, ends_cell, f_name, low_high, percent, plural, points, share
from errorbar.studies.model import CorpusStudy, Study

HUMAN = "human"
NO_RATIO = "– no ratio: the human score is 0"
MOST_SYSTEMS = 40
Cells = list[list[Cell]]


def number(value: float) -> float | None:
    """A value that is not a number is none."""
    return None if np.isnan(value) else float(value)


def ceiling(study: Study) -> Section | None:
    """The curves, or None where there is one annotator only."""
    if not isinstance(study, CorpusStudy) or study.ceiling is None:
        return None
    found = study.ceiling
    blocks: list[Prose | Chart] = [_prose(study, found), _scores(study, found)]
    if found.systems:
        blocks.append(_ratios(study, found))
    return Section("ceiling", "How far from a human", blocks)


def _prose(study: CorpusStudy, found: Ceiling) -> Prose:
    bare = (
        "" if study.ceiling_intervals is not None else " No intervals were computed here: --ceiling-ci asks for them."
    )
    drawn = "" if all(found.exact) else " Where there are too many subsets, as many as the table says were drawn."
    return Prose(
        [
            f"Each of the {len(found.annotators)} annotators' own corrected text is scored like a system's against "
            "every subset of the others, and each system against subsets of the same size. More references raise "
            f"every score, so only scores with as many references compare.{drawn}{bare}"
        ]
    )


def _order(found: Ceiling) -> list[int]:
    """Systems by F with most references, best first."""
    return sorted(range(len(found.systems)), key=lambda s: -float(found.scores[s, -1, 2]))


def _table(
    study: CorpusStudy,
    found: Ceiling,
    name: str,
    title: str,
    lines: list[tuple[str, list[float | None], list[Ends] | None]],
    notes: list[str],
) -> Table:
    with_ends = any(ends is not None for _, _, ends in lines)
    ci = "95% CI" if study.ceiling_intervals is None else _level(study.ceiling_intervals)
    columns = ["references"]
    for line, _, ends in lines:
        columns += [line, *([ci] if with_ends and ends is not None else [])]
    rows: Cells = []
    for k, size in enumerate(found.sizes):
        row: list[Cell] = [f"{size} ({plural(found.n_subsets[k], 'subset')}{'' if found.exact[k] else ' drawn'})"]
        for _, values, ends in lines:
            row += [share(values[k]), *([ends_cell(ends[k])] if ends is not None else [])]
        rows.append(row)
    return Table(name, title, columns, rows, 1, notes)


def _level(intervals: CeilingIntervals) -> str:
    level = next((100 * ends.confidence_level for ends in intervals.human if not isinstance(ends, str)), 95)
    return f"{level:g}% CI"


def _points(found: Ceiling, lines: list[tuple[str, list[float | None], list[Ends] | None]]) -> list[LinePoint]:
    made = []
    for name, values, ends in lines[: MOST_SYSTEMS + 1]:
        for k, size in enumerate(found.sizes):
            low, high = low_high(None if ends is None else ends[k])
            made.append(LinePoint(name, size, points(values[k]), low, high))
    return made


def _lines(
    found: Ceiling, value: Callable[[int, int], float], ends: tuple[tuple[Ends, ...], ...] | None
) -> list[tuple[str, list[float | None], list[Ends] | None]]:
    sizes = range(len(found.sizes))
    return [
        (found.systems[s], [number(value(s, k)) for k in sizes], None if ends is None else list(ends[s]))
        for s in _order(found)
    ]


def _scores(study: CorpusStudy, found: Ceiling) -> Chart:
    intervals = study.ceiling_intervals
    name = f_name(study.scores[0].beta) if study.scores else "F"
    humans: list[float | None] = [number(v) for v in found.human[:, 2].tolist()]
    human_ends: list[Ends] | None = None if intervals is None else list(intervals.human)
    systems = _lines(found, lambda s, k: float(found.scores[s, k, 2]), None if intervals is None else intervals.systems)
    lines = [(HUMAN, humans, human_ends), *systems]
    sizes = found.sizes
    text = f"{name} by number of references: a human scores {percent(humans[0])} percent "
    text += f"with {plural(sizes[0], 'reference')}"
    text += f" and {percent(humans[-1])} with {sizes[-1]}." if len(sizes) > 1 else "."
    if systems:
        first, values, _ = systems[0]
        text += f" The best system there, {first}: {percent(values[0])}"
        text += f" and {percent(values[-1])}." if len(sizes) > 1 else "."
    text += _cut(len(systems))
    text += _gray(len(systems))
    spec = _drawn(_points(found, lines), f"{name} (percent)", human=HUMAN)
    notes = [f"{name} in percent: mean over annotators and subsets"]
    table = _table(study, found, "ceiling-scores", f"{name} of humans and systems", lines, notes)
    return Chart("ceiling-curves", f"{name} of humans and systems by number of references", text, spec, table)


def _ratios(study: CorpusStudy, found: Ceiling) -> Chart:
    intervals = study.ceiling_intervals
    lines = _lines(found, lambda s, k: float(found.ratio[s, k]), None if intervals is None else intervals.ratios)
    first, values, _ = lines[0]
    text = f"F of a system as a share of what a human scores, in percent, by number of references. {first}: "
    text += "no ratio" if values[-1] is None else f"{percent(values[-1])} percent"
    text += f" with {plural(found.sizes[-1], 'reference')}."
    text += _cut(len(lines)) + _gray(len(lines))
    spec = _drawn(_points(found, lines), "share of human F (percent)", guide=100.0)
    notes = ["system F over human F with as many references, in percent"]
    notes += [NO_RATIO] if np.isnan(found.ratio).any() else []
    table = _table(study, found, "ceiling-ratios", "System F over human F, in percent", lines, notes)
    return Chart("ceiling-ratio", "How much of what a human scores", text, spec, table)


def _drawn(drawn: list[LinePoint], title: str, *, human: str = "", guide: float | None = None) -> Spec:
    """Curves by number of references; rows where there is only one number."""
    if len({point.x for point in drawn}) > 1:
        return line_chart(drawn, x_title="references", y_title=title, human=human, guide=guide)
    dots = [Dot(point.series, point.value, point.low, point.high) for point in drawn]
    return dot_chart(dots, title=f"{title}, {plural(int(drawn[0].x), 'reference')}", name_title="who")


def _gray(n: int) -> str:
    return f" The best {MOST_COLORED} have colors, the others are gray." if n > MOST_COLORED else ""


def _cut(n: int) -> str:
    return f" The chart shows the best {MOST_SYSTEMS} of {n} systems, the table all." if n > MOST_SYSTEMS else ""
