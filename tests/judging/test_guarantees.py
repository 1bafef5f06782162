"""The table of docs/judge/guarantees.md names tests that there are, one at least for each failure."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "judge" / "guarantees.md"
NAMED = re.compile(r"`((?:browser/)?test_\w+\.py)::(test_\w+)`")


def test_every_failure_has_a_test_and_every_test_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| R(\d+) \|(.*)$", text, re.MULTILINE))
    assert [int(number) for number in rows] == [*range(1, 41)]
    assert [number for number, row in rows.items() if not NAMED.search(row)] == []
    missing = [
        f"{file}::{name}"
        for file, name in set(NAMED.findall(text))
        if not (HERE / file).exists() or f"def {name}(" not in (HERE / file).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_programs_and_files_that_the_page_names_are_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in re.findall(r"`(\w+\.(?:py|c))[`:]", text):
        assert list(HERE.rglob(name)), name
    for module in re.findall(r"python -m (tests[\w.]+)", text):
        assert (HERE.parents[1] / f"{module.replace('.', '/')}.py").exists() or (
            HERE.parents[1] / module.replace(".", "/") / "__main__.py"
        ).exists(), module
