"""How much synthetic judges must differ to resemble the ten annotators: three standard deviations from three variances.

    python -m tests.helpers.fitted_judges shared/data

What is matched are components of F0.5 against two of ten judges: V_A of CAMB, V_A of CAMB - CUUI, and V_EA of CAMB. The
first tells how judges vary in what both systems share (strictness), the second in what they do not (taste for types),
the third on single essays. The mean components of simulated corpora are brought to those of the real one by Newton's
method in the squares of the standard deviations, with the same random numbers at every step. No interval is made, so
that nothing here can know how often intervals hold the truth.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorbar import M2
from errorbar.metrics import judging_of
from errorbar.metrics.over_judges import only
from errorbar.stats import TwoWay
from tests.helpers.synthetic_judges import Effects, F, World, drawn_parts

Floats = NDArray[np.float64]
NAMES = ("V_A of F", "V_A of D", "V_EA of F", "V_EA of D", "V_E of F", "V_E of D")
FIT_SEED, CHECK_SEED = (20261122, 1), (102,)
FIT_CORPORA, STEPS = 150, 3


@dataclass(frozen=True, slots=True)
class Simulated:
    """Mean components, in squared points, and their standard errors; as NAMES."""

    mean: Floats
    error: Floats


def real_components(world: World) -> Floats:
    """Those of the ten."""
    judging = judging_of(M2(), world.real[0], 10, world.essay, 2)
    first, second = (only(judging.values(M2(), statistics), F) for statistics in world.real)
    return _row(first.components(0), (first - second).components(0))


def simulated_components(world: World, n: int, seed: tuple[int, ...]) -> Simulated:
    """Those of ten synthetic judges, over so many corpora."""
    rng = np.random.default_rng(seed)
    rows = np.stack([_row(*drawn_parts(world.draw, 10, 2, rng)) for _ in range(n)])
    return Simulated(rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(n))


def fit(world: World) -> Effects:
    """The standard deviations whose components are those of the ten."""
    wanted, squares = real_components(world)[:3], np.array([0.09, 0.2, 0.5])
    for _ in range(STEPS):
        found = _at(world, squares)
        slopes = np.empty((3, 3))
        for at in range(3):
            more = squares.copy()
            more[at] += 0.25 * squares[at] + 0.02
            slopes[:, at] = (_at(world, more) - found) / (more[at] - squares[at])
        step = np.linalg.solve(slopes, wanted - found)
        squares = np.maximum(squares + np.clip(step, -0.6 * squares - 0.05, 0.6 * squares + 0.2), 1e-4)
        say(f"{np.round(np.sqrt(squares), 3)} from {np.round(found, 4)} to {np.round(wanted, 4)}")
    return Effects(*np.sqrt(squares).tolist())


def say(line: str) -> None:
    """Print a line at once: a step takes a while."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _at(world: World, squares: Floats) -> Floats:
    other = replace(world, effects=Effects(*np.sqrt(squares).tolist()))
    return simulated_components(other, FIT_CORPORA, FIT_SEED).mean[:3]


def _row(first: object, second: object) -> Floats:
    assert isinstance(first, TwoWay)
    assert isinstance(second, TwoWay)
    parts = (first.judges, second.judges, first.both, second.both, first.texts, second.texts)
    return 1e4 * np.array(parts)


def main() -> None:
    world = World.read(Path(sys.argv[1]))
    say(str(fit(world)))
    checked = simulated_components(world, 4 * FIT_CORPORA, CHECK_SEED)
    for name, real, mean, error in zip(NAMES, real_components(world), checked.mean, checked.error, strict=True):
        say(f"{name}: of the ten {real:.3f}, simulated with {world.effects} {mean:.3f} (error {error:.3f})")


if __name__ == "__main__":
    main()
