"""Simulated studies with pools of judges: size and power of the test of system x pool, coverage over pools.

A judge's difference of two systems on a text is, in points, the pool's difference, plus what is normal about the text
(variance 78), the judge (4) and the judge on the text (51): about what the ten annotators of CoNLL-2014 have of CAMB
and CUUI (tests/measured/judges.md). A measure is the mean over texts of the mean over judges.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np

from errorbar.core import Interval
from errorbar.stats.pools import Dealing, PoolVariance, three_way

TEXT, JUDGE, BOTH = 78.0, 4.0, 51.0


@dataclass(frozen=True, slots=True)
class PoolWorld:
    """A study with pools of judges."""

    sizes: tuple[int, ...]  # judges of each pool
    n_texts: int = 50
    apart: tuple[float, ...] = ()  # difference in each pool, in points; empty: the same in all
    deviations: tuple[float, ...] = ()  # of judges in each pool, in units of the usual one; empty: 1 in all
    skewed: bool = False  # judges' effects are exponential
    between: float = 0.0  # variance between pools that are a sample
    judge: float = JUDGE

    def draw(self, rng: np.random.Generator, systems: int = 1) -> np.ndarray:
        """Effects of systems (or differences) against each judge without each text; (systems, 1 + texts, judges)."""
        pool = np.repeat(np.arange(len(self.sizes)), self.sizes)
        shape = systems, len(pool)
        judges = rng.exponential(size=shape) - 1 if self.skewed else rng.normal(size=shape)
        judges = judges * np.sqrt(self.judge) * np.array(self.deviations or (1.0,) * len(self.sizes))[pool]
        pools = rng.normal(size=(systems, len(self.sizes))) * np.sqrt(self.between)
        pools = pools + np.array(self.apart or (0.0,) * len(self.sizes))
        texts = rng.normal(size=(systems, self.n_texts, 1)) * np.sqrt(TEXT)
        cells = texts + rng.normal(size=(systems, self.n_texts, len(pool))) * np.sqrt(BOTH)
        cells += (judges + pools[:, pool])[:, None]
        total = cells.sum(axis=1, keepdims=True)
        return np.concatenate([total / self.n_texts, (total - cells) / (self.n_texts - 1)], axis=1)

    def reject(self, rng: np.random.Generator, studies: int, alpha: float = 0.05) -> float:
        """The share of studies of one pair in which the test of system x pool is significant."""
        return self.reject_and_agree(rng, studies, alpha)[0]

    def reject_and_agree(self, rng: np.random.Generator, studies: int, alpha: float = 0.05) -> tuple[float, float]:
        """The same, and the share in which Welch's test is significant, too."""
        tests = [deal(self.sizes).test([table])[0] for table in self.draw(rng, studies)]
        p = np.array([[1.0 if p is None else p for p in (test.p, test.p_welch)] for test in tests])
        return float(np.mean(p[:, 0] <= alpha)), float(np.mean(p.max(axis=1) <= alpha))

    def reject_any(self, rng: np.random.Generator, studies: int, n_systems: int, alpha: float = 0.05) -> float:
        """The share of studies of several systems in which any pair's adjusted p is significant."""
        wrong = 0
        first, second = np.triu_indices(n_systems, 1)
        for _ in range(studies):
            table = self.draw(rng, n_systems) / np.sqrt(2)
            tests = deal(self.sizes).test(list(table[first] - table[second]))
            wrong += any(test.p is not None and test.p <= alpha for test in tests)
        return wrong / studies

    def cover(self, rng: np.random.Generator, studies: int) -> float:
        """The share of intervals over texts, judges and pools that hold the truth, 0."""
        held = 0
        starts = np.cumsum([0, *self.sizes])
        for table in self.draw(rng, studies):
            pools = [table[:, a:b] for a, b in itertools.pairwise(starts)]
            values = np.stack([pool.mean(axis=1) for pool in pools], axis=1)
            parts = three_way(values, [without_each(pool[0]) for pool in pools])
            assert isinstance(parts, PoolVariance)
            interval = parts.interval(0.95)
            assert isinstance(interval, Interval)
            held += interval.low <= 0 <= interval.high
        return held / studies


@cache
def deal(sizes: tuple[int, ...]) -> Dealing:
    """The ways to deal judges who score one by one."""
    return Dealing.of(np.eye(sum(sizes), dtype=np.uint8), 1, sizes)


def without_each(scores: Sequence[float] | np.ndarray) -> np.ndarray:
    """Means without each of the judges; none of one judge."""
    own = np.asarray(scores, np.float64)
    return (own.sum() - own) / (own.size - 1) if own.size > 1 else np.empty(0)


SIZES = ((5, 5), (4, 4), (3, 7), (3, 3, 3), (2, 2, 2, 2))


def size_rows(studies: int, seed: int = 1) -> Iterator[str]:
    """How often the test is significant where nothing depends on the pool."""
    for sizes in SIZES:
        rng, usual = np.random.default_rng([seed, *sizes]), (1.0,) * len(sizes)
        worlds = [PoolWorld(sizes), PoolWorld(sizes, skewed=True), PoolWorld(sizes, n_texts=200)]
        worlds += [PoolWorld(sizes, deviations=(d, *usual[1:])) for d in (2.0, 3.0)]
        worlds += [PoolWorld(sizes, deviations=(*usual[1:], d)) for d in (2.0, 3.0)]
        shares = [world.reject(rng, studies) for world in worlds]
        several = [PoolWorld(sizes).reject_any(rng, studies // 2, n) for n in (3, 5)]
        yield _row(_named(sizes), (*shares[:3], *several, *shares[3:]))


def welch_rows(studies: int, seed: int = 4) -> Iterator[str]:
    """How often the test is significant, and Welch's too: judges alike, those of one pool varying more, 6 points."""
    for sizes in SIZES:
        rng, usual = np.random.default_rng([seed, *sizes]), (1.0,) * (len(sizes) - 1)
        worlds = [PoolWorld(sizes), *(PoolWorld(sizes, deviations=(d, *usual)) for d in (2.0, 3.0))]
        worlds += [PoolWorld(sizes, deviations=(*usual, 3.0)), PoolWorld(sizes, apart=(*(0.0 for _ in usual), 6.0))]
        yield _row(_named(sizes), list(chain(*(world.reject_and_agree(rng, studies) for world in worlds))))


def power_rows(studies: int, seed: int = 2) -> Iterator[str]:
    """How often the test is significant where the last pool's difference is so many points larger."""
    for sizes in SIZES:
        rng = np.random.default_rng([seed, *sizes])
        worlds = [PoolWorld(sizes, apart=(0.0,) * (len(sizes) - 1) + (d,)) for d in (2.0, 4.0, 6.0, 8.0)]
        yield _row(_named(sizes), [world.reject(rng, studies) for world in worlds])


def coverage_rows(studies: int, seed: int = 3) -> Iterator[str]:
    """How often intervals over texts, judges and pools hold the truth."""
    for n_pools in (4, 6, 10):
        for k in (1, 2, 5):
            rng, sizes = np.random.default_rng([seed, n_pools, k]), (k,) * n_pools
            worlds = [PoolWorld(sizes, n, between=between) for n in (50, 200) for between in (0.0, 4.0, 16.0)]
            yield _row(f"{n_pools} of {k}", [world.cover(rng, studies) for world in worlds])


def _row(name: str, shares: Sequence[float]) -> str:
    return f"| {name} | {' | '.join(f'{share:.3f}'.removeprefix('0') for share in shares)} |"


def _named(sizes: Sequence[int]) -> str:
    return " + ".join(map(str, sizes))


if __name__ == "__main__":
    n_studies = int(sys.argv[1])
    for row in chain(coverage_rows(n_studies), power_rows(n_studies), size_rows(n_studies), welch_rows(n_studies)):
        sys.stdout.write(f"{row}\n")
        sys.stdout.flush()
