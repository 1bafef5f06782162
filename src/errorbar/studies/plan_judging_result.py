"""What ``errorbar plan-judging`` gives, and how it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from errorbar.core.errors import Problem
from errorbar.core.estimate import Undefined
from errorbar.metrics.base import Measure
from errorbar.metrics.pilots import Pilot
from errorbar.stats.decision import Components
from errorbar.stats.two_way import TwoWay
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
    """A score or a difference whose precision is planned."""

    name: str
    found: TwoWay | None  # None: nothing is known, see ``why_not``
    components: Components | None
    why_not: Undefined | None
    prior: float | None  # variance over fresh sets of two judges, for corpora that have only two; None: not known
    best: tuple[int, int] | None  # texts and judges for the budget


@dataclass(frozen=True, slots=True, repr=False)
class JudgingPlan(Result):
    """What more judges, or more texts, would bring.

    Attributes:
        measure: What is planned for.
        targets: Every system, and every difference of two.
        designs: What is compared, the first being what there is.
        k: Judges that are scored against at a time.
        unit: ``document`` or ``sentence``.
        n_texts: How many there are.
        n_judges: How many judges there are.
        sentences_per_text: How many sentences a text has, on average.
        minutes: Minutes per sentence and judge; None: not told.
        budget: Judgments of a sentence by a judge for which the best split is sought; None: not told.
        pilots: What small pilots would have predicted of the first system's standard error.
        confidence: Confidence level of the half-widths.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    schema: ClassVar[str] = "errorbar.plan.judging/1"
    measure: Measure
    targets: Sequence[Target]
    designs: Sequence[Design]
    k: int
    unit: str
    n_texts: int
    n_judges: int
    sentences_per_text: float
    minutes: float | None
    budget: float | None
    pilots: Sequence[Pilot]
    confidence: float
    signature: str
    notes: Sequence[Problem] = ()

    def half_width(self, target: Target, n_texts: float, n_judges: float) -> float | None:
        """Of a target under a design; None where nothing is known."""
        known = target.components
        return None if known is None else known.half_width(n_texts, n_judges, self.confidence)

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
                    "low": one.low,
                    "median": one.median,
                    "high": one.high,
                    "n_pilots": one.n_pilots,
                }
                for one in self.pilots
            ],
            "signature": self.signature,
        }

    def _record(self, target: Target) -> dict[str, object]:
        parts = target.components
        best = target.best
        return {
            "name": target.name,
            **variances_record(target.found),
            "undefined": None if target.why_not is None else str(target.why_not),
            "components": None if parts is None else {"judges": parts.judges, "texts": parts.texts, "both": parts.both},
            "prior_of_two_judges": target.prior,
            "half_widths": [self.half_width(target, one.n_texts, one.n_judges) for one in self.designs],
            "best": None
            if best is None
            else {"n_texts": best[0], "n_judges": best[1], "half_width": self.half_width(target, *best)},
        }

    def tables(self) -> Sequence[Table]:
        """Half-widths of every design; then what small pilots would have predicted."""
        kind = self.measure.kind
        columns = [Column(""), *(Column(one.title, kind) for one in self.designs)]
        columns += [] if self.budget is None else [Column("best split"), Column("±", kind, "best_half_width")]
        rows: list[list[Cell]] = []
        for target in self.targets:
            row: list[Cell] = [target.name]
            row += [self.half_width(target, one.n_texts, one.n_judges) for one in self.designs]
            if self.budget is not None:
                best = target.best
                row += ["–" if best is None else f"{best[1]} judges × {best[0]:,} {self.unit}s"]
                row += [None if best is None else self.half_width(target, *best)]
            rows.append(row)
        for title, of in (("judgments", lambda one: f"{one.judgments:,}"), ("hours", self._hours_text)):
            if title == "judgments" or self.minutes is not None:
                rows.append([title, *(of(one) for one in self.designs), *([None, None] * (self.budget is not None))])
        made = [Table(columns, rows, name="plan", notes=self._notes())]
        return [*made, self._pilot_table()] if self.pilots else made

    def _hours_text(self, one: Design) -> str:
        return f"{self.hours(one.judgments) or 0:,.1f}"

    def _notes(self) -> list[str]:
        points = " in points" if self.measure.kind == "percent" else ""
        name = self.measure.title
        n = self.n_judges
        lines = [
            f"half-width{points} of the {100 * self.confidence:g}% interval of {name} against {self.k} judges, over "
            "texts and judges",
            "judgments: of a sentence by a judge, beyond the first column"
            + ("" if self.unit == "sentence" else f"; a {self.unit} has {self.sentences_per_text:.2f} sentences"),
        ]
        priors = [f"{one.name} {1e4 * one.prior:.2f}" for one in self.targets if one.prior is not None]
        if priors and self.measure.kind == "percent":
            lines.append(f"priors for two judges, in squared points (--judges='random(prior=V)'): {', '.join(priors)}")
        known = [(one.name, one.components) for one in self.targets if one.components is not None]
        if none := [name for name, parts in known if not (parts.texts and parts.judges)]:
            what = "the variance of texts, or of judges, came out as 0, so that their best split is not to be trusted"
            lines.append(f"{', '.join(none)}: {what}; more of both would tell")
        missing = [f"{one.name}: {one.why_not}" for one in self.targets if one.why_not is not None]
        lines += [f"– {each}" for each in missing]
        return [*lines, f"components of {n} judges and {self.n_texts:,} {self.unit}s", f"signature {self.signature}"]

    def _pilot_table(self) -> Table:
        kind = self.measure.kind
        columns = [Column("pilot"), *(Column(each, kind) for each in ("10%", "median", "90%"))]
        rows: list[list[Cell]] = [
            [f"{one.n_judges} judges × {one.n_texts:,} {self.unit}s", one.low, one.median, one.high]
            for one in self.pilots
        ]
        note = (
            f"standard error of {self.targets[0].name} with all {self.n_texts:,} {self.unit}s and {self.n_judges} "
            "judges, as pilots of this corpus would have predicted it"
        )
        first = self.targets[0].components
        known = "" if first is None else f"; by all of it: {_shown(first, self)}"
        return Table(columns, rows, name="pilots", notes=[note + known])


def _shown(parts: Components, plan: JudgingPlan) -> str:
    error = sqrt(parts.variance(plan.n_texts, plan.n_judges))
    return f"{100 * error:.2f}" if plan.measure.kind == "percent" else f"{error:.4f}"
