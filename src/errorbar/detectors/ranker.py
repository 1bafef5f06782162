"""A ranker of candidates: which changes annotators of learners' text would make.

Formula
    The log odds that a change is right are a logistic regression with a ridge (``learning.py``) on numbers by group,
    shared numbers, and marks. A candidate's score is its log odds less
    a threshold, the one with the highest F0.5 on the labels when each fold's sentences are ranked without them.
Conventions
    A change is right if one of the annotators makes it: trimmed, the same tokens become the same. F0.5 counts the
    changes made and right against the mean number of edits of those who looked at a sentence. Folds are runs of
    consecutive sentences, so that but for the essay at a boundary no essay is in two of them. A mark needs ``LEAST``
    candidates.
    Of the features, l is the score by the language model, m that by the classifier (0: none), both in nats. Numbers are
    brought to about 1. Marks are hashed (``learning.py``) with the group; ``old`` and ``new`` are the words before and
    after the change, without the tokens that stay, in lower case; ``end`` their last two letters. Candidates that
    neither the language model nor a classifier finds near to the text as written are left out: ``are_plausible``.
Source
    Re-ranking by a classifier that has seen learners: Yannakoudakis et al. (2017), Rozovskaya and Roth (2016).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Flags, Floats
from errorbar.core.corpus import Corpus
from errorbar.core.problems import Problem, UsageError
from errorbar.detectors.candidates import GROUPS, Proposals
from errorbar.detectors.corrector import NEVER, choose_candidates
from errorbar.detectors.learning import Codes, Logistic, code, fit_logistic, states
from errorbar.edits.texts import common_ends

FEATURES = "ranker-2"  # what model files name; other features are another name
LEAST_MODEL, LEAST_CLASSIFIER = -4.0, -0.5
OUTSIDE = "#"
RARE = 20
NUMBERS = (
    *("one", "l", "l above 0", "l near 0", "spoken of", "m", "m above 0", "l and m", "both above 0", "lower"),
    *("rival", "frequency", "unknown", "unknown near", "unknown near, l"),
)
SHARED = ("l", "m", "unknown", "first", "best rival")
MARKS: tuple[tuple[str, ...], ...] = tuple(
    tuple(mark.split(","))
    for mark in (
        *("old", "new", "old,new", "before", "after", "tag-1", "tag+1", "tag-1,tag+1", "tag", "ends", "tag,end"),
        *("tag-1,tag,tag+1", "tag,tag+1", "tag-1,tag", "before,ends", "after,ends"),
    )
)
TrimmedEdit = tuple[int, int, tuple[str, ...]]


def are_plausible(proposals: Proposals) -> NDArray[np.bool_]:
    """Flag the candidates that a model finds near to the text as written."""
    m = np.nan_to_num(proposals.classifiers, nan=-np.inf)
    return np.asarray((proposals.model > LEAST_MODEL) | (m > LEAST_CLASSIFIER))


def trim_edit(tokens: Sequence[str], start: int, end: int, replacement: Sequence[str]) -> TrimmedEdit:
    """An edit in lower case, without the tokens that stay: those at its end, then those at its beginning.

    So that a word of which only a letter's case changes has its place before it, and its own tag.
    """
    new = [token.lower() for token in replacement]
    last, first = common_ends([token.lower() for token in tokens[start:end]][::-1], new[::-1])
    return start + first, end - last, tuple(new[first : len(new) - last])


class Features(NamedTuple):
    """The features of each candidate."""

    groups: NDArray[np.int64]  # an index into ``GROUPS``
    numbers: Floats  # shape (candidates, ``NUMBERS``)
    shared: Floats  # shape (candidates, ``SHARED``): numbers that are weighed alike in all groups
    marks: Codes  # shape (candidates, ``MARKS``)

    def part(self, chosen: NDArray[Any]) -> Features:
        """The features of some of the candidates."""
        return Features(*(column[chosen] for column in self))


def find_features(proposals: Proposals, counts: Mapping[str, int]) -> Features:
    """Find the features of every candidate; ``counts`` tell how often the training text has each word."""
    edits = [
        trim_edit(proposals.sentences[number], candidate.start, candidate.end, candidate.replacement)
        for number, candidate in zip(proposals.sentence.tolist(), proposals.candidates, strict=True)
    ]
    return Features(proposals.groups, *_numbers(proposals, edits, counts), _marks(proposals, edits))


def _numbers(proposals: Proposals, edits: Sequence[TrimmedEdit], counts: Mapping[str, int]) -> tuple[Floats, Floats]:
    l_ = proposals.model
    spoken = ~np.isnan(proposals.classifiers)
    m = np.where(spoken, proposals.classifiers, 0)
    unknown, near = _count_unknown_words(proposals, edits, counts)
    frequency = np.array([_frequency(proposals, at, edit, counts) for at, edit in enumerate(edits)])
    own = [
        np.ones(len(l_)),
        l_ / 5,
        np.maximum(l_, 0) / 5,
        np.clip(l_, -2, 4) / 3,
        spoken,
        m / 3,
        np.maximum(m, 0) / 3,
        spoken * np.clip(l_ / 2 + m, -3, 8) / 4,
        spoken & (l_ > 0) & (m > 0),
        spoken * np.minimum(l_ / 2, m) / 2,
        np.clip(l_ - _rivals(proposals, True), -10, 10) / 5,
        frequency / 5,
        unknown / 3,
        near / 3,
        near / 3 * l_ / 5,
    ]
    first = np.array([edit[0] == 0 for edit in edits])
    shared = [l_ / 5, m / 3, unknown / 3, first, np.maximum(_rivals(proposals, False) - l_, 0) / 5]
    return np.stack([np.asarray(column, np.float64) for column in own], axis=1), np.stack(shared, axis=1)


def _count_unknown_words(
    proposals: Proposals, edits: Sequence[TrimmedEdit], counts: Mapping[str, int]
) -> tuple[Floats, Floats]:
    """The number of unknown words in the sentence, and of rare words near by; 3 at most."""
    unknown = [
        sum(word.isalpha() and word.lower() not in counts for word in sentence) for sentence in proposals.sentences
    ]
    rare = [
        np.concatenate([[0], np.cumsum([word.isalpha() and counts.get(word.lower(), 0) < RARE for word in sentence])])
        for sentence in proposals.sentences
    ]
    numbers = proposals.sentence.tolist()
    near = [
        rare[n][min(len(rare[n]) - 1, end + 3)] - rare[n][max(0, start - 3)]
        for n, (start, end, _) in zip(numbers, edits, strict=True)
    ]
    of_sentence = np.array(unknown, np.float64)[proposals.sentence] if numbers else np.empty(0)
    return np.minimum(of_sentence, 3), np.minimum(np.array(near, np.float64), 3)


def _frequency(proposals: Proposals, at: int, edit: TrimmedEdit, counts: Mapping[str, int]) -> float:
    """Ln of how many times as frequent the new word is; 0 if a word is added or left out."""
    old, new = _words(proposals, at, edit)
    return float(np.log1p(counts.get(new, 1)) - np.log1p(counts.get(old, 1))) if old and new else 0.0


def _words(proposals: Proposals, at: int, edit: TrimmedEdit) -> tuple[str, str]:
    start, end, new = edit
    return " ".join(proposals.sentences[proposals.sentence[at]][start:end]).lower(), " ".join(new)


def _rivals(proposals: Proposals, grouped: bool) -> Floats:
    """The best other candidate at the place, of the same group or of all, as the language model has it."""
    keys = [
        (number, candidate.start, group if grouped else 0)
        for number, candidate, group in zip(
            proposals.sentence.tolist(), proposals.candidates, proposals.groups.tolist(), strict=True
        )
    ]
    best: dict[tuple[int, int, int], tuple[float, float]] = {}
    for key, l_ in zip(keys, proposals.model.tolist(), strict=True):
        first, second = best.get(key, (-np.inf, -np.inf))
        best[key] = (l_, first) if l_ > first else (first, max(second, l_))
    rivals = [
        best[key][1] if l_ == best[key][0] else best[key][0]
        for key, l_ in zip(keys, proposals.model.tolist(), strict=True)
    ]
    return np.array(rivals, np.float64)


def _marks(proposals: Proposals, edits: Sequence[TrimmedEdit]) -> Codes:
    coded: Callable[[str], int] = lru_cache(maxsize=1 << 16)(code)
    names = ("old", "new", "before", "after", "tag-1", "tag+1", "tag", "ends", "end")
    rows = [[coded(part) for part in _parts(proposals, at, edit)] for at, edit in enumerate(edits)]
    table = np.array(rows, np.uint32).reshape(len(rows), len(names))
    parts = dict(zip(names, table.T, strict=True))
    group = np.array([code(name) for name in GROUPS], np.uint32)[proposals.groups]
    columns = [states(number, group, *(parts[name] for name in mark)) for number, mark in enumerate(MARKS)]
    return np.stack(columns, axis=1)


def _parts(proposals: Proposals, at: int, edit: TrimmedEdit) -> tuple[str, ...]:
    number = proposals.sentence[at]
    tokens, tags = proposals.sentences[number], proposals.tags[number]
    start, end, _ = edit
    old, new = _words(proposals, at, edit)
    before, tag_before = (tokens[start - 1].lower(), tags[start - 1]) if start else (OUTSIDE, OUTSIDE)
    after, tag_after = (tokens[end].lower(), tags[end]) if end < len(tokens) else (OUTSIDE, OUTSIDE)
    tag = tags[start] if start < len(tokens) else OUTSIDE
    return old, new, before, after, tag_before, tag_after, tag, f"{old[-2:]}>{new[-2:]}", new[-2:]


RIDGE, LEAST, FOLDS = 10.0, 3, 5
ENOUGH, DIGITS = 1e-7, 6
THRESHOLDS = np.arange(-2.5, 0.01, 0.1)


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """A fitted ranker."""

    marks: Codes  # the marks that have a weight, in ascending order
    fitted: Logistic  # the regression; columns are numbers by group, shared numbers, marks
    threshold: float  # log odds above which a change is made
    counts: Mapping[str, int]  # how often the training text has each word

    def check(self) -> None:
        """A ``ValueError`` if its columns do not fit, or it could not say of a candidate whether it is made."""
        weights, marks = self.fitted.weights, self.marks
        if marks.dtype != np.uint32 or not (marks[1:] > marks[:-1]).all():
            raise ValueError("marks out of order")
        if weights.shape != (len(GROUPS) * len(NUMBERS) + len(SHARED) + len(marks),):
            raise ValueError("columns of different lengths")
        if not np.isfinite([self.fitted.constant, self.threshold, *weights]).all():
            raise ValueError("a weight that is no number")

    def scores(self, proposals: Proposals) -> Floats:
        """See ``Scorer``."""
        scores = np.full(len(proposals.candidates), NEVER)
        chosen = are_plausible(proposals)
        if chosen.any():
            features = find_features(proposals.part(chosen), self.counts)
            scores[chosen] = self.log_odds(features) - self.threshold
        return scores

    def log_odds(self, features: Features) -> Floats:
        """The log odds that each candidate is right."""
        weights, n, wide = self.fitted.weights, len(GROUPS) * len(NUMBERS), len(SHARED)
        by_group = weights[:n].reshape(len(GROUPS), len(NUMBERS))[features.groups]
        odds = (
            self.fitted.constant + (by_group * features.numbers).sum(axis=1) + features.shared @ weights[n : n + wide]
        )
        of_marks = np.append(weights[n + wide :], 0.0)
        return np.asarray(odds + of_marks[_columns(self.marks, features.marks)].sum(axis=1))


def _columns(known: Codes, marks: Codes) -> NDArray[np.int64]:
    """The column of each mark; the one after the last for those that are not known."""
    columns = np.minimum(np.searchsorted(known, marks), max(len(known) - 1, 0))
    return np.where(known[columns] == marks, columns, len(known)) if len(known) else np.zeros(marks.shape, np.int64)


def right_changes(proposals: Proposals, corpus: Corpus) -> Flags:
    """Flag the candidates that an annotator makes too."""
    annotated = [
        {
            trim_edit(sentence.tokens, edit.start, edit.end, text.split())
            for edits in sentence.annotations.values()
            for edit in edits
            for text in edit.replacements
            if text.split() != [*sentence.tokens[edit.start : edit.end]]  # some annotators' edits change nothing
        }
        for sentence in corpus.sentences
    ]
    pairs = zip(proposals.sentence.tolist(), proposals.candidates, strict=True)
    return np.array(
        [
            trim_edit(proposals.sentences[n], candidate.start, candidate.end, candidate.replacement) in annotated[n]
            for n, candidate in pairs
        ],
        np.bool_,
    )


def fit_ranker(proposals: Proposals, corpus: Corpus, counts: Mapping[str, int]) -> tuple[Ranker, dict[str, Any]]:
    """Fit a ranker to learners' text, and say how it did there.

    Args:
        proposals: The candidates of the text.
        corpus: The text with its annotators' edits.
        counts: How often the training text has each word.

    Returns:
        The ranker; examples, right ones, and the cross-validated precision, recall and F0.5 at the threshold.

    Raises:
        UsageError: If no candidate is right, or all are.
    """
    proposals = proposals.part(are_plausible(proposals))
    right = right_changes(proposals, corpus)
    if right.all() or not right.any():
        message = f"{int(right.sum())} of {len(right)} candidates are right"
        raise UsageError(Problem("labels-one", message, expected="right and wrong ones", fix="give more labels"))
    features = find_features(proposals, counts)
    odds = cross_validate(features, right, proposals.sentence * FOLDS // len(corpus.sentences))
    order = choose_candidates(proposals, odds, float(THRESHOLDS[0]))
    n_wanted = count_annotated_edits(corpus)
    best = max((f_half(order, odds, right, n_wanted, float(threshold)), float(threshold)) for threshold in THRESHOLDS)
    marks, fitted = _fit(features, right)
    chosen = [at for at in order if odds[at] > best[1]]
    hit = int(right[chosen].sum())
    results = {
        "examples": len(right),
        "right": int(right.sum()),
        "precision": hit / max(len(chosen), 1),
        "recall": hit / n_wanted,
        "f0.5": best[0],
    }
    return Ranker(marks, fitted, round(best[1], 3), counts), results


def count_annotated_edits(corpus: Corpus) -> float:
    """The mean number of edits of those who looked at a sentence, added up over sentences."""
    edits = Counter[int]()  # by how many looked
    for sentence in corpus.sentences:
        edits[len(sentence.annotations)] += sum(map(len, sentence.annotations.values()))
    return sum(n / n_annotators for n_annotators, n in edits.items() if n_annotators)


def f_half(order: list[int], scores: Floats, right: Flags, n_wanted: float, threshold: float) -> float:
    """F0.5 of the changes above a threshold among those that are made at a lower one."""
    chosen = [at for at in order if scores[at] > threshold]
    return 1.25 * float(right[chosen].sum()) / (len(chosen) + 0.25 * n_wanted) if chosen else 0.0


def cross_validate(features: Features, right: Flags, folds: NDArray[np.int64], share: float = 1.0) -> Floats:
    """The log odds of every candidate by a ranker fitted without its fold, to the first ``share`` of the rest."""
    odds = np.full(len(right), NEVER)
    for fold in np.unique(folds):
        out = folds == fold
        others = np.flatnonzero(~out)
        others = others[: round(share * len(others))]
        if right[others].any() and not right[others].all():
            ranker = Ranker(*_fit(features.part(others), right[others]), 0.0, {})
            odds[out] = ranker.log_odds(features.part(out))
    return odds


def _fit(features: Features, right: Flags) -> tuple[Codes, Logistic]:
    from scipy.sparse import csr_matrix, hstack  # noqa: PLC0415 - loading it takes a while

    marks, counts = np.unique(features.marks, return_counts=True)
    known = marks[counts >= LEAST]
    n = len(right)
    rows = np.arange(n)
    width = len(NUMBERS)
    at = (features.groups[:, None] * width + np.arange(width)).ravel()
    by_group = csr_matrix((features.numbers.ravel(), at, np.arange(n + 1) * width), (n, len(GROUPS) * width))
    columns = _columns(known, features.marks)
    seen = columns < len(known)
    of_marks = csr_matrix(
        (np.ones(int(seen.sum())), (np.repeat(rows, seen.sum(axis=1)), columns[seen])), (n, len(known))
    )
    table = csr_matrix(hstack([by_group, csr_matrix(features.shared), of_marks]))
    fitted = fit_logistic(table, right, RIDGE, ENOUGH)
    # The last digits of sums depend on the machine and its load: a model file should not.
    return known, Logistic(round(fitted.constant, DIGITS), fitted.weights.round(DIGITS))
