"""Systems' outputs that raters edit: who gets which, what is exported, and the essay around items of all schemes."""

from __future__ import annotations

import csv
import dataclasses
import json
import random
import re
from collections import Counter, defaultdict
from itertools import count
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest

import errorbar
from errorbar import Corpus, Sentence
from errorbar.core import InputError, UsageError
from errorbar.edits import extract_edits
from errorbar.judging import Lease, Study, StudyRules, Submission, claim, current_rules, load_scheme, shown_hash, submit
from errorbar.judging.items.context import Context
from errorbar.judging.protocol.assignments import count_items_of, may_go_on
from errorbar.judging.protocol.changes import halt
from errorbar.judging.study.rules import read_about
from errorbar.judging.web import rater as rater_pages
from errorbar.judging.web.rater import lease_record
from errorbar.judging.web.rater_forms import FORM_ROUTES
from errorbar.judging.web.server_state import Terms
from tests.judging.empty_stores import empty_database, join
from tests.judging.jepsen.check_places import at_most_k_always, editors_as_designed, nobody_twice
from tests.judging.jepsen.history import History
from tests.judging.jepsen.stored import read_stored
from tests.judging.served import CSRF, Visitor, said_of, served

SCHEME = load_scheme("post-edit")
SYSTEMS = ("careful", "greedy", "zealous")
_IDS = count()


def write_texts(folder: Path, n: int, systems: tuple[str, ...] = SYSTEMS) -> list[str]:
    """A source and a text for each system; the arguments that name them."""
    source = [f"He go to place {number} by a bus ." for number in range(n)]
    (folder / "source.txt").write_text("\n".join(source) + "\n")
    for at, system in enumerate(systems):
        verb = ("goes", "gone", "is going")[at]
        lines = [line.replace("go", verb, 1) for line in source]
        (folder / f"{system}.txt").write_text("\n".join(lines) + "\n")
    return [str(folder / f"{system}.txt") for system in systems]


def make(folder: Path, n: int, editors: Literal["crossed", "nested", "free"], k: int, **rules: Any) -> Path:  # noqa: ANN401
    systems = write_texts(folder, n)
    errorbar.judge_init(
        folder / "study",
        folder / "source.txt",
        scheme="post-edit",
        systems=systems,
        editors=editors,
        raters_per_item=k,
        **{"gold_per_page": 0, **rules},
    )
    return folder / "study"


def answers(lease: Lease, answer: dict[str, str], seconds: float = 1.0) -> Submission:
    text_hash = shown_hash(SCHEME, lease.item, lease.reversed)
    return Submission(f"p{next(_IDS)}", lease.token, text_hash, 0, answer, milliseconds=round(1000 * seconds))


def had(folder: Path) -> dict[int, list[tuple[str, str]]]:
    """Sentence and system of every assignment, by rater, whatever became of it."""
    result = defaultdict(list)
    with Study.open(folder).store(read_only=True) as store, store.read() as tx:
        for rater, name in tx.exec_driver_sql(
            "SELECT a.rater, i.name FROM assignment a JOIN item i ON i.id = a.item ORDER BY a.id"
        ):
            result[rater].append(tuple(name.split("/")))
    return result


def work_to_the_end(folder: Path, n_raters: int, seed: int, *, careless: bool = True) -> list[str]:
    """Raters take turns at random, answer, skip, let leases run out; all standings at the end."""
    draw = random.Random(seed)
    now = 1_800_000_000.0
    with Study.open(folder).store() as store:
        raters = [join(store, number) for number in range(1, n_raters + 1)]
        standing = dict.fromkeys(raters, "work")
        while active := [rater for rater in raters if standing[rater] in ("training", "quiz", "work", "waiting")]:
            rater = draw.choice(active)
            now += draw.choice((1, 60, 4000) if careless else (1,))

            def turn(tx: Any) -> str:  # noqa: ANN401
                rules = current_rules(tx)
                held = claim(tx, rules, rater, draw.choice((1, 3, 10)), now)  # noqa: B023
                for lease in held.leases:
                    what = draw.random() if careless else 1.0
                    if what < 0.1:
                        continue  # the page is closed: the lease runs out
                    if what < 0.12:
                        one = Submission(
                            f"p{next(_IDS)}", lease.token, shown_hash(SCHEME, lease.item, False), 0, None, "x"
                        )
                    else:
                        one = answers(lease, {"verdict": "right"})
                    (receipt,) = submit(tx, SCHEME, rules, rater, [one], now)  # noqa: B023
                    assert receipt.status in ("saved", "extra")
                return held.standing

            standing[rater] = store.write(turn)
        return [*standing.values()]


@pytest.mark.parametrize("seed", [1, 2])
def test_crossed_editors_never_see_two_outputs_of_a_sentence(tmp_path: Path, seed: int) -> None:
    study = make(tmp_path, 30, "crossed", 2)
    assert {*work_to_the_end(study, 14, seed)} == {"finished"}
    for pairs in had(study).values():
        sentences = [sentence for sentence, _ in pairs]
        assert len({*sentences}) == len(sentences)
    with Study.open(study).store(read_only=True) as store, store.read() as tx:
        assert [*tx.exec_driver_sql("SELECT taken FROM item WHERE taken <> 2")] == []


def test_nobody_is_expected_to_edit_two_outputs_of_a_sentence(tmp_path: Path) -> None:
    study = make(tmp_path, 3, "crossed", 1)
    errorbar.judge_invite(study, raters=1)
    before = errorbar.judge_status(study)
    assert (before.progress.wanted, before.forecast.coming, before.progress.of_one_more) == (9, 3, 3)
    work_to_the_end(study, 1, 1, careless=False)
    after = errorbar.judge_status(study)
    assert (after.progress.counted, after.forecast.coming) == (3, 3)  # by the link, through which nobody has come
    with Study.open(study).store() as store:
        other = join(store, 2)
        store.write(lambda tx: halt(tx, "lunch", "manager", 1_800_000_100.0))
        with store.read() as tx:
            assert [may_go_on(tx, current_rules(tx), rater) for rater in (1, other)] == [False, True]


def test_crossed_editors_who_all_work_are_a_latin_square(tmp_path: Path) -> None:
    """Six raters, three systems, two references: each edits ten outputs of each system, every sentence once."""
    study = make(tmp_path, 30, "crossed", 2)
    assert {*work_to_the_end(study, 6, 3, careless=False)} == {"finished"}
    for pairs in had(study).values():
        assert Counter(system for _, system in pairs) == dict.fromkeys(SYSTEMS, 10)
        assert len({sentence for sentence, _ in pairs}) == 30


@pytest.mark.parametrize("seed", [1, 2])
def test_nested_editors_work_for_one_system(tmp_path: Path, seed: int) -> None:
    study = make(tmp_path, 12, "nested", 2)
    assert {*work_to_the_end(study, 9, seed)} == {"finished"}
    systems = [{system for _, system in pairs} for pairs in had(study).values()]
    assert {len(each) for each in systems} == {1}
    assert sorted(Counter(min(each) for each in systems).values())[-1] <= 5
    with Study.open(study).store(read_only=True) as store, store.read() as tx:
        assert [*tx.exec_driver_sql("SELECT taken FROM item WHERE taken <> 2")] == []


@pytest.mark.parametrize("editors", ["crossed", "nested"])
def test_the_checker_of_editors_finds_what_it_is_for(tmp_path: Path, editors: Literal["crossed", "nested"]) -> None:
    study = make(tmp_path, 4, editors, 1)
    work_to_the_end(study, 3, 4)
    stored = read_stored(f"sqlite:///{study / 'store.sqlite3'}")
    for check in (editors_as_designed, at_most_k_always, nobody_twice):
        assert check(History(), stored) == []
    first = stored.assignment[0]
    of = {row["id"]: row["name"].split("/") for row in stored.item}
    sentence, system = of[first["item"]]
    other = next(each for each, (own, name) in of.items() if own == sentence and name != system)
    bad = dataclasses.replace(stored, assignment=[*stored.assignment, {**first, "item": other}])
    assert editors_as_designed(History(), bad)


@pytest.mark.parametrize("editors", ["crossed", "nested"])
def test_gold_outputs_of_one_sentence_reach_nobody_twice(tmp_path: Path, editors: Literal["crossed", "nested"]) -> None:
    """Twelve gold outputs of four sentences: of each at most one, in training, quiz and work together."""
    right = {system: "right|edited" if system == "careful" else "edited|right" for system in SYSTEMS}
    rows = [f"{number}/{system},{right[system]}" for number in range(1, 5) for system in SYSTEMS]
    (tmp_path / "gold.csv").write_text("\n".join(["item,answer", *rows]) + "\n")
    options: dict[str, Any] = {"gold_items": tmp_path / "gold.csv", "policy": "none"}
    few: dict[str, Any] = {"quiz": 3, "training": 2}
    message = "a quiz of 3 and a training of 2 needs as many gold items of different sentences, and there are 4"
    with pytest.raises(UsageError, match=message):
        make(tmp_path, 16, editors, 1, **options, **few)
    study = make(tmp_path, 16, editors, 1, **options, quiz=1, training=1, gold_per_page=3, page=4)
    work_to_the_end(study, 6, 5, careless=False)
    gold_of = [[sentence for sentence, _ in pairs if int(sentence) <= 4] for pairs in had(study).values()]
    assert all(len({*sentences}) == len(sentences) for sentences in gold_of)
    assert max(map(len, gold_of)) == 4
    assert min(map(len, gold_of)) >= 2


def test_free_editors_get_anything(tmp_path: Path) -> None:
    study = make(tmp_path, 4, "free", 1)
    work_to_the_end(study, 1, 1, careless=False)
    assert [len(pairs) for pairs in had(study).values()] == [12]


def test_crossed_on_postgresql_and_sqlite(tmp_path: Path, store_url: str) -> None:
    if "://" not in store_url:
        store_url = ""
    else:
        empty_database(store_url)
    for editors in ("crossed", "nested"):
        folder = tmp_path / editors
        folder.mkdir()
        study = make(folder, 6, editors, 1, store=store_url)
        assert {*work_to_the_end(study, 7, 5)} == {"finished"}
        for pairs in had(study).values():
            assert len({sentence for sentence, _ in pairs}) == len(pairs)
            assert editors == "crossed" or len({system for _, system in pairs}) == 1
        if store_url:
            empty_database(store_url)


def test_the_count_of_a_raters_items_is_of_sentences(tmp_path: Path) -> None:
    study = make(tmp_path, 6, "crossed", 1)
    with Study.open(study).store() as store:
        rater = join(store, 1)

        def look(tx: Any) -> int:  # noqa: ANN401
            return count_items_of(tx, current_rules(tx), rater)

        assert store.write(look) == 6
        store.write(lambda tx: claim(tx, current_rules(tx), rater, 2, 0.0))
        assert store.write(look) == 6


SECONDS = {"source": (20.0, 30.0), "careful": (10.0, 12.0), "greedy": (25.0, 15.0)}


def test_a_simulated_study_gives_back_its_edits_and_times(tmp_path: Path) -> None:
    """Known edits: one word of each of careful's outputs, none of greedy's; known times; one that nobody could save."""
    n = 8
    write_texts(tmp_path, n, ("careful", "greedy"))
    source = (tmp_path / "source.txt").read_text().splitlines()
    gold = [line.replace("go", "goes", 1).replace("a bus", "bus") for line in source]
    corpus = Corpus(
        [
            Sentence(text, {"g": tuple(extract_edits(text.split(), right.split()))})
            for text, right in zip(source, gold, strict=True)
        ],
        ("g",),
    )
    files = {name: tmp_path / f"{name}.txt" for name in ("source", "careful", "greedy")}
    errorbar.judge_init(
        tmp_path / "study",
        corpus,
        scheme="post-edit",
        systems=[f"{name}={path}" for name, path in files.items()],
        raters_per_item=1,
        gold_per_page=0,
    )
    with Study.open(tmp_path / "study").store() as store:
        for number in (1, 2, 3):
            rater = join(store, number)

            def work(tx: Any) -> bool:  # noqa: ANN401
                rules = current_rules(tx)
                leases = claim(tx, rules, rater, 10, 0.0).leases  # noqa: B023
                for lease in leases:
                    (system,), at = lease.item.names, int(lease.item.hidden["sentence"]) - 1
                    answer = {"verdict": "edited", "text": gold[at]}
                    if system == "greedy":
                        answer = {"verdict": "unsavable"} if at == 0 else {"verdict": "right"}
                    seconds = SECONDS[system][at % 2]
                    (receipt,) = submit(tx, SCHEME, rules, rater, [answers(lease, answer, seconds)], 0.0)  # noqa: B023
                    assert receipt.status == "saved", receipt.why
                return bool(leases)

            while store.write(work):
                pass
    result = errorbar.judge_export(tmp_path / "study", tmp_path / "own", to="references")
    assert [note.code for note in result.notes] == ["judge-unsaved"]
    assert sorted(path.name for path in (tmp_path / "own").iterdir()) == [
        *("careful.jsonl", "greedy.jsonl", "source.jsonl", "times.csv")
    ]
    rows = list(csv.DictReader((tmp_path / "own" / "times.csv").read_text().splitlines()))
    assert len(rows) == 3 * n
    assert {(row["system"], float(row["seconds"])) for row in rows} == {
        (system, each) for system, both in SECONDS.items() for each in both
    }
    outcome = errorbar.references(
        corpus,
        [str(files["careful"]), str(files["greedy"])],
        reference_of={name: str(tmp_path / "own" / f"{name}.jsonl") for name in ("careful", "greedy")},
        seconds=str(tmp_path / "own" / "times.csv"),
    )
    careful, greedy = outcome.costs
    # One word of nine is taken out of each of careful's outputs ("a"); greedy's were right.
    assert (careful.edits, careful.words, greedy.edits, greedy.touched) == (n, 8 * n, 0, 0.0)
    assert careful.hter.value == pytest.approx(1 / 8)
    saved = {time.system: time for time in outcome.times}
    assert (saved["careful"].from_source, saved["careful"].from_output) == (25.0, 11.0)
    assert saved["careful"].saved.value == pytest.approx(1 - 11 / 25)  # sources are of equal length
    assert (saved["greedy"].from_output, saved["greedy"].n_sentences) == (20.0, n)
    # As M2, every rater is an annotator of the source.
    errorbar.judge_export(tmp_path / "study", tmp_path / "all.m2")
    text = (tmp_path / "all.m2").read_text()
    assert "A 1 2|||go" not in text
    assert re.search(r"^A 1 2\|\|\|.*\|\|\|goes\|\|\|", text, re.MULTILINE)
    assert len({line.rpartition("|")[2] for line in text.splitlines() if line.startswith("A ")}) == 3
    # What is exported whole is the same study again.
    errorbar.judge_export(tmp_path / "study", tmp_path / "whole.jsonl")
    errorbar.judge_init(tmp_path / "again", tmp_path / "whole.jsonl")
    errorbar.judge_export(tmp_path / "again", tmp_path / "whole2.jsonl")
    assert (tmp_path / "whole.jsonl").read_bytes() == (tmp_path / "whole2.jsonl").read_bytes()
    with Study.open(tmp_path / "again").store(read_only=True) as store, store.read() as tx:
        assert read_about(tx).rules.systems == ("source", "careful", "greedy")


def test_bad_input_is_one_clear_line(tmp_path: Path) -> None:
    systems = write_texts(tmp_path, 3)
    source = tmp_path / "source.txt"

    def refused(**arguments: Any) -> str:  # noqa: ANN401
        with pytest.raises((UsageError, InputError)) as caught:
            errorbar.judge_init(
                tmp_path / "x", **{"items_from": source, "scheme": "post-edit", "systems": systems, **arguments}
            )
        assert not (tmp_path / "x").exists()
        (problem,) = caught.value.problems
        return f"{problem.code}: {problem.what}"

    assert "no system is given" in refused(systems=())
    assert "--items is for other schemes" in refused(items="tokens")
    assert "--editors is for systems' outputs" in refused(
        scheme="error-ok", items="tokens", editors="nested", systems=()
    )
    assert "does not say where a paragraph begins" in refused(context="paragraph")
    assert "does not say which sentences are of one document" in refused(context="document")
    lines = source.read_text().splitlines()
    (tmp_path / "long.txt").write_text("\n".join([lines[0], "word " * 50_000, lines[2]]) + "\n")
    long = "the output of item '2/long' has 249,999 characters, and raters edit at most 20,000 in one piece"
    assert refused(systems=[str(tmp_path / "long.txt")]) == f"judge-item-long: {long}"
    study = make(tmp_path, 3, "crossed", 1)
    for rule in ({"editors": "free"}, {"stop": "share(label=right,half_width=0.1)"}):
        with pytest.raises(UsageError, match=r"chosen when a study is made|takes items in one order"):
            errorbar.judge_change(study, rules=rule)


def essay() -> Corpus:
    texts = [
        "It depends on him .",
        "He lives in Rome .",
        "It depends on him .",
        "Rome is in Italy .",
        "",
        "New paragraph .",
    ]
    return Corpus([Sentence(text, document="d") for text in texts] + [Sentence("Other essay .", document="e")], ())


def around(tmp_path: Path, scheme: str, context: Context, **more: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401
    """What is sent of each item, by its name."""
    folder = tmp_path / f"{scheme}-{context}"
    errorbar.judge_init(folder, essay(), scheme=scheme, context=context, **more)
    with Study.open(folder).store(read_only=True) as store, store.read() as tx:
        from errorbar.judging.protocol.changes import all_items

        items = [*all_items(tx)]
    terms = Terms(StudyRules(), load_scheme(scheme))
    return {item.name: lease_record(terms, Lease(f"{folder}{item.name}", item, "main", 0)) for item in items}


def test_the_context_is_as_much_as_the_study_allows(tmp_path: Path) -> None:
    whole = around(tmp_path, "edits", "document")["2"]["html"]
    assert '<p class="before" dir="auto">It depends on him .</p>' in whole
    assert '<p class="after" dir="auto">It depends on him . Rome is in Italy .\nNew paragraph .</p>' in whole
    assert "Other essay" not in whole
    part = around(tmp_path, "edits", "paragraph")
    assert "New paragraph" not in part["2"]["html"]
    assert "Rome is in Italy" in part["2"]["html"]
    assert 'class="before"' not in part["6"]["html"]
    one = around(tmp_path, "edits", "sentence")["2"]["html"]
    assert "It depends on him" in one
    assert "Italy" not in one


@pytest.mark.parametrize("context", ["sentence", "paragraph", "document"])
def test_the_context_gives_no_gap_away(tmp_path: Path, context: Context) -> None:
    """Neither by a sentence that says the same, nor by the places of other items."""
    sent = around(tmp_path, "cloze", context, items="words:prepositions")
    assert len(sent) == 4
    for record in sent.values():
        assert not re.search(r"\b(on|in)\b", re.sub(r"<[^>]*>", " ", record["html"]))
    if context == "document":
        assert "He lives ___ Rome ." in sent["1:2-3"]["html"]
        assert "…" in sent["1:2-3"]["html"]


def test_the_context_does_not_tell_whose_side_is_whose(tmp_path: Path) -> None:
    lines = [
        " ".join(sentence.tokens).replace(" on ", " of ").replace(" in ", " at ") for sentence in essay().sentences
    ]
    (tmp_path / "s.txt").write_text("\n".join(lines) + "\n")
    sent = around(tmp_path, "choice", "document", systems=[str(tmp_path / "s.txt")])
    assert len(sent) == 4
    for record in sent.values():
        context = " ".join(re.findall(r'class="(?:before|after)"[^>]*>([^<]*)<', record["html"]))
        assert "___" in context
        assert not re.search(r"\b(on|in)\b", context)


def test_paragraphs_of_essays_in_sgml(tmp_path: Path) -> None:
    pytest.importorskip("nltk")
    text = '<DOC nid="7">\n<TEXT>\n<P>\nOne went.\n</P>\n<P>\nThree stayed.\n</P>\n</TEXT>\n</DOC>\n'
    (tmp_path / "e.sgml").write_text(text)
    errorbar.convert([str(tmp_path / "e.sgml")], str(tmp_path / "e.jsonl"))
    corpus = errorbar.read_corpus(tmp_path / "e.jsonl")
    assert [(sentence.text, sentence.paragraph) for sentence in corpus.sentences] == [
        ("One went .", 1),
        ("Three stayed .", 2),
    ]


def test_nothing_that_is_sent_depends_on_the_system(tmp_path: Path) -> None:
    """The same output of two systems is the same to a browser, hash and all."""
    write_texts(tmp_path, 2)
    same = [f"{name}={tmp_path / 'careful.txt'}" for name in ("zxqvj", "qqwzk")]
    errorbar.judge_init(tmp_path / "study", tmp_path / "source.txt", scheme="post-edit", systems=same)
    from errorbar.judging.protocol.changes import all_items

    with Study.open(tmp_path / "study").store(read_only=True) as store, store.read() as tx:
        items = [item for item in all_items(tx) if item.hidden["sentence"] == "1"]
    terms = Terms(StudyRules(), SCHEME)
    records = [lease_record(terms, Lease(f"{tmp_path}{item.name}", item, "main", 0)) for item in items]
    said = [json.dumps({**record, "assignment": ""}) for record in records]
    assert (len(said), len({*said})) == (2, 1)
    assert "zxqvj" not in said[0]


def test_no_route_of_raters_names_a_system(tmp_path: Path) -> None:
    """Pages, replies, refusals, headers; the manager's pages alone name them."""
    names = {"zxqvj": "careful", "qqwzk": "greedy", "kkqxv": "zealous"}
    write_texts(tmp_path, 6)
    rows = [f"{number}/{name},right,So.\n" for number in (1, 2) for name in names]
    (tmp_path / "gold.csv").write_text("item,answer,explanation\n" + "".join(rows))
    check = '[[comprehension]]\nask = "Which?"\noptions = ["a", "b"]\nright = "a"\n'
    (tmp_path / "about.toml").write_text(check)
    errorbar.judge_init(
        tmp_path / "study",
        tmp_path / "source.txt",
        scheme="post-edit",
        systems=[f"{name}={tmp_path / text}.txt" for name, text in names.items()],
        gold_items=tmp_path / "gold.csv",
        about=tmp_path / "about.toml",
        training=1,
        quiz=1,
        gold_per_page=0,
        quiz_pass=0.0,
    )
    study = Study.open(tmp_path / "study")
    link = errorbar.judge_invite(study.folder, names=["ann"]).links[0].url
    with served(study) as url:
        ann, replies = Visitor(url), list[httpx.Response]()

        def keep(reply: httpx.Response) -> None:
            reply.read()
            replies.append(reply)

        ann.http.event_hooks = {"response": [keep]}
        ann.enter(link)
        ann.form("/check", **{"try": "1", "answer-0": "b"})
        ann.form("/check", **{"try": "2", "answer-0": "a"})
        ann.csrf = CSRF.findall(ann.http.get("/work").text)[0]
        answer = {"verdict": "edited", "text": "He goes ."}
        n_answers = 0
        while items := ann.claim()["items"]:
            for item in items:
                sent = {**said_of(item), "answer": answer}
                for wrong in ({"answer": {"verdict": "edited", "text": "x" * 9999}}, {"text_hash": "x"}):
                    ann.post("/api/answer", {"answers": [{**sent, **wrong, "submission": f"w{next(_IDS)}"}], "want": 0})
                (receipt,) = ann.post("/api/answer", {"answers": [sent], "want": 0}).json()["receipts"]
                assert receipt["status"] in ("saved", "extra")
                n_answers += 1
        again = {**sent, "submission": "again", "base_version": 7}  # a conflict
        ann.post("/api/answer", {"answers": [sent, again], "want": 1})
        pages = ("/", "/guidelines", "/done", "/withdraw", "/nowhere", "/health", "/service-worker.js", "/api/recent")
        for path in (*pages, "/api/return", "/manage"):
            ann.http.get(path)
        ann.post("/api/return", {})
        ann.form("/withdraw", sure="yes")
        ann.form("/signout", "/done")
        manager = Visitor(url)
        manager.manage(study)
        told = manager.http.get("/manage/export.csv").text
    assert n_answers == 6  # an example, a quiz question, an output of each of the other sentences
    seen = {reply.request.url.path for reply in replies}
    routes = [*rater_pages.ROUTES, *rater_pages.ENTRY_ROUTES, *rater_pages.PAGE_ROUTES, *FORM_ROUTES]
    assert {route.path for route in routes} - seen == {"/j/{invite}"}
    everything = " ".join(f"{reply.headers} {reply.text}" for reply in replies)
    assert "He go to place 2" in everything
    assert [name for name in names if name in everything] == []
    assert all(name in told for name in names)
