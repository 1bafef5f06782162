"""Is one system better than another: what ``errorbar compare`` and ``errorbar.compare`` compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan
from typing import Literal, Unpack

from errorbar.api.arguments import (
    Beta,
    Count,
    NotNegative,
    SentenceMetric,
    public,
    resampling,
    sentence_metric,
    without_intervals,
)
from errorbar.api.inputs import (
    ComparingWithJudges,
    Gold,
    Loaded,
    ReadingOptions,
    Systems,
    asked_judges,
    load,
    usual_metric,
)
from errorbar.api.paper import PaperText, ScoredData, comparison_for_paper, sets_column, sets_record
from errorbar.api.score_result import measure_column
from errorbar.api.signatures import made_by
from errorbar.api.significance import pair_record, pair_table
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Place, Problem, UsageError
from errorbar.metrics.base import Measure, Metric
from errorbar.metrics.comparison import (
    Comparison,
    LeaderboardRow,
    Pair,
    System,
    compare_systems,
    over_judges,
    over_runs,
    warn_hopeless,
)
from errorbar.metrics.judge_sets import judging_of
from errorbar.metrics.judges import JudgePlan, SystemRuns, mean_of_runs, note_parts, note_short
from errorbar.metrics.swaps import Adjust, SwapPlan, check_size
from errorbar.stats.resampling import Method, Resampling
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

# Is a new system worse than the old one by more than is allowed: what ``errorbar compare --fail-if-worse`` decides.
#
# Formula
#     Of the first system and each other, the interval of other - first, in the direction in which more is better: the
#     other is worse if the upper end lies below -allowed. A loss is excluded if the lower end does not.
# Conventions
#     The interval is the one on which the comparison rests: over texts and judges, or runs, where these are drawn anew,
#     else over texts. It is not adjusted for the number of systems. Two that score alike pass; where there is no
#     interval for another reason nothing is decided, and that is no pass.
# Source
#     The decision by an interval and a margin is that of non-inferiority trials, turned round: ICH E9 (1998), 3.3.2.


Outcome = Literal["worse", "loss not excluded", "loss excluded", "score alike", "no interval"]
_SHOWN: dict[Outcome, str] = {
    "worse": "FAIL: worse",
    "loss not excluded": "pass: loss not excluded",
    "loss excluded": "pass: loss excluded",
    "score alike": "pass: score alike",
    "no interval": "not decided: no interval",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One system beside the first: what the interval of their difference says of a loss."""

    system: str
    change: float | None  # the system's value less the first's; None where one of them has none
    interval: Interval | Undefined  # of the change
    outcome: Outcome
    sentence: str  # the decision, and what could not be seen


@dataclass(frozen=True, slots=True)
class Gate:
    """The decisions about every system but the first.

    Attributes:
        baseline: The first system, beside which the others stand.
        allowed: The loss that is allowed, in the unit of the measure: a fraction where it is shown in percent.
        measure: What is compared.
        over: What the intervals are over: ``texts``, ``texts and judges``, ``texts and runs`` ...
        confidence: Their confidence level.
        checks: The others, in the order of the input.
    """

    baseline: str
    allowed: float
    measure: Measure
    over: str
    confidence: float
    checks: Sequence[Check]

    @property
    def failed(self) -> bool:
        """Whether a system is worse by more than is allowed."""
        return any(each.outcome == "worse" for each in self.checks)

    @property
    def undecided(self) -> bool:
        """Whether of some system nothing can be said, for want of an interval."""
        return any(each.outcome == "no interval" for each in self.checks)

    @property
    def amount(self) -> str:
        """The loss that is allowed, as it is told: ``0.5 points of F0.5``."""
        scale, unit = (100, " points") if self.measure.kind == "percent" else (1, "")
        return f"{scale * self.allowed:g}{unit} of {self.measure.title}"

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "baseline": self.baseline,
            "allowed": self.allowed,
            "measure": self.measure.name,
            "over": self.over,
            "confidence": self.confidence,
            "failed": self.failed,
            "checks": [
                {
                    "system": each.system,
                    "change": each.change,
                    "interval": _record(each.interval),
                    "outcome": each.outcome,
                    "sentence": each.sentence,
                }
                for each in self.checks
            ],
        }

    def table(self) -> Table:
        """A row for each system, its change with the interval that decides; the sentences below."""
        columns = [
            Column("system"),
            Column(f"{self.measure.title} change", self.measure.kind, "change", signed=True, interval="beside"),
            Column("gate", key="outcome"),
        ]
        rows: list[list[Cell]] = [[each.system, _estimate(each), _SHOWN[each.outcome]] for each in self.checks]
        title = self.measure.title
        points = ", in points" if self.measure.kind == "percent" else ""
        legend = f"{title} change: {title} of the system minus {title} of {self.baseline}{points}; over {self.over}"
        notes = [legend, *(each.sentence for each in self.checks)]
        return Table(columns, rows, f"Worse by more than {self.amount}?", "gate", notes, self.confidence)


def allowed_loss(points: float | None, *, intervals: bool) -> float | None:
    """The loss that is allowed, as it was given; ``UsageError`` if it is none, or without intervals."""
    if points is None:
        return None
    if not (isfinite(points) and points >= 0):
        message = f"fail_if_worse must be a loss in points, 0 or more, got {points:g}"
        raise UsageError(Problem("bad-parameter", message, fix="half a point is 0.5"))
    if not intervals:
        message = "--fail-if-worse decides by an interval, and --no-ci asks for none"
        raise UsageError(Problem("two-views", message, fix="leave one of them out"))
    return points


def gate(found: Comparison, points: float, confidence: float, unit: str) -> Gate:
    """Decide of every system but the first whether it is worse by more than ``points``.

    Points are what tables show: of percent where the measure is, else the measure's own unit.
    """
    measure = found.measure
    allowed = points / 100 if measure.kind == "percent" else points
    limits = Gate(found.names[0], allowed, measure, found.test.over_text, confidence, ())
    with_first = found.pairs[: len(found.names) - 1]  # pairs come in the order of itertools.combinations
    checks = [_check(pair, limits, unit) for pair in with_first]
    return Gate(limits.baseline, allowed, measure, limits.over, confidence, checks)


def _check(pair: Pair, made: Gate, unit: str) -> Check:
    """The decision on the second of a pair whose first is the baseline."""
    verdict, of_first = pair.verdict, pair.verdict.interval
    change = None if isnan(verdict.difference) else 0.0 - verdict.difference  # no negative zero
    outcome: Outcome
    if verdict.result == "score alike":
        interval: Interval | Undefined = Undefined.NO_DISAGREEMENT
        outcome = "score alike"
    elif not isinstance(of_first, Interval):
        interval = of_first if of_first is not None else Undefined.NO_VALUE
        outcome = "no interval"
    else:
        interval = Interval(-of_first.high, -of_first.low, of_first.confidence_level, of_first.method)
        outcome = _outcome(*_gains(interval, made.measure), made.allowed)
    return Check(pair.second, change, interval, outcome, _sentence(pair, change, interval, outcome, made, unit))


def _gains(interval: Interval, measure: Measure) -> tuple[float, float]:
    """The ends of an interval of a change, the worse one first: more is better."""
    low, high = sorted((measure.sign * interval.low, measure.sign * interval.high))
    return low, high


def _outcome(low: float, high: float, allowed: float) -> Outcome:
    if high < -allowed:
        return "worse"
    return "loss not excluded" if low < -allowed else "loss excluded"


def _sentence(
    pair: Pair, change: float | None, interval: Interval | Undefined, outcome: Outcome, made: Gate, unit: str
) -> str:
    """The decision, and what could not be seen."""
    first, system = pair.first, pair.second
    if outcome == "score alike":
        return f"{system} is not worse than {first}: the two score alike in every {unit}."
    if isinstance(interval, Undefined):
        return (
            f"Whether {system} is worse than {first} by more than {made.amount} is not decided: there is no interval "
            f"({interval})."
        )
    reach = f"{100 * made.confidence:g}% interval over {made.over}: {_number(interval.low, made)} to "
    reach += _number(interval.high, made)
    changed = f"{made.measure.title} changes by {_number(change or 0.0, made)} ({reach})"
    if outcome == "worse":
        return f"{system} is worse than {first} by more than {made.amount}: {changed}."
    if outcome == "loss excluded":
        return f"{system} is not worse than {first} by more than {made.amount}: {changed}, which excludes such a loss."
    worst = abs(_gains(interval, made.measure)[0])
    more = " or ".join([f"{unit}s", *pair.test.over[1:]])  # what would make the interval shorter
    return (
        f"{system} is not shown to be worse than {first} by more than {made.amount}, but such a loss cannot be "
        f"excluded: {changed}, so that a loss of up to {_number(worst, made, signed=False)} is possible; more "
        f"{more} would tell."
    )


def _number(value: float, made: Gate, *, signed: bool = True) -> str:
    """A change as tables show it."""
    scale, digits = (100, 2) if made.measure.kind == "percent" else (1, 4)
    return f"{scale * value:{'+' if signed else ''}.{digits}f}"


def _estimate(check: Check) -> Estimate:
    return Estimate(check.change, 0).with_interval(check.interval)


def _record(interval: Interval | Undefined) -> dict[str, object]:
    if isinstance(interval, Undefined):
        return {"low": None, "high": None, "reason": str(interval)}
    return {"low": interval.low, "high": interval.high, "method": interval.method}


USUAL_JUDGES = JudgePlan()
FEW = 3
"""Systems whose pairs are always shown: there are no more pairs than systems."""


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonResult(Result):
    """Systems compared with each other.

    Attributes:
        found: Scores, and differences of pairs with what was tested of them.
        confidence: Confidence level of the intervals.
        unit: What is resampled and swapped: ``document`` or ``sentence``.
        signature: What was computed on which data how.
        data: What the systems were scored on.
        notes: Warnings and repairs.
        gate: Whether systems are worse than the first by more than is allowed; None: that was not asked.
    """

    found: Comparison
    confidence: float
    unit: str
    signature: str
    data: ScoredData
    notes: Sequence[Problem] = ()
    gate: Gate | None = None

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return self.found.test.alpha

    @property
    def pairs(self) -> Sequence[Pair]:
        """Every pair of systems."""
        return self.found.pairs

    def ranking(self) -> list[LeaderboardRow]:
        """The systems, the best first, numbered, with letters for groups that do not differ significantly."""
        return self.found.ranking()

    def to_dict(self) -> dict[str, object]:
        """Systems in the order of the input, and every pair."""
        names = [measure.name for measure in self.found.measures]
        rows = zip(self.found.names, self.found.scores.tolist(), strict=True)
        return {
            "systems": [
                {"system": name, **dict(zip(names, map(_known, row), strict=True)), **self._against_sets(name)}
                for name, row in rows
            ],
            "pairs": [pair_record(pair) for pair in self.found.pairs],
            "adjust": self.found.test.swaps.adjust,
            "swaps": self.found.test.swaps.number(len(self.found.names), self.alpha),
            "unit": self.unit,
            **({} if self.found.test.judges is None else {"judges": sets_record(self.found.test.judges)}),
            **({} if self.gate is None else {"gate": self.gate.to_dict()}),
            "signature": self.signature,
        }

    def for_paper(self) -> PaperText:
        """Text for a paper: a sentence on the first two systems, a caption, and what to say of the judges."""
        return comparison_for_paper(self.found, self.data, self.unit, self.signature)

    def tables(self) -> Sequence[Table]:
        """The systems; of two or three, every pair too; what was decided of them, if that was asked."""
        return self.chosen_tables(pairs=len(self.found.names) <= FEW)

    def chosen_tables(self, *, pairs: bool) -> Sequence[Table]:
        """The systems, with or without every pair; what was decided of them, if that was asked."""
        decided = [] if self.gate is None else [self.gate.table()]
        return [self.system_table(), *([self.pair_table()] if pairs else []), *decided]

    def system_table(self) -> Table:
        """The systems, the best first."""
        ranking = self.ranking()
        unknown = any(one.undecided for one in ranking)
        columns = [Column("", "count", key="number"), Column("system"), *map(measure_column, self.found.measures)]
        if self.found.test.smaller_sets is not None:
            columns.append(sets_column(self.found.measure, self.found.test.smaller_sets.rule))
        columns += [Column("significantly better than", key="better_than")]
        columns += [Column("undecided", only="" if unknown else "data"), Column("group")]
        rows: list[list[Cell]] = []
        for one in ranking:
            row: list[Cell] = [one.number, one.name, *one.scores, *self._against_sets(one.name).values()]
            rows.append([*row, *(" ".join(map(str, numbers)) for numbers in (one.better, one.undecided)), one.group])
        notes = self.found.group_legend()
        if len(self.found.names) > FEW:
            notes += [
                f"every pair, with difference, interval and p: --pairs; in Python pair_table() ({len(self.pairs):,})"
            ]
            notes += [f"signature {self.signature}"]
        return Table(columns, rows, name="systems", notes=notes)

    def _against_sets(self, system: str) -> dict[str, float | None]:
        """The main measure against sets of judges that are not all of them, by which systems are ranked."""
        if self.found.test.smaller_sets is None:
            return {}
        return {f"{self.found.measure.name}_judges": _known(float(self.found.values[self.found.names.index(system)]))}

    def pair_table(self) -> Table:
        """Every pair: its difference with an interval, its p-values, and what the corpus can show."""
        table = pair_table(self.found, self.confidence)
        only = [f"{self.pairs[0].sentence(self.unit, self.found.measure.sign)}."] if len(self.pairs) == 1 else []
        notes = [*only, *table.notes, f"signature {self.signature}"]
        return Table(table.columns, table.rows, "", table.name, notes)


@public(without_intervals("ci_method resamples"))
def compare(
    gold: Gold,
    systems: Systems,
    metric: SentenceMetric = None,
    *,
    beta: Beta = None,
    adjust: Adjust = "max-t",
    swaps: Count | None = None,
    ci_method: Method = "bca",
    fail_if_worse: NotNegative | None = None,
    **shared: Unpack[ComparingWithJudges],
) -> ComparisonResult:
    """Tell whether systems differ by more than chance, on the same corpus.

    Args:
        systems: At least two systems, as for ``score``.
        metric: What is computed, e.g. ``m2(beta=1)`` (short: ``beta`` 1); its main measure is compared. None: m2;
            tokens of labels.
        adjust: How p-values of random swaps (as many as ``swaps`` N says, or as the level asks for) are adjusted for
            the number of pairs: step-down max-T, or Holm, which takes more swaps.
        swaps: Random ways to swap the outputs of two systems. None: 2000, or as many as the level asks for.
        ci_method: Bootstrap of documents (of sentences where no documents are known).
        fail_if_worse: Decide whether the interval of SYSTEM - first SYSTEM, the one that decides here, lies below
            -POINTS. The result's ``gate`` says it of each system. None: nothing is decided.
        ci: Compute confidence intervals of differences, or leave them out. None: yes.
        confidence: Confidence level of intervals, a fraction; tests use 1 minus this as their level, e.g. 0.05.
        shared: How files are read and intervals made.

    Raises:
        InputError: If a file is bad, or a system is no correction of the source.
        UsageError: If there are fewer than two systems, documents or sentences, or an argument will not do.
    """
    points = allowed_loss(fail_if_worse, intervals=shared["ci"] is not False)
    parsed = sentence_metric(usual_metric(gold, metric), beta, "compare")
    data = load(gold, systems, ReadingOptions.of(shared, [parsed]), runs=True)
    data.problems.raise_errors()
    data.corpus.need([] if parsed.annotator is None else [parsed.annotator])
    how = resampling(shared, ci_method, shared["jobs"])
    testing, judges = SwapPlan(adjust, swaps), asked_judges(shared)
    result = compared(data, parsed, how, testing, judges, intervals=shared["ci"] is not False)
    return (
        result if points is None else replace(result, gate=gate(result.found, points, result.confidence, result.unit))
    )


def compared(
    data: Loaded,
    metric: Metric,
    how: Resampling,
    testing: SwapPlan,
    judges: JudgePlan = USUAL_JUDGES,
    *,
    intervals: bool = True,
) -> ComparisonResult:
    """Compare what was read; errors are those of ``compare``."""
    n_systems = len(data.systems) - sum(len(names) - 1 for names in data.runs.values())
    check_size(testing, n_systems, data.documents.n_clusters, 1 - how.confidence_level)
    metric, measured = _measured(data, metric)
    confidence, unit = how.confidence_level, data.documents.unit
    comparison = compare_systems(metric, measured, data.documents.clusters(), how, testing, intervals=intervals)
    data.documents.warn(data.problems, intervals=intervals)
    comparison = _with_judges(comparison, data, metric, measured, judges, how)
    _note_single_runs(data, measured)
    warn_hopeless(comparison, data.problems, unit=unit)
    by = data.documents.clustering
    drawn = how.convention(by) if intervals else f"level:{confidence},by:{by},seed:{how.seed}"
    origins = made_by(metric, (system.statistics for system in measured))
    conventions = *origins, drawn, testing.convention(len(measured), 1 - confidence)
    conventions += tuple(f"runs:{name}={len(names)}" for name, names in data.runs.items())
    conventions += (comparison.test.convention,) if comparison.test.convention else ()
    n_documents = data.documents.n_clusters if unit == "document" else None
    n_annotators = len(data.corpus.annotators) if metric.annotator is None else 1
    scored = ScoredData(str(metric.spec), len(data.corpus), n_documents, n_annotators)
    signature = data.signature(str(metric.spec), *conventions)
    return ComparisonResult(comparison, confidence, unit, signature, scored, tuple(data.problems.notes))


def _measured(data: Loaded, metric: Metric) -> tuple[Metric, list[System]]:
    """The systems, measured; with several runs of some, a metric of means over runs."""
    every = {system.name: metric.measure(data.corpus, system.lines) for system in data.systems}
    if not data.runs:
        return metric, [System(name, statistics) for name, statistics in every.items()]
    owner = {run: name for name, names in data.runs.items() for run in names}
    named = {owner.get(name, name): data.runs.get(owner.get(name, name), (name,)) for name in every}
    systems = [System(name, SystemRuns(tuple(every[run] for run in runs))) for name, runs in named.items()]
    return mean_of_runs(metric), systems


def _with_judges(
    found: Comparison, data: Loaded, metric: Metric, systems: Sequence[System], plan: JudgePlan, how: Resampling
) -> Comparison:
    """The comparison with judges drawn anew, where the plan and the data allow it; notes say what to know of it."""
    names, problems = data.corpus.annotators, data.problems
    rule = plan.rule(metric, len(names))
    if not rule.random:
        rule.note(problems)
        return _with_runs(found, data, metric, systems, how)
    clusters = data.documents.clusters()
    judging = judging_of(metric, systems[0].statistics, len(names), clusters, plan.k, how.seed)
    rule = plan.rule(metric, len(judging.judges))  # without those who looked at nothing
    rule.note(problems)
    if not rule.random:
        return _with_runs(found, data, metric, systems, how)
    unit = "group" if judging.grouped else data.documents.unit
    note_parts(judging.looked, [names[k] for k in judging.judges], judging.n_left_out, unit, problems)
    result = over_judges(found, metric, systems, judging, rule, how)
    short = [pair for pair in result.pairs if pair.t and pair.t.components and pair.t.components.looks_short]
    note_short([f"{pair.first} and {pair.second}" for pair in short], problems)
    return result


def _with_runs(
    found: Comparison, data: Loaded, metric: Metric, systems: Sequence[System], how: Resampling
) -> Comparison:
    """The comparison where judges are fixed: over texts and runs where a system has several."""
    return over_runs(found, metric, systems, data.documents.clusters(), how.confidence_level) if data.runs else found


def _note_single_runs(data: Loaded, systems: Sequence[System]) -> None:
    """Say beside systems with several runs of whom nobody knows how other runs would vary."""
    single = [one.name for one in systems if one.name not in data.runs]
    if not data.runs or not single:
        return
    named = ", ".join(single[:FEW]) + (f" and {len(single) - FEW} more" if len(single) > FEW else "")
    message = f"{named}: one run, so that how others would vary is in no interval and no p-value"
    data.problems.note("runs-fixed", message, Place(), fix="name=run1,run2 takes several")


def _known(value: float) -> float | None:
    return None if isnan(value) else value
