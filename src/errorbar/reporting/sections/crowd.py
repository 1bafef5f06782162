"""Systems against a crowd: how far it agrees, and how systems do where it agrees more or less."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from errorbar.core.estimate import Estimate
from errorbar.metrics.crowd_agreement import CurvePoint
from errorbar.metrics.crowd_weighted import CrowdScore
from errorbar.reporting.blocks import Block, Chart, Prose, Section
from errorbar.reporting.charts import Dot, LinePoint, bar_chart, dot_chart, line_chart
from errorbar.reporting.sections.figures import drawn, f_name, in_sentence, plural
from errorbar.studies.model import CrowdStudy, CrowdSystem, Study
from errorbar.tables.table import Cell, Column, Table

MOST_SAID, MOST_DRAWN = 6, 120
Take = Callable[[CurvePoint], Estimate]
CURVES: Mapping[str, tuple[str, Take]] = {
    "crowd-kappa": ("Kappa", lambda p: p.kappa),
    "crowd-youden": ("Youden's J", lambda p: p.youden),
    "crowd-kappa-at": ("Kappa at {}", lambda p: p.kappa_at),
    "crowd-odds": ("Log odds ratio", lambda p: p.log_odds),
}
"""Name of the chart to its title and what it shows."""


def crowd(study: Study) -> Section | None:
    """The crowd and the systems, or None where there are no judgments."""
    if not isinstance(study, CrowdStudy):
        return None
    blocks: list[Block] = [_histogram(study)]
    if study.systems:
        at = f"{study.reference_prevalence:g}"
        curves = [_curve(study, name, title.format(at), take) for name, (title, take) in CURVES.items()]
        blocks += [_scores(study), _bins(study), _about_curves(at), *curves]
    return Section("crowd", "Against the crowd", blocks)


def crowd_level(study: CrowdStudy) -> float:
    """The confidence level of its intervals."""
    every = [e.interval for _, score in _named(study) for e in (score.precision, score.recall, score.f)]
    if study.agreement is not None:
        every += [estimate.interval for estimate in study.agreement.coefficients.values()]
    return next((interval.confidence_level for interval in every if interval is not None), 0.95)


def _span(low: float, high: float) -> str:
    return f"{low:g}–{high:g}"


def _histogram(study: CrowdStudy) -> Chart:
    counts = {_span(*edges): n for edges, n in study.histogram.items()}
    total = sum(counts.values())
    rows = [(name, n, n / total if total else None) for name, n in counts.items()]
    columns = [Column("majority"), Column("items", "count"), Column("%", "percent", "share")]
    notes = ["a range holds its low edge, the last one also its high edge"]
    table = Table(columns, rows, "Items by share of the majority", "crowd-agreement", notes)
    text = f"{plural(study.n_items, 'item')} by the share of raters who agree with the majority. "
    text += "; ".join(f"{name}: {n:,}" for name, n in counts.items()) + "."
    spec = bar_chart(counts, x_title="share of the majority", y_title="items")
    return Chart("crowd-histogram", "Agreement of the crowd", text, spec, table, "half")


def _judged(score: CrowdScore) -> str:
    low, mean, high = score.n_judgments
    return str(low) if low == high else f"{low}–{high}, mean {mean:.1f}"


def _named(study: CrowdStudy) -> list[tuple[CrowdSystem, CrowdScore]]:
    return [(system, score) for system in study.systems for score in system.scores.values()]


def _scores(study: CrowdStudy) -> Chart:
    named = _named(study)
    name = f_name(named[0][1].beta)
    columns = [
        Column("system"),
        Column("estimand"),
        Column("judgments"),
        Column("items", "count"),
        *(Column(part, "number", digits=1) for part in ("hits", "FP", "misses")),
        *(Column(measure, "percent", interval="beside") for measure in ("P", "R", name)),
    ]
    rows = [
        (
            system.name,
            s.estimand,
            _judged(s),
            s.n_items,
            s.hits,
            s.false_positives,
            s.misses,
            s.precision,
            s.recall,
            s.f,
        )
        for system, s in named
    ]
    notes = ["weighted: an item counts as the share of raters who call it an error; majority: as most of them do"]
    table = Table(
        columns, rows, "Scores against the crowd, in percent", "crowd-scores-values", notes, crowd_level(study)
    )
    dots = [Dot(system.name, *drawn(score.f), series=score.estimand) for system, score in named]
    text = f"{name} against the crowd, weighted and by majority, with intervals. "
    text += "; ".join(f"{system.name}, {score.estimand}: {in_sentence(score.f)}" for system, score in named[:MOST_SAID])
    spec = dot_chart(dots, title=f"{name} (percent)", name_title="system", series_title="estimand")
    return Chart("crowd-scores", f"{name} against the crowd", text + ".", spec, table, "half")


def _bins(study: CrowdStudy) -> Chart:
    every = [(system, part, _span(part.low, part.high)) for system in study.systems for part in system.bins]
    columns = [
        *(Column(name) for name in ("system", "agreement", "estimand")),
        Column("items", "count"),
        Column("judgments"),
        *(Column(measure, "percent", interval="beside") for measure in "PR"),
    ]
    rows: list[list[Cell]] = [
        [system.name, span, score.estimand, score.n_items, _judged(score), score.precision, score.recall]
        for system, part, span in every
        for score in part.scores.values()
    ]
    notes = ["agreement: share of the majority; a bin holds its low edge, the last one also its high edge"]
    table = Table(columns, rows, "P and R by agreement, in percent", "crowd-bins-values", notes, crowd_level(study))
    dots = [
        Dot(f"{system.name} at {span}", *drawn(estimate), series=measure)
        for system, part, span in every
        if (score := part.scores.get("weighted")) is not None
        for measure, estimate in (("P", score.precision), ("R", score.recall))
    ]
    shown, cut = dots[:MOST_DRAWN], ""
    if len(shown) < len(dots):
        cut = f" The chart shows the first {len(shown)} of {len(dots)} values, the table all."
    text = f"Weighted precision and recall of {plural(len(study.systems), 'system')} on items by agreement. "
    text += "; ".join(
        f"{dot.series} of {dot.name}: {'undefined' if dot.value is None else f'{dot.value:.2f}'}"
        for dot in dots[:MOST_SAID]
    )
    spec = dot_chart(shown, title="percent", name_title="system at agreement", series_title="quantity")
    return Chart("crowd-bins", "Precision and recall by agreement", f"{text}.{cut}", spec, table)


def _about_curves(at: str) -> Prose:
    return Prose(
        [
            "As only items on which the crowd agrees more are kept, the share of errors among them changes, and kappa "
            "changes with it even where a system errs as often as before. Compare systems on different data by "
            f"Youden's J, the odds ratio, or kappa at one share of errors ({at}), which do not depend on it."
        ]
    )


def _curve(study: CrowdStudy, name: str, title: str, take: Take) -> Chart:
    every = [(system.name, p) for system in study.systems for p in system.curve]
    columns = [
        Column("system"),
        Column("agreement"),
        Column("items", "count"),
        Column("ties", "count"),
        Column("kept %", "percent"),
        Column("errors %", "percent"),
        Column(title, "number", digits=3, interval="beside"),
    ]
    rows = [(system, f">= {p.threshold:g}", p.n_items, p.n_ties, p.kept, p.prevalence, take(p)) for system, p in every]
    notes = ["ties: items left out because half of the raters call them an error"]
    table = Table(columns, rows, f"{title} by agreement", f"{name}-values", notes, crowd_level(study))
    first = study.systems[0]
    ends = dict.fromkeys((p.threshold, take(p).value) for p in (*first.curve[:1], *first.curve[-1:]))
    text = f"{title} on the items on which at least such a share of the raters agree. {first.name}: "
    text += ", ".join(f"{'undefined' if v is None else f'{v:.3f}'} at {t:g}" for t, v in ends)
    points = [LinePoint(system, p.threshold, *drawn(take(p), "number")) for system, p in every]
    spec = line_chart(
        points, x_title="share of raters who agree, at least", y_title=title, whole=False, percent=False, height=220
    )
    return Chart(name, f"{title} by agreement of the crowd", text + ".", spec, table, "half")
