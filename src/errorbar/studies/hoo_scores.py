"""Runs against HOO gold edits: what ``errorbar score`` computes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.core.estimate import Undefined
from errorbar.core.problems import Problems, in_file_order
from errorbar.edits.standoff_reading import cut_fragments
from errorbar.execute import choose_executor
from errorbar.formats.hoo_folder import expand_runs, list_gold, list_run, read_gold
from errorbar.formats.json_text import NotJsonError, parse_json
from errorbar.formats.opening import Lines
from errorbar.metrics.hoo import CONDITIONS, FIGURES, MEASURES, Hoo, measure_name
from errorbar.metrics.hoo_counts import row_names
from errorbar.metrics.hoo_scoring import MOST_RUNS, Run, best_runs, hoo_plan, parse_hoo, prf, team_of, warn_above_1
from errorbar.metrics.score import Score, TypeScore
from errorbar.metrics.scoring import MOST_WITH_INTERVALS, score_pieces
from errorbar.stats.resampling import Resampling
from errorbar.studies.score import signature_lines
from errorbar.tables.records import interval_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

BONUS = CONDITIONS[1]
WITH_BONUS = "bonus counts missing optional edits as found"
_PRF = tuple(Column(figure[0].upper(), "percent", figure) for figure in FIGURES)


@dataclass(frozen=True, slots=True)
class HooOptions:
    """How HOO data is read and scored.

    Attributes:
        source: Folder of the source texts, or the text of the only fragment; None: looked for beside the gold edits.
        types: JSON file that puts error types into other rows of table 8.
        missing_as_empty: Score a fragment that a run lacks as if nothing were proposed there.
        lenient: Repair what can be repaired.
        jobs: Processes that read and count.
        dask: Address of a Dask scheduler for that, or ``local``; None: no Dask.
    """

    source: str | None = None
    types: str | None = None
    missing_as_empty: bool = False
    lenient: bool = False
    jobs: int = 1
    dask: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class HooScores(Result):
    """Scores of runs, runs outermost.

    Attributes:
        scores: The scores, with recall by the rows of table 8.
        by_code: Recall by error code of each.
        fragments: Names of the fragments.
        notes: Warnings and repairs.
        teams: Whose each run is; None: as its name says.
        view: The table that is shown: ``scores``, ``best``, ``types`` or ``fragments``.
    """

    scores: Sequence[Score]
    by_code: Sequence[Sequence[TypeScore]]
    fragments: Sequence[str]
    notes: Sequence[Problem] = ()
    teams: Mapping[str, str] | None = None
    view: str = "scores"

    def to_dict(self) -> dict[str, object]:
        """Every score, and the best run of each team."""
        rows = [self._record(score, codes) for score, codes in zip(self.scores, self.by_code, strict=True)]
        return {"rows": rows, "best": best_records(self.scores, self.teams)}

    def tables(self) -> Sequence[Table]:
        """The table that was asked for."""
        made = {"best": best_table, "types": type_table}.get(self.view, score_table)
        return [self._fragment_table() if self.view == "fragments" else made(self.scores, self.teams)]

    def _record(self, score: Score, codes: Sequence[TypeScore]) -> dict[str, object]:
        why = {"no_interval": str(Undefined.ONE_UNIT)} if score.has_intervals else {}
        return {
            "run": score.system,
            "team": team_of(score.system) if self.teams is None else self.teams[score.system],
            "metric": score.metric,
            "counts": dict(score.counts),
            "scores": [
                {"measure": measure, "bonus": condition == BONUS, **_prf_record(score, condition, measure)}
                for condition in CONDITIONS
                for measure in MEASURES
            ],
            "by_row": [_recall_record(row, asked=score.has_intervals) for row in in_order(score.by_type)],
            "by_code": [_recall_record(row, asked=score.has_intervals) for row in codes],
            "by_fragment": [
                {
                    "fragment": name,
                    "measure": measure,
                    "bonus": condition == BONUS,
                    **{figure: unit.values[measure_name(condition, measure, figure)] for figure in FIGURES},
                    **why,
                }
                for name, unit in zip(self.fragments, score.by_unit, strict=True)
                for condition in CONDITIONS
                for measure in MEASURES
            ],
            "signature": str(score.signature),
        }

    def _fragment_table(self) -> Table:
        columns, labels = _labels(self.scores)
        rows: list[list[Cell]] = [
            [*label, name, measure, condition, *(unit.values[measure_name(condition, measure, f)] for f in FIGURES)]
            for label, score in zip(labels, self.scores, strict=True)
            for name, unit in zip(self.fragments, score.by_unit, strict=True)
            for measure in MEASURES
            for condition in CONDITIONS
        ]
        asked = any(score.has_intervals for score in self.scores)
        notes = [WITH_BONUS, *([f"no interval of a fragment: {Undefined.ONE_UNIT}"] if asked else ())]
        columns = [*columns, Column("fragment"), Column("measure"), Column("condition"), *_PRF]
        return Table(columns, rows, name="fragments", notes=notes)


def score_hoo(
    gold: str | Sequence[str],
    runs: Sequence[str],
    metrics: Sequence[Hoo | str] = (),
    options: HooOptions = HooOptions(),  # noqa: B008 - frozen
    *,
    resampling: Resampling | None = None,
    ask: bool = False,
    view: str = "scores",
    progress: Callable[[int], object] = lambda _: None,
) -> HooScores:
    """Score runs against HOO gold edits.

    Args:
        gold: The gold folder or file; one.
        runs: Folders of edit files or corrected texts, single files, or folders of runs; ``name=path``.
        metrics: Specs of the metric; none: ``hoo``.
        options: How the data is read.
        resampling: Intervals over fragments; None: none.
        ask: Intervals were not asked for: none of very many fragments.
        view: The table that is shown: ``scores``, ``best``, ``types`` or ``fragments``.
        progress: Told how many fragments are done.

    Raises:
        InputError: If a file is bad or a run lacks a fragment.
        UsageError: If an option does not fit.
    """
    paths = [gold] if isinstance(gold, str) else list(gold)
    if len(paths) != 1:
        raise UsageError(Problem("hoo-one-gold", f"{len(paths)} gold sets", expected="one folder or file of edits"))
    if resampling is not None:
        resampling.bootstrap("HOO scores")
    problems = Problems(lenient=options.lenient)
    asked = [parse_hoo(metric) for metric in metrics or (Hoo(),)]
    if options.types is not None:
        rows = _rows_of(options.types, problems)
        asked = [replace(one, rows=rows) for one in asked]
        what = "--types is a parameter of the metric now"
        problems.note("renamed-option", what, Place(), fix=f"--metric '{asked[0].spec}'")
    found = list_gold(paths[0], source=options.source)
    names = [each.name for each in found]
    files = {name: list_run(path, name, names, problems) for name, path in expand_runs(runs)}
    fragments = [replace(one, runs=tuple(run.get(one.name) for run in files.values())) for one in found]
    lacking = {run: [name for name in names if name not in own] for run, own in files.items()}
    conventions = ("missing:empty",) if options.missing_as_empty and any(lacking.values()) else ()
    plan = hoo_plan(both_ways(asked), resampling, conventions)
    plan = replace(plan, most=MOST_WITH_INTERVALS if ask else None)
    endings = [Run(name, problems, own, options.missing_as_empty) for name, own in lacking.items()]
    order = [str(file.path) for one in found for file in (one.edits, one.text) if file is not None]
    order += [str(file.path) for run in files.values() for file in run.values()]
    with choose_executor(options.jobs, options.dask) as executor:
        carry = not executor.sees([path for one in fragments for path in one.paths])
        pieces = cut_fragments(fragments, len(files), lenient=options.lenient, carry=carry)
        try:
            scores = score_pieces(pieces, endings, plan, problems, progress=progress, executor=executor)
        except InputError as error:
            raise InputError(in_file_order(error.problems, order)) from None
    problems.notes = in_file_order(problems.notes, order)
    by_row, by_code = scores[::2], scores[1::2]
    for score in by_row:
        warn_above_1(score, names, problems)
    for team, count in _team_sizes(by_row).items():
        if count > MOST_RUNS:
            what = f"{count} runs of team {team}; the shared task took {MOST_RUNS}"
            problems.note("hoo-many-runs", what, Place(), fix="the best run is picked among all of them")
    return HooScores(by_row, [score.by_type for score in by_code], names, tuple(problems.notes), view=view)


def both_ways(metrics: Sequence[Hoo]) -> list[Hoo]:
    """Each metric with recall by row and then by error code: what both count is counted once."""
    return [replace(one, by=by) for one in metrics for by in ("row", "code")]


def check_hoo(path: str, problems: Problems, *, source: str | None = None) -> dict[str, int]:
    """Check gold edits against their texts; problems are recorded, what was seen is counted."""
    fragments = read_gold(path, problems, source=source)
    edits = [edit for fragment in fragments for edit in fragment.edits]
    return {
        "fragments": len(fragments),
        "fragments with a text": sum(fragment.text is not None for fragment in fragments),
        "edits": len(edits),
        "optional edits": sum(edit.optional for edit in edits),
        "edits in consistency sets": sum(bool(edit.group) for edit in edits),
        "edits without a correction": sum(edit.unknown for edit in edits),
    }


def in_order(rows: Sequence[TypeScore]) -> list[TypeScore]:
    """Recall by row, in the order of table 8."""
    return sorted(rows, key=lambda row: row_names().index(row.type))


def score_table(scores: Sequence[Score], teams: Mapping[str, str] | None = None) -> Table:
    """A row for each run, measure and condition: P, R, F."""
    columns, labels = _labels(scores)
    counts = list(scores[0].counts) if scores else []
    rows: list[list[Cell]] = [
        [*label, team, measure, condition, *prf(score, condition, measure), *score.counts.values(), str(score.signature)]
        for label, score in zip(labels, scores, strict=True)
        for team in [team_of(score.system) if teams is None else teams[score.system]]
        for measure in MEASURES
        for condition in CONDITIONS
    ]
    data = [*(Column(name, "count", only="data") for name in counts), Column("signature", only="data")]
    columns = [*columns, Column("team", only="data"), Column("measure"), Column("condition"), *_PRF, *data]
    return Table(columns, rows, name="scores", notes=[WITH_BONUS, *signature_lines(scores)])


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


def type_table(scores: Sequence[Score], teams: Mapping[str, str] | None = None) -> Table:
    """Recall of each row of table 8."""
    del teams
    columns, labels = _labels(scores)
    rows: list[list[Cell]] = [
        [*label, row.type, row.counts["gold"], *row.estimates.values()]
        for label, score in zip(labels, scores, strict=True)
        for row in in_order(score.by_type)
    ]
    columns = [*columns, Column("type"), Column("gold", "count"), *(Column(each, "percent") for each in MEASURES)]
    return Table(columns, rows, name="types", notes=["recall", *signature_lines(scores)])


def best_records(scores: Sequence[Score], teams: Mapping[str, str] | None = None) -> list[dict[str, object]]:
    """The best run of each team as it stands in JSON output."""
    return [
        {
            "measure": measure,
            "bonus": condition == BONUS,
            "team": team,
            "run": score.system,
            "metric": score.metric,
            **_prf_record(score, condition, measure),
        }
        for condition, measure, team, score in best_runs(scores, teams)
    ]


def _prf_record(score: Score, condition: str, measure: str) -> dict[str, object]:
    named = dict(zip(FIGURES, prf(score, condition, measure), strict=True))
    record: dict[str, object] = {name: estimate.value for name, estimate in named.items()}
    record["undefined"] = {name: str(each.undefined) for name, each in named.items() if each.undefined is not None}
    if score.has_intervals:
        record["intervals"] = {name: interval_record(each) for name, each in named.items()}
    return record


def _recall_record(row: TypeScore, *, asked: bool) -> dict[str, object]:
    record: dict[str, object] = {"type": row.type, **row.counts}
    if asked:
        named = zip(MEASURES, row.estimates.values(), strict=True)
        record["intervals"] = {measure: interval_record(each) for measure, each in named}
    return record


def _labels(scores: Sequence[Score]) -> tuple[list[Column], list[list[Cell]]]:
    """The leading columns that tell rows apart."""
    several = len({score.metric for score in scores}) > 1
    columns = [Column("run"), Column("metric", only="" if several else "data")]
    return columns, [[score.system, score.metric] for score in scores]


def _team_sizes(scores: Sequence[Score]) -> dict[str, int]:
    runs: dict[str, set[str]] = {}
    for score in scores:
        runs.setdefault(team_of(score.system), set()).add(score.system)
    return {team: len(own) for team, own in runs.items()}


def _rows_of(path: str, problems: Problems) -> str:
    """The rows of a file, ``{"ID": "Noun"}``, as the metric's parameter has them."""
    lines = Lines(path, problems, last=True)
    text = "\n".join(lines)
    problems.raise_errors()
    try:
        given = parse_json(text)
    except NotJsonError as error:
        place = Place(lines.name, error.line)
        raise InputError(Problem("hoo-types-file", f"not JSON: {error}", place, '{"ID": "Noun"}')) from None
    if not isinstance(given, dict) or not all(isinstance(row, str) for row in given.values()):
        what = "not a JSON object of type to row"
        raise InputError(Problem("hoo-types-file", what, Place(lines.name), '{"ID": "Noun"}'))
    if any(set("=;") & set(code + row) for code, row in given.items()):
        raise InputError(Problem("hoo-types-file", "a type or row holds '=' or ';'", Place(lines.name)))
    return ";".join(f"{code}={row}" for code, row in given.items())
