"""``errorbar task run``: score every run of a task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from errorbar.cli.options import format_option, jobs_option, note_record, show_notes
from errorbar.cli.progress import progress_bar
from errorbar.cli.render import Cell, Table, percent, show, show_json
from errorbar.cli.show import show_tables
from errorbar.cli.talk import tell
from errorbar.core.problems import Problems

if TYPE_CHECKING:
    from errorbar.metrics.score import Score
    from errorbar.tasks import CorpusResults, HooResults, TaskResults
    from errorbar.tasks.results import HooRunScores, RunScores

SCHEMA = "errorbar.task-run/1"
LATE = "late"


@click.command("run")
@click.argument("task", type=click.Path(path_type=Path), metavar="TASK.toml")
@click.option("--cache", type=click.Path(path_type=Path), metavar="DIR", help="Where counts are kept.")
@click.option("--prune", is_flag=True, help="Remove counts that this task no longer needs from the cache.")
@jobs_option
@format_option
def command(task: Path, cache: Path | None, prune: bool, jobs: int, style: str) -> None:
    """Score every run of every team; only what is new or changed is counted.

    \b
    errorbar task run task.toml
    errorbar task run task.toml --jobs 2 --format csv
    """
    problems = Problems()
    results = score_task(task, cache, jobs, problems, prune=prune)
    if style == "json":
        corpora = [corpus_record(found) for found in results.corpora]
        notes = [note_record(note) for note in problems.notes]
        show_json({"schema": SCHEMA, "task": results.task.name, "corpora": corpora, "warnings": notes})
        return
    from errorbar.studies.hoo_scores import score_table
    from errorbar.tasks.results import HooResults

    show_notes(problems.notes)
    for found in results.corpora:
        if isinstance(found, HooResults):
            show_tables([score_table([score for run in found.runs for score in run.scores], found.teams)], style)
        else:
            show(_table(found, style), style)


def score_task(path: Path, cache: Path | None, jobs: int, problems: Problems, *, prune: bool = False) -> TaskResults:
    """Read and score a task, with a progress line; what it cost is said on standard error.

    Raises:
        InputError: If something of the task is bad.
    """
    from errorbar.tasks import read_task, run_task

    task = read_task(path, problems)
    total = sum(len(team.submissions) for team in task.teams)
    with progress_bar("runs", total) as progress:
        results = run_task(task, problems, jobs=jobs, cache=cache, prune=prune, progress=progress)
    made = f"{results.n_counted} count{'' if results.n_counted == 1 else 's'} made"
    tell(f"{total} run{'' if total == 1 else 's'}: {made}, {results.n_cached} from the cache")
    if prune:
        tell(f"{results.n_pruned} old count{'' if results.n_pruned == 1 else 's'} removed")
    return results


def _table(found: CorpusResults, style: str) -> Table:
    several = any(len(run.gold) > 1 for run in found.runs)
    other = any(run.alternatives for run in found.runs)
    rows: list[list[Cell]] = []
    for run in sorted(found.runs, key=lambda run: -(run.gold[0].f.value or 0)):
        for at, score in enumerate(run.gold):
            values = [*_prf(score, style), *(_prf(run.alternatives[at], style) if other else [])]
            rows.append(
                [
                    run.submission.name,
                    LATE if run.submission.late else "",
                    *([score.metric] if several else []),
                    *values,
                    run.n_changed,
                ]
            )
    f = f"F{found.runs[0].gold[0].beta:g}" if found.runs else "F"
    figures = ["P", "R", f, *(["P alt.", "R alt.", f"{f} alt."] if other else [])]
    names = ["run", "late", *(["metric"] if several else [])]
    signatures = dict.fromkeys(str(s.signature).split("|hyp:")[0] for run in found.runs for s in run.gold)
    footer = [f"signature {signature}" for signature in signatures]
    return Table([*names, *figures, "changed"], rows, len(names), [f"corpus {found.corpus.name}", *footer])


def _prf(score: Score, style: str) -> list[Cell]:
    values = (score.precision.value, score.recall.value, score.f.value)
    return list(values) if style == "csv" else [percent(value) for value in values]


def corpus_record(found: CorpusResults | HooResults) -> dict[str, object]:
    """A corpus's runs as they stand in JSON output."""
    from errorbar.tasks import CorpusResults

    rows: list[dict[str, object]] = []
    if isinstance(found, CorpusResults):
        rows = [_run_record(run) for run in found.runs]
    else:
        rows = [_hoo_record(run) for run in found.runs]
    return {"corpus": found.corpus.name, "runs": rows}


def _run_record(run: RunScores) -> dict[str, object]:
    return {
        **_submission_record(run),
        "changed": run.n_changed,
        "gold": _scores(run.gold),
        "alternatives": _scores(run.alternatives),
        "single": {name: _scores([score])[0] for name, score in run.single.items()},
    }


def _hoo_record(run: HooRunScores) -> dict[str, object]:
    return {**_submission_record(run), "gold": run.made.to_dict()["rows"]}


def _submission_record(run: RunScores | HooRunScores) -> dict[str, object]:
    submission = run.submission
    submitted = None if submission.submitted is None else submission.submitted.isoformat()
    return {"team": submission.team, "run": submission.run, "late": submission.late, "submitted": submitted}


def _scores(scores: Sequence[Score]) -> list[dict[str, object]]:
    return [
        {
            "metric": score.metric,
            "precision": score.precision.value,
            "recall": score.recall.value,
            "f": score.f.value,
            "correct": score.counts.correct,
            "proposed": score.counts.proposed,
            "gold": score.counts.gold,
            "signature": str(score.signature),
        }
        for score in scores
    ]
