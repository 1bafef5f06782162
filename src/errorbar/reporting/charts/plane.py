"""Systems in the plane of precision and recall, with contours of equal F.

Formula
    F = (1 + β²) P R / (β² P + R), so on a contour P = F R / ((1 + β²) R − β² F).
Conventions
    Recall runs to the right, precision up, both from 0. Contours are lines to read by, not data.
Source
    van Rijsbergen 1979, Information Retrieval, chapter 7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts.vega import TICKS, altair, finish, percent_top, rows, tips

Ends = tuple[float, float] | None
MOST_NAMES = 30
"""Points whose names stand beside them; with more, names are left to tooltip and table."""
STEPS = 60
Anchor = tuple[str, int, int]
"""Alignment of a name, and how far right and down of its point it stands, in pixels."""
Box = tuple[float, float, float, float]
ANCHORS: tuple[Anchor, ...] = (("left", 7, -8), ("left", 7, 9), ("right", -7, -8), ("right", -7, 9), ("left", 7, -20))
WIDE, NARROW, HIGH = 640, 220, 380
"""Pixels that places of names are thought in: width on a screen and on a phone, and height."""
BETWEEN = 420
"""Width in pixels from which on names stand as on a screen."""
LETTER = 7
"""Width of a letter, and half of its height, with room."""
LIMIT = 120
"""Longest name, in pixels; the rest is cut."""
_LOWER = ("R_low", "P_low")


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """A system, in percent.

    Attributes:
        name: Its name.
        precision: P.
        recall: R.
        precision_ends: Interval of P, or None.
        recall_ends: Interval of R, or None.
    """

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
    """Draw systems in the plane.

    Args:
        points: The systems.
        beta: Of the contours' F.
        f_name: What F is called.
    """
    alt = altair()
    right = percent_top([end for p in points for end in (p.recall, *(p.recall_ends or ()))], room=1.1)
    top = percent_top([end for p in points for end in (p.precision, *(p.precision_ends or ()))], room=1.1)
    highest = max(right, top)
    step = 10 if highest > 40 else 5 if highest > 15 else 2 if highest > 5 else 0.5
    lines, ends, heights = [], [], []
    for number in range(1, int(highest / step) + 1):
        found = contour(number * step, beta, right, top)
        name = f"{number * step:g}"
        lines += [{"contour": name, "R": r, "P": p} for r, p in found]
        if found:
            heights.append(found[-1][1])
            ends.append({"contour": name, "R": found[-1][0], "P": found[-1][1]})
    if ends:  # the name once, at the highest line
        ends[-1]["contour"] = f"{f_name} {ends[-1]['contour']}"
    axis = alt.Axis(grid=False, tickCount=TICKS)
    across = {"title": "recall (percent)", "scale": alt.Scale(domain=[0, right], nice=False), "axis": axis}
    upright = {"title": "precision (percent)", "scale": alt.Scale(domain=[0, top], nice=False), "axis": axis}
    x, y = alt.X("R:Q", **across), alt.Y("P:Q", **upright)
    data = [
        {
            "name": p.name,
            "R": p.recall,
            "P": p.precision,
            "R_low": p.recall_ends and p.recall_ends[0],
            "R_high": p.recall_ends and p.recall_ends[1],
            "P_low": p.precision_ends and p.precision_ends[0],
            "P_high": p.precision_ends and p.precision_ends[1],
            "P_shown": _shown(p.precision, p.precision_ends),
            "R_shown": _shown(p.recall, p.recall_ends),
        }
        for p in points
    ]
    tooltip = tips(alt, name="system", P_shown="precision", R_shown="recall")

    def drawn(which: Sequence[Mapping[str, object]]) -> Any:  # noqa: ANN401 - of an extra
        return alt.Chart(rows(alt, which))

    bars = [drawn([row for row in data if row[end] is not None]).mark_rule(style="interval") for end in _LOWER]
    layers = [
        drawn(lines).mark_line(style="guide", tooltip=None).encode(x=x, y=y, detail="contour:N"),
        # Beyond the plane, where neither line nor name is.
        drawn(ends).mark_text(style="letter", align="left", dx=5).encode(x=x, y=y, text="contour:N"),
        bars[0].encode(x=alt.X("R_low:Q", **across), x2="R_high:Q", y=y, tooltip=tooltip),
        bars[1].encode(x=x, y=alt.Y("P_low:Q", **upright), y2="P_high:Q", tooltip=tooltip),
        drawn(data).mark_point(style="estimate", filled=True, size=36, opacity=1).encode(x=x, y=y, tooltip=tooltip),
    ]
    if len(points) <= MOST_NAMES:
        named = [(p.name, p.recall / right, p.precision / top) for p in points]
        edge = [(str(end["contour"]), height / top) for end, height in zip(ends, heights, strict=True)]
        screen = places(named, edge), f"width < {BETWEEN} ? 0 : 1"
        phone = places(named, edge, wide=NARROW, every=False), f"width < {BETWEEN} ? 1 : 0"
        for placed, visible in (screen, phone):
            for (align, dx, dy), names in placed.items():
                own = drawn([row for row in data if row["name"] in names])
                look = {"align": align, "dx": dx, "dy": dy, "limit": LIMIT, "opacity": alt.expr(visible)}
                layers.append(own.mark_text(style="label", **look).encode(x=x, y=y, text="name:N"))
    return finish(alt.layer(*layers), height=420)


def places(
    points: Sequence[tuple[str, float, float]],
    edge: Sequence[tuple[str, float]] = (),
    *,
    wide: int = WIDE,
    every: bool = True,
) -> dict[Anchor, set[str]]:
    """Beside its point, where a name covers no point and no other name.

    Args:
        points: Name, and place as shares of the width and of the height.
        edge: What stands right of the plane, and how high as a share of the height.
        wide: Width of the plane in pixels.
        every: A name that would always cover something stands above to the right; else it is left out.

    Returns:
        Where a name stands to the names that stand there.
    """
    taken = [(right * wide - 4, up * HIGH - 4, right * wide + 4, up * HIGH + 4) for _, right, up in points]
    taken += [_box(text, wide, up * HIGH, ("left", 5, 0)) for text, up in edge]
    placed: dict[Anchor, set[str]] = {}
    for name, right, up in points:
        boxes = {anchor: _box(name, right * wide, up * HIGH, anchor) for anchor in ANCHORS}
        free = (anchor for anchor, box in boxes.items() if not any(_overlap(box, other) for other in taken))
        anchor = next(free, ANCHORS[0] if every else None)
        if anchor is None:
            continue
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
