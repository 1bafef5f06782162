"""Corpora by synthetic judges who resemble the ten annotators of Bryant & Ng, for the coverage of intervals.

Every edit that one of the ten made is an item with the share of them that made it (kept from .05 to .95). A synthetic
judge makes it with a probability whose logit is a constant of the share, plus the judge's strictness, plus an effect of
theirs on the essay, plus the judge's taste for the error type: normal. The constant is such that all judges together
make the item as often as its share says. Essays are redrawn with replacement, judges' effects drawn for every copy
anew. Which items a system finds is told by M2 against each alone.

The three standard deviations are not chosen but fitted, before any interval was looked at: ten synthetic judges have,
on average, the variance components of the ten (``tests.helpers.fitted_judges``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from errorbar import M2, Corpus, Edit, Sentence
from errorbar.api import ReadingOptions, load
from errorbar.core import Undefined
from errorbar.metrics import judging_of
from errorbar.metrics.edit_metric import EditStatistics
from errorbar.metrics.over_judges import only
from errorbar.stats import TwoWay, VariancePrior, unbiased_variance
from errorbar.stats.two_way import moderate

HOME = 0.8
SYSTEMS = ("CAMB", "CUUI")
F = 2
Ints = NDArray[np.int64]
Draw = Callable[[int, np.random.Generator], tuple[list[EditStatistics], NDArray[np.int64]]]


@dataclass(frozen=True, slots=True)
class Effects:
    """Standard deviations of what judges differ in, on the scale of logits."""

    strictness: float
    essay: float
    taste: float

    def logits(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where the probability is the share on average over judges."""
        known, which = np.unique(share, return_inverse=True)
        variance = self.strictness**2 + self.essay**2 + self.taste**2
        return np.array([_logit(float(probability), variance) for probability in known])[which]


FITTED = Effects(0.20, 1.08, 0.86)
"""What ``tests.helpers.fitted_judges`` finds, rounded."""


@dataclass(frozen=True, slots=True)
class World:
    """Items by sentence, and what two systems do about them."""

    sentence: Ints  # of each item
    kind: Ints  # its error type
    share: NDArray[np.float64]  # of judges who made it
    found: NDArray[np.bool_]  # whether a system makes it too; shape (systems, items)
    proposed: Ints  # edits of a system; shape (systems, sentences)
    essay: Ints  # of each sentence
    real: tuple[EditStatistics, ...]  # of each system against the ten
    effects: Effects = FITTED

    @classmethod
    def read(cls, data: Path) -> World:
        """The world of the ten annotators and two systems."""
        files = [data / f"bn2015_10gec/A{i}.m2" for i in range(1, 11)]
        how = ReadingOptions(documents=data / "conll14/noalt/official-2014.0.sgml", lenient=True)
        read = load(files, [data / "conll14_systems/official_submissions" / name for name in SYSTEMS], how)
        items: list[dict[tuple[int, int, tuple[str, ...]], list[Edit]]] = []
        for sentence in read.corpus.sentences:
            own: dict[tuple[int, int, tuple[str, ...]], list[Edit]] = {}
            for edits in sentence.annotations.values():
                for edit in edits:
                    own.setdefault((edit.start, edit.end, tuple(edit.replacements[:1])), []).append(edit)
            items.append(own)
        width = max(map(len, items))
        alone = [
            Sentence(sentence.text, {str(k): ((edits[0],) if k < len(own) else ()) for k, edits in _padded(own, width)})
            for sentence, own in zip(read.corpus.sentences, items, strict=True)
        ]
        corpus = Corpus(alone, tuple(map(str, range(width))))
        sentence_of = np.repeat(np.arange(len(items)), [len(own) for own in items])
        column = np.concatenate([np.arange(len(own)) for own in items])
        measured = [M2().measure(corpus, system.lines).counts for system in read.systems]
        types: dict[str, int] = {}
        kinds = [types.setdefault(edits[0].type, len(types)) for own in items for edits in own.values()]
        share = np.array([min(len(edits), 10) for own in items for edits in own.values()]) / 10
        share = np.clip(share, 0.05, 0.95)
        real = [M2().measure(read.corpus, system.lines) for system in read.systems]
        return cls(
            sentence_of,
            np.array(kinds),
            share,
            np.stack([counts[sentence_of, column, 0] > 0 for counts in measured]),
            np.stack([np.median(statistics.counts[:, :, 1], axis=1).astype(np.int64) for statistics in real]),
            read.documents.clusters(),
            tuple(real),
        )

    def draw(
        self, n_judges: int, rng: np.random.Generator, shifts: NDArray[np.float64] | None = None
    ) -> tuple[list[EditStatistics], Ints]:
        """Statistics of both systems against so many new judges on redrawn essays, and the essay of each sentence.

        ``shifts`` are added to the logits of each judge by error type, as a pool's guideline: shape (judges, types).
        """
        n = int(self.essay.max()) + 1
        drawn = rng.integers(n, size=n)
        units = np.concatenate([np.flatnonzero(self.essay == e) for e in drawn])
        clusters = np.repeat(np.arange(n), [int((self.essay == e).sum()) for e in drawn])
        starts = np.searchsorted(self.sentence, np.arange(len(self.essay) + 1))
        sizes = np.diff(starts)[units]
        items = np.concatenate([np.arange(starts[u], starts[u + 1]) for u in units])
        place = np.repeat(np.arange(len(units)), sizes)
        logit = self.effects.logits(self.share)[items]
        counts = np.zeros((len(SYSTEMS), len(units), n_judges, 3), np.int32)
        for j in range(n_judges):
            own = self.effects
            effect = own.strictness * rng.standard_normal() + own.essay * rng.standard_normal(n)[clusters[place]]
            effect = effect + own.taste * rng.standard_normal(int(self.kind.max()) + 1)[self.kind[items]]
            effect = effect if shifts is None else effect + shifts[j, self.kind[items]]
            made = rng.random(len(items)) < 1 / (1 + np.exp(-(logit + effect)))
            for s in range(len(SYSTEMS)):
                counts[s, :, j, 0] = np.bincount(place, made & self.found[s, items], len(units))
                counts[s, :, j, 1] = self.proposed[s, units]
                counts[s, :, j, 2] = np.bincount(place, made, len(units))
        counts[..., 0] = np.minimum(counts[..., 0], counts[..., 1])
        present, names = np.ones(counts.shape[1:3], np.uint8), tuple(map(str, range(n_judges)))
        return [EditStatistics(count, present, names) for count in counts], clusters

    def draw_shared(self, n_judges: int, rng: np.random.Generator) -> tuple[list[EditStatistics], Ints]:
        """The stress case: each judge is one of the ten on 80% of the essays, another of them on the rest.

        Two judges may have the same home, so that they are alike as no two fresh judges would be.
        """
        n = int(self.essay.max()) + 1
        drawn = rng.integers(n, size=n)
        units = np.concatenate([np.flatnonzero(self.essay == e) for e in drawn])
        clusters = np.repeat(np.arange(n), [int((self.essay == e).sum()) for e in drawn])
        home = rng.integers(10, size=n_judges)
        who = np.where(rng.random((n, n_judges)) < HOME, home, rng.integers(10, size=(n, n_judges)))
        columns = who[clusters]
        present, names = np.ones(columns.shape, np.uint8), tuple(map(str, range(n_judges)))
        made = [np.take_along_axis(statistics.counts[units], columns[:, :, None], axis=1) for statistics in self.real]
        return [EditStatistics(np.ascontiguousarray(counts), present, names) for counts in made], clusters

    def priors(self, n_judges: int, k: int) -> tuple[float, float] | None:
        """Variances over so many judges of F and of the difference, as the ten tell them: what V_A is moderated by."""
        parts = judging_of(M2(), self.real[0], 10, self.essay, k)
        first, second = (only(parts.values(M2(), statistics), F) for statistics in self.real)
        zetas = first.zeta(0), (first - second).zeta(0)
        if zetas[0] is None or zetas[1] is None:
            return None
        return unbiased_variance(zetas[0], n_judges), unbiased_variance(zetas[1], n_judges)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals hold the truth: of F of the first system, and of its difference to the second."""

    texts: tuple[float, float]  # jackknife over essays alone, z
    both: tuple[float, float]  # over essays and judges, t
    moderated: tuple[float, float] | None  # with a prior of so many judges; None: the ten do not tell it
    half_widths: tuple[float, float, float]  # of F over both, in points: 10%, 50% and 90% quantile
    moderated_widths: tuple[float, float, float] | None
    n: int
    n_unknown: int  # corpora besides that have no interval, but a reason

    @property
    def error(self) -> float:
        """Standard error of a share of about .95."""
        return float(np.sqrt(0.05 * 0.95 / self.n))


def drawn_parts(
    draw: Draw, n_judges: int, k: int, rng: np.random.Generator
) -> tuple[TwoWay | Undefined, TwoWay | Undefined]:
    """The components of F and of the difference in a corpus."""
    statistics, clusters = draw(n_judges, rng)
    judging = judging_of(M2(), statistics[0], n_judges, clusters, k)
    first, second = (only(judging.values(M2(), statistic), F) for statistic in statistics)
    return first.components(0), (first - second).components(0)


def coverage(
    draw: Draw, n_judges: int, k: int, n: int, *, seed: int, priors: tuple[float, float] | None = None
) -> Coverage:
    """Draw so many corpora; the truth is the mean of the scores, which are without bias for it."""
    rng = np.random.default_rng([seed, n_judges, k])
    found: list[tuple[TwoWay, TwoWay]] = []
    n_unknown = 0
    while len(found) < n:
        first, second = drawn_parts(draw, n_judges, k, rng)
        if isinstance(first, TwoWay) and isinstance(second, TwoWay):
            found.append((first, second))
        else:
            n_unknown += 1
    shares: list[list[float]] = [[], [], []]
    widths = []
    for at in range(2):
        own = [parts[at] for parts in found]
        off = np.abs(np.array([parts.value for parts in own]) - np.mean([parts.value for parts in own]))
        halves = [
            np.array([1.959964 * np.sqrt(parts.texts) for parts in own]),
            np.array([parts.half_width(0.95) for parts in own]),
        ]
        if priors is not None:
            halves.append(np.array([moderate(parts, VariancePrior(priors[at], 4)).half_width(0.95) for parts in own]))
        for share, half in zip(shares, halves, strict=False):
            share.append(float(np.mean(off <= half)))
        if at == 0:
            widths = [_quantiles(100 * half) for half in halves[1:]]
    texts, both = ((share[0], share[1]) for share in shares[:2])
    if priors is None:
        return Coverage(texts, both, None, widths[0], None, n, n_unknown)
    return Coverage(texts, both, (shares[2][0], shares[2][1]), widths[0], widths[1], n, n_unknown)


@cache
def _logit(share: float, variance: float) -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    effects = np.sqrt(variance) * nodes

    def above(logit: float) -> float:
        return float(weights @ (1 / (1 + np.exp(-(logit + effects)))) / weights.sum()) - share

    return float(brentq(above, -20, 20))


def _quantiles(values: NDArray[np.float64]) -> tuple[float, float, float]:
    low, middle, high = np.quantile(values, [0.1, 0.5, 0.9]).tolist()
    return low, middle, high


def _padded(own: dict[tuple[int, int, tuple[str, ...]], list[Edit]], width: int) -> list[tuple[int, list[Edit]]]:
    rows = list(own.values())
    return [(k, rows[k] if k < len(rows) else []) for k in range(width)]
