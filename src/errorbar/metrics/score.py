"""A score: what was computed, its value with its company, and its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from errorbar.core.counts import Counts
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.signature import Signature


@dataclass(frozen=True, slots=True)
class TypeRecall:
    """Recall of one error type over the annotators chosen sentence by sentence.

    Attributes:
        type: The error type.
        correct: Reference edits of the type that were matched.
        gold: Reference edits of the type.
        interval: The interval of recall, or why there is none; None if none was asked for.
    """

    type: str
    correct: int
    gold: int
    interval: Interval | Undefined | None = None

    @property
    def recall(self) -> float | None:
        """Correct / gold, or None where the reference has no edit of the type."""
        return self.correct / self.gold if self.gold else None

    @property
    def estimate(self) -> Estimate:
        """Recall with its interval; its units are the reference edits of the type."""
        undefined = None if self.gold else Undefined.NOTHING_IN_REFERENCE
        estimate = Estimate(self.recall, self.gold, undefined=undefined)
        return estimate if self.interval is None else estimate.with_interval(self.interval)


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
        types: Content hash of the error types, where they are counted.
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
    types: str = ""

    @property
    def type_signature(self) -> Signature:
        """The signature of what ``by_type`` holds too: it depends on the error types of the reference."""
        conventions = (f"types:{self.types}", *self.signature.conventions)
        return replace(self.signature, conventions=conventions) if self.types else self.signature

    @property
    def metric(self) -> str:
        """The spec."""
        return self.signature.spec
