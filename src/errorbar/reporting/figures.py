"""Pictures of commands that make no report: learning curves, detectors and agreement of papers, plans of judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from errorbar.api.plan_judging import JudgingPlan, Target
from errorbar.core.estimate import Estimate
from errorbar.formats.saving import save_bytes
from errorbar.metrics.crowd_weighted import CurvePoint, Estimand
from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega
from errorbar.reporting.charts.curves import LinePoint, learning_chart, line_chart
from errorbar.reporting.charts.rows import Dot, bar_chart, dot_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.export import Picture, draw_spec
from errorbar.reporting.sections.figures import drawn
from errorbar.reproduce.cells import Sources
from errorbar.reproduce.judged_detectors import BINS, EXTRANEOUS, JudgedDetector, judged_detectors
from errorbar.reproduce.prepositions import curves, published_point, selection


def draw_curves(sources: Sources, path: str, picture: Picture) -> None:
    """Write the learning curve of ``errorbar reproduce tetreault-chodorow2008`` with the published point.

    ``sources`` must name text and models.

    Raises:
        InputError: If the file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    chosen = selection(sources)
    assert chosen is not None
    save_bytes(draw_spec(learning_chart(curves(chosen), published_point()), picture), path)


def draw_figures(sources: Sources, path: str, picture: Picture) -> None:
    """Write the figures of ``errorbar reproduce madnani2011``, ``NAME-1`` and so on; ``sources`` must name models.

    Raises:
        InputError: If a file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    judged = judged_detectors(sources)
    assert judged is not None
    contents = {name: draw_spec(spec, picture) for name, spec in figures(judged).items()}
    for name, content in contents.items():
        save_bytes(content, str(Path(path).with_stem(f"{Path(path).stem}-{name}")))


def figures(judged: Sequence[JudgedDetector]) -> Mapping[str, Spec]:
    """By name: agreement (1), P and R by it, unweighted (2) and weighted, and both kappas along the agreement."""
    agreement = next(detector.agreement for detector in judged if detector.question == EXTRANEOUS)
    counts = {f"{share:.0%}": count for share, count in agreement.items()}
    histogram = bar_chart(counts, x_title="annotators who agree", y_title="items")
    curves = {
        "kappa": _curves(judged, "kappa with the majority", lambda point: point.kappa),
        "kappa-at": _curves(judged, "kappa with the majority, at 10 % errors", lambda point: point.kappa_at),
    }
    bins = {"2": _by_agreement(judged, "majority"), "weighted": _by_agreement(judged, "weighted")}
    return {"1": histogram, **bins, **curves}


def _curves(judged: Sequence[JudgedDetector], title: str, take: Callable[[CurvePoint], Estimate]) -> Spec:
    points = [
        LinePoint(f"{detector.detector}, {detector.question}", point.threshold, *drawn(take(point), "number"))
        for detector in judged
        for point in detector.curve
    ]
    along = Axis("share of annotators who agree, at least", "number")
    return line_chart(points, along, Axis(title, "number", most=1.0), series_title="detector, question")


def _by_agreement(judged: Sequence[JudgedDetector], estimand: Estimand) -> Spec:
    dots = [
        Dot(f"{detector.detector}, {name}", *drawn(estimate), series=measure)
        for place, name in enumerate(BINS.values())
        for detector in judged
        if detector.question == EXTRANEOUS
        for score in (detector.bins[place].scores[estimand],)
        for measure, estimate in (("precision", score.precision), ("recall", score.recall))
    ]
    title = {"majority": "unweighted", "weighted": "crowd-weighted"}[estimand]
    return dot_chart(dots, Axis(f"{title}, percent"), name_title="detector, agreement", series_title="measure")


MOST_JUDGES = 10
TIMES = (0.5, 1, 2, 4)
"""Factors of the curves' numbers of documents and of the lines' costs: 1 is the first design of the plan."""
LEAST_TEXTS = 2
HEIGHT = 300


def plan_chart(plan: JudgingPlan, target: Target) -> Spec:
    """Half-width of a target by number of judges: curves of as many documents, dashed lines of equal cost."""
    first = plan.designs[0]
    factor = 100 if plan.measure.kind == "percent" else 1
    sizes = [max(2, round(first.n_texts * times)) for times in TIMES]
    costs = [first.n_texts * first.n_judges * times for times in TIMES]

    def half(n_texts: float, n_judges: int) -> float | None:
        return plan.half_width(target, n_texts, n_judges) if n_texts >= LEAST_TEXTS else None

    def row(series: str, n_texts: float, n_judges: int, width: float) -> vega.Row:
        own = {"series": series, "judges": n_judges, "half": factor * width}
        return {**own, "texts": f"{n_texts:,.0f}", "shown": f"{factor * width:.2f}"}

    judges = range(1, max(MOST_JUDGES, plan.n_judges) + 1)
    widths = [(n, m, width) for n in sizes for m in judges if (width := half(n, m)) is not None]
    top = max((width for *_, width in widths), default=1.0)
    curves = [row(f"{n:,} {plan.unit}s", n, m, width) for n, m, width in widths]
    equal = [
        row(_cost(plan, cost), cost / m, m, width)
        for cost in costs
        for m in judges
        if (width := half(cost / m, m)) is not None and width <= top
    ]
    top *= factor
    x = vega.number(
        "judges", title="judges", scale={"zero": False, "nice": False, "padding": 12}, axis={"tickMinStep": 1}
    )
    points = " (points)" if plan.measure.kind == "percent" else ""
    title = f"half-width of {target.name}{points}"
    y = vega.number("half", title=title, scale={"domain": [0, 1.05 * top], "clamp": True})
    tooltip = vega.tips(series="line", judges="judges", texts=f"{plan.unit}s", shown="half-width")
    names = _names(curves)
    color = vega.name("series", title=f"{plan.unit}s", scale={"domain": names}, legend=vega.LEGEND)
    lines = [[row for row in equal if row["series"] == name] for name in _names(equal)]
    visible = [end for line in lines if len(line) > 1 for end in line]
    last = list({end["series"]: end for end in visible}.values())
    label = {"align": "right", "dy": -6, "style": "letter"}
    dashed = {"style": "quiet", "fill": None, "strokeDash": [4, 3]}
    layers = [
        vega.layer(visible, "line", dashed, x=x, y=y, detail=vega.text("series")),
        vega.layer(last, "text", label, x=x, y=y, text=vega.text("series")),
        vega.layer(curves, "line", {"fill": None}, x=x, y=y, color=color),
        vega.layer(curves, "point", vega.POINT | {"size": 40}, x=x, y=y, color=color, tooltip=tooltip),
    ]
    return vega.finish(layers, height=HEIGHT)


def _names(rows: Sequence[vega.Row]) -> list[str]:
    return list(dict.fromkeys(str(row["series"]) for row in rows))


def _cost(plan: JudgingPlan, judgments: float) -> str:
    sentences = judgments * plan.sentences_per_text
    hours = plan.hours(sentences)
    return f"{sentences:,.0f} judgments" if hours is None else f"{hours:,.0f} hours"


def draw_plan(plan: JudgingPlan, path: str, picture: Picture) -> None:
    """Write the chart of the first system.

    Raises:
        InputError: If the file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    save_bytes(draw_spec(plan_chart(plan, plan.targets[0]), picture), path)
