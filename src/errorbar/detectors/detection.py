"""Prepositions that a selector would not have written: suggestions with scores, labels by a threshold.

Formula
    The margin of a preposition in its context is the best score of the others less the score of the one written. It
    is an error if the margin is at least the threshold.
Conventions
    Scores are the selector's: for ``me`` and ``majority`` natural logarithms of probabilities, so that a margin is in
    nats (a threshold of 4: the other is e^4 = 55 times as probable); for ``perc`` sums of averaged weights. The
    threshold is above 0 in use; margins below 0 (the written one is the best) are kept for sweeping. The mark of an
    infinitive (``contexts.is_infinitive``) is no preposition: its margin is minus infinity. One that a rule for
    extraneous use leaves out (``me-paper`` alone) has a margin of infinity.
Source
    Tetreault and Chodorow (2008), who compare probabilities by their difference; a ratio keeps thresholds apart where
    both are small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.contexts import find_extraneous, find_prepositions, is_infinitive
from errorbar.detectors.learning import Classes
from errorbar.detectors.lexicon import PREPOSITIONS, Ints, Sentences
from errorbar.detectors.selectors import PAPER, Classifier, Selector
from errorbar.detectors.sparse import Floats
from errorbar.edits.items import ERROR, OK


@dataclass(frozen=True, slots=True, eq=False)
class Detected:
    """Every preposition of a text, in order; all columns are parallel.

    Attributes:
        sentence: Number of its sentence, from 0.
        token: Number of its token in the sentence, from 0.
        written: The preposition, an index into ``PREPOSITIONS``.
        suggested: The best other one.
        margin: Score of ``suggested`` less that of ``written``.
    """

    sentence: Ints
    token: Ints
    written: Classes
    suggested: Classes
    margin: Floats

    def __len__(self) -> int:
        """How many prepositions there are."""
        return len(self.token)

    def items(self) -> list[str]:
        """Their names, as ``edit_items`` names words: ``sentence:start-end``, sentences from 1."""
        return item_names(self.sentence, self.token)

    def flags(self, threshold: float) -> NDArray[np.bool_]:
        """Which ones are errors."""
        return self.margin >= threshold

    def labels(self, threshold: float) -> list[str]:
        """The label of each one: ``error`` or ``ok``."""
        return [ERROR if flag else OK for flag in self.flags(threshold).tolist()]

    def suggestions(self) -> list[str]:
        """What to write instead of each one; empty: leave it out."""
        extraneous = np.isposinf(self.margin).tolist()
        return ["" if out else PREPOSITIONS[number] for number, out in zip(self.suggested, extraneous, strict=True)]


def item_names(sentence: Ints, token: Ints) -> list[str]:
    """What ``edit_items`` calls tokens of sentences, both counted from 0."""
    return [f"{s + 1}:{t}-{t + 1}" for s, t in zip(sentence.tolist(), token.tolist(), strict=True)]


def detect(selector: Selector, sentences: Sentences) -> Detected:
    """Judge every preposition of tokenized sentences; a text without one gives none."""
    parts = []
    for found in find_prepositions(selector.tagger, sentences, every=True):
        written = found.contexts.written
        suggested, margin = margins(selector.scores(found.text, found.contexts), written)
        if isinstance(selector, Classifier) and selector.kind == PAPER:
            margin[find_extraneous(found.text, found.contexts)] = np.inf
        margin[is_infinitive(found)] = -np.inf
        parts.append((found.sentence, found.token, written, suggested, margin))
    return Detected(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def margins(scores: Floats, written: Classes) -> tuple[Classes, Floats]:
    """The best preposition other than the written one, and by how much its score is higher (lower: below 0)."""
    every = np.arange(len(scores))
    own = scores[every, written]
    others = scores.copy()
    others[every, written] = -np.inf
    best = others.argmax(axis=1)
    return best.astype(np.int8), others[every, best] - own
