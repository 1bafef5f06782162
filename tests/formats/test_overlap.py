"""The dialect of M2 in which edits of one annotator may overlap, as the scheme of EstGEC-L2 has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import errorbar as package
from errorbar.core import InputError
from tests.helpers.build import edit
from tests.helpers.cli import CommandLine

M2 = """S Ta elab seal koos perega linnas .
A 2 3|||R:LEX|||siin|||REQUIRED|||-NONE-|||0
A 2 5|||R:WO|||koos perega seal|||REQUIRED|||-NONE-|||0
A 6 6|||M:PUNCT|||,|||REQUIRED|||-NONE-|||0

S Tere !
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""
DIALECT = "m2(overlap=allowed)"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(M2)
    (tmp_path / "system").write_text("Ta elab koos perega seal linnas .\nTere !\n")
    return tmp_path / "gold.m2"


def test_overlapping_edits_are_refused_and_the_dialect_is_named(gold: Path, errorbar: CommandLine) -> None:
    done = errorbar("score", "--gold", gold, gold.parent / "system")
    assert done.code == 2
    assert "the edit 2 5 overlaps the edit 2 3" in done.err
    assert f"errorbar convert --from '{DIALECT}'" in done.err


def test_the_dialect_keeps_every_edit_without_a_word(gold: Path, errorbar: CommandLine) -> None:
    kept = gold.with_suffix(".jsonl")
    done = errorbar("convert", gold, "--from", DIALECT, "-o", kept)
    assert (done.code, done.err) == (0, "")
    assert json.loads(kept.read_text().splitlines()[0])["overlap"] == "allowed"
    corpus = package.read_corpus(kept)
    assert corpus.notes == []
    assert corpus.sentences[0].annotations["0"] == (
        edit(2, 3, "siin", kind="R:LEX"),
        edit(2, 5, "koos perega seal", kind="R:WO"),
        edit(6, 6, ",", kind="M:PUNCT"),
    )
    again = errorbar("convert", kept, "--to", "m2")
    assert again.out == M2


def test_scored_with_either_of_two_edits_that_overlap(gold: Path, errorbar: CommandLine) -> None:
    """At most one of the two can match; the other counts in recall, and so does the comma: 1 of 3."""
    kept = gold.with_suffix(".jsonl")
    package.convert(gold, kept, from_=DIALECT)
    (order,) = package.score(kept, [gold.parent / "system"], ci=False).scores
    assert order.counts == {"correct": 1, "proposed": 1, "gold": 3}
    (gold.parent / "system").write_text("Ta elab siin koos perega linnas .\nTere !\n")
    (word,) = package.score(kept, [gold.parent / "system"], ci=False).scores
    assert word.counts == {"correct": 1, "proposed": 1, "gold": 3}
    assert errorbar("agree", "--gold", kept).code == 2  # one annotator agrees with nobody
    assert errorbar("check", kept).code == 0


def test_other_faults_are_faults_all_the_same(gold: Path) -> None:
    gold.write_text(M2.replace("A 6 6", "A 6 9"))
    with pytest.raises(InputError, match="the span 6 9 is outside"):
        package.convert(gold, to="jsonl", from_=DIALECT)


def test_a_dialect_that_is_none(gold: Path, errorbar: CommandLine) -> None:
    done = errorbar("convert", gold, "--from", "m2(overlap=sometimes)", "--to", "jsonl")
    assert "no format 'm2(overlap=sometimes)'" in done.err
