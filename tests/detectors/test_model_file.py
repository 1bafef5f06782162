"""Model files: what was written comes back; what is damaged, another's or of another kind is refused in a line."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from errorbar.core.errors import InputError
from errorbar.detectors.model_file import Model, load_model, save_model

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
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[member]
    parts[member] = parts[member].replace(old, new)
    with zipfile.ZipFile(path.with_name("changed"), "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path.with_name("changed")


def test_what_was_changed_is_refused(tmp_path: Path) -> None:
    save_model(MODEL, path := tmp_path / "model")
    one, two = np.float16(1).tobytes(), np.float16(2).tobytes()
    assert refused(changed(path, "weights.npy", one + two, two + one)) == "model-damaged"
    assert refused(changed(path, "header.json", b'"version": 1', b'"version": 2')) == "model-version"
    assert refused(changed(path, "header.json", b"errorbar-model", b"another-model!")) == "model-damaged"
    assert refused(changed(path, "header.json", b"{", b"[")) == "model-damaged"
