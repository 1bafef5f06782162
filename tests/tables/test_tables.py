"""Raw values as text, CSV, Markdown, LaTeX and HTML: one rule for percent, stars, dashes, intervals and p-values."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest

from errorbar.core import Estimate, Interval, Undefined
from errorbar.tables import (
    Cell,
    Column,
    Kind,
    PValue,
    Table,
    cell_text,
    document_table,
    html_table,
    markdown_table,
    p_text,
    percent,
)
from errorbar.tables.plain import csv_tables, plain
from errorbar.tables.result import notebook_html
from errorbar.tables.table import format_table
from errorbar.tables.writers import LONGEST_CELL, latex_table, text_table

ENDS = Interval(0.359, 0.388, 0.9, "bootstrap-bca")
GIVEN = Estimate(0.3733, 100, ENDS)
FILLED = Estimate(1.0, 100, undefined=Undefined.NOTHING_PROPOSED, no_interval=Undefined.ONE_SIDED)
ZERO = Estimate(0.0, 100, undefined=Undefined.NOTHING_CORRECT)
NONE = Estimate(None, 0, undefined=Undefined.NO_UNITS)


def texts(column: Column, *cells: Cell) -> list[list[str]]:
    return [[cell.text for cell in row] for row in format_table(Table([column], [[cell] for cell in cells])).rows]


@pytest.mark.parametrize(
    ("kind", "cell", "text"),
    [
        ("text", "a", "a"),
        ("text", "", ""),
        ("text", 1234, "1234"),
        ("text", None, "–"),
        ("text", True, "yes"),
        ("text", Undefined.NO_UNITS, "no unit was scored"),
        ("count", 1234567, "1,234,567"),
        ("count", None, "–"),
        ("percent", 0.37335, "37.34"),
        ("percent", 1, "100.00"),
        ("percent", float("nan"), "–"),
        ("percent", Undefined.NO_UNITS, "–"),
        ("percent", FILLED, "100.00*"),
        ("percent", ENDS, "35.90–38.80"),
        ("number", -0.1, "-0.1000"),
        ("number", NONE, "no unit was scored"),
        ("number", ENDS, "0.3590 to 0.3880"),
        ("number", 1234.5, "1,234.5000"),
        ("p", 0.0123, "0.0123"),
        ("p", PValue(0.0005, at_most=True), "≤0.0005"),
        ("p", PValue(0.0123, exact=True), "0.0123 exact"),
        ("p", PValue(None, exact=True), "–"),
    ],
)
def test_a_cell(kind: Kind, cell: Cell, text: str) -> None:
    assert texts(Column("x", kind), cell)[0][0] == text


@pytest.mark.parametrize(
    ("value", "at_most", "text"),
    [
        (None, False, "–"),
        (0.0123, False, "0.0123"),
        (1.0, False, "1.0000"),
        (0.00049975, False, "0.0005"),
        (2 / 2**20, False, "0.0000019"),
        (1e-4, False, "0.0001"),
        (1 / 2001, True, "≤0.0005"),
        (105 / 2001, True, "≤0.053"),  # .05247: never rounded down
        (105 / 50_001, True, "≤0.0021"),
        (1 / 42_000, True, "≤0.000024"),
        (0.05, True, "≤0.05"),
        (7e-28, False, "≤0.000001"),  # of a t: its digits mean nothing
        (0.0, False, "≤0.000001"),
    ],
)
def test_p_values_are_never_0_and_bounds_are_rounded_up(value: float | None, at_most: bool, text: str) -> None:
    assert p_text(value, at_most=at_most) == text


def test_differences_show_their_sign() -> None:
    column = Column("diff", "percent", signed=True)
    assert texts(column, 0.025, Estimate(-0.01, 5, Interval(-0.02, 0.0, 0.95, "wald"))) == [
        ["+2.50", "–"],
        ["-1.00", "-2.00 to +0.00"],
    ]
    assert (percent(None), percent(0.5, 0)) == ("–", "50")


def test_estimates_of_shares_have_a_column_beside_them_and_notes_say_why_it_is_empty() -> None:
    table = Table([Column("system"), Column("F", "percent")], [["a", GIVEN], ["b", FILLED], ["c", ZERO], ["d", NONE]])
    grid = format_table(table)
    assert (grid.columns, grid.left) == (["system", "F", "90% CI"], [True, False, False])
    assert [[cell.text for cell in row[1:]] for row in grid.rows] == [
        ["37.33", "35.90–38.80"],
        ["100.00*", "–"],
        ["0.00", "–"],
        ["–", "–"],
    ]
    assert [row[1].value for row in grid.rows] == [0.3733, 1.0, 0.0, None]
    assert grid.notes == [
        "* by convention: nothing was proposed",
        "– no value: no unit was scored",
        "– no interval: nearly all resamples lie on one side of the value",
    ]


def test_in_columns_of_numbers_the_reason_stands_in_the_cell() -> None:
    grid = format_table(Table([Column("kappa", "number", digits=3)], [[GIVEN], [FILLED], [NONE]]))
    assert [[cell.text for cell in row] for row in grid.rows] == [
        ["0.373", "0.359 to 0.388"],
        ["1.000*", str(Undefined.ONE_SIDED)],
        ["–", str(Undefined.NO_UNITS)],
    ]
    assert grid.notes == ["* by convention: nothing was proposed"]


def test_without_rows_the_columns_are_as_said() -> None:
    table = Table([Column("F", "percent", interval="beside"), Column("Bayes", "percent", interval="only")], [])
    assert format_table(table).columns == ["F", "95% CI", "Bayes"]
    assert list(plain(table)) == ["f", "f_low", "f_high", "bayes_low", "bayes_high", "reason"]
    assert csv_tables([table]) == "f,f_low,f_high,bayes_low,bayes_high,reason\n"
    assert format_table(replace(table, level=0.9)).columns == ["F", "90% CI", "Bayes"]
    assert "No rows." in html_table(format_table(table))


def test_csv_holds_fractions_with_all_digits() -> None:
    columns = [
        Column("system"),
        Column("F0.5", "percent", key="f"),
        Column("p", "p"),
        Column("exact", only="data"),
        Column("group", only="shown"),
        Column("p", "count"),
    ]
    rows: list[list[Cell]] = [
        ["=a", Estimate(1 / 3, 9, ENDS), PValue(0.01, at_most=True), True, "ab", 1234],
        ["b", FILLED, Undefined.CONSTANT, False, "b", None],
    ]
    table = Table(columns, rows)
    made = list(csv.reader(io.StringIO(csv_tables([table]))))
    assert made == [
        ["system", "f", "f_low", "f_high", "p", "exact", "p_2", "reason"],
        ["'=a", "0.3333333333333333", "0.359", "0.388", "0.01", "true", "1234", ""],
        ["b", "1.0", "", "", "", "false", "", f"{Undefined.NOTHING_PROPOSED}, {Undefined.ONE_SIDED}"],
    ]
    assert plain(table)["system"] == ["=a", "b"]
    assert format_table(table).columns == ["system", "F0.5", "90% CI", "p", "group", "p"]


def test_tables_of_one_series_are_one_in_csv() -> None:
    columns = {name: Column(name, "count") for name in ("f", "gold", "gleu", "n")}

    def table(series: str, *names: str) -> Table:
        rows = [["a", *range(len(names))]]
        return Table([Column("system"), *(columns[name] for name in names)], rows, series=series)

    made = csv_tables([table("one", "f", "gold", "n"), table("", "f"), table("one", "gleu", "n"), table("", "f")])
    assert made == "system,f,gold,gleu,n\na,0,1,,2\na,,,0,1\n\nsystem,f\na,0\n\nsystem,f\na,0\n"


HOSTILE = Table([Column("a|b"), Column("n", "count")], [["x\x1b_<b>", 1], ["日本", 22]], "T", "t", ["50%\n& more"])


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("e\u0301a", 2),  # an accent of its own
        ("น\u0e49ำ", 2),  # Thai: the tone mark is above
        ("हि\u0928\u094dदी", 5),  # Devanagari: vowels beside their consonant take a column, the virama none
        ("👩\u200d🔬", 4),  # two wide characters, the joiner between them none
        ("ＡＢ", 4),
    ],
)
def test_marks_take_no_column(text: str, width: int) -> None:
    lines = text_table(format_table(Table([Column("a"), Column("n", "count")], [[text, 1]]))).split("\n")
    assert lines[1] == f" {'─' * (width + 3)}"


def test_columns_stay_where_they_are_beside_text_from_right_to_left() -> None:
    """A terminal turns what stands between two such texts; isolates keep each cell to itself."""
    table = Table([Column("type"), Column("name"), Column("n", "count")], [["שגיאה", "عربي", 7], ["b", "", 12]])
    assert text_table(format_table(table)).split("\n")[2:] == [
        " \u2068שגיאה\u2069  \u2068عربي\u2069   7",
        " b            12",
    ]
    assert "\u2068" not in csv_tables([table])
    assert '<th scope="row" dir="auto">שגיאה</th><td dir="auto">عربي</td>' in html_table(format_table(table))


def test_text_knows_how_wide_letters_are() -> None:
    assert text_table(format_table(HOSTILE)).split("\n") == [
        " a|b         n",
        " " + "─" * 13,
        " x\\x1b_<b>   1",
        " 日本       22",
        "",
        "50%\\n& more",
    ]
    assert text_table(format_table(HOSTILE), styled=True).startswith("\x1b[1m a|b         n\x1b[0m\n")
    long = Table([Column("a")], [["x" * (LONGEST_CELL + 1)]])
    assert text_table(format_table(long)).endswith(f" {'x' * LONGEST_CELL}…")


def test_markdown() -> None:
    made = "| a\\|b | n |\n| --- | ---: |\n| x\\\\x1b\\_\\<b\\> | 1 |\n| 日本 | 22 |\n\n- 50% & more"
    assert markdown_table(format_table(HOSTILE)) == made


def test_latex() -> None:
    made = latex_table(format_table(HOSTILE)).split("\n")
    assert made[0] == "% pdfLaTeX cannot set 日 本: compile with LuaLaTeX or XeLaTeX, and a font that has them"
    assert made[1] == r"\begin{tabular}{lr}"
    assert made[3] == r"a\textbar{}b & n \\"
    assert made[5] == r"x\textbackslash{}x1b\_\textless{}b\textgreater{} & 1 \\"
    assert made[-2:] == [r"\end{tabular}", r"% 50%\n& more"]
    assert latex_table(format_table(Table([Column("a")], [["«ą»"]]))).startswith(
        "% with pdfLaTeX: \\usepackage[T1]{fontenc}\n"
    )
    long = document_table(format_table(HOSTILE), "t")
    assert long.startswith("\\begin{table}[H]\n\\centering\n\\caption{T}\\label{tab:t}\n\\resizebox{")
    assert long.endswith("\\end{tabular}}\n\\end{table}\n{\\footnotesize\\noindent\n50\\% \\& more\n\\par}\\medskip")


@pytest.mark.parametrize(("rows", "kind"), [(30, "tabular"), (31, "longtable")])
def test_a_table_of_many_columns_comes_in_parts_with_the_first_column_each(rows: int, kind: str) -> None:
    columns = [Column("system"), *(Column(f"number {k}", "count") for k in range(40))]
    made = document_table(format_table(Table(columns, [["one", *range(40)]] * rows, "Wide", "wide")), "wide")
    parts = re.findall(rf"\\begin\{{{kind}\}}\{{(l+)(r+)\}}", made)
    assert len(parts) == 4
    assert (sum(len(right) for _, right in parts), {left for left, _ in parts}) == (40, {"l"})
    assert made.count(r"\label{") == 1
    assert made.count(", continued}") == 3
    assert made.count(r"\addtocounter{table}{-1}") == (3 if kind == "longtable" else 0)


def test_a_long_text_in_a_document_is_broken_into_lines() -> None:
    made = document_table(format_table(Table([Column("a"), Column("n", "count")], [["word " * 10, 1]])), "t")
    assert r"\begin{longtable}{>{\raggedright\arraybackslash}p{5cm}r}" in made


def test_html_escapes_and_carries_what_is_sorted_by() -> None:
    made = html_table(format_table(HOSTILE))
    assert '<caption id="table-t-title">T</caption>' in made
    assert '<th scope="row" dir="auto">x\\x1b_&lt;b&gt;</th><td class="number" data-value="1.0">1</td>' in made
    assert '<p class="note">50%\\n&amp; more</p>' in made
    assert " id=" not in html_table(format_table(Table([Column("a")], [["b"]], "T")))
    assert notebook_html([HOSTILE, HOSTILE]).count("<table") == 2


def test_a_chance_is_never_certain() -> None:
    """What rests on a model is neither 0 nor 100 %."""
    column = Column("ahead, %", "percent", digits=1, chance=True)
    shown = [cell_text(value, column) for value in (0.0, 0.0004, 0.001, 0.83, 0.9994, 0.99951, 1.0)]
    assert shown == ["<0.1", "<0.1", "0.1", "83.0", "99.9", ">99.9", ">99.9"]
