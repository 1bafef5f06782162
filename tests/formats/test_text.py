"""Plain and parallel text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import pytest

from errorbar import Problems
from errorbar.core import InputError
from errorbar.formats import ParallelLine, read_parallel
from errorbar.formats.text import read_text
from tests.helpers.read import lines_of


def parallel(source: str, corrected: Sequence[str], *, lenient: bool = False) -> tuple[list[ParallelLine], Problems]:
    problems = Problems(lenient=lenient)
    with ExitStack() as stack:
        texts = [stack.enter_context(lines_of(text, problems)) for text in (source, *corrected)]
        found = list(read_parallel(texts[0], texts[1:], problems))
    return found, problems


def test_reads_in_step() -> None:
    found, problems = parallel("a\n\nc\u2028d", ["A\n\nC", "a\r\nb\r\nc\r\n"])
    assert found == [
        ParallelLine(1, "a", ("A", "a")),
        ParallelLine(2, "", ("", "b")),
        ParallelLine(3, "c\u2028d", ("C", "c")),
    ]
    assert not problems.errors


@pytest.mark.parametrize(
    ("corrected", "what"),
    [("A\n", "1 line for 2 sentences"), ("", "0 lines for 2 sentences"), ("A\nB\nC\n", "3 lines for 2 sentences")],
)
def test_different_numbers_of_lines_are_refused(corrected: str, what: str) -> None:
    _, problems = parallel("a\nb\n", ["A\nB\n", corrected])
    with pytest.raises(InputError, match=what):
        problems.raise_errors()


def test_blank_lines_at_the_end_are_repairable() -> None:
    _, strict = parallel("a\n", ["A\n\n\n"])
    assert [problem.code for problem in strict.errors] == ["line-count"]
    found, lenient = parallel("a\n", ["A\n\n\n"], lenient=True)
    assert found == [ParallelLine(1, "a", ("A",))]
    assert [note.severity for note in lenient.notes] == ["repaired"]


def test_a_text_has_a_sentence_on_each_line() -> None:
    with lines_of("a b\n\nc\n", Problems()) as lines:
        assert [(each.text, each.line) for each in read_text(lines, Problems())] == [("a b", 1), ("", 2), ("c", 3)]


def test_every_file_that_is_too_short_is_named() -> None:
    """Also one that goes on after another has ended, and whose last line is blank."""
    _, problems = parallel("a\n" * 6, ["A\nB\n", "A\nB\nC\n\n", "A\n" * 6], lenient=True)
    assert [problem.what for problem in problems.errors] == [f"{n} lines for 6 sentences of the source" for n in (2, 4)]
    assert problems.notes == []


def test_an_empty_source_is_refused() -> None:
    _, problems = parallel("", [""])
    assert [problem.code for problem in problems.errors] == ["text-empty"]
