"""Significance tests between systems, and a gate for losses: ``errorbar compare`` and ``errorbar.compare``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isnan
from os import PathLike
from typing import Literal, Unpack, cast

import numpy as np

from errorbar.api.arguments import (
    Beta,
    Count,
    NotNegative,
    SentenceMetric,
    Useless,
    public,
    refuse_without_intervals,
    resampling,
    sentence_metric,
)
from errorbar.api.in_memory import document_names
from errorbar.api.inputs import (
    RANDOM_POOLS,
    ComparingInPools,
    Gold,
    Loaded,
    ReadingOptions,
    Systems,
    load,
    plan_judges,
    pools_of,
    usual_metric,
)
from errorbar.api.own_references import NO_POOLS, OwnReferences, first_reference, load_own
from errorbar.api.paper import PaperText, ScoredData, comparison_for_paper, editors_line, sets_column, sets_record
from errorbar.api.pools import compare_loaded_in_pools, pool_comparison_record, pool_comparison_tables
from errorbar.api.rated_systems import plan_swaps, rate_systems, rating_intervals
from errorbar.api.recorded_scores import (
    RecordedSource,
    hash_scores,
    read_recorded,
    recorded_systems,
    score_table,
)
from errorbar.api.score_result import measure_column
from errorbar.api.signatures import made_by
from errorbar.api.significance import cell_estimate, ends_record, pair_record, pair_table
from errorbar.core.arrays import Floats
from errorbar.core.estimate import BootstrapMethod, Interval, Undefined, value_or_none
from errorbar.core.labels import format_count
from errorbar.core.pools import Pools
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.core.rankings import MetricScores
from errorbar.metrics.base import Measure, Metric
from errorbar.metrics.comparison import (
    Comparison,
    LeaderboardRow,
    Pair,
    System,
    compare_systems,
    over_editors,
    over_judges,
    over_runs,
    warn_hopeless,
)
from errorbar.metrics.folding import FEW_DOCUMENTS, Documents
from errorbar.metrics.judge_sets import judging_of
from errorbar.metrics.judges import JudgePlan, SystemRuns, mean_of_runs, note_parts, note_short
from errorbar.metrics.pool_pairs import PoolComparison
from errorbar.metrics.swaps import SwapPlan, check_size
from errorbar.ranking.sentence_wins import Aggregation
from errorbar.stats.multiple import Adjust
from errorbar.stats.resampling import Resampling
from errorbar.tables.plain import attributes
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.version import __version__

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
    """The decision on one system beside the first, by the interval of their difference."""

    system: str
    change: float | None  # the system's value less the first's; None where one of them has none
    interval: Interval | Undefined  # of the change
    outcome: Outcome
    sentence: str  # the decision, and what could not be seen


@dataclass(frozen=True, slots=True)
class Gate:
    """The decisions of ``errorbar compare --fail-if-worse`` about every system but the first.

    Formula
        Of the first system and each other, the interval of other - first, in the direction in which more is better: the
        other is worse if the upper end lies below -allowed. A loss is excluded if the lower end does not.
    Conventions
        The interval is the one on which the comparison rests: over texts and judges, or runs, where these are drawn
        anew, else over texts. It is not adjusted for the number of systems, and too narrow where it is over few texts
        alone. Two that score alike pass; where there is no interval for another reason nothing is decided: no pass.
    Source
        The decision by an interval and a margin is that of non-inferiority trials, turned round: ICH E9 (1998), 3.3.2.

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
    checks: Sequence[Check] = ()
    few: str = ""  # how few texts there are, where intervals over texts alone are too narrow: ``5 sentences``

    @property
    def failed(self) -> bool:
        """Whether a system is worse by more than is allowed."""
        return any(check.outcome == "worse" for check in self.checks)

    @property
    def undecided(self) -> bool:
        """Whether nothing can be said of some system, for want of an interval."""
        return any(check.outcome == "no interval" for check in self.checks)

    @property
    def amount(self) -> str:
        """The loss that is allowed, in words: ``0.5 points of F0.5``."""
        scale, unit = (100, " points") if self.measure.kind == "percent" else (1, "")
        return f"{scale * self.allowed:g}{unit} of {self.measure.title}"

    def to_dict(self) -> dict[str, object]:
        """The decisions as JSON has them."""
        checks = [{**asdict(check), "interval": ends_record(check.interval)} for check in self.checks]
        facts = attributes(self, "over", "confidence", "failed")
        return {
            **{"baseline": self.baseline, "allowed": self.allowed, "measure": self.measure.name},
            **facts,
            "checks": checks,
        }

    def table(self) -> Table:
        """A row for each system, its change with the interval that decides; the sentences below."""
        title, kind = self.measure.title, self.measure.kind
        change = Column(f"{title} change", kind, "change", signed=True, interval="beside")
        rows: list[list[Cell]] = [
            [check.system, cell_estimate(check.change, check.interval), _SHOWN[check.outcome]] for check in self.checks
        ]
        points = ", in points" if kind == "percent" else ""
        legend = f"{title} change: {title} of the system minus {title} of {self.baseline}{points}; over {self.over}"
        notes = [legend, *(check.sentence for check in self.checks)]
        columns = [Column("system"), change, Column("gate", key="outcome")]
        return Table(columns, rows, f"Worse by more than {self.amount}?", "gate", notes, self.confidence)

    def check(self, pair: Pair, unit: str) -> Check:
        """Decide on the second of a pair whose first is the baseline."""
        verdict, of_first = pair.verdict, pair.verdict.interval
        change = None if isnan(verdict.difference) else 0.0 - verdict.difference  # no negative zero
        system, beside = pair.second, f"than {pair.first}"
        more = f"worse {beside} by more than {self.amount}"
        if verdict.result == "score alike":
            sentence = f"{system} is not worse {beside}: the two score alike in every {unit}."
            return Check(system, change, Undefined.NO_DISAGREEMENT, "score alike", sentence)
        if not isinstance(of_first, Interval):
            why = of_first if of_first is not None else Undefined.NO_VALUE
            sentence = f"Whether {system} is {more} is not decided: there is no interval ({why})."
            return Check(system, change, why, "no interval", sentence)
        interval = of_first._replace(low=-of_first.high, high=-of_first.low)
        worst, best = sorted((self.measure.sign * interval.low, self.measure.sign * interval.high))
        changed = f"{self.measure.title} changes by {self._number(change or 0.0)} ({100 * self.confidence:g}% interval "
        over = self.over + f", too narrow for only {self.few}" * bool(self.few)
        changed += f"over {over}: {self._number(interval.low)} to {self._number(interval.high)})"
        if best < -self.allowed:
            return Check(system, change, interval, "worse", f"{system} is {more}: {changed}.")
        if worst >= -self.allowed:
            sentence = f"{system} is not {more}: {changed}, which excludes such a loss."
            return Check(system, change, interval, "loss excluded", sentence)
        units = " or ".join([f"{unit}s", *pair.test.over[1:]])  # what would make the interval shorter
        sentence = (
            f"{system} is not shown to be {more}, but such a loss cannot be excluded: {changed}, so that a loss of up "
            f"to {self._number(abs(worst), sign='')} is possible; more {units} would tell."
        )
        return Check(system, change, interval, "loss not excluded", sentence)

    def _number(self, value: float, sign: str = "+") -> str:
        scale, digits = (100, 2) if self.measure.kind == "percent" else (1, 4)
        return f"{scale * value:{sign}.{digits}f}"


def allowed_loss(points: float | None, *, intervals: bool) -> float | None:
    """The loss that is allowed; ``UsageError`` if there are no intervals for it."""
    if points is not None and not intervals:
        message = "--fail-if-worse decides by an interval, and --no-ci asks for none"
        raise UsageError(Problem("two-views", message, fix="leave one of them out"))
    return points


def decide_losses(comparison: Comparison, points: float, confidence: float, unit: str, n_texts: int) -> Gate:
    """Decide of every system but the first whether it is worse by more than ``points``, on so many texts (``unit``).

    Points are what tables show: of percent where the measure is, else the measure's own unit.
    """
    measure = comparison.measure
    allowed = points / 100 if measure.kind == "percent" else points
    few = format_count(n_texts, f"{unit}s") * (n_texts < FEW_DOCUMENTS and not comparison.test.by_t)
    gate = Gate(comparison.names[0], allowed, measure, comparison.test.over_text, confidence, few=few)
    with_first = comparison.pairs[: len(comparison.names) - 1]  # pairs come in the order of itertools.combinations
    return replace(gate, checks=[gate.check(pair, unit) for pair in with_first])


USUAL_JUDGES = JudgePlan()
SMALLEST = 1e-6
"""The least size of recorded scores whose means are compared: tests take differences up to 1e-12 for rounding."""
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
        pools: The systems in pools of judges; None: there are no pools.
        editors: Who made the references of each system, where these were made for each; empty: one gold for all.
        aggregate: How scores of sentences became those of systems.
        rating_intervals: Of the systems' ratings over texts, in the order of the input; empty: no ratings, or none.
    """

    found: Comparison
    confidence: float
    unit: str
    signature: str
    data: ScoredData
    notes: Sequence[Problem] = ()
    gate: Gate | None = None
    pools: PoolComparison | None = None
    editors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aggregate: Aggregation = "corpus"
    rating_intervals: tuple[Interval | Undefined, ...] = ()

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
                {
                    "system": name,
                    **dict(zip(names, map(value_or_none, row), strict=True)),
                    **self._against_sets(name),
                    **({"undefined": why} if (why := self._why_undefined(name)) else {}),
                    **({"interval": ends_record(self._own_interval(name))} if self.rating_intervals else {}),
                }
                for name, row in rows
            ],
            "pairs": [pair_record(pair) for pair in self.found.pairs],
            "adjust": self.found.test.swaps.adjust,
            "swaps": self.found.test.swaps.number(len(self.found.names), self.alpha),
            "unit": self.unit,
            **({} if self.aggregate == "corpus" else {"aggregate": self.aggregate}),
            **({} if self.found.test.judges is None else {"judges": sets_record(self.found.test.judges)}),
            **({} if self.gate is None else {"gate": self.gate.to_dict()}),
            **({} if self.pools is None else {"pools": pool_comparison_record(self.pools)}),
            **({"editors": {name: list(who) for name, who in self.editors.items()}} if self.editors else {}),
            "signature": self.signature,
        }

    def _why_undefined(self, name: str) -> dict[str, str]:
        reasons = zip(self.found.measures, self.found.undefined[name], strict=True)
        return {measure.name: str(why) for measure, why in reasons if why is not None}

    def for_paper(self) -> PaperText:
        """Text for a paper: a sentence on the first two systems, a caption, and what to say of the judges."""
        return comparison_for_paper(self.found, self.data, self.unit, self.signature)

    def tables(self) -> Sequence[Table]:
        """The systems; of two or three, every pair too; what was decided of them, if that was asked."""
        return self.chosen_tables(pairs=len(self.found.names) <= FEW)

    def chosen_tables(self, *, pairs: bool) -> Sequence[Table]:
        """The systems, with or without every pair; what was decided of them, if that was asked."""
        decided = [] if self.gate is None else [self.gate.table()]
        return [self.system_table(pairs=pairs), *([self.pair_table()] if pairs else []), *decided, *self.pool_tables()]

    def pool_tables(self) -> Sequence[Table]:
        """The systems, and every pair, in each pool of judges; empty: there are no pools."""
        intervals = any(pair.interval is not None for pair in self.found.pairs)
        return [] if self.pools is None else pool_comparison_tables(self.pools, intervals=intervals)

    def system_table(self, *, pairs: bool = False) -> Table:
        """The systems, the best first; ``pairs``: every pair stands below."""
        ranking = self.ranking()
        unknown = any(place.undecided for place in ranking)
        columns = [Column("", "count", key="number"), Column("system"), *map(measure_column, self.found.measures)]
        if self.rating_intervals:
            columns[2 + self.found.main] = columns[2 + self.found.main]._replace(interval="beside")
        if self.found.test.smaller_sets is not None:
            columns.append(sets_column(self.found.measure, self.found.test.smaller_sets.rule))
        columns += [Column("significantly better than", key="better_than")]
        columns += [Column("undecided", only="" if unknown else "data"), Column("group")]
        rows: list[list[Cell]] = []
        for place in ranking:
            undefined = self.found.undefined[place.name]
            scores = [
                replace(cell_estimate(score, None), undefined=why)
                for score, why in zip(place.scores, undefined, strict=True)
            ]
            row: list[Cell] = [place.number, place.name, *scores, *self._against_sets(place.name).values()]
            if self.rating_intervals:
                main = 2 + self.found.main
                row[main] = cell_estimate(place.scores[self.found.main], self._own_interval(place.name))
            others = (" ".join(map(str, numbers)) for numbers in (place.better, place.undecided))
            rows.append([*row, *others, place.group])
        notes = [*self.found.group_legend(), *self._editor_lines(), *self._rating_lines()]
        if len(self.found.names) > FEW and not pairs:
            notes += [
                f"every pair, with difference, interval and p: --pairs; in Python pair_table() ({len(self.pairs):,})"
            ]
            notes += [f"signature {self.signature}"]
        return Table(columns, rows, name="systems", notes=notes, level=self.confidence)

    def _editor_lines(self) -> list[str]:
        """The line on own references, which says how pairs are compared."""
        if not self.editors:
            return []
        line = editors_line({name: len(who) for name, who in self.editors.items()})
        if self.found.test.by_t and len(set(self.editors.values())) < len(self.editors):
            line += "; systems with the same editors are compared editor by editor"
        return [f"{line}; an output and its references are swapped and resampled together"]

    def _own_interval(self, system: str) -> Interval | Undefined:
        """The interval of a system's rating."""
        return self.rating_intervals[self.found.names.index(system)]

    def _rating_lines(self) -> list[str]:
        """The line on ratings: what is counted, and that it depends on who else is compared."""
        if self.aggregate == "corpus":
            return []
        over = " with the interval over texts" if self.rating_intervals else ""
        n = len(self.found.names) - 1
        wins = (
            f"wins of {self.data.metric} by sentence against the {f'{n:,} other systems' if n > 1 else 'other system'}"
        )
        return [f"{self.found.measure.title}: of {wins}{over}; with other systems it is another number"]

    def _against_sets(self, system: str) -> dict[str, float | None]:
        """The main measure against sets of judges that are not all of them, by which systems are ranked."""
        if self.found.test.smaller_sets is None:
            return {}
        return {
            f"{self.found.measure.name}_judges": value_or_none(float(self.found.values[self.found.names.index(system)]))
        }

    def pair_table(self) -> Table:
        """Every pair: its difference with an interval, its p-values, and what the corpus can show."""
        table = pair_table(self.found, self.confidence)
        only = [f"{self.pairs[0].sentence(self.unit, self.found.measure.sign)}."] if len(self.pairs) == 1 else []
        notes = [*only, *table.notes, f"signature {self.signature}"]
        return Table(table.columns, table.rows, "", table.name, notes)


class ComparingOptions(ComparingInPools, OwnReferences, total=False):
    """The options of ``compare``."""


_AGAINST_ALL = "--aggregate={aggregate} counts wins of sentences that are scored against all judges"
RATED_AGAINST_ALL = Useless(
    "pools pools_random",
    f"scores against some of the judges, and {_AGAINST_ALL}",
    lambda arguments: arguments["aggregate"] != "corpus",
)
RATED_WITH_FIXED_JUDGES = Useless(
    "judges",
    f"draws judges anew, and {_AGAINST_ALL}",
    lambda arguments: arguments["aggregate"] != "corpus" and arguments["judges"] != "fixed",
)

RECORDED_ALONE = Useless(
    "gold systems metric beta source unmarked as_written tokens essays force reference_of pools pools_random judges",
    "is about outputs that are scored here, and --scores takes scores that are recorded",
    lambda arguments: arguments["scores"] is not None,
)


@public(
    RECORDED_ALONE,
    refuse_without_intervals("ci_method resamples"),
    NO_POOLS,
    RANDOM_POOLS,
    RATED_AGAINST_ALL,
    RATED_WITH_FIXED_JUDGES,
)
def compare(
    gold: Gold = (),
    systems: Systems = (),
    metric: SentenceMetric = None,
    *,
    beta: Beta = None,
    adjust: Adjust = "max-t",
    swaps: Count | None = None,
    ci_method: BootstrapMethod = "bca",
    aggregate: Aggregation = "corpus",
    scores: RecordedSource | None = None,
    fail_if_worse: NotNegative | None = None,
    **shared: Unpack[ComparingOptions],
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
        aggregate: How scores of sentences become those of systems: as the metric does, or by their wins against other
            systems' outputs, sentence by sentence. A rating depends on all systems that are compared.
        scores: Recorded scores of sentences (system, sentence, score) in place of outputs and a reference; higher is
            better. ``name=path`` names the metric; in Python also ``MetricScores``. None: outputs are scored.
        fail_if_worse: Decide whether the interval of SYSTEM - first SYSTEM, the one that decides here, lies below
            -POINTS. The result's ``gate`` says it of each system. None: nothing is decided.
        ci: Compute confidence intervals of differences, or leave them out. None: yes.
        confidence: Confidence level of intervals, a fraction; tests use 1 minus this as their level, e.g. 0.05.
        shared: How files are read and intervals made.

    Raises:
        InputError: If a file is bad, or a system is no correction of the source.
        UsageError: If there are fewer than two systems, documents or sentences, or an argument will not do.
    """
    points, intervals = allowed_loss(fail_if_worse, intervals=shared["ci"] is not False), shared["ci"] is not False
    how, testing = resampling(shared, ci_method, shared["jobs"]), SwapPlan(adjust, swaps)
    if scores is not None:
        recorded = _read_recorded(scores, shared["documents"], lenient=shared["lenient"])
        result = compare_recorded(recorded, how, testing, intervals=intervals, aggregate=aggregate)
        return _decide(result, points)
    own = shared["reference_of"]
    parsed = sentence_metric(usual_metric(first_reference(gold, own), metric), beta, "compare")
    reading = ReadingOptions.of(shared, [parsed])
    asked = gold, systems, own, reading, shared["judges"]
    data = load_own(*asked) if own else load(gold, systems, reading, runs=True)
    data.problems.raise_errors()
    for corpus in data.own.values() or [data.corpus]:
        corpus.need([] if parsed.annotator is None else [parsed.annotator])
    judges, pools = plan_judges(shared), pools_of(shared)
    result = compare_loaded(data, parsed, how, testing, judges, intervals=intervals, pools=pools, aggregate=aggregate)
    return _decide(result, points)


def _decide(result: ComparisonResult, points: float | None) -> ComparisonResult:
    """The result with a gate, if one was asked for."""
    if points is None:
        return result
    n_texts = result.data.n_documents or result.data.n_units
    return replace(result, gate=decide_losses(result.found, points, result.confidence, result.unit, n_texts))


@dataclass(frozen=True, slots=True)
class RecordedData:
    """Recorded scores that every system has of every sentence, and the document of each sentence."""

    scores: MetricScores
    table: Floats  # shape (sentences, systems)
    documents: Documents
    problems: Problems


def _read_recorded(scores: RecordedSource, documents: object, *, lenient: bool) -> RecordedData:
    """Read recorded scores; documents can be a list of their names, one for each sentence."""
    problems = Problems(lenient=lenient)
    metric, file = read_recorded(scores, problems)
    table = score_table(metric, file, problems)
    names = [""] * len(table)
    if isinstance(documents, str | PathLike):
        message = "--documents is about outputs that are scored here; with --scores it can be a list in Python"
        raise UsageError(Problem("useless-option", message, fix="leave it out"))
    if documents is not None:
        names = document_names(cast("Iterable[object]", documents))
    if len(names) != len(table):
        message = f"{len(names):,} documents are named, and {len(table):,} sentences have scores"
        raise UsageError(Problem("bad-parameter", message, Place(file), "the document of each sentence"))
    known = Documents()
    known.add_names(names)
    return RecordedData(metric, table, known, problems)


def compare_recorded(
    data: RecordedData, how: Resampling, testing: SwapPlan, *, intervals: bool = True, aggregate: Aggregation = "corpus"
) -> ComparisonResult:
    """Compare systems by recorded scores of their sentences; errors are those of ``compare``."""
    rated = aggregate != "corpus"
    if not rated:
        _refuse_tiny(data)
    metric: Metric
    metric, systems = recorded_systems(data.scores, data.table)
    testing = plan_swaps(aggregate, testing, len(systems), 1 - how.confidence_level)
    check_size(testing, len(systems), data.documents.n_clusters, 1 - how.confidence_level)
    if rated:
        metric, systems = rate_systems(metric, systems, aggregate)
    confidence, unit, clusters = how.confidence_level, data.documents.unit, data.documents.clusters()
    comparison = compare_systems(metric, systems, clusters, how, testing, intervals=intervals)
    data.documents.warn(data.problems, intervals=intervals)
    warn_hopeless(comparison, data.problems, unit=unit)
    by, n = data.documents.clustering, len(data.table)
    drawn = how.convention(by) if intervals else f"level:{confidence},by:{by},seed:{how.seed}"
    content = hash_scores(data.scores, ordered=aggregate == "trueskill")
    parts = [data.scores.metric, f"scores:{content}", f"n:{n}", *([f"wins:{aggregate}"] * rated)]
    parts += [drawn, testing.convention(len(systems), 1 - confidence), f"v:{__version__}"]
    scored = ScoredData(data.scores.metric, n, data.documents.n_clusters if unit == "document" else None, 0)
    return ComparisonResult(
        *(comparison, confidence, unit, "|".join(parts), scored, tuple(data.problems.notes)),
        aggregate=aggregate,
        rating_intervals=rating_intervals(metric, systems, clusters, how) if rated and intervals else (),
    )


def _refuse_tiny(data: RecordedData) -> None:
    """Refuse scores whose differences are lost among what is left over by rounding."""
    largest = float(np.abs(data.table).max())
    if 0 < largest < SMALLEST:
        message = (
            f"the largest score of {data.scores.metric} is {largest:g}, too small to tell differences from rounding"
        )
        fix = "multiply all scores by a power of ten, or record their logarithms"
        raise UsageError(Problem("scores-tiny", message, expected=f"scores from {SMALLEST:g} on", fix=fix))


def compare_loaded(
    data: Loaded,
    metric: Metric,
    how: Resampling,
    testing: SwapPlan,
    judges: JudgePlan = USUAL_JUDGES,
    *,
    intervals: bool = True,
    pools: Pools | None = None,
    aggregate: Aggregation = "corpus",
) -> ComparisonResult:
    """Compare what was read; errors are those of ``compare``."""
    n_systems = len(data.systems) - sum(len(names) - 1 for names in data.runs.values())
    testing = plan_swaps(aggregate, testing, n_systems, 1 - how.confidence_level)
    check_size(testing, n_systems, data.documents.n_clusters, 1 - how.confidence_level)
    metric, measured = _measure_systems(data, metric)
    origins = made_by(metric, (system.statistics for system in measured))
    if rated := aggregate != "corpus":
        _refuse_rated_runs(data)
        metric, measured = rate_systems(metric, measured, aggregate)
    confidence, unit = how.confidence_level, data.documents.unit
    clusters = data.documents.clusters()
    comparison = compare_systems(metric, measured, clusters, how, testing, intervals=intervals)
    data.documents.warn(data.problems, intervals=intervals)
    comparison = _with_judges(comparison, data, metric, measured, judges, how)
    in_pools = None if pools is None else compare_loaded_in_pools(data, metric, measured, pools, judges, how)
    _note_single_runs(data, measured)
    warn_hopeless(comparison, data.problems, unit=unit)
    by = data.documents.clustering
    drawn = how.convention(by) if intervals else f"level:{confidence},by:{by},seed:{how.seed}"
    origins += (f"wins:{aggregate}",) if rated else ()
    conventions = *origins, drawn, testing.convention(len(measured), 1 - confidence)
    conventions += tuple(f"runs:{name}={len(names)}" for name, names in data.runs.items())
    conventions += (comparison.test.convention,) if comparison.test.convention else ()
    conventions += () if in_pools is None else (in_pools.judging.convention,)
    n_documents = data.documents.n_clusters if unit == "document" else None
    n_annotators = len(data.corpus.annotators) if metric.annotator is None else 1
    editors = {name: corpus.annotators for name, corpus in data.own.items()}
    numbers = tuple(map(len, editors.values()))
    scored = ScoredData(str(metric.spec), len(data.corpus), n_documents, max(numbers, default=n_annotators))
    scored = scored._replace(editors=numbers)
    signature, notes = data.signature(str(metric.spec), *conventions), tuple(data.problems.notes)
    result = ComparisonResult(comparison, confidence, unit, signature, scored, notes, pools=in_pools, editors=editors)
    ratings = rating_intervals(metric, measured, clusters, how) if rated and intervals else ()
    return replace(result, aggregate=aggregate, rating_intervals=ratings)


def _refuse_rated_runs(data: Loaded) -> None:
    """Refuse to rate the mean of several runs, whose sentences have no one output to compare."""
    for name, runs in data.runs.items():
        message = f"{name} has {len(runs)} runs, and --aggregate compares one output of a sentence"
        raise UsageError(Problem("useless-option", message, fix="name each run as a system, or leave --aggregate out"))


def _measure_systems(data: Loaded, metric: Metric) -> tuple[Metric, list[System]]:
    """The systems, measured; with several runs of some, a metric of means over runs."""
    metric = data.with_systems(metric)
    every = {system.name: metric.measure(data.references_of(system.name), system.lines) for system in data.systems}
    if not data.runs:
        return metric, [System(name, statistics) for name, statistics in every.items()]
    owner = {run: name for name, names in data.runs.items() for run in names}
    named = {owner.get(name, name): data.runs.get(owner.get(name, name), (name,)) for name in every}
    systems = [System(name, SystemRuns(tuple(every[run] for run in runs))) for name, runs in named.items()]
    return mean_of_runs(metric), systems


def _with_judges(
    comparison: Comparison, data: Loaded, metric: Metric, systems: Sequence[System], plan: JudgePlan, how: Resampling
) -> Comparison:
    """The comparison with judges drawn anew, where the plan and the data allow it; notes say what to know of it."""
    if data.own:
        return _with_editors(comparison, data, metric, systems, plan.for_editors(), how)
    names, problems = data.corpus.annotators, data.problems
    rule = plan.rule(metric, len(names))
    if not rule.random:
        rule.note(problems)
        return _with_runs(comparison, data, metric, systems, how)
    clusters = data.documents.clusters()
    judging = judging_of(metric, systems[0].statistics, len(names), clusters, plan.k, how.seed)
    rule = plan.rule(metric, len(judging.judges))  # without those who looked at nothing
    rule.note(problems)
    if not rule.random:
        return _with_runs(comparison, data, metric, systems, how)
    unit = "group" if judging.grouped else data.documents.unit
    note_parts(judging.looked, [names[k] for k in judging.judges], judging.n_left_out, unit, problems)
    result = over_judges(comparison, metric, systems, judging, rule, how)
    short = [pair for pair in result.pairs if pair.t and pair.t.components and pair.t.components.looks_short]
    note_short([f"{pair.first} and {pair.second}" for pair in short], problems)
    return result


def _with_editors(
    comparison: Comparison, data: Loaded, metric: Metric, systems: Sequence[System], plan: JudgePlan, how: Resampling
) -> Comparison:
    """The comparison with the editors of each system drawn anew, where every system has at least two."""
    clusters, problems, names = data.documents.clusters(), data.problems, list(data.own)
    everybody = [data.own[name].annotators for name in names]
    rules = [plan.rule(metric, len(own)) for own in everybody]
    if not all(rule.random for rule in rules):
        rules[0].note(problems)
        return comparison
    judgings = [
        judging_of(metric, system.statistics, len(own), clusters, plan.k, how.seed)
        for system, own in zip(systems, everybody, strict=True)
    ]
    who = [tuple(own[k] for k in judging.judges) for judging, own in zip(judgings, everybody, strict=True)]
    rules = [plan.rule(metric, len(editors)) for editors in who]  # without those who looked at nothing
    if not all(rule.random for rule in rules):
        return comparison
    min(rules, key=lambda rule: rule.n_judges).note(problems)
    for judging, editors in zip(judgings, who, strict=True):
        unit = "group" if judging.grouped else data.documents.unit
        note_parts(judging.looked, editors, judging.n_left_out, unit, problems)
    return over_editors(comparison, metric, systems, judgings, rules, who, how)


def _with_runs(
    comparison: Comparison, data: Loaded, metric: Metric, systems: Sequence[System], how: Resampling
) -> Comparison:
    """The comparison where judges are fixed: over texts and runs where a system has several."""
    if not data.runs:
        return comparison
    return over_runs(comparison, metric, systems, data.documents.clusters(), how.confidence_level)


def _note_single_runs(data: Loaded, systems: Sequence[System]) -> None:
    """Note the systems with one run, whose other runs nobody knows, beside those with several."""
    single = [system.name for system in systems if system.name not in data.runs]
    if not data.runs or not single:
        return
    named = ", ".join(single[:FEW]) + (f" and {len(single) - FEW} more" if len(single) > FEW else "")
    message = f"{named}: one run, so that how others would vary is in no interval and no p-value"
    data.problems.note("runs-fixed", message, Place(), fix="name=run1,run2 takes several")
