"""Bradley–Terry: strengths whose differences are the log odds of winning.

Formula
    P(i beats j) = 1 / (1 + exp(θ_j − θ_i)). θ maximizes the likelihood of the wins; Σ θ = 0. Newton's method: the
    gradient is g_i = Σ_j (w_ij − n_ij P_ij), the information H_ij = −n_ij P_ij (1 − P_ij), with rows that sum to 0.
Conventions
    Ties: ``half``, half a win for each; ``ignore``, left out. Natural logarithms. The maximum exists only where each
    system is reached from each other one by a chain of wins (Ford's condition); else all values are NaN. Unlike
    Expected Wins, a win over a strong system counts for more.
Source
    Bradley & Terry 1952, Biometrika 39; Ford 1957, American Mathematical Monthly 64(8); Hunter 2004, MM algorithms for
    generalized Bradley-Terry models, Annals of Statistics 32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errorbar.ranking.counts import Counts, Floats

_STEPS = 100
_LONGEST = 2.0
"""The longest step of a strength, so that a far start cannot overshoot."""
_ENOUGH = 1e-12


def bradley_terry(counts: Counts, *, half_ties: bool = True) -> Floats:
    """Log strengths of every system.

    Args:
        counts: Wins and ties; shape (..., systems, systems).
        half_ties: A tie is half a win for each; else ties are left out.

    Returns:
        Shape (..., systems), each row with the sum 0; NaN where there is no maximum.
    """
    won = counts.wins + (counts.ties / 2 if half_ties else 0.0)
    size = won.shape[-1]
    wins = won.reshape(-1, size, size)
    theta = np.full((len(wins), size), np.nan)
    found = connected(wins)
    if found.any() and size > 1:
        theta[found] = _maximum(wins[found])
    return theta.reshape(won.shape[:-1])


def connected(wins: Floats) -> NDArray[np.bool_]:
    """Whether a chain of wins leads from each system to each other; shape (batch,) for (batch, systems, systems)."""
    from scipy import sparse  # noqa: PLC0415 - loading it takes a while
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    parts = (connected_components(sparse.csr_matrix(each > 0), connection="strong")[0] for each in wins)
    return np.fromiter((number <= 1 for number in parts), np.bool_, len(wins))


def _maximum(wins: Floats) -> Floats:
    n = wins + wins.transpose(0, 2, 1)
    size = wins.shape[-1]
    theta = np.zeros(wins.shape[:2])
    diagonal = np.arange(size)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(np.clip(theta[:, None, :] - theta[:, :, None], -700, 700)))
        gradient = (wins - n * p).sum(axis=2)
        information = -n * p * (1 - p)
        information[:, diagonal, diagonal] = 0
        information[:, diagonal, diagonal] = -information.sum(axis=2)
        # The matrix has no inverse along (1, ..., 1); adding that direction keeps the sum at 0.
        step = np.linalg.solve(information + 1 / size, gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        theta += step * np.minimum(1, _LONGEST / np.maximum(longest, _LONGEST))
        theta -= theta.mean(axis=1, keepdims=True)
        if longest.max() < _ENOUGH:
            break
    return theta
