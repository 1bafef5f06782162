"""A failure is one line: where, what, what was expected, how to fix it."""

from __future__ import annotations

import pickle

import pytest

from errorbar.core.problems import (
    ErrorbarError,
    InputError,
    MissingExtraError,
    Place,
    Problem,
    Problems,
    UsageError,
    as_options,
    in_file_order,
    nearest,
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
