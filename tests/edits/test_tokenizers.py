"""Tokens other than those between spaces: characters, named tokenizers, and the edits that go with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errorbar as package
from errorbar import Sentence
from errorbar.core import CorrectedSentence, UsageError
from errorbar.edits import apply_edits
from errorbar.edits.tokenizers import find_tokenizer, retokenize_line, retokenize_sentence, split_characters
from tests.helpers.build import edit
from tests.helpers.cli import CommandLine

SOURCE = ["我昨天去了学校。", "他喜欢吃苹果", "今天 天气很好。", "这本书很有意思。"]
REFERENCE = ["我昨天去了学校。", "他喜欢吃苹果。", "今天的天气很好。", "这本书很有意思。"]
SYSTEM = ["我昨天去学校了。", "他喜欢吃苹果。", "今天的天汽很好。", "这本书很有意思。"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("他 喜欢。", ["他", "喜", "欢", "。"]),
        ("e\u0301a\u00e9", ["e\u0301", "a", "\u00e9"]),  # é of two code points is one character
        ("か\u3099く", ["か\u3099", "く"]),  # a voiced kana, decomposed
        ("ค\u0e31น", ["ค\u0e31", "น"]),  # a Thai vowel above: combining class 0, category Mn
        ("👩\u200d🔬a", ["👩\u200d🔬", "a"]),
        ("👍\U0001f3fd🇺🇦🇪🇪", ["👍\U0001f3fd", "🇺🇦", "🇪🇪"]),
        ("שָׁלוֹם", ["שָׁ", "ל", "וֹ", "ם"]),
        (" \u3000\n", []),
    ],
)
def test_a_character_has_its_marks(text: str, tokens: list[str]) -> None:
    assert split_characters(text) == tokens


@given(st.text())
def test_characters_are_the_text_without_white_space(text: str) -> None:
    assert "".join(split_characters(text)) == "".join(text.split())


TEXT = st.text("ab é字。", max_size=12)


@given(st.lists(st.text("ab字。", min_size=1, max_size=3), max_size=6), st.data())
def test_edits_make_the_same_text_in_characters(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words)))
    end = data.draw(st.integers(start, len(words)))
    own = edit(start, end, " ".join(data.draw(TEXT).split()), kind="X")
    characters = find_tokenizer("characters")
    assert characters is not None
    cut = retokenize_sentence(Sentence(" ".join(words), {"0": (own,)}), characters)
    expected = split_characters("".join(apply_edits(words, [own])))
    (moved,) = cut.annotations["0"]
    corrected = apply_edits(cut.tokens, [moved])
    assert "".join(corrected) == "".join(expected)
    assert moved.type == "X"
    line = retokenize_line(CorrectedSentence(" ".join(apply_edits(words, [own])), [own], " ".join(words)), characters)
    assert isinstance(line, CorrectedSentence)
    assert line.edits == (moved,)
    assert "".join(line.split()) == "".join(expected)


def test_a_system_must_know_what_its_edits_are_of() -> None:
    characters = find_tokenizer("characters")
    assert characters is not None
    with pytest.raises(UsageError, match="do not say which sentence they are of"):
        retokenize_line(CorrectedSentence("a", []), characters)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in {"source": SOURCE, "reference": REFERENCE, "system": SYSTEM}.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    words = ["S 他 喜欢 吃 苹果", "A 4 4|||M|||。|||REQUIRED|||-NONE-|||0", "", "S 今天 天气 很 好 。"]
    words += ["A 1 2|||S|||的 天气|||REQUIRED|||-NONE-|||0", ""]
    (tmp_path / "words.m2").write_text("\n".join(words) + "\n")
    (tmp_path / "words.system").write_text("他喜欢吃苹果 。\n今天 的天气很好。\n")
    return tmp_path


def counts(row: dict[str, object]) -> tuple[object, ...]:
    return row["correct"], row["proposed"], row["gold"]


def test_texts_are_scored_by_character(folder: Path, errorbar: CommandLine) -> None:
    """The reference inserts 。 and 的; the system moves 了 (one edit of MaxMatch) and writes 汽 for 气.

    By word, a sentence is one token: three changed ones, of which the second is right.
    """
    texts = ("--source", folder / "source", "--reference", folder / "reference", folder / "system")
    done = errorbar("score", *texts, "--tokens", "characters", "--no-ci", "--format", "json")
    (row,) = json.loads(done.out)["rows"]
    assert counts(row) == (2, 4, 2)
    assert "|tokens:characters|" in row["signature"]
    (row,) = json.loads(errorbar("score", *texts, "--no-ci", "--format", "json").out)["rows"]
    assert counts(row) == (1, 3, 2)
    assert "tokens" not in row["signature"]


def test_annotated_words_become_characters(folder: Path, errorbar: CommandLine) -> None:
    """的 天气 for 天气 is an insertion, whichever way it is marked; MaxMatch takes unchanged characters in."""
    done = errorbar("score", "--gold", folder / "words.m2", folder / "words.system", "--tokens", "characters")
    assert done.code == 0
    system = [folder / "words.system"]
    (score,) = package.score(folder / "words.m2", system, tokens="characters", ci=False).scores
    assert score.counts == {"correct": 2, "proposed": 2, "gold": 2}
    corpus = package.read_corpus(folder / "words.m2", tokens="characters")
    assert corpus.sentences[1].annotations["0"] == (edit(2, 4, "的 天 气", kind="S"),)
    (same,) = package.score(package.read_corpus(folder / "words.m2"), system, tokens="characters", ci=False).scores
    assert str(same.signature) == str(score.signature)


def test_no_population_of_judges_is_known_by_character(folder: Path) -> None:
    """Ten annotators of English words say nothing of characters, unless they are named."""

    def rule(tokens: str = "spaces", judges: str | None = None) -> str:
        gold, system, source = (folder / name for name in ("reference", "system", "source"))
        (score,) = package.score(gold, [system], source=source, tokens=tokens, judges=judges, resamples=100).scores
        return str(score.signature).partition("|judges:")[2].partition("|")[0]

    assert rule() == "random,k:1,population:bn2015"
    assert rule(tokens="characters") == ""
    assert rule(tokens="characters", judges="random(population=bn2015)") == "random,k:1,population:bn2015"


@pytest.mark.parametrize("verb", ["compare", "ceiling", "report"])
def test_other_commands_know_tokens(verb: str, folder: Path, errorbar: CommandLine) -> None:
    texts = ("--source", folder / "source", "--reference", folder / "reference", "--reference", folder / "system")
    systems = [f"a={folder / 'system'}", f"b={folder / 'source'}"]
    page = ("--page", "format=markdown", "-o", "-") if verb == "report" else ()
    done = errorbar(verb, *texts, "--tokens", "characters", "--resamples", 100, *page, *systems)
    assert done.code == 0, done.err
    assert "tokens:characters" in done.out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonsense", "the tokenizer 'nonsense' cannot be loaded by spaCy"),
        ("xq", "the tokenizer 'xq' cannot be loaded by spaCy"),
    ],
)
def test_an_unknown_tokenizer_is_named(name: str, message: str) -> None:
    pytest.importorskip("spacy")
    with pytest.raises(UsageError, match=message):
        find_tokenizer(name)


def test_rules_of_a_language() -> None:
    pytest.importorskip("spacy")
    german = find_tokenizer("de")
    assert german is not None
    assert german.split("Das ist z.B. gut.") == ["Das", "ist", "z.B.", "gut", "."]
    assert german.signature.startswith("de,spacy:")


def test_hoo_data_has_no_tokens(tmp_path: Path, errorbar: CommandLine) -> None:
    gold = tmp_path / "Gold"
    gold.mkdir()
    (gold / "1.xml").write_text('<?xml version="1.0"?><edits></edits>')
    done = errorbar("score", "--gold", gold, tmp_path, "--tokens", "characters")
    assert "--tokens has no meaning for HOO data" in done.err


def test_labels_have_tokens_of_their_own(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "gold.tsv").write_text("She\tc\ngo\ti\n.\tc\n\n")
    done = errorbar("score", "--gold", tmp_path / "gold.tsv", tmp_path / "gold.tsv", "--tokens", "characters")
    assert "would cut into others" in done.err
    assert done.err.endswith("[useless-option]\n")
    corpus = package.read_corpus(tmp_path / "gold.tsv")
    with pytest.raises(UsageError, match="would cut into others"):
        package.score(corpus, [tmp_path / "gold.tsv"], tokens="characters")


def test_a_system_of_edits_is_cut_by_rules_of_a_language(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    (tmp_path / "gold.m2").write_text("S Das war z.B. gut.\nA 1 2|||V|||ist|||REQUIRED|||-NONE-|||0\n\n")
    (score,) = package.score(tmp_path / "gold.m2", ["mine=" + str(tmp_path / "gold.m2")], "errant", tokens="de").scores
    assert score.counts == {"correct": 1, "proposed": 1, "gold": 1}
