"""What exports hold, and that the other commands take them as they are."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import errorbar
from errorbar import Problems, crowd_raters, judge, judge_export, judge_init, judge_status, read_corpus
from errorbar.core import InputError, UsageError
from errorbar.core.judgments import ABSTENTIONS
from errorbar.formats import table_rows
from errorbar.judging import Study, StudyRules, Submission, claim, exclude, load_scheme, readmit, shown_hash, submit
from errorbar.judging.scheme import NOTHING
from errorbar.judging.scheme_files import scheme_names
from tests.helpers.cli import CommandLine
from tests.helpers.crowd import read_judgments
from tests.judging.simulated import COMMENT, join, work

TEXTS = "item,text,label,seconds\n" + "".join(f"i{n},He depends [of] him number {n} .,,{n}\n" for n in range(12))


def study(folder: Path, scheme: str = "error-ok", text: str = TEXTS, **rules: object) -> Path:
    path = folder / "items.csv"
    path.write_text(text, encoding="utf-8")
    judge_init(folder / "study", path, scheme=scheme, **rules)  # type: ignore[arg-type]
    return folder / "study"


def exported(folder: Path, *include: str, name: str = "out.csv", to: str | None = None) -> list[dict[str, str]]:
    out = folder.parent / name
    judge_export(folder, out, to=to, include=include)  # type: ignore[arg-type]
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def answered(folder: Path, said: list[object], rater: str = "ann") -> None:
    """One rater's answers to what they are given, item by item in the order of names; None: skipped."""
    with Study.open(folder).store() as store:
        (who,) = join(store, rater)
        rules, scheme = StudyRules(page=10), load_scheme("cloze")
        leases = store.write(lambda tx: claim(tx, rules, who, 10, 1.0)).leases
        by_name = dict(zip(sorted(lease.item.name for lease in leases), said, strict=False))
        posts = [
            Submission(lease.token, lease.token, shown, 0, answer, "" if answer else "unclear")  # type: ignore[arg-type]
            for lease in leases
            if (answer := by_name.get(lease.item.name, "not yet")) != "not yet"
            and (shown := shown_hash(scheme, lease.item, lease.reversed))
        ]
        receipts = store.write(lambda tx: submit(tx, scheme, rules, who, posts, 2.0))
        assert {receipt.status for receipt in receipts} == {"saved"}


def test_columns_and_order(tmp_path: Path) -> None:
    folder = study(tmp_path)
    work(folder)
    rows = exported(folder)
    fixed = ["item", "rater", "label", "seconds", "round", "state", "version", "judgment", "skip", "comment"]
    assert [*rows[0]] == [*fixed, "item_seconds"], "a hidden column that is called as one of ours has another name"
    assert rows[0]["item_seconds"] == "0"
    order = [(int(row["item"][1:]), row["rater"]) for row in rows]
    assert order == sorted(order)
    assert {row["label"] for row in rows} <= {"error", "ok", "unknown"}
    assert all(0.5 <= float(row["seconds"]) < 9 for row in rows)
    assert COMMENT in {row["comment"] for row in rows}


def test_twice_the_same_bytes_also_gzipped(tmp_path: Path) -> None:
    """R24."""
    folder = study(tmp_path)
    work(folder)
    for to in ("csv", "jsonl"):
        for end in ("", ".gz"):
            made = [tmp_path / f"{n}.{to}{end}" for n in (1, 2)]
            for out in made:
                judge_export(folder, out, to=to)
            assert made[0].read_bytes() == made[1].read_bytes()
            assert made[0].read_bytes()


def test_empty_unanswered_skipped_and_no_error_are_four_things(tmp_path: Path) -> None:
    """R19."""
    folder = study(tmp_path, "cloze", TEXTS.replace("i1,", "i01,"), raters_per_item=2)
    answered(folder, [{"word": [NOTHING]}, {"word": ["of"]}, None])
    rows = {row["item"]: row for row in exported(folder, "skipped")}
    assert len(rows) == 3
    kinds = [(row["label"], row["word"], row["state"], row["skip"]) for _, row in sorted(rows.items())]
    assert kinds == [(NOTHING, NOTHING, "done", ""), ("of", "of", "done", ""), ("", "", "skipped", "unclear")]
    assert len(exported(folder)) == 2
    records = [json.loads(line) for line in everything(folder).read_text().splitlines()]
    said = [each["answers"] for each in records if "judgment" in each]
    assert sum(not answers for answers in said) == 7, "held, and not answered yet"
    assert [answers[0]["answer"] for answers in said if answers and answers[0]["skip"]] == [None]


def everything(folder: Path, name: str = "all.jsonl") -> Path:
    out = folder.parent / name
    judge_export(folder, out)
    return out


def test_identical_answers_of_two_raters_are_both_kept(tmp_path: Path) -> None:
    """R22."""
    folder = study(tmp_path)
    work(folder, 2, answer=lambda *_: {"judgment": "ok"})
    assert len(exported(folder)) == 24
    assert judge(folder).judgments.label_weights().max(axis=1).tolist() == [2] * 12


def test_extra_judgments_of_an_excluded_rater_are_theirs_alone(tmp_path: Path) -> None:
    folder = study(tmp_path, raters_per_item=2)
    work(folder, 3)
    errorbar.judge_change(folder, rules={"raters_per_item": 1})  # the later judgments become extra
    with Study.open(folder).store() as store:
        store.write(lambda tx: exclude(tx, 2, "too fast", "manager", 5.0))
    view, going = judge(folder), errorbar.judge_status(folder, ci=False).progress
    usual, extra, theirs = (exported(folder, *part) for part in ((), ("extra",), ("excluded",)))
    assert len(view.judgments) == going.counted == len(usual)
    assert len(view.extra) == going.extra == len(extra) - len(usual) > 0
    assert len(view.excluded) == going.aside == len(theirs) - len(usual)
    assert "extra" in {row["state"] for row in theirs}


def test_what_does_not_count_is_left_out_unless_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("item,answer\ni3,ok\ni4,error\n")
    many = "item,text\n" + "".join(f"i{n},He depends [of] him number {n} .\n" for n in range(60))
    folder = study(tmp_path, "error-ok", many, gold_items=path, policy="none", repeats=0.5, gold_per_page=3)
    work(folder, 5)
    with Study.open(folder).store() as store:
        store.write(lambda tx: exclude(tx, 2, "too fast", "manager", 5.0))
    seen = {part: exported(folder, part) for part in ("gold", "repeats", "excluded", "skipped", "extra", "quiz")}
    usual = exported(folder)
    assert {(row["round"], row["state"]) for row in usual} == {("main", "done")}
    assert not {row["rater"] for row in usual} & {"rater-2"}
    assert not {row["item"] for row in usual} & {"i3", "i4"}
    kinds = {part: {(row["round"], row["state"]) for row in rows} for part, rows in seen.items()}
    assert {row["item"] for row in seen["gold"]} > {"i3", "i4"}
    assert ("repeat", "done") in kinds["repeats"]
    assert {row["rater"] for row in seen["excluded"]} >= {"rater-2"}
    assert ("main", "aside") in kinds["excluded"]
    assert ("main", "skipped") in kinds["skipped"]
    view = judge(folder)
    assert len(view.judgments) == len(usual)
    assert len(view.gold) == len(
        [row for row in exported(folder, "gold", "excluded", "extra") if row["item"] in ("i3", "i4")]
    )
    assert len(view.excluded) == sum(
        row["state"] == "aside" and row["round"] == "main" for row in exported(folder, "excluded")
    )
    assert view.answers == {"i3": ("ok",), "i4": ("error",)}
    with Study.open(folder).store() as store:
        store.write(lambda tx: readmit(tx, 2, "manager", 6.0))
    assert "rater-2" in {row["rater"] for row in exported(folder)}, "nothing of theirs was lost"


def test_an_export_while_raters_work_is_of_one_moment(tmp_path: Path) -> None:
    """R24: what is counted in the items is what stands in the judgments."""
    folder, done = study(tmp_path), Event()

    def judged() -> None:
        try:
            work(folder, 4)
        finally:
            done.set()

    worker = Thread(target=judged)
    worker.start()
    moments = 0
    while not done.is_set() or not moments:
        records = [json.loads(line) for line in everything(folder).read_text(encoding="utf-8").splitlines()]
        taken = sum(each["taken"] for each in records if "item" in each)
        assert taken == sum(each["state"] in ("open", "done") for each in records if "judgment" in each)
        answered_ = [one["submission"] for each in records if "judgment" in each for one in each["answers"]]
        events = {each["submission"] for each in records if each.get("event") == "answered"}
        assert {*answered_} == events
        moments += 1
    worker.join()


@pytest.fixture
def drawn(tmp_path: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study of a sample of the demo corpus, judged, in the working directory."""
    monkeypatch.chdir(tmp_path)
    assert errorbar("demo", "--save", "demo").code == 0
    inputs = ("demo/greedy.txt", "--corpus", "demo/gold.jsonl", "--items", "words", "--budget", 40, "--floor", 10)
    assert errorbar("sample", "draw", *inputs, "--out", "todo.jsonl", "--key", "key.json").code == 0
    assert errorbar("judge", "init", "study", "--from", "todo.jsonl").code == 0
    work(Path("study"), 4)
    return tmp_path / "study"


FLAGS = "item,flag\n"
COMMANDS = (
    "agree j.csv --labels unknown=unknown",
    "crowd score j.csv flags.csv --labels unknown=unknown",
    "crowd aggregate j.csv --labels unknown=unknown",
    "crowd raters j.csv",
    "curve j.csv flags.csv --labels unknown=unknown",
    "sample estimate j.csv --key key.json --labels unknown=unknown",
    "sample estimate set.csv --key key.json --labels unknown=unknown",
    "report --judgments j.csv -o report.html",
)


def test_commands_take_the_export_as_it_is(drawn: Path, errorbar: CommandLine) -> None:
    judge_export(drawn, "j.csv")
    judge_export(drawn, "set.csv", to="set")
    items = list(dict.fromkeys(row["item"] for row in exported(drawn)))
    rows = "".join(f"{item},{number % 2}\n" for number, item in enumerate(items))
    Path("flags.csv").write_text(FLAGS + rows)
    for command in COMMANDS:
        done = errorbar(*command.split())
        assert done.code == 0, done.err
        assert "judgments-extra" not in done.err


@pytest.mark.parametrize("command", ["agree", "crowd aggregate", "crowd raters"])
def test_an_abstention_of_a_scheme_may_be_one_that_nobody_gave(
    command: str, tmp_path: Path, errorbar: CommandLine
) -> None:
    folder = study(tmp_path)
    work(folder, 2, answer=lambda scheme, lease, random: {"judgment": random.choice(["ok", "error"])})
    judge_export(folder, tmp_path / "j.csv")
    names = {name for scheme in scheme_names() for name in load_scheme(scheme).abstaining()}
    assert names == {*ABSTENTIONS}
    for name in names:
        done = errorbar(*command.split(), tmp_path / "j.csv", "--labels", f"unknown={name}")
        assert (done.code, "unknown" in done.err) == (0, False), done.err
    done = errorbar(*command.split(), tmp_path / "j.csv", "--labels", "unknown=unknwon")
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "no label 'unknwon' in the judgments" in done.err


def test_raters_are_as_fast_in_an_export_as_in_the_study(drawn: Path) -> None:
    judge_export(drawn, "j.csv")
    fast = {row.rater: row.median_seconds for row in errorbar.crowd_raters("j.csv").raters}
    study = {each.rater: each.median_seconds for each in errorbar.judge_status(drawn, ci=False).raters}
    assert fast == pytest.approx(study)
    assert all(fast.values())


def test_gold_items_of_a_study_test_its_raters_in_an_export(tmp_path: Path, errorbar: CommandLine) -> None:
    gold = tmp_path / "gold.csv"
    rows = "".join(f"g{n},He depends [of] you {n} .,{('error', 'ok')[n % 2]},why\n" for n in range(10))
    gold.write_text(f"item,text,answer,explanation\n{rows}i3,,error|ok,\n")
    folder = study(tmp_path, gold_items=gold, raters_per_item=2, policy="none", page=5)
    work(folder, 3)
    judge_export(folder, tmp_path / "j.csv")
    judge_export(folder, tmp_path / "gold-too.csv", include=["gold"])
    untested = errorbar("crowd", "raters", tmp_path / "j.csv")
    assert "nobody was tested: give --gold=FILE" in untested.out
    none = errorbar("crowd", "raters", tmp_path / "j.csv", "--gold", gold)
    assert (none.code, "with --include gold [crowd-gold]" in none.err) == (2, True)
    result = crowd_raters(tmp_path / "gold-too.csv", gold=gold, labels="unknown=unknown")
    assert "answers-several" in [note.code for note in result.notes]
    # In the study the item with two right answers is one of the first's class, error.
    in_study = {rater.rater: rater.gold_by_class.get("ok") for rater in judge_status(folder, ci=False).raters}
    assert any(in_study.values())
    for row in result.raters:
        assert in_study[row.rater] in (None, row.gold_by_label["ok"])


def test_csv_and_set_give_the_same_estimate(drawn: Path, errorbar: CommandLine) -> None:
    judge_export(drawn, "j.csv")
    judge_export(drawn, "set.csv", to="set")
    words = ("--key", "key.json", "--labels", "unknown=unknown", "--format", "json")
    one, other = (errorbar("sample", "estimate", name, *words) for name in ("j.csv", "set.csv"))
    assert json.loads(one.out)["systems"] == json.loads(other.out)["systems"]
    drawn_rows, back = (list(csv.DictReader(Path(name).read_text().splitlines())) for name in ("set.csv", "j.csv"))
    texts = {row["item"]: row["text"] for row in map(json.loads, Path("todo.jsonl").read_text().splitlines())}
    assert {row["item"]: row["text"] for row in drawn_rows}.items() <= texts.items(), "the text is that of the set"
    assert {row["set"] for row in back} == {row["set"] for row in drawn_rows}


def test_pairs_go_into_rank(tmp_path: Path, errorbar: CommandLine) -> None:
    text = "item,text,word,candidate2,system1,system2\n"
    text += "".join(f"i{n},He depends of him {n} .,of,on,writer,A|B\n" for n in range(12))
    folder = study(tmp_path, "choice", text)
    # Whoever sees "on" at the top says top: the systems win always, whichever side they stand on.
    work(folder, 3, answer=lambda scheme, lease, random: {"better": "top" if lease.reversed else "bottom"})
    rows = exported(folder, to="pairs", name="pairs.csv")
    assert {(row["system1"], row["system2"], row["winner"]) for row in rows} == {
        ("writer", "A", "A"),
        ("writer", "B", "B"),
    }
    table = exported(folder)
    assert {row["label"] for row in table} == {"second"}
    assert {(row["top"], row["better"]) for row in table} == {("first", "bottom"), ("second", "top")}
    done = errorbar("rank", tmp_path / "pairs.csv", "--format", "json")
    assert done.code == 0, done.err


CLOZE = {"of": 0, "On": 1, NOTHING: 1}


@pytest.mark.parametrize(("word", "n"), [*CLOZE.items()])
def test_corrections_of_a_cloze_test(word: str, n: int, tmp_path: Path) -> None:
    folder = study(tmp_path, "cloze")
    work(folder, 3, answer=lambda *_: {"word": [word]})
    judge_export(folder, tmp_path / "out.m2")
    corpus = read_corpus(tmp_path / "out.m2")
    assert [len(sentence.annotations) for sentence in corpus.sentences] == [3] * 12, "looked, also who found nothing"
    edits = [edit for sentence in corpus.sentences for said in sentence.annotations.values() for edit in said]
    assert len(edits) == 36 * n
    assert {(edit.start, edit.end, edit.replacements) for edit in edits} <= {(2, 3, ("" if word == NOTHING else word,))}


def test_corrections_of_the_preposition_scheme(tmp_path: Path) -> None:
    folder = study(tmp_path, "preposition")
    full = {"spelling": [], "determiner": [], "grammar": [], "confidence": "high"}
    ratings = {"extraneous": [], "incorrect": ["on", "upon"], "correct": [], "equal": ["from"]}
    for number, (rating, words) in enumerate(ratings.items()):
        said = {**full, "rating": rating} | ({"prepositions": words} if words else {})
        if number < 3:
            work(folder, 1, answer=lambda *_, said=said: said, prefix=rating)
    judge_export(folder, tmp_path / "out.m2")
    corpus = read_corpus(tmp_path / "out.m2")
    found = {edit for sentence in corpus.sentences for said in sentence.annotations.values() for edit in said}
    assert {(edit.replacements, edit.optional) for edit in found} == {(("",), False), (("on", "upon"), False)}


OVERLAPS = "item,text,span,candidate2\n" + "".join(
    f"{name},He depend of him .,{span},{text}\n"
    for name, span, text in (
        ("a", "3-9", "depends"),
        ("b", "3-9", "relies"),
        ("c", "3-12", "trusts"),
        ("d", "0-2", "he"),
    )
)


def test_corrections_of_a_choice_test_are_m2_that_is_read_again(tmp_path: Path, errorbar: CommandLine) -> None:
    folder = study(tmp_path, "choice", OVERLAPS)
    second = ("bottom", "top")
    work(folder, 3, answer=lambda scheme, lease, random: {"better": second[lease.reversed]})
    done = errorbar("judge", "export", folder, "-o", tmp_path / "out.m2")
    assert "3 corrections overlap another of the same rater; M2 has the first in the text" in done.err
    (sentence,) = read_corpus(tmp_path / "out.m2").sentences
    for edits in sentence.annotations.values():
        said = [(edit.span, edit.replacements) for edit in edits]
        assert said == [((0, 1), ("he",)), ((1, 2), ("depends", "relies"))]


def test_who_compares_two_systems_says_nothing_of_the_writer(tmp_path: Path) -> None:
    text = "item,text,word,candidate1,candidate2\ni,He depends of him .,of,on,upon\n"
    folder = study(tmp_path, "choice", text)
    work(folder, 3, answer=lambda *_: {"better": "top"})
    judge_export(folder, tmp_path / "out.m2")
    assert not (tmp_path / "out.m2").read_text(encoding="utf-8")


def test_an_export_without_judgments_warns(tmp_path: Path, errorbar: CommandLine) -> None:
    done = errorbar("judge", "export", study(tmp_path))
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert "no judgment has been given so far [judge-no-judgments]" in done.err


def test_the_view_of_a_study(tmp_path: Path) -> None:
    folder = study(tmp_path)
    work(folder)
    found = judge(folder)
    table = exported(folder)
    columns = found.judgments.to_columns()
    assert {*zip(columns["item"], columns["rater"], columns["label"], strict=True)} == {
        (row["item"], row["rater"], row["label"]) for row in table
    }
    assert found.judgments.labels == ("error", "ok", "unknown")
    assert len(found.judgments.items) == 12
    assert len(found.tables()[0].rows) >= len(table)
    assert found.to_dict()["judgments"] == len(table)


REFUSED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "include must be one of": ("bad-parameter", "x.csv", {"include": "golds"}),
    "include is for tables, and JSONL holds everything": ("useless-option", "x.jsonl", {"include": "gold"}),
    "the scheme error-ok asks for no corrections": ("judge-export-kind", "x.m2", {}),
    "pairs are of choice tests": ("judge-export-kind", "x.csv", {"to": "pairs"}),
    "ending '.xlsx'": ("output-format", "x.xlsx", {}),
    "'.tsv'": ("output-format", "x.tsv.gz", {}),
    "has no ending": ("output-format", "x", {}),
}


@pytest.mark.parametrize("said", REFUSED)
def test_an_export_that_is_refused_writes_nothing(said: str, tmp_path: Path) -> None:
    folder, (code, name, options) = study(tmp_path), REFUSED[said]
    with pytest.raises(UsageError, match=said) as refused:
        judge_export(folder, tmp_path / name, **options)
    assert refused.value.code == code
    assert not (tmp_path / name).exists()
    with pytest.raises(InputError, match="no study is in"):
        judge_export(tmp_path / "none", tmp_path / name)
    assert not (tmp_path / name).exists()
    assert judge_export(folder, tmp_path / name, to="csv").to == judge_export(folder, tmp_path / "X.CSV").to == "csv"


FORMULAS = "item,text,=hidden\n=1+1,=cmd [of] x .,-2+3\n'@i,- he [of] him .,+x\n"


def test_formulas_do_not_reach_a_spreadsheet_and_names_stay(tmp_path: Path) -> None:
    """A study of another's items: read again, by ``crowd`` and whoever reads tables, nothing has changed."""
    folder = study(tmp_path, text=FORMULAS, raters_per_item=1)
    work(folder)
    out = tmp_path / "out.csv"
    judge_export(folder, out)
    cells = [*csv.reader(out.read_text(encoding="utf-8").splitlines())]
    assert not [cell for row in cells for cell in row if re.match("[=+@-][^0-9]|-2[+]3", cell)]
    assert {row[0] for row in cells[1:]} == {"'=1+1", "'@i"}, "a name that looks guarded is one: it was another's table"
    assert {row.values["=hidden"] for row in table_rows(out, Problems())} == {"-2+3", "+x"}
    assert sorted(read_judgments(out).items) == ["=1+1", "@i"]
