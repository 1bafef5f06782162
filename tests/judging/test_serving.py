"""``judge serve`` as a process: its lines, its port, its workers, its end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import segno

from errorbar import judge_invite, judge_serve
from errorbar.cli.judge_commands import _qr_lines
from errorbar.core import UsageError
from errorbar.judging import Doors, Reach, Study, StudyRules
from errorbar.judging.web.listening import bind, check_url, warnings_of
from tests.judging.served import Visitor, made_study

FORM = b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
"""The end of a head whose body never comes."""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return made_study(tmp_path / "study", StudyRules(raters_per_item=1), items=60)


@contextmanager
def command(study: Study, *options: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The process, its address and the link that it shows."""
    words = [sys.executable, "-m", "errorbar", "judge", "serve", str(study.folder), "--port", "0", *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            found = re.search(r"(http://[^/]+)(/j/\S+)", process.stdout.readline())
            assert found
            yield process, found[1], found[1] + found[2]
        finally:
            if process.poll() is None:
                process.kill()


def children(pid: int) -> list[int]:
    found = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal()]
    return [each for each in found if _parent(each) == pid and b"spawn_main" in _words(each)]


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def entered(url: str, link: str) -> Visitor:
    """Once the server answers."""
    until = time.monotonic() + 20
    while True:
        visitor = Visitor(url)
        try:
            assert visitor.enter(link).status_code == 303
            return visitor
        except OSError:
            assert time.monotonic() < until
        except Exception as error:
            if not re.search("Connect|ReadTimeout", type(error).__name__) or time.monotonic() > until:
                raise
        time.sleep(0.05)


def test_from_the_command_to_an_answer_and_a_clean_end(study: Study) -> None:
    with command(study) as (process, url, link):
        visitor = entered(url, link)
        assert visitor.answer(visitor.claim(1)["items"])["receipts"][0]["status"] == "saved"
        process.send_signal(signal.SIGINT)
        assert process.stdout
        assert process.stderr
        # Not by communicate(), which leaves out what came with the line that was read.
        out, err = process.stdout.read(), process.stderr.read()
        process.wait(timeout=20)
    assert process.returncode == 0
    assert study.secrets.manager in out
    assert "Traceback" not in err
    with command(study) as (_, url, again):
        assert again.rpartition("/")[2] == link.rpartition("/")[2]  # the link stays the same


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--workers", "2")])
def test_a_second_ctrl_c_waits_for_nobody_and_says_so(study: Study, options: tuple[str, ...]) -> None:
    with command(study, *options) as (process, url, link):
        entered(url, link)
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as slow:
            slow.sendall(b"POST /signout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n" + FORM)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            time.sleep(1)
            assert process.poll() is None  # it waits for the request
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=5) == 130
        assert process.stderr
        told = process.stderr.read()
    assert told.splitlines()[-1] == "interrupted"
    assert "Traceback" not in told


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes as Linux has them")
def test_workers_that_are_killed_come_back_and_all_end_with_the_first(study: Study) -> None:
    with command(study, "--workers", "2") as (process, url, link):
        visitor = entered(url, link)
        before = children(process.pid)
        assert len(before) == 2
        os.kill(before[0], signal.SIGKILL)
        until = time.monotonic() + 20
        while not (len(now := children(process.pid)) == 2 and before[0] not in now):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert visitor.answer(visitor.claim(1)["items"])["receipts"][0]["status"] == "saved"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        assert process.returncode == 0
        assert not any(Path(f"/proc/{pid}").exists() for pid in now)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes as Linux has them")
def test_workers_end_when_the_first_process_is_killed(study: Study) -> None:
    with command(study, "--workers", "2") as (process, url, link):
        entered(url, link)
        workers = children(process.pid)
        process.kill()
        until = time.monotonic() + 20
        while any(Path(f"/proc/{pid}").exists() and "Z" not in _state(pid) for pid in workers):
            assert time.monotonic() < until
            time.sleep(0.05)


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="nothing hangs up")
@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_server_that_nohup_started_outlives_its_terminal(study: Study, workers: str) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with command(study, "--workers", workers) as (process, url, link):
            visitor = entered(url, link)
            for each in (process.pid, *children(process.pid)):
                os.kill(each, signal.SIGHUP)
            assert visitor.answer(visitor.claim(1)["items"])["receipts"][0]["status"] == "saved"
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_port_in_use_is_said_before_anything_starts(study: Study) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError) as refused:
            judge_serve(study.folder, port=port)
    assert refused.value.code == "judge-port"
    assert len(refused.value.problems) == 1
    assert f"port {port} is in use" in str(refused.value)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"host": "192.0.2.77"}, "judge-host"),
        ({"host": "no such host"}, "judge-host"),
        ({"workers": 0}, "bad-parameter"),
        ({"port": -1}, "bad-parameter"),
        ({"public_url": "judge.example.org"}, "judge-url"),
    ],
)
def test_what_cannot_be_served_is_refused(study: Study, given: dict[str, object], code: str) -> None:
    with pytest.raises(UsageError) as refused:
        judge_serve(study.folder, **given)  # type: ignore[arg-type]
    assert refused.value.code == code


def test_addresses() -> None:
    assert Reach().url == "http://127.0.0.1:8765"
    assert Reach().is_local
    assert set(Reach().hosts() or ()) == {"127.0.0.1", "localhost", "[::1]"}
    behind = Reach(public_url=check_url("https://example.org/judge/"))
    assert (behind.url, behind.root) == ("https://example.org/judge", "/judge")
    assert "example.org" in (behind.hosts() or ())
    for url, named in {"https://[::1]/x": "[::1]", "https://Müller.example": "xn--mller-kva.example"}.items():
        assert named in (Reach(public_url=check_url(url)).hosts() or ()), "as browsers say it"
    everywhere = Reach("0.0.0.0")
    assert everywhere.hosts() is None
    assert not everywhere.is_local
    assert everywhere.url.startswith("http://")
    assert "0.0.0.0" not in everywhere.url
    for wrong in ("ftp://x", "https://", "https://a b", "https://user@x.org", "https://x.org?y=1"):
        with pytest.raises(UsageError):
            check_url(wrong)


def test_what_it_takes_to_face_others_is_said(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.judging.web.listening.in_container", lambda: False)
    assert [each.code for each in warnings_of(Reach("0.0.0.0"), study.folder)] == ["judge-open"]
    assert list(warnings_of(Reach("0.0.0.0", public_url="https://x.org"), study.folder)) == []
    monkeypatch.setattr("errorbar.judging.web.listening.in_container", lambda: True)
    on_root = study.folder.stat().st_dev == Path("/").stat().st_dev
    assert [each.code for each in warnings_of(Reach(), study.folder)] == ["judge-no-volume"] * on_root


def test_a_port_is_free_again_at_once(study: Study) -> None:
    with bind("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
    bind("127.0.0.1", port).close()


def test_a_new_address_makes_old_links_stale(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links that were made before the first start begin with the usual port."""
    shown: list[Doors] = []
    monkeypatch.setattr("errorbar.judging.web.serve.serve", lambda *_: [])

    def moved(port: int) -> list[str]:
        judge_serve(study.folder, port=port, ready=shown.append)
        return [note.what for note in shown[-1].notes if note.code == "judge-moved"]

    judge_invite(study.folder, raters=1)
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
    usual, new = "http://127.0.0.1:8765", f"http://127.0.0.1:{port}"
    assert moved(port) == [f"links made so far begin with {usual}, and the study is at {new} now"]
    assert moved(port) == []
    assert judge_invite(study.folder).links[0].url.startswith(new)


def test_the_first_address_is_no_news(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Doors] = []
    monkeypatch.setattr("errorbar.judging.web.serve.serve", lambda *_: [])
    judge_serve(study.folder, port=0, ready=shown.append)
    assert "judge-moved" not in [note.code for note in shown[0].notes]


# What is printed when a study is served: the QR code reads as the link, off any terminal.


COLORED = re.compile(r"\x1b\[38;5;231;48;5;16m([ ▀▄█]+)\x1b\[0m")
QUIET = 4
"""Light modules around a code, by its standard."""
UPPER, LOWER = {"▀", "█"}, {"▄", "█"}


def test_the_code_has_its_own_colors_and_a_quiet_zone() -> None:
    code = segno.make("http://127.0.0.1:8765/j/TuiO4qu6jq5kOBS71-ROx4I8VJIqI4oy")
    lines = [COLORED.fullmatch(line) for line in _qr_lines(code)]
    assert all(lines)  # white on black is said, and left to no terminal
    light = [[mark in half for mark in line[1]] for line in lines if line for half in (UPPER, LOWER)]
    modules = [list(map(bool, row)) for row in code.matrix]
    size = len(modules)
    assert [[not each for each in row[QUIET : QUIET + size]] for row in light[QUIET : QUIET + size]] == modules
    assert all(map(all, light[:QUIET] + light[QUIET + size : 2 * QUIET + size]))
    assert all(
        all(row[:QUIET] + row[QUIET + size :]) and len(row) == size + 2 * QUIET for row in light[: 2 * QUIET + size]
    )
