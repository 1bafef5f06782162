"""Span edits: what raters write comes out as a corpus again; what is refused; what a system's edits do to raters."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errorbar
from errorbar import Corpus, Judgments
from errorbar.core import InputError, UsageError
from errorbar.judging import (
    JudgedItem,
    Lease,
    Study,
    StudyRules,
    Submission,
    claim,
    current_rules,
    load_scheme,
    read_study,
    shown_hash,
    submit,
)
from errorbar.judging.analysis.kind_findings import edits_findings
from errorbar.judging.answers import check_answer, label_of
from errorbar.judging.question_kinds import as_record
from errorbar.judging.scheme_files import with_types
from errorbar.judging.scheme_kinds import BLANK, PROPOSALS
from errorbar.judging.study.rules import read_about
from errorbar.judging.web.rater import lease_record
from errorbar.judging.web.server_state import Terms
from errorbar.stats import Resampling
from tests.helpers.cli import CommandLine
from tests.judging.empty_stores import join

SCHEME = load_scheme("edits")
ITEM = JudgedItem("1", "He go to school every days .")
GOES = {"start": 1, "end": 2, "corrections": ["goes"], "type": "SVA"}
M2 = """S He go to school every days .
A 1 2|||SVA|||goes||went|||REQUIRED|||-NONE-|||0
A 4 4|||ArtOrDet|||nearly|||OPTIONAL|||or not|||0
A 5 6|||Nn|||day|||REQUIRED|||-NONE-|||0
A 6 6|||WOinc|||yesterday|||REQUIRED|||-NONE-|||0
A 6 6|||Prep|||in|||REQUIRED|||-NONE-|||0
A 1 6|||Um||||||REQUIRED|||-NONE-|||1

S 他 昨天 去 学校 了 。
A 4 5|||Vt||||||REQUIRED|||-NONE-|||0
A 2 2|||Vt|||已经|||REQUIRED|||-NONE-|||1

S ذهب الولد إلى المدرسه .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 3 4|||Mec|||المدرسة|||REQUIRED|||-NONE-|||1

S The same .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 2 2|||Trans|||here|||REQUIRED|||-NONE-|||1

S The same .
A 2 3|||Mec|||!|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

"""
"""Alternatives, optional, noted and unclear edits, several scripts, and one sentence twice."""
Work = Callable[[Lease], Sequence[Mapping[str, Any]]]


def let_judge(folder: Path, *raters: Work, seconds: Callable[[Lease], float] = lambda _: 2.0) -> None:
    """Let each rater answer everything that they get."""
    with Study.open(folder).store() as store:
        for number, edits_of in enumerate(raters, 1):
            rater = join(store, number)

            def work(tx: Any, rater: int = rater, edits_of: Work = edits_of) -> None:  # noqa: ANN401 - a connection
                scheme, rules = read_about(tx).scheme, current_rules(tx)
                while leases := claim(tx, rules, rater, 10, 0.0).leases:
                    answers = [
                        Submission(
                            f"{rater}-{lease.item.name}",
                            lease.token,
                            shown_hash(scheme, lease.item, False),
                            0,
                            {"edits": edits_of(lease)},
                            milliseconds=int(1000 * seconds(lease)),
                        )
                        for lease in leases
                    ]
                    assert {receipt.status for receipt in submit(tx, scheme, rules, rater, answers, 0.0)} == {"saved"}

            store.write(work)


def annotator(corpus: Corpus, name: str) -> Work:
    """A rater who writes what an annotator of the corpus wrote."""
    return lambda lease: [
        as_record(edit) for edit in corpus.sentences[int(lease.item.name) - 1].annotations.get(name, ())
    ]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_study_of_edits_is_a_corpus(tmp_path: Path, database: str, request: pytest.FixtureRequest) -> None:
    store = request.getfixturevalue("postgres_url") if database == "postgresql" else ""
    gold, study = tmp_path / "gold.m2", tmp_path / "study"
    gold.write_text(M2, encoding="utf-8")
    corpus = errorbar.read_corpus(gold)
    made = errorbar.judge_init(study, gold, scheme="edits", raters_per_item=2, store=store)
    assert made.n_items == 5
    let_judge(study, annotator(corpus, "0"), annotator(corpus, "1"))
    errorbar.judge_export(study, tmp_path / "out.m2")
    assert (tmp_path / "out.m2").read_text(encoding="utf-8") == M2
    errorbar.judge_export(study, tmp_path / "all.jsonl")
    errorbar.judge_init(tmp_path / "again", tmp_path / "all.jsonl")
    errorbar.judge_export(tmp_path / "again", tmp_path / "again.m2")
    assert (tmp_path / "again.m2").read_text(encoding="utf-8") == M2
    errorbar.judge_export(study, tmp_path / "corpus.jsonl", to="corpus")
    (tmp_path / "system.txt").write_text("\n".join(sentence.text for sentence in corpus.sentences) + "\n")
    for taken in ("out.m2", "corpus.jsonl"):
        system = tmp_path / "system.txt"
        figures: list[list[Any]] = []
        for path in (tmp_path / taken, gold):
            scored: Any = errorbar.score(path, system, ci=False).to_dict()
            agreed: Any = errorbar.agree(path, items="tokens", ci=False).to_dict()
            human: Any = errorbar.ceiling(path, ci=False).to_dict()
            rows = [row | {"signature": ""} for row in scored["rows"]]
            figures.append([rows, agreed["coefficients"], human["rows"][0]["human"]])
        assert figures[0] == figures[1]
    errorbar.judge_export(study, tmp_path / "hoo", to="hoo")
    written = (tmp_path / "hoo/r1/Gold/study.xml").read_text(encoding="utf-8")
    assert written.count("<correction>") == 8
    with pytest.raises(UsageError, match="2 raters cannot go into one edit file"):
        errorbar.judge_export(study, tmp_path / "one.xml")
    errorbar.judge_export(study, tmp_path / "one.xml", rater="r1")
    assert (tmp_path / "one.xml").read_text(encoding="utf-8") == written


def test_the_folder_of_a_study_stands_where_annotators_are_read(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The figures of the folder are those of its export, to the signature; of other schemes it is their judgments."""
    gold, study, out = tmp_path / "gold.m2", tmp_path / "study", tmp_path / "out.jsonl"
    gold.write_text(M2, encoding="utf-8")
    corpus = errorbar.read_corpus(gold)
    (tmp_path / "system.txt").write_text("\n".join(sentence.text for sentence in corpus.sentences) + "\n")
    errorbar.judge_init(study, gold, scheme="edits", raters_per_item=2)
    with pytest.raises(UsageError, match="at least two annotators"):
        errorbar.ceiling(study, ci=False)
    let_judge(study, annotator(corpus, "0"), annotator(corpus, "1"))
    errorbar.judge_export(study, out, to="corpus")
    for function in (
        lambda path: errorbar.score({"gold": path}, tmp_path / "system.txt", ci=False, jobs=2),
        lambda path: errorbar.agree(path, items="tokens", ci=False),
        lambda path: errorbar.ceiling({"gold": path}, ci=False),
    ):
        assert json.dumps(function(study).to_dict()) == json.dumps(function(out).to_dict())
    run_errorbar: CommandLine = request.getfixturevalue("errorbar")
    page = tmp_path / "page.html"
    assert run_errorbar("report", "--gold", study, tmp_path / "system.txt", "-o", page, "--resamples=20").code == 0
    receipt = json.loads((tmp_path / "page.receipt.json").read_text(encoding="utf-8"))
    names = [Path(record["name"]).name for record in receipt["files"]]
    assert sorted(names) == ["store.sqlite3", "study.toml", "system.txt"]


def test_links_and_notes_are_lost_in_m2_alone_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("He go to school every days .\nNobody looked here .\n")
    errorbar.judge_init(tmp_path / "study", tmp_path / "text.txt", scheme="edits", raters_per_item=1, items_per_rater=1)
    linked = [
        {**GOES, "group": "a", "note": "we"},
        {"start": 5, "end": 6, "corrections": ["day"], "type": "Nn", "group": "a"},
    ]
    let_judge(tmp_path / "study", lambda lease: linked if lease.item.name == "1" else [])
    errorbar.judge_export(tmp_path / "study", tmp_path / "corpus.jsonl", to="corpus")
    looked = [sentence.annotations for sentence in errorbar.read_corpus(tmp_path / "corpus.jsonl").sentences]
    assert sorted(map(len, looked)) == [0, 1], "the file is parallel to the text, whoever looked at it"
    if edits := looked[0].get("r1"):
        assert [(edit.group, edit.comment) for edit in edits] == [("a", "we"), ("a", "")]
        notes = errorbar.judge_export(tmp_path / "study", tmp_path / "out.m2").notes
        assert any("M2 cannot hold consistency sets" in note.what for note in notes)


WRONG: list[tuple[object, str]] = [
    ("goes", "a list of edits"),
    ([{**GOES, "start": 2, "end": 1}], "0 <= start <= end <= 7"),
    ([{**GOES, "end": 8}], "0 <= start <= end <= 7"),
    ([{**GOES, "start": True}], "0 <= start <= end <= 7"),
    ([{**GOES, "corrections": ["go"]}], "edits that change something"),
    ([{**GOES, "corrections": ["goes", "go"]}], "edits that change something"),
    ([{**GOES, "end": 1, "corrections": [""]}], "edits that change something"),
    ([{**GOES, "corrections": []}], "1 to 9 corrections"),
    ([{**GOES, "corrections": ["goes", " goes "]}], "has one twice"),
    ([{**GOES, "corrections": ["x" * 501]}], "more than 500 characters"),
    ([{**GOES, "corrections": ["x" * 5_000_000]}], "more than 500 characters"),
    ([{**GOES, "type": "SVAA"}], "a type of the list (28); 1-2 has 'SVAA'"),
    ([{**GOES, "type": ""}], "a type of the list"),
    ([{**GOES, "optional": 1}], "true or false"),
    ([{**GOES, "group": "x" * 21}], "at most 20 characters"),
    ([{**GOES, "systems": "s"}], "'systems' is none of them"),
    ([{**GOES, "pending": True}], "1 are still pending"),
    ([GOES, {**GOES, "start": 0, "end": 3}], "do not overlap; 0-3 and 1-2 do"),
    ([GOES, {**GOES, "corrections": ["went"]}], "do not overlap; 1-2 and 1-2 do"),
    ([{**GOES, "start": 0, "end": 3}, {**GOES, "end": 1}], "do not overlap; 0-3 and 1-1 do"),
    ([{**GOES, "end": 1}, {**GOES, "end": 1}], "the same stands twice at 1-1"),
    ([GOES] * 16, "at most one edit for each of the 7 tokens"),
]


@pytest.mark.parametrize(("edits", "message"), WRONG)
def test_what_does_not_fit_is_refused_in_one_line(edits: object, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_answer(SCHEME, ITEM, {"edits": edits})
    (problem,) = raised.value.problems
    assert message in problem.what
    assert len(problem.what) < 300


def test_an_answer_is_stored_in_text_order_with_what_says_something() -> None:
    sent = [
        {
            "start": 2,
            "end": 2,
            "corrections": ["  right   away"],
            "type": "Wci",
            "optional": False,
            "note": "",
            "group": "1",
        }
    ]
    checked = check_answer(SCHEME, ITEM, {"edits": [*sent, GOES]})
    assert checked["edits"] == [GOES, {"start": 2, "end": 2, "corrections": ["right away"], "type": "Wci"}]
    assert label_of(SCHEME, False, checked) == "1-2:goes; 2-2:right away"
    assert label_of(SCHEME, False, check_answer(SCHEME, ITEM, {"edits": []})) == "∅"
    with pytest.raises(UsageError, match="edits is not answered"):
        check_answer(SCHEME, ITEM, {})


def test_types_are_of_an_inventory_or_of_the_study(tmp_path: Path) -> None:
    sizes = {name: len(with_types(SCHEME, name).questions[0].types) for name in ("nucle", "errant", "none")}
    assert sizes == {"nucle": 28, "errant": 55, "none": 0}  # Dahlmeier et al. 2013; Bryant et al. 2017, table 1
    untyped = [{key: value for key, value in GOES.items() if key != "type"}]
    assert check_answer(with_types(SCHEME, "none"), ITEM, {"edits": untyped}) == {"edits": untyped}
    own = tmp_path / "types.txt"
    own.write_text("A an article\nV\n")
    assert [(each.value, each.label) for each in with_types(SCHEME, str(own)).questions[0].types] == [
        ("A", "an article"),
        ("V", "V"),
    ]
    own.write_text("A\nB\nA\n")
    with pytest.raises(InputError, match=r"types\.txt:3: the type 'A' stands twice"):
        with_types(SCHEME, str(own))
    with pytest.raises(UsageError, match="did you mean 'errant'"):
        with_types(SCHEME, "erant")


def test_a_system_s_edits_are_nobody_s_and_their_effect_is_found(tmp_path: Path) -> None:
    n, generator = 400, random.Random(7)
    sentences = [f"He go to school {k} every days ." for k in range(n)]
    (tmp_path / "text.txt").write_text("\n".join(sentences) + "\n")
    (tmp_path / "lm-2026.txt").write_text("\n".join(text.replace("go", "goes") for text in sentences) + "\n")
    study = tmp_path / "study"
    rules: dict[str, Any] = {"raters_per_item": 2, "types": "none", "blank": 0.3}
    errorbar.judge_init(study, tmp_path / "text.txt", scheme="edits", systems=tmp_path / "lm-2026.txt", **rules)

    def edits_of(lease: Lease) -> list[dict[str, Any]]:
        record = lease_record(Terms(StudyRules(), with_types(SCHEME, "none")), lease)
        assert "lm-2026" not in json.dumps(record)
        assert "shown" not in json.dumps(record)
        proposed = [
            {key: value for key, value in edit.items() if key != "pending"}
            for edit in record["proposed"].get("edits", [])
        ]
        own = {"start": 1, "end": 2, "corrections": ["goes"]}
        made = proposed if generator.random() < 0.9 else []
        if not record["proposed"]:
            made = [own] if generator.random() < 0.6 else []
        return [*made, {"start": 6, "end": 7, "corrections": ["day"]}] if generator.random() < 0.5 else made

    let_judge(study, edits_of, edits_of, seconds=lambda lease: 4.0 if lease.item.proposed else 8.0 + generator.random())
    result = errorbar.judge_analyze(study, resamples=300)
    assert result.figure("proposals", "blank", "items").value == 120
    assert result.figure("proposals", "shown", "items").value == 280
    true = {"the system's edits made": 0.3, "edits of 100 tokens": 100 * 0.3 / 8, "seconds of a token": -4.5 / 8}
    for measure, value in true.items():
        interval = result.figure("proposals", "difference", measure).interval
        assert interval is not None, measure
        # One draw of many: one interval in twenty misses by a little.
        half = (interval.high - interval.low) / 2
        assert interval.low - half < value < interval.high + half, measure
        assert interval.high < 0 or interval.low > 0, "and it is no chance"
    errorbar.judge_export(study, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().count(",blank\n") == 240


def test_what_belongs_to_no_edits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("He go .\n")
    (tmp_path / "items.csv").write_text("item,text,word\na,He go .,go\n")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"scheme": "edits", "blank": 0.2}, "none are proposed here"),
        ({"scheme": "edits", "items": "words"}, "asks for edits of whole sentences, and items are 'words'"),
        ({"types": "nucle"}, "error-ok asks for no edits"),
        ({"scheme": "edits", "systems": {"a": tmp_path / "text.txt", "b": tmp_path / "text.txt"}}, "2 systems' edits"),
    ]
    for options, message in cases:
        with pytest.raises(UsageError, match=message):
            errorbar.judge_init(tmp_path / "study", tmp_path / "text.txt", **options)
    with pytest.raises(InputError, match="has a span, and the scheme edits asks for edits of the whole text"):
        errorbar.judge_init(tmp_path / "study", tmp_path / "items.csv", scheme="edits")


def test_an_essay_of_50_000_words_is_an_item(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("word " * 50_000 + "\n")
    errorbar.judge_init(tmp_path / "study", tmp_path / "text.txt", scheme="edits", types="none", raters_per_item=1)
    edits = [{"start": n, "end": n + 1, "corrections": ["w"]} for n in range(0, 50_000, 2_500)]
    let_judge(tmp_path / "study", lambda _: edits)
    errorbar.judge_export(tmp_path / "study", tmp_path / "out.m2")
    assert (tmp_path / "out.m2").read_text().count("\nA ") == 20


@pytest.mark.slow
def test_the_interval_of_what_proposals_did_covers_the_truth(tmp_path: Path) -> None:
    """Oracle: raters whose edits are drawn, so that the effect is known; 95 % of studies, within four standard errors.

    The percentile interval of 60 items may cover two points less: it takes no account of the sample's own spread.
    """
    n_studies, shown, alone = 300, 0.8, 0.6
    sentences = [f"He go to school {k} every days ." for k in range(60)]
    (tmp_path / "text.txt").write_text("\n".join(sentences) + "\n")
    (tmp_path / "lm.txt").write_text("\n".join(text.replace("go", "goes") for text in sentences) + "\n")
    rules: dict[str, Any] = {"raters_per_item": 2, "types": "none", "blank": 0.4}
    errorbar.judge_init(tmp_path / "study", tmp_path / "text.txt", scheme="edits", systems=tmp_path / "lm.txt", **rules)
    edit = {"start": 1, "end": 2, "corrections": ["goes"]}
    let_judge(tmp_path / "study", *[lambda lease: [edit] if int(lease.item.name) % 2 else []] * 2)
    with Study.open(tmp_path / "study").snapshot() as tx:
        columns = read_study(tx, whole=True)
    draw = np.random.default_rng(11)
    chance = np.array([alone if item.hidden[PROPOSALS] == BLANK else shown for item in columns.items])
    nothing = columns.answers.index({"edits": []})
    unused = Judgments.from_columns([], [], [])
    covered = 0
    for number in range(n_studies):
        # Both raters find an item easy, or both hard: judgments of an item are not independent.
        makes = draw.random(len(columns.item)) < (chance + draw.choice((-0.15, 0.15), len(chance)))[columns.item]
        drawn = replace(columns, answer_number=np.where(makes, 1 - nothing, nothing))
        found = edits_findings(drawn, unused, Resampling("percentile", 200, seed=number), 0.95, None)
        (interval,) = [
            each.estimate.interval
            for each in found
            if each.of == "difference" and each.measure.startswith("the system")
        ]
        assert interval is not None
        covered += interval.low <= shown - alone <= interval.high
    error = (0.95 * 0.05 / n_studies) ** 0.5
    assert 0.93 - 4 * error < covered / n_studies < 0.95 + 4 * error
