"""Systems in the plane of precision and recall, with contours of equal F.

Formula
    F = (1 + β²) P R / (β² P + R), so on a contour P = F R / ((1 + β²) R − β² F).
Conventions
    Recall runs to the right, precision up, both from 0. Contours are lines to read by, not data.
Source
    van Rijsbergen 1979, Information Retrieval, chapter 7.

Curves: lines with error bars that end in their names, and lines with bands around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import cos, hypot, radians, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega
from errorbar.reporting.charts.vega import (
    PLACE,
    POINT,
    Axis,
    Part,
    Room,
    Row,
    along,
    finish,
    layer,
    number,
    text,
    text_width,
    tips,
)

HALF = 7  # half of the height of a line of text, with room
NEAR = 12  # pixels up to which a name needs no line to its point
LIMIT = 120  # longest name, in pixels; the rest is cut
ROUNDS = 5  # of placing, each with who was stuck in front
RADII = (16, 24, 32, 42, 54, 68, 84, 102, 122, 146, 172, 200)
NAME_OFFSETS = ((7, -8), (7, 9), (-7, -8), (-7, 9), (9, 0), (-9, 0), (0, -15), (0, 15))
"""Places right of, left of, above and below a point that need no line."""
BAR = 24  # pixels of way that a name goes to cover one bar less
DOT = 5  # half of the side of what a point covers


class Spot(NamedTuple):
    """The place of a name: how far right and down of its point, in pixels, and its alignment there."""

    right: float
    down: float
    align: str

    @property
    def led(self) -> bool:
        """True if a line leads to it."""
        return hypot(self.right, self.down) > NEAR and self not in _BESIDE


class NamedPoint(NamedTuple):
    """A point with a name: its place and the ends of its bars, as shares of the width and, from below, the height."""

    name: str
    right: float
    up: float
    across: tuple[float, float] | None = None
    upright: tuple[float, float] | None = None


def place_names(
    points: Sequence[NamedPoint], widths: Sequence[float], height: float, *, crossing: bool = False
) -> list[Spot] | None:
    """Find a place for each name that is free at all these widths (pixels); None where some name has none.

    Points move apart in a wider chart, names do not. A name covers no point, no other name and no line to
    one, stays inside the chart, and keeps off bars where that is not far. A name without a place comes first in another
    round. ``crossing`` lets lines cross what they meet.
    """
    order = list(range(len(points)))
    for _ in range(ROUNDS):
        spots, stuck = _round(points, order, widths, height, crossing=crossing)
        if stuck is None:
            return [spots[k] for k in range(len(points))]
        order.remove(stuck)
        order.insert(0, stuck)
    return None


def _all_spots() -> Iterator[Spot]:
    for right, down in NAME_OFFSETS:
        yield Spot(right, down, "left" if right > 0 else "right" if right < 0 else "center")
    for radius in RADII:
        for angle in range(0, 360, 20):
            x, y = radius * cos(radians(angle)), -radius * sin(radians(angle))
            align = "left" if x > 0.35 * radius else "right" if x < -0.35 * radius else "center"
            yield Spot(round(x), round(y), align)


_SPOTS = tuple(_all_spots())
_BESIDE = frozenset(_SPOTS[: len(NAME_OFFSETS)])
_AT = np.array([(spot.right, spot.down) for spot in _SPOTS], float)
_START = np.array([{"left": 0.0, "center": -0.5, "right": -1.0}[spot.align] for spot in _SPOTS])
_FAR = np.array([hypot(spot.right, spot.down) for spot in _SPOTS])
_STEPS = np.linspace(0.15, 0.95, 9)
"""Shares of a line at which it must not meet anything."""


def _round(
    points: Sequence[NamedPoint], order: Sequence[int], widths: Sequence[float], height: float, *, crossing: bool
) -> tuple[dict[int, Spot], int | None]:
    """Places in this order, until one is stuck."""
    wide = np.asarray(widths, float)
    centers = np.array([[(w * p.right, (1 - p.up) * height) for w in widths] for p in points])
    dots = _surround(centers, DOT)
    bars = np.array([bar for p in points for bar in _bars(p, wide, height)]).reshape(-1, len(wide), 4)
    taken: list[Floats] = []
    placed: dict[int, Spot] = {}
    for k in order:
        hard = np.concatenate([np.delete(dots, k, axis=0), *taken])
        length = min(text_width(points[k].name), LIMIT)
        place = centers[k] + _AT[:, None, :]
        left = place[..., 0] + length * _START[:, None]
        boxes = np.stack([left, place[..., 1] - HALF, left + length, place[..., 1] + HALF], axis=-1)
        free = np.flatnonzero(_are_inside(boxes, wide, height) & (_count_overlaps(boxes, hard) == 0))
        # Near and on no bar: a bar is worth as much as some way.
        cost = _FAR[free] + BAR * _count_overlaps(boxes[free], bars)
        for at in free[np.argsort(cost, kind="stable")].tolist():
            spot = _SPOTS[at]
            line = (
                _surround(centers[k] + _STEPS[:, None, None] * _AT[at], 1.0) if spot.led and not crossing else boxes[:0]
            )
            if not _count_overlaps(line, hard).any():
                placed[k] = spot
                taken += [boxes[at][None], line]
                break
        else:
            return placed, k
    return placed, None


def _surround(centers: Floats, half: float) -> Floats:
    """Boxes around places (x and y in the last axis): left, top, right, bottom."""
    return np.concatenate([centers - half, centers + half], axis=-1)


def _bars(point: NamedPoint, wide: Floats, height: float) -> Iterator[Floats]:
    x, y, flat = wide * point.right, (1 - point.up) * height, np.ones_like(wide)
    if point.across is not None:
        low, high = point.across
        yield np.stack([wide * low, flat * (y - 1), wide * high, flat * (y + 1)], axis=-1)
    if point.upright is not None:
        low, high = point.upright
        yield np.stack([x - 1, flat * (1 - high) * height, x + 1, flat * (1 - low) * height], axis=-1)


def _are_inside(boxes: Floats, wide: Floats, height: float) -> NDArray[np.bool_]:
    across = (boxes[..., 0] >= 2) & (boxes[..., 2] <= wide)
    upright = (boxes[..., 1] >= 0) & (boxes[..., 3] <= height - 2)
    return np.asarray((across & upright).all(axis=-1))


def _count_overlaps(boxes: Floats, others: Floats) -> NDArray[np.int64]:
    """The number of other boxes that each box meets at some width."""
    box, other = boxes[..., None, :, :], others
    meets = (box[..., 0] < other[..., 2]) & (other[..., 0] < box[..., 2])
    meets &= (box[..., 1] < other[..., 3]) & (other[..., 1] < box[..., 3])
    return np.asarray(reduce(np.logical_or, np.moveaxis(meets, -1, 0)).sum(axis=-1))  # of few widths: faster than any


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places along a line moved apart to ``gap`` or more, as little as can be (least squares), in the same order.

    Between ``low`` and ``high``, where there is room for all; else beyond ``high``.
    """
    order = sorted(range(len(places)), key=lambda k: places[k])
    blocks: list[list[float]] = []  # first place of a block of names that touch, and how many they are
    for place in (places[k] for k in order):
        blocks.append([place, 1])
        while len(blocks) > 1 and blocks[-2][0] + blocks[-2][1] * gap > blocks[-1][0]:
            first, n = blocks.pop()
            before, m = blocks[-1]
            # The mean of where each would have the block begin.
            blocks[-1] = [(m * before + n * (first - m * gap)) / (m + n), m + n]
    starts = [first + k * gap for first, n in blocks for k in range(int(n))]
    for k in range(len(starts)):
        starts[k] = max(starts[k], low + k * gap)
    for k in reversed(range(len(starts))):
        starts[k] = max(low + k * gap, min(starts[k], high - (len(starts) - 1 - k) * gap))
    moved = [0.0] * len(places)
    for k, place in zip(order, starts, strict=True):
        moved[k] = place
    return moved


Ends = tuple[float, float] | None
MOST_NAMES = 30  # points whose names stand beside them; with more, names are left to tooltip and table
STEPS = 60
PLANE_HEIGHT = 420
WIDTHS = ((170, 200, 260), (240, 320, 410), (390, 500, 650), (630, 800, 1000, 1300))
EDGES = (250, 400, 640)
"""Widths of the plane in pixels, from a phone to a screen: each row has its own places of names, up to an edge."""
BESIDE = 106  # pixels of a chart that are not plane: the axis, and names of contours
AXIS = 40  # pixels left of the plane that the key may take
LINE = 16  # pixels from one line of the key to the next
BESIDE_POINT = (7, -8, "left")
BELOW = 54  # pixels from the plane to the key: marks and title of the axis stand between


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """A system, in percent, with the ends of its intervals where it has some."""

    name: str
    precision: float
    recall: float
    precision_ends: Ends = None
    recall_ends: Ends = None


def contour(f: float, beta: float, right: float, top: float) -> list[tuple[float, float]]:
    """Points (R, P) in percent with this F, inside the plane up to ``right`` and ``top``; empty if outside."""
    square = beta * beta

    def precision(recall: float) -> float:
        return f * recall / ((1 + square) * recall - square * f)

    # P falls along a contour; it comes down to `top` where R = β² F P / ((1 + β²) P − F) at P = `top`.
    steep = (1 + square) * top - f
    if steep <= 0:
        return []
    first = square * f * top / steep
    if first >= right:
        return []
    recalls = [first + (right - first) * (k / STEPS) ** 2 for k in range(STEPS + 1)]
    return [(recall, precision(recall)) for recall in recalls]


def plane_chart(points: Sequence[PlanePoint], *, beta: float, f_name: str) -> Spec:
    """Draw systems in the plane; ``beta`` is that of the contours' F, ``f_name`` what it is called."""
    recalls = [end for p in points for end in (p.recall, *(p.recall_ends or ()))]
    precisions = [end for p in points for end in (p.precision, *(p.precision_ends or ()))]
    across = along(Axis("recall (percent)"), recalls, room=1.1)
    upright = along(Axis("precision (percent)"), precisions, room=1.1)
    right, top = (side["scale"]["domain"][1] for side in (across, upright))
    for side in (across, upright):
        side["axis"] = {"grid": False, **side["axis"]}
    x, y = number("R", **across), number("P", **upright)
    lines, ends = _contours(beta, f_name, right, top)
    data = [
        {
            "name": p.name,
            "R": p.recall,
            "P": p.precision,
            **dict(zip(("R_low", "R_high"), p.recall_ends or (None, None), strict=True)),
            **dict(zip(("P_low", "P_high"), p.precision_ends or (None, None), strict=True)),
            "P_shown": _value_text(p.precision, p.precision_ends),
            "R_shown": _value_text(p.recall, p.recall_ends),
        }
        for p in points
    ]
    tooltips = {"tooltip": tips(name="system", P_shown="precision", R_shown="recall")}
    flat, steep = ([row for row in data if row[end] is not None] for end in ("R_low", "P_low"))
    bar, beyond = {"style": "interval"}, {"style": "letter", "tooltip": None, "align": "left", "dx": 5}
    layers = [
        layer(lines, "line", {"style": "guide", "tooltip": None}, x=x, y=y, detail=text("contour")),
        # Beyond the plane, where neither line nor name is.
        layer(ends, "text", beyond, x=x, y=y, text=text("contour")),
        layer(flat, "rule", bar, x=number("R_low", **across), x2={"field": "R_high"}, y=y, **tooltips),
        layer(steep, "rule", bar, x=x, y=number("P_low", **upright), y2={"field": "P_high"}, **tooltips),
        layer(data, "point", {"style": "estimate", **POINT}, x=x, y=y, **tooltips),
    ]
    numbered: Sequence[int] = ()
    if len(points) <= MOST_NAMES:
        spots, numbered = _spots(points, right, top)
        rows = [
            {**row, "number": k + 1, "at": [[*places[k], int(places[k].led)] for places in spots]}
            for k, row in enumerate(data)
        ]
        layers += _name_layers(rows, numbered, {"x": x, "y": y, **tooltips})
        layers += _key_layers(rows, numbered, tooltips) if numbered else []
    edges = [edge + BESIDE for edge in EDGES] if numbered else []
    return finish(layers, height=PLANE_HEIGHT, room=Room(edges=edges))


HERE = "".join(f"{PLACE} < {edge + BESIDE} ? {at} : " for at, edge in enumerate(EDGES)) + str(len(EDGES))
"""The index of a chart's range of ``WIDTHS``, as an expression."""


def _spots(points: Sequence[PlanePoint], right: float, top: float) -> tuple[list[list[Spot]], list[int]]:
    """The places of names for each of ``WIDTHS``, and the widths that only have room for numbers."""

    def shares(low_high: Ends, end: float) -> Ends:
        return None if low_high is None else (low_high[0] / end, low_high[1] / end)

    named = [
        NamedPoint(
            p.name, p.recall / right, p.precision / top, shares(p.recall_ends, right), shares(p.precision_ends, top)
        )
        for p in points
    ]
    short = [p._replace(name=str(k)) for k, p in enumerate(named, 1)]
    fit = all(text_width(p.name) <= LIMIT for p in points)
    spots, numbered = [], []
    for at, widths in enumerate(WIDTHS):
        placed = place_names(named, widths, PLANE_HEIGHT) if fit else None
        if placed is None:
            numbered.append(at)
            placed = place_names(short, widths, PLANE_HEIGHT) or place_names(short, widths, PLANE_HEIGHT, crossing=True)
        spots.append(placed or [Spot(*BESIDE_POINT)] * len(points))
    return spots, numbered


def _name_layers(rows: Sequence[Row], numbered: Sequence[int], channels: Part) -> list[Part]:
    """Names with lines to their points; on widths with no room for them numbers."""
    right, down, align, led = (f"datum.at[{HERE}][{k}]" for k in range(4))
    line = {"x2Offset": {"expr": right}, "y2Offset": {"expr": down}, "opacity": {"expr": led}}
    place = {"dx": {"expr": right}, "dy": {"expr": down}, "align": {"expr": align}}
    shown = {"value": {"expr": f"indexof({list(numbered)}, {HERE}) >= 0 ? datum.number : datum.name"}}
    ends = {"x2": {"field": "R"}, "y2": {"field": "P"}}
    return [
        # A name begins where its line ends.
        layer(rows, "rule", {"style": "leader", **line}, **channels | ends),
        layer(rows, "text", {"style": "label", **place}, **channels, text=shown),
    ]


def _key_layers(rows: Sequence[Row], numbered: Sequence[int], tooltips: Part) -> list[Part]:
    """Below the plane which number is whose, on the widths with numbers."""
    longest = max(text_width(f"{len(rows)}  {row['name']}") for row in rows) + LINE
    few, many = (max(1, int((wide + BESIDE) // longest)) for wide in (WIDTHS[0][0], EDGES[1]))
    columns = f"({PLACE} < {EDGES[1] + BESIDE} ? {few} : {many})"
    row, column = f"floor((datum.number - 1) / {columns})", f"((datum.number - 1) % {columns})"
    there = f"indexof({list(numbered)}, {HERE}) >= 0"
    channels = {
        "x": {"value": {"expr": f"{there} ? {column} * {PLACE} / {columns} - {AXIS} : 0"}},
        "y": {"value": {"expr": f"{there} ? height + {BELOW} + {LINE} * {row} : 0"}},
        "text": {"value": {"expr": f"{there} ? datum.number + '  ' + datum.name : ''"}},
    }
    look = {"style": "label", "align": "left", "limit": {"expr": f"{PLACE} / {columns} - {LINE}"}}
    return [layer(rows, "text", look, **channels, **tooltips)]


def _contours(beta: float, f_name: str, right: float, top: float) -> tuple[list[Part], list[Part]]:
    """Points of lines of equal F, and the end of each."""
    highest = max(right, top)
    step = 10 if highest > 40 else 5 if highest > 15 else 2 if highest > 5 else 0.5
    lines: list[Part] = []
    ends: list[Part] = []
    for count in range(1, int(highest / step) + 1):
        line = [{"contour": f"{count * step:g}", "R": r, "P": p} for r, p in contour(count * step, beta, right, top)]
        lines += line
        ends += [dict(row) for row in line[-1:]]
    for row in ends[-1:]:  # the name once, at the highest line
        row["contour"] = f"{f_name} {row['contour']}"
    return lines, ends


def _value_text(value: float, ends: Ends) -> str:
    return f"{value:.2f}" if ends is None else f"{value:.2f} ({ends[0]:.2f}–{ends[1]:.2f})"


MOST_COLORED = 5  # series with a color of their own; further ones are drawn in the background
MOST_TICKS = 20
DODGE = 0.03  # share of the lower axis over which curves with error bars are spread at each place
HIGH, LOW = 300, 220
"""Heights in pixels: of curves over things that are counted, and over others, which stand side by side."""
LABEL = 14  # pixels from one name to the next
ASIDE = 14  # pixels from the plot to names
NAME_LIMIT = 130  # longest name, in pixels; the rest is cut


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
    named = {"style": "label", "align": "left", "dx": ASIDE, "limit": NAME_LIMIT}
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
