"""What the HOO metric keeps per fragment, and the rates made of it.

Formula
    See ``errorbar.metrics.hoo``: P = H / (U + H) for detection and H / S for recognition and correction, R = H / G;
    with bonus O joins H and every denominator of P.
Conventions
    0/0 is what the caller says, and so is F of recognition and correction where P and R are 0/0; F is 0 where
    P = R = 0. Rates are not cut at 1.
Source
    Dale & Kilgarriff 2011, equations 1 to 9, footnotes 2 to 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.standoff import Fragment
from errorbar.metrics.hoo_align import Alignment

COLUMNS = ("gold", "system", "detected", "recognized", "corrected", "missing_optional", "missing_mandatory", "spurious")
GOLD, SYSTEM, DETECTED, RECOGNIZED, CORRECTED, MISSING_OPTIONAL, MISSING_MANDATORY, SPURIOUS = range(len(COLUMNS))
TYPE_COLUMNS = ("gold", "detected", "recognized", "corrected")


@dataclass(frozen=True, slots=True)
class HooStatistics:
    """Counts per fragment.

    Attributes:
        units: The fragments' names.
        counts: Counts in the order of COLUMNS; shape (units, columns).
        types: Names of the type axis, ascending.
        by_type: Gold, detected, recognized and corrected gold edits of each type; shape (units, types, 4).
    """

    units: tuple[str, ...]
    counts: NDArray[np.int64]
    types: tuple[str, ...]
    by_type: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.units)

    def take(self, units: NDArray[np.int64] | slice) -> HooStatistics:
        """The statistics of some fragments."""
        names = np.array(self.units, object)[units]
        return HooStatistics(tuple(names.tolist()), self.counts[units], self.types, self.by_type[units])

    def type_totals(self) -> dict[str, tuple[int, ...]]:
        """Gold, detected, recognized and corrected edits of each type."""
        return {kind: tuple(row) for kind, row in zip(self.types, self.by_type.sum(axis=0).tolist(), strict=True)}

    def regrouped(self, names: Sequence[str], group: Callable[[str], str]) -> HooStatistics:
        """The same with error types counted in groups.

        Args:
            names: The groups.
            group: Which of them a type is in.
        """
        member = np.array([[group(kind) == name for kind in self.types] for name in names], np.int64)
        member = member.reshape(len(names), len(self.types))
        return HooStatistics(
            self.units, self.counts, tuple(names), np.einsum("gt,utk->ugk", member, self.by_type)
        )


def collect(gold: Sequence[Fragment], aligned: Sequence[tuple[Alignment, int]]) -> HooStatistics:
    """Count what became of the edits of each fragment.

    Args:
        gold: The fragments.
        aligned: The alignment of each, and how many edits the system has there.
    """
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
        if fragment.edits:
            kinds = [column[edit.type] for edit in fragment.edits]
            flags = np.stack([np.ones_like(missing), found.detected, found.recognized, found.corrected], axis=1)
            np.add.at(by_type[unit], kinds, flags.astype(np.int64))
    return HooStatistics(tuple(fragment.name for fragment in gold), counts, types, by_type)


def join(parts: Sequence[HooStatistics]) -> HooStatistics:
    """Put the counts of consecutive fragments together."""
    types = tuple(sorted({kind for part in parts for kind in part.types}))
    column = {kind: at for at, kind in enumerate(types)}
    units = tuple(unit for part in parts for unit in part.units)
    by_type = np.zeros((len(units), len(types), len(TYPE_COLUMNS)), np.int64)
    at = 0
    for part in parts:
        by_type[at : at + len(part), [column[kind] for kind in part.types]] = part.by_type
        at += len(part)
    counts = np.concatenate([np.zeros((0, len(COLUMNS)), np.int64), *(part.counts for part in parts)])
    return HooStatistics(units, counts, types, by_type)


@dataclass(frozen=True, slots=True)
class Quotients:
    """What P and R divide; every array has the shape (rows, 2 conditions, 3 measures).

    Attributes:
        found: The numerator of both: gold edits that count as found.
        proposed: What P divides by.
        wanted: What R divides by.
    """

    found: NDArray[np.float64]
    proposed: NDArray[np.float64]
    wanted: NDArray[np.float64]


def quotients(counts: NDArray[np.float64] | NDArray[np.int64]) -> Quotients:
    """Numerators and denominators of P and R.

    Args:
        counts: Counts in the order of COLUMNS; shape (rows, columns).
    """
    given = np.asarray(counts, np.float64)
    bonus = np.stack([np.zeros(len(given)), given[:, MISSING_OPTIONAL]], axis=1)[:, :, None]
    system = given[:, SYSTEM]
    proposed = np.stack([given[:, SPURIOUS] + given[:, DETECTED], system, system], axis=1)
    found = given[:, [DETECTED, RECOGNIZED, CORRECTED]]
    shape = (len(given), 2, 3)
    return Quotients(
        found[:, None] + bonus,
        proposed[:, None] + bonus,
        np.broadcast_to(given[:, GOLD, None, None], shape),
    )


def rates(
    counts: NDArray[np.float64] | NDArray[np.int64], empty: float, unrecognized: float, beta: float
) -> NDArray[np.float64]:
    """P, R and F of detection, recognition and correction, without and with bonus.

    Args:
        counts: Counts in the order of COLUMNS; shape (rows, columns).
        empty: What 0/0 is for P and R.
        unrecognized: What F of recognition and correction is where P and R both are 0/0 = 1.
        beta: Weight of recall against precision.

    Returns:
        Shape (rows, 2 conditions, 3 measures, 3 figures).
    """
    made = quotients(counts)
    p, r = (_share(made.found, of, empty) for of in (made.proposed, made.wanted))
    below = beta * beta * p + r
    f = np.divide((1 + beta * beta) * p * r, below, out=np.zeros_like(p), where=below > 0)
    f[:, :, 1:][made.found[:, :, 1:] == 0] *= unrecognized  # without a hit F is 0, or 1 where P = R = 0/0 = 1
    return np.stack([p, r, f], axis=-1)


def _share(found: NDArray[np.float64], of: NDArray[np.float64], empty: float) -> NDArray[np.float64]:
    return np.divide(found, of, out=np.full_like(found, empty), where=of > 0)
