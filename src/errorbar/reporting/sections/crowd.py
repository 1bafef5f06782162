"""Systems against a crowd: how far it agrees, and how systems do where it agrees more or less."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from errorbar.core.estimate import Estimate
from errorbar.metrics.crowd_agreement import CurvePoint
from errorbar.reporting.blocks import Block, Chart, Prose, Section
from errorbar.reporting.charts.dots import Dot, bar_chart, dot_chart
from errorbar.reporting.charts.lines import LinePoint, line_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.sections.figures import drawn
from errorbar.studies.model import CrowdStudy, Study
from errorbar.tables.table import Column, Table

MOST_DRAWN = 120
SHARED = 6  # columns in front of the values in the table of errorbar curve
Take = Callable[[CurvePoint], Estimate]
CURVES: Mapping[str, tuple[str, Take, str]] = {
    "crowd-kappa": ("Kappa", lambda p: p.kappa, "kappa"),
    "crowd-youden": ("Youden's J", lambda p: p.youden, "youden"),
    "crowd-kappa-at": ("Kappa at {}", lambda p: p.kappa_at, "kappa_at"),
    "crowd-odds": ("Log odds ratio", lambda p: p.log_odds, "log_odds"),
}
"""Name of the chart to its title, what it shows, and its column in the table of ``errorbar curve``."""
ABOUT_CURVES = (
    "As only items on which the crowd agrees more are kept, the share of errors among them changes, and kappa changes "
    "with it even where a system errs as often as before. Compare systems on different data by Youden's J, the odds "
    "ratio, or kappa at one share of errors ({}), which do not depend on it."
)


def crowd(study: Study) -> Section | None:
    """The crowd and the systems, or None where there are no judgments."""
    if not isinstance(study, CrowdStudy):
        return None
    blocks: list[Block] = [_histogram(study)]
    if study.scores.rows:
        at = f"{study.curves.reference_prevalence:g}"
        curves = [_curve(study, name, title.format(at), take, key) for name, (title, take, key) in CURVES.items()]
        blocks += [_scores(study), _bins(study), Prose([ABOUT_CURVES.format(at)]), *curves]
    return Section("crowd", "Against the crowd", blocks)


def _span(low: float, high: float) -> str:
    return f"{low:g}–{high:g}"


def _histogram(study: CrowdStudy) -> Chart:
    counts = {_span(*edges): n for edges, n in study.histogram.items()}
    total = sum(counts.values())
    rows = [(name, n, n / total if total else None) for name, n in counts.items()]
    columns = [Column("majority"), Column("items", "count"), Column("%", "percent", "share")]
    notes = ["a range holds its low edge, the last one also its high edge"]
    table = Table(columns, rows, "Items by share of the majority", "crowd-agreement", notes)
    text = "Items by the share of raters who agree with the majority: those on the right are clear to everybody, those "
    text += "on the left divide the crowd."
    spec = bar_chart(counts, x_title="share of the majority", y_title="items")
    return Chart("crowd-histogram", "Agreement of the crowd", text, spec, table, "half")


def _scores(study: CrowdStudy) -> Chart:
    rows = study.scores.rows
    name = f"F{rows[0].score.beta:g}"
    made = study.scores.tables()[0]
    title = "Scores against the crowd, in percent"
    table = Table(made.columns, made.rows, title, "crowd-scores-values", made.notes[:1], study.confidence_level)
    dots = [Dot(row.system, *drawn(row.score.f), series=row.score.estimand) for row in rows]
    text = "Weighted by the share of raters, and by what most of them say: where the two are apart, the score depends "
    text += "on items that divide the crowd"
    spec = dot_chart(dots, Axis(f"{name} (percent)"), name_title="system", series_title="estimand")
    return Chart("crowd-scores", f"{name} against the crowd", text + ".", spec, table, "half")


def _bins(study: CrowdStudy) -> Chart:
    every = [(one.system, part, _span(part.low, part.high)) for one in study.curves.systems for part in one.bins]
    made = study.curves.tables()[0]
    title = "P and R by agreement, in percent"
    table = Table(made.columns, made.rows, title, "crowd-bins-values", made.notes, study.confidence_level)
    dots = [
        Dot(f"{system} at {span}", *drawn(estimate), series=measure)
        for system, part, span in every
        if (score := part.scores.get("weighted")) is not None
        for measure, estimate in (("P", score.precision), ("R", score.recall))
    ]
    shown, cut = dots[:MOST_DRAWN], ""
    if len(shown) < len(dots):
        cut = f" The chart shows the first {len(shown)} of {len(dots)} values, the table all."
    text = "Weighted precision and recall on items by agreement: a good system gains as the crowd agrees more"
    spec = dot_chart(shown, Axis("percent"), name_title="system at agreement", series_title="quantity")
    return Chart("crowd-bins", "Precision and recall by agreement", f"{text}.{cut}", spec, table)


def _curve(study: CrowdStudy, name: str, title: str, take: Take, key: str) -> Chart:
    every = [(one.system, p) for one in study.curves.systems for p in one.curve]
    *_, whole = study.curves.tables()
    at = next(k for k, column in enumerate(whole.columns) if column.key == key)
    columns = [*whole.columns[:SHARED], replace(whole.columns[at], title=title, interval="beside")]
    rows = [[*row[:SHARED], row[at]] for row in whole.rows]
    notes = whole.notes[:1]
    table = Table(columns, rows, f"{title} by agreement", f"{name}-values", notes, study.confidence_level)
    text = f"{title} on the items on which at least such a share of the raters agree: further right, only clear items"
    points = [LinePoint(system, p.threshold, *drawn(take(p), "number")) for system, p in every]
    upright = Axis(title, "number", most=None if key == "log_odds" else 1.0)
    spec = line_chart(points, Axis("share of raters who agree, at least", "number"), upright)
    return Chart(name, f"{title} by agreement of the crowd", text + ".", spec, table, "half")
