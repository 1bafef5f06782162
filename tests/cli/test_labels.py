"""Names and labels in tables of judgments: white space around them, case, and which labels there may be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorbar import Judgments, agree, crowd
from errorbar.core import UsageError
from tests.helpers.cli import CommandLine

VOTES = [("1", "a", "ok"), ("1", "b", "ok"), ("2", "a", "error"), ("2", "b", "error"), ("3", "a", "ok")]
SPACED = [("1 ", "a", "ok"), ("1", "b", " ok"), ("2", "a ", "error\t"), (" 2", "b", "error"), ("3", "a", "ok ")]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, votes in (("votes", VOTES), ("spaced", SPACED)):
        rows = [dict(zip(("item", "rater", "label"), vote, strict=True)) for vote in votes]
        Path(f"{name}.csv").write_text("".join(f"{','.join(vote)}\n" for vote in [("item", "rater", "label"), *votes]))
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    Path("flags.csv").write_text("item,flag\n1 ,0\n2,1\n 3,0\n")


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_white_space_around_names_and_labels_is_no_part_of_them(errorbar: CommandLine, kind: str) -> None:
    """With it two raters who agree everywhere had an alpha of 0; a column for each rater never had it."""
    for command in ("agree {}", "crowd score {} flags.csv", "curve {} flags.csv"):
        done = [errorbar(*command.format(f"{name}.{kind}").split(), "--no-ci") for name in ("votes", "spaced")]
        assert done[0].code == 0
        assert done[0] == done[1]


def test_nor_is_it_in_memory() -> None:
    tables = [dict(zip(("item", "rater", "label"), zip(*votes, strict=True), strict=True)) for votes in (VOTES, SPACED)]
    assert [agree(table, ci=False).report.coefficients["krippendorff"].value for table in tables] == [1.0, 1.0]
    flags = {"s": {"1 ": False, "2": True, "3": False}}
    assert crowd(tables[1], flags, ci=False) == crowd(tables[0], flags, ci=False)
    kinds = {**tables[1], "rater_kind": ["", "", "model", "", ""]}
    kinds["rater"] = ["a", "b", "m ", "b", "a"]
    assert agree(kinds, ci=False).report.n_raters == 2


@pytest.mark.parametrize("command", ["agree v.csv", "crowd aggregate v.csv --min-items 1"])
@pytest.mark.parametrize(("first", "second"), [("error", "Error"), ("1", "1.0")])
def test_labels_that_look_like_one_are_named(errorbar: CommandLine, command: str, first: str, second: str) -> None:
    rows = [("1", "a", first), ("1", "b", second), ("2", "a", "x"), ("2", "b", "x")]
    Path("v.csv").write_text("".join(f"{','.join(row)}\n" for row in [("item", "rater", "label"), *rows]))
    alike = sorted((first, second), key=lambda label: (len(label), label))
    done = errorbar(*command.split(), "--notes")
    assert f"warning: {', '.join(alike)}: labels that differ only in case" in done.err
    assert "labels-alike" not in errorbar(*command.split(), "--notes", "--labels", f"{first},{second},x").err


def test_labels_that_there_may_be_count_in_s_and_ac1(errorbar: CommandLine) -> None:
    """Two raters say "ok" of all items: with "error" as the other label S = (2 · 1 - 1) / (2 - 1), without none."""
    Path("v.csv").write_text("item,a,b\n1,ok,ok\n2,ok,ok\n")
    values = []
    for options in ([], ["--labels", "ok, error"]):
        done = errorbar("agree", "v.csv", "--layout", "wide", "--no-ci", "--format", "json", *options)
        values.append([json.loads(done.out)["coefficients"][name]["value"] for name in ("bennett", "gwet")])
    assert values == [[None, None], [1.0, 1.0]]


@pytest.mark.parametrize("command", ["agree", "crowd score"])
def test_a_label_that_means_unknown_may_be_there(errorbar: CommandLine, command: str) -> None:
    """It was refused beside a list of the labels that may be there."""
    Path("v.csv").write_text(Path("votes.csv").read_text() + "3,b,skip\n")
    systems = ["flags.csv"] * (command != "agree")
    done = errorbar(
        *command.split(), "v.csv", *systems, "--no-ci", "--labels", "ok,error", "--labels", "unknown=skip", "--quiet"
    )
    assert (done.code, done.err) == (0, "")


def test_columns_of_white_space_are_no_names() -> None:
    with pytest.raises(UsageError, match="row 2 has no item"):
        Judgments.from_columns(["1", " "], ["a", "a"], ["ok", "ok"])


def test_a_json_array_is_called_that(errorbar: CommandLine) -> None:
    """It was taken for CSV with a column called '[{"item": "1"'."""
    rows = [json.loads(line) for line in Path("votes.jsonl").read_text().splitlines()]
    Path("votes.json").write_text(json.dumps(rows))
    for arguments in (("agree", "votes.json"), ("crowd", "score", "votes.csv", "votes.json")):
        done = errorbar(*arguments)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert "votes.json:1: this is a JSON array (expected an object on each line)" in done.err
