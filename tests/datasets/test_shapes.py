"""Texts of our own in the shapes of corpora that are not at hand: each is checked, scored and agreed on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import errorbar as package
from tests.helpers.cli import CommandLine

UKRAINIAN = """S Я незнаю , де він живе .
A 1 2|||Spelling|||не знаю|||REQUIRED|||-NONE-|||0
A 1 2|||Spelling|||не знаю|||REQUIRED|||-NONE-|||1

S Вона пішла в школу і там чекала .
A 2 3|||G/Prep|||до|||REQUIRED|||-NONE-|||0
A 3 4|||G/Case|||школи|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S Сьогодні тепло .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

"""
"""As UA-GEC: two annotators, NUCLE's kind of M2, types of its own."""


def test_ukrainian_of_two_annotators(tmp_path: Path, errorbar: CommandLine) -> None:
    """Against annotator 0 the system has 1 of 2 right and misses 2; annotator 1 is chosen where that is better.

    α of tokens: of 18 tokens both annotators mark one and one alone marks two; of the 36 labels 4 are errors. So 2 of
    18 tokens disagree, where 2 · 4 · 32 / (36 · 35) would by chance: α = 1 − (2 / 18) / (256 / 1260) = .453125.
    """
    gold, system = tmp_path / "gec-only.test.m2", tmp_path / "system"
    gold.write_text(UKRAINIAN)
    system.write_text("Я не знаю , де він живе .\nВона пішла в школу і тут чекала .\nСьогодні тепло .\n")
    assert errorbar("check", gold).code == 0
    (row,) = json.loads(errorbar("score", "--gold", gold, system, "--no-ci", "--format", "json").out)["rows"]
    assert (row["correct"], row["proposed"], row["gold"]) == (1, 2, 1)
    (alone,) = package.score(gold, [system], metric="m2(choose=0)", ci=False).scores
    assert alone.counts == {"correct": 1, "proposed": 2, "gold": 3}
    agreement = json.loads(errorbar("agree", gold, "--items", "tokens", "--no-ci", "--format", "json").out)
    assert agreement["coefficients"]["krippendorff"]["value"] == pytest.approx(0.453125)
    typed = errorbar("convert", gold, "--edits", "universal", "--to", "m2").out
    assert [line.split("|||")[1] for line in typed.splitlines() if line.startswith("A") and "noop" not in line] == [
        *("R:SPACE", "R:SPACE"),
        *("R:WORD", "R:WORD"),
    ]


LABELS = {
    "czech": "Mám\tc\nvelkou\tc\nrodynu\ti\n.\tc\n\nTak\tc\nnemohla\ti\njsem\ti\n.\tc\n",
    "english": "He\tc\ngo\ti\nhome\tc\n.\tc\n",
    "german": "Das\tc\nHäuser\ti\nist\ti\ngroß\tc\n.\tc\n",
    "italian": "Vado\tc\nalla\ti\ncasa\tc\n.\tc\n",
    "swedish": "Jag\tc\när\ti\nkomma\ti\nhär\tc\n.\tc\n",
}


@pytest.mark.parametrize("language", LABELS)
def test_labels_have_the_counts_of_multiged(language: str, tmp_path: Path, errorbar: CommandLine) -> None:
    """MultiGED's eval.py counts line by line: both i, or one of the two sides i alone."""
    reference = LABELS[language].splitlines()
    system = [line if at % 3 else line[:-1] + "i" for at, line in enumerate(reference)]
    system = [line[:-1] + "c" if at % 4 == 1 and line else line for at, line in enumerate(system)]
    system = ["" if line in ("i", "c") else line for line in system]
    pairs = [(ours[-1], theirs[-1]) for ours, theirs in zip(system, reference, strict=True) if theirs]
    counts = [sum(pair == wanted for pair in pairs) for wanted in (("i", "i"), ("i", "c"), ("c", "i"))]
    (tmp_path / "gold.tsv").write_text("\n".join(reference) + "\n")
    (tmp_path / "system.tsv").write_text("\n".join(system) + "\n")
    assert errorbar("check", tmp_path / "gold.tsv").code == 0
    done = errorbar("score", "--gold", tmp_path / "gold.tsv", tmp_path / "system.tsv", "--no-ci", "--format", "json")
    (row,) = json.loads(done.out)["rows"]
    assert [row["correct"], row["proposed"] - row["correct"], row["gold"] - row["correct"]] == counts


CHERRANT = """S 我 昨 天 去 了 学 校 。
T0 没有错误
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S 他 喜 欢 吃 平 果
T0-A0 他 喜 欢 吃 苹 果 。
A 4 5|||S|||苹|||REQUIRED|||-NONE-|||0
A 6 6|||M|||。|||REQUIRED|||-NONE-|||0
T1-A0 他 爱 吃 苹 果 。
A 1 3|||S|||爱|||REQUIRED|||-NONE-|||1
A 4 5|||S|||苹|||REQUIRED|||-NONE-|||1
A 6 6|||M|||。|||REQUIRED|||-NONE-|||1

"""


def test_edits_of_cherrant(tmp_path: Path, errorbar: CommandLine) -> None:
    """Of the two answers the first is nearer: both of its edits are found, and one more is proposed."""
    gold, edits, text = tmp_path / "gold.m2", tmp_path / "system.m2", tmp_path / "system"
    gold.write_text(CHERRANT)
    edits.write_text(
        "S 我 昨 天 去 了 学 校 。\nT0-A0 x\nA 4 5|||R|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
        "S 他 喜 欢 吃 平 果\nA 4 5|||S|||苹|||REQUIRED|||-NONE-|||0\nA 6 6|||M|||。|||REQUIRED|||-NONE-|||0\n"
    )
    assert errorbar("check", gold).code == 0
    (score,) = package.score(gold, [edits], metric="errant", ci=False).scores
    assert score.counts == {"correct": 2, "proposed": 3, "gold": 2}
    text.write_text("我昨天去学校。\n他喜欢吃苹果。\n")
    (of_text,) = package.score(gold, [text], tokens="characters", ci=False).scores
    assert of_text.counts == score.counts


def test_german_texts(tmp_path: Path, errorbar: CommandLine) -> None:
    """As Falko-MERLIN: a source and its corrected version, one annotator."""
    source, target, system = (tmp_path / f"fm-test.{ending}" for ending in ("src", "trg", "out"))
    source.write_text("Die Hunde bellt laut .\nIch habe kein Job\n")
    target.write_text("Die Hunde bellen laut .\nIch habe keinen Job .\n")
    system.write_text("Die Hunde bellen laut .\nIch habe keine Job .\n")
    done = errorbar("score", "--source", source, "--reference", target, system, "--no-ci", "--format", "json")
    (row,) = json.loads(done.out)["rows"]
    assert (row["correct"], row["proposed"], row["gold"]) == (2, 3, 3)
