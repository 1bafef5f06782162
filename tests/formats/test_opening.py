"""Opening files: whatever is wrong with one is said in one line."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import pytest

import errorbar
from errorbar import Problems
from errorbar.core import InputError, Problem
from errorbar.formats import Lines, looking
from errorbar.formats.limits import FREELY_UNPACKED, LONGEST_LINE, MOST_EXPANSION
from errorbar.formats.look import BLOCK, MOST_IDLE, look
from errorbar.formats.m2 import m2_annotators
from errorbar.formats.text import Cutter


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
        assert (problem.code, problem.fix) == ("no-such-file", f"did you mean '{tmp_path / 'gold.m2'}'?")
        assert problem.place.file == str(tmp_path / "glod.m2")

    def test_a_relative_name_keeps_its_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "demo").mkdir()
        (tmp_path / "demo" / "careful.txt").touch()
        monkeypatch.chdir(tmp_path)
        assert refusal(Path("demo/carefull.txt")).fix == "did you mean 'demo/careful.txt'?"

    @pytest.mark.parametrize(
        ("missing", "there"), [("nofile.txt", "one.txt"), ("official.sgml", "official-2014.combined.m2")]
    )
    def test_missing_file_with_nothing_near(self, tmp_path: Path, missing: str, there: str) -> None:
        (tmp_path / there).touch()
        assert refusal(tmp_path / missing).fix == ""
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


def take_everything(path: Path) -> None:
    cutter = Cutter(str(path), sentences=False, carry=True)
    while cutter.take(1000)[1]:
        pass


EVERY_WAY = [
    lambda path: list(Lines(path, Problems())),
    m2_annotators,
    lambda path: m2_annotators(path, most=2),
    take_everything,
]
"""Every way in which lines are read: here, by a look at the annotators, cut for workers."""


@pytest.mark.parametrize("read", EVERY_WAY)
class TestWhatWouldFillTheMemory:
    def test_a_file_without_line_ends(self, tmp_path: Path, read: Callable[[Path], object]) -> None:
        path = tmp_path / "zeros"
        with path.open("wb") as stream:
            stream.write(b"S one line\n")
            stream.truncate(2 * LONGEST_LINE)  # a hole: it takes no room on the disk
        with pytest.raises(InputError, match=r"zeros:2: a line of more than 67,108,864 bytes .*line-too-long"):
            read(path)

    def test_gzip_data_that_hold_too_much(self, tmp_path: Path, read: Callable[[Path], object]) -> None:
        """DEFLATE packs at most 1,032 bytes into one (zlib, Technical Details); text has less than 10."""
        path = tmp_path / "bomb.gz"
        with gzip.open(path, "wb") as stream:
            for _ in range(FREELY_UNPACKED // BLOCK + 8):
                stream.write(b"S a\n" * (BLOCK // 4))
        assert path.stat().st_size < FREELY_UNPACKED / MOST_EXPANSION
        with pytest.raises(InputError, match=r"bomb\.gz:\d+: .* compressed bytes hold more than .*gzip-expands"):
            read(path)

    def test_what_is_unpacked_freely(self, tmp_path: Path, read: Callable[[Path], object]) -> None:
        """Ten thousand blank or equal lines pack as well as a bomb does."""
        path = tmp_path / "equal.gz"
        path.write_bytes(gzip.compress(b"S a\n" * 10_000))
        read(path)


def test_a_sentence_that_workers_cannot_be_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without S lines nothing could be cut off, and the whole file would be held."""
    monkeypatch.setattr("errorbar.formats.text.LONGEST_SENTENCE", 1 << 20)
    (tmp_path / "gold.m2").write_bytes(b"S a\n" + b"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n" * 100_000)
    cutter = Cutter(str(tmp_path / "gold.m2"), sentences=True, carry=True)
    with pytest.raises(InputError, match=r"gold\.m2:\d+: a sentence whose A lines .*sentence-too-long"):
        cutter.take(2)


def archive(*names: str) -> bytes:
    """A zip file as office programs write it: OpenDocument's begins with its type, which is not compressed."""
    packed = io.BytesIO()
    with ZipFile(packed, "w") as made:
        for name in names:
            made.writestr(name, "application/vnd.oasis.opendocument.text" if name == "mimetype" else "<xml/>")
    return packed.getvalue()


def test_text_of_windows_is_converted_by_a_command(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_bytes("“I ’ve a café .”\n".encode("cp1252"))
    assert "iconv -f cp1252 -t UTF-8 FILE > NEW; correct it or use lenient=True" in str(refusal(tmp_path / "old.txt"))
    (tmp_path / "other.txt").write_bytes(b"\x81\x8d\n")  # characters that the code page does not have
    assert "iconv" not in str(refusal(tmp_path / "other.txt"))


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        ("S a\n".encode("utf-16"), "utf-16", "looks like UTF-16"),
        ("S a\n".encode("utf-16-le"), "utf-16", "iconv -f UTF-16 -t UTF-8"),
        ("S a\n".encode("utf-16-be"), "utf-16", "looks like UTF-16"),
        (b"PAR1\x15\x04", "not-text", "this is Parquet"),
        (b"PK\x03\x04", "not-text", "a zip archive"),
        (archive("[Content_Types].xml", "word/document.xml"), "not-text", "a Word document (expected UTF-8 text, "),
        (archive("[Content_Types].xml", "word/document.xml"), "not-text", "save it as plain text (UTF-8)"),
        (archive("[Content_Types].xml", "xl/workbook.xml"), "not-text", "a spreadsheet (expected UTF-8 text, "),
        (archive("mimetype", "content.xml"), "not-text", "save it as plain text (UTF-8)"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "not-text", "this is a Word document"),
        (b"{\\rtf1\\ansi I likes cats .}", "not-text", "this is a Word document"),
        (b"%PDF-1.7\n", "not-text", "this is a PDF"),
    ],
)
def test_what_is_no_text_in_utf8(tmp_path: Path, content: bytes, code: str, said: str) -> None:
    (tmp_path / "f").write_bytes(content)
    problem = refusal(tmp_path / "f", lenient=True)
    assert problem.code == code
    assert said in str(problem)


@pytest.mark.parametrize("content", [b"\0\0\0\0", b"\0", b"ab\0\0"])
def test_characters_0_alone_are_no_sign_of_utf16(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "f").write_bytes(content)
    assert lines(tmp_path / "f") == [content.decode()]


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    assert refusal(tmp_path / ("n" * 5000)).code == "cannot-open"
    assert refusal(tmp_path / "a\0b").code == "cannot-open"


@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_lines_longer_than_a_block_are_whole(tmp_path: Path, size: int) -> None:
    path = tmp_path / "long.txt"
    path.write_text("a\n" + "b" * size + "\r\nc")
    assert list(Lines(path, Problems())) == ["a", "b" * size, "c"]


def test_many_blank_lines_are_looked_through_once(tmp_path: Path) -> None:
    """Half a million of them: looking from the start again for each would take hours."""
    path = tmp_path / "blank"
    path.write_bytes(b"\n" * 500_000 + b"here\n")
    lines = Lines(path, Problems())
    assert lines.peek() == "here"
    assert sum(1 for _ in lines) == 500_001
    path.write_bytes(b"\n" * 10)
    assert Lines(path, Problems()).peek() == ""


def n_open() -> int:
    """How many files this process has open."""
    return sum(1 for _ in Path("/dev/fd").iterdir())


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file is opened from here on."""
    counts = Counter[str]()
    before = Path.open

    def counted(path: Path, mode: str = "r", buffering: int = -1, *args: str | None, **kwargs: str | None) -> IO[Any]:
        counts[path.name] += 1
        return before(path, mode, buffering, *args, **kwargs)

    monkeypatch.setattr(Path, "open", counted)
    return counts


class TestAFileIsOpenedOnce:
    @pytest.mark.parametrize("ending", ["", ".gz"])
    @pytest.mark.parametrize("n", [1, 5000])
    def test_by_every_command(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Counter[str], n: int, ending: str
    ) -> None:
        """Of 5,000 sentences the annotators are looked for in the whole file while it is read."""
        monkeypatch.chdir(tmp_path)
        save = gzip.compress if ending else bytes
        sentence = b"S a b %d\nA 0 1|||T|||c|||REQUIRED|||-NONE-|||0\n\n"
        gold, system, votes = f"gold.m2{ending}", f"system.txt{ending}", f"votes.csv{ending}"
        Path(gold).write_bytes(save(b"".join(sentence % k for k in range(n))))
        Path(system).write_bytes(save(b"".join(b"c b %d\n" % k for k in range(n))))
        Path(votes).write_bytes(
            save(b"item,rater,label\n" + b"".join(b"%d,r%d,ok\n" % (k // 2, k % 2) for k in range(9)))
        )
        for command in (
            lambda: errorbar.score(gold, system, ci=False),
            lambda: errorbar.check(gold),
            lambda: errorbar.check(votes),
            lambda: errorbar.check(system, gold=gold),
            lambda: errorbar.convert(gold, to="jsonl"),
            lambda: errorbar.agree(votes, ci=False),
        ):
            opened.clear()
            command()
            assert {*opened.values()} == {1}, opened

    def test_few_stay_open_that_were_only_looked_at(self, tmp_path: Path, opened: Counter[str]) -> None:
        files = [tmp_path / f"{k}.txt" for k in range(3 * MOST_IDLE)]
        for file in files:
            file.write_text(f"{file.name}\n")
        opened.clear()
        before = n_open()
        with looking():
            assert all(look(file).peek() == file.name for file in files)
            assert n_open() - before <= MOST_IDLE
            assert all(list(Lines(file, Problems())) == [file.name] for file in files)
            assert opened.total() == MOST_IDLE + 2 * (len(files) - MOST_IDLE)
        assert n_open() == before

    def test_what_was_written_since_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "a.txt"
        with looking():
            for text in ("one", "other"):
                path.write_text(text)
                assert look(path).peek() == text
                assert list(Lines(path, Problems())) == [text]
