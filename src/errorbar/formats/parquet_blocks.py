"""Judgments from Parquet, column by column: the fast way in for tables too large to keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.formats.judgments import NEEDED
from errorbar.formats.opening import Source, display_name
from errorbar.formats.parquet_file import parquet_columns, parquet_names
from errorbar.formats.plain_judgments import Block

ROWS = 1 << 17
"""Rows held at a time."""


def parquet_blocks(path: Source, columns: Mapping[str, str] | None = None) -> Iterator[Block]:
    """Read a Parquet file of judgments in blocks; a missing label is the empty text.

    Args:
        path: The file.
        columns: ``item``, ``rater``, ``label`` to the name that the file has for it.

    Raises:
        InputError: If the file is not Parquet, cannot be opened, lacks a column, or a row has no item or rater.
        MissingExtraError: If pyarrow is not installed.
        UsageError: If ``columns`` names something else.
    """
    for name in columns or ():
        if name not in NEEDED:
            what = f"judgments have no column '{name}'"
            raise UsageError(Problem("judgments-column", what, fix=nearest(name, NEEDED)))
    names = [(columns or {}).get(name, name) for name in NEEDED]
    place = Place(display_name(path))
    there = parquet_names(path)
    missing = [name for name in names if name not in there]
    if missing:
        what = f"no column '{missing[0]}'; there are {', '.join(there)}"
        raise InputError(Problem("judgments-column", what, place, fix="say which column it is"))
    done = 0
    for items, raters, labels in parquet_columns(path, names, rows=ROWS, texts=True):
        if "" in items or "" in raters:
            what = f"a row from {done + 1} to {done + len(items)} has no item or rater"
            raise InputError(Problem("judgments-parquet", what, place))
        yield Block(items, raters, labels)
        done += len(items)
