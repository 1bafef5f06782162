"""How systems are scored, and the fold of one of them that ends in a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import isnan
from typing import Any

import numpy as np

from errorbar.core.corpus import ContentHash, absent_note, annotator_order, unknown_annotator
from errorbar.core.estimate import Estimate, Signature, Undefined
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.metrics.base import Folded, Metric, Opaque, UnitParts
from errorbar.metrics.documents import Documents
from errorbar.metrics.judges import JudgePlan
from errorbar.metrics.measuring import Part, Reading, Sentences
from errorbar.metrics.scored import Score, TypeScore, UnitScore
from errorbar.stats.resampling import Resampling, unasked


@dataclass(frozen=True, slots=True)
class Plan:
    """How systems are scored."""

    metrics: Sequence[Metric]
    by_type: bool = False
    by_unit: bool = False
    resampling: Resampling | None = None
    conventions: tuple[str, ...] = ()  # what joins every signature
    admission: Admission = field(default_factory=Admission)
    reading: Callable[[Any], Reading] = Sentences
    most: int | None = None  # with more units there are no intervals, and a note says so
    own: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what joins one system's signature, by its name
    judges: JudgePlan | None = None  # whether intervals are also over judges; None: nobody asked
    runs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # systems that are means of those named here


class Whole:
    """What is known of the whole corpus so far."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._hashes = ContentHash(), ContentHash(), ContentHash()  # of sources, references and types
        self._absent = {metric.annotator: 0 for metric in plan.metrics if metric.annotator is not None}
        self._names: set[str] = set()
        self.documents = Documents(plan.metrics[0].reads.removesuffix("s") if plan.metrics else "sentence")
        self.n = 0
        self.resampling: Resampling | None = None  # known in the end, as what joins every signature
        self.conventions = (*plan.conventions, *plan.admission.conventions)

    def add(self, part: Part) -> None:
        """Take the next piece."""
        self._names.update(part.annotators)
        for content, records in zip(self._hashes, part.records, strict=True):
            content.add([records] if part.n else [])  # joined by line feeds, as the hash itself does
        if part.clusters is not None and (self._plan.most is None or self.n <= self._plan.most):
            self.documents.add_names(part.clusters)
        for only, missing in part.absent.items():
            self._absent[only] += missing
        self.n += part.n

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everybody who annotated something, in order."""
        return tuple(annotator_order(self._names))

    def check_annotators(self) -> None:
        """Refuse an annotator who is scored against alone and did not annotate anything."""
        for name in self._absent:
            if name not in self._names:
                raise unknown_annotator(name, self.annotators)

    def end(self, problems: Problems) -> None:
        """Decide how intervals are made, now that the number of units is known, and say who did not look at all."""
        plan, resampling = self._plan, self._plan.resampling
        if resampling is not None and (
            plan.most is None or unasked(self.n, plan.metrics[0].reads, problems, most=plan.most)
        ):
            if resampling.method != "closed":
                self.documents.warn(problems)
            self.resampling = resampling
            self.conventions += (resampling.convention(self.documents.clustering),)
        if len(self._names) > 1:
            problems.notes += [absent_note(name, k, self.n, "") for name, k in self._absent.items() if k]

    def signature(self, fold: SystemFold, system: str, output: ContentHash) -> Signature:
        """The signature of a system's score."""
        source, reference, _ = (content.short() for content in self._hashes)
        made_by = (fold.made_by,) if fold.made_by else ()
        conventions = (*self._plan.own.get(system, ()), *made_by, *self.conventions)
        return Signature(
            str(fold.metric.spec), source, reference, output.short(), self.n, len(self._names), conventions
        )

    def types(self) -> str:
        """Hash of the error types, where they are counted."""
        return self._hashes[2].short() if self._plan.by_type else ""


class SystemFold:
    """The fold of one system under one metric so far, and the score it ends in."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.folded: Folded | None = None
        self.types: dict[str, list[int]] = {}
        self.units: list[UnitScore] = []
        self.kept: list[Any] = []
        self.remarked: Counter[str] = Counter()
        self.made_by = ""

    def add(self, statistics: Opaque, plan: Plan, *, at: int) -> None:
        """Go on with the statistics of the next units, of which ``at`` came before."""
        metric = self.metric
        self.remarked.update(metric.remarked(statistics))
        self.made_by = max(self.made_by, metric.made_by(statistics))  # some parts have nothing to make
        if plan.resampling is not None and plan.resampling.method != "closed":  # formulas need the sums alone
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
            whole.annotators if metric.annotator is None else (metric.annotator,),
            signature,
            by_type,
            self.units,
            whole.types(),
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
