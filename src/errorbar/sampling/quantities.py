"""What is estimated, as functions of the errors in each stratum, with derivatives.

Formula
    T_h are the errors of stratum h, N_h its size, a_h = 1 if the system flags it, else 0. H = Σ a_h T_h (hits),
    A = Σ T_h, F₁ = Σ a_h N_h. P = H / F₁; R = H / A; F = (1 + β²) H / (β² A + F₁); the rate of misses among what is
    not flagged, Q = (A − H) / Σ (1 − a_h) N_h.
    ∂P = a_h / F₁; ∂R = (a_h − R) / A; ∂F = ((1 + β²) a_h − β² F) / (β² A + F₁); ∂Q = (1 − a_h) / Σ (1 − a_h) N_h.
    With totals T_h of variances V_h: Var θ = Σ ∂θ_h² V_h.
Conventions
    R is NaN where there is no error. P exists always: a system that flags nothing is refused before.
Source
    Tetreault and Chodorow 2008, section 5; van Rijsbergen's F.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.sampling.strata import Floats, Strata

Target = Literal["P", "R", "F"]
Name = Literal["P", "R", "F", "Q"]
TARGETS: tuple[Target, ...] = ("P", "R", "F")


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """A score of one system as a function of the errors in each stratum.

    Attributes:
        name: P, R, F, or Q, the rate of misses among unflagged items.
        strata: The strata.
        system: Which system.
        beta: Weight of recall in F.
    """

    name: Name
    strata: Strata
    system: int = 0
    beta: float = 1.0

    @property
    def flags(self) -> NDArray[np.bool_]:
        """Whether the system flags the items of each stratum; shape (strata,)."""
        return np.asarray(self.strata.flags[self.system])

    @property
    def flagged(self) -> float:
        """Items that the system flags."""
        return float(self.strata.n_flagged(self.system))

    @property
    def unflagged(self) -> float:
        """Items that it does not flag."""
        return float(self.strata.sizes[~self.flags].sum())

    def value(self, totals: Floats) -> Floats:
        """The value for errors of shape (..., strata); shape (...), NaN where undefined."""
        hits, errors = totals[..., self.flags].sum(axis=-1), totals.sum(axis=-1)
        square = self.beta**2
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.name == "P":
                return np.asarray(hits / self.flagged)
            if self.name == "R":
                return np.asarray(hits / errors)
            if self.name == "F":
                return np.asarray((1 + square) * hits / (square * errors + self.flagged))
            return np.asarray((errors - hits) / self.unflagged)

    def gradient(self, totals: Floats) -> Floats:
        """The derivative by the errors of each stratum; shape (..., strata)."""
        one = np.broadcast_to(self.flags.astype(np.float64), totals.shape)
        if self.name == "P":
            return one / self.flagged
        if self.name == "Q":
            return (1 - one) / self.unflagged
        value = self.value(totals)[..., None]
        errors = totals.sum(axis=-1)[..., None]
        if self.name == "R":
            return np.asarray((one - value) / errors)
        square = self.beta**2
        return np.asarray(((1 + square) * one - square * value) / (square * errors + self.flagged))

    def standard_error(self, totals: Floats, variances: Floats) -> Floats:
        """The standard error of the value; shape (...)."""
        return np.asarray(np.sqrt((self.gradient(totals) ** 2 * variances).sum(axis=-1)))
