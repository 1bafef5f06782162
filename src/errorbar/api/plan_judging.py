"""Intervals to expect of more judges or more texts: ``errorbar plan-judging`` and ``errorbar.plan_judging``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import floor, isfinite
from typing import ClassVar, Unpack

from errorbar.api.arguments import Beta, Confidence, Count, Positive, SentenceMetric, Whole, public, sentence_metric
from errorbar.api.inputs import (
    Gold,
    Loaded,
    Panels,
    ReadingOptions,
    Systems,
    Taking,
    load,
    need_systems,
    plan_judges,
    usual_metric,
)
from errorbar.api.paper import variances_record
from errorbar.api.signatures import made_by
from errorbar.core.estimate import Scale, Undefined
from errorbar.core.problems import Place, Problem, UsageError
from errorbar.metrics.base import Measure, Metric, lacking
from errorbar.metrics.comparison import LEAST_TEXTS
from errorbar.metrics.judge_sets import JudgeCoverage, JudgedValues, judging_of
from errorbar.metrics.judges import FEW_JUDGES, TWO, JudgePlan, note_parts
from errorbar.metrics.pilots import JudgeAim, Pilot, PilotScore, pilots
from errorbar.stats.resampling import Resampling
from errorbar.stats.two_way import PlannedInterval, WidthRange
from errorbar.tables.plain import as_text, attributes
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

PILOT_KEYS = ("n_texts", "n_judges", "k", "low", "median", "high", "n_pilots")


@dataclass(frozen=True, slots=True)
class JudgingDesign:
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
        """The scale that keeps intervals inside the range of the measure."""
        measure = self.aim.metric.measures[self.aim.metric.main]
        return measure.scale.of_differences if self.is_difference else measure.scale

    @property
    def is_difference(self) -> bool:
        """Whether two systems are compared."""
        return any(len(pilot.systems) > 1 for pilot in self.pilots.values())

    @property
    def pilot(self) -> PilotScore | None:
        """The score of the judges at hand together; None where nothing is known."""
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
    """The intervals to expect of more judges, or of more texts.

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
    designs: Sequence[JudgingDesign]
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
        """The hours that judgments of a sentence take; None: nobody said how many minutes one takes."""
        return None if self.minutes is None else judgments * self.minutes / 60

    def to_dict(self) -> dict[str, object]:
        """Components, half-widths of every design, and pilots."""
        return {
            "measure": self.measure.name,
            **attributes(self, "k", "unit", "n_texts", "n_judges", "sentences_per_text"),
            **attributes(self, "minutes", "budget", "difference"),
            "confidence_level": self.confidence,
            "designs": [{**asdict(design), "hours": self.hours(design.judgments)} for design in self.designs],
            "targets": [self._record(target) for target in self.targets],
            "pilots": [{**attributes(pilot, *PILOT_KEYS), "half_width": pilot.whole} for pilot in self.pilots],
            "signature": self.signature,
        }

    def _record(self, target: Target) -> dict[str, object]:
        pilot, best = target.pilot, target.best
        return {
            "name": target.name,
            **variances_record(None if pilot is None else pilot.parts),
            "undefined": as_text(target.why_not),
            "components": None if pilot is None else attributes(pilot.components, "judges", "texts", "both"),
            "planned": [self._planned(target, design.n_texts, design.n_judges) for design in self.designs],
            "best": None if best is None else {"n_texts": best[0], "n_judges": best[1], **self._planned(target, *best)},
        }

    def _planned(self, target: Target, n_texts: float, n_judges: int) -> dict[str, object]:
        widths = self.widths(target, n_texts, n_judges)
        chance = self.chance(target, n_texts, n_judges)
        return {"half_width": widths.expected, **attributes(widths, "low", "high"), "found": chance}

    def tables(self) -> Sequence[Table]:
        """The interval to expect of every design; then what small pilots would have planned."""
        kind = self.measure.kind
        columns = [Column("", key="target"), Column("design"), Column("judgments", "count")]
        columns += [] if self.minutes is None else [Column("hours", "number", digits=1)]
        columns += [Column("±", kind, "half_width"), Column("10%", kind, "low"), Column("90%", kind, "high")]
        columns += [Column("found, %", "percent", "found", digits=0, chance=True)] if self.difference else []
        rows = [self._row(target, design) for target in self.targets for design in self._designs_of(target)]
        tables = [Table(columns, rows, name="plan", notes=self._notes())]
        return [*tables, self._pilot_table()] if self.pilots else tables

    def _designs_of(self, target: Target) -> list[JudgingDesign]:
        if target.best is None:
            return [*self.designs]
        n, m = target.best
        return [*self.designs, JudgingDesign(f"best: {n:,}×{m}", n, m, round(n * m * self.sentences_per_text))]

    def _row(self, target: Target, design: JudgingDesign) -> list[Cell]:
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
            designs = [design for target in self.targets for design in self._designs_of(target)]
            if any(design.n_texts < LEAST_TEXTS for design in designs):
                lines.append(
                    f"found of fewer than {LEAST_TEXTS} {self.unit}s: p is the larger of two, the other being that "
                    "of swaps, and is not planned (–); nothing is found where even its least, 2/2ⁿ, is too large"
                )
        if k is None and any(design.n_judges > m for design in self.designs):
            many = f"{m} judges" if m > 1 else "1 judge"
            lines.append(
                f"against more than {many} the score is another one that nobody knows yet: the score against {many} "
                "stands in for it"
            )
        split = [target for target in self.targets if target.best is not None]
        known = [(target.name, target.pilot.components) for target in split if target.pilot]
        if m > 1 and (none := [name for name, parts in known if not (parts.texts and parts.judges)]):
            caveat = "the variance of texts, or of judges, came out as 0, so that their best split is not to be trusted"
            lines.append(f"{', '.join(none)}: {caveat}; more of both would tell")
        lines += [f"– {target.name}: {target.why_not}" for target in self.targets if target.why_not is not None]
        rows = [(target, design) for target in self.targets for design in self._designs_of(target)]
        planned = [(one, one.plan(design.n_texts, design.n_judges)) for one, design in rows]
        widths = [interval.widths(self.confidence, one.scale) for one, interval in planned if interval is not None]
        if any(None in (width.expected, width.low, width.high) for width in widths):
            lines.append("– under ±, 10%, 90%: there will be no interval, because nearly every value will be possible")
        judges = f"{m} judge{'s' * (m > 1)}"
        return [*lines, f"planned from {judges} and {self.n_texts:,} {self.unit}s", f"signature {self.signature}"]

    def _pilot_table(self) -> Table:
        kind, first = self.measure.kind, self.targets[0]
        columns = [Column("pilot"), Column("against", "count", "k")]
        columns += [Column(title, kind) for title in ("10%", "median", "90%")]
        columns += [Column("± by all", kind, "half_width")]
        rows: list[list[Cell]] = [
            [
                f"{pilot.n_judges} judges × {pilot.n_texts:,} {self.unit}s",
                pilot.k,
                pilot.low,
                pilot.median,
                pilot.high,
                pilot.whole,
            ]
            for pilot in self.pilots
        ]
        note = (
            f"± of {first.name} with all {self.n_texts:,} {self.unit}s and {self.n_judges} judges, against so many of "
            "them at a time: as pilots of this corpus would have planned it, and by all of it"
        )
        if any(end is None for pilot in self.pilots for end in (pilot.low, pilot.median, pilot.high)):
            note += "; –: wider than any, since pilots that could plan nothing count so"
        return Table(columns, rows, name="pilots", notes=[note])


DESIGN = re.compile(r"(\d+)x(\d+)")
HOURS = re.compile(r"(\d+(?:\.\d+)?)h")
MORE = 200
MOST_TRIED = 30
"""Judges of a text up to which the best split of a budget is sought."""


BySize = Mapping[int, Sequence[JudgedValues]]
"""Values of systems against sets of as many judges."""
MOST_SIZES = 10
"""Sets of up to so many judges are looked at, and of as many as a design has."""


class TakingWithJudges(Taking, Panels, total=False):
    """How a corpus and systems are read, and how judges are drawn anew."""


@public()
def plan_judging(
    gold: Gold,
    systems: Systems,
    metric: SentenceMetric = None,
    *,
    beta: Beta = None,
    have: str = "",
    more: Count = MORE,
    designs: Sequence[str] = (),
    minutes: Positive | None = None,
    budget: str | None = None,
    difference: Positive | None = None,
    n_pilots: Whole = 100,
    confidence: Confidence = 0.95,
    seed: Whole = 0,
    **shared: Unpack[TakingWithJudges],
) -> JudgingPlan:
    """Plan how many texts to judge by how many judges: the interval to expect of each score and difference.

    Args:
        systems: Systems, as for ``score``.
        metric: What is computed, e.g. ``m2(beta=1)`` (short: ``beta`` 1); its main measure is planned for. None: m2;
            tokens of labels.
        have: What is added to: documents by judges. Empty: all.
        more: Sentences more, of one of the designs.
        designs: A further design, e.g. 100x5.
        minutes: Minutes that a judge takes for a sentence.
        budget: Judgments of a sentence by a judge that can be paid, or hours such as 40h: the best split is shown.
        difference: Show how likely two systems that truly differ by so many points are found to differ.
        n_pilots: Pilots of each size that are tried; 0: none.
        confidence: Confidence level of intervals, a fraction.
        seed: Seed of everything random. Sets of judges are drawn where there are too many, and pilots.
        shared: How files are read, and ``judges`` as for ``score``: scores are against all judges of a design, or with
            ``random(k=2)`` against two at a time.

    Raises:
        InputError: If a file is bad, or a system is no correction of the source.
        UsageError: If there is one annotator, the metric knows none, or an argument will not do.
    """
    need_systems(systems)
    parsed = sentence_metric(usual_metric(gold, metric), beta, "plan-judging")
    if "annotators" in parsed.lacks:
        raise lacking(parsed, "annotators")
    data = load(gold, systems, ReadingOptions.of(shared, [parsed]))
    data.problems.raise_errors()
    apart = _difference(difference, data, parsed)
    aim = JudgeAim(parsed, _judge_plan(plan_judges(shared)))
    measured = [parsed.measure(data.corpus, system.lines) for system in data.systems]
    how = Resampling(confidence_level=confidence, seed=seed)  # says what will not do
    judging = _judging(data, aim, measured[0], how.seed)
    n, m, least = judging.n_texts, len(judging.judges), aim.judges.k or (1 if aim.variances(1) else TWO)
    per_text = len(data.corpus) / n
    first = _design(have, least) if have else (n, m)
    compared = _designs(first, more, per_text) + [_further(design, first, least, per_text) for design in designs]
    spent = None if budget is None else _budget(budget, minutes) / per_text
    sizes = {aim.judges.k} if aim.judges.k else {min(m, design.n_judges) for design in compared}
    every = sizes if aim.judges.k else sizes | {*range(least, min(m, MOST_SIZES) + 1)}
    sizes = sizes if spent is None else every
    values = {k: aim.values(measured, judging, k, how.seed) for k in sorted(sizes)}
    charted = values | {k: aim.values(measured[:1], judging, k, how.seed) for k in sorted(every - sizes)}
    targets = _targets(aim, data, judging, values, charted)
    if spent is not None:
        judges = range(least, MOST_TRIED + 1)
        targets = [replace(target, best=target.best_split(spent, judges, how.confidence_level)) for target in targets]
    tried = _pilots(aim, measured[0], judging, data, how.confidence_level, (n_pilots, how.seed))
    population = aim.judges.rule(parsed, min(m, FEW_JUDGES)).population
    size = "all" if aim.judges.k is None else aim.judges.k
    conventions = [
        *made_by(parsed, measured),
        f"plan:k:{size},{how.confidence_level},by:{data.documents.clustering}",
    ]
    conventions += [] if population is None else [f"population:{population.convention}"]
    conventions += [f"groups:{judging.n_left_out}"] if judging.grouped else []
    conventions += [f"pilots:{n_pilots}"] if n_pilots else []
    drawn = n_pilots or not all(against.panel.exact for values_of in charted.values() for against in values_of)
    conventions += [f"seed:{how.seed}"] if drawn else []
    return JudgingPlan(
        *(parsed.measures[parsed.main], targets, compared, aim.judges.k, data.documents.unit, n, m, per_text, minutes),
        *(None if spent is None else spent * per_text, apart, tried, how.confidence_level),
        *(data.signature(str(parsed.spec), *conventions), tuple(data.problems.notes)),
    )


def _judge_plan(plan: JudgePlan) -> JudgePlan:
    """Judges drawn anew, by whichever population was asked for."""
    if plan.kind == "fixed":
        message = "a plan is about other judges: --judges=fixed leaves nothing to plan"
        raise UsageError(Problem("bad-judges", message, fix="leave it out"))
    return plan._replace(kind="random")


def _difference(points: float | None, data: Loaded, metric: Metric) -> float | None:
    """The true difference that should be found, in the measure's own unit."""
    if points is None:
        return None
    if not (isfinite(points) and points > 0):
        raise UsageError(Problem("bad-parameter", f"difference must be above 0, got {points:g}"))
    if len(data.systems) < TWO:
        message = "a difference is one of two systems, and there is one"
        raise UsageError(Problem("one-system", message, expected="at least two systems"))
    return points / 100 if metric.measures[metric.main].kind == "percent" else points


def _judging(data: Loaded, aim: JudgeAim, statistics: object, seed: int) -> JudgeCoverage:
    """Find out who judged which text; refuse a single text, or a judge alone where nobody knows how judges vary."""
    names, clusters = data.corpus.annotators, data.documents.clusters()
    least = 1 if aim.variances(1) and aim.judges.k in (None, 1) else TWO
    if len(names) < least or aim.metric.annotator is not None:
        message = "a plan needs at least two annotators: one does not show how they vary"
        raise UsageError(
            Problem("one-annotator", message, expected="several --gold files, or one with several annotators")
        )
    if len(set(clusters.tolist())) < TWO:
        message = "a single essay or sentence does not show how they vary"
        raise UsageError(Problem("one-unit", message, expected="at least two"))
    judging = judging_of(aim.metric, statistics, len(names), clusters, aim.judges.k, seed)
    unit = "group" if judging.grouped else data.documents.unit
    if (n_judges := len(judging.judges)) < FEW_JUDGES:
        code = {1: "one-judge", TWO: "two-judges"}.get(n_judges, "few-judges")
        who = "one judge does not show" if n_judges == 1 else f"{n_judges} judges hardly show"
        message = f"{who} how judges vary: the plan is rough"
        data.problems.note(code, message, Place(), fix="plan again as soon as more of them have judged")
    note_parts(judging.looked, [names[i] for i in judging.judges], judging.n_left_out, unit, data.problems)
    return judging


def _targets(aim: JudgeAim, data: Loaded, judging: JudgeCoverage, values: BySize, of_first: BySize) -> list[Target]:
    """Every system, and every difference of two; the first, which is drawn, against sets of more sizes."""
    names = [system.name for system in data.systems]
    targets = []
    for group in [*((a,) for a in range(len(names))), *combinations(range(len(names)), 2)]:
        known = of_first if group == (0,) else values
        scores = {k: PilotScore.of(aim, [by_system[a] for a in group], judging) for k, by_system in known.items()}
        usable = {k: score for k, score in scores.items() if isinstance(score, PilotScore)}
        why = next((score for score in scores.values() if isinstance(score, Undefined)), None)
        targets.append(Target(" − ".join(names[a] for a in group), aim, usable, why))
    return targets


def _pilots(
    aim: JudgeAim, statistics: object, judging: JudgeCoverage, data: Loaded, level: float, draws: tuple[int, int]
) -> list[Pilot]:
    n, m = judging.n_texts, len(judging.judges)
    sizes = [(n, 2), (n // 2, 3), (n, 5)]
    some = [(a, b) for a, b in sizes if draws[0] and (aim.judges.k or TWO) <= b < m and a >= TWO]
    return pilots(aim, statistics, judging, data.documents.clusters(), some, level, draws)


def _designs(first: tuple[int, int], more: int, per_text: float) -> list[JudgingDesign]:
    """The design at hand; more sentences; one more judge; as many judgments in sentences, where they make one."""
    n, m = first
    judge = round(n * per_text)
    sentences = judge / m
    designs = [
        JudgingDesign(f"{n}×{m}", n, m, 0),
        JudgingDesign(f"+{more:,} sentences", n + more / per_text, m, more * m),
        JudgingDesign("+1 judge", n, m + 1, judge),
    ]
    if not round(sentences):
        return designs
    return [*designs, JudgingDesign(f"+{round(sentences):,} sentences", n + sentences / per_text, m, judge)]


def _further(text: str, first: tuple[int, int], least: int, per_text: float) -> JudgingDesign:
    n, m = _design(text, least)
    return JudgingDesign(f"{n}×{m}", n, m, max(0, round((n * m - first[0] * first[1]) * per_text)))


def _design(text: str, least: int) -> tuple[int, int]:
    match = DESIGN.fullmatch(text.replace("×", "x"))
    if match is None or int(match[1]) < TWO or int(match[2]) < least:
        judges = f"{least} judge{'s' * (least > 1)}"
        must = f"must be texts by judges, such as 50x{max(least, TWO)}, with at least 2 texts and {judges}"
        raise UsageError(Problem("bad-design", f"a design {must}, got '{text}'"))
    return int(match[1]), int(match[2])


def _budget(text: str, minutes: float | None) -> float:
    """Judgments of a sentence by a judge."""
    hours = HOURS.fullmatch(text)
    if hours and minutes is None:
        message = "a budget in hours needs the minutes that a judge takes for a sentence"
        raise UsageError(Problem("bad-budget", message, fix="add --minutes=C"))
    if hours and minutes is not None and float(hours[1]) > 0:
        return float(hours[1]) * 60 / minutes
    if not text.isdecimal() or int(text) < 1:
        message = f"the budget must be a number of judgments of a sentence, or hours such as 40h, got '{text}'"
        raise UsageError(Problem("bad-budget", message))
    return float(text)
