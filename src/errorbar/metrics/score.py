"""A score: what was computed, its value with its company, and its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.core.counts import Counts
from errorbar.core.estimate import Estimate
from errorbar.core.signature import Signature


@dataclass(frozen=True, slots=True)
class TypeRecall:
    """Recall of one error type over the annotators chosen sentence by sentence.

    Attributes:
        type: The error type.
        correct: Reference edits of the type that were matched.
        gold: Reference edits of the type.
    """

    type: str
    correct: int
    gold: int

    @property
    def recall(self) -> float | None:
        """Correct / gold, or None where the reference has no edit of the type."""
        return self.correct / self.gold if self.gold else None


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """The part of one sentence in a corpus score.

    Attributes:
        sentence: Its number, counted from 1.
        annotator: The annotator chosen for it, or None where nobody looked.
        counts: Its counts under that annotator.
    """

    sentence: int
    annotator: str | None
    counts: Counts


@dataclass(frozen=True, slots=True)
class Score:
    """A system's score under one metric.

    Attributes:
        system: The system's name.
        beta: Weight of recall against precision in F.
        precision: P.
        recall: R.
        f: F.
        counts: Correct, proposed and reference edits.
        n_sentences: Sentences scored.
        annotators: The annotators scored against.
        signature: What was computed on which data how.
        by_type: Recall of each error type, where asked for.
        by_sentence: The part of each sentence, where asked for.
    """

    system: str
    beta: float
    precision: Estimate
    recall: Estimate
    f: Estimate
    counts: Counts
    n_sentences: int
    annotators: tuple[str, ...]
    signature: Signature
    by_type: Sequence[TypeRecall] = ()
    by_sentence: Sequence[SentenceScore] = ()

    @property
    def metric(self) -> str:
        """The spec."""
        return self.signature.spec
