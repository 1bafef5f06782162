"""Tables of models for texts of a few sentences: real ones have millions of rows, which every test would fill anew."""

from __future__ import annotations

from functools import partial

import pytest

from errorbar.detectors.tagger import train_tagger

BITS = 12


def shrink_tables(patch: pytest.MonkeyPatch, bits: int = BITS) -> None:
    """Let models that are trained from now on have small tables of weights and of known features."""
    patch.setattr("errorbar.detectors.training.BITS", bits)
    patch.setattr("errorbar.detectors.selection.BITS", bits)
    patch.setattr("errorbar.detectors.prepositions._MARKS", bits + 4)
    patch.setattr("errorbar.detectors.training.train_tagger", partial(train_tagger, bits=bits))
