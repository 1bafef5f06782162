"""Forms that English has, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.detectors.candidates import (
    Families,
    Spellings,
    as_written,
    distance,
    other_number,
    verb_forms,
    with_s,
)

TEXT = """class classes city cities day days child children analysis analyses problem problems bus buses glass
    stop stops stopped stopping make makes made making study studies studied studying visit visits visited visiting
    go goes went gone going agree agrees agreed agreeing play plays played playing use uses used using wish wishes
    economy economic economical economically economies news"""
KNOWN = TEXT.split()


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("class", ["classes"]),
        ("classes", ["class"]),
        ("city", ["cities"]),
        ("cities", ["city"]),
        ("day", ["days"]),
        ("children", ["child"]),
        ("analyses", ["analysis"]),
        ("glass", []),
        ("news", []),
        ("unheard", []),
    ],
)
def test_number(word: str, others: list[str]) -> None:
    assert other_number(word, KNOWN) == others


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("stopped", "stop stops stopping"),
        ("stop", "stops stopped stopping"),
        ("made", "make makes making"),
        ("studying", "study studies studied"),
        ("visited", "visit visits visiting"),
        ("gone", "go goes went going"),
        ("agreed", "agree agrees agreeing"),
        ("use", "uses used using"),
        ("wish", "wishes"),
    ],
)
def test_verbs(word: str, others: str) -> None:
    assert sorted(verb_forms(word, KNOWN)) == sorted(others.split())


def test_families() -> None:
    assert Families(KNOWN).of("economy") == ["economic", "economical", "economically", "economies"]
    assert Families(KNOWN).of("xylophone") == []


def test_spellings() -> None:
    words = Spellings({"receive": 9, "relieve": 3, "received": 5, "deceive": 1, "the": 100})
    assert words.near("recieve")[:2] == ["receive", "relieve"]
    assert words.near("teh") == ["the"]
    assert words.near("qqqqqqq") == []
    assert Spellings({}).near("word") == []


def test_case() -> None:
    assert [as_written("form", like) for like in ("word", "Word", "WORD", "I", "")] == [
        "form",
        "Form",
        "FORM",
        "Form",
        "form",
    ]
    assert with_s("boy") == "boys"


WORD = st.text("abc", max_size=6)


@given(WORD, WORD)
def test_distance_is_what_it_is_called(first: str, second: str) -> None:
    found = distance(first, second)
    assert found == distance(second, first)
    assert (found == 0) == (first == second)
    assert abs(len(first) - len(second)) <= found <= max(len(first), len(second))
