"""lm-evaluation-harness: the functions that a YAML task names; ``tasks/errorbar_gec.yaml`` is one.

``python -m errorbar.harnesses.lm_eval_gec`` prints the folder of that file, for ``--include_path``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorbar.core.problems import MissingExtraError, Problem, UsageError, nearest
from errorbar.harnesses.common import (
    AnswerScore,
    AnswerScoring,
    ModelAnswer,
    make_answer,
    measure_names,
    read_prompts,
    score_answers,
)

if TYPE_CHECKING:
    from datasets import Dataset

TASKS = Path(__file__).with_name("tasks")
_LEVEL = 0.95
_PARTS = ("", "_stderr", "_lower", "_upper")
_BOUNDS = {"lower": "low", "upper": "high"}


def corpus(
    gold: str | None = None,
    metric: str = "m2",
    report: Sequence[str] = (),
    *,
    tokens: bool = False,
    lenient: bool = False,
    **_: object,
) -> dict[str, Dataset]:
    """The sentences of a reference as the split ``test``: what ``custom_dataset`` of a task names.

    Args:
        gold: The reference: a file in any format of errorbar, or a pattern; ``--metadata '{"gold": "gold.jsonl"}'``.
        metric: A metric of errorbar over texts.
        report: What the task's ``metric_list`` has of it; nothing: each measure with its standard error and interval.
        tokens: Show tokens with a space between any two, not ordinary text.
        lenient: Repair what can be repaired in the reference.
        _: What else stands in a task's metadata.
    """
    try:
        from datasets import Dataset  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("lm-eval", "a task of lm-evaluation-harness") from None
    if gold is None:
        fix = """lm_eval's option metadata: '{"gold": "gold.jsonl"}', or gold under metadata in the task's YAML"""
        raise UsageError(Problem("no-reference", "no reference file is named", fix=fix))
    sentences = read_prompts(gold, tokens=tokens, lenient=lenient)
    known = [f"{name}{part}" for name in measure_names(metric) for part in _PARTS]
    for name in report:
        if name not in known:
            raise UsageError(
                Problem("unknown-measure", f"{metric} has no '{name}' to report", fix=nearest(name, known))
            )
    rows = [
        {
            "number": number,
            "text": sentence.text,
            "targets": list(sentence.targets),
            "target": next(iter(sentence.targets), sentence.text),
            "document": sentence.document,
            "record": sentence.record,
            "metric": metric,
            "report": list(report) or known,
        }
        for number, sentence in enumerate(sentences, 1)
    ]
    return {"test": Dataset.from_list(rows)}


class HarnessItem(dict[str, Any]):
    """The record of one sentence; the harness would average values for which no aggregation is named."""

    def __radd__(self, other: object) -> HarnessItem:
        """Refuse to be a summand of a mean."""
        message = f"a metric of errorbar ({', '.join(self['report'])}) is not in the task's metric_list"
        fix = "list it with its aggregation, or name under metadata, in report, those that are listed"
        raise UsageError(Problem("harness-metric", message, fix=fix))


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, HarnessItem]:
    """The data of one sentence for each aggregation, under its name: the sentence and the line that is scored."""
    answer = make_answer(doc["record"], results[0])
    kept = {name: doc[name] for name in ("number", "record", "metric", "report")}
    return dict.fromkeys(doc["report"], HarnessItem(kept, line=answer.line, empty=answer.empty))


@dataclass(frozen=True, slots=True)
class Aggregation:
    """A value of the corpus, of the items of all its sentences."""

    measure: str
    part: str = ""  # "": the value; stderr: its standard error; lower, upper: its interval

    @property
    def __name__(self) -> str:
        """As functions have it."""
        return f"{self.measure}_{self.part}" if self.part else self.measure

    def __call__(self, items: Sequence[Mapping[str, Any]]) -> float | str:
        """The value; ``N/A`` where there is none."""
        score = _score_items(items)
        value: float | None
        if self.part in _BOUNDS:
            interval = score.intervals.get(self.measure)
            value = None if interval is None else getattr(interval, _BOUNDS[self.part])
        else:
            value = (score.errors if self.part else score.values).get(self.measure)
        return "N/A" if value is None else value


def _score_items(items: Sequence[Mapping[str, Any]]) -> AnswerScore:
    """The score of all sentences, in the order of the corpus, from whichever process they came."""
    ordered = sorted(items, key=lambda item: item["number"])
    answers = tuple(ModelAnswer(item["record"], item["line"], item["empty"]) for item in ordered)
    return score_answers((answers,), scoring=AnswerScoring(ordered[0]["metric"], _LEVEL))


precision = Aggregation("precision")
precision_stderr = Aggregation("precision", "stderr")
precision_lower = Aggregation("precision", "lower")
precision_upper = Aggregation("precision", "upper")
recall = Aggregation("recall")
recall_stderr = Aggregation("recall", "stderr")
recall_lower = Aggregation("recall", "lower")
recall_upper = Aggregation("recall", "upper")
f = Aggregation("f")
f_stderr = Aggregation("f", "stderr")
f_lower = Aggregation("f", "lower")
f_upper = Aggregation("f", "upper")
gleu = Aggregation("gleu")
gleu_stderr = Aggregation("gleu", "stderr")
gleu_lower = Aggregation("gleu", "lower")
gleu_upper = Aggregation("gleu", "upper")

if __name__ == "__main__":
    sys.stdout.write(f"{TASKS}\n")
