"""The examples of docs/stats.md run and print what they show."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "stats.md"


def test_examples() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    shown = 0
    for match in re.finditer(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(match.group(1), names)
        if match.group(2) is not None:
            assert printed.getvalue() == match.group(2)
            shown += 1
    assert shown == text.count("```text")
