"""How often intervals hold the truth where few errors are seen: the second part of docs/measurements/sampling.md.

Without votes every sample that can be drawn is gone through with its probability, so the coverage has no noise; with
votes samples are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from errorbar.core import Interval, Undefined
from errorbar.sampling import (
    AssistedTotals,
    Estimation,
    Quantity,
    Sample,
    Strata,
    estimate_sample,
    mover_interval,
)
from errorbar.sampling.frame import FEW, TARGETS, Target, estimated_totals
from errorbar.sampling.intervals import (
    Ends,
    Melding,
    Side,
    join_ends,
    near_exact_interval,
    outward,
    total_bounds,
    total_chances,
)
from errorbar.sampling.prediction_powered import assisted_total, guarded_variance
from errorbar.stats import stream

Floats = NDArray[np.float64]
SEED, SIZES, LEAST, RAREST = 12, (1000, 9000), 1e-6, 1e-7
"""Samples are passed over of which one side, or both together, are less probable."""
JUDGED, PRECISIONS, FLAGGED = (100, 200, 300), (0.8, 0.95), (60, 200)
RATES = (0.0005, 0.001, 0.003, 0.005, 0.01, 0.03)
Make = Callable[[Strata, Sample], dict[Target, tuple[float, float]]]


def logit(strata: Strata, sample: Sample) -> dict[Target, tuple[float, float]]:
    """``method="logit"``: at an edge the exact box."""
    found = estimate_sample(strata, sample, Estimation(method="logit"))
    return _ends({target: found[target].estimate.interval for target in TARGETS})


def default(strata: Strata, sample: Sample) -> dict[Target, tuple[float, float]]:
    """What ``estimate_sample`` reports, without the rest of it."""
    errors, variances = estimated_totals(sample, strata, add=0)[0], estimated_totals(sample, strata)[1]
    names = TARGETS if sample.x.any() else ("P", "F")
    return _ends({target: near_exact_interval(Quantity(target, strata), sample, errors, variances) for target in names})


def _ends(made: Mapping[Target, Interval | Undefined | None]) -> dict[Target, tuple[float, float]]:
    return {
        target: (interval.low, interval.high) for target, interval in made.items() if isinstance(interval, Interval)
    }


def joined(ends: Callable[[float, float, float], tuple[float, float]]) -> Make:
    """Ends of hits and misses of some kind, joined as ``mover`` does."""

    def make(strata: Strata, sample: Sample) -> dict[Target, tuple[float, float]]:
        sides = []
        for x, n, size in zip(sample.x.tolist(), sample.n.tolist(), strata.sizes.tolist(), strict=True):
            low, high = ends(x, n, size)
            sides.append(Ends(x * size / n, min(low, x * size / n), max(high, x * size / n)))
        hits, misses = sides
        flagged = float(strata.sizes[0])
        return {
            "P": (hits.low / flagged, hits.high / flagged),
            "R": join_ends(Quantity("R", strata), hits, misses),
            "F": join_ends(Quantity("F", strata), hits, misses),
        }

    return make


def wilson(strata: Strata, sample: Sample) -> dict[Target, tuple[float, float]]:
    """The published MOVER."""
    return _ends({target: mover_interval(Quantity(target, strata), sample) for target in TARGETS})


CANDIDATES: dict[str, Make] = {
    "logit + ½, exact at an edge": logit,
    "MOVER, Wilson": wilson,
    "MOVER, exact": joined(lru_cache(lambda x, n, size: total_bounds(int(x), int(n), int(size)))),
    "near-exact": default,
}


def samples(strata: Strata, errors: NDArray[np.int64], n: NDArray[np.int64]) -> Iterator[tuple[Floats, float]]:
    """Errors seen in each stratum, with their probability."""
    columns = []
    for size, wrong, judged in zip(strata.sizes.tolist(), errors.tolist(), n.tolist(), strict=True):
        x = np.arange(judged + 1)
        chance = hypergeom.pmf(x, size, wrong, judged)
        kept = chance > LEAST
        columns.append(list(zip(x[kept].tolist(), chance[kept].tolist(), strict=True)))
    for cells in product(*columns):
        chance = float(np.prod([chance for _, chance in cells]))
        if chance > RAREST:
            yield np.array([x for x, _ in cells], np.float64), chance


def cell(
    strata: Strata, errors: NDArray[np.int64], n: NDArray[np.int64], candidates: Sequence[str]
) -> dict[tuple[str, Target], tuple[float, float]]:
    """Coverage and median width of each candidate and target."""
    truth = {target: float(Quantity(target, strata).value(errors.astype(np.float64))) for target in TARGETS}
    rows: dict[tuple[str, Target], list[tuple[bool, float, float]]] = {}
    for x, chance in samples(strata, errors, n):
        sample = Sample(n, x)
        for name in candidates:
            for target, (low, high) in CANDIDATES[name](strata, sample).items():
                held = low - 1e-9 <= truth[target] <= high + 1e-9
                rows.setdefault((name, target), []).append((held, high - low, chance))
    found = {}
    for key, columns in rows.items():
        held, width, chance = np.array(columns, np.float64).T
        order = np.argsort(width)
        half = np.searchsorted(np.cumsum(chance[order]), chance.sum() / 2)
        found[key] = float((held * chance).sum() / chance.sum()), float(width[order][half])
    return found


def two_strata(candidates: Sequence[str]) -> dict[tuple[str, Target], list[tuple[float, float]]]:
    """Coverage and median width in every design."""
    table: dict[tuple[str, Target], list[tuple[float, float]]] = {}
    for judged, rate, flagged, precision in product(JUDGED, RATES, FLAGGED, PRECISIONS):
        errors = np.array([round(SIZES[0] * precision), round(SIZES[1] * rate)])
        found = cell(Strata.of_sizes(*SIZES), errors, np.array([flagged, judged]), candidates)
        for key, both in found.items():
            table.setdefault(key, []).append(both)
    return table


VOTERS = ((0.5, 0.01), (0.8, 0.05), (0.95, 0.01))
"""Votes for error on errors, and on other items."""
VOTED = ((300, 0.01), (100, 0.05), (300, 0.05))
"""Judged unflagged items, and the rate of errors in them."""
DRAWS = 500


def voted(
    judged: int, rate: float, raters: int, sees: float, invents: float
) -> dict[tuple[str, Target], tuple[float, float]]:
    """Coverage and median width with experts alone and with ``raters`` votes for every item of both strata.

    P is .8 and 200 flagged items are judged. The votes of the population are drawn once for every 40 samples.
    """
    n = np.array([200, judged])
    strata = Strata.of_sizes(*SIZES)
    errors = np.array([800, round(SIZES[1] * rate)])
    truth = {target: float(Quantity(target, strata).value(errors.astype(np.float64))) for target in TARGETS}
    rng = stream(SEED, "votes", judged, str(rate), raters, str(sees), str(invents))
    shares = np.tile(np.arange(raters + 1) / raters, 2)
    y = np.repeat([1.0, 0.0], raters + 1)
    chances = [
        [comb(raters, k) * share**k * (1 - share) ** (raters - k) for k in range(raters + 1)]
        for share in (sees, invents)
    ]
    rows: dict[tuple[str, Target], list[tuple[bool, float]]] = {}
    for draw in range(DRAWS):
        if draw % 40 == 0:
            populations = [
                np.concatenate([rng.multinomial(wrong, chances[0]), rng.multinomial(size - wrong, chances[1])])
                for size, wrong in zip(strata.sizes.tolist(), errors.tolist(), strict=True)
            ]
        columns = np.full((3, 2), np.nan)
        x = np.zeros(2)
        for at, population in enumerate(populations):
            seen = rng.multivariate_hypergeometric(population, n[at])
            labels, cheap, everybody = np.repeat(y, seen), np.repeat(shares, seen), np.repeat(shares, population)
            x[at] = labels.sum()
            size = int(strata.sizes[at])
            if min(x[at], n[at] - x[at]) >= FEW:
                total, variance, trust = assisted_total(labels, cheap, everybody, size)
                if trust > 0 and 0 < total < size:
                    columns[:, at] = total, variance, guarded_variance(labels, cheap, everybody, size, trust)
        sample = Sample(n, x)
        helped = AssistedTotals(columns[0], columns[1], np.zeros(2), (0, 0), columns[2])
        for name, method, extra in (
            ("experts", "near-exact", None),
            ("with votes", "near-exact", helped),
            ("with votes, logit", "logit", AssistedTotals(columns[0], columns[1], np.zeros(2), (0, 0), columns[1])),
        ):
            found = estimate_sample(strata, sample, Estimation(method=method), assisted=extra)  # type: ignore[arg-type]  # one of the names above
            for target in TARGETS:
                made = found[target].estimate.interval
                low, high = (np.nan, np.nan) if made is None else (made.low, made.high)  # perfect votes: no width
                held = bool(low - 1e-9 <= truth[target] <= high + 1e-9)
                rows.setdefault((name, target), []).append((held, high - low))
    return {key: (float(np.mean(row, axis=0)[0]), float(np.nanmedian(row, axis=0)[1])) for key, row in rows.items()}


ONE, TWO = ((True, False, False, False),), ((True, True, False, False), (True, False, True, False))
MANY = ((True, False, False),)
CUTS: dict[str, tuple[tuple[int, ...], tuple[tuple[bool, ...], ...], tuple[int, ...], tuple[int, ...]]] = {
    # Sizes, flags, errors, judged.
    "three bands, 78 misses mostly in the first": (
        (1000, 500, 2500, 6000),
        ONE,
        (800, 50, 25, 3),
        (200, 100, 100, 100),
    ),
    "three bands, 9 misses": ((1000, 500, 2500, 6000), ONE, (800, 5, 3, 1), (200, 100, 100, 100)),
    "three bands, 30 misses in the last": ((1000, 500, 2500, 6000), ONE, (800, 0, 0, 30), (200, 200, 60, 40)),
    "two systems, few misses": ((600, 400, 500, 8500), TWO, (540, 240, 200, 34), (200, 150, 150, 300)),
    "two systems, few false positives": ((600, 400, 500, 8500), TWO, (590, 390, 490, 10), (100, 50, 50, 200)),
    "two bands, one of few and one of many errors": ((500, 250, 9250), MANY, (400, 100, 93), (120, 60, 220)),
    "two systems, the other one's flags nearly all errors": (
        (1000, 400, 400, 8000),
        TWO,
        (800, 388, 392, 160),
        (120, 30, 30, 120),
    ),
}
UNLIKE = frozenset(list(CUTS)[-2:])
"""Those with a side of many errors in one stratum and few in another: the page says that R is held less often there."""
CUT_DRAWS = 2_000


def cut(name: str) -> dict[Target, float]:
    """Coverage where a side is several strata; of two systems the first."""
    sizes, flags, errors, n = (np.array(column) for column in CUTS[name])
    strata = Strata(tuple("abcd"[: len(sizes)]), sizes, flags, tuple("AB"[: len(flags)]))
    rng = stream(SEED, "cut", name)
    x = rng.hypergeometric(errors, sizes - errors, n, (CUT_DRAWS, len(sizes))).astype(np.float64)
    different, times = np.unique(x, axis=0, return_counts=True)
    held = dict.fromkeys(TARGETS, 0.0)
    for seen, count in zip(different, times.tolist(), strict=True):
        for target, (low, high) in default(strata, Sample(n, seen)).items():
            truth = float(Quantity(target, strata).value(errors.astype(np.float64)))
            held[target] += count * (low - 1e-9 <= truth <= high + 1e-9)
    return {target: value / CUT_DRAWS for target, value in held.items()}


def cut_row(name: str, found: Mapping[Target, float]) -> str:
    """A row of the page."""
    return f"| {name} | {' | '.join(f'{found[target]:.3f}' for target in TARGETS)} |"


NEARLY = {
    # Sizes of two flagged strata and of what is not flagged, errors, judged.
    "31 of 37 flagged items judged, one of them no error": ((20, 17, 500), (20, 16, 25), (17, 14, 100)),
    "35 of 37 flagged items judged, 20 of them no errors": ((18, 19, 500), (17, 0, 25), (17, 18, 100)),
    "18 of 20 flagged items judged, 10 of them no errors": ((10, 10, 500), (5, 5, 25), (9, 9, 100)),
    "165 of 167 flagged items judged, 117 of them no errors": ((100, 67, 500), (40, 10, 25), (99, 66, 100)),
}


def nearly(name: str) -> dict[Target, float]:
    """Coverage where nearly all of a side of two strata is judged; every sample counts with its probability."""
    sizes, errors, n = (np.array(column) for column in NEARLY[name])
    found = cell(Strata(tuple("abc"), sizes, np.array([[True, True, False]])), errors, n, ["near-exact"])
    return {target: found["near-exact", target][0] for target in TARGETS}


def few_rows() -> dict[str, dict[Target, tuple[float, float]]]:
    """Of each candidate: the least coverage, and the median width in ``logit``'s where that holds .93 of samples."""
    table = two_strata(tuple(CANDIDATES))
    usual = next(iter(CANDIDATES))
    found: dict[str, dict[Target, tuple[float, float]]] = {}
    for (name, target), cells in table.items():
        here, before = np.array(cells), np.array(table[usual, target])
        fine = before[:, 0] >= 0.93
        ratio = float(np.exp(np.mean(np.log(here[fine, 1] / before[fine, 1]))))
        found.setdefault(name, {})[target] = float(here[:, 0].min()), ratio
    return found


TAIL = 0.025 * (1 - 1e-9)
SCORES: tuple[tuple[Target, float], ...] = (("R", 1.0), ("F", 1.0), ("F", 0.5))


GRID_SIZES, GRID_JUDGED = (1, 2, 5, 10, 20, 30, 40), (1, 2, 3, 5, 10, 19, 29, 39, 40)
"""Sizes and judged items of strata of up to 40 items, of which there are more together."""


def sorted_ends(quantity: Quantity, hits: Side, misses: Side, tail: float) -> tuple[float, float]:
    """The ends of R or F from all pairs of totals, sorted: the twin of ``Melding.ends``."""
    melding = Melding(quantity, hits, misses)
    ends = []
    for measured, miss_side, sign in ((melding.few, melding.more, 1), (melding.many, melding.fewer, -1)):
        pairs = np.stack(np.meshgrid(measured.totals, miss_side.totals, indexing="ij"), axis=-1)
        value = np.nan_to_num(quantity.value(pairs)).ravel()
        order = np.argsort(sign * value, kind="stable")
        reached = np.cumsum(np.outer(measured.chance, miss_side.chance).ravel()[order])
        ends.append(float(value[order][np.searchsorted(reached, tail)]))
    return ends[0], ends[1]


@lru_cache(maxsize=256)
def outcomes(size: int, n: tuple[int, ...], *, known: bool) -> Outcomes:
    """The samples of one side, which many designs share."""
    return Outcomes(size, n, known=known)


class Outcomes:
    """Every sample of every number of judged items of one side: how likely it is, and what it tells of the total.

    Rows are samples, columns totals from 0 to ``size``. ``n`` are the numbers of judged items that are looked at.
    """

    def __init__(self, size: int, n: Sequence[int], *, known: bool) -> None:
        self.n = n
        self.starts = np.cumsum([0, *(judged + 1 for judged in n)])
        self.chance, self.low, self.high = (np.zeros((int(self.starts[-1]), size + 1)) for _ in range(3))
        for start, judged in zip(self.starts.tolist(), n, strict=False):
            for x in range(judged + 1):
                sides = zip((self.low, self.high), total_chances(x, judged, size), (1, -1), strict=True)
                for table, chances, sign in sides:
                    totals, chance = outward(chances, sign, known=known or judged == size)
                    table[start + x, totals.astype(np.int64)] = chance
            seen = np.arange(judged + 1)[:, None]
            self.chance[start : start + judged + 1] = hypergeom.pmf(seen, size, np.arange(size + 1), judged)


def least_coverage(sizes: tuple[int, int], score: tuple[Target, float], judged: Sequence[int] | None = None) -> float:
    """The least coverage of all designs of two strata of these sizes, for all truths and numbers of judged items.

    All samples are gone through. Ends are found by sorting all pairs of totals, as ``sorted_ends`` does.
    ``judged`` are the numbers of judged items that are looked at; None: all from 1.
    """
    target, beta = score
    hits, misses = (np.arange(size + 1.0) for size in sizes)
    quantity = Quantity(target, Strata.of_sizes(*sizes), beta=beta)
    value = quantity.value(np.stack(np.broadcast_arrays(hits[:, None], misses), axis=-1)).ravel()
    defined = ~np.isnan(value)
    value = np.asarray(np.round(np.nan_to_num(value), 12), np.float64)
    down, up = np.argsort(value, kind="stable"), np.argsort(-value, kind="stable")
    at = np.divmod(np.arange(len(value)), sizes[1] + 1)
    flagged, rest = ([k for k in judged or range(1, size + 1) if k <= size] for size in sizes)
    least = 1.0
    for n in flagged:
        measured, alone = (outcomes(sizes[0], (n,), known=known) for known in (False, True))
        miss_side = outcomes(sizes[1], tuple(rest), known=n == sizes[0])
        ends = []
        for order, side, other, bare in (
            (down, measured.low, miss_side.high, alone.low),
            (up, measured.high, miss_side.low, alone.high),
        ):
            i, j = (part[order] for part in at)
            reached = side[:, None, i] * other[None, :, j]
            if rest[-1] == sizes[1]:  # all of the other side was judged: nothing to meld
                whole = slice(int(miss_side.starts[-2]), None)
                reached[:, whole] = bare[:, None, i] * other[None, whole, j]
            np.cumsum(reached, axis=-1, out=reached)
            last = np.minimum(np.count_nonzero(reached < TAIL, axis=-1), len(order) - 1)
            ends.append(value[order][last])
        chance = measured.chance[:, None, at[0]] * miss_side.chance[None, :, at[1]]
        chance *= (ends[0][:, :, None] <= value) & (ends[1][:, :, None] >= value)
        covered = np.add.reduceat(chance.sum(axis=0), miss_side.starts[:-1], axis=0)
        least = min(least, float(covered[:, defined].min()))
    return least


def melded_coverage(
    sizes: tuple[int, int], n: tuple[int, int], errors: tuple[int, int], score: tuple[Target, float]
) -> float:
    """Coverage of R or F in one design of any size; samples of a probability below ``LEAST`` count as held.

    The more hits and the fewer misses were seen, the higher both ends: so it is enough to walk along the edge of the
    samples whose interval begins above the truth, and of those whose interval ends below it.
    """
    quantity = Quantity(score[0], Strata.of_sizes(*sizes), beta=score[1])
    truth = float(quantity.value(np.array(errors, np.float64)))
    sides, chances = [], []
    for size, judged, wrong in zip(sizes, n, errors, strict=True):
        x = np.arange(judged + 1)
        chance = hypergeom.pmf(x, size, wrong, judged)
        kept = chance > LEAST
        sides.append([Side(float(seen), *total_chances(float(seen), judged, size)) for seen in x[kept].tolist()])
        chances.append(chance[kept])
    missed = 0.0
    below, above = np.append(0.0, np.cumsum(chances[1])), np.append(np.cumsum(chances[1][::-1])[::-1], 0.0)
    few = many = 0
    for hit, chance in zip(sides[0], chances[0].tolist(), strict=True):
        # Without a hit the interval begins at 0, or there is none.
        while (
            hit.value and few < len(sides[1]) and Melding(quantity, hit, sides[1][few]).below(truth * (1 + 1e-9)) < TAIL
        ):
            few += 1
        while many < len(sides[1]) and Melding(quantity, hit, sides[1][many]).above(truth * (1 - 1e-9)) >= TAIL:
            many += 1
        missed += chance * float(below[few] + above[many])
    return 1 - missed


def random_design(rng: np.random.Generator) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Sizes from 2 to 10,000, at most 400 judged of each, and errors, many or few, of two strata."""
    sizes = np.exp(rng.uniform(np.log(2), np.log(10_000), 2)).astype(int)
    n = [int(rng.integers(1, min(size, 400) + 1)) for size in sizes]
    errors = [int(size * rng.uniform() ** rng.choice([1, 4])) for size in sizes]
    errors[0] = max(errors[0], 1)
    return (int(sizes[0]), int(sizes[1])), (n[0], n[1]), (errors[0], errors[1])


def voted_rows(judged: int, rate: float) -> dict[str, dict[Target, tuple[float, float]]]:
    """Of experts and of votes: the least coverage of all voters, and the mean of the median widths."""
    cells = [voted(judged, rate, raters, *voter) for raters, voter in product((1, 3), VOTERS)]
    found: dict[str, dict[Target, tuple[float, float]]] = {}
    for name, target in cells[0]:
        columns = np.array([cell[name, target] for cell in cells])
        found.setdefault(name, {})[target] = float(columns[:, 0].min()), float(columns[:, 1].mean())
    return found


def row(name: str, found: Mapping[Target, tuple[float, float]]) -> str:
    """A row of the page."""
    coverage = " | ".join(f"{found[target][0]:.3f}" for target in TARGETS)
    width = " | ".join(f"{found[target][1]:.3f}" for target in TARGETS)
    return f"| {name} | {coverage} | {width} |"


if __name__ == "__main__":
    for name, measured in few_rows().items():
        print(row(name, measured))  # noqa: T201
    for name in CUTS:
        print(cut_row(name, cut(name)))  # noqa: T201
    for name in NEARLY:
        print(cut_row(name, nearly(name)))  # noqa: T201
    for judged, rate in VOTED:
        for name, measured in voted_rows(judged, rate).items():
            print(row(f"{judged} judged, {100 * rate:g} % errors: {name}", measured))  # noqa: T201
