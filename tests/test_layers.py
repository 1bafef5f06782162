"""The layers (docs/design): imports go downward only, a module is a page, and starting up loads little."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import errorbar
from tests.helpers.source import count_lines, find_homes, find_repeated_lines, find_splinters, parse_nodes

PACKAGE = Path(errorbar.__file__).parent
MODULES = {
    ".".join(("errorbar", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}

# A folder may import from folders of a smaller number. Folders of one number stand side by side: they do not see
# each other.
LAYER = {
    "version": 0,
    "core": 1,
    "formats": 2,
    "datasets": 2,
    "stats": 2,
    "tables": 2,
    "testing": 2,
    "execute": 2,
    "llm": 3,  # calls of language models, their ledger, their answers
    "edits": 3,
    "agreement": 3,
    "crowdsourcing": 3,
    "metrics": 4,
    "sampling": 4,
    "ranking": 4,
    "api": 6,  # everything a report shows, computed
    "reproduce": 7,
    "tasks": 7,
    "demo": 7,  # the bundled corpus and the self-test on it
    "reporting": 8,
    "receipts": 9,
    "judging": 9,  # the manager's pages show charts of a report
    "cli": 10,
    "__main__": 11,
    # Leaves: they register themselves by entry points, and nothing imports them.
    "detectors": 11,
    "codabench": 11,
    "harnesses": 11,
    "": 12,  # the package itself: a list of public names, each imported when it is first used
}
HEAVY = {"altair", "dask", "distributed", "jinja2", "numpy", "scipy", "rich", "nltk", "spacy", "matplotlib", "pandas"}
HEAVY |= {"polars", "pyarrow", "vl_convert", "flask", "fastapi", "sqlite3"}
HEAVY |= {
    "sqlalchemy",
    "alembic",
    "starlette",
    "uvicorn",
    "segno",
    "psycopg",
    "yaml",
    "inspect_ai",
    "lm_eval",
    "openai",
}


def folder(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that a file imports, also inside functions and for types only."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in parse_nodes(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            module = node.module or ""
            for name in node.names:
                inner = f"{module}.{name.name}"
                yield inner if inner in MODULES else module


@cache
def own_imports(module: str) -> frozenset[str]:
    return frozenset(name for name in imports(MODULES[module]) if name.split(".")[0] == "errorbar")


def test_every_folder_has_its_layer() -> None:
    assert {folder(module) for module in MODULES} <= LAYER.keys()


def test_imports_go_downward_only() -> None:
    upward = [
        f"{module} imports {target}"
        for module in MODULES
        for target in own_imports(module)
        if folder(target) != folder(module) and LAYER[folder(target)] >= LAYER[folder(module)]
    ]
    assert upward == []


def test_no_cycles() -> None:
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, f"a cycle: {' -> '.join((*trail, module))}"
        if module not in done and module in MODULES:
            for target in own_imports(module):
                if target != module:
                    visit(target, (*trail, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


@pytest.mark.parametrize("layer", ["core", "stats"])
def test_the_bottom_needs_numpy_and_scipy_at_most(layer: str) -> None:
    allowed = {*sys.stdlib_module_names, "numpy", "scipy", "errorbar"}
    for module, path in MODULES.items():
        if folder(module) == layer:
            assert {name.split(".")[0] for name in imports(path)} <= allowed, module


def test_metrics_open_no_file() -> None:
    readers = {"io", "os", "pathlib", "gzip", "tempfile", "shutil"}
    for module, path in MODULES.items():
        if folder(module) != "metrics":
            continue
        assert not {name.split(".")[0] for name in imports(path)} & readers, module
        assert not any(folder(name) == "formats" for name in own_imports(module)), module
        calls = [node.func for node in parse_nodes(path) if isinstance(node, ast.Call)]
        assert "open" not in {call.id for call in calls if isinstance(call, ast.Name)}, module


def test_only_stores_have_sql() -> None:
    """Judgments, calls that were paid for, and edits that took long to make; and what the last two share."""
    found = {m for m, path in MODULES.items() if "sqlite3" in set(imports(path)) and folder(m) != "judging"}
    assert found == {"errorbar.core.sqlite", "errorbar.edits.errant", "errorbar.llm.calls"}


def test_assert_statements_only_narrow_types() -> None:
    """Python -O leaves them out: nothing may depend on them."""
    for module, path in MODULES.items():
        nodes = parse_nodes(path)
        assert "__debug__" not in {node.id for node in nodes if isinstance(node, ast.Name)}, module
        for node in nodes:
            if isinstance(node, ast.Assert):
                text = ast.unparse(node.test)
                assert re.fullmatch(r"isinstance\([\w.]+, \w+\)|[\w.]+ is not None", text), f"{module}: {text}"


@pytest.mark.parametrize("module", ["errorbar", "errorbar.cli.main"])
def test_starting_up_loads_nothing_heavy(module: str) -> None:
    """In an interpreter of its own: this one has everything loaded."""
    script = f"import sys, {module}; print('\\n'.join(name.split('.')[0] for name in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100
    ).stdout.split()
    assert not HEAVY.intersection(loaded)


def test_help_imports_no_command() -> None:
    script = (
        "import sys\nfrom errorbar.cli.main import cli\n"
        "cli.main(['--help'], prog_name='errorbar', standalone_mode=False)\n"
        "print(*(name for name in sys.modules if name.startswith('errorbar.cli.')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100)
    seen = [
        "errorbar.cli.command",
        "errorbar.cli.config",
        "errorbar.cli.main",
    ]
    assert sorted(done.stderr.split()) == seen


def test_the_help_of_every_command_loads_nothing_heavy() -> None:
    """All in one interpreter, which tells after each help what is there: loading numpy takes longer than all else."""
    script = """
import sys
import click
from errorbar.cli.main import cli

def visit(path, command):
    try:
        cli.main([*path, "--help"], prog_name="errorbar", standalone_mode=False)
    except SystemExit:
        pass
    print(" ".join(path), *sorted({name.split(".")[0] for name in sys.modules}), sep="|", file=sys.stderr)
    context = click.Context(command)
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        visit([*path, name], command.get_command(context, name))

visit([], cli)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100)
    loaded = {path: HEAVY.intersection(modules) for path, *modules in (x.split("|") for x in done.stderr.splitlines())}
    assert {"", "agree", "crowd howmany", "curve", "report", "reproduce", "sample estimate", "task board"} <= set(
        loaded
    )
    assert {path: heavy for path, heavy in loaded.items() if heavy} == {}


def test_a_score_with_intervals_does_not_load_what_it_does_not_use() -> None:
    """What scipy names alone is a third of its time; what is asked for later is all there."""
    script = """
import sys
from errorbar.cli.main import run
try:
    run()
finally:
    print(*(name for name in sys.modules), file=sys.stderr)
    import numpy
    print(numpy.polynomial.Polynomial([1, 2])(3), numpy.ma.array([1, 2]).sum(), file=sys.stderr)
"""
    demo = PACKAGE / "demo"
    score = ["score", "--gold", str(demo / "gold.jsonl"), str(demo / "greedy.txt")]
    done = subprocess.run(
        [sys.executable, "-c", script, *score], capture_output=True, text=True, check=True, timeout=100
    )
    *_, loaded, value = done.stderr.splitlines()
    assert "scipy.special" in loaded.split()
    unused = {"numpy.f2py.f2py2e", "numpy.polynomial.polynomial", "unittest"}
    unused |= {"errorbar.detectors", "errorbar.formats.exports", "errorbar.metrics.swaps", "errorbar.stats.paired"}
    assert not unused & {*loaded.split()}
    assert value == "7.0 3"


def test_modules_are_pages() -> None:
    lengths = {module: count_lines(path) for module, path in MODULES.items()}
    assert {module: n for module, n in lengths.items() if n > 700} == {}


def test_a_short_module_has_more_than_one_reader() -> None:
    """Commands apart, which are found by their names."""
    splinters = find_splinters(MODULES.values(), PACKAGE.parent)
    assert [path for path in splinters if path.parent.name != "cli"] == []


def test_no_lines_stand_twice() -> None:
    assert find_repeated_lines(MODULES.values()) == []


MOST_PARAMETERS, MOST_LONG_LISTS = 6, 28


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many there are, ``self`` apart."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")]) + bool(given.vararg) + bool(given.kwarg)


def test_a_public_class_name_stands_once() -> None:
    """Who looks a class up by its name finds one."""
    assert {name: paths for name, paths in find_homes(MODULES.values()).items() if len(paths) > 1} == {}


def test_few_functions_have_many_parameters() -> None:
    """Those of commands, which click calls, and the public functions of commands, which users call by name, apart."""
    long = [
        f"{module}.{each.name}"
        for module, path in MODULES.items()
        for each in parse_nodes(path)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and parameters(each) > MOST_PARAMETERS
        and not (module.startswith("errorbar.cli.") and each.name == "command")
        and getattr(errorbar, each.name, None) is not getattr(import_module(module), each.name, errorbar)
    ]
    assert len(long) <= MOST_LONG_LISTS, long
