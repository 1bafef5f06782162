"""Model files: arrays as ``.npz``, beside them a JSON header that says what they are and what they were made of.

No file holds code. Every array is checked by its hash when it is read, and no more is unpacked than ``MOST_UNPACKED``
and ``MOST_RATIO`` allow: whoever is sent a model file need not trust it.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.problems import InputError, Place, Problem
from errorbar.detectors.learning import Weights
from errorbar.formats.look import note_input
from errorbar.formats.saving import save_bytes
from errorbar.formats.untrusted import NotJsonError, parse_json

try:
    from lzma import LZMAError

    _UNPACKING: tuple[type[Exception], ...] = (zlib.error, LZMAError)
except ImportError:  # a Python that was built without it reads the other models
    _UNPACKING = (zlib.error,)


FORMAT, VERSION = "errorbar-model", 1
_HEADER = "header"
_LOCAL, _LZMA = 30, 9  # bytes before the name of a member of an archive, and before what LZMA packed
TRAIN = "train it again: errorbar train"
MOST_UNPACKED, MOST_RATIO = 1 << 24, 100
"""A file may unpack to so many bytes, and to so many times its own size more; those that ``train`` writes do to 7."""
MOST_HEADER, MOST_ARRAYS = 1 << 20, 1000  # bytes; those that ``train`` writes have 2,473
_NPY = b"\x93NUMPY\x01\x00"
_ARRAY = re.compile(
    rb"\{'descr': '([<|][biufU][0-9]{1,4})', 'fortran_order': False, "
    rb"'shape': \(([0-9]{1,12}), ?([0-9]{1,12})?\), \} *\n"
)
_WHOLE = frozenset({"bits", "epochs", "errors", "examples", "order", "scores", "seed", "sentences", "tokens"})
_TEXTS = frozenset({"sha256", "license", "provenance", "features", "hash", "tagger"})
_NUMBERS = frozenset({"constant", "threshold"})
"""Members of a header whose values are whole numbers, texts and numbers wherever they stand."""
# NotImplementedError is a RuntimeError: a way to pack that this Python does not know.
_DAMAGE: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    *_UNPACKING,
    KeyError,
    ValueError,
    EOFError,
    RuntimeError,
    NotJsonError,
)
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Model:
    """The content of a model file.

    Attributes:
        kind: The kind of model, e.g. ``ngrams``.
        made: How it was made: parameters, sizes, seed; values that JSON holds.
        text: The text it was made of: ``sha256`` of the training text, ``tokens``, ``license``, ``provenance``.
        arrays: The weights or counts by name; none holds objects.
        hashes: The hash of each array that was read from a file; others are computed when needed.
    """

    kind: str
    made: Mapping[str, Any]
    text: Mapping[str, Any]
    arrays: Mapping[str, Array] = field(repr=False)
    hashes: Mapping[str, str] = field(default_factory=dict, repr=False)


def save_model(model: Model, path: str | Path, *, packed: bool = False) -> None:
    """Write a model, whole or not at all; the same model gives the same bytes.

    Args:
        model: The model.
        path: The file.
        packed: Take ten times as long for two thirds of the size.

    Raises:
        InputError: If the file cannot be written.
    """
    arrays = {name: np.ascontiguousarray(array) for name, array in model.arrays.items()}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "kind": model.kind,
        "made": dict(model.made),
        "text": dict(model.text),
        "arrays": {name: _hash(array) for name, array in arrays.items()},
    }
    header_text = json.dumps(header, ensure_ascii=False, indent=1, sort_keys=True).encode()
    buffer = io.BytesIO()
    way = zipfile.ZIP_LZMA if packed else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(buffer, "w", way, compresslevel=6) as archive:
        for name, content in (
            (f"{_HEADER}.json", header_text),
            *((f"{name}.npy", _bytes(a)) for name, a in arrays.items()),
        ):
            archive.writestr(zipfile.ZipInfo(name), content, way)  # of 1980: no clock in the file
    save_bytes(buffer.getvalue(), str(path))


def load_model(path: str | Path, kind: str) -> Model:
    """Read a model of a kind.

    Raises:
        InputError: If there is no such file, it is no model or damaged, of another kind or another version.
    """
    place = Place(str(path))
    note_input(path)
    try:
        with zipfile.ZipFile(path) as archive:
            header = _header(_content(archive, f"{_HEADER}.json", MOST_HEADER))
            if header["version"] != VERSION:
                message = f"a model of version {header['version']}"
                raise InputError(Problem("model-version", message, place, f"version {VERSION}", TRAIN))
            if header["kind"] != kind:
                raise InputError(Problem("model-kind", f"a model of kind '{header['kind']}'", place, f"kind '{kind}'"))
            arrays: dict[str, Array] = {}
            room = MOST_UNPACKED + MOST_RATIO * Path(path).stat().st_size
            for name in header["arrays"]:
                content = _content(archive, f"{name}.npy", room)
                arrays[name], room = _array(content), room - len(content)
    except FileNotFoundError:
        fix = f"train it: errorbar train --part={kind}"
        raise InputError(Problem("no-such-file", "no such model", place, fix=fix)) from None
    except OSError as error:
        raise InputError(Problem("cannot-open", f"cannot be read: {error.strerror or error}", place)) from None
    except _DAMAGE as error:
        message = f"no model that errorbar can read: {' '.join(str(error).split())[:200]}"
        raise InputError(Problem("model-damaged", message, place, fix=TRAIN)) from None
    wrong = [name for name, array in arrays.items() if _hash(array) != header["arrays"][name]]
    if wrong:
        message = f"damaged: {', '.join(wrong)} is not what was written"
        raise InputError(Problem("model-damaged", message, place, fix=TRAIN))
    return Model(kind, header["made"], header["text"], arrays, header["arrays"])


def _header(content: bytes) -> dict[str, Any]:
    """The header of a file; a ``ValueError`` if one of its members is missing or of another type."""
    header = parse_json(content.decode())
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("its header is another program's")
    types: dict[str, type] = {"version": int, "kind": str, "made": dict, "text": dict, "arrays": dict}
    wrong = [name for name, type_ in types.items() if not isinstance(header.get(name), type_)]
    for part in (header["made"], header["text"]) if not wrong else ():
        for name, value in part.items():
            whole = type(value) is int and -(1 << 63) <= value < 1 << 63
            number = whole or (isinstance(value, float) and math.isfinite(value))
            fits = (whole or name not in _WHOLE) and (number or name not in _NUMBERS)
            wrong += [] if fits and (isinstance(value, str) or name not in _TEXTS) else [name]
    if wrong:
        raise ValueError(f"its header has no {wrong[0]} that fits")
    if len(header["arrays"]) > MOST_ARRAYS:
        raise ValueError(f"it has {len(header['arrays']):,} arrays")
    return header


def fingerprint(model: Model) -> str:
    """A hash of everything a model computes with: one model that needs another names it by this."""
    hashes = model.hashes or {name: _hash(array) for name, array in model.arrays.items()}
    parts = {"kind": model.kind, "made": dict(model.made), **hashes}
    return sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _bytes(array: Array) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _content(archive: zipfile.ZipFile, name: str, room: int) -> bytes:
    """The content of a member of an archive; a ``ValueError`` if that is more than there is room for.

    It is unpacked at once, and without its checksum, since the hash of each array is checked anyway.
    """
    member = archive.getinfo(name)
    file = archive.fp
    if file is None:
        raise zipfile.BadZipFile("the file was closed")
    file.seek(member.header_offset)
    start = file.read(_LOCAL)
    if start[:4] != b"PK\3\4":
        raise zipfile.BadZipFile(f"no member {name}")
    file.seek(int.from_bytes(start[26:28], "little") + int.from_bytes(start[28:30], "little"), io.SEEK_CUR)
    packed = file.read(member.compress_size)
    if member.compress_type == zipfile.ZIP_DEFLATED:
        content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, room + 1)
    elif member.compress_type == zipfile.ZIP_LZMA:
        content = _unpack_lzma(packed, room + 1)
    elif member.compress_type == zipfile.ZIP_STORED:
        content = packed
    else:
        raise ValueError("it is packed in a way that errorbar does not use")
    if len(content) > room:
        raise ValueError(f"it unpacks to more than {MOST_UNPACKED:,} bytes and {MOST_RATIO} times its own size")
    return content


def _unpack_lzma(packed: bytes, most: int) -> bytes:
    """The first bytes of what LZMA packed, as zip files have it: a version, the size of the properties, these."""
    import lzma  # noqa: PLC0415 - a Python that was built without it reads the other models

    if len(packed) < _LZMA or packed[2:4] != b"\5\0":
        raise ValueError("it is cut off")
    ways, window = packed[4], int.from_bytes(packed[5:_LZMA], "little")
    if ways >= 225 or window > MOST_UNPACKED:  # 9 * 5 * 5 combinations of three parameters
        raise ValueError("it is packed in a way that errorbar does not use")
    parameters = {"lc": ways % 9, "lp": ways // 9 % 5, "pb": ways // 45, "dict_size": max(window, 4096)}
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, **parameters}])
    return unpacker.decompress(packed[_LZMA:], most)


def _array(content: bytes) -> Array:
    """The array of an ``.npy`` file: a view of what was read, since the largest fill a hundred megabytes.

    Only what ``save_model`` writes is read: numbers or texts in one or two dimensions.
    """
    start = len(_NPY) + 2
    end = start + int.from_bytes(content[len(_NPY) : start], "little")
    match = _ARRAY.fullmatch(content[start:end])
    if not content.startswith(_NPY) or not match:
        raise ValueError("an array that errorbar does not write")
    dtype, shape = np.dtype(match[1].decode()), tuple(int(size) for size in match.groups()[1:] if size is not None)
    if not dtype.isnative or not dtype.itemsize or len(content) - end != dtype.itemsize * math.prod(shape):
        raise ValueError("an array of another size than its own header says")
    return np.frombuffer(content, dtype, math.prod(shape), end).reshape(shape)


def _hash(array: Array) -> str:
    digest = sha256(f"{array.dtype.str} {array.shape} ".encode())
    if array.size:
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


_UNFIT = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)


@contextmanager
def fitting(path: str) -> Iterator[None]:
    """Refuse a model whose header and arrays do not fit what is done with them."""
    try:
        yield
    except InputError:
        raise
    except _UNFIT:
        message = "its header and its arrays do not fit each other"
        raise InputError(Problem("model-features", message, Place(path), fix=TRAIN)) from None


def check_made(model: Model, path: str, expected: Mapping[str, str]) -> None:
    """Refuse a model that was made by other definitions, e.g. of other ``features`` or with another ``hash``."""
    for key, name in expected.items():
        if model.made.get(key) != name:
            message = f"a model of {key} '{model.made.get(key)}'"
            raise InputError(Problem("model-features", message, Place(path), f"{key} '{name}'", TRAIN))


def check_tagger(model: Model, path: str, tagger: str) -> None:
    """Refuse a model that was made with another tagger than the one with this fingerprint."""
    if model.made.get("tagger") != tagger:
        fix = "load the tagger it was trained with, or train it again"
        raise InputError(Problem("model-tagger", "it was made with another tagger", Place(path), fix=fix))


def stored_weights(model: Model, n_classes: int) -> Weights:
    """The weights of a model file; a ``ValueError`` if they fit no table of its bits and classes."""
    rows, classes, values = (model.arrays[name] for name in ("rows", "classes", "values"))
    if not (rows.dtype == np.int32 and classes.dtype == np.int8 and values.dtype.kind == "f"):
        raise ValueError("columns of other types")
    return Weights(model.made["bits"], n_classes, rows, classes, values)
