"""Annotators that can never be chosen are left out before many replicates: kernel and twin must still agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.edits.matching import COMPILED
from errorbar.metrics.base import Swapping
from tests.helpers.effort import draw_examples
from tests.helpers.folds import fold_counts

pytestmark = pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")


@draw_examples(300)
@given(
    st.integers(0, 1 << 32),
    st.sampled_from((0.01, 0.04, 0.5, 1.0, 2.0, 31.0, 1000.0)),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_kernel_and_twin_agree_on_many_replicates(
    seed: int, beta: float, running: bool, drawn: bool, masked: bool, odd: bool, rounded: bool
) -> None:
    rng = np.random.default_rng(seed)
    units, annotators, replicates = int(rng.integers(1, 9)), int(rng.integers(1, 7)), int(rng.integers(8, 12))
    counts = rng.integers(0, int(rng.integers(2, 6)), (units, annotators, 3)).astype(np.int32)
    if not odd:  # nothing is correct that is not both proposed and in the reference
        counts[..., 0] = counts.min(axis=-1)
    present = (rng.random((units, annotators)) < 0.85).astype(np.uint8)
    rows = rng.integers(-1, units, (replicates, units + 2)) if drawn else None
    masks = (rng.random((replicates if masked else 1, annotators)) < 0.8).astype(np.uint8)
    start = rng.integers(0, 4, (replicates, 3)).astype(np.int64)
    fast, slow = (
        fold_counts(
            counts,
            present,
            beta=beta,
            running=running,
            units=rows,
            masks=masks,
            start=start,
            want_chosen=True,
            kernel=kernel,
            rounded=rounded,
        )
        for kernel in (True, False)
    )
    assert fast.totals.tolist() == slow.totals.tolist()
    assert fast.n_units.tolist() == slow.n_units.tolist()
    assert fast.chosen.tolist() == slow.chosen.tolist()


@draw_examples(300)
@given(
    st.integers(0, 1 << 32),
    st.sampled_from((0.3, 0.5, 1.0, 2.0)),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_kernel_and_twin_agree_on_the_totals_of_many_replicates(
    seed: int, beta: float, masked: bool, drawn: bool, odd: bool, rounded: bool
) -> None:
    """Where nobody asks who was chosen, F is compared in whole numbers, and equal counts are taken together."""
    rng = np.random.default_rng(seed)
    units, annotators, replicates = int(rng.integers(1, 12)), int(rng.integers(1, 9)), int(rng.integers(8, 20))
    counts = rng.integers(0, int(rng.integers(2, 6)), (units, annotators, 3)).astype(np.int32)
    if not odd:
        counts[..., 0] = counts.min(axis=-1)
    present = (rng.random((units, annotators)) < 0.85).astype(np.uint8)
    rows = rng.integers(-1, units, (replicates, units + 2)) if drawn else None
    masks = (rng.random((replicates if masked else 1, annotators)) < 0.7).astype(np.uint8)
    start = rng.integers(0, 3, (replicates, 3)).astype(np.int64) * int(rng.integers(0, 2))
    fast, slow = (
        fold_counts(
            counts,
            present,
            beta=beta,
            running=True,
            units=rows,
            masks=masks,
            start=start,
            kernel=kernel,
            rounded=rounded,
        )
        for kernel in (True, False)
    )
    assert fast.totals.tolist() == slow.totals.tolist()
    assert fast.n_units.tolist() == slow.n_units.tolist()


@draw_examples(300)
@given(
    st.integers(0, 1 << 32),
    st.sampled_from((0.3, 0.5, 1.0)),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_kernel_and_twin_agree_on_swapped_systems(
    seed: int, beta: float, running: bool, masked: bool, padded: bool, want_chosen: bool, rounded: bool
) -> None:
    rng = np.random.default_rng(seed)
    n, annotators, replicates = int(rng.integers(1, 12)), int(rng.integers(1, 6)), int(rng.integers(1, 20))
    first = rng.integers(0, 4, (n, annotators, 3)).astype(np.int32)
    second = np.where(rng.random((n, 1, 1)) < 0.5, first, rng.integers(0, 4, first.shape)).astype(np.int32)
    counts = np.concatenate([first, second])
    counts[..., 0] = counts.min(axis=-1)
    looked = (rng.random((n, annotators)) < 0.85).astype(np.uint8)
    columns = int(rng.integers(1, n + 1))
    units = rng.integers(-1, n, (1, n + 1)) if padded else None
    slots = rng.integers(-1, columns, n + padded)
    swaps = rng.random((replicates, columns)) < 0.5
    masks = (rng.random((replicates if masked else 1, annotators)) < 0.8).astype(np.uint8)
    fast, slow = (
        fold_counts(
            counts,
            np.concatenate([looked, looked]),
            beta=beta,
            running=running,
            units=units,
            masks=masks,
            swapping=Swapping(swaps, slots),
            want_chosen=want_chosen,
            kernel=kernel,
            rounded=rounded,
        )
        for kernel in (True, False)
    )
    assert fast.totals.tolist() == slow.totals.tolist()
    assert fast.n_units.tolist() == slow.n_units.tolist()
    assert fast.chosen.tolist() == slow.chosen.tolist()


@pytest.mark.parametrize("beta", [0.5, 1.0, 0.3])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("rounded", [False, True])
def test_sums_too_large_for_exact_products_are_compared_as_the_twin_does(
    beta: float, masked: bool, rounded: bool
) -> None:
    rng = np.random.default_rng(5)
    counts = rng.integers(0, 1 << 30, (6, 4, 3)).astype(np.int32)
    counts[..., 0] = counts.min(axis=-1)
    masks = np.ones((9 if masked else 1, 4), np.uint8)
    start = np.tile(np.array([1 << 20, 1 << 40, 1 << 40], np.int64), (9, 1))
    fast, slow = (
        fold_counts(
            counts,
            np.ones((6, 4), np.uint8),
            beta=beta,
            running=True,
            masks=masks,
            start=start,
            kernel=kernel,
            rounded=rounded,
        ).totals
        for kernel in (True, False)
    )
    assert fast.tolist() == slow.tolist()


@pytest.mark.parametrize("rounded", [False, True])
def test_more_annotators_than_fit_in_a_set(rounded: bool) -> None:
    rng = np.random.default_rng(6)
    counts = rng.integers(0, 5, (8, 70, 3)).astype(np.int32)
    counts[..., 0] = counts.min(axis=-1)
    masks = (rng.random((9, 70)) < 0.3).astype(np.uint8)
    fast, slow = (
        fold_counts(
            counts, np.ones((8, 70), np.uint8), beta=0.5, running=True, masks=masks, kernel=kernel, rounded=rounded
        ).totals
        for kernel in (True, False)
    )
    assert fast.tolist() == slow.tolist()


@draw_examples(12)
@given(st.integers(0, 1 << 32), st.sampled_from((0.5, 1.0, 2.0)), st.booleans(), st.booleans())
def test_many_units_of_many_replicates(seed: int, beta: float, swapped: bool, large: bool) -> None:
    """Where totals lie shows what all replicates choose, some hundreds of them at a time, for most units."""
    rng = np.random.default_rng(seed)
    n, annotators, replicates = 150, 5, 530
    gold = rng.poisson(1.5, (n, annotators)) * (1 + large * (rng.random((n, 1)) < 0.05) * 1000)
    proposed = rng.poisson(rng.choice([0.3, 1.5]), (2, n, 1)) * np.ones((1, 1, annotators), np.int64)
    correct = rng.binomial(np.minimum(proposed, gold), 0.4)
    counts = np.stack([correct, proposed, np.broadcast_to(gold, correct.shape)], axis=-1)
    counts = counts.reshape(2 * n, annotators, 3).astype(np.int32)
    looked = np.tile((rng.random((n, annotators)) < 0.95).astype(np.uint8), (2, 1))
    columns = int(rng.choice([5, n]))
    swapping = Swapping(
        rng.random((replicates, columns)) < 0.5, rng.integers(-1, columns, n) if columns < n else np.arange(n)
    )
    masks = (
        np.ones((1, annotators), np.uint8) if swapped else (rng.random((replicates, annotators)) < 0.6).astype(np.uint8)
    )
    fast, slow = (
        fold_counts(
            *(counts, looked),
            beta=beta,
            running=True,
            masks=masks,
            swapping=swapping if swapped else None,
            kernel=kernel,
        )
        for kernel in (True, False)
    )
    assert fast.totals.tolist() == slow.totals.tolist()
    assert fast.n_units.tolist() == slow.n_units.tolist()
