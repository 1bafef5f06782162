"""The score of a model's answers: corpus values, with intervals and standard errors over documents.

Formula
    The values and intervals are those of ``errorbar score --retokenize`` of the same lines. The standard error is the
    standard deviation of the resamples that the interval is made of, over documents where these are known.
Conventions
    Several answers to each sentence are runs: values are means over them. A measure without a value is left out, and
    so is the standard error of one whose interval does not exist. However odd the answers are, they are scored: a
    harness has no use for a refusal after hours of generation; what ``errorbar score`` would say is logged.

    A model is shown ordinary text (``ordinary_text``), unless the source's tokens would not come back from it; so who
    repeats the text has changed nothing. Of an answer all that is not white space counts, over however many lines; it
    gets the source's tokens as ``--retokenize`` gives them. An empty answer leaves the sentence as it is.
Source
    ``errorbar.metrics.intervals``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from errorbar.api.inputs import Gold
from errorbar.api.read import read_corpus
from errorbar.core.corpus import Corpus, Hypothesis, Sentence, source_record
from errorbar.core.estimate import Interval
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.edits.likeness import retokenize_lines
from errorbar.edits.texts import corrected_text
from errorbar.formats.jsonl import read_jsonl, write_jsonl
from errorbar.formats.look import Lines
from errorbar.formats.text import ordinary_text
from errorbar.metrics.base import Metric, Selection
from errorbar.metrics.folding import Documents, ScoringPlan
from errorbar.metrics.intervals import fold_resampled_values
from errorbar.metrics.judges import SystemRuns, mean_of_runs
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scores import Score
from errorbar.metrics.scoring import score_corpus
from errorbar.stats.resampling import Resampling


@dataclass(frozen=True, slots=True)
class PromptedSentence:
    """A sentence that a model is asked to correct."""

    text: str  # what the model is shown
    record: str  # the sentence with its annotations, a line of errorbar JSONL
    document: str  # "": none is known
    targets: tuple[str, ...]  # what the annotators made of it, each once, as ordinary text


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer, as it is scored."""

    record: str  # of the sentence
    line: str
    empty: bool = False  # it answered nothing


def read_prompts(gold: Gold, *, tokens: bool = False, lenient: bool = False) -> Iterator[PromptedSentence]:
    """Every sentence of a reference.

    Args:
        gold: What ``errorbar.read_corpus`` takes.
        tokens: Show the source's tokens with a space between any two, as the reference has them.
        lenient: Repair what can be repaired in the reference.

    Yields:
        The sentences, in order.

    Raises:
        InputError: If a file is bad.
        UsageError: If no file is named.
    """
    corpus = read_corpus(gold, lenient=lenient)
    records = write_jsonl(corpus.sentences, Problems(), corpus.annotators)
    next(records)  # the header
    problems = Problems(lenient=True)
    for sentence, record in zip(corpus.sentences, records, strict=True):
        corrected = [corrected_text(sentence, name, problems) for name in sentence.annotations]
        targets = tuple(dict.fromkeys(text if tokens else ordinary_text(text.split()) for text in corrected))
        yield PromptedSentence(
            source_record(sentence) if tokens else _prompt_text(sentence), record, sentence.document, targets
        )


def _prompt_text(sentence: Sentence) -> str:
    source = source_record(sentence)
    shown = ordinary_text(source.split())
    return shown if retokenize_lines([source], [shown])[0] == [source] else source


def make_answer(record: str, completion: str) -> ModelAnswer:
    """The answer of a model to a sentence."""
    source, line = source_record(corpus_of([record]).sentences[0]), " ".join(completion.split())
    return ModelAnswer(record, retokenize_lines([source], [line])[0][0] if line else source, not line)


def corpus_of(records: list[str], documents: list[str] | None = None) -> Corpus:
    """The corpus of some sentences, in the documents that are named or in their own."""
    problems = Problems(lenient=True)
    sentences = list(read_jsonl(Lines("samples", problems, cut=["\n".join(records).encode()]), problems))
    problems.raise_errors()
    if documents is not None:
        pairs = zip(sentences, documents, strict=True)
        sentences = [replace(sentence, document=document) for sentence, document in pairs]
    return Corpus(sentences, tuple({name for sentence in sentences for name in sentence.annotations}), "samples")


_LOGGER = logging.getLogger("errorbar")
_MODEL = "model"


@dataclass(frozen=True, slots=True)
class AnswerScoring:
    """The scores that are to be computed of answers."""

    metric: str = "m2"
    confidence_level: float | None = None  # None: no intervals and standard errors


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """The measures of some answers."""

    values: Mapping[str, float]
    intervals: Mapping[str, Interval]
    errors: Mapping[str, float]  # standard errors
    n_sentences: int


def unit_counts(answer: ModelAnswer, spec: str) -> tuple[dict[str, float], str | None]:
    """The counts of one sentence alone, and the annotator that they are counted against."""
    metric = _metric(spec)
    parts = metric.parts(metric.measure(corpus_of([answer.record]), [answer.line]))
    return dict(zip(metric.counted, np.asarray(parts.counts)[0].tolist(), strict=True)), parts.annotators[0]


def measure_names(spec: str) -> tuple[str, ...]:
    """The values of a metric."""
    return tuple(measure.name for measure in _metric(spec).measures)


@lru_cache(maxsize=16)
def _metric(spec: str) -> Metric:
    return parse_metric(spec)


@lru_cache(maxsize=8)
def score_answers(
    runs: tuple[tuple[ModelAnswer, ...], ...],
    documents: tuple[str, ...] | None = None,
    scoring: AnswerScoring = AnswerScoring(),
) -> AnswerScore:
    """Score the answers of a model.

    Args:
        runs: One or several times an answer to each sentence, in the order of the corpus.
        documents: The document of each sentence, ``""`` for none; None: as the sentences say.
        scoring: What to compute.

    Raises:
        UsageError: If there is no such metric.
    """
    if not runs or not runs[0]:
        return AnswerScore({}, {}, {}, 0)
    metric, problems = _metric(scoring.metric), Problems()
    corpus = corpus_of([answer.record for answer in runs[0]], None if documents is None else list(documents))
    names = (_MODEL,) if len(runs) == 1 else tuple(f"{_MODEL}#{k}" for k in range(1, len(runs) + 1))
    outputs = [Hypothesis(name, [answer.line for answer in run]) for name, run in zip(names, runs, strict=True)]
    resampling = None if scoring.confidence_level is None else Resampling(confidence_level=scoring.confidence_level)
    means = {_MODEL: names} if len(runs) > 1 else {}
    plan = ScoringPlan((metric,), resampling=resampling, admission=Admission(force=True), runs=means)
    (score,) = score_corpus(corpus, outputs, plan, problems)
    estimates = score.estimates.items()
    result = AnswerScore(
        {name: estimate.value for name, estimate in estimates if estimate.value is not None},
        {name: estimate.interval for name, estimate in estimates if estimate.interval is not None},
        {} if resampling is None else _errors(corpus, outputs, score, metric, resampling),
        score.n_units,
    )
    if resampling is not None:
        for note in problems.notes:
            _warn(str(note))
        _LOGGER.info("signature %s", score.signature)
    return result


def _errors(
    corpus: Corpus, outputs: Sequence[Hypothesis], score: Score, metric: Metric, resampling: Resampling
) -> dict[str, float]:
    if not any(estimate.interval for estimate in score.estimates.values()):
        return {}
    measured = [metric.measure(corpus, output.lines) for output in outputs]
    statistics, own = (
        (measured[0], metric) if len(measured) == 1 else (SystemRuns(tuple(measured)), mean_of_runs(metric))
    )
    documents = Documents()
    documents.add(corpus.sentences)

    def fold(selection: Selection) -> np.ndarray:
        return own.fold(statistics, selection).values

    drawn = fold_resampled_values(own, fold, documents.clusters(), resampling)
    columns = zip(score.estimates.items(), drawn.T, strict=True)
    return {name: float(np.nanstd(column, ddof=1)) for (name, estimate), column in columns if estimate.interval}


@lru_cache(maxsize=1024)
def _warn(text: str) -> None:
    """Log a warning once: harnesses ask for scores again and again while samples come in."""
    _LOGGER.warning("%s", text)
