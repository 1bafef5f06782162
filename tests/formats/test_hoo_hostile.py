"""HOO files that cannot be unpacked, decoded or parsed, or that cost too much: one clear line, and no long wait."""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path

import pytest

from errorbar import ErrorbarError, Problems
from errorbar.core import InputError, Problem
from errorbar.formats import HooFile, read_edits
from errorbar.formats.limits import MOST_EXPANSION, MOST_REPAIRS
from tests.helpers.standoff import edit_xml, edits_xml, parse

BARE = 'start="0" end="0"'
FILE = edits_xml(*(edit_xml(f'index="1-{k}" type="MD" start="{k}" end="{k}"') for k in range(20)))


class TestDamaged:
    @pytest.mark.parametrize("at", [3, 10, 40])
    def test_compressed_data(self, at: int, tmp_path: Path) -> None:
        """What ``zlib`` and ``gzip`` say of it is an error with the file's name, and not an internal one."""
        packed = bytearray(gzip.compress(FILE.encode()))
        packed[at] ^= 0xFF
        for name, content in (("bits", packed), ("cut", packed[:60])):
            file = tmp_path / f"{name}.xml.gz"
            file.write_bytes(content)
            with pytest.raises(InputError, match=rf"{name}\.xml\.gz: the compressed data is damaged: .*fetch") as error:
                read_edits(HooFile(file), "1", Problems(lenient=True))
            assert error.value.code == "gzip-damaged"

    @pytest.mark.parametrize(
        "encoding", ["x", "base64", "idna", "undefined", "shift_jis", "utf-7", "hex", "mbcs", "a" * 300]
    )
    def test_an_encoding_that_nobody_reads(self, encoding: str, tmp_path: Path) -> None:
        """expat asks Python's codecs, which raise LookupError, ValueError or UnicodeError."""
        (tmp_path / "1.xml").write_bytes(f'<?xml version="1.0" encoding="{encoding}"?><edits/>'.encode())
        with pytest.raises(InputError, match=r"1\.xml:1: .*encoding") as error:
            read_edits(HooFile(tmp_path / "1.xml"), "1", Problems(lenient=True))
        assert error.value.code == "hoo-xml"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "cp1252", "us-ascii"])
    def test_an_encoding_that_somebody_reads(self, encoding: str, tmp_path: Path) -> None:
        said = "x" if encoding == "us-ascii" else "é"
        xml = f'<?xml version="1.0" encoding="{encoding}"?><edits>{edit_xml(BARE, corrections=(said,))}</edits>'
        (tmp_path / "1.xml").write_bytes(xml.encode(encoding))
        assert read_edits(HooFile(tmp_path / "1.xml"), "1", Problems()).edits[0].corrections == (said,)

    def test_mutants_are_read_or_refused_with_their_place(self, tmp_path: Path) -> None:
        """500 files with numbers, bytes or stretches changed, a third of them packed: an answer or an error."""
        rng = random.Random(12)
        n_read = 0
        for _ in range(500):
            content = bytearray(re.sub(r"\d+", lambda m: rng.choice([m[0]] * 20 + ["9" * 20, "-1"]), FILE).encode())
            if rng.random() < 0.3:
                at = rng.randrange(len(content))
                content[at : at + rng.randrange(4)] = rng.choice([b"", b"\xff", b"<", b"&#0;", b"<empty/>", b"]]>"])
            packed = rng.random() < 1 / 3
            if packed:
                content = bytearray(gzip.compress(bytes(content)))
                content[rng.randrange(len(content))] ^= rng.choice([0, 0, 1, 255])
            file = tmp_path / ("1.xml.gz" if packed else "1.xml")
            file.write_bytes(content)
            problems = Problems(lenient=True)
            found: list[Problem] = []
            try:
                read_edits(HooFile(file), "1", problems)
                problems.raise_errors()
                n_read += 1
            except ErrorbarError as error:
                found = list(error.problems)
            assert {problem.place.file for problem in found} <= {str(file)}
        assert 100 < n_read < 450  # neither do all fail, nor none


class TestLarge:
    @pytest.mark.slow
    @pytest.mark.parametrize("words", [[b"here\n", b"this\n", b"that\n", b"what\n"], [b"a\n"]])
    def test_how_far_a_packed_file_may_unpack(self, words: list[bytes], tmp_path: Path) -> None:
        """Few words pack to about a twentieth, one word to a thousandth; the same text may be read as it is."""
        text = b"".join(random.Random(1).choices(words, k=1_000_000))
        (tmp_path / "1.txt.gz").write_bytes(gzip.compress(text))
        (tmp_path / "1.txt").write_bytes(text)
        assert HooFile(tmp_path / "1.txt").read() == text
        if len(words) > 1:
            assert 10 < len(text) / (tmp_path / "1.txt.gz").stat().st_size < MOST_EXPANSION
            assert HooFile(tmp_path / "1.txt.gz").read() == text
            return
        with pytest.raises(InputError, match=r"compressed bytes hold more than .*; unpack it with gunzip") as error:
            HooFile(tmp_path / "1.txt.gz").read()
        assert error.value.code == "gzip-expands"

    def test_a_text_that_the_parser_gives_in_pieces(self) -> None:
        """A million lines, some at a time; null corrections among ten thousand."""
        text = "a\n" * 1_000_000
        found, _ = parse(edits_xml(edit_xml(BARE, corrections=(text, *["", "<empty/>"] * 5_000))))
        (edit,) = found.edits
        assert edit.corrections == (text, *[""] * 5_000)
        assert (edit.optional, edit.null_at) == (True, 1)

    @pytest.mark.parametrize(
        "content",
        [
            "<a/>",
            *(
                pytest.param(element, marks=pytest.mark.slow)
                for element in ("<edit/>", "<edit start='1' end='0'/>", "<edit start='0' end='0' a=''/>")
            ),
        ],
    )
    @pytest.mark.parametrize("lenient", [True, False])
    def test_a_file_of_nothing_but_mistakes(self, content: str, lenient: bool) -> None:
        """However many errors the notebook takes: those of workers have no limit."""
        most = MOST_REPAIRS
        problems = Problems(lenient=lenient, limit=10 * most)
        read_edits(_file(content * most), "1", problems)
        assert len([n for n in problems.notes if n.code != "hoo-type"] if lenient else problems.errors) == most
        with pytest.raises(InputError, match=r"1\.xml: more than 10,000 things are wrong in the file") as error:
            read_edits(_file(content * (most + 1)), "1", Problems(lenient=lenient, limit=10 * most))
        assert error.value.code == "hoo-broken"


def _file(edits: str) -> HooFile:
    return HooFile(Path("1.xml"), f"<edits>{edits}</edits>".encode())
