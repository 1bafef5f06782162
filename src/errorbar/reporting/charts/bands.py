"""Curves with bands: precision along recall, one line for each series, its intervals as a band around it."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega
from errorbar.reporting.charts.lines import LinePoint

HIGH = 280


def band_chart(
    points: Sequence[LinePoint],
    x: vega.Axis,
    y: vega.Axis,
    *,
    guide: float | None = None,
    series_title: str = "system",
    top: float | None = None,
) -> Spec:
    """Draw curves; every series has a color, so there must be few.

    ``guide`` is the height of a line to read by, ``top`` where the upright axis ends, if not at a round number.
    """
    names = list(dict.fromkeys(point.series for point in points))
    known = [point for point in points if point.value is not None]
    across = vega.along(x, [point.x for point in known], room=1.0)
    upright = vega.along(y, [end for p in known for end in (p.value, p.low, p.high, guide)], room=1.05, top=top)
    across["axis"] = {"grid": False, **across["axis"]}
    digits = 2 if y.kind == "percent" else 3
    rows = [{"series": p.series, "x": p.x, **vega.measured(p.value, p.low, p.high, digits)} for p in known]
    banded = [row for row in rows if row["low"] is not None]
    place = vega.number("x", **across)
    color = vega.name("series", title=series_title, scale={"domain": names}, legend=vega.LEGEND | {"symbolOpacity": 1})
    told = vega.tips(series=series_title, x=x.title, shown=y.title, interval="interval")
    layers: list[vega.Part] = []
    if guide is not None:
        layers.append(vega.layer([{"y": guide}], "rule", {"style": "guide"}, y=vega.number("y", title=y.title)))
    if banded:
        ends = {"y": vega.number("low", **upright), "y2": {"field": "high"}}
        look = {"style": "band", "tooltip": None}
        layers.append(vega.layer(banded, "area", look, x=place, color=color, **ends))
    shared = {"x": place, "y": vega.number("value", **upright), "color": color}
    layers.append(vega.layer(rows, "line", {"fill": None}, **shared))
    layers.append(vega.layer(rows, "point", vega.POINT | {"size": 30}, tooltip=told, **shared))
    return vega.finish(layers, height=HIGH)
