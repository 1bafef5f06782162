"""``errorbar references``: what is typed, what is printed, and what is refused in one line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import errorbar as package
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

DEMO = Path(package.__file__).parent / "demo"
NAMES = ("careful", "greedy")
SYSTEMS = [DEMO / f"{name}.txt" for name in NAMES]
OWN = [word for name in NAMES for word in ("--reference-of", f"{name}={DEMO / 'edited' / name}.m2")]
CALL = ("references", "--gold", DEMO / "gold.jsonl", "--resamples", "100")


def test_the_table_has_every_gold_side_by_side(errorbar: CommandLine) -> None:
    others = ("--closest-of", DEMO / "gold.jsonl", "--independent", DEMO / "edited/greedy.m2")
    done = errorbar(*CALL, *OWN, *others, *SYSTEMS)
    assert done.code == 0
    head, _, first, *_ = done.out.splitlines()
    assert [head.count(name) for name in ("rank", "change", "95% CI")] == [4, 3, 7]
    order = [head.index(name) for name in ("common", "independent", "one of 3", "closest of 3", " own ")]
    assert order == sorted(order)
    assert first.split()[0] == "greedy"  # the best under the last gold
    assert "closest of 3: of each sentence the reference that scores the system best" in done.out
    assert "HTER" in done.out


def test_two_editors_are_drawn_anew_too(errorbar: CommandLine) -> None:
    swapped = zip(NAMES, reversed(NAMES), strict=True)
    more = [word for name, by in swapped for word in ("--reference-of", f"{name}=ann={DEMO / 'edited' / by}.m2")]
    done = errorbar(*CALL, *OWN, *more, *SYSTEMS)
    assert done.code == 0
    assert "texts+editors" in done.out.splitlines()[0]
    assert "own references are of one editor" not in done.out


def test_csv_and_json_have_all_digits(errorbar: CommandLine) -> None:
    first, _, _ = errorbar(*CALL, *OWN, *SYSTEMS, "--format", "csv").out.partition("\n\n")
    rows = list(csv.DictReader(io.StringIO(first)))
    document = validated("references", errorbar(*CALL, *OWN, *SYSTEMS, "--format", "json").out)
    own = [score for score in document["scores"] if score["gold"] == "own"]
    changes = {score["system"]: score["changes"]["f"]["value"] for score in own}
    assert {row["system"]: float(row["own_change"]) for row in rows} == changes


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), "one-gold"),
        (("--reference-of", "careful"), "reference-of-form"),
        (("--reference-of", f"careful={DEMO / 'edited/careful.m2'}"), "reference-of-missing"),
        (("--closest-of", DEMO / "gold.jsonl", "--no-ci", "--seed", "3"), "useless-option"),
        (("--seconds", DEMO / "crowd/truth.csv"), "table-column"),
    ],
)
def test_what_will_not_do_is_refused_in_one_line(errorbar: CommandLine, words: tuple[object, ...], code: str) -> None:
    done = errorbar(*CALL, *words, *SYSTEMS)
    assert (done.code, done.out) == (2, "")
    assert {line[-len(code) - 2 :] for line in done.err.splitlines()} == {f"[{code}]"}
