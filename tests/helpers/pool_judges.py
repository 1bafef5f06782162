"""Pools of synthetic judges who correct like the ten annotators of Bryant & Ng, each pool with a guideline of its own.

A pool's guideline adds a strictness, and a taste for each error type, to the logits of all its judges
(``tests.helpers.synthetic_judges``), normal with the standard deviations of ``Guidelines``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorbar import M2, Problems
from errorbar.core.pools import Pool, Pools
from errorbar.metrics import JudgePlan, Opaque
from errorbar.metrics.over_judges import PairTesting, only
from errorbar.metrics.pool_pairs import PoolComparison, compare_in_pools
from errorbar.metrics.pools import PoolJudging, pool_judging, pool_mean
from tests.helpers.synthetic_judges import SYSTEMS, F, World


@dataclass(frozen=True, slots=True)
class Guidelines:
    """How pools differ, on the scale of logits."""

    strictness: float = 0.0
    taste: float = 0.0


@dataclass(frozen=True, slots=True)
class PoolStudies:
    """Studies with so many judges in each pool."""

    world: World
    sizes: tuple[int, ...]
    guidelines: Guidelines
    k: int | None = None

    def _draw(self, rng: np.random.Generator, *, sampled: bool) -> tuple[list[Opaque], NDArray[np.int64], PoolJudging]:
        n_types, pool = int(self.world.kind.max()) + 1, np.repeat(np.arange(len(self.sizes)), self.sizes)
        shifts = self.guidelines.strictness * rng.standard_normal((len(self.sizes), 1))
        shifts = shifts + self.guidelines.taste * rng.standard_normal((len(self.sizes), n_types))
        statistics, clusters = self.world.draw(len(pool), rng, shifts[pool])
        names = tuple(map(str, range(len(pool))))
        members = [tuple(names[j] for j in np.flatnonzero(pool == g)) for g in range(len(self.sizes))]
        pools = Pools(tuple(Pool(f"g{g}", own) for g, own in enumerate(members)), sampled)
        plan = JudgePlan("random", self.k, "none")
        return statistics, clusters, pool_judging(M2(), statistics[0], pools, names, clusters, plan, 0, Problems())

    def compare(self, rng: np.random.Generator) -> PoolComparison:
        """Both systems compared in pools."""
        statistics, clusters, judging = self._draw(rng, sampled=False)
        everything = np.ones(len(clusters), np.bool_)
        pairs = list(zip(SYSTEMS, statistics, strict=True))
        return compare_in_pools(M2(), pairs, judging, everything, clusters, PairTesting("max-t", 0.95, 0))

    def reject(self, studies: int, seed: int) -> float:
        """The share of studies in which the difference is found to depend on the pool."""
        rng = np.random.default_rng([seed, *self.sizes])
        tests = [self.compare(rng).pairs[0].interaction for _ in range(studies)]
        return float(np.mean([test is not None and test.p is not None and test.p <= 0.05 for test in tests]))

    def cover(self, studies: int, seed: int) -> tuple[float, float]:
        """How often intervals over texts, judges and pools hold the mean over studies: of F, and of the difference."""
        rng, scale = np.random.default_rng([seed, *self.sizes]), M2().measures[F].scale
        scores, differences = [], []
        for _ in range(studies):
            statistics, clusters, judging = self._draw(rng, sampled=True)
            first, second = ([only(own, F) for own in judging.values(M2(), one)] for one in statistics)
            scores.append(pool_mean(first, 0, 0.95, scale, len(clusters)).estimate)
            apart = [one - other for one, other in zip(first, second, strict=True)]
            differences.append(pool_mean(apart, 0, 0.95, scale.of_differences, len(clusters)).estimate)
        shares = []
        for estimates in (scores, differences):
            truth = np.mean([one.value for one in estimates if one.value is not None])
            intervals = [one.interval for one in estimates]
            shares.append(float(np.mean([i is not None and i.low <= truth <= i.high for i in intervals])))
        return shares[0], shares[1]


if __name__ == "__main__":
    known, n_studies = World.read(Path(sys.argv[1])), int(sys.argv[2])
    for n_pools in (4, 6, 10):
        worlds = [PoolStudies(known, (2,) * n_pools, Guidelines(s, t), 2) for s, t in ((0, 0), (0.4, 0.8))]
        covered = (f"{of_f:.3f}, {of_d:.3f}" for of_f, of_d in (world.cover(n_studies, 5) for world in worlds))
        sys.stdout.write(f"| {n_pools} of 2 | {' | '.join(covered)} |\n")
    for sizes in ((5, 5), (3, 3, 3)):
        worlds = [PoolStudies(known, sizes, Guidelines(0, taste), 1) for taste in (0, 1, 2)]
        shares = (f"{world.reject(n_studies, 4):.3f}" for world in worlds)
        sys.stdout.write(f"| {' + '.join(map(str, sizes))} | {' | '.join(shares)} |\n")
