"""Many differences tested at once where texts and judges are drawn anew: step-down max-t over their joint distribution.

Formula
    Of S systems, n texts and m judges: E_es = sqrt((n - 1)/n) (U_s(-e) - mean) over texts, A_is likewise over judges,
    of the jackknife's values. Chance adds X = E'z + Sigma^(1/2) z' to the systems, z and z' standard normal;
    Sigma = A'A with d = m - 1 degrees of freedom, or drawn towards a prior covariance Sigma0 as
    (d0 Sigma0 + (m - 1) A'A) / (d0 + m - 1) with d = d0 + m - 1, negative eigenvalues set to 0. Runs add
    sqrt(V_R) z'' of each system's own. V = V_E + V_A + V_R of a pair is that of its interval.
    Moderated: T = |X_a - X_b| / sqrt(c V_E + c' V_A + c'' V_R), where c = chi2/(n - 1) and c' = chi2'/d are the same
    for all systems and c'' = chi2''/(R - 1) is not: the variances are estimates, and are drawn as such.
    Not moderated: T = |X_a - X_b| / sqrt(V), where each part of X is divided by the root of its c.
    p is adjusted step-down by the running maximum over the pairs that remain.
Conventions
    p = (1 + draws at least as extreme) / (1 + draws).
    The two ways to draw are the same where V has one part. Otherwise the second has longer tails. The variance that
    two or three judges show by themselves needs them: without, .07 to .28 of comparisons err. One that leans on a
    population does not: they would cost a quarter of the significant pairs with two judges.
Source
    Romano & Wolf 2005, JASA 100, for step-down; docs/judge-tests.md for error rates and power beside Holm's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pairs = Sequence[tuple[int, int]]
DRAWS = 10_000
"""How many draws the p-values rest on."""


@dataclass(frozen=True, slots=True)
class JointSpread:
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
