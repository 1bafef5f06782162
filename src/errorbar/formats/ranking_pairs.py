"""Rankings as they are read, turned into comparisons; checks the names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem, nearest, shortened
from errorbar.core.problems import Problems
from errorbar.core.rankings import Comparisons
from errorbar.formats import MOST_SYSTEMS, MOST_TOGETHER
from errorbar.formats.untrusted import whole_number

Key = tuple[str, str, str]  # item, judge and sentence
_LEFT_OUT = "it is left out of the ranking"


class Placed(NamedTuple):
    """A text that a judge ranked, 1 is best, and the systems that wrote it."""

    rank: int
    systems: tuple[str, ...]
    place: Place


@dataclass(slots=True)
class _Alike:
    """Rankings with the same numbers of systems in their texts, so that the same places are compared."""

    number: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    where: list[tuple[int, int, int]] = field(default_factory=list)


class Collected:
    """Collects rankings as comparisons of two systems each; ``known``: the systems there are, empty: any."""

    def __init__(self, name: str, problems: Problems, known: Sequence[str]) -> None:
        self.name = name
        self.problems = problems
        self.known = frozenset(known)
        self.systems: dict[str, int] = {system: code for code, system in enumerate(known)}
        self.items: list[str] = []
        self.keys: dict[Key, int] = {}
        self.judges: dict[str, int] = {}
        self.sentences: dict[str, int] = {}
        self.alike: dict[tuple[int, ...], _Alike] = {}
        self.n_rankings = 0
        self.n_skipped = 0  # items that their judge skipped
        self.n_alone = 0

    def rank(self, text: str, place: Place) -> int | None:
        """Read a rank; None, with the problem recorded, where it is none."""
        if rank := whole_number(text):
            return rank
        what, repair = f"the rank {shortened(text)!r}", "the system is left out of the ranking"
        self.problems.repairable("ranking-rank", what, place, repair, "a whole number from 1")
        return None

    def add(self, key: Key, placed: Sequence[Placed], *, join: bool = False) -> None:
        """Add a ranking; join: to the item of that key if there is one, else every ranking is an item of its own."""
        if (n := sum(len(text.systems) for text in placed)) > MOST_TOGETHER:
            what = f"item '{key[0]}' ranks {n:,} systems"
            expected = f"at most {MOST_TOGETHER}, which are {MOST_TOGETHER * (MOST_TOGETHER - 1) // 2:,} comparisons"
            self.problems.error("ranking-too-many", what, placed[0].place, expected)
            return
        outputs: list[tuple[int, list[int]]] = []
        seen: set[int] = set()
        for text in placed:
            codes = []
            for system in text.systems:
                code = self._code(system, text.place)
                if code in seen:
                    what = f"item '{key[0]}' has '{system}' twice: a system cannot be compared with itself"
                    self.problems.repairable("ranking-self", what, text.place, "only the first is kept")
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

    def _code(self, system: str, place: Place) -> int | None:
        if not system or (self.known and system not in self.known):
            what = f"no system is called '{system}'" if system else "a ranking without a system"
            hint = "each has a name"
            if system and not self.problems.lenient:  # which says nothing of it, and looking is slow
                hint = nearest(system, sorted(self.known))
            self.problems.repairable("ranking-unknown-system", what, place, _LEFT_OUT, hint=hint)
            return None
        if len(self.systems) == MOST_SYSTEMS and system not in self.systems:
            what = f"'{system}' is one system more than {MOST_SYSTEMS:,}"
            fix = "rank fewer systems at once; are these the names of systems?"
            raise InputError(Problem("ranking-too-many", what, place, f"at most {MOST_SYSTEMS:,} systems", fix))
        return self.systems.setdefault(system, len(self.systems))

    def comparisons(self) -> Comparisons:
        """What was collected, in the order of the file; comparisons of one ranking stay in theirs."""
        place = Place(self.name)
        fix = "they compare nothing"
        if self.n_skipped:
            self.problems.note("ranking-skipped", f"{self.n_skipped} items were skipped by their judges", place, fix)
        if self.n_alone:
            self.problems.note("ranking-alone", f"{self.n_alone} items rank fewer than two systems", place, fix)
        if not self.items and not self.problems.errors:
            self.problems.error("ranking-empty", "no ranking of two systems in the file", place)
        parts = [_expanded(sizes, alike) for sizes, alike in self.alike.items()]
        table = np.concatenate([*parts, np.empty((0, 9), np.int32)])
        table = table[np.argsort(table[:, 0], kind="stable")]
        first, second, outcome, item, judge, sentence, identical, shown = np.ascontiguousarray(table[:, 1:].T)
        names = (self.systems, self.items, self.judges, self.sentences)
        codes = (first, second, outcome.astype(np.int8), item, judge, sentence)
        return Comparisons(*codes, identical.astype(np.bool_), shown.astype(np.bool_), *map(tuple, names))


def _expanded(sizes: tuple[int, ...], alike: _Alike) -> NDArray[np.int32]:
    """Comparisons of rankings whose texts have so many systems each: number, first, second, outcome, ... in columns."""
    starts = np.cumsum((0, *sizes)).tolist()
    texts = [range(start, start + size) for start, size in zip(starts, sizes, strict=False)]
    pairs: list[tuple[int, int, bool, bool]] = []  # two places, whether their texts are one, whether it was shown
    for at, own in enumerate(texts):
        pairs += [(a, b, True, False) for a, b in combinations(own, 2)]
        for others in texts[at + 1 :]:
            # The first stands for those that follow from two texts.
            pairs += [(a, b, False, a == own[0] and b == others[0]) for a, b in product(own, others)]
    one, two, identical, shown = np.array(pairs).T
    n = len(alike.number)
    codes = np.array(alike.codes, np.int32).reshape(n, -1)
    ranks = np.array(alike.ranks, np.int64).reshape(n, -1)
    table = np.empty((n, len(pairs), 9), np.int32)
    table[:, :, 0] = np.array(alike.number, np.int32)[:, None]
    table[:, :, 1], table[:, :, 2] = codes[:, one], codes[:, two]
    table[:, :, 3] = np.sign(ranks[:, two] - ranks[:, one])
    table[:, :, 4:7] = np.array(alike.where, np.int32)[:, None, :]
    table[:, :, 7], table[:, :, 8] = identical, shown
    return table.reshape(-1, 9)
