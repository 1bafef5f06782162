"""``errorbar reproduce``: what is printed, and the exit code that is a gate."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from errorbar.reproduce import STUDIES, Cell, Number, Sources
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.helpers.small_tables import shrink_tables


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


def test_a_study_of_the_corpora(errorbar: CommandLine, data: Path) -> None:
    """The one that takes a second without the compiled kernel too: Tetreault & Chodorow 2008."""
    done = errorbar("reproduce", "tetreault-chodorow2008", "--data", data, "--format", "json")
    assert (done.code, done.err) == (0, "")
    document = validated("reproduce", done.out, 2)
    assert Counter(cell["outcome"] for cell in document["cells"]) == {
        "match": 13,
        "known": 12,
        "not_computable": 68,
        "added": 6,
    }


class TestNativeText:
    """Choices of prepositions, in a text of a few hundred sentences."""

    @pytest.fixture
    def text(self, tmp_path: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        shrink_tables(monkeypatch)
        monkeypatch.setattr("errorbar.api.selection.SIZES", (100,))
        sentences = [f"He went {('to', 'by')[k % 2]} the {('town', 'sea')[k % 2]} ." for k in range(600)]
        Path("a.txt").write_text("\n".join(sentences[:300]) + "\n", encoding="utf-8")
        Path("b.txt").write_text("\n".join(sentences[300:]) + "\n", encoding="utf-8")
        tags = ("PRP", "VBD", "IN", "DT", "NN", ".")
        lines = [
            "".join(
                f"{k}\t{form}\t{form.lower()}\t_\t{tag}\t_\t_\t_\t_\t_\n"
                for k, (form, tag) in enumerate(zip(each.split(), tags, strict=True), 1)
            )
            for each in sentences[:40]
        ]
        Path("bank.conllu").write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = errorbar("train", "a.txt", "b.txt", "--treebank", "bank.conllu", "--part", "tagger", "--part", "me")
        assert done.code == 0, done.err
        return tmp_path

    @pytest.mark.slow
    @pytest.mark.usefixtures("text")
    def test_the_steps_are_told_and_the_curve_drawn(self, errorbar: CommandLine, data: Path) -> None:
        pytest.importorskip("vl_convert", reason="needs the extra 'report'")
        call = ("reproduce", "tetreault-chodorow2008", "--data", data, "--models", "models", "--text", "[ab].txt")
        done = errorbar(*call, "--treebank", "bank.conllu", "--chart", "curve.svg", "--format", "json")
        assert done.code == 0, done.err
        assert [line.removesuffix(" ...") for line in done.err.splitlines()][:3] == [
            "reading text",
            "tagging text",
            "training me on 100 examples",
        ]
        document = validated("reproduce", done.out, 2)
        ours = {(cell["table"], cell["row"], cell["column"]): cell["ours"] for cell in document["cells"]}
        assert ours["selection", "ME", "held-out text"] == 1.0
        assert ours["selection", "ME", "treebank"] == 1.0
        drawn = Path("curve.svg").read_text(encoding="utf-8")
        assert drawn.startswith("<svg")
        assert "published: 77.4" in drawn
        again = errorbar(*call, "--treebank", "bank.conllu", "--format", "json", "--quiet")
        assert (again.err, again.out) == ("", done.out)

    @pytest.mark.usefixtures("text")
    def test_a_picture_that_cannot_be_written_is_refused_at_once(self, errorbar: CommandLine) -> None:
        call = ("reproduce", "tetreault-chodorow2008", "--models", "models", "--text", "a.txt", "--chart")
        for path, code in (("curve.gif", "output-format"), ("nowhere/curve.svg", "cannot-write")):
            done = errorbar(*call, path)
            assert (done.code, done.out) == (2, "")
            assert done.err.endswith(f"[{code}]\n")
            assert "reading" not in done.err


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
