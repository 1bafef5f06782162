"""The answer to a question that ranks outputs: a rank for each, 1 is best, equal ranks are ties.

An item's outputs stand in an order that follows from their texts alone (``order_outputs``), so that the number of an
output tells nobody who wrote it; on the screen they stand in an order that is drawn for rater and item.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any

from errorbar.judging.items.item import JudgedItem
from errorbar.judging.question_kind import QuestionKind, UnfitError, as_list, is_index
from errorbar.judging.scheme import Question

MOST_OUTPUTS = 5
"""On one screen: more are hard to keep in mind."""
LETTERS = "ABCDE"
"""Of the outputs on a screen, from the top."""
FIRST, SECOND, EQUAL = "first", "second", "equal"
_OF_TWO: dict[tuple[int, ...], str] = {(1, 2): FIRST, (2, 1): SECOND, (1, 1): EQUAL}


class RanksKind(QuestionKind):
    """A rank for each output of the item."""

    name = "ranks"

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The ranks as they were given, in the item's order of the outputs."""
        n = len(item.candidates)
        ranks = value if isinstance(value, list | tuple) else ()
        if len(ranks) != n or not all(is_index(rank, n + 1) and rank for rank in ranks):
            raise UnfitError(f"a rank from 1 to {n} for each of the {n} outputs")
        return list(ranks)

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A rank for each letter on the screen."""
        del question
        letters = LETTERS[: len(item.candidates)]
        ranks = {letter: {"type": "integer"} for letter in letters}
        return {"type": "object", "properties": ranks, "required": [*letters], "additionalProperties": False}

    def read_json(self, item: JudgedItem, value: object, arrangement: int) -> object:
        """The ranks in the item's own order."""
        shown = arrange(len(item.candidates), arrangement)
        if not isinstance(value, Mapping) or value.keys() != {*LETTERS[: len(shown)]}:
            return value
        rank_of = dict(zip(shown, (value[letter] for letter in LETTERS[: len(shown)]), strict=True))
        return [rank_of[at] for at in range(len(shown))]

    def label(self, answer: object) -> str:
        """Of two outputs ``first``, ``second`` or ``equal``; of more all ranks without gaps, in the item's order."""
        ranks = tuple(close_gaps([int(str(rank)) for rank in as_list(answer)]))
        return _OF_TWO.get(ranks, " ".join(map(str, ranks)))


def ranks_of_label(label: str) -> list[int]:
    """The ranks that a label tells."""
    of_two = {name: list(ranks) for ranks, name in _OF_TWO.items()}
    return of_two[label] if label in of_two else [int(rank) for rank in label.split()]


def close_gaps(ranks: Sequence[int]) -> list[int]:
    """The same order with ranks that leave out no number: 1, 4, 4 becomes 1, 2, 2."""
    place = {rank: at for at, rank in enumerate(sorted(set(ranks)), 1)}
    return [place[rank] for rank in ranks]


def order_outputs(name: str, outputs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Texts and their writers in an order that depends on the item's name and the texts, and on no writer."""
    return sorted(outputs, key=lambda output: hashlib.sha256(f"{name}\0{output[0]}".encode()).digest())


def n_arrangements(item: JudgedItem) -> int:
    """In how many orders an item's candidates can stand on the screen; 1: there are none."""
    return factorial(len(item.candidates))


def arrange(n: int, arrangement: int) -> list[int]:
    """The numbers 0 to n - 1 in the order of an arrangement, 0 to n! - 1: 0 is as they stand; of two, 1 is reversed."""
    left, order = list(range(n)), list[int]()
    for size in range(n, 0, -1):
        place, arrangement = divmod(arrangement, factorial(size - 1))
        order.append(left.pop(place % size))
    return order
