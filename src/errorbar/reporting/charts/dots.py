"""Rows with names: values as points with error bars, and counts as bars, both from zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega


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
    outer: vega.Ends | None = None  # ends of a wider interval, drawn as a thin bar below the thick one


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
            "end": max(each for each in (dot.value, dot.high, *(dot.outer or ())) if each is not None),
            **vega.measured(dot.value, dot.low, dot.high, digits, dot.outer),
        }
        for dot in dots
        if dot.value is not None
    ]
    x = vega.along(
        axis, [end for dot in dots for end in (dot.value, dot.low, dot.high, *(dot.outer or ()))], room=1.12, top=top
    )
    y = vega.name("name", title=None, scale={"domain": names})
    told = {"name": name_title}
    several: vega.Part = {}
    if len(series) > 1:
        own = {"domain": series}
        several["color"] = vega.name("series", title=series_title, scale=own, legend=vega.LEGEND)
        several["yOffset"] = vega.name("series", scale=own)
        told["series"] = series_title
    bar_look, point_look = ({}, {}) if several else ({"style": "interval"}, {"style": "estimate"})
    shared = {"y": y, **several, "tooltip": vega.tips_of(data, axis.title, **told)}
    layers = [
        *vega.bars(data, "x", x, bar_look, **shared),
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
