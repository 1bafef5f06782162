"""Options come from the signatures and docstrings of public functions, so that a new command takes two files."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

import pytest

import errorbar
from errorbar.cli.declared import parameters_of
from errorbar.core import UsageError
from errorbar.judging import StudyRules
from tests.helpers.cli import CommandLine

PACKAGE = Path(errorbar.__file__).parent
FUNCTIONS = sorted(
    name
    for path in PACKAGE.rglob("*.py")
    for name in re.findall(r'options_of\(\s*"errorbar\.([\w.]+:\w+)"', path.read_text(encoding="utf-8"))
)
COUNT = '''"""Words of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from errorbar.api.arguments import Count, Useless, public
from errorbar.core.problems import Problem
from errorbar.formats.look import Source
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

Unit = Literal["words", "letters"]


@dataclass(frozen=True)
class WordCount(Result):
    """How many there are."""

    count: int
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The count."""
        return {"count": self.count}

    def tables(self) -> Sequence[Table]:
        """The count."""
        return [Table([Column("count", "count")], [[self.count]], name="count")]


@public(Useless("longer_than", "is about words, and --unit=letters counts none", lambda own: own["unit"] == "letters"))
def count_words(text: Source, *, unit: Unit = "words", longer_than: Count | None = None) -> WordCount:
    """Count the words of a text.

    Args:
        text: A file.
        unit: Count words or letters.
        longer_than: Leave out words that are not longer. None: leave out none.
    """
    words = Path(str(text)).read_text(encoding="utf-8").split()
    counted = [word for word in words if len(word) > (longer_than or 0)]
    return WordCount(len(counted) if unit == "words" else sum(map(len, words)))
'''


def test_a_new_command_takes_two_files(tmp_path: Path) -> None:
    package = tmp_path / "src" / "errorbar"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = {path: path.read_bytes() for path in package.rglob("*.*")}
    (package / "api/count_words.py").write_text(COUNT, encoding="utf-8")
    main = package / "cli/main.py"
    line = '    "count-words": "Count the words of a text.",\n'
    main.write_text(
        main.read_text(encoding="utf-8").replace("COMMANDS = {\n", f"COMMANDS = {{\n{line}"), encoding="utf-8"
    )
    changed = [path for path in package.rglob("*.*") if "__pycache__" not in path.parts]
    assert len([path for path in changed if before.get(path) != path.read_bytes()]) == 2

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "errorbar", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=100
        )

    (tmp_path / "text.txt").write_text("a word or two\n")
    assert "Count the words of a text." in run("--help").stdout
    shown = " ".join(run("count-words", "--help").stdout.split())
    assert "Usage: errorbar count-words [OPTIONS] TEXT" in shown
    assert "--unit [words|letters] Count words or letters. [default: words]" in shown
    assert "--longer-than N Leave out words that are not longer. [default: leave out none] [x>=1]" in shown
    done = run("count-words", "text.txt", "--longer-than", "2", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"schema": "errorbar.count-words/1", "count": 2, "warnings": []}
    refused = run("count-words", "text.txt", "--unit", "letters", "--longer-than", "2")
    message = "--longer-than is about words, and --unit letters counts none; leave it out [useless-option]"
    assert (refused.returncode, refused.stderr) == (2, f"error: {message}\n")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_read_is_what_python_has(name: str) -> None:
    module, _, function = f"errorbar.{name}".partition(":")
    known = inspect.signature(getattr(import_module(module), function)).parameters
    defaults = {key: None if each.default is each.empty else each.default for key, each in known.items()}
    of_python = {key: default for key, default in defaults.items() if not callable(default)}  # no function is an option
    read = parameters_of(module, function)
    assert {key: each.default for key, each in read.items()} == of_python
    assert {key for key, each in read.items() if each.required} == {
        key for key, each in known.items() if each.default is each.empty
    }
    assert [key for key, each in read.items() if not each.text] == []


def test_a_study_has_the_rules_of_a_new_one() -> None:
    rules = asdict(StudyRules())
    del rules["comprehension"]  # questions that --about has
    rules["editors"] = None  # crossed where raters edit systems' outputs
    known = parameters_of("errorbar.judging.study.make", "judge_init")
    assert {name: known[name].default for name in rules} == rules


def test_python_refuses_what_the_command_line_refuses(errorbar: CommandLine, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.m2", tmp_path / "system.txt"
    gold.write_text("S A cat sat .\n\n")
    system.write_text("A cat sat .\n")
    refused = errorbar("score", "--gold", gold, system, "--no-ci", "--confidence", 0.9)
    assert refused.err.startswith("error: --confidence is about intervals, and --no-ci asks for none;")
    from errorbar import score

    with pytest.raises(UsageError, match="confidence is about intervals, and ci=False asks for none; leave it out"):
        score(str(gold), [str(system)], ci=False, confidence=0.9)
    assert score(str(gold), [str(system)], ci=False, confidence=0.95).scores
