"""What every model is checked for before it is used: made by the same definitions, its parts fit each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from errorbar.core.errors import InputError, Place, Problem
from errorbar.detectors.model_file import TRAIN, Model
from errorbar.detectors.sparse import Weights

_UNFIT = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)


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
    if not (rows.dtype == np.int32 and classes.dtype == np.int8 and values.dtype.kind == "f"):
        raise ValueError("columns of other types")
    return Weights(model.made["bits"], n_classes, rows, classes, values)
