"""Tables for people who open them in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errorbar
from errorbar import Problems
from errorbar.core import csv_line, unguard_cell
from errorbar.core.csv_cells import guard_cell
from errorbar.formats import table_rows
from errorbar.tables import csv_lines


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
    assert guard_cell(text) == f"'{text}"


def test_what_stands_before_a_formula_is_shown() -> None:
    assert csv_lines([[f"{space}=1+1" for space in "\t\r\n"]]) == "\\t=1+1,\\r=1+1,\\n=1+1\n"
    assert [guard_cell(f"{space}=1+1") for space in "\t\r\n"] == ["'\t=1+1", "'\r=1+1", "'\n=1+1"]


@pytest.mark.parametrize(
    "text", ["-0.5", "-12.34%", "+1.5", "-1e-05", "-1,234.5", "-", "+", "a=b", "x", "", "–", "'x", "-.5"]
)
def test_numbers_and_words_stay(text: str) -> None:
    assert guard_cell(text) == text


def test_a_long_name_costs_no_more_than_its_length() -> None:
    """Almost a number: a pattern that can cut it in two ways would try every pair of them, 4,000,000,000 in all."""
    name = f"-{'1' * 90_000}x"
    assert guard_cell(name) == f"'{name}"


def test_rows() -> None:
    made = csv_lines([["name", "value"], ["=a", -0.5], ["b,\n\x1b", None]])
    assert made == 'name,value\n\'=a,-0.5\n"b,\\n\\x1b",\n'
    assert len(list(csv.reader(io.StringIO(made)))) == 3


@given(st.text(st.sampled_from("'=-+@\t\r\n1.,% x\"＝"), max_size=5) | st.text(max_size=5))
def test_what_is_written_is_read_as_it_was(text: str) -> None:
    assert unguard_cell(guard_cell(text)) == text
    if len(text) > 1:
        assert not guard_cell(text).startswith(tuple("=@＝\t\r\n"))


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_table_is_read_as_it_was(tmp_path: Path, ending: str) -> None:
    """Names of columns too; a number of a spreadsheet keeps its sign, and an apostrophe of a text stays one."""
    rows = [["=item", "-x", "plain"], ["=1+1", "'=1+1", "'tis"], ["-5", "''-y", "- x"], ["@a", "+", "'"]]
    lines = [csv_line(row) for row in rows]
    (tmp_path / f"t.{ending}").write_text(
        "\n".join(line.replace(",", "\t" * (ending == "tsv") or ",") for line in lines)
    )
    assert lines[1] == "'=1+1,''=1+1,'tis"
    problems = Problems()
    found = [*table_rows(tmp_path / f"t.{ending}", problems)]
    assert [list(found[0].values), *(list(row.values.values()) for row in found)] == rows
    assert not problems.errors


def test_every_table_is_written_in_one_place() -> None:
    root = Path(errorbar.__file__).parent
    writers = [file.name for file in root.rglob("*.py") if re.search(r"csv\.(Dict)?[wW]riter", file.read_text("utf-8"))]
    assert writers == ["csv_cells.py"]
