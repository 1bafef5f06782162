"""The figures of ``errorbar reproduce madnani2011``: agreement, P and R by agreement, the kappa-agreement plot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from errorbar.core.estimate import Estimate
from errorbar.formats.saving import save_bytes
from errorbar.metrics.crowd_agreement import CurvePoint
from errorbar.metrics.crowd_weighted import Estimand
from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts.dots import Dot, bar_chart, dot_chart
from errorbar.reporting.charts.lines import LinePoint, line_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.export import Picture, draw_spec
from errorbar.reporting.sections.figures import drawn
from errorbar.reproduce.judged_detectors import BINS, EXTRANEOUS, JudgedDetector, judged_detectors
from errorbar.reproduce.sources import Sources


def draw_figures(sources: Sources, path: str, picture: Picture) -> None:
    """Write the pictures of ``figures``, ``NAME-1`` and so on; ``sources`` must name models.

    Raises:
        InputError: If a file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    judged = judged_detectors(sources)
    assert judged is not None
    made = {name: draw_spec(spec, picture) for name, spec in figures(judged).items()}
    for name, content in made.items():
        save_bytes(content, str(Path(path).with_stem(f"{Path(path).stem}-{name}")))


def figures(judged: Sequence[JudgedDetector]) -> Mapping[str, Spec]:
    """By name: agreement (1), P and R by it, unweighted (2) and weighted, and both kappas along the agreement."""
    agreement = next(one.agreement for one in judged if one.question == EXTRANEOUS)
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
        LinePoint(f"{one.detector}, {one.question}", point.threshold, *drawn(take(point), "number"))
        for one in judged
        for point in one.curve
    ]
    along = Axis("share of annotators who agree, at least", "number")
    return line_chart(points, along, Axis(title, "number", most=1.0), series_title="detector, question")


def _by_agreement(judged: Sequence[JudgedDetector], estimand: Estimand) -> Spec:
    dots = [
        Dot(f"{one.detector}, {name}", *drawn(estimate), series=measure)
        for place, name in enumerate(BINS.values())
        for one in judged
        if one.question == EXTRANEOUS
        for score in (one.bins[place].scores[estimand],)
        for measure, estimate in (("precision", score.precision), ("recall", score.recall))
    ]
    title = {"majority": "unweighted", "weighted": "crowd-weighted"}[estimand]
    return dot_chart(dots, Axis(f"{title}, percent"), name_title="detector, agreement", series_title="measure")
