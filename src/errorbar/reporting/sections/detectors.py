"""Detectors against the judges of the same items: threshold curves, and scores of the flags as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from errorbar.core.labels import listed
from errorbar.metrics.threshold_sweep import TRUTHS, Sweep, Truth
from errorbar.reporting.blocks import Block, Chart, Prose, Section
from errorbar.reporting.charts.bands import band_chart
from errorbar.reporting.charts.dots import Dot, dot_chart
from errorbar.reporting.charts.lines import MOST_COLORED, LinePoint
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.detector_words import confusions, hardest, judge, word_scores, written
from errorbar.reporting.sections.figures import drawn, in_sentence, plural, points
from errorbar.studies.detector_result import DetectorResult, DetectorStudy
from errorbar.studies.model import CorpusStudy, CrowdStudy, Study
from errorbar.tables.table import Cell, Column, Table

MOST_LISTED = 4
SHORT: Mapping[Truth, str] = {"any": "any", "majority": "most", "weighted": "share"}
"""What an error is, in a word."""
SAID: Mapping[Truth, str] = {
    "any": "any: what any {} calls one",
    "majority": "most: what most of them do",
    "weighted": "share: the share of them who do",
}
FLAGS = "what is told by word, and the hardest items, are of the flags as they stand in the tables."
ABOUT = {
    1: f"A detector gives items scores and flags some of them. The curve shows every threshold of the scores; {FLAGS}",
    2: "A detector gives items scores and flags some of them. The curves show every threshold of the scores, by two "
    f"answers to what an error is: what any {{judge}} calls one, or the share who do; {FLAGS}",
    3: "A detector gives items scores and flags some of them. The curves show every threshold of the scores, by three "
    f"answers to what an error is: what any {{judge}} calls one, what most do, or the share who do; {FLAGS}",
}
"""By how many answers there are."""
NO_SCORES = "A detector flags some items. No table has a score of every item, so there is no threshold curve."


def detectors(study: Study) -> Section | None:
    """The detectors of a corpus or a crowd, or None where there are none."""
    if not isinstance(study, CorpusStudy | CrowdStudy) or study.detectors is None:
        return None
    found, level = study.detectors, study.confidence_level
    truths = _truths(found)
    about = ABOUT[len(truths)].format(judge=judge(found)) if found.sweeps else NO_SCORES
    blocks: list[Block] = [Prose([about])]
    blocks.append(_scores(found, truths, level))
    blocks += [_curve(found, truth, level) for truth in truths if truth in found.sweeps]
    shown = best_first(found)[:MOST_COLORED]
    for one in shown:
        blocks += word_scores(found, one, level)
    for one in shown:
        blocks += confusions(one)
    if found.written and any(one.confusions for one in shown):
        blocks.append(written(found))
    units = study.browse.units if isinstance(study, CorpusStudy) and study.browse is not None else ()
    browsed = frozenset(unit.name for unit in units)
    for one in shown:
        blocks += hardest(found, one, linked=browsed)
    if len(shown) < len(found.detectors):
        named = listed([one.name for one in shown])
        what = "highest average precision" if found.sweeps else "first place"
        blocks.append(
            Prose([f"By word, and with their hardest items: the {len(shown)} detectors with the {what}, {named}."])
        )
    return Section("detectors", "Detectors", blocks)


def _truths(found: DetectorStudy) -> Sequence[Truth]:
    """What an error can be: with one judge all answers are one, and of two half are most as well as the share."""
    several: Sequence[Truth] = TRUTHS if found.n_judges > 2 else ("any", "weighted")
    return several if found.n_judges > 1 else several[:1]


def best_first(found: DetectorStudy) -> list[DetectorResult]:
    """Detectors by average precision against what any judge says, then those without."""
    known = {} if not found.sweeps else found.sweeps["any"].systems
    value = {name: sweep.average_precision.value or 0.0 for name, sweep in known.items()}
    return sorted(found.detectors, key=lambda one: -value.get(one.name, -1.0))


def detector_summary(found: DetectorStudy) -> str:
    """A sentence for the beginning of the page; no claim that a difference is real."""
    about = f"{plural(len(found.detectors), 'detector')} judged {plural(found.n_items, 'item')}"
    if not found.sweeps:
        return f"{about}, without scores of every item."
    truth: Truth = "any"
    best = best_first(found)[0].name
    value = in_sentence(found.sweeps[truth].systems[best].average_precision)
    against = _against(found, truth)
    if len(found.sweeps[truth].systems) == 1:
        return f"{about}; the average precision of {best} against {against} is {value}."
    return f"{about}; {best} has the highest average precision against {against}, {value}; no test compared them."


def _against(found: DetectorStudy, truth: Truth) -> str:
    one = judge(found)
    if found.n_judges == 1:
        return f"the {one}"
    return {"any": f"any {one}", "majority": f"most {one}s", "weighted": f"the share of {one}s"}[truth]


def _scores(found: DetectorStudy, truths: Sequence[Truth], level: float) -> Chart:
    """Every detector over all thresholds, and in the table at its own one."""
    table = _table(found, truths, level)
    average = bool(found.sweeps)
    title = "Average precision" if average else "F1 of the flags"
    dots = []
    for one in best_first(found):
        for truth in truths:
            sweep = _sweeps(found, truth).get(one.name)
            value = one.scores[truth].f if not average else None if sweep is None else sweep.average_precision
            if value is not None:
                dots.append(Dot(one.name, *drawn(value), series=SHORT[truth]))
    text = "The detector with the highest value first. The table also has P, R and F1 of the flags as they are."
    if len(truths) > 1:
        text = "Where the points of a detector are far apart, its value depends on what is called an error. " + text
    spec = dot_chart(dots, Axis(f"{title} (percent)"), name_title="detector", series_title="an error is")
    return Chart("detector-scores", title, text, spec, table, "half")


def _table(found: DetectorStudy, truths: Sequence[Truth], level: float) -> Table:
    columns = [Column("detector"), Column("flagged", "count"), Column("an error is", key="truth")]
    columns += [Column("errors", "number", digits=1)]
    columns += [Column(name, "percent", name, interval="beside") for name in ("P", "R", "F1")]
    columns.append(Column("average precision", "percent", "AP", interval="beside"))
    rows: list[list[Cell]] = []
    for one in found.detectors:
        for truth in truths:
            score, sweep = one.scores[truth], _sweeps(found, truth).get(one.name)
            average = None if sweep is None else sweep.average_precision
            start: list[Cell] = [one.name, one.n_flagged, SHORT[truth], score.hits + score.misses]
            rows.append([*start, score.precision, score.recall, score.f, average])
    who = judge(found)
    notes = [
        f"{plural(found.n_items, 'item')}, {plural(found.n_judges, who)}; intervals resample {found.unit}",
        *([f"an error is {listed([SAID[truth].format(who) for truth in truths])}"] if len(truths) > 1 else []),
        "P, R and F1 of the flags; average precision of the scores, whatever the threshold",
    ]
    return Table(columns, rows, "Detectors, in percent", "detector-scores-values", notes, level)


def _sweeps(found: DetectorStudy, truth: Truth) -> Mapping[str, Sweep]:
    return found.sweeps[truth].systems if truth in found.sweeps else {}


def _curve(found: DetectorStudy, truth: Truth, level: float) -> Chart:
    sweeps = found.sweeps[truth]
    made = sweeps.tables()[1]
    against = _against(found, truth)
    title = f"Precision and recall against {against}"
    table = Table(made.columns, made.rows, f"{title}, in percent", f"detector-curve-{truth}-values", made.notes, level)
    shown = [one.name for one in best_first(found) if one.name in sweeps.systems][:MOST_COLORED]
    dots = [
        LinePoint(name, 100 * point.recall, *drawn(point.precision))
        for name in shown
        for point in sweeps.systems[name].points
    ]
    first = next(iter(sweeps.systems.values()))
    chance = first.errors / first.n_items if first.n_items else None
    text = "As the threshold falls, a detector finds more and is right less often: the higher a curve, the better."
    if chance is not None:
        text += " The dashed line is what chance has at every recall."
    if len(shown) < len(sweeps.systems):
        text += f" The chart shows the best {len(shown)} of {len(sweeps.systems)} detectors, the table all."
    axes = Axis("recall (percent)"), Axis("precision (percent)")
    spec = band_chart(dots, *axes, guide=points(chance), series_title="detector")
    return Chart(f"detector-curve-{truth}", title, text, spec, table, "half")
