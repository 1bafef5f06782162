"""Systems rated by their wins sentence by sentence: a metric of outputs that are compared with each other.

Formula
    Of each sentence the metric's score of every system alone; of these the ratings of errorbar.ranking.sentence_wins.
    Where the outputs of two systems are swapped in some sentences, each keeps its own comparisons with all the others
    in the rest, and has the other's in these.
Conventions
    A rating depends on who else is compared, so another system moves all of them, and intervals and p-values too.
    Judges are fixed: a sentence is scored against all of them, once. Resamples play the drawn sentences in their order.
    By TrueSkill the two systems of a pair also change places in the order of pairs: what swaps compare is the rating in
    the first's place less that in the second's.
Source
    Goto, Sakai & Watanabe 2025 (arXiv:2502.09416) for the ratings; the tests are those of errorbar.metrics.swaps.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.core.spec import Spec
from errorbar.metrics.base import Feature, Folded, Measure, Metric, Opaque, Selection, UnitParts, lacking
from errorbar.metrics.comparison import System
from errorbar.metrics.intervals import score_intervals
from errorbar.metrics.swaps import SwapPlan
from errorbar.ranking.sentence_wins import Aggregation, compare_outputs, rate_replicates
from errorbar.stats.resampling import Resampling

MANY_SYSTEMS = 4
"""With more systems TrueSkill, which plays all pairs of all sentences again for every way to swap, tries fewer ways."""
FEWER_SWAPS = 10
"""The part of the usual ways that it tries: 200 at the 5% level, of 13 systems on CoNLL-2014 a minute or two."""


def main_values_of(metric: Metric, folded: Folded) -> Floats:
    """The main measure of each replicate, NaN where nobody looked at any of its sentences."""
    return np.where(folded.n_units > 0, folded.values[:, metric.main], np.nan)


def sentence_values(metric: Metric, statistics: Opaque) -> Floats:
    """The main measure of each sentence: the metric's own, or that of a corpus of this sentence; shape (sentences,)."""
    values = metric.parts(statistics).values
    if values is not None:
        return values[:, metric.main]
    return main_values_of(metric, metric.fold(statistics, Selection(units=np.arange(len(statistics))[:, None])))


@dataclass(frozen=True, slots=True)
class Tournament:
    """The comparisons of all systems in every sentence, and the ratings that were made of them before."""

    outcomes: Floats  # of ``compare_outputs``; shape (sentences, systems, systems)
    known: dict[bytes, Floats] = field(default_factory=dict)  # ratings of all systems by the sentences of replicates

    def rate(self, units: Ints) -> Floats:
        """The TrueSkill of every system in each replicate, made once for all systems; shape (replicates, systems)."""
        key = np.ascontiguousarray(units).tobytes()
        if key not in self.known:
            self.known[key] = rate_replicates(self.outcomes, units)
        return self.known[key]


@dataclass(frozen=True, slots=True)
class Contestant:
    """A system among the others, or two whose outputs are swapped, the units of the second after those of the first."""

    tournament: Tournament
    systems: tuple[int, ...]  # their numbers

    def __len__(self) -> int:
        return len(self.tournament.outcomes) * len(self.systems)

    def take(self, units: NDArray[np.int64] | slice) -> Contestant:
        """The system in some of the sentences."""
        return Contestant(Tournament(self.tournament.outcomes[units]), self.systems)


@dataclass(frozen=True, slots=True)
class WinCounts:
    """Wins and losses of a system in each sentence against each of the others, and which system it is."""

    counts: Floats  # wins, losses, and 1 in the system's own column; shape (units, 3, systems)

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, units: NDArray[np.int64] | slice) -> WinCounts:
        """The counts of some sentences."""
        return WinCounts(self.counts[units])


class SystemRating(Metric):
    """A metric of systems that are compared with each other; it carries the spec of the metric that compares them."""

    __slots__ = ()
    counted = ()
    lacks: ClassVar[Mapping[Feature, str]] = {
        "annotators": "each sentence is scored against all of them before its outputs are compared",
        "types": "sentences are compared as a whole",
        "closed": "there is no formula for its intervals",
    }

    @abstractmethod
    def statistics_of(self, outcomes: Floats) -> Sequence[Any]:
        """What is kept of each system."""

    def measure(self, reference: Opaque, output: Opaque, *, by_type: bool = False) -> Any:  # noqa: ANN401
        """A system has no wins without others: ``rate_systems`` makes the statistics; raises ``UsageError``."""
        raise lacking(self, "annotators")

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """A system that won and lost nothing has no rating."""
        return [Undefined.ONLY_TIES if np.isnan(value) else None for value in folded.values[0]]


@dataclass(frozen=True, slots=True)
class ExpectedWinsRating(SystemRating):
    """The mean over the other systems of the share of wins among decided sentences."""

    name: ClassVar[str] = "expected-wins"
    summary: ClassVar[str] = "wins by sentence against the other systems"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("expected_wins", "Expected Wins", "number", bounds=(0.0, 1.0)),)
    additive: ClassVar[bool] = True

    base: Metric | None = None

    @property
    def spec(self) -> Spec:
        """The spec of the metric that compares."""
        return Spec(self.name) if self.base is None else self.base.spec

    def statistics_of(self, outcomes: Floats) -> Sequence[WinCounts]:
        """Wins and losses by sentence and system."""
        own = np.zeros((len(outcomes), *outcomes.shape[1:]))
        own[:, range(outcomes.shape[1]), range(outcomes.shape[1])] = 1.0
        won, lost = (outcomes > 0).astype(np.float64), (outcomes < 0).astype(np.float64)
        return [WinCounts(np.stack([won[:, k], lost[:, k], own[:, k]], axis=1)) for k in range(outcomes.shape[1])]

    def join(self, parts: Sequence[WinCounts]) -> WinCounts:
        """One after the other."""
        return WinCounts(np.concatenate([part.counts for part in parts]))

    def fold(self, statistics: WinCounts, selection: Selection | None = None, *, start: Folded | None = None) -> Folded:
        """Add up wins and losses; columns of systems that are mixed are one opponent, the other one of the two."""
        weights = (selection or Selection()).as_weights(len(statistics))
        n_systems = statistics.counts.shape[2]
        sums = (weights @ statistics.counts.reshape(len(statistics), -1)).reshape(-1, 3, n_systems)
        sums = sums if start is None else sums + start.counts.reshape(-1, 3, n_systems)
        own = (sums[:, 2] > 0)[:, None]
        results = np.where(own, 0.0, sums[:, :2])
        partner = np.where(own, sums[:, :2], 0.0).sum(axis=2, keepdims=True)
        won, lost = np.moveaxis(np.concatenate([results, partner], axis=2), 1, 0)
        met = won + lost
        shares = np.divide(won, met, out=np.zeros_like(won), where=met > 0)
        n_met = np.count_nonzero(met > 0, axis=1)
        values = np.divide(shares.sum(axis=1), n_met, out=np.full(len(n_met), np.nan), where=n_met > 0)
        n_units = np.rint(sums[:, 2].sum(axis=1)).astype(np.int64)
        return Folded(values[:, None], sums.reshape(len(sums), -1), n_units)

    def differ(self, first: WinCounts, second: WinCounts) -> NDArray[np.bool_]:
        """Where the two did not win and lose alike."""
        return np.asarray((first.counts[:, :2] != second.counts[:, :2]).any(axis=(1, 2)), np.bool_)

    def parts(self, statistics: WinCounts, *, start: Folded | None = None) -> UnitParts:
        """The sentences have no annotators."""
        return UnitParts([None] * len(statistics), np.zeros((len(statistics), 0)))


@dataclass(frozen=True, slots=True)
class TrueSkillRating(SystemRating):
    """The mean of the belief after all sentences in their order."""

    name: ClassVar[str] = "trueskill"
    summary: ClassVar[str] = "TrueSkill of wins by sentence"
    measures: ClassVar[tuple[Measure, ...]] = (Measure("trueskill", "TrueSkill", "number"),)

    base: Metric | None = None

    @property
    def spec(self) -> Spec:
        """The spec of the metric that compares."""
        return Spec(self.name) if self.base is None else self.base.spec

    def statistics_of(self, outcomes: Floats) -> Sequence[Contestant]:
        """One tournament for all."""
        tournament = Tournament(outcomes)
        return [Contestant(tournament, (k,)) for k in range(outcomes.shape[1])]

    def join(self, parts: Sequence[Contestant]) -> Contestant:
        """Two systems of one tournament, to swap their outputs."""
        return Contestant(parts[0].tournament, tuple(k for part in parts for k in part.systems))

    def fold(
        self, statistics: Contestant, selection: Selection | None = None, *, start: Folded | None = None
    ) -> Folded:
        """Play the sentences of each replicate; ways to swap come before their opposites (errorbar.metrics.swaps)."""
        selected, n = selection or Selection(), len(statistics.tournament.outcomes)
        everything = np.arange(n)[None]
        if selected.swapping is None:
            units = everything if selected.units is None else selected.units
            values = statistics.tournament.rate(units)[:, statistics.systems[0]]
            return Folded(values[:, None], np.zeros((len(values), 0)), (units >= 0).sum(axis=1))
        one, other = statistics.systems
        swapped = selected.swapping.swapped[: len(selected.swapping.swaps) // 2]
        means = rate_replicates(statistics.tournament.outcomes, everything, swapped, (one, other))
        values = np.concatenate([means[:, one], means[:, other]])
        return Folded(values[:, None], np.zeros((len(values), 0)), np.full(len(values), n))

    def differ(self, first: Contestant, second: Contestant) -> NDArray[np.bool_]:
        """Where the two did not do alike against each other system, or one beat the other."""
        one, other = first.systems[0], second.systems[0]
        outcomes = np.nan_to_num(first.tournament.outcomes, nan=2.0)
        unlike = outcomes[:, one] != outcomes[:, other]
        unlike[:, [one, other]] = False
        return np.asarray(unlike.any(axis=1) | (np.abs(outcomes[:, one, other]) == 1), np.bool_)

    def parts(self, statistics: Contestant, *, start: Folded | None = None) -> UnitParts:
        """The sentences have no annotators."""
        return UnitParts([None] * len(statistics), np.zeros((len(statistics), 0)))


_RATINGS: Mapping[Aggregation, Callable[[Metric], SystemRating]] = {
    "expected-wins": ExpectedWinsRating,
    "trueskill": TrueSkillRating,
}


def rate_systems(metric: Metric, systems: Sequence[System], how: Aggregation) -> tuple[Metric, list[System]]:
    """The metric of ratings, and what it keeps of each system, from what ``metric`` keeps of it.

    Raises:
        UsageError: If no sentence of two systems has a score.
    """
    sign = metric.measures[metric.main].sign
    table = np.stack([sign * sentence_values(metric, system.statistics) for system in systems], axis=1)
    if len(systems) > 1 and not ((~np.isnan(table)).sum(axis=1) > 1).any():
        message = f"{metric.spec} has no sentence with scores of two systems, of which wins are counted"
        raise UsageError(Problem("metric-lacks", message, fix="name another metric, or leave --aggregate out"))
    rating = _RATINGS[how](metric)
    kept = rating.statistics_of(compare_outputs(table))
    return rating, [replace(system, statistics=one) for system, one in zip(systems, kept, strict=True)]


def rating_intervals(
    metric: Metric, systems: Sequence[System], clusters: Ints, how: Resampling
) -> tuple[Interval | Undefined, ...]:
    """The interval of each system's rating over texts; ``clusters``: the document of each sentence."""
    folded = [(system.statistics, metric.fold(system.statistics)) for system in systems]
    return tuple(
        metric.reasons(value)[metric.main] or score_intervals(metric, kept, value, clusters, how)[metric.main]
        for kept, value in folded
    )


def plan_swaps(how: Aggregation, testing: SwapPlan, n_systems: int, alpha: float) -> SwapPlan:
    """How pairs are tested: by as many ways as were asked for, or fewer than usual of many systems by TrueSkill."""
    if testing.swaps is not None or how != "trueskill" or n_systems <= MANY_SYSTEMS:
        return testing
    return replace(testing, swaps=testing.count_needed(n_systems, alpha) // FEWER_SWAPS)
