"""The board of a shared task: the tables of an overview paper, and a page for each team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from errorbar.core.estimate import Estimate
from errorbar.metrics.hoo_counts import CONDITIONS, MEASURES
from errorbar.metrics.hoo_scoring import best_recalls, best_runs, prf
from errorbar.metrics.m2 import M2
from errorbar.metrics.scored import Score
from errorbar.reporting.blocks import Block, Links, Prose, Report, Section
from errorbar.reporting.sections.figures import plural, slug, value_text
from errorbar.reporting.sections.hoo import prf_columns
from errorbar.reporting.sections.ranking import main_measure
from errorbar.studies.score_result import measure_column
from errorbar.tables.table import Cell, Column, Table
from errorbar.tasks.config import Task, Team
from errorbar.tasks.task_results import CorpusResults, RunScores, TaskResults
from errorbar.version import __version__

LATE = "late"
HOO = "hoo"
WITH = "with alternative answers"
WITHOUT = "without alternative answers"
NO_RUN = "no run was handed in, or none was released"


def board_sections(results: TaskResults) -> list[Section]:
    """The overview's sections: profiles, then for each corpus its tables.

    Args:
        results: What was scored.
    """
    sections = [profiles(results.task)]
    several = len(results.corpora) > 1
    for found in results.corpora:
        # Told apart from the sections that a report of the best runs has.
        name = f"overview-{slug(found.corpus.name)}-" if several else "overview-"
        title = f"{found.corpus.name}: " if several else ""
        made = (_of_fragments if found.corpus.kind == HOO else _of_sentences)(results.task, found)
        if found.refused:
            made.append(Section("refused", "Refused runs", [found.refused_table()]))
        sections += [_renamed(section, name, title) for section in made]
    return sections


def board_report(results: TaskResults, *, date: str = "") -> Report:
    """The overview's tables as a report.

    Args:
        results: What was scored.
        date: When, as ``2026-11-21``; empty where it must be the same every time.
    """
    task = results.task
    n_runs = sum(len(found.runs) for found in results.corpora)
    summary = [f"{plural(len(task.teams), 'team')} took part with {plural(n_runs, 'run')}."]
    facts = [("teams", str(len(task.teams))), ("metrics", ", ".join(task.metrics))]
    for found in results.corpora:
        if found.corpus.kind == HOO:
            size = plural(found.n_units, "text")
        else:
            size = f"{plural(found.n_units, 'sentence')}, {plural(len(found.annotators), 'annotator')}"
        facts.append((f"data, {found.corpus.name}", size))
        if found.corpus.kind != HOO and found.runs:
            first = found.best()[0]
            score, measure = first.gold[0], main_measure(first.gold[0])
            main = score[score.main]
            star = "*" if main.undefined is not None and main.value else ""
            what = f"{measure.title} of {value_text(main.value, measure.kind)}{star}"
            summary.append(f"The best run for {found.corpus.name} is {first.submission.name}, with {what}.")
    return Report(task.name, summary, board_sections(results), tuple(facts), __version__, date)


def team_report(results: TaskResults, team: Team, *, date: str = "") -> Report:
    """A team's page: its profile, every run, and recall of every error type.

    Args:
        results: What was scored.
        team: Whose page.
        date: When, as ``2026-11-21``; empty where it must be the same every time.
    """
    said = {"name": team.full_name, "affiliation": team.affiliation}
    said |= {"approach": team.approach, "resources": team.resources}
    facts = [("task", results.task.name), *((name, text) for name, text in said.items() if text)]
    sections = []
    for found in results.corpora:
        blocks: list[Block] = [Prose([f"{NO_RUN.capitalize()}."])]
        if own := [run for run in found.runs if run.submission.team == team.name]:
            blocks = [_hoo_runs(own)] if found.corpus.kind == HOO else _team_blocks(own)
        if bad := [each for each in found.refused if each.submission.team == team.name]:
            blocks.append(replace(found, refused=bad).refused_table())
        name = slug(found.corpus.name)
        sections.append(_renamed(Section(name, f"Runs for {found.corpus.name}", blocks), f"{name}-", ""))
    summary = [f"{team.full_name or team.name} took part with {plural(len(team.submissions), 'run')}."]
    return Report(f"{team.name} in {results.task.name}", summary, sections, tuple(facts), __version__, date)


def link_teams(report: Report, task: Task) -> Report:
    """The page of the task with a way to each team's page, which stands in the folder ``teams`` beside it.

    Args:
        report: The page, its first section the teams.
        task: The task.
    """
    links = Links("A page for each team", {team.name: f"teams/{team.name}.html" for team in task.teams})
    return _opened_with(report, links)


def link_task(report: Report, task: Task) -> Report:
    """A team's page with a way back to the page of the task.

    Args:
        report: The page of a team.
        task: The task.
    """
    return _opened_with(report, Links("The task", {f"All teams of {task.name}": "../index.html"}))


def _opened_with(report: Report, links: Links) -> Report:
    first, *others = report.sections
    return replace(report, sections=[replace(first, blocks=[links, *first.blocks]), *others])


def profiles(task: Task) -> Section:
    """Who takes part, and with what."""
    columns = [*map(Column, ("team", "name", "affiliation", "approach", "resources")), Column("runs", "count")]
    rows = []
    for team in task.teams:
        said = (team.full_name, team.affiliation, team.approach, team.resources)
        rows.append((team.name, *(text or None for text in said), len(team.submissions)))
    return Section("profiles", "Teams", [Table(columns, rows, "Who takes part", "teams")])


def score_table(name: str, title: str, task: Task, ranked: Sequence[RunScores], scores: Sequence[Score]) -> Table:
    """Best runs, best first; teams without a run follow with dashes."""
    columns = [Column("rank", "count"), Column("team"), Column("run", "count"), Column("late"), *_prf_columns(scores)]
    rows: list[list[Cell]] = []
    for rank, (run, score) in enumerate(zip(ranked, scores, strict=True), 1):
        late = LATE if run.submission.late else ""
        rows.append([rank, run.submission.team, run.submission.run, late, *_prf(score)])
    there = {run.submission.team for run in ranked}
    rows += [[None, team.name, None, "", *[None] * 3] for team in task.teams if team.name not in there]
    notes = ["P, R and F in percent"]
    if any(run.submission.late for run in ranked):
        notes.append(f"{LATE}: handed in after the deadline")
    if len(there) < len(task.teams):
        notes.append(f"–: {NO_RUN}")
    notes += [f"signature {each}" for each in dict.fromkeys(str(s.signature).split("|hyp:")[0] for s in scores)]
    return Table(columns, rows, title, name, notes)


def type_table(name: str, title: str, task: Task, runs: Sequence[RunScores], scores: Sequence[Score]) -> Table:
    """Recall of each error type: a row for each type, a column for each team in the order of the task's file."""
    by_team = {run.submission.team: score for run, score in zip(runs, scores, strict=True)}
    recalls = {team: {row.type: row["recall"].value for row in score.by_type} for team, score in by_team.items()}
    kinds = sorted({kind for found in recalls.values() for kind in found})
    teams = [team.name for team in task.teams if team.name in recalls]
    columns = [Column("type"), *(Column(team, "percent", team) for team in teams)]
    rows = [(kind, *(recalls[team].get(kind) for team in teams)) for kind in kinds]
    notes = ["recall in percent", "–: no edit of the type stands with the chosen annotators"]
    return Table(columns, rows, title, name, notes)


def _of_sentences(task: Task, found: CorpusResults) -> list[Section]:
    best = found.best()
    views: list[tuple[str, str, Sequence[RunScores], list[Score]]] = [("", WITHOUT, best, [r.gold[0] for r in best])]
    if found.corpus.alternatives:
        other = found.best(alternatives=True)
        views.append(("-alternatives", WITH, other, [run.alternatives[0] for run in other]))
    blocks: list[Block] = []
    types: list[Block] = []
    for name, what, runs, scores in views:
        blocks.append(score_table(f"scores{name}", f"Best run of each team, {what}", task, runs, scores))
        types.append(type_table(f"types{name}", f"Recall by error type, {what}", task, runs, scores))
    for at, spec in enumerate(task.metrics[1:], 1):
        ranked = sorted(best, key=lambda run: run.gold[at].rank_key)
        scores = [run.gold[at] for run in ranked]
        blocks.append(score_table(f"scores-{slug(spec)}", f"The same runs under {spec}", task, ranked, scores))
    sections = [Section("ranking", "Scores", blocks), Section("error-types", "Recall by error type", types)]
    if single := _single(task, found, best):
        sections.append(Section("annotators", "Single annotators", single))
    if len(found.runs) > len(best):
        sections.append(Section("runs", "Every run", [run_table("all-runs", "Every run", found.runs)]))
    return sections


def _single(task: Task, found: CorpusResults, best: Sequence[RunScores]) -> list[Block]:
    names = list(best[0].single) if best else []
    if len(names) < 2:
        return []
    by_team = {run.submission.team: run for run in best}
    rows: list[list[Cell]] = []
    for team in task.teams:
        run = by_team.get(team.name)
        rows.append([team.name, *(cell for name in names for cell in (_prf(run.single[name]) if run else [None] * 3))])
    prf_names = _prf_columns(best[0].gold)
    columns = [Column("team")]
    columns += [replace(each, title=f"{each.title}, {name}") for name in names for each in prf_names]
    alone = Table(columns, rows, "Best runs against one annotator alone", "single", ["in percent"])
    pairs: list[list[Cell]] = [[writer, judge, *_prf(score)] for writer, judge, score in found.pairs]
    columns = [Column("text of"), Column("scored against"), *prf_names]
    return [alone, Table(columns, pairs, "Annotators against each other", "pairs")]


def run_table(name: str, title: str, runs: Sequence[RunScores]) -> Table:
    """Every run under the first metric."""
    prf_names = _prf_columns(runs[0].gold if runs else ())
    columns = [Column("run"), Column("late"), Column("changed", "count"), *prf_names]
    notes = ["changed: sentences that the run changes"]
    other = any(run.alternatives for run in runs)
    if other:
        columns += [replace(each, title=f"{each.title}, alt.") for each in prf_names]
        notes.append("alt.: with alternative answers")
    rows: list[list[Cell]] = []
    for run in runs:
        late = LATE if run.submission.late else ""
        values = [*_prf(run.gold[0]), *(_prf(run.alternatives[0]) if other else [])]
        rows.append([run.submission.name, late, run.n_changed, *values])
    return Table(columns, rows, title, name, notes)


def _team_blocks(runs: Sequence[RunScores]) -> list[Block]:
    first = runs[0]
    columns = [Column("type"), *(Column(run.submission.name, "percent", run.submission.name) for run in runs)]
    columns.append(Column(f"found by {first.submission.name}", key="found"))
    rows: list[list[Cell]] = []
    for rows_of_type in zip(*(run.gold[0].by_type for run in runs), strict=True):
        one = rows_of_type[0]
        found = f"{one.counts['correct']} of {one.counts['gold']}"
        rows.append([one.type, *(row["recall"].value for row in rows_of_type), found])
    types = Table(columns, rows, "Recall by error type, in percent", "types")
    blocks: list[Block] = [run_table("runs", "Runs", runs), types]
    if first.single:
        alone: list[list[Cell]] = [
            [run.submission.name, name, *_prf(score)] for run in runs for name, score in run.single.items()
        ]
        columns = [Column("run"), Column("annotator"), *_prf_columns(first.gold)]
        blocks.append(Table(columns, alone, "Against one annotator alone", "single"))
    notes = [str(note) for run in runs for note in run.notes]
    return [*blocks, *([Prose(notes)] if notes else [])]


def _prf(score: Score) -> list[Estimate]:
    return list(score.estimates.values())


def _prf_columns(scores: Sequence[Score]) -> list[Column]:
    return [measure_column(measure) for measure in (scores[0].measures if scores else M2().measures)]


def _of_fragments(task: Task, found: CorpusResults) -> list[Section]:
    """The shape of tables 2 to 21 of the HOO 2011 paper: best runs, gold edits by type, best recall of each type."""
    scores = [run.gold[0] for run in found.runs]
    numbers = {run.submission.name: run.submission.run for run in found.runs}
    late = {run.submission.team for run in found.runs if run.submission.late}
    best: dict[tuple[str, str], list[list[Cell]]] = {(c, m): [] for c in CONDITIONS for m in MEASURES}
    for condition, measure, team, score in best_runs(scores, found.teams):
        name = team + (f" ({LATE})" if team in late else "")
        best[condition, measure].append([name, numbers[score.system], *prf(score, condition, measure)])
    tables: list[Block] = []
    for (condition, measure), rows in best.items():
        title = f"Best run of each team: {measure}, {condition}"
        columns = [Column("team"), Column("run", "count"), *prf_columns()]
        name = f"best-{slug(condition)}-{measure}"
        tables.append(Table(columns, [*rows, *_without(task, found, 4)], title, name, ["in percent"]))
    counts = [*found.rows.items(), ("All", sum(found.rows.values()))]
    columns = [Column("type"), Column("edits", "count")]
    types: list[Block] = [Table(columns, counts, "Gold edits by error type", "edits")]
    types += _recall_tables(task, found, numbers)
    sections = [Section("ranking", "Scores", tables), Section("error-types", "Recall by error type", types)]
    if len(found.runs) > len({run.submission.team for run in found.runs}):
        sections.append(Section("runs", "Every run", [_hoo_runs(found.runs)]))
    return sections


def _recall_tables(task: Task, found: CorpusResults, numbers: Mapping[str, int]) -> list[Block]:
    by_row: dict[str, dict[str, list[Cell]]] = {}
    for cell in best_recalls([run.gold[0] for run in found.runs], found.teams):
        run = None if cell.recall is None else numbers[cell.run]
        by_row.setdefault(cell.row, {}).setdefault(cell.team, []).extend([cell.recall, run])
    columns = [Column("team")]
    columns += [
        column for kind in MEASURES for column in (Column(kind, "percent"), Column("run", "count", f"{kind}_run"))
    ]
    tables: list[Block] = []
    for row, teams in by_row.items():
        rows = [*([team, *values] for team, values in teams.items()), *_without(task, found, 2 * len(MEASURES))]
        title = f"{row}: best recall of each team"
        tables.append(Table(columns, rows, title, f"recall-{slug(row)}", ["in percent"]))
    return tables


def _hoo_runs(runs: Sequence[RunScores]) -> Table:
    """Every run: F of each measure, without and with bonus."""
    shown = [(condition, measure) for condition in CONDITIONS for measure in MEASURES]
    columns = [Column("run"), Column("late")]
    columns += [Column(f"{measure}, {condition}", "percent") for condition, measure in shown]
    rows: list[list[Cell]] = []
    for run in runs:
        late = LATE if run.submission.late else ""
        rows.append([run.submission.name, late, *(prf(run.gold[0], *each).f for each in shown)])
    return Table(columns, rows, "F of every run, in percent", "all-runs")


def _without(task: Task, found: CorpusResults, n: int) -> list[list[Cell]]:
    """Rows of the teams that handed nothing in."""
    there = {run.submission.team for run in found.runs}
    return [[team.name, *[None] * n] for team in task.teams if team.name not in there]


def _renamed(section: Section, name: str, title: str) -> Section:
    """A section whose names nothing in a report of several corpora shares."""
    blocks = [replace(b, name=f"{name}{b.name}") if isinstance(b, Table) else b for b in section.blocks]
    return Section(f"{name}{section.name}", f"{title}{section.title}", blocks)
