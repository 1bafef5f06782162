"""Many p-values at once: adjusted, so that each can be read on its own, and shown as letters beside a table of systems.

Formula
    For the m p-values in ascending order, p(1) to p(m):
    holm: running maximum of (m − i + 1) p(i).
    benjamini-hochberg: running minimum, from the largest down, of m p(i) / i.
    benjamini-yekutieli: the same times 1 + 1/2 + … + 1/m.
    All are cut at 1.
    A test whose p-value cannot be below e has, with Holm, at least (m − i + 1) e, where i − 1 others are below e.
    Systems that share a group letter do not differ significantly, all others do; inserted and absorbed pair by pair.
Conventions
    Holm bounds the chance of a single false claim: use it for "A is better than B". Benjamini-Hochberg bounds the
    expected share of false ones among the claims: use it for tables of many error types. Benjamini-Yekutieli does so
    whatever the dependence.
    Not significantly different does not mean equal, and need not be transitive: a system may share letters with two
    that differ from each other. An undecided pair, one whose p-value could not have been small however large the
    difference, is neither: its systems share no letter and differ in none. A system that has one carries a question
    mark; a letter of its own that says no more than that is left out.
Source
    Holm 1979, Scandinavian Journal of Statistics 6; Benjamini & Hochberg 1995, JRSS B 57; Benjamini & Yekutieli 2001,
    Annals of Statistics 29; letters: Piepho 2004, An algorithm for a letter-based representation of all-pairwise
    comparisons, Journal of Computational and Graphical Statistics 13(2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.arrays import Floats
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.stats.resampling import ROUNDING

Adjust = Literal["max-t", "holm"]
"""How the p-values of many pairs of systems are adjusted for the number of pairs."""
ADJUSTMENTS: tuple[Adjust, ...] = get_args(Adjust)

AdjustMethod = Literal["holm", "benjamini-hochberg", "benjamini-yekutieli"]
UNDECIDED_MARK = "?"  # behind the group letters of a system with an undecided pair
MOST_GROUPS, NO_LETTERS = 60, "–"
"""Groups of a display, and what stands for the letters where there would be more: there can be exponentially many."""


def adjust(p_values: ArrayLike, *, method: AdjustMethod = "holm") -> Floats:
    """Adjust p-values, shape (m,), for their number; each is then compared with the level of all of them together.

    Leave out comparisons that have none.
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


def smallest_holm(p_values: ArrayLike, smallest: ArrayLike) -> Floats:
    """The smallest p-value after Holm's adjustment that each test could have had, all others as they are.

    Where it is above the level, a test that is not significant says nothing. ``smallest`` is the smallest p-value that
    each test can give, no larger than its p-value; both of shape (m,).
    """
    p, least = np.sort(np.asarray(p_values, np.float64)), np.asarray(smallest, np.float64)
    before = np.searchsorted(p, least, side="left")
    steps = np.maximum.accumulate((p.size - np.arange(p.size)) * p)
    earlier = np.where(before > 0, steps[np.maximum(before - 1, 0)], 0.0)
    return np.minimum(np.maximum(earlier, (p.size - before) * least), 1.0)


def step_down_max_t(
    observed: ArrayLike, swapped: ArrayLike, *, exact: bool = False, p_values: ArrayLike | None = None
) -> Floats:
    """Adjust the p-values of many pairs of systems for their number.

    Formula
        d_k is the difference of pair k, D_k(r) its difference after way r to swap, the same way for every pair. s_k is
        the standard deviation of its swapped differences about 0, their mean over all ways: s_k² = mean of D_k(r)²;
        where ways were drawn, d_k² is one of the R + 1 terms. t_k = |d_k| / s_k and T_k(r) = |D_k(r)| / s_k. In the
        order of falling t, p_k is the share of ways in which the largest T of k and all later pairs is at least t_k: (c
        + 1) / (R + 1) of R random ways, c / R where they are all there are. A p-value is no smaller than the one before
        it, nor than the unadjusted one. The smallest p-value that pair k could have had is that of the largest
        difference its outputs give under any way to swap, with all other pairs as they are.
    Conventions
        The smallest value is 1 / (R + 1) whatever the number of pairs. Differences that agree but for rounding are
        equal, and those that differ from 0 by rounding only are 0; a pair that is 0 under every way has p = 1. An
        undefined difference (NaN) after a swap counts as larger than any. Each pair is swapped within itself: alone its
        p-value is exact. Signs that are common to all pairs keep their covariances, so that the chance of a single
        false claim is bounded by the level as documents grow in number; docs/measurements/intervals.md has it for few
        documents. Step-down needs no pair's null hypothesis for another one.
    Source
        Westfall & Young 1993, Resampling-based multiple testing, algorithm 2.8; Romano & Wolf 2005, Exact and
        approximate stepdown methods for multiple hypothesis testing, JASA 100 (studentized: section 4). That the
        smallest p-value a test can give decides what it can say: Tarone 1990, Biometrics 46.

    Args:
        observed: The difference of each pair; shape (pairs,).
        swapped: Differences after swapping, the same ways for every pair; shape (pairs, replicates).
        exact: The ways are all there are, the one that swaps nothing included.
        p_values: Unadjusted p-values, where they were found in another way (all ways of a pair with few units); an
            adjusted one is never smaller. None: only ``swapped`` counts.

    Raises:
        UsageError: The shapes do not fit, there is no replicate, or an observed difference is not a number.
    """
    values, table, spread = _check_swaps(observed, swapped, exact)
    t = _over(np.abs(values), spread)
    slack = _over(ROUNDING * np.maximum(1.0, np.abs(values)), spread)
    order = np.argsort(-t, kind="stable")
    adjusted = np.empty(len(t))
    largest = np.zeros(table.shape[1])
    for k in order[::-1]:
        largest = np.maximum(largest, _scale_differences(table[k], spread[k]))
        adjusted[k] = _share(largest >= t[k] - slack[k], exact)
    if p_values is not None:
        adjusted = np.maximum(adjusted, np.asarray(p_values, np.float64))
    adjusted[order] = np.maximum.accumulate(adjusted[order])
    return adjusted


def smallest_max_t(
    observed: ArrayLike, swapped: ArrayLike, furthest: ArrayLike, p_adjusted: ArrayLike, *, exact: bool = False
) -> Floats:
    """The smallest adjusted p-value that each pair could have had, had one system been ahead wherever the two differ.

    Where it is above the level, that the pair does not differ significantly is no finding. ``furthest`` is the largest
    difference of each pair under any way to swap, in size, as far as it is known (those observed and in ``swapped``
    count too); ``p_adjusted`` is what step_down_max_t found of the same.
    """
    values, table, spread = _check_swaps(observed, swapped, exact)
    t = _over(np.abs(values), spread)
    own = [_scale_differences(row, s).max() for row, s in zip(table, spread, strict=True)]
    reach = np.maximum.reduce([_over(np.abs(np.asarray(furthest, np.float64)), spread), np.array(own), t])
    adjusted = np.asarray(p_adjusted, np.float64)
    # Swapping nothing and swapping everything are two of all ways.
    least = min(1.0, 2 / table.shape[1]) if exact else 1 / (table.shape[1] + 1)
    rising, later = np.argsort(t, kind="stable"), 0
    smallest = np.empty(len(t))
    largest = np.zeros(table.shape[1])
    for k in np.argsort(reach, kind="stable"):
        while later < len(t) and t[rising[later]] < reach[k]:
            largest = np.maximum(largest, _scale_differences(table[rising[later]], spread[rising[later]]))
            later += 1
        earlier = adjusted[rising[later]] if later < len(t) else 0.0  # the largest of those that come before
        smallest[k] = max(earlier, least, _share(largest > reach[k], exact))
    return np.minimum(smallest, adjusted)


def _check_swaps(observed: ArrayLike, swapped: ArrayLike, exact: bool) -> tuple[Floats, Floats, Floats]:
    """The differences, those after swapping, and the standard deviation about 0 of each pair."""
    values, table = np.asarray(observed, np.float64), np.asarray(swapped, np.float64)
    if values.ndim != 1 or table.ndim != 2 or len(table) != len(values) or not table.shape[1]:
        message = f"{values.shape} differences and {table.shape} after swapping"
        raise UsageError(Problem("max-t-shape", message, expected="(pairs,) and (pairs, replicates)"))
    if not np.isfinite(values).all():
        raise UsageError(Problem("max-t-values", "not all differences are numbers", fix="leave those pairs out"))
    spread = np.zeros(len(values))
    for k, row in enumerate(table):
        known = row[~np.isnan(row)]
        squares, n = (float(known @ known), known.size) if exact else (known @ known + values[k] ** 2, known.size + 1)
        spread[k] = np.sqrt(squares / n) if n else 0.0
    return values, table, np.where(spread > ROUNDING, spread, 0.0)


def _over(values: Floats, spread: Floats) -> Floats:
    return np.divide(values, spread, out=np.zeros_like(values), where=spread > 0)


def _scale_differences(row: Floats, spread: float) -> Floats:
    """T of one pair under every way."""
    sizes = np.abs(row) / spread if spread > 0 else np.zeros_like(row)
    sizes[np.isnan(row)] = np.inf
    return sizes


def _share(extreme: NDArray[np.bool_], exact: bool) -> float:
    more = 0 if exact else 1
    return (int(np.count_nonzero(extreme)) + more) / (extreme.size + more)


def letter(number: int) -> str:
    """The name of a row: a to z, aa, ab and so on."""
    before, at = divmod(number, len(ascii_lowercase))
    return (letter(before - 1) if before else "") + ascii_lowercase[at]


def better_rows(values: ArrayLike, p_values: ArrayLike, *, alpha: float = 0.05) -> list[tuple[int, ...]]:
    """List for each system the rows of those it is significantly better than: p at most alpha, higher value.

    ``values`` are in the order of the table; p-values are adjusted, symmetric, NaN where a pair has none.
    """
    scores = np.asarray(values, np.float64)
    better = _differ(p_values, alpha, scores.size) & (scores[:, None] > scores[None, :])
    return [tuple(np.flatnonzero(row).tolist()) for row in better]


def shared_letters(p_values: ArrayLike, *, alpha: float = 0.05, undecided: ArrayLike | None = None) -> list[str]:
    """The compact letter display: systems that differ significantly share no letter, all others share one.

    Rows of ``p_values`` run from the best system to the worst, so that letters run with the rank. ``undecided`` pairs
    are symmetric like the p-values. All get ``NO_LETTERS`` where there would be more than ``MOST_GROUPS`` letters.
    """
    differ = _differ(p_values, alpha, len(np.asarray(p_values)))
    n = len(differ)
    open_ = np.zeros((n, n), bool) if undecided is None else np.asarray(undecided, bool)
    if open_.shape != (n, n) or not np.array_equal(open_, open_.T):
        raise UsageError(Problem("p-value-table", "undecided pairs do not fit", expected=f"symmetric, {n} x {n}"))
    groups = _groups(n, np.argwhere(np.triu(differ | open_)).tolist())
    if groups is None:
        return [NO_LETTERS] * n
    groups = [group for group in groups if len(group) > 1 or not open_[list(group)].any()]
    return [
        "".join(letter(k) for k, group in enumerate(groups) if row in group) + UNDECIDED_MARK * bool(open_[row].any())
        for row in range(n)
    ]


def _groups(n: int, apart: list[list[int]]) -> list[frozenset[int]] | None:
    """The largest groups without a pair that must be apart; None if they are more than ``MOST_GROUPS``."""
    groups = [frozenset(range(n))]
    for pair in map(frozenset, apart):
        kept = [group for group in groups if not pair <= group]
        smaller = dict.fromkeys(group - {k} for group in groups if pair <= group for k in sorted(pair))
        groups = list(
            dict.fromkeys([*kept, *(new for new in smaller if not any(new < old for old in (*kept, *smaller)))])
        )
        if len(groups) > MOST_GROUPS:
            return None
    # Absorbing leaves letters that others make superfluous: drop those whose every pair stands together elsewhere.
    groups.sort(key=sorted)
    for group in groups[::-1]:
        others = [other for other in groups if other != group]
        if all(group <= frozenset[int]().union(*(other for other in others if row in other)) for row in group):
            groups.remove(group)
    return groups


def _differ(p_values: ArrayLike, alpha: float, n: int) -> NDArray[np.bool_]:
    p = np.asarray(p_values, np.float64)
    off = ~np.eye(n, dtype=bool)
    if p.shape != (n, n) or not np.array_equal(p[off], p.T[off], equal_nan=True):
        raise UsageError(Problem("p-value-table", "the p-values of pairs do not fit", expected=f"symmetric, {n} x {n}"))
    return (p <= alpha) & off


# Many differences tested at once where texts and judges are drawn anew: step-down max-t over their joint distribution.
#
# Formula
#     Of S systems, n texts and m judges: E_es = sqrt((n - 1)/n) (U_s(-e) - mean) over texts, A_is likewise over judges,
#     of the jackknife's values. Chance adds X = E'z + Sigma^(1/2) z' to the systems, z and z' standard normal;
#     Sigma = A'A with d = m - 1 degrees of freedom, or drawn towards a prior covariance Sigma0 as
#     (d0 Sigma0 + (m - 1) A'A) / (d0 + m - 1) with d = d0 + m - 1, negative eigenvalues set to 0. Runs add
#     sqrt(V_R) z'' of each system's own. V = V_E + V_A + V_R of a pair is that of its interval.
#     Moderated: T = |X_a - X_b| / sqrt(c V_E + c' V_A + c'' V_R), where c = chi2/(n - 1) and c' = chi2'/d are the same
#     for all systems and c'' = chi2''/(R - 1) is not: the variances are estimates, and are drawn as such.
#     Not moderated: T = |X_a - X_b| / sqrt(V), where each part of X is divided by the root of its c.
#     p is adjusted step-down by the running maximum over the pairs that remain.
# Conventions
#     p = (1 + draws at least as extreme) / (1 + draws).
#     The two ways to draw are the same where V has one part. Otherwise the second has longer tails. The variance that
#     two or three judges show by themselves needs them: without, .07 to .28 of comparisons err. One that leans on a
#     population does not: they would cost a quarter of the significant pairs with two judges.
# Source
#     Romano & Wolf 2005, JASA 100, for step-down; docs/measurements/judge-tests.md for error rates and power beside
#     Holm's.


Pairs = Sequence[tuple[int, int]]
DRAWS = 10_000
"""How many draws the p-values rest on."""


class JointSpread(NamedTuple):
    """How the scores of several systems vary together."""

    texts: Floats  # E, shape (texts, systems)
    judges: Floats  # Sigma, shape (systems, systems); zeros where judges are fixed
    judges_df: float
    runs: Floats  # V_R of each system; shape (systems,)
    runs_df: Floats
    moderated: bool = False  # whether Sigma leans on a prior covariance

    def variances(self, pairs: Pairs) -> tuple[Floats, Floats]:
        """V_E and V_A of pairs."""
        first, second = np.array(pairs).T
        own = np.diag(self.judges)
        judges = own[first] + own[second] - 2 * self.judges[first, second]
        texts = np.sum((self.texts[:, first] - self.texts[:, second]) ** 2, axis=0)
        return np.asarray(texts, np.float64), np.maximum(judges, 0.0)

    def draw_t(self, pairs: Pairs, n: int, rng: np.random.Generator) -> Floats:
        """Draw T of pairs, as if no systems differed; shape (n, pairs)."""
        first, second = np.array(pairs).T
        n_texts, n_systems = self.texts.shape
        chance = rng.standard_normal((n, n_texts)) @ self.texts
        factor = _variance_factor(n_texts - 1, n, rng)
        of_texts, of_judges = self.variances(pairs)
        variance = factor * of_texts if self.moderated else of_texts[None]
        if not self.moderated:
            chance /= np.sqrt(factor)
        if self.judges.any():
            values, vectors = np.linalg.eigh(self.judges)
            drawn = rng.standard_normal((n, n_systems)) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
            factor = _variance_factor(self.judges_df, n, rng)
            chance += drawn if self.moderated else drawn / np.sqrt(factor)
            variance = variance + (factor if self.moderated else 1.0) * of_judges
        for system in np.flatnonzero(self.runs):
            own = np.sqrt(self.runs[system]) * rng.standard_normal((n, 1))
            factor = _variance_factor(self.runs_df[system], n, rng)
            chance[:, [system]] += own if self.moderated else own / np.sqrt(factor)
            concerned = (first == system) | (second == system)
            variance = variance + (factor if self.moderated else 1.0) * self.runs[system] * concerned
        return np.asarray(np.abs(chance[:, first] - chance[:, second]) / np.sqrt(variance), np.float64)


def _variance_factor(df: float, n: int, rng: np.random.Generator) -> Floats:
    """How many times itself a variance is estimated to be; shape (n, 1)."""
    return rng.chisquare(df, (n, 1)) / df


def scaled_influence(without: Floats) -> Floats:
    """Values with one of n left out, so that squares add up to the jackknife's variance; shape (n, systems)."""
    n = len(without)
    return np.asarray(np.sqrt((n - 1) / n) * (without - without.mean(axis=0)), np.float64)


def max_t_p_values(
    spread: JointSpread, pairs: Pairs, t: Floats, blocks: Iterator[tuple[int, np.random.Generator]]
) -> tuple[Floats, float]:
    """Adjusted p-values of pairs, and the least that there can be.

    Args:
        spread: How the systems vary together.
        pairs: Numbers of the systems of each pair.
        t: |D| / sqrt(V) of each pair; shape (pairs,).
        blocks: How many draws each block has, and its generator.
    """
    order = np.argsort(-t, kind="stable")
    ordered, observed = [pairs[place] for place in order], t[order]
    extreme, n_drawn = np.zeros(len(order)), 0
    for n, rng in blocks:
        drawn = spread.draw_t(ordered, n, rng)
        largest = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]  # of the pairs that remain
        extreme += (largest >= observed).sum(axis=0)
        n_drawn += n
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate((1 + extreme) / (1 + n_drawn))
    return adjusted, 1 / (1 + n_drawn)
