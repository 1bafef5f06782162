"""Gwet's AC1: agreement beyond chance, where only hard items are guessed.

Formula
    AC1 = (A_o - A_e) / (1 - A_e), A_e = Σ_k π_k (1 - π_k) / (K - 1), with A_o and π_k as for Fleiss' kappa and K the
    number of labels.
Conventions
    K counts every label the judgments declare, used or not. Undefined with one label. With a rare label A_e is
    near 0, so AC1 stays near A_o: it does not fall into kappa's prevalence trap, and it does not see what kappa sees.
Source
    Gwet 2008, section 3; for varying raters Gwet 2014, chapter 2.
"""

from __future__ import annotations

import numpy as np

from errorbar.agreement.pairs import PairTable
from errorbar.agreement.resampling import Kernel, Resampling
from errorbar.agreement.shares import Shares, chance_corrected, estimate_items
from errorbar.agreement.units import Floats, ItemCounts
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments


def gwet_kernel(table: ItemCounts) -> Kernel:
    """AC1 as a function of how often each row occurs."""
    shares = Shares(table)

    def kernel(weights: Floats) -> Floats:
        if shares.n_labels < 2:
            return np.full(len(weights), np.nan)
        share = shares.labels(weights)
        expected = (share * (1 - share)).sum(axis=1) / (shares.n_labels - 1)
        return chance_corrected(shares.agreement(weights), expected)

    return kernel


def gwet_ac1(data: Judgments | ItemCounts | PairTable, *, resampling: Resampling | None = None) -> Estimate:
    """Gwet's AC1.

    Raises:
        UsageError: If a rater judged an item twice.
    """
    return estimate_items(data, gwet_kernel, resampling)
