"""How often clusters separate equal systems, by simulation: a table of docs/measurements/ranking.md."""

from __future__ import annotations

import numpy as np

from errorbar.core import Comparisons
from errorbar.ranking import rank_systems
from errorbar.stats import stream
from tests.ranking.examples import drawn

SEED, RUNS, RESAMPLES = 26, 400, 400
ITEMS = (1, 3, 10, 100, 1000)
POPULATIONS: dict[str, tuple[tuple[float, ...], int]] = {
    # Qualities of the systems, and how many of them an item has.
    "2 equal systems": ((0.0,) * 2, 2),
    "3 equal systems": ((0.0,) * 3, 3),
    "5 equal systems, 2 in an item": ((0.0,) * 5, 2),
}


def judged(qualities: tuple[float, ...], n_items: int, shown: int, rng: np.random.Generator) -> Comparisons:
    """Rankings of systems drawn at random, in whole steps of a normal number around a quality: some are ties."""
    size = len(qualities)
    chosen = rng.permuted(np.tile(np.arange(size), (n_items, 1)), axis=1)[:, :shown]
    seen = np.rint(np.array(qualities)[chosen] + rng.normal(size=chosen.shape) * 1.5)
    left, right = np.triu_indices(shown, 1)
    outcome = np.sign(seen[:, left] - seen[:, right]).astype(np.int8).ravel()
    first, second = (chosen[:, at].astype(np.int32).ravel() for at in (left, right))
    item = np.repeat(np.arange(n_items, dtype=np.int32), len(left))
    marks = np.zeros(len(outcome), np.bool_)
    names = tuple(str(at) for at in range(n_items))
    codes = (first, second, outcome, item, np.zeros_like(item), item, marks, ~marks)
    return Comparisons(*codes, tuple(f"S{at}" for at in range(size)), names, ("judge",), names)


def separated(name: str, n_items: int, runs: int = RUNS) -> float:
    """The share of runs in which two systems of the same quality are in different clusters."""
    qualities, shown = POPULATIONS[name]
    rng = stream(SEED, "clusters", name, n_items)
    wrong = 0
    for run in range(runs):
        comparisons = judged(qualities, n_items, shown, rng)
        if not comparisons.outcome.any():
            continue
        (result,) = rank_systems(comparisons, ["expected-wins"], drawn(RESAMPLES, seed=run))
        groups: dict[float, set[int]] = {}
        for system in result.systems:
            groups.setdefault(qualities[int(system.system[1:])], set()).add(system.cluster)
        wrong += any(len(clusters) > 1 for clusters in groups.values())
    return wrong / runs


def row(name: str) -> str:
    """A row of the page."""
    return f"| {name} | {' | '.join(f'{separated(name, n):.3f}' for n in ITEMS)} |"


if __name__ == "__main__":
    for population in POPULATIONS:
        print(row(population), flush=True)  # noqa: T201
