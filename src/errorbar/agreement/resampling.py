"""Draws of one generator used in order, for crowd scores until they draw as everything else does.

What is new takes ``errorbar.stats.resampling.Resampling`` and ``errorbar.stats.units``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from errorbar.agreement.estimating import Kernel
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.stats.distributions import tails
from errorbar.stats.resampling import bootstrap_interval
from errorbar.stats.units import Floats, Units

__all__ = ["Kernel", "Resampling", "percentile_interval", "replicates"]
_CELLS = 4_000_000
"""Draws times rows held at a time."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How to make intervals.

    Attributes:
        generator: The stream of random numbers, used in order.
        n_resamples: How many draws.
        confidence_level: Nominal coverage, a fraction.

    Raises:
        UsageError: If a number is out of range.
    """

    generator: np.random.Generator
    n_resamples: int = 2000
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        tails(self.confidence_level)
        if self.n_resamples < 1:
            what = f"n_resamples is {self.n_resamples}"
            raise UsageError(Problem("agreement-resampling", what, expected="at least 1"))


def replicates(
    units: Units, kernels: Mapping[str, Kernel], resampling: Resampling, *, width: int = 1
) -> dict[str, Floats]:
    """Values of coefficients in the same resamples; each of shape (n_resamples,) or (n_resamples, ...).

    Args:
        units: What is resampled.
        kernels: Name to coefficient.
        resampling: How.
        width: Numbers that a kernel holds for one resample besides the rows, e.g. one for each label.
    """
    n_rows = len(units.frequency) if units.clusters is None else units.clusters.shape[0]
    step = max(1, _CELLS // max(n_rows, len(units.frequency), width, 1))
    parts: dict[str, list[Floats]] = {name: [] for name in kernels}
    for start in range(0, resampling.n_resamples, step):
        drawn = _draw(units, resampling.generator, min(step, resampling.n_resamples - start))
        for name, kernel in kernels.items():
            parts[name].append(kernel(drawn))
    return {name: np.concatenate(values) for name, values in parts.items()}


def _draw(units: Units, generator: np.random.Generator, size: int) -> Floats:
    if units.clusters is None:
        total = units.frequency.sum()
        return generator.multinomial(int(total), units.frequency / total, size).astype(np.float64)
    n = units.clusters.shape[0]
    drawn = generator.multinomial(n, np.full(n, 1 / n), size).astype(np.float64)
    return np.asarray((units.clusters.T @ drawn.T).T)


def percentile_interval(values: Floats, resampling: Resampling) -> Interval | Undefined:
    """The interval of resampled values, or why they do not support one."""
    return bootstrap_interval(0.0, values, method="percentile", confidence_level=resampling.confidence_level)
