"""Correctors: small changes that a language model, classifiers or a ranker find much better than what stands there.

Formula
    Every candidate (``candidates.py``) has a score. From the highest down, it is made if its score is above 0 and it
    neither overlaps nor touches one that is made. ``WeightedScorer``: with the language model's l and the classifier's
    m of a candidate, and of its group a weight v and a threshold t, the score is (l + v m - t) / (1 + v), in nats. Of a
    group with a weight, candidates of which no classifier speaks are not made.
Conventions
    Scores are those of single changes: what two of them do together is not looked at. Of equal scores the first in the
    text goes first. Of ``WeightedScorer``, only weights and thresholds are learned from learners (``correctors.py``).
Source
    Bryant & Briscoe 2018, "Language model based grammatical error correction without annotated training data";
    Rozovskaya et al. (2014) for classifiers of native text beside it. Candidates and thresholds are ours.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.detectors.candidates import AT_ONCE, GROUPS, Proposals, Reader
from errorbar.edits.texts import common_ends

NEVER = -np.inf


class Change(NamedTuple):
    """A change that was made: tokens ``start`` to ``end``, without any that stay, became others."""

    start: int
    end: int
    replacement: tuple[str, ...]
    type: str
    score: float  # above 0, or at least what was asked for


class Scorer(Protocol):
    """A model that scores candidates, which decides which ones are made."""

    def scores(self, proposals: Proposals) -> Floats:
        """The score of each candidate; those above 0 are made where they do not get into each other's way."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The weight of a classifier beside the language model in a group of candidates, and a threshold in nats."""

    weight: float
    threshold: float


def check_settings(settings: Mapping[str, Setting]) -> None:
    """A ``ValueError`` if there is no such group, or a weight or threshold is none."""
    for name, setting in settings.items():
        if name not in GROUPS or not (setting.weight >= 0 and np.isfinite([setting.weight, setting.threshold]).all()):
            raise ValueError(f"no setting of a group: {name}")


@dataclass(frozen=True, slots=True, eq=False)
class WeightedScorer:
    """A language model and maybe classifiers; ``settings`` by group, of one without them nothing is made."""

    settings: Mapping[str, Setting]

    def scores(self, proposals: Proposals) -> Floats:
        """The score of each candidate, by the formula above."""
        scores = np.full(len(proposals.candidates), NEVER)
        for name, setting in self.settings.items():
            at = np.flatnonzero(proposals.groups == GROUPS.index(name))
            scores[at] = weigh_candidates(proposals, at, setting.weight) - setting.threshold / (1 + setting.weight)
        return scores


def weigh_candidates(proposals: Proposals, at: NDArray[np.int64], weight: float) -> Floats:
    """The scores of some candidates of a group without a threshold."""
    if not weight:
        return proposals.model[at]
    scores = (proposals.model[at] + weight * proposals.classifiers[at]) / (1 + weight)
    return np.where(np.isnan(scores), NEVER, scores)


def choose_candidates(proposals: Proposals, scores: Floats, least: float = 0.0) -> list[int]:
    """Choose the candidates to make, the best first; a higher ``least`` gives the beginning of the same list."""
    order = np.flatnonzero(scores > least)
    order = order[np.argsort(-scores[order], kind="stable")]
    taken: dict[int, list[tuple[int, int]]] = {}
    chosen: list[int] = []
    for at, number in zip(order.tolist(), proposals.sentence[order].tolist(), strict=True):
        candidate = proposals.candidates[at]
        spans = taken.setdefault(number, [])
        span = candidate.start, candidate.end
        place = bisect(spans, span)  # no two of them touch: their order is that of starts and of ends
        before, after = spans[max(place - 1, 0) : place], spans[place : place + 1]
        if all(end < span[0] for _, end in before) and all(span[1] < start for start, _ in after):
            spans.insert(place, span)
            chosen.append(at)
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Corrector:
    """A reader that finds candidates and a scorer that decides which of them are made."""

    reader: Reader  # finds candidates
    scorer: Scorer  # gives each a score
    learned: NDArray[np.uint32]  # codes of the sentences whose labels it learned from
    least: float | None = None  # the score that a change needs; None: one above 0

    def changes(self, sentences: Iterator[Sequence[str]]) -> Iterator[tuple[Sequence[str], list[Change]]]:
        """Each sentence with what is changed in it, from left to right; some sentences are read ahead."""
        while block := list(islice(sentences, AT_ONCE)):
            yield from zip(block, self._block(block), strict=True)

    def _block(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        proposals = self.reader.read(sentences)
        scores = self.scorer.scores(proposals)
        of_sentences: list[list[Change]] = [[] for _ in sentences]
        above = 0.0 if self.least is None else float(np.nextafter(self.least, -np.inf))
        for at in choose_candidates(proposals, scores, above):
            candidate, number = proposals.candidates[at], int(proposals.sentence[at])
            # A candidate may hold a word that stays, so that nothing else is done beside it; the change does not.
            first, last = common_ends(sentences[number][candidate.start : candidate.end], candidate.replacement)
            new = candidate.replacement[first : len(candidate.replacement) - last]
            of_sentences[number].append(
                Change(candidate.start + first, candidate.end - last, new, candidate.type, float(scores[at]))
            )
        return [sorted(changes) for changes in of_sentences]


def apply_changes(tokens: Sequence[str], changes: Sequence[Change]) -> list[str]:
    """A sentence with changes made."""
    tokens_after: list[str] = []
    last = 0
    for change in changes:
        tokens_after += (*tokens[last : change.start], *change.replacement)
        last = change.end
    return [*tokens_after, *tokens[last:]]
