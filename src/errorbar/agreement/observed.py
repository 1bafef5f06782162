"""Observed agreement: how often two raters of an item give it the same label.

Formula
    A_o = mean over items of Σ_k n_ik (n_ik - 1) / (m_i (m_i - 1)), with n_ik the raters who gave item i label k and
    m_i all its raters. With two raters it is the share of items they agree on.
Conventions
    Items with fewer than two raters are left out; without any other the value is undefined. Nothing is corrected
    for chance: where one label is frequent, raters agree often without looking.
Source
    Fleiss 1971, equation 2 (P̄), for a number of raters that may vary as in Gwet 2014, chapter 2.
"""

from __future__ import annotations

from errorbar.agreement.pairs import PairTable
from errorbar.agreement.resampling import Kernel, Resampling
from errorbar.agreement.shares import Shares, estimate_items
from errorbar.agreement.units import ItemCounts
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments


def observed_kernel(table: ItemCounts) -> Kernel:
    """Observed agreement as a function of how often each row occurs."""
    return Shares(table).agreement


def observed_agreement(data: Judgments | ItemCounts | PairTable, *, resampling: Resampling | None = None) -> Estimate:
    """Observed agreement, a fraction.

    Raises:
        UsageError: If a rater judged an item twice.
    """
    return estimate_items(data, observed_kernel, resampling)
