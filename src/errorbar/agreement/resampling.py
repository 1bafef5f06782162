"""Intervals by resampling items, or whole clusters of items, with replacement.

Formula
    N items (or C clusters) are drawn with replacement from the N (or C) there are; the coefficient is computed from
    the draw; the interval is the (1 - confidence_level)/2 and (1 + confidence_level)/2 quantiles of the results.
Conventions
    All raters of a drawn item come along. Draws where the coefficient is undefined: ``errorbar.stats.resampling``.
Source
    Efron and Tibshirani 1993, chapter 13 (percentile interval); Krippendorff 2004 for resampling units, not ratings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from errorbar.agreement.units import Floats, Units
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.stats.resampling import bootstrap_interval

Kernel = Callable[[Floats], Floats]
"""Takes how many items each row stands for, shape (replicates, rows); gives values, shape (replicates,), NaN where
undefined."""
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
        check_confidence_level(self.confidence_level)
        if self.n_resamples < 1:
            what = f"n_resamples is {self.n_resamples}"
            raise UsageError(Problem("agreement-resampling", what, expected="at least 1"))


def check_confidence_level(value: float) -> None:
    """Refuse a confidence level that is no fraction.

    Raises:
        UsageError: Unless it lies strictly between 0 and 1.
    """
    if not 0 < value < 1:
        what = f"confidence_level is {value}"
        raise UsageError(Problem("agreement-resampling", what, expected="a fraction between 0 and 1, such as 0.95"))


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


def estimates(
    units: Units,
    kernels: Mapping[str, Kernel],
    *,
    n_units: int,
    reason: Undefined,
    resampling: Resampling | None = None,
    width: int = 1,
) -> dict[str, Estimate]:
    """Values with intervals of several coefficients, all from the same resamples.

    Args:
        units: What is resampled.
        kernels: Name to coefficient.
        n_units: How many items the values rest on.
        reason: Why a value is undefined, if it is.
        resampling: How to make intervals; None: none are made.
        width: As for ``replicates``.
    """
    found = estimates_of_each(units, kernels, n_units=n_units, reason=reason, resampling=resampling, width=width)
    return {name: estimate for name, (estimate,) in found.items()}


def estimates_of_each(
    units: Units,
    kernels: Mapping[str, Kernel],
    *,
    n_units: int,
    reason: Undefined,
    resampling: Resampling | None = None,
    width: int = 1,
) -> dict[str, list[Estimate]]:
    """As ``estimates``, where a kernel may give several values, e.g. one for each label: one estimate for each."""
    observed = {name: np.atleast_1d(kernel(units.frequency[None])[0]) for name, kernel in kernels.items()}
    able = n_units > 1 and units.n_clusters != 1
    drawn = replicates(units, kernels, resampling, width=width) if resampling is not None and able else {}

    def estimate(value: float, column: Floats | None) -> Estimate:
        if np.isnan(value):
            return Estimate(None, n_units, None, units.n_clusters, reason)
        made = Estimate(value, n_units, None, units.n_clusters)
        if resampling is None:
            return made
        interval = Undefined.ONE_UNIT if column is None else percentile_interval(column, resampling)
        return made.with_interval(interval, n_clusters=units.n_clusters)

    made = {}
    for name, values in observed.items():
        columns = drawn[name].reshape(-1, len(values)).T if name in drawn else [None] * len(values)
        made[name] = [estimate(float(value), column) for value, column in zip(values, columns, strict=True)]
    return made


def percentile_interval(values: Floats, resampling: Resampling) -> Interval | Undefined:
    """The interval of resampled values, or why they do not support one."""
    return bootstrap_interval(0.0, values, method="percentile", confidence_level=resampling.confidence_level)
