"""The compiled kernel against its readable twin: the same counts, matches and paths, on random and on real text."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Corpus, parse_metric
from errorbar.core import UsageError
from errorbar.edits import Matches, MatchRules, match_corpus
from errorbar.edits.matching import COMPILED, Vocabulary, encode_lines
from errorbar.edits.maxmatch import MAX_ARCS
from errorbar.formats import read_corpus
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.effort import draw_examples
from tests.helpers.official import read_lines
from tests.strategies import corpora

pytestmark = pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled: there is nothing to compare")

TYPICAL = ("CAMB",)
OTHERS = ("AMU", "NTHU", "CUUI", "IITB", "INPUT", "IPN", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")


def both(
    reference: Corpus, lines: list[str], *, max_unchanged: int = 2, fold: bool = False, arc_limit: int = MAX_ARCS
) -> tuple[Matches, Matches]:
    kernel, twin = (
        match_corpus(reference, lines, MatchRules(max_unchanged, fold, which, arc_limit)) for which in (True, False)
    )
    return kernel, twin


def assert_same(kernel: Matches, twin: Matches) -> None:
    np.testing.assert_array_equal(kernel.counts, twin.counts)
    np.testing.assert_array_equal(kernel.matched, twin.matched)
    np.testing.assert_array_equal(kernel.large, twin.large)


# Three sentences in each example: 2,100 pairs with one to four annotators each.
@draw_examples(700)
@given(
    corpora(min_size=3, max_size=3),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from((MAX_ARCS, 40, 12, -1)),
)
def test_random_pairs(example: tuple[Corpus, list[str]], max_unchanged: int, fold: bool, arc_limit: int) -> None:
    assert_same(*both(*example, max_unchanged=max_unchanged, fold=fold, arc_limit=arc_limit))


@draw_examples(300)
@given(corpora(min_size=2, max_size=2), st.integers(0, 3), st.sampled_from((MAX_ARCS, 12, -1)), st.randoms())
def test_edits_as_they_are_written(
    example: tuple[Corpus, list[str]], max_unchanged: int, arc_limit: int, random: Random
) -> None:
    """Repeated and unsorted reference edits, as read with ``as_written``."""
    reference, lines = example
    for each in reference.sentences:
        for name, edits in each.annotations.items():
            again = [*edits, *random.sample(edits, random.randint(0, len(edits)))]
            random.shuffle(again)
            each.annotations[name] = tuple(again)
    assert_same(*both(reference, lines, max_unchanged=max_unchanged, arc_limit=arc_limit))


@pytest.mark.parametrize("max_unchanged", [-1, 246, 2**31 - 1])
def test_the_kernel_refuses_edits_that_span_more_than_it_has_room_for(max_unchanged: int) -> None:
    """A byte of each state says how it was reached; a metric's parameter ends at 100."""
    reference = corpus(sentence("a b c", {"0": [edit(1, 2, "x")]}))
    with pytest.raises(ValueError, match=f"max_unchanged must be 0 to 245, got {max_unchanged}"):
        match_corpus(reference, ["a x c"], MatchRules(max_unchanged, kernel=True))
    with pytest.raises(UsageError, match="max_unchanged must be a whole number from 0 to 100"):
        parse_metric(f"m2(max_unchanged={max_unchanged})")


def test_a_negative_arc_limit_sends_every_pair_to_the_large_search() -> None:
    reference = corpus(sentence("a b c", {"0": [edit(1, 2, "x")]}), sentence("", {"0": []}))
    kernel, twin = both(reference, ["a x c", ""], arc_limit=-1)
    assert_same(kernel, twin)
    assert kernel.large.all()
    assert not both(reference, ["a x c", ""])[0].large.any()


@pytest.mark.parametrize(
    ("source", "hypothesis"),
    [
        ("", ""),
        ("", "a"),
        ("a", ""),
        ("a a a a", "a a"),
        ("a b a b a", "b a b a b"),
        ("İ i", "i̇ I"),  # lower case of the first is two characters
    ],
)
@pytest.mark.parametrize("fold", [False, True])
def test_corners(source: str, hypothesis: str, fold: bool) -> None:
    everything = edit(0, len(source.split()), hypothesis)
    insertions = [edit(0, 0, "a"), edit(0, 0, "a"), edit(0, 0, "b", "a")]
    reference = corpus(sentence(source, {"0": [everything], "1": insertions, "2": []}))
    assert_same(*both(reference, [hypothesis], fold=fold))


def test_case_is_folded_over_the_joined_words() -> None:
    """Greek sigma has another lower-case form at the end of a word: joining comes first, folding second."""
    kernel, twin = both(corpus(sentence("ΑΣ Α", {"0": []})), ["ΑΣΑ"], fold=True)
    assert twin.counts[0, 0].tolist() == [0, 0, 0]
    assert_same(kernel, twin)


class Shown(str):
    """A text that is shown as something else."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another text"


def test_lines_are_numbered_by_what_they_are_and_what_is_no_text_is_refused() -> None:
    ids, offsets = encode_lines(["a b", Shown("b a"), "", "a b"], Vocabulary())
    assert (ids.tolist(), offsets.tolist()) == ([0, 1, 1, 0, 0, 1, 0], [0, 2, 4, 4, 6])
    with pytest.raises((TypeError, AttributeError)):
        encode_lines(["a b", None], Vocabulary())  # type: ignore[list-item]


@cache
def combined(data: Path) -> Corpus:
    return read_corpus([data / "conll14/noalt/official-2014.combined.m2"])


@pytest.mark.parametrize("system", [*TYPICAL, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_every_real_sentence(data: Path, system: str) -> None:
    lines = read_lines(data / "conll14_systems/official_submissions" / system)
    assert_same(*both(combined(data), lines))


@pytest.mark.slow
@pytest.mark.parametrize("max_unchanged", [0, 1, 3])
@pytest.mark.parametrize("arc_limit", [MAX_ARCS, -1])
def test_every_real_sentence_under_other_parameters(data: Path, max_unchanged: int, arc_limit: int) -> None:
    lines = read_lines(data / "conll14_systems/official_submissions/CAMB")
    assert_same(*both(combined(data), lines, max_unchanged=max_unchanged, fold=True, arc_limit=arc_limit))
