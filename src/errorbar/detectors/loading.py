"""What every model is checked for before it is used: made by the same definitions, its parts fit each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from errorbar.core.errors import InputError, Place, Problem
from errorbar.detectors.model_file import TRAIN, Model
from errorbar.detectors.sparse import Weights

_UNFIT = (KeyError, IndexError, TypeError, ValueError, OverflowError)


@contextmanager
def fitting(path: str) -> Iterator[None]:
    """Refuse a model whose header and arrays do not fit what is done with them."""
    try:
        yield
    except InputError:
        raise
    except _UNFIT:
        what = "its header and its arrays do not fit each other"
        raise InputError(Problem("model-features", what, Place(path), fix=TRAIN)) from None


def check_made(model: Model, path: str, wanted: Mapping[str, str]) -> None:
    """Refuse a model that was made by other definitions, e.g. of other ``features`` or with another ``hash``."""
    for what, name in wanted.items():
        if model.made.get(what) != name:
            found = f"a model of {what} '{model.made.get(what)}'"
            raise InputError(Problem("model-features", found, Place(path), f"{what} '{name}'", TRAIN))


def check_tagger(model: Model, path: str, tagger: str) -> None:
    """Refuse a model that was made with another tagger than the one with this fingerprint."""
    if model.made.get("tagger") != tagger:
        fix = "load the tagger it was trained with, or train it again"
        raise InputError(Problem("model-tagger", "it was made with another tagger", Place(path), fix=fix))


def stored_weights(model: Model, n_classes: int) -> Weights:
    """The weights of a model file; a ``ValueError`` if they fit no table of its bits and classes."""
    rows, classes, values = (model.arrays[name] for name in ("rows", "classes", "values"))
    n_rows = 1 << int(model.made["bits"])
    if not rows.shape == classes.shape == values.shape == (len(rows),):
        raise ValueError("columns of different lengths")
    if len(rows) and not (rows[0] >= 0 and rows[-1] < n_rows and (rows[1:] >= rows[:-1]).all()):
        raise ValueError("rows out of order")
    if len(rows) and not (classes.min() >= 0 and classes.max() < n_classes):
        raise ValueError("a class outside of the set")
    typed: dict[str, Any] = {
        "rows": rows.astype(np.int32, copy=False),
        "classes": classes.astype(np.int8, copy=False),
        "values": values,
    }
    return Weights(int(model.made["bits"]), n_classes, **typed)
