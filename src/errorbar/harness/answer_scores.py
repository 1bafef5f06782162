"""The score of a model's answers: corpus values, with intervals and standard errors over documents.

Formula
    The values and intervals are those of ``errorbar score --retokenize`` of the same lines. The standard error is the
    standard deviation of the resamples that the interval is made of, over documents where these are known.
Conventions
    Several answers to each sentence are runs: values are means over them. A measure without a value is left out, and
    so is the standard error of one whose interval does not exist. However odd the answers are, they are scored: a
    harness has no use for a refusal after hours of generation; what ``errorbar score`` would say is logged.
Source
    ``errorbar.metrics.intervals``.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.estimate import Interval
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.harness.asked_sentences import Answer, corpus_of
from errorbar.metrics.base import Metric, Selection
from errorbar.metrics.documents import Documents
from errorbar.metrics.folding import Plan
from errorbar.metrics.intervals import resampled_values
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.runs import Runs, mean_of_runs
from errorbar.metrics.scored import Score
from errorbar.metrics.scoring import score_corpus
from errorbar.stats.resampling import Resampling

_LOGGER = logging.getLogger("errorbar")
_MODEL = "model"


@dataclass(frozen=True, slots=True)
class Asking:
    """What is to be computed of answers."""

    metric: str = "m2"
    confidence_level: float | None = None  # None: no intervals and standard errors


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """The measures of some answers."""

    values: Mapping[str, float]
    intervals: Mapping[str, Interval]
    errors: Mapping[str, float]  # standard errors
    n_sentences: int


def unit_counts(answer: Answer, spec: str) -> tuple[dict[str, float], str | None]:
    """The counts of one sentence alone, and the annotator that they are counted against."""
    metric = _metric(spec)
    parts = metric.parts(metric.measure(corpus_of([answer.record]), [answer.line]))
    return dict(zip(metric.counted, np.asarray(parts.counts)[0].tolist(), strict=True)), parts.annotators[0]


def measure_names(spec: str) -> tuple[str, ...]:
    """What a metric gives."""
    return tuple(measure.name for measure in _metric(spec).measures)


@lru_cache(maxsize=16)
def _metric(spec: str) -> Metric:
    return parse_metric(spec)


@lru_cache(maxsize=8)
def score_answers(
    runs: tuple[tuple[Answer, ...], ...], documents: tuple[str, ...] | None = None, asking: Asking = Asking()
) -> AnswerScore:
    """Score the answers of a model.

    Args:
        runs: One or several times an answer to each sentence, in the order of the corpus.
        documents: The document of each sentence, ``""`` for none; None: as the sentences say.
        asking: What to compute.

    Raises:
        UsageError: If there is no such metric.
    """
    if not runs or not runs[0]:
        return AnswerScore({}, {}, {}, 0)
    metric, problems = _metric(asking.metric), Problems()
    corpus = corpus_of([answer.record for answer in runs[0]], None if documents is None else list(documents))
    names = (_MODEL,) if len(runs) == 1 else tuple(f"{_MODEL}#{k}" for k in range(1, len(runs) + 1))
    outputs = [Hypothesis(name, [one.line for one in run]) for name, run in zip(names, runs, strict=True)]
    resampling = None if asking.confidence_level is None else Resampling(confidence_level=asking.confidence_level)
    means = {_MODEL: names} if len(runs) > 1 else {}
    plan = Plan((metric,), resampling=resampling, admission=Admission(force=True), runs=means)
    (score,) = score_corpus(corpus, outputs, plan, problems)
    estimates = score.estimates.items()
    found = AnswerScore(
        {name: one.value for name, one in estimates if one.value is not None},
        {name: one.interval for name, one in estimates if one.interval is not None},
        {} if resampling is None else _errors(corpus, outputs, score, metric, resampling),
        score.n_units,
    )
    if resampling is not None:
        _tell(problems, score)
    return found


def _errors(
    corpus: Corpus, outputs: Sequence[Hypothesis], score: Score, metric: Metric, resampling: Resampling
) -> dict[str, float]:
    """The standard error of each measure that has an interval."""
    if not any(one.interval for one in score.estimates.values()):
        return {}
    measured = [metric.measure(corpus, output.lines) for output in outputs]
    statistics, own = (measured[0], metric) if len(measured) == 1 else (Runs(tuple(measured)), mean_of_runs(metric))
    documents = Documents()
    documents.add(corpus.sentences)

    def fold(selection: Selection) -> np.ndarray:
        return own.fold(statistics, selection).values

    drawn = resampled_values(own, fold, documents.clusters(), resampling)
    columns = zip(score.estimates.items(), drawn.T, strict=True)
    return {name: float(np.nanstd(column, ddof=1)) for (name, one), column in columns if one.interval}


def _tell(problems: Problems, score: Score) -> None:
    for note in problems.notes:
        _warn(str(note))
    _LOGGER.info("signature %s", score.signature)


@lru_cache(maxsize=1024)
def _warn(text: str) -> None:
    """Once: harnesses ask for scores again and again while samples come in."""
    _LOGGER.warning("%s", text)
