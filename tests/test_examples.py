"""Examples of property tests are the same whatever ran before."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list[int]:
    """What a property test is given."""
    found: list[int] = []

    @settings(max_examples=300)
    @given(st.integers(1, 10**6))
    def collect(number: int) -> None:
        found.append(number)

    collect()
    return found


def test_examples_do_not_hang_on_loaded_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not settings().derandomize:
        pytest.skip("looks for new examples")
    before = drawn()
    (tmp_path / "full_of_numbers.py").write_text(f"NUMBERS = {list(range(1000, 2000, 7))}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("full_of_numbers")
    try:
        assert drawn() == before
    finally:
        del sys.modules["full_of_numbers"]
