"""A score: what was computed, its values with their company, and its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from errorbar.core.estimate import Estimate, Scale, Signature, Undefined, value_or_none
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.metrics.base import Measure

if TYPE_CHECKING:
    from errorbar.core.pools import Pool
    from errorbar.metrics.judges import JudgeRule, JudgeSets
    from errorbar.stats.pools import PoolVariance
    from errorbar.stats.two_way import TwoWay


@dataclass(frozen=True, slots=True)
class TypeScore:
    """The score of one error type, over the annotators chosen unit by unit."""

    type: str
    counts: Mapping[str, int]  # e.g. ``correct`` and ``gold``
    estimates: Mapping[str, Estimate]  # of the measures that the metric gives by type

    def __getitem__(self, measure: str) -> Estimate:
        return _find_measure(measure, self.estimates, f"scores of the type {self.type}")


class UnitScore(NamedTuple):
    """The part of one sentence or fragment in a score."""

    unit: int  # counted from 1
    annotator: str | None  # who was chosen for it; None where nobody looked
    counts: Mapping[str, float]
    values: Mapping[str, float]  # of the unit alone; empty where it has none


class JointEstimate(NamedTuple):
    """A value over texts and judges, or runs, drawn anew together."""

    estimate: Estimate  # against as many judges as a set has, with its interval or why there is none
    components: TwoWay | None = None  # of the variance; None: not known
    unbiased: float | None = None  # the variance over judges without bias, where there are twice as many as a set has

    @classmethod
    def of(
        cls, value: float, n_units: int, components: TwoWay | Undefined, level: float, scale: Scale
    ) -> JointEstimate:
        """The value, NaN where there is none, with the interval that its components give."""
        bare = Estimate(value_or_none(value), n_units)
        if isinstance(components, Undefined):
            return cls(bare.with_interval(components))
        return cls(bare.with_interval(components.interval(level, scale)), components)


class JudgedScore(NamedTuple):
    """The measures of a score whose judges are drawn anew too."""

    sets: JudgeSets
    measures: Mapping[str, JointEstimate]


class PoolScore(NamedTuple):
    """A system's measures in one pool."""

    pool: Pool
    rule: JudgeRule
    measures: Mapping[str, JointEstimate]  # over texts and the judges of the pool, or texts alone
    runs: bool = False  # the system has several: intervals are over them, too

    @property
    def over(self) -> str:
        """The scope of the intervals, in words."""
        return over_text(self.pool, self.rule, runs=self.runs)


class PoolMean(NamedTuple):
    """A mean over pools that are a sample."""

    estimate: Estimate
    components: PoolVariance | None = None  # None: not known


class PooledScore(NamedTuple):
    """A system's measures in every pool."""

    rows: tuple[PoolScore, ...]
    mean: Mapping[str, PoolMean] | None = None  # over texts, judges and pools; None: pools are no sample

    def range_of(self, measure: str) -> tuple[float, float] | None:
        """The lowest and the highest value of a measure over pools; None where a pool has none."""
        values = [row.measures[measure].estimate.value for row in self.rows]
        known = [value for value in values if value is not None]
        return (min(known), max(known)) if len(known) == len(values) else None


def over_text(pool: Pool, rule: JudgeRule, *, runs: bool) -> str:
    """The scope of an interval in a pool, in words; ``runs``: whether some system has several."""
    if rule.random:
        return f"over texts{', runs' * runs} and the judges of pool {pool.name}"
    return f"over texts{' and runs' * runs}, against the judge{'s' * (rule.n_judges > 1)} of pool {pool.name}"


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """A system's score under one metric.

    Attributes:
        system: The system's name.
        measures: What the metric gives.
        main: Name of the measure that ranks systems.
        estimates: By name of the measure.
        counts: What they are made of, e.g. ``correct``, ``proposed`` and ``gold``; means in metrics such as GLEU.
        n_units: Sentences or fragments scored.
        annotators: The annotators scored against.
        signature: What was computed on which data how.
        by_type: Scores of each error type, where asked for.
        by_unit: The part of each unit, where asked for.
        types: Content hash of the error types, where they are counted.
        beta: Weight of recall against precision, of a metric that has F.
        unit: What is scored: ``sentence`` or ``fragment``.
        judges: The measures with judges drawn anew; None: judges are fixed.
        runs: The scores of the runs that this is the mean of; empty: the system has one.
        over_runs: The measures over texts and runs, where judges are fixed; None: they are not, or there is one run.
        own: The references were made for this system: the annotators are its editors.
        pools: The measures in pools of judges; None: there are no pools.
    """

    system: str
    measures: tuple[Measure, ...]
    main: str
    estimates: Mapping[str, Estimate]
    counts: Mapping[str, float]
    n_units: int
    annotators: tuple[str, ...]
    signature: Signature
    by_type: Sequence[TypeScore] = ()
    by_unit: Sequence[UnitScore] = ()
    types: str = ""
    beta: float | None = None
    unit: str = "sentence"
    judges: JudgedScore | None = None
    runs: Sequence[Score] = ()
    over_runs: Mapping[str, JointEstimate] | None = None
    own: bool = False
    pools: PooledScore | None = None

    def __repr__(self) -> str:
        """One line: the system, the metric, and the value that ranks systems with its interval, as fractions."""
        title = next(measure.title for measure in self.measures if measure.name == self.main)
        value, interval = self.estimate.value, self.estimate.interval
        number = "undefined" if value is None else f"{value:.4f}"
        ends = "" if interval is None else f" [{interval.low:.4f}, {interval.high:.4f}]"
        return f"Score({self.system}, {self.metric}: {title} = {number}{ends})"

    def run_deviation(self, measure: str) -> float | None:
        """The standard deviation of a measure over the system's runs; None: it has one, or a run has no value."""
        from statistics import stdev  # noqa: PLC0415 - slow, and few systems have runs

        values = [run.estimates[measure].value for run in self.runs]
        known = [value for value in values if value is not None]
        return stdev(known) if len(known) == len(values) > 1 else None

    def __contains__(self, measure: object) -> bool:
        return measure in self.estimates

    def __getitem__(self, measure: str) -> Estimate:
        """The estimate of a measure; a ``UsageError`` names those that there are."""
        return _find_measure(measure, self.estimates, self.metric)

    @property
    def estimate(self) -> Estimate:
        """Of the measure that ranks systems, whatever the metric."""
        return self.estimates[self.main]

    @property
    def precision(self) -> Estimate:
        """P, of a metric that has it."""
        return self["precision"]

    @property
    def recall(self) -> Estimate:
        """R, of a metric that has it."""
        return self["recall"]

    @property
    def f(self) -> Estimate:
        """F, of a metric that has it."""
        return self["f"]

    @property
    def has_intervals(self) -> bool:
        """Whether intervals were asked for."""
        return any(one.interval or one.no_interval for one in self.estimates.values())

    @property
    def rank_key(self) -> float:
        """The key that sorts the best score first, in ascending order; those without a value come last."""
        measure = next(one for one in self.measures if one.name == self.main)
        value = self.estimate.value
        return float("inf") if value is None else -measure.sign * value

    @property
    def type_signature(self) -> Signature:
        """The signature of what ``by_type`` holds too: it depends on the error types of the reference."""
        conventions = (f"types:{self.types}", *self.signature.conventions)
        return self.signature._replace(conventions=conventions) if self.types else self.signature

    @property
    def metric(self) -> str:
        """The spec."""
        return self.signature.spec


def _find_measure(measure: str, estimates: Mapping[str, Estimate], giver: str) -> Estimate:
    if measure not in estimates:
        message = f"{giver}: there is no measure '{measure}'"
        raise UsageError(Problem("unknown-measure", message, fix=nearest(measure, estimates)))
    return estimates[measure]


def signature_lines(scores: Sequence[Score], *, types: bool = False) -> list[str]:
    """The lines of signatures: which scores on which data, but for the systems' own text."""
    signatures = [score.type_signature if types else score.signature for score in scores]
    return [f"signature {text}" for text in dict.fromkeys(str(one._replace(hypothesis="…")) for one in signatures)]
