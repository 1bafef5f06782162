"""What ``errorbar plan-judging`` gives, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import ClassVar

from errorbar.core.errors import Problem
from errorbar.core.estimate import Scale, Undefined
from errorbar.metrics.base import Measure
from errorbar.metrics.pilots import JudgeAim, Pilot, PilotScore
from errorbar.metrics.verdicts import LEAST_TEXTS
from errorbar.stats.decision import PlannedInterval, WidthRange
from errorbar.studies.over_judges import variances_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table


@dataclass(frozen=True, slots=True)
class Design:
    """So many texts judged by so many judges each."""

    title: str
    n_texts: float
    n_judges: int
    judgments: int  # of a sentence by a judge, beyond those of the first design; of the best split all of them


@dataclass(frozen=True, slots=True)
class Target:
    """A score or a difference whose interval is planned."""

    name: str
    aim: JudgeAim
    pilots: Mapping[int, PilotScore]  # by the number of judges that it is against
    why_not: Undefined | None  # why one of them is not known
    best: tuple[int, int] | None = None  # texts and judges for the budget

    @property
    def scale(self) -> Scale:
        """What keeps intervals inside the range of the measure."""
        measure = self.aim.metric.measures[self.aim.metric.main]
        return measure.scale.of_differences if self.is_difference else measure.scale

    @property
    def is_difference(self) -> bool:
        """Whether two systems are compared."""
        return any(len(pilot.systems) > 1 for pilot in self.pilots.values())

    @property
    def pilot(self) -> PilotScore | None:
        """What the judges at hand say together; None where nothing is known."""
        return self.pilots[max(self.pilots)] if self.pilots else None

    def plan(self, n_texts: float, n_judges: int) -> PlannedInterval | None:
        """The interval to expect; None where nothing is known."""
        k = self.aim.judges.k or n_judges
        pilot = self.pilots.get(k) or (self.pilot if k > max(self.pilots, default=k) else None)
        return None if pilot is None or n_judges < k else pilot.plan(self.aim, n_texts, n_judges)

    def best_split(self, judgments: float, n_judges: Sequence[int], level: float) -> tuple[int, int] | None:
        """Texts and judges, whole numbers, whose interval is shortest; None where two texts are too dear.

        Args:
            judgments: Of a text by a judge.
            n_judges: What is tried.
            level: Confidence level.
        """
        splits = [(floor(judgments / m), m) for m in n_judges if judgments >= 2 * m]
        intervals = [(split, interval) for split in splits if (interval := self.plan(*split)) is not None]
        halves = [(interval.half_width(level, self.scale), split) for split, interval in intervals]
        known = [(half, split) for half, split in halves if half is not None]
        return min(known)[1] if known else None


@dataclass(frozen=True, slots=True, repr=False)
class JudgingPlan(Result):
    """What more judges, or more texts, would bring.

    Attributes:
        measure: What is planned for.
        targets: Every system, and every difference of two.
        designs: What is compared, the first being what there is.
        k: Judges that are scored against at a time; None: all of a design.
        unit: ``document`` or ``sentence``.
        n_texts: How many there are.
        n_judges: How many judges there are.
        sentences_per_text: How many sentences a text has, on average.
        minutes: Minutes per sentence and judge; None: not told.
        budget: Judgments of a sentence by a judge for which the best split is sought; None: not told.
        difference: The true difference that should be found, in the unit of the measure; None: not asked.
        pilots: What small pilots would have planned for the first system.
        confidence: Confidence level of the half-widths.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    schema: ClassVar[str] = "errorbar.plan.judging/1"
    measure: Measure
    targets: Sequence[Target]
    designs: Sequence[Design]
    k: int | None
    unit: str
    n_texts: int
    n_judges: int
    sentences_per_text: float
    minutes: float | None
    budget: float | None
    difference: float | None
    pilots: Sequence[Pilot]
    confidence: float
    signature: str
    notes: Sequence[Problem] = ()

    def half_width(self, target: Target, n_texts: float, n_judges: int) -> float | None:
        """The half-width to expect of a target under a design; None where nothing is known."""
        interval = target.plan(n_texts, n_judges)
        return None if interval is None else interval.half_width(self.confidence, target.scale)

    def widths(self, target: Target, n_texts: float, n_judges: int) -> WidthRange:
        """The half-width to expect of a target under a design, and its range."""
        interval = target.plan(n_texts, n_judges)
        return WidthRange(None, None, None) if interval is None else interval.widths(self.confidence, target.scale)

    def chance(self, target: Target, n_texts: float, n_judges: int) -> float | None:
        """How likely the difference is found; None where none was asked for, nothing is known, or p is not planned.

        With fewer than ``LEAST_TEXTS`` texts p is no smaller than that of swaps, of which 2 in 2^n are the least.
        """
        interval = target.plan(n_texts, n_judges) if target.is_difference else None
        if interval is None or not self.difference:
            return None
        if n_texts < LEAST_TEXTS:
            return 0.0 if 2 / 2**n_texts > 1 - self.confidence else None
        return interval.chance(self.difference, self.confidence)

    def hours(self, judgments: float) -> float | None:
        """What judgments of a sentence cost."""
        return None if self.minutes is None else judgments * self.minutes / 60

    def to_dict(self) -> dict[str, object]:
        """Components, half-widths of every design, and pilots."""
        return {
            "measure": self.measure.name,
            "k": self.k,
            "unit": self.unit,
            "n_texts": self.n_texts,
            "n_judges": self.n_judges,
            "sentences_per_text": self.sentences_per_text,
            "minutes": self.minutes,
            "budget": self.budget,
            "difference": self.difference,
            "confidence_level": self.confidence,
            "designs": [
                {
                    "title": one.title,
                    "n_texts": one.n_texts,
                    "n_judges": one.n_judges,
                    "judgments": one.judgments,
                    "hours": self.hours(one.judgments),
                }
                for one in self.designs
            ],
            "targets": [self._record(target) for target in self.targets],
            "pilots": [
                {
                    "n_texts": one.n_texts,
                    "n_judges": one.n_judges,
                    "k": one.k,
                    "low": one.low,
                    "median": one.median,
                    "high": one.high,
                    "n_pilots": one.n_pilots,
                    "half_width": one.whole,
                }
                for one in self.pilots
            ],
            "signature": self.signature,
        }

    def _record(self, target: Target) -> dict[str, object]:
        pilot, best = target.pilot, target.best
        parts = None if pilot is None else pilot.components
        return {
            "name": target.name,
            **variances_record(None if pilot is None else pilot.parts),
            "undefined": None if target.why_not is None else str(target.why_not),
            "components": None if parts is None else {"judges": parts.judges, "texts": parts.texts, "both": parts.both},
            "planned": [self._planned(target, one.n_texts, one.n_judges) for one in self.designs],
            "best": None if best is None else {"n_texts": best[0], "n_judges": best[1], **self._planned(target, *best)},
        }

    def _planned(self, target: Target, n_texts: float, n_judges: int) -> dict[str, object]:
        widths = self.widths(target, n_texts, n_judges)
        ends = {"half_width": widths.expected, "low": widths.low, "high": widths.high}
        return {**ends, "found": self.chance(target, n_texts, n_judges)}

    def tables(self) -> Sequence[Table]:
        """The interval to expect of every design; then what small pilots would have planned."""
        kind = self.measure.kind
        columns = [Column("", key="target"), Column("design"), Column("judgments", "count")]
        columns += [] if self.minutes is None else [Column("hours", "number", digits=1)]
        columns += [Column("±", kind, "half_width"), Column("10%", kind, "low"), Column("90%", kind, "high")]
        columns += [Column("found, %", "percent", "found", digits=0, chance=True)] if self.difference else []
        rows = [self._row(target, design) for target in self.targets for design in self._designs_of(target)]
        made = [Table(columns, rows, name="plan", notes=self._notes())]
        return [*made, self._pilot_table()] if self.pilots else made

    def _designs_of(self, target: Target) -> list[Design]:
        """The designs, and the best split of the budget."""
        if target.best is None:
            return [*self.designs]
        n, m = target.best
        return [*self.designs, Design(f"best: {n:,}×{m}", n, m, round(n * m * self.sentences_per_text))]

    def _row(self, target: Target, design: Design) -> list[Cell]:
        hours = self.hours(design.judgments)
        widths = self.widths(target, design.n_texts, design.n_judges)
        cells: list[Cell] = [target.name, design.title, design.judgments]
        cells += [] if hours is None else [hours]
        cells += [widths.expected, widths.low, widths.high]
        return [*cells, self.chance(target, design.n_texts, design.n_judges)] if self.difference else cells

    def _notes(self) -> list[str]:
        points = " in points" if self.measure.kind == "percent" else ""
        name, m, k = self.measure.title, self.n_judges, self.k
        against = "all judges of a design" if k is None else f"{k} judge{'s' * (k > 1)} at a time"
        lines = [
            f"±: half-width{points} to expect of the {100 * self.confidence:g}% interval of {name} over texts and "
            f"judges, against {against}; 10% and 90%: its range over other texts and judges",
            "judgments: of a sentence by a judge, beyond the first design"
            + ("; of the best split all" if self.budget is not None else "")
            + ("" if self.unit == "sentence" else f"; a {self.unit} has {self.sentences_per_text:.2f} sentences"),
        ]
        if self.difference:
            apart = f"{100 * self.difference:g} points" if points else f"{self.difference:g}"
            lines.append(
                f"found: how likely a true difference of {apart} has p ≤ {1 - self.confidence:.2g} for the pair alone; "
                "90% means about 80 to 95%"
            )
            if any(one.n_texts < LEAST_TEXTS for target in self.targets for one in self._designs_of(target)):
                lines.append(
                    f"found of fewer than {LEAST_TEXTS} {self.unit}s: p is the larger of two, the other being that "
                    "of swaps, and is not planned (–); nothing is found where even its least, 2/2ⁿ, is too large"
                )
        if k is None and any(one.n_judges > m for one in self.designs):
            many = f"{m} judges" if m > 1 else "1 judge"
            lines.append(
                f"against more than {many} the score is another one that nobody knows yet: the score against {many} "
                "stands in for it"
            )
        known = [(one.name, one.pilot.components) for one in self.targets if one.best is not None and one.pilot]
        if m > 1 and (none := [name for name, parts in known if not (parts.texts and parts.judges)]):
            what = "the variance of texts, or of judges, came out as 0, so that their best split is not to be trusted"
            lines.append(f"{', '.join(none)}: {what}; more of both would tell")
        lines += [f"– {one.name}: {one.why_not}" for one in self.targets if one.why_not is not None]
        judges = f"{m} judge{'s' * (m > 1)}"
        return [*lines, f"planned from {judges} and {self.n_texts:,} {self.unit}s", f"signature {self.signature}"]

    def _pilot_table(self) -> Table:
        kind, first = self.measure.kind, self.targets[0]
        columns = [Column("pilot"), Column("against", "count", "k")]
        columns += [Column(each, kind) for each in ("10%", "median", "90%")] + [Column("± by all", kind, "half_width")]
        rows: list[list[Cell]] = [
            [f"{one.n_judges} judges × {one.n_texts:,} {self.unit}s", one.k, one.low, one.median, one.high, one.whole]
            for one in self.pilots
        ]
        note = (
            f"± of {first.name} with all {self.n_texts:,} {self.unit}s and {self.n_judges} judges, against so many of "
            "them at a time: as pilots of this corpus would have planned it, and by all of it"
        )
        return Table(columns, rows, name="pilots", notes=[note])
