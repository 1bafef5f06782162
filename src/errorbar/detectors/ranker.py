"""A ranker of candidates: which changes annotators of learners' text would make.

Formula
    The log odds that a change is right are a logistic regression with a ridge (``logistic.py``) on what
    ``ranker_features.py`` finds: numbers by group, shared numbers, and marks. A candidate's score is its log odds less
    a threshold, the one with the highest F0.5 on the labels when each fold's sentences are ranked without them.
Conventions
    A change is right if one of the annotators makes it: trimmed, the same tokens become the same. F0.5 counts the
    changes made and right against the mean number of edits of an annotator. Folds are runs of consecutive sentences,
    so that but for the essay at a boundary no essay is in two of them. A mark needs ``LEAST`` candidates.
Source
    Re-ranking by a classifier that has seen learners: Yannakoudakis et al. (2017), Rozovskaya and Roth (2016).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Problem, UsageError
from errorbar.detectors.candidates import GROUPS
from errorbar.detectors.corrector import NEVER, choose
from errorbar.detectors.hashing import Codes
from errorbar.detectors.logistic import Floats, Logistic, fit_logistic
from errorbar.detectors.proposals import Proposals
from errorbar.detectors.ranker_features import NUMBERS, SHARED, Features, find_features, plausible, trimmed

RIDGE, LEAST, FOLDS = 10.0, 3, 5
ENOUGH, DIGITS = 1e-7, 6
THRESHOLDS = np.arange(-2.5, 0.01, 0.1)
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """A fitted ranker.

    Attributes:
        marks: The marks that have a weight, in ascending order.
        fitted: The regression; columns are numbers by group, shared numbers, marks.
        threshold: Log odds above which a change is made.
        counts: How often the training text has each word.
    """

    marks: Codes
    fitted: Logistic
    threshold: float
    counts: Mapping[str, int]

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
        found = np.full(len(proposals.candidates), NEVER)
        chosen = plausible(proposals)
        if chosen.any():
            features = find_features(proposals.part(chosen), self.counts)
            found[chosen] = self.log_odds(features) - self.threshold
        return found

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
    found = np.minimum(np.searchsorted(known, marks), max(len(known) - 1, 0))
    return np.where(known[found] == marks, found, len(known)) if len(known) else np.zeros(marks.shape, np.int64)


def right_changes(proposals: Proposals, corpus: Corpus) -> Flags:
    """Which candidates an annotator makes too."""
    made = [
        {
            trimmed(sentence.tokens, edit.start, edit.end, said.split())
            for edits in sentence.annotations.values()
            for edit in edits
            for said in edit.replacements
            if said.split() != [*sentence.tokens[edit.start : edit.end]]  # some annotators' edits change nothing
        }
        for sentence in corpus.sentences
    ]
    pairs = zip(proposals.sentence.tolist(), proposals.candidates, strict=True)
    return np.array(
        [trimmed(proposals.sentences[n], one.start, one.end, one.replacement) in made[n] for n, one in pairs], np.bool_
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
    proposals = proposals.part(plausible(proposals))
    right = right_changes(proposals, corpus)
    if right.all() or not right.any():
        what = f"{int(right.sum())} of {len(right)} candidates are right"
        raise UsageError(Problem("labels-one", what, expected="right and wrong ones", fix="give more labels"))
    features = find_features(proposals, counts)
    odds = cross_validated(features, right, proposals.sentence * FOLDS // len(corpus.sentences))
    order = choose(proposals, odds, float(THRESHOLDS[0]))
    wanted = edits_wanted(corpus)
    best = max((f_half(order, odds, right, wanted, float(each)), float(each)) for each in THRESHOLDS)
    marks, fitted = _fit(features, right)
    made = [at for at in order if odds[at] > best[1]]
    hit = int(right[made].sum())
    said = {
        "examples": len(right),
        "right": int(right.sum()),
        "precision": hit / max(len(made), 1),
        "recall": hit / wanted,
        "f0.5": best[0],
    }
    return Ranker(marks, fitted, round(best[1], 3), counts), said


def edits_wanted(corpus: Corpus) -> float:
    """The mean number of edits of an annotator."""
    n = sum(len(edits) for sentence in corpus.sentences for edits in sentence.annotations.values())
    return n / max(len(corpus.annotators), 1)


def f_half(order: list[int], scores: Floats, right: Flags, wanted: float, threshold: float) -> float:
    """F0.5 of the changes above a threshold among those that are made at a lower one."""
    made = [at for at in order if scores[at] > threshold]
    return 1.25 * float(right[made].sum()) / (len(made) + 0.25 * wanted) if made else 0.0


def cross_validated(features: Features, right: Flags, folds: NDArray[np.int64], share: float = 1.0) -> Floats:
    """The log odds of every candidate by a ranker fitted without its fold, to the first ``share`` of the rest."""
    odds = np.full(len(right), NEVER)
    for fold in np.unique(folds):
        out = folds == fold
        rest = np.flatnonzero(~out)
        rest = rest[: round(share * len(rest))]
        if right[rest].any() and not right[rest].all():
            ranker = Ranker(*_fit(features.part(rest), right[rest]), 0.0, {})
            odds[out] = ranker.log_odds(features.part(out))
    return odds


def _fit(features: Features, right: Flags) -> tuple[Codes, Logistic]:
    from scipy.sparse import csr_matrix, hstack  # noqa: PLC0415 - loading it takes a while

    found, counts = np.unique(features.marks, return_counts=True)
    known = found[counts >= LEAST]
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
