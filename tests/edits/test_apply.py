"""Edits -> text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core.edit import Edit
from errorbar.core.problems import InputError, Place, Problems
from errorbar.edits.texts import apply_edits, corrected_text
from tests.helpers.build import edit, sentence
from tests.strategies import disjoint_edits, tokens

TOKENS = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("edits", "corrected"),
    [
        ([], "a b c d"),
        ([edit(1, 2, "x y")], "a x y c d"),
        ([edit(1, 3, "")], "a d"),
        ([edit(0, 0, "x"), edit(4, 4, "y")], "x a b c d y"),
        ([edit(2, 2, "x"), edit(2, 2, "y"), edit(2, 2, "x")], "a b x y x c d"),  # insertions in the order given
        ([edit(1, 2, "y"), edit(1, 1, "x")], "a x y c d"),  # an insertion stands before what replaces the token there
        ([edit(3, 4, "y"), edit(0, 1, "x")], "x b c y"),  # in text order, whatever the order given
        ([edit(1, 2, "x", "y")], "a x c d"),
        ([edit(1, 2, "", kind="Um")], "a b c d"),  # unclear meaning: nothing is deleted
        ([edit(1, 2, kind="Prep")], "a b c d"),  # the correction is unknown
        ([edit(1, 2, "x"), edit(2, 3, "y")], "a x y d"),  # neighbors do not overlap
    ],
)
def test_applies(edits: list[Edit], corrected: str) -> None:
    assert apply_edits(TOKENS, edits) == corrected.split()


def test_the_alternative_asked_for_or_else_the_first() -> None:
    edits = [edit(0, 1, "x", "y"), edit(2, 3, "z")]
    assert apply_edits(TOKENS, edits, alternative=1) == ["y", "b", "z", "d"]


@pytest.mark.parametrize(("optional", "corrected"), [(True, "x b c d"), (False, "a b c d")])
def test_optional_edits(optional: bool, corrected: str) -> None:
    assert apply_edits(TOKENS, [Edit(0, 1, ("x",), optional=True)], optional=optional) == corrected.split()


def test_an_optional_edit_left_out_does_not_overlap() -> None:
    edits = [Edit(0, 2, ("x",), optional=True), edit(1, 3, "y")]
    assert apply_edits(TOKENS, edits, optional=False) == ["a", "y", "d"]


OVERLAPPING = [
    [edit(0, 2, "x"), edit(1, 3, "y")],
    [edit(0, 2, "x"), edit(0, 2, "y")],
    [edit(0, 2, "x"), edit(1, 1, "y")],
]


@pytest.mark.parametrize("edits", OVERLAPPING)
def test_overlapping_edits_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(InputError, match=r"overlaps the edit 0 2 .* both cannot be applied"):
        apply_edits(TOKENS, edits)


@pytest.mark.parametrize("edits", OVERLAPPING)
def test_leniently_the_later_of_two_overlapping_edits_is_skipped(edits: list[Edit]) -> None:
    problems = Problems(lenient=True)
    assert apply_edits(TOKENS, edits, problems=problems, place=Place("f", 7)) == ["x", "c", "d"]
    (note,) = problems.notes
    assert (note.code, str(note.place), note.severity) == ("apply-overlap", "f:7", "repaired")


def test_a_span_outside_the_sentence_is_refused() -> None:
    with pytest.raises(InputError, match="outside the sentence of 4 tokens"):
        apply_edits(TOKENS, [edit(3, 5, "x")])


def test_who_did_not_look_leaves_the_source() -> None:
    source = sentence("a  b", {"1": [edit(0, 1, "x")]})
    assert corrected_text(source, "0", Problems()) == "a b"
    assert corrected_text(source, "1", Problems()) == "x b"


@given(st.data())
def test_as_many_tokens_as_the_edits_say(data: st.DataObject) -> None:
    source = data.draw(tokens())
    edits = data.draw(disjoint_edits(source))
    grown = sum(len(e.replacements[0].split()) - (e.end - e.start) for e in edits)
    corrected = apply_edits(source, edits)
    assert len(corrected) == len(source) + grown
    assert [token for token in corrected if not token.startswith("new")] == [
        token for at, token in enumerate(source) if not any(e.start <= at < e.end for e in edits)
    ]
