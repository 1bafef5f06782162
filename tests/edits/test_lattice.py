"""What counts as one edit: lattices, merging, and the edits that a hypothesis is read as. Derived by hand."""

from __future__ import annotations

import pytest

from errorbar import Edit, max_match
from errorbar.edits.maxmatch import Match, edit_lattice, merge
from tests.helpers.build import edit


def read_as(source: str, hypothesis: str, *reference: Edit, max_unchanged: int = 2, fold: bool = False) -> Match:
    return max_match(source.split(), hypothesis.split(), reference, max_unchanged=max_unchanged, ignore_case_space=fold)


def changes(source: str, match: Match) -> list[tuple[int, int, str]]:
    """The proposed edits without kept words at their ends, as the official scorer prints them.

    An edit may begin or end with kept words: an edge of both tables stands twice in the list and costs 0.001 twice,
    so "a X b" for "a b" is cheaper as one long arc (3.001) than as an insertion between two kept words (3.002).
    """
    found: list[tuple[int, int, str]] = []
    tokens = source.split()
    for proposed in match.proposed:
        start, end, words = proposed.start, proposed.end, proposed.replacements[0].split()
        while start < end and words and tokens[start] == words[0]:
            start, words = start + 1, words[1:]
        while start < end and words and tokens[end - 1] == words[-1]:
            end, words = end - 1, words[:-1]
        found.append((start, end, " ".join(words)))
    return found


class TestLattice:
    def test_equal_texts_have_one_path(self) -> None:
        lattice = edit_lattice(["a", "b"], ["a", "b"])
        assert lattice.vertices == [(0, 0), (1, 1), (2, 2)]
        # Minimal in both distance tables, so every edge stands twice.
        step, next_step = ((0, 0), (1, 1)), ((1, 1), (2, 2))
        assert lattice.edges == [step, step, next_step, next_step]
        assert all(lattice.is_match(found) for found in lattice.edges)

    def test_a_substitution_also_goes_by_deletion_and_insertion_where_it_costs_two(self) -> None:
        lattice = edit_lattice(["a"], ["x"])
        corner = ((0, 0), (1, 1))
        # Table 1 (substitution 1): the diagonal alone. Table 2 (substitution 2): the diagonal and both detours.
        detours = [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1, 0), (1, 1))]
        assert lattice.edges == sorted([corner, corner, *detours])
        assert not lattice.is_match(corner)

    @pytest.mark.parametrize(("source", "hypothesis"), [("", ""), ("", "a b"), ("a b", "")])
    def test_empty_sides(self, source: str, hypothesis: str) -> None:
        n, m = len(source.split()), len(hypothesis.split())
        lattice = edit_lattice(source.split(), hypothesis.split())
        assert lattice.vertices[0] == (0, 0)
        assert lattice.vertices[-1] == (n, m)
        assert len(lattice.vertices) == n + m + 1


class TestMerging:
    def test_the_list_starts_with_the_lattice_edges_and_grows_by_longer_arcs(self) -> None:
        lattice = edit_lattice(["a", "b"], ["x", "b"])
        arcs = merge(lattice, 2)
        assert arcs is not None
        assert arcs.order[: len(lattice.edges)] == lattice.edges
        assert arcs.length[(0, 0), (2, 2)] == 2  # substitution, then the kept word

    def test_arcs_of_kept_words_are_taken_out_again(self) -> None:
        arcs = merge(edit_lattice(["a", "b"], ["a", "b"]), 2)
        assert arcs is not None
        assert ((0, 0), (2, 2)) not in arcs.order

    def test_a_list_beyond_the_limit_is_given_up(self) -> None:
        lattice = edit_lattice(["a", "b", "c"], ["x", "y", "z"])
        assert merge(lattice, 2, arc_limit=len(lattice.edges)) is None


class TestProposedEdits:
    """An arc costs its length + 0.001, so two neighbors cost 0.001 more than one merged arc."""

    def test_neighbors_two_kept_words_apart_are_one_edit(self) -> None:
        assert changes("a b c d e f", read_as("a b c d e f", "X b c Y e f")) == [(0, 4, "X b c Y")]

    def test_neighbors_three_kept_words_apart_are_two_edits(self) -> None:
        assert changes("a b c d e f", read_as("a b c d e f", "X b c d Y f")) == [(0, 1, "X"), (4, 5, "Y")]

    @pytest.mark.parametrize(("max_unchanged", "n_edits"), [(0, 3), (1, 2), (2, 1), (3, 1)])
    def test_max_unchanged_is_what_one_edit_may_span(self, max_unchanged: int, n_edits: int) -> None:
        # Three changes, one kept word between each: an edit over all of them spans two kept words.
        match = read_as("a b c d e", "X b Y d Z", max_unchanged=max_unchanged)
        assert len(match.proposed) == n_edits

    def test_equal_texts_have_none(self) -> None:
        assert changes("a b c", read_as("a b c", "a b c")) == []

    def test_insertion_deletion_substitution(self) -> None:
        assert changes("a b", read_as("a b", "a X b")) == [(1, 1, "X")]
        assert changes("a b c", read_as("a b c", "a c")) == [(1, 2, "")]
        assert changes("a b c", read_as("a b c", "a X c")) == [(1, 2, "X")]

    def test_a_reference_splits_what_would_be_merged(self) -> None:
        """A hit outweighs everything else, so the edits agree with the reference as far as they can."""
        source, hypothesis = "a b c d e f", "X b c Y e f"
        match = read_as(source, hypothesis, edit(3, 4, "Y"))
        assert changes(source, match) == [(0, 1, "X"), (3, 4, "Y")]
        assert match.matched == [0]

    def test_a_reference_may_span_kept_words(self) -> None:
        match = read_as("a b c d", "X b c d", edit(0, 3, "X b c"))
        assert match.proposed == [edit(0, 3, "X b c")]
        assert match.matched == [0]

    def test_a_reference_that_spans_more_kept_words_than_allowed_is_out_of_reach(self) -> None:
        match = read_as("a b c d", "X b c d", edit(0, 4, "X b c d"))
        assert changes("a b c d", match) == [(0, 1, "X")]
        assert match.matched == []


class TestMatching:
    def test_one_alternative_is_enough(self) -> None:
        assert read_as("a b", "a X", edit(1, 2, "Y", "X")).matched == [0]
        assert read_as("a b", "a Z", edit(1, 2, "Y", "X")).matched == []

    def test_span_and_text_must_both_agree(self) -> None:
        assert read_as("a a b", "X a b", edit(1, 2, "X")).matched == []
        assert read_as("a a b", "X a b", edit(0, 1, "x")).matched == []

    def test_two_insertions_at_one_point_can_both_match(self) -> None:
        match = read_as("a b", "a X Y b", edit(1, 1, "X"), edit(1, 1, "Y"))
        assert match.proposed == [edit(1, 1, "X"), edit(1, 1, "Y")]
        assert match.matched == [0, 1]

    def test_an_edit_proposed_twice_matches_once(self) -> None:
        match = read_as("a b", "a X X b", edit(1, 1, "X"), max_unchanged=0)
        assert match.proposed == [edit(1, 1, "X"), edit(1, 1, "X")]
        assert match.matched == [0]

    def test_insertions_at_one_point_match_in_their_order_only(self) -> None:
        match = read_as("a b", "a X Y b", edit(1, 1, "Y"), edit(1, 1, "X"))
        assert len(match.matched) == 1

    def test_an_edit_that_changes_nothing_is_never_matched(self) -> None:
        match = read_as("a b", "a b", edit(0, 1, "a"))
        assert match.proposed == []
        assert match.matched == []

    def test_deletion_is_an_empty_replacement(self) -> None:
        assert read_as("a b c", "a c", edit(1, 2, "")).matched == [0]

    def test_a_correction_that_is_unknown_is_never_matched(self) -> None:
        assert read_as("a b c", "a c", edit(1, 2)).matched == []


class TestIgnoreCaseAndSpace:
    @pytest.mark.parametrize(
        ("source", "hypothesis"), [("the end", "The end"), ("any body", "anybody"), ("ANY body", "any Body")]
    )
    def test_such_edits_are_dropped(self, source: str, hypothesis: str) -> None:
        assert read_as(source, hypothesis).proposed
        assert read_as(source, hypothesis, fold=True).proposed == []

    def test_one_that_changes_more_stays_as_it_is_written(self) -> None:
        assert read_as("the end", "The End !", fold=True).proposed == [edit(0, 2, "The End !")]

    def test_a_reference_edit_of_that_kind_can_no_longer_be_matched(self) -> None:
        """The reference is not filtered (the official scorer's way): the edit stays in recall's denominator."""
        assert read_as("the end", "The end", edit(0, 1, "The")).matched == [0]
        assert read_as("the end", "The end", edit(0, 1, "The"), fold=True).matched == []
