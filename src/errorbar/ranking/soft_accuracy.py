"""Soft pairwise accuracy: is a metric as sure as humans of which of two systems is better?

Formula
    SPA = mean over pairs of systems i, j of 1 − |p_h − p_m|. p_h is the one-sided p-value of the humans, and p_m that
    of the metric, of i being no better than j, both from swapping outputs of the two (errorbar.stats.one_sided).
    Of judgments: D is how often i was found better than j less how often j was. What is drawn as one (an item, or with
    ``by`` a sentence or a comparison) is swapped as one: its part of D changes sign. p_h is of all ways to swap.
    Of scores of sentences: D is the sum of the differences of both systems' scores over the sentences that have both;
    sentences are swapped, 1,000 random ways and their opposites, or all ways if there are no more.
    Of a metric that is computed: D is the difference of the systems' scores of the corpus, and documents (or sentences)
    are swapped (errorbar.metrics.swaps).
Conventions
    Published SPA counts all ways with D* = D, and so depends on which system of a pair comes first where any are
    equal; here half of them count. Where none of R ways but to swap nothing is equal, both are the same but for 1/(2R).
    Ties of judges move no D. Pairs that were never compared are left out; one that was, and always tied, has p = ½.
    The interval is over judgments (``subsample_interval``): p_h on subsamples of what is drawn as one, p_m as it is.
Source
    Thompson, Mathur, Deutsch & Khayrallah 2024, Improving statistical significance in human evaluation of automatic
    metrics via soft pairwise accuracy, WMT. The program of the shared task (mt-metrics-eval, pce.py) draws 1,000 ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from errorbar.core.estimate import Estimate, Scale, Undefined
from errorbar.core.rankings import Comparisons
from errorbar.ranking.wins import By, Floats, clusters, ordered
from errorbar.stats.one_sided import WAYS, share_above, sign_flip_p, ways_to_swap
from errorbar.stats.resampling import Resampling, left_out_of, stream, subsample_interval
from errorbar.stats.units import Units, cluster_table

SHARE = Scale(0.0, 1.0)
_PART = 20
"""Subsamples leave out a twentieth: p-values of much fewer judgments are others, and vary less."""
_AT_ONCE = 1000
"""Pairs whose sentences are swapped together."""
Sentences = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class SoftAccuracy:
    """Soft pairwise accuracy of a metric."""

    metric: str
    accuracy: Estimate  # units are pairs of systems; the interval is over judgments


class JudgedPairs:
    """What judges said of each pair of systems, in the order of ``itertools.combinations``."""

    def __init__(self, comparisons: Comparisons, systems: Sequence[str], by: By) -> None:
        self.by = by
        size = len(systems)
        self.n_pairs = size * (size - 1) // 2
        known = {system: at for at, system in enumerate(systems)}
        place = np.array([known.get(system, -1) for system in comparisons.systems], np.int64)
        one, two, outcome = ordered(comparisons)
        one, two = place[one], place[two]
        low, high = np.minimum(one, two), np.maximum(one, two)
        kept = low >= 0
        pair = (low * (2 * size - low - 1) // 2 + high - low - 1)[kept]
        signed = np.where(one < two, outcome, -outcome)[kept]
        self._met = np.bincount(pair, minlength=self.n_pairs) > 0
        drawn = clusters(comparisons, by)
        self.n_drawn = int(drawn.max(initial=-1)) + 1
        keys, at = np.unique(drawn[kept] * self.n_pairs + pair, return_inverse=True)
        net = np.rint(np.bincount(at, weights=signed, minlength=len(keys))).astype(np.int64)
        self.most = max(1, int(np.abs(net).max(initial=0)))
        decided = net != 0
        self._drawn, pair, net = keys[decided] // self.n_pairs, keys[decided] % self.n_pairs, net[decided]
        self._cells = (pair * 2 + (net < 0)) * self.most + np.abs(net) - 1

    @cached_property
    def chances(self) -> Floats:
        """P of each pair, NaN where the two were never compared; shape (pairs,)."""
        cells = np.bincount(self._cells, minlength=self._width)
        found: Floats = self._chances(cells[None].astype(np.float64))[0]
        return found

    def subsampled(self, how: Resampling) -> Iterator[Floats]:
        """P on subsamples, some of them first; shape (subsamples, pairs)."""
        used, kinds = np.unique(self._cells, return_inverse=True)
        # Whoever decided nothing is drawn too: a unit of the last kind, which counts nowhere.
        rest = np.setdiff1d(np.arange(self.n_drawn), self._drawn)
        kind = np.concatenate([kinds, np.full(len(rest), len(used))]).astype(np.int64)
        group = None if self.by == "comparison" else np.concatenate([self._drawn, rest])
        frequency = np.bincount(kind, minlength=len(used) + 1).astype(np.float64)
        units = Units(frequency, cluster_table(kind, len(used) + 1, group, len(kind)))
        for block in units.draws(
            how, "ranking", self.by, width=self._width, n_left_out=left_out_of(self.n_drawn, _PART)
        ):
            for weights in block():
                cells = np.zeros((len(weights), self._width))
                cells[:, used] = weights[:, :-1]
                yield self._chances(cells)

    @property
    def _width(self) -> int:
        return self.n_pairs * 2 * self.most

    def _chances(self, cells: Floats) -> Floats:
        table = cells.reshape(-1, 2, self.most)
        found = sign_flip_p(table[:, 0], table[:, 1]).reshape(len(cells), self.n_pairs)
        found[:, ~self._met] = np.nan
        return found


def sentence_chances(sentences: Sentences, systems: Sequence[str], seed: int = 0) -> Floats:
    """P of each pair of systems from scores of sentences, NaN where no sentence has both; shape (pairs,)."""
    rows = [[each.get(system, np.nan) for system in systems] for each in sentences.values()]
    scores = np.array(rows, np.float64).reshape(-1, len(systems))
    pairs = np.array(list(combinations(range(len(systems)), 2)), np.int64).reshape(-1, 2)
    random = _signs(len(scores), stream(seed, "soft-accuracy", len(scores)))
    found = np.full(len(pairs), np.nan)
    for start in range(0, len(pairs), _AT_ONCE):
        one, two = pairs[start : start + _AT_ONCE].T
        apart = scores[:, one] - scores[:, two]
        scored = ~np.isnan(apart)
        apart = np.where(scored, apart, 0.0)
        swapped = random @ apart
        for k in np.flatnonzero(scored.any(axis=0)).tolist():
            differing, ways = apart[apart[:, k] != 0, k], swapped[:, k]
            if len(differing) < len(apart) and 2 ** min(len(differing), 63) <= WAYS:
                ways = _signs(len(differing)) @ differing
            scale = float(np.abs(differing).sum())
            found[start + k] = share_above(float(differing.sum()), ways, scale)
    return found


def _signs(n: int, rng: np.random.Generator | None = None) -> Floats:
    """``ways_to_swap`` as factors of differences; without a generator all ways, which must be few."""
    return np.where(ways_to_swap(n, WAYS, rng or np.random.default_rng(0)), -1.0, 1.0)


def soft_accuracies(
    human: JudgedPairs | Floats | None, metrics: Mapping[str, Floats | None], how: Resampling | None = None
) -> list[SoftAccuracy]:
    """Soft pairwise accuracy of metrics, with intervals over judgments if there are any.

    Args:
        human: Judgments, or p of each pair, shape (pairs,); None: there are scores of systems alone.
        metrics: p of each pair by metric, NaN where there is none; None: the metric has scores of systems alone.
        how: How many subsamples of the judgments there are; None: there are no intervals.
    """
    known: dict[str, Floats] = {}
    chances = None
    if any(p is not None for p in metrics.values()):
        chances = human.chances if isinstance(human, JudgedPairs) else human
    if chances is not None:
        known = {name: p for name, p in metrics.items() if p is not None and not np.isnan(p - chances).all()}
    drawn: dict[str, Floats] = {}
    if isinstance(human, JudgedPairs) and how is not None and known:
        many = [[_accuracy(some, p) for p in known.values()] for some in human.subsampled(how)]
        drawn = dict(zip(known, np.concatenate(many, axis=1), strict=True))
    found = []
    for name, p in metrics.items():
        if chances is None or p is None or name not in known:
            why = Undefined.SYSTEMS_ALONE if chances is None or p is None else Undefined.NO_UNITS
            found.append(SoftAccuracy(name, Estimate(None, 0, undefined=why)))
            continue
        value = float(_accuracy(chances, p))
        estimate = Estimate(value, int(np.count_nonzero(~np.isnan(p - chances))))
        if isinstance(human, JudgedPairs) and how is not None:
            level = how.confidence_level
            n = human.n_drawn
            interval = subsample_interval(value, drawn[name], n, part=_PART, confidence_level=level, scale=SHARE)
            estimate = estimate.with_interval(interval)
        found.append(SoftAccuracy(name, estimate))
    return found


def _accuracy(human: Floats, metric: Floats) -> Floats:
    """SPA of p-values of shape (..., pairs) and (pairs,); shape (...)."""
    found: Floats = 1.0 - np.nanmean(np.abs(human - metric), axis=-1)
    return found
