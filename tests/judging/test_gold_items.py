"""Gold items: of the items, or brought along; what is wrong with them; balance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.core import InputError
from errorbar.judging import JudgedItem, load_scheme
from errorbar.judging.items.sources import with_gold

ITEMS = [JudgedItem(f"i{n}", "He depends of him .", (11, 13), hidden={"set": "s"}) for n in range(8)]
PAIRS = [JudgedItem("p", "He depends of him .", (11, 13), candidates=("of", "on"))]


def gold(folder: Path, text: str, scheme: str = "error-ok", *, items: Sequence[JudgedItem] = ITEMS) -> list[JudgedItem]:
    return gold_and_notes(folder, text, scheme, items)[0]


def gold_and_notes(
    folder: Path, text: str, scheme: str = "error-ok", items: Sequence[JudgedItem] = ITEMS
) -> tuple[list[JudgedItem], list[str]]:
    path = folder / "gold.csv"
    path.write_text(text, encoding="utf-8")
    problems = Problems()
    found = with_gold(items, path, load_scheme(scheme), problems)
    problems.raise_errors()
    return found, [note.code for note in problems.notes]


def test_an_item_becomes_gold_and_keeps_what_it_has(tmp_path: Path) -> None:
    found = gold(tmp_path, "item,answer,explanation\ni3,Error,depend takes on\n")
    assert [item.kind for item in found].count("gold") == 1
    assert len(found) == 8
    made = found[3]
    assert (made.answers, made.explanation, made.hidden) == (("error",), "depend takes on", {"set": "s"})
    assert made.asked() == ITEMS[3].asked(), "nothing that is shown tells gold from work"


def test_gold_may_bring_its_own_text_and_several_answers(tmp_path: Path) -> None:
    found = gold(tmp_path, 'item,text,answers\ng1,He relies [at] him .,error | OK\ni2,,"ok"\n')
    assert (found[-1].text, found[-1].span, found[-1].answers) == ("He relies at him .", (10, 12), ("error", "ok"))
    assert "answers" not in found[-1].hidden
    assert found[2].answers == ("ok",)


def test_gold_of_a_choice_test_names_candidates(tmp_path: Path) -> None:
    (made,) = gold(tmp_path, "item,answer\np,second\n", "choice", items=PAIRS)
    assert made.answers == ("second",)
    with pytest.raises(InputError, match=r"first is candidate1, wherever it stands"):
        gold(tmp_path, "item,answer\np,top\n", "choice", items=PAIRS)


def test_gold_of_a_cloze_test_is_any_word(tmp_path: Path) -> None:
    assert gold(tmp_path, "item,answer\ni1,on|upon\n", "cloze")[1].answers == ("on", "upon")


WRONG = {
    "item,answer\nzz,ok\n": "2: gold for 'zz', which is no item",
    "item,answer\ni11,ok\n": "did you mean 'i1'?",
    "item,answer\ni1,okay\n": "the answer 'okay' of gold item 'i1' is none of the scheme",
    "item,answer\ni1,\n": "gold item 'i1' has no answer",
    "item,answer\ni1,ok\ni1,ok\n": "3: gold item 'i1' stands in line 2 too",
    "item,answer\n,ok\n": "the row names no item",
    "item,why\ni1,ok\n": "no column 'answer'",
    "item,text,answer\ni1,Another [text] .,ok\n": "has another text or span than the item of that name",
    "item,text,answer\ng,He [relies] [at] him .,ok\n": "brackets must mark one place",
    "item,answer\n": "there is no gold item in the file",
}


@pytest.mark.parametrize(("text", "said"), [*WRONG.items()], ids=[*WRONG.values()])
def test_bad_gold_is_said_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        gold(tmp_path, text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("answers", "warned"),
    [("ok ok ok ok", True), ("ok ok ok error", False), ("ok ok ok ok error", True), ("ok", False)],
)
def test_uneven_gold_is_warned_of(answers: str, warned: bool, tmp_path: Path) -> None:
    rows = "".join(f"i{number},{answer}\n" for number, answer in enumerate(answers.split()))
    _, notes = gold_and_notes(tmp_path, f"item,answer\n{rows}")
    assert notes == ["judge-gold-uneven"] * warned
