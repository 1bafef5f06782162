"""The page about receipts, followed word for word; how many values a report has is not for that page to know."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tasks.test_tutorial import BLOCK, shown

PAGE = Path(__file__).parents[2] / "docs" / "receipts.md"


def pattern(output: str) -> str:
    """What an output that a page shows must match: ``…`` is any number."""
    return r"[\d,]+".join(re.escape(part) for part in shown(output).split("…"))


@pytest.mark.slow
def test_the_page_can_be_followed_word_for_word(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    codes = []
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
            done = subprocess.run(
                command,
                shell=True,
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=1500,
            )
            codes.append(done.returncode)
            if output.strip():
                assert re.fullmatch(pattern(output), shown(done.stdout)), done.stdout
    assert codes == [0, 0, 0, 0, 1]
