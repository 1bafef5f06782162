"""The size and plainness of the code, tests and pages: ``python benchmarks/house.py``.

Lines, modules, words, imports and names are counted in the checkout. ``--speed`` adds what ``score`` takes against a
bare start of numpy in the same environment, on the CoNLL-2014 data in ``../shared``.
"""

from __future__ import annotations

import argparse
import ast
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT)]

from tests.helpers.source import SMALL, count_lines, find_homes, find_repeated_lines, find_splinters, parse_nodes  # noqa: E402
from timing import ERRORBAR, run_process, table  # noqa: E402 - scripts of this folder

SOURCE, TESTS, DOCS = ROOT / "src" / "errorbar", ROOT / "tests", ROOT / "docs"
GENERATED = {"_build", "_static", "notebooks", "errors.md", "options.md"}
"""Folders and pages of docs whose text nobody writes."""
EMPTY_LOCALS = ("found", "said", "what")
"""Names of locals that say nothing of what they hold."""
LARGE = 700
"""Lines above which a module is too long for a page."""
DEMO = SOURCE / "demo"
OPENS = """
import builtins, io, os, sys
opened = []
for module in (builtins, io):
    real = module.open
    module.open = lambda file, *args, real=real, **kwargs: (opened.append(file), real(file, *args, **kwargs))[1]
low = os.open
os.open = lambda path, *args, **kwargs: (opened.append(path), low(path, *args, **kwargs))[1]
from errorbar.cli.main import cli
try:
    cli.main(sys.argv[1:], prog_name="errorbar")
except SystemExit:
    pass
inputs = [name for name in map(str, opened) if name in sys.argv[1:]]
modules = [name for name in sys.modules if name.startswith("errorbar.")]
print(len(inputs), len(modules), file=sys.stderr)
"""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", action="store_true", help="also what score takes")
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    table("the checkout", ["", "now"], [[title, f"{count:,}"] for title, count in counts()])
    if options.speed:
        rows = [[title, f"{ratio:.2f}"] for title, ratio in speed(options.repeats)]
        table("score on CoNLL-2014, processor time", ["", "ratio"], rows)
        rows = [[title, f"{seconds:.2f}"] for title, seconds in cost_of_judges(options.repeats)]
        table("intervals over texts and two judges, processor time", ["", "seconds"], rows)


def counts() -> Iterator[tuple[str, int]]:
    """Sizes of the source, the tests and the pages, and what stands against plain English."""
    modules, tests = _trees(SOURCE), _trees(TESTS)
    kernels = [path for kind in ("*.pyx", "*.pxd") for path in SOURCE.rglob(kind)]
    yield "lines under src/errorbar", sum(map(count_lines, (*modules, *kernels)))
    yield "modules under src/errorbar", len(modules)
    yield f"modules above {LARGE} lines", sum(count_lines(path) > LARGE for path in modules)
    yield (
        f"modules below {SMALL} lines with one importer, in their folder",
        len(list(find_splinters(modules, SOURCE.parent))),
    )
    yield "lines of tests", sum(map(count_lines, tests))
    yield (
        "imports in tests from a module within a room",
        sum(
            isinstance(node, ast.ImportFrom) and re.match(r"errorbar\.\w+\.", node.module or "") is not None
            for nodes in tests.values()
            for node in nodes
        ),
    )
    words = [word for path in _pages() for word in path.read_text(encoding="utf-8").split()]
    yield "words of docs", len(words)
    yield (
        "words of docs with a letter or a digit: without rules of tables",
        sum(any(map(str.isalnum, w)) for w in words),
    )
    yield "public class names that stand twice", sum(len(paths) > 1 for paths in find_homes(modules).values())
    yield "runs of six lines that stand twice", len(find_repeated_lines(modules))
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    yield (
        'docstrings that begin with "What"',
        sum(
            isinstance(node, documented) and re.match(r"What\b", ast.get_docstring(node) or "") is not None
            for nodes in modules.values()
            for node in nodes
        ),
    )
    functions = [
        node for nodes in modules.values() for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    for name in EMPTY_LOCALS:
        yield f"functions with a local {name!r}", sum(name in _assigned(function) for function in functions)
    opened, loaded = _run_counted("score", "--no-ci", "--gold", str(DEMO / "gold.jsonl"), str(DEMO / "greedy.txt"))
    yield "own modules that score loads", loaded
    yield "files that score of two files opens", opened


def speed(repeats: int) -> Iterator[tuple[str, float]]:
    """Medians of ratios of processes that run in turn, in processor time."""
    data = ROOT.parent / "shared" / "data"
    gold = next(data.rglob("official-2014.combined.m2"))
    camb = next(data.rglob("CAMB"))
    ten = sorted((data / "bn2015_10gec").glob("A*.m2"))
    numpy = [sys.executable, "-c", "import numpy"]
    score = [ERRORBAR, "score", "--gold", str(gold), str(camb)]
    of_ten = [
        ERRORBAR,
        "score",
        "--no-ci",
        "--lenient",
        *(word for path in ten for word in ("--gold", str(path))),
        str(camb),
    ]
    yield "CAMB without intervals, against numpy alone", _ratio([*score, "--no-ci"], numpy, repeats)
    yield f"CAMB, {len(ten)} annotators, without intervals, against numpy alone", _ratio(of_ten, numpy, repeats)
    yield "CAMB with intervals, against without", _ratio(score, [*score, "--no-ci"], repeats)


def cost_of_judges(repeats: int) -> Iterator[tuple[str, float]]:
    """What judges cost: twelve systems compared over texts and judges, and what they add to the score of one."""
    data = ROOT.parent / "shared" / "data"
    gold = [word for path in sorted(data.rglob("official-2014.[01].m2")) for word in ("--gold", str(path))][:4]
    systems = sorted(str(path) for path in (data / "conll14_systems/official_submissions").iterdir())
    teams = [path for path in systems if not path.endswith("INPUT")]
    yield f"compare of {len(teams)} systems", min(run_process([ERRORBAR, "compare", *gold, *teams]).cpu for _ in "ab")
    score = [ERRORBAR, "score", *gold, teams[0], "--judges"]
    added = (run_process([*score, "random"]).cpu - run_process([*score, "fixed"]).cpu for _ in range(repeats))
    yield "score of one, above fixed judges", statistics.median(added)


def _ratio(command: Sequence[str], other: Sequence[str], repeats: int) -> float:
    run_process(command), run_process(other)
    return statistics.median(run_process(command).cpu / run_process(other).cpu for _ in range(repeats))


def _run_counted(*arguments: str) -> tuple[int, int]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", OPENS, *arguments], cwd=folder, capture_output=True, text=True, check=True
        )
    opened, loaded = done.stderr.split()[-2:]
    return int(opened), int(loaded)


def _trees(folder: Path) -> dict[Path, list[ast.AST]]:
    paths = sorted(folder.rglob("*.py"))
    return {path: parse_nodes(path) for path in paths}


def _pages() -> Iterator[Path]:
    for path in sorted(DOCS.rglob("*.md")):
        if not GENERATED & set(path.relative_to(DOCS).parts):
            yield path


def _assigned(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    return {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


if __name__ == "__main__":
    main()
