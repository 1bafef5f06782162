"""Rows with names: values as points with error bars, and counts as bars; both from zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts.vega import (
    ROW,
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


@dataclass(frozen=True, slots=True)
class Dot:
    """A value to draw, in the unit of the axis.

    Attributes:
        name: Row it stands in.
        value: Where the point is; None: no point, the row stays.
        low: Lower end of the interval, or None.
        high: Upper end.
        note: Text behind the bar, such as group letters.
        series: What tells points of one row apart, e.g. the measure.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    series: str = ""


def dot_chart(
    dots: Sequence[Dot],
    *,
    title: str,
    name_title: str = "",
    series_title: str = "",
    percent: bool = True,
    top: float | None = None,
) -> Spec:
    """Draw points with error bars, rows in the order given, the axis from 0.

    Args:
        dots: What to draw.
        title: Of the value axis, with its unit.
        name_title: What the rows are, for tooltips; beside the rows it would say what everybody sees.
        series_title: Of the legend, where there are several series.
        percent: Values are percent: two digits are shown, and the axis ends at 100 at most unless a value is above.
        top: Where the axis ends; None: at a round number above all values.
    """
    alt = altair()
    names = list(dict.fromkeys(dot.name for dot in dots))
    series = list(dict.fromkeys(dot.series for dot in dots))
    values = [end for dot in dots for end in (dot.value, dot.low, dot.high)]
    lowest = min((value for value in values if value is not None), default=0.0)
    if top is None:
        largest = max((value for value in values if value is not None), default=0.0)
        top = percent_top(values, room=1.12) if percent else round_top(1.12 * largest)
    domain = [-round_top(-lowest) if lowest < 0 else 0, top]
    digits = 2 if percent else 4
    data = [
        {
            "name": dot.name,
            "value": dot.value,
            "low": dot.low,
            "high": dot.high,
            "end": dot.value if dot.high is None else dot.high,
            "note": dot.note,
            "series": dot.series,
            "shown": f"{dot.value:.{digits}f}",
            "interval": between(dot.low, dot.high, digits),
        }
        for dot in dots
        if dot.value is not None
    ]
    scale, axis = alt.Scale(domain=domain, nice=False), alt.Axis(tickCount=TICKS)
    shared = {"y": alt.Y("name:N", title=None, scale=alt.Scale(domain=names), sort=None)}
    told = {"name": name_title or "name"}
    bar_look, point_look = {"style": "interval"}, {"style": "estimate"}
    if len(series) > 1:
        own = alt.Scale(domain=series)
        shared["color"] = alt.Color("series:N", title=series_title, sort=None, scale=own, legend=legend(alt))
        shared["yOffset"] = alt.YOffset("series:N", sort=None, scale=own)
        told["series"] = series_title
        bar_look = point_look = {}
    shared["tooltip"] = tips(alt, **told, shown=title, interval="interval")
    with_ends = alt.Chart(rows(alt, [row for row in data if row["low"] is not None]))
    every = alt.Chart(rows(alt, data))
    layers = [
        with_ends.mark_rule(**bar_look).encode(
            x=alt.X("low:Q", title=title, scale=scale, axis=axis), x2="high:Q", **shared
        ),
        every.mark_point(filled=True, size=36, opacity=1, **point_look).encode(
            x=alt.X("value:Q", title=title, scale=scale, axis=axis), **shared
        ),
    ]
    if any(dot.note for dot in dots):
        note = alt.Chart(rows(alt, data)).mark_text(align="left", dx=8, style="letter")
        layers.append(note.encode(x=alt.X("end:Q", scale=scale, axis=axis), y=shared["y"], text="note:N"))
    row = ROW if len(series) < 2 else ROW + 8 * (len(series) - 1)
    return finish(alt.layer(*layers), height=max(3 * ROW, row * len(names)))


def bar_chart(counts: Mapping[str, int], *, x_title: str, y_title: str) -> Spec:
    """Draw a bar for each count, in the order given, its number above it.

    Args:
        counts: Name of the bar to its count.
        x_title: What the bars are.
        y_title: What is counted.
    """
    alt = altair()
    data = [{"name": name, "count": count, "text": f"{count:,}"} for name, count in counts.items()]
    x = alt.X("name:N", title=x_title, sort=None, axis=alt.Axis(labelAngle=0, labelOverlap=True))
    y = alt.Y("count:Q", title=y_title, scale=alt.Scale(zero=True))
    base = alt.Chart(rows(alt, data)).encode(x=x, y=y, tooltip=tips(alt, name=x_title, text=y_title))
    figures = base.mark_text(style="figure", dy=-7).encode(text="text:N")
    return finish(alt.layer(base.mark_bar(style="bar"), figures), height=220)
