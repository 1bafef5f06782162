"""How often a text has each word: what a corrector knows of spelling and of words of one stem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.loading import fitting
from errorbar.detectors.model_file import Model

KIND = "words"


def count_words(sentences: Iterable[Sequence[str]], text: Mapping[str, Any]) -> Model:
    """Count words in lower case; those that occur twice or more are kept, in alphabetical order."""
    counts = Counter(token.lower() for sentence in sentences for token in sentence)
    kept = {word: counts[word] for word in sorted(counts) if counts[word] > 1}
    arrays: dict[str, NDArray[Any]] = {
        "words": np.frombuffer("\n".join(kept).encode("utf-8", "surrogatepass"), np.uint8),
        "counts": np.array([*kept.values()], np.int32),
    }
    return Model(KIND, {}, text, arrays)


def stored_counts(model: Model, path: str) -> dict[str, int]:
    """The counts of a model file; an ``InputError`` if they fit no words."""
    with fitting(path):
        counts = model.arrays["counts"].tolist()
        words = model.arrays["words"].tobytes().decode("utf-8", "surrogatepass").split("\n")
        return dict(zip(words, counts, strict=True)) if counts or words != [""] else {}
