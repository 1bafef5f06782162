"""The choice by F of four places: by hand, the rounding against Python's, and the kernel next to halves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorbar.edits.matching import COMPILED
from errorbar.metrics.base import Swapping
from errorbar.metrics.edit_metric import Choice, _four_places
from tests.helpers.effort import draw_examples
from tests.helpers.folds import fold_counts
from tests.metrics.test_choice import KERNELS, Unit, arrays

compiled = pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")


def near_halves() -> NDArray[np.float64]:
    """The doubles around every half of a ten-thousandth up to 1, and the 16 that are halves exactly."""
    up = down = (np.arange(10_000) + 0.5) / 1e4
    near = [up]
    for _ in range(3):
        up, down = np.nextafter(up, 2.0), np.nextafter(down, -1.0)
        near += [up, down]
    return np.concatenate([*near, np.arange(1, 32, 2) / 32])


def rounded_by_python(values: NDArray[np.float64]) -> list[float]:
    return [round(value, 4) for value in values.tolist()]


class TestRounding:
    def test_exact_halves_go_to_the_even_digit(self) -> None:
        assert [round(1 / 32, 4), round(3 / 32, 4)] == [0.0312, 0.0938]  # what is compared with

    def test_the_twin_next_to_halves(self) -> None:
        values = near_halves()
        assert _four_places(values).tolist() == rounded_by_python(values)

    @compiled
    def test_the_kernel_next_to_halves(self) -> None:
        from errorbar.metrics._rounded import in_ten_thousandths

        values = near_halves()
        assert [whole / 1e4 for whole in in_ten_thousandths(values)] == rounded_by_python(values)

    @compiled
    @draw_examples(50)
    @given(st.lists(st.floats(0, 4) | st.integers(1, 1 << 40).map(lambda k: k / (1 << 40)), min_size=1, max_size=200))
    def test_the_kernel_anywhere(self, values: list[float]) -> None:
        from errorbar.metrics._rounded import in_ten_thousandths

        found = in_ten_thousandths(np.array(values))
        assert [whole / 1e4 for whole in found] == [round(value, 4) for value in values]


def fold(*units: Unit, kernel: bool, start: tuple[int, int, int] = (0, 0, 0), beta: float = 1.0) -> Choice:
    counts, present = arrays(units)
    after = np.array([start], np.int64)
    return fold_counts(
        counts, present, beta=beta, running=True, start=after, want_chosen=True, kernel=kernel, rounded=True
    )


@pytest.mark.parametrize("kernel", KERNELS)
class TestByHand:
    def test_f_decides_where_it_differs_after_rounding(self, kernel: bool) -> None:
        assert fold([(1, 1, 3), (1, 1, 2)], kernel=kernel).chosen.tolist() == [[1]]  # F = 1/2 and 2/3

    def test_equal_after_rounding_more_correct_edits_win(self, kernel: bool) -> None:
        # 2 C / (P + G): 20000 / 40000 = .5 and 20002 / 40008 = .49995, which is .5 (20006 / 40016 = .49995 too).
        assert fold([(0, 0, 0), (1, 4, 4)], start=(10_000, 20_000, 20_000), kernel=kernel).chosen.tolist() == [[1]]

    def test_then_fewer_false_edits(self, kernel: bool) -> None:
        # No edit is correct. The m2 rule would compare sizes, which are 5 and 6, and take the first.
        assert fold([(0, 3, 2), (0, 2, 4)], kernel=kernel).chosen.tolist() == [[1]]

    def test_then_fewer_missed_edits(self, kernel: bool) -> None:
        assert fold([(0, 2, 4), (0, 2, 3)], kernel=kernel).chosen.tolist() == [[1]]

    def test_then_the_first_annotator(self, kernel: bool) -> None:
        assert fold([(0, 2, 3), (0, 2, 3)], kernel=kernel).chosen.tolist() == [[0]]

    def test_no_false_and_no_missed_edits_are_perfect(self, kernel: bool) -> None:
        assert fold([(0, 0, 1), (0, 0, 0)], kernel=kernel).chosen.tolist() == [[1]]

    def test_more_correct_edits_than_proposed_ones(self, kernel: bool) -> None:
        # P = 2, R = 1: F = 4/3 against 1.
        assert fold([(1, 1, 1), (2, 1, 2)], kernel=kernel).chosen.tolist() == [[1]]

    def test_more_correct_edits_are_not_always_better_where_they_exceed_the_proposed(self, kernel: bool) -> None:
        # F = 2 C / (P + G) is 4/3 and 8/7, though the second has more correct, no more false and no more missed edits.
        counts, present = arrays([[(2, 1, 2), (4, 3, 4)]])
        units = np.zeros((8, 1), np.int64)  # enough replicates for looking ahead
        folded = fold_counts(counts, present, beta=1.0, running=True, units=units, kernel=kernel, rounded=True)
        assert folded.totals.tolist() == [[2, 1, 2]] * 8


@compiled
@draw_examples(300)
@given(
    st.integers(0, 1 << 32),
    st.sampled_from((0.5, 1.0, 2.0, 0.3)),
    st.sampled_from(("drawn", "masked", "swapped")),
    st.booleans(),
)
def test_kernel_and_twin_agree_next_to_halves(seed: int, beta: float, how: str, want_chosen: bool) -> None:
    """Totals are such that with an annotator's edits of the first sentence F is half a ten-thousandth, or nearly so."""
    rng = np.random.default_rng(seed)
    n, annotators, replicates = int(rng.integers(1, 5)), int(rng.integers(2, 5)), int(rng.integers(1, 12))
    counts = rng.integers(0, 6, (2 * n, annotators, 3)).astype(np.int32)
    counts[..., 0] = counts.min(axis=-1)
    # (1 + b²) C / (P + b² G) = (2m + 1) / 20000, with a multiple of 20000 as the denominator.
    beta2, times = beta * beta, rng.integers(1, 50, replicates)
    odd = 2 * rng.integers(0, 10_000, replicates) + 1
    denominator = math.lcm(20_000, round(100 * (1 + beta2))) * times
    correct = np.rint(odd * denominator / 20_000 / (1 + beta2)).astype(np.int64)
    gold = np.minimum(denominator, rng.integers(1, (1 + denominator / (1 + beta2)).astype(np.int64)) * 4)
    proposed = np.rint(denominator - beta2 * gold).astype(np.int64)
    goal = np.stack([np.minimum(correct, np.minimum(proposed, gold)), proposed, gold], axis=-1)
    start = np.maximum(0, goal - counts[0, 0])
    units = rng.integers(0, 2 * n, (replicates, n + 1)) if how == "drawn" else None
    if units is not None:
        units[:, 0] = 0
    masks = (rng.random((replicates if how == "masked" else 1, annotators)) < 0.9).astype(np.uint8)
    swapping = Swapping(rng.random((replicates, n)) < 0.5, rng.integers(-1, n, n)) if how == "swapped" else None
    fast, slow = (
        fold_counts(
            counts,
            np.ones((2 * n, annotators), np.uint8),
            beta=beta,
            running=True,
            units=units,
            masks=masks,
            start=start,
            swapping=swapping,
            want_chosen=want_chosen,
            kernel=kernel,
            rounded=True,
        )
        for kernel in (True, False)
    )
    assert fast.totals.tolist() == slow.totals.tolist()
    assert fast.n_units.tolist() == slow.n_units.tolist()
    assert fast.chosen.tolist() == slow.chosen.tolist()
