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
from errorbar.reporting.charts.vega import POINT, Axis, Part, along, finish, layer, number, text, tips

Ends = tuple[float, float] | None
MOST_NAMES = 30  # points whose names stand beside them; with more, names are left to tooltip and table
STEPS = 60
Anchor = tuple[str, int, int]  # alignment of a name, and how far right and down of its point it stands, in pixels
Box = tuple[float, float, float, float]
ANCHORS: tuple[Anchor, ...] = (("left", 7, -8), ("left", 7, 9), ("right", -7, -8), ("right", -7, 9), ("left", 7, -20))
WIDE, NARROW, HIGH = 640, 220, 380
"""Pixels that places of names are thought in: width on a screen and on a phone, and height."""
BETWEEN = 420  # width in pixels from which on names stand as on a screen
LETTER = 7  # width of a letter, and half of its height, with room
LIMIT = 120  # longest name, in pixels; the rest is cut


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
    bar, beyond = {"style": "interval"}, {"style": "letter", "align": "left", "dx": 5}
    layers = [
        layer(lines, "line", {"style": "guide", "tooltip": None}, x=x, y=y, detail=text("contour")),
        # Beyond the plane, where neither line nor name is.
        layer(ends, "text", beyond, x=x, y=y, text=text("contour")),
        layer(flat, "rule", bar, x=number("R_low", **across), x2={"field": "R_high"}, y=y, **told),
        layer(steep, "rule", bar, x=x, y=number("P_low", **upright), y2={"field": "P_high"}, **told),
        layer(data, "point", {"style": "estimate", **POINT}, x=x, y=y, **told),
    ]
    if len(points) <= MOST_NAMES:
        named = [(p.name, p.recall / right, p.precision / top) for p in points]
        edge = [(str(end["contour"]), float(end["P"]) / top) for end in ends]
        screen = places(named, edge), f"width < {BETWEEN} ? 0 : 1"
        phone = places(named, edge, wide=NARROW, every=False), f"width < {BETWEEN} ? 1 : 0"
        for placed, visible in (screen, phone):
            for (align, dx, dy), names in placed.items():
                own = [row for row in data if row["name"] in names]
                place = {"align": align, "dx": dx, "dy": dy, "limit": LIMIT, "opacity": {"expr": visible}}
                layers.append(layer(own, "text", {"style": "label", **place}, x=x, y=y, text=text("name")))
    return finish(layers, height=420)


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


def places(
    points: Sequence[tuple[str, float, float]],
    edge: Sequence[tuple[str, float]] = (),
    *,
    wide: int = WIDE,
    every: bool = True,
) -> dict[Anchor, set[str]]:
    """Beside its point, where a name covers no point and no other name: where names stand, and which.

    ``points`` are names and places as shares of the width, of ``wide`` pixels, and of the height; ``edge`` is what
    stands right of the plane, and how high. A name that would always cover something stands above to the right, or
    is left out, unless ``every``.
    """
    taken = [(right * wide - 4, up * HIGH - 4, right * wide + 4, up * HIGH + 4) for _, right, up in points]
    taken += [_box(text, wide, up * HIGH, ("left", 5, 0)) for text, up in edge]
    placed: dict[Anchor, set[str]] = {}
    for name, right, up in points:
        boxes = {anchor: _box(name, right * wide, up * HIGH, anchor) for anchor in ANCHORS}
        free = (anchor for anchor, box in boxes.items() if not any(_overlap(box, other) for other in taken))
        anchor = next(free, ANCHORS[0] if every else None)
        if anchor is not None:
            taken.append(boxes[anchor])
            placed.setdefault(anchor, set()).add(name)
    return placed


def _box(name: str, x: float, y: float, anchor: Anchor) -> Box:
    align, dx, dy = anchor
    length = min(LETTER * len(name), LIMIT)
    start = x + dx - (length if align == "right" else 0)
    return (start, y - dy - LETTER, start + length, y - dy + LETTER)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _shown(value: float, ends: Ends) -> str:
    return f"{value:.2f}" if ends is None else f"{value:.2f} ({ends[0]:.2f}–{ends[1]:.2f})"
