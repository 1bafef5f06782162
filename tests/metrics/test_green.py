"""GREEN by hand, and its twin of definitions on random texts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errorbar
from errorbar import Corpus, Hypothesis, Sentence
from errorbar.core import Undefined
from errorbar.metrics.green import ORDER, compare_grams, count_grams
from tests.helpers.build import edit
from tests.helpers.effort import draw_examples

TEXTS = st.lists(st.sampled_from("abc"), max_size=7)


def multiset(tokens: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[at : at + order]) for at in range(len(tokens) - order + 1))


@draw_examples(60)
@given(TEXTS, TEXTS, TEXTS)
def test_counts_are_regions_of_three_multisets(source: list[str], reference: list[str], output: list[str]) -> None:
    """The paper's figure 1: seven regions, by union, intersection and difference of multisets."""
    counts = compare_grams(*map(count_grams, (source, reference, output)))
    for order in range(1, ORDER + 1):
        s, r, h = (multiset(text, order) for text in (source, reference, output))
        right = (s - (r | h)) + ((r & h) - s) + (s & r & h)
        over = ((s & r) - h) + (h - (s | r))
        under = ((s & h) - r) + (r - (s | h))
        assert counts[order - 1 :: ORDER] == [one.total() for one in (right, over, under)]


def test_a_sentence_by_hand() -> None:
    """Source a b c d, reference x b c d, output a b c e.

    Of one word: a is not deleted and x not inserted (FN 2), e is inserted and d deleted (FP 2), b and c are kept
    (TP 2). Of two: TP is b c; of three nothing is right; of four that both drop a b c d.
    """
    corpus = Corpus([Sentence("a b c d", {"0": (edit(0, 1, "x"),)})], ("0",))
    (score,) = errorbar.score(corpus, [Hypothesis("it", ["a b c e"])], "green", ci=False)
    assert (score.counts["right_grams"], score.counts["over_grams"], score.counts["under_grams"]) == (4, 7, 7)
    assert score["f"].value == 0


def test_too_short_texts_have_a_reason() -> None:
    corpus = Corpus([Sentence("a b c", {"0": (edit(0, 1, "x"),)})], ("0",))
    (score,) = errorbar.score(corpus, [Hypothesis("it", ["x b c"])], "green", ci=False)
    assert (score["f"].value, score["f"].undefined) == (0, Undefined.NOTHING_IN_REFERENCE)
    assert score["precision"].value == 1


def test_characters() -> None:
    corpus = Corpus([Sentence("我 是 学 生 了", {"0": (edit(4, 5, ""),)})], ("0",))
    systems = [Hypothesis("it", ["我 是 学 生"])]
    for spec in ("green", "green(unit=char)"):
        (score,) = errorbar.score(corpus, systems, spec, ci=False)
        assert score["f"].value == pytest.approx(1)
