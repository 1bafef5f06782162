"""Which document each unit is from: the clusters that intervals resample."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Sentence
from errorbar.core.errors import Place
from errorbar.core.problems import Problems

FEW_DOCUMENTS = 25
"""With fewer, bootstrap intervals were measured to cover clearly less than their level."""

MORE_DOCUMENTS = "add others, or resample sentences: errorbar convert --to m2 drops documents"
"""The way out where there is only one."""


class Documents:
    """Which essay each unit is from; ``single`` is what a unit without a document is called."""

    def __init__(self, single: str = "sentence") -> None:
        self._single = single
        self._codes: list[int] = []
        self._known: dict[str, int] = {}
        self._n_without = 0

    def add(self, sentences: Sequence[Sentence]) -> None:
        """Take the next sentences."""
        self.add_names([sentence.document for sentence in sentences])

    def add_names(self, documents: Sequence[str]) -> None:
        """Take the documents of the next sentences; one without a document is a document of its own."""
        for document in documents:
            name = document or f"\0{len(self._codes)}"
            self._n_without += not document
            self._codes.append(self._known.setdefault(name, len(self._known)))

    @property
    def unit(self) -> str:
        """What is resampled: ``document`` where every unit has one or some have, else the single unit."""
        return self._single if self._n_without == len(self._codes) else "document"

    @property
    def clustering(self) -> str:
        """What is resampled, as it stands in signatures: documents with a hash of which sentences share one."""
        if self.unit != "document":
            return self.unit
        return f"{self.unit}:{sha256(self.clusters().tobytes()).hexdigest()[:12]}"

    @property
    def n_clusters(self) -> int:
        """How many documents there are."""
        return len(self._known)

    def clusters(self) -> NDArray[np.int64]:
        """Document number of each sentence."""
        return np.array(self._codes, np.int64)

    def warn(self, problems: Problems, *, intervals: bool = True) -> None:
        """Note what makes resamples of these clusters doubtful: sentences without a document; for intervals, few."""
        few = intervals and self.unit == "document" and self.n_clusters < FEW_DOCUMENTS
        if few and self.n_clusters == 1:
            what = f"no intervals: all {self._single}s are of one document, which does not show how documents vary"
            problems.note("one-unit", what, Place(), fix=MORE_DOCUMENTS)
        elif few:
            what = f"there are only {self.n_clusters} documents: 95% intervals are too narrow"
            problems.note("few-documents", what, Place(), fix="docs/design/intervals.md says by how much")
        if 0 < self._n_without < len(self._codes):
            what = f"{self._n_without} of {len(self._codes)} sentences have no document; each is resampled on its own"
            problems.note("documents-missing", what, Place(), fix="errorbar convert --documents adds documents")
