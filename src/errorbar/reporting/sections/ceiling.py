"""What humans score under the same metric, and how much of it systems reach, by number of references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from errorbar.ceilings import Ceiling
from errorbar.ceilings.spread import CeilingIntervals
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.reporting.blocks import Block, Chart, Prose, Section, Spec
from errorbar.reporting.charts.dots import Dot, dot_chart
from errorbar.reporting.charts.lines import MOST_COLORED, LinePoint, line_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import axis, drawn, plural, value_text
from errorbar.studies.model import CorpusStudy, Study
from errorbar.tables.shown import percent
from errorbar.tables.table import Cell, Column, Table

HUMAN = "human"
MOST_SYSTEMS = 40


Curve = tuple[str, list[Estimate]]  # a name, and a value for each number of references


def ceiling(study: Study) -> Section | None:
    """The curves, or None where there is one annotator only."""
    if not isinstance(study, CorpusStudy) or study.ceiling is None:
        return None
    found, intervals = study.ceiling.found, study.ceiling.intervals
    blocks: list[Block] = [_prose(found, intervals), _scores(found, intervals)]
    if found.systems:
        blocks.append(_ratios(found, intervals))
    return Section("ceiling", "How far from a human", blocks)


def _prose(found: Ceiling, intervals: CeilingIntervals | None) -> Prose:
    bare = "" if intervals is not None else " No intervals were computed; they are made on request."
    some = "" if all(found.exact) else " Where there are too many subsets, as many as the table says were drawn."
    text = (
        f"Each of the {len(found.annotators)} annotators' own corrected text is scored like a system's against every "
        "subset of the others, and each system against subsets of the same size. More references raise every score, so "
        f"only scores with as many references compare.{some}{bare}"
    )
    return Prose([text])


def _curve(name: str, values: Sequence[float], ends: Sequence[Interval | Undefined] | None) -> Curve:
    estimates = [Estimate(None if np.isnan(value) else value, 0) for value in values]
    if ends is not None:
        estimates = [one.with_interval(each) for one, each in zip(estimates, ends, strict=True)]
    return name, estimates


def _best_first(found: Ceiling) -> list[int]:
    main, sign = found.main, found.measures[found.main].sign
    return sorted(range(len(found.systems)), key=lambda s: -sign * float(found.scores[s, -1, main]))


def _table(found: Ceiling, column: Column, name: str, curves: Sequence[Curve], notes: list[str]) -> Table:
    columns = [Column("references"), *(replace(column, title=each, key=each) for each, _ in curves)]
    rows: list[list[Cell]] = []
    for k, (size, n, exact) in enumerate(zip(found.sizes, found.n_subsets, found.exact, strict=True)):
        label = f"{size} ({plural(n, 'subset')}{'' if exact else ' drawn'})"
        rows.append([label, *(estimates[k] for _, estimates in curves)])
    return Table(columns, rows, column.title, name, notes)


def _scores(found: Ceiling, intervals: CeilingIntervals | None) -> Chart:
    measure, main = found.measures[found.main], found.main
    name = measure.title
    curves = [_curve(HUMAN, found.human[:, main].tolist(), None if intervals is None else intervals.human)]
    for s in _best_first(found):
        ends = None if intervals is None else intervals.systems[s]
        curves.append(_curve(found.systems[s], found.scores[s, :, main].tolist(), ends))
    several = len(found.sizes) > 1
    first, last = ([value_text(each[k].value, measure.kind) for _, each in curves] for k in (0, -1))
    unit = " percent" if measure.kind == "percent" else ""
    text = f"{name} by number of references: a human scores {first[0]}{unit} "
    text += f"with {plural(found.sizes[0], 'reference')}"
    text += f" and {last[0]} with {found.sizes[-1]}." if several else "."
    if found.systems:
        text += f" The best system there, {curves[1][0]}: {first[1]}"
        text += f" and {last[1]}." if several else "."
    notes = [f"{name}{' in' * bool(unit)}{unit}: mean over annotators and subsets"]
    table = _table(found, Column(f"{name} of humans and systems", measure.kind), "ceiling-scores", curves, notes)
    spec = _drawn(found, curves, axis(measure), human=HUMAN)
    title = f"{name} of humans and systems by number of references"
    return Chart("ceiling-curves", title, text + _cut(len(found.systems)), spec, table)


def _ratios(found: Ceiling, intervals: CeilingIntervals | None) -> Chart:
    curves = [
        _curve(found.systems[s], found.ratio[s].tolist(), None if intervals is None else intervals.ratios[s])
        for s in _best_first(found)
    ]
    first, value = curves[0][0], curves[0][1][-1].value
    name = found.measures[found.main].title.rstrip("0123456789.")
    text = f"{name} of a system as a share of what a human scores, in percent, by number of references. {first}: "
    text += "no ratio" if value is None else f"{percent(value)} percent"
    text += f" with {plural(found.sizes[-1], 'reference')}.{_cut(len(curves))}"
    notes = [f"system {name} over human {name} with as many references, in percent"]
    notes += found.ratio_notes()
    column = Column(f"System {name} over human {name}, in percent", "percent")
    table = _table(found, column, "ceiling-ratios", curves, notes)
    spec = _drawn(found, curves, Axis(f"share of human {name} (percent)"), guide=100.0)
    return Chart("ceiling-ratio", "How much of what a human scores", text, spec, table)


def _drawn(found: Ceiling, curves: Sequence[Curve], y: Axis, *, human: str = "", guide: float | None = None) -> Spec:
    """Curves by number of references; rows where there is only one number."""
    shown = curves[: MOST_SYSTEMS + 1]
    if len(found.sizes) == 1:
        dots = [Dot(name, *drawn(estimates[0], y.kind)) for name, estimates in shown]
        alone = Axis(f"{y.title}, {plural(found.sizes[0], 'reference')}", y.kind)
        return dot_chart(dots, alone, name_title="who")
    points = [
        LinePoint(name, size, *drawn(estimate, y.kind))
        for name, estimates in shown
        for size, estimate in zip(found.sizes, estimates, strict=True)
    ]
    return line_chart(points, Axis("references", "count"), y, human=human, guide=guide)


def _cut(n: int) -> str:
    """What a chart of many systems leaves out."""
    text = f" The chart shows the best {MOST_SYSTEMS} of {n} systems, the table all." if n > MOST_SYSTEMS else ""
    return f"{text} The best {MOST_COLORED} have colors, the others are gray." if n > MOST_COLORED else text
