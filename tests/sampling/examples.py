"""Strata and frames that several tests sample from."""

from __future__ import annotations

import numpy as np

from errorbar.sampling import Frame, Sample, Strata

STRATA = Strata.of_sizes(100, 400)
LARGE = Strata.of_sizes(1000, 9000)
SAMPLE = Sample.of([750, 1500], [600, 450])
"""Of the large strata: table 5 of Tetreault and Chodorow 2008."""
TWO = Strata(
    ("11", "10", "01", "00"),
    np.array([600, 400, 500, 8500]),
    np.array([[True, True, False, False], [True, False, True, False]]),
    ("A", "B"),
)
Z = 1.959964


def frame(n: int = 300, share: float = 0.2, seed: int = 1) -> Frame:
    flags = np.random.default_rng(seed).random(n) < share
    return Frame(tuple(f"i{k}" for k in range(n)), flags[None])
