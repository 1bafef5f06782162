"""Simulated adaptive studies of eight systems, for ``docs/measurements/ranking.md``: coverage and judgments saved.

``python -m tests.judging.adaptive_runs`` prints the tables. Many studies go side by side: the policy is that of
``protocol.adaptive`` (a test compares the two), with what is known looked up after every 20 judgments, as in a server.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errorbar.judging.protocol.adaptive import EXPLORED, SETTLED
from errorbar.stats.anytime import endless_evidence

N = 8
FIRST, SECOND = np.array([*combinations(range(N), 2)]).T
P = len(FIRST)
LOOK = 20
SPREAD = np.array([0.0, 0.45, 0.9, 1.35, 1.55, 2.0, 2.45, 2.9])
"""Logits of eight systems, of which the fourth and the fifth are close."""
Outcome = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]
"""Studies, pairs, numbers in the pair's order: 1, -1 or 0."""


class Strengths:
    """Independent items; a share of ties."""

    def __init__(self, rng: np.random.Generator, studies: int, strength: NDArray[np.float64], ties: float) -> None:
        del studies
        self.rng, self.ties = rng, ties
        self.share = 1 / (1 + np.exp(strength[SECOND] - strength[FIRST]))

    def outcome(self, study: NDArray[np.int64], pair: NDArray[np.int64], nth: NDArray[np.int64]) -> NDArray[np.int64]:
        del study, nth
        sign = np.where(self.rng.random(len(pair)) < self.share[pair], 1, -1)
        return np.where(self.rng.random(len(pair)) < self.ties, 0, sign)


class Circle(Strengths):
    """Each system beats the four before it, by the same share: no strengths can tell it."""

    def __init__(self, rng: np.random.Generator, studies: int) -> None:
        super().__init__(rng, studies, np.zeros(N), 0.25)
        self.share = np.where((SECOND - FIRST) % 2 == 1, 0.6, 0.4)


class Sentences:
    """A sentence is hard for one system and easy for another, in all pairs in which they meet on it.

    Each pair has its own order of the same 2,000 sentences, so that one pair's outcomes tell something of another's.
    """

    def __init__(self, rng: np.random.Generator, studies: int, pool: int = 2000) -> None:
        self.rng, self.pool = rng, pool
        self.quality = rng.normal(SPREAD[:, None] * 0.5, 1.0, (studies, N, pool)).astype(np.float32)
        self.steps = rng.integers(1, pool // 2, (studies, P)) * 2 + 1
        self.steps[np.gcd(self.steps, pool) > 1] = 1
        self.starts = rng.integers(pool, size=(studies, P))
        gap = 0.5 * (SPREAD[FIRST] - SPREAD[SECOND]) / np.sqrt(2 + 0.25)
        from scipy.stats import norm

        self.share = norm.cdf(gap)

    def outcome(self, study: NDArray[np.int64], pair: NDArray[np.int64], nth: NDArray[np.int64]) -> NDArray[np.int64]:
        sentence = (self.starts[study, pair] + nth * self.steps[study, pair]) % self.pool
        gap = self.quality[study, FIRST[pair], sentence] - self.quality[study, SECOND[pair], sentence]
        return np.where(gap + self.rng.normal(0, 0.5, len(pair)) > 0, 1, -1)


def settled(wins: NDArray[np.int64], losses: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Pairs whose adjusted p-value settles them (Holm), of many studies; shape (studies, pairs)."""
    log_p = np.minimum(0, -endless_evidence(wins, wins + losses, 0.5))
    order = np.argsort(log_p, axis=1)
    small = np.take_along_axis(log_p, order, 1) + np.log(P - np.arange(P)) <= np.log(SETTLED)
    kept = np.logical_and.accumulate(small, axis=1)
    return np.take_along_axis(kept, np.argsort(order, axis=1), 1)


def run(
    world: Strengths | Sentences, rng: np.random.Generator, studies: int, judgments: int, *, adaptive: bool = True
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64]]:
    """Let studies go on until the last one has settled every pair, or so many judgments are given.

    Returns:
        Whether the interval of each pair ever missed its truth, shape (studies, pairs); judgments when every pair was
        settled, ``judgments`` + 1 where that was not reached, shape (studies,); unbiased wins, shape (studies, pairs).
    """
    wins, losses, given, taken = (np.zeros((studies, P), np.int64) for _ in range(4))
    missed, needed = np.zeros((studies, P), np.bool_), np.full(studies, judgments + 1)
    means, count, sums = np.full((studies, P), 0.5), np.ones((studies, P)), np.zeros((studies, P))
    every = np.arange(studies)
    limit = -np.log(1 - 0.95)
    for step in range(judgments):
        if step % LOOK == 0:
            known = settled(wins, losses)
            done = np.asarray(known.all(axis=1))
            needed[done & (needed > judgments)] = step
            if done.all():
                break
            among = np.where(done[:, None], False, known)
        best = np.where(among, np.iinfo(np.int64).max, taken).argmin(axis=1)
        explores = rng.random(studies) < EXPLORED
        pair = np.where(explores, rng.integers(P, size=studies), best) if adaptive else np.full(studies, step % P)
        chance = EXPLORED / P + (1 - EXPLORED) * (pair == best) if adaptive else np.ones(studies)
        sign = world.outcome(every, pair, given[every, pair])
        given[every, pair] += 1
        taken[every, pair] += 1
        wins[every, pair] += sign > 0
        losses[every, pair] += sign < 0
        sums += means
        gain = (1 + sign) / 2 - means[every, pair]
        sums[every, pair] += gain / chance
        count[every, pair] += 1
        means[every, pair] += gain / count[every, pair]
        won = wins[every, pair]
        missed[every, pair] |= endless_evidence(won, won + losses[every, pair], world.share[pair]) >= limit
    return missed, needed, sums / (step + 1)


WORLDS: dict[str, Callable[[np.random.Generator, int], Strengths | Sentences]] = {
    "two close": lambda rng, n: Strengths(rng, n, SPREAD, 0.25),
    "all equal": lambda rng, n: Strengths(rng, n, np.zeros(N), 0.25),
    "in a circle": Circle,
    "sentences shared": Sentences,
}


def coverage(name: str, studies: int, judgments: int, seed: int = 1) -> tuple[float, float, float, float]:
    """Share of intervals that hold at every look: of the worst pair, of all; largest bias, its standard error."""
    rng = np.random.default_rng(seed)
    world = WORLDS[name](rng, studies)
    missed, _, means = run(world, rng, studies, judgments)
    ties = getattr(world, "ties", 0.0)
    bias = means.mean(axis=0) - ((1 - ties) * world.share + ties / 2)
    error = means.std(axis=0) / np.sqrt(studies)
    worst = int(np.abs(bias / error).argmax())
    held = 1 - missed.mean(axis=0)
    return float(held.min()), float(held.mean()), float(bias[worst]), float(error[worst])


def saving(studies: int, gap: float, judgments: int, seed: int = 2) -> tuple[float, float]:
    """Median judgments until every pair is settled: adaptive, and all pairs in turn."""
    strength = SPREAD.copy()
    strength[4:] += gap - 0.2
    medians = []
    for adaptive in (True, False):
        rng = np.random.default_rng(seed)
        needed = run(Strengths(rng, studies, strength, 0.25), rng, studies, judgments, adaptive=adaptive)[1]
        medians.append(float(np.median(needed)))
    return medians[0], medians[1]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--judgments", type=int, default=4000)
    options = parser.parse_args()
    for name in WORLDS:
        worst, mean, bias, error = coverage(name, options.studies, options.judgments)
        print(f"| {name} | {worst:.4f} | {mean:.4f} | {bias:+.4f} ({error:.4f}) |", flush=True)  # noqa: T201
    for gap in (0.2, 0.3, 0.45):
        adaptive, fixed = saving(100, gap, 150_000)
        print(f"| {gap} | {adaptive:,.0f} | {fixed:,.0f} | {adaptive / fixed:.2f} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
