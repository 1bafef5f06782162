"""A language model as a rater of a study: what it is asked, what becomes of its answers, what an export has of them."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from errorbar import (
    Problems,
    agree,
    judge_adjudicate,
    judge_backup,
    judge_export,
    judge_init,
    judge_llm,
    judge_restore,
)
from errorbar.core import InputError, UsageError
from errorbar.formats import read_judgment_table
from errorbar.judging import JudgedItem, load_scheme
from errorbar.judging.question_kinds import QUESTION_KINDS
from errorbar.judging.scheme_kinds import SCHEME_KINDS, kind_of
from errorbar.judging.study.model_lane import make_call, orders_of
from errorbar.llm.model import Decoding, ModelRater
from errorbar.sampling.seal import read_seal, split_items
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.judging.simulated import work
from tests.llm.server import FAULTS, NO_REPLY, ModelServer, user_message

ITEMS = "item,text,secret\n" + "".join(f"item-{n},He depends [of] him number {n} .,hid-{n}\n" for n in range(12))
GOLD = "item,text,label\n" + "".join(f"gold-{n},She goes [to] school number {n} .,ok\n" for n in range(8))
PAIRS = "item,text,candidate1,candidate2,system1,system2\n" + "".join(
    f"item-{n},He depends [of] him number {n} .,of,on,old-sys,new-sys\n" for n in range(12)
)
CANARY = "sk-canary-5f3a9b"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def make_study(folder: Path, text: str = ITEMS, gold: str = "", scheme: str = "error-ok") -> Path:
    (folder / "items.csv").write_text(text, encoding="utf-8")
    more = {}
    if gold:
        (folder / "gold.csv").write_text(gold, encoding="utf-8")
        more["gold_items"] = folder / "gold.csv"
    judge_init(folder / "study", folder / "items.csv", scheme=scheme, **more)  # type: ignore[arg-type]
    return folder / "study"


def read_rows(study: Path, *include: str, models: str = "only", to: str = "csv") -> list[dict[str, str]]:
    out = study.parent / "out.csv"
    judge_export(study, out, models=models, include=include, to=to)  # type: ignore[arg-type]
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_model_judges_every_item_and_the_people_do_not_see_it(tmp_path: Path, server: ModelServer) -> None:
    study = make_study(tmp_path)
    work(study)
    before = read_rows(study, models="none")
    server.answer = lambda body: {"judgment": "error" if "number 1" in user_message(body) else "ok"}
    result = judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    assert read_rows(study, models="none") == before
    rows = read_rows(study)
    assert {row["item"]: row["label"] for row in rows} == {
        f"item-{n}": "error" if str(n).startswith("1") else "ok" for n in range(12)
    }
    assert {row["rater"] for row in rows} == {result.lane.rater.pseudonym}
    assert {row["rater_kind"] for row in rows} == {"model"}
    both = read_rows(study, models="beside")
    assert [row for row in both if row["rater_kind"] == "model"] == rows
    people = [row for row in both if row["rater_kind"] == "human"]
    assert [{name: row[name] for name in before[0]} for row in people] == before
    again = judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    assert (again.asked.n_known if again.asked else 0, len(server.bodies)) == (12, 12)


def test_a_model_gets_what_a_browser_gets_and_no_more(tmp_path: Path, server: ModelServer) -> None:
    study = make_study(tmp_path, gold=GOLD)
    judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    sent = json.dumps(server.bodies)
    assert len(server.bodies) == 20
    assert not any(word in sent for word in ("item-", "gold-", "hid-", "secret", "work", "answers", "gold"))
    systems = {body["messages"][0]["content"] for body in server.bodies}
    assert len(systems) == 1
    assert "a careful native writer would not write it here" in systems.pop()
    assert "He depends [[of]] him number 3 ." in {user_message(body).removeprefix("Text:\n") for body in server.bodies}


ITEM_OF = {
    "error-ok": JudgedItem("name", "He depends of him .", (11, 13)),
    "choice": JudgedItem("name", "He depends of him .", (11, 13), candidates=("of", "on"), names=("x-sys", "y-sys")),
    "edit-valid": JudgedItem("name", "He depends of him .", (11, 13), candidates=("of", "on"), names=("x-sys", "y")),
    "cloze": JudgedItem("name", "He depends of him .", (11, 13)),
    "preposition": JudgedItem("name", "He depends of him .", (11, 13)),
    "rank": JudgedItem(
        "name", "He go .", candidates=("He goes .", "He went .", "He gone ."), names=("x-sys", "y", "z")
    ),
    "edits": JudgedItem("name", "He depends of him ."),
    "post-edit": JudgedItem("name", "He go .", candidates=("He goes",), names=("x-sys",)),
}


def test_every_kind_of_scheme_can_be_asked() -> None:
    assert {load_scheme(name).shows for name in ITEM_OF} == SCHEME_KINDS.keys()


@pytest.mark.parametrize("name", ITEM_OF)
def test_a_message_shows_what_the_scheme_shows(name: str) -> None:
    scheme, item = load_scheme(name), ITEM_OF[name]
    for order in orders_of(scheme, item, both=True):
        content = make_call(scheme, item, order, 0).content
        shown = [text for text in kind_of(scheme).shown(item, order) if isinstance(text, str)]
        places = [content.replace("[[", "").replace("]]", "").replace("____", "").find(text) for text in shown]
        assert -1 not in places
        assert places == sorted(places)
        assert "-sys" not in content
        assert "name" not in content.lower()


@pytest.mark.parametrize("name", ITEM_OF)
def test_an_answer_of_the_schema_is_taken_or_refused_by_name(name: str, tmp_path: Path, server: ModelServer) -> None:
    if name == "post-edit":
        for file, line in (("source.txt", "He go ."), ("x-sys.txt", "He goes .")):
            (tmp_path / file).write_text(f"{line}\n", encoding="utf-8")
        systems = [tmp_path / "x-sys.txt"]
        judge_init(tmp_path / "study", tmp_path / "source.txt", systems=systems, scheme=name, editors="free")
    texts = {
        "choice": PAIRS,
        "edit-valid": PAIRS,
        "rank": "item,text,candidate1,candidate2,system1,system2\n1,He go .,He goes .,He went .,x-sys,y-sys\n",
        "edits": "item,text\n1,He go .\n",
    }
    study = tmp_path / "study" if name == "post-edit" else make_study(tmp_path, texts.get(name, ITEMS), scheme=name)
    result = judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    assert result.lane.refusals == {}
    assert {row.state for row in result.lane.rows} == {"done"}


def test_both_orders_are_asked_and_the_first_position_shows(tmp_path: Path, server: ModelServer) -> None:
    """A model that always says "top" prefers either candidate on half of the items."""
    study = make_study(tmp_path, PAIRS, scheme="choice")
    server.answer = lambda body: {"better": "top"}
    judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    rows = read_rows(study, "repeats")
    labels = {(row["item"], row["round"]): row["label"] for row in rows}
    assert len(labels) == 24
    assert all({labels[f"item-{n}", "main"], labels[f"item-{n}", "turned"]} == {"first", "second"} for n in range(12))
    assert all(row["top"] == row["label"] for row in rows)
    assert len({row["label"] for row in read_rows(study)}) == 2
    assert {row["winner"] for row in read_rows(study, to="pairs")} == {"old-sys", "new-sys"}


def test_ranks_are_those_of_the_outputs_and_not_of_the_letters(tmp_path: Path, server: ModelServer) -> None:
    text = "item,text,candidate1,candidate2,candidate3,system1,system2,system3\n"
    study = make_study(tmp_path, f"{text}1,He go .,He goes .,He went .,He gone .,a,b,c\n", scheme="rank")

    def rank_goes_first(body: object) -> object:
        lines = user_message(body).split("\n")  # type: ignore[arg-type]
        letter = next(lines[at - 1][0] for at, line in enumerate(lines) if line == "He goes .")
        return {"ranks": {name: 1 if name == letter else 2 for name in "ABC"}}

    server.answer = rank_goes_first
    judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    rows = read_rows(study, "repeats")
    assert len(rows) == 2
    assert {row["ranking"] for row in rows} == {"a > b = c"}
    assert len({row["shown"] for row in rows}) == 2


def test_gold_excludes_a_model_as_it_would_a_person(tmp_path: Path, server: ModelServer) -> None:
    study = make_study(tmp_path, gold=GOLD)
    server.answer = lambda body: {"judgment": "error"}
    result = judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    assert result.lane.gold == (8, 0)
    assert "0 of" in result.lane.excluded
    assert read_rows(study) == []
    assert len(read_rows(study, "excluded")) == 12
    assert {row["item"][:4] for row in read_rows(study, "excluded", "gold")} == {"item", "gold"}


@pytest.mark.parametrize("fault", NO_REPLY)
def test_a_request_without_a_whole_reply_is_made_again(fault: str, tmp_path: Path, server: ModelServer) -> None:
    server.fault = lambda number, body: fault if number == 1 else ""
    study = make_study(tmp_path)
    result = judge_llm(study, endpoint=server.url, model="tiny", timeout=1, jobs=2)
    assert result.asked is not None
    assert (result.asked.n_answered, result.asked.n_failed, sum(result.asked.reasons.values())) == (12, 0, 1)
    assert result.spent.calls == len(server.bodies) == 13
    assert result.spent.tokens >= server.billed_tokens()
    assert {row.state for row in result.lane.rows} == {"done"}


def test_a_stream_that_nobody_asked_for_is_a_failure_that_is_kept(tmp_path: Path, server: ModelServer) -> None:
    """It counts no tokens, so that what was reserved stays spent; the call is made again."""
    server.fault = lambda number, body: "stream" if number == 1 else ""
    study, reason = make_study(tmp_path), "the reply is a stream of events, which nobody asked for"
    result = judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    assert result.asked is not None
    assert (result.asked.n_answered, result.asked.reasons) == (12, {reason: 1})
    with closing(sqlite3.connect(study / "llm.sqlite")) as ledger:
        failed = ledger.execute("SELECT reason, raw FROM outcome WHERE status = 'failed'").fetchall()
    assert [(why, raw.startswith("data: {"), raw.endswith("data: [DONE]\n\n")) for why, raw in failed] == [
        (reason, True, True)
    ]
    assert len(server.billed) == result.spent.calls == 13
    assert result.spent.tokens >= server.billed_tokens()


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in NO_REPLY])
def test_what_is_no_answer_is_refused_by_name_and_kept(fault: str, tmp_path: Path, server: ModelServer) -> None:
    names = {"prose": "not-json", "language": "not-json", "truncated": "cut", "nothing": "empty"}
    server.fault = lambda number, body: fault if number == 1 else ""
    study = make_study(tmp_path)
    result = judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    assert result.lane.refusals == {names.get(fault, "declined"): 1}
    assert [note.code for note in result.notes] == ["llm-answers"]
    assert len(read_rows(study)) == 11
    skipped = [row for row in read_rows(study, "skipped") if row["state"] == "skipped"]
    assert [row["skip"] for row in skipped] == [f"refused: {names.get(fault, 'declined')}"]
    assert len(server.bodies) == 12


def test_an_answer_that_names_no_option_is_unfit_and_a_fence_is_taken_off(tmp_path: Path, server: ModelServer) -> None:
    replies = iter([{"judgment": "maybe"}, {"verdict": "ok"}, '```json\n{"judgment": "ok"}\n```', "[1]"])
    server.answer = lambda body: next(replies, {"judgment": "ok"})
    result = judge_llm(make_study(tmp_path), endpoint=server.url, model="tiny", timeout=10, jobs=1)
    assert result.lane.refusals == {"unfit": 2, "not-json": 1}


def test_a_server_without_schemas_is_asked_by_words(tmp_path: Path, server: ModelServer) -> None:
    """Of four requests on their way none is the end, and none counts as a try."""
    server.has_schema = False
    server.answer = lambda body: {"judgment": "ok"}
    study = make_study(tmp_path)
    result = judge_llm(study, endpoint=server.url, model="tiny", timeout=10, jobs=4, retries=0)
    assert (len(result.lane.rows), result.lane.refusals) == (12, {})
    assert len(server.billed) == len(server.bodies) == 12 < result.spent.calls
    with pytest.raises(UsageError, match="llm-refused"):
        judge_llm(study, endpoint=server.url, model="tiny", timeout=10, answer_format="schema")


def test_a_server_with_another_name_of_the_limit_gets_it(tmp_path: Path, server: ModelServer) -> None:
    server.limit = "max_completion_tokens"
    result = judge_llm(make_study(tmp_path), endpoint=server.url, model="tiny", timeout=10, retries=0)
    assert {body["max_completion_tokens"] for body in server.bodies} == {512}
    assert {row.state for row in result.lane.rows} == {"done"}


def test_who_a_model_rater_is() -> None:
    """Whoever changes one part has another rater; the number 1 is no change of 1.0."""
    parts = {"endpoint": "localhost:8000/v1", "model": "tiny", "prompt": "Judge.", "scheme": "error-ok 1"}
    raters = [ModelRater(**{**parts, name: "other"}, decoding=Decoding(1)) for name in parts]
    raters += [ModelRater(**parts, decoding=decoding) for decoding in (Decoding(1), Decoding(1.0), Decoding(1.0, 99))]
    assert len({rater.identity for rater in raters}) == len(raters) - 1
    assert [ModelRater.from_parts(json.loads(json.dumps(rater.parts()))) for rater in raters] == raters
    assert {rater.pseudonym[:11] for rater in raters} == {"model:tiny@", "model:other"}


def test_replay_reads_the_same_without_a_server(tmp_path: Path) -> None:
    study = make_study(tmp_path, gold=GOLD)
    with ModelServer(fault=lambda number, body: "prose" if number == 3 else "") as server:
        url = server.url
        live = judge_llm(study, endpoint=url, model="tiny", timeout=10, times=2)
    replayed = judge_llm(study, endpoint=url, model="tiny", times=2, replay=True)
    assert replayed.lane == live.lane
    assert replayed.asked is None
    with pytest.raises(UsageError, match="llm-no-model"):
        judge_llm(study, endpoint=url, model="tiny", temperature=1.0, replay=True)
    with pytest.raises(InputError, match="llm-ledger"):
        judge_llm(study, endpoint=url, model="tiny", calls=tmp_path / "none.sqlite", replay=True)


def test_the_lane_goes_along_with_backups(tmp_path: Path, server: ModelServer) -> None:
    study = make_study(tmp_path)
    judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    judge_backup(study, tmp_path / "copy")
    judge_restore(tmp_path / "copy", tmp_path / "restored")
    assert read_rows(tmp_path / "restored") == read_rows(tmp_path / "copy") == read_rows(study)


def test_the_key_is_nowhere_but_in_the_request(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine
) -> None:
    """Not in the ledger, the result, the messages or the exports, whatever the server sends back."""
    study = make_study(tmp_path)
    monkeypatch.setenv("ERRORBAR_LLM_KEY", CANARY)
    server.key = CANARY
    server.answer = lambda body: {"judgment": "ok"} | ({"note": CANARY} if "number 3" in str(body) else {})
    asked = "judge", "llm", study, "--endpoint", server.url, "--model", "tiny", "--format", "json"
    outcome = errorbar(*asked)
    exported = errorbar("judge", "export", study, "--models", "beside", "--include", "skipped")
    assert (outcome.code, exported.code) == (0, 0)
    server.key = "another"
    refused = errorbar(*asked, "--temperature", 1)
    assert refused.code == 2
    assert "llm-refused" in refused.err
    texts = [outcome.out, outcome.err, refused.out, refused.err, exported.out, exported.err]
    assert CANARY not in "".join(texts)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "llm.sqlite" for path in files)
    assert not any(CANARY.encode() in path.read_bytes() for path in files)


@pytest.mark.parametrize("word", ["a\0b", "a\ud800b", "a\ud800"])
def test_a_text_that_no_file_can_hold_is_refused(word: str, tmp_path: Path, server: ModelServer) -> None:
    """JSON can spell it; of people's answers the page sends none."""
    study = make_study(tmp_path, scheme="cloze")
    server.answer = lambda body: {"word": [word]}
    result = judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    assert result.lane.refusals == {"not-json": 12}
    assert {row["skip"] for row in read_rows(study, "skipped")} == {"refused: not-json"}


def test_caps_hold_and_a_larger_one_goes_on(tmp_path: Path, server: ModelServer, errorbar: CommandLine) -> None:
    study = make_study(tmp_path)
    asked = "judge", "llm", study, "--endpoint", server.url, "--model", "tiny", "--format", "json"
    first = errorbar(*asked, "--most-calls", 5)
    assert first.code == 0
    record = validated("judge-llm", first.out)
    assert record["calls"] == {"answered": 5, "known": 0, "failed": 0, "left": 7}
    assert "llm-cap" in first.out
    assert len(server.bodies) == 5
    prices = "--price-in", 1000, "--price-out", 1000
    second = errorbar(*asked, "--most-cost", 0.001, *prices)
    assert "the cap on cost is reached" in second.out
    assert len(server.bodies) == 5
    assert "llm-prices" in errorbar(*asked, "--most-cost", 1).err
    assert errorbar(*asked).code == 0
    assert len(server.bodies) == 12


def test_studies_and_endpoints_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    study = make_study(tmp_path)
    for url in ("localhost:8000", "http://user:secret@localhost/v1", "http://localhost/v1?key=secret", "http://"):
        with pytest.raises(UsageError, match="llm-endpoint") as refused:
            judge_llm(study, endpoint=url, model="tiny")
        assert "secret" not in str(refused.value)
    other = tmp_path / "other.sqlite"
    sqlite3.connect(other).execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(InputError, match="llm-ledger"):
        judge_llm(study, endpoint="http://localhost/v1", model="tiny", calls=other)


def test_a_seal_is_written_before_the_first_call_and_binds(tmp_path: Path, server: ModelServer) -> None:
    study, seal = make_study(tmp_path), tmp_path / "seal.json"
    sealed_first: list[bool] = []

    def answer(body: object) -> object:
        sealed_first.append(seal.exists())
        return {"judgment": "ok"}

    server.answer = answer
    fixed = {"endpoint": server.url, "model": "tiny", "timeout": 10, "seal": seal}
    result = judge_llm(study, **fixed, tune=0.5, examples=["item-3"])  # type: ignore[arg-type]
    assert all(sealed_first)
    known = read_seal(seal)
    assert known.identity == result.lane.rater.identity
    assert known.tune == split_items([f"item-{n}" for n in range(12)], 0.5, 0)[0]
    assert known.examples == ["item-3"]
    assert judge_llm(study, **fixed).asked.n_known == 12  # type: ignore[arg-type, union-attr]
    with pytest.raises(InputError, match="decoding changed"):
        judge_llm(study, **fixed, temperature=1.0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="names other items"):
        judge_llm(study, **fixed, examples=["item-4"])  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no item 'item-99'"):
        judge_llm(study, **fixed, examples=["item-99"])  # type: ignore[arg-type]


def test_recorded_tables_give_the_analysis_of_the_live_lane(tmp_path: Path) -> None:
    """People and model in one table, once written while the model worked and once from its recorded replies."""
    study, tables = make_study(tmp_path, gold=GOLD), []
    work(study)
    with ModelServer(answer=lambda body: {"judgment": "error" if len(user_message(body)) % 2 else "ok"}) as server:
        asked = {"endpoint": server.url, "model": "tiny", "timeout": 10}
        judge_llm(study, **asked)  # type: ignore[arg-type]
        tables.append(tmp_path / "live.csv")
        judge_export(study, tables[0], models="beside", include=["gold", "excluded"])
    judge_backup(study, tmp_path / "recorded")
    judge_llm(tmp_path / "recorded", endpoint=server.url, model="tiny", replay=True)
    tables.append(tmp_path / "recorded.csv")
    judge_export(tmp_path / "recorded", tables[1], models="beside", include=["gold", "excluded"])
    assert tables[0].read_bytes() == tables[1].read_bytes()
    table = read_judgment_table(tables[0], Problems())
    assert len(table.models) == 1
    assert {rater.startswith("model:") for rater in table.judgments.raters} == {True, False}


def test_the_folder_of_a_study_reads_as_its_peoples_judgments(tmp_path: Path, server: ModelServer) -> None:
    study = make_study(tmp_path)
    work(study)
    judge_llm(study, endpoint=server.url, model="tiny", timeout=10)
    judge_export(study, tmp_path / "people.csv")
    assert agree(study, ci=False).to_dict() == agree(tmp_path / "people.csv", ci=False).to_dict()


def test_what_people_disagreed_on_no_model_decides(tmp_path: Path, server: ModelServer) -> None:
    study = make_study(tmp_path)
    work(study)
    judge_adjudicate(study, tmp_path / "decided", all_items=True)
    with pytest.raises(UsageError, match="people decide"):
        judge_llm(tmp_path / "decided", endpoint=server.url, model="tiny")
    assert server.bodies == []


def test_a_kind_of_question_without_a_form_in_json_is_refused(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QUESTION_KINDS["one"], "json_schema", lambda question, item: {})
    with pytest.raises(UsageError, match="no model can be asked"):
        judge_llm(make_study(tmp_path), endpoint=server.url, model="tiny")
