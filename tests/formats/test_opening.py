"""Opening files: whatever is wrong with one is said in one line."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from pathlib import Path

import pytest

from errorbar.core.errors import InputError, Problem
from errorbar.core.problems import Problems
from errorbar.formats.opening import BLOCK, LONGEST_LINE, Lines


def lines(path: Path | str, *, lenient: bool = False) -> list[str]:
    problems = Problems(lenient=lenient)
    found = list(Lines(path, problems))
    problems.raise_errors()
    return found


def refusal(path: Path, *, lenient: bool = False) -> Problem:
    with pytest.raises(InputError) as refused:
        lines(path, lenient=lenient)
    (problem,) = refused.value.problems
    assert "\n" not in str(problem)
    return problem


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"\n\n", ["", ""]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        ("a\u2028b\u0085c\x0bd\x0ce\n".encode(), ["a\u2028b\u0085c\x0bd\x0ce"]),
        (b"a\rb\n", ["a\rb"]),
    ],
)
def test_lines_are_cut_on_line_feeds_alone(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    (tmp_path / "plain").write_bytes(content)
    (tmp_path / "packed").write_bytes(gzip.compress(content))
    assert lines(tmp_path / "plain") == expected
    assert lines(tmp_path / "packed") == expected


def test_long_files_lose_nothing_at_the_ends_of_blocks(tmp_path: Path) -> None:
    expected = [f"{i} é " * (i % 50) for i in range(20_000)]
    (tmp_path / "f").write_text("\n".join(expected), encoding="utf-8")
    assert lines(tmp_path / "f") == expected


def test_looking_ahead_takes_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("\n \na\nb\n")
    opened = Lines(tmp_path / "f", Problems())
    assert opened.ahead(2) == ["", " "]
    assert opened.peek() == "a"
    assert opened.ahead(100) == ["", " ", "a", "b"]
    assert list(opened) == ["", " ", "a", "b"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(gzip.compress(b"a\n")))))
    opened = Lines("-", Problems())
    assert opened.name == "<stdin>"
    assert list(opened) == ["a"]


class TestNotUtf8:
    def test_strict_reading_names_the_byte_and_its_place(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_bytes(b"fine\nna\xefve\n")
        problem = refusal(tmp_path / "f")
        assert problem.code == "not-utf8"
        assert problem.what == "byte 0xEF at column 3 is not UTF-8"
        assert str(problem.place) == f"{tmp_path / 'f'}:2"

    def test_lenient_reading_replaces_it(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_bytes(b"na\xefve\n")
        assert lines(tmp_path / "f", lenient=True) == ["na\ufffdve"]


class TestWhatCannotBeRead:
    def test_missing_file_and_the_nearest_name(self, tmp_path: Path) -> None:
        (tmp_path / "gold.m2").write_text("S a\n")
        problem = refusal(tmp_path / "glod.m2")
        assert (problem.code, problem.fix) == ("no-such-file", "did you mean 'gold.m2'?")
        assert problem.place.file == str(tmp_path / "glod.m2")

    def test_missing_file_with_nothing_near(self, tmp_path: Path) -> None:
        assert refusal(tmp_path / "no" / "where").fix == ""

    def test_directory(self, tmp_path: Path) -> None:
        assert refusal(tmp_path).code == "is-directory"

    @pytest.mark.parametrize("start", ["<!DOCTYPE html>", "<html>", "<HTML lang='en'>"])
    def test_web_page(self, tmp_path: Path, start: str) -> None:
        (tmp_path / "gold.m2").write_text(f"{start}\n<body>\n")
        problem = refusal(tmp_path / "gold.m2")
        assert problem.code == "web-page"
        assert "download the raw file" in problem.fix

    @pytest.mark.parametrize("damage", ["cut short", "header", "middle"])
    def test_damaged_gzip(self, tmp_path: Path, damage: str) -> None:
        packed = bytearray(gzip.compress("\n".join(map(str, range(5000))).encode()))
        if damage == "cut short":
            del packed[len(packed) // 2 :]
        elif damage == "header":
            packed[2] = 99  # compression method
        else:
            at = len(packed) // 2
            packed[at : at + 50] = b"\xff" * 50
        (tmp_path / "f.gz").write_bytes(packed)
        with pytest.raises((OSError, EOFError, zlib.error)):
            gzip.decompress(packed)
        problem = refusal(tmp_path / "f.gz", lenient=damage == "middle")
        assert problem.code == "gzip-damaged"

    def test_a_file_inside_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_text("a\n")
        assert refusal(tmp_path / "f" / "g").code == "cannot-open"


def test_a_file_without_line_ends_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "zeros.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(b"one line\n")
        for _ in range(LONGEST_LINE // BLOCK + 2):
            stream.write(bytes(BLOCK))
    with pytest.raises(InputError, match=r"zeros\.gz:2: a line of more than 67,108,864 bytes .*line-too-long"):
        list(Lines(path, Problems()))


@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_lines_longer_than_a_block_are_whole(tmp_path: Path, size: int) -> None:
    path = tmp_path / "long.txt"
    path.write_text("a\n" + "b" * size + "\r\nc")
    assert list(Lines(path, Problems())) == ["a", "b" * size, "c"]
