"""A test that hangs is ended with the stacks of all threads, and the run goes on or ends."""

from __future__ import annotations

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


@pytest.mark.parametrize("options", [(), pytest.param(("-n", "1"), marks=pytest.mark.slow)], ids=["one", "xdist"])
def test_a_test_that_hangs_ends_with_the_stacks_of_all_threads(options: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "test_hanging.py"
    path.write_text(HANGING)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--limit=0.5", "--rootdir", tmp_path, path]
    run = subprocess.run(
        [*map(str, command), *options], check=False, cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert run.returncode != 0
    assert "Timeout (0:00:00.500000)!" in run.stderr
    assert "in test_that_hangs" in run.stderr
    assert "in wait_in_a_thread" in run.stderr
    if options:
        assert "crashed while running" in run.stdout
        assert "1 failed, 1 passed" in run.stdout
