"""Mutations of tables in text: columns, cells, quotes; and of Parquet."""

from __future__ import annotations

import io
import re
from importlib import import_module
from random import Random
from typing import Any

from tests.fuzz.plain import TextMutator, drop_line, duplicate_line, gentle_word, pick, splice, swap_lines
from tests.fuzz.raw import ByteMutator, flip, insert, truncate
from tests.fuzz.values import NUMBERS, WORDS

_CELL = re.compile(r"(?<=[,\t;\n])[^,\t;\n]*")


def odd_cell(rng: Random, text: str) -> str:
    return splice(text, pick(rng, _CELL, text), rng.choice(NUMBERS + WORDS))


def empty_cell(rng: Random, text: str) -> str:
    return splice(text, pick(rng, _CELL, text), "")


def quoted_cell(rng: Random, text: str) -> str:
    match = pick(rng, _CELL, text)
    inner = rng.choice(("a,b", 'say ""no""', "two\nlines", "x", 'un"even', "\x1b]0;t\x07"))
    return splice(text, match, f'"{inner}"')


def more_cells(rng: Random, text: str) -> str:
    match = pick(rng, _CELL, text)
    return splice(text, match, f"{match[0]},x" if match else "")


def swap_columns(rng: Random, text: str) -> str:
    return _on_columns(text, lambda cells, order: [cells[at] for at in order], rng, shuffle=True)


def drop_column(rng: Random, text: str) -> str:
    return _on_columns(text, lambda cells, order: cells[: order[0]] + cells[order[0] + 1 :], rng)


def duplicate_column(rng: Random, text: str) -> str:
    return _on_columns(text, lambda cells, order: [*cells, cells[order[0]]], rng)


def further_column(rng: Random, text: str) -> str:
    name = rng.choice(("note", "weight", "seconds", "score", "text", "sentence", "judge", "", "metric"))
    value = rng.choice(("1", "0.5", "x", "", "1e400"))
    head, _, rest = text.partition("\n")
    delimiter = max(",\t;", key=head.count)
    lines = [f"{line}{delimiter}{value}" for line in rest.split("\n") if line]
    return "\n".join([f"{head}{delimiter}{name}", *lines, ""])


def numbers_as_cells(rng: Random, text: str) -> str:
    """Every cell of a kind becomes its own: as many labels, raters or systems as rows."""
    lines = text.split("\n")
    delimiter = max(",\t;", key=lines[0].count)
    column = rng.randrange(lines[0].count(delimiter) + 1)
    grown = [lines[0]]
    body = [line for line in lines[1:] if line] or ["x"]
    for number in range(min(2000, 60_000 // (max(map(len, body)) + 6))):
        cells = body[number % len(body)].split(delimiter)
        if column < len(cells):
            cells[column] = f"v{number}"
        grown.append(delimiter.join(cells))
    return "\n".join([*grown, ""])


def _on_columns(text: str, change: Any, rng: Random, *, shuffle: bool = False) -> str:  # noqa: ANN401
    lines = text.split("\n")
    delimiter = max(",\t;", key=lines[0].count)
    order = list(range(lines[0].count(delimiter) + 1))
    if shuffle:
        rng.shuffle(order)
    else:
        order = [rng.choice(order)]
    cut = [line.split(delimiter) for line in lines]
    return "\n".join(
        delimiter.join(change(cells, order)) if len(cells) > max(order) else line
        for cells, line in zip(cut, lines, strict=True)
    )


def parquet_columns(rng: Random, data: bytes) -> bytes:
    """A Parquet file with other columns, types or values."""
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        table = parquet.read_table(io.BytesIO(data))
        names, columns = list(table.column_names), [column.to_pylist() for column in table.columns]
    except (OSError, ValueError, pyarrow.ArrowException):  # mutated before
        return data
    if not columns or not columns[0]:
        return data
    at = rng.randrange(len(columns))
    column, kind = columns[at], rng.randrange(8)
    n = len(column)
    if kind == 0:
        columns[at] = [rng.choice(("", "x", "\x1b[2J", "a\nb", None, "ok", "error")) for _ in range(n)]
    elif kind == 1:
        columns[at] = [rng.choice((b"\xff\xfe", b"ok", b"error")) for _ in range(n)]
    elif kind == 2:
        columns[at] = [rng.choice(([1], [], None)) for _ in range(n)]
    elif kind == 3:
        columns[at] = [rng.choice((1, 0, 2**40, None, -1)) for _ in range(n)]
    elif kind == 4:
        columns[at] = [rng.choice((0.5, float("nan"), 1e300, None, -0.0)) for _ in range(n)]
    elif kind == 5:
        names[at] = rng.choice(("x", "", "weight", "\n", names[0]))
    elif kind == 6:
        names, columns = [*names, "note"], [*columns, [rng.choice((True, False)) for _ in range(n)]]
    else:
        times = rng.randint(2, 40)
        columns = [column * times for column in columns]
    made = io.BytesIO()
    arrays = [pyarrow.array(column) for column in columns]
    if kind == 1 and rng.random() < 0.5:  # bytes that call themselves text
        arrays[at] = pyarrow.Array.from_buffers(pyarrow.string(), n, arrays[at].buffers())
    wanted = rng.choice(("snappy", "gzip", "none"))
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=names), made, compression=wanted)
    return made.getvalue()


GENTLE: tuple[TextMutator, ...] = (gentle_word, swap_lines, swap_columns, drop_line, further_column)
WILD: tuple[TextMutator, ...] = (
    *(odd_cell, odd_cell, odd_cell, empty_cell, quoted_cell, more_cells, drop_column, duplicate_column, duplicate_line),
    *GENTLE,
)
LARGE: tuple[TextMutator, ...] = (numbers_as_cells,) * 4
PARQUET: tuple[ByteMutator, ...] = (*[parquet_columns] * 5, flip, insert, truncate)
