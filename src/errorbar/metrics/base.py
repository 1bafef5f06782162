"""The one seam: what a metric gives, and what everybody else may ask of it.

A metric is a frozen value. It maps a piece of a corpus and a system's output to statistics that nobody else looks into
(``measure``), joins them (``join``), and folds a selection of units into values of its named measures (``fold``).
Intervals, comparisons, ceilings, subsets of annotators, sub-corpora, tables by type and by unit, boards, caches,
workers and signatures are written once against that. What a metric cannot give it says in ``lacks``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Interval, Scale, Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.core.spec import Parameter, Spec, Value, check_value, make_spec, read_parameters

Reads = Literal["sentences", "fragments", "judgments"]
Feature = Literal["annotators", "types", "closed"]
Opaque = Any  # what only the metric knows: its own statistics, and what it reads


class Measure(NamedTuple):
    """A number that a metric gives."""

    name: str  # its name for programs, unique in the metric: ``f``
    title: str  # its heading: ``F0.5``
    kind: Literal["percent", "number"] = "percent"  # a fraction that is shown in percent, or shown as it is
    better: Literal["higher", "lower"] = "higher"
    group: str = ""  # what it is shown under, where measures come in groups: ``detection, no bonus``
    bounds: tuple[float, float] | None = None  # where values can lie; None: 0 to 1 of percent, anywhere of a number

    @property
    def scale(self) -> Scale:
        """The scale on which intervals stay inside the bounds."""
        if self.bounds is None:
            return Scale(0.0, 1.0) if self.kind == "percent" else Scale()
        return Scale(*self.bounds)

    @property
    def sign(self) -> float:
        """1 where higher is better, else -1: what a value is multiplied by to rank it."""
        return 1.0 if self.better == "higher" else -1.0


class Swapping(NamedTuple):
    """Ways to swap the outputs of two systems, whose units stand one after the other: unit u of the second is N + u."""

    swaps: NDArray[np.bool_]  # whether outputs are swapped; shape (replicates, columns)
    slots: NDArray[np.int64]  # column that each unit goes by, e.g. its document's, -1 if it never swaps; shape (N,)

    @property
    def swapped(self) -> NDArray[np.bool_]:
        """Whether the outputs of each unit are swapped; shape (replicates, N)."""
        if len(self.slots) == self.swaps.shape[1] and (self.slots == np.arange(len(self.slots))).all():
            return self.swaps
        return np.where(self.slots >= 0, self.swaps[:, np.maximum(self.slots, 0)], False)


class Stretches(NamedTuple):
    """Units in order, cut into stretches of which each replicate leaves one out."""

    order: NDArray[np.int64]  # every unit that is folded; shape (n,)
    ends: NDArray[np.int64]  # where in the order each stretch ends, the last at n; shape (replicates,)


@dataclass(frozen=True, slots=True)
class Selection:
    """The units and annotators to fold: replicates of units, or for ``additive`` metrics of their weights."""

    units: NDArray[np.int64] | None = None  # in order, -1 for padding, None: all, once; shape (replicates or 1, n)
    weights: Floats | None = None  # how often each unit counts; shape (replicates or 1, units)
    annotators: NDArray[np.uint8] | None = None  # who may be chosen, None: all; shape (replicates or 1, annotators)
    swapping: Swapping | None = None  # swaps of two systems' outputs; ``units`` are those of the first, in one row
    left_out: Stretches | None = None  # what ``units`` say too, for who folds that faster

    def as_weights(self, n_units: int) -> Floats:
        """How often each unit counts, however the selection says it; shape (replicates or 1, n_units)."""
        if self.weights is not None:
            return self.weights
        n = n_units if self.swapping is None else n_units // 2
        once = np.ones((1, n))
        if self.units is not None:
            shifted = self.units + 1 + (n + 1) * np.arange(len(self.units))[:, None]  # -1 is no unit
            counted = np.bincount(shifted.ravel(), minlength=len(self.units) * (n + 1))
            once = counted.reshape(-1, n + 1)[:, 1:].astype(np.float64)
        if self.swapping is None:
            return once
        swapped = self.swapping.swapped
        return np.concatenate([np.where(swapped, 0.0, once), np.where(swapped, once, 0.0)], axis=1)


@dataclass(frozen=True, slots=True)
class Folded:
    """The result of a fold."""

    values: Floats  # value of each measure, NaN where it is undefined; shape (replicates, measures)
    counts: NDArray[Any]  # what ``Metric.counted`` names, then its own; shape (replicates, at least counted)
    n_units: NDArray[np.int64]  # units that somebody looked at; shape (replicates,)


def join_folded(parts: Sequence[Folded]) -> Folded:
    """The replicates of several folds, one after the other."""
    values, counts, n_units = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "counts", "n_units")
    )
    return Folded(values, counts, n_units)


class UnitParts(NamedTuple):
    """The parts of single units in a fold of everything."""

    annotators: Sequence[str | None]  # the annotator that each unit counts with, None where nobody looked
    counts: NDArray[Any]  # what each unit adds to ``Folded.counts``; shape (units, counted)
    values: Floats | None = None  # measures of each unit alone, if it has any; shape (units, measures)


class AnnotatedCounts(Protocol):
    """Counts of units against annotators, who are the same for two systems, or editors of each."""

    @property
    def annotators(self) -> tuple[str, ...]:
        """Their names."""

    @property
    def counts(self) -> NDArray[Any]:
        """The counts; shape (units, annotators, counted)."""

    @property
    def present(self) -> NDArray[Any]:
        """Whether an annotator looked at a unit; shape (units, annotators)."""


def unlike_units(first: AnnotatedCounts, second: AnnotatedCounts) -> NDArray[np.bool_]:
    """In which units the counts of two systems differ, in whatever order where annotators are not the same."""
    if first.annotators == second.annotators:
        return np.asarray((first.counts != second.counts).any(axis=(1, 2)), np.bool_)
    width = max(len(first.annotators), len(second.annotators))
    ours, theirs = (_in_any_order(one, width) for one in (first, second))
    return np.asarray((ours != theirs).any(axis=(1, 2)), np.bool_)


def _in_any_order(statistics: AnnotatedCounts, width: int) -> NDArray[Any]:
    """The counts of each unit, sorted and filled up with minus infinity; shape (units, width, counted)."""
    counts = np.where(np.asarray(statistics.present, np.bool_)[..., None], statistics.counts, -np.inf)
    counts = np.pad(counts, ((0, 0), (0, width - counts.shape[1]), (0, 0)), constant_values=-np.inf)
    rows = counts.reshape(-1, counts.shape[2])
    units = np.repeat(np.arange(len(counts)), width)
    return rows[np.lexsort((*rows.T[::-1], units))].reshape(counts.shape)


class Statistics(Protocol):
    """The measurements of units that a metric keeps: opaque to everybody but the metric."""

    def __len__(self) -> int: ...

    def take(self, units: NDArray[np.int64] | slice) -> Self:
        """The statistics of some units: a metric of a sub-corpus needs no second measuring."""


class Metric(ABC):
    """A metric: a frozen dataclass whose fields are its parameters.

    Attributes:
        name: What its spec starts with.
        summary: What it is, in a line.
        parameters: What its spec can say; the names of its fields.
        reads: What it measures: ``sentences`` of a corpus, ``fragments`` with stand-off edits, or ``judgments``.
        measures: What it gives, and ``main`` which of these ranks systems.
        counted: Names of the counts that its values are made of; ``type_counted`` of those by error type.
        takes_edits: Systems can be M2: it measures the edits of sentences that know them.
        detects: It looks where errors are, not at corrections: token labels will do.
        slower: How many times as long as m2's its fold takes; less is done unasked.
        additive: The order of units does not matter.
        joint: What a system gets depends on all that are compared.
        lacks: What it cannot give, and why.
    """

    __slots__ = ()

    name: ClassVar[str]  # what its spec starts with
    summary: ClassVar[str]  # what it is, in a line
    parameters: ClassVar[tuple[Parameter, ...]] = ()  # what its spec can say; the names of its fields
    shorthands: ClassVar[tuple[Parameter, ...]] = ()  # names in its spec that each stand for several parameters
    fold_only: ClassVar[frozenset[str]] = frozenset()  # parameters that the map does not depend on
    reads: ClassVar[Reads] = "sentences"  # what it measures: sentences of a corpus, stand-off edits, judgments
    counted: ClassVar[tuple[str, ...]]  # names of the counts that its values are made of
    type_counted: ClassVar[tuple[str, ...]] = ()  # names of the counts by error type
    type_measures: ClassVar[tuple[str, ...]] = ()  # names of the measures that are given by error type
    takes_edits: ClassVar[bool] = False  # systems can be M2: it measures the edits of ``CorrectedSentence`` sentences
    detects: ClassVar[bool] = False  # it looks where errors are, not at corrections: token labels will do
    slower: ClassVar[int] = 1  # how many times as long as m2's its fold takes: less is done unasked
    additive: ClassVar[bool] = False  # the order of units does not matter: a fold can be told how often each counts
    joint: ClassVar[bool] = False  # what a system gets depends on all that are compared: see ``with_systems``
    lacks: ClassVar[Mapping[Feature, str]] = {}  # what it cannot give, and why, in a line for the user
    remarks: ClassVar[Mapping[str, tuple[str, str]]] = {}  # by code: what stands before a number of units; what to do

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            object.__setattr__(self, parameter.name, check_value(self.name, parameter, getattr(self, parameter.name)))

    @classmethod
    def read(cls, raw: Mapping[str, str]) -> Self:
        """The metric of a spec's parameters, as they are written; raises ``UsageError`` if one will not do."""
        return cls(**read_parameters(cls.name, cls.parameters, raw))

    def replaced(self, **values: Value) -> Self:
        """The metric with other values of some parameters."""
        return type(self)(**{parameter.name: getattr(self, parameter.name) for parameter in self.parameters} | values)

    @property
    def spec(self) -> Spec:
        """The spec, defaults omitted."""
        return self._spec(self.parameters)

    @property
    def measure_key(self) -> str:
        """The key of all that the map depends on; metrics with one key share their statistics."""
        return str(self._spec([one for one in self.parameters if one.name not in self.fold_only]))

    def _spec(self, parameters: Sequence[Parameter]) -> Spec:
        return make_spec(self.name, parameters, {one.name: getattr(self, one.name) for one in parameters})

    @property
    @abstractmethod
    def measures(self) -> tuple[Measure, ...]:
        """Its measures, in the order of ``Folded.values``."""

    @property
    def main(self) -> int:
        """Which measure ranks systems."""
        return len(self.measures) - 1

    @property
    def annotator(self) -> str | None:
        """The one annotator that is scored against, or None where a rule chooses."""
        return None

    def against(self, annotator: str) -> Metric:
        """The metric against one annotator alone; raises ``UsageError`` if it cannot, or says already against whom."""
        raise lacking(self, "annotators")

    @property
    def resampled(self) -> Metric:
        """The metric as it folds selections, on which comparisons and ceilings rest: itself, as a rule."""
        return self

    def variants(self) -> Sequence[Metric]:
        """The metric under its other rules of choosing an annotator, which a report shows beside it."""
        return ()

    def with_systems(self, reference: Opaque, outputs: Sequence[Opaque]) -> Metric:
        """The metric that knows all systems that are compared; itself, unless it is ``joint``.

        A joint metric measures the whole of this reference only, and says in ``measure_key`` and ``made_by`` with
        which systems. Raises ``UsageError`` if the systems are too few for it.

        Args:
            reference: What all of them are measured against, whole.
            outputs: What each system says of it, in any order.
        """
        return self

    @abstractmethod
    def measure(self, reference: Opaque, output: Opaque, *, by_type: bool = False) -> Statistics:
        """The map: pure, and knows one unit at a time; raises ``InputError`` if the two do not fit.

        Args:
            reference: What is measured against: a ``Corpus``, a sequence of ``Fragment``, or judgments.
            output: What a system says of it: a sentence for each, edits for each, or flags.
            by_type: Also count each error type.
        """

    @abstractmethod
    def join(self, parts: Sequence[Any]) -> Opaque:
        """The statistics of consecutive parts of a corpus as those of the whole."""

    @abstractmethod
    def fold(self, statistics: Opaque, selection: Selection | None = None, *, start: Folded | None = None) -> Folded:
        """Values of each replicate of a selection (None: everything, once) of what was measured, after ``start``."""

    def fold_against(self, statistics: Opaque, selection: Selection, masks: NDArray[np.uint8]) -> Folded:
        """Values of each replicate of a selection against the first set of annotators, then the second and so on.

        ``masks`` has a row for each set; shape (sets, annotators). Replicates that result: sets times those selected.
        """
        return join_folded([self.fold(statistics, replace(selection, annotators=mask[None])) for mask in masks])

    @abstractmethod
    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Why each measure of the first replicate has no value, or which empty case a convention filled, or None."""

    @abstractmethod
    def differ(self, first: Opaque, second: Opaque) -> NDArray[np.bool_]:
        """In which units two systems' statistics differ; shape (units,)."""

    @abstractmethod
    def parts(self, statistics: Opaque, *, start: Folded | None = None) -> UnitParts:
        """The parts of single units."""

    def without_types(self, statistics: Opaque) -> Opaque:
        """The statistics as ``fold`` needs them: without what only scores by error type do, where that is apart."""
        return statistics

    def types(self, statistics: Opaque) -> tuple[str, ...]:
        """The error types that were counted, in the order of ``fold_types``."""
        raise lacking(self, "types")

    def fold_types(
        self, statistics: Opaque, selection: Selection | None = None, *, start: Folded | None = None
    ) -> NDArray[Any]:
        """The fold by error type: counts as ``type_counted`` names them; shape (replicates, types, counted)."""
        raise lacking(self, "types")

    def type_values(self, counts: NDArray[Any]) -> Floats:
        """The ``type_measures`` of counts by type, NaN where undefined; shape (..., type measures)."""
        raise lacking(self, "types")

    def type_units(self, statistics: Opaque) -> NDArray[np.int64]:
        """Units and types that occur together in a fold of everything; shape (pairs, 2)."""
        raise lacking(self, "types")

    def system_edits(
        self, reference: Opaque, output: Opaque, annotators: Sequence[str | None]
    ) -> Sequence[Sequence[Any]] | None:
        """A system's edits, each told whether it is correct: ``errorbar.edits.matching.ProposedEdit`` of each unit.

        ``annotators``: whom each unit is scored against. None: the metric sees no edits.
        """
        return None

    @property
    def makes_edits(self) -> bool:
        """Whether what it measures of texts depends on a pipeline that makes their edits."""
        return False

    def made_by(self, statistics: Opaque) -> str:
        """The maker of the edits of texts, or of weights, as it joins signatures; empty where there is none."""
        return ""

    def remarked(self, statistics: Opaque) -> Mapping[str, int]:
        """How many units there is something to say of, by the codes of ``remarks``; those of all parts are added."""
        return {}

    def notes(self, remarked: Mapping[str, int]) -> Iterable[Problem]:
        """Notes on a system, once all of it was measured."""
        for code, (message, fix) in self.remarks.items():
            if n := remarked.get(code, 0):
                yield Problem(code, f"{message}: {n}", fix=fix, severity="warning")

    def closed_intervals(self, folded: Folded, confidence_level: float) -> Sequence[Interval | Undefined]:
        """Intervals by formula, without resampling."""
        raise lacking(self, "closed")


def lacking(metric: Metric, feature: Feature) -> UsageError:
    """Make the error for what a metric cannot give."""
    features = {"annotators": "single annotators to score against", "types": "scores by error type"}
    why = metric.lacks.get(feature, f"it does not give {feature}")
    message = f"{metric.name} has no {features.get(feature, 'intervals by formula')}: {why}"
    return UsageError(Problem("metric-lacks", message, fix="leave it out"))
