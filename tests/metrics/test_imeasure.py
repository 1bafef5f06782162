"""The I-measure by hand, and its search against a table of all places on random texts."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errorbar
from errorbar import Corpus, Hypothesis, Sentence
from errorbar.metrics.imeasure import GAP, MISMATCH, Column, align_three
from tests.helpers.build import edit
from tests.helpers.effort import draw_examples

TEXTS = st.lists(st.sampled_from("abc"), max_size=5)


def column_cost(column: Column) -> int:
    pairs = ((0, 1), (0, 2), (1, 2))
    alike = [(column[one], column[other]) for one, other in pairs]
    return sum(0 if one == other else GAP if None in (one, other) else MISMATCH for one, other in alike)


@draw_examples(60)
@given(TEXTS, TEXTS, TEXTS)
def test_no_alignment_is_cheaper(source: list[str], output: list[str], reference: list[str]) -> None:
    """By the definition: the least over all first columns of the cost of the column and of the rest."""

    @cache
    def least(i: int, j: int, k: int) -> int:
        if (i, j, k) == (len(source), len(output), len(reference)):
            return 0
        ways = []
        for a in range(min(1, len(source) - i) + 1):
            for b in range(min(1, len(output) - j) + 1):
                for c in range(min(1, len(reference) - k) + 1):
                    if a or b or c:
                        column = source[i] if a else None, output[j] if b else None, reference[k] if c else None
                        ways.append(column_cost(column) + least(i + a, j + b, k + c))
        return min(ways)

    columns = align_three(source, output, reference)
    texts = source, output, reference
    assert [[token for token in row if token is not None] for row in zip(*columns, strict=True)] == [
        *(text for text in texts if columns)
    ]
    assert sum(map(column_cost, columns)) == least(0, 0, 0)


def test_a_sentence_by_hand() -> None:
    """Source a b c d e, reference a x c y e, output a x c d z.

    Columns: a and c are TN, b to x TP, d is left (FN), e to z FP. With w = 2, WAcc = (2 + 2) / (2 (1 + 1) + 2 + 1) =
    4/7; of the source, whose e is right, 3/5. 4/7 is less: I = (4/7) / (3/5) - 1 = -1/21.
    """
    corpus = Corpus([Sentence("a b c d e", {"0": (edit(1, 2, "x"), edit(3, 4, "y"))})], ("0",))
    (score,) = errorbar.score(corpus, [Hypothesis("it", ["a x c d z"])], "imeasure", ci=False)
    assert score.counts == {"tp": 1, "tn": 2, "fp": 1, "fn": 1, "fpn": 0}
    assert score["wacc"].value == pytest.approx(4 / 7)
    assert score["i"].value == pytest.approx(-1 / 21)


def test_leaving_an_error_and_breaking_nothing_is_zero() -> None:
    corpus = Corpus([Sentence("a b c", {"0": (edit(0, 1, "x"),)})], ("0",))
    (score,) = errorbar.score(corpus, [Hypothesis("it", ["a b c"])], "imeasure", ci=False)
    assert score["i"].value == 0


def test_the_weight_is_what_a_needless_change_costs() -> None:
    """Four tokens left alone, one needless: WAcc = 3 / (w + 3), of the source 1."""
    corpus = Corpus([Sentence("a b c d", {"0": ()})], ("0",))
    systems = [Hypothesis("it", ["a b c x"])]
    for weight in (1.0, 2.0, 5.0):
        (score,) = errorbar.score(corpus, systems, f"imeasure(weight={weight})", ci=False)
        assert score["i"].value == pytest.approx(3 / (weight + 3) - 1)
