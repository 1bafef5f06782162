"""How intervals are made of resamples: one description for every command, one rule for draws without a value.

Formula
    q(a) is the a-quantile of the resampled values (linear between order statistics), v the value on the corpus.
    percentile: q(α), q(1 − α). basic: 2v − q(1 − α), 2v − q(α).
    bca: q(Φ(z0 + (z0 + z_a) / (1 − acc (z0 + z_a)))) for both tails z_a, with z0 = Φ⁻¹(share of resampled values
    below v, ties half) and acc = Σ d³ / (6 (Σ d²)^1.5), d = mean of the leave-one-out values minus each of them.
    subsamples: of n units d are left out at random, each time others. The standard error is the standard
    deviation of the values times √((n − d) / d), and ``Scale.ends`` makes the interval of it. It is an interval for
    what studies of n units give on average, which noise may pull to one side (a correlation: towards 0).
    A stream's names are written out with their lengths, so that ("ab", "c") and ("a", "bc") differ, and hashed by
    SHA-256; the eight 32-bit words of the hash (little endian) are the spawn key of a numpy SeedSequence whose entropy
    is the seed. The sequence starts a PCG64.
Conventions
    Draws without a value (NaN: no edit of the type was drawn, one label only) count against the interval, up to a tail:
    for its low end they are below all others, for its high end above, but no end lies beyond what was drawn; where they
    are more than α of all draws (2.5 % at 95 %), an end is not known, and there is no interval. The interval's method
    says their share. docs/measurements/intervals.md measures this beside other rules.
    No interval has zero width: where all resamples agree, the reason is named instead. A basic interval is cut at the
    range of the score, which it may leave.
    A stream depends on the seed and its names only, never on what was drawn before or on who draws. Long draws are cut
    into blocks of fixed size, each with its own number as its last name: the number of workers changes no digit. numpy
    keeps the raw output of PCG64 for good; how a generator makes integers of it may change with a release of numpy.
Source
    Shao & Wu 1989, A general theory for jackknife variance estimation, Annals of Statistics 17: a large d for values
    that jump, as ranks do.
    Efron 1987, Better bootstrap confidence intervals, JASA 82; Efron & Tibshirani 1993, chapters 13, 14.
    numpy.random.SeedSequence (M. O'Neill's seed_seq design); spawn keys are numpy's own way to independent streams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from itertools import pairwise
from numbers import Integral, Real
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import MOST_UNASKED, REPLICATES, BootstrapMethod, Interval, Method, Scale, Undefined
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest, wrong_type

if TYPE_CHECKING:
    from scipy import sparse


NORMAL = NormalDist()
ANYWHERE = Scale()
BLOCK = 1000
"""Replicates drawn from one stream. A constant, since another block size would give other digits."""
MOST_RESAMPLES, MOST_REPLICATES = 1_000_000, 10_000_000
"""Resamples of an interval, whose ends so many leave open by 0.003 standard errors, and replicates of anything: more
would take hours and gigabytes."""
ROUNDING = 1e-12
"""Differences up to this are rounding, not variation."""


def tails(confidence_level: float) -> tuple[float, float]:
    """The probabilities at which a two-sided interval ends, e.g. (0.025, 0.975)."""
    if not 0 < confidence_level < 1:
        message = f"the confidence level is {confidence_level}"
        raise UsageError(Problem("confidence-level", message, expected="between 0 and 1", fix="95 % is 0.95"))
    return (1 - confidence_level) / 2, (1 + confidence_level) / 2


def z_value(confidence_level: float) -> float:
    """How many standard errors a normal interval reaches to each side: 1.96 for 0.95."""
    return NORMAL.inv_cdf(tails(confidence_level)[1])


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """A generator of its own for every purpose, e.g. ``stream(seed, "bootstrap", "P", 3)``; 1 and "1" are two names."""
    check_seed(seed)
    parts = [f"{type(name).__name__}:{len(str(name))}:{name};" for name in names]
    words = np.frombuffer(sha256("".join(parts).encode()).digest(), "<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=words.tolist())))


def check_seed(seed: int) -> None:
    """Refuse a seed below 0."""
    if seed < 0:
        raise UsageError(Problem("seed", f"the seed is {seed}", expected="a whole number from 0"))


def blocks(seed: int, *names: str | int, replicates: int) -> Iterator[tuple[int, np.random.Generator]]:
    """Cut many replicates into blocks, to be worked on in any order: how many each has, and its stream."""
    check_replicates(replicates)
    for number, start in enumerate(range(0, replicates, BLOCK)):
        yield min(BLOCK, replicates - start), stream(seed, *names, number)


def check_replicates(number: int, name: str = "replicates", most: int = MOST_REPLICATES) -> None:
    """Refuse a number of replicates that is below 1, or whose work would not end."""
    if not 1 <= number <= most:
        bound = "at least 1" if number < 1 else f"at most {most:,}"
        raise UsageError(Problem("replicates", f"the number of {name} must be {bound}, got {number:,}"))


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made.

    Attributes:
        method: ``bca``, ``percentile``, ``basic`` (bootstrap) or ``closed`` (formula).
        replicates: How many resamples, at most 1,000,000.
        confidence_level: Nominal coverage, a fraction.
        seed: Of the random streams.
        jobs: How many cores; changes no digit.
    """

    method: Method = "bca"
    replicates: int = REPLICATES
    confidence_level: float = 0.95
    seed: int = 0
    jobs: int = 1

    def __post_init__(self) -> None:
        whole = {"the number of resamples": self.replicates, "the seed": self.seed, "the number of jobs": self.jobs}
        for name, value in whole.items():
            if not isinstance(value, Integral) or isinstance(value, bool):
                raise wrong_type(name, "a whole number", value)
        if not isinstance(self.confidence_level, Real) or isinstance(self.confidence_level, bool):
            raise wrong_type("the confidence level", "a number between 0 and 1", self.confidence_level)
        if self.method not in get_args(Method):
            fix = nearest(self.method, get_args(Method))
            raise UsageError(Problem("interval-method", f"no interval is called '{self.method}'", fix=fix))
        tails(self.confidence_level)
        check_replicates(self.replicates, "resamples", MOST_RESAMPLES)
        check_seed(self.seed)
        if self.jobs < 1:
            raise UsageError(Problem("jobs", f"the number of jobs must be at least 1, got {self.jobs}"))

    def convention(self, unit: str, method: str = "") -> str:
        """How it is named in a signature; ``unit`` is what is resampled, e.g. ``Documents.clustering``.

        ``method`` is another name than that of its own method.
        """
        level = str(self.confidence_level)  # every digit of it
        if self.method == "closed":
            return f"ci:closed,{level}"
        return f"ci:{method or self.method},{level},{self.replicates},by:{unit},seed:{self.seed}"

    def bootstrap(self, of: str = "this value") -> BootstrapMethod:
        """The method, where only resampling gives an interval."""
        if self.method == "closed":
            fix = "--ci-method=bca|percentile|basic"
            raise UsageError(Problem("interval-method", f"no formula gives intervals of {of}", fix=fix))
        return self.method

    def interval(
        self, value: float, drawn: ArrayLike, jackknife: ArrayLike | None = None, scale: Scale = ANYWHERE
    ) -> Interval | Undefined:
        """As ``bootstrap_interval``, by the method and at the level of this resampling."""
        method, level = self.bootstrap(), self.confidence_level
        return bootstrap_interval(value, drawn, jackknife=jackknife, method=method, confidence_level=level, scale=scale)


def makes_usual_intervals(n: int, units: str, problems: Problems, *, most: int | None = None) -> bool:
    """Whether intervals are made where nobody says; if not, a note says why: there are too many of the units."""
    few = n <= (MOST_UNASKED if most is None else most)
    if not few:
        message = f"no intervals of {n:,} {units} unless they are asked for"
        problems.note("no-intervals", message, Place(), fix="add --ci")
    return few


def bootstrap_interval(
    value: float,
    resampled: ArrayLike,
    *,
    jackknife: ArrayLike | None = None,
    method: BootstrapMethod = "bca",
    confidence_level: float = 0.95,
    scale: Scale = ANYWHERE,
) -> Interval | Undefined:
    """An interval from the values of resamples, or why there is none.

    Args:
        value: The value on the corpus.
        resampled: The values on the resamples, NaN where undefined; shape (replicates,).
        jackknife: The values with one unit or cluster left out; shape (units or clusters,). Needed by bca.
        method: bca, percentile or basic; the choice of the default is measured in docs/measurements/intervals.md.
        confidence_level: Nominal coverage.
        scale: The range of the value, at which a basic interval is cut unless values are beyond it.

    Raises:
        UsageError: There is no such method or level, bca has no jackknife, or there is no resample.
    """
    values = np.asarray(resampled, np.float64).ravel()
    ends = tails(confidence_level)
    if method not in get_args(BootstrapMethod):
        fix = nearest(method, get_args(BootstrapMethod))
        raise UsageError(Problem("interval-method", f"no bootstrap interval is called '{method}'", fix=fix))
    if not values.size:
        raise UsageError(Problem("replicates", "0 replicates", expected="at least 1"))
    if method == "bca" and jackknife is None:
        raise UsageError(Problem("bca-jackknife", "bca needs the leave-one-out values", fix="use percentile"))
    defined = np.sort(values[~np.isnan(values)])
    n_undefined = values.size - defined.size
    if np.isnan(value) or n_undefined > ends[0] * values.size + ROUNDING:
        return Undefined.RESAMPLES_UNDEFINED
    if method == "bca" and jackknife is not None:
        bca = _bca_tails(value, defined, np.asarray(jackknife, np.float64).ravel(), ends)
        if isinstance(bca, Undefined):
            return Undefined.NO_VARIATION if defined[-1] - defined[0] <= ROUNDING else bca
        ends = bca
    low = _at(defined, ends[0] * (values.size - 1) - n_undefined)
    high = _at(defined, ends[1] * (values.size - 1))
    if high - low <= ROUNDING:
        return Undefined.NO_VARIATION
    if method == "basic":
        # HOO's P can be above 1: where values are beyond the range, it does not end there.
        least, most = min(scale.low, float(defined[0]), value), max(scale.high, float(defined[-1]), value)
        low, high = Scale(least, most).within(2 * float(value) - high, 2 * float(value) - low)
    undefined_share = f", {100 * n_undefined / values.size:.2g}% of resamples undefined" if n_undefined else ""
    return Interval(low, high, confidence_level, f"bootstrap-{method}{undefined_share}")


def left_out_of(n_units: int, part: int = 5) -> int:
    """How many of the units a subsample leaves out: the fifth part, or another."""
    return max(1, n_units // part)


def subsample_interval(
    value: float,
    subsampled: ArrayLike,
    n_units: int,
    *,
    part: int = 5,
    confidence_level: float = 0.95,
    scale: Scale = ANYWHERE,
) -> Interval | Undefined:
    """An interval from the values on subsamples without ``left_out_of(n_units, part)`` units, NaN where undefined."""
    values = np.asarray(subsampled, np.float64).ravel()
    defined = values[~np.isnan(values)]
    if n_units < 2:
        return Undefined.ONE_UNIT
    if values.size - defined.size > tails(confidence_level)[0] * values.size or defined.size < 2:
        return Undefined.RESAMPLES_UNDEFINED
    error = standard_error(defined) * float(np.sqrt(n_units / left_out_of(n_units, part) - 1))
    if error <= ROUNDING:
        return Undefined.NO_VARIATION
    ends = scale.ends(value, z_value(confidence_level) * error)
    if ends is None or min(value - scale.low, scale.high - value) <= ROUNDING:
        return Undefined.AT_AN_END
    return Undefined.TOO_FEW_JUDGMENTS if scale.says_little(*ends) else Interval(*ends, confidence_level, "subsamples")


def standard_error(resampled: ArrayLike) -> float:
    """The standard deviation of the values of resamples; NaN with fewer than two."""
    values = np.asarray(resampled, np.float64)
    return float(np.std(values, ddof=1)) if values.size > 1 else float("nan")


def acceleration(jackknife: ArrayLike) -> float:
    """BCa's measure of how the standard error changes with the value, from leave-one-out values; NaN if all agree."""
    values = np.asarray(jackknife, np.float64)
    d = values.mean() - values
    square = float(np.sum(d**2))
    return float(np.sum(d**3)) / (6 * square**1.5) if square else float("nan")


def _bca_tails(
    value: float, defined: NDArray[np.float64], jackknife: NDArray[np.float64], ends: tuple[float, float]
) -> tuple[float, float] | Undefined:
    if jackknife.size < 2:
        return Undefined.ONE_UNIT
    if np.isnan(jackknife).any():
        return Undefined.RESAMPLES_UNDEFINED
    near = ROUNDING * max(1.0, abs(value))  # sums of weights come out a last bit beside the value
    ends_of_ties = np.searchsorted(defined, value - near), np.searchsorted(defined, value + near, side="right")
    below = sum(ends_of_ties) / (2 * defined.size)
    acc = acceleration(jackknife)
    if not 0 < below < 1 or np.isnan(acc):
        return Undefined.ONE_SIDED
    z0 = NORMAL.inv_cdf(float(below))
    shifted = [z0 + NORMAL.inv_cdf(end) for end in ends]
    if any(acc * z >= 1 for z in shifted):
        return Undefined.ONE_SIDED
    left, right = (NORMAL.cdf(z0 + z / (1 - acc * z)) for z in shifted)
    return left, right


def _at(ordered: NDArray[np.float64], position: float) -> float:
    """The number at a position, between neighbors if it is not whole: numpy's default quantile."""
    inside = min(max(position, 0.0), ordered.size - 1.0)
    below = int(inside)
    a, b = float(ordered[below]), float(ordered[min(below + 1, ordered.size - 1)])
    return a + (b - a) * (inside - below)


# How units, or clusters of them, are drawn: rows of unit numbers where their order matters, weights where it does not.
#
# A row of unit numbers keeps the order of the corpus, so that a metric that depends on the order of sentences can fold
# it like a corpus. Where clusters have different sizes, so have resamples: rows are filled up with -1, which stands
# for no unit. What is a sum over units needs no rows but how often each unit is drawn; units that are alike to it are
# one kind with a frequency, so that a million judgments become a handful of weights and a draw is multinomial.
#
# Conventions Each block of 1,000 draws has its own random stream (``stream``), drawn when it is called for: neither
# the number of workers nor what is held at a time changes a digit; the same names give the same draws. Source Davison
# & Hinkley 1997, section 3.8 (resample clusters, keep what is inside).


Scalar = TypeVar("Scalar", np.int64, np.float64)
Rows = NDArray[np.int64]
"""Unit numbers, -1 after the last; shape (replicates, units of the longest resample)."""
MOST_KEPT = 1 << 23
"""Units in all resamples up to which rows are kept for the next system: 64 MB."""
MOST_GROUPS = 400
"""Sentences are left out in at most this many groups for BCa's acceleration."""
MOST_HELD = 4_000_000
"""Weights, draws times kinds, held at a time."""


def resample_units(n_units: int, replicates: int, rng: np.random.Generator) -> Rows:
    """Draw units with replacement; unit numbers ascend in each row, shape (replicates, n_units)."""
    if n_units < 1:
        raise UsageError(Problem("nothing-to-resample", "there is no unit to draw from", expected="at least 1"))
    draws = rng.integers(n_units, size=(replicates, n_units))
    if n_units <= 2**16:  # a stable sort of 16 bits is numpy's radix sort, several times as fast
        return np.sort(draws.astype(np.uint16), axis=1, kind="stable").astype(np.int64)
    return np.sort(draws.astype(np.int32 if n_units < 2**31 else np.int64), axis=1).astype(np.int64)


def resample_clusters(clusters: ArrayLike, replicates: int, rng: np.random.Generator) -> Rows:
    """Draw clusters with replacement; each brings all its units, as often as it is drawn.

    ``clusters`` says which one each unit belongs to, shape (units,); with one unit in every cluster the result is that
    of resample_units. Clusters are in the order of their first units, units of a cluster in the order of the corpus.
    """
    members = cluster_members(clusters)
    return _rows(members, resample_units(len(members), replicates, rng))


def subsample_clusters(clusters: ArrayLike, n_left_out: int, replicates: int, rng: np.random.Generator) -> Rows:
    """Leave out so many clusters at random, as ``resample_clusters`` draws them."""
    members = cluster_members(clusters)
    picks = rng.permuted(np.tile(np.arange(len(members)), (replicates, 1)), axis=1)[:, n_left_out:]
    return _rows(members, np.sort(picks, axis=1))


def leave_one_out(clusters: ArrayLike) -> Rows:
    """Every resample that leaves out one cluster, for the jackknife: a row for each."""
    members = cluster_members(clusters)
    units, sizes = np.concatenate(members), np.array([len(cluster) for cluster in members])
    starts = np.cumsum(sizes) - sizes
    places = np.arange(units.size - sizes.min())
    places = places + np.where(places >= starts[:, None], sizes[:, None], 0)
    rows = units.take(places, mode="clip")
    rows[places >= units.size] = -1
    return rows


def cluster_members(clusters: ArrayLike) -> list[Rows]:
    """The units of each cluster, in the order in which clusters first appear."""
    codes = np.asarray(clusters).ravel()
    if not codes.size:
        raise UsageError(Problem("nothing-to-resample", "there is no unit to draw from", expected="at least 1"))
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))[inverse]
    order = np.argsort(rank, kind="stable").astype(np.int64)
    ends = np.cumsum(np.bincount(rank)).tolist()
    return [order[start:end] for start, end in pairwise([0, *ends])]


def multiplicities(units: Rows, n_units: int) -> NDArray[np.int64]:
    """How often each resample holds each unit: rows made weights; shape (replicates, n_units)."""
    shifted = units + 1 + (n_units + 1) * np.arange(len(units))[:, None]
    counted = np.bincount(shifted.ravel(), minlength=len(units) * (n_units + 1))
    return counted.reshape(len(units), n_units + 1)[:, 1:]


def draw_resamples(clusters: NDArray[np.int64], resampling: Resampling, *names: str | int) -> list[Callable[[], Rows]]:
    """The resamples as rows, in blocks that are drawn when they are called for; the same ones at every call.

    ``clusters`` says which one each unit belongs to (``np.arange(n)``: independent units), ``names`` what the resamples
    are for; two systems that are compared share them.
    """

    def later(size: int, rng: np.random.Generator) -> Callable[[], Rows]:
        # A fresh copy each time: systems that are compared must see the same resamples.
        return lambda: resample_clusters(clusters, size, deepcopy(rng))

    if clusters.size * resampling.replicates <= MOST_KEPT:
        return [partial(np.asarray, rows) for rows in _keep_resamples(clusters.tobytes(), resampling, *names)]
    return [later(size, rng) for size, rng in blocks(resampling.seed, *names, replicates=resampling.replicates)]


@lru_cache(maxsize=2)
def _keep_resamples(clusters: bytes, resampling: Resampling, *names: str | int) -> list[Rows]:
    """Resamples that are drawn once for all systems of a corpus: drawing takes longer than folding."""
    codes = np.frombuffer(clusters, np.int64)
    drawn = blocks(resampling.seed, *names, replicates=resampling.replicates)
    return [_unchanging(resample_clusters(codes, size, rng)) for size, rng in drawn]


def left_out_groups(
    clusters: NDArray[np.int64], most: int = MOST_GROUPS, n_groups: int = MOST_GROUPS
) -> NDArray[np.int64]:
    """The groups left out together: clusters, or ``n_groups`` groups of neighbors if there are more than ``most``."""
    known, rank = np.unique(clusters, return_inverse=True)
    return rank.ravel() * n_groups // len(known) if len(known) > most else clusters


def left_out_units(clusters: NDArray[np.int64]) -> Rows:
    """Rows with one cluster left out at a time; many independent sentences are left out in groups of neighbors."""
    return left_out_rows(left_out_groups(clusters))


def left_out_rows(groups: NDArray[np.int64]) -> Rows:
    """Rows with one group left out at a time."""
    few = len(left_out_stretches(groups)[1]) * groups.size <= MOST_KEPT
    return _keep_left_out(groups.astype(np.int64).tobytes()) if few else leave_one_out(groups)


@lru_cache(maxsize=2)
def _keep_left_out(groups: bytes) -> Rows:
    """Rows that are made once for all systems of a corpus."""
    return _unchanging(leave_one_out(np.frombuffer(groups, np.int64)))


def left_out_stretches(groups: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The units, group by group, and where each group ends among them; groups are in the order of their first units."""
    return _keep_stretches(groups.astype(np.int64).tobytes())


@lru_cache(maxsize=2)
def _keep_stretches(groups: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """As ``_keep_left_out``."""
    members = cluster_members(np.frombuffer(groups, np.int64))
    return _unchanging(np.concatenate(members)), _unchanging(np.cumsum([len(units) for units in members]))


def _unchanging(rows: NDArray[Scalar]) -> NDArray[Scalar]:
    rows.setflags(write=False)
    return rows


def _rows(members: list[Rows], picks: Rows) -> Rows:
    """Join the units of the clusters picked in each row, and fill up with -1."""
    sizes = np.array([len(units) for units in members], np.int64)
    if (sizes == 1).all():  # each unit is its own cluster, in the order of the corpus
        return picks
    starts = np.cumsum(sizes) - sizes
    picked = sizes[picks]
    lengths = picked.sum(axis=1)
    flat = picked.ravel()
    within = np.arange(flat.sum()) - np.repeat(np.cumsum(flat) - flat, flat)
    units = np.concatenate(members)[np.repeat(starts[picks.ravel()], flat) + within]
    table = np.full((len(picks), int(lengths.max(initial=0))), -1, np.int64)
    table[np.arange(table.shape[1]) < lengths[:, None]] = units
    return table


class Units(NamedTuple):
    """Units by kind: what is alike to a sum over units is one kind with a frequency."""

    frequency: Floats  # how many units are of each kind; shape (kinds,)
    clusters: sparse.csr_array | None = None
    """How many units of each cluster are of each kind, shape (clusters, kinds); None: the units are independent."""

    @property
    def n_clusters(self) -> int | None:
        """How many clusters there are, if any."""
        return None if self.clusters is None else self.clusters.shape[0]

    def n_clusters_of(self, kinds: NDArray[np.bool_]) -> int | None:
        """How many clusters have a unit of these kinds, if there are any clusters."""
        return None if self.clusters is None else int(np.count_nonzero(self.clusters @ kinds.astype(np.float64)))

    def draws(
        self, resampling: Resampling, *names: str | int, width: int = 1, n_left_out: int = 0
    ) -> list[Callable[[], Iterator[Floats]]]:
        """The resamples as weights, in blocks that are drawn when they are called for; the same ones at every call.

        Each block yields weights of shape (replicates, kinds), some replicates at a time. ``width`` numbers are held
        for one resample besides the weights, e.g. one for each label. With ``n_left_out`` each unit (or cluster) is
        drawn once, but for so many that are left out.
        """
        step = self._step(width)

        def block(size: int, rng: np.random.Generator) -> Iterator[Floats]:
            fresh = deepcopy(rng)
            for start in range(0, size, step):
                yield self._draw(fresh, min(step, size - start), n_left_out)

        def block_of(table: Floats) -> Iterator[Floats]:
            for start in range(0, len(table), step):
                yield self._of_clusters(table[start : start + step])

        n = self.n_clusters
        if n is not None and not n_left_out and n * resampling.replicates <= MOST_HELD:
            return [partial(block_of, table) for table in _keep_cluster_draws(n, resampling, *names)]
        drawn = blocks(resampling.seed, *names, replicates=resampling.replicates)
        return [partial(block, size, rng) for size, rng in drawn]

    def left_out(self, width: int = 1) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
        """Weights with one unit, or one cluster, left out, and for how many units each row of them stands."""
        step, n = self._step(width), self.n_clusters or len(self.frequency)
        for start in range(0, n, step):
            some = np.arange(start, min(n, start + step))
            if self.clusters is not None:
                yield self.frequency - self.clusters[some].toarray(), np.ones(len(some), np.int64)
                continue
            weights = np.tile(self.frequency, (len(some), 1))
            weights[np.arange(len(some)), some] -= 1
            yield weights, self.frequency[some].astype(np.int64)

    def _step(self, width: int) -> int:
        return max(1, MOST_HELD // max(self.n_clusters or 0, len(self.frequency), width, 1))

    def _draw(self, rng: np.random.Generator, size: int, n_left_out: int) -> Floats:
        """Draw some weights."""
        if self.clusters is None:
            n = int(self.frequency.sum())
            if n_left_out:
                kinds = self.frequency.astype(np.int64)
                kept = rng.multivariate_hypergeometric(kinds, n - n_left_out, size, method="marginals")
                return kept.astype(np.float64)
            return rng.multinomial(n, self.frequency / n, size).astype(np.float64)
        n = self.clusters.shape[0]
        if n_left_out:
            drawn = np.ones((size, n))
            order = rng.random((size, n)).argpartition(n_left_out - 1, axis=1)
            np.put_along_axis(drawn, order[:, :n_left_out], 0, axis=1)
        else:
            drawn = _draw_clusters(n, size, rng)
        return self._of_clusters(drawn)

    def _of_clusters(self, drawn: Floats) -> Floats:
        """Weights of kinds, shape (replicates, kinds), by how often each cluster is drawn, (replicates, clusters)."""
        assert self.clusters is not None
        return np.asarray((self.clusters.T @ drawn.T).T)


def _draw_clusters(n: int, size: int, rng: np.random.Generator) -> Floats:
    """How often each cluster is drawn, in each of some resamples."""
    return rng.multinomial(n, np.full(n, 1 / n), size).astype(np.float64)


@lru_cache(maxsize=1)
def _keep_cluster_draws(n: int, resampling: Resampling, *names: str | int) -> list[Floats]:
    """Draws that are made once for all that is estimated of the same clusters: a table for each block."""
    drawn = blocks(resampling.seed, *names, replicates=resampling.replicates)
    return [_unchanging(_draw_clusters(n, size, rng)) for size, rng in drawn]


def cluster_table(
    kind_of: NDArray[np.int64], n_kinds: int, clusters: Sequence[int] | NDArray[np.int64] | None, n_units: int
) -> sparse.csr_array | None:
    """Count the units of each cluster of each kind; None without clusters.

    ``kind_of`` is the kind of each unit, -1 for one that is left out; ``clusters`` its cluster's number.
    """
    if clusters is None:
        return None
    if len(clusters) != n_units:
        message = f"{len(clusters)} clusters for {n_units} items"
        raise UsageError(Problem("agreement-clusters", message, expected="one cluster number for each item"))
    kept = kind_of >= 0
    names, codes = np.unique(np.asarray(clusters)[kept], return_inverse=True)
    return sparse_table((np.ones(len(codes)), (codes, kind_of[kept])), (len(names), n_kinds))


def sparse_table(
    parts: tuple[Floats, tuple[NDArray[np.int64], NDArray[np.int64]]], shape: tuple[int, int]
) -> sparse.csr_array:
    """A sparse table of values and their (rows, columns); values of one place add up."""
    from scipy import sparse  # noqa: PLC0415 - loading it takes a while

    return sparse.csr_array(parts, shape=shape)
