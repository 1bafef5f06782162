"""What the HOO metric keeps per fragment, the rates made of it, and the rows of table 8 that error codes count in.

Formula, conventions and source are those of ``errorbar.metrics.hoo``. The 13 rows are data
(``core/inventories/hoo.json``: the row stands before the colon of a code's description).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from errorbar.core.edit import Fragment
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.labels import error_types

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
COLUMNS = ("gold", "system", "detected", "recognized", "corrected", "missing_optional", "missing_mandatory", "spurious")
GOLD, SYSTEM, DETECTED, RECOGNIZED, CORRECTED, MISSING_OPTIONAL, MISSING_MANDATORY, SPURIOUS = range(len(COLUMNS))
MEASURES = ("detection", "recognition", "correction")
CONDITIONS = ("no bonus", "bonus")
FIGURES = ("precision", "recall", "f")
OTHER = "Other"
TYPE_COLUMNS = ("gold", "detected", "recognized", "corrected")


@dataclass(frozen=True, slots=True)
class Alignment:
    """What became of every edit of a fragment; flags of gold edits, but for the last two."""

    detected: Flags  # with an alignment
    recognized: Flags  # with a strict one
    corrected: Flags  # with a strict one that offers one of their corrections
    optional: Flags
    forgiven: Flags  # missing and optional: what the bonus adds
    n_corrected: int  # corrections that count
    spurious: Flags  # system edits without an alignment
    fitting: Flags  # system edits whose correction counts


@dataclass(frozen=True, slots=True)
class HooStatistics:
    """Counts per fragment."""

    counts: NDArray[np.int64]  # in the order of COLUMNS; shape (units, columns)
    types: tuple[str, ...]  # ascending
    by_type: NDArray[np.int64]  # gold edits in the order of TYPE_COLUMNS; shape (units, types, 4)

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, units: NDArray[np.int64] | slice) -> HooStatistics:
        """The statistics of some fragments."""
        return HooStatistics(self.counts[units], self.types, self.by_type[units])


@cache
def row_names() -> tuple[str, ...]:
    """The rows of table 8 in its order."""
    return tuple(dict.fromkeys(_table().values()))


@cache
def read_overrides(text: str) -> dict[str, str]:
    """Read error codes and the rows they count in, ``ID=Noun;AS=Verb``.

    Raises:
        UsageError: If a row does not exist.
    """
    overrides = {}
    for part in filter(None, text.split(";")):
        code, _, row = (said.strip() for said in part.partition("="))
        if row not in row_names():
            what = f"type {code}: no row of the table is called '{row}'"
            raise UsageError(Problem("hoo-row", what, fix=nearest(row, row_names())))
        overrides[code] = row
    return overrides


def count_rows(codes: Iterable[str]) -> dict[str, int]:
    """How many codes each row holds, rows in the order of the table; unknown ones are in ``Other``."""
    counts = Counter(_table().get(code, OTHER) for code in codes)
    return {row: counts[row] for row in row_names()}


@cache
def _table() -> dict[str, str]:
    return {code: said.partition(":")[0] for code, said in error_types().items()}


def by_row(statistics: HooStatistics, overrides: dict[str, str]) -> NDArray[np.int64]:
    """Counts of gold edits by row instead of by code; shape (units, rows, 4)."""
    summed, rows = np.zeros((len(statistics), len(row_names()), len(TYPE_COLUMNS)), np.int64), _table() | overrides
    for at, code in enumerate(statistics.types):
        summed[:, row_names().index(rows.get(code, OTHER))] += statistics.by_type[:, at]
    return summed


def collect(gold: Sequence[Fragment], aligned: Sequence[tuple[Alignment, int]]) -> HooStatistics:
    """Count what became of the edits of each fragment, from its alignment and how many edits the system has there."""
    types = tuple(sorted({edit.type for fragment in gold for edit in fragment.edits}))
    column = {kind: at for at, kind in enumerate(types)}
    counts = np.zeros((len(gold), len(COLUMNS)), np.int64)
    by_type = np.zeros((len(gold), len(types), len(TYPE_COLUMNS)), np.int64)
    for unit, (fragment, (found, n_system)) in enumerate(zip(gold, aligned, strict=True)):
        missing = ~found.detected
        counts[unit] = (
            len(fragment.edits),
            n_system,
            found.detected.sum(),
            found.recognized.sum(),
            found.n_corrected,
            found.forgiven.sum(),
            (missing & ~found.optional).sum(),
            found.spurious.sum(),
        )
        kinds = np.array([column[edit.type] for edit in fragment.edits], np.int64)
        flags = np.stack([np.ones_like(missing), found.detected, found.recognized, found.corrected], axis=1)
        np.add.at(by_type[unit], kinds, flags.astype(np.int64))
    return HooStatistics(counts, types, by_type)


def join(parts: Sequence[HooStatistics]) -> HooStatistics:
    """Put the counts of consecutive fragments together."""
    types = tuple(sorted({kind for part in parts for kind in part.types}))
    column = {kind: at for at, kind in enumerate(types)}
    by_type = np.zeros((sum(map(len, parts)), len(types), len(TYPE_COLUMNS)), np.int64)
    at = 0
    for part in parts:
        by_type[at : at + len(part), [column[kind] for kind in part.types]] = part.by_type
        at += len(part)
    counts = np.concatenate([np.zeros((0, len(COLUMNS)), np.int64), *(part.counts for part in parts)])
    return HooStatistics(counts, types, by_type)


def measure_name(condition: str, measure: str, figure: str) -> str:
    """The name of one of the 18 figures: ``correction_f``, ``correction_f_bonus``."""
    return f"{measure}_{figure}{'_bonus' if condition == CONDITIONS[1] else ''}"


def quotients(counts: Floats | NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """The numerator of P and R of counts in the order of COLUMNS, then what P divides by, then R.

    Each of shape (rows, 2 conditions, 3 measures).
    """
    given = np.asarray(counts, np.float64)
    bonus = given[:, MISSING_OPTIONAL, None, None] * np.array([0, 1])[:, None]
    proposed = np.stack([given[:, SPURIOUS] + given[:, DETECTED], given[:, SYSTEM], given[:, SYSTEM]], axis=1)
    found = given[:, None, [DETECTED, RECOGNIZED, CORRECTED]]
    wanted = np.broadcast_to(given[:, GOLD, None, None], (len(given), 2, 3))
    return found + bonus, proposed[:, None] + bonus, wanted


def rates(counts: Floats | NDArray[np.int64], empty: float, unrecognized: float, beta: float) -> Floats:
    """P, R and F of counts in the order of COLUMNS; shape (rows, 2 conditions, 3 measures, 3 figures).

    Where it is 0/0, P or R is ``empty``; F of recognition and correction is ``unrecognized`` where both are 0/0 = 1.
    F is 0 where P = R = 0. Rates are not cut at 1.
    """
    found, *below = quotients(counts)
    p, r = (np.divide(found, of, out=np.full_like(found, empty), where=of > 0) for of in below)
    under = beta * beta * p + r
    f = np.divide((1 + beta * beta) * p * r, under, out=np.zeros_like(p), where=under > 0)
    f[:, :, 1:][found[:, :, 1:] == 0] *= unrecognized  # without a hit F is 0, or 1 where P = R = 0/0 = 1
    return np.stack([p, r, f], axis=-1)
