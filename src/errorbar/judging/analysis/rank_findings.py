"""The findings of rankings: how the systems rank, and of adaptive pairs which order is known.

Formula
    Ranking: expected wins of each system over all comparisons (``ranking.ranked``), resampled by sentences.
    Adaptive pairs: an item counts once, by what most of its raters say. Of each pair of systems those items count that
    come first in its random order, as far as they have all their judgments; wins are the share of those that the first
    system won among those that one of the two won, with the interval of an endless stream (``stats.anytime``). It holds
    at all looks together, whatever chose how many items of the pair were judged: it holds for every beginning of an
    order that was fixed before. Adjusted p: that both are equally good (``ranking.ranked.decide_pairs``), for all pairs
    of the study together. Unbiased wins: the mean over the draws that were judged of m + (x − m)/π where the pair was
    drawn, with the probability π, else of m; x is 1 for a win of the first system, ½ for a tie, 0 for a loss, and m the
    mean of ½ and the outcomes of the pair's earlier draws. Each summand has the expectation of x. Their interval is
    that of the mean x of the pair's items (``stats.anytime``, betting), of the same beginning of the random order, and
    so it holds at all looks too; where the value lies outside, it is drawn out to the value. The summands themselves
    have no good interval: a few drawn with a small π rule their variance (of 400 judgments of 28 pairs t intervals held
    .85).
Conventions
    Unbiased wins count ties as half. They swing while there are few draws, even beyond 0 and 100 %. A draw after which
    nobody answered is left out, as if it had not been made.
Source
    ``protocol.adaptive``. Robins, Rotnitzky & Zhao 1994, JASA 89 (augmented inverse-probability weights).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from errorbar.core.arrays import Floats, Ints
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.rankings import Comparisons
from errorbar.formats.rankings import JudgedRanking, comparisons_of
from errorbar.judging.analysis.findings import Finding, count_figure
from errorbar.judging.items.item import SEVERAL
from errorbar.judging.protocol.adaptive import BLOCK
from errorbar.judging.protocol.assignments import HALTED
from errorbar.judging.ranks_answer import close_gaps
from errorbar.judging.study.columns import StudyColumns
from errorbar.ranking.ranked import PairVerdict, decide_pairs, rank_systems
from errorbar.stats.anytime import betting_bounds
from errorbar.stats.resampling import Resampling


def rank_findings(
    study: StudyColumns, judgments: Judgments, intervals: Resampling | None, confidence: float, accuracy: float | None
) -> Iterator[Finding]:
    """Expected wins of each system; of an adaptive study the pairs besides."""
    del judgments, accuracy
    rows = study.judged
    if not len(rows):
        return
    adaptive = study.probability is not None
    ranked = rank_systems(_comparisons(study, rows), how=None if adaptive else intervals, by="sentence")[0]
    for system in ranked.systems:
        yield Finding("ranking", system.system, "expected wins", system.score, "percent")
    if not adaptive:
        return
    weighted, bounds = inverse_probability_wins(study), mean_score_bounds(study, confidence)
    for pair in adaptive_pairs(study, confidence):
        of = f"{pair.first} over {pair.second}"
        n = pair.wins + pair.losses + pair.ties
        yield Finding("adaptive", of, "items", count_figure(n), "count")
        yield Finding("adaptive", of, "wins", pair.share, "percent")
        yield Finding("adaptive", of, "adjusted p", Estimate(pair.p, n))
        unbiased = weighted[pair.first, pair.second]
        unbiased = unbiased.with_interval(around_value(unbiased, bounds.get((pair.first, pair.second))))
        yield Finding("adaptive", of, "unbiased wins", unbiased, "percent")


def _comparisons(study: StudyColumns, rows: Ints) -> Comparisons:
    rankings = []
    for row in rows.tolist():
        item, main = study.items[int(study.item[row])], study.about.scheme.main
        ranks = close_gaps(study.answers[int(study.answer_number[row])][main])
        texts = [(rank, tuple(names.split(SEVERAL))) for rank, names in zip(ranks, item.names, strict=True)]
        sentence = item.hidden.get("sentence", item.name)
        rankings.append(JudgedRanking(item.name, study.raters[int(study.rater[row])].name, sentence, texts))
    return comparisons_of(rankings)


def adaptive_pairs(study: StudyColumns, confidence: float = 0.95) -> list[PairVerdict]:
    """The order of each two systems of which an item counts, with an interval that holds at any look."""
    pairs, counted = _pairs(study), counted_items(study)
    votes = np.zeros(len(study.items), np.int64)
    np.add.at(votes, study.item[study.judged], _signs(study, study.judged))
    outcomes = [(*pairs[int(study.place[at]) // BLOCK], int(np.sign(votes[at]))) for at in counted.tolist()]
    n_others = len(pairs) - len({outcome[:2] for outcome in outcomes})
    if not outcomes:
        return []
    return decide_pairs(Comparisons.from_pairs(outcomes), confidence_level=confidence, n_others=n_others)


def counted_items(study: StudyColumns) -> Ints:
    """Numbers of the items on which intervals rest: of each pair those before the first that lacks judgments."""
    done = np.bincount(study.item[study.rows()], minlength=len(study.items))
    by_hand = np.array([bool(why) and not why.startswith(HALTED) for why in study.stopped], np.bool_)
    complete = done >= study.about.rules.raters_per_item
    order = np.argsort(study.place, kind="stable")
    order = order[(study.place[order] >= 0) & (complete | ~by_hand)[order]]
    block, kept, waits = study.place[order] // BLOCK, [], -1
    for at, own in zip(order.tolist(), block.tolist(), strict=True):
        if own == waits:
            continue
        if complete[at]:
            kept.append(at)
        else:
            waits = own
    return np.array(kept, np.int64)


def inverse_probability_wins(study: StudyColumns) -> dict[tuple[str, str], Estimate]:
    """The share of wins of the first over the second of each pair, ties half, by the probabilities of the draws."""
    assert study.probability is not None
    rows, pairs = study.judged, _pairs(study)
    rows = rows[~np.isnan(study.probability[rows])]
    drawn, scores = study.place[study.item[rows]] // BLOCK, (1 + _signs(study, rows)) / 2
    means = weighted_means(drawn, scores, study.probability[rows], len(pairs))
    return {pair: Estimate(float(means[at]), len(rows)) for at, pair in pairs.items()} if len(rows) else {}


def mean_score_bounds(study: StudyColumns, confidence: float) -> dict[tuple[str, str], Interval]:
    """Intervals of the mean score of each pair with an item that counts, which hold at all looks together."""
    pairs, counted, rows = _pairs(study), counted_items(study), study.judged
    scores = np.zeros(len(study.items))
    np.add.at(scores, study.item[rows], (1 + _signs(study, rows)) / 2)
    scores /= np.maximum(np.bincount(study.item[rows], minlength=len(study.items)), 1)
    block = study.place[counted] // BLOCK
    bounds = {}
    for at in np.unique(block).tolist():
        low, high = betting_bounds(scores[counted[block == at]], confidence_level=confidence)
        bounds[pairs[at]] = Interval(float(low), float(high), confidence, "betting, at every look")
    return bounds


def around_value(estimate: Estimate, bounds: Interval | None) -> Interval | Undefined:
    """The interval of a pair, drawn out to the value; none where it excludes nothing."""
    if bounds is None or estimate.value is None or (bounds.low <= 0 and bounds.high >= 1):
        return Undefined.TOO_FEW_JUDGMENTS
    return replace(bounds, low=min(bounds.low, estimate.value), high=max(bounds.high, estimate.value))


def weighted_means(drawn: Ints, scores: Floats, probability: Floats, n_pairs: int) -> Floats:
    """The mean score of each pair from draws that were chosen, shape (pairs,); without a draw NaN.

    Args:
        drawn: The pair of each draw, in their order; shape (draws,).
        scores: x, from 0 to 1.
        probability: π with which that pair was drawn; 0: another was, of which nothing was left.
        n_pairs: Pairs that there are.
    """
    means, count, sums = np.full(n_pairs, 0.5), np.ones(n_pairs), np.zeros(n_pairs)
    for pair, score, chance in zip(drawn.tolist(), scores.tolist(), probability.tolist(), strict=True):
        sums += means
        if chance:
            sums[pair] += (score - means[pair]) / chance
            count[pair] += 1
            means[pair] += (score - means[pair]) / count[pair]
    return sums / len(drawn) if len(drawn) else np.full(n_pairs, np.nan)


def _pairs(study: StudyColumns) -> dict[int, tuple[str, str]]:
    """The systems of each block of places, in the order of their names."""
    pairs: dict[int, tuple[str, str]] = {}
    for place, item in zip(study.place.tolist(), study.items, strict=True):
        if place >= 0:
            first, second = sorted(item.names)
            pairs.setdefault(place // BLOCK, (first, second))
    return pairs


def _signs(study: StudyColumns, rows: Ints) -> Ints:
    """Of each judgment 1 where the first system of its pair is better, -1 where the second is, 0: a tie."""
    main = study.about.scheme.main
    of_answer = np.array([int(np.sign(answer[main][1] - answer[main][0])) for answer in study.answers], np.int64)
    turned = study.place[study.item[rows]] % 2 == 1
    return np.where(turned, -1, 1) * of_answer[study.answer_number[rows]]
