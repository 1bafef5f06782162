"""A program as a baseline: what it is given, what is taken of it, when it runs again, and how it fails."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import errorbar as library
from errorbar import run_task
from errorbar.core import InputError
from errorbar.tasks import read_task
from tests.helpers.cli import CommandLine

GOLD = """\
S She depends of him .
A 2 3|||Prep|||on|||REQUIRED|||-NONE-|||0

S He lives here .
"""
PROGRAM = """\
import pathlib, sys
runs = pathlib.Path("runs.txt")
runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
for line in sys.stdin:
    print(line.strip().replace(sys.argv[1], "on"))
"""
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a task whose baseline is a program."""

    def task(program: str = PROGRAM, more: str = "", command: str = "") -> Path:
        (tmp_path / "gold.m2").write_text(GOLD, encoding="utf-8")
        (tmp_path / "program.py").write_text(program, encoding="utf-8")
        command = command or f"'{sys.executable}' program.py 'of'"
        path = tmp_path / "task.toml"
        path.write_text(
            f'[task]\nname = "Small"\n[[corpus]]\nname = "test"\ngold = "gold.m2"\n'
            f'[[system]]\nname = "program"\ncommand = {json.dumps(command)}\n{more}',
            encoding="utf-8",
        )
        return path

    return task


def n_runs(task: Path) -> int:
    return len((task.parent / "runs.txt").read_text(encoding="utf-8"))


def test_its_output_is_scored(write: Write) -> None:
    results = run_task(write())
    (run,) = results.corpora[0].runs
    assert (run.gold[0].precision.value, run.gold[0].recall.value) == (1.0, 1.0)
    assert run.submission.path.read_text(encoding="utf-8") == "She depends on him .\nHe lives here .\n"
    assert "(command=" in str(run.gold[0].signature)


def test_no_shell_reads_it(write: Write) -> None:
    program = "import sys; print(sys.argv[1]); print(sys.stdin.readlines()[1].strip())"
    (run,) = run_task(write(program, command=f"'{sys.executable}' program.py '$HOME ; ls'")).corpora[0].runs
    assert run.submission.path.read_text(encoding="utf-8") == "$HOME ; ls\nHe lives here .\n"


def test_it_runs_every_time_unless_the_file_says_what_it_depends_on(write: Write) -> None:
    task = write()
    run_task(task)
    run_task(task)
    assert n_runs(task) == 2
    task = write(more='depends = ["program.py"]\n')
    first, second = run_task(task), run_task(task)
    assert n_runs(task) == 3
    assert first.to_dict() == second.to_dict()
    write(PROGRAM + "# another version\n", 'depends = ["program.py"]\n')
    run_task(task)
    assert n_runs(task) == 4


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("print('one line')", "wrote 1 lines for 2 sentences (expected one line for each sentence) [system-lines]"),
        ("pass", "wrote 0 lines for 2 sentences (expected one line for each sentence) [system-lines]"),
        ("raise SystemExit('no model')", "failed with exit code 1: no model [system-failed]"),
        ("import os; os.write(1, b'\\xff\\n\\xff\\n')", "wrote something that is not UTF-8 [system-output]"),
    ],
)
def test_one_line_says_what_is_wrong(write: Write, errorbar: CommandLine, program: str, message: str) -> None:
    task = write(program)
    done = errorbar("task", "run", task)
    assert done.code == 2
    (line,) = [line for line in done.err.splitlines() if line.startswith("error:")]
    assert line.startswith(f"error: {task}:8: the command ")
    assert line.endswith(message)


def test_a_program_that_is_not_there(write: Write, errorbar: CommandLine) -> None:
    done = errorbar("task", "run", write(command="no-such-program --fast"))
    assert done.code == 2
    assert "the command 'no-such-program --fast' cannot be started: No such file" in done.err


def test_what_takes_too_long_ends_with_all_that_it_started(write: Write, errorbar: CommandLine) -> None:
    program = (
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(5); open(\"late\", \"w\")'])\n"
        "time.sleep(60)\n"
    )
    task = write(program, "timeout = 1\n")
    begin = time.monotonic()
    done = errorbar("task", "run", task)
    assert time.monotonic() - begin < 30
    assert done.code == 2
    assert "did not end in 1 seconds; give it longer: timeout = 2 [system-failed]" in done.err
    time.sleep(max(0.0, begin + 7 - time.monotonic()))
    assert not (task.parent / "late").exists()


def test_what_writes_without_end_is_ended(write: Write, errorbar: CommandLine) -> None:
    done = errorbar("task", "run", write("import os\nwhile True: os.write(1, b'y' * 65536)\n", "timeout = 60\n"))
    assert done.code == 2
    assert "wrote more than 1,0" in done.err
    assert "(expected one line for each sentence) [system-output]" in done.err


def test_a_signal_that_ends_it_is_named(write: Write, errorbar: CommandLine) -> None:
    done = errorbar("task", "run", write("import os, signal; os.kill(os.getpid(), signal.SIGTERM)"))
    assert "was ended by SIGTERM [system-failed]" in done.err


@pytest.mark.parametrize("seconds", ["0", "100000000000000000000", "true"])
def test_times_that_nobody_waits_are_refused(write: Write, seconds: str) -> None:
    with pytest.raises(InputError) as refused:
        read_task(write(more=f"timeout = {seconds}\n"))
    assert refused.value.code == "task-value"


@pytest.mark.parametrize("more", ['depends = ["program.py"]\n', "timeout = 5\n"])
def test_only_a_command_takes_what_is_of_commands(write: Write, more: str) -> None:
    task = write(more=more)
    lines = task.read_text(encoding="utf-8").splitlines()
    lines[7] = 'corrector = "lm"'
    task.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_task(task)
    assert refused.value.code == "task-value"
    assert "is of a command" in str(refused.value)


@pytest.mark.parametrize("command", ["", "  ", "program 'half", "two\nlines"])
def test_what_is_not_a_command(write: Write, command: str) -> None:
    task = write()
    text = task.read_text(encoding="utf-8").splitlines()
    text[7] = f"command = {json.dumps(command)}"
    task.write_text("\n".join(text), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_task(task)
    assert refused.value.code == "task-value"


def test_models_are_refused(write: Write) -> None:
    task = write(more='models = "gold.m2"\n')
    with pytest.raises(InputError, match="models are of errorbar's own systems"):
        read_task(task)


def test_who_verifies_a_receipt_does_not_run_it(write: Write, errorbar: CommandLine, tmp_path: Path) -> None:
    task = write()
    done = errorbar("task", "run", task, "-o", tmp_path / "scores.json")
    assert done.code == 0, done.err
    (receipt,) = tmp_path.glob("*receipt*")
    assert n_runs(task) == 1
    assert library.verify(receipt).differences == []
    assert n_runs(task) == 1
