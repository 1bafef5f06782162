"""Curves with error bars: one line for each series, the axis from 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega

MOST_COLORED = 5  # series with a color of their own; further ones are drawn in the background
MOST_TICKS = 20
DODGE = 0.03  # share of the lower axis over which curves with error bars are spread at each place
HIGH, LOW = 300, 220
"""Heights in pixels: of curves over things that are counted, and over others, which stand side by side."""


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A point of a curve, in the units of the axes, with the ends of its interval; without a value a gap."""

    series: str
    x: float
    value: float | None
    low: float | None = None
    high: float | None = None


def line_chart(
    points: Sequence[LinePoint],
    x: vega.Axis,
    y: vega.Axis,
    *,
    human: str = "",
    guide: float | None = None,
    series_title: str = "system",
) -> Spec:
    """Draw curves; the first ``MOST_COLORED`` in the order of the points have colors.

    ``human`` is the series of humans, drawn in their own color, ``guide`` the height of a line to read by.
    """
    names = [each for each in dict.fromkeys(point.series for point in points) if each != human]
    places = sorted({point.x for point in points})
    whole = x.kind == "count"
    ticks = {"values": places} if whole and len(places) <= MOST_TICKS else {"tickCount": vega.TICKS}
    marks = {"grid": False, "format": ",d" if whole or max(places, default=0) > 10 else "~g", **ticks}
    at = vega.number("at", title=x.title, scale={"zero": False, "nice": False, "padding": 12}, axis=marks)
    ends = [end for point in points for end in (point.value, point.low, point.high)]
    upright = vega.along(y, [*ends, guide], room=1.05)
    tooltip = vega.tips(series=series_title, x=x.title, shown=y.title, interval="interval")
    # So that error bars at one place do not hide each other.
    step = DODGE * (places[-1] - places[0]) / max(1, len(names)) if places else 0.0
    beside = {each: (k - (len(names) - 1) / 2) * step for k, each in enumerate(names)}
    data = [_row(point, beside.get(point.series, 0.0), 2 if y.kind == "percent" else 3) for point in points]

    def curve(which: Sequence[str], look: vega.Part, channels: vega.Part) -> list[vega.Part]:
        own = [row for row in data if row and row["series"] in which]
        bars = [row for row in own if row["low"] is not None]
        told = {"x": at, "tooltip": tooltip, **channels}
        detail = {} if channels else {"detail": vega.text("series")}
        # Points of the background stay in it.
        size = {"filled": True, "size": 12} if look.get("style") == "quiet" else vega.POINT | {"size": 40}
        return [
            *(
                [vega.layer(bars, "rule", look, y=vega.number("low", **upright), y2={"field": "high"}, **told)]
                if bars
                else []
            ),
            vega.layer(
                own, "line", {"fill": None, **look}, x=at, y=vega.number("value", **upright), **channels, **detail
            ),
            vega.layer(own, "point", size | look, y=vega.number("value", **upright), **told),
        ]

    layers: list[vega.Part] = []
    if guide is not None:
        layers.append(vega.layer([{"y": guide}], "rule", {"style": "guide"}, y=vega.number("y", title=y.title)))
    colored, quiet = names[:MOST_COLORED], names[MOST_COLORED:]
    if quiet:
        layers += curve(quiet, {"style": "quiet"}, {})
    if colored:
        color = vega.name("series", title=series_title, scale={"domain": colored}, legend=vega.LEGEND)
        layers += curve(colored, {}, {"color": color})
    if human:
        layers += curve([human], {"style": "human"}, {})
        last = [row for row in data if row and row["series"] == human][-1:]
        look = {"align": "right", "dy": -12, "style": "label"}
        layers.append(vega.layer(last, "text", look, x=at, y=vega.number("value", **upright), text=vega.text("series")))
    return vega.finish(layers, height=HIGH if whole else LOW)


def _row(point: LinePoint, beside: float, digits: int) -> vega.Row | None:
    if point.value is None:
        return None
    moved = 0.0 if point.low is None or point.high is None else beside
    own = {"series": point.series, "x": point.x, "at": point.x + moved}
    return {**own, **vega.measured(point.value, point.low, point.high, digits)}
