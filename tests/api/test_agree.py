"""``errorbar.agree``: paths and objects give what the command prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from errorbar import Judgments, agree
from errorbar.api import ReadJudgments
from errorbar.api.agree import measure_agreement
from errorbar.core import UsageError
from errorbar.edits import edit_items
from errorbar.formats import read_corpus
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

ROWS: list[list[object]] = [["y", "y", "n"], ["y", "n", "y"], ["n", "n", "n"], ["n", "y", None]] * 9
VOTES = Judgments.from_matrix(ROWS, raters=("p", "q", "r"))
GOLD = """S a b c d
A 0 1|||T|||x|||REQUIRED|||-NONE-|||0
A 2 3|||T|||y|||REQUIRED|||-NONE-|||0
A 0 1|||T|||z|||REQUIRED|||-NONE-|||1

S e f g
A 0 1|||U|||x|||REQUIRED|||-NONE-|||0
A 1 2|||U|||x|||REQUIRED|||-NONE-|||1

S h i
A 0 1|||T|||x|||REQUIRED|||-NONE-|||0
A 0 1|||U|||x|||REQUIRED|||-NONE-|||1
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    columns = VOTES.to_columns()
    rows = zip(columns["item"], columns["rater"], columns["label"], strict=True)
    Path("votes.csv").write_text("item,rater,label\n" + "".join(f"{i},{r},{k}\n" for i, r, k in rows))
    Path("gold.m2").write_text(GOLD)


@pytest.mark.parametrize(
    ("path", "options", "keywords"),
    [
        ("votes.csv", [], {}),
        ("votes.csv", ["--no-ci"], {"ci": False}),
        ("votes.csv", ["--confidence", "0.8", "--seed", "3"], {"confidence": 0.8, "seed": 3}),
        ("gold.m2", ["--items", "sentences", "--labels", "type"], {"items": "sentences", "labels": "type"}),
    ],
)
def test_it_is_what_the_command_prints(
    errorbar: CommandLine, path: str, options: list[str], keywords: dict[str, object]
) -> None:
    resamples = {} if "--no-ci" in options else {"resamples": 60}
    drawn = [f"--{name}={number}" for name, number in resamples.items()]
    printed = errorbar("agree", path, *options, *drawn, "--format", "json")
    document = validated("agree", printed.out)
    result = agree(path, **keywords, **resamples)  # type: ignore[arg-type]  # of parameters of several types
    assert {"schema": "errorbar.agree/1", **json.loads(json.dumps(result.to_dict()))} == {
        key: value for key, value in document.items() if key != "warnings"
    }
    assert [note.code for note in result.notes] == [note["code"] for note in document["warnings"]]


def test_paths_and_objects_are_one() -> None:
    assert agree("votes.csv").to_dict() == agree([Path("votes.csv")]).to_dict() == agree(VOTES).to_dict()
    assert measure_agreement(ReadJudgments(VOTES, how="items=hand"), None).signature.startswith("agree(items=hand)|")
    corpus = read_corpus("gold.m2")
    of_corpus, of_path = agree(corpus, resamples=50), agree("gold.m2", resamples=50)
    assert of_corpus.to_dict() == of_path.to_dict()
    items = edit_items(corpus)
    by_hand = agree(items.judgments, clusters=items.clusters, resamples=50)
    assert by_hand.report.coefficients == of_path.report.coefficients


def test_without_intervals_there_is_none_and_the_signature_does_not_speak_of_them() -> None:
    bare, usual = agree(VOTES, ci=False), agree(VOTES)
    estimates = [*bare.report.coefficients.values(), *(pair.kappa.estimate for pair in bare.report.pairwise)]
    assert {(estimate.interval, estimate.no_interval) for estimate in estimates} == {(None, None)}
    assert [estimate.value for estimate in estimates] == [
        each.value
        for each in (*usual.report.coefficients.values(), *(pair.kappa.estimate for pair in usual.report.pairwise))
    ]
    assert "|ci:bca,0.95,2000,by:item,seed:0|" in usual.signature
    assert "ci:" not in bare.signature


def test_the_level_is_that_of_every_interval_and_workers_change_no_digit() -> None:
    result = agree(VOTES, confidence=0.8, resamples=1500)
    estimates = [*result.report.coefficients.values(), *(pair.kappa.estimate for pair in result.report.pairwise)]
    assert {estimate.interval.confidence_level for estimate in estimates if estimate.interval} == {0.8}
    assert agree(VOTES, confidence=0.8, resamples=1500, jobs=2).to_dict() == result.to_dict()


def test_tables() -> None:
    result = agree(VOTES)
    assert [table.name for table in result.tables()] == ["agreement", "pairs", "confusion"]
    assert repr(result).startswith("AgreementResult(7 rows: observed agreement, Krippendorff's alpha, ")
    main, pairs, confusion = result.tables()
    assert main.rows[0] == ["observed agreement", result.report.coefficients["observed"]]
    assert pairs.rows[0][:3] == ["p", "q", 36]
    assert np.array(confusion.rows, object)[:, 1:].sum() == 36 * 3 - 9
    with pytest.raises(UsageError, match=r"no weights for ratios; choose another scale \[agreement-weighting\]"):
        agree(Judgments.from_matrix([[1, 2], [2, 2]]), scale="ratio").view("pairs")


@pytest.mark.parametrize(
    ("judgments", "keywords", "code"),
    [
        (3, {}, "wrong-type"),
        ([3], {}, "wrong-type"),
        ([], {}, "no-reference"),
        ("votes.csv", {"labels": 3}, "wrong-type"),
        ("votes.csv", {"labels": ["n", "y"], "scale": "ratio"}, "useless-option"),
        ("votes.csv", {"items": "gaps"}, "useless-option"),
        ("gold.m2", {"layout": "wide"}, "useless-option"),
        ("gold.m2", {"scale": "ordinal"}, "useless-option"),
        ("votes.csv", {"scale": "nominl"}, "bad-parameter"),
        ("votes.csv", {"weights": "linear"}, "agreement-weighting"),
        ("votes.csv", {"confidence": 95}, "confidence-level"),
        ("votes.csv", {"resamples": 0}, "replicates"),
        ("votes.csv", {"repeats": "some"}, "bad-parameter"),
    ],
)
def test_what_does_not_fit_is_refused_where_it_enters(
    judgments: object, keywords: dict[str, object], code: str
) -> None:
    with pytest.raises(UsageError) as raised:
        agree(judgments, **keywords)  # type: ignore[arg-type]  # the wrong types are the point
    assert raised.value.problems[0].code == code


def test_judgments_may_come_in_several_files() -> None:
    lines = Path("votes.csv").read_text().splitlines(keepends=True)
    Path("first.csv").write_text("".join(lines[:40]))
    Path("second.csv").write_text("".join([lines[0], *lines[40:]]))
    assert agree(["first.csv", "second.csv"]).to_dict() == agree("votes.csv").to_dict()
