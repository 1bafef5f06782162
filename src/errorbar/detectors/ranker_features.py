"""What a ranker looks at in a candidate: numbers of its group, and marks of its words and their neighbors.

Conventions
    l is what the language model says, m what the classifier says (0: none), both in nats. Numbers are brought to about
    1. Marks are hashed (``hashing.py``) with the group; ``old`` and ``new`` are what is replaced and by what, without
    the tokens that stay, in lower case; ``end`` their last two letters. Candidates that neither the language model nor
    a classifier finds near to what is written are left out: ``plausible``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.candidates import GROUPS
from errorbar.detectors.hashing import Codes, code, states
from errorbar.detectors.proposals import Proposals
from errorbar.detectors.sparse import Floats
from errorbar.edits.texts import common_ends

FEATURES = "ranker-2"  # what model files name; other features are another name
LEAST_MODEL, LEAST_CLASSIFIER = -4.0, -0.5
OUTSIDE = "#"
RARE = 20
NUMBERS = (
    *("one", "l", "l above 0", "l near 0", "spoken of", "m", "m above 0", "l and m", "both above 0", "lower"),
    *("rival", "frequency", "unknown", "unknown near", "unknown near, l"),
)
SHARED = ("l", "m", "unknown", "first", "best rival")
MARKS: tuple[tuple[str, ...], ...] = tuple(
    tuple(mark.split(","))
    for mark in (
        *("old", "new", "old,new", "before", "after", "tag-1", "tag+1", "tag-1,tag+1", "tag", "ends", "tag,end"),
        *("tag-1,tag,tag+1", "tag,tag+1", "tag-1,tag", "before,ends", "after,ends"),
    )
)
Trimmed = tuple[int, int, tuple[str, ...]]


def plausible(proposals: Proposals) -> NDArray[np.bool_]:
    """Which candidates are worth a look."""
    m = np.nan_to_num(proposals.classifiers, nan=-np.inf)
    return np.asarray((proposals.model > LEAST_MODEL) | (m > LEAST_CLASSIFIER))


def trimmed(tokens: Sequence[str], start: int, end: int, replacement: Sequence[str]) -> Trimmed:
    """An edit in lower case, without the tokens that stay: those at its end, then those at its beginning.

    So that a word of which only a letter's case changes has its place before it, and its own tag.
    """
    new = [token.lower() for token in replacement]
    rest, first = common_ends([token.lower() for token in tokens[start:end]][::-1], new[::-1])
    return start + first, end - rest, tuple(new[first : len(new) - rest])


class Features(NamedTuple):
    """What is looked at in each candidate."""

    groups: NDArray[np.int64]  # an index into ``GROUPS``
    numbers: Floats  # shape (candidates, ``NUMBERS``)
    shared: Floats  # shape (candidates, ``SHARED``): numbers that are weighed alike in all groups
    marks: Codes  # shape (candidates, ``MARKS``)

    def part(self, chosen: NDArray[Any]) -> Features:
        """Those of some of the candidates."""
        return Features(*(column[chosen] for column in self))


def find_features(proposals: Proposals, counts: Mapping[str, int]) -> Features:
    """What is looked at in every candidate; ``counts`` tell how often the training text has each word."""
    edits = [
        trimmed(proposals.sentences[number], one.start, one.end, one.replacement)
        for number, one in zip(proposals.sentence.tolist(), proposals.candidates, strict=True)
    ]
    return Features(proposals.groups, *_numbers(proposals, edits, counts), _marks(proposals, edits))


def _numbers(proposals: Proposals, edits: Sequence[Trimmed], counts: Mapping[str, int]) -> tuple[Floats, Floats]:
    l_ = proposals.model
    spoken = ~np.isnan(proposals.classifiers)
    m = np.where(spoken, proposals.classifiers, 0)
    unknown, near = _unknown(proposals, edits, counts)
    frequency = np.array([_frequency(proposals, at, edit, counts) for at, edit in enumerate(edits)])
    own = [
        np.ones(len(l_)),
        l_ / 5,
        np.maximum(l_, 0) / 5,
        np.clip(l_, -2, 4) / 3,
        spoken,
        m / 3,
        np.maximum(m, 0) / 3,
        spoken * np.clip(l_ / 2 + m, -3, 8) / 4,
        spoken & (l_ > 0) & (m > 0),
        spoken * np.minimum(l_ / 2, m) / 2,
        np.clip(l_ - _rivals(proposals, True), -10, 10) / 5,
        frequency / 5,
        unknown / 3,
        near / 3,
        near / 3 * l_ / 5,
    ]
    first = np.array([edit[0] == 0 for edit in edits])
    shared = [l_ / 5, m / 3, unknown / 3, first, np.maximum(_rivals(proposals, False) - l_, 0) / 5]
    return np.stack([np.asarray(column, np.float64) for column in own], axis=1), np.stack(shared, axis=1)


def _unknown(proposals: Proposals, edits: Sequence[Trimmed], counts: Mapping[str, int]) -> tuple[Floats, Floats]:
    """How many words of the sentence are unknown, and how many near by are rare; 3 at most."""
    unknown = [sum(word.isalpha() and word.lower() not in counts for word in each) for each in proposals.sentences]
    rare = [
        np.concatenate([[0], np.cumsum([word.isalpha() and counts.get(word.lower(), 0) < RARE for word in each])])
        for each in proposals.sentences
    ]
    numbers = proposals.sentence.tolist()
    near = [
        rare[n][min(len(rare[n]) - 1, end + 3)] - rare[n][max(0, start - 3)]
        for n, (start, end, _) in zip(numbers, edits, strict=True)
    ]
    of_sentence = np.array(unknown, np.float64)[proposals.sentence] if numbers else np.empty(0)
    return np.minimum(of_sentence, 3), np.minimum(np.array(near, np.float64), 3)


def _frequency(proposals: Proposals, at: int, edit: Trimmed, counts: Mapping[str, int]) -> float:
    """Ln of how many times as frequent the new word is; 0 if a word is added or left out."""
    old, new = _words(proposals, at, edit)
    return float(np.log1p(counts.get(new, 1)) - np.log1p(counts.get(old, 1))) if old and new else 0.0


def _words(proposals: Proposals, at: int, edit: Trimmed) -> tuple[str, str]:
    start, end, new = edit
    return " ".join(proposals.sentences[proposals.sentence[at]][start:end]).lower(), " ".join(new)


def _rivals(proposals: Proposals, grouped: bool) -> Floats:
    """The best other candidate at the place, of the same group or of all, as the language model has it."""
    keys = [
        (number, one.start, group if grouped else 0)
        for number, one, group in zip(
            proposals.sentence.tolist(), proposals.candidates, proposals.groups.tolist(), strict=True
        )
    ]
    best: dict[tuple[int, int, int], tuple[float, float]] = {}
    for key, l_ in zip(keys, proposals.model.tolist(), strict=True):
        first, second = best.get(key, (-np.inf, -np.inf))
        best[key] = (l_, first) if l_ > first else (first, max(second, l_))
    found = [
        best[key][1] if l_ == best[key][0] else best[key][0]
        for key, l_ in zip(keys, proposals.model.tolist(), strict=True)
    ]
    return np.array(found, np.float64)


def _marks(proposals: Proposals, edits: Sequence[Trimmed]) -> Codes:
    coded: Callable[[str], int] = lru_cache(maxsize=1 << 16)(code)
    names = ("old", "new", "before", "after", "tag-1", "tag+1", "tag", "ends", "end")
    rows = [[coded(part) for part in _parts(proposals, at, edit)] for at, edit in enumerate(edits)]
    table = np.array(rows, np.uint32).reshape(len(rows), len(names))
    parts = dict(zip(names, table.T, strict=True))
    group = np.array([code(name) for name in GROUPS], np.uint32)[proposals.groups]
    columns = [states(number, group, *(parts[name] for name in mark)) for number, mark in enumerate(MARKS)]
    return np.stack(columns, axis=1)


def _parts(proposals: Proposals, at: int, edit: Trimmed) -> tuple[str, ...]:
    number = proposals.sentence[at]
    tokens, tags = proposals.sentences[number], proposals.tags[number]
    start, end, _ = edit
    old, new = _words(proposals, at, edit)
    before, tag_before = (tokens[start - 1].lower(), tags[start - 1]) if start else (OUTSIDE, OUTSIDE)
    after, tag_after = (tokens[end].lower(), tags[end]) if end < len(tokens) else (OUTSIDE, OUTSIDE)
    tag = tags[start] if start < len(tokens) else OUTSIDE
    return old, new, before, after, tag_before, tag_after, tag, f"{old[-2:]}>{new[-2:]}", new[-2:]
