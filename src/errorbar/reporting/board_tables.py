"""The tables of a shared task: those of an overview paper, and those of a team."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product

from errorbar.api.corpus_results import CorpusStudy, HooStudy
from errorbar.api.paper import judge_columns, judge_lines
from errorbar.api.score_result import measure_column
from errorbar.metrics.hoo import CONDITIONS, MEASURES
from errorbar.metrics.hoo_scoring import best_recalls, best_runs, prf
from errorbar.metrics.registry import parse_metric
from errorbar.metrics.scores import Score
from errorbar.reporting.blocks import Block, Prose, Report, Section
from errorbar.reporting.sections.figures import count_noun, main_measure, percent_note, slug, value_text
from errorbar.reporting.sections.types import count_found, prf_columns, type_measure
from errorbar.tables.table import Cell, Column, Table
from errorbar.tasks.config import PROFILE, Task
from errorbar.tasks.task_results import LATE, CorpusResults, RunScores, TaskResults
from errorbar.version import __version__

BY_TYPE = "Recall by error type"
NO_RUN = "no run was handed in, or none was released"


@dataclass(frozen=True, slots=True)
class Standing:
    """The runs for a corpus with the intervals of their scores.

    Attributes:
        results: Every run, without intervals.
        study: The best run of each team; None: none was scored, or nobody asked for intervals.
        further: The scores of the other runs, by name.
    """

    results: CorpusResults
    study: CorpusStudy | HooStudy | None = None
    further: Mapping[str, Score] = field(default_factory=dict)

    def score(self, run: RunScores) -> Score:
        """The score of a run under the first metric, with its interval where that is known."""
        best = {} if self.study is None else {score.system: score for score in self.study.scores}
        name, team = run.submission.name, run.submission.team
        known = best.get(team if isinstance(self.study, CorpusStudy) else name) if self.is_best(run) else None
        score = known or self.further.get(name) or run.gold[0]
        return replace(score, system=name)

    def is_best(self, run: RunScores) -> bool:
        """Whether a run is the best of its team."""
        return any(best.submission == run.submission for best in self.results.best())

    @property
    def confidence_level(self) -> float | None:
        """That of the intervals."""
        return None if self.study is None else self.study.confidence_level


def board_report(results: TaskResults, *, date: str = "", standings: Sequence[Standing] | None = None) -> Report:
    """The overview's tables: profiles, then for each corpus its own; an empty ``date`` makes the same every time."""
    task = results.task
    n_runs = sum(run.submission.baseline is None for result in results.corpora for run in result.runs)
    n_baselines = sum(team.baseline for team in task.teams)
    n_teams = len(task.teams) - n_baselines
    beside = f", beside {count_noun(n_baselines, 'baseline')}" if n_baselines else ""
    summary = [f"{count_noun(n_teams, 'team')} took part with {count_noun(n_runs, 'run')}{beside}."]
    facts = [("teams", str(n_teams)), *([("baselines", str(n_baselines))] if n_baselines else [])]
    facts += [*deadline_fact(task), ("metrics", ", ".join(task.metrics))]
    sections = [profiles(task)]
    for standing in standings or [Standing(corpus) for corpus in results.corpora]:
        result = standing.results
        corpus, several = result.corpus, len(results.corpora) > 1
        # Told apart from the sections that a report of the best runs has.
        name, title = (f"overview-{slug(corpus.name)}-", f"{corpus.name}: ") if several else ("overview-", "")
        own_sections = overview_sections(task, standing)
        sections += [rename_section(section, name, title) for section in own_sections]
        size = count_noun(result.n_units, "text")
        if corpus.kind != "hoo":
            size = f"{count_noun(result.n_units, 'sentence')}, {count_noun(len(result.annotators), 'annotator')}"
            for first in result.best()[:1]:
                score, measure = first.gold[0], main_measure(first.gold[0])
                main = score[score.main]
                star = "*" if main.undefined is not None and main.value else ""
                main_score = f"{measure.title} of {value_text(main.value, measure.kind)}{star}"
                summary.append(f"The best run for {corpus.name} is {first.submission.name}, with {main_score}.")
        facts.append((f"data, {corpus.name}", size))
    return Report(task.name, summary, sections, tuple(facts), __version__, date)


def deadline_fact(task: Task) -> tuple[tuple[str, str], ...]:
    """The deadline as a fact of a page; empty: there is none."""
    return () if task.deadline is None else (("deadline", f"{task.deadline:%Y-%m-%d %H:%M %Z}"),)


def profiles(task: Task) -> Section:
    """The teams, as they describe themselves."""
    told = [key for key in PROFILE if any(getattr(team, key) for team in task.teams)]
    titles = ["name" if key == "full_name" else key for key in told]
    columns = [*map(Column, ("team", *titles)), Column("runs", "count")]
    rows = [(team.name, *(getattr(team, key) or None for key in told), len(team.submissions)) for team in task.teams]
    return Section("profiles", "Teams", [Table(columns, rows, "Who takes part", "teams")])


def score_table(name: str, title: str, task: Task, at: int, ranked: Sequence[tuple[RunScores, Score]]) -> Table:
    """Best runs, best first, with scores under metric number ``at``; teams without a run follow with dashes."""
    measures, scores = parse_metric(task.metrics[at]).measures, [score for _, score in ranked]
    judged = judge_columns(scores, measures) if ranked else []
    columns = [Column("rank", "count"), Column("team"), Column("run", "count"), Column("late")]
    columns += [*map(measure_column, measures), *(column for column, _ in judged)]
    rows: list[list[Cell]] = [
        [
            *(rank, run.submission.team, run.submission.run, run.late),
            *(*score.estimates.values(), *(cell(score) for _, cell in judged)),
        ]
        for rank, (run, score) in zip(shared_ranks(scores), ranked, strict=True)
    ]
    there = {run.submission.team for run, _ in ranked}
    n_values = len(measures) + len(judged)
    rows += [[None, team.name, None, "", *[None] * n_values] for team in task.teams if team.name not in there]
    notes = [*percent_note(measures), *(judge_lines(scores) if judged else [])]
    if any(run.submission.late for run, _ in ranked):
        notes.append(f"{LATE}: handed in after the deadline")
    if len(there) < len(task.teams):
        notes.append(f"–: {NO_RUN}")
    notes += [
        f"signature {signature}" for signature in dict.fromkeys(str(s.signature).split("|hyp:")[0] for s in scores)
    ]
    return Table(columns, rows, title, name, notes)


def shared_ranks(scores: Sequence[Score]) -> list[int]:
    """The rank of each score, 1 for the best; equal ones share the better rank."""
    keys = sorted(score.rank_key for score in scores)
    return [keys.index(score.rank_key) + 1 for score in scores]


def type_table(name: str, title: str, task: Task, runs: Sequence[RunScores], scores: Sequence[Score]) -> Table:
    """What is found of each error type: a row for each, a column for each team in the order of the task's file."""
    by_team = {run.submission.team: score for run, score in zip(runs, scores, strict=True)}
    measure = _type_measure(scores)
    recalls = {team: {row.type: row[measure].value for row in score.by_type} for team, score in by_team.items()}
    kinds = sorted({kind for by_type in recalls.values() for kind in by_type})
    teams = [team.name for team in task.teams if team.name in recalls]
    columns = [Column("type"), *(Column(team, "percent", team) for team in teams)]
    rows = [(kind, *(recalls[team].get(kind) for team in teams)) for kind in kinds]
    notes = [f"{measure} in percent", "–: no edit of the type stands with the chosen annotators"]
    return Table(columns, rows, title, name, notes)


def title_types(scores: Iterable[Score]) -> str:
    """``Recall by error type``, or what else the metric gives of the edits of a type."""
    return f"{_type_measure(scores).capitalize()} by error type"


def _type_measure(scores: Iterable[Score]) -> str:
    return next((type_measure(row) for score in scores for row in score.by_type), "recall")


def overview_sections(task: Task, standing: Standing) -> list[Section]:
    """The tables of a corpus in an overview paper, and the runs that were refused."""
    results = standing.results
    sections = fragment_sections(task, results) if results.corpus.kind == "hoo" else _sentence_sections(task, standing)
    return [*sections, *refused_section(results)]


def refused_section(results: CorpusResults) -> list[Section]:
    """The runs that could not be scored, with what is wrong with them; nothing where all were."""
    return [Section("refused", "Refused runs", [results.refused_table()])] if results.refused else []


def _sentence_sections(task: Task, standing: Standing) -> list[Section]:
    """Best runs, recall by error type, single annotators, every run."""
    results = standing.results
    best = results.best()
    blocks: list[Block] = []
    types: list[Block] = []
    with_and_without = [
        ("", ", without alternative answers", False),
        ("-alternatives", ", with alternative answers", True),
    ]
    for name, how, other in with_and_without if results.corpus.alternatives else [("", "", False)]:
        runs = results.best(alternatives=other)
        scores = [run.alternatives[0] if other else standing.score(run) for run in runs]
        score_title, type_title = (f"{title}{how}" for title in ("Best run of each team", title_types(scores)))
        ranked = list(zip(runs, scores, strict=True))
        blocks.append(score_table(f"scores{name}", score_title, task, 0, ranked))
        if "types" not in parse_metric(task.metrics[0]).lacks:
            types.append(type_table(f"types{name}", type_title, task, runs, scores))
    for at, spec in enumerate(task.metrics[1:], 1):
        ranked = sorted(((run, run.gold[at]) for run in best), key=lambda pair: pair[1].rank_key)
        blocks.append(score_table(f"scores-{slug(spec)}", f"The same runs under {spec}", task, at, ranked))
    sections = [Section("ranking", "Scores", blocks)]
    if types:
        sections.append(Section("error-types", title_types(run.gold[0] for run in best), types))
    if single := annotator_tables(task, results, best):
        sections.append(Section("annotators", "Single annotators", single))
    if len(results.runs) > len(best):
        sections.append(
            Section("runs", "Every run", [run_table("all-runs", "Every run", Standing(results), results.runs)])
        )
    return sections


def annotator_tables(task: Task, results: CorpusResults, best: Sequence[RunScores]) -> list[Block]:
    """Best runs against each annotator alone, and annotators against each other; nothing where one judged."""
    names = list(best[0].single) if best else []
    if len(names) < 2:
        return []
    by_team = {run.submission.team: run for run in best}
    measures = _measures(best[0].gold)
    rows: list[list[Cell]] = []
    for team in task.teams:
        run = by_team.get(team.name)
        every = [run.single[name].estimates.values() if run else [None] * len(measures) for name in names]
        rows.append([team.name, *chain.from_iterable(every)])
    columns = [
        Column("team"),
        *(measure._replace(title=f"{measure.title}, {name}") for name in names for measure in measures),
    ]
    alone = Table(columns, rows, "Best runs against one annotator alone", "single", ["in percent"])
    pairs: list[list[Cell]] = [[writer, judge, *score.estimates.values()] for writer, judge, score in results.pairs]
    columns = [Column("text of"), Column("scored against"), *measures]
    return [alone, Table(columns, pairs, "Annotators against each other", "pairs")]


def run_table(name: str, title: str, standing: Standing, runs: Sequence[RunScores]) -> Table:
    """Runs with their scores under the first metric, and with alternative answers."""
    scores = [standing.score(run) for run in runs]
    judged = judge_columns(scores, scores[0].measures)
    columns = [Column("run"), Column("late"), Column("changed", "count"), *_measures(scores)]
    columns += [column for column, _ in judged]
    notes = ["changed: sentences that the run changes", *judge_lines(scores)]
    if any(run.alternatives for run in runs):
        columns += [measure._replace(title=f"{measure.title}, alt.") for measure in _measures(runs[0].alternatives)]
        notes.append("alt.: with alternative answers")
    rows: list[list[Cell]] = []
    for run, score in zip(runs, scores, strict=True):
        others = (estimate for other in run.alternatives[:1] for estimate in other.estimates.values())
        intervals = (cell(score) for _, cell in judged)
        rows.append([run.submission.name, run.late, run.n_changed, *score.estimates.values(), *intervals, *others])
    return Table(columns, rows, title, name, notes, standing.confidence_level or 0.95)


def team_tables(standing: Standing, runs: Sequence[RunScores]) -> list[Block]:
    """The runs of a team: their scores, recall by error type, and against one annotator alone; the best comes first."""
    ordered = sorted(runs, key=lambda run: run.gold[0].rank_key)
    best = ordered[0]
    columns = [Column("type"), *(Column(run.submission.name, "percent", run.submission.name) for run in ordered)]
    columns.append(Column(f"found by {best.submission.name}", key="found"))
    rows: list[list[Cell]] = []
    every = [run.gold[0] for run in ordered]
    measure = _type_measure(every)
    by_type = [{row.type: row for row in score.by_type} for score in every]
    for kind in sorted({kind for own in by_type for kind in own}):  # runs can be scored against other annotators
        row_of_best, *others = (own.get(kind) for own in by_type)
        share = None if row_of_best is None else f"{count_found(row_of_best)} of {row_of_best.counts['gold']}"
        rows.append([kind, *(None if row is None else row[measure].value for row in (row_of_best, *others)), share])
    blocks: list[Block] = [run_table("runs", "Runs", standing, ordered)]
    if rows:
        blocks.append(Table(columns, rows, f"{title_types(every)}, in percent", "types"))
    if best.single:
        alone: list[list[Cell]] = [
            [run.submission.name, name, *score.estimates.values()]
            for run in ordered
            for name, score in run.single.items()
        ]
        columns = [Column("run"), Column("annotator"), *_measures(best.gold)]
        blocks.append(Table(columns, alone, "Against one annotator alone", "single"))
    if notes := [str(note) for run in ordered for note in run.notes]:
        blocks.append(Prose(notes))
    return blocks


def _measures(scores: Sequence[Score]) -> list[Column]:
    return [measure_column(measure) for measure in scores[0].measures]


def fragment_sections(task: Task, results: CorpusResults) -> list[Section]:
    """The shape of tables 2 to 21 of the HOO 2011 paper: best runs, gold edits by type, best recall of each type."""
    scores = [run.gold[0] for run in results.runs]
    numbers = {run.submission.name: run.submission.run for run in results.runs}
    late = {run.submission.team for run in results.runs if run.submission.late}
    best: dict[tuple[str, str], list[list[Cell]]] = {key: [] for key in product(CONDITIONS, MEASURES)}
    for condition, measure, team, score in best_runs(scores, results.teams):
        name = team + (f" ({LATE})" if team in late else "")
        best[condition, measure].append([name, numbers[score.system], *prf(score, condition, measure)])
    tables: list[Block] = []
    for (condition, measure), rows in best.items():
        title = f"Best run of each team: {measure}, {condition}"
        columns = [Column("team"), Column("run", "count"), *prf_columns()]
        name = f"best-{slug(condition)}-{measure}"
        tables.append(Table(columns, [*rows, *_empty_rows(task, results, 4)], title, name, ["in percent"]))
    counts = [*results.rows.items(), ("All", sum(results.rows.values()))]
    columns = [Column("type"), Column("edits", "count")]
    edits = Table(columns, counts, "Gold edits by error type", "edits")
    types = [edits, *_recall_tables(task, results, numbers)]
    sections = [Section("ranking", "Scores", tables), Section("error-types", BY_TYPE, types)]
    if len(results.runs) > len({run.submission.team for run in results.runs}):
        sections.append(Section("runs", "Every run", [hoo_runs(results.runs)]))
    return sections


def _recall_tables(task: Task, results: CorpusResults, numbers: Mapping[str, int]) -> list[Block]:
    by_row: dict[str, dict[str, list[Cell]]] = {}
    for cell in best_recalls([run.gold[0] for run in results.runs], results.teams):
        run = None if cell.recall is None else numbers[cell.run]
        by_row.setdefault(cell.row, {}).setdefault(cell.team, []).extend([cell.recall, run])
    pairs = ((Column(kind, "percent"), Column("run", "count", f"{kind}_run")) for kind in MEASURES)
    columns = [Column("team"), *chain.from_iterable(pairs)]
    tables: list[Block] = []
    for row, teams in by_row.items():
        rows = [*([team, *values] for team, values in teams.items()), *_empty_rows(task, results, 2 * len(MEASURES))]
        title = f"{row}: best recall of each team"
        tables.append(Table(columns, rows, title, f"recall-{slug(row)}", ["in percent"]))
    return tables


def hoo_runs(runs: Sequence[RunScores]) -> Table:
    """Every run: F of each measure, without and with bonus."""
    shown = list(product(CONDITIONS, MEASURES))
    columns = [
        Column("run"),
        Column("late"),
        *(Column(f"{condition_measure[1]}, {condition_measure[0]}", "percent") for condition_measure in shown),
    ]
    values = ((run, (prf(run.gold[0], *condition_measure).f for condition_measure in shown)) for run in runs)
    rows: list[list[Cell]] = [[run.submission.name, run.late, *own] for run, own in values]
    return Table(columns, rows, "F of every run, in percent", "all-runs")


def _empty_rows(task: Task, results: CorpusResults, n: int) -> list[list[Cell]]:
    return [[team.name, *[None] * n] for team in task.teams if team.name not in results.teams.values()]


def rename_section(section: Section, name: str, title: str) -> Section:
    """A section whose names nothing in a report of several corpora shares."""
    blocks = [replace(b, name=f"{name}{b.name}") if isinstance(b, Table) else b for b in section.blocks]
    return Section(f"{name}{section.name}", f"{title}{section.title}", blocks)
