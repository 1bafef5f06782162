"""A table of a result: raw values, what each column holds, and the one place where values become text.

Conventions
    One rule decides percent or fraction: what is a share of edits, items or wins (P, R, F, recall, ratio, coverage) is
    kept as a fraction and shown in percent with two digits, without the sign; coefficients that can be negative
    (kappa, alpha, correlations) and p-values are shown as they are. JSON, CSV and data frames always hold the fraction.
    A star after a value means everywhere: an empty case that a convention filled (``Estimate.undefined`` beside a
    value that is not 0), and a note below the table names the case. A dash stands where there is no value; a note says
    why there is none where the table is of shares, and the cell itself in columns of the kind ``number``.
    Estimates that have intervals, or should have had them, are shown in two columns: the value, and ``95% CI``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isnan, log10
from typing import Literal, NamedTuple

from errorbar.core.estimate import Estimate, Interval, Undefined

Kind = Literal["text", "count", "percent", "number", "p"]


class PValue(NamedTuple):
    """A p-value and what is known of it."""

    value: float | None  # None where nothing could be tested
    at_most: bool = False  # a bound: no smaller value is possible with so many resamples
    exact: bool = False  # every swap was counted


Cell = str | int | float | bool | Estimate | Interval | PValue | Undefined | None
"""An ``Undefined`` is a value that is missing for a reason; NaN and None are missing without one."""


class Column(NamedTuple):
    """A column; estimates and intervals go into columns of the kinds ``percent`` and ``number``.

    ``interval`` is ``beside`` where cells are estimates, each with a second column for its interval; ``only`` where
    cells are intervals; ``hidden`` where the intervals of estimates stand elsewhere. Empty: as the cells are, which a
    table without rows cannot tell.
    """

    title: str  # its heading, e.g. F0.5
    kind: Kind = "text"
    key: str = ""  # its name in CSV and data frames; empty: the title in lower case with _
    digits: int | None = None  # after the point; None: 2 of percent, 4 of numbers
    interval: Literal["", "beside", "only", "hidden"] = ""
    signed: bool = False  # differences, shown with their sign
    chance: bool = False  # a chance that rests on a model: never shown as 0 or 100 %, but as ``>99.9``
    only: Literal["", "data", "shown"] = ""  # for CSV and data frames only; for people only


@dataclass(frozen=True, slots=True)
class Table:
    """A table; its notes say what was computed how, those about stars and dashes are the writers' own."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]  # as many cells as there are columns
    title: str = ""  # what it shows, for its caption
    name: str = ""  # unique in a report; part of anchors and file names: lower-case letters, digits, hyphens
    notes: Sequence[str] = ()
    level: float = 0.95  # in headings of intervals, where none is there to tell
    series: str = ""  # tables of one series are one in CSV and data frames, where rows leave columns empty


DASH = "–"
P_DIGITS = 4
"""Digits of a p-value that is not very small."""
SMALLEST_P = 1e-6
"""The bound that stands for smaller p-values."""


class Shown(NamedTuple):
    """A cell: its text, and what it is sorted by where that is a number."""

    text: str
    value: float | None = None


class Grid(NamedTuple):
    """A table of texts."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Shown]]
    left: Sequence[bool]  # which columns hold text; the others are aligned right
    notes: Sequence[str] = ()
    title: str = ""
    name: str = ""


def format_table(table: Table) -> Grid:
    """Make texts of a table; estimates become two columns, and notes explain stars and dashes."""
    columns: list[str] = []
    left: list[bool] = []
    parts: list[list[Shown]] = []
    for at, column in enumerate(table.columns):
        if column.only == "data":
            continue
        cells = [row[at] for row in table.rows]
        beside = has_intervals(column, cells)
        columns.append(column.title)
        left.append(column.kind == "text")
        parts.append([_show_cell(cell, column, beside) for cell in cells])
        if beside:
            levels = (cell.interval.confidence_level for cell in cells if isinstance(cell, Estimate) and cell.interval)
            columns.append(f"{100 * next(levels, table.level):g}% CI")
            left.append(False)
            parts.append([_interval(cell, column) for cell in cells])
    rows = list(zip(*parts, strict=True)) if parts else [() for _ in table.rows]
    return Grid(columns, rows, left, [*_reasons(table), *table.notes], table.title, table.name)


def has_intervals(column: Column, cells: Sequence[Cell]) -> bool:
    """Whether a column of estimates has a second one beside it."""
    if column.interval:
        return column.interval == "beside"
    return any(isinstance(cell, Estimate) and bool(cell.interval or cell.no_interval) for cell in cells)


def is_missing(cell: Cell) -> bool:
    """Whether there is nothing in a cell."""
    return cell is None or (isinstance(cell, float) and isnan(cell))


def percent(value: float | None, digits: int = 2) -> str:
    """A fraction in percent, without the sign; a dash where there is none."""
    return DASH if value is None or isnan(value) else f"{100 * value:.{digits}f}"


def p_text(value: float | None, *, at_most: bool = False) -> str:
    """A p-value: ``0.0123``, and never 0; ``≤0.0005``, rounded up, where no more is known; a dash for none.

    Below a millionth no t and no normal distribution is to be trusted to a digit: ``≤0.000001``.
    """
    if value is None or isnan(value):
        return DASH
    if value < SMALLEST_P:
        value, at_most = SMALLEST_P, True
    two = 1 - floor(log10(value))  # two significant digits
    if at_most:
        return f"≤{ceil(value * 10**two - 1e-9) / 10**two:.{two}f}".rstrip("0").rstrip(".")
    return f"{value:.{max(two, P_DIGITS) if value < 10**-P_DIGITS else P_DIGITS}f}"


def _reasons(table: Table) -> list[str]:
    """Notes that explain stars and dashes. In a column of numbers the reasons of dashes stand in the cells."""
    starred: list[str] = []
    absent: list[str] = []
    without: list[str] = []
    for at, column in enumerate(table.columns):
        for cell in (row[at] for row in table.rows if column.only != "data"):
            if isinstance(cell, Undefined) and column.kind in ("percent", "p"):
                (without if column.interval == "only" else absent).append(str(cell))
            elif isinstance(cell, Estimate) and (column.kind == "percent" or cell.value is not None):
                if cell.undefined is not None and cell.value != 0:
                    (absent if cell.value is None else starred).append(str(cell.undefined))
                if cell.no_interval is not None and column.kind == "percent" and column.interval != "hidden":
                    without.append(str(cell.no_interval))
    reasons = (("* by convention", starred), (f"{DASH} no value", absent), (f"{DASH} no interval", without))
    return [f"{mark}: {'; '.join(dict.fromkeys(why))}" for mark, why in reasons if why]


def _show_cell(cell: Cell, column: Column, beside: bool) -> Shown:
    """A cell as it stands in its column; of an estimate the value."""
    if isinstance(cell, Estimate):
        if cell.value is None:
            return Shown(DASH if beside or cell.undefined is None else cell_text(cell.undefined, column))
        star = "*" if cell.undefined is not None and cell.value else ""
        return Shown(cell_text(cell.value, column) + star, _sorted_by(cell.value, column))
    if isinstance(cell, Interval):
        return Shown(interval_text(cell, column), cell.low)
    if isinstance(cell, PValue):
        exact = " exact" if cell.exact and cell.value is not None else ""
        return Shown(p_text(cell.value, at_most=cell.at_most) + exact, cell.value)
    return Shown(cell_text(cell, column), _sorted_by(cell, column))


def cell_text(cell: str | float | None, column: Column) -> str:
    """A value as it stands in a column."""
    if cell is None or is_missing(cell):
        return DASH
    if isinstance(cell, Undefined):
        return DASH if column.kind in ("percent", "p") else str(cell)
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return cell if isinstance(cell, str) else _number(cell, column)


def _sorted_by(cell: str | float | None, column: Column) -> float | None:
    return None if isinstance(cell, str | bool) or is_missing(cell) or column.kind == "text" else float(cell or 0)


def _interval(cell: Cell, column: Column) -> Shown:
    """The text beside an estimate: its interval, or in a column of numbers why there is none."""
    if not isinstance(cell, Estimate):
        return Shown(DASH)
    if cell.interval is not None:
        return Shown(interval_text(cell.interval, column), cell.interval.low)
    reason = cell.no_interval if cell.value is not None else cell.undefined or cell.no_interval
    return Shown(DASH if reason is None or column.kind == "percent" else str(reason))


def interval_text(interval: Interval, column: Column) -> str:
    """``35.90–38.80``; ``-0.1000 to 0.2000`` where ends may have a sign; ``-2.30 to +5.68`` of percent."""
    if column.kind == "percent" and interval.low < 0:  # a dash beside a minus reads badly
        column = column._replace(signed=True)
    between = DASH if column.kind == "percent" and not column.signed else " to "
    return f"{_number(interval.low, column)}{between}{_number(interval.high, column)}"


def _number(value: float, column: Column) -> str:
    sign = "+" if column.signed else ""
    if column.kind == "percent":
        digits = 2 if column.digits is None else column.digits
        least = 0.1**digits
        if column.chance and not least / 2 <= 100 * value < 100 - least / 2:
            return f"<{least:.{digits}f}" if value < 0.5 else f">{100 - least:.{digits}f}"
        return f"{100 * value:{sign}.{digits}f}"
    if column.kind == "number":
        return f"{value:{sign},.{4 if column.digits is None else column.digits}f}"
    if column.kind == "p":
        return p_text(value)
    if column.kind == "text":
        return str(value)
    return f"{value:{sign},}" if isinstance(value, int) else f"{value:{sign},g}"
