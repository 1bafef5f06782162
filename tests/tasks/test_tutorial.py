"""The tutorial, and the page that goes on with its task: every line in one folder, and what it prints compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = [Path(__file__).parents[2] / "docs" / f"{name}.md" for name in ("shared-task", "codabench")]
BLOCK = re.compile(r"```shell-session\n(.*?)```", re.DOTALL)


def steps() -> list[tuple[str, str]]:
    """(command, output shown), in order."""
    found = []
    for block in BLOCK.findall("".join(page.read_text(encoding="utf-8") for page in PAGES)):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def shown(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


@pytest.mark.slow
def test_the_tutorial_can_be_followed_word_for_word(tmp_path: Path) -> None:
    programs = str(Path(sys.executable).parent)
    environment = {**os.environ, "NO_COLOR": "1", "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    commands = steps()
    assert len(commands) > 20
    for command, output in commands:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=1500,
        )
        refused = output.startswith("error:")
        assert done.returncode == (2 if refused else 0), f"{command}: {done.stdout}"
        if output.strip():
            assert shown(done.stdout) == shown(output), command
