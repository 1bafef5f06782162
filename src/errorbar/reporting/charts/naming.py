"""Names beside marks: where each stands so that none covers another, with a line to its mark where it is far.

Places are found in pixels for some widths of a chart, since points move apart in a wider one and names do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import cos, hypot, radians, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.metrics.base import Floats
from errorbar.reporting.charts.vega import text_width

HALF = 7  # half of the height of a line of text, with room
NEAR = 12  # pixels up to which a name needs no line to its point
LIMIT = 120  # longest name, in pixels; the rest is cut
ROUNDS = 5  # of placing, each with who was stuck in front
RADII = (16, 24, 32, 42, 54, 68, 84, 102, 122, 146, 172, 200)
BESIDE = ((7, -8), (7, 9), (-7, -8), (-7, 9), (9, 0), (-9, 0), (0, -15), (0, 15))
"""Places right of, left of, above and below a point that need no line."""
BAR = 24  # pixels of way that a name goes to cover one bar less
DOT = 5  # half of the side of what a point covers


class Spot(NamedTuple):
    """Where a name stands: how far right and down of its point, in pixels, and its alignment there."""

    right: float
    down: float
    align: str

    @property
    def led(self) -> bool:
        """Whether a line leads to it."""
        return hypot(self.right, self.down) > NEAR and self not in _BESIDE


class Point(NamedTuple):
    """What is named: its place, and the ends of its bars, as shares of the width and, from below, of the height."""

    name: str
    right: float
    up: float
    across: tuple[float, float] | None = None
    upright: tuple[float, float] | None = None


def place_names(
    points: Sequence[Point], widths: Sequence[float], height: float, *, crossing: bool = False
) -> list[Spot] | None:
    """A place for each name that is free at all these widths; None where some name has none.

    A name covers no point, no other name and no line to one, stays inside the chart, and keeps off bars where that is
    not far. Who finds none is placed first in another round. ``crossing`` lets lines cross what they meet.
    """
    order = list(range(len(points)))
    for _ in range(ROUNDS):
        spots, stuck = _round(points, order, widths, height, crossing=crossing)
        if stuck is None:
            return [spots[k] for k in range(len(points))]
        order.remove(stuck)
        order.insert(0, stuck)
    return None


def _spots() -> Iterator[Spot]:
    for right, down in BESIDE:
        yield Spot(right, down, "left" if right > 0 else "right" if right < 0 else "center")
    for radius in RADII:
        for angle in range(0, 360, 20):
            x, y = radius * cos(radians(angle)), -radius * sin(radians(angle))
            align = "left" if x > 0.35 * radius else "right" if x < -0.35 * radius else "center"
            yield Spot(round(x), round(y), align)


_SPOTS = tuple(_spots())
_BESIDE = frozenset(_SPOTS[: len(BESIDE)])
_AT = np.array([(spot.right, spot.down) for spot in _SPOTS], float)
_START = np.array([{"left": 0.0, "center": -0.5, "right": -1.0}[spot.align] for spot in _SPOTS])
_FAR = np.array([hypot(spot.right, spot.down) for spot in _SPOTS])
_STEPS = np.linspace(0.15, 0.95, 9)
"""Shares of a line at which it is looked at whether it crosses something."""


def _round(
    points: Sequence[Point], order: Sequence[int], widths: Sequence[float], height: float, *, crossing: bool
) -> tuple[dict[int, Spot], int | None]:
    """Places in this order, until one is stuck."""
    wide = np.asarray(widths, float)
    centers = np.array([[(w * p.right, (1 - p.up) * height) for w in widths] for p in points])
    dots = _around(centers, DOT)
    bars = np.array([bar for p in points for bar in _bars(p, wide, height)]).reshape(-1, len(wide), 4)
    taken: list[Floats] = []
    placed: dict[int, Spot] = {}
    for k in order:
        hard = np.concatenate([np.delete(dots, k, axis=0), *taken])
        boxes = _boxes(points[k].name, centers[k])
        free = np.flatnonzero(_inside(boxes, wide, height) & (_hits(boxes, hard) == 0))
        # Near and on no bar: a bar is worth as much as some way.
        cost = _FAR[free] + BAR * _hits(boxes[free], bars)
        for at in free[np.argsort(cost, kind="stable")].tolist():
            spot = _SPOTS[at]
            line = (
                _around(centers[k] + _STEPS[:, None, None] * _AT[at], 1.0) if spot.led and not crossing else boxes[:0]
            )
            if not _hits(line, hard).any():
                placed[k] = spot
                taken += [boxes[at][None], line]
                break
        else:
            return placed, k
    return placed, None


def _around(centers: Floats, half: float) -> Floats:
    """Boxes around places (x and y in the last axis): left, top, right, bottom."""
    return np.concatenate([centers - half, centers + half], axis=-1)


def _bars(point: Point, wide: Floats, height: float) -> Iterator[Floats]:
    x, y, flat = wide * point.right, (1 - point.up) * height, np.ones_like(wide)
    if point.across is not None:
        low, high = point.across
        yield np.stack([wide * low, flat * (y - 1), wide * high, flat * (y + 1)], axis=-1)
    if point.upright is not None:
        low, high = point.upright
        yield np.stack([x - 1, flat * (1 - high) * height, x + 1, flat * (1 - low) * height], axis=-1)


def _boxes(name: str, center: Floats) -> Floats:
    """What a name covers at each spot and width."""
    length = min(text_width(name), LIMIT)
    place = center + _AT[:, None, :]
    left = place[..., 0] + length * _START[:, None]
    return np.stack([left, place[..., 1] - HALF, left + length, place[..., 1] + HALF], axis=-1)


def _inside(boxes: Floats, wide: Floats, height: float) -> NDArray[np.bool_]:
    across = (boxes[..., 0] >= 2) & (boxes[..., 2] <= wide)
    upright = (boxes[..., 1] >= 0) & (boxes[..., 3] <= height - 2)
    return np.asarray((across & upright).all(axis=-1))


def _hits(boxes: Floats, others: Floats) -> NDArray[np.int64]:
    """How many of the others each box meets at some width."""
    one, other = boxes[..., None, :, :], others
    meets = (one[..., 0] < other[..., 2]) & (other[..., 0] < one[..., 2])
    meets &= (one[..., 1] < other[..., 3]) & (other[..., 1] < one[..., 3])
    return np.asarray(meets.any(axis=-1).sum(axis=-1))


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
    made = [first + k * gap for first, n in blocks for k in range(int(n))]
    for k in range(len(made)):
        made[k] = max(made[k], low + k * gap)
    for k in reversed(range(len(made))):
        made[k] = max(low + k * gap, min(made[k], high - (len(made) - 1 - k) * gap))
    moved = [0.0] * len(places)
    for k, place in zip(order, made, strict=True):
        moved[k] = place
    return moved
