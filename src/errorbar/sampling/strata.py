"""Strata: parts of a frame that are sampled each on its own.

Conventions
    Every item of a stratum has the same flags: all flagged by a system or none. With scores, each group of equal flags
    is cut into bands at the edges given; an item whose score equals an edge is in the upper band. Bands without an
    item are left out.
Source
    Tetreault and Chodorow 2008, section 5 (one stratum flagged, one not); Bennett and Carvalho 2010 for score bands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.sampling.frame import Frame

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
FLAGGED, UNFLAGGED = "flagged", "unflagged"


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """What is sampled from.

    Attributes:
        names: One for each stratum.
        sizes: Items of each stratum; shape (strata,).
        flags: Whether each system flags the items of each stratum; shape (systems, strata).
        systems: Names of one or two systems.

    Raises:
        UsageError: If shapes do not fit, a stratum is empty, or a system flags nothing or everything.
    """

    names: tuple[str, ...]
    sizes: Counts
    flags: NDArray[np.bool_]
    systems: tuple[str, ...] = ("system",)

    def __post_init__(self) -> None:
        n = len(self.names)
        if self.sizes.shape != (n,) or self.flags.shape != (len(self.systems), n) or (self.sizes < 1).any():
            what = f"{n} strata with sizes of shape {self.sizes.shape} and flags of shape {self.flags.shape}"
            raise UsageError(Problem("sample-strata", what, expected="a size of at least 1 and flags for each stratum"))
        for system, flags in zip(self.systems, self.flags, strict=True):
            if flags.all() or not flags.any():
                which = "every item" if flags.any() else "no item"
                what = f"'{system}' flags {which}: there is no difference between flagged and unflagged to sample"
                raise UsageError(Problem("sample-one-class", what, fix="check the flags, or count by hand"))

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of_sizes(cls, flagged: int, unflagged: int) -> Strata:
        """One system and two strata.

        Raises:
            UsageError: If one of them is empty.
        """
        flags = np.array([[True, False]])
        return cls((FLAGGED, UNFLAGGED), np.array([flagged, unflagged], np.int64), flags)

    def n_flagged(self, system: int = 0) -> int:
        """Items that a system flags."""
        return int(self.sizes[self.flags[system]].sum())


def score_edges(frame: Frame, bands: int) -> tuple[float, ...]:
    """Edges that cut the unflagged items into bands of about equal size, by score.

    Raises:
        UsageError: If the frame has no scores or there is no band.
    """
    if bands < 1:
        raise UsageError(Problem("sample-bands", f"{bands} bands", expected="at least 1"))
    if bands == 1:
        return ()
    unflagged = _scores(frame)[~frame.flags.any(axis=0)]
    if not len(unflagged):
        return ()
    edges = np.quantile(unflagged, np.arange(1, bands) / bands)
    return tuple(float(edge) for edge in np.unique(edges))


def _scores(frame: Frame) -> Floats:
    if frame.score is None:
        what = "score bands need a score for every item"
        raise UsageError(Problem("sample-bands", what, fix="give the flags a column 'score', or leave the bands out"))
    return frame.score


def stratify(frame: Frame, edges: Sequence[float] = ()) -> tuple[Strata, Counts]:
    """Cut a frame into strata, at score ``edges`` too, and tell the number of the stratum of each item, shape (items,).

    Raises:
        UsageError: If there are edges and no scores, or a system flags nothing or everything.
    """
    bands = len(edges) + 1
    band = np.zeros(len(frame), np.int64)
    if edges:
        band = np.searchsorted(np.sort(np.array(edges, np.float64)), _scores(frame), side="right").astype(np.int64)
    powers = 2 ** np.arange(len(frame.systems))[::-1]
    group = (~frame.flags).T @ powers  # flagged by all comes first
    cell = group.astype(np.int64) * bands + band
    present, codes = np.unique(cell, return_inverse=True)
    sizes = np.bincount(codes, minlength=len(present)).astype(np.int64)
    flags = np.stack([(present // bands) & power == 0 for power in powers.tolist()])
    names = []
    for column, at in zip(flags.T.tolist(), (present % bands).tolist(), strict=True):
        name = _group_name(column, frame.systems)
        names.append(f"{name} {at + 1}/{bands}" if bands > 1 else name)
    return Strata(tuple(names), sizes, flags, frame.systems), codes.ravel().astype(np.int64)


def _group_name(flags: Sequence[bool], systems: Sequence[str]) -> str:
    if len(flags) == 1:
        return FLAGGED if flags[0] else UNFLAGGED
    if all(flags):
        return "both"
    return f"only {systems[0 if flags[0] else 1]}" if any(flags) else "neither"
