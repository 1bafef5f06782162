"""``errorbar plan-judging``: the table as readers see it, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errorbar.demo import demo_files
from tests.helpers.cli import CommandLine

FEW = ("--pilots", "10")


def plan(errorbar: CommandLine, *options: str) -> dict[str, Any]:
    with demo_files() as (gold, (one, two, *_)):
        done = errorbar("plan-judging", "--gold", gold, one, two, *FEW, *options, "--format", "json")
    assert done.code == 0, done.err
    document: dict[str, Any] = json.loads(done.out)
    return document


def test_systems_and_their_differences(errorbar: CommandLine) -> None:
    document = plan(errorbar)
    assert [one["name"] for one in document["targets"]] == ["careful", "greedy", "careful − greedy"]
    assert [one["title"] for one in document["designs"]] == ["6×3", "+200 sentences", "+1 judge", "+21 sentences"]
    assert (document["k"], document["n_texts"], document["n_judges"]) == (2, 6, 3)
    for target in document["targets"]:
        here, *more = target["half_widths"]
        assert all(each < here for each in more)


def test_half_widths_are_made_of_the_components(errorbar: CommandLine) -> None:
    document = plan(errorbar, "--have", "10x2", "--design", "40x4", "--confidence", "0.9")
    first = document["targets"][0]
    parts, widths = first["components"], first["half_widths"]
    variance = parts["judges"] / 4 + parts["texts"] / 40 + parts["both"] / 160
    assert widths[-1] == pytest.approx(1.6448536 * variance**0.5)
    assert document["designs"][-1]["judgments"] == round((40 * 4 - 10 * 2) * 63 / 6)


def test_the_best_split_costs_no_more_than_the_budget(errorbar: CommandLine) -> None:
    document = plan(errorbar, "--minutes", "2", "--budget", "35h")
    assert document["budget"] == 35 * 60 / 2
    for target in document["targets"]:
        best = target["best"]
        assert best["n_texts"] * best["n_judges"] * 63 / 6 <= document["budget"]
        assert best["n_judges"] >= 2
        same = 35 * 60 / 2 / (63 / 6)
        parts = target["components"]
        for m in range(2, 20):  # no other whole number of judges would do better
            n = same // m
            if n >= 2:
                other = parts["judges"] / m + parts["texts"] / n + parts["both"] / (n * m)
                assert best["half_width"] <= 1.96 * other**0.5 * 1.02
    hours = [one["hours"] for one in document["designs"]]
    assert hours == [one["judgments"] * 2 / 60 for one in document["designs"]]


def test_the_table_says_what_it_is(errorbar: CommandLine) -> None:
    with demo_files() as (gold, (one, *_)):
        done = errorbar("plan-judging", "--gold", gold, one, *FEW, "--minutes", "1", "--budget", "500")
    assert "half-width in points of the 95% interval of F0.5 against 2 judges, over texts and judges" in done.out
    assert "judges × " in done.out
    assert "hours" in done.out
    assert "|plan:k:2,0.95,by:document:" in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--have", "50"), "a design must be texts by judges, such as 50x2"),
        (("--design", "50x1"), "a design must be texts by judges, such as 50x2"),
        (("--budget", "10h"), "a budget in hours needs the minutes"),
        (
            ("--budget", "much"),
            "the budget must be a number of judgments of a sentence, or hours such as 40h, got 'much'",
        ),
        (("--references", "4"), "error: --references 4 with 3 judges (expected 1 to 3) [subset-size]"),
        (("--metric", "m2(choose=0)"), "a plan needs at least two annotators"),
        (("--metric", "hoo"), "[metric-input]"),
    ],
)
def test_what_is_refused(errorbar: CommandLine, options: tuple[str, ...], message: str) -> None:
    with demo_files() as (gold, (one, *_)):
        done = errorbar("plan-judging", "--gold", gold, one, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_few_judges_are_said_and_a_sentence_is_not_called_a_sentence(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    edits = "A 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\nA 1 2|||Det|||Y|||REQUIRED|||-NONE-|||1\n"
    Path("two.m2").write_text(f"S a b .\n{edits}\n" * 3)
    Path("three").write_text("X b .\na Y .\nX Y .\n")
    done = errorbar("plan-judging", "--gold", "two.m2", "three", "--pilots", "0")
    assert "2 judges tell little of how judges vary: the plan is a rough guess" in done.err
    assert "[two-judges]" in done.err
    assert "judgments: of a sentence by a judge, beyond the first column\n" in done.out
    with demo_files() as (gold, (one, *_)):
        assert "[few-judges]" in errorbar("plan-judging", "--gold", gold, one, "--pilots", "0").err


def test_one_annotator_and_one_sentence_are_refused(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = "S a b .\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n"
    Path("one.m2").write_text((one + "\n") * 3)
    Path("two.m2").write_text(one + "A 1 2|||Det|||Y|||REQUIRED|||-NONE-|||1\n\n")
    Path("three").write_text("X b .\n" * 3)
    Path("single").write_text("X b .\n")
    assert "[one-annotator]" in errorbar("plan-judging", "--gold", "one.m2", "three").err
    assert "[one-unit]" in errorbar("plan-judging", "--gold", "two.m2", "single").err


def test_a_chart_is_drawn(errorbar: CommandLine, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    with demo_files() as (gold, (one, *_)):
        done = errorbar("plan-judging", "--gold", gold, one, "--pilots", "0", "--chart", tmp_path / "plan.svg")
        refused = errorbar("plan-judging", "--gold", gold, one, "--chart", tmp_path / "plan.txt")
    assert "name a file that ends in .svg, .png or .pdf [output-format]" in refused.err
    assert done.code == 0
    drawn = (tmp_path / "plan.svg").read_text()
    assert "half-width of careful (points)" in drawn
    assert "12 documents" in drawn
    assert "judgments" in drawn
    assert (refused.code, refused.out) == (2, "")
