"""Weights and thresholds of a corrector by group, from learners' text with edits.

Formula
    Coordinate ascent on F0.5, counted as in ``ranker.py``: in ``ROUNDS`` rounds, each group in turn takes the weight
    of ``WEIGHTS`` and the threshold of ``THRESHOLDS`` (or none: nothing of the group is made) that give the highest
    F0.5 with what the others have.
Conventions
    Within a group, changes are made one after the other from the highest score down, where they do not get into each
    other's way; between groups that is not looked at. A group has to make ``LEAST`` right changes.
Source
    A threshold for each type, chosen on learners' text: Bryant and Briscoe (2018) have one for all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.detectors.candidates import GROUPS
from errorbar.detectors.corrector import NEVER, Setting, choose, weighed
from errorbar.detectors.proposals import Proposals
from errorbar.detectors.ranker import Flags, edits_wanted, right_changes

WEIGHTS = (0.0, 2.0)
THRESHOLDS = (-2.0, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0)
ROUNDS, LEAST = 4, 10


@dataclass(frozen=True, slots=True)
class _Option:
    """What a group does with a setting: how many changes it makes, how many of them are right."""

    setting: Setting | None
    made: int
    right: int


def tune(proposals: Proposals, corpus: Corpus, *, classifiers: bool) -> dict[str, Setting]:
    """The setting of every group that makes changes.

    Args:
        proposals: The candidates of learners' text.
        corpus: The text with its annotators' edits.
        classifiers: Whether they may weigh anything.
    """
    right, wanted = right_changes(proposals, corpus), edits_wanted(corpus)
    options = [
        _options(proposals, right, np.flatnonzero(proposals.groups == number), WEIGHTS if classifiers else WEIGHTS[:1])
        for number in range(len(GROUPS))
    ]
    chosen = [each[0] for each in options]
    for _ in range(ROUNDS):
        for at, each in enumerate(options):
            made = sum(one.made for k, one in enumerate(chosen) if k != at)
            hit = sum(one.right for k, one in enumerate(chosen) if k != at)
            chosen[at] = max(each, key=lambda one: (hit + one.right) / (made + one.made + 0.25 * wanted))
    return {name: one.setting for name, one in zip(GROUPS, chosen, strict=True) if one.setting is not None}


def _options(proposals: Proposals, right: Flags, at: NDArray[np.int64], weights: tuple[float, ...]) -> list[_Option]:
    found = [_Option(None, 0, 0)]
    for weight in weights:
        scores = np.full(len(proposals.candidates), NEVER)
        scores[at] = weighed(proposals, at, weight)
        order = choose(proposals, scores, min(THRESHOLDS) / (1 + weight))
        hits = np.concatenate([[0], np.cumsum(right[order])])
        for threshold in THRESHOLDS:
            made = int((scores[order] > threshold / (1 + weight)).sum())
            if hits[made] >= LEAST:
                found.append(_Option(Setting(weight, threshold), made, int(hits[made])))
    return found
