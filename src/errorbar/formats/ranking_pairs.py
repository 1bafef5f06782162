"""Rankings as they are read, turned into comparisons; checks the names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem, nearest
from errorbar.core.problems import Problems
from errorbar.core.rankings import Comparisons


@dataclass(frozen=True, slots=True)
class Placed:
    """A text that a judge ranked, and the systems that wrote it.

    Attributes:
        rank: Its rank; 1 is best.
        systems: The systems.
        place: Where it stands.
    """

    rank: int
    systems: tuple[str, ...]
    place: Place


_DIGITS = 10
MOST_TOGETHER = 50
"""Systems in one ranking: 1,225 comparisons. A judge ranks some five texts, and they may have some thirty systems."""
MOST_SYSTEMS = 1000
"""Systems in all; every method keeps a table of all pairs."""


@dataclass(slots=True)
class _Alike:
    """Rankings with the same numbers of systems in their texts, so that the same places are compared."""

    number: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    where: list[tuple[int, int, int]] = field(default_factory=list)


class Collected:
    """Collects rankings as comparisons of two systems each.

    Args:
        name: What the file is called.
        problems: Where problems go.
        known: The systems there are; empty: whatever is named.
    """

    def __init__(self, name: str, problems: Problems, known: Sequence[str]) -> None:
        self.name = name
        self.problems = problems
        self.known = frozenset(known)
        self.systems: dict[str, int] = {system: code for code, system in enumerate(known)}
        self.items: list[str] = []
        self.keys: dict[tuple[str, str, str], int] = {}
        self.judges: dict[str, int] = {}
        self.sentences: dict[str, int] = {}
        self.alike: dict[tuple[int, ...], _Alike] = {}
        self.n_rankings = 0
        self.n_skipped = 0
        self.n_alone = 0

    def skip(self) -> None:
        """Count an item that its judge skipped."""
        self.n_skipped += 1

    def rank(self, text: str, place: Place) -> int | None:
        """Read a rank; None, with the problem recorded, where it is none."""
        rank = int(text) if text.strip().isdecimal() and len(text.strip()) < _DIGITS else 0
        if rank < 1:
            what = f"the rank {text!r}" if len(text) <= 2 * _DIGITS else f"a rank of {len(text)} characters"
            repair = "the system is left out of the ranking"
            self.problems.repairable("ranking-rank", what, place, repair=repair, expected="a whole number from 1")
            return None
        return rank

    def bad_winner(self, winner: str, pair: tuple[str, str], place: Place) -> None:
        """Record that the winner of a pair is neither of the two."""
        what = f"the winner '{winner}' is not in the pair; {nearest(winner, (*pair, 'tie'))}"
        self.problems.repairable("ranking-winner", what, place, repair="the row is left out")

    def add(self, key: tuple[str, str, str], placed: Sequence[Placed], *, join: bool = False) -> None:
        """Add a ranking.

        Args:
            key: Its item, its judge and its sentence.
            placed: What was ranked.
            join: It belongs to the item of that key if there is one; else every ranking is an item of its own.
        """
        if (n := sum(len(text.systems) for text in placed)) > MOST_TOGETHER:
            what = f"item '{key[0]}' ranks {n:,} systems"
            expected = f"at most {MOST_TOGETHER}, which are {MOST_TOGETHER * (MOST_TOGETHER - 1) // 2:,} comparisons"
            self.problems.error("ranking-too-many", what, placed[0].place, expected=expected)
            return
        outputs: list[tuple[int, list[int]]] = []
        seen: set[int] = set()
        for text in placed:
            codes = []
            for code in (self._code(system, text.place) for system in text.systems):
                if code in seen:
                    system = list(self.systems)[code]
                    what = f"item '{key[0]}' has '{system}' twice: a system cannot be compared with itself"
                    repair = "only the first is kept"
                    self.problems.repairable("ranking-self", what, text.place, repair=repair)
                elif code is not None:
                    seen.add(code)
                    codes.append(code)
            if codes:
                outputs.append((text.rank, codes))
        if len(seen) < 2:
            self.n_alone += 1
            return
        item = self.keys.setdefault(key, len(self.items)) if join else len(self.items)
        if item == len(self.items):
            self.items.append(key[0])
        alike = self.alike.setdefault(tuple(len(codes) for _, codes in outputs), _Alike())
        alike.number.append(self.n_rankings)
        self.n_rankings += 1
        for rank, codes in outputs:
            alike.codes += codes
            alike.ranks += [rank] * len(codes)
        judge = self.judges.setdefault(key[1], len(self.judges))
        alike.where.append((item, judge, self.sentences.setdefault(key[2], len(self.sentences))))

    def comparisons(self) -> Comparisons:
        """What was collected."""
        place = Place(self.name)
        if self.n_skipped:
            what = f"{self.n_skipped} items were skipped by their judges"
            self.problems.note("ranking-skipped", what, place, fix="they compare nothing")
        if self.n_alone:
            what = f"{self.n_alone} items rank fewer than two systems"
            self.problems.note("ranking-alone", what, place, fix="they compare nothing")
        if not self.items and not self.problems.errors:
            self.problems.error("ranking-empty", "no ranking of two systems in the file", place)
        parts = [_expanded(sizes, alike) for sizes, alike in self.alike.items()]
        table = np.concatenate([*parts, np.empty((0, 9), np.int32)])
        # In the order of the file; those of one ranking stay in theirs.
        table = table[np.argsort(table[:, 0], kind="stable")]
        first, second, outcome, item, judge, sentence, identical, shown = np.ascontiguousarray(table[:, 1:].T)
        return Comparisons(
            first,
            second,
            outcome.astype(np.int8),
            item,
            judge,
            sentence,
            identical.astype(np.bool_),
            shown.astype(np.bool_),
            tuple(self.systems),
            tuple(self.items),
            tuple(self.judges),
            tuple(self.sentences),
        )

    def _code(self, system: str, place: Place) -> int | None:
        if not system or (self.known and system not in self.known):
            what = f"no system is called '{system}'" if system else "a ranking without a system"
            hint = "each has a name"
            if system and not self.problems.lenient:  # which says nothing of it, and looking is slow
                hint = nearest(system, sorted(self.known))
            repair = "it is left out of the ranking"
            self.problems.repairable("ranking-unknown-system", what, place, repair=repair, hint=hint)
            return None
        if len(self.systems) == MOST_SYSTEMS and system not in self.systems:
            what = f"'{system}' is one system more than {MOST_SYSTEMS:,}"
            fix = "rank fewer systems at once; are these the names of systems?"
            raise InputError(Problem("ranking-too-many", what, place, f"at most {MOST_SYSTEMS:,} systems", fix))
        return self.systems.setdefault(system, len(self.systems))


def _expanded(sizes: tuple[int, ...], alike: _Alike) -> NDArray[np.int32]:
    """Comparisons of rankings whose texts have so many systems each: number, first, second, outcome, ... in columns."""
    starts = np.cumsum((0, *sizes))
    one, two, identical, shown = [], [], [], []
    for at, size in enumerate(sizes):
        own = range(starts[at], starts[at] + size)
        for a, b in combinations(own, 2):
            one.append(a)
            two.append(b)
            identical.append(1)
            shown.append(0)
        for other in range(at + 1, len(sizes)):
            others = range(starts[other], starts[other] + sizes[other])
            one += [a for a in own for _ in others]
            two += [b for _ in own for b in others]
            identical += [0] * (size * len(others))
            shown += [1] + [0] * (size * len(others) - 1)  # the first of those that follow from two texts
    n = len(alike.number)
    codes = np.array(alike.codes, np.int32).reshape(n, -1)
    ranks = np.array(alike.ranks, np.int64).reshape(n, -1)
    table = np.empty((n, len(one), 9), np.int32)
    table[:, :, 0] = np.array(alike.number, np.int32)[:, None]
    table[:, :, 1], table[:, :, 2] = codes[:, one], codes[:, two]
    table[:, :, 3] = np.sign(ranks[:, two] - ranks[:, one])
    table[:, :, 4:7] = np.array(alike.where, np.int32)[:, None, :]
    table[:, :, 7], table[:, :, 8] = identical, shown
    return table.reshape(-1, 9)
