"""The documents are tested: examples run and print what they show, and nothing public is left out."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from errorbar.cli.main import COMMANDS, cli
from errorbar.metrics.registry import metric_class, metric_names
from tests.helpers.cli import CommandLine
from tests.helpers.source import parse_nodes
from tests.test_layers import LAYER

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/metrics").glob("*.md")),
    *sorted((ROOT / "docs/detectors").glob("*.md")),
    *sorted((ROOT / "docs/design").glob("*.md")),
    *sorted((ROOT / "docs/judge").glob("*.md")),
]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
CORPUS_FILES = {
    **{name: f"conll14_systems/official_submissions/{name}" for name in ("CAMB", "CUUI", "AMU")},
    "judgments.xml": "rankings_grundkiewicz2015/judgments.xml",
    **{f"metrics/scores.{name}": f"rankings_grundkiewicz2015/metrics/scores.{name}" for name in ("m2", "bleu")},
    "writing-guide.txt": "openstax_ccby_text/writing-guide.txt",
    "en_ewt-ud-train.conllu": "ud_english_ewt/en_ewt-ud-train.rebuilt.conllu",
}
"""Files of corpora under the names that the documents call them by."""


THREADS = ("README.md", "index.md", "tutorial.md", "crowd.md", "judge.md", "sampling.md")
"""Pages whose commands are typed one after the other in one folder."""
FETCHED = {
    "bryant-ng2015": ("bn2015_10gec", "."),
    "conll2013": ("conll13/original", "original/data"),
    "conll2014": ("conll14", "."),
    "conll2014-systems": ("conll14_systems/official_submissions", "."),
    "jfleg": ("jfleg_dev", "dev"),
}
"""What ``errorbar data path NAME`` stands for, without the network: a folder, and where in the corpus it is."""


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
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=1500)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the tutorial makes: a command each time would take as long as the examples themselves."""
    folder = tmp_path_factory.mktemp("tutorial")
    assert run("errorbar demo --save demo", folder).returncode == 0
    return folder / "demo"


def corpus_files(command: str) -> dict[str, Path]:
    """The files of corpora that a command reads, by the names that it calls them by."""
    named = {word.rpartition("=")[2] for word in shlex.split(command)}
    both = [f"official-2014.{annotator}.m2" for annotator in (0, 1) if "official-2014.[01].m2" in named]
    single = {name: DATA / path for name, path in CORPUS_FILES.items() if name in named}
    return single | {name: DATA / "conll14/noalt" / name for name in both}


def linked(link: Path, path: Path) -> Path:
    """Make the link if it is not there."""
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(path)
    return link


@dataclass(frozen=True)
class Typed:
    """Commands of a page, typed in a folder of their own; in this process, which saves starting up each time."""

    errorbar: CommandLine
    folder: Path

    def __call__(self, where: str, command: str, output: str) -> None:
        """Run a command, which must succeed and print what is shown; skip what needs a corpus that is not there."""
        if command.startswith("errorbar data fetch"):
            return
        words = shlex.split(self.with_corpora(where, command))
        result = self.errorbar(*(each for word in words[1:] for each in self.expanded(word)))
        assert result.code == 0, f"{where}: {result.err}"
        told, printed = shown(output), shown(result.out)
        if told.endswith("\n..."):
            told, printed = told.removesuffix("..."), printed[: len(told) - 3]
        if told:
            assert printed == told, f"{where}: {command}"

    def with_corpora(self, where: str, command: str) -> str:
        """Make links to the files of corpora that a command names, as ``data fetch`` would have got them."""
        for name, path in corpus_files(command).items():
            if not path.exists():
                pytest.skip(f"{where} needs {path.name}, which is not at {DATA}")
            linked(self.folder / name, path)
        for name, (folder, inside) in FETCHED.items():
            given = f"$(errorbar data path {name})"
            if given not in command:
                continue
            if not (DATA / folder).exists():
                pytest.skip(f"{where} needs {name}, which is not at {DATA}")
            linked(self.folder / "fetched" / name / inside, DATA / folder)
            command = command.replace(given, str(self.folder / "fetched" / name))
        if "$(" in command:
            pytest.skip(f"{where} needs a corpus from the network or at hand")
        return command

    def expanded(self, word: str) -> list[str]:
        """What a shell makes of braces."""
        before, brace, after = word.partition("{")
        inside, closed, rest = after.partition("}")
        return [before + each + rest for each in inside.split(",")] if brace and closed and "," in inside else [word]


@pytest.fixture
def typed(errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Typed:
    monkeypatch.setenv("ERRORBAR_DATA", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    return Typed(errorbar, tmp_path)


def of_page(where: str) -> str:
    return where.partition(":")[0]


def is_large(command: str) -> bool:
    """Whether a command works on corpora that were fetched, and takes its time."""
    return "$(errorbar data path" in command


@pytest.mark.parametrize(
    ("where", "command", "output"),
    [
        pytest.param(*each, marks=[pytest.mark.slow] if is_large(each[1]) else [])
        for each in console_examples()
        if is_large(each[1]) or of_page(each[0]) not in (*THREADS, "tasks.md")
    ],
    ids=lambda value: value[:60],
)
def test_console_examples_print_what_they_show(
    where: str, command: str, output: str, tmp_path: Path, demo: Path, typed: Typed
) -> None:
    if "errorbar.toml" in command:
        written = next(text for place, text in blocks("toml") if place.startswith("config.md"))
        (tmp_path / "errorbar.toml").write_text(written, encoding="utf-8")
    if "--save" not in command:
        shutil.copytree(demo, tmp_path / "demo")
    typed(where, command, output)


@pytest.mark.parametrize("page", THREADS)
def test_the_commands_of_a_page_run_one_after_the_other(page: str, typed: Typed, demo: Path, tmp_path: Path) -> None:
    examples = [each for each in console_examples() if of_page(each[0]) == page and not is_large(each[1])]
    if not any("--save demo" in command for _, command, _ in examples):
        shutil.copytree(demo, tmp_path / "demo")
    for example in examples:
        typed(*example)


TASKS = ROOT / "docs/tasks.md"
MOST_COMMANDS = 3
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")


def examples_of(text: str) -> list[tuple[str, str]]:
    """(command, output shown) of every line with ``$`` in a part of a page, whatever the command."""
    shown_there = "".join(match.group(2).replace("\\\n", " ") for match in BLOCK.finditer(text))
    parts = re.split(r"^\$ ", shown_there, flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def tasks() -> tuple[str, dict[str, str]]:
    """What the page of tasks says before the first, and every task by its heading."""
    before, *parts = re.split(r"^## ", TASKS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return before, {heading: text for heading, _, text in (part.partition("\n") for part in parts)}


LONG = ("errorbar report ", "errorbar task bundle ", "errorbar verify ")
"""What takes seconds, also on small data."""


def slow_tasks() -> list[object]:
    """The tasks; those on corpora that are not in the repository, or with a long command, run with the slow tests."""
    return [
        pytest.param(
            heading,
            marks=[pytest.mark.slow]
            if any(
                corpus_files(command) or is_large(command) or command.startswith(LONG)
                for command, _ in examples_of(text)
            )
            else [],
        )
        for heading, text in tasks()[1].items()
    ]


@pytest.fixture(scope="module")
def data_of_tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    for command, _ in examples_of(tasks()[0]):
        assert run(command, folder).returncode == 0
    return folder


@pytest.mark.parametrize("heading", slow_tasks())
def test_a_task_is_done_by_the_commands_that_the_page_shows(
    heading: str, data_of_tasks: Path, typed: Typed, tmp_path: Path
) -> None:
    shutil.copytree(data_of_tasks, tmp_path, dirs_exist_ok=True)
    text = tasks()[1][heading]
    examples = examples_of(text)
    assert 1 <= len(examples) <= MOST_COMMANDS
    for command, output in examples:
        assert command.startswith("errorbar ")
        typed(f"tasks.md, {heading}", command, output)
    assert LINK.search(text), "a task leads to a page"


def test_there_are_twenty_tasks() -> None:
    assert len(tasks()[1]) >= 20


def links(page: Path) -> set[Path]:
    """The pages that a page of the docs leads to: by links, and by its tables of contents."""
    text = page.read_text(encoding="utf-8")
    contents = re.findall(r"^```\{toctree\}\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    listed = {f"{line}.md" for block in contents for line in block.split() if not line.startswith(":")}
    named = {target for target, _ in LINK.findall(text) if target.endswith(".md")} | listed
    return {(page.parent / name).resolve() for name in named if (page.parent / name).exists()}


def test_every_page_is_reached_from_the_index_and_the_tasks_are_one_step_away() -> None:
    index = ROOT / "docs/index.md"
    seen, waiting = {index}, [index]
    while waiting:
        new = links(waiting.pop()) - seen
        seen |= new
        waiting += new
    assert TASKS in links(index)
    assert [page.name for page in PAGES if page != ROOT / "README.md" and page not in seen] == []


def anchors(page: Path) -> set[str]:
    """What headings are called in links, and places with a name of their own."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", each).strip().replace(" ", "-") for each in plain} | set(
        re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target, anchor in LINK.findall(text):
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


def test_the_summary_on_the_page_of_the_report(tmp_path: Path, demo: Path) -> None:
    """What ``sed`` shows of the file that the first command of docs/report.md writes."""
    (_, block), *_ = ((where, text) for where, text in blocks("console") if where.startswith("report.md"))
    _, command, look, summary = block.strip().splitlines()
    assert look == "$ sed -n 3p report.md"
    shutil.copytree(demo, tmp_path / "demo")
    assert run(command.removeprefix("$ "), tmp_path).returncode == 0
    assert (tmp_path / "report.md").read_text(encoding="utf-8").splitlines()[2] == summary


@pytest.mark.parametrize(
    "page",
    [
        ROOT / "README.md",
        *(ROOT / "docs" / f"{name}.md" for name in ("python", "stats", "stopping", "crowd", "detectors/lm")),
    ],
    ids=lambda page: page.name,
)
def test_python_examples_run(page: Path, tmp_path: Path, demo: Path) -> None:
    """All blocks of a page in one process, in the folder that the tutorial makes."""
    code = "\n".join(block for where, block in blocks("python") if where.startswith(f"{page.name}:"))
    shutil.copytree(demo, tmp_path / "demo")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, timeout=1500)


@pytest.mark.slow
def test_the_examples_of_the_python_page_have_the_types_they_say(tmp_path: Path) -> None:
    """As a user's type checker sees them; columns of pandas are of no type there."""
    code = [block for where, block in blocks("python") if where.startswith("python.md:")]
    (tmp_path / "page.py").write_text("\n".join(code), encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), "page.py"]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=1500,
    )
    assert done.returncode == 0, done.stdout


CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


Nodes = list[ast.AST]


def sources() -> list[Nodes]:
    """Every module, all its nodes."""
    paths = sorted((ROOT / "src").rglob("*.py"))
    return [parse_nodes(path) for path in paths]


def takers(modules: list[Nodes]) -> dict[str, int]:
    """Functions that take a code, and which of their arguments it is."""
    found = {"Problem": 0}
    for node in (node for nodes in modules for node in nodes):
        if isinstance(node, ast.FunctionDef):
            names = [each.arg for each in node.args.args if each.arg != "self"]
            found |= {node.name: names.index("code")} if "code" in names else {}
    return found


def constants(node: ast.AST) -> set[str]:
    """The codes that are written in a piece of source."""
    found = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    return {each for each in found if CODE.fullmatch(each)}


def codes_of(nodes: Nodes, makers: dict[str, int]) -> tuple[set[str], set[str]]:
    """The codes that a module gives to problems, and endings of codes.

    A code stands in the call itself, or a name that a code is assigned to, or the end of one: ``f"{kind}-empty"``.
    """
    codes, endings, names = set(), set(), set()
    for node in nodes:
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
    assigned = [node for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign)]
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
    modules = sources()
    makers = takers(modules)
    found = [codes_of(nodes, makers) for nodes in modules]
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


def test_every_extra_has_a_target_that_keeps_the_checkout() -> None:
    """``pip install '.[judge]'`` would put a copy in the place of the sources, and compile it again."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert "pip install '.[" not in text
    for extra in extras:
        words = ("make", "--dry-run", "--old-file=.venv/.base", extra)
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=1500)
        assert done.returncode == 0, done.stderr
        assert ("--requirement" in done.stdout, "--editable" in done.stdout) == (True, False), extra


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
