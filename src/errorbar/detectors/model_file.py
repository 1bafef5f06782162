"""Model files: arrays as ``.npz``, beside them a JSON header that says what they are and what they were made of.

No file holds code. Every array is checked by its hash when it is read.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

try:
    from lzma import LZMAError
except ImportError:  # a Python that was built without it reads the other models
    LZMAError = zlib.error  # type: ignore[assignment,misc]

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem
from errorbar.formats.saving import save_bytes

FORMAT, VERSION = "errorbar-model", 1
_HEADER = "header"
_LOCAL = 30  # bytes before the name of a member of an archive
_MOST = 1100  # how many times as large a deflated array can be
TRAIN = "train it again: errorbar train"
# RuntimeError: a way to pack that this Python does not know.
_DAMAGE = (zipfile.BadZipFile, zlib.error, LZMAError, KeyError, ValueError, EOFError, RuntimeError, AttributeError)
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Model:
    """What a model file holds.

    Attributes:
        kind: What it is, e.g. ``ngrams``.
        made: How it was made: parameters, sizes, seed; values that JSON holds.
        text: What it was made of: ``sha256`` of the training text, ``tokens``, ``license``, ``provenance``.
        arrays: The weights or counts by name; none holds objects.
        hashes: Of each array that was read from a file, as it was checked; of others they are found when needed.
    """

    kind: str
    made: Mapping[str, Any]
    text: Mapping[str, Any]
    arrays: Mapping[str, Array] = field(repr=False)
    hashes: Mapping[str, str] = field(default_factory=dict, repr=False)


def save_model(model: Model, path: str | Path, *, packed: bool = False) -> None:
    """Write a model, whole or not at all; the same model gives the same bytes.

    Args:
        model: What to write.
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
    said = json.dumps(header, ensure_ascii=False, indent=1, sort_keys=True).encode()
    buffer = io.BytesIO()
    way = zipfile.ZIP_LZMA if packed else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(buffer, "w", way, compresslevel=6) as archive:
        for name, content in ((f"{_HEADER}.json", said), *((f"{name}.npy", _bytes(a)) for name, a in arrays.items())):
            archive.writestr(zipfile.ZipInfo(name), content, way)  # of 1980: no clock in the file
    save_bytes(buffer.getvalue(), str(path))


def load_model(path: str | Path, kind: str) -> Model:
    """Read a model of a kind.

    Raises:
        InputError: If there is no such file, it is no model or damaged, of another kind or another version.
    """
    place = Place(str(path))
    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read(f"{_HEADER}.json"))
            if header.get("format") != FORMAT:
                raise ValueError("its header is another program's")
            if header["version"] != VERSION:
                what = f"a model of version {header['version']}"
                raise InputError(Problem("model-version", what, place, f"version {VERSION}", TRAIN))
            if header["kind"] != kind:
                raise InputError(Problem("model-kind", f"a model of kind '{header['kind']}'", place, f"kind '{kind}'"))
            arrays = {name: _array(_content(archive, f"{name}.npy")) for name in header["arrays"]}
    except FileNotFoundError:
        raise InputError(Problem("no-such-file", "no such model", place, fix=TRAIN)) from None
    except OSError as error:
        raise InputError(Problem("cannot-open", f"cannot be read: {error.strerror or error}", place)) from None
    except _DAMAGE as error:
        what = f"no model that errorbar can read: {error}"
        raise InputError(Problem("model-damaged", what, place, fix=TRAIN)) from None
    wrong = [name for name, array in arrays.items() if _hash(array) != header["arrays"][name]]
    if wrong:
        what = f"damaged: {', '.join(wrong)} is not what was written"
        raise InputError(Problem("model-damaged", what, place, fix=TRAIN))
    return Model(kind, header["made"], header["text"], arrays, header["arrays"])


def fingerprint(model: Model) -> str:
    """A hash of everything a model computes with: one model that needs another names it by this."""
    hashes = model.hashes or {name: _hash(array) for name, array in model.arrays.items()}
    said = {"kind": model.kind, "made": dict(model.made), **hashes}
    return sha256(json.dumps(said, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _bytes(array: Array) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    """What an archive has under a name: at once, and without its checksum, since the hash is checked anyway."""
    member = archive.getinfo(name)
    file = archive.fp
    if file is None or member.compress_type != zipfile.ZIP_DEFLATED:
        return archive.read(name)
    file.seek(member.header_offset)
    start = file.read(_LOCAL)
    if start[:4] != b"PK\3\4":
        raise zipfile.BadZipFile(f"no member {name}")
    file.seek(int.from_bytes(start[26:28], "little") + int.from_bytes(start[28:30], "little"), io.SEEK_CUR)
    most = min(member.file_size, _MOST * member.compress_size)  # whatever a damaged file says of itself
    return zlib.decompress(file.read(member.compress_size), -zlib.MAX_WBITS, max(most, 1))


def _array(content: bytes) -> Array:
    """The array of an ``.npy`` file: a view of what was read, since the largest fill a hundred megabytes."""
    start = io.BytesIO(content)
    if np.lib.format.read_magic(start) != (1, 0):
        raise ValueError("an array of another version")
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(start)
    if by_column or dtype.hasobject:
        raise ValueError("an array of objects or columns")
    return np.frombuffer(content, dtype, math.prod(shape), start.tell()).reshape(shape)


def _hash(array: Array) -> str:
    found = sha256(f"{array.dtype.str} {array.shape} ".encode())
    if array.size:
        found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return found.hexdigest()
