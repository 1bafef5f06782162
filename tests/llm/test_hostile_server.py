"""Servers that answer deep, endless, elsewhere, as another model, or with the key: nothing is lost, sent on or kept."""

from __future__ import annotations

import gzip
import json
import re
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from errorbar import correct
from errorbar.core import UsageError
from errorbar.llm.asking import Asked, Pace, ask
from errorbar.llm.calls import Ledger, Spent
from errorbar.llm.endpoint import Endpoint
from errorbar.llm.model import Call, ModelRater, endpoint_name
from tests.helpers.cli import CommandLine
from tests.llm.raw_server import Send, completion, raw_server, reply

KEY = "sk-canary/ABC+xyz0123456789"
CALL = Call("item", "Text")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRORBAR_LLM_KEY", KEY)


def ask_once(url: str, path: Path, timeout: float = 20) -> tuple[Asked, Spent, list[str]]:
    """What became of one call, what is spent, and the bodies that are kept; every attempt must be settled."""
    rater = ModelRater(endpoint_name(url), "tiny", "Judge.")
    with Ledger.open(path) as ledger:
        asked = ask(rater, [CALL], ledger, Endpoint.open(url, timeout), Pace(jobs=1, retries=0))
        assert ledger.spent() == ledger.recount()
        assert ledger._number("SELECT count(*) FROM attempt") == ledger._number("SELECT count(*) FROM outcome")
        rows = ledger._connection.execute("SELECT raw FROM outcome").fetchall()
        return asked, ledger.spent(), [raw for (raw,) in rows]


RESERVED = sum(CALL.most_tokens(ModelRater("", "tiny", "Judge.")))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (reply(b"[" * 200_000), "the reply is no JSON"),
        (reply(b'{"a":' * 200_000), "the reply is no JSON"),
        (reply(completion() * 2), "the reply is no JSON"),
        (reply(b'{"error": {"message": "quota exceeded"}}'), "the reply is an error: .*quota exceeded"),
        (reply(b"zz", "500 No", "Content-Type: text/plain; charset=hex"), "status 500: zz"),
        (reply(b"\\ud800", "500 No", "Content-Type: text/plain; charset=unicode_escape"), r"status 500: \\ud800"),
        (reply(b"no gzip", "200 OK", "Content-Encoding: gzip"), "the connection broke"),
        (reply(b"", "599 No"), "status 599"),
    ],
)
def test_a_reply_that_cannot_be_read_is_a_failure_that_stays_counted(
    answer: bytes, reason: str, tmp_path: Path
) -> None:
    with raw_server(answer) as server:
        asked, spent, _ = ask_once(server.url, tmp_path / "calls.sqlite")
    assert re.match(reason, next(iter(asked.reasons)))
    assert (asked.n_failed, spent, len(server.requests)) == (1, (1, RESERVED, 0.0), 1)
    assert str(next(asked.notes())).startswith("1 call got no reply")


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 5},
        {"prompt_tokens": 10**30, "completion_tokens": 1},
        {"prompt_tokens": 2**62, "completion_tokens": 2**62},
        {"prompt_tokens": -1, "completion_tokens": 1},
        {"prompt_tokens": True, "completion_tokens": 1},
        [],
        None,
    ],
)
def test_counts_that_are_none_leave_the_whole_reservation_spent(usage: object, tmp_path: Path) -> None:
    with raw_server(reply(completion(usage=usage))) as server:
        asked, spent, _ = ask_once(server.url, tmp_path / "calls.sqlite")
    assert (asked.n_answered, spent) == (1, (1, RESERVED, 0.0))


def test_a_mark_of_byte_order_before_a_reply_costs_no_answer(tmp_path: Path) -> None:
    with raw_server(reply(b"\xef\xbb\xbf" + completion())) as server:
        assert ask_once(server.url, tmp_path / "calls.sqlite")[0].n_answered == 1


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
def test_a_redirect_is_told_and_not_followed(status: str, tmp_path: Path) -> None:
    with raw_server(reply(completion())) as other:
        target = f"{other.url}/chat/completions?key={KEY}"
        with raw_server(reply(b"", status, f"Location: {target}")) as server, pytest.raises(UsageError) as raised:
            ask_once(server.url, tmp_path / "calls.sqlite")
        assert (len(server.requests), other.requests) == (1, [])
    assert f"it sends requests on to {other.url}/chat/completions?key=[key]" in str(raised.value)
    with Ledger.open(tmp_path / "calls.sqlite", read_only=True) as ledger:
        assert ledger.spent() == (1, 0, 0.0)


def slowly(start: bytes) -> Send:
    """Send these bytes, and then a byte now and then."""

    def send(client: socket.socket) -> None:
        client.sendall(start)
        end = time.monotonic() + 8
        with suppress(OSError):
            while time.monotonic() < end:
                client.sendall(b"a")
                time.sleep(0.1)

    return send


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\nX-Header: ",
        b"HTTP/1.1 500 No\r\nContent-Length: 100000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
    ],
    ids=["headers", "error", "body"],
)
def test_a_reply_that_drips_ends_in_its_time(start: bytes, tmp_path: Path) -> None:
    """Else another process would take the call over, and it would be billed twice."""
    with raw_server(slowly(start)) as server:
        endpoint = Endpoint.open(server.url, 1)  # loads the library
        started = time.monotonic()
        asked, spent, _ = ask_once(server.url, tmp_path / "calls.sqlite", timeout=1)
        assert time.monotonic() - started < endpoint.lease
    assert (asked.reasons, spent.tokens) == ({"no whole reply in time": 1}, RESERVED)


def test_an_error_that_never_ends_is_read_in_part(tmp_path: Path) -> None:
    def send(client: socket.socket) -> None:
        client.sendall(b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n")
        with suppress(OSError):
            while True:
                client.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")

    with raw_server(send) as server:
        asked, _, raws = ask_once(server.url, tmp_path / "calls.sqlite", timeout=20)
    assert next(iter(asked.reasons)).startswith("status 500: xxx")
    assert len(raws[0]) == 100_000


@pytest.mark.parametrize(
    "answer",
    [
        reply(completion(f"the key {KEY}")),
        reply(completion(f"the key {KEY}").replace(b"/", b"\\/")),
        reply(b'{"error": "' + "".join(f"\\u{ord(letter):04X}" for letter in KEY).encode() + b'"}'),
        reply(b'{"error": "' + KEY.replace("/", "%2F").replace("+", "%2B").encode() + b'"}'),
        reply(json.dumps({"error": f"Bearer {KEY}"}).encode(), "500 No"),
        reply(gzip.compress(completion(KEY)), "200 OK", "Content-Encoding: gzip"),
        b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"key": "' + KEY[:20].encode(),
        b"HTTP/1.1 200 OK\r\nX " + KEY.encode() + b"\r\n\r\n",
        KEY.encode() + b"\r\n\r\n",
    ],
)
def test_the_key_is_kept_nowhere_however_a_server_spells_it(answer: bytes, tmp_path: Path) -> None:
    with raw_server(answer) as server:
        asked, _, raws = ask_once(server.url, tmp_path / "calls.sqlite")
    kept = "".join((*raws, *asked.reasons, *map(str, asked.notes())))
    kept += b"".join(path.read_bytes() for path in tmp_path.iterdir()).decode("latin-1")
    assert "[key]" in kept
    assert not re.search("canary|xyz0123|2fabc|0079", kept, re.IGNORECASE)


@pytest.mark.parametrize("wrong", ["sk-canary\nabcdefgh", "sk-canary-\x01abcdefgh", "sk-canary-éabcdefgh"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(
    wrong: str, text: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRORBAR_LLM_KEY", wrong)
    with raw_server(reply(completion())) as server:
        outcome = errorbar("correct", text, "--llm", server.url, "--model", "tiny")
        assert server.requests == []
    assert outcome.code == 2
    assert "the key in ERRORBAR_LLM_KEY" in outcome.err
    assert "canary" not in outcome.err + outcome.out


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("He go home .\n", encoding="utf-8")
    return tmp_path / "text.txt"


def test_a_word_in_the_place_of_a_key_may_stand_in_answers(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of one's own want no key, and people give them ``none`` or ``ollama``."""
    monkeypatch.setenv("ERRORBAR_LLM_KEY", "home")
    with raw_server(reply(completion('{"text": "He goes home ."}'))) as server:
        assert [*correct(text, llm=server.url, model="tiny").lines] == ["He goes home ."]


def test_a_server_that_answers_as_another_model_is_told(text: Path) -> None:
    with raw_server(reply(completion('{"text": "He goes home ."}', model="vendor/cheap"))) as server:
        notes = correct(text, llm=server.url, model="tiny").notes
        assert [note.code for note in notes] == ["llm-other-model"]
        assert "the replies name vendor/cheap" in str(notes[0])
        assert correct(text, llm=server.url, model="tiny", replay=True).notes == notes
    with raw_server(reply(completion('{"text": "He goes home ."}', model="vendor/Tiny-2026-01-01"))) as server:
        assert not correct(text, llm=server.url, model="tiny").notes


def test_a_server_that_counts_more_than_it_was_allowed_is_told(text: Path) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 5000}
    with raw_server(reply(completion('{"text": "He goes home ."}', usage=usage))) as server:
        result = correct(text, llm=server.url, model="tiny")
    assert [note.code for note in result.notes] == ["llm-excess"]
    assert "for 1 answer" in str(result.notes[0])
    assert result.llm is not None
    assert result.llm.spent.tokens == 5005


@pytest.mark.parametrize("word", ["\\ud800", "\\u0000", "\\u001b[31m"])
def test_an_answer_that_no_text_can_hold_is_refused(word: str, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    with raw_server(reply(completion(f'{{"text": "He {word} home ."}}'))) as server:
        result = correct(text, out, llm=server.url, model="tiny")
    assert [note.code for note in result.notes] == ["llm-answers"]
    assert out.read_text(encoding="utf-8") == "He go home .\n"


def test_a_server_that_asks_to_wait_for_hours_ends_the_run(tmp_path: Path) -> None:
    with raw_server(reply(b"{}", "429 No", "Retry-After: 90000")) as server:
        rater = ModelRater(endpoint_name(server.url), "tiny", "Judge.")
        calls = [Call(f"item-{n}", "Text") for n in range(5)]
        with Ledger.open(tmp_path / "calls.sqlite") as ledger:
            asked = ask(rater, calls, ledger, Endpoint.open(server.url, 5), Pace(jobs=1, retries=5))
        assert (asked.n_failed, asked.n_left, len(server.requests)) == (1, 4, 1)
    assert "the server asks to wait 90,000 seconds" in str(next(asked.notes()))
