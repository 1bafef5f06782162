"""Systems along the agreement of a crowd: what ``errorbar curve`` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

from errorbar.core.errors import Problem
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.answers import USUAL
from errorbar.metrics.crowd_agreement import (
    CURVES,
    EDGES,
    REFERENCE_PREVALENCE,
    THRESHOLDS,
    AgreementBin,
    CurvePoint,
    agreement_bins,
    kappa_curve,
)
from errorbar.metrics.crowd_weighted import Crowd, Shares, Ties
from errorbar.stats.resampling import Resampling
from errorbar.studies.crowd import Against, judgments_text, untied
from errorbar.studies.flag_input import Flags, Systems, read_systems
from errorbar.studies.judgment_input import CrowdReading, JudgmentOptions, Votes, read_crowd
from errorbar.tables.records import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

View = Literal["bins", "kappa", "both"]


@dataclass(frozen=True, slots=True)
class SystemCurve:
    """A system along the agreement of a crowd.

    Attributes:
        system: The system's name.
        bins: P and R by bin; empty where only the curve was asked for.
        curve: The kappa-agreement curve; empty where only the bins were asked for.
        signature: What was computed on which data how.
    """

    system: str
    bins: Sequence[AgreementBin]
    curve: Sequence[CurvePoint]
    signature: str


@dataclass(frozen=True, slots=True, repr=False)
class Curves(Result):
    """Systems along the agreement of a crowd.

    Attributes:
        systems: The systems, in the order given.
        reference_prevalence: Share of errors that kappa is standardised to.
        seed: Of the random streams.
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
                "system": each.system,
                "bins": [_bin_record(part) for part in each.bins],
                "curve": [_point_record(point) for point in each.curve],
                "signature": each.signature,
            }
            for each in self.systems
        ]
        return {"reference_prevalence": self.reference_prevalence, "seed": self.seed, "rows": rows}

    def tables(self) -> list[Table]:
        """The bins and the curve, those that were asked for."""
        made = []
        if any(each.bins for each in self.systems):
            made.append(self._bins())
        if any(each.curve for each in self.systems):
            made.append(self._curve())
        return made

    def _bins(self) -> Table:
        columns = [Column("system"), Column("agreement"), Column("estimand"), Column("items", "count")]
        columns += [Column("judgments"), Column("P", "percent", "P"), Column("R", "percent", "R")]
        body: list[list[Cell]] = [
            [
                each.system,
                f"{part.low:g}–{part.high:g}",
                score.estimand,
                score.n_items,
                judgments_text(score.n_judgments),
                score.precision,
                score.recall,
            ]
            for each in self.systems
            for part in each.bins
            for score in part.scores.values()
        ]
        notes = ["agreement: share of the majority; a bin holds its low edge, the last one also its high edge"]
        return Table(columns, body, "P and R by agreement", "bins", notes)

    def _curve(self) -> Table:
        titles = ("kappa", "Youden J", "log odds ratio", f"kappa at {self.reference_prevalence:g}")
        columns = [Column("system"), Column("agreement"), Column("items", "count"), Column("ties", "count")]
        columns += [Column("kept %", "percent", "kept"), Column("errors %", "percent", "errors")]
        columns += [Column(title, "number", name, 3) for title, name in zip(titles, CURVES, strict=True)]
        body: list[list[Cell]] = []
        for each in self.systems:
            for p in each.curve:
                start: list[Cell] = [each.system, f">= {p.threshold:g}", p.n_items, p.n_ties, p.kept, p.prevalence]
                body.append([*start, p.kappa, p.youden, p.log_odds, p.kappa_at])
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
    return {"low": part.low, "high": part.high, "n_items": part.n_items, **scores}


def _point_record(point: CurvePoint) -> dict[str, object]:
    plain = ("threshold", "n_items", "n_ties", "kept", "prevalence", "sensitivity", "specificity")
    values = {name: getattr(point, name) for name in plain}
    return {**values, **{name: estimate_record(getattr(point, name)) for name in CURVES}}


def curve(
    judgments: Votes,
    systems: Systems,
    *,
    bins: Sequence[float] = EDGES,
    thresholds: Sequence[float] = THRESHOLDS,
    prevalence: float = REFERENCE_PREVALENCE,
    view: View = "both",
    error: str | Sequence[str] = USUAL,
    shares: Shares = "votes",
    ties: Ties = "half",
    ci: bool | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    **reading: Unpack[CrowdReading],
) -> Curves:
    """Follow systems along the agreement of a crowd: P and R by agreement bin, and the kappa-agreement curve.

    Args:
        judgments: As of ``crowd``, like ``systems``, ``error``, ``shares``, ``ties``, ``reading`` and what is said of
            intervals.
        systems: The systems.
        bins: Edges of the bins, ascending, from ½ to 1.
        thresholds: Smallest shares of the majority that the curve keeps, from ½ to 1.
        prevalence: Share of errors that kappa is standardised to.
        view: What to compute: ``bins``, ``kappa`` (the curve) or ``both``.
        error: The labels that mean an error.
        shares: What the share of an item is.
        ties: What a tie is to the majority, in the bins; the curve leaves ties out.
        ci: Whether to make intervals; None: up to 20,000 items.
        confidence: Their level, a fraction.
        resamples: How many resamples they rest on.
        seed: Of the random streams.
        jobs: How many cores; changes no digit.
        reading: How judgments are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or no label means an error.
    """
    options = JudgmentOptions(**reading)
    problems = Problems(lenient=options.lenient)
    against = Against.of(read_crowd(judgments, options, problems), Crowd(1.0, "weighted", shares, ties), error, seed)
    resampling = against.resampling(ci, Resampling("percentile", resamples, confidence, seed, jobs), problems)
    flags = read_systems(systems, against.judged, problems)
    rows = curve_rows(against, flags, resampling, bins=bins, thresholds=thresholds, prevalence=prevalence, view=view)
    return Curves(tuple(rows), prevalence, seed, tuple(problems.notes))


def curve_rows(
    against: Against,
    systems: Mapping[str, Flags],
    resampling: Resampling | None,
    *,
    bins: Sequence[float] = EDGES,
    thresholds: Sequence[float] = THRESHOLDS,
    prevalence: float = REFERENCE_PREVALENCE,
    view: View = "both",
) -> list[SystemCurve]:
    """Every system along the agreement; what is not said is as of ``curve``."""
    said = {
        "bins": "+".join(f"{edge:g}" for edge in bins),
        "thresholds": "+".join(f"{mark:g}" for mark in thresholds),
        "prevalence": f"{prevalence:g}",
        "shares": against.metric.shares,
        "ties": against.metric.ties,
    }
    spec = f"curve({','.join(f'{key}={value}' for key, value in said.items())})"
    found = []
    for name, flags in systems.items():
        in_bins = [] if view == "kappa" else agreement_bins(against.counted(flags), bins, resampling=resampling)
        points = []
        if view != "bins":
            points = kappa_curve(
                untied(against, flags), thresholds, reference_prevalence=prevalence, resampling=resampling
            )
        found.append(SystemCurve(name, in_bins, points, against.signature(spec, flags, resampling)))
    return found
