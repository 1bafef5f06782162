"""Pipes: each opening starts at the first byte, and what is gone is said to be gone."""

from __future__ import annotations

import gzip
import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import errorbar
from errorbar import Problems
from errorbar.core import InputError
from errorbar.formats import Lines, looking
from errorbar.formats.look import IN_MEMORY, look

NUMBERS = "".join(f"{k}\n" for k in range(300_000)).encode()
"""More than is kept in memory."""
NO_ROOM = r"no copy of what goes through can be kept in .*TMPDIR.*no-space"


@contextmanager
def piped(content: bytes, *first: bytes) -> Iterator[str]:
    """The path of a pipe through which ``content`` comes, after some pieces that come alone."""
    ours, theirs = os.pipe()

    def feed() -> None:
        with suppress(BrokenPipeError), os.fdopen(theirs, "wb", buffering=0) as stream:
            for piece in (*first, content):
                for at in range(0, len(piece), 1 << 14):
                    stream.write(piece[at : at + (1 << 14)])

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    yield f"/dev/fd/{ours}"
    os.close(ours)
    writer.join()


def test_every_opening_starts_at_the_first_byte() -> None:
    assert len(NUMBERS) > IN_MEMORY
    with looking(), piped(NUMBERS) as path:
        assert Lines(path, Problems()).peek() == "0"
        one, other = iter(Lines(path, Problems())), iter(Lines(path, Problems()))
        assert [next(one) for _ in range(100_000)] == [next(other) for _ in range(100_000)]
        assert sum(1 for _ in one) == sum(1 for _ in other) == 200_000
        with look(path).open() as stream:
            stream.seek(0, os.SEEK_END)
            assert stream.tell() == len(NUMBERS)
            stream.seek(-7, os.SEEK_END)
            assert stream.read() == b"299999\n"


def test_what_is_packed_is_seen_in_a_pipe_that_comes_byte_by_byte() -> None:
    """The first read of a pipe gives what is there: one byte is not enough to tell gzip."""
    content = gzip.compress(b"a\n")
    with looking(), piped(content[1:], content[:1]) as path:
        assert list(Lines(path, Problems())) == ["a"]


def test_after_the_last_opening_nothing_is_kept() -> None:
    with looking(), piped(NUMBERS) as path:
        assert Lines(path, Problems()).peek() == "0"
        assert sum(1 for _ in Lines(path, Problems(), last=True)) == 300_000
        with pytest.raises(InputError, match=r"its beginning is gone; .*read-once"):
            list(Lines(path, Problems()))


def test_what_was_looked_at_is_read() -> None:
    """Outside of any function too: who has looked has the input, and reads it."""
    with piped(NUMBERS) as path:
        source = look(path)
        assert (source.peek(), source.start, source.is_packed) == ("0", b"0\n1\n", False)
        assert sum(1 for _ in Lines(source, Problems())) == 300_000


def test_a_public_function_reads_a_pipe_more_than_once() -> None:
    """Who annotated the whole file is looked for before its sentences are filled: it is read twice."""
    m2 = b"S a b\nA 0 1|||T|||c|||REQUIRED|||-NONE-|||0\n\nS d\n\n" * 20_000
    with piped(m2) as path:
        assert len(errorbar.read_corpus(path)) == 40_000


def test_no_room_for_what_is_kept_is_not_blamed_on_the_pipe() -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with piped(NUMBERS) as path:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, before[1]))
        try:
            with looking(), pytest.raises(InputError, match=NO_ROOM):
                list(Lines(path, Problems()))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_two_writers_of_one_named_pipe_are_two_readings(tmp_path: Path) -> None:
    """What is kept goes with the command: the library must not give an old content for a new one."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    for content in (b"a\n", b"b\n"):
        writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
        writer.start()
        with looking():
            assert list(Lines(path, Problems())) == [content.decode().strip()]
        writer.join()
