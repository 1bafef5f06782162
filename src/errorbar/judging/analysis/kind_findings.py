"""The findings of choice and cloze tests, each by the kind of its scheme.

Formula
    Choice: s is the share of items' judgments that find the second candidate equally good or better; a the share of all
    instances on which the two writers agree, so that nobody was asked about them. Counting what is as good, accuracy is
    a + (1 - a) s: the agreed ones, and that share of the others. Its interval is that of s, a being known. Position:
    P(top) of all answers that chose a side, with Wilson's interval; one half where raters do not lean.
    Cloze: of every pair of writer, raters and systems the share of items where both have the same word, and Cohen's
    kappa over all words. Accuracy of a rater before: their first word is the writer's; after: one of their words is.
Conventions
    Choice: an item counts once, however many judged it. Pairs of writers are told apart by the names of the candidates;
    a text that several wrote counts for each of them, as in pairs for ``rank``, and once for all together. Answers to
    hidden gold items count for sides and repeats.
    Cloze: words are compared in NFC and without the difference of capital letters; a gap that needs nothing is the word
    ∅. A system's word is a hidden column ``says:NAME``, or one that begins with ``system`` or ``word``; ``word`` itself
    is the writer's, as it tells the span of a table's items.
Source
    Tetreault and Chodorow 2008, section 4 and table 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.cohen import cohen_kappa
from errorbar.agreement.label_counts import MAX_LABELS, pair_table
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.judging.analysis.edits_findings import edits_findings
from errorbar.judging.analysis.findings import (
    Finding,
    count_figure,
    drop_unused_labels,
    label_shares,
    merge_labels,
    take_items,
)
from errorbar.judging.analysis.rank_findings import rank_findings
from errorbar.judging.items.item import SEVERAL
from errorbar.judging.items.sources import SAYS
from errorbar.judging.scheme import NOTHING, fold_word
from errorbar.judging.study.columns import StudyColumns
from errorbar.judging.study.figures import RaterFigures
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import Resampling

WORDS = {"first": "first better", "equal": "equally good", "second": "second better", "neither": "equally bad"}
AS_GOOD = "second as good or better"


def choice_findings(
    study: StudyColumns, judgments: Judgments, intervals: Resampling | None, confidence: float, accuracy: float | None
) -> Iterator[Finding]:
    """Shares for all items, and for each pair of writers where there are several."""
    del confidence
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
    del judgments, accuracy
    table, others = _words(study)
    present = [table.raters[code] for code in np.unique(table.rater)]
    raters = [name for name in present if name not in others]
    pairs = [*combinations(others, 2), *product(others, raters)]
    pairs += combinations(raters, 2) if len(raters) <= MOST_PAIRED else ()
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
    yield from _accuracy(study, confidence)


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


def _accuracy(study: StudyColumns, confidence: float) -> Iterator[Finding]:
    main = study.about.scheme.main
    scores: dict[str, list[tuple[bool, bool]]] = {}
    for row in study.judged.tolist():
        answer = study.answers[int(study.answer_number[row])].get(main) or []
        words = [fold_word(word) for word in answer] if isinstance(answer, list) else [fold_word(str(answer))]
        right = writers_word(study, int(study.item[row]))
        rater = study.raters[int(study.rater[row])].name
        scores.setdefault(rater, []).append((words[:1] == [right], right in words))
    everyone = [score for own in scores.values() for score in own]
    for rater, own in {"all raters": everyone, **scores}.items():
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
