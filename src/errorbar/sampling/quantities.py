"""What is estimated, as functions of the errors in each stratum, with derivatives.

Formula
    T_h are the errors of stratum h, N_h its size, a_h = 1 if the system flags it, else 0. H = Σ a_h T_h (hits),
    A = Σ T_h, F₁ = Σ a_h N_h. P = H / F₁; R = H / A; F = (1 + β²) H / (β² A + F₁); the rate of misses among what is
    not flagged, Q = (A − H) / Σ (1 − a_h) N_h.
    ∂P = a_h / F₁; ∂R = (a_h − R) / A; ∂F = ((1 + β²) a_h − β² F) / (β² A + F₁); ∂Q = (1 − a_h) / Σ (1 − a_h) N_h.
Conventions
    R is NaN where there is no error. P exists always: a system that flags nothing is refused before.
Source
    Tetreault and Chodorow 2008, section 5; van Rijsbergen's F.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from errorbar.sampling.strata import Floats, Strata

Target = Literal["P", "R", "F"]
Name = Literal["P", "R", "F", "Q"]
TARGETS: tuple[Target, ...] = ("P", "R", "F")


def quantity(name: Name, totals: Floats, strata: Strata, *, system: int = 0, beta: float = 1.0) -> Floats:
    """The value of a quantity.

    Args:
        name: P, R, F, or Q, the rate of misses among unflagged items.
        totals: Errors in each stratum; shape (..., strata).
        strata: The strata.
        system: Which system.
        beta: Weight of recall in F.

    Returns:
        Shape (...); NaN where undefined.
    """
    flags = strata.flags[system]
    hits, errors = totals[..., flags].sum(axis=-1), totals.sum(axis=-1)
    flagged = float(strata.sizes[flags].sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        if name == "P":
            return np.asarray(hits / flagged)
        if name == "R":
            return np.asarray(hits / errors)
        if name == "F":
            return np.asarray((1 + beta**2) * hits / (beta**2 * errors + flagged))
        return np.asarray((errors - hits) / float(strata.sizes[~flags].sum()))


def gradient(name: Name, totals: Floats, strata: Strata, *, system: int = 0, beta: float = 1.0) -> Floats:
    """The derivative of a quantity by the errors of each stratum.

    Args:
        name: As in ``quantity``, as the other arguments.
        totals: Errors in each stratum; shape (..., strata).
        strata: The strata.
        system: Which system.
        beta: Weight of recall in F.

    Returns:
        Shape (..., strata).
    """
    flags = strata.flags[system]
    flagged = float(strata.sizes[flags].sum())
    one = np.broadcast_to(flags.astype(np.float64), totals.shape)
    if name == "P":
        return one / flagged
    if name == "Q":
        return (1 - one) / float(strata.sizes[~flags].sum())
    value = quantity(name, totals, strata, system=system, beta=beta)[..., None]
    errors = totals.sum(axis=-1)[..., None]
    if name == "R":
        return np.asarray((one - value) / errors)
    return np.asarray(((1 + beta**2) * one - beta**2 * value) / (beta**2 * errors + flagged))
