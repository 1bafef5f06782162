"""Systems compared by scores of sentences that another program recorded, as errorbar.formats.metric_scores reads them.

Conventions
    A system's score is the mean of its sentences'. Resamples and swaps of the sentences are those of every metric.
    Every system has a score of every sentence. Sentences are in the order of their numbers, which begin with 0 or 1 and
    leave none out; where they are names, in the order of the file. Judges, if the other program had any, are fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose, nan
from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.corpus import ContentHash
from errorbar.core.estimate import Undefined
from errorbar.core.labels import whole_number
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.core.rankings import MetricScores, order_sentences, renumber_sentences, sentence_means
from errorbar.core.spec import Spec
from errorbar.formats.limits import LARGEST_SCORE
from errorbar.formats.look import Source, display_name
from errorbar.formats.metric_scores import read_named_scores
from errorbar.metrics.base import Feature, Folded, Measure, Metric, Opaque, Selection, UnitParts, lacking
from errorbar.metrics.comparison import System

RecordedSource = Source | MetricScores
MISSING = "scores-missing"


def hash_scores(scores: MetricScores, *, ordered: bool = False) -> str:
    """The hash of scores of sentences, as signatures have it; ``ordered``: the order of systems changes digits, too."""
    content = ContentHash()
    numbered = all(whole_number(name) is not None for name in scores.sentences)  # their order is known
    names = sorted(scores.sentences) if numbered else list(scores.sentences)
    content.add([repr((name, sorted(scores.sentences[name].items()))) for name in names])
    if ordered:
        content.add(list(scores.systems))
    return content.short()


def check_scores(scores: MetricScores, problems: Problems, first_sentence: int = 1) -> MetricScores:
    """Scores in memory as those of a table: numbers, sentences in order, means for systems with sentences alone.

    Raises:
        InputError: If a score is no number, or is too large.
    """

    def number(value: object, whose: str) -> float:
        try:
            size = float(value) if isinstance(value, Real) else nan
        except OverflowError:  # a whole number of hundreds of digits
            size = nan
        if abs(size) <= LARGEST_SCORE:
            return size
        expected = f"a number between -{LARGEST_SCORE:g} and {LARGEST_SCORE:g}"
        problems.error("scores-number", f"the score {value!r} of {whose}", Place(scores.metric), expected)
        return nan

    systems = {system: number(value, f"'{system}'") for system, value in scores.systems.items()}
    sentences = {
        str(name): {system: number(value, f"sentence {name} of '{system}'") for system, value in row.items()}
        for name, row in scores.sentences.items()
    }
    problems.raise_errors()
    for system, mean in sentence_means(sentences).items():
        systems.setdefault(system, mean)
    return replace(scores, systems=systems, sentences=renumber_sentences(order_sentences(sentences), first_sentence))


def read_tables(
    scores: RecordedSource, problems: Problems, *, betas: Sequence[float] = (), first_sentence: int = 1
) -> list[MetricScores]:
    """The metrics of a file, ``name=path`` naming one, or of what is in memory; arguments as of the reader of files."""
    if isinstance(scores, MetricScores):
        return [check_scores(scores, problems, first_sentence)]
    return read_named_scores(scores, problems, betas=betas, first_sentence=first_sentence)


def read_recorded(scores: RecordedSource, problems: Problems) -> tuple[MetricScores, str]:
    """The one metric of a file (maybe ``name=path``), or of what is in memory; and what messages call it.

    Raises:
        InputError: If the scores are bad.
        UsageError: If a file has several metrics.
    """
    file = scores.metric if isinstance(scores, MetricScores) else display_name(scores)
    tables = read_tables(scores, problems)
    if len(tables) > 1:
        message = f"scores of {len(tables)} metrics: {', '.join(table.metric for table in tables)}"
        raise UsageError(Problem(MISSING, message, Place(file), "one", "put each in a file of its own"))
    return tables[0], file


def score_table(scores: MetricScores, file: str, problems: Problems) -> Floats:
    """The scores of sentences; shape (sentences, systems). Problems: each score that is missing."""
    names = list(scores.sentences)
    if not names:
        fix = "add the column sentence, and a row for each sentence of each system"
        message = f"{scores.metric} has no scores of sentences, by which systems are compared"
        problems.error(MISSING, message, Place(file), fix=fix)
        problems.raise_errors()
    numbers = [number for name in names if (number := whole_number(name)) is not None]
    if len(numbers) == len(names):
        known = set(numbers)
        absent = next((number for number in range(min(1, numbers[0]), numbers[-1]) if number not in known), None)
        if absent is not None:
            problems.error(MISSING, f"no system has a score of sentence {absent}", Place(file))
    table = np.full((len(names), len(scores.systems)), np.nan)
    for row, name in enumerate(names):
        for column, system in enumerate(scores.systems):
            value = scores.sentences[name].get(system)
            if value is None:
                message = f"{scores.metric} has no score of sentence {name} of '{system}'"
                problems.error(MISSING, message, Place(file), "a score of every sentence of every system")
            else:
                table[row, column] = value
    problems.raise_errors()
    for system, mean in zip(scores.systems, table.mean(axis=0).tolist(), strict=True):
        if not isclose(scores.systems[system], mean, rel_tol=1e-6, abs_tol=1e-9):
            message = f"{scores.metric} of '{system}' is recorded as {scores.systems[system]:g}, and the mean of its "
            message += f"sentences is {mean:g}, which is compared"
            problems.note("scores-not-mean", message, Place(file), fix="leave out rows without a sentence")
    return table


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """A system's scores; shape (units,)."""

    values: Floats

    def __len__(self) -> int:
        return len(self.values)

    def take(self, units: NDArray[np.int64] | slice) -> SentenceScores:
        """The scores of some sentences."""
        return SentenceScores(self.values[units])


@dataclass(frozen=True, slots=True)
class RecordedMetric(Metric):
    """The mean of recorded scores of sentences; higher is better.

    Attributes:
        title: The name of the metric that was recorded.
    """

    name: ClassVar[str] = "recorded"
    summary: ClassVar[str] = "scores of sentences that another program recorded"
    counted: ClassVar[tuple[str, ...]] = ()
    additive: ClassVar[bool] = True
    lacks: ClassVar[Mapping[Feature, str]] = {
        "annotators": "its scores were recorded once",
        "types": "its scores are of sentences",
        "closed": "there is no formula for its intervals",
    }

    title: str = "score"

    @property
    def spec(self) -> Spec:
        """The name of the metric that was recorded."""
        return Spec(self.title)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The mean."""
        return (Measure("score", self.title, "number"),)

    def measure(self, reference: Opaque, output: Opaque, *, by_type: bool = False) -> SentenceScores:
        """Nothing can be measured that was not recorded; raises ``UsageError``."""
        raise lacking(self, "annotators")

    def join(self, parts: Sequence[SentenceScores]) -> SentenceScores:
        """One after the other."""
        return SentenceScores(np.concatenate([part.values for part in parts]))

    def fold(
        self, statistics: SentenceScores, selection: Selection | None = None, *, start: Folded | None = None
    ) -> Folded:
        """The mean of each replicate."""
        weights = (selection or Selection()).as_weights(len(statistics))
        sums = np.stack([weights @ statistics.values, weights.sum(axis=1)], axis=1)
        sums = sums if start is None else sums + start.counts
        values = np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0)
        return Folded(values[:, None], sums, np.rint(sums[:, 1]).astype(np.int64))

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """There is a value wherever there is a sentence."""
        return [None if folded.n_units[0] else Undefined.NO_UNITS]

    def differ(self, first: SentenceScores, second: SentenceScores) -> NDArray[np.bool_]:
        """Where the scores differ."""
        return np.asarray(first.values != second.values, np.bool_)

    def parts(self, statistics: SentenceScores, *, start: Folded | None = None) -> UnitParts:
        """The scores themselves."""
        n = len(statistics)
        return UnitParts([None] * n, np.zeros((n, 0)), statistics.values[:, None])


def recorded_systems(scores: MetricScores, table: Floats) -> tuple[RecordedMetric, list[System]]:
    """The metric of the recorded scores, and its systems in their order."""
    systems = [System(name, SentenceScores(column)) for name, column in zip(scores.systems, table.T, strict=True)]
    return RecordedMetric(scores.metric), systems
