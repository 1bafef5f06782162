"""What docs/ranking.md shows is what the commands print on the judgments of Grundkiewicz et al. 2015."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine

PAGE = (Path(__file__).parents[2] / "docs" / "ranking.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```text\n\$ errorbar (.*)\n((?:.*\n)*?)```", PAGE)


def test_there_are_examples() -> None:
    assert [command.split()[0] for command, _ in EXAMPLES] == ["rank", "meta"]


@pytest.mark.parametrize(("command", "shown"), EXAMPLES)
def test_examples(errorbar: CommandLine, data: Path, monkeypatch: pytest.MonkeyPatch, command: str, shown: str) -> None:
    folder = data / "rankings_grundkiewicz2015"
    if not folder.is_dir():
        pytest.skip("needs the human rankings: no rankings_grundkiewicz2015 in ../shared/data beside the repository")
    monkeypatch.chdir(folder)
    done = errorbar(*shlex.split(command))
    assert done.code == 0
    assert done.out.strip("\n") == shown.strip("\n")


def test_the_table_of_published_scores(errorbar: CommandLine, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The columns that do not take a minute: Expected Wins, by every way to resample."""
    folder = data / "rankings_grundkiewicz2015"
    if not folder.is_dir():
        pytest.skip("needs the human rankings: no rankings_grundkiewicz2015 in ../shared/data beside the repository")
    monkeypatch.chdir(folder)
    rows = dict(re.findall(r"^\| ([A-Z]+) \| \.\d+ \| (\.\d{4}) \|", PAGE, re.MULTILINE))
    ranges = re.findall(r"^\| ([A-Z]+) \| ([\d–]+) \| ([\d–]+) \| ([\d–]+) \|$", PAGE, re.MULTILINE)
    assert (len(rows), len(ranges)) == (13, 4)
    for at, by in enumerate(("comparison", "item", "sentence"), 1):
        out = errorbar("rank", "judgments.xml", "--by", by, "--format", "csv").out
        found = {row["system"]: row for row in csv.DictReader(out.splitlines())}
        assert {system: f"{float(row['score']):.4f}"[1:] for system, row in found.items()} == dict(rows)
        for row in ranges:
            assert f"{found[row[0]]['rank_low']}–{found[row[0]]['rank_high']}" == row[at]


def test_what_is_said_of_ties(errorbar: CommandLine, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = data / "rankings_grundkiewicz2015"
    if not folder.is_dir():
        pytest.skip("needs the human rankings: no rankings_grundkiewicz2015 in ../shared/data beside the repository")
    monkeypatch.chdir(folder)
    places = {}
    methods = ("expected-wins", "expected-wins-half-ties", "bradley-terry", "bradley-terry-no-ties")
    for method in methods:
        out = errorbar("rank", "judgments.xml", "--method", method, "--resamples", "2", "--format", "csv").out
        order = [row["system"] for row in csv.DictReader(out.splitlines())]
        places[method] = (order.index("UFC") + 1, order.index("RAC") < order.index("CAMB"))
    assert places == {
        "expected-wins": (6, True),
        "expected-wins-half-ties": (8, False),
        "bradley-terry": (8, False),
        "bradley-terry-no-ties": (8, True),
    }
