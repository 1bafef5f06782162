"""Features as rows of a table: names hashed by crc32, combinations of names by one multiplication each.

Formula
    A name's code is the crc32 of its UTF-8. A feature is a template (a number) and some codes: h starts as the
    template's state and takes each code v in turn by h = (h xor v) * 0x9E3779B1 mod 2^32, h = h xor (h >> 15).
    Its row in a table of 2^bits rows is the top ``bits`` bits of h * 0x85EBCA6B mod 2^32.
Conventions
    The same on every machine and in every Python, which ``hash()`` is not. Two features may share a row.
Source
    Weinberger et al. (2009) for hashed features; the multiplications are Knuth's (1973, section 6.4).
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

HASH = "crc32-multiply-1"  # what model files name; another function is another name
FIRST, STEP, LAST, SHIFT, MASK = 0x811C9DC5, 0x9E3779B1, 0x85EBCA6B, 15, 0xFFFFFFFF
Codes = NDArray[np.uint32]
Rows = NDArray[np.int32]


def code(name: str) -> int:
    """The code of a name, also of one that is not valid Unicode."""
    return crc32(name.encode("utf-8", "surrogatepass"))


def state(template: int) -> int:
    """Where the features of a template start."""
    return step_one(FIRST, template)


def step_one(h: int, value: int) -> int:
    """One state after one more code."""
    h = (h ^ value) * STEP & MASK
    return h ^ h >> SHIFT


def row_of(h: int, bits: int) -> int:
    """The row of one state."""
    return (h * LAST & MASK) >> 32 - bits


def step(h: Codes, values: Codes) -> Codes:
    """Many states after one more code each."""
    h = (h ^ values) * np.uint32(STEP)
    return h ^ h >> np.uint32(SHIFT)


def rows_of(h: Codes, bits: int) -> Rows:
    """The rows of many states."""
    return (h * np.uint32(LAST) >> np.uint32(32 - bits)).astype(np.int32)


def states(template: int, *values: Codes) -> Codes:
    """The states of a template's features: one for each place in the arrays of codes."""
    h = np.full(values[0].shape, state(template), np.uint32)
    for each in values:
        h = step(h, each)
    return h
