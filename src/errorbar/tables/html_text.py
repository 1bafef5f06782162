"""Tables in HTML: the same in a report's page and in a notebook. Everything from data is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from errorbar.core.errors import visible
from errorbar.tables.shown import Grid, Shown, shown
from errorbar.tables.table import Table

NOTEBOOK_STYLE = (
    ".errorbar caption{text-align:left;font-weight:bold}.errorbar th,.errorbar td{text-align:left}"
    ".errorbar .number{text-align:right;font-variant-numeric:tabular-nums}.errorbar .note{opacity:.7;margin:0}"
)


def html_table(grid: Grid) -> str:
    """A table with its caption and notes; cells carry what they are sorted by, and no style of their own."""
    return "\n".join(_lines(grid))


def notebook_html(tables: Iterable[Table]) -> str:
    """Tables as a notebook shows them."""
    return "\n".join([f'<div class="errorbar"><style>{NOTEBOOK_STYLE}</style>', *map(_plain_table, tables), "</div>"])


def _plain_table(table: Table) -> str:
    return html_table(shown(table))


def _lines(grid: Grid) -> Iterator[str]:
    anchor = escape(f"table-{grid.name}")
    yield '<div class="table-block">'
    # A table that is wider than its place is scrolled, also by keyboard.
    named = f' aria-labelledby="{anchor}-title"' if grid.name else ""
    yield f'<div class="scroll" tabindex="0" role="group"{named}>'
    yield f'<table id="{anchor}">' if grid.name else "<table>"
    if grid.title:
        yield f'<caption id="{anchor}-title">{_text(grid.title)}</caption>' if grid.name else _caption(grid)
    heads = (
        f'<th scope="col"{_number(left)}>{_text(name)}</th>' for name, left in zip(grid.columns, grid.left, strict=True)
    )
    yield f"<thead><tr>{''.join(heads)}</tr></thead>"
    yield "<tbody>"
    for row in grid.rows:
        yield f"<tr>{''.join(_cells(row, grid.left))}</tr>"
    if not grid.rows:
        yield f'<tr><td colspan="{len(grid.columns)}">No rows.</td></tr>'
    yield "</tbody>"
    yield "</table>"
    yield "</div>"
    yield from (f'<p class="note">{_text(note)}</p>' for note in grid.notes)
    yield "</div>"


def _caption(grid: Grid) -> str:
    return f"<caption>{_text(grid.title)}</caption>"


def _cells(row: Iterable[Shown], left: Iterable[bool]) -> Iterator[str]:
    for at, (cell, text) in enumerate(zip(row, left, strict=True)):
        value = "" if cell.value is None else f' data-value="{float(cell.value)!r}"'
        name, scope = ("td", "") if at else ("th", ' scope="row"')
        kind = ' dir="auto"' if text else _number(text)
        yield f"<{name}{scope}{kind}{value}>{_text(cell.text)}</{name}>"


def _number(left: bool) -> str:
    return "" if left else ' class="number"'


def _text(text: str) -> str:
    return escape(visible(text))
