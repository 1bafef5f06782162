"""Edit counts per sentence and annotator: what metrics over annotators' edits keep, so that every score is a fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import annotator_order
from errorbar.edits.matching import KERNEL, Matches

Ints = NDArray[np.int64]


def _compiled() -> ModuleType | None:
    try:
        from errorbar.metrics import _tally  # noqa: PLC0415 - absent without a compiler
    except ImportError:
        return None
    return _tally


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """Edits of each type, for each unit and annotator where there are any (few have)."""

    shape: tuple[int, int, int]  # units, annotators, types
    slot: Ints  # unit * annotators + annotator, ascending; shape (rows,)
    type: Ints  # number of the type; shape (rows,)
    count: Ints  # as the metric's ``type_counted`` names them, e.g. correct and reference edits; shape (rows, counts)

    def chosen(self, units: Ints, columns: NDArray[np.int32], *, kernel: bool = KERNEL) -> Ints:
        """Edits of each type over units (e.g. of resamples), each with the annotator of its column.

        A unit or column of -1 adds nothing. Shape (replicates or 1, units) and (replicates, units) to (replicates,
        types, counts). ``kernel``: by the compiled kernel where there is one, or by its twin.
        """
        replicates, (n_types, n_counts) = len(columns), (self.shape[2], self.count.shape[1])
        n_slots = self.shape[0] * self.shape[1]
        if kernel and (compiled := _compiled()) is not None:
            totals = np.zeros((replicates, n_types, n_counts), np.int64)
            starts = np.searchsorted(self.slot, np.arange(n_slots + 1))
            counted = starts, np.ascontiguousarray(self.type), np.ascontiguousarray(self.count)
            rows = np.ascontiguousarray(units), np.ascontiguousarray(columns)
            compiled.add_chosen(*rows, self.shape[1], *counted, totals)
            return totals
        units = np.broadcast_to(units, columns.shape)
        looked = (columns >= 0) & (units >= 0)
        slots = units[looked] * self.shape[1] + columns[looked]
        if replicates == 1:  # spares loading scipy where there are no intervals
            often = np.bincount(slots, minlength=n_slots)[self.slot]
            sums = [np.bincount(self.type, often * self.count[:, k], n_types) for k in range(n_counts)]
            return np.stack(sums, axis=1).astype(np.int64)[None]
        from scipy.sparse import csr_array  # noqa: PLC0415

        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(looked.sum(axis=1))])
        often = csr_array((np.ones(len(slots), np.int64), slots, ends), shape=(replicates, n_slots))
        places = self.type[:, None] * n_counts + np.arange(n_counts)
        where = np.repeat(self.slot, n_counts), places.ravel()
        table = csr_array((self.count.ravel(), where), shape=(n_slots, n_types * n_counts))
        return np.asarray((often @ table).toarray(), np.int64).reshape(replicates, n_types, n_counts)

    def take(self, units: Ints | slice) -> TypeCounts:
        """The counts of some units, in their order."""
        picked = np.arange(self.shape[0])[units]
        width = self.shape[1]
        first = np.searchsorted(self.slot, picked * width)
        size = np.searchsorted(self.slot, (picked + 1) * width) - first
        rows = np.repeat(first - np.cumsum(size) + size, size) + np.arange(size.sum())
        new = np.repeat(np.arange(len(picked)), size) * width + self.slot[rows] % max(1, width)
        return TypeCounts((len(picked), *self.shape[1:]), new, self.type[rows], self.count[rows])


def tally_types(rows: Sequence[tuple[int, ...]], shape: tuple[int, int, int], n_counts: int) -> TypeCounts:
    """Counts by type of rows in any order: number of the slot (unit * annotators + annotator), type, and its counts."""
    table = np.array(rows, np.int64).reshape(-1, 2 + n_counts)
    table = table[np.argsort(table[:, 0], kind="stable")]
    return TypeCounts(shape, table[:, 0], table[:, 1], table[:, 2:])


def count_types(matches: Matches) -> TypeCounts:
    """Matched and reference edits of each type."""
    references = matches.references
    units, annotators = references.present.shape
    slots = np.repeat(np.arange(units * annotators), np.diff(references.edit_offsets))
    width = len(references.type_names)
    cells, row = np.unique(slots * max(1, width) + references.types, return_inverse=True)
    sums = [np.bincount(row, matches.matched[:-1], len(cells)), np.bincount(row, minlength=len(cells))]
    slot, kind = np.divmod(cells, max(1, width))
    return TypeCounts((units, annotators, width), slot, kind, np.stack(sums, axis=1).astype(np.int64))


@dataclass(frozen=True, slots=True)
class EditStatistics:
    """Edit counts per sentence and annotator."""

    counts: NDArray[np.int32]  # as the metric's ``counted`` names them; shape (units, annotators, counted)
    present: NDArray[np.uint8]  # whether an annotator looked at a unit; shape (units, annotators)
    annotators: tuple[str, ...]
    by_type: TypeCounts | None = None  # None: not asked for
    types: tuple[str, ...] = ()
    remarked: Mapping[str, int] = field(default_factory=dict)  # what the metric has something to say of, and how often
    made_by: str = ""  # what made the edits of texts, where a pipeline did

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def typed(self) -> TypeCounts:
        """The counts by type, which must have been asked for."""
        if self.by_type is None:
            raise ValueError("types were not counted: it was measured without by_type")
        return self.by_type

    def take(self, units: NDArray[np.int64] | slice) -> EditStatistics:
        """The statistics of some units: the metric of a sub-corpus needs no second measuring."""
        by_type = None if self.by_type is None else self.by_type.take(units)
        kept = self.counts[units], self.present[units], self.annotators, by_type, self.types
        return EditStatistics(*kept, made_by=self.made_by)


def concatenate(parts: Sequence[EditStatistics], n_counted: int = 3) -> EditStatistics:
    """Join the statistics of consecutive parts of a corpus; annotators and types are joined by name."""
    annotators = tuple(annotator_order(name for part in parts for name in part.annotators))
    types = tuple(dict.fromkeys(name for part in parts for name in part.types))
    n = sum(map(len, parts))
    counts = np.zeros((n, len(annotators), n_counted), np.int32)
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
    made_by = max((part.made_by for part in parts), default="")  # some parts have nothing to make, or no reference
    remarked = Counter[str]()
    for part in parts:
        remarked.update(part.remarked)
    return EditStatistics(counts, present, annotators, by_type, types, remarked, made_by)


def join_types(parts: Sequence[TypeCounts], columns: Sequence[Ints], kinds: Sequence[Ints], width: int) -> TypeCounts:
    """Join the counts of consecutive parts; for each, where its annotators and types stand in the whole of a width."""
    if not parts:
        nothing = np.zeros(0, np.int64)
        return TypeCounts((0, width, 0), nothing, nothing, np.zeros((0, 2), np.int64))
    slots, types = [], []
    at = 0
    for part, column, kind in zip(parts, columns, kinds, strict=True):
        unit, annotator = np.divmod(part.slot, max(1, part.shape[1]))
        slots.append((unit + at) * width + column[annotator])
        types.append(kind[part.type])
        at += part.shape[0]
    slot, type_ = np.concatenate(slots), np.concatenate(types)
    order = np.argsort(slot, kind="stable")
    n_types = max((int(kind.max()) + 1 for kind in kinds if kind.size), default=0)
    return TypeCounts((at, width, n_types), slot[order], type_[order], np.concatenate([p.count for p in parts])[order])
