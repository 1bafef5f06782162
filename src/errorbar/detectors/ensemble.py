"""Several selectors as one: a weighted sum of their scores, the weights fitted to native text that none was trained on.

Formula
    p(c | x) = exp(sum over j of w_j s_j(c, x)) / sum over k of exp(sum over j of w_j s_j(k, x)), s_j(c, x) the score of
    preposition c by selector j: a log-linear combination. The weights make the mean of -ln p(written | x) small.
Conventions
    By L-BFGS from weights that give every selector's scores a standard deviation of 1; no ridge: there are three
    weights and thousands of examples. A selector whose scores are the same for all prepositions gets no weight.
Source
    Och and Ney (2002) for log-linear combinations of models.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from errorbar.detectors.learning import Classes
from errorbar.detectors.maxent import log_probabilities
from errorbar.detectors.sparse import Floats


def fit_log_linear(scores: Sequence[Floats], right: Classes) -> Floats:
    """The weights of selectors.

    Args:
        scores: Of each selector, by context and preposition; shape (contexts, prepositions).
        right: The preposition that was written in each context.

    Returns:
        A weight for each selector.
    """
    spreads = [float(each.std(axis=1).mean()) for each in scores]
    used = [j for j, spread in enumerate(spreads) if spread > 0]
    table = np.stack([scores[j] / spreads[j] for j in used]) if used else np.zeros((0, *scores[0].shape))
    every = np.arange(len(right))
    written = table[:, every, right]

    def loss(weights: Floats) -> tuple[float, Floats]:
        log_p = log_probabilities(np.tensordot(weights, table, 1))
        expected = np.einsum("ec,jec->j", np.exp(log_p), table)
        return -float(log_p[every, right].mean()), (expected - written.sum(axis=1)) / len(right)

    weights = np.zeros(len(scores))
    if used:
        found = minimize(loss, np.ones(len(used)), jac=True, method="L-BFGS-B")
        weights[used] = found.x / np.array(spreads)[used]
    return weights


def log_linear(scores: Sequence[Floats], weights: Floats) -> Floats:
    """The weighted sum of selectors' scores; shape as of one of them."""
    found: Floats = np.tensordot(weights, np.stack(scores), 1)
    return found
