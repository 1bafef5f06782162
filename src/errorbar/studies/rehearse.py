"""What a sample would have told of a corpus that is judged whole: what ``errorbar sample rehearse`` shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Unpack

import numpy as np

from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.judgment_files import read_judgment_table
from errorbar.sampling import Estimation, Strata, score_edges, stratify
from errorbar.sampling.judged import Truth, refuse_corpus
from errorbar.sampling.rehearsal import Rehearsal, Rehearsed, rehearse
from errorbar.stats.proportion import proportion_interval
from errorbar.stats.resampling import z_value
from errorbar.studies.door import Progress, public
from errorbar.studies.judgment_input import Files, paths_of
from errorbar.studies.sample_input import Drawn, Flags, frame_of, labels_of, listed, planned
from errorbar.tables.records import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.shown import percent
from errorbar.tables.table import Cell, Column, Table

_NO_SPREAD = 1e-12
"""Below this, estimates differ by rounding only."""


@dataclass(frozen=True, slots=True)
class Performance:
    """How one score's estimates did; everything a fraction."""

    system: str  # empty: the difference of two systems
    name: str  # P, R or F
    truth: float
    bias: Estimate  # mean estimate minus truth, with the interval that the number of repetitions leaves
    spread: float  # standard deviation of the estimates
    half_width: float | None  # mean, of the intervals that there are
    coverage: Estimate  # share of the intervals that hold the truth, with Wilson's interval
    n_without: int  # repetitions without a value

    @classmethod
    def of(cls, found: Rehearsed, level: float) -> Performance:
        """Sums of the repetitions."""
        values = found.values[~np.isnan(found.values)]
        n, held = len(found.values), int(found.held.sum())
        bias, spread = Estimate(None, len(values), undefined=Undefined.NOTHING_IN_REFERENCE), 0.0
        if len(values):
            mean, spread = float(values.mean() - found.truth), float(values.std())
            mean = 0.0 if abs(mean) < _NO_SPREAD else mean
            half = z_value(level) * spread / sqrt(len(values))
            made = Interval(mean - half, mean + half, level, "wald") if half > _NO_SPREAD else Undefined.ZERO_WIDTH
            bias = Estimate(mean, len(values)).with_interval(made)
        halves = ((found.highs - found.lows) / 2)[~np.isnan(found.lows)]
        coverage = Estimate(held / n, n).with_interval(proportion_interval(held, n, confidence_level=level))
        width = float(halves.mean()) if len(halves) else None
        return cls(found.system, found.name, found.truth, bias, spread, width, coverage, n - len(values))


@dataclass(frozen=True, slots=True, repr=False)
class SampleRehearsal(Result):
    """Estimates of many samples beside the truth of the whole corpus.

    Attributes:
        rows: P, R and F of each system, and of two their differences.
        strata: The parts of the frame.
        n: Items that every sample has of each part.
        repetitions: How many samples were drawn.
        judgments: How many of them a sample takes, and how many the whole corpus would at as many for each item.
        minutes: Working time of a judgment; None: not known.
        truth: What is true of an item that several raters judged.
        seed: Of the draws.
        notes: Warnings and repairs.
    """

    rows: Sequence[Performance]
    strata: Strata
    n: Sequence[int]
    repetitions: int
    judgments: tuple[int, int]
    minutes: float | None
    truth: Truth
    seed: int
    notes: Sequence[Problem] = ()

    @property
    def hours(self) -> tuple[float, float] | None:
        """Working time of a sample and of the whole corpus; None: not known."""
        if self.minutes is None:
            return None
        sample, whole = (count * self.minutes / 60 for count in self.judgments)
        return sample, whole

    def to_dict(self) -> dict[str, object]:
        """Truth, bias, spread, half-width and coverage of every score; and what a sample costs."""
        strata = zip(self.strata.names, self.strata.sizes.tolist(), self.n, strict=True)
        plain = ("system", "name", "truth", "spread", "half_width", "n_without")
        rows = [
            {
                **{name: getattr(row, name) for name in plain},
                "bias": estimate_record(row.bias),
                "coverage": estimate_record(row.coverage),
            }
            for row in self.rows
        ]
        return {
            "repetitions": self.repetitions,
            "truth": self.truth,
            "strata": [dict(zip(("name", "size", "n"), row, strict=True)) for row in strata],
            "judgments": dict(zip(("sample", "all"), self.judgments, strict=True)),
            "hours": None if self.hours is None else dict(zip(("sample", "all"), self.hours, strict=True)),
            "rows": rows,
            "seed": self.seed,
        }

    def tables(self) -> list[Table]:
        """A row for each score; what a sample costs stands below."""
        several = len(self.strata.systems) > 1
        columns = [Column("system")] * several + [Column("score"), Column("truth", "percent")]
        columns += [Column("bias", "percent", signed=True), Column("spread", "percent")]
        columns += [Column("±", "percent", "half_width"), Column("coverage", "percent")]
        apart = " − ".join(self.strata.systems)
        body: list[list[Cell]] = [
            [
                *[row.system or apart] * several,
                *(row.name, row.truth, row.bias, row.spread, row.half_width, row.coverage),
            ]
            for row in self.rows
        ]
        return [Table(columns, body, "Estimates of many samples", "rehearsal", self._notes())]

    def _notes(self) -> list[str]:
        sizes = zip(self.n, self.strata.sizes.tolist(), self.strata.names, strict=True)
        said = ", ".join(f"{name} {n:,} of {size:,}" for n, size, name in sizes)
        sample, whole = self.judgments
        cost = f"{sample:,} judgments in place of {whole:,}, {percent(1 - sample / whole)} % fewer"
        if self.hours is not None:
            cost += f"; {self.hours[0]:.1f} hours in place of {self.hours[1]:.1f}"
        notes = [f"{self.repetitions:,} samples of {sum(self.n):,} items: {said}", cost]
        if without := max(row.n_without for row in self.rows):
            notes.append(f"{without:,} samples have no error and give no R; bias, spread and ± are of the others")
        spread = "spread: standard deviation of the estimates; ±: mean half-width"
        return [*notes, f"{spread}; coverage: share of the intervals that hold the truth"]


@public()
def sample_rehearse(
    flags: Flags | Sequence[Flags],
    judged: Files | Judgments,
    *,
    raters: int | None = None,
    repetitions: int = 1000,
    truth: Truth = "majority",
    minutes: float | None = None,
    confidence: float = 0.95,
    progress: Progress = lambda _: None,
    seed: int = 0,
    **shared: Unpack[Drawn],
) -> SampleRehearsal:
    """Draw many samples of a corpus that is judged whole, and compare what they tell with the truth.

    Args:
        flags: What one or two systems flag, as for ``sample_plan``.
        judged: Judgments of every item: tables as ``sample_estimate`` reads them, or an object.
        raters: How many are asked about each drawn item, drawn anew for each; None: all who judged it.
        repetitions: How many samples are drawn.
        truth: How several raters make one truth: majority, any or graded; that of the corpus rests on all raters.
        minutes: Working time of one judgment.
        confidence: Confidence level of intervals.
        progress: Is told the number of samples done.
        seed: Of all draws.
        budget: Items of a sample, or with costs what all may cost.
        shared: How each sample is planned, and what labels mean.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit each other, or an item has too few judgments.
    """
    for what, number in (("repetitions", repetitions), ("raters", 1 if raters is None else raters)):
        if number < 1:
            raise UsageError(Problem("bad-parameter", f"{what} must be at least 1, got {number}"))
    problems, labels = Problems(lenient=shared["lenient"]), labels_of(shared)
    frame = frame_of(listed(flags), shared, problems)
    table = judged if isinstance(judged, Judgments) else _read(judged, problems)
    edges = score_edges(frame, shared["bands"])
    strata, _ = stratify(frame, edges)
    n = planned(strata, shared).n
    how = Estimation(shared["beta"], confidence_level=confidence)
    rehearsal = Rehearsal(n, edges, raters, truth, labels, how, seed)
    found = rehearse(frame, table, rehearsal, repetitions, progress)
    each = raters or len(table) / len(table.items)
    counts = round(int(n.sum()) * each), round(len(frame) * each)
    rows = [Performance.of(one, confidence) for one in found]
    return SampleRehearsal(rows, strata, n.tolist(), repetitions, counts, minutes, truth, seed, tuple(problems.notes))


def _read(judged: Files, problems: Problems) -> Judgments:
    tables = []
    for path in paths_of(judged, "judged"):
        refuse_corpus(path)
        tables.append(read_judgment_table(path, problems).judgments)
    joined = Judgments.joined(tables)
    return joined.take(joined.settled("refuse"))
