"""What one client may take from a server: bytes, seconds, connections; tried over bare sockets."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from errorbar import judge_invite
from errorbar.judging import Reach, Study, StudyRules
from errorbar.judging.web import listening
from errorbar.judging.web.listening import raise_open_files, spare_files
from errorbar.judging.web.requests import MOST_BODIES, MOST_FORM, MOST_HEAD, LimitedConnection, Limits
from errorbar.judging.web.serve import running
from tests.judging.served import Visitor, made_study

SHORT = Limits(head_seconds=0.3, body_seconds=0.6, connections=20)
PATIENCE = 10.0
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return made_study(tmp_path_factory.mktemp("limits") / "study", StudyRules())


@pytest.fixture(scope="module")
def url(study: Study) -> Iterator[str]:
    with running(study.folder, Reach(port=0)) as server:
        yield server.url


@pytest.fixture(scope="module")
def hasty(study: Study) -> Iterator[str]:
    """A server with short deadlines."""
    with running(study.folder, Reach(port=0), SHORT) as server:
        yield server.url


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as wire:
        yield wire


def reply(wire: socket.socket) -> tuple[int, str]:
    """The status, and the code of an error, once the server closes the connection."""
    parts = []
    while part := wire.recv(65536):
        parts.append(part)
    head, _, body = b"".join(parts).partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"] if body.startswith(b"{") else ""


def post(path: str, length: int) -> bytes:
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n".encode() + FORM + b"\r\n"


@pytest.mark.parametrize("n_bytes", [MOST_HEAD, 20_000_000])
def test_headers_that_are_too_long_are_refused_before_they_are_kept(n_bytes: int, url: str) -> None:
    used = time.process_time()
    with connected(url) as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
        try:
            wire.sendall(b"x" * n_bytes)
        except ConnectionError:  # twenty megabytes are not waited for
            assert n_bytes > MOST_HEAD
        else:
            assert reply(wire) == (431, "headers-too-long")
    assert time.process_time() - used < 1.0
    assert Visitor(url).http.get("/").status_code == 200


def test_headers_just_short_enough_are_read_however_they_come(url: str) -> None:
    start, end = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: ", b"\r\n\r\n"
    text = start + b"x" * (MOST_HEAD - len(start) - len(end)) + end
    with connected(url) as wire:
        wire.sendall(text[:100])
        wire.sendall(text[100:])
        assert reply(wire)[0] == 200


@pytest.mark.parametrize(
    "sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: loc"], ids=["nothing", "a letter", "half a header"]
)
def test_half_a_header_is_not_waited_for(sent: bytes, hasty: str) -> None:
    with connected(hasty) as wire:
        wire.sendall(sent)
        assert reply(wire) == (408, "too-slow")


def test_a_header_that_drips_has_no_more_time(hasty: str) -> None:
    with connected(hasty) as wire:
        until = time.monotonic() + PATIENCE
        with suppress(ConnectionError):
            while time.monotonic() < until:
                wire.sendall(b"G")
                time.sleep(0.05)
    assert time.monotonic() < until


@pytest.mark.parametrize("path", ["/manage", "/signout", "/j/none"])
def test_a_body_that_does_not_come_is_not_waited_for(path: str, hasty: str) -> None:
    with connected(hasty) as wire:
        wire.sendall(post(path, 100) + b"token=")
        assert reply(wire) == (408, "too-slow")


def test_a_second_request_has_a_deadline_too(hasty: str) -> None:
    with connected(hasty) as wire:
        wire.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(0.1)
        assert wire.recv(65536).startswith(b"HTTP/1.1 200")
        time.sleep(2 * SHORT.head_seconds)  # between requests uvicorn's limit holds, which is longer
        wire.sendall(b"GET / HT")
        assert reply(wire) == (408, "too-slow")


@pytest.mark.parametrize(
    "path", ["/manage", "/manage/raters/1/exclude", "/signout", "/j/none", "/api/return", "/api/claim"]
)
def test_forms_are_short(path: str, url: str) -> None:
    """Whatever is read before somebody is signed in, above all."""
    with connected(url) as wire:
        wire.sendall(post(path, MOST_FORM + 1))
        assert wire.recv(65536).startswith(b"HTTP/1.1 413")  # nothing of the body was sent


def test_a_form_without_a_length_is_short_too(url: str) -> None:
    reply = Visitor(url).http.post(
        "/manage", content=iter([b"x" * 1000] * 17), headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert reply.status_code == 413


def test_what_comes_after_the_headers_is_counted_also_where_nobody_reads_it(url: str) -> None:
    with connected(url) as wire:
        wire.sendall(b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        with suppress(ConnectionError):
            for _ in range(1000):
                wire.sendall(b"1;" + b"x" * 10_000 + b"\r\ny\r\n")
        with suppress(ConnectionError):
            while wire.recv(65536):  # the server closes: it counted ten megabytes of what nobody reads
                pass


def test_tries_are_counted_before_a_body_is_read(tmp_path: Path) -> None:
    """Four hundred posts that never end hold no bodies: from the three hundred and first on they are refused."""
    study = made_study(tmp_path / "study", StudyRules())
    with running(study.folder, Reach(port=0), Limits(body_seconds=30.0)) as server:
        host, _, port = server.url.removeprefix("http://").partition(":")
        wires = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(320)]
        try:
            for wire in wires:
                wire.sendall(post("/manage", MOST_FORM) + b"x" * (MOST_FORM - 1))
            assert wires[-1].recv(65536).startswith(b"HTTP/1.1 429")
        finally:
            for wire in wires:
                wire.close()


def test_a_rater_holds_few_unfinished_bodies_and_keeps_nobody_else_waiting(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules())
    link = judge_invite(study.folder, crowd="crowd").links[0].url
    with running(study.folder, Reach(port=0)) as server, ExitStack() as stack:
        ann, ben = Visitor(server.url), Visitor(server.url)
        for visitor, name in ((ann, "ann"), (ben, "ben")):
            visitor.enter(f"{link}?participant={name}", participant=name)
        cookies = "; ".join(f"{name}={value}" for name, value in ann.http.cookies.items())
        head = f"POST /api/answer HTTP/1.1\r\nHost: localhost\r\nCookie: {cookies}\r\nX-CSRF-Token: {ann.csrf}\r\n"
        head += "Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n"
        wires = [stack.enter_context(connected(server.url)) for _ in range(MOST_BODIES)]
        for wire in wires:
            wire.sendall(head.encode() + b"x" * 100_000)
        deadline = time.monotonic() + PATIENCE
        while (refused := ann.post("/api/claim", {"want": 1})).status_code == 200:  # until all heads have been read
            assert time.monotonic() < deadline
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too-many-bodies")
        assert ben.claim(1)["items"]
        wires[0].close()
        while ann.post("/api/claim", {"want": 1}).status_code != 200:
            assert time.monotonic() < deadline


def test_too_many_connections_are_refused_and_the_log_says_so_once(
    study: Study, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LimitedConnection._too_many, "_until", float("-inf"))
    with running(study.folder, Reach(port=0), Limits(connections=2)) as server:
        with connected(server.url), connected(server.url):
            for _ in range(3):
                with connected(server.url) as third:
                    assert reply(third) == (503, "too-many-connections")
        told = "2 connections are open, and the server takes no more: raise 'ulimit -n'"
        assert capfd.readouterr().err.count(told) == 1
        deadline = time.monotonic() + PATIENCE
        while Visitor(server.url).http.get("/").status_code != 200:
            assert time.monotonic() < deadline


def test_as_many_files_may_be_open_as_the_system_allows() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 1000), before[1]))
        assert spare_files() == 1000 - listening.OWN_FILES
        raise_open_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(before[1], listening.MOST_FILES)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
