"""The edits of a hypothesis against one annotator: the kernel against its twin, and both against the counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Corpus
from errorbar.core import InputError
from errorbar.edits import MatchRules, ProposedEdit, match_corpus, proposed_edits
from errorbar.edits.matching import COMPILED
from tests import strategies
from tests.helpers.build import corpus as build_corpus
from tests.helpers.build import edit, sentence

KERNELS = [
    pytest.param(True, marks=pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")),
    False,
]


@pytest.mark.parametrize("kernel", KERNELS)
class TestByHand:
    CORPUS = build_corpus(
        sentence("a b c .", {"A": [edit(0, 1, "X")], "B": [edit(1, 2, "Y", "y")]}), annotators=("A", "B")
    )

    def test_matched_with_the_annotator_asked_for(self, kernel: bool) -> None:
        (found,) = proposed_edits(self.CORPUS, ["a y ."], [1], MatchRules(kernel=kernel))
        # Longer edits cost less, so the kept full stop is part of the deletion before it.
        assert found == (ProposedEdit(1, 2, "y", True), ProposedEdit(2, 4, ".", False))
        (found,) = proposed_edits(self.CORPUS, ["X b c ."], [0], MatchRules(kernel=kernel))
        assert found == (ProposedEdit(0, 1, "X", True),)

    def test_nobody_asked_for(self, kernel: bool) -> None:
        assert proposed_edits(self.CORPUS, ["X b c ."], [-1], MatchRules(kernel=kernel)) == [()]

    def test_an_insertion(self, kernel: bool) -> None:
        corpus = build_corpus(sentence("a b", {"A": [edit(2, 2, "!")]}))
        assert proposed_edits(corpus, ["a b !"], [0], MatchRules(kernel=kernel)) == [(ProposedEdit(2, 2, "!", True),)]

    def test_only_the_matched_one_of_two_insertions_at_one_point(self, kernel: bool) -> None:
        corpus = build_corpus(sentence("a b", {"A": [edit(1, 1, "X")]}))
        (found,) = proposed_edits(corpus, ["a Z X b"], [0], MatchRules(max_unchanged=0, kernel=kernel))
        assert found == (ProposedEdit(1, 1, "Z", False), ProposedEdit(1, 1, "X", True))

    def test_a_reference_edit_given_twice_is_matched_at_once(self, kernel: bool) -> None:
        """Both are met by the first of two equal edits, so nothing is left for the second."""
        corpus = build_corpus(sentence("a b", {"A": [edit(1, 1, "X"), edit(1, 1, "X")]}))
        (found,) = proposed_edits(corpus, ["a X X b"], [0], MatchRules(max_unchanged=0, kernel=kernel))
        assert found == (ProposedEdit(1, 1, "X", True), ProposedEdit(1, 1, "X", False))

    def test_case_and_space_can_be_left_out(self, kernel: bool) -> None:
        corpus = build_corpus(sentence("a b c d e f g", {"A": []}))
        line = ["A b c d e f X"]
        (both,) = proposed_edits(corpus, line, [0], MatchRules(max_unchanged=0, kernel=kernel))
        assert both == (ProposedEdit(0, 1, "A", False), ProposedEdit(6, 7, "X", False))
        (one,) = proposed_edits(corpus, line, [0], MatchRules(max_unchanged=0, ignore_case_space=True, kernel=kernel))
        assert one == both[1:]

    def test_another_number_of_sentences_is_refused(self, kernel: bool) -> None:
        for lines, columns in (([], []), (["a"], []), ([], [0]), (["a", "b"], [0, 0])):
            with pytest.raises(InputError, match="line-count"):
                proposed_edits(self.CORPUS, lines, columns, MatchRules(kernel=kernel))
        for lines in ([], ["a", "b"]):
            with pytest.raises(InputError, match="line-count"):
                match_corpus(self.CORPUS, lines, MatchRules(kernel=kernel))


@pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")
@given(
    strategies.corpora(max_size=4),
    st.integers(-1, 3),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from((1 << 18, 8, 1)),
)
def test_kernel_and_twin_agree(
    pair: tuple[Corpus, list[str]], column: int, max_unchanged: int, fold: bool, arc_limit: int
) -> None:
    corpus, lines = pair
    columns = [min(column, len(corpus.annotators) - 1)] * len(corpus)
    fast, slow = (
        proposed_edits(corpus, lines, columns, MatchRules(max_unchanged, fold, kernel, arc_limit))
        for kernel in (True, False)
    )
    assert fast == slow
    counts = match_corpus(corpus, lines, MatchRules(max_unchanged, fold, arc_limit=arc_limit)).counts
    wanted = [int(counts[unit, c, 1]) if c >= 0 else 0 for unit, c in enumerate(columns)]
    assert list(map(len, fast)) == wanted
    for unit, (edits, c) in enumerate(zip(fast, columns, strict=True)):
        n_matched = sum(each.matched for each in edits)
        assert bool(n_matched) == bool(c >= 0 and counts[unit, c, 0])


def test_counts_of_every_annotator_are_those_of_the_kernel() -> None:
    text = "a b c d e f g h"
    corpus = build_corpus(
        sentence(text, {"A": [edit(1, 2, "x"), edit(4, 4, "y"), edit(7, 8, "")], "B": [edit(0, 1, "z")]})
    )
    line = ["a x c d y e f g"]
    counts = match_corpus(corpus, line).counts
    found = [proposed_edits(corpus, line, [column])[0] for column in range(2)]
    assert [[sum(e.matched for e in edits), len(edits)] for edits in found] == np.asarray(counts)[0, :, :2].tolist()
    assert counts[0, :, 0].tolist() == [3, 0]
