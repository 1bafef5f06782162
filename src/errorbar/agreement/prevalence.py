"""What belongs beside a coefficient: which labels meet, and why kappa can be low though raters agree, or high.

Formula
    Prevalence of a label: its share of the judgments, q_k = (r_k + c_k)/2; bias: r_k - c_k, its share with the first
    rater minus that with the second. With two labels the prevalence index is |p_11 - p_22| and the bias index
    |p_12 - p_21|, and κ = (S - PI² + BI²) / (1 - PI² + BI²): without prevalence and bias κ would be S (PABAK), without
    bias it would be Scott's π. So S - π is what prevalence takes from kappa, κ - π what bias adds to it; these
    differences are used for any number of labels.
Conventions
    Only items that both raters judged count. A remark is made where prevalence takes .2 or more, or bias adds .05 or
    more: thresholds of ours, not of the source.
Source
    Feinstein and Cicchetti 1990 (the two paradoxes); Byrt, Bishop and Carlin 1993 (the indices).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from errorbar.agreement.coefficients import bennett_s, scott_pi
from errorbar.agreement.cohen import cohen_kappa
from errorbar.agreement.estimating import ratio
from errorbar.agreement.label_counts import Data, PairTable, as_counts, check_matrix
from errorbar.stats.units import Floats

PREVALENCE_REMARK = 0.2
BIAS_REMARK = 0.05
EVERY = "the judgments"
PAIRED = "the judgments of the items that both judged"


@dataclass(frozen=True, slots=True)
class PrevalenceBias:
    """How often each label is given, and by whom; empty without items.

    Attributes:
        prevalence: Label to its share of the judgments of the items that both judged.
        bias: Label to its share with the first rater minus that with the second.
        prevalence_index: |p_11 - p_22|; None unless there are two labels.
        bias_index: |p_12 - p_21|; None unless there are two labels.
        prevalence_effect: S - π, what prevalence takes from kappa; None where undefined.
        bias_effect: κ - π, what bias adds to kappa; None where undefined.
        remarks: What a reader of kappa should know here, in plain words.
    """

    prevalence: Mapping[str, float]
    bias: Mapping[str, float]
    prevalence_index: float | None
    bias_index: float | None
    prevalence_effect: float | None
    bias_effect: float | None
    remarks: tuple[str, ...]


def prevalence_and_bias(table: PairTable) -> PrevalenceBias:
    """Say how unevenly labels are given, and what that does to kappa."""
    if not table.n_items:
        return PrevalenceBias({}, {}, None, None, None, None, ())
    p = table.proportions()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    two = len(table.labels) == 2
    kappa, pi, s = cohen_kappa(table).estimate.value, scott_pi(table).value, bennett_s(table).value
    lost = None if s is None or pi is None else s - pi
    gained = None if kappa is None or pi is None else kappa - pi
    share = (rows + columns) / 2
    return PrevalenceBias(
        dict(zip(table.labels, share.tolist(), strict=True)),
        dict(zip(table.labels, (rows - columns).tolist(), strict=True)),
        abs(float(p[0, 0] - p[1, 1])) if two else None,
        abs(float(p[0, 1] - p[1, 0])) if two else None,
        lost,
        gained,
        (
            *prevalence_remarks(
                dict(zip(table.labels, share.tolist(), strict=True)), float(np.trace(p)), s, pi, PAIRED
            ),
            *_bias_remarks(table, kappa, gained),
        ),
    )


def prevalence_remarks(
    share: Mapping[str, float], observed: float | None, s: float | None, pi: float | None, which: str = EVERY
) -> tuple[str, ...]:
    """Explain where uneven label frequencies, not disagreement, make a kappa low.

    Args:
        share: Label to its share of the judgments.
        observed: Observed agreement.
        s: Bennett's S.
        pi: Scott's π or Fleiss' kappa.
        which: What the shares are of, in words.
    """
    if observed is None or s is None or pi is None or s - pi < PREVALENCE_REMARK:
        return ()
    label = max(share, key=lambda name: share[name])
    text = (
        f"two raters of an item agree with probability {observed:.3f}, but '{label}' is {share[label]:.3f} of {which},"
        f" so most of that is expected by chance: corrected for chance it is {pi:.3f}; were all labels as frequent,"
        f" {s:.3f}."
        " Read the specific agreement of each label, and compare kappas only where labels are about as frequent"
    )
    return (text,)


def _bias_remarks(table: PairTable, kappa: float | None, gained: float | None) -> tuple[str, ...]:
    if kappa is None or gained is None or gained < BIAS_REMARK:
        return ()
    text = (
        f"raters '{table.raters[0]}' and '{table.raters[1]}' give the labels with different frequencies, which lowers"
        f" the agreement that Cohen's kappa expects and raises it by {gained:.3f} to {kappa:.3f}; see the bias"
    )
    return (text,)


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Which labels meet on one item.

    Attributes:
        counts: Weighted ordered pairs; shape (labels, labels).
        labels: Names of both axes.
    """

    counts: Floats
    labels: tuple[str, ...]

    def shares(self) -> Floats:
        """Given one rater's label (rows), how often another gave each label; NaN where nobody gave it."""
        return ratio(self.counts, self.counts.sum(axis=1, keepdims=True))


def confusion(data: Data) -> Confusion:
    """The confusion matrix of any number of raters: which labels meet on one item.

    Formula
        o_ck = Σ_u n_uc (n_uk - [c = k]) / (m_u - 1): all ordered pairs of judgments of item u, weighted so that the
        item counts m_u, its number of judgments.
    Conventions
        Items with fewer than two judgments are left out. The matrix is symmetric: the raters' names play no part. With
        two raters it is the joint table plus its transpose.
    Source
        Krippendorff 2004, chapter 11 (coincidence matrix).

    Raises:
        UsageError: If a rater judged an item twice, or there are more than ``MAX_LABELS`` labels.
    """
    table = as_counts(data)
    check_matrix(table.labels)
    m = table.n_raters
    weight = np.divide(table.units.frequency, m - 1, out=np.zeros_like(m), where=m > 1)
    weighed = table.counts.multiply(weight[:, None]).tocsr()
    counts = np.asarray((table.counts.T @ weighed).toarray(), np.float64)
    counts[np.diag_indices(len(table.labels))] -= np.asarray(weighed.sum(axis=0)).ravel()
    return Confusion(counts, table.labels)
