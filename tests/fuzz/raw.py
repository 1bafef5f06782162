"""Mutations of bytes, and packing."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from random import Random

ByteMutator = Callable[[Random, bytes], bytes]
MOST_SWOLLEN = 2_000_000
"""Bytes that a packed input unpacks to at most: all of it is to be read within a second."""


def flip(rng: Random, data: bytes) -> bytes:
    at = rng.randrange(len(data)) if data else 0
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :] if data else data


def truncate(rng: Random, data: bytes) -> bytes:
    return data[: rng.randint(0, len(data))]


def insert(rng: Random, data: bytes) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.randbytes(rng.choice((1, 1, 2, 4, 50))) + data[at:]


def nul(rng: Random, data: bytes) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + b"\0" + data[at:]


def crlf(_: Random, data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def old_mac(_: Random, data: bytes) -> bytes:
    return data.replace(b"\n", b"\r")


def bom(_: Random, data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


def utf16(rng: Random, data: bytes) -> bytes:
    return data.decode(errors="replace").encode(rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32")))


def latin1(_: Random, data: bytes) -> bytes:
    return data.decode(errors="replace").encode("latin-1", "replace")


def empty(_: Random, data: bytes) -> bytes:
    return data[:0]


def no_last_line_feed(_: Random, data: bytes) -> bytes:
    return data.rstrip(b"\n")


def packed(rng: Random, data: bytes) -> bytes:
    """Gzipped; sometimes in two members."""
    at = rng.randint(0, len(data)) if rng.random() < 0.3 else 0
    return b"".join(gzip.compress(part, 1, mtime=0) for part in (data[:at], data[at:]) if part or not at)


def damaged(rng: Random, data: bytes) -> bytes:
    """Gzipped, then flipped, cut or with something after its end."""
    whole = packed(rng, data)
    change = rng.choice((flip, flip, truncate, truncate, insert))
    return change(rng, whole) if rng.random() < 0.9 else whole + rng.randbytes(20)


def swollen(rng: Random, data: bytes) -> bytes:
    """Gzipped, small, and much larger unpacked: what follows some line comes many times."""
    lines = data.splitlines(keepends=True) or [b"x"]
    at = rng.randrange(len(lines))
    body = b"".join(lines[at : at + rng.choice((1, 5, len(lines)))])
    times = max(1, (MOST_SWOLLEN - len(data)) // len(body)) if body else 1
    return gzip.compress(b"".join([*lines[:at], body * times, *lines[at:]])[:MOST_SWOLLEN], 6, mtime=0)


GENTLE: tuple[ByteMutator, ...] = (crlf, bom, no_last_line_feed)
WILD: tuple[ByteMutator, ...] = (flip, flip, truncate, insert, nul, crlf, old_mac, bom, utf16, latin1, empty)
