"""Names beside marks: none covers another, all are there, and names of curves stay in order."""

from __future__ import annotations

import pytest

from errorbar.reporting.charts.plane import HALF, NamedPoint, Spot, place_names, spread
from errorbar.reporting.charts.vega import text_width

CLOSE = [
    NamedPoint(f"SYS{k}", 0.5 + 0.01 * (k % 4), 0.5 + 0.01 * (k // 4), (0.4, 0.6), (0.45, 0.55)) for k in range(12)
]
"""Twelve points within nine pixels of a phone's plane."""


def box(point: NamedPoint, spot: Spot, wide: float, high: float) -> tuple[float, float, float, float]:
    length = text_width(point.name)
    left = wide * point.right + spot.right - {"left": 0.0, "center": 0.5, "right": 1.0}[spot.align] * length
    middle = (1 - point.up) * high + spot.down
    return left, middle - HALF, left + length, middle + HALF


@pytest.mark.parametrize("widths", [(200, 230, 260), (640, 1000)])
def test_twelve_systems_that_score_alike_have_twelve_names_apart(widths: tuple[float, ...]) -> None:
    spots = place_names(CLOSE, widths, 420)
    assert spots is not None
    for wide in widths:
        boxes = [box(*pair, wide, 420) for pair in zip(CLOSE, spots, strict=True)]
        for k, (left, top, right, bottom) in enumerate(boxes):
            assert left >= 0
            assert right <= wide
            assert top >= 0
            assert bottom <= 420
            for other in boxes[:k]:
                assert left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom


def test_a_name_alone_needs_no_line() -> None:
    (spot,) = place_names([NamedPoint("mine", 0.5, 0.5)], (300,), 420) or []
    assert not spot.led


def test_names_that_have_no_room_are_not_placed() -> None:
    long = [NamedPoint(f"{k} of those names that take a whole line", 0.5, 0.5) for k in range(9)]
    assert place_names(long, (60,), 100) is None


def test_places_along_a_line_move_as_little_as_can_be() -> None:
    assert spread([10, 60, 110], 14, 0, 300) == [10, 60, 110]
    assert spread([100, 100], 14, 0, 300) == [93, 107]
    assert spread([107, 93, 100], 14, 0, 300) == [114, 86, 100]  # in their order
    assert spread([1, 2, 299], 14, 0, 300) == [0, 14, 299]
    assert spread([298, 299], 14, 0, 296) == [282, 296]
