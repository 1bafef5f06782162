"""Input made to break readers: one clear line with the place, however long its numbers and names are.

Nothing here is timed: what took more than a minute (a NUCLE tag of 90,000 letters, looked at once for each letter)
would hang the test run.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.formats import Lines, read_corpus, read_nucle
from tests.helpers.cli import CommandLine

LONG = "1" * 5000
M2 = "S a b\nA {span}|||T|||x|||REQUIRED|||-NONE-|||{annotator}\n\n"
JSONL = (
    '{{"text": "{text}", "annotations": {{"{name}": [{{"start": {start}, "end": 1, "replacements": ["{said}"]}}]}}}}\n'
)
GOOD = {"text": "a b", "name": "0", "start": "0", "said": "x"}
NUCLE = (
    '<DOC nid="1">\n<TEXT>\n<P>\na b\n</P>\n</TEXT>\n<ANNOTATION teacher_id="0">\n'
    '<MISTAKE start_par="0" start_off="{offset}" end_par="0" end_off="1"{more}>\n<TYPE>T</TYPE>\n'
    "<CORRECTION>x</CORRECTION>\n</MISTAKE>\n</ANNOTATION>\n</DOC>\n"
)


def refused(errorbar: CommandLine, name: str, content: str, *arguments: str) -> str:
    """The only line that is printed."""
    Path(name).write_text(content)
    done = errorbar(*arguments, name)
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert len(line) < 300
    return line


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("system").write_text("x b\n")


def test_annotator_ids_may_have_any_number_of_digits(errorbar: CommandLine) -> None:
    text = "".join(M2.format(span="0 1", annotator=name).removesuffix("\n") for name in ("2", LONG, "10"))
    Path("gold.m2").write_text(text.replace("\nS a b", "") + "\n")
    assert read_corpus("gold.m2").annotators == ("2", "10", LONG)
    for more in ((), ("--jobs", "2"), ("--lenient",)):
        assert errorbar("score", "--gold", "gold.m2", "system", *more).code == 0


@pytest.mark.parametrize("span", [f"0 {LONG}", f"{LONG} 1", f"0 {LONG[:4000]}", f"-{LONG} 1"])
def test_long_offsets_in_m2(errorbar: CommandLine, span: str) -> None:
    line = refused(errorbar, "gold.m2", M2.format(span=span, annotator="0"), "score", "system", "--gold")
    assert line.startswith("error: gold.m2:2: the span ")


@pytest.mark.parametrize("start", [LONG[:4000], f"-{LONG[:4000]}"])
def test_long_offsets_in_jsonl(errorbar: CommandLine, start: str) -> None:
    line = refused(errorbar, "g.jsonl", JSONL.format(**GOOD | {"start": start}), "score", "system", "--gold")
    assert line.startswith("error: g.jsonl:1: the span ")


def test_numbers_that_python_refuses_in_jsonl(errorbar: CommandLine) -> None:
    line = refused(errorbar, "g.jsonl", JSONL.format(**GOOD | {"start": LONG}), "score", "system", "--gold")
    assert line == "error: g.jsonl:1: not JSON: it has a number with thousands of digits [jsonl-syntax]"


@pytest.mark.parametrize("offset", [LONG, "1" * 16])
def test_long_offsets_in_nucle(errorbar: CommandLine, offset: str) -> None:
    line = refused(errorbar, "e.sgml", NUCLE.format(offset=offset, more=""), "convert", "--to", "m2")
    assert line.startswith("error: e.sgml:8: <MISTAKE> with start_off='1111")
    assert "(expected a whole number of at most 15 digits)" in line
    assert "[nucle-attribute]" in line


def test_a_tag_of_90000_letters(errorbar: CommandLine) -> None:
    problems = Problems()
    Path("e.sgml").write_text(NUCLE.format(offset=0, more=" " + "a" * 90_000))
    (essay,) = read_nucle(Lines("e.sgml", problems), problems)
    assert problems.errors == []
    assert len(essay.annotations["0"]) == 1


@pytest.mark.parametrize("where", ["text", "name", "said"])
@pytest.mark.parametrize("arguments", [("score", "--by", "sentence", "system", "--gold"), ("convert", "--to", "m2")])
@pytest.mark.parametrize("half", ["\\ud800", "\\uDFFF", "\\udc00\\ud800"])
def test_half_a_surrogate_pair_in_jsonl(
    errorbar: CommandLine, where: str, arguments: tuple[str, ...], half: str
) -> None:
    """It used to end in UnicodeEncodeError, after the table had begun."""
    line = refused(errorbar, "g.jsonl", JSONL.format(**GOOD | {where: f"a{half}"}), *arguments)
    assert line == (
        "error: g.jsonl:1: not JSON: it has half a character (a lone surrogate, \\ud800 to \\udfff) [jsonl-syntax]"
    )


def test_a_whole_surrogate_pair_is_a_character() -> None:
    Path("g.jsonl").write_text(JSONL.format(**GOOD | {"said": "\\ud83d\\ude00"}))
    assert read_corpus("g.jsonl").sentences[0].annotations["0"][0].replacements == ("\U0001f600",)
