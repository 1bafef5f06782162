"""The examples: every published cell of CoNLL-2014's tables 7 to 12, and the shape of HOO 2011's tables 2 to 21."""

from __future__ import annotations

import csv
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from errorbar.core import Estimate
from errorbar.reporting import Report, board_report, team_report
from errorbar.reproduce import read_published
from errorbar.tables import Cell, Table
from errorbar.tasks import TaskResults, read_task, run_task
from tests.helpers.cli import CommandLine
from tests.tasks.small import TASK, make_task

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
NOT_RELEASED = "NARA"
ROUNDING = 0.005 + 1e-9  # half a unit of the second printed digit, on either side


def tables_of(report: Report) -> dict[str, Table]:
    return {block.name: block for section in report.sections for block in section.blocks if isinstance(block, Table)}


def value(cell: Cell) -> float:
    if isinstance(cell, Estimate):
        cell = cell.value
    assert cell is None or isinstance(cell, int | float)
    # The paper prints 0.00 where the chosen annotators have no edit of a type; the board has a dash.
    return 100 * (cell or 0.0)


def text(cell: Cell) -> str:
    return "" if cell is None else str(cell)


@pytest.fixture(scope="module")
def conll2014(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Table]:
    """The tables of the board of the example, which looks for the data beside the repository."""
    task = read_task(EXAMPLES / "conll2014.toml")
    results = run_task(task, cache=tmp_path_factory.mktemp("cache"))
    return tables_of(board_report(results))


def team_row(table: Table, team: str) -> list[Cell]:
    (row,) = [row for row in table.rows if team in map(text, row[:2])]
    return list(row)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("conll2014_table07_no_alternatives", "overview-scores"),
        ("conll2014_table08_with_alternatives", "overview-scores-alternatives"),
    ],
)
def test_tables_7_and_8(file: str, name: str, conll2014: dict[str, Table]) -> None:
    rows = [row for row in read_published(file) if row["team"] != NOT_RELEASED]
    table = conll2014[name]
    assert [text(row[1]) for row in table.rows] == [row["team"] for row in rows] + [NOT_RELEASED], "the ranking"
    n_cells = 0
    for row in rows:
        cells = team_row(table, row["team"])
        assert (text(cells[3]) == "late") == (row["late"] == "yes")
        for column, cell in zip(("precision", "recall", "f0.5"), cells[4:], strict=True):
            assert value(cell) == pytest.approx(float(row[column]), abs=ROUNDING), (row["team"], column)
            n_cells += 1
    assert n_cells == 36


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("conll2014_table09_recall_by_type_no_alternatives", "overview-types"),
        ("conll2014_table10_recall_by_type_with_alternatives", "overview-types-alternatives"),
    ],
)
def test_tables_9_and_10(file: str, name: str, conll2014: dict[str, Table]) -> None:
    table = conll2014[name]
    ours = {
        text(row[0]): dict(zip((column.title for column in table.columns[1:]), row[1:], strict=True))
        for row in table.rows
    }
    n_cells = 0
    for row in read_published(file):
        for team in set(row) - {"error_type", NOT_RELEASED}:
            cell = ours.get(row["error_type"], {}).get(team)
            assert value(cell) == pytest.approx(float(row[team]), abs=ROUNDING), (row["error_type"], team)
            n_cells += 1
    assert n_cells == 12 * 28


def test_table_11(conll2014: dict[str, Table]) -> None:
    n_cells = 0
    for row in read_published("conll2014_table11_single_annotator"):
        if row["team"] == NOT_RELEASED:
            continue
        printed = [float(row[f"annotator{k}_{name}"]) for k in (1, 2) for name in ("precision", "recall", "f0.5")]
        ours = team_row(conll2014["overview-single"], row["team"])[1:]
        assert [value(cell) for cell in ours] == pytest.approx(printed, abs=ROUNDING), row["team"]
        n_cells += len(ours)
    assert n_cells == 72


def test_table_12(conll2014: dict[str, Table]) -> None:
    ours = {tuple(map(text, row[:2])): [value(cell) for cell in row[2:]] for row in conll2014["overview-pairs"].rows}
    files = {"annotator1": "official-2014.0", "annotator2": "official-2014.1"}
    for row in read_published("conll2014_table12_annotator_vs_annotator"):
        printed = [float(row[name]) for name in ("precision", "recall", "f0.5")]
        scores = ours[files[row["hypothesis"]], files[row["reference"]]]
        assert scores == pytest.approx(printed, abs=ROUNDING)


def simulate() -> Callable[[Path, Path, int], int]:
    spec = importlib.util.spec_from_file_location("simulate_hoo2011", EXAMPLES / "simulate_hoo2011.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[[Path, Path, int], int] = module.simulate
    return function


@pytest.fixture(scope="module")
def hoo2011(data: Path, tmp_path_factory: pytest.TempPathFactory) -> TaskResults:
    """The example with runs made anew, in a folder of its own."""
    folder = tmp_path_factory.mktemp("hoo")
    simulate()(data / "hoo2011" / "test", folder / "hoo2011-runs", 0)
    described = (EXAMPLES / "hoo2011.toml").read_text(encoding="utf-8")
    (folder / "hoo2011.toml").write_text(described.replace("../../shared/data", str(data)), encoding="utf-8")
    return run_task(folder / "hoo2011.toml")


def test_tables_2_to_21_have_the_shape_of_2011(hoo2011: TaskResults) -> None:
    tables = tables_of(board_report(hoo2011))
    best = [table for name, table in tables.items() if name.startswith("overview-best-")]
    recall = [table for name, table in tables.items() if name.startswith("overview-recall-")]
    assert (len(best), len(recall)) == (6, 13), "tables 2 to 7 and 9 to 21"
    assert {len(table.rows) for table in best + recall} == {6}, "a row for each team"
    assert {len(table.columns) for table in best} == {5}
    # Table 8 of the paper counts 19 texts, of which one is not in the data.
    printed = {row["error_type"]: int(row["count"]) for row in read_published("hoo2011_table08_edits_by_type")}
    edits = {text(row[0]): int(text(row[1])) for row in tables["overview-edits"].rows}
    assert edits.pop("All") == sum(edits.values()) == 1017
    assert edits.keys() == printed.keys()
    assert all(edits[name] <= printed[name] for name in edits)


def test_hoo_runs_score_as_reproduce_does(hoo2011: TaskResults, data: Path, errorbar: CommandLine) -> None:
    """`errorbar reproduce hoo2011` simulates the same teams from the same seed, in memory."""
    done = errorbar("reproduce", "hoo2011", "--data", data, "--format", "json")
    import json

    printed = json.loads(done.out)["tables2_7"]
    tables = tables_of(board_report(hoo2011))
    for row in printed:
        name = f"overview-best-{'bonus' if row['bonus'] else 'no-bonus'}-{row['measure']}"
        cells = team_row(tables[name], row["team"])
        ours = [value(cell) / 100 for cell in cells[2:]]
        assert ours == pytest.approx([row["precision"], row["recall"], row["f"]], abs=1e-12), (name, row["team"])


def test_the_board_is_written_and_its_pages_name_the_runs(tmp_path: Path, errorbar: CommandLine) -> None:
    pytest.importorskip("vl_convert", reason="a page needs the extra 'report'")
    out = tmp_path / "board"
    task = make_task(tmp_path)
    done = errorbar("task", "board", task, "-o", out, "--resamples", "50")
    assert done.code == 0, done.err
    assert [Path(line).relative_to(out).as_posix() for line in done.out.splitlines()] == [
        "tables.md",
        "tables.tex",
        "index.html",
        "teams/one.html",
        "teams/two.html",
    ]
    assert all(Path(line).stat().st_size for line in done.out.splitlines())
    page = (out / "teams" / "one.html").read_text(encoding="utf-8")
    assert "one-1" in page
    assert "one-2" in page
    assert "It ranks 1 of 2 on test" in page
    index = (out / "index.html").read_text(encoding="utf-8")
    assert "Best run of each team" in index
    # Four sentences by two judges: other sentences, and other judges, may say anything.
    assert "Whether one is better than two is undecided" in index
    for claim in ("told apart", "is significantly better"):
        assert claim not in index
    tables = (out / "tables.md").read_text(encoding="utf-8")
    assert "### Best run of each team\n\n| rank | team | run | late | P | 95% CI | R | 95% CI | F0.5 |" in tables
    assert "| 1 | one | 2 |" in tables
    assert "### Who takes part\n\n| team | runs |" in tables


def test_names_of_a_board_of_several_corpora_are_unique(tmp_path: Path) -> None:
    described = TASK.replace('role = "dev"', "").replace(
        'submissions = "one"', 'submissions = { test = "one", dev = "two" }'
    )
    described = described.replace('submissions = "two"', 'submissions = { dev = "two" }')
    results = run_task(make_task(tmp_path, described))
    for report in (board_report(results), *(team_report(results, team) for team in results.task.teams)):
        names = [block.name for section in report.sections for block in section.blocks if isinstance(block, Table)]
        names += [section.name for section in report.sections]
        assert len(set(names)) == len(names)


def test_a_template_is_a_task_once_its_files_are_there(tmp_path: Path, errorbar: CommandLine) -> None:
    made = errorbar("task", "init", tmp_path / "new")
    assert made.code == 0
    assert all(Path(line).exists() for line in made.out.splitlines())
    again = errorbar("task", "init", tmp_path / "new")
    assert again.code == 2
    assert "[not-empty]" in again.err
    missing = errorbar("task", "run", tmp_path / "new" / "task.toml")
    assert missing.code == 2
    assert missing.err.count("[task-no-file]") == 4
    for name in ("test.m2", "dev.m2"):
        (tmp_path / "new" / "data" / name).write_text("S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n")
    for name in ("test.txt", "dev.txt"):
        (tmp_path / "new" / "data" / name).write_text("a b\n")
    (tmp_path / "new" / "submissions" / "alpha" / "run1.txt").write_text("c b\n")
    done = errorbar("task", "run", tmp_path / "new" / "task.toml", "--format", "csv")
    assert done.code == 0, done.err
    assert next(csv.DictReader(done.out.splitlines()))["precision"] == "1.0"


@pytest.mark.parametrize("kind", ["m2", "hoo"])
def test_every_key_that_a_template_shows_exists(kind: str, tmp_path: Path, errorbar: CommandLine) -> None:
    """Also the ones that are commented out: with them the reader misses files, and nothing else is wrong."""
    errorbar("task", "init", tmp_path, "--kind", kind)
    path = tmp_path / "task.toml"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line.removeprefix("# ") if " = " in line else line for line in lines))
    done = errorbar("task", "run", path)
    codes = {line.rsplit("[", 1)[1] for line in done.err.splitlines()}
    assert codes <= {"task-no-file]", "hoo-no-files]", "task-no-runs]"}, done.err


def test_the_help_of_task_loads_nothing_that_computes() -> None:
    script = (
        "import sys\nfrom errorbar.cli.task import command\ncommand.main(['--help'], standalone_mode=False)\n"
        "print(*(name for name in sys.modules if name.startswith(('errorbar.tasks', 'numpy'))), file=sys.stderr)"
    )
    environment = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment, timeout=100
    )
    assert done.stderr.strip() == ""
