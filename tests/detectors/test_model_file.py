"""Model files: what was written comes back; what is damaged, another's or of another kind is refused in a line."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from errorbar.core import InputError
from errorbar.detectors.model_file import (
    FORMAT,
    MOST_HEADER,
    MOST_UNPACKED,
    VERSION,
    Model,
    _bytes,
    load_model,
    save_model,
)
from tests.detectors.small_tables import change_member

MODEL = Model(
    "ngrams",
    {"order": 3, "seed": 0},
    {"sha256": "00", "license": "CC0", "provenance": "é"},
    {"weights": np.arange(6, dtype=np.float16).reshape(2, 3), "words": np.array(["a", "ß"])},
)


def test_round_trip(tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_model(MODEL, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    found = load_model(tmp_path / "one", "ngrams")
    assert (found.kind, found.made, found.text) == (MODEL.kind, MODEL.made, MODEL.text)
    for name, array in MODEL.arrays.items():
        assert found.arrays[name].dtype == array.dtype
        assert np.array_equal(found.arrays[name], array)


def refused(path: Path, kind: str = "ngrams") -> str:
    with pytest.raises(InputError) as error:
        load_model(path, kind)
    assert len(error.value.problems) == 1
    return str(error.value.code)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    save_model(MODEL, tmp_path / "model")
    whole = (tmp_path / "model").read_bytes()
    assert refused(tmp_path / "none") == "no-such-file"
    assert refused(tmp_path) == "cannot-open"
    assert refused(tmp_path / "model", "tagger") == "model-kind"
    for at in range(0, len(whole), 7):
        (tmp_path / "short").write_bytes(whole[:at])
        assert refused(tmp_path / "short") == "model-damaged"


def changed(path: Path, member: str, old: bytes, new: bytes) -> Path:
    def replace_old(content: bytes) -> bytes:
        assert old in content
        return content.replace(old, new)

    change_member(path, member, replace_old, out=path.with_name("changed"))
    return path.with_name("changed")


def test_what_was_changed_is_refused(tmp_path: Path) -> None:
    save_model(MODEL, path := tmp_path / "model")
    one, two = np.float16(1).tobytes(), np.float16(2).tobytes()
    assert refused(changed(path, "weights.npy", one + two, two + one)) == "model-damaged"
    assert refused(changed(path, "header.json", b'"version": 1', b'"version": 2')) == "model-version"
    assert refused(changed(path, "header.json", b"errorbar-model", b"another-model!")) == "model-damaged"
    assert refused(changed(path, "header.json", b"{", b"[")) == "model-damaged"


def zipped(path: Path, parts: dict[str, bytes], way: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", way) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def header(**members: object) -> bytes:
    whole = {"format": FORMAT, "version": VERSION, "kind": "ngrams", "made": {}, "text": {}, "arrays": {}}
    return json.dumps(whole | members).encode()


@pytest.mark.parametrize("way", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_small_file_is_not_unpacked_to_a_large_one(tmp_path: Path, way: int) -> None:
    """SECURITY.md: no file below 100 kB takes more than a second or 500 MB."""
    bomb = {"header.json": header(arrays={"a": "0", "b": "0"})}
    bomb |= dict.fromkeys(("a.npy", "b.npy"), _bytes(np.zeros(MOST_UNPACKED * 2 // 3, np.uint8)))
    paths = [
        zipped(tmp_path / "arrays", bomb, way),
        zipped(tmp_path / "header", {"header.json": b" " * 2 * MOST_HEADER}, way),
    ]
    tracemalloc.start()
    assert [refused(path) for path in paths] == ["model-damaged"] * 2
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * MOST_UNPACKED


@pytest.mark.parametrize(
    "members",
    [
        {"version": None},
        {"version": "1"},
        {"made": None},
        {"made": []},
        {"text": "x"},
        {"arrays": []},
        {"arrays": 1.5},
        {"kind": 1},
        {"made": {"bits": 1.5}},
        {"made": {"bits": "21"}},
        {"made": {"order": True}},
        {"made": {"seed": 1 << 70}},
        {"made": {"constant": [0]}},
        {"text": {"sha256": 5}},
        {"text": {"tokens": "many"}},
        {"arrays": dict.fromkeys(map(str, range(1001)), "0")},
    ],
)
def test_a_header_of_other_types_is_refused(tmp_path: Path, members: dict[str, object]) -> None:
    assert refused(zipped(tmp_path / "model", {"header.json": header(**members)})) == "model-damaged"


@pytest.mark.parametrize(
    "array",
    [
        b"",
        b"\x93NUMPY\x01\x00",
        _bytes(np.zeros(3))[:-1],
        _bytes(np.zeros(3)) + b"x",
        _bytes(np.zeros(3)).replace(b"(3,)", b"(4,)"),
        _bytes(np.zeros(3)).replace(b"(3,), } ", b"(-1,), }"),
        _bytes(np.zeros(3)).replace(b"<f8", b">f8"),
        _bytes(np.zeros(3)).replace(b"<f8", b"|O8"),
        _bytes(np.zeros(3)).replace(b"<f8", b"<m8"),
        _bytes(np.zeros(3)).replace(b"False", b"True "),
        _bytes(np.zeros((2, 2, 2))),
        _bytes(np.array(["ab"])).replace(b"<U2", b"<U0"),
        _bytes(np.zeros(3)).replace(b"(3,), }" + b" " * 9, b"(0,999999999999)"),
    ],
)
def test_an_array_that_is_not_ours_is_refused(tmp_path: Path, array: bytes) -> None:
    parts = {"header.json": header(arrays={"a": "0"}), "a.npy": array}
    assert refused(zipped(tmp_path / "model", parts)) == "model-damaged"


def test_a_packed_model_comes_back_and_other_ways_to_pack_are_refused(tmp_path: Path) -> None:
    save_model(MODEL, tmp_path / "packed", packed=True)
    assert load_model(tmp_path / "packed", "ngrams").arrays["words"].tolist() == ["a", "ß"]
    assert refused(zipped(tmp_path / "model", {"header.json": header()}, zipfile.ZIP_BZIP2)) == "model-damaged"
    whole = (tmp_path / "packed").read_bytes()
    at = whole.index(b"\5\0", 30) + 3  # the window, which the unpacker would take at once
    (tmp_path / "wide").write_bytes(whole[:at] + b"\xff" * 4 + whole[at + 4 :])
    assert refused(tmp_path / "wide") == "model-damaged"
