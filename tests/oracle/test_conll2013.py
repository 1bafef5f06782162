"""CoNLL-2013: gold edits as they are written, with what the official scorer makes of repeated and unsorted ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from errorbar import Corpus, Problems, Sentence
from errorbar.edits import MatchRules, corrected_text, match_corpus
from errorbar.edits.matching import COMPILED
from errorbar.formats import Lines, project_essays, read_corpus, read_m2, read_nucle, write_m2
from tests.helpers.cli import CommandLine

needs_kernel = pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")


def revised_text(data: Path) -> list[str]:
    """What the revised annotation makes of the source; of two overlapping edits the first is applied."""
    problems = Problems(lenient=True)
    revised = read_corpus(data / "conll13/revised/official-preprocessed.m2", problems)
    return [corrected_text(sentence, "0", problems) for sentence in revised.sentences]


def original(data: Path, *, as_written: bool) -> Corpus:
    problems = Problems(lenient=not as_written, as_written=as_written)
    return read_corpus(data / "conll13/original/official-preprocessed.m2", problems)


@pytest.mark.parametrize(
    "kernel", [pytest.param(True, marks=needs_kernel), pytest.param(False, marks=pytest.mark.slow)]
)
def test_the_official_counts_of_the_revised_text(data: Path, kernel: bool) -> None:
    """Correct 3,335, proposed 3,421, gold 3,462: the official M2 scorer, release 3.2, on these two files."""
    found = match_corpus(original(data, as_written=True), revised_text(data), MatchRules(kernel=kernel))
    assert found.counts.sum(axis=(0, 1)).tolist() == [3335, 3421, 3462]


@pytest.mark.slow
def test_the_usual_reading_drops_what_is_repeated(data: Path) -> None:
    found = match_corpus(original(data, as_written=False), revised_text(data))
    assert found.counts.sum(axis=(0, 1)).tolist() == [3334, 3421, 3460]


@pytest.mark.parametrize("jobs", [1, 2])
def test_on_the_command_line(data: Path, errorbar: CommandLine, tmp_path: Path, jobs: int) -> None:
    system, gold = tmp_path / "revised", data / "conll13/original/official-preprocessed.m2"
    system.write_text("".join(f"{line}\n" for line in revised_text(data)))
    done = errorbar("score", "--gold", gold, system, "--as-written", "--jobs", jobs, "--format", "csv")
    row = dict(zip(*(line.split(",") for line in done.out.splitlines()), strict=False))
    assert [row[name] for name in ("correct", "proposed", "gold")] == ["3335", "3421", "3462"]
    assert "|gold:as-written|" in row["signature"]


@pytest.mark.parametrize(("name", "n_mistakes", "n_edits"), [("original", 3470, 3462), ("revised", 3515, 3506)])
def test_the_released_lines_come_out_of_the_essays(data: Path, name: str, n_mistakes: int, n_edits: int) -> None:
    """Every A line with span, type and correction, in order: without effect, repeated and unsorted ones too."""
    folder = data / "conll13" / name
    problems = Problems(as_written=True)
    essays = list(read_nucle(Lines(folder / "official.sgml", problems), problems))
    released = list(read_m2(Lines(folder / "official-preprocessed.m2", problems), problems))
    found = list(project_essays(essays, released, problems))
    problems.raise_errors()
    assert sum(len(mistakes) for essay in essays for mistakes in essay.annotations.values()) == n_mistakes
    assert sum(len(edits) for sentence in released for edits in sentence.annotations.values()) == n_edits
    assert list(edit_lines(found)) == list(edit_lines(released))


def edit_lines(sentences: list[Sentence]) -> Iterator[str]:
    """S and A lines without noop, comments and annotator."""
    for line in write_m2(sentences, Problems()):
        if "|||noop|||" not in line:
            yield "|||".join(line.split("|||")[:3])
