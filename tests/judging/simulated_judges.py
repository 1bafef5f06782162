"""Simulated judges for every scheme: their accuracy by class, leaning and speed are known.

Formula
    A judge who is asked of an item whose truth is t says t with the accuracy of t, else another label, evenly. Where
    candidates change places, a judge who leans says top, whatever is there, with that probability. Time is log-normal:
    the median is that of the judge, the standard deviation of the logarithm is 0.5.
Conventions
    Nobody says that one cannot tell, but with the probability ``unsure``. Questions beside the main one are answered
    evenly at random, marks with none. The truth of an item is its right answer, or its hidden column ``truth``; else of
    a cloze test the writer's word, and of others a label drawn from the item's name, mostly the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import log
from typing import Any

import numpy as np

from errorbar.core import Problem, UsageError
from errorbar.judging import JudgedItem, Scheme
from errorbar.judging.answers import check_answer
from errorbar.judging.scheme import SIDES, Question, fold_word

WORDS = ("on", "in", "at", "to", "of", "for", "with", "by")
"""Written by judges who err where nothing is there to choose from."""
SPREAD = 0.5


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """How a judge errs; refused if a probability is not between 0 and 1, or the time not above 0.

    Attributes:
        kind: For names.
        accuracy: Probability of the right answer, of every class.
        by_class: The same for some classes: what is right to its accuracy.
        lean: Probability of saying top without looking.
        unsure: Probability of saying that one cannot tell, where that is an answer.
        seconds: Median of an answer.
    """

    kind: str
    accuracy: float = 0.85
    by_class: Mapping[str, float] = field(default_factory=dict)
    lean: float = 0.0
    unsure: float = 0.0
    seconds: float = 4.0

    def __post_init__(self) -> None:
        shares = (self.accuracy, *self.by_class.values(), self.lean, self.unsure)
        if not (all(0 <= share <= 1 for share in shares) and self.seconds > 0):
            what = f"a judge with accuracies {self.accuracy}, {dict(self.by_class)}, {self.seconds} seconds"
            raise UsageError(Problem("simulation", what, expected="probabilities, and a time above 0"))

    def answer(self, scheme: Scheme, item: JudgedItem, reversed: int, generator: np.random.Generator) -> dict[str, Any]:
        """An answer as a browser would send it, whole by the scheme's rules."""
        said: dict[str, Any] = {}
        label = self._label(scheme, item, generator)
        for question in scheme.questions:
            if question.asked(said) and (question.required or question.id == scheme.main):
                main = question.id == scheme.main
                said[question.id] = _spoken(question, label, reversed, scheme) if main else _any(question, generator)
        if scheme.reversible and generator.random() < self.lean:
            said[scheme.main] = "top"
        return check_answer(scheme, item, said)

    def milliseconds(self, generator: np.random.Generator) -> int:
        """How long an answer takes."""
        return int(1000 * float(generator.lognormal(log(self.seconds), SPREAD)))

    def _label(self, scheme: Scheme, item: JudgedItem, generator: np.random.Generator) -> str:
        abstaining = scheme.abstaining()
        if abstaining and generator.random() < self.unsure:
            return abstaining[0]
        right = truth_of(scheme, item)
        known = [label for label in scheme.labels() or WORDS if label not in abstaining]
        if generator.random() < self.by_class.get(right, self.accuracy):
            return right
        wrong = [label for label in known if label != right]
        return wrong[int(generator.integers(len(wrong)))] if wrong else right


def truth_of(scheme: Scheme, item: JudgedItem) -> str:
    """What is right of an item, as simulated judges see it."""
    if item.answers or item.hidden.get("truth"):
        return (*item.answers, item.hidden.get("truth", ""))[0]
    if scheme.shows == "cloze" and item.span is not None:
        return fold_word(item.text[slice(*item.span)])
    labels = [label for label in scheme.labels() if label not in scheme.abstaining()]
    drawn = int.from_bytes(sha256(item.name.encode()).digest()[:4], "big")
    return (labels[drawn % len(labels)] if drawn % 5 == 0 else labels[-1]) if labels else WORDS[drawn % len(WORDS)]


def _spoken(question: Question, label: str, reversed: int, scheme: Scheme) -> Any:  # noqa: ANN401 - as questions want
    """A label in the words of the question about it."""
    if question.kind == "one":
        sides = {found[bool(reversed)]: side for side, found in SIDES.items()} if scheme.reversible else {}
        return sides.get(label, label)
    return [label]


def _any(question: Question, generator: np.random.Generator) -> Any:  # noqa: ANN401 - as questions want
    """Some answer to a question."""
    if question.kind in ("marks", "token"):
        return [] if question.kind == "marks" else 0
    values = question.values() or WORDS
    drawn = values[int(generator.integers(len(values)))]
    return drawn if question.kind == "one" else [drawn]
