"""HOO fragments in JSONL: nothing is lost, and every command reads the sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from errorbar import Problems, Sentence
from errorbar.core import Fragment
from errorbar.edits import fragment_sentences
from errorbar.formats import Lines, has_standoff, read_jsonl, read_standoff, write_jsonl, write_standoff
from tests.formats.test_hoo import written_fragments
from tests.helpers.standoff import fragment, read_real, standoff


def written(path: Path, *fragments: Fragment, annotator: str = "0") -> Path:
    pairs = [(one, list(fragment_sentences(one, annotator, Problems()))) for one in fragments]
    path.write_bytes("".join(f"{line}\n" for line in write_standoff(pairs, annotator)).encode())
    return path


def read(path: Path) -> tuple[list[Fragment], list[Sentence], str]:
    problems = Problems()
    found = read_standoff(Lines(path, problems), problems)
    problems.raise_errors()
    return found


@given(one=written_fragments())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, one: Fragment) -> None:
    path = written(tmp_path_factory.mktemp("jsonl") / "x.jsonl", one)
    (again,), _, annotator = read(path)
    assert (again.name, again.text, again.edits, annotator) == (one.name, one.text, one.edits, "0")


@pytest.mark.parametrize("part", ["test", "develop"])
def test_every_fragment_of_hoo_2011_comes_back(data: Path, tmp_path: Path, part: str) -> None:
    """Texts to the character, edits to the last attribute; read strictly, also as sentences."""
    ones = read_real(data, part)[0]
    path = written(tmp_path / "x.jsonl", *ones)
    again, sentences, _ = read(path)
    assert [(one.name, one.text, one.edits) for one in again] == [(one.name, one.text, one.edits) for one in ones]
    problems = Problems()
    assert list(read_jsonl(Lines(path, problems), problems)) == sentences
    assert [note.code for note in problems.notes if note.code != "edit-no-change"] == []


def test_which_files_have_records(tmp_path: Path) -> None:
    assert has_standoff(written(tmp_path / "x.jsonl", fragment(text="a\n")))
    (tmp_path / "plain.jsonl").write_text("\n".join(write_jsonl([Sentence("a", {})], Problems())))
    (tmp_path / "gold.m2").write_text("S a\n")
    assert not has_standoff(tmp_path / "plain.jsonl")
    assert not has_standoff(tmp_path / "gold.m2")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"text": 3}, "jsonl-record"),
        ({"odd": 1}, "jsonl-record"),
        ({"edits": [7]}, "jsonl-record"),
        ({"edits": [{"start": 0, "end": 1}]}, "jsonl-record"),
        ({"edits": [{"start": 0, "end": 1, "corrections": [1]}]}, "jsonl-record"),
        ({"edits": [{"start": 2, "end": 1, "corrections": []}]}, "jsonl-standoff"),
        ({"edits": [{"start": 0, "end": 99, "corrections": []}]}, "jsonl-standoff"),
    ],
)
def test_a_bad_record_is_named_with_its_line(tmp_path: Path, change: dict[str, object], code: str) -> None:
    path = written(tmp_path / "x.jsonl", fragment(standoff(0, 1, "x"), text="a b\n"))
    header, record, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, json.dumps(json.loads(record) | change), *rest]))
    problems = Problems()
    read_standoff(Lines(path, problems), problems)
    assert [(problem.code, problem.place.line) for problem in problems.errors] == [(code, 2)]


def test_a_second_record_of_one_text(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", fragment(text="a\n"), fragment(text="b\n"))
    problems = Problems()
    read_standoff(Lines(path, problems), problems)
    assert [problem.code for problem in problems.errors] == ["jsonl-standoff"]
