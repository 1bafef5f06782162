"""The metric over typed edits, whose systems are M2."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine

GOLD = """S I has a apple .
A 1 2|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||an|||REQUIRED|||-NONE-|||0

S It rain .
A 1 2|||R:VERB:SVA|||rains|||REQUIRED|||-NONE-|||0
"""
SYSTEM = """S I has a apple .
A 1 2|||R:VERB:SVA|||have|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN|||pear|||REQUIRED|||-NONE-|||0

S It rain .
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.m2").write_text(GOLD, encoding="utf-8")
    (tmp_path / "it.m2").write_text(SYSTEM, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("files")
def test_precision_is_by_type_too(errorbar: CommandLine) -> None:
    asked = ("score", "--metric", "errant", "--by", "type", "--no-ci", "--gold", "gold.m2", "it.m2")
    (row,) = json.loads(errorbar(*asked, "--format", "json").out)["rows"]
    assert (row["correct"], row["proposed"], row["gold"]) == (1, 2, 3)
    types = {each["type"]: (each["precision"], each["recall"]) for each in row["by_type"]}
    assert types == {"R:DET": (None, 0.0), "R:NOUN": (0.0, None), "R:VERB:SVA": (1.0, 0.5)}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ["compare", "ceiling", "report"])
def test_other_commands_take_m2_as_well(errorbar: CommandLine, files: Path, command: str) -> None:
    (files / "other.m2").write_text(SYSTEM.replace("pear", "pears"), encoding="utf-8")
    (files / "second.m2").write_text(SYSTEM, encoding="utf-8")
    gold = ("--gold", "a=gold.m2", "--gold", "b=second.m2", "--unmarked", "all")
    said = errorbar(
        command,
        "--metric",
        "errant",
        *gold,
        "it.m2",
        "other.m2",
        "-o",
        f"out.{'html' if command == 'report' else 'json'}",
    )
    assert said.code == 0, said.err


@pytest.mark.usefixtures("files")
def test_edits_join_the_signature(errorbar: CommandLine, files: Path) -> None:
    asked = ("score", "--metric", "errant", "--no-ci", "--gold", "gold.m2", "--format", "json")
    hashes = []
    for types in ("R:NOUN", "R:OTHER"):
        (files / "it.m2").write_text(SYSTEM.replace("R:NOUN", types), encoding="utf-8")
        hashes.append(json.loads(errorbar(*asked, "it.m2").out)["rows"][0]["signature"])
    assert hashes[0] != hashes[1]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SYSTEM.replace("It rain .", "It rains ."), "the system's edits are of another sentence: It rains ."),
        (SYSTEM.split("\n\n", maxsplit=1)[0] + "\n", "1 sentence for 2 sentences of the source"),
        (SYSTEM.replace("-NONE-|||0\nA 3", "-NONE-|||1\nA 3"), "must be one annotator's, got those of 0, 1"),
    ],
    ids=["sentence", "count", "annotators"],
)
def test_what_does_not_fit_is_refused(errorbar: CommandLine, files: Path, text: str, said: str) -> None:
    (files / "it.m2").write_text(text, encoding="utf-8")
    result = errorbar("score", "--metric", "errant", "--no-ci", "--gold", "gold.m2", "it.m2")
    assert result.code == 2
    assert said in result.err
    assert result.err.count("error:") == 1


@pytest.mark.usefixtures("files")
def test_a_text_needs_what_makes_its_edits(errorbar: CommandLine, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    (files / "it.txt").write_text("I have an apple .\nIt rains .\n", encoding="utf-8")
    result = errorbar("score", "--metric", "errant", "--no-ci", "--gold", "gold.m2", "it.txt")
    assert "edits of texts as ERRANT makes them need errant; in a checkout of errorbar: pip install" in result.err
    retokenized = errorbar("score", "--metric", "errant", "--no-ci", "--gold", "gold.m2", "--retokenize", "it.m2")
    assert "--retokenize is for texts, and this system is M2" in retokenized.err


@pytest.mark.usefixtures("files")
def test_texts_alone_are_asked_for_as_before(errorbar: CommandLine) -> None:
    result = errorbar("score", "--gold", "gold.m2", "it.m2")
    assert "this is M2, not plain text" in result.err
    result = errorbar("score", "--metric", "errant", "--retokenize", "--gold", "gold.m2", "it.m2")
    assert "--retokenize is for texts" in result.err
