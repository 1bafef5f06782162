"""``errorbar reproduce``: what is printed, and the exit code that is a gate."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from errorbar.reproduce import STUDIES, Cell, Number, Sources
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine


def good(_: Sources) -> Iterator[Cell]:
    yield Cell("table 1", "x", "f", Number("12.34"), 12.341)
    yield Cell("table 1", "y", "f", Number("50.0"), None, known="never released")
    yield Cell("table 2", "x", "n", Number("7"), 7)
    yield Cell("table 2", "x", "low", None, 6.5, known="the paper has no interval")
    yield Cell("table 2", "z", "n", Number("7"), 9, known="another reading")
    yield Cell("table 2", "u", "n", Number("7.00"), 7.011, known="unexplained: it was tried")


def bad(sources: Sources) -> Iterator[Cell]:
    yield from good(sources)
    yield Cell("table 2", "y", "n", Number("7"), 8)


@pytest.fixture(autouse=True)
def studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STUDIES, "good", good)
    monkeypatch.setitem(STUDIES, "bad", bad)


def test_every_cell_matches(errorbar: CommandLine) -> None:
    done = errorbar("reproduce", "good")
    assert (done.code, done.err) == (0, "")
    listed, summary = done.out.split("\n\n")[:2]
    assert "unexplained: it was tried" in listed
    assert "another reading" not in listed
    rows = [line.split() for line in summary.splitlines() if line.strip()]
    assert rows[2:5] == [
        ["table", "1", "2", "1", "0", "1", "0", "0", "0"],
        ["table", "2", "4", "1", "1", "0", "1", "1", "0"],
        ["all", "6", "2", "1", "1", "1", "1", "0"],
    ]
    assert "7.00" in done.out  # what is unexplained is listed, with its difference, and no failure
    assert "table 1: never released (not computable)" in done.out
    assert "table 2: the paper has no interval (added)" in done.out
    assert "table 2: another reading (known difference)" in done.out


def test_a_cell_that_does_not_match_is_shown_and_ends_in_1(errorbar: CommandLine) -> None:
    done = errorbar("reproduce", "bad", "--format", "markdown")
    assert (done.code, done.err) == (1, "")
    assert "| table 2 | y | n |  | 7 | 8.0000 | +1.0000 | MISMATCH |" in done.out
    assert "| x |" not in done.out
    assert "| all | 7 | 2 | 1 | 1 | 1 | 1 | 1 |" in done.out


def test_all_cells_on_request(errorbar: CommandLine) -> None:
    out = errorbar("reproduce", "good", "--all", "--format", "markdown").out
    assert "| table 1 | x | f |  | 12.34 | 12.3410 | +0.0010 | match |" in out
    assert "| table 1 | y | f | never released | 50.0 | – | – | not computable |" in out
    assert "| table 2 | x | low | the paper has no interval | – | 6.5000 | – | added |" in out


def test_csv_has_every_cell(errorbar: CommandLine) -> None:
    done = errorbar("reproduce", "bad", "--format", "csv")
    assert done.code == 1
    outcomes = [row["outcome"] for row in csv.DictReader(io.StringIO(done.out))]
    assert outcomes == ["match", "not computable", "match", "added", "known difference", "unexplained", "MISMATCH"]


@pytest.mark.parametrize(("study", "code"), [("good", 0), ("bad", 1)])
def test_json(errorbar: CommandLine, study: str, code: int) -> None:
    done = errorbar("reproduce", study, "--format", "json")
    assert done.code == code
    document = validated("reproduce", done.out, 2)
    assert document["study"] == study
    assert sum(table["cells"] for table in document["tables"]) == len(document["cells"])
    assert [cell["outcome"] for cell in document["cells"]][:6] == [
        "match",
        "not_computable",
        "match",
        "added",
        "known",
        "unexplained",
    ]


class TestBadInput:
    def refused(self, errorbar: CommandLine, *arguments: object) -> str:
        done = errorbar("reproduce", *arguments)
        assert (done.code, done.out) == (2, "")
        (line,) = done.err.splitlines()
        return line

    def test_an_unknown_study(self, errorbar: CommandLine) -> None:
        line = self.refused(errorbar, "conl2014")
        assert line == "error: no study is called 'conl2014'; did you mean 'conll2014'? [unknown-study]"

    def test_no_corpus_in_the_folder(self, errorbar: CommandLine, tmp_path: Path) -> None:
        line = self.refused(errorbar, "bryant-ng2015", "--data", tmp_path)
        assert "the corpus 'bryant-ng2015' is not here; errorbar data fetch bryant-ng2015" in line

    def test_no_corpus_in_the_cache(
        self, errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("XDG_CACHE_HOME", "ERRORBAR_CACHE", "ERRORBAR_DATA", "HOME"):
            monkeypatch.setenv(name, str(tmp_path))
        assert "errorbar data fetch conll2014" in self.refused(errorbar, "conll2014")
