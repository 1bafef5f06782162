"""Schemes: those that are shipped, one of a user's own, answers to them, and what is wrong with files."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from errorbar.core import InputError, UsageError
from errorbar.judging import JudgedItem, Scheme, load_scheme
from errorbar.judging.answers import check_answer, is_right, label_of
from errorbar.judging.scheme import FRAME_KEYS, NOTHING, near, tokens
from errorbar.judging.scheme_files import scheme_names

ITEM = JudgedItem("i", "He depends of his friends .", (11, 13))
PAIR = JudgedItem("p", "He depends of him .", (11, 13), candidates=("of", "on"), names=("writer", "A"))
GRAMMATICALITY = """
name = "grammaticality"
title = "How grammatical is it?"
shows = "span"
main = "score"

[[questions]]
id = "score"
kind = "one"
ask = "How grammatical is it?"
options = ["1", "2", "3", "4"]

[[questions]]
id = "why"
kind = "text"
ask = "What is wrong?"
when = { score = ["1", "2"] }
required = false
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


SHIPPED = ["choice", "cloze", "edit-valid", "edits", "error-ok", "post-edit", "preposition", "rank"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_scheme_is_whole_and_has_a_page(name: str) -> None:
    assert scheme_names() == SHIPPED
    scheme = load_scheme(name)
    assert scheme.name == name
    assert Scheme.from_json(scheme.to_json()) == scheme
    assert re.search(r"20\d\d", scheme.source)
    assert scheme.guidelines.startswith("# ")
    keys = [question.key for question in scheme.questions] + [
        option.key for question in scheme.questions for option in question.options
    ]
    own_keys = [key for key in keys if key]
    assert len({*own_keys}) == len(own_keys)
    assert not {*own_keys} & FRAME_KEYS
    pages = Path(__file__).parents[2] / "docs/judge"
    own = pages / f"{name}.md"
    if own.exists():
        text = own.read_text(encoding="utf-8")
    else:  # a section of the page on all schemes
        schemes = (pages / "schemes.md").read_text(encoding="utf-8")
        text = schemes.partition(f"--scheme {name} ")[2].partition("\n## ")[0]
    options = [option for question in scheme.questions for option in question.options]
    assert [option.key for option in options if option.key and f"`{option.key}`" not in text] == []


def test_a_fifth_scheme_needs_no_code(tmp_path: Path) -> None:
    scheme = load_scheme(written(tmp_path, GRAMMATICALITY))
    assert scheme.labels() == ("1", "2", "3", "4")
    assert check_answer(scheme, ITEM, {"score": "2", "why": ["of"]}) == {"score": "2", "why": ["of"]}
    assert check_answer(scheme, ITEM, {"score": "4", "why": ["of"]}) == {"score": "4"}, "not asked after 4"
    assert label_of(scheme, False, {"score": "2"}) == "2"


def test_the_scheme_of_the_docs_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/judge/schemes.md").read_text(encoding="utf-8")
    text = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert text is not None
    scheme = load_scheme(written(tmp_path, text[1]))
    assert [option.value for option in scheme.questions[0].options if option.abstains] == ["0"]


WRONG = {
    ('main = "score"', 'main = "score"\ncolour = "red"'): "own.toml:5: a scheme has no table or key 'colour'",
    (
        'shows = "span"',
        'shows = "spam"',
    ): "3: shows must be span or choice or cloze or rank or edits or post-edit, got 'spam'; did you mean 'span'?",
    ('main = "score"', 'main = "scor"'): "4: main is 'scor'; did you mean 'score'?",
    ('main = "score"', 'main = "why"'): "main is 'why' (expected a question that everybody must answer)",
    ('id = "why"', 'id = "score"'): "two questions are called 'score'",
    ('id = "why"', 'id = "rater"'): "a question cannot be called 'rater'",
    ('id = "why"', 'id = "Why not"'): "a question cannot be called 'Why not'",
    ('id = "why"', 'id = "top"'): "a question cannot be called 'top'",
    ('id = "why"', 'id = "constructor"'): "a question cannot be called 'constructor'",
    ('id = "why"', 'id = "__proto__"'): "a question cannot be called '__proto__'",
    (
        'kind = "text"',
        'kind = "texts"',
    ): "kind must be one or marks or words or text or token or ranks or edits or rewrite, got 'texts'",
    ("when = { score", "when = { scores"): "names 'scores', which is no earlier question; did you mean 'score'?",
    ('["1", "2"] }', '["1", "5"] }'): "'score' has no option '5'",
    ('"3", "4"]', '"3", "3"]'): "two options of question 'score' have the value '3'",
    ('["1", "2", "3", "4"]', '["1"]'): "question 'score' has 1 option (expected at least 2)",
    ('["1", "2", "3", "4"]', '["1", {}]'): "[questions.options 2] has no value",
    ('["1", "2", "3", "4"]', '["1", {value="2", label="x", key="z"}]'): "the key 'z' of option '2'",
    ('["1", "2", "3", "4"]', '["1", {value="2", label="x", key="zz"}]'): "expected one character",
    ('["1", "2", "3", "4"]', '[{value="1", label="x", key="A"}, {value="2", label="x", key="a"}]'): "is that of option",
    ("required = false", 'required = false\noptions = ["a"]'): "has options, and its kind is text",
    ("required = false", "required = false\nstep = 0"): "step must be a whole number above 0",
    ("options = [", "step = 2\noptions = ["): "question 'why' of step 1 stands after one of step 2",
    ('title = "How grammatical is it?"', "reversible = true"): "a span has no sides to change",
    ("required = false", 'required = false\ntypes = "nucle"'): "has types, and its kind is text",
    ("name =", "name ="): "",
    ('main = "score"', 'main = "score"\nmain = "why"'): "this key or table is there already",
}


@pytest.mark.parametrize(("change", "said"), [*WRONG.items()], ids=[*WRONG.values()])
def test_what_is_wrong_is_said_with_its_line(change: tuple[str, str], said: str, tmp_path: Path) -> None:
    path = written(tmp_path, GRAMMATICALITY.replace(*change).lstrip())
    if not said:
        assert load_scheme(path).name == "grammaticality"
        return
    with pytest.raises(InputError) as caught:
        load_scheme(path)
    lines = str(caught.value).splitlines()
    assert any(said in line and re.match(rf"{re.escape(str(path))}:\d+: ", line) for line in lines), lines


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    text = GRAMMATICALITY.replace('shows = "span"', 'shows = "spam"').replace('id = "why"', 'id = "score"')
    with pytest.raises(InputError) as caught:
        load_scheme(written(tmp_path, text))
    assert {problem.code for problem in caught.value.problems} == {"scheme-value", "scheme-twice"}


def test_an_unknown_scheme_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'preposition'\?"):
        load_scheme("prepositon")


FULL: dict[str, Any] = {"spelling": [], "determiner": [0], "grammar": [4, 1, 4]}


def test_answers_of_the_preposition_scheme() -> None:
    scheme = load_scheme("preposition")
    said = FULL | {"rating": "incorrect", "prepositions": ["on", "upon"], "confidence": "high"}
    assert check_answer(scheme, ITEM, said)["grammar"] == [1, 4]
    correct = FULL | {"rating": "correct", "prepositions": ["on"], "confidence": "low"}
    assert "prepositions" not in check_answer(scheme, ITEM, correct), "asked after incorrect and equal only"
    assert check_answer(scheme, ITEM, FULL | {"rating": "extraneous", "confidence": "low"})


MISSING = {
    "spelling is not answered": {name: said for name, said in FULL.items() if name != "spelling"},
    "spelling must be numbers of tokens from 0 to 5": FULL | {"spelling": [6]},
    "rating must be one of": FULL | {"rating": "good"},
    "prepositions is not answered": FULL | {"rating": "equal", "prepositions": []},
    "prepositions must be words of its list": FULL | {"rating": "equal", "prepositions": ["zwischen"]},
    "prepositions must be at most 5": FULL | {"rating": "equal", "prepositions": ["in", "on", "at", "by", "to", "of"]},
    "no question 'ratin'; did you mean 'rating'?": FULL | {"ratin": "equal"},
    "verb must be the number of a token": FULL | {"verb": True},
}


@pytest.mark.parametrize(("said", "answer"), [*MISSING.items()], ids=[*MISSING])
def test_an_unfit_answer_says_what_is_missing(said: str, answer: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        check_answer(load_scheme("preposition"), ITEM, answer)
    assert said in str(caught.value)
    assert {problem.code for problem in caught.value.problems} == {"judge-answer"}


def test_empty_is_not_unanswered() -> None:
    """R19: looked and found none; not answered; nothing is needed."""
    preposition, cloze = load_scheme("preposition"), load_scheme("cloze")
    whole = FULL | {"rating": "correct", "confidence": "high"}
    assert check_answer(preposition, ITEM, whole)["spelling"] == []
    with pytest.raises(UsageError):
        check_answer(preposition, ITEM, whole | {"spelling": None})
    assert check_answer(cloze, ITEM, {"word": [NOTHING]}) == {"word": [NOTHING]}
    for empty in ([], "", ["  "], None):
        with pytest.raises(UsageError, match="word is not answered"):
            check_answer(cloze, ITEM, {"word": empty})
    with pytest.raises(UsageError, match="alone"):
        check_answer(cloze, ITEM, {"word": [NOTHING, "on"]})


def test_words_are_compared_in_nfc_without_capitals() -> None:
    cloze = load_scheme("cloze")
    assert check_answer(cloze, ITEM, {"word": "cafe\u0301"}) == {"word": ["caf\u00e9"]}
    assert label_of(cloze, False, {"word": ["ON", "upon"]}) == "on"
    gold = JudgedItem("g", ITEM.text, ITEM.span, kind="gold", answers=("Caf\u00e9",))
    assert is_right(cloze, gold, False, {"word": ["cafe\u0301"]}) is True


@pytest.mark.parametrize(
    ("turned", "said", "label"),
    [
        (False, "top", "first"),
        (True, "top", "second"),
        (False, "bottom", "second"),
        (True, "bottom", "first"),
        (True, "equal", "equal"),
        (False, "neither", "neither"),
    ],
)
def test_sides_are_told_in_the_items_own_terms(turned: bool, said: str, label: str) -> None:
    scheme = load_scheme("choice")
    assert label_of(scheme, turned, {"better": said}) == label
    gold = JudgedItem("g", PAIR.text, PAIR.span, candidates=PAIR.candidates, kind="gold", answers=("second",))
    assert is_right(scheme, gold, turned, {"better": said}) is (label == "second")


def test_unknown_is_wrong_on_no_gold() -> None:
    scheme = load_scheme("error-ok")
    for answers in (("error",), ("ok",)):
        gold = JudgedItem("g", ITEM.text, ITEM.span, kind="gold", answers=answers)
        assert is_right(scheme, gold, False, {"judgment": "unknown"}) is None
        assert is_right(scheme, gold, False, {"judgment": answers[0]}) is True
    assert check_answer(scheme, ITEM, {"judgment": "Error"}) == {"judgment": "error"}


def test_tokens_and_what_is_near() -> None:
    scheme = load_scheme("preposition")
    assert near(scheme, ITEM) == (range(2, 3), range(0, 5))
    assert near(scheme, JudgedItem("gap", ITEM.text, (11, 11))) == (range(2, 2), range(0, 4))
    text = "\U0001f469\u200d\U0001f4bb nai\u0308ve\u00a0of x"
    assert [text[start:end] for start, end in tokens(text)] == ["\U0001f469\u200d\U0001f4bb", "nai\u0308ve", "of", "x"]


@pytest.mark.parametrize(("name", "question"), [("error-ok", "judgment"), ("cloze", "word")])
def test_what_is_far_too_long_is_refused_before_it_is_normalized(
    name: str, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFC of a million combining marks takes hours, in the one transaction that everybody waits for."""
    lengths = []

    def normalize(form: str, text: str) -> str:
        lengths.append(len(text))
        return text

    monkeypatch.setattr(unicodedata, "normalize", normalize)
    for said in ("a" + "\u0301\u0327" * 1000, ["a" + "\u0301\u0327" * 1000], ["a"] * 3000):
        with pytest.raises(UsageError):
            check_answer(load_scheme(name), ITEM, {question: said})
    assert max(lengths, default=0) <= 2000
    assert len(lengths) < 100
