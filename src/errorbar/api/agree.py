"""The agreement of annotators or raters: ``errorbar agree`` and ``errorbar.agree``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.cohen import PairAgreement, Weighting
from errorbar.agreement.krippendorff import Level
from errorbar.agreement.pools import PoolAgreement, agreement_in_pools
from errorbar.agreement.report import TITLES, AgreementReport, Judges, agreement_report, drop_unknown_labels
from errorbar.api.arguments import public, refuse_without_intervals, resampling
from errorbar.api.inputs import pools_of
from errorbar.api.judgment_input import (
    AgreementInput,
    JudgmentOptions,
    LabelScale,
    ReadJudgments,
    VotesSource,
    read_judged,
)
from errorbar.api.signatures import agreement_signature
from errorbar.core.estimate import Estimate
from errorbar.core.labels import quote_labels
from errorbar.core.pools import Pools, named_pools
from errorbar.core.problems import Problem, Problems, UsageError
from errorbar.edits.items import Labels
from errorbar.stats.resampling import Resampling
from errorbar.tables.plain import attributes, estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table, percent

KINDS = ("error",), ("type",)
"""The labels that edits of a corpus can give to an item."""
MOST_CELLS = 500_000
"""Cells of joint tables that JSON has."""
MOST_SHOWN = 20
"""Labels in the line of shares."""


@dataclass(frozen=True, slots=True, repr=False)
class AgreementResult(Result):
    """The agreement of raters.

    Attributes:
        report: The coefficients.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
        intervals: Whether intervals were asked for.
        judges: Whether intervals are for these raters, or for others like them too.
        pools: The agreement within each pool of raters and between each two; empty: there are no pools.
    """

    report: AgreementReport
    signature: str
    notes: Sequence[Problem] = ()
    intervals: bool = True
    judges: Judges = "fixed"
    pools: Sequence[PoolAgreement] = ()

    def to_dict(self) -> dict[str, object]:
        """Coefficients, pairs of raters, and which labels meet."""
        report, crossed = self.report, self.report.confusion
        counted = sum(pair.table.counts.size for pair in report.pairwise) <= MOST_CELLS
        return {
            "scale": report.level,
            "weights": report.weighting,
            **attributes(report, "n_items", "n_raters", "n_judgments", "n_missing"),
            "coefficients": {name: estimate_record(estimate) for name, estimate in report.coefficients.items()},
            "specific": {label: estimate_record(estimate) for label, estimate in report.specific.items()},
            "prevalence": dict(report.prevalence),
            "pairs": [_pair_record(pair, counted=counted) for pair in report.pairwise],
            "confusion": crossed and {"labels": list(crossed.labels), "counts": crossed.counts.tolist()},
            "remarks": list(report.remarks),
            "judges": self.judges if self.intervals else None,
            **({"pools": [_pool_record(row) for row in self.pools]} if self.pools else {}),
            "signature": self.signature,
        }

    def tables(self) -> Sequence[Table]:
        """Coefficients; then, where they are not too many, ``pairs`` of raters and the ``confusion`` of labels."""
        pairs = [self._pair_table()] if self.report.pairwise else []
        in_pools = [self.pool_table()] if self.pools else []
        confusion = [] if self.report.confusion is None else [self._confusion_table()]
        return [self._table(), *in_pools, *pairs, *confusion]

    def printed_tables(self) -> Sequence[Table]:
        """The coefficients; the pools of raters, if there are some."""
        return [self._table(), *([self.pool_table()] if self.pools else [])]

    def view(self, name: str) -> Table:
        """One of the tables: ``agreement``, ``pairs`` or ``confusion``.

        Raises:
            UsageError: If these judgments have no such table.
        """
        if name == "pairs" and self.report.weighting is None:
            message = "--pairs is Cohen's kappa of every pair, which has no weights for ratios"
            raise UsageError(Problem("agreement-weighting", message, fix="choose another --scale"))
        code = {"pairs": "agreement-pairs", "confusion": "agreement-labels"}.get(name)
        if note := next((note for note in self.report.notes if note.code == code), None):
            raise UsageError(Problem(note.code, note.what, fix="choose raters, or group the labels"))
        return next(table for table in self.tables() if table.name == name)

    def _table(self) -> Table:
        report = self.report
        rows: list[list[Cell]] = [
            [_title(name, title, report), report.coefficients[name]]
            for name, title in TITLES.items()
            if name in report.coefficients
        ]
        rows += [[f"specific agreement: {label}", estimate] for label, estimate in report.specific.items()]
        notes = [
            f"{report.n_items:,} items, {report.n_raters} raters, {report.n_judgments:,} judgments, "
            f"{report.n_missing:,} missing",
            f"shares of the judgments: {_shares(report)}",
            *self._interval_lines(),
            *report.remarks,
            f"signature {self.signature}",
        ]
        return Table([Column("", key="coefficient"), self._estimates("value")], rows, name="agreement", notes=notes)

    def _interval_lines(self) -> list[str]:
        if not self.intervals:
            return []
        if self.judges == "random":
            return ["intervals: other items and other raters"]
        return [f"intervals: other items, these {self.report.n_raters} raters; --judges=random: other raters too"]

    def _pair_table(self) -> Table:
        weighting = self.report.weighting
        kappa = "Cohen's kappa" if weighting == "none" else f"Cohen's kappa, {weighting} weights"
        columns = [Column("first"), Column("second"), Column("items", "count"), Column("observed", "number")]
        rows: list[list[Cell]] = [
            [*pair.table.raters, pair.table.n_items, pair.kappa.observed, pair.kappa.estimate]
            for pair in self.report.pairwise
        ]
        return Table([*columns, self._estimates(kappa, "kappa")], rows, name="pairs")

    def pool_table(self) -> Table:
        """The agreement within each pool, and between each two."""
        columns = [Column("pool"), Column("with"), Column("raters", "text"), Column("items", "count")]
        columns += [
            Column("observed", "number"),
            self._estimates("kappa"),
            self._estimates("within less between", "gap"),
        ]
        rows: list[list[Cell]] = []
        for row in self.pools:
            (first, second), (n, m) = row.pools, row.n_raters
            raters = str(n) if row.within else f"{n} x {m}"
            rows.append(
                [first, "itself" if row.within else second, raters, row.n_items, row.observed, row.kappa, row.gap]
            )
        notes = [
            "kappa: of two raters of the pool, or one of each pool, beyond chance by the labels of the pools",
            "within less between: mean kappa within the two pools less that between them; above 0, raters of one "
            "pool agree better than those of two",
        ]
        if self.intervals:
            others = (
                "other items and other raters of the pools" if self.judges == "random" else "other items, these raters"
            )
            notes.append(f"intervals: {others}")
        return Table(columns, rows, "Agreement within pools and between them", "pools", notes)

    def _estimates(self, title: str, key: str = "") -> Column:
        return Column(title, "number", key, interval="beside" if self.intervals else "")

    def _confusion_table(self) -> Table:
        crossed = self.report.confusion
        labels, counts = ((), []) if crossed is None else (crossed.labels, crossed.counts.tolist())
        columns = [Column("", key="label"), *(Column(label, "count", label) for label in labels)]
        rows: list[list[Cell]] = [
            [label, *(int(count) if count == int(count) else count for count in row)]
            for label, row in zip(labels, counts, strict=True)
        ]
        note = "ordered pairs of judgments of one item; with more than two raters each item weighs as its judgments"
        return Table(columns, rows, name="confusion", notes=[note])


@public(refuse_without_intervals("resamples confidence seed"))
def agree(
    judgments: VotesSource,
    *,
    scale: Level = "nominal",
    weights: Weighting | None = None,
    clusters: Sequence[object] | NDArray[Any] | None = None,
    judges: Judges = "fixed",
    **shared: Unpack[AgreementInput],
) -> AgreementResult:
    """Compute every coefficient of agreement that fits, all intervals from the same resamples.

    Args:
        judgments: Tables of judgments (CSV, JSON lines, Parquet, results of Mechanical Turk); one or several M2 or
            JSONL files over the same sentences, whose annotators' edits become judgments; ``Judgments``; or a
            ``Corpus``.
        scale: What labels are: names, ranks, numbers, or numbers with a true zero.
        weights: Weights of Cohen's kappa. None: none for names, linear for ranks, quadratic for numbers.
        clusters: Number of the cluster (essay) of each item of judgments in memory, which are resampled together.
        judges: Whether intervals are for these raters, or for others like them too (three or more). ``random`` leaves
            out each item (or cluster) and each rater; not in those of pairs.
        pools: Pools of raters or annotators, in a TOML file: the agreement within each and between each two. In Python
            also ``{"minimal": ["A1", "A2"], "fluent": "B*"}``. None: those of a column ``pool`` of the table, if it has
            one.
        labels: What labels mean, as ROLE=LABEL (unknown=: 'cannot say'; type=: which error types of edits alone count,
            between commas), or the labels there may be, A,B, of ranks from lowest to highest; or, of a corpus, 'type':
            edits say their type, not 'error'.
        ci: Compute confidence intervals, or leave them out. None: yes.
        shared: How judgments are read and intervals made.

    Raises:
        InputError: If a file is bad.
        UsageError: If fewer than two raters judged anything, a rater judged an item twice, or an argument will not do.
    """
    options = JudgmentOptions.of(shared)
    labels = tuple(options.labels)
    kind: Labels = "type" if labels == ("type",) else "error"
    ranks = () if labels in KINDS else labels
    how = None if shared["ci"] is False else resampling(shared, "bca", jobs=shared["jobs"])
    problems = options.problems()
    judged = read_judged(judgments, replace(options, labels=()), LabelScale(scale, ranks, kind), problems)
    if clusters is not None:
        judged = replace(judged, clusters=np.asarray(clusters))
    pools = pools_of(shared) or named_pools(judged.pools or {})
    return measure_agreement(judged, how, scale, weights, problems.notes, judges=judges, pools=pools)


def measure_agreement(
    judged: ReadJudgments,
    how: Resampling | None,
    scale: Level = "nominal",
    weights: Weighting | None = None,
    notes: Sequence[Problem] = (),
    *,
    judges: Judges = "fixed",
    pools: Pools | None = None,
) -> AgreementResult:
    """The agreement of judgments that were read; ``notes`` are those of their reading."""
    unknown = judged.options.unknown
    kept, gone = drop_unknown_labels(judged.judgments, unknown)
    report = agreement_report(
        kept,
        level=scale,
        order=judged.order,
        weighting=weights,
        clusters=judged.clusters,
        resampling=how,
        judges=judges,
    )
    conventions = [] if scale == "nominal" else [f"scale={scale}"]
    conventions += [f"weights={report.weighting}"] if conventions and report.weighting is not None else []
    signature = agreement_signature(
        judged.judgments,
        ",".join((judged.how, *conventions)),
        resampling=how,
        clusters=judged.clusters,
        unknown=unknown,
        order=judged.order,
        judges=judges,
    )
    shown = _drop_closed_intervals(report) if how is None else report
    own = Problems()
    in_pools: Sequence[PoolAgreement] = ()
    if pools is not None:
        pools = pools.of(kept.raters, own, "rater")
        signature = pools.sign(signature)
        in_pools = agreement_in_pools(
            kept,
            pools,
            level=scale,
            order=judged.order,
            weighting=_pool_weighting(report.weighting),
            clusters=judged.clusters,
            resampling=how,
            judges=judges,
        )
    notes = (*notes, *gone, *report.notes, *own.notes)
    return AgreementResult(shown, signature, notes, intervals=how is not None, judges=judges, pools=in_pools)


def _pool_weighting(weighting: Weighting | None) -> Weighting:
    """The weights of kappas of pools; ``UsageError`` where no kappa is defined."""
    if weighting is None:
        message = "agreement in pools is by kappa, which has no weights for ratios"
        raise UsageError(Problem("agreement-weighting", message, fix="choose another --scale, or leave out --pools"))
    return weighting


def _pool_record(row: PoolAgreement) -> dict[str, object]:
    return {
        **dict(zip(("first", "second"), row.pools, strict=True)),
        "n_items": row.n_items,
        "n_raters": list(row.n_raters),
        "observed": row.observed,
        "kappa": estimate_record(row.kappa),
        "gap": None if row.gap is None else estimate_record(row.gap),
    }


def _drop_closed_intervals(report: AgreementReport) -> AgreementReport:

    def bare(estimate: Estimate) -> Estimate:
        return replace(estimate, interval=None, no_interval=None)

    pairs = [PairAgreement(p.table, replace(p.kappa, estimate=bare(p.kappa.estimate))) for p in report.pairwise]
    return replace(
        report,
        coefficients={name: bare(coefficient) for name, coefficient in report.coefficients.items()},
        pairwise=pairs,
    )


def _pair_record(pair: PairAgreement, *, counted: bool) -> dict[str, object]:
    return {
        **dict(zip(("first", "second"), pair.table.raters, strict=True)),
        "n_items": pair.table.n_items,
        **attributes(pair.kappa, "observed", "expected"),
        "kappa": estimate_record(pair.kappa.estimate),
        "kappa_max": pair.kappa.maximum,
        "counts": pair.table.counts.tolist() if counted else None,
    }


def _title(name: str, title: str, report: AgreementReport) -> str:
    if report.level != "nominal" and name == "krippendorff":
        return f"{title}, {report.level}"
    return f"{title}, {report.weighting} weights" if name == "cohen" and report.weighting != "none" else title


def _shares(report: AgreementReport) -> str:
    known = list(report.prevalence.items())
    rarer = len(known) - MOST_SHOWN
    if rarer > 0:
        known = sorted(known, key=lambda pair: -pair[1])[:MOST_SHOWN]
    shown = ", ".join(f"{quote_labels([label])} {percent(share)}%" for label, share in known)
    return f"{shown} and {rarer:,} rarer labels" if rarer > 0 else shown
