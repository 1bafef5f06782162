"""A learning curve: accuracy by the number of examples on a logarithmic axis, with error bars and extrapolations."""

from __future__ import annotations

from collections.abc import Mapping

from errorbar.core.estimate import Estimate
from errorbar.detectors.learning_curve import Form, LearningCurve
from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega

HEIGHT = 340
TICKS = [step * 10.0**power for power in range(9) for step in (1, 3)]
BEFORE, BEYOND = 0.03, 0.16  # shares of the axis that are free at its ends, for names on the right
DASHES: Mapping[Form, list[int]] = {"line": [6, 4], "power": [2, 3]}
NAMES: Mapping[Form, str] = {"line": "line", "power": "power law"}
BELOW: Mapping[Form, int] = {"line": -7, "power": 7}  # pixels; ends of fits lie close together


def learning_chart(curves: Mapping[str, LearningCurve], published: Mapping[str, tuple[float, float]]) -> Spec:
    """Draw curves with their fits.

    Args:
        curves: By what is chosen in. Fits are drawn to where they look ahead, with an interval there.
        published: Points of others, by what they are called: examples and accuracy, a fraction.
    """
    points = [_row(text, each.n, each.accuracy) for text, curve in curves.items() for each in curve.points]
    fits = [
        _row(text, n, accuracy) | {"form": NAMES[fit.form]}
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
    told = {"tooltip": vega.tips(text="chosen in", examples="examples", shown="accuracy", interval="interval")}
    bars = [row for row in (*points, *ends) if row["low"] is not None]
    layers = [
        vega.layer(fits, "line", {"fill": None}, y=y, strokeDash=dash, **shared),
        vega.layer(bars, "rule", {}, y=vega.number("low", **upright), y2={"field": "high"}, **told, **shared),
        vega.layer(points, "point", vega.POINT | {"size": 44}, y=y, **told, **shared),
        vega.layer(ends, "point", {"filled": False, "size": 44}, y=y, **told, **shared),
    ]
    for form, name in NAMES.items():
        beside = {"style": "letter", "align": "left", "dx": 9, "dy": BELOW[form]}
        own = [row for row in ends if row["form"] == name]
        layers.append(vega.layer(own, "text", beside, x=x, y=y, text=vega.text("form")))
    look, named = {"style": "human", "shape": "diamond", "size": 60}, {"style": "label", "align": "right", "dy": 18}
    layers.append(vega.layer(theirs, "point", vega.POINT | look, x=x, y=y))
    layers.append(vega.layer(theirs, "text", named, x=x, y=y, text=vega.text("name")))
    return vega.finish(layers, height=HEIGHT)


def _row(text: str, n: float, found: Estimate) -> vega.Part:
    value, low, high = (
        None if each is None else 100 * each
        for each in (found.value, *((found.interval.low, found.interval.high) if found.interval else (None, None)))
    )
    return {"text": text, "n": n, "examples": f"{n:,.0f}", **vega.measured(value, low, high, 1)}
