"""What every result can do, of one made here; data frames where a library of them is installed."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

import errorbar
from errorbar import ErrorbarError
from errorbar.cli.command import Command
from errorbar.cli.options import INPUT
from errorbar.cli.output import OutputOptions, output_options
from errorbar.core import Estimate, InputError, Place, Problem, UsageError
from errorbar.formats import looking
from errorbar.tables import Cell, Column, Result, Table
from tests.helpers.expectations import expect_refusal

NOTE = Problem("odd", "it is odd", Place("f", 1), severity="warning")


@dataclass(frozen=True, slots=True, repr=False)
class Made(Result):
    names: tuple[str, ...]
    notes: Sequence[Problem] = (NOTE,)

    def to_dict(self) -> dict[str, object]:
        return {"rows": [{"system": name} for name in self.names]}

    def tables(self) -> list[Table]:
        rows: list[list[Cell]] = [[name, Estimate(0.5, 1)] for name in self.names]
        columns = [Column("system"), Column("F", "percent")]
        return [Table(columns, rows, name="scores"), Table([Column("n", "count")], [[len(self.names)]], name="more")]


def test_repr_names_the_first_rows() -> None:
    assert repr(Made(("a", "b", "c", "d"))) == "Made(4 rows: a, b, c, …)"
    assert repr(Made(("a",))) == "Made(1 row: a)"
    assert repr(Made(())) == "Made(0 rows)"


DEMO = Path(errorbar.__file__).with_name("demo")
GOLD, OUTPUTS = DEMO / "gold.jsonl", [DEMO / "careful.txt", DEMO / "greedy.txt"]
CALLS: dict[str, Callable[[], Result]] = {
    "score": lambda: errorbar.score(GOLD, OUTPUTS, ci=False),
    "compare": lambda: errorbar.compare(GOLD, OUTPUTS, resamples=100),
    "ceiling": lambda: errorbar.ceiling(GOLD, OUTPUTS, ci=False),
    "agree": lambda: errorbar.agree(GOLD, ci=False),
    "audit_estimate": lambda: errorbar.audit_estimate(DEMO / "crowd/audit.csv", key=DEMO / "crowd/audit-key.json"),
    "crowd_aggregate": lambda: errorbar.crowd_aggregate(DEMO / "crowd/votes.csv"),
    "sample_plan": lambda: errorbar.sample_plan(flagged=100, unflagged=1000, budget=100),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_equal_and_hashed_by_what_they_say(name: str) -> None:
    """Whatever arrays they are made of."""
    result = CALLS[name]()
    for twin in (CALLS[name](), copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert result == twin
        assert hash(result) == hash(twin)
        assert (str(result), repr(result), result._repr_html_()) == (str(twin), repr(twin), twin._repr_html_())
    assert result != Made(())
    assert result != name


def test_other_results_are_not_equal() -> None:
    assert Made(("a",)) == Made(("a",))
    assert Made(("a",)) != Made(("b",))
    assert Made(("a",)) != Made(("a",), ())
    assert repr(CALLS["compare"]()) == "ComparisonResult(2 rows: greedy, careful)"


def test_files_without_a_problem_are_a_line_each_as_on_the_command_line() -> None:
    line = "63 lines, 41 sentences changed; no problem"
    assert str(errorbar.check(OUTPUTS[:1], gold=GOLD)).endswith(f"careful.txt: {line}")
    assert "line-count" in str(errorbar.check({"short": ["a b"]}, gold=GOLD))


def test_a_notebook_shows_every_table() -> None:
    made = Made(("<b>",))._repr_html_()
    assert made.count("<table") == 2
    assert "&lt;b&gt;" in made
    assert "50.00" in made


class Frames(ModuleType):
    """A library of data frames that keeps what it is given."""

    @staticmethod
    def DataFrame(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:  # noqa: N802 - the libraries' name
        return columns


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_the_library_that_is_imported(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, library, Frames(library))
    made = Made(("a", "b"))
    assert made.to_frame() == {"system": ["a", "b"], "f": [0.5, 0.5]}
    assert made.to_frame("more") == {"n": [2]}
    with pytest.raises(UsageError, match="there is no table 'mor'; did you mean 'more'"):
        made.to_frame("mor")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_the_library_itself(library: str) -> None:
    frames = pytest.importorskip(library)
    frame = frames.DataFrame(Made(("a",)).to_frame())
    assert list(frame.columns) == ["system", "f"]


def test_without_a_library_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr("errorbar.tables.result.find_spec", lambda name: None)
    with pytest.raises(ErrorbarError, match=r"pip install pandas.*to_dict\(\) needs none") as caught:
        Made(()).to_frame()
    assert caught.value.code == "no-frames"


@click.command(cls=Command)
@click.argument("file", type=INPUT)
@output_options
def command(file: str, output: OutputOptions) -> None:
    output.show(Made((file,)), "made/1")


def run(*arguments: str) -> None:
    with looking(command=True):
        command.main(list(arguments), standalone_mode=False)


def test_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    run("x", "--format", "csv")
    said = capsys.readouterr()
    assert said.out == "system,f\nx,0.5\n\nn\n1\n"
    assert said.err == "warning: f:1: it is odd; errorbar explain odd\n"
    run("x", "--format", "json")
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert (document["schema"], document["rows"], document["warnings"][0]["code"]) == (
        "made/1",
        [{"system": "x"}],
        "odd",
    )
    assert said.err == ""
    run("x")
    assert capsys.readouterr().out == f" system      F\n {'─' * 13}\n x       50.00\n\n n\n ─\n 1\n"


@pytest.mark.parametrize(
    ("name", "start"),
    [("r.json", "{"), ("r.csv", "system,f"), ("r.md", "| system |"), ("r.tex", "\\begin"), ("r.txt", " system ")],
)
def test_in_a_file_whose_ending_says_how(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, start: str
) -> None:
    run("x", "-o", str(tmp_path / name))
    assert (tmp_path / name).read_text().startswith(start)
    assert capsys.readouterr().out == ""
    run("x", "-o", str(tmp_path / name), "--format", "latex")
    assert (tmp_path / name).read_text().startswith("\\begin{tabular}")


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("a")
    refusals: tuple[tuple[str, str, type[ErrorbarError]], ...] = (
        ("in.csv", "output-over-input", UsageError),
        ("r.xyz", "output-format", UsageError),
        ("no/r.csv", "cannot-write", InputError),
        (".", "cannot-write", InputError),
    )
    for target, code, kind in refusals:
        with expect_refusal(code, kind=kind):
            run("x=in.csv", "-o", target)
    assert Path("in.csv").read_text() == "a"
