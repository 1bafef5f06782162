"""Whether the compiled kernel is there, why not, and the limits that both twins keep."""

from __future__ import annotations

import os

SWITCH = "ERRORBAR_KERNEL"
"""Environment variable: ``off`` makes the readable twins serve even where the kernel is compiled."""

DEFAULT_MAX_UNCHANGED = 2
"""How many unchanged words an edit may span, as in the official scorer."""
MAX_ARCS = 1 << 18
"""Entries of the arc list beyond which the search of ``errorbar.edits.large`` takes over."""
MAX_VERTICES = 2048
"""Vertices of the lattice beyond which it does so at once."""
MAX_CELLS = 1 << 25
"""Cells of the distance table, (source tokens + 1) * (hypothesis tokens + 1), beyond which a pair is refused."""
MAX_STATES = 1 << 28
"""States of the large search, (source tokens + 1 + reference insertions) * (hypothesis tokens + 1) *
(``max_unchanged`` + 2), for one annotator of a sentence, beyond which a pair is refused."""
MOST_ANNOTATORS = 4
"""How many times as many states the large search may have for all annotators of a sentence together."""


class PairTooLargeError(Exception):
    """A sentence pair is beyond the limits; whoever knows its place says so."""


def states_of(n_source: int, n_hypothesis: int, n_insertions: int, max_unchanged: int) -> int:
    """States of the large search for one annotator.

    Raises:
        PairTooLargeError: If there are too many.
    """
    states = (n_source + 1 + n_insertions) * (n_hypothesis + 1) * (max_unchanged + 2)
    if states > MAX_STATES:
        raise PairTooLargeError
    return states


try:
    from errorbar.edits import _kernel as _compiled
except ImportError:
    COMPILED = False
else:
    COMPILED = bool(_compiled)

KERNEL = COMPILED and os.environ.get(SWITCH, "").lower() != "off"


def explain() -> str:
    """Say which implementation is active and why."""
    if KERNEL:
        return "compiled kernel"
    if COMPILED:
        return f"readable twin, because {SWITCH}=off"
    return "readable twin, because no C compiler was found when errorbar was installed (same numbers, slower)"
