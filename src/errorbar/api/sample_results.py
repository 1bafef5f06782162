"""The results of planning, drawing, estimating and rehearsing a sample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.api.assistance import assistance_record, assistance_table
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import InputError, Place, Problem, UsageError
from errorbar.formats.saving import save_lines
from errorbar.sampling import (
    AssistedTotals,
    Cost,
    Estimation,
    Frame,
    Key,
    Look,
    Plan,
    PlannedLook,
    Sample,
    SampleEstimate,
    Strata,
    SystemEstimates,
    blind_set,
    write_key,
)
from errorbar.sampling.assistance import Assistance
from errorbar.sampling.draw import SetFormat, Truth
from errorbar.sampling.estimators import RehearsedScore
from errorbar.sampling.frame import TARGETS
from errorbar.sampling.plan import Design
from errorbar.stats.proportion import proportion_interval
from errorbar.stats.resampling import ROUNDING, z_value
from errorbar.tables.plain import estimate_record, value_record
from errorbar.tables.result import Result
from errorbar.tables.table import DASH, Cell, Column, Table, percent


@dataclass(frozen=True, slots=True, repr=False)
class SamplePlan(Result):
    """How many items of which stratum to judge, how sure that makes one, and what it costs.

    Attributes:
        plan: The numbers.
        cost: Of the judgments.
        notes: Warnings and repairs.
        looks: At which one may look; empty: at the end only.
        alone: The plan for people alone, where a pilot shows how a crowd or a model helps; None: nothing helps them.
        source: Who helps: ``model`` or ``votes``.
    """

    plan: Plan
    cost: Cost
    notes: Sequence[Problem] = ()
    looks: Sequence[PlannedLook] = ()
    alone: Plan | None = None
    source: str = ""

    def to_dict(self) -> dict[str, object]:
        """The plan as JSON has it."""
        plan, cost = self.plan, self.cost
        names = ("system", "name", "value", "standard_error", "half_width")
        strata = _by_stratum(plan.strata, plan.n, plan.rates)
        return {
            "target": plan.aim.target,
            "strata": [dict(zip(("name", "size", "n", "rate"), row, strict=True)) for row in strata],
            "expected": [{name: getattr(one, name) for name in names} for one in plan.expected],
            "cost": {name: getattr(cost, name) for name in ("items", "judgments", "money", "hours")},
            "costs": None if plan.costs is None else plan.costs.tolist(),
            "spent": plan.spent,
            "looks": [_look_record(look) for look in self.looks],
            **self._power(),
        }

    def _power(self) -> dict[str, object]:
        """The savings expected of cheap labels: their correlation in each stratum, and the plan of people alone."""
        if self.alone is None or self.plan.kept is None:
            return {}
        halves = [one.half_width for one in self.alone.expected]
        correlation = np.sqrt(1 - self.plan.kept).tolist()
        return {"power": {"correlation": correlation, "n_alone": self.alone.n.tolist(), "half_widths_alone": halves}}

    def tables(self) -> list[Table]:
        """The allocation; what to expect stands below. The looks, if there are some."""
        plan, cost, strata = self.plan, self.cost, self.plan.strata
        rows: list[list[Cell]] = [list(row) for row in _by_stratum(strata, plan.n, plan.rates)]
        rows.append(["all", int(strata.sizes.sum()), cost.items, None])
        columns = [Column("stratum"), Column("items", "count", "size"), Column("to judge", "count", "n")]
        columns.append(Column("supposed errors %", "percent", "rate"))
        spent = [f"{cost.judgments:,} judgments"]
        if plan.costs is not None:
            columns.append(Column("cost of one", "count", "cost"))
            rows = [[*row, one] for row, one in zip(rows, [*plan.costs.tolist(), None], strict=True)]
            spent.append(f"cost {plan.spent:,g}")
        if cost.money is not None:
            spent.append(f"price {cost.money:,.2f}")
        if cost.hours is not None:
            spent.append(f"{cost.hours:.1f} hours")
        several = len(strata.systems) > 1
        notes = [
            f"expected {f'{one.system} ' * several}{one.name} {percent(one.value)} ± {percent(one.half_width)}"
            for one in plan.expected
        ]
        of = "the difference of " * several + plan.aim.target
        level = f"95 % intervals at look {len(self.looks)} of {len(self.looks)}" if self.looks else "95 % intervals"
        if self.alone is not None and plan.kept is not None:
            correlations = zip(strata.names, np.sqrt(1 - plan.kept).tolist(), strict=True)
            listed = ", ".join(f"{name} {value:.2f}" for name, value in correlations)
            notes.append(f"correlation of people's labels and the {self.source}, carefully from the pilot: {listed}")
            width = ", ".join(f"{one.name} ± {percent(one.half_width)}" for one in self.alone.expected[:3])
            notes.append(f"people alone: {int(self.alone.n.sum()):,} items, {width}; the {self.source} must judge all")
        notes += [", ".join(spent), f"best for {of} if the supposed errors are right; {level}"]
        return [Table(columns, rows, "Items to judge", "plan", notes), *self._looks()]

    def _looks(self) -> list[Table]:
        """The planned looks."""
        if not self.looks:
            return []
        target, systems = self.plan.aim.target, self.plan.strata.systems
        several = len(systems) > 1
        columns = [Column("look", "count"), Column("judged by then", "count", "judged")]
        columns += [Column("by stratum", key="by_stratum"), Column("standard errors", "number", "boundary", digits=3)]
        columns += [
            Column(f"± {target}{f' of {system}' * several}", "percent", f"half_width_{at}")
            for at, system in enumerate(systems, 1)
        ]
        rows: list[list[Cell]] = [
            [one.number, sum(one.n), " + ".join(map(str, one.n)), one.boundary, *one.half_widths] for one in self.looks
        ]
        last = self.looks[-1].boundary / z_value(0.95)
        notes = [
            "O'Brien and Fleming's boundaries: all looks together are wrong in at most 5 %",
            f"at the last look {last:.2f} times as wide as with a single look: "
            f"{last**2:.2f} times the items for one width",
        ]
        return [Table(columns, rows, "Planned looks", "looks", notes)]

    def compare(self) -> SampleDesigns:
        """Compare other designs with the same number of items: the gain of stratifying.

        Raises:
            UsageError: If items have costs: designs are compared at one number of items.
        """
        if self.plan.costs is not None:
            message = "designs are compared at one number of items, not at one cost"
            raise UsageError(Problem("sample-cost", message, fix="leave the costs out"))
        return SampleDesigns(self.plan, self.plan.designs(), self.notes)


@dataclass(frozen=True, slots=True, repr=False)
class SampleDesigns(Result):
    """Designs of one budget, of which the plan is the first."""

    plan: Plan
    designs: Sequence[Design]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The designs as JSON has them."""
        designs = [
            {"name": one.name, "n": list(one.n), "half_widths": dict(zip(TARGETS, one.half_widths, strict=True))}
            for one in self.designs
        ]
        return {"strata": list(self.plan.strata.names), "designs": designs}

    def tables(self) -> list[Table]:
        """A row for each design."""
        columns = [Column("design"), Column("judged by stratum", key="judged")]
        columns += [Column(f"± {target}", "percent", f"half_width_{target.lower()}") for target in TARGETS]
        rows = [[one.name, " + ".join(f"{n:.0f}" for n in one.n), *one.half_widths] for one in self.designs]
        judged = int(self.plan.n.sum())
        notes = [f"half-widths of 95 % normal intervals with {judged:,} judged items, if the supposed errors are right"]
        return [Table(columns, rows, "Designs of one budget", "designs", notes)]


@dataclass(frozen=True, slots=True, repr=False)
class SampleDraw(Result):
    """A drawn sample.

    Attributes:
        key: What was drawn, to be kept private.
        frame: What it was drawn from.
        raters: Who is to judge.
        notes: Warnings and repairs.
    """

    key: Key
    frame: Frame
    raters: Sequence[str]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The name of the annotation set and its items, in its blind order."""
        drawn = self.key.rounds[-1]
        return {"set": drawn.name, "items": list(drawn.items)}

    def tables(self) -> list[Table]:
        """The annotation set, labels to be filled in."""
        drawn = self.key.rounds[-1]
        columns = [Column(name) for name in ("item", "set", "rater", "label")]
        return [Table(columns, [[item, drawn.name, rater, ""] for rater in self.raters for item in drawn.items])]

    def save(self, out: str, key: str) -> None:
        """Write the annotation set (.csv or .jsonl, maybe .gz) and its private key; neither overwrites a file.

        Raises ``InputError`` if one cannot be written, ``UsageError`` if there is one of the name, or both are one.
        """
        save_set(blind_set(self.key, self.frame, self.raters, style_of(out)), write_key(self.key), out, key)


@dataclass(frozen=True, slots=True, repr=False)
class SampleEstimation(Result):
    """Hits, misses, false positives, P, R and F of a whole corpus, from a judged sample.

    Attributes:
        strata: The parts of the frame.
        sample: What was judged.
        found: The estimates of each system.
        how: How they were made.
        assisted: The estimates with cheap votes; None: without.
        truth: What is true of an item that several raters judged.
        notes: Warnings and repairs.
        wanted: Half-width at which judging may stop; None: nobody said.
        rounds: In which the sample was drawn; None: it has no key.
        assistance: With cheap labels: P, R and F of each system in the other ways too.
        source: Whose cheap labels they are: ``model`` or ``votes``.
    """

    strata: Strata
    sample: Sample
    found: SystemEstimates
    how: Estimation
    assisted: AssistedTotals | None = None
    truth: Truth = "majority"
    notes: Sequence[Problem] = ()
    wanted: float | None = None
    rounds: int | None = None
    assistance: Sequence[Assistance] = ()
    source: str = "votes"

    def to_dict(self) -> dict[str, object]:
        """The estimates as JSON has them."""

        def ends(made: Interval | None) -> dict[str, float] | None:
            return None if made is None else {"low": made.low, "high": made.high}

        systems = [
            {"system": one.system, "estimates": [{**_record(row), "bayes": ends(row.bayes)} for row in one.rows]}
            for one in self.found.systems
        ]
        helped, counts = self.assisted, _by_stratum(self.strata, self.sample.n, self.sample.x)
        return {
            "truth": self.truth,
            "strata": [dict(zip(("name", "size", "judged", "errors"), row, strict=True)) for row in counts],
            "systems": systems,
            "differences": [_record(row) for row in self.found.differences],
            "votes": None if helped is None else {"items": list(helped.voted), "trust": helped.trust.tolist()},
            "stopping": {
                "intervals": str(self.how.looks or "plain"),
                "rounds": self.rounds,
                "half_width": self.wanted,
                "narrow_enough": None if self.wanted is None else self.narrow_enough(),
            },
            **({} if helped is None else {"assistance": assistance_record(self.assistance)}),
        }

    def narrow_enough(self) -> list[str]:
        """Which of P, R and F, of two systems with their names and differences, have intervals as narrow as wanted."""
        several, wanted = len(self.found.systems) > 1, self.wanted or 0.0
        rows = [(f"{one.system}: " * several + name, one[name]) for one in self.found.systems for name in TARGETS]
        rows += [(f"difference: {row.name}", row) for row in self.found.differences]
        return [name for name, row in rows if _half_width(row) <= wanted + ROUNDING]

    def _stopping(self) -> list[str]:
        """The lines that say how looking affects the intervals, and whether the wanted width is reached."""
        level, looks, lines = f"{100 * self.how.confidence_level:g} %", self.how.looks, list[str]()
        if isinstance(looks, Look):
            lines.append(f"{looks}: the intervals of all {looks.of} planned looks together hold with {level}")
        elif looks is not None:
            lines.append(f"anytime: with {level} the intervals hold at every look, whenever one stops")
        elif (self.rounds or 1) > 1:
            start = f"plain intervals at round {self.rounds} of this sample: right if one stops by plan or by width"
            lines.append(f"{start}, too short if by what they say (--looks, --anytime)")
        if self.wanted is not None:
            enough = self.narrow_enough()
            wanted = f"wanted: ± {percent(self.wanted)}"
            lines.append(f"{wanted}; reached for {', '.join(enough)}" if enough else f"{wanted}; not reached: go on")
        return lines

    def tables(self) -> list[Table]:
        """Estimates with both intervals; what was judged stands below."""
        several = len(self.found.systems) > 1
        rows = [_row(one.system, row, several) for one in self.found.systems for row in one.rows]
        apart = " − ".join(self.strata.systems)
        rows += [_row(apart, row, several, sign="+") for row in self.found.differences]
        counts = _by_stratum(self.strata, self.sample.n, self.sample.x)
        notes = [f"{name}: {x:g} error{'s' * (x != 1)} in {n:,} of {size:,} items" for name, size, n, x in counts]
        notes.append(f"truth: {self.truth} of the raters of an item; percent, items for hits, misses, false positives")
        if self.assisted is not None:
            trusts = zip(self.strata.names, self.assisted.trust.tolist(), strict=True)
            trust = ", ".join(f"{name} {value:.2f}" for name, value in trusts)
            of = "the model's labels" if self.source == "model" else "votes"
            notes.append(f"with {of} of {sum(self.assisted.voted):,} items; trust in them: {trust}")
        notes += self._stopping()
        absent: dict[str, list[str]] = {}
        every = [(one.system, row, "") for one in self.found.systems for row in one.rows]
        for system, row, of in [*every, *((apart, row, f", {apart}") for row in self.found.differences)]:
            if row.estimate.interval is None and (why := row.estimate.undefined or row.estimate.no_interval):
                absent.setdefault(str(why), []).append(f"{row.name}{of or (f', {system}' if several else '')}")
        notes += [f"{DASH} {', '.join(names)}: {why}" for why, names in absent.items()]
        # Shares and numbers of items stand in one column, which people see in percent and in items.
        level = f"{100 * self.how.confidence_level:g}% CI"
        columns = [Column("system", only="data"), Column("quantity", only="data"), Column("", only="shown")]
        columns += [Column("value", "number", interval="beside", only="data")]
        columns += [Column("standard error", "number", only="data")]
        columns += [Column("bayes", "number", interval="only", only="data")]
        columns += [Column(title, "number", only="shown") for title in ("estimate", level)]
        columns += [Column("by", "number", "method"), Column("Bayes", "number", only="shown")]
        if self.how.looks is not None:  # there are none
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        tables = [Table(columns, rows, "Estimates for the whole corpus", "estimates", notes)]
        if self.assistance:
            tables.append(assistance_table(self.assistance, self.source, self.how.confidence_level))
        return tables


def _look_record(look: PlannedLook) -> dict[str, object]:
    halves = [half if np.isfinite(half) else None for half in look.half_widths]
    record: dict[str, object] = {"look": look.number, "n": list(look.n), "boundary": look.boundary}
    return {**record, "nominal_level": look.nominal, "half_widths": halves}


def _half_width(row: SampleEstimate) -> float:
    """The half-width of an interval, 0 where everything was judged, infinite where there is none."""
    interval = row.estimate.interval
    if interval is not None:
        return (interval.high - interval.low) / 2
    return 0.0 if row.estimate.no_interval is Undefined.ZERO_WIDTH else inf


def _by_stratum(strata: Strata, n: NDArray[np.int64], shares: NDArray[np.float64]) -> list[tuple[str, int, int, float]]:
    return list(zip(strata.names, strata.sizes.tolist(), n.tolist(), shares.tolist(), strict=True))


def style_of(out: str) -> SetFormat:
    """How a set of this name is written; a ``UsageError`` if its ending does not say."""
    ending = Path(out.removesuffix(".gz")).suffix
    if ending not in (".csv", ".jsonl"):
        message = f"a set cannot be written as '{ending or Path(out).name}'"
        raise UsageError(Problem("output-format", message, Place(out), fix="name a file that ends in .csv or .jsonl"))
    return "jsonl" if ending == ".jsonl" else "csv"


def save_set(lines: Iterable[str], key_lines: Iterable[str], out: str, key: str) -> None:
    """Write a set and its key, both or neither, and over no file; the key is for its owner alone."""
    refuse_names(out, key)
    save_lines(key_lines, key, private=True)  # first: a set is worth nothing without its key
    try:
        save_lines(lines, out)
    except InputError:
        Path(key).unlink()  # a key without its set would be in the way of the next try
        raise


def refuse_names(out: str, key: str) -> None:
    """See that neither file is there: judgments may have been filled in, and a set without its key is lost."""
    if Path(key).exists():
        message = "there is a key of this name, and a set without its key is lost"
        raise UsageError(Problem("sample-key-exists", message, Place(key), fix="name a new file"))
    if Path(out).is_file():
        message = "there is a file of this name, and what raters filled in would be lost"
        raise UsageError(Problem("sample-set-exists", message, Place(out), fix="name a new file"))
    if Path(out).resolve() == Path(key).resolve():
        message = "the set and its key would be one file, but raters must not see the key"
        raise UsageError(Problem("sample-set-exists", message, Place(out), fix="name two files"))


def _record(row: SampleEstimate) -> dict[str, object]:
    return {"name": row.name, "standard_error": row.standard_error, **value_record(row.estimate)}


def _row(system: str, row: SampleEstimate, several: bool, *, sign: Literal["", "+"] = "") -> list[Cell]:
    """A row of the table of estimates: values for programs, and texts for people."""
    interval = row.estimate.interval

    def text(value: float | None) -> str:
        scale, shape = (100, f"{sign}.2f") if row.name in TARGETS else (1, ",.1f")
        return DASH if value is None else f"{scale * value:{shape}}"

    def ends(made: Interval | None) -> str:
        return DASH if made is None else f"{text(made.low)}{' to ' if sign else DASH}{text(made.high)}"

    name = f"{row.name}, {system}" if sign else f"{system}: {row.name}" if several else row.name
    shown = [text(row.estimate.value), ends(interval), interval and interval.method, ends(row.bayes)]
    return [system, row.name, name, row.estimate, row.standard_error, row.bayes, *shown]


# What a sample would have told of a corpus that is judged whole: what ``errorbar sample rehearse`` shows.


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
    def of(cls, score: RehearsedScore, level: float) -> Performance:
        """Sums of the repetitions."""
        values = score.values[~np.isnan(score.values)]
        n, held = len(score.values), int(score.held.sum())
        bias, spread = Estimate(None, len(values), undefined=Undefined.NOTHING_IN_REFERENCE), 0.0
        if len(values):
            mean, spread = float(values.mean() - score.truth), float(values.std())
            mean = 0.0 if abs(mean) < _NO_SPREAD else mean
            half = z_value(level) * spread / sqrt(len(values))
            interval = Interval(mean - half, mean + half, level, "wald") if half > _NO_SPREAD else Undefined.ZERO_WIDTH
            bias = Estimate(mean, len(values)).with_interval(interval)
        halves = ((score.highs - score.lows) / 2)[~np.isnan(score.lows)]
        coverage = Estimate(held / n, n).with_interval(proportion_interval(held, n, confidence_level=level))
        width = float(halves.mean()) if len(halves) else None
        return cls(score.system, score.name, score.truth, bias, spread, width, coverage, n - len(values))


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
        drawn = ", ".join(f"{name} {n:,} of {size:,}" for n, size, name in sizes)
        sample, whole = self.judgments
        cost = f"{sample:,} judgments in place of {whole:,}, {percent(1 - sample / whole)} % fewer"
        if self.hours is not None:
            cost += f"; {self.hours[0]:.1f} hours in place of {self.hours[1]:.1f}"
        notes = [f"{self.repetitions:,} samples of {sum(self.n):,} items: {drawn}", cost]
        if without := max(row.n_without for row in self.rows):
            notes.append(f"{without:,} samples have no error and give no R; bias, spread and ± are of the others")
        spread = "spread: standard deviation of the estimates; ±: mean half-width"
        return [*notes, f"{spread}; coverage: share of the intervals that hold the truth"]
