"""A table as columns of plain values, for CSV and data frames; control characters are shown, as everywhere."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from itertools import chain, count

from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problem, as_options, visible
from errorbar.tables.table import Cell, Column, PValue, Table, has_intervals, is_missing

Plain = str | int | float | bool | None


def plain(table: Table) -> dict[str, list[Plain]]:
    """Make columns of a table.

    An interval becomes two columns, ``key_low`` and ``key_high``, and so does that of an estimate beside its value; a
    last column, ``reason``, then says why a value or an interval is missing or was set by a convention, unless the
    table has such a column.

    Returns:
        Key to cells, fractions with all digits; None where there is no value. Keys that are there already get a number.
    """
    columns: dict[str, list[Plain]] = {}
    reasons: list[list[str]] = [[] for _ in table.rows]
    asked = False
    for at, column in enumerate(table.columns):
        if column.only == "shown":
            continue
        cells = [row[at] for row in table.rows]
        key = _free(column, columns)
        if column.interval == "only" or any(isinstance(cell, Interval) for cell in cells):
            columns |= _ends(key, [cell if isinstance(cell, Interval) else None for cell in cells])
            continue
        columns[key] = [_plain(cell) for cell in cells]
        if has_intervals(column, cells):
            asked = True
            columns |= _ends(key, [cell.interval if isinstance(cell, Estimate) else None for cell in cells])
            for row, cell in zip(reasons, cells, strict=True):
                if isinstance(cell, Estimate):
                    row += [str(why) for why in (cell.undefined, cell.no_interval) if why is not None]
    if asked and "reason" not in columns:
        columns["reason"] = [", ".join(dict.fromkeys(row)) for row in reasons]
    return columns


def _ends(key: str, intervals: Sequence[Interval | None]) -> dict[str, list[Plain]]:
    return {
        f"{key}_low": [None if interval is None else interval.low for interval in intervals],
        f"{key}_high": [None if interval is None else interval.high for interval in intervals],
    }


def _plain(cell: Cell) -> Plain:
    if isinstance(cell, Estimate | PValue):
        return _plain(cell.value)
    if isinstance(cell, Undefined | Interval) or is_missing(cell):
        return None
    return cell


def _free(column: Column, taken: Container[str]) -> str:
    key = column.key or re.sub(r"\W+", "_", column.title.lower()).strip("_") or "column"
    names = chain([key], (f"{key}_{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def records(table: Table) -> list[dict[str, object]]:
    """The rows of a table as JSON has them: cell by the key, or else the title, of its column."""
    keys = [column.key or column.title for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]


def csv_lines(rows: Iterable[Sequence[Plain]]) -> str:
    """Rows as CSV; None is an empty cell."""
    from errorbar.core.csv_cells import csv_line  # noqa: PLC0415 - few results are asked for as CSV

    return "".join(f"{csv_line(map(_cell, row))}\n" for row in rows)


def plain_series(tables: Sequence[Table]) -> dict[str, list[Plain]]:
    """Columns of tables of one series, one below the other; what a table does not have is None in its rows.

    A column that only later tables have stands before the next one that they share with those before them.
    """
    parts = [plain(table) for table in tables]
    keys: list[str] = []
    for part in parts:
        at = len(keys)
        for key in reversed(part):
            if key in keys:
                at = keys.index(key)
            else:
                keys.insert(at, key)
    sizes = [len(table.rows) for table in tables]
    return {
        key: [cell for part, size in zip(parts, sizes, strict=True) for cell in part.get(key, [None] * size)]
        for key in keys
    }


def csv_tables(tables: Sequence[Table]) -> str:
    """Tables as CSV, at full precision, with an empty line between: columns as ``plain`` has them, a series in one."""
    return "\n".join(map(_csv, in_series(tables)))


def in_series(tables: Sequence[Table]) -> list[list[Table]]:
    """Tables of one series together, in the order of the first of each."""
    by_series: dict[str | int, list[Table]] = {}
    for number, table in enumerate(tables):
        by_series.setdefault(table.series or number, []).append(table)
    return list(by_series.values())


def _csv(series: Sequence[Table]) -> str:
    columns = plain_series(series)
    return csv_lines([list(columns), *zip(*columns.values(), strict=True)])


def _cell(cell: Plain) -> Plain:
    if isinstance(cell, bool):
        return str(cell).lower()
    return visible(cell) if isinstance(cell, str) else cell


# Numbers and notes as they stand in JSON output.


def attributes(item: object, *names: str) -> dict[str, object]:
    """Some attributes of an object."""
    return {name: getattr(item, name) for name in names}


def interval_record(estimate: Estimate) -> dict[str, object]:
    """An interval, or why there is none."""
    interval = estimate.interval
    if interval is None:
        return {"low": None, "high": None, "reason": as_text(estimate.no_interval or estimate.undefined)}
    return attributes(interval, "low", "high", "confidence_level", "method")


def value_record(estimate: Estimate) -> dict[str, object]:
    """An estimate without its number of clusters; of a missing interval the reason."""
    undefined, interval = as_text(estimate.undefined), interval_record(estimate)
    return {"value": estimate.value, "n_units": estimate.n_units, "undefined": undefined, "interval": interval}


def estimate_record(estimate: Estimate) -> dict[str, object]:
    """An estimate with its interval, which is None where none was asked for."""
    record = {**value_record(estimate), "n_clusters": estimate.n_clusters}
    return record if estimate.interval or estimate.no_interval else {**record, "interval": None}


def note_record(note: Problem) -> dict[str, object]:
    """A warning or a repair, in the words of the command line."""
    texts = {name: as_options(getattr(note, name)) for name in ("what", "expected", "fix")}
    return {"code": note.code, "severity": note.severity, "file": note.place.file, "line": note.place.line, **texts}


def as_text(value: object) -> str | None:
    """A reason or a signature, or None."""
    return None if value is None else str(value)
