"""Curves: lines with error bars that end in their names, and lines with bands around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega
from errorbar.reporting.charts.plane import spread

MOST_COLORED = 5  # series with a color of their own; further ones are drawn in the background
MOST_TICKS = 20
DODGE = 0.03  # share of the lower axis over which curves with error bars are spread at each place
HIGH, LOW = 300, 220
"""Heights in pixels: of curves over things that are counted, and over others, which stand side by side."""
LABEL = 14  # pixels from one name to the next
ASIDE = 14  # pixels from the plot to names
LIMIT = 130  # longest name, in pixels; the rest is cut


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A point of a curve, in the units of the axes, with the ends of its interval; without a value a gap."""

    series: str
    x: float
    value: float | None
    low: float | None = None
    high: float | None = None
    outer: vega.Ends | None = None  # ends of a wider interval, drawn as a thin bar below the thick one


def line_chart(
    points: Sequence[LinePoint],
    x: vega.Axis,
    y: vega.Axis,
    *,
    human: str = "",
    guide: float | None = None,
    series_title: str = "system",
) -> Spec:
    """Draw curves with error bars, the axis from 0, that end in their names.

    The first ``MOST_COLORED`` in the order of the points have colors. ``human`` is the series of humans, drawn in
    their own color, ``guide`` the height of a line to read by.
    """
    names = [name for name in dict.fromkeys(point.series for point in points) if name != human]
    places = sorted({point.x for point in points})
    whole = x.kind == "count"
    ticks = {"values": places} if whole and len(places) <= MOST_TICKS else {"tickCount": vega.TICKS}
    marks = {"grid": False, "format": ",d" if whole or max(places, default=0) > 10 else "~g", **ticks}
    at = vega.number("at", title=x.title, scale={"zero": False, "nice": False, "padding": 12}, axis=marks)
    ends = [end for point in points for end in (point.value, point.low, point.high, *(point.outer or ()))]
    upright = vega.along(y, [*ends, guide], room=1.05)
    # So that error bars at one place do not hide each other.
    step = DODGE * (places[-1] - places[0]) / max(1, len(names)) if places else 0.0
    beside = {name: (k - (len(names) - 1) / 2) * step for k, name in enumerate(names)}
    data = [_row(point, beside.get(point.series, 0.0), 2 if y.kind == "percent" else 3) for point in points]

    known = [row for row in data if row]
    tooltip = vega.tips_of(known, y.title, series=series_title, x=x.title)

    def curve(which: Sequence[str], look: vega.Part, channels: vega.Part) -> list[vega.Part]:
        own = [row for row in known if row["series"] in which]
        encoding = {"x": at, "tooltip": tooltip, **channels}
        detail = {} if channels else {"detail": vega.text("series")}
        # Points of the background stay in it.
        size = {"filled": True, "size": 12} if look.get("style") == "quiet" else vega.POINT | {"size": 40}
        return [
            *vega.bars(own, "y", upright, look, **encoding),
            vega.layer(
                own, "line", {"fill": None, **look}, x=at, y=vega.number("value", **upright), **channels, **detail
            ),
            vega.layer(own, "point", size | look, y=vega.number("value", **upright), **encoding),
        ]

    layers: list[vega.Part] = []
    if guide is not None:
        layers.append(vega.layer([{"y": guide}], "rule", {"style": "guide"}, y=vega.number("y", title=y.title)))
    colored, quiet = names[:MOST_COLORED], names[MOST_COLORED:]
    if quiet:
        layers += curve(quiet, {"style": "quiet"}, {})
    if colored:
        color = vega.name("series", scale={"domain": colored}, legend=None)
        layers += curve(colored, {}, {"color": color})
    if human:
        layers += curve([human], {"style": "human"}, {})
    height = max(HIGH if whole else LOW, LABEL * len({str(row["series"]) for row in known}))
    ends = _ends(known, upright["scale"]["domain"], height)
    leads: list[tuple[Sequence[str], vega.Part, vega.Part]] = [(quiet, {"style": "quiet"}, {})]
    leads += [(colored, {}, {"color": color} if colored else {}), ([human], {"style": "human"}, {})]
    for which, look, channels in leads:
        own = [row for row in ends if row["series"] in which]
        thin = {"strokeWidth": 1, "x2Offset": ASIDE - 3, "tooltip": None, **look}
        to = {"x2": {"value": "width"}, "y2": {"field": "label"}, **channels}
        layers.append(vega.layer(own, "rule", thin, x=at, y=vega.number("value", **upright), **to))
    named = {"style": "label", "align": "left", "dx": ASIDE, "limit": LIMIT}
    place = {"x": {"value": "width"}, "y": vega.number("label", **upright)}
    layers.append(vega.layer(ends, "text", named, **place, text=vega.text("series"), tooltip=tooltip))
    return vega.finish([part for part in layers if part["data"]], height=height)


def _ends(rows: Sequence[vega.Row], domain: Sequence[float], height: int) -> list[vega.Part]:
    """The last point of each series, and how high its name stands so that names do not touch."""
    last = {str(row["series"]): row for row in rows}
    low, high = domain
    unit = (high - low) / height
    down = [(high - float(str(row["value"]))) / unit for row in last.values()]
    moved = spread(down, LABEL, 4, height - 4)
    return [{**row, "label": high - place * unit} for row, place in zip(last.values(), moved, strict=True)]


def _row(point: LinePoint, beside: float, digits: int) -> vega.Row | None:
    if point.value is None:
        return None
    moved = 0.0 if point.low is None or point.high is None else beside
    own = {"series": point.series, "x": point.x, "at": point.x + moved}
    return {**own, **vega.make_value_row(point.value, point.low, point.high, digits, point.outer)}


BAND_HEIGHT = 280


def band_chart(
    points: Sequence[LinePoint],
    x: vega.Axis,
    y: vega.Axis,
    *,
    guide: float | None = None,
    series_title: str = "system",
    top: float | None = None,
) -> Spec:
    """Draw curves with their intervals as bands; every series has a color, so there must be few.

    ``guide`` is the height of a line to read by, ``top`` where the upright axis ends, if not at a round number.
    """
    names = list(dict.fromkeys(point.series for point in points))
    known = [point for point in points if point.value is not None]
    across = vega.along(x, [point.x for point in known], room=1.0)
    upright = vega.along(y, [end for p in known for end in (p.value, p.low, p.high, guide)], room=1.05, top=top)
    across["axis"] = {"grid": False, **across["axis"]}
    digits = 2 if y.kind == "percent" else 3
    rows = [{"series": p.series, "x": p.x, **vega.make_value_row(p.value, p.low, p.high, digits)} for p in known]
    banded = [row for row in rows if row["low"] is not None]
    place = vega.number("x", **across)
    color = vega.name("series", title=series_title, scale={"domain": names}, legend=vega.LEGEND | {"symbolOpacity": 1})
    tooltips = vega.tips(series=series_title, x=x.title, shown=y.title, interval="interval")
    layers: list[vega.Part] = []
    if guide is not None:
        layers.append(vega.layer([{"y": guide}], "rule", {"style": "guide"}, y=vega.number("y", title=y.title)))
    if banded:
        ends = {"y": vega.number("low", **upright), "y2": {"field": "high"}}
        look = {"style": "band", "tooltip": None}
        layers.append(vega.layer(banded, "area", look, x=place, color=color, **ends))
    shared = {"x": place, "y": vega.number("value", **upright), "color": color}
    layers.append(vega.layer(rows, "line", {"fill": None}, **shared))
    layers.append(vega.layer(rows, "point", vega.POINT | {"size": 30}, tooltip=tooltips, **shared))
    return vega.finish(layers, height=BAND_HEIGHT)


SECOND = 1000  # milliseconds, as time axes count
PROGRESS_HEIGHT = 240
CLOCK = {"year": "%Y", "month": "%b", "week": "%-d %b", "date": "%-d %b", "day": "%-d %b"} | {
    "hours": "%H:%M",
    "minutes": "%H:%M",
    "seconds": "%H:%M:%S",
}
"""Labels of a time axis, by the unit in which it has marks."""


def progress_chart(
    points: Sequence[tuple[float, int]], goal: int | None, y_title: str, end: tuple[float, float, float] | None = None
) -> Spec:
    """Draw a count over time up to its goal, a dashed line, and when it is expected there, with the interval of that.

    Args:
        points: Moments in seconds since 1970, in their order, and the count at each.
        goal: Where it ends; None: it goes no further.
        y_title: Title of the upright axis.
        end: When the goal is expected, and the ends of the interval; None: not known.
    """
    upright = vega.along(vega.Axis(y_title, "count"), [goal, *(count for _, count in points)], room=1.0)

    def at(field: str) -> vega.Part:
        marks = {"grid": False, "tickCount": vega.TICKS, "labelOverlap": True, "labelSeparation": 8, "format": CLOCK}
        return {"field": field, "type": "temporal", "title": "time (UTC)", "scale": {"type": "utc"}, "axis": marks}

    def row(moment: float, count: int) -> vega.Row:
        return {"at": SECOND * moment, "count": count}

    x, y = at("at"), vega.number("count", **upright)
    known = [row(*point) for point in points]
    layers = [] if goal is None else [vega.layer([{"count": goal}], "rule", {"style": "guide"}, y=y)]
    layers.append(vega.layer(known, "line", {"style": "estimate", "fill": None}, x=x, y=y))
    if end is not None and points:
        value, low, high = (SECOND * moment for moment in end)
        ahead = [known[-1], {"at": value, "count": goal}]
        interval = [{"at": value, "low": low, "high": high, "count": goal}]
        layers += [
            vega.layer(ahead, "line", {"style": "quiet", "fill": None, "strokeDash": [4, 3]}, x=x, y=y),
            vega.layer(interval, "rule", {"style": "interval"}, x=at("low"), x2={"field": "high"}, y=y),
            vega.layer(interval, "point", vega.POINT | {"style": "estimate"}, x=x, y=y),
        ]
    elif points:
        layers.append(vega.layer(known[-1:], "point", vega.POINT | {"style": "estimate"}, x=x, y=y))
    return vega.finish(layers, height=PROGRESS_HEIGHT)
