"""``errorbar task alternatives``: answers that teams defend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from errorbar.cli.options import INPUT, format_option, jobs_option, note_record, show_notes
from errorbar.cli.render import Cell, Table, percent, show, show_json
from errorbar.cli.talk import tell
from errorbar.cli.task_run import corpus_record
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems

if TYPE_CHECKING:
    from errorbar.tasks import Task, TaskResults

SCHEMA = "errorbar.task-alternatives/1"


@click.command("alternatives")
@click.argument("task", type=click.Path(path_type=Path), metavar="TASK.toml")
@click.argument("files", nargs=-1, required=True, metavar="[TEAM=]FILE...")
@click.option("--corpus", metavar="NAME", help="What they are about.  [default: the test corpus]")
@click.option("--list", "listing", metavar="CSV", help="Write the answers there for judging.")
@click.option("--judged", type=INPUT, metavar="CSV", help="The list with its column verdict filled in: yes or no.")
@click.option("--gold", metavar="FILE", help="With --judged: where to write the gold edits and accepted answers.")
@click.option("--cache", type=click.Path(path_type=Path), metavar="DIR", help="Where counts are kept.")
@jobs_option
@format_option
def command(
    task: Path,
    files: tuple[str, ...],
    corpus: str | None,
    listing: str | None,
    judged: str | None,
    gold: str | None,
    cache: Path | None,
    jobs: int,
    style: str,
) -> None:
    """Check the answers that teams propose (M2 or JSONL), list them for judging, and score with those accepted.

    \b
    errorbar task alternatives task.toml alpha=answers.m2 --list answers.csv
    errorbar task alternatives task.toml alpha=answers.m2 --judged answers.csv --gold gold-alt.m2
    """
    from errorbar.formats.reference import NamedFile, read_named
    from errorbar.formats.saving import save_lines
    from errorbar.tasks import read_task
    from errorbar.tasks.alternatives import read_answers
    from errorbar.tasks.judging import judging_lines
    from errorbar.tasks.validation import choose_corpus

    if (listing is None) == (judged is None) or (judged is None) != (gold is None):
        what = "either --list CSV, or --judged CSV with --gold FILE, is needed"
        raise UsageError(Problem("task-alternatives", what, fix="list first, fill in the column verdict, then judge"))
    problems = Problems()
    read = read_task(task, problems)
    chosen = choose_corpus(read, corpus)
    if chosen.kind == "hoo" or not chosen.gold:
        what = f"corpus '{chosen.name}' has no gold edits of sentences"
        raise UsageError(Problem("task-no-gold", what, Place(str(task), chosen.line), fix="name another: --corpus"))
    lenient = Problems(lenient=chosen.lenient)
    named = [NamedFile(str(path), NamedFile.parse(str(path)).name) for path in chosen.gold]
    reference = read_named(named, lenient, unmarked=chosen.unmarked)
    answers = read_answers([NamedFile.parse(file) for file in files], reference, problems)
    problems.raise_errors()
    if listing is not None:
        save_lines(judging_lines(answers, reference), listing)
        show_notes(problems.notes)
        tell(f"{len(answers)} answer{'' if len(answers) == 1 else 's'} in {listing}: fill in the column verdict")
        return
    assert judged is not None
    assert gold is not None  # checked above
    from errorbar.formats.jsonl import write_jsonl
    from errorbar.formats.m2 import write_m2
    from errorbar.tasks.alternatives import with_answers
    from errorbar.tasks.judging import read_verdicts

    accepted = read_verdicts(judged, answers, problems)
    problems.raise_errors()
    made = with_answers(reference, accepted)
    if ".jsonl" in gold:
        save_lines(write_jsonl(made.sentences, problems), gold)
    else:
        save_lines(write_m2(made.sentences, problems, made.annotators), gold)
    tell(f"{len(accepted)} of {len(answers)} answers accepted; gold edits with them in {gold}")
    changed = replace(chosen, alternatives=(Path(gold),))
    results = _scored(replace(read, corpora=(changed,)), cache, jobs)
    if style == "json":
        document = {
            "schema": SCHEMA,
            "answers": len(answers),
            "accepted": [answer.id for answer in accepted],
            "gold": gold,
            "corpora": [corpus_record(found) for found in results.corpora],
            "warnings": [note_record(note) for note in problems.notes],
        }
        show_json(document)
        return
    show_notes(problems.notes)
    show(_table(results, style), style)


def _scored(task: Task, cache: Path | None, jobs: int) -> TaskResults:
    from errorbar.tasks import run_task

    corpora = tuple(replace(corpus, role="test") for corpus in task.corpora)  # answers may be about any
    return run_task(replace(task, corpora=corpora), Problems(), jobs=jobs, cache=cache)


def _table(results: TaskResults, style: str) -> Table:
    from errorbar.tasks import CorpusResults

    (found,) = results.corpora
    assert isinstance(found, CorpusResults)  # of sentences, as was checked
    rows: list[list[Cell]] = []
    for run in sorted(found.runs, key=lambda run: -(run.gold[0].f.value or 0)):
        estimates = [
            each for score in (run.gold[0], run.alternatives[0]) for each in (score.precision, score.recall, score.f)
        ]
        rows.append(
            [run.submission.name, *(each.value if style == "csv" else percent(each.value) for each in estimates)]
        )
    f = f"F{found.runs[0].gold[0].beta:g}" if found.runs else "F"
    return Table(["run", "P", "R", f, "P alt.", "R alt.", f"{f} alt."], rows, 1, ["alt.: with accepted answers"])
