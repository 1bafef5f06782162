"""The kernel that aligns as errant does: by hand, and against errant's own class on random tokens."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import pytest

from errorbar.edits.matching import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")

OPEN = (84, 86, 92, 100)  # spaCy's numbers of ADJ, ADV, NOUN, VERB
Step = tuple[str, int, int, int, int]


class Token(NamedTuple):
    """What errant's class asks of spaCy's tokens, whose numbers are hashes too."""

    text: str
    lemma: int
    pos: int

    @property
    def orth(self) -> int:
        return abs(hash(self.text))

    @property
    def lower(self) -> int:
        return abs(hash(self.text.lower()))


def tokens(text: str, pos: int = 92) -> list[Token]:
    """Tokens whose lemma is their first letter."""
    return [Token(each, ord(each[0].lower()), pos) for each in text.split()]


def by_kernel(ours: list[Token], theirs: list[Token]) -> list[Step]:
    from errorbar.edits._aligned import align  # absent without a compiler

    (our_rows, our_texts), (their_rows, their_texts) = (
        (
            np.array([(one.orth, one.lower, one.lemma, one.pos) for one in side], np.uint64).reshape(-1, 4),
            [one.text for one in side],
        )
        for side in (ours, theirs)
    )
    return align(our_rows, our_texts, their_rows, their_texts, np.array(OPEN, np.uint64))


def steps(first: str, second: str) -> list[Step]:
    return by_kernel(tokens(first), tokens(second))


class TestByHand:
    def test_equal_tokens(self) -> None:
        assert steps("a b", "a b") == [("M", 0, 1, 0, 1), ("M", 1, 2, 1, 2)]

    def test_nothing(self) -> None:
        assert steps("", "") == []
        assert steps("", "a") == [("I", 0, 0, 0, 1)]
        assert steps("a", "") == [("D", 0, 1, 0, 0)]

    def test_a_transposition_costs_less_than_two_substitutions(self) -> None:
        # 1 against .499 and the share of characters, 1, twice.
        assert steps("x y", "y x") == [("T2", 0, 2, 0, 2)]

    def test_letter_case_may_differ_in_a_transposition(self) -> None:
        assert steps("Do you know", "you do know") == [("T2", 0, 2, 0, 2), ("M", 2, 3, 2, 3)]

    def test_a_substitution_costs_at_most_1_999(self) -> None:
        # A deletion and an insertion cost 2.
        assert by_kernel(tokens("x", 90), tokens("y", 97)) == [("S", 0, 1, 0, 1)]

    def test_the_likelier_token_is_substituted(self) -> None:
        # One of two is inserted. For x, xs costs 1/3, its share of characters; y costs 1 and .499 for its lemma.
        assert steps("x", "y xs") == [("I", 0, 0, 0, 1), ("S", 0, 1, 1, 2)]

    def test_of_two_equal_tokens_the_last_is_matched(self) -> None:
        # Equal tokens take the diagonal whatever else would cost, also on the way back.
        assert steps("a b", "a a b") == [("I", 0, 0, 0, 1), ("M", 0, 1, 1, 2), ("M", 1, 2, 2, 3)]


def test_as_errant_does() -> None:
    alignment = pytest.importorskip("errant.alignment").Alignment
    assert tuple(sorted(alignment._open_pos)) == OPEN
    rng = random.Random(0)
    words = ["a", "A", "an", "b", "ab", "ba", "Ba", "bab", "c", "é", "ça"]
    for _ in range(2000):
        first, second = (
            [Token(rng.choice(words), rng.randrange(3), rng.choice([84, 90, 92, 97])) for _ in range(rng.randrange(9))]
            for _ in range(2)
        )
        if rng.random() < 0.5:
            second = [*first[: rng.randrange(9)], *second[:2], *first[rng.randrange(9) :]]
        if rng.random() < 0.3:
            rng.shuffle(second)
        assert by_kernel(first, second) == alignment(first, second).align_seq
