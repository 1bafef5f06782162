"""Entry points of packages that are wrong: one line each, and everything else works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GROUP = "errorbar.commands"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = (
        f"import runpy, sys; sys.path.insert(0, {str(folder)!r}); runpy.run_module('errorbar', run_name='__main__')"
    )
    words = [sys.executable, "-c", script, *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize(
    ("source", "value", "message"),
    [
        ("raise RuntimeError('broken')", "broken_package.inner:COMMANDS", "RuntimeError: broken"),
        ("raise SystemExit(0)", "broken_package:COMMANDS", "SystemExit: 0"),
        ("COMMANDS = ['name']", "broken_package:COMMANDS", "holds no commands"),
        ("COMMANDS = {1: ('Help.', 'a:b')}", "broken_package:COMMANDS", "holds no commands"),
        ("COMMANDS = {'name': 'just help'}", "broken_package:COMMANDS", "holds no commands"),
    ],
)
def test_a_broken_package_is_named_and_harms_nothing(tmp_path: Path, source: str, value: str, message: str) -> None:
    _install(tmp_path, source, value)
    for arguments in (("--help",), ("metrics",)):
        done = run(tmp_path, *arguments)
        assert done.returncode == 0
        assert done.stdout
    done = run(tmp_path, "--help")
    assert message in done.stderr
    assert "[bad-entry-point]" in done.stderr


def test_a_command_that_is_nowhere_is_named_when_it_is_called(tmp_path: Path) -> None:
    _install(
        tmp_path, "COMMANDS = {'new': ('A new one.', 'no_such_module:command')}", "broken_package:COMMANDS [extra]"
    )
    assert "A new one." in run(tmp_path, "--help").stdout
    done = run(tmp_path, "new")
    assert done.returncode == 2
    assert "no_such_module:command, which the package other registers" in done.stderr


def _install(folder: Path, source: str, value: str) -> None:
    package, info = folder / "broken_package", folder / "other-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text(source, encoding="utf-8")
    (package / "inner.py").write_text("COMMANDS = {}", encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nother = {value}\n", encoding="utf-8")
