"""Logistic regression with a ridge, on a few hundred columns: what weighs scores against each other.

Formula
    p(error | x) = 1 / (1 + exp(-(b + w x))). Fitting makes the sum of -log p(label | x) + (ridge / 2) |w|^2 small.
Conventions
    By L-BFGS from w = 0. The constant b has no ridge. Columns should be of one scale: the ridge is the same for all.
Source
    le Cessie and van Houwelingen (1992) for the ridge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Columns: TypeAlias = "Floats | csr_matrix"
STEPS, ENOUGH = 1000, 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """A fitted regression: the constant, one weight for each column."""

    constant: float
    weights: Floats

    def log_odds(self, columns: Columns) -> Floats:
        """The natural logarithm of the odds of an error; shape (examples,)."""
        found: Floats = self.constant + columns @ self.weights
        return found


def fit_logistic(columns: Columns, labels: NDArray[np.bool_], ridge: float, enough: float = ENOUGH) -> Logistic:
    """Fit a regression; there must be an example with and one without the label.

    Args:
        columns: Shape (examples, columns), sparse or not.
        labels: Which examples are errors.
        ridge: Above 0, so that there is one best fit.
        enough: By what share of itself a step must make the sum smaller.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - loading it takes half a second; what is fitted needs none
    from scipy.special import expit  # noqa: PLC0415 - as above

    y = labels.astype(np.float64)
    start = np.zeros(columns.shape[1] + 1)
    start[0] = np.log(y.mean() / (1 - y.mean()))

    def loss(w: Floats) -> tuple[float, Floats]:
        odds = w[0] + columns @ w[1:]
        error = expit(odds) - y
        slope = np.concatenate([[error.sum()], columns.T @ error + ridge * w[1:]])
        return float((np.logaddexp(0, odds) - y * odds).sum() + ridge * (w[1:] @ w[1:]) / 2), slope

    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "ftol": enough, "gtol": enough}
    )
    return Logistic(float(found.x[0]), found.x[1:])
