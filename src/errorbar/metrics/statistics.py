"""Statistics: what a metric keeps per sentence, so that every score is a fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Sentence, annotator_order
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.metrics.type_counts import TypeCounts, join_types


@dataclass(frozen=True, slots=True)
class Statistics:
    """Edit counts per sentence and annotator.

    Attributes:
        counts: Correct, proposed and reference edits; shape (units, annotators, 3).
        present: Whether an annotator looked at a unit; shape (units, annotators).
        annotators: Names of the annotator axis.
        by_type: Correct and reference edits of each error type; None where it was not asked for.
        types: Names of the type axis.
        n_large: Sentence pairs too large for the official search order (docs/design/large-lattices.md).
    """

    counts: NDArray[np.int32]
    present: NDArray[np.uint8]
    annotators: tuple[str, ...]
    by_type: TypeCounts | None = None
    types: tuple[str, ...] = ()
    n_large: int = 0

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, units: NDArray[np.int64] | slice) -> Statistics:
        """The statistics of some units: the metric of a sub-corpus needs no second measuring."""
        by_type = None if self.by_type is None else self.by_type.take(units)
        return Statistics(self.counts[units], self.present[units], self.annotators, by_type, self.types)


FEW_DOCUMENTS = 25
"""With fewer, bootstrap intervals were measured to cover clearly less than their level."""


class Documents:
    """Which essay each sentence is from: the clusters that intervals resample."""

    def __init__(self) -> None:
        self._codes: list[int] = []
        self._known: dict[str, int] = {}
        self._n_without = 0

    def add(self, sentences: Sequence[Sentence]) -> None:
        """Take the next sentences; one without a document is a document of its own."""
        self.add_names([sentence.document for sentence in sentences])

    def add_names(self, documents: Sequence[str]) -> None:
        """Take the documents of the next sentences."""
        for document in documents:
            name = document or f"\0{len(self._codes)}"
            self._n_without += not document
            self._codes.append(self._known.setdefault(name, len(self._known)))

    @property
    def unit(self) -> str:
        """What is resampled: ``document`` where every sentence has one or some have, else ``sentence``."""
        return "sentence" if self._n_without == len(self._codes) else "document"

    @property
    def clustering(self) -> str:
        """What is resampled, as it stands in signatures: documents with a hash of which sentences share one."""
        if self.unit == "sentence":
            return self.unit
        return f"{self.unit}:{sha256(self.clusters().tobytes()).hexdigest()[:12]}"

    @property
    def n_clusters(self) -> int:
        """How many documents there are."""
        return len(self._known)

    def clusters(self) -> NDArray[np.int64]:
        """Document number of each sentence."""
        return np.array(self._codes, np.int64)

    def warn(self, problems: Problems) -> None:
        """Note what makes intervals from these clusters doubtful: sentences without a document, few documents."""
        if self.unit == "document" and self.n_clusters < FEW_DOCUMENTS:
            what = f"{self.n_clusters} documents are few to resample: 95% intervals cover less than they say"
            problems.note("few-documents", what, Place(), fix="docs/design/intervals.md has the measured coverage")
        if 0 < self._n_without < len(self._codes):
            what = f"{self._n_without} of {len(self._codes)} sentences have no document; each is resampled on its own"
            problems.note("documents-missing", what, Place(), fix="errorbar convert --essays adds documents")


def concatenate(parts: Sequence[Statistics]) -> Statistics:
    """Join the statistics of consecutive parts of a corpus; annotators and types are joined by name."""
    annotators = tuple(annotator_order(name for part in parts for name in part.annotators))
    types = tuple(dict.fromkeys(name for part in parts for name in part.types))
    n = sum(map(len, parts))
    counts = np.zeros((n, len(annotators), 3), np.int32)
    present = np.zeros((n, len(annotators)), np.uint8)
    counted = [part.by_type for part in parts if part.by_type is not None]
    placed: list[NDArray[np.int64]] = []
    at = 0
    for part in parts:
        rows = slice(at, at + len(part))
        columns = np.array([annotators.index(name) for name in part.annotators], np.int64)
        placed.append(columns)
        counts[rows, columns] = part.counts
        present[rows, columns] = part.present
        at += len(part)
    by_type = None
    if len(counted) == len(parts):
        number = {name: k for k, name in enumerate(types)}
        kinds = [np.array([number[name] for name in part.types], np.int64) for part in parts]
        by_type = join_types(counted, placed, kinds, len(annotators))
    return Statistics(counts, present, annotators, by_type, types, sum(part.n_large for part in parts))
