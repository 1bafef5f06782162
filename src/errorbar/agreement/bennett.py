"""Bennett's S, also called PABAK with two labels: agreement beyond guessing every label equally often.

Formula
    S = (K A_o - 1) / (K - 1), with A_o as in ``observed`` and K the number of labels.
Conventions
    K counts every label the judgments declare, used or not; a label added to the list raises S. Undefined with one
    label.
Source
    Bennett, Alpert and Goldstein 1954; Byrt, Bishop and Carlin 1993 (PABAK); with many raters Randolph 2005
    (free-marginal kappa).
"""

from __future__ import annotations

import numpy as np

from errorbar.agreement.pairs import PairTable
from errorbar.agreement.resampling import Kernel, Resampling
from errorbar.agreement.shares import Shares, estimate_items
from errorbar.agreement.units import Floats, ItemCounts
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments


def bennett_kernel(table: ItemCounts) -> Kernel:
    """S as a function of how often each row occurs."""
    shares = Shares(table)
    k = shares.n_labels

    def kernel(weights: Floats) -> Floats:
        if k < 2:
            return np.full(len(weights), np.nan)
        return (k * shares.agreement(weights) - 1) / (k - 1)

    return kernel


def bennett_s(data: Judgments | ItemCounts | PairTable, *, resampling: Resampling | None = None) -> Estimate:
    """Bennett's S (PABAK).

    Raises:
        UsageError: If a rater judged an item twice.
    """
    return estimate_items(data, bennett_kernel, resampling)
