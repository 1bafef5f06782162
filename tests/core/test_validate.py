"""What must hold of one annotator's edits of one sentence."""

from __future__ import annotations

import pytest

from errorbar import Edit, Problems
from errorbar.core import Place, check_annotation, check_span
from tests.helpers.build import edit

TOKENS = ["a", "b", "c", "d"]


def checked(*edits: Edit, lenient: bool = False, as_written: bool = False) -> tuple[list[Edit], list[str], list[str]]:
    """What is kept, and the codes of errors and of notes."""
    problems = Problems(lenient=lenient, as_written=as_written)
    kept = check_annotation(list(edits), TOKENS, lambda index: Place("f", index + 1), problems)
    return kept, [problem.code for problem in problems.errors], [note.code for note in problems.notes]


@pytest.mark.parametrize(
    ("start", "end", "code"),
    [
        (0, 4, None),
        (4, 4, None),
        (0, 0, None),
        (2, 1, "span-backwards"),
        (3, 5, "span-outside"),
        (5, 5, "span-outside"),
        (-1, 1, "span-outside"),
        (-1, -1, "span-outside"),
    ],
)
def test_spans(start: int, end: int, code: str | None) -> None:
    problems = Problems()
    assert check_span(start, end, 4, Place("f", 1), problems) == (code is None)
    assert [problem.code for problem in problems.errors] == ([code] if code else [])


@pytest.mark.parametrize(
    "edits",
    [
        [],
        [edit(0, 1, "x"), edit(1, 2, "y")],
        [edit(1, 1, "x"), edit(1, 2, "y")],  # an insertion before a replaced token
        [edit(0, 1, "x"), edit(1, 1, "y")],  # and one after
        [edit(1, 1, "x"), edit(1, 1, "y")],  # two insertions apply in this order
    ],
)
def test_what_is_in_order(edits: list[Edit]) -> None:
    assert checked(*edits) == (edits, [], [])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (edit(0, 2, "x"), edit(1, 3, "y")),
        (edit(0, 3, "x"), edit(1, 2, "y")),
        (edit(0, 2, "x"), edit(0, 2, "y")),
        (edit(0, 2, "x"), edit(1, 1, "y")),
    ],
)
def test_overlaps_are_refused_or_both_kept(first: Edit, second: Edit) -> None:
    assert checked(first, second)[1:] == (["edit-overlap"], [])
    assert checked(first, second, lenient=True) == ([first, second], [], ["edit-overlap"])


@pytest.mark.parametrize("again", [edit(0, 1, "x"), edit(1, 1, "x")])
def test_repeated_edits_are_refused_or_dropped(again: Edit) -> None:
    """The official scorer counts them twice, and P can exceed 1."""
    assert checked(again, again)[1:] == (["edit-duplicate"], [])
    assert checked(again, again._replace(type="other"), lenient=True) == ([again], [], ["edit-duplicate"])


def test_edits_out_of_order_are_put_in_text_order_with_a_note() -> None:
    """The official scorer would lose the hit of the one that stands too late."""
    early, late = edit(0, 1, "x"), edit(2, 3, "y")
    assert checked(late, early) == ([early, late], [], ["edits-unsorted"])


def test_edits_that_only_touch_do_not_overlap_in_whatever_order() -> None:
    touching = [edit(0, 0, "p"), edit(0, 1, "x"), edit(1, 1, "q"), edit(1, 3, "y"), edit(3, 3, "r"), edit(3, 4, "z")]
    assert checked(*reversed(touching)) == (touching, [], ["edits-unsorted"])


def test_edits_at_one_place_that_share_an_alternative_are_repeated() -> None:
    """A system's edit would match both."""
    first, second = edit(1, 1, "x", "y"), edit(1, 1, "y", "z")
    assert checked(first, second)[1:] == (["edit-duplicate"], [])
    apart = (edit(1, 1, "x"), edit(1, 1, "y"), edit(1, 1, "x"))
    assert checked(*apart)[1:] == (["edit-duplicate"], [])
    assert checked(*apart, lenient=True) == ([*apart[:2]], [], ["edit-duplicate"])


def test_insertions_at_one_point_keep_their_order() -> None:
    first, second, early = edit(1, 1, "z"), edit(1, 1, "a"), edit(0, 1, "x")
    assert checked(first, second, early)[0] == [early, first, second]


def test_an_edit_that_changes_nothing_is_noted_and_kept() -> None:
    same = edit(1, 3, "b c")
    assert checked(same) == ([same], [], ["edit-no-change"])
    unclear = edit(1, 1, "", kind="Um")
    assert checked(unclear) == ([unclear], [], [])


def test_as_written_everything_stays_in_its_place_and_is_named() -> None:
    edits = [edit(2, 3, "y"), edit(0, 1, "x"), edit(0, 1, "x"), edit(0, 2, "z")]
    wanted = ["edits-unsorted", "edit-duplicate", "edit-overlap"]
    assert checked(*edits, as_written=True) == (edits, [], wanted)
    assert checked(*edits, as_written=True, lenient=True) == (edits, [], wanted)


def test_the_first_that_overlaps_or_repeats_is_named() -> None:
    """Many edits at once: what is named must be what one by one would be found first."""
    problems = Problems(lenient=True)
    edits = [edit(0, 1, "p"), edit(0, 4, "x"), edit(1, 1, "i"), edit(2, 3, "y"), edit(2, 3, "y", "z"), edit(3, 4, "z")]
    kept = check_annotation(edits, TOKENS, lambda index: Place("f", index + 1), problems)
    assert kept == [edit(0, 1, "p"), edit(0, 4, "x"), edit(1, 1, "i"), edit(2, 3, "y"), edit(3, 4, "z")]
    assert [(note.code, note.place.line, note.what.split(" of the")[0]) for note in problems.notes] == [
        ("edit-overlap", 2, "the edit 0 4 overlaps the edit 0 1"),
        ("edit-overlap", 3, "the edit 1 1 overlaps the edit 0 4"),
        ("edit-overlap", 4, "the edit 2 3 overlaps the edit 0 4"),
        ("edit-duplicate", 5, "the edit 2 3 stands twice for one annotator (, )"),
        ("edit-overlap", 6, "the edit 3 4 overlaps the edit 0 4"),
    ]
