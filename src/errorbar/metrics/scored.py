"""A score: what was computed, its values with their company, and its parts; and the fold that ends in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.signature import Signature
from errorbar.metrics.base import Folded, Measure, Metric, Opaque, UnitParts
from errorbar.metrics.documents import Documents
from errorbar.stats.resampling import Resampling

if TYPE_CHECKING:
    from errorbar.metrics.scoring import Plan


@dataclass(frozen=True, slots=True)
class TypeScore:
    """The score of one error type, over the annotators chosen unit by unit."""

    type: str
    counts: Mapping[str, int]  # e.g. ``correct`` and ``gold``
    estimates: Mapping[str, Estimate]  # of the measures that the metric gives by type

    def __getitem__(self, measure: str) -> Estimate:
        return self.estimates[measure]


@dataclass(frozen=True, slots=True)
class UnitScore:
    """The part of one sentence or fragment in a score."""

    unit: int  # counted from 1
    annotator: str | None  # who was chosen for it; None where nobody looked
    counts: Mapping[str, int]
    values: Mapping[str, float]  # of the unit alone; empty where it has none


@dataclass(frozen=True, slots=True)
class Score:
    """A system's score under one metric.

    Attributes:
        system: The system's name.
        measures: What the metric gives.
        main: Name of the measure that ranks systems.
        estimates: By name of the measure.
        counts: What they are made of, e.g. ``correct``, ``proposed`` and ``gold``.
        n_units: Sentences or fragments scored.
        annotators: The annotators scored against.
        signature: What was computed on which data how.
        by_type: Scores of each error type, where asked for.
        by_unit: The part of each unit, where asked for.
        types: Content hash of the error types, where they are counted.
        beta: Weight of recall against precision, of a metric that has F.
        unit: What is scored: ``sentence`` or ``fragment``.
    """

    system: str
    measures: tuple[Measure, ...]
    main: str
    estimates: Mapping[str, Estimate]
    counts: Mapping[str, int]
    n_units: int
    annotators: tuple[str, ...]
    signature: Signature
    by_type: Sequence[TypeScore] = ()
    by_unit: Sequence[UnitScore] = ()
    types: str = ""
    beta: float | None = None
    unit: str = "sentence"

    def __getitem__(self, measure: str) -> Estimate:
        return self.estimates[measure]

    @property
    def precision(self) -> Estimate:
        """P, of a metric that has it."""
        return self.estimates["precision"]

    @property
    def recall(self) -> Estimate:
        """R, of a metric that has it."""
        return self.estimates["recall"]

    @property
    def f(self) -> Estimate:
        """F, of a metric that has it."""
        return self.estimates["f"]

    @property
    def has_intervals(self) -> bool:
        """Whether intervals were asked for."""
        return any(one.interval or one.no_interval for one in self.estimates.values())

    @property
    def rank_key(self) -> float:
        """What sorts the best score first, in ascending order; those without a value come last."""
        measure = next(one for one in self.measures if one.name == self.main)
        value = self.estimates[self.main].value
        return float("inf") if value is None else -measure.sign * value

    @property
    def type_signature(self) -> Signature:
        """The signature of what ``by_type`` holds too: it depends on the error types of the reference."""
        conventions = (f"types:{self.types}", *self.signature.conventions)
        return replace(self.signature, conventions=conventions) if self.types else self.signature

    @property
    def metric(self) -> str:
        """The spec."""
        return self.signature.spec


def signature_lines(scores: Sequence[Score], *, types: bool = False) -> list[str]:
    """What was computed on which data how, but for the systems' own text."""
    signatures = [score.type_signature if types else score.signature for score in scores]
    return [f"signature {text}" for text in dict.fromkeys(str(replace(one, hypothesis="…")) for one in signatures)]


@dataclass(frozen=True, slots=True)
class Whole:
    """What is known of the whole corpus in the end."""

    annotators: Sequence[str]
    types: str  # their content hash
    resampling: Resampling | None
    documents: Documents


class SystemFold:
    """The fold of one system under one metric so far, and the score it ends in."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.folded: Folded | None = None
        self.types: dict[str, list[int]] = {}
        self.units: list[UnitScore] = []
        self.kept: list[Any] = []
        self.remarked: Counter[str] = Counter()

    def add(self, statistics: Opaque, plan: Plan, *, at: int) -> None:
        """Go on with the statistics of the next units, of which ``at`` came before."""
        metric = self.metric
        self.remarked.update(metric.remarked(statistics))
        if plan.resampling is not None:
            self.kept.append(statistics)
            if plan.most is not None and at > plan.most:
                self.kept.clear()  # there will be no intervals
        if plan.by_type:  # every type gets its row, whoever used it
            counts = metric.fold_types(statistics, start=self.folded)[0].tolist()
            for name, row in zip(metric.types(statistics), counts, strict=True):
                known = self.types.setdefault(name, [0] * len(row))
                self.types[name] = [a + b for a, b in zip(known, row, strict=True)]
        if plan.by_unit:
            self.units += unit_scores(metric, metric.parts(statistics, start=self.folded), at)
        self.folded = metric.fold(statistics, start=self.folded)

    def finish(self, system: str, whole: Whole, signature: Signature) -> Score:
        """Make the score, with intervals if asked for."""
        metric = self.metric
        folded = metric.fold(metric.join([])) if self.folded is None else self.folded
        n_units = int(folded.n_units[0])
        estimates = [
            Estimate(None if reason is Undefined.NO_UNITS or isnan(value) else value, n_units, undefined=reason)
            for value, reason in zip(folded.values[0].tolist(), metric.reasons(folded), strict=True)
        ]
        by_type = [
            TypeScore(name, dict(zip(metric.type_counted, counts, strict=True)), type_estimates(metric, counts))
            for name, counts in sorted(self.types.items())
        ]
        if whole.resampling is not None:
            from errorbar.metrics.intervals import score_intervals, type_intervals  # noqa: PLC0415 - scipy

            n_clusters = whole.documents.n_clusters if whole.documents.unit == "document" else None
            statistics, clusters = metric.join(self.kept), whole.documents.clusters()
            intervals = score_intervals(metric, statistics, folded, clusters, whole.resampling)
            estimates = [
                one.with_interval(interval, n_clusters=n_clusters)
                for one, interval in zip(estimates, intervals, strict=True)
            ]
            if by_type:
                by_type = type_intervals(metric, statistics, by_type, clusters, whole.resampling)
        names = [measure.name for measure in metric.measures]
        return Score(
            system,
            metric.measures,
            names[metric.main],
            dict(zip(names, estimates, strict=True)),
            dict(zip(metric.counted, folded.counts[0].tolist(), strict=False)),
            n_units,
            tuple(whole.annotators) if metric.annotator is None else (metric.annotator,),
            signature,
            by_type,
            self.units,
            whole.types,
            getattr(metric, "beta", None),
            metric.reads.removesuffix("s"),
        )


def unit_scores(metric: Metric, parts: UnitParts, at: int) -> Iterator[UnitScore]:
    """The parts of units, of which ``at`` came before."""
    names = [measure.name for measure in metric.measures]
    alone = repeat([]) if parts.values is None else parts.values.tolist()
    rows = zip(parts.annotators, parts.counts.tolist(), alone, strict=False)
    for unit, (who, counts, values) in enumerate(rows, at + 1):
        own = dict(zip(metric.counted, counts, strict=True))
        yield UnitScore(unit, who, own, dict(zip(names, values, strict=False)))


def type_estimates(metric: Metric, counts: Sequence[int]) -> dict[str, Estimate]:
    """The measures of one error type from its counts; their units are its reference edits."""
    values = metric.type_values(np.array(counts)).tolist()
    n = dict(zip(metric.type_counted, counts, strict=True)).get("gold", 0)
    reasons = {"precision": Undefined.NOTHING_PROPOSED}
    return {
        name: Estimate(None, n, undefined=reasons.get(name, Undefined.NOTHING_IN_REFERENCE))
        if isnan(value)
        else Estimate(value, n)
        for name, value in zip(metric.type_measures, values, strict=True)
    }
