"""Whatever a server answers: the right bytes, or one line and no leftovers.

The answers are written out byte by byte (RFC 9110 and 9112 say what each means), since a server of the library would
not send most of them.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, count, repeat
from pathlib import Path

import pytest

from errorbar.core import InputError
from errorbar.datasets import Talk
from errorbar.datasets import fetching as module
from errorbar.datasets.fetching import ATTEMPTS, MOST_CONNECTIONS, UNREACHED, download
from tests.datasets.conftest import FILES, corpus, tar
from tests.datasets.server import Page, Site
from tests.helpers.cli import CommandLine


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(module, "PAUSE", 0.0)
    monkeypatch.setattr(module, "TIMEOUT", 5.0)


@contextmanager
def answering(*answers: bytes, dribble: int = 0) -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server that gives these answers one by one, the last one for ever, and what it was asked.

    After each answer it sends ``dribble`` bytes more, a hundred a second.
    """
    asked: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))
    stopped = threading.Event()

    def serve() -> None:
        for answer in chain(answers, repeat(answers[-1])):
            with suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    if stopped.is_set():
                        return
                    asked.append(connection.recv(1 << 16))
                    connection.sendall(answer)
                    for _ in range(dribble):
                        time.sleep(0.01)
                        connection.sendall(b"1")

    server = threading.Thread(target=serve, daemon=True)
    server.start()
    port = listener.getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/x.tar.gz", asked
    finally:
        stopped.set()
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
        server.join(10)
        listener.close()


def get(url: str, part: Path, *, limit: int = 10**6) -> None:
    download(url, part, limit=limit, talk=Talk())


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"Content-Length: abc\r\n\r\nbody",
        OK + b"Content-Length: -5\r\n\r\nbody",
        OK + b"Content-Length: \xb2\r\n\r\nbody",
        OK + b"Content-Length: +4\r\n\r\nbody",
        OK + b"\r\nbody",
        OK + b"Content-Length: 4\r\n\r\nbody and more",
        OK + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nbody",
        OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
        OK + b'ETag: "a\x1b[31m"\r\nContent-Length: 4\r\n\r\nbody',
        OK + b'Content-Disposition: attachment; filename="../../evil"\r\nContent-Length: 4\r\n\r\nbody',
        b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/4\r\nContent-Length: 4\r\n\r\nbody",
        b"HTTP/1.1 203 Non-Authoritative\r\nContent-Length: 4\r\n\r\nbody",
        b"HTTP/1.0 200\r\n\r\nbody",
    ],
)
def test_taken(tmp_path: Path, answer: bytes) -> None:
    """Sizes that are none are passed over; what the bytes are worth is for the hash to say."""
    with answering(answer) as (url, asked):
        get(url, tmp_path / "x.part")
        assert len(asked) == 1
    assert (tmp_path / "x.part").read_bytes() == b"body"
    assert {each.name for each in tmp_path.iterdir()} == {"x.part"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (OK + b"Content-Length: 99999999999\r\n\r\n", r"it has 99,999,999,999 bytes, more than the 1,000,000"),
        (OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", r"it has [9,]{23} bytes, more than the 1,000,000"),
        (OK + b"Content-Length: 100\r\n\r\nbody", r"the server says|ended after 4 of 100 bytes, \d+ times|connections"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", r"the connection was lost .* times in a row"),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", r"the server says 304 Not Modified"),
        (b"HTTP/1.1 416 No\r\nContent-Range: bytes */7\r\n\r\n", r"does not fit, 4 times in a row"),
        (b"HTTP/1.1 206 Part\r\nContent-Range: bytes 7-9/10\r\n\r\nabc", r"another part than asked for, 4 times"),
        (b"HTTP/1.1 206 Part\r\nContent-Range: bytes " + b"1" * 5000 + b"-2/3\r\n\r\n", r"another part than asked for"),
        (b"HTTP/1.1 206 Part\r\n\r\nabc", r"another part than asked for"),
        (b"HTTP/1.1 302 Found\r\nLocation: /x.tar.gz\r\n\r\n", r"the server says 302 .*infinite loop"),
        (b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n", r"the server says 302 .*not allowed"),
        (b"HTTP/1.1 302 Found\r\nLocation: ftp://127.0.0.1/x\r\n\r\n", r"unencrypted address ftp://127.0.0.1/x"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n", r"no connection .* 2 times in a row"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://a:b/\r\n\r\n", r"no connection .* 2 times in a row"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://" + b"a" * 300 + b"/\r\n\r\n", r"no connection .* 2 times in a row"),
        (b"HTTP/1.1 302 Found\r\n\r\n", r"the server says 302 Found"),
        (b"HTTP/1.1 404 \x1b[31mGone\x07\x9b\r\n\r\n", r"the server says 404 \\x1b\[31mGone\\x07\\x9b; "),
        (b"HTTP/1.1 404 A\xadb\r\n\r\n", r"the server says 404 A\\xadb; "),
        (b"HTTP/1.1 404 " + b"x" * 60000 + b"\r\n\r\n", r"the server says 404 x{200}; "),
        (b"HTTP/1.1 9999 What\r\n\r\n", r"no connection .* 2 times in a row"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", r"no connection .* 2 times in a row"),
        (b"\x16\x03\x01\x00\x05", r"no connection .* 2 times in a row"),
        (b"", r"no connection .* 2 times in a row"),
        (OK + b"X: y\r\n" * 200 + b"\r\nbody", r"no connection .* 2 times in a row"),
    ],
)
def test_refused_in_one_line(tmp_path: Path, answer: bytes, said: str) -> None:
    with answering(answer) as (url, asked), pytest.raises(InputError, match=said) as refused:
        get(url, tmp_path / "x.part")
    assert len(asked) <= MOST_CONNECTIONS
    line = str(refused.value)
    assert line.isprintable()
    assert len(line) < 700
    assert refused.value.code == "data-download"


def test_a_server_that_never_ends_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a byte is enough of a gain, each connection brings one: that would go on for a million of them."""
    monkeypatch.setattr(module, "SLOWEST", 1 / module.GRACE)
    parts = (
        b"HTTP/1.1 206 P\r\nContent-Range: bytes %d-999999/1000000\r\nContent-Length: 9\r\n\r\nx" % at for at in count()
    )
    answers = [next(parts) for _ in range(MOST_CONNECTIONS + 5)]
    with answering(*answers) as (url, asked), pytest.raises(InputError, match=f"after {MOST_CONNECTIONS} connections"):
        get(url, tmp_path / "x.part")
    assert len(asked) == MOST_CONNECTIONS


def test_connections_that_gain_next_to_nothing_are_failures(tmp_path: Path) -> None:
    answer = OK + b"Content-Length: 9\r\n\r\nx"
    with answering(answer) as (url, asked), pytest.raises(InputError, match=f"{ATTEMPTS} times in a row"):
        get(url, tmp_path / "x.part")
    assert len(asked) == ATTEMPTS


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (b"HTTP/1.1 2", 0),
        (OK + b"X: ", 0),
        (b"HTTP/1.1 302 Found\r\nLocation: /y\r\nContent-Length: 9000\r\n\r\n", 0),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n5;", 0),
        (OK + b"Content-Length: 9000\r\n\r\n", 1),
        (OK + b"\r\n", 1),
        (OK + b"Content-Length: 90000\r\n\r\n" + b"x" * 50_000, 50_000),  # the time counts anew after a good start
    ],
    ids=["status", "header", "redirect", "chunk", "body", "endless", "later"],
)
def test_a_server_that_dribbles_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, kept: int
) -> None:
    """Every byte comes long before TIMEOUT; the server would go on for 2 seconds, and on every connection again."""
    monkeypatch.setattr(module, "GRACE", 0.3)
    said = (
        r"^http://127\.0\.0\.1:\d+/x\.tar\.gz: the server sent [\d,]+ bytes in \d\.\d seconds, and must send "
        r"1,000 a second; try later: what has come is kept; a copy at hand serves with .* \[data-download\]$"
    )
    with answering(answer, dribble=200) as (url, asked), pytest.raises(InputError, match=said):
        get(url, tmp_path / "x.part")
    assert len(asked) == 1
    size = (tmp_path / "x.part").stat().st_size if (tmp_path / "x.part").exists() else 0
    assert kept <= size <= kept + 100 * bool(kept)


def test_a_redirect_gives_no_new_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE", 0.6)
    redirects = (b"HTTP/1.1 302 Found\r\nLocation: /%d\r\nContent-Length: 15\r\n\r\n" % at for at in count())
    answers = [next(redirects) for _ in range(9)]
    with answering(*answers, dribble=15) as (url, asked), pytest.raises(InputError, match="the server sent"):
        get(url, tmp_path / "x.part")
    assert 2 <= len(asked) <= 5


def test_a_quick_server_may_take_longer_than_the_grace_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE", 0.1)
    monkeypatch.setattr(module, "SLOWEST", 20)
    with answering(OK + b"Content-Length: 30\r\n\r\n", dribble=30) as (url, _):
        get(url, tmp_path / "x.part")
    assert (tmp_path / "x.part").read_bytes() == b"1" * 30


def test_a_damaged_note_of_the_version_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "x.part").write_bytes(b"bo")
    (tmp_path / "x.part.version").write_bytes(b"\xff\r\nX-Evil: 1")
    answer = b"HTTP/1.1 206 P\r\nContent-Range: bytes 2-3/4\r\nContent-Length: 2\r\n\r\ndy"
    with answering(answer) as (url, asked):
        get(url, tmp_path / "x.part")
    assert (tmp_path / "x.part").read_bytes() == b"body"
    assert b"Evil" not in asked[0]
    assert b"If-Range" not in asked[0]


def test_a_web_page_instead_of_a_pinned_archive(
    site: Site, root: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine
) -> None:
    only = corpus(site.put("/t.tar.gz", Page(b"<!DOCTYPE html><p>Sign in")), archive_sha256="0" * 64)
    monkeypatch.setattr("errorbar.datasets.cards.catalog", lambda: {"tiny": only})
    failed = errorbar("data", "fetch", "tiny")
    assert (failed.code, failed.out) == (2, "")
    assert "a web page: sha256" in failed.err
    assert not (root / "tiny").exists()


def test_offline_every_corpus_is_tried_and_named(
    root: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine, site: Site
) -> None:
    """One after the other, each address twice; what can be had is had, and the end says how to go on."""
    nowhere = corpus("http://127.0.0.1:1/a.tar.gz", "http://127.0.0.1:1/b.tar.gz")
    here = corpus(site.put("/t.tar.gz", Page(tar(FILES))))
    named = {name: replace(each, name=name) for name, each in (("one", nowhere), ("two", here), ("three", nowhere))}
    monkeypatch.setattr("errorbar.datasets.cards.catalog", lambda: named)
    done = errorbar("data", "fetch", "one", "two", "three")
    assert (done.code, done.out) == (2, f"{root / 'two'}\n")
    for name in ("one", "three"):
        assert f"{name}: downloading http://127.0.0.1:1/b.tar.gz" in done.err
    assert done.err.count("trying again") == 2 * 2 * (UNREACHED - 1)
    assert done.err.splitlines()[-2:] == [
        f"error: the corpus '{name}' was not fetched; with a copy at hand: errorbar data fetch {name} --from-file PATH "
        "[data-not-fetched]"
        for name in ("one", "three")
    ]


def test_an_empty_folder_in_the_cache_is_no_corpus(
    root: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine, site: Site
) -> None:
    monkeypatch.setattr(
        "errorbar.datasets.cards.catalog", lambda: {"tiny": corpus(site.put("/t.tar.gz", Page(tar(FILES))))}
    )
    (root / "tiny").mkdir(parents=True)
    assert "no" in errorbar("data", "list").out.splitlines()[2].split()
    assert errorbar("data", "path", "tiny").code == 2
    assert errorbar("data", "fetch", "tiny").code == 0
    assert (root / "tiny" / "a.txt").read_bytes() == FILES["a.txt"]
