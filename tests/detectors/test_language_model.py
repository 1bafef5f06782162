"""Language models as correctors and detectors, against a strict server with faults: what is asked, refused, paid."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from errorbar import correct, detect
from errorbar.core import InputError, UsageError
from tests.helpers.cli import CommandLine
from tests.llm.server import ModelServer, user_message

TEXT = ["He depend on his friend .", "I are here .", "", "They is late .", "I are here ."]
RIGHT = ["He depends on his friend .", "I am here .", "", "They are late .", "I am here ."]
CANARY = "sk-canary-77aa"


def mend(sentence: str) -> str:
    return sentence.replace("depend ", "depends ").replace("I are", "I am").replace("They is", "They are")


def answer_well(body: Any) -> object:  # noqa: ANN401
    """Correct one sentence, or each of a batch."""
    content = user_message(body).partition("\n\n")[2].partition("\n\nAn answer was refused")[0]
    if '"texts"' not in user_message(body):
        return {"text": mend(content)}
    return {"texts": [mend(line.partition(". ")[2]) for line in content.splitlines()]}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(answer=answer_well) as running:
        yield running


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("ERRORBAR_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{line}\n" for line in TEXT), encoding="utf-8")
    return path


def test_every_sentence_is_corrected_and_equal_ones_are_asked_about_once(text: Path, server: ModelServer) -> None:
    result = correct(text, llm=server.url, model="tiny")
    assert [*result.lines] == RIGHT
    assert (result.n_sentences, result.n_changed, len(server.bodies)) == (5, 4, 3)
    assert result.llm is not None
    assert result.llm.spent.calls == 3
    assert correct(text, llm=server.url, model="tiny").lines == result.lines
    assert len(server.bodies) == 3


@pytest.mark.parametrize("batch", [2, 3, 10])
def test_batches_give_the_same_lines(text: Path, server: ModelServer, batch: int) -> None:
    assert [*correct(text, llm=server.url, model="tiny", batch=batch).lines] == RIGHT
    assert len(server.bodies) == -(-4 // batch)


@pytest.mark.parametrize("fault", ["prose", "language", "truncated", "refusal", "filtered", "nothing"])
def test_what_is_no_answer_is_asked_again_with_the_reason(text: Path, server: ModelServer, fault: str) -> None:
    server.fault = lambda _, body: "" if "An answer was refused" in user_message(body) else fault
    result = correct(text, llm=server.url, model="tiny")
    assert [*result.lines] == RIGHT
    assert result.llm is not None
    assert (sum(result.llm.refused.values()), len(server.bodies)) == (4, 6)  # two of the four are of equal sentences


COMMENTS: dict[str, Callable[[str], object]] = {
    "comment before": lambda sentence: {"text": f"Here is the corrected sentence: {mend(sentence)}"},
    "comment after": lambda sentence: {"text": f"{mend(sentence)} {'The verb must agree with its subject . ' * 3}"},
    "two lines": lambda sentence: {"text": f"{mend(sentence)}\nI changed the verb ."},
    "two keys": lambda sentence: {"text": mend(sentence), "comment": "I changed the verb ."},
    "list": lambda sentence: {"text": [mend(sentence)]},
    "empty": lambda _: {"text": " "},
}


@pytest.mark.parametrize("kind", COMMENTS)
def test_comments_and_other_numbers_of_lines_are_found(text: Path, server: ModelServer, kind: str) -> None:
    def answer(body: Any) -> object:  # noqa: ANN401
        content = user_message(body)
        return answer_well(body) if "refused" in content else COMMENTS[kind](content.partition("\n\n")[2])

    server.answer = answer
    result = correct(text, llm=server.url, model="tiny")
    assert [*result.lines] == RIGHT
    assert result.llm is not None
    assert result.llm.refused == {"unfit": 4}


def test_a_batch_with_another_number_of_texts_is_asked_about_sentence_by_sentence(
    text: Path, server: ModelServer
) -> None:
    server.answer = lambda body: {"texts": ["I am here ."]} if '"texts"' in user_message(body) else answer_well(body)
    result = correct(text, llm=server.url, model="tiny", batch=4)
    assert [*result.lines] == RIGHT
    assert len(server.bodies) == 3 + 3


def test_a_sentence_whose_answers_are_all_refused_stays_and_is_named(text: Path, server: ModelServer) -> None:
    server.answer = lambda body: "Never." if "They is" in user_message(body) else answer_well(body)
    result = correct(text, llm=server.url, model="tiny")
    assert [*result.lines] == [*RIGHT[:3], TEXT[3], RIGHT[4]]
    (note,) = [note for note in result.notes if note.code == "llm-answers"]
    assert note.what.endswith(": 4")


def test_a_reached_cap_writes_nothing_and_a_larger_one_goes_on(text: Path, server: ModelServer, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    with pytest.raises(InputError, match="llm-incomplete"):
        correct(text, out, llm=server.url, model="tiny", most_calls=2)
    assert not out.exists()
    assert len(server.bodies) == 2
    correct(text, out, llm=server.url, model="tiny", most_calls=3)
    assert out.read_text(encoding="utf-8").splitlines() == RIGHT
    assert {*server.times_billed().values()} == {1}


@pytest.mark.parametrize("option", ["price-in=1e15", "timeout=1e12", "max-tokens=1000000000000", "jobs=1000000"])
def test_numbers_that_no_call_can_have_are_refused(
    option: str, text: Path, tmp_path: Path, server: ModelServer, errorbar: CommandLine
) -> None:
    outcome = errorbar("correct", text, "--llm", server.url, "--model", "tiny", f"--{option}")
    assert outcome.code == 2
    assert f"--{option.partition('=')[0]}" in outcome.err
    assert not (tmp_path / "llm.sqlite").exists()


def test_a_replay_needs_no_network_and_gives_the_same_bytes(text: Path, tmp_path: Path) -> None:
    outs = [tmp_path / name for name in ("live.txt", "again.txt")]
    with ModelServer(answer=answer_well, fault=lambda number, _: "500" if number == 0 else "") as server:
        url = server.url
        live = correct(text, outs[0], llm=url, model="tiny")
    again = correct(text, outs[1], llm=url, model="tiny", replay=True)
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert live.to_dict() == again.to_dict()
    (tmp_path / "other.txt").write_text("Write it in capitals .", encoding="utf-8")
    with pytest.raises(InputError, match="llm-incomplete"):
        correct(text, llm=url, model="tiny", replay=True, prompt=tmp_path / "other.txt")


def test_the_receipt_has_the_prompt_its_hash_and_every_raw_answer_and_no_key(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRORBAR_LLM_KEY", CANARY)
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Correct it .\n", encoding="utf-8")
    with ModelServer(answer=answer_well, key=CANARY) as server:
        correct(text, llm=server.url, model="tiny", prompt=prompt, answers=tmp_path / "receipt.json", temperature=0.5)
        assert {body["messages"][0]["content"] for body in server.bodies} == {"Correct it ."}
        assert {body["temperature"] for body in server.bodies} == {0.5}
    receipt = json.loads((tmp_path / "receipt.json").read_text(encoding="utf-8"))
    assert receipt["prompt_sha256"] == hashlib.sha256(b"Correct it .").hexdigest()
    assert receipt["parts"]["decoding"]["temperature"] == 0.5
    assert receipt["text_sha256"] == hashlib.sha256(text.read_bytes()).hexdigest()
    texts = [
        json.loads(json.loads(row["raw"])["choices"][0]["message"]["content"])["text"] for row in receipt["answers"]
    ]
    assert sorted(texts) == sorted({*RIGHT} - {""})
    assert not any(CANARY.encode() in path.read_bytes() for path in tmp_path.iterdir())


def test_a_server_without_schemas_is_asked_by_words(text: Path) -> None:
    with ModelServer(answer=answer_well, has_schema=False) as server:
        assert [*correct(text, llm=server.url, model="tiny").lines] == RIGHT
        assert "JSON object" in user_message(server.bodies[-1])


def test_options_that_would_do_nothing_are_refused(text: Path, errorbar: CommandLine) -> None:
    alone = errorbar("correct", text, "--model", "tiny")
    assert (alone.code, "useless-option" in alone.err) == (2, True)
    both = errorbar("correct", text, "--llm", "http://localhost:1/v1", "--model", "tiny", "--corrector", "ranked")
    assert (both.code, "useless-option" in both.err) == (2, True)
    with pytest.raises(UsageError, match="needs the name of a model"):
        correct(text, llm="http://localhost:1/v1")
    with pytest.raises(UsageError, match="llm-prices"):
        correct(text, llm="http://localhost:1/v1", model="tiny", most_cost=1.0)


def test_the_command_tells_what_it_cost(text: Path, server: ModelServer, errorbar: CommandLine) -> None:
    done = errorbar(
        "correct", text, "--llm", server.url, "--model", "tiny", "--price-in", "1000", "--price-out", "1000"
    )
    assert done.out.splitlines() == RIGHT
    tokens = server.billed_tokens()
    assert f"3 requests, {tokens:,} tokens, {tokens / 1000:.4f} in money" in done.err


WORDS = ["He depends of his friends in this .", "No word to ask of .", "Here is none ."]


def test_a_detector_judges_every_preposition(tmp_path: Path, text: Path, errorbar: CommandLine) -> None:
    text.write_text("".join(f"{line}\n" for line in WORDS), encoding="utf-8")

    def answer(body: Any) -> object:  # noqa: ANN401
        wrong = "[1 of] his" in user_message(body)
        return {"errors": [{"number": 1, "instead": "on"}] if wrong else []}

    with ModelServer(answer=answer) as server:
        result = detect(text, llm=server.url, model="tiny")
        assert len(server.bodies) == 2
        table = errorbar("detect", text, "--llm", server.url, "--model", "tiny", "--format", "csv")
    flags = [(row.item, row.word, row.flag, row.score, row.suggestion) for row in result.rows]
    assert flags[:2] == [("1:2-3", "of", True, 1.0, "on"), ("1:5-6", "in", False, 0.0, "")]
    assert {row.flag for row in result.rows[2:]} == {False}
    assert len(table.out.splitlines()) == 1 + len(result.rows)


def test_repeated_answers_of_a_detector_give_shares(text: Path) -> None:
    text.write_text(f"{WORDS[0]}\n", encoding="utf-8")
    said = iter([[1], [1, 2], [], [1]])

    def answer(_: Any) -> object:  # noqa: ANN401
        return {"errors": [{"number": number, "instead": ""} for number in next(said)]}

    with ModelServer(answer=answer) as server:
        result = detect(text, llm=server.url, model="tiny", times=4, temperature=1.0)
    assert [(row.flag, row.score) for row in result.rows] == [(True, 0.75), (False, 0.25)]


def test_a_number_that_no_preposition_has_is_refused(text: Path) -> None:
    text.write_text(f"{WORDS[0]}\n", encoding="utf-8")
    with ModelServer(answer=lambda _: {"errors": [{"number": 9, "instead": "on"}]}) as server:
        result = detect(text, llm=server.url, model="tiny")
        assert len(server.bodies) == 3
    assert result.llm is not None
    assert (result.llm.refused, result.llm.unanswered) == ({"unfit": 3}, [1])


def test_the_ledger_keeps_refused_answers(text: Path, server: ModelServer, tmp_path: Path) -> None:
    server.fault = lambda _, body: "" if "An answer was refused" in user_message(body) else "prose"
    correct(text, llm=server.url, model="tiny", calls=tmp_path / "mine.sqlite")
    with sqlite3.connect(tmp_path / "mine.sqlite") as connection:
        kept = [raw for (raw,) in connection.execute("SELECT raw FROM outcome WHERE status = 'answered'")]
    assert sum("Sure! I think" in raw for raw in kept) == 3
    assert len(kept) == 6


def test_correctors_without_a_model_load_no_client_and_no_ledger() -> None:
    code = "import sys, errorbar; errorbar.correct, errorbar.detect; print(*{'openai', 'sqlite3'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == ""
