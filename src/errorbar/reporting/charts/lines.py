"""Curves with error bars: one line for each series, the axis from 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts.vega import (
    HEIGHT,
    TICKS,
    altair,
    between,
    finish,
    legend,
    percent_top,
    round_top,
    rows,
    tips,
)

MOST_COLORED = 5
"""Series with a color of their own; further ones are drawn in the background."""
DODGE = 0.03
"""Share of the lower axis over which curves with error bars are spread at each place."""


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A point of a curve, in the units of the axes.

    Attributes:
        series: Which curve.
        x: Where.
        value: How high; None: the curve has a gap.
        low: Lower end of the interval, or None.
        high: Upper end.
    """

    series: str
    x: float
    value: float | None
    low: float | None = None
    high: float | None = None


def line_chart(
    points: Sequence[LinePoint],
    *,
    x_title: str,
    y_title: str,
    human: str = "",
    guide: float | None = None,
    whole: bool = True,
    percent: bool = True,
    height: int = HEIGHT,
    series_title: str = "system",
) -> Spec:
    """Draw curves.

    Args:
        points: Of all curves; the first ``MOST_COLORED`` curves in this order have colors.
        x_title: Of the lower axis.
        y_title: Of the axis of values.
        human: The series of humans, drawn in their own color.
        guide: Height of a horizontal line to read by.
        whole: The lower axis counts things: its marks are whole numbers.
        percent: Values are percent, so that the axis ends at 100 at most unless a value is above.
        height: In pixels.
        series_title: Of the legend.
    """
    alt = altair()
    names = [name for name in dict.fromkeys(point.series for point in points) if name != human]
    colored, quiet = names[:MOST_COLORED], names[MOST_COLORED:]
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    top = percent_top([*ends, guide], room=1.05) if percent else round_top(max([*ends, guide or 0], default=1) * 1.02)
    lowest = min(ends, default=0.0)
    upright = {
        "title": y_title,
        "scale": alt.Scale(domain=[0.0 if lowest >= 0 else -round_top(-lowest), top], nice=False),
        "axis": alt.Axis(tickCount=TICKS),
    }
    x = sorted({point.x for point in points})
    ticks = {"values": x} if whole and len(x) <= 20 else {"tickCount": TICKS}
    marks = alt.Axis(grid=False, format=",d" if whole or max(x, default=0) > 10 else "~g", **ticks)
    along = alt.X("at:Q", title=x_title, scale=alt.Scale(zero=False, nice=False, padding=12), axis=marks)
    axes: dict[str, Any] = {"x": along, "y": alt.Y("value:Q", **upright)}
    tooltip = tips(alt, series=series_title, x=x_title, shown=y_title, interval="interval")
    beside = _beside(names, human, x)
    data = [_row(point, beside, 2 if percent else 3) for point in points if point.value is not None]

    def curve(which: Sequence[str], look: dict[str, Any], encoding: dict[str, Any]) -> list[Any]:
        own = [row for row in data if row["series"] in set(which)]
        bars = [row for row in own if row["low"] is not None]
        made = []
        if bars:
            rule = alt.Chart(rows(alt, bars)).mark_rule(**look)
            made.append(rule.encode(x=along, y=alt.Y("low:Q", **upright), y2="high:Q", tooltip=tooltip, **encoding))
        base = alt.Chart(rows(alt, own))
        detail = {} if "color" in encoding else {"detail": "series:N"}
        made.append(base.mark_line(fill=None, **look).encode(**axes, **encoding, **detail))
        # Points of the background stay in it.
        size = {"size": 12} if look.get("style") == "quiet" else {"size": 40, "opacity": 1}
        made.append(base.mark_point(filled=True, **size, **look).encode(**axes, tooltip=tooltip, **encoding))
        return made

    layers: list[Any] = []
    if guide is not None:
        line = alt.Chart(rows(alt, [{"y": guide}])).mark_rule(style="guide")
        layers.append(line.encode(y=alt.Y("y:Q", title=y_title)))
    if quiet:
        layers += curve(quiet, {"style": "quiet"}, {})
    if colored:
        scale = alt.Scale(domain=colored)
        color = alt.Color("series:N", title=series_title, sort=None, scale=scale, legend=legend(alt))
        layers += curve(colored, {}, {"color": color})
    if human:
        layers += curve([human], {"style": "human"}, {})
        last = [row for row in data if row["series"] == human][-1:]
        text = alt.Chart(rows(alt, last)).mark_text(align="right", dy=-12, style="label")
        layers.append(text.encode(**axes, text="series:N"))
    return finish(alt.layer(*layers), height=height)


def _beside(names: Sequence[str], human: str, x: Sequence[float]) -> dict[str, float]:
    """How far each curve is moved along the lower axis, so that error bars at one place do not hide each other."""
    step = DODGE * (x[-1] - x[0]) / max(1, len(names)) if x else 0.0
    moved = {name: (k - (len(names) - 1) / 2) * step for k, name in enumerate(names)}
    return {**moved, human: 0.0} if human else moved


def _row(point: LinePoint, beside: Mapping[str, float], digits: int) -> dict[str, object]:
    no_interval = point.low is None or point.high is None
    return {
        "series": point.series,
        "x": point.x,
        "at": point.x + (0.0 if no_interval else beside[point.series]),
        "value": point.value,
        "low": point.low,
        "high": point.high,
        "shown": f"{point.value:.{digits}f}",
        "interval": between(point.low, point.high, digits),
    }
