"""System output: as many lines as the source has sentences, and plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.core import InputError, Problem
from errorbar.formats import HypothesisReader
from tests.helpers.cli import CommandLine


def read(path: Path, n_sentences: int, *, lenient: bool = False) -> tuple[list[str], list[Problem]]:
    problems = Problems(lenient=lenient)
    reader = HypothesisReader(path, path.stem, problems)
    taken = reader.take(n_sentences)
    reader.finish(n_sentences)
    problems.raise_errors()
    return taken, problems.notes


def refusal(path: Path, n_sentences: int, *, lenient: bool = False) -> Problem:
    with pytest.raises(InputError) as refused:
        read(path, n_sentences, lenient=lenient)
    (problem,) = refused.value.problems
    return problem


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return tmp_path / "CAMB.txt"


def test_lines_and_name(system: Path) -> None:
    system.write_text("a b\n\nc\n")
    assert read(system, 3) == (["a b", "", "c"], [])
    assert HypothesisReader(system, system.stem, Problems()).name == "CAMB"


def test_text_that_only_begins_like_m2(system: Path) -> None:
    system.write_text("S is a letter\nA b|||c|||d|||e\n")
    assert read(system, 2) == (["S is a letter", "A b|||c|||d|||e"], [])
    system.write_text("The first\nA 0 1|||X|||y|||REQUIRED|||-NONE-|||0\n")
    assert read(system, 2)[1] == []


def test_lines_are_taken_part_by_part(system: Path) -> None:
    system.write_text("a\nb\nc\n")
    reader = HypothesisReader(system, system.stem, Problems())
    assert [reader.take(2), reader.take(2), reader.take(2)] == [["a", "b"], ["c"], []]


@pytest.mark.parametrize("n_sentences", [1, 3])
@pytest.mark.parametrize("lenient", [False, True])
def test_too_few_and_too_many_lines(system: Path, n_sentences: int, lenient: bool) -> None:
    system.write_text("a\nb\n")
    problem = refusal(system, n_sentences, lenient=lenient)
    assert problem.code == "line-count"
    assert problem.what == f"2 lines for {n_sentences} sentence{'s' * (n_sentences != 1)} of the source"
    assert problem.place.file == str(system)


class TestBlankLinesAtTheEnd:
    def test_they_are_refused_with_the_reason(self, system: Path) -> None:
        system.write_text("a\nb\n\n")
        problem = refusal(system, 2)
        assert problem.what == "3 lines for 2 sentences of the source; the last one is blank"
        system.write_text("a\nb\n\n \n")
        assert refusal(system, 2).what.endswith("; the last 2 are blank")

    def test_lenient_reading_leaves_them_out(self, system: Path) -> None:
        system.write_text("a\nb\n\n\n")
        taken, (note,) = read(system, 2, lenient=True)
        assert taken == ["a", "b"]
        assert (note.code, note.severity) == ("line-count", "repaired")

    def test_a_blank_last_line_may_be_a_sentence(self, system: Path) -> None:
        system.write_text("a\n\n")
        assert read(system, 2)[0] == ["a", ""]


def test_empty_file(system: Path) -> None:
    system.write_text("")
    problem = refusal(system, 2)
    assert (problem.code, problem.expected) == ("hypothesis-empty", "2 lines")


def test_m2_instead_of_text(system: Path) -> None:
    system.write_text("S a b\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n\n")
    problem = refusal(system, 1)
    assert problem.code == "hypothesis-m2"
    assert "errorbar convert --to text" in problem.fix


@pytest.mark.parametrize("line", ['{"text": "a b", "spans": [{"start": 0, "end": 1}]}', '[{"text": "a b"}]'])
def test_json_is_no_text(system: Path, line: str) -> None:
    """Its words are those of the sentence, so that it would pass for a poor correction."""
    system.write_text(f"{line}\n")
    problem = refusal(system, 1)
    assert (problem.code, problem.what) == ("hypothesis-jsonl", "this is JSON, not plain text")


@pytest.mark.parametrize("line", ["[1] a b", "{ a b }", "[]"])
def test_brackets_are_text(system: Path, line: str) -> None:
    system.write_text(f"{line}\n")
    assert read(system, 1)[0] == [line]


def test_the_command_that_makes_text_names_the_file(errorbar: CommandLine, tmp_path: Path) -> None:
    lines = {"m2": "S a b\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n\n", "jsonl": '{"format": "errorbar-corpus"}\n'}
    for kind, annotator in (("m2", "0"), ("jsonl", "NAME")):
        (tmp_path / kind).write_text(lines[kind])
        said = errorbar("score", "--gold", tmp_path / "m2", tmp_path / kind).err
        assert f"errorbar convert --to text --annotator {annotator} {tmp_path / kind}" in said


def test_a_sentence_may_start_with_the_letter_s(system: Path) -> None:
    system.write_text("S is a letter .\nA is another ||| one .\n")
    assert len(read(system, 2)[0]) == 2
