"""Pictures of published tables that need detectors: learning curves, and detectors by the agreement of judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from errorbar.core.estimate import Estimate
from errorbar.detectors.judged_detectors import BINS, EXTRANEOUS, JudgedDetector, judged_detectors
from errorbar.detectors.learning_curve import Form, LearningCurve
from errorbar.detectors.published_tables import curves, make_selection, published_point
from errorbar.formats.saving import save_bytes
from errorbar.metrics.crowd_weighted import CurvePoint, Estimand
from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega
from errorbar.reporting.charts.curves import LinePoint, line_chart
from errorbar.reporting.charts.rows import Dot, bar_chart, dot_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.export import Picture, draw_spec
from errorbar.reporting.sections.figures import scale_estimate
from errorbar.reproduce.cells import Sources

HEIGHT = 340
BEFORE, BEYOND = 0.03, 0.16  # shares of the axis that are free at its ends, for names on the right
TICKS = [step * 10.0**power for power in range(9) for step in (1, 3)]
DASHES: Mapping[Form, list[int]] = {"line": [6, 4], "power": [2, 3]}
NAMES: Mapping[Form, str] = {"line": "line", "power": "power law"}
BELOW: Mapping[Form, int] = {"line": -7, "power": 7}  # pixels; ends of fits lie close together


def learning_chart(curves: Mapping[str, LearningCurve], published: Mapping[str, tuple[float, float]]) -> Spec:
    """Draw accuracy by the number of examples, on a logarithmic axis, with error bars and fits.

    Args:
        curves: By what is chosen in. Fits are drawn to where they look ahead, with an interval there.
        published: Points of others, by what they are called: examples and accuracy, a fraction.
    """
    points = [_learning_row(text, point.n, point.accuracy) for text, curve in curves.items() for point in curve.points]
    fits = [
        _learning_row(text, n, accuracy) | {"form": NAMES[fit.form]}
        for text, curve in curves.items()
        for fit in curve.fits
        for n, accuracy in zip(fit.places, fit.accuracy, strict=True)
    ]
    last = max((row["n"] for row in fits), default=0)
    ends = [row for row in fits if row["n"] == last]
    theirs = [{"name": name, "n": n, "value": 100 * value} for name, (n, value) in published.items()]
    everything = [*points, *ends, *theirs]
    shown = [row.get(end) for row in everything for end in ("value", "low", "high")]
    upright = vega.along(vega.Axis("right choices (percent)"), shown, room=1.05)
    places = [row["n"] for row in everything]
    wide = max(places) / min(places)
    scale = {"type": "log", "nice": False, "domain": [min(places) / wide**BEFORE, max(places) * wide**BEYOND]}
    marks = {"format": "~s", "grid": False, "values": TICKS}
    x = vega.number("n", title="examples (logarithmic); open circles are extrapolated", scale=scale, axis=marks)
    y = vega.number("value", **upright)
    color = vega.name("text", title="chosen in", scale={"domain": [*curves]}, legend=vega.LEGEND)
    dashes = {"domain": [*NAMES.values()], "range": [*DASHES.values()]}
    dash = {**vega.text("form"), "legend": None, "scale": dashes}
    shared = {"x": x, "color": color}
    tooltip = {"tooltip": vega.tips(text="chosen in", examples="examples", shown="accuracy", interval="interval")}
    bars = [row for row in (*points, *ends) if row["low"] is not None]
    layers = [
        vega.layer(fits, "line", {"fill": None}, y=y, strokeDash=dash, **shared),
        vega.layer(bars, "rule", {}, y=vega.number("low", **upright), y2={"field": "high"}, **tooltip, **shared),
        vega.layer(points, "point", vega.POINT | {"size": 44}, y=y, **tooltip, **shared),
        vega.layer(ends, "point", {"filled": False, "size": 44}, y=y, **tooltip, **shared),
    ]
    for form, name in NAMES.items():
        beside = {"style": "letter", "align": "left", "dx": 9, "dy": BELOW[form]}
        own = [row for row in ends if row["form"] == name]
        layers.append(vega.layer(own, "text", beside, x=x, y=y, text=vega.text("form")))
    look, named = {"style": "human", "shape": "diamond", "size": 60}, {"style": "label", "align": "right", "dy": 18}
    layers.append(vega.layer(theirs, "point", vega.POINT | look, x=x, y=y))
    layers.append(vega.layer(theirs, "text", named, x=x, y=y, text=vega.text("name")))
    return vega.finish(layers, height=HEIGHT)


def _learning_row(text: str, n: float, estimate: Estimate) -> vega.Part:
    value, low, high = (
        None if end is None else 100 * end
        for end in (
            estimate.value,
            *((estimate.interval.low, estimate.interval.high) if estimate.interval else (None, None)),
        )
    )
    return {"text": text, "n": n, "examples": f"{n:,.0f}", **vega.make_value_row(value, low, high, 1)}


def draw_curves(sources: Sources, path: str, picture: Picture) -> None:
    """Write the learning curve of ``errorbar reproduce tetreault-chodorow2008`` with the published point.

    ``sources`` must name text and models.

    Raises:
        InputError: If the file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    chosen = make_selection(sources)
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
        LinePoint(f"{detector.detector}, {detector.question}", point.threshold, *scale_estimate(take(point), "number"))
        for detector in judged
        for point in detector.curve
    ]
    along = Axis("share of annotators who agree, at least", "number")
    return line_chart(points, along, Axis(title, "number", most=1.0), series_title="detector, question")


def _by_agreement(judged: Sequence[JudgedDetector], estimand: Estimand) -> Spec:
    dots = [
        Dot(f"{detector.detector}, {name}", *scale_estimate(estimate), series=measure)
        for place, name in enumerate(BINS.values())
        for detector in judged
        if detector.question == EXTRANEOUS
        for score in (detector.bins[place].scores[estimand],)
        for measure, estimate in (("precision", score.precision), ("recall", score.recall))
    ]
    title = {"majority": "unweighted", "weighted": "crowd-weighted"}[estimand]
    return dot_chart(dots, Axis(f"{title}, percent"), name_title="detector, agreement", series_title="measure")
