"""The documents are tested: examples run and print what they show, and nothing public is left out."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from errorbar.cli.main import COMMANDS, cli
from errorbar.metrics.registry import metric_class, metric_names
from tests.test_layers import LAYER

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/metrics").glob("*.md")),
    *sorted((ROOT / "docs/detectors").glob("*.md")),
    *sorted((ROOT / "docs/design").glob("*.md")),
]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
CORPUS_FILES = {
    "official-2014.combined.m2": DATA / "conll14/noalt/official-2014.combined.m2",
    **{name: DATA / "conll14_systems/official_submissions" / name for name in ("CAMB", "CUUI", "AMU")},
}


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (f"{page.name}:{text[: match.start()].count(chr(10)) + 1}", match.group(2))
        for page in PAGES
        for text in [page.read_text(encoding="utf-8")]
        for match in BLOCK.finditer(text)
        if match.group(1) == language
    ]


def console_examples() -> list[tuple[str, str, str]]:
    """(where, command, output shown) of every ``$ errorbar`` line."""
    found = []
    for where, block in blocks("console"):
        for part in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            if command.startswith("errorbar "):
                found.append((where, command.split("  #")[0], output))
    return found


def shown(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [str(Path(sys.executable).with_name("errorbar")), *shlex.split(command)[1:]]
    environment = {**os.environ, "ERRORBAR_DATA": str(folder / "cache"), "NO_COLOR": "1"}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("where", "command", "output"), console_examples(), ids=lambda value: value[:60])
def test_console_examples_print_what_they_show(where: str, command: str, output: str, tmp_path: Path) -> None:
    for name, path in CORPUS_FILES.items():
        if name in command.split():
            if not path.exists():
                pytest.skip(f"{where} needs {name}, which is not at {DATA}")
            (tmp_path / name).symlink_to(path)
    if command.startswith("errorbar data fetch") or "$(" in command:
        pytest.skip(f"{where} needs a corpus from the network or at hand")
    if "errorbar.toml" in command:
        written = next(text for place, text in blocks("toml") if place.startswith("config.md"))
        (tmp_path / "errorbar.toml").write_text(written, encoding="utf-8")
    if "--save" not in command:
        assert run("errorbar demo --save demo", tmp_path).returncode == 0
    result = run(command, tmp_path)
    assert result.returncode == 0, f"{where}: {result.stderr}"
    if output.strip():
        assert shown(result.stdout) == shown(output), f"{where}: {command}"


def test_the_summary_on_the_page_of_the_report(tmp_path: Path) -> None:
    """What ``sed`` shows of the file that the first command of docs/report.md writes."""
    (_, block), *_ = ((where, text) for where, text in blocks("console") if where.startswith("report.md"))
    command, look, summary = block.strip().splitlines()
    assert look == "$ sed -n 3p report.md"
    assert run("errorbar demo --save demo", tmp_path).returncode == 0
    assert run(command.removeprefix("$ "), tmp_path).returncode == 0
    assert (tmp_path / "report.md").read_text(encoding="utf-8").splitlines()[2] == summary


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in ("python", "stats", "crowd", "detectors/lm"))],
    ids=lambda page: page.name,
)
def test_python_examples_run(page: Path, tmp_path: Path) -> None:
    """All blocks of a page in one process, in the folder that the tutorial makes."""
    code = "\n".join(block for where, block in blocks("python") if where.startswith(f"{page.name}:"))
    assert run("errorbar demo --save demo", tmp_path).returncode == 0
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)


CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def sources() -> list[ast.Module]:
    return [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "src").rglob("*.py"))]


def takers(trees: list[ast.Module]) -> dict[str, int]:
    """Functions that take a code, and which of their arguments it is."""
    found = {"Problem": 0}
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.FunctionDef):
            names = [each.arg for each in node.args.args if each.arg != "self"]
            found |= {node.name: names.index("code")} if "code" in names else {}
    return found


def constants(node: ast.AST) -> set[str]:
    """The codes that are written in a piece of source."""
    found = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    return {each for each in found if CODE.fullmatch(each)}


def codes_of(tree: ast.Module, makers: dict[str, int]) -> tuple[set[str], set[str]]:
    """The codes that a module gives to problems, and endings of codes.

    A code stands in the call itself, or a name that a code is assigned to, or the end of one: ``f"{kind}-empty"``.
    """
    codes, endings, names = set(), set(), set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if called == "Wanted":
            codes |= {code for each in node.args for code in constants(each) if "-" in code}
        if called not in makers or len(node.args) <= makers[called]:
            continue
        given = node.args[makers[called]]
        if isinstance(given, ast.JoinedStr):
            endings |= {str(part.value) for part in given.values if isinstance(part, ast.Constant)}
        elif isinstance(given, ast.Constant):
            codes |= constants(given)
        else:
            codes |= {code for code in constants(given) if "-" in code}
            names |= {getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(given)} - {"self", ""}
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [(node.targets[0] if isinstance(node, ast.Assign) else node.target, node.value) for node in assigned]
    for target, value in targets:
        if getattr(target, "id", "") == "remarks" and isinstance(value, ast.Dict):  # of a metric, by code
            names |= {getattr(key, "id", "") for key in value.keys}
    for target, value in targets:
        if getattr(target, "id", "") in names and value is not None:
            codes |= {code for code in constants(value) if "-" in code}
    return codes, endings


def error_codes() -> tuple[set[str], set[str]]:
    """Every code that the source gives to a problem, and the endings of those that it puts together."""
    trees = sources()
    makers = takers(trees)
    found = [codes_of(tree, makers) for tree in trees]
    return {code for codes, _ in found for code in codes}, {end for _, endings in found for end in endings}


def documented_codes() -> set[str]:
    """The first column of every table headed ``| code | meaning``."""
    codes: set[str] = set()
    for page in PAGES:
        for table in re.findall(
            r"^\| code \| meaning.*\n((?:\|.*\n)+)", page.read_text(encoding="utf-8"), re.MULTILINE
        ):
            codes |= set(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE))
    return codes


def test_every_error_code_is_documented_and_exists() -> None:
    documented = documented_codes()
    codes, endings = error_codes()
    unknown = [code for code in documented - codes if not code.endswith(tuple(endings))]
    assert sorted(codes - documented) == [], "not in the docs"
    assert [end for end in endings if not any(code.endswith(end) for code in documented)] == [], "not in the docs"
    assert sorted(unknown) == [], "in the docs only"


def test_every_command_is_documented() -> None:
    text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"## `errorbar {name}`" not in text] == []


def commands(path: tuple[str, ...] = (), command: click.Command = cli) -> Iterator[tuple[str, click.Command]]:
    """Every command and group with its name in full."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands((*path, name), inner)


def test_every_option_is_documented() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    told = set(re.findall(r"--[a-z][a-z-]*", text))
    shown = [
        (name, each) for name, command in commands() for each in command.params if not getattr(each, "hidden", False)
    ]
    options = [(name, each) for name, each in shown if isinstance(each, click.Option)]
    assert len(options) > 200
    assert [(name, each.opts) for name, each in options if not told & {*each.opts, *each.secondary_opts}] == []


def test_the_ways_of_the_data_name_what_is_there() -> None:
    text = (ROOT / "docs/design/architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^[ ^] (\w+(?:/\w+)*\.py) +(\w+)(?:\.(\w+))?  ", text, re.MULTILINE)
    assert len(named) > 40
    for file, name, member in named:
        tree = ast.parse((ROOT / "src/errorbar" / file).read_text(encoding="utf-8"))
        found = [node for node in tree.body if getattr(node, "name", "") == name]
        assert found, f"{file}: {name}"
        assert not member or any(getattr(node, "name", "") == member for node in ast.walk(found[0])), (
            f"{file}: {member}"
        )


def test_the_rooms_are_those_of_the_layers() -> None:
    text = (ROOT / "docs/design/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (`[^|]*) \|", text, re.MULTILINE)
    rooms = {room: int(number) for number, names in rows for room in re.findall(r"`(\w+)`", names)}
    folders = {path.parent.name for path in (ROOT / "src/errorbar").glob("*/__init__.py")}
    assert rooms == {room: number for room, number in LAYER.items() if room in folders}


@pytest.mark.parametrize("name", metric_names())
def test_every_metric_has_a_page_with_formula_conventions_source_and_parameters(name: str) -> None:
    text = (ROOT / f"docs/metrics/{name}.md").read_text(encoding="utf-8")
    for heading in ("## Formula", "## Parameters", "## Conventions", "## Source"):
        assert heading in text
    assert [p.name for p in metric_class(name).parameters if f"`{p.name}`" not in text] == []


def test_modules_with_a_formula_say_conventions_and_source() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        if "\nFormula\n" in docstring:
            assert "\nConventions\n" in docstring, path
            assert "\nSource\n" in docstring, path
