"""The tutorial of docs/audit.md runs, from its first command to its last, and prints what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine

PAGE = Path(__file__).resolve().parents[2] / "docs" / "audit.md"


def shown(text: str) -> str:
    """An output without the spaces that end its lines."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def test_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    seen = []
    for kind, block in re.findall(r"```(shell|python|console)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        if kind == "python":
            exec(block, {})
            continue
        for part in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            done = errorbar(*shlex.split(command)[1:])
            assert done.code == 0, done.err
            seen.append(command.split()[1])
            told, more, _ = shown(output).partition("\n...")
            assert not told or (shown(done.out).startswith(f"{told}\n") if more else shown(done.out) == told), command
    assert seen == ["demo", "audit", "demo", "audit", "judge", "audit"]
