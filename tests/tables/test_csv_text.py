"""Tables for people who open them in a spreadsheet."""

from __future__ import annotations

import csv
import io

import pytest

from errorbar.tables.plain import csv_lines, inert


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "=cmd|' /C calc'!A0",
        "+a",
        "-a",
        "@SUM(1)",
        "-2+3+cmd|' /C calc'!A0",
        "＝1+1",
        "-NONE-",
        "- x",
        "+1 555",
        f"-{'1' * 90_000}x",
    ],
)
def test_formulas_are_shown(text: str) -> None:
    """The first characters are those of OWASP, CSV Injection."""
    assert inert(text) == f"'{text}"


def test_what_stands_before_a_formula_is_shown() -> None:
    assert [inert(f"{space}=1+1") for space in "\t\r\n"] == ["\\t=1+1", "\\r=1+1", "\\n=1+1"]


@pytest.mark.parametrize(
    "text", ["-0.5", "-12.34%", "+1.5", "-1e-05", "-1,234.5", "-", "+", "a=b", "x", "", "–", "'x", "-.5"]
)
def test_numbers_and_words_stay(text: str) -> None:
    assert inert(text) == text


def test_a_long_name_costs_no_more_than_its_length() -> None:
    """Almost a number: a pattern that can cut it in two ways would try every pair of them, 4,000,000,000 in all."""
    name = f"-{'1' * 90_000}x"
    assert inert(name) == f"'{name}"


def test_rows() -> None:
    made = csv_lines([["name", "value"], ["=a", -0.5], ["b,\n\x1b", None]])
    assert made == 'name,value\n\'=a,-0.5\n"b,\\n\\x1b",\n'
    assert len(list(csv.reader(io.StringIO(made)))) == 3
