"""Essays cut into sentences: where, with which edits, and systems at the same places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errorbar as package
from errorbar import Sentence
from errorbar.core import TextEdits
from errorbar.edits import apply_edits, extract_edits
from errorbar.edits.essay_sentences import cut_essay, cut_text, find_ends
from tests.helpers.build import edit
from tests.helpers.cli import CommandLine


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("He left . She stayed .", [3, 6]),
        ("He left. She stayed", [2, 4]),
        ('" Hi ! " she said . Bye', [4, 7, 8]),
        ("What ? ! No ...", [3, 5]),
        ("他 走 。 她 留 下 。", [3, 7]),
        ("هل ذهب ؟ نعم", [3, 4]),
        ("वह गया । फिर", [3, 4]),
        ("no end", [2]),
        ("", [0]),
    ],
)
def test_where_sentences_end(text: str, ends: list[int]) -> None:
    assert find_ends(text.split()) == ends


def test_cut_where_no_reference_goes_across() -> None:
    essay = Sentence(
        "I come . He go . We",
        {
            "0": (edit(1, 2, "came"), edit(3, 3, "Then"), edit(4, 5, "went")),
            "1": (edit(2, 4, ", and he"), edit(6, 6, "Yes .")),
        },
        "e1",
    )
    first, second = cut_essay(essay)
    assert (first.text, second.text, first.document) == ("I come . He go .", "We", "e1")
    assert first.annotations == {
        "0": (edit(1, 2, "came"), edit(3, 3, "Then"), edit(4, 5, "went")),
        "1": (edit(2, 4, ", and he"), edit(6, 6, "Yes .")),
    }
    only = [own.annotations["0"] for own in cut_essay(Sentence(essay.text, {"0": essay.annotations["0"]}, "e1"))]
    assert only == [(edit(1, 2, "came"),), (edit(0, 0, "Then"), edit(1, 2, "went")), ()]


TEXT = st.lists(st.sampled_from(["a", "b", "c", ".", "!", '"']), max_size=12)


@given(TEXT, TEXT, TEXT)
def test_nothing_is_lost(source: list[str], reference: list[str], output: list[str]) -> None:
    edits = TextEdits.of_text(extract_edits(source, reference), " ".join(reference))
    sentences = cut_essay(Sentence(" ".join(source), {"0": edits}, "e"))
    assert [token for own in sentences for token in own.tokens] == source
    corrected = [token for own in sentences for token in apply_edits(own.tokens, own.annotations["0"])]
    assert corrected == reference
    assert sum(len(own.annotations["0"]) for own in sentences) == len(edits)
    lines = cut_text([own.tokens for own in sentences], " ".join(output))
    assert len(lines) == len(sentences)
    assert " ".join(filter(None, lines)).split() == output


ORIG = "### essay_id = e1\nI has a dog .\n\nIt bark . He go\n### essay_id = 2\nShe like cats .\n"
REF = "### essay_id = 2\nShe likes cats .\n### essay_id = e1\nI have a dog .\nIt barks . He goes .\n"
SYSTEM = "### essay_id = e1\nI have a dog and it bark . He goes .\n### essay_id = 2\nShe like cat .\n"


@pytest.fixture
def texts(tmp_path: Path) -> list[object]:
    for name, text in {"orig": ORIG, "ref": REF, "system": SYSTEM}.items():
        (tmp_path / f"{name}.md").write_text(text)
    names = ["--source", "orig", "--reference", "ref", "system"]
    return [name if name.startswith("--") else tmp_path / f"{name}.md" for name in names]


def test_scored_by_essay_or_by_sentence(texts: list[object], errorbar: CommandLine) -> None:
    """Of the system's edits ``have`` and ``goes .`` are right; ``and it`` goes across two sentences of the source."""
    whole = json.loads(errorbar("score", *texts, "--format", "json", "--no-ci").out)["rows"][0]
    done = errorbar("score", *texts, "--essays", "sentences", "--format", "json", "--no-ci")
    cut = json.loads(done.out)["rows"][0]
    assert (whole["n_sentences"], cut["n_sentences"]) == (2, 4)
    assert (whole["correct"], whole["gold"]) == (cut["correct"], cut["gold"]) == (2, 4)
    assert "essays" not in whole["signature"]
    assert "|essays:sentences|" in cut["signature"]
    again = errorbar("score", *texts, "--essays", "sentences", "--format", "json", "--no-ci", "--jobs", 2)
    assert again.out == done.out
    interval = json.loads(errorbar("score", *texts, "--essays", "sentences", "--format", "json").out)["rows"][0]
    assert "by:document" in interval["signature"]


def test_by_character_too(tmp_path: Path) -> None:
    for name, text in {
        "orig": "我去了。他喜欢吃",
        "ref": "我去了。他喜欢吃苹果。",
        "out": "我去。他喜欢吃苹果。",
    }.items():
        (tmp_path / f"{name}.md").write_text(f"### essay_id = 1\n{text}\n")
    corpus = package.read_corpus(
        tmp_path / "ref.md", source=tmp_path / "orig.md", tokens="characters", essays="sentences"
    )
    assert [own.text for own in corpus.sentences] == ["我 去 了 。", "他 喜 欢 吃"]
    (score,) = package.score(
        tmp_path / "ref.md",
        [tmp_path / "out.md"],
        source=tmp_path / "orig.md",
        tokens="characters",
        essays="sentences",
        ci=False,
    ).scores
    assert score.counts == {"correct": 1, "proposed": 2, "gold": 1}


def test_what_has_no_whole_essays_is_not_cut(tmp_path: Path, texts: list[object], errorbar: CommandLine) -> None:
    (tmp_path / "gold.m2").write_text("S a .\nA 0 1|||X|||b|||REQUIRED|||-NONE-|||0\n")
    (tmp_path / "lines").write_text("b .\n")
    done = errorbar("score", "--gold", tmp_path / "gold.m2", tmp_path / "lines", "--essays", "sentences")
    assert (done.code, done.out) == (2, "")
    assert "this corpus does not tell its essays" in done.err
    (tmp_path / "system.md").write_text(SYSTEM.replace("### essay_id = 2\nShe like cat .\n", ""))
    done = errorbar("score", *texts, "--essays", "sentences")
    assert "1 of 2 essays is missing" in done.err
