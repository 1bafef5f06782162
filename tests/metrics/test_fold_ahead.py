"""Annotators that can never be chosen are left out before many replicates: kernel and twin must still agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorbar.edits.kernel import COMPILED
from errorbar.metrics.choice import fold_counts

pytestmark = pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")


@settings(max_examples=300)
@given(
    st.integers(0, 1 << 32),
    st.sampled_from((0.01, 0.04, 0.5, 1.0, 2.0, 31.0, 1000.0)),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_kernel_and_twin_agree_on_many_replicates(
    seed: int, beta: float, running: bool, drawn: bool, masked: bool, odd: bool
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
        )
        for kernel in (True, False)
    )
    assert fast.totals.tolist() == slow.totals.tolist()
    assert fast.n_units.tolist() == slow.n_units.tolist()
    assert fast.chosen.tolist() == slow.chosen.tolist()
