"""Everything that belongs beside an agreement coefficient, at once and as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from errorbar.agreement.coefficients import kernel_of, specific_kernel
from errorbar.agreement.cohen import MAX_CELLS, WEIGHTINGS, PairAgreement, Weighting, joint_cells, pairwise_agreement
from errorbar.agreement.estimating import estimates, why_undefined
from errorbar.agreement.krippendorff import Level, alpha_kernel, check_level
from errorbar.agreement.label_counts import MAX_LABELS, Clusters, ItemCounts, item_counts
from errorbar.agreement.prevalence import (
    Confusion,
    PrevalenceBias,
    confusion,
    prevalence_and_bias,
    prevalence_remarks,
)
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.labels import as_number, natural_order
from errorbar.stats.resampling import Resampling

TITLES = {
    "observed": "observed agreement",
    "krippendorff": "Krippendorff's alpha",
    "fleiss": "Fleiss' kappa",
    "gwet": "Gwet's AC1",
    "bennett": "Bennett's S (PABAK)",
    "scott": "Scott's pi",
    "cohen": "Cohen's kappa",
}
"""What coefficients are called where people read them, in the order in which they are shown."""
SPECIFIC = "specific agreement"
MAX_PAIRWISE = 50
"""More raters than this get no pairwise matrix: a crowd's is too large to read."""
WEIGHTING: Mapping[Level, Weighting | None] = {
    "nominal": "none",
    "ordinal": "linear",
    "interval": "quadratic",
    "ratio": None,
}
"""How Cohen's kappa weighs labels unless it is said; it has no weights for ratios."""


@dataclass(frozen=True, slots=True, eq=False)
class AgreementReport:
    """How far raters agree.

    Attributes:
        level: What the labels measure.
        weighting: How Cohen's kappa weighs labels; None: it is not defined here.
        n_items: Items that anybody judged.
        n_paired: Items that two raters or more judged.
        n_raters: Raters with a judgment.
        n_judgments: Judgments.
        n_missing: Judgments there would be besides if every rater had judged every judged item.
        coefficients: ``observed`` and ``krippendorff``; where labels are names ``fleiss``, ``gwet`` and ``bennett``,
            and with two raters ``scott``; with two raters ``cohen``, but on the ratio scale. Each with its interval.
        pairwise: Every pair of raters, A2 before A10; empty where they or their labels are too many, and on the ratio
            scale.
        specific: Label to its specific agreement; empty where there are more than ``MAX_LABELS`` labels.
        confusion: Which labels meet on one item; None where there are more than ``MAX_LABELS`` labels.
        prevalence: Label to its share of the judgments.
        pair: Prevalence and bias of two raters; None unless there are two and labels are names.
        remarks: What a reader of the coefficients should know, in plain words.
        notes: What was left out, and why.
    """

    level: Level
    weighting: Weighting | None
    n_items: int
    n_paired: int
    n_raters: int
    n_judgments: int
    n_missing: int
    coefficients: Mapping[str, Estimate]
    pairwise: Sequence[PairAgreement]
    specific: Mapping[str, Estimate]
    confusion: Confusion | None
    prevalence: Mapping[str, float]
    pair: PrevalenceBias | None
    remarks: tuple[str, ...]
    notes: tuple[Problem, ...]


def agreement_report(
    judgments: Judgments,
    *,
    level: Level = "nominal",
    order: Sequence[str] | None = None,
    weighting: Weighting | None = None,
    unknown: Sequence[str] = (),
    clusters: Clusters = None,
    resampling: Resampling | None = None,
) -> AgreementReport:
    """Compute every coefficient that fits, all intervals from the same resamples.

    Args:
        judgments: The judgments; their weights are not used, and a note says so.
        level: What the labels measure: names, ranks, numbers, or numbers with a zero. Krippendorff's alpha is for that
            level, Cohen's kappa is weighted by it, and what only knows names is left out above the nominal level.
        order: The labels from lowest to highest; needed where the level is ordinal.
        weighting: How Cohen's kappa weighs labels; None: as ``WEIGHTING`` says. Ordinal labels are weighed by ranks.
        unknown: Labels that mean "cannot say": their judgments count as not given.
        clusters: Number of the cluster (essay, sentence) that each item of ``judgments.items`` is from. Items of one
            cluster are resampled together.
        resampling: How to make intervals; None: only Cohen's kappa has one, in closed form.

    Raises:
        UsageError: If fewer than two raters judged anything, a rater judged an item twice, or an option does not fit.
    """
    check_level(level)
    weighting = check_weighting(level, weighting)
    kept = judgments.without(unknown) if unknown else judgments
    present = np.unique(kept.rater)
    if len(present) < 2:
        who = f"only rater '{kept.raters[present[0]]}'" if len(present) else "nobody"
        what = f"{who} judged anything; agreement is between two raters at least"
        raise UsageError(Problem("agreement-one-rater", what, fix="give the judgments or files of another rater too"))
    if len(present) < len(kept.raters):
        kept = kept.only([kept.raters[code] for code in present])
    # Who comes first in the data changes no digit, not even the last one.
    kept, _ = kept.arranged(natural_order(kept.raters), kept.labels)
    table = item_counts(kept, clusters)
    two = len(present) == 2
    coefficients, specific = _estimate(table, level, order, resampling, two=two)
    pairs: list[PairAgreement] = []
    joint = weighting is not None and joint_cells(len(present), len(kept.labels)) <= MAX_CELLS
    if weighting is not None and joint and len(present) <= MAX_PAIRWISE:
        pairs = pairwise_agreement(
            kept,
            weighting=weighting,
            order=order,
            numbers=level == "interval",
            confidence_level=resampling.confidence_level if resampling else 0.95,
            resampling=resampling,
            clusters=clusters,
        )
    pair = None
    if two and pairs:
        if level == "nominal":
            pair = prevalence_and_bias(pairs[0].table)
        coefficients["cohen"] = pairs[0].kappa.estimate
    given = np.bincount(kept.label, minlength=len(kept.labels)) / len(kept)
    shares = dict(zip(kept.labels, given.tolist(), strict=True))
    n_items = int(table.units.frequency.sum())
    return AgreementReport(
        level,
        weighting,
        n_items,
        table.n_paired,
        len(present),
        len(kept),
        n_items * len(present) - len(kept),
        coefficients,
        pairs,
        specific,
        confusion(table) if len(kept.labels) <= MAX_LABELS else None,
        shares,
        pair,
        (*_scale_remarks(level, kept.labels), *_remarks(level, pair, coefficients, shares)),
        tuple(_notes(judgments, kept, table, joint=joint or weighting is None)),
    )


def check_weighting(level: Level, weighting: Weighting | None) -> Weighting | None:
    """The weighting of Cohen's kappa at a level of measurement.

    Raises:
        UsageError: If the weighting is unknown or not defined there.
    """
    if weighting is None:
        return WEIGHTING[level]
    if weighting not in WEIGHTINGS:
        what = f"no weighting of kappa is called '{weighting}'"
        raise UsageError(Problem("agreement-weighting", what, fix=nearest(weighting, WEIGHTINGS)))
    if level == "ratio" or (level == "nominal") != (weighting == "none"):
        allowed = {"nominal": "none", "ratio": "no kappa of ratios"}.get(level, "linear or quadratic")
        what = f"weights '{weighting}' of Cohen's kappa on the {level} scale"
        raise UsageError(Problem("agreement-weighting", what, expected=allowed))
    return weighting


def _estimate(
    table: ItemCounts, level: Level, order: Sequence[str] | None, resampling: Resampling | None, *, two: bool
) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Coefficients, and specific agreements, from the same resamples."""
    kernels = {"observed": kernel_of("observed", table), "krippendorff": alpha_kernel(table, level, order)}
    if level == "nominal":
        kernels |= {name: kernel_of(name, table) for name in ("fleiss", "gwet", "bennett", *(["scott"] if two else []))}
    labels = table.labels if len(table.labels) <= MAX_LABELS else ()
    if labels:
        kernels[SPECIFIC] = specific_kernel(table)
    made = estimates(table.units, kernels, table.n_paired, why_undefined(table), resampling, len(table.labels))
    specific = {}
    for label, estimate in zip(labels, made.pop(SPECIFIC, []), strict=True):
        unused = estimate.value is None and table.n_paired
        specific[label] = replace(estimate, undefined=Undefined.LABEL_NOT_USED) if unused else estimate
    return {name: estimate for name, (estimate,) in made.items()}, specific


def _remarks(
    level: Level, pair: PrevalenceBias | None, coefficients: Mapping[str, Estimate], shares: Mapping[str, float]
) -> tuple[str, ...]:
    if level != "nominal":
        return ()
    if pair is not None:
        return pair.remarks
    values = {name: estimate.value for name, estimate in coefficients.items()}
    return prevalence_remarks(shares, values["observed"], values["bennett"], values["fleiss"])


def _scale_remarks(level: Level, labels: Sequence[str]) -> tuple[str, ...]:
    if level == "nominal":
        # Two labels are equally far apart on every scale.
        if len(labels) < 3 or any(isnan(as_number(label)) for label in labels):
            return ()
        return (
            "the labels are numbers and were compared as names: 1 and 2 differ as much as 1 and 4; where they are ranks"
            " or amounts, choose the ordinal, interval or ratio scale",
        )
    near, kappa = "Krippendorff's alpha and Cohen's kappa count", ""
    if level == "ratio":
        near, kappa = "Krippendorff's alpha counts", "; Cohen's kappa, which has no weights for ratios, is left out too"
    return (
        f"on the {level} scale {near} near labels as near, and observed and specific agreement are of equal labels;"
        f" Fleiss' kappa, Gwet's AC1, Bennett's S and Scott's pi know names alone and are left out{kappa}",
    )


def _notes(judgments: Judgments, kept: Judgments, table: ItemCounts, *, joint: bool) -> list[Problem]:
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
    elif not joint:
        what = f"{len(kept.raters)} raters and {len(kept.labels):,} labels are too many for a pairwise matrix"
        found.append(Problem("agreement-pairs", what, fix="Cohen's kappa is left out", severity="warning"))
    if len(kept.labels) > MAX_LABELS:
        what = f"{len(kept.labels):,} labels are too many for specific agreement and a confusion matrix"
        found.append(Problem("agreement-labels", what, fix="they are left out", severity="warning"))
    return found
