"""Which gold and system edits of a fragment stand at one place: the only pairs that can align."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.standoff import Fragment, StandoffEdit

MOST_PAIRS = 250_000
"""Pairs of one fragment; where no annotator's edits overlap there are about as many as edits."""
Numbers = NDArray[np.int64]


def offsets(edits: Sequence[StandoffEdit]) -> tuple[Numbers, Numbers]:
    """Where edits start and end."""
    spans = np.array([(edit.start, edit.end) for edit in edits], np.int64).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def near_pairs(gold: Fragment, system: Sequence[StandoffEdit], slack: int) -> tuple[Numbers, Numbers]:
    """Find the pairs whose spans overlap, touch, or leave no more than ``slack`` characters between them.

    Takes time in proportion to the edits and the pairs.

    Args:
        gold: The gold edits.
        system: The system's edits.
        slack: Characters that may lie between.

    Returns:
        Numbers of the gold edit and of the system edit of each pair, by gold edit, then by system edit.

    Raises:
        InputError: If there are more than ``MOST_PAIRS``.
    """
    (start, end), (s_start, s_end) = offsets(gold.edits), offsets(system)
    by_start, s_by_start = np.argsort(start, kind="stable"), np.argsort(s_start, kind="stable")
    # System edits that start within a gold edit's span, and gold edits whose start lies behind a system edit's.
    starts, s_starts = start[by_start], s_start[s_by_start]
    inner = np.searchsorted(s_starts, start - slack, "left"), np.searchsorted(s_starts, end + slack, "right")
    outer = np.searchsorted(starts, s_start + slack, "right"), np.searchsorted(starts, s_end + slack, "right")
    total = int(sum((high - low).sum() for low, high in (inner, outer)))
    if total > MOST_PAIRS:
        what = f"fragment {gold.name}: {total:,} pairs of a gold and a system edit overlap or touch"
        expected = f"no more than {MOST_PAIRS:,}"
        raise InputError(Problem("hoo-too-dense", what, Place(gold.file), expected, "are edits repeated?"))
    inner_g, inner_s = _ranges(*inner)
    outer_s, outer_g = _ranges(*outer)
    g = np.concatenate([inner_g, by_start[outer_g]])
    s = np.concatenate([s_by_start[inner_s], outer_s])
    order = np.lexsort((s, g))
    return g[order], s[order]


def _ranges(low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers from each low to its high, and whose range each is of."""
    sizes = high - low
    owner = np.repeat(np.arange(len(low)), sizes)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + low[owner]
