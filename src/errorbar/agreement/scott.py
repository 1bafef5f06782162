"""Scott's π: two raters, chance agreement from the label frequencies of both together.

Formula
    π = (A_o - A_e) / (1 - A_e), A_o = Σ_k p_kk, A_e = Σ_k q_k², q_k = (r_k + c_k) / 2, with p the joint shares of the
    two raters' labels and r, c its margins.
Conventions
    Only items that both raters judged count. Undefined where both gave every item the same label.
Source
    Scott 1955.
"""

from __future__ import annotations

from errorbar.agreement.fleiss import fleiss_kappa
from errorbar.agreement.pairs import PairTable
from errorbar.agreement.resampling import Resampling
from errorbar.core.estimate import Estimate


def scott_pi(table: PairTable, *, resampling: Resampling | None = None) -> Estimate:
    """Scott's π of two raters; Fleiss' kappa of two raters who judged every item is the same thing."""
    return fleiss_kappa(table, resampling=resampling)
