"""The page of the loop, docs/loop.md: its commands on a small detector and small essays, and as they stand."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.detectors.small_tables import shrink_tables
from tests.detectors.test_detect import TAGGED, treebank
from tests.helpers.cli import CommandLine
from tests.pages import fits

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "loop.md").read_text(encoding="utf-8")
MEASURED = (ROOT / "tests/measured/loop.md").read_text(encoding="utf-8")
COMMANDS = (
    *("convert", "detect", "sample plan", "sample draw", "crowd judgments", "sample estimate", "crowd score"),
    *("crowd judgments", "sample rehearse"),
)
ESSAYS = [
    # Sentences, and how many of ten annotators call each preposition wrong, in the mean.
    ("She depends of him .", {2: 0.9}),
    ("She depends on him .", {2: 0.05}),
    ("They want to go at the sea .", {4: 0.5}),
    ("He lives in the city .", {2: 0.1}),
    ("We looked on the book of the girl .", {2: 0.7, 5: 0.05}),
    ("We looked at the book in the girl .", {5: 0.3}),
    ("The cat sat on the mat .", {3: 0.2}),
]


def steps() -> Iterator[tuple[str, str]]:
    """Each command of the page, and what it prints there."""
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def test_the_page_goes_through_the_loop() -> None:
    called = [" ".join(word for word in shlex.split(command)[1:3]) for command, _ in steps()]
    assert [name if name.split()[0] in ("sample", "crowd") else name.split()[0] for name in called] == [*COMMANDS]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> Path:
    """Models of a few sentences, and ten annotators of 700 prepositions."""
    monkeypatch.chdir(tmp_path)
    shrink_tables(monkeypatch)
    plain = "\n".join(" ".join(t.rsplit("/", 1)[0] for t in line.split()) for line in TAGGED.splitlines())
    Path("native.txt").write_text(f"{plain}\n" * 30, encoding="utf-8")
    Path("bank.conllu").write_text(treebank(), encoding="utf-8")
    assert errorbar("train", "native.txt", "--treebank", "bank.conllu", "--part", "tagger", "--part", "me").code == 0
    rng = np.random.default_rng(2008)
    Path("bn2015").mkdir()
    for rater in range(1, 11):
        lines = []
        for text, wrong in ESSAYS * 70:
            said = [at for at, share in wrong.items() if rng.random() < share]
            edits = [f"A {at} {at + 1}|||Prep|||x|||REQUIRED|||-NONE-|||0" for at in said]
            lines += [f"S {text}", *(edits or ["A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"]), ""]
        Path(f"bn2015/A{rater}.m2").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def printed(errorbar: CommandLine, command: str, *more: str) -> str:
    done = errorbar(*shlex.split(command)[1:], *more)
    assert done.code == 0, done.err
    return done.out


@pytest.mark.usefixtures("small")
def test_the_loop_closes_on_a_small_corpus(errorbar: CommandLine) -> None:
    """Every command takes what those before wrote, and the estimates are those of what is estimated."""
    found = {}
    for command, _ in steps():
        name = " ".join(shlex.split(command)[1:3])
        more = ("--repetitions", "100") if name == "sample rehearse" else ()
        wanted = name in ("sample estimate", "crowd score", "sample rehearse")
        text = printed(errorbar, command, *more, *(("--format", "json") if wanted else ()))
        if wanted:
            found[name] = json.loads(text)
    (weighted, _) = found["crowd score"]["rows"]
    truth = {name: weighted[name]["value"] for name in "PRF"}
    assert 0.3 < truth["P"] < 0.9
    assert 0.3 < truth["R"] < 0.95
    for row in found["sample estimate"]["systems"][0]["estimates"]:
        if row["name"] in truth:
            assert row["interval"]["low"] <= truth[row["name"]] <= row["interval"]["high"]
    for row in found["sample rehearse"]["rows"]:
        assert row["truth"] == pytest.approx(truth[row["name"]])
        assert abs(row["bias"]["value"]) < row["half_width"] / 3
        assert row["coverage"]["value"] >= 0.9
    judgments = found["sample rehearse"]["judgments"]
    assert (judgments["sample"], judgments["all"]) == (5000, 7000)


@pytest.mark.measured
def test_the_page_has_the_rows_that_were_measured(
    data: Path, trained: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The page's commands print what it has; then thirteen thousand samples."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    Path("bn2015").symlink_to(data / "bn2015_10gec")
    Path("models").symlink_to(trained)
    for command, output in steps():
        text = printed(errorbar, command)
        assert fits(output, text), f"{command}\n{text}"
    one = "errorbar crowd judgments bn2015/A1.m2 --items words --labels type=Prep --lenient -o one.csv"
    printed(errorbar, one)
    rows = re.findall(r"^\| ((?:`A1`|ten|three|one)[^|]*) \| ([\d,]+) \| (.*) \|$", MEASURED, re.MULTILINE)
    assert len(rows) == 13
    for judges, items, rest in rows:
        asked = {"three of": ("--raters", "3"), "one of": ("--raters", "1")}
        more: tuple[str, ...] = next((words for start, words in asked.items() if judges.startswith(start)), ())
        more += ("--truth", "graded") if "graded" in judges else ()
        file = "one.csv" if "A1" in judges else "votes.csv"
        command = f"errorbar sample rehearse me.csv --judged {file} --target F --budget {items.replace(',', '')}"
        found = json.loads(printed(errorbar, command, "--format", "json", *more))
        assert _row(found) == f"{found['judgments']['sample']:,} | {rest.split(' | ', 1)[1]}", judges


def _row(found: dict) -> str:  # type: ignore[type-arg]  # JSON
    cells = [f"{found['judgments']['sample']:,}"]
    for row in found["rows"][:2]:
        bias, ends = row["bias"]["value"], row["bias"]["interval"]
        share, of = row["coverage"]["value"], row["coverage"]["interval"]
        signed = [
            f"{100 * value:+.2f}".replace("-", "−") for value in (bias, *filter(None, (ends["low"], ends["high"])))
        ]
        cells += [
            f"{100 * row['truth']:.2f}",
            f"{signed[0]} ({signed[1]} to {signed[2]})" if ends["low"] is not None else "0",
        ]
        cells += ["–" if row["half_width"] is None else f"{100 * row['half_width']:.2f}"]
        cells += [f"{100 * share:.1f} ({100 * of['low']:.1f}–{100 * of['high']:.1f})"]
    return " | ".join(cells)
