"""Learning curves: accuracy on held-out text by the number of examples trained on, with error bars.

Formula
    a(n) is the mean over R runs on n examples of (right / all) on the held-out text, s(n) the standard deviation of the
    R values. A resample draws the blocks of the held-out text with replacement, the same for every n, and adds
    s(n) t / √R to each a(n), t from Student's distribution with R − 1 degrees of freedom. Intervals are percentiles.
    Least squares over all n, anew in each resample: a = α + β log₂ n (``line``), ln(1 − a) = α + β log₂ n (``power``).
Conventions
    So an error bar has both what other training text of this kind would change (examples, and the order in which they
    come) and what other test text would. The runs on n examples have no block in common. Where the text is enough for
    one run alone, R = 1, and s and the degrees of freedom are those of the largest n with several: s should fall with
    n, so that such an error bar is rather too wide. A line ends at 0 and at 1. The interval of a fit does not say
    whether its form goes on to hold; that there are two forms does.
Source
    The two sources of variance are those of Dietterich (1998); power laws of the error are as old as learning curves
    (Cortes et al. 1994).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2, sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.core.estimate import Estimate
from errorbar.metrics.intervals import fold_unit_resamples, make_estimates
from errorbar.stats.resampling import Resampling, Units, stream

Form = Literal["line", "power"]
FORMS: tuple[Form, ...] = get_args(Form)
_STEPS = 24  # places at which a fit is drawn


@dataclass(frozen=True, slots=True)
class LearningPoint:
    """Accuracy after training on so many examples."""

    n: int  # examples
    accuracies: tuple[float, ...]  # the accuracy of each run
    accuracy: Estimate  # their mean
    spread: float | None  # SD between runs; of one run that of the largest n with several


@dataclass(frozen=True, slots=True)
class CurveFit:
    """A curve through the points."""

    form: Form  # ``line`` or ``power``
    places: tuple[float, ...]  # from the smallest n to the one that is looked ahead to, the last
    accuracy: tuple[Estimate, ...]  # at each place

    @property
    def ahead(self) -> Estimate:
        """The extrapolation."""
        return self.accuracy[-1]


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Accuracy by the number of examples."""

    points: tuple[LearningPoint, ...]  # by n
    doubling: Estimate | None  # the gain of a doubling of the text, by the line; None: there is one n alone
    fits: tuple[CurveFit, ...]  # those that can be had


def training_samples(blocks: Ints, n: int, most: int, seed: int) -> list[Ints]:
    """Samples of n examples in whole blocks, but for the last of each; no block is in two.

    Args:
        blocks: Block of each example.
        n: Examples of a sample, up to all there are.
        most: How many samples at most; there is one at least.
        seed: The seed of the order of the blocks.

    Returns:
        Of each sample the numbers of its examples.
    """
    chance = stream(seed, "training samples", n)
    names, block = np.unique(blocks, return_inverse=True)
    order = np.argsort(chance.permutation(len(names))[block], kind="stable")
    ends = np.flatnonzero(np.diff(block[order], append=-1)) + 1  # of blocks
    samples: list[Ints] = []
    at = 0
    while len(samples) < most and at + n <= len(order):
        samples.append(order[at : at + n])
        at = int(ends[np.searchsorted(ends, at + n)])
    return samples


def fit_learning_curve(
    right: Mapping[int, Floats], totals: Floats, ahead: float, resampling: Resampling
) -> LearningCurve:
    """The curve of some runs.

    Args:
        right: By number of examples, how many choices of each run are right in each block of the held-out text; shape
            (runs, blocks).
        totals: How many choices there are in each block; shape (blocks,).
        ahead: To which n the fits go on.
        resampling: How intervals are made.
    """
    sizes = sorted(right)
    means = np.stack([right[n].mean(axis=0) for n in sizes], axis=1)
    runs = [right[n].sum(axis=1) / totals.sum() for n in sizes]
    spreads = _spreads(runs)
    places = np.geomspace(sizes[0], max(ahead, sizes[-1]), _STEPS)
    drawn_t = _noise(spreads, resampling)

    def of_resample(accuracies: Floats) -> Floats:
        fits = [_fit_form(form, sizes, accuracies, places) for form in FORMS]
        return np.concatenate([accuracies, *fits], axis=1)

    def fold(weights: Floats) -> Floats:
        accuracies: Floats = (weights @ means) / (weights @ totals)[:, None]
        return accuracies

    values = of_resample(fold(np.ones((1, len(totals)))))[0]
    drawn = None
    if len(totals) > 1:
        drawn = of_resample(fold_unit_resamples(Units(np.ones(len(totals))), fold, resampling, "held out") + drawn_t)
    n_units = int(totals.sum()), len(totals)
    estimates = make_estimates(values.tolist(), [None] * len(values), n_units, resampling, drawn)
    points = [
        LearningPoint(n, tuple(accuracies.tolist()), estimate, None if spread is None else spread[0])
        for n, accuracies, estimate, spread in zip(sizes, runs, estimates, spreads, strict=False)
    ]
    fits = []
    for k, form in enumerate(FORMS):
        first = len(sizes) + k * (_STEPS + 1)
        if len(sizes) > 1 and not np.isnan(values[first : first + _STEPS + 1]).any():
            fits.append(CurveFit(form, tuple(places.tolist()), tuple(estimates[first : first + _STEPS])))
    doubling = estimates[len(sizes) + _STEPS] if len(sizes) > 1 else None
    return LearningCurve(tuple(points), doubling, tuple(fits))


def _spreads(runs: Sequence[Floats]) -> list[tuple[float, int, int] | None]:
    """The standard deviation between the runs of each n, its degrees of freedom, and the number of runs."""
    spreads: list[tuple[float, int, int] | None] = []
    last: tuple[float, int] | None = None
    for accuracies in runs:
        if len(accuracies) > 1:
            last = float(accuracies.std(ddof=1)), len(accuracies) - 1
        spreads.append(None if last is None else (*last, len(accuracies)))
    return spreads


def _noise(spreads: Sequence[tuple[float, int, int] | None], resampling: Resampling) -> Floats:
    """The noise that training samples add to the accuracies of every resample; shape (replicates, sizes)."""
    chance = stream(resampling.seed, "spread of training samples")
    columns = [
        np.zeros(resampling.replicates)
        if spread is None
        else spread[0] / sqrt(spread[2]) * chance.standard_t(spread[1], resampling.replicates)
        for spread in spreads
    ]
    return np.stack(columns, axis=1)


def _fit_form(form: Form, sizes: Sequence[int], accuracies: Floats, places: NDArray[np.float64]) -> Floats:
    """Accuracies at some places by a fit of each row, and the slope; NaN where the form is undefined."""
    design = np.stack([np.ones(len(sizes)), [log2(n) for n in sizes]], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = accuracies if form == "line" else np.log(1 - accuracies)
        y = np.where(np.isfinite(y), y, np.nan)
    constant, slope = (y @ np.linalg.pinv(design).T).T
    line = constant[:, None] + slope[:, None] * np.log2(places)
    shares = np.clip(line, 0, 1) if form == "line" else 1 - np.exp(line)
    return np.concatenate([shares, slope[:, None]], axis=1)
