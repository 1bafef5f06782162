"""Everything that belongs beside an agreement coefficient, at once and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import atanh, tanh
from typing import Literal

import numpy as np

from errorbar.agreement.coefficients import (
    MAX_LABELS,
    Clusters,
    ItemCounts,
    Kernel,
    PairTable,
    bennett_s,
    estimates,
    item_counts,
    kernel_of,
    left_out_values,
    scott_pi,
    specific_kernel,
    totals,
)
from errorbar.agreement.cohen import (
    MAX_CELLS,
    PairAgreement,
    Weighting,
    check_weighting,
    cohen_kappa,
    joint_cells,
    pairwise_agreement,
)
from errorbar.agreement.krippendorff import LabelConfusion, Level, alpha_kernel, check_level, confusion, scale_remarks
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.labels import natural_order, quote_labels
from errorbar.core.problems import Problem, UsageError
from errorbar.stats.resampling import Resampling
from errorbar.stats.two_way import two_way

TITLES = {
    "observed": "observed agreement",
    "krippendorff": "Krippendorff's alpha",
    "fleiss": "Fleiss' kappa",
    "gwet": "Gwet's AC1",
    "bennett": "Bennett's S (PABAK)",
    "scott": "Scott's pi",
    "cohen": "Cohen's kappa",
}
"""Names of coefficients for people, in the order in which they are shown."""
SPECIFIC = "specific agreement"
MAX_PAIRWISE = 50  # more raters than this get no pairwise matrix: a crowd's is too large to read
PREVALENCE_REMARK, BIAS_REMARK = 0.2, 0.05
FEW = 25  # clusters, or items with another label than the commonest; of fewer, intervals hold the truth too seldom
MOST_WORK = 300_000_000  # raters times judgments of which each rater is left out
Judges = Literal["fixed", "random"]
"""Whether intervals are for these raters, or for others like them too."""
BY_LEVEL: Mapping[Level, Weighting | None]  # how labels are weighed unless it is said; there are no weights for ratios
BY_LEVEL = {"nominal": "none", "ordinal": "linear", "interval": "quadratic", "ratio": None}


@dataclass(frozen=True, slots=True, eq=False)
class AgreementReport:
    """How far raters agree."""

    level: Level  # what the labels measure
    weighting: Weighting | None  # how Cohen's kappa weighs labels; None: it is not defined here
    n_items: int  # that anybody judged
    n_paired: int  # items that two raters or more judged
    n_raters: int  # with a judgment
    n_judgments: int
    n_missing: int  # judgments there would be besides if every rater had judged every judged item
    coefficients: Mapping[str, Estimate]  # by their names in TITLES, those that fit level and number of raters
    pairwise: Sequence[PairAgreement]  # A2 before A10; none where raters or labels are too many, and of ratios
    specific: Mapping[str, Estimate]  # by label; empty where there are more than MAX_LABELS
    confusion: LabelConfusion | None  # None where there are more labels than that
    prevalence: Mapping[str, float]  # label to its share of the judgments
    pair: PrevalenceBias | None  # None unless there are two raters and labels are names
    remarks: tuple[str, ...]  # what a reader of the coefficients should know, in plain words
    notes: tuple[Problem, ...]  # what was left out, and why


@dataclass(frozen=True, slots=True)
class PrevalenceBias:
    """How often each label is given, and by whom; empty without items, None where undefined."""

    prevalence: Mapping[str, float]  # label to its share of the judgments of the items that both judged
    bias: Mapping[str, float]  # label to its share with the first rater minus that with the second
    remarks: tuple[str, ...] = ()  # what a reader of kappa should know here, in plain words


def prevalence_and_bias(table: PairTable) -> PrevalenceBias:
    """Say how unevenly labels are given, and what that does to kappa.

    Formula
        Prevalence of a label: its share of the judgments, q_k = (r_k + c_k)/2; bias: r_k - c_k, its share with the
        first rater minus that with the second. Of two labels, with the prevalence index PI = p_11 - p_22 and the bias
        index BI = p_12 - p_21, κ = (S - PI² + BI²) / (1 - PI² + BI²): without prevalence and bias κ would be S (PABAK),
        without bias it would be Scott's π. So S - π is what prevalence takes from kappa, κ - π what bias adds to it;
        these differences are used for any number of labels.
    Conventions
        Only items that both raters judged count. A remark is made where prevalence takes .2 or more, or bias adds .05
        or more: thresholds of ours, not of the source.
    Source
        Feinstein and Cicchetti 1990 (the two paradoxes); Byrt, Bishop and Carlin 1993 (the indices).
    """
    if not table.n_items:
        return PrevalenceBias({}, {})
    p = table.proportions()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    kappa, pi, s = cohen_kappa(table).estimate.value, scott_pi(table).value, bennett_s(table).value
    gained = None if kappa is None or pi is None else kappa - pi
    share = dict(zip(table.labels, ((rows + columns) / 2).tolist(), strict=True))
    which = "the judgments of the items that both judged"
    remarks = list(prevalence_remarks(share, float(np.trace(p)), s, pi, which))
    if gained is not None and gained >= BIAS_REMARK:
        first, second = table.raters
        remarks.append(
            f"raters '{first}' and '{second}' give the labels with different frequencies, which lowers the agreement "
            f"that Cohen's kappa expects and raises it by {gained:.3f} to {kappa:.3f}; see the bias"
        )
    return PrevalenceBias(share, dict(zip(table.labels, (rows - columns).tolist(), strict=True)), tuple(remarks))


def prevalence_remarks(
    share: Mapping[str, float], observed: float | None, s: float | None, pi: float | None, which: str = "the judgments"
) -> tuple[str, ...]:
    """Explain where uneven label frequencies, not disagreement, make a kappa low; ``pi`` is it or Fleiss' kappa."""
    if observed is None or s is None or pi is None or s - pi < PREVALENCE_REMARK:
        return ()
    label = max(share, key=lambda name: share[name])
    return (
        f"two raters of an item agree with probability {observed:.3f}, but '{label}' is {share[label]:.3f} of {which},"
        f" so most of that is expected by chance: corrected for chance it is {pi:.3f}; were all labels as frequent,"
        f" {s:.3f}."
        " Read the specific agreement of each label, and compare kappas only where labels are about as frequent",
    )


def agreement_report(
    judgments: Judgments,
    *,
    level: Level = "nominal",
    order: Sequence[str] | None = None,
    weighting: Weighting | None = None,
    clusters: Clusters = None,
    resampling: Resampling | None = None,
    judges: Judges = "fixed",
) -> AgreementReport:
    """Compute every coefficient that fits the level, all intervals from the same resamples.

    Krippendorff's alpha is for the level of measurement, Cohen's kappa is weighted by it (``weighting``; ordinal labels
    by their ranks, which ``order`` gives), and what only knows names is left out above the nominal level. Weights of
    judgments are not used. ``clusters`` has the number of the cluster (essay, sentence) that each item is from: items
    of one are resampled together. Without ``resampling`` only Cohen's kappa has an interval, in closed form. Where
    ``judges`` are random, intervals of coefficients are over items and raters, both drawn anew (``over_raters``); those
    of pairs stay over items.
    """
    check_level(level)
    if weighting is None:
        weighting = BY_LEVEL[level]
    else:
        check_weighting(weighting, level)
    present = np.unique(judgments.rater)
    if len(present) < 2:
        who = f"only rater '{judgments.raters[present[0]]}'" if len(present) else "nobody"
        message = f"{who} judged anything; agreement is between two raters at least"
        raise UsageError(
            Problem("agreement-one-rater", message, fix="give the judgments or files of another rater too")
        )
    kept = judgments
    if len(present) < len(judgments.raters):
        kept = judgments.only([judgments.raters[code] for code in present])
    # Who comes first in the data changes no digit, not even the last one.
    kept, _ = kept.arranged(natural_order(kept.raters), kept.labels)
    table, two, numbers = item_counts(kept, clusters), len(present) == 2, level == "interval"
    if judges == "random" and resampling is not None:
        check_work(kept)
        tables = (
            item_counts(kept.only([*kept.raters[:at], *kept.raters[at + 1 :]]), clusters) for at in range(len(present))
        )
        coefficients, specific = over_raters(table, tables, level, order, resampling.confidence_level, two=two)
    else:
        coefficients, specific = _estimate(table, level, order, resampling, two=two)
    pairs: list[PairAgreement] = []
    joint = joint_cells(len(present), len(kept.labels)) <= MAX_CELLS
    if weighting is not None and joint and len(present) <= MAX_PAIRWISE:
        pairs = pairwise_agreement(
            kept, weighting=weighting, order=order, numbers=numbers, resampling=resampling, clusters=clusters
        )
    pair = prevalence_and_bias(pairs[0].table) if two and pairs and level == "nominal" else None
    if two and pairs:
        coefficients["cohen"] = pairs[0].kappa.estimate
    label_shares = np.bincount(kept.label, minlength=len(kept.labels)) / len(kept)
    shares = dict(zip(kept.labels, label_shares.tolist(), strict=True))
    remarks: tuple[str, ...] = ()
    if level == "nominal":
        observed, s, kappa = (coefficients[name].value for name in ("observed", "bennett", "fleiss"))
        remarks = pair.remarks if pair else prevalence_remarks(shares, observed, s, kappa)
    n_items, n_raters, n_given = int(table.units.frequency.sum()), len(present), len(kept)
    sizes = (n_items, table.n_paired, n_raters, n_given, n_items * n_raters - n_given)
    matrix = confusion(table) if len(kept.labels) <= MAX_LABELS else None
    remarks = (*scale_remarks(level, kept.labels), *remarks)
    notes = (
        *_notes(judgments, kept, table, joint=joint or weighting is None),
        *(_few(table) if resampling is not None else ()),
    )
    return AgreementReport(
        level, weighting, *sizes, coefficients, pairs, specific, matrix, shares, pair, remarks, notes
    )


def _kernels(table: ItemCounts, level: Level, order: Sequence[str] | None, *, two: bool) -> dict[str, Kernel]:
    """The coefficients that fit."""
    kernels = {"observed": kernel_of("observed", table), "krippendorff": alpha_kernel(table, level, order)}
    if level == "nominal":
        kernels |= {name: kernel_of(name, table) for name in ("fleiss", "gwet", "bennett", *(["scott"] if two else []))}
    return kernels | ({SPECIFIC: specific_kernel(table)} if len(table.labels) <= MAX_LABELS else {})


def _estimate(
    table: ItemCounts, level: Level, order: Sequence[str] | None, resampling: Resampling | None, *, two: bool
) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    kernels = _kernels(table, level, order, two=two)
    return _by_label(
        table, estimates(table.units, kernels, table.n_paired, table.reason, resampling, len(table.labels))
    )


def _by_label(table: ItemCounts, by_name: dict[str, list[Estimate]]) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Coefficients, and specific agreement by label."""
    specific = {}
    for label, estimate in zip(table.labels, by_name.pop(SPECIFIC, []), strict=False):
        unused = estimate.value is None and table.n_paired
        specific[label] = replace(estimate, undefined=Undefined.LABEL_NOT_USED) if unused else estimate
    return {name: estimate for name, (estimate,) in by_name.items()}, specific


def over_raters(
    table: ItemCounts,
    without: Iterable[ItemCounts],
    level: Level,
    order: Sequence[str] | None,
    confidence_level: float,
    *,
    two: bool,
) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """Coefficients with intervals over items and raters.

    Formula
        The variance V of a coefficient c is that of the two-way jackknife, V_E + V_A, of c with one item (or cluster)
        left out and with one rater left out (``errorbar.stats.two_way``), and t has its degrees of freedom. With x = c,
        or 2 c − 1 of an agreement between 0 and 1, the ends are those of atanh(x) ± t √V x′ / (1 − x²), turned back,
        where x′ is 1 or 2: they stay on the scale of the coefficient.
    Conventions
        ``without`` has the label counts without each rater. Two raters have no interval: without one of them nobody is
        left to agree with. Nor has a coefficient at an end of its scale.
    """
    kernels, units = _kernels(table, level, order, two=two), table.units
    left = [
        {name: kernel(own.units.frequency[None])[0] for name, kernel in _kernels(own, level, order, two=two).items()}
        for own in without
    ]
    by_name: dict[str, list[Estimate]] = {}
    for name, kernel in kernels.items():
        values, (items, times) = (
            np.atleast_1d(kernel(units.frequency[None])[0]),
            left_out_values(units, kernel, len(table.labels)),
        )
        raters = np.array([np.atleast_1d(values_without[name]) for values_without in left])
        slope = 2.0 if name in ("observed", SPECIFIC) else 1.0
        by_name[name] = []
        for k, value in enumerate(values.tolist()):
            if np.isnan(value):
                by_name[name].append(Estimate(None, table.n_paired, None, units.n_clusters, table.reason))
                continue
            components = two_way(value, np.repeat(items[:, k], times), raters[:, k])
            interval = (
                components
                if isinstance(components, Undefined)
                else bounded_interval(value, components.half_width(confidence_level), confidence_level, slope)
            )
            estimate = Estimate(value, table.n_paired).with_interval(interval, n_clusters=units.n_clusters)
            by_name[name].append(estimate)
    return _by_label(table, by_name)


def bounded_interval(
    value: float, half_width: float, confidence_level: float, slope: float = 1.0
) -> Interval | Undefined:
    """The interval of a value between -1 and 1, or 0 and 1 (``slope`` 2), that stays there."""
    x = slope * value - (slope - 1)
    if abs(x) >= 1:
        return Undefined.ZERO_WIDTH
    half = slope * half_width / (1 - x * x)
    low, high = ((tanh(atanh(x) + sign * half) + slope - 1) / slope for sign in (-1, 1))
    return Interval(low, high, confidence_level, "two-way jackknife, t, atanh")


def check_work(judgments: Judgments) -> None:
    """Refuse to leave out each of very many raters."""
    if len(judgments.raters) * len(judgments) > MOST_WORK:
        message = f"{len(judgments.raters):,} raters, each left out of {len(judgments):,} judgments"
        raise UsageError(
            Problem(
                "agreement-raters", message, expected=f"a product of at most {MOST_WORK:,}", fix="use --judges=fixed"
            )
        )


def drop_unknown_labels(judgments: Judgments, unknown: Sequence[str]) -> tuple[Judgments, list[Problem]]:
    """Judgments without the labels that mean "cannot say", which count as not given; and a note of how many."""
    kept = judgments.without(unknown) if unknown else judgments
    gone = len(judgments) - len(kept)
    message = "1 judgment has a label that means unknown; it counts"
    if gone > 1:
        message = f"{gone:,} judgments have a label that means unknown; they count"
    return kept, [Problem("agreement-unknown", f"{message} as not given", severity="warning")] if gone else []


def _few(table: ItemCounts) -> Iterator[Problem]:
    """Warnings that few items, without those of the commonest label alone, or few clusters say how raters agree."""
    by_label = totals(table.units.frequency[None], table.counts)[0]
    others = np.delete(np.arange(len(by_label)), by_label.argmax())
    with_another = np.asarray(table.counts[:, others].sum(axis=1)).ravel() > 0
    n = int(table.units.frequency[with_another & (table.n_raters > 1)].sum())
    if 1 < (table.units.n_clusters or FEW) < FEW:
        message = f"the items are of only {table.units.n_clusters} essays or other clusters"
        yield Problem("agreement-few", f"{message}: intervals are too narrow", severity="warning")
    if 0 < n < FEW:
        items = "1 item has" if n == 1 else f"{n} items have"
        message = f"only {items} another label than '{quote_labels([table.labels[by_label.argmax()]])}'"
        yield Problem("agreement-few", f"{message}: intervals are too narrow", severity="warning")


def _notes(judgments: Judgments, kept: Judgments, table: ItemCounts, *, joint: bool) -> Iterator[Problem]:
    note = partial(Problem, severity="warning")
    n_raters, n_labels = len(kept.raters), len(kept.labels)
    if absent := len(judgments.raters) - n_raters:
        who = "1 rater judged nothing and is" if absent == 1 else f"{absent} raters judged nothing and are"
        yield note("agreement-absent", f"{who} left out")
    if single := int(table.units.frequency.sum()) - table.n_paired:
        have = "1 item has" if single == 1 else f"{single:,} items have"
        yield note("agreement-single", f"{have} one judgment, which says nothing about agreement")
    if judgments.weight is not None:
        yield note("agreement-weights", "the weights of judgments are not used: each counts once")
    if n_raters > MAX_PAIRWISE:
        yield note("agreement-pairs", f"{n_raters} raters are too many for a pairwise matrix")
    elif not joint:
        message = f"{n_raters} raters and {n_labels:,} labels are too many for a pairwise matrix"
        yield note("agreement-pairs", message, fix="Cohen's kappa is left out")
    if n_labels > MAX_LABELS:
        message = f"{n_labels:,} labels are too many for specific agreement and a confusion matrix"
        yield note("agreement-labels", message, fix="they are left out")
