"""LM: a corrector that makes small changes where a language model finds the sentence much more probable.

Formula
    Of every candidate (``candidates.py``) the score is ln p(the sentence with it) - ln p(the sentence), by an n-gram
    model. From the highest score down, a candidate is taken if its score is above the threshold of its type and it
    neither overlaps nor touches one that was taken.
Conventions
    Scores are those of single changes: what two of them do together is not looked at. Of equal scores the first in the
    text goes first. ``THRESHOLDS`` are the only numbers that were learned from learners: one for each type, by
    coordinate ascent on the M2 F0.5 of the CoNLL-2013 test set, three rounds over 18 values, with the model that
    docs/detectors/correctors.md names; none was chosen on CoNLL-2014. A threshold of nats is as good for other models
    as these are alike.
Source
    Bryant & Briscoe 2018, "Language model based grammatical error correction without annotated training data"; its
    candidates and thresholds are others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from errorbar.detectors.candidates import Candidate, Proposer
from errorbar.detectors.lm import change_scores
from errorbar.detectors.ngram_model import NgramModel
from errorbar.detectors.tagger import Tagger

THRESHOLDS: Mapping[str, float] = {
    **{"ArtOrDet": 0.5, "Det": 4.5, "Mec": 12.0, "Mec,": 8.0},
    **{"Nn": 2.5, "Prep": 7.0, "Vform": 4.5, "Wform": 6.0},
}
"""In nats, by type."""
BLOCK = 256  # sentences at a time: small ones are slow to tag, large ones hold many candidates


class Change(NamedTuple):
    """A change that was made: tokens ``start`` to ``end`` became others."""

    start: int
    end: int
    replacement: tuple[str, ...]
    type: str
    score: float  # in nats, above the threshold of its type


@dataclass(frozen=True, slots=True, eq=False)
class LmCorrector:
    """A corrector.

    Attributes:
        model: Of n-grams.
        tagger: Whose tags say what a word can be.
        proposer: What may be changed.
        thresholds: In nats, by type; of a type without one nothing is changed.
    """

    model: NgramModel
    tagger: Tagger
    proposer: Proposer
    thresholds: Mapping[str, float]

    def changes(self, sentences: Iterator[Sequence[str]]) -> Iterator[tuple[Sequence[str], list[Change]]]:
        """Each sentence with what is changed in it, from left to right; some sentences are read ahead."""
        while block := list(islice(sentences, BLOCK)):
            yield from zip(block, self._block(block), strict=True)

    def _block(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        proposed: list[tuple[int, Candidate]] = [
            (number, candidate)
            for number, (tokens, tags) in enumerate(zip(sentences, self.tagger.tag(sentences), strict=True))
            for candidate in self.proposer.candidates(tokens, tags)
            if candidate.type in self.thresholds
        ]
        asked = [(number, one.start, one.end, one.replacement) for number, one in proposed]
        scores = change_scores(self.model, sentences, asked)
        needed = np.array([self.thresholds[one.type] for _, one in proposed])
        taken: list[list[Change]] = [[] for _ in sentences]
        for at in np.argsort(-scores, kind="stable").tolist():
            number, one = proposed[at]
            if scores[at] > needed[at] and all(
                one.end < other.start or other.end < one.start for other in taken[number]
            ):
                taken[number].append(Change(one.start, one.end, one.replacement, one.type, float(scores[at])))
        return [sorted(changes) for changes in taken]


def changed(tokens: Sequence[str], changes: Sequence[Change]) -> list[str]:
    """A sentence with changes made."""
    made: list[str] = []
    last = 0
    for change in changes:
        made += (*tokens[last : change.start], *change.replacement)
        last = change.end
    return [*made, *tokens[last:]]
