"""Results: each can be a dictionary, a data frame, tables."""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

from errorbar.core.problems import ErrorbarError, Problem, UsageError, nearest, visible
from errorbar.tables.plain import Plain, in_series, plain_series
from errorbar.tables.table import Grid, Shown, Table, format_table
from errorbar.tables.writers import tables_text

FRAMES = ("pandas", "polars")
"""Libraries of data frames; neither comes with errorbar."""
MOST_NAMED = 3


class Result(ABC):
    """The value of a public function; a dataclass inherits this: ``@dataclass(frozen=True, slots=True, repr=False)``.

    ``notes`` is an attribute of every result: warnings and repairs, which ``--notes`` shows on stderr. Results are
    equal if they are of one kind and their dictionaries and notes are.
    """

    __slots__ = ()
    notes: Sequence[Problem]

    def __init_subclass__(cls) -> None:
        """Compare by what JSON has, not by fields, among which may be arrays.

        A dataclass makes no method that its class has already; types know no other way to give it one.
        """
        cls.__eq__ = Result.__eq__  # type: ignore[method-assign]
        cls.__hash__ = Result.__hash__  # type: ignore[method-assign]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result) or type(self) is not type(other):
            return NotImplemented
        return self is other or (self.to_dict() == other.to_dict() and [*self.notes] == [*other.notes])

    def __hash__(self) -> int:
        return hash((type(self), repr(self.to_dict())))

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """The result as JSON has it, fractions and all: what ``--format json`` prints but for its warnings."""

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """The tables that the command prints, the main one first."""

    def printed_tables(self) -> Sequence[Table]:
        """Those of the tables that the command prints where no others are asked for."""
        return self.tables()

    def data_tables(self) -> Sequence[Table]:
        """The tables that CSV and data frames have, where they are others than people are shown."""
        return self.tables()

    def to_frame(self, table: str = "") -> Any:  # noqa: ANN401 - of a library that the caller chose
        """A table as a data frame: of the library that is imported already, else of that which is installed.

        Args:
            table: The name of one of ``tables()``; empty: the main one, with those of its series.

        Returns:
            A ``pandas.DataFrame`` or ``polars.DataFrame`` with the columns of ``--format csv``: fractions with all
            digits, an interval as two columns.

        Raises:
            ErrorbarError: If neither library is installed.
            UsageError: If there is no table of that name.
        """
        return _frame_library().DataFrame(self._series(table))

    def to_pandas(self, table: str = "") -> Any:  # noqa: ANN401 - typed where pandas is
        """A table as a data frame of pandas, as ``to_frame`` gives it.

        Raises:
            ErrorbarError: If pandas is not installed.
            UsageError: If there is no table of that name.
        """
        return _frame_library("pandas").DataFrame(self._series(table))

    def _series(self, table: str) -> dict[str, list[Plain]]:
        tables = list(self.data_tables())
        named = [[item] for item in tables if item.name == table] if table else in_series(tables)
        if not named:
            fix = nearest(table, [item.name for item in tables if item.name])
            raise UsageError(Problem("no-table", f"there is no table '{table}'", fix=fix))
        return plain_series(named[0])

    def __str__(self) -> str:
        """The tables, as the command prints them."""
        return tables_text(self.printed_tables(), "table")

    def _repr_html_(self) -> str:
        """The tables, as a notebook shows them."""
        return notebook_html(self.tables())

    def __repr__(self) -> str:
        """The class, and what the rows of the main table are."""
        main = next(iter(self.tables()), None)
        if main is None:
            return f"{type(self).__name__}()"
        at = next((number for number, column in enumerate(main.columns) if column.kind == "text"), 0)
        names = list(dict.fromkeys(str(row[at]) for row in main.rows if row))
        listed = ", ".join(islice(names, MOST_NAMED)) + (", …" if len(names) > MOST_NAMED else "")
        rows = f"{len(main.rows):,} row{'' if len(main.rows) == 1 else 's'}"
        return f"{type(self).__name__}({rows}{': ' * bool(listed)}{listed})"


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Result):
    """A result from a document alone, and its tables."""

    document: Mapping[str, object]
    listed: Sequence[Table]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The document."""
        return dict(self.document)

    def tables(self) -> Sequence[Table]:
        """Those given."""
        return self.listed


def _frame_library(*wanted: str) -> Any:  # noqa: ANN401 - one of two libraries
    """The first wanted library that is imported already, else that is installed; none wanted: any."""
    libraries = wanted or FRAMES
    loaded = (name for name in libraries if name in sys.modules)
    name = next(loaded, None) or next(filter(find_spec, libraries), None)
    if name is not None:
        return import_module(name)
    message = f"a data frame needs {' or '.join(libraries)}, which is not installed"
    fix = f"{', or '.join(f'pip install {library}' for library in libraries)}; to_dict() needs none"
    raise ErrorbarError(Problem("no-frames", message, fix=fix))


# Tables in HTML: the same in a report's page and in a notebook. Everything from data is escaped.


NOTEBOOK_STYLE = (
    ".errorbar caption{text-align:left;font-weight:bold}.errorbar th,.errorbar td{text-align:left}"
    ".errorbar .number{text-align:right;font-variant-numeric:tabular-nums}.errorbar .note{opacity:.7;margin:0}"
)


def notebook_html(tables: Iterable[Table]) -> str:
    """Tables as a notebook shows them."""
    shown_tables = (html_table(format_table(table)) for table in tables)
    return "\n".join([f'<div class="errorbar"><style>{NOTEBOOK_STYLE}</style>', *shown_tables, "</div>"])


def html_table(grid: Grid, signs: Mapping[str, str] | None = None) -> str:
    """A table with its caption and notes; cells carry what they are sorted by, and no style of their own.

    ``signs`` is the HTML that stands behind the names of some rows.
    """
    anchor, title = (f"table-{_escape(grid.name)}", f"table-{_escape(grid.name)}-title") if grid.name else ("", "")
    # A table that is wider than its place is scrolled, also by keyboard.
    labelled = _format_setting("aria-labelledby", title)
    lines = ['<div class="table-block">', f'<div class="scroll" tabindex="0" role="group"{labelled}>']
    lines.append(f"<table{_format_setting('id', anchor)}>")
    if grid.title:
        lines.append(f"<caption{_format_setting('id', title)}>{_text(grid.title)}</caption>")
    columns = zip(grid.columns, grid.left, strict=True)
    heads = (f'<th scope="col"{_kind(left)}>{_text(name)}</th>' for name, left in columns)
    lines += [f"<thead><tr>{''.join(heads)}</tr></thead>", "<tbody>"]
    lines += [f"<tr>{''.join(_cells(row, grid.left, signs or {}))}</tr>" for row in grid.rows]
    if not grid.rows:
        lines.append(f'<tr><td colspan="{len(grid.columns)}">No rows.</td></tr>')
    notes = (f'<p class="note">{_text(note)}</p>' for note in grid.notes)
    return "\n".join([*lines, "</tbody>", "</table>", "</div>", *notes, "</div>"])


def _cells(row: Iterable[Shown], left: Sequence[bool], signs: Mapping[str, str]) -> Iterator[str]:
    named = [*left].index(True) if True in left else -1  # a rank may stand before the name
    for at, (cell, text) in enumerate(zip(row, left, strict=True)):
        value = "" if cell.value is None else f' data-value="{float(cell.value)!r}"'
        name, scope = ("td", "") if at else ("th", ' scope="row"')
        kind = ' dir="auto"' if text else _kind(text)
        # A path may break behind a folder, so that its last part stays whole.
        shown = re.sub(r"/(?=\S)", "/<wbr>", _text(cell.text)) if text else _text(cell.text)
        sign = signs.get(cell.text, "") if at == named else ""
        yield f"<{name}{scope}{kind}{value}>{shown}{sign}</{name}>"


def _kind(left: bool) -> str:
    return "" if left else ' class="number"'


def _format_setting(attribute: str, value: str) -> str:
    return f' {attribute}="{value}"' if value else ""


def _escape(text: str) -> str:
    from html import escape  # noqa: PLC0415 - loads a table of characters, in milliseconds that few commands need

    return escape(text)


def _text(text: str) -> str:
    return _escape(visible(text))
