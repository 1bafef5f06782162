"""Finding lines that belong to another source line."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar.edits import TextInspection
from errorbar.edits.admission import stretches
from errorbar.formats import read_corpus
from tests.helpers.official import read_lines

SOURCES = [
    "one of the great questions of our time is this",
    "they asked whether a gene can be changed at all",
    "nobody could tell them how to find an answer soon",
    "the weather in spring is mild and rather pleasant",
    "many cities build new bridges over wide rivers now",
    "she reads long books about old wars every winter",
    "his brother cooks rice with beans on quiet sundays",
    "fresh snow had covered every path behind our school",
]


def shifted(sources: list[str], lines: list[str], size: int = 100) -> list[tuple[int, int]]:
    look = TextInspection()
    for at in range(0, len(sources), size):
        look.add(sources[at : at + size], lines[at : at + size])
    return stretches(look.shifted)


def test_corrected_lines_are_not_suspicious() -> None:
    lines = [line.replace("the ", "a ").replace("is", "was") for line in SOURCES]
    assert shifted(SOURCES, lines) == []


def test_a_line_moved_by_one() -> None:
    # Lines 3 to 6 hold what belongs to lines 4 to 7.
    lines = [*SOURCES[:2], *SOURCES[3:7], *SOURCES[6:]]
    assert shifted(SOURCES, lines) == [(3, 6)]


def test_a_bad_line_that_resembles_no_neighbor_is_only_bad() -> None:
    lines = [*SOURCES[:3], "something else entirely , said by nobody here", *SOURCES[4:]]
    assert shifted(SOURCES, lines) == []


@pytest.mark.parametrize(("n", "found"), [(3, []), (4, [(1, 1)])])
def test_short_lines_are_not_judged(n: int, found: list[tuple[int, int]]) -> None:
    first, second = " ".join("abcd"[:n]), " ".join("efgh"[:n])
    assert shifted([first, second], [second, second]) == found


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_bad_line_is_forgotten_once_its_neighbors_are_known(size: int) -> None:
    lines = [*SOURCES[:3], "something else entirely , said by nobody here", *SOURCES[4:], *SOURCES, *SOURCES]
    assert shifted(SOURCES * 3, lines, size) == []


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_chunks_do_not_hide_a_shift(size: int) -> None:
    lines = [*SOURCES[:2], *SOURCES[3:7], *SOURCES[6:]]
    assert shifted(SOURCES, lines, size) == [(3, 6)]


def test_nthu_is_shifted_twice_and_nobody_else_is(data: Path) -> None:
    """NTHU's submission is off by one line around 38-43 and 165-167 (data/README.md)."""
    corpus = read_corpus([data / "conll14/noalt/official-2014.combined.m2"])
    sources = [sentence.text for sentence in corpus.sentences]
    folder = data / "conll14_systems/official_submissions"
    found = {file.name: shifted(sources, read_lines(file)) for file in folder.iterdir()}
    assert len(found) == 13
    assert {name: where for name, where in found.items() if where} == {"NTHU": [(38, 43), (165, 167)]}
