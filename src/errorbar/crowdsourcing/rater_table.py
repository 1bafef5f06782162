"""The table of raters; rules that keep, watch or drop them by gold items, and how often a rule is wrong.

Formula
    Gold: right answers of gold items, all together and by true label; trust (c + 1)/(n + 2). Agreement with the rest:
    mean over the rater's judgments of the share of the *other* raters' judgments of the item that say the same. Bias of
    a label: mean over the same judgments of (1 if the rater said it) minus the share of the others who did.
    Rules, after n gold items with c right: ``sprt``: L = c log(good/bad) + (n - c) log((1 - good)/(1 - bad)); keep if
    L >= log((1 - β)/α), drop if L <= log(β/(1 - α)), α the wanted share of bad raters kept, β of good ones dropped.
    ``posterior``: drop if P(accuracy < threshold | Beta(c + 1, n - c + 1)) > certainty, keep if P(accuracy >=
    threshold) is; ``running``: drop if c/n < threshold, never keep for good; both from ``least`` gold items on.
    ``fixed``: at n = ``least`` drop if c/n < threshold, else keep.
    The operating characteristic is exact: the distribution of (n, c) of a rater of some accuracy is carried forward
    one gold item at a time, and what a rule has decided stays decided.
Conventions
    Without a decision the rater is watched. The rule runs through a rater's gold answers in the order of the table, for
    each true label alone: any label's run drops, all together keep. So who says "ok" to everything does not pass on a
    gold set of mostly correct items. Judgments of items that nobody else judged say nothing about agreement, nor do a
    rater's own repeated ones. Weights are not used.
Source
    Wald 1945 (SPRT); crowd platforms for gold items and, offered for comparison, the running threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from math import log

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.crowdsourcing.answers import need_judgments
from errorbar.crowdsourcing.hidden_labels import check_labels
from errorbar.stats.proportion import beta_cdf, proportion_estimate


class RaterVerdict(StrEnum):
    """The verdict on a rater; of several verdicts the first of these counts."""

    DROP = "drop"
    WATCH = "watch"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class RaterRule:
    """A name with parameters, and what is decided after n gold items of which so many were right."""

    name: str
    decide: Callable[[int, int], RaterVerdict]


def sprt(good: float = 0.85, bad: float = 0.60, error: float = 0.05) -> RaterRule:
    """Wald's sequential probability ratio test of a good against a bad accuracy, with the wanted share of errors."""
    _check(0 < bad < good < 1, f"bad {bad}, good {good}", "0 < bad < good < 1")
    _check(0 < error < 0.5, f"error {error}", "a fraction between 0 and 0.5")
    bound = log((1 - error) / error)

    def decide(n: int, right: int) -> RaterVerdict:
        ratio = right * log(good / bad) + (n - right) * log((1 - good) / (1 - bad))
        return RaterVerdict.KEEP if ratio >= bound else RaterVerdict.DROP if ratio <= -bound else RaterVerdict.WATCH

    return RaterRule(f"sprt(good={good:g},bad={bad:g},error={error:g})", decide)


def posterior_below(right: float, n: float, threshold: float) -> float:
    """Probability that the accuracy is below a threshold under a uniform prior."""
    return float(beta_cdf(threshold, right + 1, n - right + 1))


def posterior(threshold: float = 0.70, certainty: float = 0.95, least: int = 4) -> RaterRule:
    """Drop or keep once it is nearly certain on which side of a threshold the accuracy is."""
    _check(0 < threshold < 1, f"threshold {threshold}", "a fraction")
    _check(0.5 < certainty < 1, f"certainty {certainty}", "a fraction above 0.5")

    def decide(n: int, right: int) -> RaterVerdict:
        below = posterior_below(right, n, threshold)
        if n < least or max(below, 1 - below) <= certainty:
            return RaterVerdict.WATCH
        return RaterVerdict.DROP if below > certainty else RaterVerdict.KEEP

    return RaterRule(f"posterior(threshold={threshold:g},certainty={certainty:g},least={least})", decide)


def running(threshold: float = 0.70, least: int = 5) -> RaterRule:
    """The running accuracy against a threshold, after every gold item: drops many good raters."""
    _check(0 < threshold < 1, f"threshold {threshold}", "a fraction")

    def decide(n: int, right: int) -> RaterVerdict:
        return RaterVerdict.DROP if n >= least and right < threshold * n else RaterVerdict.WATCH

    return RaterRule(f"running(threshold={threshold:g},least={least})", decide)


def fixed(threshold: float = 0.70, least: int = 10) -> RaterRule:
    """One test after a fixed number of gold items."""
    _check(0 < threshold < 1, f"threshold {threshold}", "a fraction")

    def decide(n: int, right: int) -> RaterVerdict:
        return RaterVerdict.WATCH if n < least else RaterVerdict.DROP if right < threshold * n else RaterVerdict.KEEP

    return RaterRule(f"fixed(threshold={threshold:g},least={least})", decide)


def _check(good: bool, parameters: str, expected: str) -> None:
    if not good:
        raise UsageError(Problem("crowd-rule", f"a rule for raters with {parameters}", expected=expected))


@dataclass(frozen=True, slots=True)
class Characteristic:
    """How a rule treats raters of one accuracy."""

    rule: str
    accuracy: float
    most: int  # gold items that a rater gets at most
    keep: float  # probability of keeping them within that number
    drop: float
    mean_items: float  # gold items used, in expectation
    mean_items_dropped: float  # of those who are dropped; NaN if nobody is


def characteristic(rule: RaterRule, accuracy: float, most: int = 20) -> Characteristic:
    """How often a rule keeps and drops raters of some accuracy, with at most so many gold items, exactly."""
    _check(0 <= accuracy <= 1 and most >= 1, f"accuracy {accuracy}, {most} gold items", "a fraction, at least 1 item")
    undecided = np.ones(1)
    keep = drop = mean = spent = 0.0
    for n in range(1, most + 1):
        mean += float(undecided.sum())
        undecided = np.pad(undecided * (1 - accuracy), (0, 1)) + np.pad(undecided * accuracy, (1, 0))
        for right in range(n + 1):
            verdict, share = rule.decide(n, right), float(undecided[right])
            keep += share * (verdict is RaterVerdict.KEEP)
            drop += share * (verdict is RaterVerdict.DROP)
            spent += n * share * (verdict is RaterVerdict.DROP)
            undecided[right] *= verdict is RaterVerdict.WATCH
    return Characteristic(rule.name, accuracy, most, keep, drop, mean, spent / drop if drop else float("nan"))


def follow(rule: RaterRule, answers: Sequence[bool]) -> RaterVerdict:
    """Apply a rule to one rater's gold answers in the order given; the first decision is final."""
    verdicts = (rule.decide(n, right) for n, right in enumerate(accumulate(answers), 1))
    return next((verdict for verdict in verdicts if verdict is not RaterVerdict.WATCH), RaterVerdict.WATCH)


@dataclass(frozen=True, slots=True)
class RaterRow:
    """A rater's row: judgments, agreement, gold items and time."""

    rater: str
    n_judgments: int
    gold: Estimate  # share of gold items that were right
    gold_by_label: Mapping[str, Estimate]  # by true label
    trust: float | None  # (c + 1)/(n + 2), the mean accuracy under a uniform prior; None without gold
    rest: float | None  # agreement with the other raters of the same items; None where there is none
    n_rest: int  # judgments of items that others judged too
    bias: Mapping[str, float] | None  # label to how much more often than others the rater gives it
    median_seconds: float | None
    verdict: RaterVerdict
    by_label: Mapping[str, RaterVerdict]  # of the gold items of each true label


def rater_rows(
    judgments: Judgments,
    gold: Mapping[str, str] | None = None,
    *,
    rule: RaterRule | None = None,
    per_label: bool = True,
    seconds: Sequence[float] | Floats | None = None,
) -> list[RaterRow]:
    """Describe every rater who judged anything, in the order of the table.

    ``gold`` is item to true label; the rule (None: ``sprt``) runs for each true label alone or through all gold answers
    together; ``seconds`` are the time of each judgment, NaN where unknown.
    """
    need_judgments(judgments)
    check_labels(judgments)
    truth = _truth(judgments, gold or {})
    times = np.full(len(judgments), np.nan) if seconds is None else np.asarray(seconds, np.float64)
    if len(times) != len(judgments):
        message = f"{len(times)} times for {len(judgments)} judgments"
        raise UsageError(Problem("crowd-seconds", message, expected="one time for each judgment"))
    answer, others, chosen, table = truth[judgments.item], _others(judgments), rule or sprt(), []
    agreeing = agreement_with_others(judgments)
    order = np.argsort(judgments.rater, kind="stable")
    bounds = np.searchsorted(judgments.rater[order], np.arange(1, len(judgments.raters)))
    for name, rows in zip(judgments.raters, np.split(order, bounds), strict=True):
        if not len(rows):
            continue
        tested = rows[answer[rows] >= 0]
        right = judgments.label[tested] == answer[tested]
        runs = {label: right[answer[tested] == at] for at, label in enumerate(judgments.labels) if (truth == at).any()}
        by_label = {label: follow(chosen, run.tolist()) for label, run in runs.items()}
        verdict = min(by_label.values(), key=list(RaterVerdict).index, default=RaterVerdict.WATCH)
        compared, agreement, bias = rows[others[rows].any(axis=1)], None, None
        if len(compared):
            labels, shares = judgments.label[compared], others[compared] / others[compared].sum(axis=1, keepdims=True)
            agreement = float(agreeing[compared].mean())
            own = np.bincount(labels, minlength=len(judgments.labels)) / len(labels)
            bias = dict(zip(judgments.labels, (own - shares.mean(axis=0)).tolist(), strict=True))
        known = times[rows][~np.isnan(times[rows])]
        row = RaterRow(
            rater=name,
            n_judgments=len(rows),
            gold=proportion_estimate(int(right.sum()), len(right)),
            gold_by_label={label: proportion_estimate(int(run.sum()), len(run)) for label, run in runs.items()},
            trust=(int(right.sum()) + 1) / (len(right) + 2) if len(right) else None,
            rest=agreement,
            n_rest=len(compared),
            bias=bias,
            median_seconds=float(np.median(known)) if len(known) else None,
            verdict=verdict if per_label else follow(chosen, right.tolist()),
            by_label=by_label,
        )
        table.append(row)
    return table


_NO_GOLD = "check the names of items; an export of a study holds answers to gold items with --include=gold"


def _truth(judgments: Judgments, gold: Mapping[str, str]) -> NDArray[np.int64]:
    """Code of each item's true label, -1 where it is not gold; shape (items,)."""
    labels = {name: code for code, name in enumerate(judgments.labels)}
    if wrong := [(item, label) for item, label in gold.items() if label not in labels]:
        message = "the gold item '{}' has the label '{}', which is not one of the judgments'".format(*wrong[0])
        raise UsageError(Problem("crowd-gold", message, fix=nearest(wrong[0][1], labels)))
    truth = np.array([labels[gold[item]] if item in gold else -1 for item in judgments.items], np.int64)
    if gold and (truth < 0).all():
        message = f"none of the {len(gold)} gold items was judged"
        raise UsageError(Problem("crowd-gold", message, fix=_NO_GOLD))
    return truth


def agreement_with_others(judgments: Judgments) -> Floats:
    """Share of the other raters' judgments of the item that say the same; NaN where there are none; of each judgment.

    Takes no table of items and labels, so that labels may be words that raters typed.
    """
    item, rater, label = (codes.astype(np.int64) for codes in (judgments.item, judgments.rater, judgments.label))
    own = item * len(judgments.raters) + rater
    n_labels = max(len(judgments.labels), 1)
    same = _times(item * n_labels + label) - _times(own * n_labels + label)
    others = (_times(item) - _times(own)).astype(np.float64)
    return np.asarray(np.divide(same, others, out=np.full(len(item), np.nan), where=others > 0), np.float64)


def _times(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each code occurs, at each place where it does."""
    if len(codes) and codes.max() <= 4 * len(codes):
        return np.asarray(np.bincount(codes)[codes], np.int64)
    _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse], np.int64)


def _others(judgments: Judgments) -> NDArray[np.int64]:
    """How often other raters of the item gave each label; row by judgment."""
    n_labels, n_raters = len(judgments.labels), len(judgments.raters)
    item, rater, label = (codes.astype(np.int64) for codes in (judgments.item, judgments.rater, judgments.label))
    cells = np.bincount(item * n_labels + label, minlength=len(judgments.items) * n_labels).reshape(-1, n_labels)
    pairs, pair = np.unique(item * n_raters + rater, return_inverse=True)
    own = np.bincount(pair * n_labels + label, minlength=len(pairs) * n_labels).reshape(-1, n_labels)
    return np.asarray(cells[item] - own[pair], np.int64)
