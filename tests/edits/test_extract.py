"""A text pair -> edits."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core.problems import InputError
from errorbar.edits.matching import COMPILED
from errorbar.edits.texts import _align, apply_edits, extract_edits, parallel_sentences, whole_edit
from errorbar.formats.text import ParallelLine
from tests.helpers.build import edit
from tests.helpers.effort import draw_examples
from tests.strategies import rewritten, tokens


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
