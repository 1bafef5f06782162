"""Specific agreement: if one rater gives a label, how often does another give it too?

Formula
    S_k = Σ_i n_ik (n_ik - 1) / Σ_i n_ik (m_i - 1). With two raters 2 p_kk / (r_k + c_k): the F1 of one rater against
    the other.
Conventions
    Items with fewer than two raters are left out. Undefined where nobody gave the label.
Source
    Dice 1945; Cicchetti and Feinstein 1990; Fleiss 1981 for many raters.
"""

from __future__ import annotations

import numpy as np

from errorbar.agreement.pairs import PairTable, as_counts
from errorbar.agreement.resampling import Kernel, Resampling, estimates_of_each
from errorbar.agreement.shares import ratio, totals
from errorbar.agreement.units import Floats, ItemCounts
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments


def specific_kernel(table: ItemCounts) -> Kernel:
    """The specific agreement of every label as a function of how often each row occurs; (replicates, labels)."""
    others = np.maximum(table.n_raters - 1, 0)
    given = table.counts.multiply(others[:, None]).tocsr()
    agreeing = (table.counts.multiply(table.counts) - table.counts).tocsr()

    def kernel(weights: Floats) -> Floats:
        return ratio(totals(weights, agreeing), totals(weights, given))

    return kernel


def specific_agreement(
    data: Judgments | ItemCounts | PairTable, *, resampling: Resampling | None = None
) -> dict[str, Estimate]:
    """Specific agreement of each label, a fraction.

    Raises:
        UsageError: If a rater judged an item twice.
    """
    table = as_counts(data)
    reason = Undefined.LABEL_NOT_USED if table.n_paired else Undefined.TOO_FEW_RATERS
    found = estimates_of_each(
        table.units,
        {"specific": specific_kernel(table)},
        n_units=table.n_paired,
        reason=reason,
        resampling=resampling,
        width=len(table.labels),
    )
    return dict(zip(table.labels, found["specific"], strict=True))
