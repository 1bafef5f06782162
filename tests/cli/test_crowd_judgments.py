"""Judgments as one table: edits of annotators, other layouts, and the items of a drawn set."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import errorbar as library
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

M2 = """S He depends of him .
A 2 3|||Prep|||on|||REQUIRED|||-NONE-|||0
A 0 1|||Wform|||She|||REQUIRED|||-NONE-|||0
A 2 3|||Prep|||on|||REQUIRED|||-NONE-|||1

S In summer we go to sea .
A 4 4|||ArtOrDet|||away|||REQUIRED|||-NONE-|||1
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
FLAGS = "item,flag\n1:2-3,1\n2:0-1,0\n2:4-5,0\n"
WORDS = ("--items", "words", "--labels", "type=Prep")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gold.m2").write_text(M2)
    Path("flags.csv").write_text(FLAGS)
    return tmp_path


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("folder")
def test_edits_become_a_table_that_other_commands_read_alike(errorbar: CommandLine) -> None:
    counted = errorbar("crowd", "judgments", "gold.m2", *WORDS)
    assert [line.split() for line in counted.out.splitlines()[2:4]] == [["0", "3", "2", "1"], ["1", "3", "2", "1"]]
    assert "6 judgments of 3 items" in counted.out
    assert errorbar("crowd", "judgments", "gold.m2", *WORDS, "-o", "votes.csv").code == 0
    said = {(row["item"], row["rater"]): row["label"] for row in rows("votes.csv")}
    assert said == {
        (item, rater): ("error" if item == "1:2-3" else "ok") for item in ("1:2-3", "2:0-1", "2:4-5") for rater in "01"
    }
    direct = errorbar("crowd", "score", "gold.m2", "flags.csv", *WORDS, "--format", "csv")
    written = errorbar("crowd", "score", "votes.csv", "flags.csv", "--format", "csv")
    scores = [
        [row[key] for key in ("P", "R", "hits")]
        for text in (direct.out, written.out)
        for row in csv.DictReader(text.splitlines())
    ]
    assert scores[:2] == scores[2:] == [["1.0", "1.0", "1.0"]] * 2
    found = validated("crowd-judgments", errorbar("crowd", "judgments", "gold.m2", *WORDS, "--format", "json").out)
    assert {(row["item"], row["rater"]): row["label"] for row in found["rows"]} == said


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "labels", [["type=R:PREP,U:PREP,M:PREP"], ["type=R:PREP", "type=U:PREP", "type=M:PREP"]], ids=["commas", "options"]
)
def test_several_types_count_together(errorbar: CommandLine, labels: list[str]) -> None:
    """ERRANT calls an error of a preposition by what is done to it."""
    text = M2.replace("A 2 3|||Prep", "A 2 3|||R:PREP", 1).replace("A 2 3|||Prep", "A 2 3|||U:PREP")
    Path("errant.m2").write_text(text)
    options = [word for label in labels for word in ("--labels", label)]
    asked = ("crowd", "judgments", "errant.m2", "--items", "words", *options, "-o", "votes.csv")
    assert "no annotator used the error type 'M:PREP'; the others count [items-type]" in errorbar(*asked).err
    assert [row["item"] for row in rows("votes.csv") if row["label"] == "error"] == ["1:2-3", "1:2-3"]
    agreed = errorbar("agree", "errant.m2", "--items", "words", *options)
    assert "type=M:PREP+R:PREP+U:PREP" in agreed.out + agreed.err


@pytest.mark.usefixtures("folder")
def test_a_drawn_set_is_filled_in_and_estimated(errorbar: CommandLine) -> None:
    drawn = ("sample", "draw", "flags.csv", "--budget", "2", "--floor", "1", "--out", "set.csv", "--key", "key.json")
    assert errorbar(*drawn).code == 0
    blind = rows("set.csv")
    filled = errorbar("crowd", "judgments", "gold.m2", *WORDS, "--drawn", "set.csv", "-o", "judged.csv")
    assert filled.code == 0, filled.err
    done = rows("judged.csv")
    assert [(row["item"], row["rater"]) for row in done] == [(row["item"], rater) for rater in "01" for row in blind]
    assert {row["set"] for row in done} == {blind[0]["set"]}
    estimate = errorbar("sample", "estimate", "judged.csv", "--key", "key.json")
    assert (estimate.code, "flagged: 1 error in 1 of 1 items" in estimate.out) == (0, True)
    # Scores of the set are not those of the corpus, which its strata do not stand for.
    scored = errorbar("crowd", "score", "judged.csv", "flags.csv")
    assert "[crowd-drawn]" in scored.err
    assert "[judgments-extra]" not in scored.err
    shown = validated(
        "crowd-judgments",
        errorbar("crowd", "judgments", "gold.m2", *WORDS, "--drawn", "set.csv", "--format", "json").out,
    )
    assert [row["item"] for row in shown["rows"]] == [row["item"] for row in done]


@pytest.mark.usefixtures("folder")
def test_items_of_a_set_that_nobody_judged(errorbar: CommandLine) -> None:
    Path("set.csv").write_text("item,set,rater,label\n1:2-3,0123456789abcdef,r,\n9:0-1,0123456789abcdef,r,\n")
    some = errorbar("crowd", "judgments", "gold.m2", *WORDS, "--drawn", "set.csv")
    assert (some.code, "1 of its 2 items have no judgment, first '9:0-1'" in some.err) == (0, True)
    none = errorbar("crowd", "judgments", "gold.m2", "--items", "sentences", "--drawn", "set.csv")
    assert (none.code, none.err.count("\n")) == (2, 1)
    assert "nobody judged any of its 2 items; items must be called alike" in none.err
    other = errorbar("crowd", "judgments", "gold.m2", "--drawn", "flags.csv")
    assert (other.code, "no column 'set'" in other.err) == (2, True)


def test_weights_and_layouts(tmp_path: Path, errorbar: CommandLine) -> None:
    wide = tmp_path / "wide.csv"
    wide.write_text("item,ann,bob\nx,error,ok\ny,,ok\n")
    found = library.crowd_judgments(wide, layout="wide").to_dict()
    assert found == {
        "rows": [
            {"item": "x", "rater": "ann", "label": "error"},
            {"item": "x", "rater": "bob", "label": "ok"},
            {"item": "y", "rater": "bob", "label": "ok"},
        ]
    }
    heavy = tmp_path / "heavy.csv"
    heavy.write_text("item,rater,label,weight\nx,ann,error,2\n")
    assert errorbar("crowd", "judgments", heavy, "--format", "csv").out.split() == [
        "item,rater,label,weight",
        "x,ann,error,2.0",
    ]
