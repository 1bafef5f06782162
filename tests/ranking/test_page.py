"""The tables of tests/measured/ranking.md are what the commands say of the judgments of Grundkiewicz et al. 2015."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine

MEASURED = (Path(__file__).parents[1] / "measured" / "ranking.md").read_text(encoding="utf-8")
SYSTEMS = "conll14_systems/official_submissions"
GOLD = "conll14/noalt/official-2014.combined.m2"
METHODS = ("expected-wins", "trueskill")


@pytest.fixture
def linked(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the rankings, the systems and the reference."""
    rankings = data / "rankings_grundkiewicz2015"
    if not rankings.is_dir():
        pytest.skip("needs the human rankings: no rankings_grundkiewicz2015 in ../shared/data beside the repository")
    for path in (*rankings.iterdir(), *(data / SYSTEMS).iterdir(), data / GOLD):
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.measured
def test_the_table_of_metrics(errorbar: CommandLine, linked: Path, data: Path) -> None:
    """All but the rows of ERRANT, which needs a pipeline."""
    table = re.findall(
        r"^\| `?([^`|]+?)`?(?: as recorded)? \|" + r" (-?\.\d{3}) \|" * 4 + r" (.*) \|$", MEASURED, re.MULTILINE
    )
    recorded = [name for name, *_ in table if name in ("M2", "I-WAcc", "BLEU", "METEOR")]
    computed = [name for name, *_ in table if name not in recorded and "errant" not in name]
    assert (len(recorded), len(computed), len(table)) == (4, 6, 13)
    files = {name: linked / "metrics" / f"scores.{name.lower().replace('-', '')}" for name in recorded}
    words = ["meta", "--human", "judgments.xml", "--gold", Path(GOLD).name, "--format", "csv"]
    words += [word for name in computed for word in ("--metric", name)]
    words += [word for name, file in files.items() for word in ("--scores", f"{name}={file}")]
    words += sorted(path.name for path in (data / SYSTEMS).iterdir())
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for method, options in (("expected-wins", ()), ("trueskill", ("--no-ci",))):
        rows = csv.DictReader(errorbar(*words, "--method", method, *options).out.splitlines())
        found |= {(method, row["metric"], row["correlation"]): row for row in rows}
    for name, *cells, soft in (row for row in table if "errant" not in row[0]):
        places = [(method, name, kind) for method in METHODS for kind in ("pearson", "spearman")]
        assert [float(cell) for cell in cells] == [round(float(found[place]["value"]), 3) for place in places]
        row = found["expected-wins", name, "soft-pairwise-accuracy"]
        if row["value"]:
            numbers = [f"{float(row[key]):.3f}"[1:] for key in ("value", "judgments_low", "judgments_high")]
            assert soft == "{} ({} to {})".format(*numbers)
        assert (soft == "–") == (not row["value"])


@pytest.mark.parametrize(
    ("at", "by"),
    [(1, "comparison"), *(pytest.param(at, by, marks=pytest.mark.slow) for at, by in ((2, "item"), (3, "sentence")))],
)
def test_the_table_of_published_scores(
    at: int, by: str, errorbar: CommandLine, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The columns that do not take a minute: Expected Wins, by every way to resample."""
    folder = data / "rankings_grundkiewicz2015"
    if not folder.is_dir():
        pytest.skip("needs the human rankings: no rankings_grundkiewicz2015 in ../shared/data beside the repository")
    monkeypatch.chdir(folder)
    rows = dict(re.findall(r"^\| ([A-Z]+) \| \.\d+ \| (\.\d{4}) \|", MEASURED, re.MULTILINE))
    ranges = re.findall(r"^\| ([A-Z]+) \| ([\d–]+) \| ([\d–]+) \| ([\d–]+) \|$", MEASURED, re.MULTILINE)
    assert (len(rows), len(ranges)) == (13, 4)
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
