"""A signature changes exactly if a digit may: one analysis has one signature, whatever its files are called."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli import CommandLine

SOURCE = "a b c d e f g h i j"
A_LINE = "A {0} {1}|||T|||{2}|||REQUIRED|||-NONE-|||{3}\n"
# Both annotators match one edit of "X b Y d ...". Against the first it is one edit of one, and four more are missed:
# C, P, G = 1, 1, 5. Against the second the changes are two edits, one of them matched: C, P, G = 1, 2, 1. F0.5 is
# 1.25 / (0.25 * 5 + 1) = 1.25 / (0.25 * 1 + 2) = 55.56 for both, and C and P + 0.25 G are the same too: a full tie,
# though P is 100 against one annotator and 50 against the other, and R 20 and 100.
HYPOTHESIS = "X b Y d e f g h i j\n"
WHOLE = [(0, 3, "X b Y"), (5, 6, "q"), (6, 7, "r"), (7, 8, "s"), (8, 9, "t")]
PART = [(0, 1, "X")]


def m2(*annotators: list[tuple[int, int, str]]) -> str:
    lines = [A_LINE.format(*edit, number) for number, edits in enumerate(annotators) for edit in edits]
    return f"S {SOURCE}\n{''.join(lines)}\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("A2.m2").write_text(m2(WHOLE))
    Path("A10.m2").write_text(m2(PART))
    Path("both.m2").write_text(m2(WHOLE, PART))
    Path("system").write_text(HYPOTHESIS)


def row(errorbar: CommandLine, *arguments: str) -> dict[str, Any]:
    done = errorbar("score", "system", "--format", "json", *arguments)
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)["rows"][0]
    return found


class TestOneAnalysis:
    @pytest.mark.parametrize("more", [(), ("--metric", "m2(choose=sentence)"), ("--jobs", "2"), ("--ci",)])
    def test_files_in_any_order(self, errorbar: CommandLine, more: tuple[str, ...]) -> None:
        ways = [["A*.m2"], ["A10.m2", "A2.m2"], ["A2.m2", "A10.m2"]]  # a pattern, as the shell sorts, and as people do
        rows = [row(errorbar, *(part for file in way for part in ("--gold", file)), *more) for way in ways]
        assert rows[0] == rows[1] == rows[2]
        assert (rows[0]["precision"], rows[0]["recall"]) == (1.0, 0.2)  # A2 is before A10

    def test_lines_of_annotators_in_any_order(self, errorbar: CommandLine) -> None:
        first, *lines = m2(WHOLE, PART).splitlines(keepends=True)
        Path("turned.m2").write_text("".join([first, *reversed(lines[:-1]), "\n"]))
        rows = [row(errorbar, "--gold", name, "--lenient") for name in ("both.m2", "turned.m2")]
        assert rows[0] == rows[1]

    def test_another_name_is_another_annotator(self, errorbar: CommandLine) -> None:
        """Ties go by names, so names may change a digit, and do here."""
        one = row(errorbar, "--gold", "x=A2.m2", "--gold", "y=A10.m2")
        other = row(errorbar, "--gold", "y=A2.m2", "--gold", "x=A10.m2")
        assert one["f"] == other["f"]
        assert (one["precision"], other["precision"]) == (1.0, 0.5)
        assert one["signature"] != other["signature"]

    def test_the_way_a_file_is_written_and_called(self, errorbar: CommandLine) -> None:
        """Path, compression, line ends, a byte order mark and the format are no part of what is computed."""
        Path("else").mkdir()
        text = Path("both.m2").read_bytes()
        for name, content in (
            ("else/both.m2", text),
            ("both.m2.gz", gzip.compress(text)),
            ("crlf.m2", text.replace(b"\n", b"\r\n")),
            ("bom.m2", b"\xef\xbb\xbf" + text),
            ("spaces.m2", text.replace(b"S a b", b"S  a  b")),
        ):
            Path(name).write_bytes(content)
        assert errorbar("convert", "both.m2", "-o", "both.jsonl").code == 0
        wanted = row(errorbar, "--gold", "both.m2")
        for name in ("else/both.m2", "both.m2.gz", "crlf.m2", "bom.m2", "spaces.m2", "both.jsonl"):
            assert row(errorbar, "--gold", name) == wanted, name

    def test_numbers_decide_ties_as_names_did(self, errorbar: CommandLine) -> None:
        """Alternative answers are seldom there from the first sentence on: numbers do not go by appearance."""
        for name in ("A2.m2", "A10.m2"):
            text = Path(name).read_text()
            Path(name).write_text(f"S first\n{A_LINE.format(0, 1, 'x', 0) if name == 'A10.m2' else ''}\n{text}")
        Path("system").write_text(f"first\n{HYPOTHESIS}")
        named = row(errorbar, "--gold", "A2.m2", "--gold", "A10.m2", "--unmarked", "absent")
        for order in (("A10.m2", "A2.m2"), ("A2.m2", "A10.m2")):
            done = errorbar("convert", *order, "--unmarked", "absent", "-o", "all.m2")
            assert "M2 numbers its annotators: 0 = A2, 1 = A10" in done.err
            numbered = row(errorbar, "--gold", "all.m2", "--unmarked", "absent")
            assert numbered["precision"] == named["precision"] == 1.0

    def test_several_files_or_one_of_them_all(self, errorbar: CommandLine) -> None:
        assert errorbar("convert", "A10.m2", "A2.m2", "-o", "all.jsonl").code == 0
        assert row(errorbar, "--gold", "all.jsonl") == row(errorbar, "--gold", "A2.m2", "--gold", "A10.m2")
