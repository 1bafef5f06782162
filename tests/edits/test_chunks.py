"""Chunks: every side's text can be put together from them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from errorbar.core.edit import Edit
from errorbar.edits.texts import applied, apply_edits, changed_chunks, chunk_text, says, within
from tests.helpers.build import edit
from tests.strategies import disjoint_edits, tokens


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[str], list[list[Edit]]]:
    source = draw(tokens())
    return source, [list(draw(disjoint_edits(source))) for _ in range(draw(st.integers(1, 3)))]


@given(sides())
def test_a_sides_text_is_that_of_its_chunks_and_of_the_source_between(
    example: tuple[list[str], list[list[Edit]]],
) -> None:
    source, given_edits = example
    kept = [applied(edits) for edits in given_edits]
    chunks = changed_chunks(kept)
    assert all(before[1] < after[0] for before, after in pairwise(chunks))
    for edits in kept:
        made, at = [], 0
        for chunk in chunks:
            text = chunk_text(source, chunk, within(edits, chunk))
            assert says(source, chunk, within(edits, chunk), text)
            made += [*source[at : chunk[0]], *text]
            at = chunk[1]
        assert [*made, *source[at:]] == apply_edits(source, edits)
        assert sum(len(within(edits, chunk)) for chunk in chunks) == len(edits)


def test_edits_that_touch_are_one_chunk() -> None:
    assert changed_chunks([[edit(1, 2, "x"), edit(4, 4, "y")], [edit(2, 3, "z")], []]) == [(1, 3), (4, 4)]
    assert changed_chunks([[edit(3, 3, "x")], [edit(3, 5, "z")]]) == [(3, 5)]
    assert changed_chunks([[], []]) == []


def test_alternatives_can_be_mixed() -> None:
    edits = [Edit(0, 1, ("A", "an A")), Edit(2, 3, ("", "C"))]
    said = ["A b", "an A b", "A b C", "an A b C"]
    assert all(says(["a", "b", "c"], (0, 3), edits, text.split()) for text in said)
    assert not any(says(["a", "b", "c"], (0, 3), edits, text.split()) for text in ("a b c", "A b c", "b C", "A b C d"))


def test_what_cannot_be_applied_is_left_out() -> None:
    unclear, unknown = edit(0, 1, "x", kind="Um"), Edit(1, 2, ())
    assert applied([edit(3, 4, "d"), unclear, unknown, edit(2, 4, "cd"), edit(4, 4, "e")]) == [
        edit(2, 4, "cd"),
        edit(4, 4, "e"),
    ]
