"""Values as points on a line from zero, intervals as error bars: one row for each name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.reporting.charts.build import ROW, TICKS, altair, finish, legend, percent_top, round_top, rows
from errorbar.reporting.model import Spec


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
    digits: int = 2,
    top: float | None = None,
) -> Spec:
    """Draw points with error bars, rows in the order given, the axis from 0.

    Args:
        dots: What to draw.
        title: Of the value axis, with its unit.
        name_title: What the rows are, for tooltips; beside the rows it would say what everybody sees.
        series_title: Of the legend, where there are several series.
        top: Where the axis ends; None: at a round number above all values, in percent.
        digits: Digits after the point of values in tooltips.
    """
    alt = altair()
    names = list(dict.fromkeys(dot.name for dot in dots))
    series = list(dict.fromkeys(dot.series for dot in dots))
    values = [end for dot in dots for end in (dot.value, dot.low, dot.high)]
    lowest = min((value for value in values if value is not None), default=0.0)
    domain = [-round_top(-lowest) if lowest < 0 else 0, percent_top(values, room=1.12) if top is None else top]
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
            "interval": "none"
            if dot.low is None or dot.high is None
            else f"{dot.low:.{digits}f}–{dot.high:.{digits}f}",
        }
        for dot in dots
        if dot.value is not None
    ]
    y = alt.Y("name:N", title=None, scale=alt.Scale(domain=names), sort=None)
    scale, axis = alt.Scale(domain=domain, nice=False), alt.Axis(tickCount=TICKS)
    shared = {"y": y}
    tooltip = [alt.Tooltip("name:N", title=name_title or "name")]
    if len(series) > 1:
        shared["color"] = alt.Color(
            "series:N", title=series_title, sort=None, scale=alt.Scale(domain=series), legend=legend(alt)
        )
        shared["yOffset"] = alt.YOffset("series:N", sort=None, scale=alt.Scale(domain=series))
        tooltip.append(alt.Tooltip("series:N", title=series_title))
    tooltip += [alt.Tooltip("shown:N", title=title), alt.Tooltip("interval:N", title="interval")]
    base = alt.Chart(rows(alt, data))
    bars = (
        alt.Chart(rows(alt, [row for row in data if row["low"] is not None]))
        .mark_rule(**({} if len(series) > 1 else {"style": "interval"}))
        .encode(x=alt.X("low:Q", title=title, scale=scale, axis=axis), x2="high:Q", tooltip=tooltip, **shared)
    )
    points = base.mark_point(
        filled=True, size=36, opacity=1, **({} if len(series) > 1 else {"style": "estimate"})
    ).encode(x=alt.X("value:Q", title=title, scale=scale, axis=axis), tooltip=tooltip, **shared)
    layers = [bars, points]
    if any(dot.note for dot in dots):
        note = alt.Chart(rows(alt, data)).mark_text(align="left", dx=8, style="letter")
        layers.append(note.encode(x=alt.X("end:Q", scale=scale, axis=axis), y=y, text="note:N"))
    row = ROW if len(series) < 2 else ROW + 8 * (len(series) - 1)
    return finish(alt.layer(*layers), height=max(3 * ROW, row * len(names)))
