"""Fleiss' kappa: agreement beyond what the frequencies of the labels make happen by chance.

Formula
    κ = (A_o - A_e) / (1 - A_e), A_o as in ``observed``, A_e = Σ_k π_k², π_k = mean over items of n_ik / m_i.
Conventions
    The number of raters may vary: A_o is over items with at least two, π_k over all that anybody judged. With the
    same number everywhere this is Fleiss' own formula; with two raters it is Scott's π. Undefined where every
    judgment has the same label (A_e = 1).
Source
    Fleiss 1971, equations 2 to 8; for varying raters Gwet 2014, chapter 2.
"""

from __future__ import annotations

from errorbar.agreement.pairs import PairTable
from errorbar.agreement.resampling import Kernel, Resampling
from errorbar.agreement.shares import Shares, chance_corrected, estimate_items
from errorbar.agreement.units import Floats, ItemCounts
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments


def fleiss_kernel(table: ItemCounts) -> Kernel:
    """Fleiss' kappa as a function of how often each row occurs."""
    shares = Shares(table)

    def kernel(weights: Floats) -> Floats:
        expected = (shares.labels(weights) ** 2).sum(axis=1)
        return chance_corrected(shares.agreement(weights), expected)

    return kernel


def fleiss_kappa(data: Judgments | ItemCounts | PairTable, *, resampling: Resampling | None = None) -> Estimate:
    """Fleiss' kappa.

    Raises:
        UsageError: If a rater judged an item twice.
    """
    return estimate_items(data, fleiss_kernel, resampling)
