"""Items as browsers get them: nothing goes in but what is shown, and the server keeps so much markup and no more."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product

import pytest

from errorbar.judging import JudgedItem, Lease, StudyRules, load_scheme, shown_hash
from errorbar.judging.page_languages import ENGLISH
from errorbar.judging.scheme_kinds import candidate_texts, cloze_texts
from errorbar.judging.web.pages import ShownItems, fragment
from errorbar.judging.web.rater import lease_record
from errorbar.judging.web.server_state import Terms

SCHEME, CLOZE, CHOICE = map(load_scheme, ("error-ok", "cloze", "choice"))
WORDS = [
    *("about", "above", "after", "against", "along", "among", "around", "as", "at", "before", "behind", "below"),
    *("beside", "between", "beyond", "by", "despite", "down", "during", "except", "for", "from", "in", "inside"),
    *("into", "like", "near", "of", "off", "on", "onto", "out", "over", "past", "since", "than", "through"),
    *("throughout", "till", "to", "toward", "under", "until", "up", "upon", "with", "within", "without"),
]

_TOKENS = count()


def sent(scheme_name: str, item: JudgedItem, reversed_: bool = False) -> dict[str, object]:
    """All that a browser is told of an item, but the random name of the assignment."""
    scheme = load_scheme(scheme_name)
    record = lease_record(Terms(StudyRules(), scheme), Lease(f"{next(_TOKENS):024x}", item, "main", reversed_))
    del record["assignment"]
    return record


def guessed_words(record: dict[str, object], left: str, right: str, before: str = "") -> set[str]:
    """Words that an attacker finds by hashing the sentence with each of them in the gap, and with any candidates."""
    target = record["text_hash"]
    words = [*WORDS, ""]
    return {
        word
        for word, other in product(words, ["", *WORDS[:3]])
        for text in (left + word + right,)
        for candidates in ((), (word, other), (other, word))
        for said in (
            {"text": text, "span": (len(left), len(left) + len(word)), "before": before, "candidates": candidates},
            {"text": text, "candidates": candidates},
            text,
        )
        if hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()[:16] == target
    }


def in_gap(word: str) -> JudgedItem:
    return JudgedItem("i", f"He depends {word} him .", (11, 11 + len(word)), "Once more.")


def test_a_dictionary_does_not_find_the_word_that_a_cloze_test_hides() -> None:
    for word in WORDS:
        item = in_gap(word)
        record = sent("cloze", item)
        assert guessed_words(record, "He depends ", " him .", "Once more.") == set()
        own = {guess for guess in WORDS if shown_hash(CLOZE, in_gap(guess), False) == record["text_hash"]}
        assert own == {*WORDS}, "who knows the source of this program is told nothing by its own hash either"


def test_a_dictionary_does_not_find_which_candidate_is_the_writers() -> None:
    for word in WORDS[:12]:
        item = JudgedItem("i", f"He depends {word} him .", (11, 11 + len(word)), candidates=(word, "for example"))
        record = sent("choice", item)
        assert guessed_words(record, "He depends ", " him .") == set()
        other = JudgedItem("i", "He depends for example him .", (11, 22), candidates=("for example", word))
        assert shown_hash(CHOICE, other, True) == record["text_hash"], "the same whichever of the two is the writer's"


def hidden_variants(item: JudgedItem) -> Iterator[JudgedItem]:
    """The same item under whatever else a study knows of it."""
    yield item
    yield replace(item, name="another-name", names=("writer", "system-7"), hidden={"flag:system": "1"})
    yield replace(item, kind="gold", answers=("error",), explanation="Because.", name="g")


@pytest.mark.parametrize("scheme", ["error-ok", "preposition", "edit-valid", "choice", "cloze", "rank"])
def test_whatever_is_hidden_changes_no_character_of_what_is_sent(scheme: str) -> None:
    candidates = ("on", "of") if scheme in ("choice", "edit-valid", "rank") else ()
    item = JudgedItem("i", "He depends on him .", (11, 13), candidates=candidates)
    assert len({json.dumps(sent(scheme, variant)) for variant in hidden_variants(item)}) == 1


@pytest.mark.parametrize(
    ("left", "right"),
    [("He went ", " home ."), ("", " I saw him ."), ("It depends ", ""), ("Look ", "."), ("the man (", ") said")],
)
def test_a_cloze_gap_looks_the_same_whatever_stood_there(left: str, right: str) -> None:
    """Also where nothing stood there: a gap goes with one of the spaces around it."""
    items = [JudgedItem("i", left + word + right, (len(left), len(left) + len(word))) for word in WORDS]
    text = left + (right.lstrip() if not left or left[-1].isspace() else right)
    items.append(JudgedItem("i", text, (len(left), len(left))))
    if left.endswith(" "):
        items.append(JudgedItem("i", left.rstrip() + right, (len(left.rstrip()),) * 2))
    assert len({json.dumps(sent("cloze", item)) for item in items}) == 1


def test_sides_of_a_gap() -> None:
    assert cloze_texts(JudgedItem("i", "He went home .", (8, 8))) == ("He went ", " home .")
    assert cloze_texts(JudgedItem("i", "He went to home.", (8, 10))) == ("He went ", " home.")
    assert cloze_texts(JudgedItem("i", "What is it for?", (11, 14))) == ("What is it ", "?")
    assert cloze_texts(JudgedItem("i", "in|to", (2, 3))) == ("in", "to")
    assert cloze_texts(JudgedItem("i", "他在家里", (1, 2))) == ("他", "家里")


@pytest.mark.parametrize(("left", "right"), [("He went ", " home ."), ("", " I saw him ."), ("It depends ", "")])
@pytest.mark.parametrize("other", ["for", ""])
def test_both_orders_of_a_choice_look_the_same(left: str, right: str, other: str) -> None:
    """Also where one of the two is no word, and the text is the other's."""
    start = len(left)
    written = JudgedItem("i", f"{left}to{right}", (start, start + 2), candidates=("to", other))
    turned = JudgedItem("i", f"{left}to{right}", (start, start + 2), candidates=(other, "to"))
    assert sent("choice", written) == sent("choice", turned, reversed_=True)
    assert sent("choice", written) != sent("choice", turned)
    if other:
        system = JudgedItem("i", f"{left}{other}{right}", (start, start + len(other)), candidates=("to", other))
        assert sent("choice", written) == sent("choice", system)
    assert not any("  " in text or text != text.strip() for text in candidate_texts(written, False))


def test_the_hash_follows_what_is_shown() -> None:
    """R16: an answer to another text, span or order is told from an answer to this one."""
    item = JudgedItem("i", "He depends on him .", (11, 13), candidates=("on", "of"))
    others = [replace(item, text="He depends on her ."), replace(item, before="Once more.")]
    for scheme in map(load_scheme, ("error-ok", "choice", "cloze")):
        hashes = [shown_hash(scheme, each, False) for each in (item, *others)]
        assert len({*hashes}) == 3
    assert shown_hash(SCHEME, item, False) != shown_hash(SCHEME, replace(item, span=(3, 10)), False)
    assert shown_hash(load_scheme("choice"), item, False) != shown_hash(load_scheme("choice"), item, True)


def lease(token: str, words: int) -> Lease:
    return Lease(token, JudgedItem(token, "word " * words, (0, 4)), "main", False)


def test_large_texts_push_out_what_was_shown_longest_ago() -> None:
    made: list[str] = []

    def make(scheme: object, item: JudgedItem, _: int, language: object) -> str:
        made.append(item.name)
        return fragment(SCHEME, item)

    small = len(fragment(SCHEME, lease("a", 2).item))
    shown = ShownItems(make, most=2 * small)
    for token in ("a", "b", "a", "c", "a", "b"):
        shown.of(SCHEME, lease(token, 2), ENGLISH)
    assert made == ["a", "b", "c", "b"]  # a was asked for again and again
    assert shown.size == 2 * small


def test_a_text_that_is_too_large_is_shown_and_not_kept() -> None:
    shown = ShownItems(fragment, most=1000)
    text_hash, html = shown.of(SCHEME, lease("book", 5000), ENGLISH)
    item = lease("book", 5000).item
    assert (text_hash, html) == (shown_hash(SCHEME, item, False), fragment(SCHEME, item))
    assert shown.size == 0
