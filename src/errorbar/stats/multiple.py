"""Many p-values at once: adjusted, so that each can be read on its own.

Formula
    For the m p-values in ascending order, p(1) to p(m):
    holm: running maximum of (m − i + 1) p(i).
    benjamini-hochberg: running minimum, from the largest down, of m p(i) / i.
    benjamini-yekutieli: the same times 1 + 1/2 + … + 1/m.
    All are cut at 1.
    A test whose p-value cannot be below e has, with Holm, at least (m − i + 1) e, where i − 1 others are below e.
Conventions
    Holm bounds the chance of a single false claim: use it for "A is better than B". Benjamini-Hochberg bounds the
    expected share of false ones among the claims: use it for tables of many error types. Benjamini-Yekutieli does so
    whatever the dependence.
Source
    Holm 1979, Scandinavian Journal of Statistics 6; Benjamini & Hochberg 1995, JRSS B 57; Benjamini & Yekutieli 2001,
    Annals of Statistics 29.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.errors import Problem, UsageError, nearest

AdjustMethod = Literal["holm", "benjamini-hochberg", "benjamini-yekutieli"]


def adjust(p_values: ArrayLike, *, method: AdjustMethod = "holm") -> NDArray[np.float64]:
    """Adjust p-values for their number.

    Args:
        p_values: Shape (m,). Leave out comparisons that have none.
        method: holm, benjamini-hochberg or benjamini-yekutieli.

    Returns:
        Adjusted p-values in the order given; each is compared with the level of all of them together.

    Raises:
        UsageError: A p-value is not between 0 and 1, or there is no such method.
    """
    p = np.asarray(p_values, np.float64).ravel()
    if not ((p >= 0) & (p <= 1)).all():
        raise UsageError(Problem("p-values", "not all p-values are numbers", expected="0 to 1"))
    if method not in get_args(AdjustMethod):
        fix = nearest(method, get_args(AdjustMethod))
        raise UsageError(Problem("adjust-method", f"no adjustment is called '{method}'", fix=fix))
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, p.size + 1)
    if method == "holm":
        ordered = np.maximum.accumulate((p.size - rank + 1) * p[order])
    else:
        factor = float(np.sum(1 / rank)) if method == "benjamini-yekutieli" else 1.0
        ordered = np.minimum.accumulate((factor * p.size * p[order] / rank)[::-1])[::-1]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(ordered, 1.0)
    return adjusted


def smallest_holm(p_values: ArrayLike, smallest: ArrayLike) -> NDArray[np.float64]:
    """The smallest p-value after Holm's adjustment that each test could have had, all others as they are.

    Where it is above the level, a test that is not significant says nothing.

    Args:
        p_values: As for adjust; shape (m,).
        smallest: The smallest p-value that each test can give, no larger than its p-value; shape (m,).
    """
    p, least = np.sort(np.asarray(p_values, np.float64)), np.asarray(smallest, np.float64)
    before = np.searchsorted(p, least, side="left")
    steps = np.maximum.accumulate((p.size - np.arange(p.size)) * p)
    earlier = np.where(before > 0, steps[np.maximum(before - 1, 0)], 0.0)
    return np.minimum(np.maximum(earlier, (p.size - before) * least), 1.0)
