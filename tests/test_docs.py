"""The documents are tested: examples run and print what they show, and nothing public is left out."""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from errorbar.cli.explain import read_explanations, read_meanings
from errorbar.cli.main import COMMANDS, cli
from errorbar.datasets import cache_root, catalog
from errorbar.metrics import metric_class, metric_names
from tests.helpers.cli import CommandLine
from tests.helpers.codes import ERRORS_PAGE, codes_by_room, endings_by_room, render_page
from tests.helpers.options import OPTIONS_PAGE, render_options
from tests.helpers.source import parse_nodes
from tests.pages import fits, renewed
from tests.test_layers import LAYER

ROOT = Path(__file__).resolve().parents[1]
MEASURED_ROWS = {
    "agreement": 20,
    "assisted": 135,
    "correctors": 18,
    "crowd-intervals": 64,
    "detectors": 74,
    "intervals": 49,
    "judge-populations": 56,
    "judge-tests": 48,
    "judged-detectors": 34,
    "judges": 55,
    "judging": 30,
    "languages": 18,
    "loop": 13,
    "metrics": 36,
    "own-references": 27,
    "pools": 29,
    "ranking": 57,
    "references": 23,
    "sampling": 67,
    "selection": 18,
    "stopping": 36,
}
"""How many rows each record of measurements has."""
DATA = ROOT.parent / "shared" / "data"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/metrics").glob("*.md")),
    *sorted((ROOT / "docs/detectors").glob("*.md")),
    *sorted((ROOT / "docs/design").glob("*.md")),
    *sorted((ROOT / "docs/judge").glob("*.md")),
    *sorted((ROOT / "docs/measurements").glob("*.md")),
]
TASKS = ROOT / "docs/how-do-i.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
PYTHON_BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
AT_HAND: dict[str, tuple[str, Callable[[str], str]]] = {
    "bryant-ng2015": ("bn2015_10gec", str),
    "conll2013": ("conll13", lambda file: file.replace("/data/", "/")),
    "conll2014": ("conll14", str),
    "conll2014-systems": ("conll14_systems/official_submissions", str),
    "grundkiewicz2015": ("rankings_grundkiewicz2015", str),
    "jfleg": ("jfleg_dev", lambda file: Path(file).name),
}
"""What ``errorbar data fetch`` gets here, without the network: a folder, and where in it a file of the corpus is."""
NOT_TYPED = (
    ("", "make ", "installs into the environment of the checkout: .ci/run types it, and a test here the extras"),
    ("", "source ", "changes the shell that it is typed into"),
    ("install.md", "git clone", "needs the network"),
    ("install.md", "env/bin/pip ", "needs the network, or wheels: tests/install does both"),
    ("install.md", "python3 -m venv", "belongs to the installation: tests/install"),
    ("data.md", "errorbar data fetch hoo2011", "takes a copy that the reader has; tests/datasets does so"),
    ("", "errorbar judge serve", "serves until it is stopped: tests/judging does"),
    ("llm.md", "errorbar", "needs a server of a language model: tests/llm/test_page.py types it all"),
    ("loop.md", "errorbar", "needs models that are trained for minutes: tests/detectors/test_loop.py types it all"),
    ("judge/analysis.md", "errorbar judge", "is about a study that raters have finished: tests/judging"),
    ("judge/llm.md", "errorbar judge", "asks a server of a language model: tests/llm has one of its own"),
    ("judge/preposition.md", "errorbar judge init verbs", "needs the models of make detect: tests/judging has its own"),
    ("judge/quality.md", "errorbar judge", "is about a study that raters have finished: tests/judging"),
    ("stopping.md", "errorbar sample draw lm.csv", "is about a study that raters stopped: tests/judging/stopping"),
    ("stopping.md", "errorbar judge", "is about a study that raters stopped: tests/judging/stopping"),
    ("judge/guarantees.md", "python -m tests.judging.jepsen", "kills servers for a minute; tests/judging/jepsen does"),
    ("how-do-i.md", "errorbar train ", "needs books and a treebank: tests/detectors has its own"),
    ("how-do-i.md", "errorbar detect demo/copy.txt --models", "needs what the command before it trains"),
    ("design/fuzzing.md", "python -m tests.fuzz", "is typed in the checkout; tests/fuzz does"),
)
"""Commands that are shown and not typed here: the page (empty: any), how they begin, and why."""
LONG = ("errorbar report ", "errorbar task bundle ", "errorbar verify ", "errorbar data fetch ", "errorbar train ")
"""What takes seconds, also on small data."""
SLOW_PAGES = ("stopping.md", "codabench.md", "shared-task.md", "receipts.md", "detectors.md", "report.md")
"""Pages that take more than two seconds."""


def name_of(page: Path) -> str:
    """The page as pages call each other: ``README.md``, ``how-do-i.md``, ``judge/rank.md``."""
    return str(page.relative_to(ROOT / "docs" if page.is_relative_to(ROOT / "docs") else ROOT))


@cache
def every_block() -> list[tuple[str, str, str]]:
    """(place, language, text) of every block of code."""
    return [
        (f"{name_of(page)}:{text[: match.start()].count(chr(10)) + 1}", match.group(1), match.group(2))
        for page in PAGES
        for text in [page.read_text(encoding="utf-8")]
        for match in BLOCK.finditer(text)
    ]


def blocks(language: str) -> list[tuple[str, str]]:
    """(place, text) of every block in a language."""
    return [(where, text) for where, own, text in every_block() if own == language]


HERE = "<<'END'"


class Example(NamedTuple):
    """A command of a page, and what the page shows of its output."""

    where: str
    command: str
    output: str
    source: str  # both as they stand on the page

    @property
    def page(self) -> str:
        """The file that shows it."""
        return self.where.partition(":")[0]

    @property
    def reason(self) -> str:
        """Why it is not typed; empty: it is."""
        return next(
            (why for page, start, why in NOT_TYPED if page in ("", self.page) and self.command.startswith(start)), ""
        )

    @property
    def is_slow(self) -> bool:
        """Whether it takes its time, or works on what was fetched."""
        return self.command.startswith(LONG) or "$(errorbar data path" in self.command


def examples_of(where: str, text: str) -> list[Example]:
    """Every command of a console block."""
    examples = []
    for source in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = source.replace("\\\n", " ").partition("\n")
        if HERE in command:  # what follows is a file
            file, _, output = output.partition("\nEND\n")
            command = f"{command}\n{file}\nEND"
        examples.append(Example(where, re.sub(r"\s+# .*", "", command), output, source))
    return examples


def record(example: Example, output: str) -> None:
    """Write the output of a command into the page that shows another."""
    page = next(page for page in PAGES if name_of(page) == example.page)
    blank = example.output[: len(example.output) - len(example.output.lstrip("\n"))]
    end = "\n" * (len(example.output) - len(example.output.rstrip("\n")))
    command = example.source[: len(example.source) - len(example.output)]
    text = page.read_text(encoding="utf-8")
    by_hand = f"{example.where}: its output must be written by hand"
    assert example.source.endswith(example.output), by_hand
    assert f"$ {example.source}" in text, by_hand
    page.write_text(text.replace(f"$ {example.source}", f"$ {command}{blank}{output}{end}", 1), encoding="utf-8")


def console_examples() -> list[Example]:
    """Every ``$`` line of every console block."""
    return [example for where, block in blocks("console") for example in examples_of(where, block)]


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


PLAIN = re.compile(r"errorbar [^|&;<>`]*")
"""A command line that needs no shell but for quotes, braces and ``errorbar data path``."""
FILTERED = re.compile(r"(errorbar [^|&;<>`]*?) \| ((?:grep|sort|cut|tr|head|tail|sed)\b(?!.*\berrorbar\b).*)")
"""What a command prints, looked through by the shell's own programs."""
DATA_PATH = re.compile(r"\$\(errorbar data path ([\w-]+)\)")


@dataclass
class Typed:
    """Commands of a page, typed in a folder of their own; in this process, which saves starting up each time."""

    errorbar: CommandLine
    folder: Path
    recording: bool = False

    def __call__(self, example: Example) -> None:
        """Run a command, which must print what is shown, and end without an error unless one is shown.

        Skip the rest of a page where it fetches a corpus that is not at hand.
        """
        if example.reason:
            return
        if example.command.startswith("errorbar data fetch "):
            for name in shlex.split(example.command)[3:]:
                self.fetch(name)
            return
        code, out, err = self.run(example.command)
        most = 1 if example.command.startswith("errorbar ") else 0  # 1: something differs, which is no error
        as_shown = code <= most or re.search("^error: ", example.output, re.MULTILINE)
        assert as_shown, f"{example.where}: {err}"
        printed = [out, err + out, out + err]
        fitting = any(fits(example.output, text) for text in printed)
        if self.recording and not fitting:
            record(example, renewed(example.output, printed))
            return
        assert fitting, f"{example.where}: {example.command}\n{out}{err}"

    def run(self, command: str) -> tuple[int, str, str]:
        """The exit code, and what is printed on standard output and standard error."""
        filtered = FILTERED.fullmatch(command)
        if filtered is not None:
            _, out, err = self.run(filtered[1])
            code, out, more = self.type(filtered[2], out)
            return code, out, err + more
        if PLAIN.fullmatch(DATA_PATH.sub("", command)) is None:
            return self.type(command)
        command = DATA_PATH.sub(lambda found: self.errorbar("data", "path", found.group(1)).out.strip(), command)
        result = self.errorbar(*(part for word in shlex.split(command)[1:] for part in self.expanded(word)))
        return result.code, result.out, result.err

    def type(self, command: str, stdin: str | None = None) -> tuple[int, str, str]:
        """Let a shell run a command, with its own processes."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            env=os.environ | {"PATH": path},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=1500,
        )
        return done.returncode, done.stdout, done.stderr

    def fetch(self, name: str) -> None:
        """Put a corpus where ``errorbar data fetch`` puts it, from the copy at hand."""
        folder, place = AT_HAND[name]
        if not (DATA / folder).exists():
            pytest.skip(f"{name} is not at {DATA}")
        copy = self.folder.with_name(f"{self.folder.name}-copies") / name
        for file in catalog()[name].files:
            if (source := DATA / folder / place(file.path)).exists():
                linked(copy / file.path, source)
        result = self.errorbar("data", "fetch", name, "--from-file", copy)
        if name == "jfleg":  # only its development part is at hand, which fetch refuses
            shutil.copytree(copy, cache_root() / name)
        else:
            assert result.code == 0, result.err

    def expanded(self, word: str) -> list[str]:
        """A word as a shell expands its braces."""
        before, brace, after = word.partition("{")
        inside, closed, rest = after.partition("}")
        return [before + part + rest for part in inside.split(",")] if brace and closed and "," in inside else [word]


def linked(link: Path, path: Path) -> Path:
    """Make the link if it is not there."""
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(path)
    return link


@pytest.fixture
def typed(
    errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> Typed:
    monkeypatch.setenv("ERRORBAR_DATA", str(tmp_path.with_name(f"{tmp_path.name}-cache")))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT / "packages/errorbar-models")  # as make detect installs it
    return Typed(replace(errorbar, every_note=False), tmp_path, request.config.getoption("--record-pages"))


def pages_to_type() -> list[object]:
    """Pages with commands; a page whose commands are partly slow is typed twice, once without those."""
    examples = console_examples()
    made: list[object] = []
    for page in sorted({example.page for example in examples} - {TASKS.name, "CONTRIBUTING.md"}):
        slow = page in SLOW_PAGES
        if slow or any(example.is_slow for example in examples if example.page == page):
            made.append(pytest.param(page, True, marks=pytest.mark.slow, id=f"{page}-whole"))
        made += [] if slow else [pytest.param(page, False, id=page)]
    return made


@pytest.mark.parametrize(("page", "whole"), pages_to_type())
def test_the_commands_of_a_page_run_in_an_empty_folder_one_after_the_other(
    page: str, *, whole: bool, typed: Typed, tmp_path: Path
) -> None:
    files = [text for where, text in blocks("toml") if where.startswith(page)] if page == "config.md" else []
    for text in files[:1]:  # the page shows this file in full
        (tmp_path / "errorbar.toml").write_text(text, encoding="utf-8")
    for where, language, block in every_block():
        if not where.startswith(f"{page}:"):
            continue
        for example in examples_of(where, block) if language == "console" else ():
            if whole or not example.is_slow:
                typed(example)


@pytest.mark.parametrize(
    ("page", "printed", "expected"),
    [
        ("a 1\nb 2", "a 1\nb 3\nc 4", "a 1\nb 3\nc 4"),
        ("note\n...\nend 1\n...\nz 1", "note\nx\nend 2\ny\nw\nz 2", "note\n...\nend 2\n...\nz 2"),
        ("a 1\nsignature m2|…|v", "a 2\nsignature m2|src|v", "a 2\nsignature m2|…|v"),
        ("a 1\nsignature m2|…|v", "a 2\nsignature hoo|src|v", "a 2\nsignature hoo|src|v"),
        ("...\nz 1", "a\nb\nz 2", "...\nz 2"),
    ],
)
def test_an_output_recorded_again_stays_abbreviated_where_that_fits(page: str, printed: str, expected: str) -> None:
    assert renewed(page, [printed]) == expected
    assert fits(expected, printed)


def test_what_is_not_typed_is_on_a_page() -> None:
    examples = console_examples()
    unused = [
        start
        for page, start, _ in NOT_TYPED
        if not any(page in ("", example.page) and example.command.startswith(start) for example in examples)
    ]
    assert unused == []


def test_prompts_stand_in_console_blocks_alone() -> None:
    """So that no command escapes the tests above."""
    others = [
        where for where, language, text in every_block() if language != "console" and re.search(r"^\$ ", text, re.M)
    ]
    assert others == []


MOST_COMMANDS = 3
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")


def task_examples(heading: str, text: str) -> list[Example]:
    """Every command of a part of the page of tasks."""
    return [
        example
        for match in BLOCK.finditer(text)
        if match.group(1) == "console"
        for example in examples_of(f"how-do-i.md: {heading}", match.group(2))
    ]


def tasks() -> tuple[str, dict[str, str]]:
    """What the page of tasks says before the first, and every task by its heading."""
    before, *parts = re.split(r"^## ", TASKS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return before, {heading: text for heading, _, text in (part.partition("\n") for part in parts)}


def tasks_to_do() -> list[object]:
    """The tasks; those on corpora that are fetched, or with a long command, run with the slow tests."""
    return [
        pytest.param(
            heading,
            marks=[pytest.mark.slow] if any(example.is_slow for example in task_examples(heading, text)) else [],
        )
        for heading, text in tasks()[1].items()
    ]


@pytest.fixture(scope="module")
def data_of_tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    for example in task_examples("", tasks()[0]):
        assert run(example.command, folder).returncode == 0
    return folder


@pytest.mark.parametrize("heading", tasks_to_do())
def test_a_task_is_done_by_the_commands_that_the_page_shows(
    heading: str, data_of_tasks: Path, typed: Typed, tmp_path: Path
) -> None:
    shutil.copytree(data_of_tasks, tmp_path, dirs_exist_ok=True)
    text = tasks()[1][heading]
    examples = task_examples(heading, text)
    assert 1 <= len(examples) <= MOST_COMMANDS
    for example in examples:
        typed(example)
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


@pytest.mark.parametrize(
    "page",
    [
        ROOT / "README.md",
        *(ROOT / "docs" / f"{name}.md" for name in ("python", "stats", "stopping")),
    ],
    ids=lambda page: page.name,
)
def test_python_examples_run(page: Path, tmp_path: Path, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page, one after the other in the folder that the tutorial makes, print what the page shows."""
    shutil.copytree(demo, tmp_path / "demo")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for code, shown in PYTHON_BLOCK.findall(page.read_text(encoding="utf-8")):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, str(page), "exec"), names)
        assert not shown or fits(shown, printed.getvalue())


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


def rows_of_tables(page: Path) -> Iterator[tuple[str, ...]]:
    """The rows of a page's tables, each behind its table's head; an empty first cell is that of the row above."""
    above, first = "", ""
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            above = ""
        elif not above:
            above = line
        elif not re.fullmatch(r"[|: -]+", line):
            cell, *cells = (part.strip() for part in line.strip("|").split("|"))
            first = cell or first
            yield above, first, *cells


@pytest.mark.parametrize("record", sorted((ROOT / "tests/measured").glob("*.md")), ids=lambda record: record.stem)
def test_pages_of_measurements_show_rows_that_were_measured(record: Path) -> None:
    measured, shown = [*rows_of_tables(record)], [*rows_of_tables(ROOT / "docs/measurements" / record.name)]
    assert len(measured) == MEASURED_ROWS[record.stem], "a record lost rows, or has more: change the number with it"
    assert len(shown) > 2
    assert [row for row in shown if row not in measured] == []


SAID = [
    ("intervals", "A proportion of .05", {"n = 20, p = 0.05": (1, 2, 3, 4)}),
    ("intervals", "Some claim about five", {"12 sentences, all equal": (1, 2, 3)}),
    ("intervals", "Of eight pairs", {"n = 8, ρ = 0.9": (1, 2, 3), "n = 50, ρ = 0.9": (1, 2, 3)}),
    ("ranking", "Of two systems", {"2 equal systems": (3, 4, 5), "3 equal systems": (3, 4, 5)}),
    ("ranking", "Of 100 studies", {".20": (1, 2), ".45: none is close": (1, 2)}),
    ("sampling", "Unflagged items", {"two bands, one of few and one of many errors": (2, 3)}),
    ("sampling", "Unflagged items", {"three bands, 30 misses in the last": (2,)}),
    ("correctors", "On one core", dict.fromkeys(("`lm`", "`lm+classifiers`", "`ranked`"), (1, 3, 4))),
]
"""Sentences instead of tables: the page, how the paragraph begins, and cells of rows of its record that it gives."""


@pytest.mark.parametrize(("page", "beginning", "cells"), SAID, ids=lambda part: part if isinstance(part, str) else "")
def test_sentences_of_measurements_give_what_was_measured(
    page: str, beginning: str, cells: dict[str, tuple[int, ...]]
) -> None:
    text = (ROOT / f"docs/measurements/{page}.md").read_text(encoding="utf-8")
    (paragraph,) = (" ".join(part.split()) for part in text.split("\n\n") if part.startswith(beginning))
    rows: dict[str, tuple[str, ...]] = {}
    for _, *row in rows_of_tables(ROOT / f"tests/measured/{page}.md"):
        if row[0] in cells:
            rows[row[0]] = tuple(row)  # the last table of a record with rows of this name
    said = {*re.findall(r"(?<![\w.])[\d.,]*\d", paragraph)}
    measured = [re.sub(r"^0(?=\.\d{3})", "", rows[name][at]) for name, places in cells.items() for at in places]
    assert [value for value in measured if value.split()[0] not in said] == []


def test_every_error_code_has_a_meaning() -> None:
    codes, endings = codes_by_room(), endings_by_room()
    known = read_meanings()
    assert list(known) == sorted(known)
    assert sorted(codes.keys() - known.keys()) == [], "write a line in src/errorbar/cli/errors.csv"
    assert [end for end in endings if not any(code.endswith(end) for code in known)] == []
    assert sorted(read_explanations().keys() - known.keys()) == []
    assert list(read_explanations()) == sorted(read_explanations())
    assert [code for code in known.keys() - codes.keys() if not code.endswith(tuple(endings))] == [], "never raised"


def test_the_page_of_error_codes_is_current() -> None:
    """``python -m tests.helpers.codes`` writes it."""
    assert ERRORS_PAGE.read_text(encoding="utf-8") == render_page()


def test_every_extra_has_a_target_that_keeps_the_checkout() -> None:
    """``pip install '.[judge]'`` would put a copy in the place of the sources, and compile it again."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert "pip install '.[" not in text
    for extra in extras:
        words = ("make", "--dry-run", "--always-make", "--old-file=.venv/.base", extra)
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=1500)
        assert done.returncode == 0, done.stderr
        assert ("--requirement" in done.stdout, "--editable" in done.stdout) == (True, False), extra


def test_every_command_is_documented() -> None:
    text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"\n| `{name}` | " not in text] == []


def commands(path: tuple[str, ...] = (), command: click.Command = cli) -> Iterator[tuple[str, click.Command]]:
    """Every command and group with its name in full."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands((*path, name), inner)


def test_the_page_of_options_is_current() -> None:
    """``python -m tests.helpers.options`` writes it."""
    assert OPTIONS_PAGE.read_text(encoding="utf-8") == render_options()


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
    assert len(named) > 24
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
        module = parse_nodes(path)[0]
        assert isinstance(module, ast.Module)
        docstring = ast.get_docstring(module) or ""
        if "\nFormula\n" in docstring:
            assert "\nConventions\n" in docstring, path
            assert "\nSource\n" in docstring, path
