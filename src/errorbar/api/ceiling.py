"""The scores of humans against each other, and how near systems come: ``errorbar ceiling`` and ``errorbar.ceiling``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from errorbar.api.arguments import (
    Beta,
    Count,
    Progress,
    SentenceMetric,
    public,
    refuse_without_intervals,
    resampling,
    sentence_metric,
)
from errorbar.api.inputs import (
    ComparingWithJudges,
    Gold,
    Loaded,
    ReadingOptions,
    Systems,
    load,
    note_untyped,
    plan_judges,
    pools_of,
    usual_metric,
)
from errorbar.api.paper import TITLE, judge_line
from errorbar.api.pools import pool_ceiling_record, pool_ceiling_table
from errorbar.api.signatures import made_by, types_convention
from errorbar.api.significance import cell_estimate
from errorbar.core.arrays import Floats
from errorbar.core.estimate import Interval, Undefined, value_or_none
from errorbar.core.labels import format_count
from errorbar.core.pools import Pools
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.metrics.base import Metric
from errorbar.metrics.ceiling import (
    Ceiling,
    CeilingData,
    CeilingIntervals,
    EssaySpread,
    StudyPlan,
    TypeRow,
    affordable_subsets,
    ceiling_intervals,
    essay_spread,
    folds_left_out,
    groups_within,
    jackknife_intervals,
    left_out_convention,
    prepare_study,
    type_rows,
    usual_sizes,
)
from errorbar.metrics.ceiling import ceiling as fold_ceiling
from errorbar.metrics.judge_sets import GROUPS, MOST
from errorbar.metrics.judges import LEAST_JUDGES, JudgePlan, JudgeRule
from errorbar.metrics.pool_ceiling import PoolCeiling, ceiling_in_pools
from errorbar.stats.resampling import Resampling, left_out_groups
from errorbar.tables.plain import attributes
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Kind, Table

MOST_BESIDE = 3
"""Systems whose shares of a human stand beside their scores; those of more have a table of their own."""


@dataclass(frozen=True, slots=True, repr=False)
class CeilingResult(Result):
    """The scores of humans by number of references, and those of systems beside them.

    Attributes:
        found: The scores of humans and systems, and their ratios.
        intervals: Their intervals; None: not asked for.
        spread: The same on random subsets of the essays; None: not asked for.
        by_type: The recall of each error type at the largest size; None: not asked for.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
        judged: Intervals over texts and judges; None: judges are fixed.
        confidence: Confidence level of intervals.
        types_by_size: The recall of each error type at every size; empty: not asked for.
        pools: Humans of pools, and systems, against the references of every pool; None: there are no pools.
    """

    found: Ceiling
    intervals: CeilingIntervals | None
    spread: EssaySpread | None
    by_type: Sequence[TypeRow] | None
    signature: str
    notes: Sequence[Problem] = ()
    judged: CeilingIntervals | None = None
    confidence: float = 0.95
    types_by_size: Sequence[Sequence[TypeRow]] = ()
    pools: PoolCeiling | None = None

    def to_dict(self) -> dict[str, object]:
        """A row for each number of references, recall by type, and the spread over documents."""
        return {
            "rows": [self._record(k) for k in range(len(self.found.sizes))],
            "by_type": [
                {"type": row.type, **self._type_record(row), "by_references": self._by_references(row.type)}
                for row in self.by_type or ()
            ],
            "essays": None if self.spread is None else self._spread_record(self.spread),
            **({} if self.pools is None else {"pools": pool_ceiling_record(self.pools)}),
            "signature": self.signature,
        }

    def tables(self) -> Sequence[Table]:
        """By number of references, or by type; then the spread over documents."""
        main = self._main_tables() if self.by_type is None else [self._type_table(self.by_type), *self._size_tables()]
        main += [] if self.pools is None else [pool_ceiling_table(self.pools, self.confidence)]
        return main if self.spread is None else [*main, *self._spread_tables(self.spread)]

    def _type_record(self, row: TypeRow) -> dict[str, object]:
        return {"human": row.human, "systems": dict(zip(self.found.systems, row.systems, strict=True))}

    def _by_references(self, kind: str) -> list[dict[str, object]]:
        """A type at every size at which somebody has it."""
        return [
            {"n_references": size, **self._type_record(row)}
            for size, rows in zip(self.found.sizes, self.types_by_size, strict=True)
            for row in rows
            if row.type == kind
        ]

    def _record(self, k: int) -> dict[str, object]:
        result, names = self.found, [measure.name for measure in self.found.measures]
        main = names[result.main]
        both = [(kind, part) for kind, part in (("", self.intervals), ("_judges", self.judged)) if part is not None]
        systems: dict[str, dict[str, object]] = {}
        for s, name in enumerate(result.systems):
            own: dict[str, object] = {
                **_name_values(names, result.scores[s, k]),
                "ratio": value_or_none(result.ratio[s, k]),
            }
            if own["ratio"] is None:
                own["undefined"] = {"ratio": result.no_ratio(s, k)}
            for kind, part in both:
                own[f"ratio_interval{kind}"] = _ends(part.ratios[s][k])
                own[f"{main}_interval{kind}"] = _ends(part.systems[s][k])
            systems[name] = own
        return {
            "n_references": result.sizes[k],
            "n_subsets": result.n_subsets[k],
            "exact": result.exact[k],
            "human": _name_values(names, result.human[k]),
            "annotators": _name_values(result.annotators, result.humans[:, k, result.main]),
            "systems": systems,
            **{f"human_interval{kind}": _ends(part.human[k]) for kind, part in both},
        }

    def _spread_record(self, spread: EssaySpread) -> dict[str, object]:
        ratios = [[list(map(value_or_none, row)) for row in system] for system in spread.ratios.swapaxes(0, 1)]
        return {
            "n_essays": spread.n_essays,
            "n_available": spread.n_available,
            "human_f": spread.human.tolist(),
            "ratios": dict(zip(self.found.systems, ratios, strict=True)),
        }

    def _main_tables(self) -> list[Table]:
        """One, or where systems would make it too wide, another with the shares of all of them."""
        if len(self.found.systems) <= MOST_BESIDE:
            return [self._table()]
        return [self._table(shares="data"), self._share_table()]

    def _share_table(self) -> Table:
        """A row for each system, the best first, against the largest number of references."""
        result, intervals = self.found, self.intervals
        measure = result.measures[result.main]
        title = measure.title.rstrip("0123456789.")
        columns = [Column("system"), Column(title, measure.kind), Column("of human %", "percent", "ratio")]
        columns += self._both("ratio", "percent")
        rows: list[list[Cell]] = []
        for s in np.argsort(-result.ratio[:, -1], kind="stable").tolist():
            share = cell_estimate(result.ratio[s, -1], None if intervals is None else intervals.ratios[s][-1])
            rows.append([result.systems[s], value_or_none(result.scores[s, -1, result.main]), share])
            rows[-1] += [] if self.judged is None else [self.judged.ratios[s][-1]]
        size = format_count(result.sizes[-1], "references")
        return Table(columns, rows, f"Systems against {size}", "shares", [f"systems against {size}"])

    def _table(self, shares: Literal["", "data"] = "") -> Table:
        """By number of references; ``shares``: where those of systems stand."""
        result, intervals = self.found, self.intervals
        measure = result.measures[result.main]
        columns = [Column("references", "text"), Column("subsets", "text", only="shown")]
        columns += [Column("subsets", "count", only="data"), Column("exact", only="data")]
        columns += [Column("human", measure.kind), *self._both("human", measure.kind)]
        for name in result.systems:
            share = [_of_human(name), *self._both(f"{name}_ratio", "percent")]
            columns += [Column(name, measure.kind), *(column._replace(only=shares) for column in share)]
        rows: list[list[Cell]] = []
        for k, size in enumerate(result.sizes):
            drawn = f"{result.n_subsets[k]}{'' if result.exact[k] else ' drawn'}"
            human = cell_estimate(result.human[k, result.main], None if intervals is None else intervals.human[k])
            row: list[Cell] = [size, drawn, result.n_subsets[k], result.exact[k], human]
            row += [] if self.judged is None else [self.judged.human[k]]
            for s in range(len(result.systems)):
                interval = None if intervals is None else intervals.ratios[s][k]
                row += [value_or_none(result.scores[s, k, result.main]), cell_estimate(result.ratio[s, k], interval)]
                row += [] if self.judged is None else [self.judged.ratios[s][k]]
            rows.append(row)
        title = measure.title.rstrip("0123456789.")
        note = f"{title} of {len(result.annotators)} annotators, each against subsets of the others, and of systems"
        notes = [note, *self.interval_notes()]
        if len(result.annotators) < LEAST_JUDGES and result.systems:
            notes.append("two annotators do not show how humans vary: of two others a share may differ by much")
        notes += [*result.ratio_notes(), f"signature {self.signature}"]
        return Table(columns, rows, name="ceiling", notes=notes)

    def interval_notes(self) -> list[str]:
        """The lines that say what the two intervals are; none without intervals."""
        n = len(self.found.annotators)
        if self.judged is None or self.why_none is not None:
            return []
        return [judge_line(JudgeRule(n, n, random=True), self.confidence)]

    @property
    def why_none(self) -> Undefined | None:
        """Why none of the intervals that were wanted exists; None: some do, or none was wanted."""
        computed = [part for part in (self.intervals, self.judged) if part is not None]
        rows = (row for part in computed for row in (part.human, *part.systems, *part.ratios))
        intervals = [interval for row in rows for interval in row]
        if any(isinstance(interval, Interval) for interval in intervals):
            return None
        return next((interval for interval in intervals if isinstance(interval, Undefined)), None)

    def _both(self, key: str, kind: Kind) -> list[Column]:
        """The column of intervals over texts and judges, if there are any."""
        return [] if self.judged is None else [Column(TITLE, kind, f"{key}_judges", interval="only")]

    def _type_table(self, types: Sequence[TypeRow]) -> Table:
        columns = [Column("type"), Column("human", "percent")]
        for name in self.found.systems:
            columns += [Column(name, "percent"), _of_human(name)]
        rows: list[list[Cell]] = [
            [row.type, row.human, *(value for pair in zip(row.systems, row.ratios, strict=True) for value in pair)]
            for row in types
        ]
        references = format_count(self.found.sizes[-1], "references")
        note = f"recall by type against {references}, in percent; – where there is nothing to find"
        note += ", and no ratio where humans find nothing" * any(row.human == 0 for row in types)
        return Table(columns, rows, name="types", notes=[note, f"signature {self.signature}"])

    def _size_tables(self) -> list[Table]:
        if len(self.found.sizes) < 2:
            return []
        known = [{row.type: row for row in rows} for rows in self.types_by_size]
        columns = [Column("type"), *(Column(str(size), "percent", f"references_{size}") for size in self.found.sizes)]
        tables = []
        for at, who in enumerate(("humans", *self.found.systems)):
            rows: list[list[Cell]] = []
            for kind in (row.type for row in self.by_type or ()):
                by_size = [types.get(kind) for types in known]
                rows.append([kind, *(None if row is None else (row.human, *row.systems)[at] for row in by_size)])
            note = f"recall of {who} by type and number of references, in percent; – where there is nothing to find"
            tables.append(Table(columns, rows, f"Recall of {who} by number of references", f"types-{at}", [note]))
        return tables

    def _spread_tables(self, spread: EssaySpread) -> list[Table]:
        """One table, or one for the human score and one for ratios where only these are in percent."""
        result = self.found
        measure = result.measures[result.main]
        title = measure.title.rstrip("0123456789.")
        names = [f"human {title}", *(_of_human(name).title for name in result.systems)]
        whole = np.concatenate([result.human[None, :, result.main], result.ratio])
        rows: list[list[Cell]] = []
        for name, values, summaries in zip(names, whole.tolist(), spread.summaries(), strict=True):
            for size, value, summary in zip(result.sizes, values, summaries, strict=True):
                rows.append([name, size, value_or_none(value), *summary])
        note = f"{len(spread.human)} random subsets of {spread.n_essays} of the {spread.n_available} documents"
        n = len(rows) if measure.kind == "percent" else len(result.sizes)
        parts = [("documents", measure.kind, rows[:n]), ("document-ratios", "percent", rows[n:])]
        start = [Column("what"), Column("references", "text")]
        shown = ("all documents", "lowest", "5%", "median", "95%", "highest", "SD")
        return [
            Table([*start, *(Column(title, kind) for title in shown)], part, name=name, notes=[note])
            for name, kind, part in parts
            if part
        ]


def _of_human(name: str) -> Column:
    return Column(f"{name} / human %", "percent", f"{name}_ratio")


def _ends(interval: Interval | Undefined) -> dict[str, object]:
    return {"reason": str(interval)} if isinstance(interval, Undefined) else attributes(interval, "low", "high")


def _name_values(names: Sequence[str], values: Floats) -> dict[str, float | None]:
    return dict(zip(names, map(value_or_none, values), strict=True))


RESAMPLES = 200
"""Usual number of resamples: each folds every text against every subset of annotators."""
USUAL_JUDGES = JudgePlan()
MOST_FOLDED = 400_000_000
"""Sentences in all folds up to which intervals are made unasked, without groups of texts: some seconds."""


@dataclass(frozen=True, slots=True)
class SubsetOptions:
    """The parts of the data that humans and systems are scored on; the attributes are arguments of ``ceiling``."""

    sizes: Sequence[int] = ()
    most: int = MOST
    n_documents: int | None = None
    repeats: int = 100
    by_type: bool = False


@public(refuse_without_intervals("resamples confidence"), resamples=RESAMPLES)
def ceiling(
    gold: Gold,
    systems: Systems = (),
    metric: SentenceMetric = None,
    *,
    beta: Beta = None,
    sizes: int | Sequence[int] = (),
    most: Count = MOST,
    by: Literal["type"] | None = None,
    n_documents: int | None = None,
    repeats: int = 100,
    progress: Progress = lambda _: None,
    **shared: Unpack[ComparingWithJudges],
) -> CeilingResult:
    """Score annotators against each other, and systems beside them, by number of references.

    Args:
        systems: Systems, as for ``score``.
        metric: What is computed, e.g. ``m2(beta=1)`` (short: ``beta`` 1); the ratio is of its main measure. None: m2;
            tokens of labels.
        sizes: Numbers of references, e.g. 1-9 or 2; of one that has more than 1000 subsets, or than ``most`` N says, so
            many are drawn. None: all, that is, 1 to one less than there are annotators.
        most: Subsets of one size that are enumerated; of more, as many are drawn.
        by: Show the recall of each error type, by number of references too.
        n_documents: Repeat on random subsets of N documents, 100 or as many as REPEATS, e.g. 10x50.
        repeats: How many such subsets.
        progress: Is told how many resamples, or then subsets, are done.
        ci: Compute confidence intervals, or leave them out. True makes percentile intervals over texts, from resamples
            of which each folds the whole study. None: by leaving texts out, where that takes seconds: at every number
            of references, else at the largest.
        judges: Whether intervals are also over judges: ``fixed`` or ``random``. None: random from three judges on.
        shared: How files are read and intervals made.

    Raises:
        InputError: If a file is bad, or edits of one annotator overlap.
        UsageError: If there is one annotator, the metric knows none, or an argument will not do.
    """
    for name, value in {"most": most, "n_documents": n_documents, "repeats": repeats}.items():
        if value is not None and value < 1:
            raise UsageError(Problem("bad-parameter", f"{name} must be a whole number from 1, got {value!r}"))
    parsed = sentence_metric(usual_metric(gold, metric), beta, "ceiling")
    data = load(gold, systems, ReadingOptions.of(shared, [parsed]))
    subsets = SubsetOptions([sizes] if isinstance(sizes, int) else sizes, most, n_documents, repeats, by == "type")
    how = resampling(shared, jobs=shared["jobs"])
    judges, pools = plan_judges(shared), pools_of(shared)
    return measure_ceiling(data, parsed, how, subsets, shared["ci"], progress, judges, pools)


def measure_ceiling(
    data: Loaded,
    metric: Metric,
    drawn: Resampling,
    subsets: SubsetOptions = SubsetOptions(),
    ci: bool | None = None,
    progress: Progress = lambda _: None,
    judges: JudgePlan = USUAL_JUDGES,
    pools: Pools | None = None,
) -> CeilingResult:
    """Score humans on data that was read; errors are those of ``ceiling``, seed and cores those of the resampling."""
    seed, jobs, most, n = drawn.seed, drawn.jobs, subsets.most, len(data.corpus.annotators)
    sizes = subsets.sizes or usual_sizes(n, data.problems)
    possible = [k for k in range(1, n) if k in sizes]  # sizes may be a huge range
    most = affordable_subsets(n, possible, data.problems, most)
    plan = StudyPlan(sizes, most, seed, jobs, subsets.by_type, force=True)  # who read the files looked at them
    study = prepare_study(data.corpus, data.systems, metric, data.problems, plan)
    result = fold_ceiling(study, jobs=jobs)
    spread = types = None
    every: list[list[TypeRow]] = []
    how = [*made_by(metric, (text.statistics for text in (*study.humans, *study.systems)))]
    how += [] if all(result.exact) else [f"most:{most}", f"seed:{seed}"]
    clusters = data.documents.clusters()
    intervals, judged, conventions = _intervals_of(study, data, drawn, ci, judges, progress)
    how += conventions
    if (n_documents := subsets.n_documents) is not None:
        of, repeats = data.need_documents("--n-documents"), subsets.repeats
        spread = essay_spread(study, of, n_documents, replace(drawn, replicates=repeats), progress)
        how.append(f"documents:{n_documents},{repeats},by:{data.documents.clustering},seed:{seed}")
    if subsets.by_type:
        how += [f"size:{study.sizes[-1]}", types_convention(data.corpus)]
        every = [type_rows(study, size) for size in study.sizes]
        types = every[-1]
        note_untyped([row.type for row in types], data.problems)
    in_pools = None
    if pools is not None:
        pools, fixed = pools.of(data.corpus.annotators, data.problems), judges.kind == "fixed"
        with_level = None if ci is False else drawn.confidence_level
        in_pools = ceiling_in_pools(study, pools, clusters, level=with_level, seed=seed, random=not fixed)
        how.append(f"{pools.convention},k:{in_pools.k}")
    signature = data.signature(str(metric.spec), *how)
    notes, level = tuple(data.problems.notes), drawn.confidence_level
    return CeilingResult(result, intervals, spread, types, signature, notes, judged, level, every, in_pools)


def _intervals_of(
    study: CeilingData, data: Loaded, drawn: Resampling, ci: bool | None, judges: JudgePlan, progress: Progress
) -> tuple[CeilingIntervals | None, CeilingIntervals | None, list[str]]:
    """Intervals over texts, and over texts and judges, where they are asked for or take seconds; their conventions."""
    clusters, by = data.documents.clusters(), data.documents.clustering
    groups, some = groups_within(study, clusters, MOST_FOLDED), study
    if ci is None and groups is None:
        some = study.largest()
        groups = groups_within(some, clusters, MOST_FOLDED)
        _note_cost(study, clusters, data.problems, () if groups is None else some.sizes)
    if ci is False or (ci is None and groups is None):
        return None, None, []
    groups = left_out_groups(clusters, GROUPS, GROUPS) if groups is None else groups
    data.documents.warn(data.problems)
    rule = _judge_rule(judges, len(study.annotators))
    if data.documents.n_clusters > 1:  # without others there is no interval to be rough
        rule.note(data.problems, "the ceiling's")
    left = left_out_convention(some, clusters, groups) + f",at:{some.sizes[0]}" * (some is not study)
    intervals = judged = None
    if ci is None or rule.random:
        both = jackknife_intervals(some, groups, drawn, progress if ci is None else lambda _: None)
        intervals, judged = (part.padded(len(study.sizes)) for part in both)
    if ci is not None:  # the bootstrap that was asked for
        intervals = ceiling_intervals(study, clusters, drawn, progress)
    jackknife = f"ci:jackknife,{drawn.confidence_level},by:{by},seed:{drawn.seed}{left}"
    conventions = [jackknife if ci is None else drawn.convention(by)]
    conventions += [f"judges:random{'' if ci is None else left}"] if rule.random else []
    return intervals, judged.covering(intervals) if judged and intervals and rule.random else None, conventions


def _judge_rule(plan: JudgePlan, n_judges: int) -> JudgeRule:
    """Whether judges are drawn anew: a judge less must leave a human and somebody else."""
    if plan.k is not None or plan.population != "known":
        why = "the numbers of references are those of --sizes, and intervals lean on no population"
        message = f"--judges takes fixed or random here: {why}"
        raise UsageError(Problem("bad-judges", message, fix="leave the parentheses out"))
    if plan.kind == "fixed":
        return JudgeRule(n_judges, n_judges)
    if n_judges < LEAST_JUDGES:
        return JudgeRule(n_judges, n_judges, "without one of two judges nobody is left to score against")
    return JudgeRule(n_judges, n_judges, random=True)


def _note_cost(study: CeilingData, clusters: NDArray[np.int64], problems: Problems, sizes: Sequence[int]) -> None:
    """Note that intervals at every number of references take long, and which are made unasked: those at ``sizes``."""
    n_folds = folds_left_out(study, left_out_groups(clusters, GROUPS, GROUPS))
    where = f"intervals at {sizes[0]} references alone" if sizes else "no intervals"
    message = f"{where} unless they are asked for: {n_folds:,} folds of {len(clusters):,} sentences take a while"
    problems.note("no-intervals", message, Place(), fix="add --ci; in a report --page=ceiling-ci=200")
