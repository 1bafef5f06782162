"""How many crowd raters equal an expert: the majority of k raters against experts, for every k.

Formula
    An item has K judgments, e of them what the truth says. Of a random k of the K, X ~ Hypergeometric(K, e, k) agree
    with the truth: the majority of k is right with P(X > k/2) + ½ P(X = k/2). The accuracy at k is the mean over
    items: exact, nothing is drawn. Kappa is not a mean over items, so it is averaged over drawn subsets: X of
    every item is drawn from its hypergeometric distribution, ties are tossed. The expert line is the mean over
    experts of each one's accuracy (kappa) against the majority of the *other* experts; the crowd is scored against
    the same majorities, so no expert is scored against a truth that contains them.
Conventions
    Two labels. Items with fewer than k judgments do not count at k, and n is given for each k. With a tie worth
    a half an even k is as good as k - 1, so odd k are the default. An item on which the other experts tie is left
    out for the expert left out. With one expert there is no line: an expert alone is the truth, not a score.
    A model is worth the k at which the majority of k people is as accurate as the model, on the items that it judged.
    Between odd k, and from the ½ of nobody to one person, that is interpolated; it ends at the most judgments that an
    item has. A model's repeated judgments of an item share one vote. Its interval resamples items, for the model and
    the people at once.
Source
    Snow et al. 2008, section 4, with the sampling replaced by its exact distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Counts, Floats
from errorbar.core.estimate import Estimate, Interval
from errorbar.core.judgments import Judgments
from errorbar.core.labels import quote_labels
from errorbar.core.problems import Problem, UsageError
from errorbar.crowdsourcing.answers import NO_ANSWER, majority
from errorbar.stats.resampling import MOST_RESAMPLES, check_replicates

DRAWS = 200  # subsets drawn for kappa
RESAMPLES, AT_ONCE = 1000, 50  # of items, for what a model is worth, and how many are held at a time


@dataclass(frozen=True, slots=True)
class MajorityPoint:
    """The majority of k raters."""

    k: int
    n_items: int  # with as many judgments
    accuracy: float
    kappa: float | None  # mean over drawn subsets, then over the truths; None where every draw leaves it undefined
    low: float | None = None  # of the middle 95 % of the draws' kappas; None where nothing varies
    high: float | None = None


@dataclass(frozen=True, slots=True)
class HowMany:
    """The curve, and the expert to compare with: mean scores of one against the others, None with fewer than two."""

    curve: tuple[MajorityPoint, ...]
    expert_accuracy: float | None
    expert_kappa: float | None
    n_experts: int
    enough: int | None  # smallest k whose accuracy is the expert's; None where none is
    enough_kappa: int | None


@dataclass(frozen=True, slots=True)
class ModelWorth:
    """How many people a model is worth; both ends at most ``most``, the most judgments of an item."""

    model: str
    accuracy: Estimate
    people: Estimate  # a number of them
    most: int


def majority_accuracy(right: Sequence[int] | Counts, total: Sequence[int] | Counts, k: int) -> float:
    """How often the majority of a random k of an item's judgments is right, a mean over items.

    Args:
        right: Judgments of each item that say the truth.
        total: All judgments of each item, at least k.
        k: How many are drawn, at least 1.
    """
    return float(np.mean(_accuracies(np.asarray(right, np.int64), np.asarray(total, np.int64), k)))


def _accuracies(right: Counts, total: Counts, k: int) -> Floats:
    """How often the majority of a random k of each item's judgments is right; shape (items,)."""
    from scipy.stats import hypergeom  # noqa: PLC0415 - loading it takes most of a second

    tie = hypergeom.pmf(k // 2, total, right, k) if k % 2 == 0 else 0.0
    return np.asarray(hypergeom.sf(k // 2, total, right, k) + 0.5 * tie, np.float64)


def how_many(
    crowd: Judgments,
    truths: Sequence[Mapping[str, str]],
    generator: np.random.Generator,
    *,
    ks: Sequence[int] = (),
    n_draws: int = DRAWS,
    expert_scores: Sequence[tuple[float, float]] = (),
) -> HowMany:
    """Score the majority of k raters against one truth, or against each of several.

    Args:
        crowd: The judgments of the crowd, of two labels.
        truths: Item to label, one mapping per truth; the curve is their mean.
        generator: The stream for drawing subsets.
        ks: How many raters; (): every odd number up to the most judgments of an item.
        n_draws: Subsets drawn for kappa.
        expert_scores: Accuracy and kappa, NaN where undefined, of the expert left out of each truth.
    """
    check_replicates(n_draws, "draws", MOST_RESAMPLES)
    if len(crowd.labels) != 2:
        message = f"the judgments have {len(crowd.labels)} labels: {quote_labels(crowd.labels)}"
        raise UsageError(Problem("crowd-two-labels", message, expected="two labels"))
    counts = np.bincount(crowd.item.astype(np.int64) * 2 + crowd.label, minlength=2 * len(crowd.items)).reshape(-1, 2)
    cases = [_case(crowd, counts, truth) for truth in truths]
    most = max(int(case[1].sum(axis=1).max()) for case in cases)
    wanted = [k for k in (ks or range(1, most + 1, 2)) if 1 <= k <= most]
    if not wanted:
        raise UsageError(Problem("crowd-howmany", f"no item has {min(ks)} judgments", expected=f"k from 1 to {most}"))
    curve = tuple(_point(cases, k, generator, n_draws) for k in wanted)
    accuracy, kappa = (_mean(scores) for scores in (zip(*expert_scores, strict=True) if expert_scores else ((), ())))
    enough = next((p.k for p in curve if accuracy is not None and p.accuracy >= accuracy), None)
    enough_kappa = next((p.k for p in curve if kappa is not None and p.kappa is not None and p.kappa >= kappa), None)
    return HowMany(curve, accuracy, kappa, len(expert_scores), enough, enough_kappa)


def _mean(values: Sequence[float]) -> float | None:
    """The mean of what is defined."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else None


def against_experts(
    judgments: Judgments,
    experts: Sequence[str],
    generator: np.random.Generator,
    *,
    ks: Sequence[int] = (),
    n_draws: int = DRAWS,
) -> HowMany:
    """Score the majority of k of the other raters against experts among them; else as ``how_many``."""
    own, crowd = judgments.only(experts), others_than(experts, judgments)
    truths = expert_truths(judgments, experts)
    if len(experts) == 1:
        return how_many(crowd, truths, generator, ks=ks, n_draws=n_draws)
    scores = []
    for expert, truth in zip(experts, truths, strict=True):
        expert_labels = _majority_labels(own.only([expert]))
        both = [item for item in expert_labels if item in truth]
        if not both:
            message = f"expert '{expert}' shares no item with the others"
            raise UsageError(Problem("crowd-howmany", message, expected="experts who judged the same items"))
        a, b = (np.array([judgments.labels.index(labels[item]) for item in both]) for labels in (expert_labels, truth))
        scores.append((float((a == b).mean()), float(_kappa(a[None], b)[0])))
    return how_many(crowd, truths, generator, ks=ks, n_draws=n_draws, expert_scores=scores)


def others_than(experts: Sequence[str], judgments: Judgments) -> Judgments:
    """The judgments of the crowd: of all who are no experts."""
    others = [name for name in judgments.raters if name not in set(experts)]
    if not others:
        message = "every rater is an expert: there is no crowd"
        raise UsageError(Problem("crowd-howmany", message, fix="name fewer experts"))
    return judgments.only(others)


def expert_truths(judgments: Judgments, experts: Sequence[str]) -> list[dict[str, str]]:
    """The majority of the other experts, for each expert; of one expert what that one says."""
    sets = [[name for name in experts if name != left_out] for left_out in experts] if len(experts) > 1 else [experts]
    return [_majority_labels(judgments.only(names)) for names in sets]


def model_worths(
    crowd: Judgments,
    models: Judgments,
    truths: Sequence[Mapping[str, str]],
    generator: np.random.Generator,
    confidence_level: float = 0.95,
) -> list[ModelWorth]:
    """Tell how many people each model is worth.

    Args:
        crowd: The judgments of people, of two labels.
        models: Those of models, with the same items and labels.
        truths: As of ``how_many``.
        generator: The stream for resampling items.
        confidence_level: Of the intervals.
    """
    counts = np.bincount(crowd.item.astype(np.int64) * 2 + crowd.label, minlength=2 * len(crowd.items)).reshape(-1, 2)
    worths: list[ModelWorth] = []
    for name in models.raters:
        own = models.only([name]).label_weights()
        judged = (own.sum(axis=1) > 0) & (counts.sum(axis=1) > 0)
        most = int(counts[judged].sum(axis=1).max(initial=0))
        if not most:
            continue
        ks = [*range(1, most + 1, 2)]
        cases = [case for truth in truths if (case := _worth_case(crowd, counts, own, truth, ks))[1].any()]
        if not cases:
            continue
        values = _worth_of(np.ones((1, len(counts))), cases, ks)[0]
        used = np.logical_or.reduce([case[1][:, 0] > 0 for case in cases])
        drawn = []
        for _ in range(RESAMPLES // AT_ONCE):
            weights = np.zeros((AT_ONCE, len(counts)))
            weights[:, used] = generator.multinomial(used.sum(), np.full(used.sum(), 1 / used.sum()), AT_ONCE)
            drawn.append(_worth_of(weights, cases, ks))
        tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
        ends = np.nanquantile(np.concatenate(drawn), tails, axis=0)
        accuracy, people = (
            Estimate(float(value), int(used.sum()), Interval(float(low), float(high), confidence_level, "percentile"))
            for value, low, high in zip(values, *ends, strict=True)
        )
        worths.append(ModelWorth(name, accuracy, people, ks[-1]))
    return worths


def _worth_case(
    crowd: Judgments, counts: Counts, own: Floats, truth: Mapping[str, str], ks: Sequence[int]
) -> tuple[Floats, Floats]:
    """How far a model, and the majority of k people, are right about each item, and who counts; (items, 1 + ks)."""
    at = {label: code for code, label in enumerate(crowd.labels)}
    codes = np.array([at.get(truth.get(item, ""), -1) for item in crowd.items], np.int64)
    total, said = counts.sum(axis=1), own.sum(axis=1)
    known = (codes >= 0) & (total > 0) & (said > 0)
    right, weight = np.zeros((len(codes), 1 + len(ks))), np.zeros((len(codes), 1 + len(ks)))
    right[known, 0], weight[known, 0] = own[known, codes[known]] / said[known], 1
    for column, k in enumerate(ks, 1):
        able = known & (total >= k)
        right[able, column], weight[able, column] = _accuracies(counts[able, codes[able]], total[able], k), 1
    return right, weight


def _worth_of(weights: Floats, cases: Sequence[tuple[Floats, Floats]], ks: Sequence[int]) -> Floats:
    """The accuracy of a model and the number of people that it is worth, for weights of items; shape (draws, 2)."""
    rows: list[tuple[float, float]] = []
    for row in weights:
        scores = [row @ right / np.maximum(row @ weight, 1e-300) for right, weight in cases]
        accuracy, *curve = np.mean(scores, axis=0).tolist()
        rows.append((accuracy, _fewest_people(accuracy, curve, ks)))
    return np.array(rows)


def _fewest_people(accuracy: float, curve: Sequence[float], ks: Sequence[int]) -> float:
    """Where the accuracy of majorities first reaches one's; the majority of nobody is a tie, half right."""
    before, fewer = 0.5, 0
    for value, k in zip(curve, ks, strict=True):
        if value >= accuracy - 1e-12:
            return fewer + (k - fewer) * max(accuracy - before, 0.0) / max(value - before, 1e-12)
        before, fewer = value, k
    return float(fewer)


def _majority_labels(judgments: Judgments) -> dict[str, str]:
    """The majority of each item that has one."""
    codes = majority(judgments).answer.tolist()
    pairs = zip(judgments.items, codes, strict=True)
    return {item: judgments.labels[code] for item, code in pairs if code != NO_ANSWER}


def _case(crowd: Judgments, counts: Counts, truth: Mapping[str, str]) -> tuple[Counts, Counts]:
    """Truth of each item that was judged and is known, and its counts."""
    at = {label: code for code, label in enumerate(crowd.labels)}
    codes = np.array([at.get(truth.get(item, ""), -1) for item in crowd.items], np.int64)
    used = (codes >= 0) & (counts.sum(axis=1) > 0)
    if not used.any():
        message = "no item with a known answer was judged"
        raise UsageError(Problem("crowd-howmany", message, fix="check the names of items and labels"))
    return codes[used], counts[used]


def _point(
    cases: Sequence[tuple[Counts, Counts]], k: int, generator: np.random.Generator, n_draws: int
) -> MajorityPoint:
    accuracies, sizes, drawn = [], [], []
    for truth, counts in cases:
        able = counts.sum(axis=1) >= k
        if not able.any():
            continue
        right, total = counts[able, truth[able]], counts[able].sum(axis=1)
        accuracies.append(majority_accuracy(right, total, k))
        sizes.append(int(able.sum()))
        hits = generator.hypergeometric(right, total - right, k, size=(n_draws, len(right)))
        won = (2 * hits > k) | ((2 * hits == k) & (generator.random(hits.shape) < 0.5))
        kappas = _kappa(np.where(won, truth[able], 1 - truth[able]), truth[able])
        drawn.append(kappas[~np.isnan(kappas)])
    # Every truth counts alike, however many of its draws have a kappa.
    kappa = _mean([float(values.mean()) for values in drawn if len(values)])
    point = MajorityPoint(k, round(float(np.mean(sizes))), float(np.mean(accuracies)), kappa)
    if kappa is None:
        return point
    low, high = np.quantile(np.concatenate(drawn), [0.025, 0.975]).tolist()
    return replace(point, low=low, high=high) if low < high else point


def _kappa(answers: Counts, truth: Counts) -> NDArray[np.float64]:
    """Cohen's kappa of rows of 0/1 with a truth, NaN where both say one label only; shape (rows,)."""
    observed = (answers == truth).mean(axis=1)
    a, b = answers.mean(axis=1), truth.mean()
    expected = a * b + (1 - a) * (1 - b)
    undefined = expected > 1 - 1e-12
    return np.where(undefined, np.nan, (observed - expected) / np.where(undefined, 1.0, 1 - expected))
