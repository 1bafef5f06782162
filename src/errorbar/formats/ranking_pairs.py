"""Rankings as they are read, turned into comparisons; checks the names."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errorbar.core.errors import Place, nearest
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
        self.columns = [array("i") for _ in range(6)]
        self.marks = [array("b") for _ in range(2)]
        self.n_skipped = 0
        self.n_alone = 0

    def skip(self) -> None:
        """Count an item that its judge skipped."""
        self.n_skipped += 1

    def rank(self, text: str, place: Place) -> int | None:
        """Read a rank; None, with the problem recorded, where it is none."""
        rank = int(text) if text.strip().isdecimal() and len(text) < _DIGITS else 0
        if rank < 1:
            what = f"the rank {text!r}"
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
        outputs: list[tuple[int, list[int]]] = []
        seen: set[int] = set()
        for text in placed:
            codes = [code for code in (self._code(system, text.place) for system in text.systems) if code is not None]
            again = [code for code in codes if code in seen or codes.count(code) > 1]
            if again:
                system = list(self.systems)[again[0]]
                what = f"item '{key[0]}' has '{system}' twice: a system cannot be compared with itself"
                repair = "only the first is kept"
                self.problems.repairable("ranking-self", what, text.place, repair=repair)
                codes = [code for code in dict.fromkeys(codes) if code not in seen]
            seen.update(codes)
            if codes:
                outputs.append((text.rank, codes))
        if len(seen) < 2:
            self.n_alone += 1
            return
        item = self.keys.setdefault(key, len(self.items)) if join else len(self.items)
        if item == len(self.items):
            self.items.append(key[0])
        where = (
            item,
            self.judges.setdefault(key[1], len(self.judges)),
            self.sentences.setdefault(key[2], len(self.sentences)),
        )
        for at, (rank, codes) in enumerate(outputs):
            for a, one in enumerate(codes):
                for two in codes[a + 1 :]:
                    self._append(one, two, 0, where, (1, 0))
            for other, others in outputs[at + 1 :]:
                shown = 1
                for one in codes:
                    for two in others:
                        self._append(one, two, (rank < other) - (rank > other), where, (0, shown))
                        shown = 0

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
        first, second, outcome, item, judge, sentence = (np.frombuffer(column, np.int32) for column in self.columns)
        identical, shown = (np.frombuffer(column, np.int8).astype(np.bool_) for column in self.marks)
        return Comparisons(
            first,
            second,
            outcome.astype(np.int8),
            item,
            judge,
            sentence,
            identical,
            shown,
            tuple(self.systems),
            tuple(self.items),
            tuple(self.judges),
            tuple(self.sentences),
        )

    def _append(self, one: int, two: int, outcome: int, where: tuple[int, int, int], marks: tuple[int, int]) -> None:
        for column, value in zip(self.columns, (one, two, outcome, *where), strict=True):
            column.append(value)
        for mark, value in zip(self.marks, marks, strict=True):
            mark.append(value)

    def _code(self, system: str, place: Place) -> int | None:
        if not system or (self.known and system not in self.known):
            what = f"no system is called '{system}'" if system else "a ranking without a system"
            hint = nearest(system, sorted(self.known)) if system and self.known else "each has a name"
            repair = "it is left out of the ranking"
            self.problems.repairable("ranking-unknown-system", what, place, repair=repair, hint=hint)
            return None
        return self.systems.setdefault(system, len(self.systems))
