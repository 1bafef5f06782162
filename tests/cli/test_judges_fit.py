"""``errorbar judges fit``: constants of one's own corpus, which ``--judges`` takes, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errorbar import fit_judges
from errorbar.core import UsageError
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
        (("--metric", "m2", "--metric", "m2(beta=0.5)"), "the metric m2 is named twice; name it once [two-choices]"),
        (
            [word for name in ("0", "1", "2", "careful", "greedy") for word in ("--hold-out", name)],
            "no system is left to fit: all of them, annotators' texts too, are held out; hold out fewer",
        ),
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


EDIT = "A 0 1|||Det|||X|||REQUIRED|||-NONE-|||{}\n"


def test_judges_who_agree_fully_show_no_variance(errorbar: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "same.m2").write_text(f"S a b\n{''.join(map(EDIT.format, range(3)))}\n" * 30)
    done = errorbar("judges", "fit", "--gold", tmp_path / "same.m2", *FEW)
    assert done.code == 2
    assert "judges agree fully: scores large enough to show how they vary are the same against each of them" in done.err
    assert "8 %" not in done.err


def test_systems_that_are_too_small_are_said_to_be(errorbar: CommandLine, tmp_path: Path) -> None:
    corrections = ("XXYYXY", "XYXYYX", "YXXYXX")  # of six sentences, by each of three annotators
    lines = ["".join(EDIT.format(k).replace("X", own[n]) for k, own in enumerate(corrections)) for n in range(6)]
    (tmp_path / "small.m2").write_text("".join(f"S a b\n{line}\n" for line in lines))
    done = errorbar("judges", "fit", "--gold", tmp_path / "small.m2", *FEW)
    assert "no system to fit is large enough to say how judges vary: its error over texts is above 8 %" in done.err


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"exponent": float("nan")}, "exponent must be from 0 to 10, got nan [bad-parameter]"),
        ({"exponent": -1.0}, "exponent must be from 0 to 10, got -1.0 [bad-parameter]"),
        ({"df": 0.0}, "df must be from 1 to 1,000, got 0.0 [bad-parameter]"),
        ({"floor": -5.0}, "floor must be above 0 and at most 1,000,000, got -5.0 [bad-parameter]"),
        ({"jobs": 0}, "jobs must be at least 1, got 0 [jobs]"),
        ({"draws": -1}, "draws must be at least 0, got -1 [bad-parameter]"),
        ({"up_to": 6}, "up_to must be from 1 to 5, got 6 [bad-parameter]"),
        ({"confidence": 1.0}, "[confidence-level]"),
    ],
)
def test_python_refuses_what_the_command_refuses_before_it_reads(argument: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        fit_judges("no such file", **argument)
    assert message in str(caught.value)


def test_the_signature_says_how_it_was_simulated_and_escapes_names() -> None:
    with demo_files() as (gold, (one, two, *_)):
        fitted = fit_judges(gold, {"a|b,c": one, "greedy": two}, hold_out=["a|b,c"], draws=7, confidence=0.9)
    assert "|held-out:a%7Cb%2Cc|by:document:" in fitted.signature
    assert "|draws:7,0.9|seed:0|" in fitted.signature


def test_constants_of_few_systems_are_said() -> None:
    with demo_files() as (gold, (one, two, *_)):
        fitted = fit_judges(gold, [one, two], draws=0)
    notes = [str(note) for note in fitted.notes]
    said = "constants of m2 F0.5 against 2 judges rest on careful and greedy alone; give more systems, of different"
    assert any(note.startswith(said) and note.endswith("[few-systems-fit]") for note in notes)
    assert not any("against 1 judge " in note for note in notes)
