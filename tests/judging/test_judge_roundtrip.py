"""R25: an export restored is the same study: its export is the same file, and its raters' work can go on."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from errorbar import ErrorbarError, judge, judge_export, judge_init
from errorbar.core import InputError, UsageError
from errorbar.judging import Study, check, exclude
from tests.helpers.cli import CommandLine
from tests.judging.simulated import work

TEXTS = {
    "error-ok": "item,text,stratum\n"
    + "".join(f"i{n},He depends [of] \u05d0\u05d1 \U0001f600 e\u0301 {n} .,{n % 3}\n" for n in range(20)),
    "choice": "item,text,word,candidate2\n" + "".join(f"i{n},He depends of {n} .,of,on\n" for n in range(20)),
    "cloze": "item,text\n" + "".join(f"i{n},He depends [of] {n} .\n" for n in range(20)),
    "preposition": "item,text\n" + "".join(f"i{n},He depends [of] {n} .\n" for n in range(20)),
    "rank": "item,text,candidate1,system1,candidate2,system2,candidate3,system3\n"
    + "".join(f"i{n},He go {n} .,He goes {n} .,A|B,He go {n} .,C,He went {n} .,D\n" for n in range(20)),
}


def made(folder: Path, scheme: str, **more: object) -> Path:
    """A study with everything: gold, repeats, remarks, skips, leases that are held, an exclusion."""
    folder.mkdir(exist_ok=True)
    items, gold = folder / "items.csv", folder / "gold.csv"
    items.write_text(TEXTS[scheme], encoding="utf-8")
    answer = {"error-ok": "error", "choice": "second", "cloze": "on", "preposition": "incorrect", "rank": "A > C = D"}[
        scheme
    ]
    gold.write_text(f"item,answer,explanation\ni1,{answer},why\ni2,{answer},\n", encoding="utf-8")
    rules: dict[str, Any] = {"policy": "none", "repeats": 0.2, "consent": "Do you agree?", "pay": "2 c", **more}
    judge_init(folder / "study", items, scheme=scheme, gold_items=gold, eligibility=("Adult?",), **rules)
    work(folder / "study", 5, most=60)
    with Study.open(folder / "study").store() as store:
        store.write(lambda tx: exclude(tx, 2, "too fast", "manager", 5.5))
    return folder / "study"


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the exports of one study, ``all.jsonl`` and ``all.jsonl.gz``; tests read them alone."""
    folder = tmp_path_factory.mktemp("exports")
    judged = made(folder / "one", "error-ok")
    for name in ("all.jsonl", "all.jsonl.gz"):
        judge_export(judged, folder / name)
    return folder


@pytest.mark.parametrize("scheme", [*TEXTS])
def test_export_import_export_is_the_same(scheme: str, tmp_path: Path) -> None:
    first = made(tmp_path / "one", scheme)
    judge_export(first, tmp_path / "1.jsonl")
    restored = judge_init(tmp_path / "again", tmp_path / "1.jsonl")
    assert [note.code for note in restored.notes] == ["judge-restored"]
    judge_export(tmp_path / "again", tmp_path / "2.jsonl")
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    for to in ("csv", "csv.gz"):
        for folder, name in ((first, "1"), (tmp_path / "again", "2")):
            judge_export(folder, tmp_path / f"{name}.{to}", include=("gold", "excluded", "skipped", "repeats"))
        assert (tmp_path / f"1.{to}").read_bytes() == (tmp_path / f"2.{to}").read_bytes()
    one, two = judge(first), judge(tmp_path / "again")
    assert one.to_dict() == two.to_dict()
    assert one.rows == two.rows


def test_what_was_agreed_to_is_in_it_and_who_it_was_is_not(exports: Path) -> None:
    text = (exports / "all.jsonl").read_text(encoding="utf-8")
    raters = [record for line in text.splitlines() if "agreed" in (record := json.loads(line))]
    assert [rater["agreed"] for rater in raters] == [{"consent": "I agree", "adult": "yes"}] * 5
    assert "who rater-1 is" not in text


def test_work_goes_on_in_a_restored_study(exports: Path, tmp_path: Path) -> None:
    judge_init(tmp_path / "again", exports / "all.jsonl.gz")
    work(tmp_path / "again", 6, prefix="later")
    with Study.open(tmp_path / "again").store() as store:
        assert check(store) == []
    judgments = judge(tmp_path / "again").judgments
    assert (judgments.label_weights().sum(axis=1) <= 3).all()


def test_from_sqlite_to_postgresql_and_back(tmp_path: Path, postgres_url: str) -> None:
    judge_export(made(tmp_path / "one", "choice"), tmp_path / "1.jsonl")
    judge_init(tmp_path / "again", tmp_path / "1.jsonl", store=postgres_url)
    judge_export(tmp_path / "again", tmp_path / "2.jsonl")
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    work(tmp_path / "again", 6, prefix="later")
    with Study.open(tmp_path / "again").store() as store:
        assert check(store) == []


DAMAGE = {
    "a record of 'nonsense'": ('{"event"', '{"nonsense"'),
    "version 9, and this errorbar reads version 1": ('"version": 1', '"version": 9'),
    "which is no JSON object": ('{"rater"', '"rater"'),
    "the export contradicts itself: ": ('"taken": 3', '"taken": 2'),
    "KeyError at 'nobody-": ('", "rater": "rater-', '", "rater": "nobody-'),
}


@pytest.mark.parametrize(("said", "change"), [*DAMAGE.items()], ids=[*DAMAGE])
def test_a_damaged_export_makes_nothing(said: str, change: tuple[str, str], exports: Path, tmp_path: Path) -> None:
    text = (exports / "all.jsonl").read_text(encoding="utf-8")
    assert change[0] in text
    (tmp_path / "bad.jsonl").write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        judge_init(tmp_path / "again", tmp_path / "bad.jsonl")
    assert said in str(caught.value)
    assert len(caught.value.problems) == 1
    assert not (tmp_path / "again").exists()


WRONG: dict[str, tuple[str, str, object]] = {
    "an answer that the scheme does not have": ("judgment", "answers.0.answer", {"judgment": "maybe"}),
    "an answer that is no object": ("judgment", "answers.0.answer", "ok"),
    "a time that is a text": ("judgment", "answers.0.milliseconds", "3"),
    "no moment of an answer": ("judgment", "answers.0.at", None),
    "a number that no store holds": ("judgment", "answers.0.milliseconds", 10**30),
    "two judgments in one place": ("judgment", "seq", 1),
    "no moment of coming": ("rater", "joined", None),
    "an agreement that is no object": ("rater", "agreed", 5),
    "a text that is a number": ("item", "item.text", 5),
    "a span outside the text": ("item", "item.span", [3, 900]),
    "a kind of item that there is none of": ("item", "item.kind", "play"),
    "no judgment wanted": ("format", "rules.raters_per_item", 0),
    "no questions": ("format", "scheme.questions", []),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_an_export_with_a_wrong_value_makes_nothing(
    wrong: tuple[str, str, object], exports: Path, tmp_path: Path
) -> None:
    kind, path, value = wrong
    records = [json.loads(line) for line in (exports / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    own = [record for record in records if next(iter(record)) == kind]
    place: Any = next(record for record in own[::-1] if record.get("state", "done") == "done")
    *steps, last = (int(step) if step.isdecimal() else step for step in path.split("."))
    for step in steps:
        place = place[step]
    place[last] = value
    (tmp_path / "bad.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    with pytest.raises(InputError, match=r"bad.jsonl:\d+: the export is damaged") as caught:
        judge_init(tmp_path / "study", tmp_path / "bad.jsonl")
    assert caught.value.problems[0].code == "judge-export"
    assert not (tmp_path / "study").exists()


def test_an_export_cut_at_the_end_of_a_line_makes_nothing(exports: Path, tmp_path: Path) -> None:
    lines = (exports / "all.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for kept in (lines[:-1], lines[:1]):
        (tmp_path / "cut.jsonl").write_text("".join(kept), encoding="utf-8")
        with pytest.raises(InputError, match=f"cut.jsonl:{len(kept)}: .*{len(kept) - 1} records .*{len(lines) - 1}"):
            judge_init(tmp_path / "again", tmp_path / "cut.jsonl")
        assert not (tmp_path / "again").exists()


def test_an_export_from_before_records_were_counted_is_restored(exports: Path, tmp_path: Path) -> None:
    head, *lines = (exports / "all.jsonl").read_text(encoding="utf-8").splitlines()
    known = json.loads(head)
    assert known.pop("records") == len(lines)
    (tmp_path / "old.jsonl").write_text("\n".join([json.dumps(known), *lines]), encoding="utf-8")
    judge_init(tmp_path / "again", tmp_path / "old.jsonl")
    judge_export(tmp_path / "again", tmp_path / "new.jsonl")
    assert (tmp_path / "new.jsonl").read_bytes() == (exports / "all.jsonl").read_bytes()


def test_an_export_cut_short_makes_nothing(exports: Path, tmp_path: Path) -> None:
    whole = (exports / "all.jsonl").read_bytes()
    assert gzip.decompress((exports / "all.jsonl.gz").read_bytes()) == whole
    for cut in (len(whole) // 3, len(whole) - 2000):
        (tmp_path / "cut.jsonl").write_bytes(whole[:cut])
        with pytest.raises(ErrorbarError):
            judge_init(tmp_path / "again", tmp_path / "cut.jsonl")
        assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("more", [{"scheme": "choice"}, {"raters_per_item": 5}, {"items": "words"}, {"quiz": 3}])
def test_what_is_for_new_studies_is_refused(more: dict[str, Any], exports: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is for new studies, and this is the export of one"):
        judge_init(tmp_path / "again", exports / "all.jsonl", **more)


def test_on_the_command_line(exports: Path, tmp_path: Path, errorbar: CommandLine) -> None:
    assert errorbar("judge", "export", exports / "one/study", "-o", tmp_path / "1.jsonl").code == 0
    done = errorbar("judge", "init", tmp_path / "again", "--from", tmp_path / "1.jsonl")
    assert (done.code, "18 items and 2 gold items" in done.out) == (0, True), done.err
    again = errorbar("judge", "export", tmp_path / "again", "--to", "jsonl")
    assert again.out.encode() == (tmp_path / "1.jsonl").read_bytes()
