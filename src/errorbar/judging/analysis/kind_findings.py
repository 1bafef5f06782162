"""The findings of each kind of scheme: choice and cloze tests, errors, rankings, and edits that raters write.

Choice and cloze tests.

Formula
    Choice: s is the share of items' judgments that find the second candidate equally good or better; a the share of all
    instances on which the two writers agree, so that nobody was asked about them. Counting what is as good, accuracy is
    a + (1 - a) s: the agreed ones, and that share of the others. Its interval is that of s, a being known. Position:
    P(top) of all answers that chose a side, with Wilson's interval; one half where raters do not lean.
    Cloze: of every pair of writer, raters and systems the share of items where both have the same word, and Cohen's
    kappa over all words. Accuracy of a rater before: their first word is the writer's; after: one of their words is;
    of all raters: the share of all answers, whose intervals resample items, since answers to one item go together.
Conventions
    Choice: an item counts once, however many judged it. Pairs of writers are told apart by the names of the candidates;
    a text that several wrote counts for each of them, as in pairs for ``rank``, and once for all together. Answers to
    hidden gold items count for sides and repeats.
    Cloze: words are compared in NFC and without the difference of capital letters; a gap that needs nothing is the word
    ∅. A system's word is a hidden column ``says:NAME``, or one that begins with ``system`` or ``word``; ``word`` itself
    is the writer's, as it tells the span of a table's items.
Source
    Tetreault and Chodorow 2008, section 4 and table 2.

Studies about errors: Error or OK, and the preposition scheme.

Formula
    Majorities: an item's majority share is the share of its most frequent label; bins are [50, 75), [75, 90) and
    [90, 100] %, with the share of items in each. How many raters equal an expert: ``errorbar.crowdsourcing.howmany``.
    Money: what a judgment pays, times the judgments of an item.
Conventions
    Labels that mean an error, of whatever kind, are merged for the comparison with experts. Items that one rater judged
    are in no bin. Pay is a number that is given, or the one in the words of the study's rules; of several none is.
    Prepositions: all items; items around which no rater marked an error (of spelling, determiner or grammar), and the
    others; four categories merged to three (correct and equally good are ok) and to two (error, ok); items by batch,
    which a hidden column of that name tells; items that all raters judged with high confidence, and the others. Where
    it is not said, categories are three.
Source
    Madnani, Tetreault, Chodorow and Rozovskaya 2011, sections 2 and 3; Snow et al. 2008. Tetreault and Chodorow 2008,
    sections 3 and 5, table 3.

Rankings: how the systems rank, and of adaptive pairs which order is known.

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

Edits that raters write: how many, how alike, and what a system's edits did to them.

Formula
    Edits of 100 tokens: 100 Σ edits / Σ tokens, over all judgments. Two raters of an item make the same edit where span
    and first correction are the same; agreement is F of two raters against each other, 2 Σ same / Σ (edits of both),
    over all pairs of raters of an item: F1, whichever of the two is taken for the reference. Of a system's edits a
    rater makes one too where the span is the same and one of the corrections is the system's; the share is of all its
    edits, each counted for every rater of its item. Seconds of a token: Σ seconds / Σ tokens, where the time is known.
    Effect of proposals: the figure of the items that came with a system's edits minus that of those that came without.
    Intervals resample the items, of both kinds together, each with all its judgments.
Conventions
    Types do not count. Where nobody made an edit there is no agreement to speak of, and such items add nothing to it.
    Which items came without was drawn before anybody saw them (``scheme_kinds``), so that the two kinds differ by
    chance and by what was shown alone; what the system would have proposed is known of both.
Source
    Ours. Fort and Sagot 2010, Influence of pre-annotation on POS-tagged corpus development, LAW IV, compare texts that
    annotators got with and without a program's annotation in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.coefficients import MAX_LABELS, Kernel, estimates, item_counts, pair_table, ratio
from errorbar.agreement.cohen import cohen_kappa
from errorbar.core.arrays import Floats, Ints
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, UsageError
from errorbar.core.rankings import Comparisons
from errorbar.crowdsourcing.howmany import HowMany, against_experts, how_many
from errorbar.edits.texts import extract_edits
from errorbar.formats.rankings import JudgedRanking, comparisons_of
from errorbar.judging.analysis.findings import (
    FigureKind,
    Finding,
    agreement_findings,
    count_figure,
    drop_unused_labels,
    label_shares,
    merge_labels,
    take_items,
)
from errorbar.judging.items.sources import SAYS
from errorbar.judging.protocol.adaptive import BLOCK
from errorbar.judging.protocol.assignments import HALTED
from errorbar.judging.question_kinds import close_gaps, kind_of_question
from errorbar.judging.scheme import JUDGED, NOTHING, SEVERAL, JudgedItem, fold_word
from errorbar.judging.scheme_kinds import BLANK, PROPOSALS, SHOWN
from errorbar.judging.study.columns import StudyColumns
from errorbar.judging.study.figures import RaterFigures, error_labels
from errorbar.ranking.ranked import PairVerdict, decide_pairs, rank_systems
from errorbar.stats.anytime import betting_bounds
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import Resampling, Units, stream

Answer = list[Mapping[str, Any]]
MEASURES: Mapping[str, FigureKind] = {
    "edits of 100 tokens": "number",
    "no error": "percent",
    "agreement of two raters": "percent",
    "seconds of a token": "number",
    "the system's edits made": "percent",
}
"""The figures, each a ratio of two sums over items."""


def edits_findings(
    study: StudyColumns, judgments: Judgments, intervals: Resampling | None, level: float, accuracy: float | None
) -> Iterator[Finding]:
    """Figures of all items; where a system's edits were shown with some of them, of both kinds and the difference."""
    rows, main = study.judged, study.about.scheme.main
    answers: dict[int, list[tuple[Answer, float]]] = {}
    for at, number, milliseconds in zip(
        study.item[rows].tolist(), study.answer_number[rows].tolist(), study.milliseconds[rows].tolist(), strict=True
    ):
        answers.setdefault(at, []).append((study.answers[number][main], milliseconds / 1000))
    whole_items = [study.items[at].whole for at in answers]
    items = [item for item in whole_items if item is not None]
    table = np.array([_sums(item, own) for item, own in zip(items, answers.values(), strict=True)], np.float64)
    kinds = np.array([item.hidden.get(PROPOSALS, "") for item in items])
    yield from _figures("edits", {"all items": np.ones(len(kinds))}, table, intervals)
    if {*kinds.tolist()} == {SHOWN, BLANK}:
        groups = {kind: (kinds == kind).astype(np.float64) for kind in (SHOWN, BLANK)}
        yield from _figures("proposals", groups, table, intervals)


def _figures(
    section: str, groups: Mapping[str, Floats], table: Floats, intervals: Resampling | None
) -> Iterator[Finding]:
    """The figures of each group of items, and of two groups their difference; what no item has is left out."""
    kernels: dict[str, Kernel] = {}
    measures = [measure for n, measure in enumerate(MEASURES) if table[:, 2 * n + 1].any()]
    for measure in measures:
        n = list(MEASURES).index(measure)
        for group, belongs in groups.items():
            kernels[f"{group}\t{measure}"] = _ratio_kernel(table[:, 2 * n] * belongs, table[:, 2 * n + 1] * belongs)
        if len(groups) == 2:
            first, second = (kernels[f"{group}\t{measure}"] for group in groups)
            kernels[f"difference\t{measure}"] = _difference_kernel(first, second)
    units = Units(np.ones(len(table)))
    results = estimates(units, kernels, len(table), Undefined.NO_UNITS, intervals)
    for group, belongs in groups.items():
        yield Finding(section, group, "items", count_figure(belongs.sum()), "count")
    for name, (estimate, *_) in results.items():
        group, _, measure = name.partition("\t")
        yield Finding(section, group, measure, estimate, MEASURES[measure])


def _ratio_kernel(above: Floats, below: Floats) -> Kernel:
    return lambda weights: ratio(weights @ above, weights @ below)


def _difference_kernel(first: Kernel, second: Kernel) -> Kernel:
    return lambda weights: first(weights) - second(weights)


def _sums(item: JudgedItem, given: list[tuple[Answer, float]]) -> list[float]:
    """The share of an item in the two sums of each figure, in the order of ``MEASURES``."""
    tokens = item.text.split()
    edits = [{(edit["start"], edit["end"], edit["corrections"][0]) for edit in answer} for answer, _ in given]
    pairs = list(combinations(edits, 2))
    same = 2 * sum(len(one & other) for one, other in pairs)
    of_both = sum(len(one) + len(other) for one, other in pairs)
    times = [seconds for _, seconds in given if seconds > 0]
    proposed = {
        (edit.start, edit.end, edit.replacements[0])
        for name, text in item.hidden.items()
        if name.startswith(SAYS)
        for edit in extract_edits(tokens, text.split())
    }
    every = [
        {(edit["start"], edit["end"], text) for edit in answer for text in edit["corrections"]} for answer, _ in given
    ]
    n_made = sum(len(proposed & texts) for texts in every)
    n_edits, n_empty = sum(map(len, edits)), sum(not own for own in edits)
    sums = (100 * n_edits, len(tokens) * len(given), n_empty, len(given), same, of_both)
    return [*sums, sum(times), len(tokens) * len(times), n_made, len(proposed) * len(given)]


def rank_findings(
    study: StudyColumns, judgments: Judgments, intervals: Resampling | None, confidence: float, accuracy: float | None
) -> Iterator[Finding]:
    """Expected wins of each system; of an adaptive study the pairs besides."""
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
    return bounds._replace(low=min(bounds.low, estimate.value), high=max(bounds.high, estimate.value))


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


WORDS = {"first": "first better", "equal": "equally good", "second": "second better", "neither": "equally bad"}
AS_GOOD = "second as good or better"


def choice_findings(
    study: StudyColumns, judgments: Judgments, intervals: Resampling | None, confidence: float, accuracy: float | None
) -> Iterator[Finding]:
    """Shares for all items, and for each pair of writers where there are several."""
    if "first" not in judgments.labels:
        return
    pairs: dict[tuple[str, ...], dict[int, bool]] = {}  # places, and whether the two change sides there
    for place, at in enumerate(study.work.tolist()):
        whole = study.items[at].whole
        names = [authors.split(SEVERAL) for authors in whole.names] if whole is not None else []
        for pair in product(*names):
            is_reversed = bool(pair) and pair[::-1] in pairs
            pairs.setdefault(pair[::-1] if is_reversed else pair, {})[place] = is_reversed
    for pair, places in pairs.items():
        of_pair, is_reversed_at = (np.zeros(len(study.work), np.bool_) for _ in range(2))
        of_pair[[*places]] = True
        is_reversed_at[[*places]] = [*places.values()]
        of = " and ".join(pair) or "all"
        yield from _shares(of, _exchange_sides(take_items(judgments, of_pair), is_reversed_at), accuracy, intervals)
    if len(pairs) > 1:
        yield from _shares("all", judgments, accuracy, intervals)


def _exchange_sides(judgments: Judgments, items: NDArray[np.bool_]) -> Judgments:
    """The judgments with first and second exchanged at some items."""
    first, second = (judgments.labels.index(side) for side in ("first", "second"))
    codes = np.arange(len(judgments.labels), dtype=np.int32)
    codes[[first, second]] = second, first
    return replace(judgments, label=np.where(items[judgments.item], codes[judgments.label], judgments.label))


def _shares(of: str, judgments: Judgments, accuracy: float | None, intervals: Resampling | None) -> Iterator[Finding]:
    shares = label_shares(judgments, intervals)
    yield Finding("preferences", of, "items", count_figure(len(np.unique(judgments.item))), "count")
    for label, name in WORDS.items():
        if label in shares:
            yield Finding("preferences", of, name, shares[label], "percent")
    groups = {"second": AS_GOOD, "equal": AS_GOOD, "first": "worse", "neither": "worse"}
    good = label_shares(merge_labels(judgments, groups), intervals).get(AS_GOOD)
    if good is None:
        return
    yield Finding("accuracy", of, AS_GOOD, good, "percent")
    if accuracy is not None:
        yield Finding("accuracy", of, "before", Estimate(accuracy, good.n_units), "percent")
        yield Finding("accuracy", of, "after", accuracy_after(accuracy, good), "percent")


def accuracy_after(accuracy: float, good: Estimate) -> Estimate:
    """Accuracy once what is as good counts as right."""
    if good.value is None:
        return good

    def after(share: float) -> float:
        return accuracy + (1 - accuracy) * share

    estimate = Estimate(after(good.value), good.n_units)
    if good.interval is None:
        return estimate if good.no_interval is None else estimate.with_interval(good.no_interval)
    inner = good.interval
    interval = Interval(after(inner.low), after(inner.high), inner.confidence_level, inner.method)
    return estimate.with_interval(interval, n_clusters=good.n_clusters)


def position_findings(raters: list[RaterFigures], confidence: float) -> Iterator[Finding]:
    """P(top) and self-consistency, of each rater who says something about them, and of all."""
    for measure, name in (("P(top)", "top"), ("alike when repeated", "repeats")):
        known = [(rater.rater, getattr(rater, name)) for rater in raters]
        known = [(rater, estimate) for rater, estimate in known if estimate is not None and estimate.n_units]
        total = sum(estimate.n_units for _, estimate in known)
        right = sum(round(estimate.value * estimate.n_units) for _, estimate in known)
        if total:
            everyone = proportion_estimate(right, total, confidence_level=confidence)
            yield Finding("consistency", "all raters", measure, everyone, "percent")
        for rater, estimate in known:
            yield Finding("consistency", rater, measure, estimate, "percent")


WRITER = "writer"
MOST_PAIRED = 20
"""Raters, at most, of whom all pairs are shown; of more, each with the writer and the systems."""


def cloze_findings(
    study: StudyColumns, judgments: Judgments, intervals: Resampling | None, confidence: float, accuracy: float | None
) -> Iterator[Finding]:
    """Pairs, and accuracy of each rater."""
    table, others = _words(study)
    present = [table.raters[code] for code in np.unique(table.rater)]
    raters = [name for name in present if name not in others]
    pairs = [*combinations(others, 2), *product(others, raters)]
    if 2 < len(raters) <= MOST_PAIRED:  # the agreement of two is that of all judgments
        pairs += combinations(raters, 2)
    for first, second in pairs:
        of = f"{first} and {second}"
        crossed = drop_unused_labels(table.only([first, second]))
        if len(crossed.labels) > MAX_LABELS:
            yield Finding("pairs", of, "kappa", Estimate(None, len(crossed), undefined=Undefined.TOO_FEW_UNITS))
            continue
        kappa = cohen_kappa(pair_table(crossed, first, second), resampling=intervals)
        if not kappa.estimate.n_units:
            continue
        n = kappa.estimate.n_units
        same = proportion_estimate(round((kappa.observed or 0) * n), n, confidence_level=confidence)
        yield Finding("pairs", of, "items", count_figure(n), "count")
        yield Finding("pairs", of, "agreement", same, "percent")
        yield Finding("pairs", of, "kappa", kappa.estimate)
    yield from _accuracy(study, intervals, confidence)


def _words(study: StudyColumns) -> tuple[Judgments, list[str]]:
    """First words of raters, the writer and systems; and who of these is no rater."""
    rows = study.judged
    items = [study.items[at].name for at in study.item[rows].tolist()]
    raters = [study.raters[at].name for at in study.rater[rows].tolist()]
    words = [study.labels[at] for at in study.label[rows].tolist()]
    known = {rater.name for rater in study.raters}
    others = dict[str, str]()  # column to its name in the table, which is no rater's
    for at in study.work.tolist():
        item = study.items[at]
        column_words = {WRITER: writers_word(study, at)}
        column_words |= {
            column: fold_word(word) or NOTHING for column, word in item.hidden.items() if _of_system(column)
        }
        for column, word in column_words.items():
            name = column.removeprefix(SAYS)
            others.setdefault(column, f"{name} (no rater)" if name in known else name)
            items.append(item.name)
            raters.append(others[column])
            words.append(word)
    return Judgments.from_columns(items, raters, words), [*others.values()]


def _of_system(column: str) -> bool:
    """Whether a hidden column is what a system wrote."""
    return column.startswith(SAYS) or (column.casefold().startswith(("system", "word")) and column != "word")


def writers_word(study: StudyColumns, at: int) -> str:
    """The writer's word of an item."""
    whole = study.items[at].whole
    if whole is None or whole.span is None:
        return NOTHING
    return fold_word(whole.text[slice(*whole.span)]) or NOTHING


def _accuracy(study: StudyColumns, intervals: Resampling | None, confidence: float) -> Iterator[Finding]:
    main = study.about.scheme.main
    scores: dict[str, list[tuple[bool, bool]]] = {}
    of_items: dict[int, list[int]] = {}  # answers of each item, those right before, and after
    for row in study.judged.tolist():
        answer = study.answers[int(study.answer_number[row])].get(main) or []
        words = [fold_word(word) for word in answer] if isinstance(answer, list) else [fold_word(str(answer))]
        item, rater = int(study.item[row]), study.raters[int(study.rater[row])].name
        right = writers_word(study, item)
        score = words[:1] == [right], right in words
        scores.setdefault(rater, []).append(score)
        of_items[item] = [total + more for total, more in zip(of_items.get(item, (0, 0, 0)), (1, *score), strict=True)]
    table = np.array([*of_items.values()], np.float64).reshape(-1, 3)
    kernels = {name: _ratio_kernel(table[:, at], table[:, 0]) for at, name in ((1, "before"), (2, "after"))}
    for name, (estimate,) in estimates(
        Units(np.ones(len(table))), kernels, len(table), Undefined.NO_UNITS, intervals
    ).items():
        yield Finding("accuracy", "all raters", name, estimate, "percent")
    for rater, own in scores.items():
        for name, at in (("before", 0), ("after", 1)):
            share = proportion_estimate(sum(score[at] for score in own), len(own), confidence_level=confidence)
            yield Finding("accuracy", rater, name, share, "percent")


KIND_FINDINGS = {
    "choice": choice_findings,
    "cloze": cloze_findings,
    "edits": edits_findings,
    "rank": rank_findings,
}
"""The figures that only one kind of scheme has, by its name."""


BINS = ((0.0, "below 50 %"), (0.5, "50 to 75 %"), (0.75, "75 to 90 %"), (0.9, "90 to 100 %"))
"""Low end of each bin of majority shares; the first can only be of three labels and more."""
EDGE = 1e-9
_NUMBER = re.compile(r"(?<![\d.,])[\d.,]*\d")


def majority_findings(judgments: Judgments, confidence: float) -> Iterator[Finding]:
    """How large the majorities are, of items with two judgments and more."""
    table = item_counts(judgments)
    n = table.n_raters
    largest = np.asarray(table.counts.max(axis=1).todense(), np.float64).ravel() / n
    times = table.units.frequency * (n >= 2)
    place = np.searchsorted([low - EDGE for low, _ in BINS], largest, side="right") - 1
    counts = np.bincount(place, times, minlength=len(BINS))
    total = int(times.sum())
    for (_, name), items in zip(BINS, counts.tolist(), strict=True):
        if items or name != BINS[0][1]:
            yield Finding("distribution", name, "items", count_figure(items), "count")
            share = proportion_estimate(int(items), total, confidence_level=confidence)
            yield Finding("distribution", name, "share", share, "percent")


def merge_errors(study: StudyColumns, judgments: Judgments) -> Judgments:
    """The judgments as Error or OK, whatever kinds of errors the scheme knows."""
    codes = error_labels(study)
    names = {label: "error" if code in codes else "ok" for code, label in enumerate(judgments.labels)}
    return merge_labels(judgments, names)


def compare_with_experts(
    study: StudyColumns, judgments: Judgments, experts: Sequence[str], truth: Mapping[str, str] | None, seed: int
) -> HowMany | None:
    """How good the majority of k raters is: against experts among them, a truth that is given, or the gold.

    Raises:
        UsageError: If experts or truth that were asked for do not fit.
    """
    generator = stream(seed, "judge", "analyze", "howmany")
    if experts:
        return against_experts(merge_errors(study, judgments), experts, generator)
    if truth is not None:
        labels = {str(label).casefold() for label in judgments.labels}
        if strange := [label for label in truth.values() if label.casefold() not in labels]:
            message = f"the truth has the label '{strange[0]}', which is not one of the scheme's"
            raise UsageError(Problem("howmany-truth", message, expected=", ".join(judgments.labels)))
        errors = {judgments.labels[code].casefold() for code in error_labels(study)}
        known = {item: "error" if label.casefold() in errors else "ok" for item, label in truth.items()}
        return how_many(merge_errors(study, judgments), [known], generator)
    rows = study.tested
    kept = rows[(study.right >= 0) & (study.label[rows] >= 0)]
    if not len(kept):
        return None
    names = [study.labels[code] for code in study.label[kept].tolist()]
    items = [study.items[at].name for at in study.item[kept].tolist()]
    codes = error_labels(study)
    kinds = [label for label in study.labels if label not in study.about.scheme.abstaining()]
    errors = {kinds[code] for code in codes}
    error_or_ok = ["error" if name in errors else "ok" for name in names]
    table = Judgments.from_columns(items, study.rater[kept].tolist(), error_or_ok, labels=("error", "ok"))
    gold = {item.name: "error" if item.gold in errors else "ok" for item in study.items if item.gold}
    return how_many(table, [gold], generator)


def read_pay(text: str) -> float | None:
    """The one number in what raters are told of their pay; None: there is none, or it cannot be told which."""
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1:
        return None
    whole, sign, part = numbers[0].rpartition("," if numbers[0].rfind(",") > numbers[0].rfind(".") else ".")
    if sign and len(part) == 3 and whole.strip("0"):  # 1,000 and 1.000 are read in both ways
        return None
    plain = f"{whole.replace(',', '').replace('.', '')}.{part}" if sign else numbers[0]
    return float(plain)


def cost_findings(study: StudyColumns, pay: float | None, sizes: HowMany | None) -> Iterator[Finding]:
    """The cost of a judgment, an item and the whole study; nothing where no pay is known."""
    of_judgment = read_pay(study.about.rules.pay) if pay is None else pay
    n = len(study.judged)
    answered = len(study.rows("main", *JUDGED)) + len(study.rows("repeat", *JUDGED))
    if of_judgment is None or not n:
        return
    items = len(np.unique(study.item[study.judged]))
    costs = {
        "a judgment": of_judgment,
        "an item, as judged": of_judgment * n / items,
        "all answers, gold and repeats too": of_judgment * answered,
    }
    if sizes is not None and sizes.enough is not None:
        costs[f"an item, of the {sizes.enough} that equal an expert"] = of_judgment * sizes.enough
    for of, cost in costs.items():
        yield Finding("money", of, "cost", Estimate(cost, n))


THREE = {"correct": "ok", "equal": "ok"}
TWO = {**THREE, "extraneous": "error", "incorrect": "error"}
LOW = "low"


def preposition_findings(
    study: StudyColumns, judgments: Judgments, batch: str, intervals: Resampling | None
) -> Iterator[Finding]:
    """Agreement of items of some kinds, by some categories."""
    three = merge_labels(judgments, THREE)
    marks, unsure = find_marked_items(study), _with_answer(study, "confidence", LOW)
    parts = {
        "4 categories": judgments,
        "3 categories": three,
        "2 categories": merge_labels(judgments, TWO),
        "no context error": take_items(three, ~marks),
        "context errors": take_items(three, marks),
        "all sure": take_items(three, ~unsure),
        "somebody unsure": take_items(three, unsure),
    }
    batches = [study.items[at].hidden.get(batch, "") for at in study.work.tolist()]
    for name in dict.fromkeys(filter(None, batches)):
        parts[f"{batch} {name}"] = take_items(three, np.array([own == name for own in batches], np.bool_))
    for of, part in parts.items():
        yield from agreement_findings("categories", of, part, intervals)


def find_marked_items(study: StudyColumns) -> NDArray[np.bool_]:
    """Items for work around which a rater marked an error; shape (items,)."""
    questions = [question.id for question in study.about.scheme.questions if kind_of_question(question).marks_errors]
    return _items(study, [any(answer.get(name) for name in questions) for answer in study.answers])


def _with_answer(study: StudyColumns, question: str, value: str) -> NDArray[np.bool_]:
    return _items(study, [answer.get(question) == value for answer in study.answers])


def _items(study: StudyColumns, answers: list[bool]) -> NDArray[np.bool_]:
    """Items for work that have one of the answers, of judgments that count."""
    rows = study.judged
    chosen = np.array([*answers, False], np.bool_)[study.answer_number[rows]]
    has_answer = np.zeros(len(study.items), np.bool_)
    has_answer[study.item[rows[chosen]]] = True
    return np.asarray(has_answer[study.work], np.bool_)
