"""One-sided p-values by swapping: all ways written out, the sign test, and what cannot be told."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.stats import WAYS, share_above, sign_flip_p, stream, ways_to_swap

SIZES = 4


def by_all_ways(differences: list[int]) -> float:
    """The share of all signs under which the sum is larger, and half of that under which it is equal."""
    observed = sum(differences)
    sums = [
        sum(a * b for a, b in zip(differences, signs, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return (sum(each > observed for each in sums) + sum(each == observed for each in sums) / 2) / len(sums)


def counted(differences: list[int], sizes: int = SIZES) -> tuple[np.ndarray, np.ndarray]:
    size = range(1, sizes + 1)
    return (
        np.array([[differences.count(a) for a in size]], np.float64),
        np.array([[differences.count(-a) for a in size]], np.float64),
    )


@given(st.lists(st.integers(-SIZES, SIZES), max_size=9))
def test_of_whole_numbers_it_is_of_all_ways(differences: list[int]) -> None:
    assert sign_flip_p(*counted(differences))[0] == pytest.approx(by_all_ways(differences), abs=1e-12)


def test_by_hand() -> None:
    # Three wins and a loss: of 16 ways one has four wins, four have three. (1 + 4/2)/16.
    assert sign_flip_p(*counted([1, 1, 1, -1], 1))[0] == pytest.approx(3 / 16)
    # 2 + 1 = 3 is the largest of ±2 ± 1: one of four ways is as large. (0 + 1/2)/4.
    assert sign_flip_p(*counted([2, 1]))[0] == pytest.approx(1 / 8)
    assert sign_flip_p(*counted([]))[0] == 0.5
    assert sign_flip_p(*counted([], 1))[0] == 0.5


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_sign_test_and_the_inversion_agree(won: int, lost: int) -> None:
    differences = [1] * won + [-1] * lost
    alone, among = sign_flip_p(*counted(differences, 1))[0], sign_flip_p(*counted(differences, 3))[0]
    assert alone == pytest.approx(among, abs=1e-11)
    n = won + lost
    exact = (sum(comb(n, k) for k in range(won + 1, n + 1)) + comb(n, won) / 2) / 2**n
    assert alone == pytest.approx(exact, abs=1e-12)


def test_many_sums_at_once_are_one_by_one() -> None:
    rng = np.random.default_rng(3)
    positive, negative = (rng.poisson(30, (50, 3)).astype(np.float64) for _ in range(2))
    together = sign_flip_p(positive, negative)
    alone = [sign_flip_p(positive[k : k + 1], negative[k : k + 1])[0] for k in range(50)]
    assert together == pytest.approx(alone, abs=1e-11)
    assert sign_flip_p(negative, positive) == pytest.approx(1 - together, abs=1e-11)


def test_few_units_are_swapped_in_all_ways() -> None:
    ways = ways_to_swap(5, WAYS, stream(0, "x"))
    opposites = np.concatenate([ways, ~ways])
    assert len(np.unique(opposites, axis=0)) == len(opposites) == 32
    assert ways_to_swap(40, WAYS, stream(0, "x")).shape == (WAYS // 2, 40)
    d = np.array([0.5, 0.25, -0.125, 1.0, 2.0])
    differences = np.where(ways, -1.0, 1.0) @ d
    sums = [sum(a * b for a, b in zip(d, signs, strict=True)) for signs in product((1, -1), repeat=5)]
    expected = sum(each > d.sum() for each in sums) / 32 + sum(each == d.sum() for each in sums) / 64
    assert share_above(float(d.sum()), differences) == expected


def test_what_differs_by_rounding_alone_is_equal() -> None:
    assert share_above(0.3, np.array([0.1 + 0.2, 0.0])) == (0 + 1 / 2) / 4
    assert share_above(0.0, np.zeros(3)) == 0.5
    assert np.isnan(share_above(float("nan"), np.zeros(3)))
    assert np.isnan(share_above(0.0, np.array([np.nan])))
