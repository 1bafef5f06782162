"""GLEU's counts of a corpus at once against those of one pair of texts after the other, and its draws in blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorbar.metrics.gleu import DRAWS, SEED, Gleu, gleu_counts, published_sums

text = st.lists(st.sampled_from("ab c"), max_size=9).map(" ".join)
sentence = st.tuples(text, text, st.lists(text, max_size=3))


def test_by_hand() -> None:
    """h = a b a b, s = a b a b a, r = a b c: of order 1, a and b are right once each, and nothing else is wrong.

    Order 2: ab is right once; ba, in s and not in r, is taken off. Orders 3 and 4: all are in s alone.
    """
    assert gleu_counts("a b a b a", "a b c", "a b a b") == [4, 3, 3, 2, 1, 2, 0, 0, 0]


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(sentence, max_size=6))
def test_a_corpus_at_once_has_the_counts_of_its_sentences(sentences: list[tuple[str, str, list[str]]]) -> None:
    rows = [(unit, own) for unit, (_, _, references) in enumerate(sentences) for own in references]
    sources, outputs = [one[0] for one in sentences], [one[1] for one in sentences]
    units = np.array([unit for unit, _ in rows], np.int64)
    found = Gleu().compare_all(sources, outputs, [own for _, own in rows], units)
    assert found.tolist() == [gleu_counts(sources[unit], own, outputs[unit]) for unit, own in rows]


@pytest.mark.parametrize("most", [1, 100, 2**22])
def test_draws_in_blocks_are_those_one_by_one(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reference ⌊u n⌋ of the n that a sentence has, u the number of the sentence among those of a generator."""
    monkeypatch.setattr("errorbar.metrics.gleu.MOST_DRAWN", most)
    rng = np.random.default_rng(0)
    counts, present = rng.integers(0, 30, (13, 3, 9)).astype(np.float64), rng.random((13, 3)) < 0.7
    found = published_sums(counts, present, before=4)
    some = [unit for unit in range(13) if present[unit].any()]
    for draw in range(DRAWS):
        numbers = np.random.RandomState([SEED * draw]).random_sample(4 + len(some))[4:]
        own = [counts[unit][present[unit]] for unit in some]
        assert found[draw].tolist() == sum(one[int(u * len(one))] for u, one in zip(numbers, own, strict=True)).tolist()


def test_draws_of_nothing() -> None:
    assert not published_sums(np.zeros((2, 1, 9)), np.zeros((2, 1), np.bool_)).any()
