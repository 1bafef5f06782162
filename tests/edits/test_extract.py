"""A text pair -> edits."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Edit, Problems
from errorbar.core import InputError, Place
from errorbar.edits import (
    apply_edits,
    chunk_text,
    corrected_text,
    extract_edits,
    find_changed_chunks,
    parallel_sentences,
    says,
    select_applied,
    whole_edit,
    within,
)
from errorbar.edits.matching import COMPILED
from errorbar.edits.texts import _align
from errorbar.formats import ParallelLine
from tests.helpers.build import edit, sentence
from tests.helpers.effort import draw_examples
from tests.strategies import disjoint_edits, rewritten, tokens


def distance(source: list[str], target: list[str]) -> int:
    """Levenshtein distance of tokens, as the textbooks define it."""
    row = list(range(len(target) + 1))
    for i, token in enumerate(source, 1):
        previous, row = row, [i]
        for j, other in enumerate(target, 1):
            row.append(min(previous[j - 1] + (token != other), previous[j] + 1, row[j - 1] + 1))
    return row[-1]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("", "", []),
        ("a b", "a b", []),
        ("a b c", "a x c", [(1, 2, "x")]),
        ("a b c d", "a x y d", [(1, 3, "x y")]),  # neighbors are one edit
        ("a b c d e", "x b c d y", [(0, 1, "x"), (4, 5, "y")]),
        ("a b", "", [(0, 2, "")]),
        ("", "a b", [(0, 0, "a b")]),
        ("a a b", "a b", [(1, 2, "")]),  # the common beginning is kept first
        ("a b c", "a b b c", [(2, 2, "b")]),
        ("b c b", "b b c x b", [(1, 1, "b"), (2, 2, "x")]),
        ("a b", "b a", [(0, 2, "b a")]),  # two changes either way: one edit, though two would keep a token
        ("a a b", "b a a", [(0, 0, "b"), (2, 3, "")]),  # two changes in two edits either way: this keeps two tokens
        # one substitution and one insertion; as one edit, though two edits would change as much
        ("p q r", "p x y r", [(1, 2, "x y")]),
    ],
)
def test_extracts(source: str, target: str, expected: list[tuple[int, int, str]]) -> None:
    edits = extract_edits(source.split(), target.split())
    assert [(edit.start, edit.end, *edit.replacements) for edit in edits] == expected
    assert {edit.type for edit in edits} <= {""}


@pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled: there is nothing to compare")
@draw_examples(300)
@given(*[st.lists(st.sampled_from("abcd"), max_size=9)] * 2)
def test_twins(source: list[str], target: list[str]) -> None:
    from errorbar.edits._minimal import align

    assert align(source, target) == _align(source, target)


@given(st.data())
def test_applying_the_edits_gives_the_target(data: st.DataObject) -> None:
    source = data.draw(tokens())
    target = data.draw(rewritten(source))
    edits = extract_edits(source, target)
    assert apply_edits(source, edits) == target
    assert all(first.end < second.start for first, second in pairwise(edits))
    # Within an edit nothing is kept, so the larger side of each is what it costs: the total is the distance.
    assert sum(max(e.end - e.start, len(e.replacements[0].split())) for e in edits) == distance(source, target)


@pytest.mark.parametrize("length", [300, 1000])
def test_long_sentences(length: int) -> None:
    source = [f"w{number}" for number in range(length)]
    target = [*source[:100], "new", *source[101:250], *source[251:]]
    assert [edit.span for edit in extract_edits(source, target)] == [(100, 101), (250, 251)]


def test_long_sentences_without_a_common_token() -> None:
    source, target = [f"s{number}" for number in range(300)], [f"t{number}" for number in range(250)]
    assert extract_edits(source, target) == [edit(0, 300, " ".join(target))]


def test_each_corrected_text_is_an_annotator() -> None:
    lines = [ParallelLine(1, "a b", ("a b", "a x")), ParallelLine(2, "", ("", "c"))]
    first, second = parallel_sentences(lines, ["ann", "bob"])
    assert (first.text, first.line, first.annotations["ann"]) == ("a b", 1, ())
    assert [edit[:3] for edit in first.annotations["bob"]] == [(1, 2, ("x",))]
    assert [edit[:3] for edit in second.annotations["bob"]] == [(0, 0, ("c",))]


def test_texts_that_have_little_in_common_and_much_to_compare_are_refused() -> None:
    """5,000 tokens against 5,000 others took 1.6 GB; what they begin and end with costs nothing."""
    old, new = [f"w{k}" for k in range(5000)], [f"v{k}" for k in range(5000)]
    with pytest.raises(InputError, match=r"differ in 5,000 and 5,000 tokens is too large .*at most 4,000,000"):
        extract_edits(old, new)
    line = ParallelLine(7, " ".join(old), (" ".join(new),))
    with pytest.raises(InputError, match=r"^line 7: a pair of texts .*pair-too-large"):
        list(parallel_sentences([line], ["a"]))
    assert extract_edits(old, [*old[:2], "x", *old[3:]]) == [edit(2, 3, "x")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [("a b c d", "a x y d", [(1, 3, "x y")]), ("a b", "a b", []), ("a b", "a", [(1, 2, "")]), ("", "a", [(0, 0, "a")])],
)
def test_the_whole_difference_as_one_edit(old: str, new: str, expected: list[tuple[int, int, str]]) -> None:
    assert whole_edit(old.split(), new.split()) == [edit(*each) for each in expected]


# Edits -> text.


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


# Chunks: every side's text can be put together from them.


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[str], list[list[Edit]]]:
    source = draw(tokens())
    return source, [list(draw(disjoint_edits(source))) for _ in range(draw(st.integers(1, 3)))]


@given(sides())
def test_a_sides_text_is_that_of_its_chunks_and_of_the_source_between(
    example: tuple[list[str], list[list[Edit]]],
) -> None:
    source, given_edits = example
    kept = [select_applied(edits) for edits in given_edits]
    chunks = find_changed_chunks(kept)
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
    assert find_changed_chunks([[edit(1, 2, "x"), edit(4, 4, "y")], [edit(2, 3, "z")], []]) == [(1, 3), (4, 4)]
    assert find_changed_chunks([[edit(3, 3, "x")], [edit(3, 5, "z")]]) == [(3, 5)]
    assert find_changed_chunks([[], []]) == []


def test_alternatives_can_be_mixed() -> None:
    edits = [Edit(0, 1, ("A", "an A")), Edit(2, 3, ("", "C"))]
    said = ["A b", "an A b", "A b C", "an A b C"]
    assert all(says(["a", "b", "c"], (0, 3), edits, text.split()) for text in said)
    assert not any(says(["a", "b", "c"], (0, 3), edits, text.split()) for text in ("a b c", "A b c", "b C", "A b C d"))


def test_what_cannot_be_applied_is_left_out() -> None:
    unclear, unknown = edit(0, 1, "x", kind="Um"), Edit(1, 2, ())
    assert select_applied([edit(3, 4, "d"), unclear, unknown, edit(2, 4, "cd"), edit(4, 4, "e")]) == [
        edit(2, 4, "cd"),
        edit(4, 4, "e"),
    ]
