"""The board of a shared task: the tables of an overview paper, and a page for each team."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from errorbar.metrics.score import Score
from errorbar.reporting.board_hoo import hoo_run_table, hoo_sections
from errorbar.reporting.model import Block, Cell, Links, Prose, Report, Section, Shown, Table
from errorbar.reporting.sections.figures import DASH, estimate_cell, f_name, plural, reasons, share, slug
from errorbar.tasks.config import Task, Team
from errorbar.tasks.results import CorpusResults, HooResults, RunScores, TaskResults
from errorbar.version import __version__

LATE = "late"
WITH = "with alternative answers"
WITHOUT = "without alternative answers"


def board_sections(results: TaskResults) -> list[Section]:
    """The overview's sections: profiles, then for each corpus its tables.

    Args:
        results: What was scored.
    """
    sections = [profiles(results.task)]
    for found in results.corpora:
        prefix = f"{found.corpus.name}: " if len(results.corpora) > 1 else ""
        # Told apart from the sections that a report of the best runs has.
        name = f"overview-{slug(found.corpus.name)}-" if len(results.corpora) > 1 else "overview-"
        made = (
            _sentence_sections(results.task, found)
            if isinstance(found, CorpusResults)
            else hoo_sections(results.task, found)
        )
        sections += [_renamed(section, name, prefix) for section in made]
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
    for found in results.corpora:
        if isinstance(found, CorpusResults) and found.runs:
            first = found.best()[0]
            what = f"{f_name(first.gold[0].beta)} of {estimate_cell(first.gold[0].f).text}"
            summary.append(f"The best run for {found.corpus.name} is {first.submission.name}, with {what}.")
    return Report(task.name, summary, board_sections(results), tuple(_facts(results)), __version__, date)


def team_report(results: TaskResults, team: Team, *, date: str = "") -> Report:
    """A team's page: its profile, every run, and recall of every error type.

    Args:
        results: What was scored.
        team: Whose page.
        date: When, as ``2026-11-21``; empty where it must be the same every time.
    """
    said = [
        ("name", team.full_name),
        ("affiliation", team.affiliation),
        ("approach", team.approach),
        ("resources", team.resources),
    ]
    facts = [("task", results.task.name), *((name, text) for name, text in said if text)]
    sections = []
    for found in results.corpora:
        blocks: list[Block] = []
        if isinstance(found, CorpusResults):
            blocks = _team_blocks(found, [run for run in found.runs if run.submission.team == team.name])
        else:
            runs = [run for run in found.runs if run.submission.team == team.name]
            blocks = [hoo_run_table(runs)] if runs else [Prose(["No run was handed in, or none was released."])]
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
    rows: list[list[Cell]] = [
        [
            team.name,
            team.full_name or DASH,
            team.affiliation or DASH,
            team.approach or DASH,
            team.resources or DASH,
            Shown(str(len(team.submissions)), len(team.submissions)),
        ]
        for team in task.teams
    ]
    columns = ["team", "name", "affiliation", "approach", "resources", "runs"]
    return Section("profiles", "Teams", [Table("teams", "Who takes part", columns, rows, 5)])


def score_table(name: str, title: str, task: Task, ranked: Sequence[RunScores], scores: Sequence[Score]) -> Table:
    """Best runs, best first; teams without a run follow with dashes."""
    beta = scores[0].beta if scores else 0.5
    rows: list[list[Cell]] = []
    for rank, (run, score) in enumerate(zip(ranked, scores, strict=True), 1):
        late = LATE if run.submission.late else ""
        rows.append(
            [
                Shown(str(rank), rank),
                run.submission.team,
                Shown(str(run.submission.run), run.submission.run),
                late,
                *_prf(score),
            ]
        )
    there = {run.submission.team for run in ranked}
    rows += [
        [Shown(DASH), team.name, Shown(DASH), "", *[Shown(DASH)] * 3] for team in task.teams if team.name not in there
    ]
    notes = ["P, R and F in percent", *reasons([e for s in scores for e in (s.precision, s.recall, s.f)])]
    if any(run.submission.late for run in ranked):
        notes.append(f"{LATE}: handed in after the deadline")
    if len(there) < len(task.teams):
        notes.append("–: no run was handed in, or none was released")
    signatures = dict.fromkeys(str(score.signature).split("|hyp:")[0] for score in scores)
    notes += [f"signature {signature}" for signature in signatures]
    return Table(name, title, ["rank", "team", "run", "late", "P", "R", f_name(beta)], rows, 4, notes)


def type_table(name: str, title: str, task: Task, runs: Sequence[RunScores], scores: Sequence[Score]) -> Table:
    """Recall of each error type: a row for each type, a column for each team in the order of the task's file."""
    by_team = {run.submission.team: score for run, score in zip(runs, scores, strict=True)}
    recalls = {team: {row.type: row.recall for row in score.by_type} for team, score in by_team.items()}
    kinds = sorted({kind for found in recalls.values() for kind in found})
    teams = [team.name for team in task.teams if team.name in recalls]
    rows: list[list[Cell]] = [[kind, *(share(recalls[team].get(kind)) for team in teams)] for kind in kinds]
    notes = ["recall in percent", "–: no edit of the type stands with the chosen annotators"]
    return Table(name, title, ["type", *teams], rows, 1, notes)


def _sentence_sections(task: Task, found: CorpusResults) -> list[Section]:
    best = found.best()
    blocks: list[Block] = [
        score_table("scores", f"Best run of each team, {WITHOUT}", task, best, [run.gold[0] for run in best])
    ]
    types: list[Block] = [
        type_table("types", f"Recall by error type, {WITHOUT}", task, best, [run.gold[0] for run in best])
    ]
    if found.corpus.alternatives:
        other = found.best(alternatives=True)
        scores = [run.alternatives[0] for run in other]
        blocks.append(score_table("scores-alternatives", f"Best run of each team, {WITH}", task, other, scores))
        types.append(type_table("types-alternatives", f"Recall by error type, {WITH}", task, other, scores))
    for at, spec in enumerate(task.metrics[1:], 1):
        ranked = sorted(best, key=lambda run: -(run.gold[at].f.value or 0.0))
        scores = [run.gold[at] for run in ranked]
        blocks.append(score_table(f"scores-{slug(spec)}", f"The same runs under {spec}", task, ranked, scores))
    sections = [Section("ranking", "Scores", blocks), Section("error-types", "Recall by error type", types)]
    single = _single(task, found, best)
    if single:
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
        values: list[Cell] = [cell for name in names for cell in (_prf(run.single[name]) if run else [Shown(DASH)] * 3)]
        rows.append([team.name, *values])
    f = f_name(best[0].gold[0].beta)
    columns = ["team", *(f"{figure}, {name}" for name in names for figure in ("P", "R", f))]
    pairs: list[list[Cell]] = [[writer, judge, *_prf(score)] for writer, judge, score in found.pairs]
    return [
        Table("single", "Best runs against one annotator alone", columns, rows, 1, ["in percent"]),
        Table("pairs", "Annotators against each other", ["text of", "scored against", "P", "R", f], pairs, 2),
    ]


def run_table(name: str, title: str, runs: Sequence[RunScores]) -> Table:
    """Every run under the first metric."""
    f = f_name(runs[0].gold[0].beta) if runs else "F"
    other = any(run.alternatives for run in runs)
    rows: list[list[Cell]] = []
    for run in runs:
        late, changed = LATE if run.submission.late else "", Shown(f"{run.n_changed:,}", run.n_changed)
        values = [*_prf(run.gold[0]), *(_prf(run.alternatives[0]) if other else [])]
        rows.append([run.submission.name, late, changed, *values])
    columns = ["run", "late", "changed", "P", "R", f, *(["P, alt.", "R, alt.", f"{f}, alt."] if other else [])]
    notes = ["changed: sentences that the run changes", *(["alt.: with alternative answers"] if other else [])]
    return Table(name, title, columns, rows, 2, notes)


def _team_blocks(found: CorpusResults, runs: Sequence[RunScores]) -> list[Block]:
    if not runs:
        return [Prose(["No run was handed in, or none was released."])]
    kinds = [row.type for row in runs[0].gold[0].by_type]
    rows: list[list[Cell]] = []
    for at, kind in enumerate(kinds):
        recalls = [share(run.gold[0].by_type[at].recall) for run in runs]
        counts = [run.gold[0].by_type[at] for run in runs]
        rows.append([kind, *recalls, Shown(f"{counts[0].correct} of {counts[0].gold}", counts[0].gold)])
    columns = ["type", *(run.submission.name for run in runs), f"found by {runs[0].submission.name}"]
    notes = [note for run in runs for note in map(str, run.notes)]
    blocks: list[Block] = [
        run_table("runs", "Runs", runs),
        Table("types", "Recall by error type, in percent", columns, rows, 1),
    ]
    if runs[0].single:
        alone: list[list[Cell]] = [
            [run.submission.name, name, *_prf(score)] for run in runs for name, score in run.single.items()
        ]
        columns = ["run", "annotator", "P", "R", f_name(runs[0].gold[0].beta)]
        blocks.append(Table("single", "Against one annotator alone", columns, alone, 2))
    return [*blocks, *([Prose(notes)] if notes else [])]


def _prf(score: Score) -> list[Shown]:
    return [estimate_cell(each) for each in (score.precision, score.recall, score.f)]


def _facts(results: TaskResults) -> list[tuple[str, str]]:
    facts = [("teams", str(len(results.task.teams))), ("metrics", ", ".join(results.task.metrics))]
    for found in results.corpora:
        name = f"data, {found.corpus.name}"
        if isinstance(found, HooResults):
            facts.append((name, plural(found.n_fragments, "text")))
        else:
            people = plural(len(found.facts.annotators), "annotator")
            facts.append((name, f"{plural(found.facts.n_sentences, 'sentence')}, {people}"))
    return facts


def _renamed(section: Section, name: str, title: str) -> Section:
    """A section whose names nothing in a report of several corpora shares."""
    blocks = [
        Table(f"{name}{b.name}", b.title, b.columns, b.rows, b.text_columns, b.notes) if isinstance(b, Table) else b
        for b in section.blocks
    ]
    return Section(f"{name}{section.name}", f"{title}{section.title}", blocks)
