"""A test that hangs is ended with the stacks of all threads, and the run ends."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HANGING = """
import ctypes, threading

def wait_in_a_thread():
    threading.Event().wait()

def test_that_hangs():
    threading.Thread(target=wait_in_a_thread, daemon=True).start()
    ctypes.PyDLL(None).sleep(60)  # holds the lock of the interpreter

def test_that_follows():
    pass
"""


MAKE_TEST = re.findall(r"^PYTEST := .* pytest --numprocesses auto (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
"""The options of ``make test``."""


@pytest.mark.parametrize(
    "options",
    [(), pytest.param(("--numprocesses", "2", *MAKE_TEST[0].split()), marks=pytest.mark.slow)],
    ids=["one", "xdist"],
)
def test_a_test_that_hangs_ends_with_the_stacks_of_all_threads(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING)
    for number in range(5):
        (tmp_path / f"test_other{number}.py").write_text("def test_a(): pass\n\n\ndef test_b(): pass\n")
    files = sorted(tmp_path.iterdir())
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--limit=0.5", "--rootdir", tmp_path, *files]
    run = subprocess.run(
        [*map(str, command), *options], check=False, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert run.returncode != 0
    assert "Timeout (0:00:00.500000)!" in run.stderr
    assert "in test_that_hangs" in run.stderr
    assert "in wait_in_a_thread" in run.stderr
    if options:
        assert "crashed while running" in run.stdout
        assert "1 failed" in run.stdout


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
