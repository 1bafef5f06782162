"""How often intervals of R, F and stratified means are ever wrong where one looks after every batch of judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.sampling import Quantity, Sample, Strata
from errorbar.sampling.frame import estimated_totals
from errorbar.sampling.stopping import is_trusted
from errorbar.stats import LEAST, finite_evidence, running_factor, stream

Floats = NDArray[np.float64]
LIMIT = float(np.log(20))


@dataclass(frozen=True)
class Case:
    """Two strata, the rates of errors in them, the items of a batch of each, and how many batches."""

    sizes: tuple[int, int]
    rates: tuple[float, float]
    batch: tuple[int, int]
    batches: int


CASES = {
    "p = .8, q = .1": Case((1000, 9000), (0.8, 0.1), (5, 10), 100),
    "p = .8, q = .02": Case((1000, 9000), (0.8, 0.02), (5, 20), 100),
    "p = .7, q = .3, all judged": Case((400, 600), (0.7, 0.3), (4, 6), 99),
}


def ratio_run(case: Case, name: Literal["R", "F"], runs: int) -> dict[str, float]:
    """The rule of ``sampling.stopping``: prior-posterior until enough was seen, then asymptotic; and Wald's."""
    strata = Strata.of_sizes(*case.sizes)
    quantity = Quantity(name, strata)
    errors = [round(size * rate) for size, rate in zip(case.sizes, case.rates, strict=True)]
    truth = float(quantity.value(np.array(errors, np.float64)))
    n = np.arange(1, case.batches + 1)[:, None] * np.array(case.batch)
    found = []
    for at, size in enumerate(case.sizes):
        rng = stream(at, "anytime", "ratio", size)
        drawn = np.stack([rng.hypergeometric(errors[at], size - errors[at], case.batch[at], runs)])
        rows = [drawn[0]]
        for k in range(1, case.batches):  # what is left decides the next batch
            left, done = size - k * case.batch[at], rows[-1]
            more = rng.hypergeometric(errors[at] - done, left - errors[at] + done, case.batch[at])
            rows.append(done + more)
        found.append(np.stack(rows, axis=1))
    x = np.stack(found, axis=2).astype(np.float64)  # (runs, looks, strata)
    sample = Sample(np.broadcast_to(n, x.shape), x)
    totals, variances = estimated_totals(sample, strata)
    value, error = quantity.value(totals), quantity.standard_error(totals, variances)
    enough = is_trusted(sample, strata, [strata.flags[0], ~strata.flags[0]])
    flagged, others = (finite_evidence(x[..., at], n[:, at], case.sizes[at], errors[at]) for at in range(2))
    against = flagged + others
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.abs(value - truth) / error
    asymptotic = far > running_factor(np.maximum(error, 1e-12), 0.05)
    return {
        "anytime": float(np.where(enough, asymptotic, against >= LIMIT).any(axis=1).mean()),
        "prior-posterior": float((against >= LIMIT).any(axis=1).mean()),
        "naive": float(((far > 1.959964) & (n.sum(axis=1) >= LEAST)).any(axis=1).mean()),
        "trusted": float(enough.any(axis=1).mean()),
    }


def stratified_run(runs: int) -> dict[str, float]:
    """The mean over strata of 1,000, 500 and 200 items, judged in proportion and one batch of 17 after the other."""
    sizes, rates, batch, batches = np.array([1000, 500, 200]), (0.2, 0.5, 0.7), np.array([10, 5, 2]), 99
    truth = float((sizes * rates).sum() / sizes.sum())
    n = np.arange(1, batches + 1)[:, None] * batch
    x = np.empty((runs, batches, 3))
    for at, size in enumerate(sizes.tolist()):
        rng, errors, done = stream(at, "anytime", "strata"), round(size * rates[at]), np.zeros(runs, np.int64)
        for k in range(batches):
            left = size - k * int(batch[at])
            done = done + rng.hypergeometric(errors - done, left - errors + done, batch[at])
            x[:, k, at] = done
    rate = x / n
    variance = sizes**2.0 * (1 - n / sizes) * rate * (1 - rate) / np.maximum(n - 1, 1)
    value, error = (rate * sizes).sum(axis=2) / sizes.sum(), np.sqrt(variance.sum(axis=2)) / sizes.sum()
    late = n.sum(axis=1) >= LEAST
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.abs(value - truth) / error
    return {
        "asymptotic": float(((far > running_factor(np.maximum(error, 1e-12), 0.05)) & late).any(axis=1).mean()),
        "naive": float(((far > 1.959964) & late).any(axis=1).mean()),
    }
