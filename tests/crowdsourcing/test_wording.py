"""One is said as one, and what nobody knows is not shown as a number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorbar.core.judgments import Judgments
from errorbar.core.problems import UsageError
from errorbar.crowdsourcing.rater_table import rater_rows
from tests.helpers.cli import CommandLine

VOTES = "item,rater,label\nx,a,error\nx,b,ok\ny,a,error\ny,b,error\nz,a,ok\n"


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES, encoding="utf-8")
    return path


def test_without_gold_nobody_has_trust(votes: Path, errorbar: CommandLine) -> None:
    table = Judgments.from_columns("xxyy", "abab", ["E", "O", "E", "E"])
    assert [row.trust for row in rater_rows(table)] == [None, None]
    assert [row.trust for row in rater_rows(table, {"x": "E"})] == pytest.approx([2 / 3, 1 / 3])
    done = errorbar("crowd", "raters", votes, "--format", "json")
    assert done.code == 0
    assert [row["trust"] for row in json.loads(done.out)["raters"]] == [None, None]
    shown = errorbar("crowd", "raters", votes, "--format", "csv").out.splitlines()
    at = shown[0].split(",").index("trust")
    assert [row.split(",")[at] for row in shown[1:3]] == ["", ""]
    assert "50.00" not in errorbar("crowd", "raters", votes).out.splitlines()[2].split("–")[0]


def test_rater_without_gold_items_among_others_with(votes: Path, errorbar: CommandLine) -> None:
    gold = votes.with_name("gold.csv")
    gold.write_text("item,label\nz,ok\n", encoding="utf-8")
    done = errorbar("crowd", "raters", votes, "--gold", gold, "--format", "json")
    assert [row["trust"] for row in json.loads(done.out)["raters"]] == [pytest.approx(2 / 3), None]


def test_one_judgment_and_one_item(votes: Path, errorbar: CommandLine) -> None:
    rare = VOTES + "q,a,unsure\n"
    votes.write_text(rare, encoding="utf-8")
    done = errorbar("crowd", "aggregate", votes, "--labels", "unknown=unsure", "--method", "majority")
    assert done.code == 0
    assert "1 judgment has a label that means unknown; it counts as not given" in done.err
    assert "1 item has no judgment; it does not count" in done.err
    refused = errorbar("crowd", "aggregate", votes, "--labels", "error,ok", "--method", "majority")
    assert refused.code == 2
    assert "1 judgment says 'unsure', which is not declared" in refused.err
    votes.write_text(rare + "r,b,unsure\n", encoding="utf-8")
    done = errorbar("crowd", "aggregate", votes, "--labels", "unknown=unsure", "--method", "majority")
    assert "2 judgments have a label that means unknown; they count as not given" in done.err
    assert "2 items have no judgment; they do not count" in done.err


def test_one_flag(votes: Path, errorbar: CommandLine) -> None:
    flags = votes.with_name("flags.csv")
    flags.write_text("item,flag\nx,1\ny,0\nextra,1\n", encoding="utf-8")
    refused = errorbar("crowd", "score", votes, flags)
    assert refused.code == 2
    assert "the judged item 'z' has no flag" in refused.err
    done = errorbar("crowd", "score", votes, flags, "--lenient", "--resamples", "10")
    assert "it counts as not flagged" in done.err
    assert "1 item of the system was not judged, 'extra'; it does not count" in done.err


def test_one_repeat() -> None:
    table = Judgments.from_columns("xxy", "aab", "EOE")
    with pytest.raises(UsageError, match=r"1 judgment repeats an item .*: 'a' of 'x'"):
        table.settled("refuse")
    several = Judgments.from_columns("xxxy", "aaab", "EOEE")
    with pytest.raises(UsageError, match="2 judgments repeat an item"):
        several.settled("refuse")
