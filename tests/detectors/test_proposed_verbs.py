"""Verbs that are proposed: by which words, for which tokens, how often rightly, and what of it is exported."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from errorbar import Problems, judge_export, judge_init
from errorbar.core import UsageError
from errorbar.detectors.detect import read_tagger
from errorbar.judging import JudgedItem, Scheme, load_scheme
from errorbar.judging.items.context import verb_before, verbs_of, with_verbs
from errorbar.judging.scheme import tokens
from tests.judging.browser.items import marked

MODELS = Path(__file__).parents[2] / "packages" / "errorbar-models" / "errorbar_models" / "models"
SCHEME = load_scheme("preposition")


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("It/PRP depends/VBZ of/IN him/PRP", 1),
        ("I/PRP told/VBD him/PRP about/IN it/PRP", 1),
        ("He/PRP knows/VBZ some/DT of/IN them/PRP", None),  # of the pronoun
        ("She/PRP ate/VBD soup/NN with/IN us/PRP", None),  # of the verb or the noun: nobody can tell
        ("He/PRP is/VBZ in/IN town/NN", None),
        ("They/PRP are/VBP afraid/JJ of/IN it/PRP", None),
        ("We/PRP went/VBD quickly/RB to/TO school/NN", 1),
        ("He/PRP left/VBD ,/, to/IN us/PRP", 1),
        ("He/PRP left/VBD ./. In/IN June/NNP", None),
        ("In/IN June/NNP he/PRP left/VBD", None),
    ],
)
def test_the_verb_by_the_tags_to_the_left(tagged: str, expected: int | None) -> None:
    words, tags = zip(*(each.rsplit("/", 1) for each in tagged.split()), strict=True)
    at = next(n for n, (word, tag) in enumerate(zip(words, tags, strict=True)) if tag in ("IN", "TO") and n != 4)
    assert verb_before(words, tags, at, words[at]) == expected


def proposed(text: str) -> str | None:
    item = marked("one", text)
    (number,) = verbs_of([item], read_tagger(MODELS))
    return None if number is None else item.text[slice(*tokens(item.text)[number])]


def test_tokens_are_those_of_the_page_also_where_words_hang_together() -> None:
    assert proposed("We don't agree [with] him.") == "agree"
    assert proposed("“I depend [of] him,” he said.") == "depend"
    assert proposed("😀 It consists [of] three parts.") == "consists"
    assert proposed("[In] June we left.") is None


def test_what_was_proposed_is_exported_and_other_studies_have_no_such_column(tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text("item,text\na,It depends [of] him .\nb,[In] June we left .\n", encoding="utf-8")
    made = judge_init(tmp_path / "study", table, scheme="preposition", tagger=MODELS)
    assert [(note.code, note.what[:36]) for note in made.notes] == [
        ("judge-proposed", "a verb is proposed for 1 of 2 items,")
    ]
    judge_init(tmp_path / "plain", table, scheme="preposition")
    for study, expected in (("study", True), ("plain", False)):
        judge_export(tmp_path / study, tmp_path / "out.csv")
        with (tmp_path / "out.csv").open(encoding="utf-8") as lines:
            assert ("verb_proposed" in next(csv.reader(lines))) == expected
    judge_export(tmp_path / "study", tmp_path / "all.jsonl")
    judge_init(tmp_path / "again", tmp_path / "all.jsonl")
    judge_export(tmp_path / "again", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "all.jsonl").read_bytes()
    assert '"proposed": {"verb": 1}' in (tmp_path / "all.jsonl").read_text(encoding="utf-8")


def test_a_scheme_that_asks_for_no_verb_gets_none() -> None:
    with pytest.raises(UsageError, match="asks for none"):
        with_verbs([marked("one", "It is [on] it.")], load_scheme("error-ok"), MODELS, Problems())


@pytest.mark.slow
def test_how_often_it_is_right_on_texts_that_the_tagger_has_not_seen(data: Path) -> None:
    """The figures of docs/judge/preposition.md."""
    items, verbs = _prepositions(data / "ud_english_ewt" / "en_ewt-ud-test.conllu", SCHEME)
    found = [*verbs_of(items, read_tagger(MODELS))]
    right = sum(verb is not None and verb == true for verb, true in zip(found, verbs, strict=True))
    n, n_proposed, n_of_verbs = (len(items), *(sum(each is not None for each in all_) for all_ in (found, verbs)))
    kept = sum(verb == true for verb, true in zip(found, verbs, strict=True))
    page = (Path(__file__).parents[2] / "docs" / "judge" / "preposition.md").read_text(encoding="utf-8")
    assert f"of {n:,} prepositions {n_of_verbs:,} belong to a verb" in " ".join(page.split())
    assert f"for {n_proposed:,}" in page
    assert f"{right:,} times" in page
    assert f"{100 * kept / n:.0f} %" in page


def _prepositions(path: Path, scheme: Scheme) -> tuple[list[JudgedItem], list[int | None]]:
    """Prepositions of a treebank with an object, and the verb that governs each."""
    known = scheme.question("prepositions").values()
    items: list[JudgedItem] = []
    verbs: list[int | None] = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        rows = [row for row in rows if row[0].isdecimal()]
        words = [row[1].replace(" ", "_") for row in rows]
        for at, row in enumerate(rows):
            if row[3] == "ADP" and row[7] == "case" and row[1].lower() in known:
                governor = int(rows[int(row[6]) - 1][6]) - 1
                start = len(" ".join([*words[:at], ""]))
                items.append(JudgedItem(f"{len(items)}", " ".join(words), (start, start + len(words[at]))))
                verbs.append(governor if governor >= 0 and rows[governor][3] == "VERB" else None)
    return items, verbs
