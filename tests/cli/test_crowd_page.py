"""The tables on ten annotators and twelve systems, some in docs/measurements/crowd.md, are what commands print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli import CommandLine

PAGE = Path(__file__).parents[2] / "docs/measurements/crowd.md"
TABLES = Path(__file__).with_name("twelve_systems.md")
SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")
PREPOSITIONS = ("--items", "words", "--lenient", "--no-ci", "--format", "json")


def rows_of(heading: str) -> Iterator[list[str]]:
    """The cells of the table whose heading begins so, each without its interval."""
    lines = iter(TABLES.read_text(encoding="utf-8").splitlines())
    next(line for line in lines if line.startswith(heading))
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip().split(" (")[0] for cell in line.strip("|").split("|")]


def cells_of(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The rows of systems: whose, and the cells after the name."""
    for line in path.read_text(encoding="utf-8").splitlines():
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        if line.startswith("|") and name in SYSTEMS:
            yield name, cells


def test_the_page_shows_some_of_the_tables() -> None:
    """The page has the weighted and the majority figures side by side, so its cells are looked for, not its rows."""
    recorded: dict[str, set[str]] = {}
    for name, cells in cells_of(TABLES):
        recorded.setdefault(name, set()).update(cells)
    shown = list(cells_of(PAGE))
    assert len(shown) >= 7
    assert [(name, cell) for name, (_, *cells) in shown for cell in cells if cell not in recorded[name]] == []


def run(errorbar: CommandLine, data: Path, *command: str) -> dict[str, Any]:
    submissions = [str(data / "conll14_systems" / "official_submissions" / name) for name in SYSTEMS]
    done = errorbar(*command, data / "bn2015_10gec" / "A*.m2", *submissions, *PREPOSITIONS)
    assert done.code == 0, done.err
    document: dict[str, Any] = json.loads(done.out)
    return document


def percent(estimate: dict[str, Any]) -> str:
    return "–" if estimate["value"] is None else f"{100 * estimate['value']:.2f}"


def plain(estimate: dict[str, Any]) -> str:
    return "–" if estimate["value"] is None else f"{estimate['value']:.3f}"


def test_both_estimands_of_twelve_systems(errorbar: CommandLine, data: Path) -> None:
    ours = [
        [
            row["system"],
            row["estimand"],
            *(f"{row[name]:.1f}" for name in ("hits", "false_positives", "misses")),
            *(percent(row[name]) for name in "PRF"),
        ]
        for row in run(errorbar, data, "crowd", "score")["rows"]
    ]
    assert ours == list(rows_of("| system | estimand | hits"))
    assert len(ours) == 24


def test_bins_and_the_curve_of_twelve_systems(errorbar: CommandLine, data: Path) -> None:
    rows = run(errorbar, data, "curve")["rows"]
    bins = [
        [
            row["system"],
            f"{b['low']:g}–{b['high']:g}",
            name,
            str(b["n_items"]),
            percent(b[name]["P"]),
            percent(b[name]["R"]),
        ]
        for row in rows
        for b in row["bins"]
        for name in ("weighted", "majority")
    ]
    assert bins == list(rows_of("| system | agreement | estimand"))
    assert {sum(b["n_items"] for b in row["bins"]) for row in rows} == {3836}
    points = [
        [
            row["system"],
            f">= {p['threshold']:g}",
            str(p["n_items"]),
            str(p["n_ties"]),
            f"{100 * p['prevalence']:.2f}",
            *(plain(p[name]) for name in ("kappa", "youden", "log_odds", "kappa_at")),
        ]
        for row in rows
        for p in row["curve"]
    ]
    assert points == list(rows_of("| system | agreement | n | ties"))
    assert {row["curve"][0]["n_items"] + row["curve"][0]["n_ties"] for row in rows} == {3836}


@pytest.mark.parametrize("command", [("crowd", "score"), ("curve",)])
def test_an_unknown_system_is_named(errorbar: CommandLine, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "votes.csv").write_text("item,rater,label\nx,a,error\nx,b,ok\n")
    done = errorbar(*command, tmp_path / "votes.csv", tmp_path / "nowhere.csv")
    assert (done.code, done.out) == (2, "")
    assert "nowhere.csv: no such file" in done.err
