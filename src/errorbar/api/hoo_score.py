"""Runs against HOO gold edits: the half of ``errorbar score`` that no other data load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from os import PathLike, fspath
from typing import ClassVar

import numpy as np

from errorbar.api.arguments import Metrics, Progress
from errorbar.api.inputs import problems_in_order
from errorbar.api.score_result import Scores, row_labels
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.problems import Place, Problem, Problems, UsageError, wrong_type
from errorbar.edits.standoff_runs import cut_fragments
from errorbar.execute import choose_executor
from errorbar.formats.hoo import expand_runs, list_gold, list_run
from errorbar.metrics.base import Folded
from errorbar.metrics.hoo import CONDITIONS, FIGURES, MEASURES, Hoo, measure_name, row_names
from errorbar.metrics.hoo_scoring import (
    MOST_RUNS,
    Prf,
    Run,
    best_runs,
    drop_missing_fragments,
    hoo_plan,
    parse_hoo,
    prf,
    team_of,
    warn_above_1,
)
from errorbar.metrics.registry import parse_metrics
from errorbar.metrics.scores import Score, TypeScore, UnitScore, signature_lines
from errorbar.metrics.scoring import score_pieces
from errorbar.stats.resampling import Resampling
from errorbar.tables.plain import interval_record
from errorbar.tables.table import Cell, Column, Table

BONUS = CONDITIONS[1]
WITH_BONUS = "bonus counts missing optional edits as found"
_PRF = tuple(Column(figure[0].upper(), "percent", figure) for figure in FIGURES)


@dataclass(frozen=True, slots=True)
class HooRuns:
    """Gold edits and runs to be read, as ``score`` takes them; ``dask`` as ``execute.choose_executor`` takes it."""

    gold: object
    systems: object
    source: str | None = None
    lenient: bool = False
    jobs: int = 1
    dask: str | None = None

    def gold_path(self) -> str:
        """Where the gold edits are."""
        gold = list(self.gold.values()) if isinstance(self.gold, Mapping) else self.gold
        listed = list(gold) if isinstance(gold, list | tuple) else [gold]
        if len(listed) != 1:
            message = f"{len(listed)} gold sets"
            raise UsageError(Problem("hoo-one-gold", message, expected="one folder or file of edits"))
        return _path(listed[0])

    def run_paths(self) -> list[tuple[str, str]]:
        """Name and path of each run."""
        if isinstance(self.systems, Mapping):
            return [(str(name), _path(path)) for name, path in self.systems.items()]
        listed = self.systems if isinstance(self.systems, list | tuple) else [self.systems]
        return expand_runs([_path(path) for path in listed])


def _path(value: object) -> str:
    if not isinstance(value, str | PathLike):
        raise wrong_type("HOO data", "a path", value)
    return str(fspath(value))


@dataclass(frozen=True, slots=True, repr=False)
class HooScores(Scores):
    """Scores of runs, runs outermost; their types are what the metric's ``by`` says. Tables keep the input's order."""

    schema: ClassVar[str] = "errorbar.hoo-score/1"
    by_row: Sequence[Sequence[TypeScore]] = ()  # recall by row of table 8, for each of the scores
    by_code: Sequence[Sequence[TypeScore]] = ()  # the same by error code
    fragments: Sequence[str] = ()
    teams: Mapping[str, str] | None = None  # whose each run is; None: as its name says
    best: bool = False  # show the best run of each team

    def to_dict(self) -> dict[str, object]:
        """Every score, and the best run of each team."""
        rows = [self._hoo_record(*each) for each in zip(self.scores, self.by_row, self.by_code, strict=True)]
        return {"rows": rows, "best": best_records(self.scores, self.teams)}

    def tables(self) -> Sequence[Table]:
        """The table that was asked for."""
        if self.by_sentence:
            return [self._fragment_table()]
        if self.by_type:
            return self.type_rows()
        return [best_table(self.scores, self.teams) if self.best else self._score_table()]

    def _hoo_record(self, score: Score, rows: Sequence[TypeScore], codes: Sequence[TypeScore]) -> dict[str, object]:
        why = {"no_interval": str(Undefined.ONE_UNIT)} if score.has_intervals else {}
        return {
            "run": score.system,
            "team": _team(score, self.teams),
            "metric": score.metric,
            "counts": dict(score.counts),
            "scores": [
                {"measure": measure, "bonus": condition == BONUS, **_prf_record(score, condition, measure)}
                for condition, measure in product(CONDITIONS, MEASURES)
            ],
            "by_row": [_recall_record(row, with_intervals=score.has_intervals) for row in in_order(rows)],
            "by_code": [_recall_record(row, with_intervals=score.has_intervals) for row in codes],
            "by_fragment": [
                {"fragment": name, "measure": measure, "bonus": condition == BONUS, **_figures_record(figures), **why}
                for name, unit in zip(self.fragments, score.by_unit, strict=True)
                for condition, measure, figures in _unit_figures(unit)
            ],
            "signature": str(score.type_signature),
        }

    def type_rows(self) -> list[Table]:
        """Recall of each row of table 8, or of each error code."""
        columns, labels = row_labels(self.scores, "run")
        rows: list[list[Cell]] = [
            [*label, row.type, row.counts["gold"], *row.estimates.values()]
            for label, score in zip(labels, self.scores, strict=True)
            for row in in_order(score.by_type)
        ]
        columns = [
            *columns,
            Column("type"),
            Column("gold", "count"),
            *(Column(measure, "percent") for measure in MEASURES),
        ]
        return [Table(columns, rows, name="types", notes=["recall", *signature_lines(self.scores, types=True)])]

    def _score_table(self) -> Table:
        """A row for each run, measure and condition: P, R, F."""
        columns, labels = row_labels(self.scores, "run")
        counts = [Column(name, "count", only="data") for name in (self.scores[0].counts if self.scores else ())]
        rows: list[list[Cell]] = []
        for label, score in zip(labels, self.scores, strict=True):
            start: list[Cell] = [*label, _team(score, self.teams)]
            end: list[Cell] = [*score.counts.values(), str(score.signature)]
            for measure, condition in product(MEASURES, CONDITIONS):
                rows.append([*start, measure, condition, *prf(score, condition, measure), *end])
        columns = [*columns, Column("team", only="data"), Column("measure"), Column("condition"), *_PRF, *counts]
        columns.append(Column("signature", only="data"))
        return Table(columns, rows, name="scores", notes=[WITH_BONUS, *signature_lines(self.scores)])

    def _fragment_table(self) -> Table:
        columns, labels = row_labels(self.scores, "run")
        rows: list[list[Cell]] = [
            [*label, name, measure, condition, *figures]
            for label, score in zip(labels, self.scores, strict=True)
            for name, unit in zip(self.fragments, score.by_unit, strict=True)
            for condition, measure, figures in sorted(_unit_figures(unit), key=lambda each: MEASURES.index(each[1]))
        ]
        with_intervals = any(score.has_intervals for score in self.scores)
        notes = [WITH_BONUS, *([f"no interval of a fragment: {Undefined.ONE_UNIT}"] if with_intervals else ())]
        columns = [*columns, Column("fragment"), Column("measure"), Column("condition"), *_PRF]
        return Table(columns, rows, name="fragments", notes=notes)


def score_hoo(
    runs: HooRuns,
    metrics: Metrics = None,
    resampling: Resampling | None = None,
    *,
    most: int | None = None,
    progress: Progress = lambda _: None,
) -> HooScores:
    """Score runs against HOO gold edits, without intervals where there are more fragments than ``most``."""
    if resampling is not None:
        resampling.bootstrap("HOO scores")
    problems = Problems(lenient=runs.lenient)
    parsed, missing_as_empty = drop_missing_fragments(
        [parse_hoo(metric) for metric in parse_metrics(metrics, "fragments")]
    )
    gold = list_gold(runs.gold_path(), source=runs.source)
    names = [fragment.name for fragment in gold]
    files = {name: list_run(path, name, names, problems) for name, path in runs.run_paths()}
    fragments = [replace(fragment, runs=tuple(run.get(fragment.name) for run in files.values())) for fragment in gold]
    lacking = {run: [name for name in names if name not in own] for run, own in files.items()}
    own = {run: ("missing:empty",) for run, without in lacking.items() if without and missing_as_empty}
    plan = replace(hoo_plan(both_ways(parsed), resampling), most=most, own=own)
    endings = [Run(name, problems, own, missing_as_empty) for name, own in lacking.items()]
    order = [
        path for fragment in gold for path in fragment.paths
    ]  # without runs: gold edits come first, then run by run
    order += [str(file.path) for run in files.values() for file in run.values()]
    with choose_executor(runs.jobs, runs.dask) as executor, problems_in_order(problems, order):
        pieces = cut_fragments(fragments, len(files), lenient=runs.lenient, carry=not executor.sees(order))
        scores = score_pieces(pieces, endings, plan, problems, progress=progress, executor=executor)
    by_row, by_code = scores[::2], scores[1::2]
    each = zip(parsed * len(files), by_row, by_code, strict=True)
    asked = [codes if metric.by == "code" else rows for metric, rows, codes in each]
    for score in asked:
        warn_above_1(score, names, problems)
    for team, count in Counter(team_of(run) for run in files).items():
        if count > MOST_RUNS:
            message = f"{count} runs of team {team}; the shared task took {MOST_RUNS}"
            problems.note("hoo-many-runs", message, Place(), fix="the best run is picked among all of them")
    rows, codes = ([score.by_type for score in scores] for scores in (by_row, by_code))
    return HooScores(asked, tuple(problems.notes), by_row=rows, by_code=codes, fragments=names)


def both_ways(metrics: Sequence[Hoo]) -> list[Hoo]:
    """Each metric with recall by row and then by error code: what both count is counted once."""
    return [replace(metric, by=by) for metric in metrics for by in ("row", "code")]


def in_order(rows: Sequence[TypeScore]) -> list[TypeScore]:
    """Recall by row, in the order of table 8; error codes stay as they are."""
    known = row_names()
    return sorted(rows, key=lambda row: known.index(row.type) if row.type in known else 0)


def _team(score: Score, teams: Mapping[str, str] | None) -> str:
    return team_of(score.system) if teams is None else teams[score.system]


def best_table(scores: Sequence[Score], teams: Mapping[str, str] | None = None) -> Table:
    """The best run of each team: tables 2 to 7."""
    several = len({score.metric for score in scores}) > 1
    rows: list[list[Cell]] = [
        [measure, condition, team, score.system, *prf(score, condition, measure), score.metric]
        for condition, measure, team, score in best_runs(scores, teams)
    ]
    columns = [Column("measure"), Column("condition"), Column("team"), Column("run"), *_PRF]
    columns.append(Column("metric", only="" if several else "data"))
    return Table(columns, rows, name="best", notes=[WITH_BONUS, *signature_lines(scores)])


def best_records(scores: Sequence[Score], teams: Mapping[str, str] | None = None) -> list[dict[str, object]]:
    """The best run of each team as it stands in JSON output."""
    return [
        {"measure": measure, "bonus": condition == BONUS, "team": team, "run": score.system, "metric": score.metric}
        | _prf_record(score, condition, measure)
        for condition, measure, team, score in best_runs(scores, teams)
    ]


def _prf_record(score: Score, condition: str, measure: str) -> dict[str, object]:
    figures = prf(score, condition, measure)
    record = _figures_record(figures)
    if score.has_intervals:
        record["intervals"] = {name: interval_record(each) for name, each in zip(FIGURES, figures, strict=True)}
    return record


def _figures_record(figures: Prf) -> dict[str, object]:
    named = dict(zip(FIGURES, figures, strict=True))
    why = {name: str(estimate.undefined) for name, estimate in named.items() if estimate.undefined is not None}
    return {**{name: estimate.value for name, estimate in named.items()}, "undefined": why}


def _unit_figures(unit: UnitScore) -> Iterator[tuple[str, str, Prf]]:
    """Condition, measure, and P, R and F of a fragment alone, with the empty cases that conventions filled."""
    values, counts = (np.array([[*each.values()]]) for each in (unit.values, unit.counts))
    reasons = Hoo().reasons(Folded(values, counts, np.ones(1, np.int64)))
    pairs = zip(unit.values.items(), reasons, strict=True)
    estimates = {name: Estimate(value, 1, undefined=why) for (name, value), why in pairs}
    for condition, measure in product(CONDITIONS, MEASURES):
        yield condition, measure, Prf(*(estimates[measure_name(condition, measure, figure)] for figure in FIGURES))


def _recall_record(row: TypeScore, *, with_intervals: bool) -> dict[str, object]:
    record: dict[str, object] = {"type": row.type, **row.counts}
    if with_intervals:
        named = zip(MEASURES, row.estimates.values(), strict=True)
        record["intervals"] = {measure: interval_record(estimate) for measure, estimate in named}
    return record
