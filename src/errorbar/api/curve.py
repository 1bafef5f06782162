"""Systems along the agreement of a crowd: ``errorbar curve`` and ``errorbar.curve``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Unpack

from errorbar.api.arguments import Share, public, refuse_without_intervals
from errorbar.api.crowd import Against, Systems, crowd_metric, judgments_text, read_resampled, read_systems
from errorbar.api.inputs import need_systems
from errorbar.api.judgment_input import CrowdJudging, VotesSource
from errorbar.core.arrays import Flags
from errorbar.core.problems import Problem
from errorbar.metrics.base import Metric
from errorbar.metrics.crowd_weighted import (
    CURVES,
    EDGES,
    REFERENCE_PREVALENCE,
    THRESHOLDS,
    AgreementBin,
    CurvePoint,
    agreement_bins,
    kappa_curve,
)
from errorbar.stats.resampling import Resampling
from errorbar.tables.plain import attributes, estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

View = Literal["bins", "kappa", "both"]


@dataclass(frozen=True, slots=True)
class Marks:
    """The points along the agreement that a curve shows; the attributes are arguments of ``curve``."""

    bins: Sequence[float] = EDGES
    thresholds: Sequence[float] = THRESHOLDS
    prevalence: Share = REFERENCE_PREVALENCE
    view: View = "both"


@dataclass(frozen=True, slots=True)
class SystemCurve:
    """A system along the agreement of a crowd; bins or curve are empty where only the other was asked for."""

    system: str
    bins: Sequence[AgreementBin]
    curve: Sequence[CurvePoint]
    signature: str


@dataclass(frozen=True, slots=True, repr=False)
class Curves(Result):
    """Systems along the agreement of a crowd.

    Attributes:
        systems: The curves of each, in the order given.
        reference_prevalence: The share of errors that kappa is standardised to.
        seed: Of the resamples.
        notes: Warnings and repairs.
    """

    systems: tuple[SystemCurve, ...]
    reference_prevalence: float
    seed: int
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """Bins and curve of every system."""
        rows = [
            {
                "system": curve.system,
                "bins": [*map(_bin_record, curve.bins)],
                "curve": [*map(_point_record, curve.curve)],
                "signature": curve.signature,
            }
            for curve in self.systems
        ]
        return {"reference_prevalence": self.reference_prevalence, "seed": self.seed, "rows": rows}

    def tables(self) -> list[Table]:
        """The bins and the curve, those that were asked for."""
        bins = [self._bins()] if any(curve.bins for curve in self.systems) else []
        return [*bins, *([self._curve()] if any(curve.curve for curve in self.systems) else [])]

    def _bins(self) -> Table:
        columns = [Column("system"), Column("agreement"), Column("estimand"), Column("items", "count")]
        columns += [Column("judgments"), Column("P", "percent", "P"), Column("R", "percent", "R")]
        body: list[list[Cell]] = [
            [
                *(curve.system, f"{part.low:g}–{part.high:g}", score.estimand, score.n_items),
                *(judgments_text(score.n_judgments), score.precision, score.recall),
            ]
            for curve in self.systems
            for part in curve.bins
            for score in part.scores.values()
        ]
        notes = ["agreement: share of the majority; a bin holds its low edge, the last one also its high edge"]
        return Table(columns, body, "P and R by agreement", "bins", notes)

    def _curve(self) -> Table:
        titles = ("kappa", "Youden J", "log odds ratio", f"kappa at {self.reference_prevalence:g}")
        columns = [Column("system"), Column("agreement"), Column("items", "count"), Column("ties", "count")]
        columns += [Column("kept %", "percent", "kept"), Column("errors %", "percent", "errors")]
        columns += [Column(title, "number", name, 3) for title, name in zip(titles, CURVES, strict=True)]
        body: list[list[Cell]] = [
            [
                *(curve.system, f">= {p.threshold:g}", p.n_items, p.n_ties, p.kept, p.prevalence),
                *(p.kappa, p.youden, p.log_odds, p.kappa_at),
            ]
            for curve in self.systems
            for p in curve.curve
        ]
        notes = [
            "ties: items that divide the raters in two halves; they have no majority and are left out",
            "kappa changes with the share of errors: across data compare J, the odds ratio or kappa at one prevalence",
        ]
        return Table(columns, body, "Agreement with the majority", "kappa", notes)


def _bin_record(part: AgreementBin) -> dict[str, object]:
    scores: dict[str, object] = {
        name: {"P": estimate_record(score.precision), "R": estimate_record(score.recall)}
        for name, score in part.scores.items()
    }
    return attributes(part, "low", "high", "n_items") | scores


def _point_record(point: CurvePoint) -> dict[str, object]:
    plain = "threshold", "n_items", "n_ties", "kept", "prevalence", "sensitivity", "specificity"
    return attributes(point, *plain) | {name: estimate_record(getattr(point, name)) for name in CURVES}


@public(refuse_without_intervals("resamples confidence"))
def curve(
    judgments: VotesSource,
    systems: Systems,
    *,
    metric: Metric | str = "crowd",
    bins: Sequence[float] = EDGES,
    thresholds: Sequence[float] = THRESHOLDS,
    prevalence: Share = REFERENCE_PREVALENCE,
    view: View = "both",
    **shared: Unpack[CrowdJudging],
) -> Curves:
    """Follow systems along the agreement of a crowd: P and R by agreement bin, and the kappa-agreement curve.

    Args:
        judgments: As of ``crowd``.
        systems: As of ``crowd``.
        metric: What is computed, e.g. ``crowd(shares=trust,ties=unknown)``: what the share of an item is (votes, trust,
            dawid-skene), and what a tie is to the majority (half, unknown, error, ok). The curve leaves ties
            out, and neither has a weight of recall.
        bins: Edges of the bins of agreement. Ascending, from 0.5 to 1.
        thresholds: Smallest agreement of the curve's points. From 0.5 to 1.
        prevalence: Share of errors that kappa is standardized to.
        view: What to compute: ``bins``, ``kappa`` (the curve) or ``both``.
        resamples: Number of resamples that intervals of the curve rest on; those of bins need none.
        shared: How judgments are read and intervals made.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or no label means an error.
    """
    need_systems(systems)
    marks = Marks(bins, thresholds, prevalence, view)
    against, problems, drawn = read_resampled(judgments, replace(crowd_metric(metric), beta=1.0), shared)
    rows = curve_rows(against, read_systems(systems, against.judged, problems), drawn, marks)
    return Curves(tuple(rows), prevalence, shared["seed"], tuple(problems.notes))


def curve_rows(
    against: Against, systems: Mapping[str, Flags], drawn: Resampling | None, marks: Marks = Marks()
) -> list[SystemCurve]:
    """Every system along the agreement."""
    settings = {
        "bins": "+".join(f"{edge:g}" for edge in marks.bins),
        "thresholds": "+".join(f"{mark:g}" for mark in marks.thresholds),
        "prevalence": f"{marks.prevalence:g}",
        "shares": against.metric.shares,
        "ties": against.metric.ties,
    }
    spec = f"curve({','.join(f'{key}={value}' for key, value in settings.items())})"
    curves = []
    closed = None if drawn is None else replace(drawn, method="closed")
    signed = closed if marks.view == "bins" else drawn
    for name, flags in systems.items():
        in_bins, points = [], []
        if marks.view != "kappa":
            in_bins = agreement_bins(against.counted(flags), marks.bins, resampling=closed)
        if marks.view != "bins":
            # Ties are left out and counted, whatever they are to the scores.
            untied = replace(against.metric, estimand="majority", ties="half").measure(against.votes, flags)
            points = kappa_curve(untied, marks.thresholds, reference_prevalence=marks.prevalence, resampling=drawn)
        curves.append(SystemCurve(name, in_bins, points, against.signature(spec, flags, signed)))
    return curves
