"""Correct, proposed and reference edits, and the P, R and F made from them."""

from __future__ import annotations

from typing import NamedTuple

from errorbar.core import Estimate, Undefined


class Counts(NamedTuple):
    """Edit counts.

    Attributes:
        correct: Proposed edits that match the reference (tp).
        proposed: Edits of the hypothesis (tp + fp).
        gold: Edits of the reference (tp + fn).
    """

    correct: int
    proposed: int
    gold: int

    @property
    def precision(self) -> float:
        """P = correct / proposed; 1.0 where nothing is proposed (the official scorer's convention)."""
        return self.correct / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        """R = correct / gold; 1.0 where the reference has nothing (the official scorer's convention)."""
        return self.correct / self.gold if self.gold else 1.0

    def f(self, beta: float) -> float:
        """F = (1 + beta²) P R / (beta² P + R); 0.0 where P and R are both 0.

        Source: van Rijsbergen 1979; computed from P and R, as the official M2 scorer does, to the last bit.
        """
        p, r = self.precision, self.recall
        denominator = beta * beta * p + r
        return (1.0 + beta * beta) * p * r / denominator if denominator else 0.0

    def estimates(self, beta: float, n_units: int) -> tuple[Estimate, Estimate, Estimate]:
        """P, R and F as estimates that name the empty case where a convention fills it."""
        if n_units == 0:
            nothing = Estimate(None, 0, undefined=Undefined.NO_UNITS)
            return nothing, nothing, nothing
        no_p = None if self.proposed else Undefined.NOTHING_PROPOSED
        no_r = None if self.gold else Undefined.NOTHING_IN_REFERENCE
        f = self.f(beta)
        no_f = no_p if f else Undefined.NOTHING_CORRECT  # where F is above 0, P and R are both defined or both not
        return (
            Estimate(self.precision, n_units, undefined=no_p),
            Estimate(self.recall, n_units, undefined=no_r),
            Estimate(f, n_units, undefined=no_f),
        )
