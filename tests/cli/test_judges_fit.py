"""``errorbar judges fit``: constants of one's own corpus, which ``--judges`` takes, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorbar.demo import demo_files
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

FEW = ("--draws", "40")


def test_the_file_is_what_scores_lean_on(errorbar: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    with demo_files() as (gold, (one, two, *_)):
        done = errorbar("judges", "fit", "--gold", gold, one, two, *FEW, "--save", str(file), "--format", "json")
        assert done.code == 0, done.err
        document = validated("judges-fit", done.out)
        scored = errorbar("score", "--gold", gold, "--judges", f"random(k=2,population={file})", one)
    assert scored.code == 0, scored.err
    assert json.loads(file.read_text(encoding="utf-8")) == document["population"]
    assert "|judges:random,k:2,population:own:" in scored.out
    assert "lean on how the 3 judges of" in scored.err


def test_constants_of_a_held_out_system_are_not_taken(errorbar: CommandLine) -> None:
    with demo_files() as (gold, (one, two, *_)):
        plain, held = (
            json.loads(errorbar("judges", "fit", "--gold", gold, one, two, *FEW, *more, "--format", "json").out)
            for more in ((), ("--hold-out", "greedy", "--hold-out", "2"))
        )
    names = {text["name"] for text in held["measures"][0]["systems"] if text["held_out"]}
    assert names == {"greedy", "2"}
    first, second = (document["population"]["tables"][0] for document in (plain, held))
    assert not names & {*second["fitted"]}
    assert first["constants"] != second["constants"]
    assert {group["held_out"] for group in held["measures"][0]["coverage"]} == {True, False}


def test_the_tables_say_what_they_are(errorbar: CommandLine) -> None:
    with demo_files() as (gold, (one, two, *_)):
        done = errorbar("judges", "fit", "--gold", gold, one, two, *FEW)
    assert "variance over judges, in squared points: " in done.out
    assert "how often 95% intervals hold the truth" in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--hold-out", "gredy"), "there is no system 'gredy' to hold out; did you mean 'greedy'? [unknown-system]"),
        (("--name", "my judges"), "its name must be of letters, digits, hyphens and underscores [bad-population]"),
        (("--metric", "m2(choose=0)"), "scores against one annotator only"),
        (("--metric", "hoo"), "[metric-input]"),
    ],
)
def test_what_is_refused(errorbar: CommandLine, options: tuple[str, ...], message: str) -> None:
    with demo_files() as (gold, (one, two, *_)):
        done = errorbar("judges", "fit", "--gold", gold, one, two, *FEW, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_two_annotators_are_too_few(errorbar: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "two.m2").write_text(
        "S a b\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\nA 1 2|||Det|||Y|||REQUIRED|||-NONE-|||1\n\n" * 3
    )
    done = errorbar("judges", "fit", "--gold", str(tmp_path / "two.m2"))
    assert done.code == 2
    assert "constants of judges need at least three annotators, got 2" in done.err
