"""An adjudication: what comes into it, what comes out of it, and that it equals what the files give."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import errorbar
from errorbar import (
    Edit,
    Problems,
    Sentence,
    judge_adjudicate,
    judge_analyze,
    judge_change,
    judge_export,
    judge_init,
    read_corpus,
)
from errorbar.core import InputError, UsageError
from errorbar.formats import write_m2
from errorbar.judging import (
    JudgedItem,
    Lease,
    Scheme,
    Store,
    Study,
    StudyRules,
    Submission,
    add_items,
    claim,
    load_scheme,
    shown_hash,
    submit,
)
from errorbar.judging.scheme import AnswerChoice
from errorbar.judging.study.rules import read_about
from errorbar.judging.web.rater import lease_record
from errorbar.judging.web.server_state import Terms
from tests.judging.conftest import new_database
from tests.judging.simulated import join, work

NAMES = ["Anna", "Ben", "Carla", "David", "Eva", "Frank", "Gina", "Hans", "Ida", "Jon"]
WORDS = ["likes", "hates", "reads"]


def sentences(n: int) -> list[str]:
    return [f"{NAMES[k % 10]} {WORDS[k % 3]} a old books number {k} ." for k in range(n)]


def edits_of(rater: int, k: int) -> list[dict[str, Any]]:
    """What a rater says of a sentence: both the same, different spans, different words, or one finds no error."""
    article = {"start": 2, "end": 3, "corrections": ["an"], "type": "ArtOrDet"}
    noun = {"start": 4, "end": 5, "corrections": ["book"], "type": "Nn"}
    optional = {"start": 7, "end": 7, "corrections": ["please", "then"], "type": "Others", "optional": True}
    said = {0: ([article], [article]), 1: ([article], [article, noun]), 2: ([], [noun]), 3: ([optional], [article])}
    return said[k % 4][rater]


def decided(k: int) -> list[dict[str, Any]]:
    """What the adjudicator says: the first rater's, the second's, or something of their own."""
    third = [{"start": 2, "end": 3, "corrections": ["the"], "type": "ArtOrDet"}]
    return edits_of(0, k) if k % 4 == 0 else (edits_of(0, k), edits_of(1, k), third)[k % 3]


def number_of(lease: Lease) -> int:
    return int(lease.item.text.split()[-2])


def edit_study(folder: Path, n: int = 30, store: str = "") -> Path:
    """A study of sentences that two raters have edited."""
    source = folder / "sentences.txt"
    source.write_text("\n".join(sentences(n)) + "\n", encoding="utf-8")
    judge_init(folder / "study", source, scheme="edits", raters_per_item=2, store=store)
    with Study.open(folder / "study").store() as opened:
        for rater, key in enumerate(join(opened, "first", "second")):
            answer_all(opened, key, lambda lease, rater=rater: {"edits": edits_of(rater, number_of(lease))})
    return folder / "study"


def answer_all(store: Store, rater: int, answer: Any) -> list[Lease]:  # noqa: ANN401
    """Answer whatever a rater is given, and tell what it was."""
    given: list[Lease] = []
    with store.read() as tx:
        about = read_about(tx)
    while leases := store.write(lambda tx: claim(tx, about.rules, rater, 10, store.clock())).leases:
        posts = [submission(about.scheme, lease, answer(lease)) for lease in leases]
        given += leases
        post = partial(submit, scheme=about.scheme, rules=about.rules, rater_id=rater, submissions=posts)
        receipts = store.write(partial(post, now=store.clock()))
        assert {receipt.status for receipt in receipts} == {"saved"}
    return given


def submission(scheme: Scheme, lease: Lease, answer: dict[str, Any]) -> Submission:
    text_hash = shown_hash(scheme, lease.item, lease.reversed)
    return Submission(lease.token, lease.token, text_hash, 0, answer)


def add_sentences(store: Store, texts: list[str]) -> None:
    items = [JudgedItem(f"later-{n}", text) for n, text in enumerate(texts)]
    store.write(lambda tx: add_items(tx, items, store.clock()))


def adjudicate(study: Path, folder: Path, answer: Any, **options: Any) -> list[Lease]:  # noqa: ANN401
    judge_adjudicate(study, folder, **options)
    with Study.open(folder).store() as store:
        (judge,) = join(store, "secret-adjudicator")
        return answer_all(store, judge, answer)


def table(folder: Path, **options: Any) -> list[dict[str, str]]:  # noqa: ANN401
    out = folder.with_suffix(".csv")
    judge_export(folder, out, **options)
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_adjudication_is_one_more_annotator_and_all_figures_are_those_of_the_files(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    """Two raters, one adjudicator, 30 sentences."""
    urls = ["", ""]
    if kind == "postgresql":
        server = request.getfixturevalue("postgres_server")
        urls = [new_database(server), new_database(server)]
    study, new = edit_study(tmp_path, store=urls[0]), tmp_path / "decided"
    before = judge_export(study, tmp_path / "before.m2").n_lines, (tmp_path / "before.m2").read_bytes()
    given = adjudicate(study, new, lambda lease: {"edits": decided(number_of(lease))}, store=urls[1])
    assert len(given) == 22, "30 sentences, of which 8 are not in question"

    judge_export(new, tmp_path / "all.m2")
    by_hand = [
        Sentence(text, annotations={name: tuple(map(edit, said)) for name, said in of_each.items()})
        for k, text in enumerate(sentences(30))
        for of_each in [{"1": edits_of(0, k), "2": edits_of(1, k), "0": decided(k)}]  # numbers follow names
    ]
    expected = "".join(f"{line}\n" for line in write_m2(by_hand, Problems(), ["0", "1", "2"]))
    assert (tmp_path / "all.m2").read_text(encoding="utf-8") == expected
    (tmp_path / "hand.m2").write_text(expected, encoding="utf-8")
    for figures in (errorbar.agree, errorbar.ceiling):
        results = [figures(tmp_path / name, ci=False).to_dict() for name in ("all.m2", "hand.m2")]
        assert json.dumps(results[0]) == json.dumps(results[1]).replace("hand.m2", "all.m2")

    assert (judge_export(study, tmp_path / "again.m2").n_lines, (tmp_path / "again.m2").read_bytes()) == before
    raters, all_three = (read_corpus(tmp_path / name).sentences for name in ("before.m2", "all.m2"))
    for alone, beside in zip(raters, all_three, strict=True):
        assert [alone.annotations[n] for n in "01"] == [beside.annotations[n] for n in "12"], "replaced by nothing"

    kinds = {(row["item"], row["provenance"]) for row in table(new) if row["rater"] == "adjudicated"}
    assert len(kinds) == 30
    assert sum(kind == "written" for _, kind in kinds) == sum(k % 4 and k % 3 == 2 for k in range(30))
    upheld = {row["accepted_of"] for row in table(new) if row["provenance"] == "accepted"}
    assert upheld == {"first", "second"}
    assert {row["accepted_of"] for row in table(new) if row["provenance"] == "agreed"} == {"first | second"}


def edit(record: dict[str, Any]) -> Edit:
    more = record.get("type", ""), record.get("optional", False)
    return Edit(record["start"], record["end"], tuple(record["corrections"]), *more)


def small_study(folder: Path, scheme: str, items: str, **rules: Any) -> Path:  # noqa: ANN401
    source = folder / "items.csv"
    source.write_text(items, encoding="utf-8")
    judge_init(folder / "study", source, scheme=scheme, **rules)
    return folder / "study"


ITEMS = "item,text,label,secret\n" + "".join(f"i{n},He depends [of] him number {n} .,,stratum-{n}\n" for n in range(8))


def test_nothing_that_a_browser_gets_tells_whose_an_answer_is(tmp_path: Path) -> None:
    study, orders = small_study(tmp_path, "error-ok", ITEMS), set()
    guessed: list[bool] = []
    work(study, 3, answer=lambda _, lease, random: {"judgment": random.choice(["error", "ok", "unknown"])})
    for show_counts in (False, True):
        new = tmp_path / f"new-{show_counts}"
        judge_adjudicate(study, new, show_counts=show_counts)
        judge_change(new, rules={"raters_per_item": 6})
        with Study.open(new).store() as store:
            with store.read() as tx:
                about = read_about(tx)
            for judge in join(store, *(f"adjudicator-{n}" for n in range(6))):
                take = partial(claim, rules=about.rules, rater_id=judge, want=10, now=1.0)
                for lease in store.write(take).leases:
                    told = json.dumps(lease_record(Terms(about.rules, about.scheme, "secret"), lease))
                    assert "rater-" not in told
                    assert "stratum" not in told
                    choices = json.loads(told)["choices"]
                    counts = [choice["count"] for choice in choices]
                    assert sum(counts) == 3 if show_counts else set(counts) == {0}
                    assert {*map(len, choices)} == {2}, "an answer and a count, and nothing else"
                    orders.add((lease.item.name, json.dumps([choice["answer"] for choice in choices])))
                    if len(choices) < 2:
                        continue
                    guess = list(range(len(choices)))  # by what the browser knows
                    Random(lease.token).shuffle(guess)
                    by_rater = [choices[guess.index(at)]["answer"] for at in range(len(choices))]
                    guessed.append(by_rater == [choice.answer for choice in lease.item.choices])
    assert len(orders) > len({name for name, _ in orders}), "the order is drawn for each assignment"
    assert sum(guessed) < 0.8 * len(guessed), "nobody can compute whose answer stands where"


def test_what_looks_alike_has_one_hash_whoever_answered_and_whose_candidates_they_are() -> None:
    scheme = load_scheme("choice")
    top, bottom, equal = (AnswerChoice({"better": side}, ()) for side in ("top", "bottom", "equal"))
    item = JudgedItem("i", "It depends of it .", (11, 13), candidates=("of", "on"), choices=(top, equal))
    other = replace(item, text="It depends on it .", candidates=("on", "of"), choices=(bottom, equal))
    looks = [shown_hash(scheme, item, 1), shown_hash(scheme, replace(item, choices=(equal, top)), 1)]
    assert {*looks} == {shown_hash(scheme, other, 0)}, "no order of the raters, and no candidate that is the first"
    assert shown_hash(scheme, item, 0) not in looks


def test_an_answer_keeps_its_meaning_where_candidates_changed_places(tmp_path: Path) -> None:
    items = "item,text,candidate1,candidate2\n" + "".join(f"i{n},It depends [of] {n} .,of,on\n" for n in range(8))
    study, new = small_study(tmp_path, "choice", items, raters_per_item=2), tmp_path / "new"

    def side(lease: Lease, wanted: str) -> dict[str, str]:
        return {"better": {"first": "bottom" if lease.reversed else "top"}.get(wanted, "equal")}

    with Study.open(study).store() as store:
        for rater, key in enumerate(join(store, "first", "second")):
            answer_all(store, key, lambda lease, rater=rater: side(lease, ("first", "equal")[rater]))
    seen: set[int] = set()

    def accept(lease: Lease) -> dict[str, Any]:
        seen.add(lease.reversed)
        answers = [
            choice["answer"] for choice in lease_record(Terms(StudyRules(), load_scheme("choice")), lease)["choices"]
        ]
        (better,) = [answer for answer in answers if answer["better"] != "equal"]
        assert better == side(lease, "first")
        return dict(better)

    adjudicate(study, new, accept)
    assert seen == {False, True}, "both were tried"
    decisions = [row for row in table(new) if row["rater"] == "adjudicated"]
    assert {(row["label"], row["provenance"], row["accepted_of"]) for row in decisions} == {
        ("first", "accepted", "first")
    }
    judge_export(new, tmp_path / "pairs.csv", to="pairs")
    assert (tmp_path / "pairs.csv").read_text().count(",adjudicated,first,second,first") == 8


def test_agreement_before_and_after(tmp_path: Path) -> None:
    study, new = small_study(tmp_path, "error-ok", ITEMS, raters_per_item=2), tmp_path / "new"
    with Study.open(study).store() as store:
        for rater, key in enumerate(join(store, "strict", "kind")):
            says = ["error"] * 6 + ["ok"] * 2 if rater == 0 else ["error"] * 2 + ["ok"] * 6
            answer_all(store, key, lambda lease, says=says: {"judgment": says[int(lease.item.name[1:])]})
    adjudicate(study, new, lambda lease: {"judgment": {"i2": "ok", "i3": "unknown"}.get(lease.item.name, "error")})
    analysis = judge_analyze(new, ci=False)

    def value(section: str, of: str, measure: str) -> float | None:
        return analysis.figure(section, of, measure).value

    assert value("adjudication", "raters, before", "agreement") == pytest.approx(4 / 8)
    assert value("adjudication", "strict, after", "agreement") == pytest.approx(6 / 7), "cannot tell is no label"
    assert value("adjudication", "kind, after", "agreement") == pytest.approx(5 / 7)
    assert [value("decisions", of, "items") for of in ("agreed", "accepted", "written", "not yet")] == [4, 3, 1, 0]
    assert value("upheld", "strict", "upheld") == pytest.approx(2 / 4)
    assert value("upheld", "kind", "upheld") == pytest.approx(1 / 4)
    assert "Agreement before and after" in [each.title for each in analysis.tables()]


def test_the_export_restores_the_adjudication_with_its_origin(tmp_path: Path) -> None:
    study, new = edit_study(tmp_path, 8), tmp_path / "new"
    adjudicate(study, new, lambda lease: {"edits": []})
    judge_export(new, tmp_path / "all.jsonl")
    judge_init(tmp_path / "again", tmp_path / "all.jsonl")
    judge_export(tmp_path / "again", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "all.jsonl").read_bytes()
    head = json.loads((tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert head["adjudicated"]["study"] == "study"
    assert head["adjudicated"]["raters"] == ["first", "second"]
    assert table(tmp_path / "again") == table(new)


def test_which_items_are_asked_about(tmp_path: Path) -> None:
    """Notes are no disagreement, one can ask about some questions alone, and what nobody judged stays in the corpus."""
    study = edit_study(tmp_path, 8)
    with Study.open(study).store() as store:
        add_sentences(store, sentences(12)[8:])
        (third,) = join(store, "third")
        with store.read() as tx:
            about = read_about(tx)
        leases = store.write(lambda tx: claim(tx, about.rules, third, 2, store.clock())).leases
        noted = [{**record, "note": "sure"} for record in edits_of(0, 0)]
        post = submission(about.scheme, leases[0], {"edits": noted})
        store.write(lambda tx: submit(tx, about.scheme, about.rules, third, [post], store.clock()))
    result = judge_adjudicate(study, tmp_path / "new")
    assert (result.n_contested, result.n_agreed) == (6, 3)
    assert [note.code for note in result.notes] == ["judge-unfinished"]
    judge_export(tmp_path / "new", tmp_path / "new.m2")
    assert len(read_corpus(tmp_path / "new.m2").sentences) == 12, "as many as the corpus that was judged"
    assert judge_adjudicate(study, tmp_path / "every", all_items=True).n_contested == 9

    prepositions = tmp_path / "prepositions"
    prepositions.mkdir()
    other = small_study(prepositions, "preposition", ITEMS, raters_per_item=2)
    said = {"spelling": [], "determiner": [], "grammar": [], "rating": "correct"}
    with Study.open(other).store() as store:
        for key, sure in zip(join(store, "first", "second"), ("low", "high"), strict=True):
            answer_all(store, key, lambda lease, sure=sure: {**said, "confidence": sure})
    assert judge_adjudicate(other, tmp_path / "sure").n_contested == 8
    with pytest.raises(UsageError, match="no two raters differ on any of the 8 items"):
        judge_adjudicate(other, tmp_path / "rating", differing=["rating"])
    with pytest.raises(UsageError, match="has no question 'ratings'") as unknown:
        judge_adjudicate(other, tmp_path / "rating", differing="ratings")
    assert "rating" in unknown.value.problems[0].fix
    assert not (tmp_path / "rating").exists()


def test_of_a_study_without_judgments_nothing_is_made(tmp_path: Path) -> None:
    study = small_study(tmp_path, "error-ok", ITEMS)
    with pytest.raises(UsageError, match="nobody judged anything"):
        judge_adjudicate(study, tmp_path / "new")
    with pytest.raises(InputError, match="no study is in"):
        judge_adjudicate(tmp_path / "studi", tmp_path / "new")
    assert not (tmp_path / "new").exists()
