"""Judgments in blocks of any table, for tables too large to keep: plain CSV and Parquet fast, the rest carefully."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.formats.judgments import NEEDED, JudgmentRow, is_list, judgment_rows
from errorbar.formats.opening import Lines, Source, display_name, rereadable
from errorbar.formats.parquet_blocks import parquet_blocks
from errorbar.formats.parquet_file import is_parquet, parquet_names
from errorbar.formats.plain_judgments import Block, NotPlainError, plain_blocks

ROWS = 1 << 14
"""Rows of a block that is read carefully."""


def judgment_blocks(path: Source, problems: Problems, columns: Mapping[str, str] | None = None) -> Iterator[Block]:
    """Read a table of judgments in blocks, each row once; a missing label is the empty text.

    Repeated judgments of a rater are not looked for: that would need all of them in memory.

    Args:
        path: CSV, JSON lines (both maybe gzipped) or Parquet, or ``-``.
        problems: Where problems go; the caller raises them after the last block.
        columns: ``item``, ``rater``, ``label`` to the name that the file has for it.

    Raises:
        InputError: If the file is bad.
        UsageError: If there are weights, or ``columns`` names something else.
        MissingExtraError: If Parquet is not supported here.
    """
    first, known = rereadable(path), dict(columns or {})
    if "weight" in known:
        raise _weights(path)
    if is_parquet(first):
        if "weight" in parquet_names(first):
            raise _weights(path)
        yield from parquet_blocks(first, known)
        return
    done = 0
    if set(known) <= set(NEEDED):
        try:
            for block in plain_blocks(first, known):
                # The careful reader makes one line end of CR LF inside quotes, and says where a label is a list; the
                # joined text is searched in C.
                if "\r" in "".join(block.items) or "\r" in "".join(block.labels):
                    break
                if any(map(is_list, set(block.labels))):
                    break
                yield block
                done += len(block.items)
            else:
                return
        except NotPlainError:
            pass
    # What was plain so far is the same to the careful reader, which goes on behind it.
    rows = judgment_rows(Lines(first, problems), problems, known)
    yield from _careful(islice(rows, done, None), path)


def _careful(rows: Iterable[JudgmentRow], path: Source) -> Iterator[Block]:
    left = iter(rows)
    while some := list(islice(left, ROWS)):
        if any(row.weight is not None for row in some):
            raise _weights(path)
        yield Block([row.item for row in some], [row.rater for row in some], [row.label for row in some])


def _weights(path: Source) -> UsageError:
    what = "judgments with weights cannot be counted block by block"
    fix = "read the table whole (without --stream), or leave out the column of weights"
    return UsageError(Problem("judgments-stream", what, Place(display_name(path)), fix=fix))
