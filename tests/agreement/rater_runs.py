"""How often intervals hold what a population of raters agrees on: a table of docs/measurements/agreement.md.

Raters differ in what they call an error, items in how hard they are. A rater r calls item i an error with the chance
p_ri = 1 / (1 + exp(-(a_i s_r + b_r))) with normal a_i, b_r, s_r; the population's values are those of 4,000 raters and
20,000 items, with the chances in the place of labels.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errorbar import Judgments, Resampling
from errorbar.agreement import Judges, agreement_report
from errorbar.stats import stream

Floats = NDArray[np.float64]
SEED, RUNS = 264, 200
POPULATIONS = {
    # Mean and spread of items, spread of the raters' strictness and of their sharpness.
    "errors frequent, raters alike": (0.0, 3.0, 0.3, 0.1),
    "errors frequent, raters differ": (0.0, 3.0, 1.2, 0.4),
    "errors rare, raters differ": (-4.0, 3.0, 1.0, 0.3),
}
SIZES = ((3, 100), (5, 300), (10, 300))
NAMES = ("observed", "krippendorff", "gwet", "error")


def chances(name: str, n_raters: int, n_items: int, rng: np.random.Generator) -> Floats:
    """How likely each rater calls each item an error; shape (raters, items)."""
    mean, spread, strictness, sharpness = POPULATIONS[name]
    a = mean + spread * rng.normal(size=n_items)
    b, s = strictness * rng.normal(size=(n_raters, 1)), np.exp(sharpness * rng.normal(size=(n_raters, 1)))
    return np.asarray(1 / (1 + np.exp(-(a * s + b))))


@lru_cache
def truth(name: str) -> dict[str, float]:
    """The coefficients of the population; what counts of an item is the mean chance that a rater calls it an error."""
    mean, spread, strictness, sharpness = POPULATIONS[name]
    rng, p = stream(SEED, "raters", name), np.zeros(20_000)
    a = mean + spread * rng.normal(size=p.size)
    for _ in range(40):
        b, s = strictness * rng.normal(size=(100, 1)), np.exp(sharpness * rng.normal(size=(100, 1)))
        p += (1 / (1 + np.exp(-(a * s + b)))).mean(axis=0) / 40
    both, rate = float((p**2).mean()), float(p.mean())
    observed = 1 - 2 * rate + 2 * both
    by_frequency, by_guessing = rate**2 + (1 - rate) ** 2, 2 * rate * (1 - rate)
    return {
        "observed": observed,
        "krippendorff": (observed - by_frequency) / (1 - by_frequency),
        "gwet": (observed - by_guessing) / (1 - by_guessing),
        "error": both / rate,
    }


def coverage(name: str, n_raters: int, n_items: int, judges: Judges = "random", runs: int = RUNS) -> dict[str, float]:
    """The share of runs whose interval holds the population's value; one without an interval does not."""
    rng, expected = stream(SEED, "agreement", name, n_raters, n_items), truth(name)
    held = dict.fromkeys(NAMES, 0)
    for _ in range(runs):
        said = rng.random((n_raters, n_items)) < chances(name, n_raters, n_items, rng)
        judgments = Judgments.from_matrix(np.where(said.T, "error", "ok").tolist())
        report = agreement_report(judgments, resampling=Resampling("percentile", 200), judges=judges)
        made = {**report.coefficients, "error": report.specific["error"]} if "error" in report.specific else {}
        for coefficient in held:
            interval = made[coefficient].interval if coefficient in made else None
            held[coefficient] += interval is not None and interval.low <= expected[coefficient] <= interval.high
    return {coefficient: count / runs for coefficient, count in held.items()}


def row(name: str, n_raters: int, n_items: int, judges: Judges = "random") -> str:
    """A row of the page."""
    found = coverage(name, n_raters, n_items, judges)
    return f"| {name} | {n_raters} | {n_items:,} | {' | '.join(f'{found[coefficient]:.3f}' for coefficient in NAMES)} |"


if __name__ == "__main__":
    for population in POPULATIONS:
        for size in SIZES:
            print(row(population, *size), flush=True)  # noqa: T201
