"""A failure is one line: where, what, what was expected, how to fix it."""

from __future__ import annotations

import json
import pickle
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import ErrorbarError, Problems
from errorbar.core import (
    InputError,
    MissingExtraError,
    Place,
    Problem,
    UsageError,
    as_options,
    in_file_order,
    nearest,
    visible,
    visible_json,
)


def test_a_problem_reads_as_one_line() -> None:
    problem = Problem("bad-span", "the span 3 2 runs backwards", Place("gold.m2", 7), "start <= end", "correct it")
    assert str(problem) == ("gold.m2:7: the span 3 2 runs backwards (expected start <= end); correct it [bad-span]")
    assert str(Problem("empty", "nothing here")) == "nothing here [empty]"


@pytest.mark.parametrize(
    ("place", "text"),
    [(Place(), ""), (Place("f"), "f"), (Place("f", 3), "f:3"), (Place("", 3), "line 3")],
)
def test_places(place: Place, text: str) -> None:
    assert str(place) == text


def test_every_named_failure_has_a_root_a_code_and_an_exit_code() -> None:
    for error in (InputError(Problem("a", "b")), UsageError([Problem("a", "b"), Problem("c", "d")])):
        assert isinstance(error, ErrorbarError)
        assert error.code == "a"
        assert error.exit_code == 2
    assert str(UsageError([Problem("a", "b"), Problem("c", "d")])) == "b [a]\nd [c]"


def test_a_missing_extra_says_what_to_install() -> None:
    error = MissingExtraError("tokenize", "splitting sentences")
    assert "make tokenize" in str(error)
    assert error.code == "missing-extra"


def test_the_nearest_name_or_all_of_them() -> None:
    assert nearest("bta", ["beta", "choose"]) == "did you mean 'beta'?"
    assert nearest("zzz", ["beta", "choose"]) == "known: beta, choose"
    assert nearest("labels", ["label", "lables"]) == "did you mean 'label'?"
    assert "accents are coded otherwise" in nearest("Cafe\u0301", ["Caf\u00e9"])


class TestProblems:
    PLACE = Place("f", 1)

    def test_errors_are_collected_and_raised_together(self) -> None:
        problems = Problems()
        problems.raise_errors()
        problems.error("a", "first", self.PLACE)
        problems.error("b", "second", self.PLACE)
        with pytest.raises(InputError) as refused:
            problems.raise_errors()
        assert [problem.code for problem in refused.value.problems] == ["a", "b"]

    def test_at_the_limit_reading_stops(self) -> None:
        problems = Problems(limit=2)
        problems.error("a", "first", self.PLACE)
        with pytest.raises(InputError):
            problems.error("b", "second", self.PLACE)

    def test_strict_mode_refuses_and_says_what_lenient_mode_would_do(self) -> None:
        problems = Problems()
        problems.repairable("a", "bad", self.PLACE, repair="dropped")
        assert [str(problem) for problem in problems.errors] == [
            "f:1: bad; correct it or use lenient=True (dropped) [a]"
        ]

    def test_lenient_mode_mends_and_says_so(self) -> None:
        problems = Problems(lenient=True)
        problems.repairable("a", "bad", self.PLACE, repair="dropped")
        problems.raise_errors()
        (note,) = problems.notes
        assert (note.severity, note.fix) == ("repaired", "repaired: dropped")

    def test_lenient_mode_still_refuses_what_has_no_repair(self) -> None:
        problems = Problems(lenient=True)
        problems.error("a", "bad", self.PLACE)
        with pytest.raises(InputError):
            problems.raise_errors()

    def test_a_note_stops_nothing(self) -> None:
        problems = Problems()
        problems.note("a", "look here", self.PLACE)
        problems.raise_errors()
        assert problems.notes[0].severity == "warning"


@pytest.mark.parametrize("error", [InputError(Problem("a", "b", Place("f", 3))), MissingExtraError("report", "a page")])
def test_errors_cross_processes(error: ErrorbarError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.problems, str(again)) == (type(error), error.problems, str(error))


def test_of_many_notes_of_one_code_the_first_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.core.problems.MOST_KEPT", 3)
    problems = Problems(lenient=True)
    for line in range(1, 6):
        problems.note("many", f"number {line}", Place("f", line))
    problems.repairable("few", "once", Place("f"), repair="so")
    said = [str(note) for note in problems.notes]
    assert said[:3] == [f"f:{line}: number {line} [many]" for line in (1, 2, 3)]
    assert said[3:] == ["2 more of these, not listed [many]", "f: once; repaired: so [few]"]


def test_collected_notes_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether one reader found them or several, and however these were cut."""
    monkeypatch.setattr("errorbar.core.problems.MOST_KEPT", 4)
    whole = Problems()
    for line in range(1, 12):
        whole.note("many", f"number {line}", Place("f", line))
    for cut in range(1, 11):
        first, second, both = Problems(), Problems(), Problems()
        for line in range(1, 12):
            (first if line <= cut else second).note("many", f"number {line}", Place("f", line))
        both.collect(first)
        both.collect(second)
        assert both.notes == whole.notes
    assert sum(note.others or 1 for note in whole.notes) == 11


def test_what_was_found_is_put_in_the_order_of_files_and_lines() -> None:
    """What is of no file comes last; what is of one line stays as it was."""
    found = [
        Problem("e", "", Place("elsewhere", 1)),
        Problem("b2", "", Place("b", 2)),
        Problem("a9", "", Place("a", 9)),
        Problem("n", ""),
        Problem("b1", "", Place("b", 1)),
        Problem("a9 too", "", Place("a", 9)),
        Problem("a", "", Place("a")),
    ]
    assert [each.code for each in in_file_order(found, ["b", "a"])] == ["b1", "b2", "a", "a9", "a9 too", "e", "n"]


def test_the_note_that_counts_others_is_as_severe_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.core.problems.MOST_KEPT", 1)
    problems = Problems(lenient=True)
    for line in (1, 2):
        problems.repairable("many", "bad", Place("f", line), repair="so")
    assert [note.severity for note in problems.notes] == ["repaired", "repaired"]


@pytest.mark.parametrize(
    ("text", "options", "arguments"),
    [
        ("correct it or use --lenient", "correct it or use --lenient", "correct it or use lenient=True"),
        ("--strict, or --no-ci", "--strict, or --no-ci", "lenient=False, or ci=False"),
        (
            "take fewer --swaps, or --adjust=holm",
            "take fewer --swaps, or --adjust holm",
            'take fewer swaps, or adjust="holm"',
        ),
        ("--ci-method=bca|basic", "--ci-method bca|basic", 'ci_method="bca"|"basic"'),
        ("try --jobs=1 (--jobs 2)", "try --jobs 1 (--jobs 2)", "try jobs=1 (jobs=2)"),
        ("--min-rate=.5; --error LABEL", "--min-rate .5; --labels error=LABEL", "min_rate=.5; error=LABEL"),
        ("rename it: --gold=name=path", "rename it: --gold name=path", 'rename it: gold="name=path"'),
        ("--gold='A*.m2'", "--gold 'A*.m2'", 'gold="A*.m2"'),
        ("errorbar agree --x=2; --jobs 1", "errorbar agree --x=2; --jobs 1", "errorbar agree --x=2; jobs=1"),
        ("the label '--error' and a--b -- c", "the label '--error' and a--b -- c", "the label '--error' and a--b -- c"),
    ],
)
def test_options_become_arguments_in_python(text: str, options: str, arguments: str) -> None:
    problem = Problem("code", text, fix=text)
    assert str(problem) == f"{arguments}; {arguments} [code]"
    assert problem.line(as_options) == f"{options}; {options} [code]"


# What is shown of text that nobody has looked at.


JOINERS = "\u200c\u200d"
# Format characters that are seen: signs of Arabic, Syriac and Kaithi numbers.
SEEN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – naïve 漢字 😀", "plain – naïve 漢字 😀"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[31m\x00\x7f\x9b", "\\x1b[31m\\x00\\x7f\\x9b"),
        ("\u2028\u202e\u2066\u200b\ufeff", "\\u2028\\u202e\\u2066\\u200b\\ufeff"),
        ("\ud800\U000e0041", "\\ud800\\U000e0041"),
        ("C:\\new", "C:\\new"),
        (f"می{JOINERS}", f"می{JOINERS}"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_acts_and_everything_can_be_written(text: str) -> None:
    """By Unicode's own categories: controls, surrogates, line and paragraph separators, marks of direction."""
    shown = visible(text)
    shown.encode()
    assert visible(shown) == shown
    assert not {category(one) for one in shown} & {"Cc", "Cs", "Zl", "Zp"}


def test_format_characters_are_shown_but_for_joiners_and_those_that_are_seen() -> None:
    """In the basic plane; the others are marks of notes, shorthand and hieroglyphs, and tags, which are shown."""
    formats = {chr(code) for code in range(0x10000) if category(chr(code)) == "Cf"}
    assert {one for one in formats if visible(one) == one} <= {*JOINERS, *SEEN}


@given(st.text(st.characters(exclude_categories=())))
def test_json_is_the_same_data(text: str) -> None:
    shown = visible_json(json.dumps({text: text}, ensure_ascii=False))
    shown.encode()
    assert json.loads(shown) == json.loads(json.dumps({text: text}))
    assert visible(shown) == shown


def test_a_problem_is_one_line_whatever_it_quotes() -> None:
    problem = Problem("x", "no\nerror: forged", Place("a\nerror: b", 3), "\x1b", "\u2028")
    assert str(problem) == "a\\nerror: b:3: no\\nerror: forged (expected \\x1b); \\u2028 [x]"
    assert str(InputError([problem, problem])).count("\n") == 1
