"""A line that is missing, or too many, is found where it is; a text that fits nowhere is not explained."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.demo import demo_files
from errorbar.edits.admission import explain_gap
from errorbar.formats.reference import read_corpus
from tests.helpers.cli import CommandLine

WORDS = [f"word{n}" for n in range(400)]


def sentences(seed: int, n: int) -> list[str]:
    """Each unlike all others."""
    draw = random.Random(seed)
    return [" ".join(draw.sample(WORDS, 8)) for _ in range(n)]


def changed(line: str, draw: random.Random) -> str:
    words = line.split()
    words[draw.randrange(len(words))] = "other"
    return " ".join(words)


@given(st.integers(0, 10_000), st.integers(8, 40), st.integers(1, 3), st.data())
def test_missing_lines_are_named(seed: int, n: int, n_missing: int, data: st.DataObject) -> None:
    draw, sources = random.Random(seed), sentences(seed, n)
    at = data.draw(st.integers(0, n - n_missing))
    lines = [changed(line, draw) for line in sources[:at] + sources[at + n_missing :]]
    named = f"line {at + 1}" if n_missing == 1 else f"lines {at + 1}-{at + n_missing}"
    said = explain_gap(sources, lines, len(lines))
    assert said is not None
    assert said.startswith(f"{named} of the source seem")


@given(st.integers(0, 10_000), st.integers(8, 40), st.integers(1, 3), st.booleans(), st.data())
def test_lines_too_many_are_named(seed: int, n: int, n_extra: int, cut: bool, data: st.DataObject) -> None:
    """Also where only as many lines were kept as the source has."""
    draw, sources = random.Random(seed), sentences(seed, n)
    at = data.draw(st.integers(0, n))
    lines = [changed(line, draw) for line in sources]
    lines[at:at] = [f"not of the source {k}" for k in range(n_extra)]
    named = f"line {at + 1}" if n_extra == 1 else f"lines {at + 1}-{at + n_extra}"
    said = explain_gap(sources, lines[:n] if cut else lines, len(lines))
    assert said is not None
    assert said.startswith(f"{named} seem")


def test_what_fits_nowhere_is_not_explained() -> None:
    sources, others = sentences(1, 20), sentences(2, 19)
    assert explain_gap(sources, others, 19) is None
    assert explain_gap(sources, sources, 20) is None
    assert explain_gap(sources, [], 0) is None
    assert explain_gap([], sources, 20) is None
    assert explain_gap(sources, sources[:5], 5) is None  # more is missing than is there


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda lines: [*lines[:19], *lines[20:]], "line 20 of the source seems to be missing here"),
        (lambda lines: lines[:60], "lines 61-63 of the source seem to be missing here"),
        (lambda lines: [*lines[:20], *lines[19:]], "seems to be too many; without it, the other lines fit"),
    ],
)
def test_check_says_it_and_counts_no_changes(
    edit: Callable[[list[str]], list[str]], said: str, errorbar: CommandLine, tmp_path: Path
) -> None:
    """Of a line that stands twice, either is too many."""
    with demo_files() as (gold, _):
        source = [sentence.text for sentence in read_corpus([str(gold)]).sentences]
        file = tmp_path / "out.txt"
        file.write_text("\n".join(edit(source)) + "\n", encoding="utf-8")
        done = errorbar("check", "--gold", gold, file)
    assert said in done.out
    assert "sentences changed" not in done.out
    assert done.code == 1
