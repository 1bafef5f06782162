"""The board of a shared task: its tables, its page, which opens with the leaderboard, and a page for each team."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from errorbar.api.arguments import Count, Progress, Resampled, Useless, public, resampling
from errorbar.api.corpus_results import CorpusStudy, Study
from errorbar.api.paper import judge_columns, judge_lines
from errorbar.api.score_result import measure_column
from errorbar.core.estimate import Method
from errorbar.core.problems import Problem, Problems, shell_words
from errorbar.metrics.base import Measure
from errorbar.reporting.blocks import Block, Chart, Code, Links, Prose, Report, Section, SentenceBrowser
from errorbar.reporting.board_tables import (
    NO_RUN,
    Standing,
    annotator_tables,
    board_report,
    deadline_fact,
    fragment_sections,
    hoo_runs,
    overview_sections,
    profiles,
    refused_section,
    rename_section,
    run_table,
    score_table,
    shared_ranks,
    team_tables,
    title_types,
    type_table,
)
from errorbar.reporting.charts.rows import Dot, dot_chart
from errorbar.reporting.export import make_folder, save_report, today
from errorbar.reporting.sections.assemble import build_report, study_sections
from errorbar.reporting.sections.figures import (
    axis,
    count_noun,
    judges_interval,
    main_measure,
    phrase_estimate,
    scale_estimate,
    slug,
)
from errorbar.reporting.sections.leaderboard import SCORES_CHART, outer_ends
from errorbar.tables.table import Cell, Column, Table
from errorbar.tasks.config import PROFILE, Task, Team
from errorbar.tasks.running import score_further_runs, study_best, submission_kind
from errorbar.tasks.task_results import LATE, CorpusResults, TaskResults, strip_folder, strip_folders
from errorbar.version import __version__

MOST_DRAWN = 40
"""Rows of a chart, beside those of the team."""
OWN = "◂"
"""Stands behind the runs of a page's team."""
NO_SENTENCES = "The sentences were left out, because the data may not be passed on."
FORMS = {
    "text": "A run is a text file of {units}: one corrected sentence in each line, in the order of the source.",
    "essays": "A run is a file of all essays in the form of the source, with the corrected texts.",
    "labels": "A run is a file of token labels: in each line a token of the source, a tab, and c (correct) or i.",
    "folder": "A run is a folder that has a file for each of {units}: the edits, or the corrected text.",
}
"""The file that a team sends, by the kind of submission."""


# The page of the task: the report on the best runs with what only a task has, nothing twice.


def board_page(board: Report, task: Task, standings: Sequence[Standing], *, browse: bool = True) -> Report:
    """The page of a task: the leaderboard first, then what a report shows, and every table that has more than it."""
    by_name = {standing.study.name: standing for standing in standings if standing.study is not None}
    if not by_name:
        return board
    report = build_report(
        [standing.study for standing in standings if standing.study is not None],
        title=board.title,
        command="",
        no_sentences="" if browse else NO_SENTENCES,
        make_sections=lambda study: _corpus_sections(task, by_name[study.name], study),
    )
    *shown, methods = report.sections
    for standing in standings:
        if standing.study is None:
            name = f"overview-{slug(standing.results.corpus.name)}-"
            sections = overview_sections(task, standing)
            shown += [rename_section(section, name, f"{standing.results.corpus.name}: ") for section in sections]
    n_runs = sum(run.submission.baseline is None for standing in standings for run in standing.results.runs)
    facts = (*board.facts[:1], ("runs", str(n_runs)), *board.facts[1:])
    sections = [*shown, profiles(task), _how_to_submit(task, [standing.results for standing in standings]), methods]
    page = replace(board, summary=report.summary, sections=sections, facts=facts)
    if len(standings) > 1:  # a headline is of one corpus
        return page
    return replace(page, headline=report.headline, terms=report.terms)


def _corpus_sections(task: Task, standing: Standing, study: Study) -> list[Section]:
    """The sections of a corpus: those of a report, before its sentences those that only a task has."""
    results = standing.results
    sections = study_sections(study)
    if results.corpus.kind == "hoo":
        several = len(results.runs) > len(results.best())  # else the best runs are those of the report
        more = fragment_sections(task, results) if several else []
    else:
        sections[0] = _with_runs(sections[0], task, results)
        more = list(_further_sections(task, standing))
    at = len(sections) - any(isinstance(block, SentenceBrowser) for block in sections[-1].blocks)
    return [*sections[:at], *more, *refused_section(results), *sections[at:]]


def _with_runs(section: Section, task: Task, results: CorpusResults) -> Section:
    """The leaderboard, in whose table stand the rank of each team, its run, and the teams without one."""
    at, chart = next(
        (at, block)
        for at, block in enumerate(section.blocks)
        if isinstance(block, Chart) and block.name == SCORES_CHART  # shares of a person may stand above it
    )
    table, best = chart.table, {run.submission.team: run for run in results.best()}
    places = dict(zip(best, shared_ranks([run.gold[0] for run in best.values()]), strict=True))
    any_late = any(run.late for run in best.values())
    columns = [Column("rank", "count"), Column("team"), Column("run", "count"), *[Column("late")] * any_late]
    columns += [*table.columns[1:], Column("changed", "count")]
    rows: list[list[Cell]] = []
    for team, *cells in table.rows:
        run = best[str(team)]
        rows.append([places[str(team)], team, run.submission.run, *[run.late] * any_late, *cells, run.n_changed])
    absent = [team.name for team in task.teams if team.name not in best]
    rows += [[None, name, *[None] * (len(columns) - 2)] for name in absent]
    notes = [*table.notes, "run: the best of the team's; changed: sentences that it changes"]
    notes += [f"{LATE}: handed in after the deadline"] * any_late
    notes += [f"–: {NO_RUN}"] * bool(absent)
    table = replace(table, columns=columns, rows=rows, title="Best run of each team, in percent", notes=notes)
    return replace(section, blocks=[*section.blocks[:at], replace(chart, table=table), *section.blocks[at + 1 :]])


def _further_sections(task: Task, standing: Standing) -> Iterator[Section]:
    results = standing.results
    if results.corpus.alternatives:
        best = results.best(alternatives=True)
        scores = [run.alternatives[0] for run in best]
        ranked = list(zip(best, scores, strict=True))
        blocks: list[Block] = [score_table("scores-alternatives", "Best run of each team", task, 0, ranked)]
        if any(score.by_type for score in scores):
            blocks.append(type_table("types-alternatives", title_types(scores), task, best, scores))
        yield Section("alternatives", "With alternative answers", blocks)
    if single := annotator_tables(task, results, results.best()):
        yield Section("annotators", "Single annotators", single)
    if further := [run for run in results.runs if not standing.is_best(run)]:
        further.sort(key=lambda run: run.gold[0].rank_key)
        table = run_table("further-runs", "Runs that are not the best of their team", standing, further)
        yield Section("runs", "Further runs", [table])


# The page of a team.


def team_report(
    results: TaskResults,
    team: Team,
    *,
    date: str = "",
    standings: Sequence[Standing] | None = None,
    submit: bool = True,
) -> Report:
    """A team's page: its rank, its runs beside those of the others, recall of every error type, how to submit."""
    task = results.task
    profile = {"task": task.name, "name": team.full_name} | {key: getattr(team, key) for key in PROFILE[1:]}
    took_part = "is a baseline" if team.baseline else "took part"
    summary = [f"{team.full_name or team.name} {took_part} with {count_noun(len(team.submissions), 'run')}."]
    sections = []
    for standing in standings or [Standing(corpus) for corpus in results.corpora]:
        summary += _place_sentences(standing, team)
        sections.append(_team_section(standing, team))
    if submit and not team.baseline:
        sections.append(_how_to_submit(task, results.corpora, team))
    facts = (*((name, text) for name, text in profile.items() if text), *deadline_fact(task))
    return Report(f"{team.name} in {task.name}", summary, sections, facts, __version__, date)


def _place_sentences(standing: Standing, team: Team) -> list[str]:
    """The team's rank with its score, and what a test says of it and the first team, or the second."""
    best = standing.results.best()
    at = next((k for k, run in enumerate(best) if run.submission.team == team.name), None)
    if at is None:
        return []
    rank, score = shared_ranks([run.gold[0] for run in best])[at], standing.score(best[at])
    measure = main_measure(score)
    name = _name_measure(measure)
    value = phrase_estimate(score[score.main], measure.kind, judges_interval(score))
    corpus = standing.results.corpus.name
    sentences = [f"It ranks {rank} of {len(best)} on {corpus}, with {name} {value} by {best[at].submission.name}."]
    study = standing.study
    if not isinstance(study, CorpusStudy) or study.comparison is None:
        return sentences
    both = {team.name, best[0 if at else 1].submission.team}
    pairs = study.comparison.found.pairs
    pair = next(pair for pair in pairs if {pair.first, pair.second} == both)
    adjusted = ", adjusted for all pairs" * (len(pairs) > 1)
    return [*sentences, f"{pair.sentence(study.unit, measure.sign)}{adjusted}."]


def _name_measure(measure: Measure) -> str:
    return f"{measure.title} of {measure.group}" if measure.group else measure.title


def _team_section(standing: Standing, team: Team) -> Section:
    results = standing.results
    blocks: list[Block] = [Prose([f"{NO_RUN.capitalize()}."])]
    if own := [run for run in results.runs if run.submission.team == team.name]:
        blocks = [hoo_runs(own)] if results.corpus.kind == "hoo" else team_tables(standing, own)
        if standing.study is not None:
            blocks.insert(0, _place_chart(standing, team))
    if bad := [run for run in results.refused if run.submission.team == team.name]:
        blocks.append(replace(results, refused=bad).refused_table())
    name = slug(results.corpus.name)
    return rename_section(Section(name, f"Runs for {results.corpus.name}", blocks), f"{name}-", "")


def _place_chart(standing: Standing, team: Team) -> Chart:
    """The runs of a team among the best runs of the others, best first."""
    runs = [run for run in standing.results.runs if run.submission.team == team.name or standing.is_best(run)]
    runs.sort(key=lambda run: run.gold[0].rank_key)
    own = {run.submission.name for run in runs if run.submission.team == team.name}
    runs = [run for k, run in enumerate(runs) if k < MOST_DRAWN or run.submission.name in own]
    scores = [standing.score(run) for run in runs]
    measure, main = main_measure(scores[0]), scores[0].main
    dots = [
        Dot(
            score.system,
            *scale_estimate(score[main], measure.kind),
            OWN * (score.system in own),
            outer=outer_ends(score),
        )
        for score in scores
    ]
    judged = judge_columns(scores, [measure])
    columns = [Column("run"), measure_column(measure), *(column for column, _ in judged)]
    rows: list[list[Cell]] = [[score.system, score[main], *(cell(score) for _, cell in judged)] for score in scores]
    level = standing.confidence_level or 0.95
    title = f"{_name_measure(measure)}: {team.name} and the best runs of other teams"
    table = Table(columns, rows, title, "place-values", judge_lines(scores), level)
    text = f"Best first; {OWN} stands behind the runs of {team.name}. "
    if any(dot.outer for dot in dots):
        text += "Thick bars: other texts, these judges; thin bars: other texts and other judges."
    else:
        text += f"Bars are {100 * level:g}% intervals: other texts."
    return Chart("place", title, text, dot_chart(dots, axis(measure), name_title="run"), table)


def _how_to_submit(task: Task, corpora: Sequence[CorpusResults], team: Team | None = None) -> Section:
    """How to submit: the form of a run, how many may be sent until when, and the command that checks one."""
    lines = [task.submit] * bool(task.submit)
    for results in corpora:
        unit = "text" if results.corpus.kind == "hoo" else "line"
        form = FORMS[submission_kind(results.corpus)].format(units=count_noun(results.n_units, unit))
        most = f"Up to {count_noun(task.runs_per_team, 'run')} may be sent for {results.corpus.name}"
        if team is not None:
            most += f"; {sum(run.corpus == results.corpus.name for run in team.submissions)} came"
        lines.append(f"{form} {most}.")
    lines += [f"Runs that come after {deadline} are marked late." for _, deadline in deadline_fact(task)]
    check = f"errorbar task validate {shell_words(task.file.name)} RUN"
    return Section("submit", "How to submit", [Prose(lines), Code(check, "Check a run before it is sent")])


# The files.


@public(
    Useless(
        "ci_method resamples confidence seed",
        "is about pages, and --tables-only makes none",
        lambda arguments: arguments["tables_only"],
    )
)
def write_board(
    results: TaskResults,
    out: str | Path,
    *,
    tables_only: bool = False,
    browse: bool = True,
    ci_method: Method = "bca",
    jobs: Count = 1,
    date: str | None = None,
    folders: bool = True,
    progress: Progress = lambda _: None,
    **shared: Unpack[Resampled],
) -> tuple[list[str], list[Problem]]:
    """Write tables.md, tables.tex, index.html and teams/NAME.html.

    Args:
        results: The scores of every run.
        out: The folder to write to.
        tables_only: Write the tables in Markdown and LaTeX, no pages.
        browse: Whether pages show the sentences.
        ci_method: Bootstrap of documents (of sentences where no documents are known), or closed formulas.
        jobs: Number of processes to use; no digit depends on it.
        date: When the pages were made; None: today; empty: not said.
        folders: Whether problems name files by their paths, which pages for others must not show.
        progress: Told how many corpora are done.
        shared: How intervals are made.

    Returns:
        The names of the files, and the notes of what the pages show of the best runs.

    Raises:
        InputError: If a file cannot be written.
    """
    folder = Path(out)
    make_folder(folder)
    if not folders:
        results = strip_folders(results)
    files, problems, task = ["tables.md", "tables.tex"], Problems(), results.task
    standings = None
    if not tables_only:
        how = resampling(shared, ci_method, jobs)
        studies = study_best(results, problems, how, browse=browse, progress=progress)
        if not folders:
            studies = [replace(study, notes=[strip_folder(note) for note in study.notes]) for study in studies]
        by_name = {study.name: study for study in studies}
        standings = [
            Standing(corpus, by_name.get(corpus.corpus.name), score_further_runs(task, corpus, how))
            for corpus in results.corpora
        ]
    board = board_report(results, date=today() if date is None else date, standings=standings)
    save_report(board, str(folder / "tables.md"), "markdown")
    save_report(board, str(folder / "tables.tex"), "latex")
    if standings is not None:
        page = board_page(board, task, standings, browse=browse)
        names = [f"teams/{team.name}.html" for team in task.teams]
        ways = dict(zip((team.name for team in task.teams), names, strict=True))
        save_report(add_links(page, "A page for each team", ways), str(folder / "index.html"))
        make_folder(folder / "teams")
        for team, name in zip(task.teams, names, strict=True):
            own = team_report(results, team, date=board.date, standings=standings)
            linked = add_links(own, "The task", {f"All teams of {task.name}": "../index.html"})
            save_report(linked, str(folder / name))
        files += ["index.html", *names]
    return files, list(dict.fromkeys(problems.notes))


def add_links(report: Report, label: str, targets: Mapping[str, str]) -> Report:
    """A page whose first section opens with ways to the others."""
    first, *others = report.sections
    return replace(report, sections=[replace(first, blocks=[Links(label, targets), *first.blocks]), *others])
