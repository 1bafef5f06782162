"""White space in corrections: compared as written, as the official scorer does, and named by ``errorbar check``.

The official M2 scorer, release 3.2, splits the third field at ``||``, takes an alternative that is ``-NONE-`` to the
letter for a deletion, strips the others, and compares them with the hypothesis tokens joined by one space. It finds no
match for ``has  gone`` in ``has gone``.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.edits import MatchRules, apply_edits, match_corpus
from errorbar.edits.matching import COMPILED
from errorbar.formats import read_corpus
from tests.helpers.cli import CommandLine

needs_kernel = pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")
NBSP, EM, NEL, TAB = "\xa0", "\u2003", "\x85", "\t"

# correction, hypothesis, whether it matches, whether it is named
CASES = [
    ("has gone", "He has gone .", True, False),
    ("  has gone  ", "He has gone .", True, False),
    (f"{NBSP}has gone{EM}", "He has gone .", True, False),
    ("has  gone", "He has gone .", False, True),
    ("has  gone", "He has  gone .", False, True),
    (f"has{NBSP}gone", "He has gone .", False, True),
    (f"has{NBSP}gone", f"He has{NBSP}gone .", False, True),  # two tokens there, joined by a space
    (f"has{EM}gone", "He has gone .", False, True),
    (f"has{NEL}gone", "He has gone .", False, True),
    (f"has{TAB}gone", "He has gone .", False, True),
    ("goes||has  gone", "He goes .", True, True),
    ("goes|| has gone ", "He has gone .", True, False),
    ("-NONE-", "He .", True, False),
    ("   ", "He .", True, False),
    (" -NONE- ", "He .", False, True),
    (" -NONE- ", "He -NONE- .", True, True),
]


@pytest.mark.parametrize("kernel", [pytest.param(True, marks=needs_kernel), False])
@pytest.mark.parametrize(("correction", "line", "matches", "named"), CASES)
def test_m2(tmp_path: Path, correction: str, line: str, matches: bool, named: bool, kernel: bool) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text(f"S He go .\nA 1 2|||V|||{correction}|||REQUIRED|||-NONE-|||0\n\n", newline="\n")
    problems = Problems()
    found = match_corpus(read_corpus(gold, problems), [line], MatchRules(kernel=kernel))
    assert found.counts[0, 0, 0] == matches
    assert [note.code for note in problems.notes] == ["edit-white-space"] * named


@pytest.mark.parametrize(("correction", "line", "matches", "named"), [case for case in CASES if "NONE" not in case[0]])
def test_jsonl_says_the_same(tmp_path: Path, correction: str, line: str, matches: bool, named: bool) -> None:
    edits = [{"start": 1, "end": 2, "replacements": correction.split("||")}]
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"text": "He go .", "annotations": {"0": edits}}))
    problems = Problems()
    assert match_corpus(read_corpus(gold, problems), [line]).counts[0, 0, 0] == matches
    assert [note.code for note in problems.notes] == ["edit-white-space"] * named


def test_check_names_every_one(errorbar: CommandLine, tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    block = "S He go .\nA 1 2|||V|||has  gone|||REQUIRED|||-NONE-|||0\n\n"
    gold.write_text(block * 2)
    problems = json.loads(errorbar("check", gold, "--format", "json").out)["files"][0]["problems"]
    assert [(each["code"], each["line"], each["severity"]) for each in problems] == [
        ("edit-white-space", 2, "warning"),
        ("edit-white-space", 5, "warning"),
    ]
    assert "'has  gone'" in problems[0]["what"]


def test_the_text_of_an_annotator_has_single_spaces(tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text("S He go .\nA 1 2|||V|||has  gone|||REQUIRED|||-NONE-|||0\n\n")
    (sentence,) = read_corpus(gold, Problems()).sentences
    assert apply_edits(sentence.tokens, sentence.annotations["0"]) == ["He", "has", "gone", "."]


def test_alternatives_keep_their_order_and_their_spaces_through_every_format(
    errorbar: CommandLine, tmp_path: Path
) -> None:
    gold, jsonl, again = (tmp_path / name for name in ("gold.m2", "gold.jsonl", "again.m2"))
    gold.write_text("S He go .\nA 1 2|||V|||went||goes||b  c||-NONE-||a|||REQUIRED|||-NONE-|||0\n\n")
    assert errorbar("convert", gold, "-o", jsonl).code == errorbar("convert", jsonl, "-o", again).code == 0
    assert json.loads(jsonl.read_text().splitlines()[1])["annotations"]["0"][0]["replacements"] == [
        "went",
        "goes",
        "b  c",
        "",
        "a",
    ]
    assert again.read_text() == gold.read_text()
