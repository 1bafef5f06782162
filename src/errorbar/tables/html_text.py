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


def notebook_html(tables: Iterable[Table]) -> str:
    """Tables as a notebook shows them."""
    shown_tables = (html_table(shown(table)) for table in tables)
    return "\n".join([f'<div class="errorbar"><style>{NOTEBOOK_STYLE}</style>', *shown_tables, "</div>"])


def html_table(grid: Grid) -> str:
    """A table with its caption and notes; cells carry what they are sorted by, and no style of their own."""
    anchor, title = (f"table-{escape(grid.name)}", f"table-{escape(grid.name)}-title") if grid.name else ("", "")
    # A table that is wider than its place is scrolled, also by keyboard.
    labelled = _set("aria-labelledby", title)
    lines = ['<div class="table-block">', f'<div class="scroll" tabindex="0" role="group"{labelled}>']
    lines.append(f"<table{_set('id', anchor)}>")
    if grid.title:
        lines.append(f"<caption{_set('id', title)}>{_text(grid.title)}</caption>")
    columns = zip(grid.columns, grid.left, strict=True)
    heads = (f'<th scope="col"{_kind(left)}>{_text(name)}</th>' for name, left in columns)
    lines += [f"<thead><tr>{''.join(heads)}</tr></thead>", "<tbody>"]
    lines += [f"<tr>{''.join(_cells(row, grid.left))}</tr>" for row in grid.rows]
    if not grid.rows:
        lines.append(f'<tr><td colspan="{len(grid.columns)}">No rows.</td></tr>')
    notes = (f'<p class="note">{_text(note)}</p>' for note in grid.notes)
    return "\n".join([*lines, "</tbody>", "</table>", "</div>", *notes, "</div>"])


def _cells(row: Iterable[Shown], left: Iterable[bool]) -> Iterator[str]:
    for at, (cell, text) in enumerate(zip(row, left, strict=True)):
        value = "" if cell.value is None else f' data-value="{float(cell.value)!r}"'
        name, scope = ("td", "") if at else ("th", ' scope="row"')
        kind = ' dir="auto"' if text else _kind(text)
        yield f"<{name}{scope}{kind}{value}>{_text(cell.text)}</{name}>"


def _kind(left: bool) -> str:
    return "" if left else ' class="number"'


def _set(attribute: str, value: str) -> str:
    return f' {attribute}="{value}"' if value else ""


def _text(text: str) -> str:
    return escape(visible(text))
