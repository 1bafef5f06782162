"""What is shown of text that nobody has looked at."""

from __future__ import annotations

import json
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core.problems import InputError, Place, Problem, visible, visible_json

JOINERS = "\u200c\u200d"
# Format characters that are seen: signs of Arabic, Syriac and Kaithi numbers.
SEEN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – naïve 漢字 😀", "plain – naïve 漢字 😀"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[31m\x00\x7f\x9b", "\\x1b[31m\\x00\\x7f\\x9b"),
        ("\u2028\u202e\u2066\u200b\ufeff", "\\u2028\\u202e\\u2066\\u200b\\ufeff"),
        ("\ud800\U000e0041", "\\ud800\\U000e0041"),
        ("C:\\new", "C:\\new"),
        (f"می{JOINERS}", f"می{JOINERS}"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_acts_and_everything_can_be_written(text: str) -> None:
    """By Unicode's own categories: controls, surrogates, line and paragraph separators, marks of direction."""
    shown = visible(text)
    shown.encode()
    assert visible(shown) == shown
    assert not {category(one) for one in shown} & {"Cc", "Cs", "Zl", "Zp"}


def test_format_characters_are_shown_but_for_joiners_and_those_that_are_seen() -> None:
    """In the basic plane; the others are marks of notes, shorthand and hieroglyphs, and tags, which are shown."""
    formats = {chr(code) for code in range(0x10000) if category(chr(code)) == "Cf"}
    assert {one for one in formats if visible(one) == one} <= {*JOINERS, *SEEN}


@given(st.text(st.characters(exclude_categories=())))
def test_json_is_the_same_data(text: str) -> None:
    shown = visible_json(json.dumps({text: text}, ensure_ascii=False))
    shown.encode()
    assert json.loads(shown) == json.loads(json.dumps({text: text}))
    assert visible(shown) == shown


def test_a_problem_is_one_line_whatever_it_quotes() -> None:
    problem = Problem("x", "no\nerror: forged", Place("a\nerror: b", 3), "\x1b", "\u2028")
    assert str(problem) == "a\\nerror: b:3: no\\nerror: forged (expected \\x1b); \\u2028 [x]"
    assert str(InputError([problem, problem])).count("\n") == 1
