"""Comparisons of systems by judges, as columns of integer codes, and the scores that metrics give to systems.

A ranking is the set of its comparisons. These depend on each other, so the item (one screen, one judge) is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.labels import whole_number
from errorbar.core.problems import Problem, UsageError

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """A table of comparisons, one row each, in the order of the file; columns have the shape (comparisons,).

    Raises:
        UsageError: If the columns differ in length, a code is outside its vocabulary, an outcome is none of the three,
            or a system is compared with itself.
    """

    first: Codes  # one system, an index into ``systems``
    second: Codes  # the other system, never the same
    outcome: NDArray[np.int8]  # 1 where the first is better, -1 where the second is, 0 for a tie
    item: Codes  # what was ranked: one judge, one sentence, one screen
    judge: Codes
    sentence: Codes
    identical: NDArray[np.bool_]  # both wrote the same text: the judge saw it once, and the tie is none of theirs
    shown: NDArray[np.bool_]  # one for each two texts that a judge saw: the first of those that follow from it
    systems: tuple[str, ...]
    items: tuple[str, ...]
    judges: tuple[str, ...]
    sentences: tuple[str, ...]

    def __post_init__(self) -> None:
        known = (self.systems, self.systems, self.items, self.judges, self.sentences)
        for column, names in zip(("first", "second", "item", "judge", "sentence"), known, strict=True):
            codes = getattr(self, column)
            if codes.shape != (len(self.outcome),):
                raise _unfit(f"the column '{column}' has shape {codes.shape}", f"shape ({len(self.outcome)},)")
            if len(codes) and not (codes.min() >= 0 and codes.max() < len(names)):
                raise _unfit(f"a code of '{column}' is outside its {len(names)} names", f"0 to {len(names) - 1}")
        if not self.identical.shape == self.shown.shape == self.outcome.shape:
            raise _unfit("a column of marks has another length", f"shape ({len(self.outcome)},)")
        if not np.isin(self.outcome, (-1, 0, 1)).all():
            raise _unfit("an outcome is none of the three", "1, 0 or -1")
        if (self.first == self.second).any():
            raise _unfit("a system is compared with itself", "two systems")

    def __len__(self) -> int:
        return len(self.outcome)

    def without_identical(self) -> Comparisons:
        """The comparisons of different texts: the ties that a judge said, none that follow from equal output."""
        columns = {each.name: getattr(self, each.name) for each in fields(self)[:8]}
        return replace(self, **{name: column[~self.identical] for name, column in columns.items()})

    @classmethod
    def from_pairs(cls, pairs: Sequence[tuple[str, str, int]], *, items: Sequence[str] = ()) -> Comparisons:
        """Comparisons of triples: a system, another, and 1, -1 or 0; each is an item, unless ``items`` names them."""
        names = list(items) or [str(number) for number in range(1, len(pairs) + 1)]
        if len(names) != len(pairs):
            raise _unfit(f"{len(names)} items for {len(pairs)} comparisons", "an item for each")
        firsts, seconds = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        systems, known = (
            {name: at for at, name in enumerate(dict.fromkeys(each))} for each in (firsts + seconds, names)
        )
        first, second = (np.array([systems[name] for name in each], np.int32) for each in (firsts, seconds))
        outcome = np.array([pair[2] for pair in pairs])
        if not np.isin(outcome, (-1, 0, 1)).all():  # before one half becomes a tie
            raise _unfit("an outcome is none of the three", "1, 0 or -1")
        item = np.array([known[name] for name in names], np.int32)
        marks = np.zeros(len(pairs), np.bool_)
        codes = (first, second, outcome.astype(np.int8), item, np.zeros_like(item), item, marks, ~marks)
        return cls(*codes, tuple(systems), tuple(known), ("judge",), tuple(known))


def _unfit(what: str, expected: str) -> UsageError:
    return UsageError(Problem("comparisons-unfit", what, expected=expected))


@dataclass(frozen=True, slots=True)
class MetricScores:
    """The scores of one metric, higher being better: of systems, and of systems by sentence where there are some."""

    metric: str
    systems: Mapping[str, float]
    sentences: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


Row = TypeVar("Row", bound=Mapping[str, float])
"""The scores of systems in one sentence."""


def sentence_means(sentences: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The mean score of the sentences of each system that has any."""
    scores: dict[str, list[float]] = {}
    for row in sentences.values():
        for system, score in row.items():
            scores.setdefault(system, []).append(score)
    return {system: sum(own) / len(own) for system, own in scores.items()}


def order_sentences(sentences: Mapping[str, Row]) -> dict[str, Row]:
    """Sentences in the order of their numbers; where some have names, as they come."""
    numbers = {name: number for name in sentences if (number := whole_number(name)) is not None}
    names = sorted(sentences, key=lambda name: numbers[name]) if len(numbers) == len(sentences) else sentences
    return {name: sentences[name] for name in names}


def renumber_sentences(sentences: Mapping[str, Row], first: int) -> dict[str, Row]:
    """Lines that are numbered from 1, called as where the first is ``first``; as they are, if any is left out."""
    numbers = {whole_number(name) for name in sentences}
    if first == 1 or numbers != {*range(1, len(sentences) + 1)}:
        return {**sentences}
    return {str(int(name) - 1 + first): row for name, row in sentences.items()}
