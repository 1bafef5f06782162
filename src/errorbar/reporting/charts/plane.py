"""Systems in the plane of precision and recall, with contours of equal F.

Formula
    F = (1 + β²) P R / (β² P + R), so on a contour P = F R / ((1 + β²) R − β² F).
Conventions
    Recall runs to the right, precision up, both from 0. Contours are lines to read by, not data.
Source
    van Rijsbergen 1979, Information Retrieval, chapter 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts.naming import LIMIT, Point, Spot, place_names
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

Ends = tuple[float, float] | None
MOST_NAMES = 30  # points whose names stand beside them; with more, names are left to tooltip and table
STEPS = 60
HIGH = 420
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
            "P_shown": _shown(p.precision, p.precision_ends),
            "R_shown": _shown(p.recall, p.recall_ends),
        }
        for p in points
    ]
    told = {"tooltip": tips(name="system", P_shown="precision", R_shown="recall")}
    flat, steep = ([row for row in data if row[end] is not None] for end in ("R_low", "P_low"))
    bar, beyond = {"style": "interval"}, {"style": "letter", "tooltip": None, "align": "left", "dx": 5}
    layers = [
        layer(lines, "line", {"style": "guide", "tooltip": None}, x=x, y=y, detail=text("contour")),
        # Beyond the plane, where neither line nor name is.
        layer(ends, "text", beyond, x=x, y=y, text=text("contour")),
        layer(flat, "rule", bar, x=number("R_low", **across), x2={"field": "R_high"}, y=y, **told),
        layer(steep, "rule", bar, x=x, y=number("P_low", **upright), y2={"field": "P_high"}, **told),
        layer(data, "point", {"style": "estimate", **POINT}, x=x, y=y, **told),
    ]
    numbered: Sequence[int] = ()
    if len(points) <= MOST_NAMES:
        spots, numbered = _spots(points, right, top)
        rows = [
            {**row, "number": k + 1, "at": [[*each[k], int(each[k].led)] for each in spots]}
            for k, row in enumerate(data)
        ]
        layers += _named(rows, numbered, {"x": x, "y": y, **told})
        layers += _key(rows, numbered, told) if numbered else []
    edges = [edge + BESIDE for edge in EDGES] if numbered else []
    return finish(layers, height=HIGH, room=Room(edges=edges))


HERE = "".join(f"{PLACE} < {edge + BESIDE} ? {at} : " for at, edge in enumerate(EDGES)) + str(len(EDGES))
"""Which of ``WIDTHS`` a chart has, as an expression."""


def _spots(points: Sequence[PlanePoint], right: float, top: float) -> tuple[list[list[Spot]], list[int]]:
    """Where names stand for each of ``WIDTHS``, and for which of these there is only room for numbers."""

    def shares(low_high: Ends, end: float) -> Ends:
        return None if low_high is None else (low_high[0] / end, low_high[1] / end)

    named = [
        Point(p.name, p.recall / right, p.precision / top, shares(p.recall_ends, right), shares(p.precision_ends, top))
        for p in points
    ]
    short = [p._replace(name=str(k)) for k, p in enumerate(named, 1)]
    fit = all(text_width(p.name) <= LIMIT for p in points)
    spots, numbered = [], []
    for at, widths in enumerate(WIDTHS):
        found = place_names(named, widths, HIGH) if fit else None
        if found is None:
            numbered.append(at)
            found = place_names(short, widths, HIGH) or place_names(short, widths, HIGH, crossing=True)
        spots.append(found or [Spot(*BESIDE_POINT)] * len(points))
    return spots, numbered


def _named(rows: Sequence[Row], numbered: Sequence[int], channels: Part) -> list[Part]:
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


def _key(rows: Sequence[Row], numbered: Sequence[int], told: Part) -> list[Part]:
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
    return [layer(rows, "text", look, **channels, **told)]


def _contours(beta: float, f_name: str, right: float, top: float) -> tuple[list[Part], list[Part]]:
    """Points of lines of equal F, and the end of each."""
    highest = max(right, top)
    step = 10 if highest > 40 else 5 if highest > 15 else 2 if highest > 5 else 0.5
    lines: list[Part] = []
    ends: list[Part] = []
    for count in range(1, int(highest / step) + 1):
        made = [{"contour": f"{count * step:g}", "R": r, "P": p} for r, p in contour(count * step, beta, right, top)]
        lines += made
        ends += [dict(row) for row in made[-1:]]
    for row in ends[-1:]:  # the name once, at the highest line
        row["contour"] = f"{f_name} {row['contour']}"
    return lines, ends


def _shown(value: float, ends: Ends) -> str:
    return f"{value:.2f}" if ends is None else f"{value:.2f} ({ends[0]:.2f}–{ends[1]:.2f})"
