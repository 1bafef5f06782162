"""Rows with names: values as points with error bars, counts as bars, both from zero, and grids of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega

STEP = 52
FLAT = 7  # names up to this many characters stand upright above their column; longer ones are turned


@dataclass(frozen=True, slots=True)
class Dot:
    """A value to draw in the row of a name, in the unit of the axis, with the ends of its interval.

    ``note`` stands behind the bar, such as group letters; ``series`` tells points of one row apart, e.g. the measure.
    A row without a value stays.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    series: str = ""


def dot_chart(
    dots: Sequence[Dot], axis: vega.Axis, *, name_title: str = "name", series_title: str = "", top: float | None = None
) -> Spec:
    """Draw points with error bars, rows in the order given.

    ``name_title`` says what the rows are, in tooltips; ``series_title`` that of the legend where there are several
    series; ``top`` where the axis ends, if not at a round number above all values.
    """
    names = list(dict.fromkeys(dot.name for dot in dots))
    series = list(dict.fromkeys(dot.series for dot in dots))
    digits = 2 if axis.kind == "percent" else 4
    data = [
        {
            "name": dot.name,
            "note": dot.note,
            "series": dot.series,
            "end": dot.value if dot.high is None else dot.high,
            **vega.measured(dot.value, dot.low, dot.high, digits),
        }
        for dot in dots
        if dot.value is not None
    ]
    x = vega.along(axis, [end for dot in dots for end in (dot.value, dot.low, dot.high)], room=1.12, top=top)
    y = vega.name("name", title=None, scale={"domain": names})
    told = {"name": name_title}
    several: vega.Part = {}
    if len(series) > 1:
        own = {"domain": series}
        several["color"] = vega.name("series", title=series_title, scale=own, legend=vega.LEGEND)
        several["yOffset"] = vega.name("series", scale=own)
        told["series"] = series_title
    bar_look, point_look = ({}, {}) if several else ({"style": "interval"}, {"style": "estimate"})
    shared = {"y": y, **several, "tooltip": vega.tips(**told, shown=axis.title, interval="interval")}
    bars = [row for row in data if row["low"] is not None]
    layers = [
        vega.layer(bars, "rule", bar_look, x=vega.number("low", **x), x2={"field": "high"}, **shared),
        vega.layer(data, "point", vega.POINT | point_look, x=vega.number("value", **x), **shared),
    ]
    if any(dot.note for dot in dots):
        look = {"align": "left", "dx": 8, "style": "letter"}
        layers.append(vega.layer(data, "text", look, x=vega.number("end", **x), y=y, text=vega.text("note")))
    row = vega.ROW + 8 * (len(series) - 1) if several else vega.ROW
    return vega.finish(layers, height=max(3 * vega.ROW, row * len(names)))


def bar_chart(counts: Mapping[str, int], *, x_title: str, y_title: str) -> Spec:
    """Draw a bar for each count, in the order given, its number above it."""
    data = [{"name": name, "count": count, "text": f"{count:,}"} for name, count in counts.items()]
    shared = {
        "x": vega.name("name", title=x_title, axis={"labelAngle": 0, "labelOverlap": True}),
        "y": vega.number("count", title=y_title, scale={"zero": True}),
        "tooltip": vega.tips(name=x_title, text=y_title),
    }
    figures = vega.layer(data, "text", {"style": "figure", "dy": -7}, **shared, text=vega.text("text"))
    return vega.finish([vega.layer(data, "bar", {"style": "bar"}, **shared), figures], height=220)


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell of a grid: what its color says (None: no value), what stands in it, what its tooltip says instead."""

    row: str
    column: str
    value: float | None
    text: str
    detail: str = ""


def heat_chart(
    cells: Sequence[HeatCell],
    *,
    row_title: str,
    column_title: str,
    value_title: str,
    domain: tuple[float, float] | None = None,
) -> Spec:
    """Draw a grid, rows and columns in the order of the cells.

    ``domain`` has the values at both ends of the colors; None: they are percent, from 0.
    """
    columns = list(dict.fromkeys(cell.column for cell in cells))
    names = list(dict.fromkeys(cell.row for cell in cells))
    data = [
        {"row": c.row, "column": c.column, "value": c.value, "text": c.text, "detail": c.detail or c.text}
        for c in cells
    ]
    bare = {"domain": False, "ticks": False}
    angle = 0 if max(map(len, columns), default=0) <= FLAT else -45
    above = {"orient": "top", "labelAngle": angle, "labelLimit": 120, **bare}
    place = {
        "x": vega.name("column", title=column_title, scale={"domain": columns}, axis=above),
        "y": vega.name("row", title=row_title, scale={"domain": names}, axis=bare),
        "tooltip": vega.tips(row=row_title, column=column_title, detail=value_title),
    }
    scale = {"domain": domain or (0, vega.percent_top([cell.value for cell in cells])), "clamp": True}
    color = vega.number("value", title=value_title, scale=scale, legend={"orient": "bottom"})
    known, unknown = ([row for row in data if (row["value"] is None) is gap] for gap in (False, True))
    layers = [
        vega.layer(known, "rect", {"style": "cell"}, color=color, **place),
        vega.layer(unknown, "rect", {"style": "gap"}, **place),
        vega.layer(data, "text", {"style": "figure"}, text=vega.text("text"), **place),
    ]
    return vega.finish(layers, step=STEP, height=vega.ROW * len(names))
