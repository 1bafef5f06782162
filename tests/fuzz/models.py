"""Mutations of model files, whose hashes are recomputed so that what they hold is looked at, and of SQLite files."""

from __future__ import annotations

import io
import json
import lzma
import sqlite3
import zipfile
import zlib
from collections.abc import Callable
from hashlib import sha256
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.fuzz.jsonish import GENTLE as JSON_GENTLE
from tests.fuzz.jsonish import WILD as JSON_WILD
from tests.fuzz.raw import ByteMutator, flip, insert, truncate
from tests.fuzz.values import NUMBERS, WORDS

_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "float16", "float64", "U3", "bool", ">i4", "S2", "M8[s]", "c8")
_BITS = (0, 1, 2, 9, 21, 22, 23, 31, 32, 40, 64, -1, 2.5, "21", None, True, 10**30)
_OfText = Callable[[str], str]
_OfArray = Callable[[NDArray[Any]], NDArray[Any]]
_MUTATED_BEFORE = (
    *(LookupError, TypeError, ValueError, AttributeError, RuntimeError, EOFError, OSError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
)


def odd_header(rng: Random, data: bytes) -> bytes:
    """A header with other values, of other types or nested, in a file whose hashes are right."""
    return _made_anew(data, header=lambda text: rng.choice(JSON_WILD)(rng, text))


def gentle_header(rng: Random, data: bytes) -> bytes:
    return _made_anew(data, header=lambda text: rng.choice(JSON_GENTLE)(rng, text) if rng.random() < 0.3 else text)


def other_sizes(rng: Random, data: bytes) -> bytes:
    """Other numbers of bits, tags, orders: what kernels and tables are measured by."""

    def change(text: str) -> str:
        header = json.loads(text)
        made = header["made"]
        key = rng.choice([key for key in made if key in ("bits", "tags", "order", "scores", "counts")] or ["bits"])
        if key == "tags" and rng.random() < 0.7:
            made[key] = [f"T{number}" for number in range(rng.choice((0, 1, 127, 128, 200, 5_000)))]
        else:
            made[key] = rng.choice(_BITS)
        return json.dumps(header)

    return _made_anew(data, header=change)


def odd_array(rng: Random, data: bytes) -> bytes:
    """An array of another type or shape, or with other values, whose hash is right."""
    return _made_anew(data, rng=rng, array=lambda array: _changed(rng, array))


def gentle_array(rng: Random, data: bytes) -> bytes:
    """A few numbers of an array change places."""

    def change(array: NDArray[Any]) -> NDArray[Any]:
        if array.size < 2 or array.dtype.kind == "U":
            return array
        made = array.copy()
        flat = made.reshape(-1)
        first, second = rng.randrange(len(flat)), rng.randrange(len(flat))
        flat[[first, second]] = flat[[second, first]]
        return made

    return _made_anew(data, rng=rng, array=change)


def other_packing(rng: Random, data: bytes) -> bytes:
    """The same content, packed in another way, or much more of it: a small file that would be a large one."""
    way = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2))
    times = rng.choice((1, 1, 1, 50))
    return _made_anew(data, rng=rng, array=lambda array: np.tile(array, times), way=way)


def _changed(rng: Random, array: NDArray[Any]) -> NDArray[Any]:
    ways: tuple[_OfArray, ...] = (
        lambda array: array.astype(rng.choice(_DTYPES)),
        lambda array: array.reshape(rng.choice(((1, -1), (-1, 1), (-1,), (1, 1, -1)))),
        lambda array: array[: rng.randrange(len(array) + 1)],
        lambda array: np.concatenate([array, array]),
        lambda array: array[::-1],
        *[lambda array: _with_odd_value(rng, array)] * 2,
    )
    with np.errstate(all="ignore"):
        return rng.choice(ways)(array)


def _with_odd_value(rng: Random, array: NDArray[Any]) -> NDArray[Any]:
    made = array.copy()
    flat = made.reshape(-1)
    if not flat.size:
        return made
    at = rng.randrange(len(flat))
    if made.dtype.kind == "U":
        flat[at] = rng.choice(WORDS)
    elif made.dtype.kind == "f":
        flat[at] = rng.choice((np.nan, np.inf, -np.inf, 1e300, -0.0))
    elif made.dtype.kind in "iu":
        info = np.iinfo(made.dtype)
        flat[at] = rng.choice((info.min, info.max, 0, info.max // 2))
    return made


def _made_anew(
    data: bytes,
    *,
    header: _OfText | None = None,
    array: _OfArray | None = None,
    rng: Random | None = None,
    way: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    """A model file with another header or array, and the hashes that fit it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        said = json.loads(parts["header.json"])
        names = sorted(said["arrays"])
        if array is not None and rng is not None and names:
            name = rng.choice(names)
            old = np.lib.format.read_array(io.BytesIO(parts[f"{name}.npy"]), allow_pickle=False)
            new = np.ascontiguousarray(array(old))
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, new, allow_pickle=False)
            parts[f"{name}.npy"] = buffer.getvalue()
            said["arrays"][name] = _hash(new)
            parts["header.json"] = json.dumps(said).encode()
        if header is not None:
            parts["header.json"] = header(parts["header.json"].decode()).encode("utf-8", "surrogatepass")
    except _MUTATED_BEFORE:
        return flip(rng or Random(0), data)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", way) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, way)
    return out.getvalue()


def _hash(array: NDArray[Any]) -> str:
    """As ``model_file`` hashes an array."""
    found = sha256(f"{array.dtype.str} {array.shape} ".encode())
    if array.size:
        found.update(array.reshape(-1).view(np.uint8).data)
    return found.hexdigest()


def odd_entry(rng: Random, data: bytes) -> bytes:
    """An entry of a cache with another array, whose checksum is right."""
    try:
        with np.load(io.BytesIO(data[32:]), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        name = rng.choice(sorted(arrays))
        arrays[name] = _changed(rng, arrays[name])
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
    except _MUTATED_BEFORE:
        return flip(rng, data)
    return sha256(buffer.getvalue()).digest() + buffer.getvalue()


def odd_row(rng: Random, data: bytes) -> bytes:
    """A SQLite file with another value somewhere, a row left out, or one twice."""
    with sqlite3.connect(":memory:") as store:
        try:
            store.deserialize(data)
            tables = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            table = rng.choice(tables)
            columns = [row[1] for row in store.execute(f'PRAGMA table_info("{table}")')]
            rows = [row[0] for row in store.execute(f'SELECT rowid FROM "{table}"')]
            if rows and rng.random() < 0.2:
                store.execute(f'DELETE FROM "{table}" WHERE rowid = ?', [rng.choice(rows)])
            elif rows:
                value = rng.choice((*NUMBERS[:12], *WORDS, None, 2**62, -1, b"\xff\xfe", 0.5))
                value = value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
                change = f'UPDATE "{table}" SET "{rng.choice(columns)}" = ? WHERE rowid = ?'
                store.execute(change, [value, rng.choice(rows)])
            store.commit()
            return store.serialize()
        except (sqlite3.Error, IndexError):
            return flip(rng, data)


def same(_: Random, data: bytes) -> bytes:
    return data


GENTLE: tuple[ByteMutator, ...] = (gentle_header, gentle_array, gentle_array, same)
WILD: tuple[ByteMutator, ...] = (
    *(odd_header, odd_header, other_sizes, other_sizes, odd_array, odd_array, odd_array, other_packing),
    *(flip, truncate, insert),
)
STORE_GENTLE: tuple[ByteMutator, ...] = (same, odd_row)
STORE_WILD: tuple[ByteMutator, ...] = (odd_row, odd_row, odd_row, flip, insert, truncate)
CACHE_GENTLE: tuple[ByteMutator, ...] = (same, same, flip)
CACHE_WILD: tuple[ByteMutator, ...] = (odd_entry, odd_entry, odd_entry, flip, insert, truncate)
