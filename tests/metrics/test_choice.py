"""Which annotator a sentence is scored against, worked out by hand, and the kernel against its readable twin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorbar.edits.matching import COMPILED
from errorbar.metrics.base import Swapping
from errorbar.metrics.edit_metric import Choice
from tests.helpers.effort import draw_examples
from tests.helpers.folds import fold_counts

Unit = Sequence[tuple[int, int, int] | None]
"""For each annotator correct, proposed and reference edits, or None: did not look."""

KERNELS = [
    pytest.param(True, marks=pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")),
    False,
]


def arrays(units: Sequence[Unit]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    counts = np.array([[cell or (0, 0, 0) for cell in unit] for unit in units], np.int32)
    present = np.array([[cell is not None for cell in unit] for unit in units], np.uint8)
    return counts.reshape(len(units), -1, 3), present.reshape(len(units), -1)


def fold(*units: Unit, kernel: bool, beta: float = 1.0, running: bool = True) -> Choice:
    counts, present = arrays(units)
    return fold_counts(counts, present, beta=beta, running=running, want_chosen=True, kernel=kernel)


@pytest.mark.parametrize("kernel", KERNELS)
class TestByHand:
    # Nobody can match the first sentence. In the second, beta = 1, F = 2C / (G + P):
    #   alone:                 annotator 0: 2*1 / (1+2) = 0.67    annotator 1: 2*2 / (5+2) = 0.57
    #   after (0, 6, 6):       annotator 0: 2*1 / (7+8) = 0.13    annotator 1: 2*2 / (11+8) = 0.21
    HARD: Unit = ((0, 6, 6), (0, 6, 6))
    EASY: Unit = ((1, 2, 1), (2, 2, 5))

    def test_running_choice_compares_the_corpus_so_far(self, kernel: bool) -> None:
        folded = fold(self.HARD, self.EASY, kernel=kernel)
        assert folded.chosen.tolist() == [[0, 1]]
        assert folded.totals.tolist() == [[2, 8, 11]]

    def test_sentence_choice_compares_the_sentence_alone(self, kernel: bool) -> None:
        folded = fold(self.HARD, self.EASY, kernel=kernel, running=False)
        assert folded.chosen.tolist() == [[0, 0]]
        assert folded.totals.tolist() == [[1, 8, 7]]

    def test_running_choice_depends_on_the_order_of_sentences(self, kernel: bool) -> None:
        assert fold(self.EASY, self.HARD, kernel=kernel).totals.tolist() == [[1, 8, 7]]

    def test_an_empty_comparison_counts_as_perfect_unless_something_is_in_the_reference(self, kernel: bool) -> None:
        # F of (0, 0, 0) is 1 by convention, F of (0, 0, 1) is 0.
        assert fold([(0, 0, 1), (0, 0, 0)], kernel=kernel).chosen.tolist() == [[1]]

    def test_a_tie_goes_to_more_correct_edits(self, kernel: bool) -> None:
        # F = 2*1 / (2+2) = 2*2 / (4+4)
        assert fold([(1, 2, 2), (2, 4, 4)], kernel=kernel).chosen.tolist() == [[1]]

    def test_then_to_fewer_edits(self, kernel: bool) -> None:
        assert fold([(0, 2, 3), (0, 2, 1)], kernel=kernel).chosen.tolist() == [[1]]

    def test_then_to_the_first_annotator(self, kernel: bool) -> None:
        assert fold([(0, 2, 3), (0, 2, 3)], kernel=kernel).chosen.tolist() == [[0]]

    def test_beta_weighs_the_reference_in_ties_too(self, kernel: bool) -> None:
        # beta² = 1/4: F of both is 0; sizes P + G/4 are 2 + 1 and 1 + 3/2.
        assert fold([(0, 2, 4), (0, 1, 6)], kernel=kernel, beta=0.5).chosen.tolist() == [[1]]

    def test_an_absent_annotator_cannot_be_chosen(self, kernel: bool) -> None:
        assert fold([None, (0, 2, 3)], kernel=kernel).chosen.tolist() == [[1]]

    def test_a_sentence_that_nobody_looked_at_adds_nothing_and_is_not_counted(self, kernel: bool) -> None:
        folded = fold([None, None], [(1, 1, 1), None], kernel=kernel)
        assert folded.chosen.tolist() == [[-1, 0]]
        assert folded.totals.tolist() == [[1, 1, 1]]
        assert folded.n_units.tolist() == [1]

    def test_no_sentence(self, kernel: bool) -> None:
        counts, present = np.zeros((0, 2, 3), np.int32), np.zeros((0, 2), np.uint8)
        folded = fold_counts(counts, present, beta=1.0, running=True, want_chosen=True, kernel=kernel)
        assert folded.totals.tolist() == [[0, 0, 0]]
        assert folded.n_units.tolist() == [0]

    def test_masks_leave_annotators_out_one_replicate_at_a_time(self, kernel: bool) -> None:
        counts, present = arrays([[(1, 1, 1), (0, 1, 2)]])
        masks = np.array([[1, 1], [0, 1], [0, 0]], np.uint8)
        folded = fold_counts(counts, present, beta=1.0, running=True, masks=masks, want_chosen=True, kernel=kernel)
        assert folded.chosen.tolist() == [[0], [1], [-1]]
        assert folded.totals.tolist() == [[1, 1, 1], [0, 1, 2], [0, 0, 0]]

    def test_replicates_may_repeat_units_in_any_order(self, kernel: bool) -> None:
        counts, present = arrays([self.HARD, self.EASY])
        units = np.array([[0, 1], [1, 0], [1, 1]])
        folded = fold_counts(counts, present, beta=1.0, running=True, units=units, kernel=kernel)
        # [1, 1]: annotator 0 first (0.67 > 0.57), then from (1, 2, 1): 2*2 / (2+4) = 0.67 > 2*3 / (6+4) = 0.6.
        assert folded.totals.tolist() == [[2, 8, 11], [1, 8, 7], [2, 4, 2]]
        assert folded.chosen.shape == (0, 2)  # not asked for

    def test_rows_of_different_lengths_are_padded(self, kernel: bool) -> None:
        counts, present = arrays([self.HARD, self.EASY])
        units = np.array([[1, -1], [-1, 1], [-1, -1]])
        folded = fold_counts(counts, present, beta=1.0, running=True, units=units, want_chosen=True, kernel=kernel)
        assert folded.totals.tolist() == [[1, 2, 1], [1, 2, 1], [0, 0, 0]]
        assert folded.n_units.tolist() == [1, 1, 0]
        assert folded.chosen.tolist() == [[0, -1], [-1, 0], [-1, -1]]

    def test_swapped_units_are_read_from_the_second_half(self, kernel: bool) -> None:
        # Two systems on two sentences: unit u of the second is number 2 + u. The second sentence is never swapped.
        counts, present = arrays([[(1, 1, 1)], [(0, 2, 3)], [(0, 0, 1)], [(9, 9, 9)]])
        swapping = Swapping(np.array([[False], [True]]), np.array([0, -1]))
        folded = fold_counts(
            counts, present, beta=1.0, running=True, swapping=swapping, want_chosen=True, kernel=kernel
        )
        assert folded.totals.tolist() == [[1, 3, 4], [0, 2, 4]]
        assert folded.n_units.tolist() == [2, 2]


@pytest.mark.parametrize("kernel", KERNELS)
class TestMisuse:
    """A selection that does not fit is refused: the kernel must not read beyond its arrays."""

    COUNTS, PRESENT = np.ones((2, 2, 3), np.int32), np.ones((2, 2), np.uint8)

    @pytest.mark.parametrize("unit", [-2, 2, 5])
    def test_units_that_do_not_exist(self, kernel: bool, unit: int) -> None:
        with pytest.raises((IndexError, ValueError)):
            fold_counts(self.COUNTS, self.PRESENT, beta=1.0, running=True, units=np.array([[0, unit]]), kernel=kernel)

    @pytest.mark.parametrize("width", [1, 3])
    def test_masks_of_another_width(self, kernel: bool, width: int) -> None:
        masks = np.ones((1, width), np.uint8)
        with pytest.raises((IndexError, ValueError)):
            fold_counts(self.COUNTS, self.PRESENT, beta=1.0, running=True, masks=masks, kernel=kernel)

    def test_as_many_replicates_of_units_as_of_masks(self, kernel: bool) -> None:
        units, masks = np.zeros((3, 1), np.int64), np.ones((2, 2), np.uint8)
        with pytest.raises((IndexError, ValueError)):
            fold_counts(self.COUNTS, self.PRESENT, beta=1.0, running=True, units=units, masks=masks, kernel=kernel)

    @pytest.mark.parametrize(
        ("swaps", "slots"),
        [((2, 1), [1]), ((2, 1), [-2]), ((2, 1), [0, 0]), ((0, 1), [0]), ((3, 1), [0]), ((1, 1), [0])],
        ids=["no such column", "below -1", "too many places", "no row", "rows of masks", "fewer rows than masks"],
    )
    def test_swaps_that_do_not_fit(self, kernel: bool, swaps: tuple[int, int], slots: list[int]) -> None:
        swapping = Swapping(np.zeros(swaps, np.bool_), np.array(slots))
        masks = np.ones((2, 2), np.uint8)
        with pytest.raises(ValueError, match=r"swaps|slots|rows"):
            fold_counts(
                self.COUNTS, self.PRESENT, beta=1.0, running=True, masks=masks, swapping=swapping, kernel=kernel
            )

    @pytest.mark.parametrize(("n", "rows"), [(3, 1), (2, 2)])
    def test_swaps_need_two_systems_and_one_row_of_units(self, kernel: bool, n: int, rows: int) -> None:
        swapping = Swapping(np.zeros((2, 1), np.bool_), np.zeros(1, np.int64))
        with pytest.raises(ValueError, match="two systems"):
            fold_counts(
                np.ones((n, 2, 3), np.int32),
                np.ones((n, 2), np.uint8),
                beta=1.0,
                running=True,
                units=np.zeros((rows, 1), np.int64),
                swapping=swapping,
                kernel=kernel,
            )


# Few different small counts, and mostly somebody who looked and may be chosen: ties are what twins differ in.
cells = st.sampled_from([(c, p, g) for c in range(3) for p in range(c, 4) for g in range(c, 4)])
flags = st.sampled_from((1, 1, 1, 0))


def block(draw: st.DrawFn, element: st.SearchStrategy[object], rows: int, columns: int) -> list[object]:
    return draw(st.lists(element, min_size=rows * columns, max_size=rows * columns))


@st.composite
def folds(draw: st.DrawFn) -> tuple[tuple[NDArray[np.int32], NDArray[np.uint8]], dict[str, NDArray[np.int64]]]:
    """Counts and who looked, and a selection: one to three replicates of units, masks, and totals to go on from."""
    n_units, n_annotators, replicates = draw(st.integers(0, 5)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    length = draw(st.integers(0, 8))
    number = st.integers(-1 if draw(st.booleans()) else 0, n_units - 1) if n_units else st.just(-1)
    counts = np.array(block(draw, cells, n_units, n_annotators), np.int32).reshape(n_units, n_annotators, 3)
    present = np.array(block(draw, flags, n_units, n_annotators), np.uint8).reshape(n_units, n_annotators)
    units = np.array(block(draw, number, replicates, length), np.int64).reshape(replicates, length)
    masks = np.array(block(draw, flags, replicates, n_annotators), np.int64).reshape(replicates, n_annotators)
    start = np.array([draw(st.sampled_from(((0, 0, 0), (1, 5, 7))))] * replicates, np.int64)
    return (counts, present), {"units": units, "masks": masks, "start": start}


@pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled: there is nothing to compare")
@draw_examples(300)
@given(folds(), st.sampled_from((0.3, 0.5, 1.0, 2.0)), st.booleans(), st.booleans())
def test_twins(
    example: tuple[tuple[NDArray[np.int32], NDArray[np.uint8]], dict[str, NDArray[np.int64]]],
    beta: float,
    running: bool,
    rounded: bool,
) -> None:
    (counts, present), selection = example
    units, masks, start = selection["units"], selection["masks"].astype(np.uint8), selection["start"]
    kernel, twin = (
        fold_counts(
            counts,
            present,
            beta=beta,
            running=running,
            units=units,
            masks=masks,
            start=start,
            want_chosen=True,
            kernel=which,
            rounded=rounded,
        )
        for which in (True, False)
    )
    np.testing.assert_array_equal(kernel.totals, twin.totals)
    np.testing.assert_array_equal(kernel.n_units, twin.n_units)
    np.testing.assert_array_equal(kernel.chosen, twin.chosen)
    for r, row in enumerate(units):  # a replicate is the fold of its own units; -1 is padding
        own = row[row >= 0]
        alone = fold_counts(
            counts[own],
            present[own],
            beta=beta,
            running=running,
            masks=masks[r : r + 1],
            start=start[:1],
            rounded=rounded,
        )
        np.testing.assert_array_equal(alone.totals[0], kernel.totals[r])
