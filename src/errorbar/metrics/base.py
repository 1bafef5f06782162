"""The one seam: what a metric gives, and what everybody else may ask of it.

A metric is a frozen value. It maps a piece of a corpus and a system's output to statistics that nobody else looks into
(``measure``), joins them (``join``), and folds a selection of units into values of its named measures (``fold``).
Intervals, comparisons, ceilings, subsets of annotators, sub-corpora, tables by type and by unit, boards, caches,
workers and signatures are written once against that. What a metric cannot give it says in ``lacks``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.spec import Parameter, Spec, check_value, make_spec, read_parameters

Floats = NDArray[np.float64]
Reads = Literal["sentences", "fragments", "judgments"]
Feature = Literal["annotators", "types", "closed"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that a metric gives.

    Attributes:
        name: Its name for programs, unique in the metric: ``f``.
        title: Its heading: ``F0.5``.
        kind: ``percent``, a fraction that is shown in percent, or ``number``, shown as it is.
        better: Whether the ``higher`` or the ``lower`` value is better.
        group: What it is shown under, where measures come in groups: ``detection, no bonus``.
    """

    name: str
    title: str
    kind: Literal["percent", "number"] = "percent"
    better: Literal["higher", "lower"] = "higher"
    group: str = ""

    @property
    def sign(self) -> float:
        """1 where higher is better, else -1: what a value is multiplied by to rank it."""
        return 1.0 if self.better == "higher" else -1.0


@dataclass(frozen=True, slots=True)
class Swapping:
    """Ways to swap the outputs of two systems, whose units stand one after the other: unit u of the second is N + u.

    Attributes:
        swaps: Whether outputs are swapped; shape (replicates, columns).
        slots: Column of ``swaps`` that each unit goes by, e.g. its document's, -1 for a unit that is never swapped;
            shape (N,).
    """

    swaps: NDArray[np.bool_]
    slots: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Selection:
    """What to fold: replicates of units and of annotators.

    Attributes:
        units: Unit numbers in order, e.g. a resample, -1 for padding; shape (replicates, n) or (1, n). None: all, once.
        weights: Instead of ``units``, how often each unit counts, for metrics that are ``additive``; shape
            (replicates, units) or (1, units).
        annotators: Which annotators may be chosen; shape (replicates, annotators) or (1, annotators). None: all.
        swapping: Ways to swap the outputs of two systems; ``units`` are then those of the first, in one row. None:
            nothing is swapped.
    """

    units: NDArray[np.int64] | None = None
    weights: Floats | None = None
    annotators: NDArray[np.uint8] | None = None
    swapping: Swapping | None = None

    def as_weights(self, n_units: int) -> Floats:
        """How often each unit counts, however the selection says it; shape (replicates or 1, n_units)."""
        if self.weights is not None:
            return self.weights
        if self.swapping is not None:
            half = n_units // 2
            slots, swaps = self.swapping.slots, self.swapping.swaps
            swapped = np.where(slots >= 0, swaps[:, np.maximum(slots, 0)], False)
            once = np.ones(half) if self.units is None else _counted(self.units, half)[0]
            return np.concatenate([np.where(swapped, 0.0, once), np.where(swapped, once, 0.0)], axis=1)
        return np.ones((1, n_units)) if self.units is None else _counted(self.units, n_units)


def _counted(units: NDArray[np.int64], n_units: int) -> Floats:
    """How often each row holds each unit; -1 is no unit."""
    shifted = units + 1 + (n_units + 1) * np.arange(len(units))[:, None]
    counted = np.bincount(shifted.ravel(), minlength=len(units) * (n_units + 1))
    return counted.reshape(len(units), n_units + 1)[:, 1:].astype(np.float64)


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fold gives.

    Attributes:
        values: Value of each measure, NaN where it is undefined; shape (replicates, measures).
        counts: What the values are made of, as ``Metric.counted`` names it, and after that what only the metric
            knows; shape (replicates, at least counted).
        n_units: Units that somebody looked at; shape (replicates,).
    """

    values: Floats
    counts: NDArray[Any]
    n_units: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class UnitParts:
    """The parts of single units in a fold of everything.

    Attributes:
        annotators: The annotator that each unit counts with, None where nobody looked.
        counts: What each unit adds to ``Folded.counts``; shape (units, counted).
        values: The measures of each unit alone; shape (units, measures); None where a unit alone has no value.
    """

    annotators: Sequence[str | None]
    counts: NDArray[Any]
    values: Floats | None = None


class Statistics(Protocol):
    """What a metric keeps of units: opaque to everybody but the metric."""

    def __len__(self) -> int:
        """How many units."""
        ...

    def take(self, units: NDArray[np.int64] | slice) -> Self:
        """The statistics of some units: a metric of a sub-corpus needs no second measuring."""
        ...


class Metric(ABC):
    """A metric: a frozen dataclass whose fields are its parameters.

    Attributes:
        name: What its spec starts with.
        summary: What it is, in a line.
        parameters: What its spec can say; the names of its fields.
        shorthands: What its spec can say too: names that each stand for values of several parameters.
        fold_only: Parameters that the map does not depend on.
        reads: What it measures: ``sentences`` of a corpus, ``fragments`` with stand-off edits, or ``judgments``.
        counted: Names of the counts that its values are made of.
        type_counted: Names of the counts by error type.
        type_measures: Names of the measures that are given by error type.
        additive: Whether the order of units does not matter, so that a fold can be told how often each counts.
        lacks: What it cannot give, and why, in a line for the user.
        remarks: What is to be said of some units, by code: what follows their number, and what to do.
    """

    __slots__ = ()

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    shorthands: ClassVar[tuple[Parameter, ...]] = ()
    fold_only: ClassVar[frozenset[str]] = frozenset()
    reads: ClassVar[Reads] = "sentences"
    counted: ClassVar[tuple[str, ...]]
    type_counted: ClassVar[tuple[str, ...]] = ()
    type_measures: ClassVar[tuple[str, ...]] = ()
    additive: ClassVar[bool] = False
    lacks: ClassVar[Mapping[Feature, str]] = {}
    remarks: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            object.__setattr__(self, parameter.name, check_value(self.name, parameter, getattr(self, parameter.name)))

    @classmethod
    def read(cls, raw: Mapping[str, str]) -> Self:
        """The metric of a spec's parameters, as they are written.

        Raises:
            UsageError: If a parameter is unknown, or its value will not do.
        """
        return cls(**read_parameters(cls.name, cls.parameters, raw))

    @property
    def spec(self) -> Spec:
        """The spec, defaults omitted."""
        return make_spec(self.name, self.parameters, {p.name: getattr(self, p.name) for p in self.parameters})

    @property
    def measure_key(self) -> str:
        """What the map depends on; metrics with one key share their statistics."""
        mapped = [p for p in self.parameters if p.name not in self.fold_only]
        return str(make_spec(self.name, mapped, {p.name: getattr(self, p.name) for p in mapped}))

    @property
    @abstractmethod
    def measures(self) -> tuple[Measure, ...]:
        """What it gives, in the order of ``Folded.values``."""

    def measure_named(self, name: str) -> Measure:
        """One of its measures.

        Raises:
            UsageError: If it has none of the name.
        """
        for one in self.measures:
            if one.name == name:
                return one
        names = [one.name for one in self.measures]
        raise UsageError(Problem("unknown-measure", f"{self.name} has no measure '{name}'", fix=nearest(name, names)))

    @property
    def main(self) -> int:
        """Which measure ranks systems."""
        return len(self.measures) - 1

    @property
    def annotator(self) -> str | None:
        """The one annotator that is scored against, or None where a rule chooses."""
        return None

    def against(self, annotator: str) -> Metric:
        """The metric against one annotator alone.

        Raises:
            UsageError: If it cannot, or says already against whom.
        """
        raise lacking(self, "annotators")

    def variants(self) -> Sequence[Metric]:
        """The metric under its other rules of choosing an annotator, which a report shows beside it."""
        return ()

    @abstractmethod
    def measure(self, reference: Any, output: Any, *, by_type: bool = False) -> Statistics:  # noqa: ANN401
        """The map: pure, and knows one unit at a time.

        Args:
            reference: What is measured against: a ``Corpus``, a sequence of ``Fragment``, or judgments.
            output: What a system says of it: a sentence for each, edits for each, or flags.
            by_type: Also count each error type.

        Raises:
            InputError: If the two do not fit.
        """

    @abstractmethod
    def join(self, parts: Sequence[Any]) -> Any:  # noqa: ANN401 - its own statistics
        """The statistics of consecutive parts of a corpus as those of the whole."""

    @abstractmethod
    def fold(self, statistics: Any, selection: Selection | None = None, *, start: Folded | None = None) -> Folded:  # noqa: ANN401
        """The fold: values of each replicate of a selection.

        Args:
            statistics: What ``measure`` kept.
            selection: Replicates; None: everything, once.
            start: What to go on from: how a stream is folded part by part.
        """

    @abstractmethod
    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Why each measure of the first replicate has no value, or which empty case a convention filled, or None."""

    @abstractmethod
    def differ(self, first: Any, second: Any) -> NDArray[np.bool_]:  # noqa: ANN401
        """In which units two systems' statistics differ; shape (units,)."""

    @abstractmethod
    def parts(self, statistics: Any, *, start: Folded | None = None) -> UnitParts:  # noqa: ANN401
        """What single units add."""

    def types(self, statistics: Any) -> tuple[str, ...]:  # noqa: ANN401
        """The error types that were counted, in the order of ``fold_types``."""
        raise lacking(self, "types")

    def fold_types(
        self,
        statistics: Any,  # noqa: ANN401
        selection: Selection | None = None,
        *,
        start: Folded | None = None,
    ) -> NDArray[Any]:
        """The fold by error type: counts as ``type_counted`` names them; shape (replicates, types, counted)."""
        raise lacking(self, "types")

    def type_values(self, counts: NDArray[Any]) -> Floats:
        """The ``type_measures`` of counts by type, NaN where undefined; shape (..., type measures)."""
        raise lacking(self, "types")

    def type_units(self, statistics: Any) -> NDArray[np.int64]:  # noqa: ANN401
        """Units and types that occur together in a fold of everything; shape (pairs, 2)."""
        raise lacking(self, "types")

    def edits(
        self,
        reference: Any,  # noqa: ANN401
        output: Any,  # noqa: ANN401
        annotators: Sequence[str | None],
    ) -> Sequence[Sequence[Any]] | None:
        """A system's edits as this metric sees them, each told whether it is correct, to be shown to people.

        Args:
            reference: What was measured against.
            output: The system's output.
            annotators: Whom each unit is scored against.

        Returns:
            ``errorbar.edits.matching.Proposed`` of each unit; None: the metric sees no edits.
        """
        return None

    def remarked(self, statistics: Any) -> Mapping[str, int]:  # noqa: ANN401
        """How many units there is something to say of, by the codes of ``remarks``."""
        return {}

    def closed_intervals(self, folded: Folded, confidence_level: float) -> Sequence[Interval | Undefined]:
        """Intervals by formula, without resampling."""
        raise lacking(self, "closed")


def lacking(metric: Metric, feature: Feature) -> UsageError:
    """Make the error for what a metric cannot give."""
    why = metric.lacks.get(feature, f"it does not give {feature}")
    return UsageError(Problem("metric-lacks", f"{metric.name} has no {_FEATURES[feature]}: {why}", fix="leave it out"))


_FEATURES: Mapping[Feature, str] = {
    "annotators": "single annotators to score against",
    "types": "scores by error type",
    "closed": "intervals by formula",
}
