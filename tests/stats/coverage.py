"""How often the intervals hold the true value, by simulation: the tables of docs/measurements/intervals.md.

Each cell rests on 20,000 draws, so two runs with different seeds differ by about 0.002. Bootstrap weights are drawn
once for every 1,000 corpora, which changes nothing for a single corpus and saves most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errorbar.core import Interval, Undefined
from errorbar.core.estimate import BootstrapMethod
from errorbar.stats import (
    NORMAL,
    acceleration,
    adjust,
    bootstrap_interval,
    correlation_interval,
    count_extreme,
    f_cdf,
    f_score_interval,
    f_value,
    multiplicities,
    paired_bootstrap,
    proportion_bounds,
    random_swaps,
    resample_units,
    step_down_max_t,
    stream,
)
from errorbar.stats.proportion import FMethod

DRAWS, BATCH, RESAMPLES, SEED = 20_000, 1_000, 1_000, 20_141_511
Table = dict[str, dict[str, float]]
"""Row name, column name, share."""
Floats = NDArray[np.floating]
Maker = Callable[[int, np.random.Generator], NDArray[np.float32]]
Figure = Callable[[Floats], Floats]
RATES = (0.25, 0.25, 0.75)
"""Matches, false alarms and misses of a sentence in the mean: P = 0.5, R = 0.25."""


def holds(interval: Interval | Undefined, truth: float) -> bool:
    """No interval counts as a failure."""
    return isinstance(interval, Interval) and interval.low <= truth <= interval.high


def inside(truth: float, tp: float, fp: float, fn: float, *, beta: float = 0.5) -> bool:
    """Whether the interval of Goutte and Gaussier holds F, without the search for its ends; F is not 0 or 1."""
    below = f_cdf(truth, tp, fp, fn, beta=beta)
    return (below >= 0.025 or tp == 0) and (below <= 0.975 or fp + fn == 0)


def proportions() -> Table:
    table: Table = {}
    for n, p in ((20, 0.05), (20, 0.3), (60, 0.05), (300, 0.02), (300, 0.5)):
        x = stream(SEED, "proportion", n, str(p)).binomial(n, p, DRAWS)
        row = table.setdefault(f"n = {n}, p = {p:g}", {})
        for method in ("wald", "wilson", "clopper-pearson", "jeffreys"):
            low, high = proportion_bounds(x, n, method=method)
            row[method] = float(np.mean((low <= p) & (p <= high)))  # a NaN is a failure
    return table


def f_scores() -> Table:
    table: Table = {}
    every: tuple[FMethod, ...] = ("delta", "wilson-j", "clopper-pearson-j", "jeffreys-j", "goutte-gaussier")
    for n in (20, 60, 200):
        rates = (0.05, 0.05, 0.1)
        drawn = stream(SEED, "f", n).multinomial(n, (*rates, 1 - sum(rates)), DRAWS)[:, :3]
        kinds, times = np.unique(drawn, axis=0, return_counts=True)
        for beta in (1.0, 0.5):
            truth = f_value(*rates, beta=beta)
            row = table.setdefault(f"F{beta:g}, {n * rates[0]:g} matches expected", {})
            for method in every if beta == 1 else (every[0], every[-1]):
                held = [f_holds(method, kind, beta, truth) for kind in kinds.tolist()]
                row[method] = float(np.array(held) @ times) / DRAWS
    return table


def f_holds(method: FMethod, kind: list[float], beta: float, truth: float) -> bool:
    if method == "goutte-gaussier" and any(kind):
        return inside(truth, *kind, beta=beta)
    return holds(f_score_interval(*kind, beta=beta, method=method), truth)


def f_half(totals: Floats) -> Floats:
    """F0.5 along the last axis; 0 where there is nothing, as the official scorers have it."""
    tp, fp, fn = (totals[..., kind].astype(np.float64) for kind in range(3))
    below = 1.25 * tp + fp + 0.25 * fn
    return np.divide(1.25 * tp, below, out=np.zeros_like(below), where=below > 0)


def corpora(n: int, clusters: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """BATCH corpora of n sentences; shape (BATCH, n, 3).

    Sentences differ in how hard they are, and the sentences of a cluster are alike: every rate is multiplied by a
    gamma variable of mean 1 of the cluster (of the sentence, if each is its own cluster).
    """
    hard = rng.gamma(3.0, 1 / 3.0, (BATCH, clusters, 3)).repeat(n // clusters, axis=1)
    return rng.poisson(np.array(RATES) * hard).astype(np.float32)


def weighted(weights: NDArray[np.float32], counts: NDArray[np.float32]) -> Floats:
    """Totals of all resamples of all corpora; shape (corpora, resamples, counts)."""
    totals = np.stack([np.ascontiguousarray(counts[..., kind]) @ weights.T for kind in range(counts.shape[-1])])
    return np.moveaxis(totals, 0, -1)


def bootstraps() -> Table:
    table: Table = {}
    truth = f_value(*RATES)
    designs = [(f"{n} sentences", n, n, n) for n in (30, 100)]
    designs += [(f"{m} essays of 10 sentences, essays drawn", 10 * m, m, m) for m in (10, 25, 50)]
    designs.append(("25 essays of 10 sentences, sentences drawn", 250, 25, 250))
    for name, n, clusters, drawn in designs:
        held: dict[str, list[bool]] = {"percentile": [], "basic": [], "bca": [], "goutte-gaussier": []}
        for batch in range(DRAWS // BATCH):
            rng = stream(SEED, "bootstrap", name, batch)
            counts = corpora(n, clusters, rng).reshape(BATCH, drawn, -1, 3).sum(axis=2)
            weights = multiplicities(resample_units(drawn, RESAMPLES, rng), drawn).astype(np.float32)
            totals = counts.sum(axis=1)
            values, resampled = f_half(totals), f_half(weighted(weights, counts))
            left_out = f_half(totals[:, None] - counts)
            for k in range(BATCH):
                for method in ("percentile", "basic", "bca"):
                    interval = bootstrap_interval(values[k], resampled[k], jackknife=left_out[k], method=method)
                    held[method].append(holds(interval, truth))
                held["goutte-gaussier"].append(inside(truth, *totals[k].tolist()))
        table[name] = {method: float(np.mean(hits)) for method, hits in held.items()}
    return table


def false_alarms() -> Table:
    """How often two systems that are equally good are told apart at the 5 % level."""
    table: Table = {}
    for n in (12, 25, 100):
        wrong: dict[str, list[bool]] = {"randomization": [], "bca": [], "percentile": [], "centered": [], "share": []}
        for batch in range(DRAWS // BATCH):
            rng = stream(SEED, "null", n, batch)
            # Exchangeable, and alike as outputs for one sentence are: a common part, and one of its own each.
            common, one, other = (corpora(n, n, rng) for _ in range(3))
            a, b = common + one, common + other
            totals, apart = (a + b).sum(axis=1)[:, None], a - b
            swaps = 1 - 2 * random_swaps(n, 999, rng).astype(np.float32)
            moved = weighted(swaps, apart)
            swapped = f_half((totals + moved) / 2) - f_half((totals - moved) / 2)
            weights = multiplicities(resample_units(n, RESAMPLES, rng), n).astype(np.float32)
            resampled = f_half(weighted(weights, a)) - f_half(weighted(weights, b))
            sums = a.sum(axis=1), b.sum(axis=1)
            values = f_half(sums[0]) - f_half(sums[1])
            left_out = f_half(sums[0][:, None] - a) - f_half(sums[1][:, None] - b)
            for k in range(BATCH):
                wrong["randomization"].append((count_extreme(values[k], swapped[k]) + 1) / 1000 <= 0.05)
                for method in ("bca", "percentile"):
                    found = paired_bootstrap(values[k], resampled[k], jackknife=left_out[k], method=method)
                    wrong[method].append(isinstance(found.interval, Interval) and not holds(found.interval, 0))
                wrong["centered"].append(found.centered_p is not None and found.centered_p <= 0.05)
                wrong["share"].append(found.share_not_better <= 0.025)
        table[f"{n} sentences"] = {name: float(np.mean(alarms)) for name, alarms in wrong.items()}
    return table


def many_systems() -> Table:
    """How often any of several true null hypotheses is rejected at the 5 % level: ten pairs of five systems."""
    table: Table = {}
    pairs = list(combinations(range(5), 2))
    for n in (12, 25, 50):
        for name, better in (("all equal", 0), ("two better", 2)):
            wrong: dict[str, list[bool]] = {"max-T": [], "Holm": [], "unadjusted": []}
            true = np.array([(a < better) == (b < better) for a, b in pairs])
            for batch in range(DRAWS // BATCH):
                rng = stream(SEED, "many", n, name, batch)
                common, *own = (corpora(n, n, rng) for _ in range(6))
                systems = np.stack([common + each for each in own])
                systems[:better, :, :, 0] += 1  # a match more in every sentence
                swaps = 1 - 2 * random_swaps(n, 999, rng).astype(np.float32)
                for k in range(BATCH):
                    observed, table_ = mixed(systems[:, k], pairs, swaps)
                    extreme = [count_extreme(d, row) for d, row in zip(observed, table_, strict=True)]
                    raw = (np.array(extreme) + 1) / 1000
                    wrong["max-T"].append(bool((step_down_max_t(observed, table_)[true] <= 0.05).any()))
                    wrong["Holm"].append(bool((adjust(raw)[true] <= 0.05).any()))
                    wrong["unadjusted"].append(bool((raw[true] <= 0.05).any()))
            table[f"{n} sentences, {name}"] = {how: float(np.mean(alarms)) for how, alarms in wrong.items()}
    return table


def mixed(systems: Floats, pairs: list[tuple[int, int]], signs: Floats) -> tuple[Floats, Floats]:
    """Differences in F0.5 of every pair, observed and under each way to swap; systems are (systems, units, 3)."""
    values = f_half(systems.sum(axis=1))
    rows = []
    for a, b in pairs:
        total, moved = (systems[a] + systems[b]).sum(axis=0), signs @ (systems[a] - systems[b])
        rows.append(f_half((total + moved) / 2) - f_half((total - moved) / 2))
    return np.array([values[a] - values[b] for a, b in pairs]), np.array(rows)


def correlations() -> Table:
    table: Table = {}
    for n in (8, 12, 50):
        for rho in (0.0, 0.6, 0.9):
            rng = stream(SEED, "correlation", n, str(rho))
            x = rng.standard_normal((DRAWS, n))
            y = rho * x + np.sqrt(1 - rho * rho) * rng.standard_normal((DRAWS, n))
            truths = {
                "pearson": rho,
                "spearman": 6 / np.pi * np.arcsin(rho / 2),
                "kendall-b": 2 / np.pi * np.arcsin(rho),
            }
            ranks = [series.argsort(axis=1).argsort(axis=1).astype(np.float64) for series in (x, y)]
            values = {"pearson": rows(x, y), "spearman": rows(*ranks), "kendall-b": kendall(x, y)}
            table[f"n = {n}, ρ = {rho:g}"] = {
                kind: float(np.mean([holds(correlation_interval(v, n, kind=kind), truths[kind]) for v in values[kind]]))
                for kind in ("pearson", "spearman", "kendall-b")
            }
    return table


def rows(x: Floats, y: Floats) -> Floats:
    """Pearson's r of each row."""
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    return np.asarray((x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))


def kendall(x: Floats, y: Floats) -> Floats:
    """Kendall's tau of each row, without ties."""
    i, j = np.triu_indices(x.shape[1], 1)
    return np.concatenate([np.sign((a[:, i] - a[:, j]) * (b[:, i] - b[:, j])).mean(axis=1) for a, b in batches(x, y)])


def batches(x: Floats, y: Floats) -> Iterator[tuple[Floats, Floats]]:
    for start in range(0, len(x), BATCH):
        yield x[start : start + BATCH], y[start : start + BATCH]


def quotient(counts: Floats) -> Floats:
    """Recall or precision: the first of two counts by the second, NaN where that is 0."""
    with np.errstate(invalid="ignore"):
        return np.asarray(counts[..., 0] / counts[..., 1], np.float64)


def kappa(cells: Floats) -> Floats:
    """Cohen's kappa of tables of two labels, cells row by row; NaN where both raters gave one label only."""
    p = cells.astype(np.float64) / cells.sum(axis=-1, keepdims=True)
    first, second = p[..., 0] + p[..., 1], p[..., 0] + p[..., 2]
    expected = first * second + (1 - first) * (1 - second)
    below = np.where(1 - expected > 1e-12, 1 - expected, np.nan)
    return np.asarray((p[..., 0] + p[..., 3] - expected) / below)


def rare_type(n_documents: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Matched and all reference edits of a type that stands in a few of 50 documents, which differ: recall 0.4."""
    gold = np.zeros((BATCH, 50), np.int64)
    gold[:, :n_documents] = 1 + rng.poisson(0.5, (BATCH, n_documents))
    return np.stack([rng.binomial(gold, rng.beta(2, 3, gold.shape)), gold], axis=-1).astype(np.float32)


def rare_label(n_items: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Two raters, 100 items, kappa 0.5; so many items have the rare label from one of them or both in the mean."""
    share = 1.5 - np.sqrt(2.25 - n_items / 50)  # share + share (1 - share) / 2 of the items: one rater's, and apart
    apart = 0.5 * share * (1 - share)
    cells = [share - apart, apart, apart, 1 - share - apart]
    return np.eye(4, dtype=np.float32)[rng.choice(4, p=cells, size=(BATCH, 100))]


def few_proposals(n_edits: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Correct and all edits that a system proposes, so many in 50 documents in the mean: precision 0.5."""
    proposed = (rng.random((BATCH, 50)) < n_edits / 75) * (1 + rng.poisson(0.5, (BATCH, 50)))
    return np.stack([rng.binomial(proposed, rng.beta(2, 2, proposed.shape)), proposed], axis=-1).astype(np.float32)


def left_out(value: float, drawn: Floats, jackknife: Floats, method: BootstrapMethod) -> Interval | Undefined:
    """The rule that leaves draws without a value out while at least half have one."""
    defined = drawn[~np.isnan(drawn)]
    if 2 * defined.size < drawn.size:
        return Undefined.RESAMPLES_UNDEFINED
    return bootstrap_interval(value, defined, jackknife=jackknife[~np.isnan(jackknife)], method=method)


def extreme(value: float, drawn: Floats, jackknife: Floats, method: BootstrapMethod) -> Interval | Undefined:
    """The rule that counts them as beyond all others at both ends, wherever an end falls."""
    lost, ends = np.isnan(drawn), (0.025, 0.975)
    if method == "bca":
        acc = acceleration(jackknife)
        z0 = NORMAL.inv_cdf(float(np.mean(drawn[~lost] < value) + np.mean(drawn[~lost] == value) / 2) or 1e-9)
        z = [z0 + NORMAL.inv_cdf(end) for end in ends]
        if np.isnan(acc):
            return Undefined.ONE_SIDED
        ends = (NORMAL.cdf(z0 + z[0] / (1 - acc * z[0])), NORMAL.cdf(z0 + z[1] / (1 - acc * z[1])))
    low = float(np.quantile(np.where(lost, -np.inf, drawn), ends[0], method="lower"))
    high = float(np.quantile(np.where(lost, np.inf, drawn), ends[1], method="higher"))
    if np.isinf([low, high]).any() or low == high:
        return Undefined.RESAMPLES_UNDEFINED
    return Interval(low, high, 0.95, "")


def draws_without_a_value() -> Table:
    """Three rules: how often there is an interval, and how often those there are hold the truth."""
    table: Table = {}
    figures: list[tuple[str, Maker, Figure, float, tuple[int, ...]]] = [
        ("recall, a type in {} documents", rare_type, quotient, 0.4, (2, 3, 4, 5, 8)),
        ("kappa, {} items with the rare label", rare_label, kappa, 0.5, (2, 4, 8)),
        ("precision, {} edits proposed", few_proposals, quotient, 0.5, (2, 4, 8)),
    ]
    designs = [(how.format(n), make, n, figure, truth) for how, make, figure, truth, sizes in figures for n in sizes]
    for name, make, n, figure, truth in designs:
        method: BootstrapMethod = "percentile" if figure is kappa else "bca"
        undefined: list[float] = []
        found: dict[str, list[Interval | Undefined]] = {"left out": [], "extreme": [], "to a tail": []}
        for batch in range(5):
            rng = stream(SEED, "without", name, batch)
            counts = make(n, rng)
            weights = multiplicities(resample_units(counts.shape[1], RESAMPLES, rng), counts.shape[1])
            totals = counts.sum(axis=1)
            values, drawn = figure(totals), figure(weighted(weights.astype(np.float32), counts))
            jackknife = figure(totals[:, None] - counts)
            for k in np.flatnonzero(~np.isnan(values)):
                undefined.append(float(np.isnan(drawn[k]).mean()))
                found["left out"].append(left_out(values[k], drawn[k], jackknife[k], method))
                found["extreme"].append(extreme(values[k], drawn[k], jackknife[k], method))
                made = bootstrap_interval(values[k], drawn[k], jackknife=jackknife[k], method=method)
                found["to a tail"].append(made)
        table[name] = {"undefined": float(np.mean(undefined))}
        for rule, intervals in found.items():
            given = [interval for interval in intervals if isinstance(interval, Interval)]
            table[name][f"{rule}: given"] = len(given) / len(intervals)
            if len(given) > len(intervals) / 20:
                table[name][f"{rule}: hold"] = float(np.mean([holds(interval, truth) for interval in given]))
    return table


TABLES: dict[str, Callable[[], Table]] = {
    "Proportions": proportions,
    "F from counts": f_scores,
    "Bootstrap of F0.5": bootstraps,
    "Draws without a value": draws_without_a_value,
    "Correlations": correlations,
    "False alarms": false_alarms,
    "Many systems": many_systems,
}
