"""A test that hangs ends with the stacks of all threads and servers; what tests leave is named and removed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import time
from itertools import groupby
from pathlib import Path

import psutil
import pytest

from tests.conftest import ROOT
from tests.helpers.times import read_slow_tests

HANGING = """
import ctypes, subprocess, sys, threading

SERVER = "import time\\ndef serve_for_ever(): time.sleep(600)\\nprint(flush=True)\\nserve_for_ever()"

def wait_in_a_thread():
    threading.Event().wait()

def test_that_hangs():
    pipe = subprocess.PIPE
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=pipe, stderr=pipe, start_new_session=True)
    server.stdout.readline()
    threading.Thread(target=wait_in_a_thread, daemon=True).start()
    ctypes.PyDLL(None).sleep(60)  # holds the lock of the interpreter

def test_that_follows():
    pass
"""
LEAVING = """
import subprocess, tempfile

def test_that_leaves():
    subprocess.run(["sh", "-c", "sleep 600 >/dev/null 2>&1 &"], timeout=60)
    tempfile.mkdtemp(prefix="left-")

def test_that_follows():
    pass
"""
MAKE_TEST = re.findall(r"^PYTEST := .* pytest --numprocesses auto (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
"""The options of ``make test``."""


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a folder under the limits of this project's."""
    files = map(str, sorted(folder.iterdir()))
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--rootdir", str(folder), *files, *words]
    return subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=60)


def wait_until_gone(process: int, *folders: Path) -> None:
    """Wait for what is ended and removed after the end of the run."""
    until = time.monotonic() + 30
    while psutil.pid_exists(process) or any(folder.exists() for folder in folders):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize(
    "options",
    [(), pytest.param(("--numprocesses", "2", *MAKE_TEST[0].split()), marks=pytest.mark.slow)],
    ids=["one", "xdist"],
)
def test_a_test_that_hangs_ends_with_the_stacks_of_all_threads_and_servers(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING)
    for number in range(5):
        (tmp_path / f"test_other{number}.py").write_text("def test_a(): pass\n\n\ndef test_b(): pass\n")
    run = run_pytest(tmp_path, "--limit=2", *options)
    assert run.returncode != 0
    assert "test_hanging.py::test_that_hangs took too long" in run.stderr
    for function in ("test_that_hangs", "wait_in_a_thread", "serve_for_ever"):
        assert f" in {function}" in run.stderr
    server = re.search(r"process (\d+), which test_hanging.py::test_that_hangs \(call\) started: ", run.stderr)
    assert server
    wait_until_gone(int(server[1]))
    if options:
        assert "crashed while running" in run.stdout
        assert "1 failed" in run.stdout


def test_what_a_test_leaves_is_named_and_removed(tmp_path: Path) -> None:
    (tmp_path / "test_leaving.py").write_text(LEAVING)
    run = run_pytest(tmp_path)
    assert run.returncode == 1
    left = re.search(
        r"process (\d+), which test_leaving.py::test_that_leaves \(call\) started: sleep 600\n"
        r".* (/\S+/left-\w+), which test_leaving.py::test_that_leaves left\n",
        run.stdout,
    )
    assert left, run.stdout
    wait_until_gone(int(left[1]), Path(left[2]).parent)


def test_whatever_a_test_starts_and_waits_for_has_a_limit() -> None:
    """Else a test that is ended leaves it behind."""
    names = re.compile(r"subprocess\.(run|call|check_call|check_output)|.*\.communicate|.*process\.wait")
    waits = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(text))) if "subprocess" in text else []
        awaited = {id(node.value) for node in nodes if isinstance(node, ast.Await)}
        for call in nodes:
            if isinstance(call, ast.Call) and id(call) not in awaited and names.fullmatch(ast.unparse(call.func)):
                known = {keyword.arg for keyword in call.keywords}
                if not known & {"timeout", None} and not (call.args and "subprocess" not in ast.unparse(call.func)):
                    waits.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert waits == [], "without timeout="


def test_the_list_of_slow_tests_names_what_is_there() -> None:
    """A name that is left from a test that moved would let its successor slow `make test` down."""
    for path, names in groupby(sorted(read_slow_tests()), lambda name: name.partition("::")[0]):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert functions >= {name.rpartition("::")[2] for name in names}, path
