"""inspect_ai: a dataset, a task, a scorer and its metrics; ``inspect eval errorbar/gec -T gold=gold.jsonl``.

The scorer's values are the counts of single sentences. Its metrics are corpus values, folded as ``errorbar score``
folds them, with standard errors and intervals over clusters of samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from errorbar.api.inputs import Gold
from errorbar.core.problems import MissingExtraError, Problem, UsageError
from errorbar.harnesses.common import (
    AnswerScore,
    AnswerScoring,
    ModelAnswer,
    make_answer,
    read_prompts,
    score_answers,
    unit_counts,
)

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
    from inspect_ai.solver import TaskState, generate, prompt_template
except ImportError:
    raise MissingExtraError("inspect", "scoring in inspect_ai") from None

PROMPT = """Correct the errors of grammar, spelling and punctuation in this sentence. Change as little as possible, \
and answer with the corrected sentence only.

{prompt}"""
_LEVEL = 0.95


def corpus_dataset(gold: Gold, *, tokens: bool = False, lenient: bool = False) -> MemoryDataset:
    """The sentences of a reference as samples; arguments as ``read_prompts``.

    The input is the text that a model is shown, the target what the annotators made of it. The metadata have the
    ``number`` of the sentence in the corpus, its ``record``, a line of errorbar JSONL, and its ``document`` if known.
    """
    samples = []
    for number, sentence in enumerate(read_prompts(gold, tokens=tokens, lenient=lenient), 1):
        document = {"document": sentence.document} if sentence.document else {}
        metadata = {"number": number, "record": sentence.record, **document}
        samples.append(Sample(id=number, input=sentence.text, target=list(sentence.targets) or "", metadata=metadata))
    return MemoryDataset(samples, name="errorbar")


@metric(scores="unreduced")
def corpus_score() -> Metric:
    """Every measure of the corpus, and of how many sentences; of several epochs the mean."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        score = _score_samples(scores, "document", None)
        return {**score.values, "sentences": score.n_sentences}

    return compute


@metric(scores="unreduced")
def stderr(cluster: str | None = "document") -> Metric:
    """The standard error of each measure, from resamples of whole clusters.

    Args:
        cluster: Key of the samples' metadata that names the cluster; a sample without it is one of its own. None: every
            sample is.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        return {f"{name}_stderr": value for name, value in _score_samples(scores, cluster, _LEVEL).errors.items()}

    return compute


@metric(scores="unreduced")
def ci(level: float = _LEVEL, cluster: str | None = "document") -> Metric:
    """The interval of each measure (BCa), as ``errorbar score`` prints it.

    Args:
        level: Confidence level.
        cluster: As that of ``stderr``.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        intervals = _score_samples(scores, cluster, level).intervals.items()
        return {
            f"{name}_{end}": getattr(interval, bound) for name, interval in intervals for end, bound in _ENDS.items()
        }

    return compute


_ENDS = {"lower": "low", "upper": "high"}


@scorer(metrics=[corpus_score(), stderr(), ci()])
def correction(metric: str = "m2") -> Scorer:
    """Corrections of sentences against annotators; samples must be those of ``corpus_dataset``.

    Args:
        metric: A metric of errorbar over texts: ``m2``, ``m2(beta=1)``, ``gleu``, ``errant``, ...
    """

    async def score(state: TaskState, target: Target) -> Score:
        answer = make_answer(_record(state.metadata), state.output.completion)
        counts, annotator = unit_counts(answer, metric)
        listed = ", ".join(f"{name} {value:g}" for name, value in counts.items())
        return Score(
            value=counts,
            answer=answer.line,
            explanation=f"{listed}{'' if annotator is None else f', against annotator {annotator}'}",
            metadata={"metric": metric, "empty": answer.empty},
        )

    return score


@task
def gec(gold: str, metric: str = "m2", tokens: bool = False, lenient: bool = False, prompt: str = PROMPT) -> Task:
    """Ask a model to correct each sentence of a reference, and score it.

    Args:
        gold: The reference: a file in any format of errorbar, or a pattern.
        metric: As that of ``correction``.
        tokens: Show tokens with a space between any two.
        lenient: Repair what can be repaired in the reference.
        prompt: What the model is told; ``{prompt}`` stands for the sentence.
    """
    dataset = corpus_dataset(gold, tokens=tokens, lenient=lenient)
    return Task(dataset=dataset, solver=[prompt_template(prompt), generate()], scorer=correction(metric))


def _record(metadata: dict[str, Any] | None) -> str:
    record = (metadata or {}).get("record")
    if not isinstance(record, str):
        message = "a sample's metadata have no 'record' of the sentence and its annotations"
        raise UsageError(Problem("harness-sample", message, fix="make samples by corpus_dataset(gold)"))
    return record


def _score_samples(scores: Sequence[SampleScore], cluster: str | None, level: float | None) -> AnswerScore:
    """The score of all samples; one that lacks an answer in some epoch is left out."""
    epochs: dict[object, list[ModelAnswer]] = {}
    documents: dict[object, str] = {}
    numbers: dict[object, int] = {}
    spec = ""
    for sample in scores:
        metadata, details = sample.sample_metadata or {}, sample.score.metadata or {}
        group = None if cluster is None else metadata.get(cluster)
        epochs.setdefault(sample.sample_id, []).append(ModelAnswer(_record(metadata), sample.score.answer or ""))
        documents[sample.sample_id] = "" if group is None else str(group)
        numbers[sample.sample_id] = int(metadata.get("number", 0))
        spec = str(details.get("metric", spec))
    n_epochs = max(map(len, epochs.values()), default=0)
    order = sorted((key for key, answers in epochs.items() if len(answers) == n_epochs), key=numbers.__getitem__)
    runs = tuple(tuple(epochs[key][k] for key in order) for k in range(n_epochs))
    return score_answers(runs, tuple(documents[key] for key in order), AnswerScoring(spec or "m2", level))
