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
def test_check_reads_the_edits_of_a_system(errorbar: CommandLine, files: Path) -> None:
    done = errorbar("check", "--gold", "gold.m2", "it.m2")
    assert (done.code, done.out) == (0, "it.m2: 2 lines, 1 sentence changed, 2 edits; no problem\n")
    (files / "it.m2").write_text(SYSTEM.replace("It rain", "They rain"), encoding="utf-8")
    done = errorbar("check", "--gold", "gold.m2", "it.m2")
    assert done.code == 1
    assert "the system's edits are of another sentence: They rain ." in done.out
    assert "--retokenize is for texts" in errorbar("check", "--retokenize", "--gold", "gold.m2", "it.m2").err


@pytest.mark.parametrize(
    ("metric", "by", "said"),
    [
        ("errant(mode=cse)", (), "'R:NOUN', 'R:VERB:SVA' against 'ArtOrDet', 'SVA'): mode=cse finds no edit correct;"),
        ("errant", ("--by", "type"), "'R:NOUN', 'R:VERB:SVA' against 'ArtOrDet', 'SVA'): no type has both P and R;"),
        ("errant", (), ""),
        ("errant(mode=cse,without=SVA)", (), "'R:NOUN', 'R:VERB:SVA' against 'ArtOrDet'): mode=cse"),
        (
            "errant(without=R:NOUM)",
            (),
            "no edit has the type 'R:NOUM', which without= leaves out; did you mean 'R:NOUN'?",
        ),
        ('errant(without="R:NOUN UNK")', (), ""),
    ],
)
@pytest.mark.usefixtures("files")
def test_types_of_two_inventories_are_named(
    errorbar: CommandLine, files: Path, metric: str, by: tuple[str, ...], said: str
) -> None:
    other = GOLD.replace("R:VERB:SVA", "SVA").replace("R:DET", "ArtOrDet")
    (files / "gold.m2").write_text(other, encoding="utf-8")
    done = errorbar("score", "--metric", metric, *by, "--no-ci", "--gold", "gold.m2", "it.m2")
    assert done.code == 0
    assert said in done.err
    assert bool(done.notes) == bool(said)
    (files / "gold.m2").write_text(GOLD, encoding="utf-8")  # of one inventory there is nothing to say
    assert "types-differ" not in errorbar("score", "--metric", metric, *by, "--gold", "gold.m2", "it.m2").err


@pytest.mark.parametrize("level", ["type", "operation"])
@pytest.mark.parametrize("side", ["gold.m2", "it.m2"])
@pytest.mark.usefixtures("files")
def test_categories_of_other_types_are_refused(errorbar: CommandLine, files: Path, level: str, side: str) -> None:
    asked = ("score", "--metric", f"errant(level={level})", "--no-ci", "--by", "type", "--gold", "gold.m2", "it.m2")
    assert errorbar(*asked).code == 0
    path = files / side
    path.write_text(path.read_text(encoding="utf-8").replace("R:VERB:SVA", "SVA"), encoding="utf-8")
    done = errorbar(*asked)
    of = "the reference" if side == "gold.m2" else "the system"
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert (
        f"gold:1: level={level} is a part of ERRANT's types, and an edit of {of} has the type 'SVA' (expected"
        in done.err
    )


@pytest.mark.usefixtures("files")
def test_the_edits_of_a_system_can_be_jsonl(errorbar: CommandLine) -> None:
    errorbar("convert", "it.m2", "-o", "it.jsonl")
    rows = errorbar("score", "--metric", "errant", "--no-ci", "--gold", "gold.m2", "it.m2", "also=it.jsonl").out
    (it, also) = (line.split()[1:] for line in rows.splitlines() if line.startswith((" it", " also")))
    assert it == also


@pytest.mark.usefixtures("files")
def test_edits_of_other_sentences_are_those_of_a_file(errorbar: CommandLine, files: Path) -> None:
    (files / "other.m2").write_text(SYSTEM.replace("It rain .", "It rains ."), encoding="utf-8")
    said = errorbar("score", "--metric", "errant", "--gold", "gold.m2", "it.m2", "other.m2").err
    assert said.startswith("error: other.m2:5: the system's edits are of another sentence: It rains .")


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
    assert "edits of texts as ERRANT makes them need errant; in a checkout of errorbar: make errant" in result.err
    retokenized = errorbar("score", "--metric", "errant", "--no-ci", "--gold", "gold.m2", "--retokenize", "it.m2")
    assert "--retokenize is for texts, and this system is M2" in retokenized.err


@pytest.mark.usefixtures("files")
def test_texts_alone_are_asked_for_as_before(errorbar: CommandLine) -> None:
    result = errorbar("score", "--gold", "gold.m2", "it.m2")
    assert "this is M2, not plain text" in result.err
    result = errorbar("score", "--metric", "errant", "--retokenize", "--gold", "gold.m2", "it.m2")
    assert "--retokenize is for texts" in result.err
