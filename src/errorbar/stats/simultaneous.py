"""Many differences tested at once where texts and judges are drawn anew: step-down max-t over their joint distribution.

Formula
    Of S systems, n texts and m judges: E_es = sqrt((n - 1)/n) (U_s(-e) - mean) over texts, A_is likewise over judges,
    of the jackknife's values. What chance adds to the systems is drawn as
    X = E'z sqrt((n - 1)/chi2) + Sigma^(1/2) z' sqrt(d/chi2'), one chi2 with n - 1, one chi2' with d degrees of freedom
    for all systems, z and z' standard normal; Sigma = A'A with d = m - 1, or drawn towards a prior covariance
    Sigma0 as (d0 Sigma0 + (m - 1) A'A) / (d0 + m - 1) with d = d0 + m - 1, negative eigenvalues set to 0. Runs add
    sqrt(V_R) z'' sqrt(R - 1)/chi'' of each system's own. A pair's T is |X_a - X_b| / sqrt(V), V the variance of its
    own interval; p is adjusted step-down by the running maximum over the pairs that remain.
Conventions
    p = (1 + draws at least as extreme) / (1 + draws), and never below the p-value of the pair's own t.
Source
    Romano & Wolf 2005, JASA 100, for step-down; docs/judges.md for error rates and power beside Holm's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
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

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """What chance adds to the systems; shape (n, systems)."""
        n_texts, n_systems = self.texts.shape
        drawn = rng.standard_normal((n, n_texts)) @ self.texts * _stretch(n_texts - 1, n, rng)
        if self.judges.any():
            values, vectors = np.linalg.eigh(self.judges)
            root = vectors * np.sqrt(np.maximum(values, 0.0))
            drawn += rng.standard_normal((n, n_systems)) @ root.T * _stretch(self.judges_df, n, rng)
        for system in np.flatnonzero(self.runs):
            own = np.sqrt(self.runs[system]) * rng.standard_normal(n)
            drawn[:, system] += own * _stretch(self.runs_df[system], n, rng)[:, 0]
        return np.asarray(drawn, np.float64)


def _stretch(df: float, n: int, rng: np.random.Generator) -> Floats:
    """What makes normal numbers those of a t; shape (n, 1)."""
    return np.sqrt(df / rng.chisquare(df, (n, 1)))


def scaled_influence(without: Floats) -> Floats:
    """Values with one of n left out, so that squares add up to the jackknife's variance; shape (n, systems)."""
    n = len(without)
    return np.asarray(np.sqrt((n - 1) / n) * (without - without.mean(axis=0)), np.float64)


def max_t_p_values(
    spread: JointSpread,
    pairs: Sequence[tuple[int, int]],
    t: Floats,
    variances: Floats,
    blocks: Iterator[tuple[int, np.random.Generator]],
) -> tuple[Floats, float]:
    """Adjusted p-values of pairs, and the least that there can be.

    Args:
        spread: How the systems vary together.
        pairs: Numbers of the systems of each pair.
        t: |D| / sqrt(V) of each pair; shape (pairs,).
        variances: V of each pair; shape (pairs,).
        blocks: How many draws each block has, and its generator.
    """
    order = np.argsort(-t, kind="stable")
    first, second = np.array(pairs)[order].T
    scale, observed = np.sqrt(variances[order]), t[order]
    extreme, drawn = np.zeros(len(order)), 0
    for n, rng in blocks:
        chance = spread.draw(n, rng)
        apart = np.abs(chance[:, first] - chance[:, second]) / scale
        remaining = np.maximum.accumulate(apart[:, ::-1], axis=1)[:, ::-1]
        extreme += (remaining >= observed).sum(axis=0)
        drawn += n
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate((1 + extreme) / (1 + drawn))
    return adjusted, 1 / (1 + drawn)
