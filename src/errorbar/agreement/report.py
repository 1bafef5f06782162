"""Everything that belongs beside an agreement coefficient, at once and as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.bennett import bennett_kernel
from errorbar.agreement.coincidences import Confusion, confusion
from errorbar.agreement.fleiss import fleiss_kernel
from errorbar.agreement.gwet import gwet_kernel
from errorbar.agreement.krippendorff import Level, alpha_kernel
from errorbar.agreement.observed import observed_kernel
from errorbar.agreement.pairwise import PairAgreement, pairwise_agreement
from errorbar.agreement.prevalence import PrevalenceBias, prevalence_and_bias, prevalence_remarks
from errorbar.agreement.resampling import Kernel, Resampling, estimates
from errorbar.agreement.shares import Shares, why_undefined
from errorbar.agreement.specific import specific_kernels
from errorbar.agreement.units import ItemCounts, item_counts
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments

MAX_PAIRWISE = 50
"""More raters than this get no pairwise matrix: a crowd's is too large to read."""


@dataclass(frozen=True, slots=True, eq=False)
class AgreementReport:
    """How far raters agree.

    Attributes:
        n_items: Items that anybody judged.
        n_paired: Items that two raters or more judged.
        n_raters: Raters with a judgment.
        n_judgments: Judgments.
        n_missing: Judgments there would be besides if every rater had judged every judged item.
        coefficients: ``observed``, ``krippendorff``, ``fleiss``, ``gwet`` and ``bennett``, and with two raters
            ``scott`` and ``cohen``; each with its interval.
        pairwise: Every pair of raters; empty where there are more than ``MAX_PAIRWISE`` of them.
        specific: Label to its specific agreement.
        confusion: Which labels meet on one item.
        prevalence: Label to its share, a mean over items.
        pair: Prevalence and bias of two raters; None unless there are two.
        remarks: What a reader of the coefficients should know, in plain words.
        notes: What was left out, and why.
    """

    n_items: int
    n_paired: int
    n_raters: int
    n_judgments: int
    n_missing: int
    coefficients: Mapping[str, Estimate]
    pairwise: Sequence[PairAgreement]
    specific: Mapping[str, Estimate]
    confusion: Confusion
    prevalence: Mapping[str, float]
    pair: PrevalenceBias | None
    remarks: tuple[str, ...]
    notes: tuple[Problem, ...]


def agreement_report(
    judgments: Judgments,
    *,
    level: Level = "nominal",
    order: Sequence[str] | None = None,
    unknown: Sequence[str] = (),
    clusters: Sequence[int] | NDArray[np.int64] | None = None,
    resampling: Resampling | None = None,
) -> AgreementReport:
    """Compute every coefficient that fits, all intervals from the same resamples.

    Args:
        judgments: The judgments; their weights are not used, and a note says so.
        level: What the labels measure, for Krippendorff's alpha.
        order: The labels from lowest to highest; needed where the level is ordinal.
        unknown: Labels that mean "cannot say": their judgments count as not given.
        clusters: Number of the cluster (essay, sentence) that each item of ``judgments.items`` is from. Items of one
            cluster are resampled together.
        resampling: How to make intervals; None: only Cohen's kappa has one, in closed form.

    Raises:
        UsageError: If fewer than two raters judged anything, a rater judged an item twice, or an option does not fit.
    """
    kept = judgments.without(unknown) if unknown else judgments
    present = np.unique(kept.rater)
    if len(present) < 2:
        who = f"only rater '{kept.raters[present[0]]}'" if len(present) else "nobody"
        what = f"{who} judged anything; agreement is between two raters at least"
        raise UsageError(Problem("agreement-one-rater", what, fix="give the judgments or files of another rater too"))
    if len(present) < len(kept.raters):
        kept = kept.only([kept.raters[code] for code in present])
    table = item_counts(kept, clusters)
    alpha = alpha_kernel(table, level, order)
    kernels = {
        "observed": observed_kernel(table),
        "krippendorff": alpha,
        "fleiss": fleiss_kernel(table),
        "gwet": gwet_kernel(table),
        "bennett": bennett_kernel(table),
    }
    coefficients, specific = _estimate(table, kernels, resampling)
    pairs: list[PairAgreement] = []
    if len(present) <= MAX_PAIRWISE:
        confidence_level = resampling.confidence_level if resampling else 0.95
        pairs = pairwise_agreement(kept, confidence_level=confidence_level, resampling=resampling, clusters=clusters)
    shares = dict(zip(kept.labels, Shares(table).labels(table.units.frequency[None])[0].tolist(), strict=True))
    pair = prevalence_and_bias(pairs[0].table) if len(present) == 2 else None
    if len(present) == 2:
        scott = {"scott": fleiss_kernel(both := pairs[0].table.item_counts())}
        reason = why_undefined(both)
        coefficients |= estimates(
            pairs[0].table.units, scott, n_units=both.n_paired, reason=reason, resampling=resampling
        )
        coefficients["cohen"] = pairs[0].kappa.estimate
    values = {name: estimate.value for name, estimate in coefficients.items()}
    remarks = pair.remarks if pair else ()
    if pair is None:
        remarks = prevalence_remarks(shares, values["observed"], values["bennett"], values["fleiss"])
    n_items = int(table.units.frequency.sum())
    return AgreementReport(
        n_items,
        table.n_paired,
        len(present),
        len(kept),
        n_items * len(present) - len(kept),
        coefficients,
        pairs,
        specific,
        confusion(table),
        shares,
        pair,
        remarks,
        tuple(_notes(judgments, kept, table)),
    )


def _estimate(
    table: ItemCounts, kernels: Mapping[str, Kernel], resampling: Resampling | None
) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Coefficients, and specific agreements, from the same resamples."""
    labels = {f"label {name}": kernel for name, kernel in specific_kernels(table).items()}
    reason = why_undefined(table)
    made = estimates(table.units, {**kernels, **labels}, n_units=table.n_paired, reason=reason, resampling=resampling)
    specific = {}
    for name in labels:
        estimate = made.pop(name)
        if estimate.value is None and table.n_paired:
            estimate = Estimate(None, estimate.n_units, None, estimate.n_clusters, Undefined.LABEL_NOT_USED)
        specific[name.removeprefix("label ")] = estimate
    return made, specific


def _notes(judgments: Judgments, kept: Judgments, table: ItemCounts) -> list[Problem]:
    found = []
    absent = len(judgments.raters) - len(kept.raters)
    if absent:
        what = f"{absent} raters judged nothing and are left out"
        if absent == 1:
            what = "1 rater judged nothing and is left out"
        found.append(Problem("agreement-absent", what, severity="warning"))
    if len(kept) < len(judgments):
        what = f"{len(judgments) - len(kept):,} judgments have a label that means unknown; they count as not given"
        if len(judgments) - len(kept) == 1:
            what = "1 judgment has a label that means unknown; it counts as not given"
        found.append(Problem("agreement-unknown", what, severity="warning"))
    single = int(table.units.frequency.sum()) - table.n_paired
    if single:
        have = "1 item has" if single == 1 else f"{single:,} items have"
        what = f"{have} one judgment, which says nothing about agreement"
        found.append(Problem("agreement-single", what, severity="warning"))
    if judgments.weight is not None:
        what = "the weights of judgments are not used: each counts once"
        found.append(Problem("agreement-weights", what, severity="warning"))
    if len(kept.raters) > MAX_PAIRWISE:
        what = f"{len(kept.raters)} raters are too many for a pairwise matrix"
        found.append(Problem("agreement-pairs", what, severity="warning"))
    return found
