"""Small tables of models for texts of a few sentences, since real ones have millions of rows; changed model files."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from errorbar.detectors.tagger import train_tagger

BITS = 12


def shrink_tables(patch: pytest.MonkeyPatch, bits: int = BITS) -> None:
    """Let models that are trained from now on have small tables of weights and of known features."""
    patch.setattr("errorbar.detectors.training.BITS", bits)
    patch.setattr("errorbar.detectors.selection.BITS", bits)
    patch.setattr("errorbar.detectors.prepositions._MARKS", bits + 4)
    patch.setattr("errorbar.detectors.training.train_tagger", partial(train_tagger, bits=bits))


def change_member(path: Path, member: str, change: Callable[[bytes], bytes], *, out: Path | None = None) -> None:
    """Change a member of a model file, there or in a copy."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[member] = change(parts[member])
    with zipfile.ZipFile(out or path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
