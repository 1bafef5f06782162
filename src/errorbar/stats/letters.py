"""Letters for a table of systems: which is significantly better than which.

Formula
    Two ways to show a matrix of pairwise results. ``better_letters``: each system has a letter, and a row lists the
    letters of those it is significantly better than. ``shared_letters`` (compact letter display): systems that share
    a letter are not significantly different, and all others are; letters are inserted and absorbed pair by pair.
Conventions
    Not significantly different does not mean equal, and need not be transitive: a system may share letters with two
    that differ from each other.
    An undecided pair, one whose p-value could not have been small however large the difference, is neither: its systems
    share no letter and differ in none. A system that has one carries a question mark; a letter of its own that says no
    more than that is left out.
Source
    Piepho 2004, An algorithm for a letter-based representation of all-pairwise comparisons, Journal of Computational
    and Graphical Statistics 13(2).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from string import ascii_lowercase

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError

UNDECIDED = "?"
"""Behind the group letters of a system with an undecided pair."""
MOST_GROUPS = 60
"""Groups of a display; there can be exponentially many, and nobody reads more."""
NO_LETTERS = "–"
"""What stands for the letters where there would be more groups."""


def letter(number: int) -> str:
    """The name of a row: a to z, aa, ab and so on."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, len(ascii_lowercase))
        name = ascii_lowercase[rest] + name
    return name


def better_letters(values: ArrayLike, p_values: ArrayLike, *, alpha: float = 0.05) -> list[tuple[str, ...]]:
    """For each system the letters of those it is significantly better than.

    Args:
        values: The systems' scores in the order of the table; shape (systems,).
        p_values: Adjusted p-value of each pair, NaN where there is none; symmetric, shape (systems, systems). The
            diagonal is not read.
        alpha: A pair differs significantly where its p-value is at most this.

    Raises:
        UsageError: The table is not symmetric or has another size.
    """
    scores = np.asarray(values, np.float64)
    differ = _differ(p_values, alpha, scores.size)
    better = differ & (scores[:, None] > scores[None, :])
    return [tuple(letter(int(other)) for other in np.flatnonzero(row)) for row in better]


def shared_letters(p_values: ArrayLike, *, alpha: float = 0.05, undecided: ArrayLike | None = None) -> list[str]:
    """The compact letter display: systems that differ significantly share no letter, all others share one.

    Args:
        p_values: As for better_letters, rows from the best system to the worst, so that letters run with the rank.
        alpha: A pair differs significantly where its p-value is at most this.
        undecided: Pairs of which nothing can be said; symmetric, shape (systems, systems). Their systems share no
            letter either, and a question mark stands behind the letters of both. None: there are none.

    Returns:
        The letters of each system; ``NO_LETTERS`` for all of them where there would be more than ``MOST_GROUPS``.

    Raises:
        UsageError: A table is not symmetric.
    """
    differ = _differ(p_values, alpha, len(np.asarray(p_values)))
    n = len(differ)
    open_ = np.zeros((n, n), bool) if undecided is None else np.asarray(undecided, bool)
    if open_.shape != (n, n) or not np.array_equal(open_, open_.T):
        raise UsageError(Problem("p-value-table", "undecided pairs do not fit", expected=f"symmetric, {n} x {n}"))
    groups = _groups(n, [(int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(differ | open_)), strict=True)])
    if groups is None:
        return [NO_LETTERS] * n
    members = [frozenset(row for row in range(n) if group >> row & 1) for group in groups]
    members.sort(key=sorted)
    members = [group for group in members if len(group) > 1 or not open_[list(group)].any()]
    return [
        "".join(letter(k) for k, group in enumerate(members) if row in group) + UNDECIDED * bool(open_[row].any())
        for row in range(n)
    ]


def _groups(n: int, apart: Iterable[tuple[int, int]]) -> list[int] | None:
    """The largest groups without a pair that must be apart, as bits; None if they are more than ``MOST_GROUPS``."""
    groups = [(1 << n) - 1]
    for i, j in apart:
        both = 1 << i | 1 << j
        kept = [group for group in groups if group & both != both]
        made = dict.fromkeys(group & ~(1 << k) for group in groups if group & both == both for k in (i, j))
        groups = kept + [new for new in made if not any(new & old == new != old for old in (*kept, *made))]
        groups = list(dict.fromkeys(groups))
        if len(groups) > MOST_GROUPS:
            return None
    # Absorbing leaves letters that others make superfluous: drop those whose every pair stands together elsewhere.
    groups.sort(key=lambda group: [row for row in range(n) if group >> row & 1])
    for group in list(groups)[::-1]:
        others = [other for other in groups if other != group]
        together = (reduce(or_, (o for o in others if o >> row & 1), 0) for row in range(n) if group >> row & 1)
        if all(group & seen == group for seen in together):
            groups.remove(group)
    return groups


def _differ(p_values: ArrayLike, alpha: float, n: int) -> NDArray[np.bool_]:
    p = np.asarray(p_values, np.float64)
    off = ~np.eye(n, dtype=bool)
    if p.shape != (n, n) or not np.array_equal(p[off], p.T[off], equal_nan=True):
        raise UsageError(Problem("p-value-table", "the p-values of pairs do not fit", expected=f"symmetric, {n} x {n}"))
    return (p <= alpha) & off
