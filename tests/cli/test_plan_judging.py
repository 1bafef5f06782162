"""``errorbar plan-judging``: the table as readers see it, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import errorbar as library
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
    assert (document["k"], document["n_texts"], document["n_judges"]) == (None, 6, 3)
    for target in document["targets"]:
        here, *more = target["planned"]
        assert all(one["half_width"] < here["half_width"] for one in more)
        assert all(one["low"] < one["half_width"] < one["high"] for one in target["planned"])
        assert all(one["found"] is None for one in target["planned"])


def test_what_is_planned_is_what_score_and_compare_print(errorbar: CommandLine) -> None:
    """For as many texts and judges: the printed half-width is one of those that the plan expects, near the middle."""
    document = plan(errorbar, "--pilots", "0")
    with demo_files() as (gold, (one, two, *_)):
        scored = json.loads(errorbar("score", "--gold", gold, one, two, "--format", "json", "--order", "input").out)
        compared = json.loads(errorbar("compare", "--gold", gold, one, two, "--swaps", "99", "--format", "json").out)
    judged = [each["judges"]["measures"]["f"]["interval"] for each in scored["rows"]]
    judged.append(compared["pairs"][0]["judges"]["interval"])
    for target, interval in zip(document["targets"], judged, strict=True):
        half = (interval["high"] - interval["low"]) / 2
        here = target["planned"][0]
        assert here["low"] < half < here["high"]
        assert here["half_width"] == pytest.approx(half, rel=0.3)


def test_two_judges_at_a_time_from_half_of_what_there_is(errorbar: CommandLine) -> None:
    options = ("--judges", "random(k=2)", "--have", "10x2", "--design", "40x4", "--confidence", "0.9")
    document = plan(errorbar, *options)
    assert document["k"] == 2
    assert "|plan:k:2,0.9," in document["signature"]
    assert document["designs"][-1]["judgments"] == round((40 * 4 - 10 * 2) * 63 / 6)
    wider = plan(errorbar, "--judges", "random(k=2)", "--have", "10x2", "--design", "40x4")
    for narrow, wide in zip(document["targets"], wider["targets"], strict=True):
        assert narrow["planned"][-1]["half_width"] < wide["planned"][-1]["half_width"]
        assert narrow["planned"][-1]["half_width"] < narrow["planned"][0]["half_width"]


def test_how_likely_a_difference_is_found(errorbar: CommandLine) -> None:
    chances = []
    for points in ("1", "10", "40"):
        document = plan(errorbar, "--difference", points, "--pilots", "0", "--have", "25x3")
        assert document["difference"] == float(points) / 100
        *scores, apart = document["targets"]
        assert all(one["found"] is None for each in scores for one in each["planned"])
        chances.append([one["found"] for one in apart["planned"]])
    small, middle, large = (each[0] for each in chances)
    assert small < 0.1 < middle < large < 1
    assert chances[1][1] > middle  # more sentences find it more often


def test_rows_that_add_nothing_are_left_out(errorbar: CommandLine) -> None:
    """As many judgments as one judge of 1,000 would cost are not even a sentence more."""
    document = plan(errorbar, "--have", "6x1000", "--pilots", "0")
    assert [one["title"] for one in document["designs"]] == ["6×1000", "+200 sentences", "+1 judge"]


def test_the_signature_says_how_many_pilots_were_drawn(errorbar: CommandLine) -> None:
    assert "|pilots:10|seed:0|" in plan(errorbar)["signature"]
    assert "|pilots:" not in plan(errorbar, "--pilots", "0")["signature"]


def test_pilots_that_can_plan_nothing_are_wider_than_any() -> None:
    """Of ten with four of eight sentences four can plan nothing: the widest of the others is not the 90% quantile.

    Of eleven one can plan nothing, and the tenth is the 90% quantile.
    """
    rng = Random(0)
    texts = {
        str(k): [" ".join(word if rng.random() < 0.6 else word.upper() for word in "abcd") for _ in range(8)]
        for k in range(4)
    }
    system = {"it": ["A b c d", "a B c d"] * 4}
    result, eleven = (
        library.plan_judging(source=["a b c d"] * 8, gold=texts, systems=system, n_pilots=n, seed=seed)
        for n, seed in ((10, 0), (11, 9))
    )
    whole, half = result.pilots
    assert (whole.n_pilots, half.n_pilots) == (6, 6)  # of six pairs of judges, and of ten drawn pilots
    assert None not in (whole.low, whole.median, whole.high, half.low, half.median)
    assert half.high is None
    assert eleven.pilots[1].n_pilots == 10
    assert eleven.pilots[1].high is not None
    plan, pilots = result.tables()
    assert "pilots that could plan nothing" in pilots.notes[0]
    assert any("there will be no interval, because nearly every value will be possible" in note for note in plan.notes)


def test_few_texts_find_nothing_or_what_swaps_find(errorbar: CommandLine) -> None:
    """``compare`` rejects with fewer than 25 texts only where swaps do so too, whose least p is 2/2^n."""
    options = ("--difference", "40", "--pilots", "0", "--design", "24x3", "--design", "25x3")
    for have, least in (("5x3", 0.0), ("6x3", None)):
        planned = plan(errorbar, *options, "--have", have)["targets"][-1]["planned"]
        assert [planned[at]["found"] for at in (0, 4)] == [least, None]
        assert planned[5]["found"] > 0.5
    assert plan(errorbar, *options, "--confidence", "0.99")["targets"][-1]["planned"][0]["found"] == 0
    with demo_files() as (gold, (one, two, *_)):
        shown = errorbar("plan-judging", "--gold", gold, one, two, *options, "--have", "5x3").out
    assert "found of fewer than 25 documents: p is the larger of two" in shown


def test_judges_who_vary_little_by_another_population(errorbar: CommandLine, tmp_path: Path) -> None:
    table = {"metric": "m2", "measure": "f", "floor": 0.1, "constants": {"1": 1, "2": 0.5, "3": 0.3, "4": 0.2}}
    record = {"format": "errorbar-judge-population", "version": 1, "name": "alike", "described": "the same", "df": 50}
    path = tmp_path / "alike.json"
    path.write_text(json.dumps(record | {"tables": [table]}))
    alike = plan(errorbar, "--judges", f"random(population={path})")
    assert "|population:alike:" in alike["signature"]
    none = plan(errorbar, "--judges", "random(population=none)")
    assert "|population:" not in none["signature"]
    known = plan(errorbar)
    first, usual, own = (each["targets"][0]["planned"][0] for each in (alike, known, none))
    assert first["half_width"] < usual["half_width"]
    assert own["high"] is None or own["high"] > usual["high"]


def test_one_judge_of_a_known_population_can_plan(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of F0.5 it is known how others vary, of F0.7 it is not, and a plan is refused."""
    monkeypatch.chdir(tmp_path)
    edits = "A 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n"
    Path("one.m2").write_text("".join(f"S a b .\n{edits if n % 3 else ''}\n" for n in range(30)))
    Path("system").write_text("X b .\na Y .\nX Y .\n" * 10)
    done = errorbar("plan-judging", "--gold", "one.m2", "system", "--design", "60x2", "--format", "json")
    assert done.code == 0
    planned = json.loads(done.out)["targets"][0]["planned"]
    assert planned[-1]["half_width"] < planned[0]["half_width"] < planned[0]["high"]
    assert "one judge does not show how judges vary: the plan is rough" in done.out
    refused = errorbar("plan-judging", "--gold", "one.m2", "system", "--metric", "m2(beta=0.7)")
    assert "[one-annotator]" in refused.err


def test_the_best_split_costs_no_more_than_the_budget(errorbar: CommandLine) -> None:
    document = plan(errorbar, "--minutes", "2", "--budget", "35h", "--pilots", "0", "--judges", "random(k=2)")
    assert document["budget"] == 35 * 60 / 2
    texts = document["budget"] / (63 / 6)
    others = [f"{int(texts // m)}x{m}" for m in range(2, 9)]
    designs = [word for other in others for word in ("--design", other)]
    tried = plan(errorbar, *designs, "--pilots", "0", "--judges", "random(k=2)")
    for target, other in zip(document["targets"], tried["targets"], strict=True):
        best = target["best"]
        assert best["n_texts"] * best["n_judges"] <= texts
        assert best["n_judges"] >= 2
        assert best["half_width"] <= min(one["half_width"] for one in other["planned"][4:])
    hours = [one["hours"] for one in document["designs"]]
    assert hours == [one["judgments"] * 2 / 60 for one in document["designs"]]


def test_the_table_says_what_it_is(errorbar: CommandLine) -> None:
    with demo_files() as (gold, (one, two, *_)):
        options = ("--minutes", "1", "--budget", "500", "--difference", "5")
        done = errorbar("plan-judging", "--gold", gold, one, two, *FEW, *options)
    assert "half-width in points to expect of the 95% interval of F0.5 over texts and judges, against all" in done.out
    assert "found: how likely a true difference of 5 points has p ≤ 0.05 for the pair alone" in done.out
    assert "against more than 3 judges the score is another one that nobody knows yet" in done.out
    assert "best: " in done.out
    assert "hours" in done.out
    assert "± by all" in done.out
    assert "|plan:k:all,0.95,by:document:" in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--have", "50"), "a design must be texts by judges, such as 50x2"),
        (("--design", "1x2"), "a design must be texts by judges, such as 50x2"),
        (("--design", "50x1", "--judges", "random(k=2)"), "with at least 2 texts and 2 judges, got '50x1'"),
        (("--difference", "3"), "a difference is one of two systems, and there is one"),
        (("--judges", "fixed"), "a plan is about other judges: --judges fixed leaves nothing to plan"),
        (("--budget", "10h"), "a budget in hours needs the minutes"),
        (
            ("--budget", "much"),
            "the budget must be a number of judgments of a sentence, or hours such as 40h, got 'much'",
        ),
        (("--judges", "random(k=4)"), "error: sets of 4 judges need at least 4, got 3 (expected 1 to 3) [subset-size]"),
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
    assert "2 judges hardly show how judges vary: the plan is rough" in done.err
    assert "[two-judges]" in done.err
    assert "judgments: of a sentence by a judge, beyond the first design\n" in done.out
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
    assert "[one-annotator]" in errorbar("plan-judging", "--gold", "one.m2", "three", "--metric", "m2(beta=0.7)").err
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
