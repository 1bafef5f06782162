"""Scoring one submission to a host: what the scoring program of a bundle calls."""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from errorbar.core.errors import InputError, Problem
from errorbar.core.problems import Problems
from errorbar.formats.saving import save_lines
from errorbar.hosting.columns import leader_scores
from errorbar.hosting.submission_files import find_submission
from errorbar.hosting.submission_form import Form, submission_form
from errorbar.hosting.task_files import FILE
from errorbar.reporting.board import team_report
from errorbar.reporting.export import make_folder, save_report
from errorbar.reporting.sections.assemble import build_report
from errorbar.stats.resampling import Resampling
from errorbar.studies.door import public
from errorbar.tasks.best_runs import study_best
from errorbar.tasks.config import Submission, Task, TaskCorpus, Team
from errorbar.tasks.reading import read_task
from errorbar.tasks.running import run_task
from errorbar.tasks.task_data import read_data
from errorbar.tasks.task_results import TaskResults, without_folders

SCORES, DETAILS = "scores.json", "detailed_results.html"
TEAM = "submission"
NO_SENTENCES = "Sentences and their gold edits are the organizers'."
MOST_SHOWN = 50  # problems that the page of a bad submission lists


@public()
def score_submission(
    reference: str | Path, submission: str | Path, out: str | Path, *, details: bool = True
) -> TaskResults:
    """Score one run as a competition's host hands it over, and write what the host reads.

    Writes ``scores.json``, a value for each column of the leaderboard, whole or not at all, and
    ``detailed_results.html``: a page of the run without any sentence, or one that says what is wrong with it.

    Args:
        reference: Folder of the reference data of one corpus, as ``bundle_task`` writes it.
        submission: Folder of the unpacked submission.
        out: Folder to write to.
        details: Whether to write the page.

    Raises:
        InputError: If the submission is not what it must be; no scores are written then.
    """
    target = Path(out)
    make_folder(target)
    (target / SCORES).unlink(missing_ok=True)  # of an earlier run
    task = read_task(Path(reference) / FILE)
    corpus = replace(task.corpora[0], role="test")
    try:
        results = _scored(replace(task, corpora=(corpus,)), Path(submission))
    except InputError as error:
        if details:
            save_lines(_page_of_problems(task.name, error.problems), str(target / DETAILS))
        raise
    scores = leader_scores(results.corpora[0].runs[0])
    save_lines([json.dumps(scores, indent=1)], str(target / SCORES))
    if details:
        _save_page(results, target / DETAILS)
    return results


def _scored(task: Task, folder: Path) -> TaskResults:
    corpus = task.corpora[0]
    path = find_submission(folder, form_of(corpus))
    with TemporaryDirectory() as cache:
        results = run_task(with_run(task, path), cache=cache)
    results = without_folders(results)
    if results.refused:
        raise InputError(results.refused[0].problems)
    return results


def form_of(corpus: TaskCorpus) -> Form:
    """The form of submissions for a corpus."""
    return submission_form(corpus, read_data(corpus))


def with_run(task: Task, path: Path) -> Task:
    """The task with one team, whose one run is at a path."""
    run = Submission(TEAM, 1, task.corpora[0].name, path)
    return replace(task, teams=(Team(TEAM, submissions=(run,)),), deadline=None)


def _save_page(results: TaskResults, path: Path) -> None:
    task = results.task
    studies = study_best(results, Problems(), Resampling(), browse=False)
    # What is said of a file is said of the references: a repair quotes them.
    studies = [replace(study, notes=[note for note in study.notes if not note.place.file]) for study in studies]
    report = build_report(studies, title=task.name, command="", no_sentences=NO_SENTENCES)
    own = team_report(results, task.teams[0])
    save_report(replace(report, sections=[*own.sections, *report.sections]), str(path), "html")


def _page_of_problems(title: str, problems: tuple[Problem, ...]) -> list[str]:
    """A page for whoever sees no logs."""
    more = len(problems) - MOST_SHOWN
    return [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        f"<title>{escape(title)}: not scored</title>",
        "<style>body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}</style>",
        "<h1>This submission was not scored</h1><ul>",
        *(f"<li>{escape(str(each))}" for each in problems[:MOST_SHOWN]),
        *([f"<li>and {more} more"] if more > 0 else []),
        "</ul></html>",
    ]
