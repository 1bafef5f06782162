"""Systems, and editors who correct their outputs, simulated as counts of edits; scored and compared by the library.

A text has a difficulty, which all systems share. A system proposes edits; an editor keeps those that are good enough
and adds those that are missing, and is more or less strict. Editors of one output agree on most edits: what an edit is
worth is the edit's, with some of it the editor's own view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from errorbar import M2, Corpus, Hypothesis, Problems, Resampling, Score, Sentence
from errorbar.api import ComparisonResult, Loaded
from errorbar.api.compare import compare_loaded
from errorbar.api.own_references import score_own
from errorbar.core import Floats, Interval
from errorbar.metrics import Documents, JudgePlan, ScoringPlan, SwapPlan, judging_of
from errorbar.metrics.edit_metric import EditStatistics
from errorbar.metrics.over_judges import editor_pairs
from errorbar.metrics.swaps import swap_tests

PROPOSED, MISSING = 1.3, 1.2  # edits of a text: proposed by the system; good ones that it does not propose
KEPT, ADDED = 0.65, 0.6  # by an editor of usual strictness
OWN_VIEW = 0.2  # how often an editor does not see an edit as the other editors do


class Counted(M2):
    """MaxMatch of counts that are there."""

    __slots__ = ()

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> EditStatistics:
        """The counts."""
        statistics = reference.cache["counts"]
        assert isinstance(statistics, EditStatistics)
        return statistics


@dataclass(frozen=True)
class Editing:
    """How editors vary: the standard deviation of their strictness, in log odds."""

    spread: float

    def draw(self, n_editors: int, rng: np.random.Generator) -> Floats:
        """The strictness of some editors."""
        return self.spread * rng.standard_normal(n_editors)

    def counts(self, difficulty: Floats, strictness: Floats, rng: np.random.Generator) -> NDArray[np.int32]:
        """Kept, proposed and all edits of the references of each editor; shape (texts, editors, 3)."""
        proposed = rng.poisson(PROPOSED * difficulty)
        kept = self._seen(proposed, logit(KEPT) - strictness, rng)
        added = self._seen(rng.poisson(MISSING * difficulty), logit(ADDED) + strictness, rng)
        every = np.broadcast_to(proposed[:, None], kept.shape)
        return np.stack([kept, every, kept + added], axis=2).astype(np.int32)

    def _seen(self, edits: NDArray[np.int64], threshold: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
        """How many of the edits of each text each editor takes; shape (texts, editors)."""
        n, text = int(edits.sum()), np.repeat(np.arange(len(edits)), edits)
        worth = rng.logistic(size=(n, 1))
        alone = rng.random((n, len(threshold))) < OWN_VIEW
        taken = np.where(alone, rng.logistic(size=alone.shape), worth) < threshold
        return np.stack([np.bincount(text, column, len(edits)) for column in taken.T], axis=1).astype(np.int64)

    @staticmethod
    def value(strictness: Floats) -> Floats:
        """F0.5 against one editor on infinitely many texts."""
        kept, added = PROPOSED * expit(logit(KEPT) - strictness), MISSING * expit(logit(ADDED) + strictness)
        p, r = kept / PROPOSED, kept / (kept + added)
        return np.asarray(1.25 * p * r / (0.25 * p + r))

    def expected(self, n_editors: int, rng: np.random.Generator, sets: int = 1500, texts: int = 2000) -> float:
        """The mean over sets of editors of F0.5 against the best one for each text."""
        values = []
        for _ in range(sets):
            counts = self.counts(difficulties(texts, rng), self.draw(n_editors, rng), rng)
            values.append(M2().fold(statistics_of(counts, "E")).values[0, 2])
        return float(np.mean(values))


def difficulties(n: int, rng: np.random.Generator) -> Floats:
    """How many errors texts have: one on average."""
    return rng.gamma(1.5, 1 / 1.5, n)


def statistics_of(counts: NDArray[np.int32], system: str) -> EditStatistics:
    """Counts against each editor, of a name of their own."""
    names = tuple(f"{system}{k}" for k in range(counts.shape[1]))
    return EditStatistics(counts, np.ones(counts.shape[:2], np.uint8), names)


def simulated(every: Sequence[NDArray[np.int32]]) -> Loaded:
    """Systems with their counts, as if they were read."""
    n, own = len(every[0]), {}
    for number, counts in enumerate(every):
        name = chr(ord("a") + number)
        statistics = statistics_of(counts, name)
        own[name] = Corpus([Sentence(".") for _ in range(n)], statistics.annotators, cache={"counts": statistics})
    first = own["a"]
    documents = Documents()
    documents.add(first.sentences)
    systems = [Hypothesis(name, ["."] * n) for name in own]
    return Loaded(first, systems, documents, Problems(), (), own=own)


def compared(data: Loaded, how: Resampling, swaps: int, judges: JudgePlan, *, intervals: bool) -> ComparisonResult:
    """Compare simulated systems."""
    return compare_loaded(data, Counted(), how, SwapPlan(swaps=swaps), judges, intervals=intervals)


def scored(data: Loaded, how: Resampling, judges: JudgePlan) -> list[Score]:
    """Score simulated systems."""
    return score_own(data, ScoringPlan([Counted()], resampling=how, judges=judges))


@dataclass(frozen=True)
class Covered:
    """Shares of studies of two equal systems whose intervals hold what they are of; p-values of no difference."""

    score: float  # of one system: over its editors; of one editor: of that editor
    difference: float
    score_over_texts: float  # the interval over texts, of the mean over editors
    difference_over_texts: float
    p: Floats
    width: float  # the median of the score's interval


def coverage(n: int, n_editors: int, studies: int, seed: int) -> Covered:
    """Simulate studies of two systems of n texts, each with editors of its own."""
    rng, editing = np.random.default_rng([seed, n, n_editors]), Editing(0.12)
    mean = float(editing.value(editing.draw(20_000, rng)).mean())
    if n_editors > 1:
        mean = editing.expected(n_editors, rng)
    held, p, widths = [], [], []
    for number in range(studies):
        difficulty, who = difficulties(n, rng), [editing.draw(n_editors, rng) for _ in "ab"]
        data = simulated([editing.counts(difficulty, own, rng) for own in who])
        how = Resampling(replicates=400 if n_editors == 1 else 100, seed=number)
        (pair,) = compared(data, how, 199 if n_editors == 1 else 1, JudgePlan(), intervals=True).pairs
        first = scored(data, how, JudgePlan())[0]
        estimate = first.estimate if first.judges is None else first.judges.measures["f"].estimate
        of_score, of_difference = mean, 0.0
        if n_editors == 1:
            of_score, other = (float(editing.value(own)[0]) for own in who)
            of_difference = of_score - other
        intervals = (estimate.interval, pair.verdict.interval, first.estimate.interval, pair.interval)
        values = (of_score, of_difference, mean, 0.0)
        # No interval, for nearly every value is possible, leaves nothing out.
        held.append(
            [not isinstance(i, Interval) or i.low <= v <= i.high for i, v in zip(intervals, values, strict=True)]
        )
        p.append(pair.p if pair.p is not None else 1.0)
        widths.append(1.0 if estimate.interval is None else estimate.interval.high - estimate.interval.low)
    score, difference, over_texts, difference_over_texts = np.mean(held, axis=0).tolist()
    return Covered(score, difference, over_texts, difference_over_texts, np.array(p), float(np.median(widths)))


def p_values(n: int, n_editors: int, studies: int, seed: int) -> Floats:
    """P-values of two equal systems, by swaps of one editor each, who are equally strict, or by the t of several."""
    rng = np.random.default_rng([seed, n, n_editors])
    editing, found = Editing(0.0 if n_editors == 1 else 0.12), []
    texts, metric = np.arange(n), Counted()
    for number in range(studies):
        difficulty = difficulties(n, rng)
        both = [statistics_of(editing.counts(difficulty, editing.draw(n_editors, rng), rng), name) for name in "ab"]
        if n_editors == 1:
            (test,) = swap_tests(metric, both, [(0, 1)], texts, Resampling(seed=number), SwapPlan(swaps=199))
            found.append(test.p)
            continue
        judgings = [judging_of(metric, own, n_editors, texts, None) for own in both]
        (pair,) = editor_pairs(metric, both, judgings, "ab", 0.95)[1]
        found.append(pair.p)
    return np.array(found, np.float64)
