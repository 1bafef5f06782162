"""One row per rater: how much they judged, how well, how fast, with what leaning, and whether to keep them.

Formula
    gold: right answers of gold items, all together and by true label; trust (c + 1)/(n + 2).
    agreement with the rest: mean over the rater's judgments of the share of the *other* raters' judgments of the
    item that say the same. bias of a label: mean over the same judgments of (1 if the rater said it) minus the share
    of the others who did.
Conventions
    Judgments of items that nobody else judged say nothing about agreement. A rater's own repeated judgments are not
    "others". The rule runs through a rater's gold answers in the order of the table, for each true label alone: a
    rater is dropped if any label's run drops them, kept if every label's run keeps them, else watched. So a rater who
    says "ok" to everything does not pass on a gold set of mostly correct items. Weights are not used.
Source
    The gold items ("test questions") of crowd platforms, with Wilson intervals (Brown, Cai and DasGupta 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import need_judgments
from errorbar.crowdsourcing.em import check_labels
from errorbar.crowdsourcing.gold import Rule, Sprt, Verdict, follow, smoothed_trust
from errorbar.stats.proportion import proportion_interval


@dataclass(frozen=True, slots=True)
class RaterRow:
    """What is known of a rater.

    Attributes:
        rater: Name.
        n_judgments: Judgments given.
        gold: Share of gold items that were right.
        gold_by_label: The same for the gold items of each true label.
        trust: Smoothed share of right gold items; None without gold.
        rest: Agreement with the other raters of the same items; None where there is none.
        n_rest: Judgments of items that others judged too.
        bias: Label to how much more often than others of the same items the rater gives it; None without others.
        median_seconds: Median time of a judgment; None without times.
        verdict: What the rule says.
        by_label: What it says of the gold items of each true label.
    """

    rater: str
    n_judgments: int
    gold: Estimate
    gold_by_label: Mapping[str, Estimate]
    trust: float | None
    rest: float | None
    n_rest: int
    bias: Mapping[str, float] | None
    median_seconds: float | None
    verdict: Verdict
    by_label: Mapping[str, Verdict]


def rater_rows(
    judgments: Judgments,
    gold: Mapping[str, str] | None = None,
    *,
    rule: Rule | None = None,
    per_label: bool = True,
    seconds: Sequence[float] | NDArray[np.float64] | None = None,
    confidence_level: float = 0.95,
) -> list[RaterRow]:
    """Describe every rater who judged anything, in the order of the table.

    Args:
        judgments: The judgments.
        gold: Item to its true label; None: no rater can be tested, all are watched.
        rule: Keeps, watches or drops; None: the sequential probability ratio test.
        per_label: Run the rule for each true label alone; else through all gold answers together.
        seconds: Time of each judgment, NaN where unknown.
        confidence_level: Nominal coverage of intervals.

    Raises:
        UsageError: If a gold item or label is unknown to the judgments, no gold item was judged, or there is not
            one time for each judgment; or if there are more labels than can be described.
    """
    need_judgments(judgments)
    check_labels(judgments)
    truth = _truth(judgments, gold or {})
    if seconds is not None and len(seconds) != len(judgments):
        what = f"{len(seconds)} times for {len(judgments)} judgments"
        raise UsageError(Problem("crowd-seconds", what, expected="one time for each judgment"))
    same, others_share, n_others = _others(judgments)
    answer = truth[judgments.item]
    order = np.argsort(judgments.rater, kind="stable")
    bounds = np.searchsorted(judgments.rater[order], np.arange(len(judgments.raters) + 1))
    chosen = rule or Sprt()
    found = []
    for code, name in enumerate(judgments.raters):
        rows = order[bounds[code] : bounds[code + 1]]
        if not len(rows):
            continue
        tested = rows[answer[rows] >= 0]
        right = judgments.label[tested] == answer[tested]
        runs = {label: right[answer[tested] == at] for at, label in enumerate(judgments.labels) if (truth == at).any()}
        compared = rows[n_others[rows] > 0]
        times = None if seconds is None else np.asarray(seconds, np.float64)[rows]
        by_label = {label: follow(chosen, run.tolist()) for label, run in runs.items()}
        found.append(
            RaterRow(
                name,
                len(rows),
                _share(right, confidence_level),
                {label: _share(run, confidence_level) for label, run in runs.items()},
                smoothed_trust(int(right.sum()), len(right)) if len(right) else None,
                float(same[compared].mean()) if len(compared) else None,
                len(compared),
                _bias(judgments, compared, others_share),
                None if times is None or np.isnan(times).all() else float(np.nanmedian(times)),
                _together(by_label) if per_label else follow(chosen, right.tolist()),
                by_label,
            )
        )
    return found


def _truth(judgments: Judgments, gold: Mapping[str, str]) -> NDArray[np.int64]:
    """Code of each item's true label, -1 where it is not gold; shape (items,)."""
    codes = {name: code for code, name in enumerate(judgments.items)}
    labels = {name: code for code, name in enumerate(judgments.labels)}
    truth = np.full(len(codes), -1, np.int64)
    for item, label in gold.items():
        if label not in labels:
            what = f"the gold item '{item}' has the label '{label}', which is not one of the judgments'"
            raise UsageError(Problem("crowd-gold", what, fix=nearest(label, labels)))
        if item in codes:
            truth[codes[item]] = labels[label]
    if gold and (truth < 0).all():
        what = f"none of the {len(gold)} gold items was judged"
        raise UsageError(Problem("crowd-gold", what, fix="check that both files call items by the same names"))
    return truth


def _others(judgments: Judgments) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Share of others who say the same, share of others for each label, number of others; row by judgment."""
    n_labels, n_raters = len(judgments.labels), len(judgments.raters)
    item, rater, label = (codes.astype(np.int64) for codes in (judgments.item, judgments.rater, judgments.label))
    cells = np.bincount(item * n_labels + label, minlength=len(judgments.items) * n_labels)
    counts = cells.reshape(-1, n_labels)[item]
    pairs, pair = np.unique(item * n_raters + rater, return_inverse=True)
    own = np.bincount(pair * n_labels + label, minlength=len(pairs) * n_labels).reshape(-1, n_labels)[pair]
    others = (counts - own).astype(np.float64)
    n_others = (counts - own).sum(axis=1)
    shares = np.divide(others, n_others[:, None], out=np.zeros_like(others), where=n_others[:, None] > 0)
    return shares[np.arange(len(item)), label], shares, n_others


def _bias(judgments: Judgments, rows: NDArray[np.int64], shares: NDArray[np.float64]) -> dict[str, float] | None:
    if not len(rows):
        return None
    said = np.bincount(judgments.label[rows], minlength=len(judgments.labels)) / len(rows)
    return dict(zip(judgments.labels, (said - shares[rows].mean(axis=0)).tolist(), strict=True))


def _share(right: NDArray[np.bool_], confidence_level: float) -> Estimate:
    n, c = len(right), int(right.sum())
    if not n:
        return Estimate(None, 0, undefined=Undefined.NO_UNITS)
    interval = proportion_interval(c, n, confidence_level=confidence_level)
    return Estimate(c / n, n).with_interval(interval)


def _together(by_label: Mapping[str, Verdict]) -> Verdict:
    verdicts = set(by_label.values())
    if Verdict.DROP in verdicts:
        return Verdict.DROP
    return Verdict.KEEP if verdicts == {Verdict.KEEP} else Verdict.WATCH
