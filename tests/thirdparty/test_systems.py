"""A corrector, a detector and a command of another package, installed beside errorbar, without a line elsewhere."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import errorbar
from tests.thirdparty import loud

NAME = "errorbar_loud"
ENTRIES = f"""\
[errorbar.correctors]
of-on = {NAME}:correct
too-few = {NAME}:too_few
broken = {NAME}:no_such_function

[errorbar.detectors]
of = {NAME}:detect
outside = {NAME}:outside

[errorbar.commands]
loud = {NAME}:COMMANDS
gone = a_package_that_was_removed:COMMANDS
"""
SOURCE = "She depends of him .\nHe lives here .\n"
GOLD = """\
S She depends of him .
A 2 3|||Prep|||on|||REQUIRED|||-NONE-|||0

S He lives here .
"""
TASK = """\
[task]
name = "Small"
metrics = ["tokens"]
[[corpus]]
name = "test"
gold = "gold.m2"
[[system]]
name = "fixed"
corrector = "of-on"
[[system]]
name = "flagged"
detector = "of"
"""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run errorbar with the package installed."""
    site = tmp_path / "site"
    (site / f"{NAME}-1.0.dist-info").mkdir(parents=True)
    shutil.copy(loud.__file__, site / f"{NAME}.py")
    (site / f"{NAME}-1.0.dist-info" / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    (tmp_path / "source.txt").write_text(SOURCE, encoding="utf-8")
    paths = [str(site), str(Path(errorbar.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "errorbar", *arguments]
        return subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=100
        )

    return command


def test_a_command(run: Run) -> None:
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "  whisper       Write a text in lower case.\n" in done.stdout
    assert "Never listed" not in done.stdout
    assert run("whisper", "HELLO").stdout == "hello\n"
    assert run("task", "whisper", "HELLO").stdout == "hello\n"
    assert "did you mean 'whisper'?" in run("wisper").stderr
    assert "Score systems" in run("score", "--help").stdout


def test_a_corrector(run: Run) -> None:
    pytest.importorskip("errorbar.detectors", reason="errorbar correct is its command")
    done = run("correct", "source.txt", "--corrector", "of-on")
    assert (done.returncode, done.stdout) == (0, SOURCE.replace("of", "on"))
    assert done.stderr == "1 of 2 sentences changed\n"


def test_a_detector(run: Run) -> None:
    pytest.importorskip("errorbar.detectors", reason="errorbar detect is its command")
    done = run("detect", "source.txt", "--detector", "of", "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = [*csv.DictReader(io.StringIO(done.stdout))]
    assert [(row["item"], row["suggestion"]) for row in rows if row["flag"] == "1"] == [("1:2-3", "on")]
    assert [row["item"] for row in rows][:6] == ["1:0-1", "1:1-2", "1:2-3", "1:3-4", "1:4-5", "2:0-1"]


def test_baselines_of_a_task(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(GOLD, encoding="utf-8")
    (tmp_path / "task.toml").write_text(TASK, encoding="utf-8")
    done = run("task", "run", "task.toml", "--format", "csv")
    assert done.returncode == 0, done.stderr
    rows = {row["run"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    assert {(name, row["precision"], row["recall"]) for name, row in rows.items()} == {
        ("fixed", "1.0", "1.0"),
        ("flagged", "1.0", "1.0"),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("correct", "source.txt", "--corrector", "too-few"),
            "the corrector 'too-few' wrote 1 lines for 2 sentences (expected one line for each sentence)",
        ),
        (("correct", "source.txt", "--corrector", "of-on(a=1)"), "the corrector of-on takes no parameters"),
        (("correct", "source.txt", "--corrector", "of-on", "--explain"), "--explain is about errorbar's own"),
        (("correct", "source.txt", "--corrector", "broken"), "cannot be loaded: AttributeError"),
        (("detect", "source.txt", "--detector", "outside"), "the detector 'outside' judges token 0 of sentence 7"),
        (("detect", "source.txt", "--detector", "off"), "no detector is called 'off'; did you mean 'of'"),
    ],
)
def test_one_line_says_what_is_wrong(run: Run, arguments: tuple[str, ...], message: str) -> None:
    pytest.importorskip("errorbar.detectors", reason="errorbar correct and detect are its commands")
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert message in line
