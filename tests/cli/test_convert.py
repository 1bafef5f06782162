"""``errorbar convert``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine

GOLD = """S He go home .
A 1 2|||SVA|||goes||went|||REQUIRED|||-NONE-|||0
A 2 2|||Um||||||REQUIRED|||-NONE-|||0
A 3 3|||Mec|||now|||OPTIONAL|||why|||0
A 1 2|||Vt|||went|||REQUIRED|||-NONE-|||1

S It is .

"""
ESSAY = """<DOC nid="12">
<TEXT>
<P>
He go home. It is.
</P>
</TEXT>
<ANNOTATION teacher_id="3">
<MISTAKE start_par="0" start_off="3" end_par="0" end_off="5">
<TYPE>SVA</TYPE>
<CORRECTION>goes</CORRECTION>
</MISTAKE>
</ANNOTATION>
</DOC>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "gold.m2": GOLD,
        "essay.sgml": ESSAY,
        "source.txt": "He go home .\nIt is .\n",
        "ann.txt": "He goes home .\nIt is .\n",
        "other.xml": "<corpus>\n</corpus>\n",
        "empty.m2": "",
        "gold.jsonl": '{"format": "errorbar-corpus", "version": 1, "annotators": ["0"]}\n',
        "bob.txt": "He went home now .\nIt was .\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode())
    return tmp_path


def records(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_m2_to_jsonl_and_back(folder: Path, errorbar: CommandLine) -> None:
    first = errorbar("convert", folder / "gold.m2", "-o", folder / "gold.jsonl")
    assert (first.code, first.out, first.err) == (0, "", "")
    back = errorbar("convert", folder / "gold.jsonl", "--to", "m2")
    noop = "S It is .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"
    assert (back.code, back.out) == (0, GOLD.replace("S It is .\n", noop))


def test_standard_input_and_gzip(folder: Path, errorbar: CommandLine) -> None:
    packed = gzip.compress(GOLD.encode())
    result = errorbar("convert", "-", "-o", folder / "x.jsonl.gz", stdin=packed)
    assert (result.code, result.err) == (0, "")
    text = gzip.decompress((folder / "x.jsonl.gz").read_bytes()).decode()
    assert [record["text"] for record in records(text)[1:]] == ["He go home .", "It is ."]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ([], "He go home ."),
        (["--annotator", "0"], "He goes home now ."),
        (["--annotator", "0", "--alternative", "2"], "He went home now ."),
        (["--annotator", "0", "--no-optional"], "He goes home ."),
        (["--annotator", "1"], "He went home ."),
    ],
)
def test_to_text(folder: Path, errorbar: CommandLine, options: list[str], text: str) -> None:
    result = errorbar("convert", folder / "gold.m2", "--to", "text", *options)
    assert (result.code, result.out) == (0, f"{text}\nIt is .\n")


def test_who_did_not_look_is_said(folder: Path, errorbar: CommandLine) -> None:
    result = errorbar("convert", folder / "gold.m2", "--to", "text", "--annotator", "1")
    assert "annotator '1' did not look at 1 sentences" in result.err


def test_parallel_text_to_m2(folder: Path, errorbar: CommandLine) -> None:
    texts = [folder / "ann.txt", f"second={folder / 'bob.txt'}"]
    result = errorbar("convert", "--source", folder / "source.txt", *texts, "--to", "m2")
    assert result.code == 0
    assert result.out.split("\n") == [
        "S He go home .",
        "A 1 2||||||goes|||REQUIRED|||-NONE-|||0",
        "A 1 2||||||went|||REQUIRED|||-NONE-|||1",
        "A 3 3||||||now|||REQUIRED|||-NONE-|||1",
        "",
        "S It is .",
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0",
        "A 1 2||||||was|||REQUIRED|||-NONE-|||1",
        "",
        "",
    ]
    assert "0 = ann, 1 = second" in result.err


def test_text_to_edits_to_text(folder: Path, errorbar: CommandLine) -> None:
    errorbar("convert", "--source", folder / "source.txt", folder / "bob.txt", "-o", folder / "x.jsonl")
    result = errorbar("convert", folder / "x.jsonl", "--to", "text", "--annotator", "bob")
    assert result.out == (folder / "bob.txt").read_text()


def test_essays_with_given_tokens(folder: Path, errorbar: CommandLine) -> None:
    result = errorbar("convert", folder / "essay.sgml", "--tokens", folder / "gold.m2", "--to", "jsonl")
    first, second = records(result.out)[1:]
    assert (first["document"], second["document"]) == ("12", "12")
    assert first["annotations"] == {"3": [{"start": 1, "end": 2, "replacements": ["goes"], "type": "SVA"}]}
    assert second["annotations"] == {"3": []}


def test_essays_with_own_tokens(folder: Path, errorbar: CommandLine) -> None:
    pytest.importorskip("nltk")
    given = errorbar("convert", folder / "essay.sgml", "--tokens", folder / "gold.m2", "--to", "jsonl")
    own = errorbar("convert", folder / "essay.sgml", "--to", "jsonl")
    assert own.out == given.out


@pytest.mark.parametrize(("option", "inserted"), [((), "so."), (("--detach-stops",), "so .")])
def test_stops_of_corrections_are_detached_where_asked_for(
    folder: Path, errorbar: CommandLine, option: tuple[str, ...], inserted: str
) -> None:
    essay = ESSAY.replace('start_off="3" end_par="0" end_off="5"', 'start_off="15" end_par="0" end_off="17"')
    (folder / "stop.sgml").write_text(essay.replace("goes", "is so."))
    result = errorbar("convert", folder / "stop.sgml", "--tokens", folder / "gold.m2", "--to", "jsonl", *option)
    (edit,) = records(result.out)[2]["annotations"]["3"]  # type: ignore[index]  # a record is plain data of any shape
    assert edit["replacements"] == [inserted]


def test_essays_give_documents_to_an_m2_corpus(folder: Path, errorbar: CommandLine) -> None:
    result = errorbar("convert", folder / "gold.m2", "--documents", folder / "essay.sgml", "--to", "jsonl")
    first, second = records(result.out)[1:]
    assert (first["document"], second["document"]) == ("12", "12")
    assert isinstance(first["annotations"], dict)
    assert list(first["annotations"]) == ["0", "1"]


def test_what_the_format_cannot_hold_is_listed(folder: Path, errorbar: CommandLine) -> None:
    result = errorbar("convert", folder / "essay.sgml", "--tokens", folder / "gold.m2", "--to", "m2")
    assert result.code == 0
    assert "M2 cannot hold documents and writers; left out" in result.err


def test_several_files_become_one_corpus(folder: Path, errorbar: CommandLine) -> None:
    (folder / "A2.m2").write_text("S He go home .\n\nS It is .\nA 1 2|||Vt|||was|||REQUIRED|||-NONE-|||0\n\n")
    result = errorbar("convert", folder / "A2.m2", f"B={folder / 'gold.m2'}", "--to", "jsonl")
    first, second = records(result.out)[1:]
    assert isinstance(first["annotations"], dict)
    assert isinstance(second["annotations"], dict)
    assert (list(first["annotations"]), list(second["annotations"])) == (["A2", "B", "B.1"], ["A2", "B"])


def test_only_some_annotators(folder: Path, errorbar: CommandLine) -> None:
    result = errorbar("convert", folder / "gold.m2", "--annotator", "1", "--to", "jsonl")
    assert [list(record["annotations"]) for record in records(result.out)[1:]] == [["1"], []]  # type: ignore[call-overload]  # a record is plain data of any shape


def test_an_unknown_annotator_leaves_the_output_as_it_was(folder: Path, errorbar: CommandLine) -> None:
    out = folder / "out.m2"
    out.write_text("old")
    result = errorbar("convert", folder / "gold.m2", "--annotator", "7", "-o", out)
    assert (result.code, out.read_text()) == (2, "old")
    assert "no annotator '7'" in result.err


def test_a_bad_input_leaves_no_output(folder: Path, errorbar: CommandLine) -> None:
    (folder / "bad.m2").write_text(GOLD + "S a\nA 0 9|||T|||x|||REQUIRED|||-NONE-|||0\n")
    result = errorbar("convert", folder / "bad.m2", "--to", "jsonl")
    assert (result.code, result.out) == (2, "")
    assert "bad.m2:10: the span 0 9 is outside" in result.err
    lenient = errorbar("convert", folder / "bad.m2", "--to", "jsonl", "--lenient")
    assert (lenient.code, len(records(lenient.out))) == (0, 4)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gold.m2"], "no format to write was given; give --to"),
        (["gold.m2", "-o", "x.csv"], "the ending of 'x.csv' names no format"),
        (["gold.m2", "ann.txt", "--to", "m2"], "ann.txt: this is text, while gold.m2 is m2"),
        (["gold.m2", "--source", "source.txt", "--to", "m2"], "--source has no meaning for input in the format m2"),
        (["gold.m2", "--tokens", "gold.m2", "--to", "m2"], "--tokens has no meaning"),
        (["essay.sgml", "--unmarked", "all", "--to", "m2"], "--unmarked has no meaning"),
        (["essay.sgml", "--documents", "essay.sgml", "--to", "m2"], "--documents has no meaning"),
        (["gold.m2", "--detach-stops", "--to", "m2"], "--detach-stops has no meaning"),
        (["gold.m2", "--alternative", "2", "--to", "m2"], "--alternative and --no-optional say how"),
        (["gold.m2", "--no-optional", "--to", "text"], "--alternative and --no-optional say how"),
        (["other.xml", "--to", "m2"], "other.xml: markup that errorbar does not know; it starts '<corpus>'"),
        (["empty.m2", "--to", "jsonl"], "empty.m2: the file is empty"),
        (["ann.txt", "bob.txt", "--to", "m2"], "several plain texts, but no source text; name the source"),
        (["--source", "source.txt", "ann.txt", "ann.txt", "--to", "m2"], "two texts are called 'ann'"),
        (["--source", "-", "-", "--to", "m2"], "standard input can be read only once"),
        (["gold.m2", "--to", "text", "--annotator", "0", "--annotator", "1"], "a text can hold one annotator's"),
        (["--source", "gold.m2", "ann.txt", "--to", "m2"], "gold.m2:1: this is M2, and --source is a text (expected"),
        (["--source", "gold.jsonl", "ann.txt", "--to", "m2"], "gold.jsonl:1: this is jsonl, and --source is a text"),
        (["--source", "essay.sgml", "ann.txt", "--to", "m2"], "essay.sgml:1: this is nucle, and --source is a text"),
        (["--source", "bob.txt", "source.txt", "empty.m2", "--to", "jsonl"], "empty.m2: the file is empty"),
        (["none.m2", "--to", "jsonl"], "none.m2: no such file"),
        (["essay.sgml", "--tokens", "none.m2", "--to", "m2"], "none.m2: no such file"),
    ],
)
def test_refused_in_one_line(
    folder: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    result = errorbar("convert", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert result.err.count("\n") == 1


def test_damaged_gzip_on_standard_input(errorbar: CommandLine) -> None:
    result = errorbar("convert", "-", "--to", "jsonl", stdin=b"\x1f\x8bnot gzip")
    assert (result.code, result.out) == (2, "")
    assert "<stdin>:1: the compressed data is damaged" in result.err


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_unmarked_sentences(folder: Path, errorbar: CommandLine, ending: str) -> None:
    out = folder / f"x.jsonl{ending}"
    assert errorbar("convert", folder / "gold.m2", "--unmarked", "all", "-o", out).code == 0
    content = gzip.decompress(out.read_bytes()) if ending else out.read_bytes()
    assert records(content.decode())[2]["annotations"] == {"0": [], "1": []}


def test_help_shows_its_examples_line_by_line(errorbar: CommandLine) -> None:
    result = errorbar("convert", "--help")
    assert result.code == 0
    assert "\n      errorbar convert gold.m2 --to text --annotator 0\n" in result.out
