"""Judgments of plain CSV, block by block and several times as fast as the careful reader.

Plain is what is nearly always there: columns item, rater and label and no other, every field filled. Whatever is not
plain is left to ``errorbar.formats.judgments``, which knows what is wrong and says so.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from os import fspath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.judgments import DELIMITERS, NEEDED, Repeats, is_list, read_judgments
from errorbar.formats.opening import Source, open_bytes, rereadable
from errorbar.formats.parquet_file import is_parquet

BLOCK = 1 << 10
"""Rows taken at a time: few, so that they stay in the cache and out of the garbage collector's old generations."""


class NotPlainError(Exception):
    """The file needs the careful reader; never shown to a user."""


class Block(NamedTuple):
    """Some rows, column by column."""

    items: Sequence[str]
    raters: Sequence[str]
    labels: Sequence[str]


def plain_blocks(path: Source, columns: Mapping[str, str] | None = None) -> Iterator[Block]:
    """Read plain CSV.

    Args:
        path: The file.
        columns: ``item``, ``rater``, ``label`` to the name that the file has for it.

    Raises:
        NotPlainError: At the first sign of anything else, maybe after some blocks.
        InputError: If the file cannot be opened.
    """
    if fspath(path).endswith(".jsonl") or is_parquet(path):
        raise NotPlainError
    names = [(columns or {}).get(name, name) for name in NEEDED]
    with open_bytes(path) as stream:
        try:
            # Lines end at LF alone, as everywhere in errorbar.
            text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")
            first = text.readline()
            delimiter = max(DELIMITERS, key=first.count)
            header = [field.strip().strip('"') for field in first.split(delimiter)]
            if sorted(header) != sorted(names):
                raise NotPlainError
            order = [header.index(name) for name in names]
            reader = csv.reader(text, delimiter=delimiter, strict=True)
            while rows := list(islice(reader, BLOCK)):
                if set(map(len, rows)) != {len(NEEDED)}:
                    raise NotPlainError
                across = list(zip(*rows, strict=True))
                block = Block(*(across[at] for at in order))
                if any("" in column for column in block):
                    raise NotPlainError
                yield block
        except (csv.Error, UnicodeDecodeError, OSError, EOFError):
            raise NotPlainError from None


def read_judgments_fast(
    path: Source,
    problems: Problems | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] = (),
    repeats: Repeats = "refuse",
    used: Sequence[str] = (),
) -> Judgments:
    """As ``read_judgments``, with the same result and the same errors; plain CSV is read faster.

    Raises:
        InputError: As ``read_judgments`` does.
        UsageError: As ``read_judgments`` does.
        MissingExtraError: As ``read_judgments`` does.
    """
    path = rereadable(path)
    try:
        judgments = _read_plain(path, columns, labels)
    except NotPlainError:
        return read_judgments(path, problems, columns=columns, labels=labels, repeats=repeats, used=used)
    if repeats == "refuse" and judgments.n_repeated():
        return read_judgments(path, problems, columns=columns, labels=labels, repeats=repeats, used=used)
    return judgments


class _Codes(dict[str, int]):
    """Text to number, growing as texts are looked up; a hit never leaves C."""

    def __missing__(self, text: str) -> int:
        self[text] = code = len(self)
        return code


def _read_plain(path: Source, columns: Mapping[str, str] | None, labels: Sequence[str]) -> Judgments:
    if columns and not set(columns) <= set(NEEDED):
        raise NotPlainError
    names = (_Codes(), _Codes(), _Codes((label, code) for code, label in enumerate(labels)))
    codes: tuple[list[NDArray[np.int32]], ...] = ([], [], [])
    for block in plain_blocks(path, columns):
        for values, known, column in zip(block, names, codes, strict=True):
            column.append(np.fromiter(map(known.__getitem__, values), np.int32, len(values)))
    # The careful reader makes one line end of CR LF also inside quotes, and says where a label is a list.
    if not codes[0] or any("\r" in name for known in names for name in known) or any(map(is_list, names[2])):
        raise NotPlainError
    item, rater, label = (np.concatenate(column) for column in codes)
    return Judgments(item, rater, label, tuple(names[0]), tuple(names[1]), tuple(names[2]))
