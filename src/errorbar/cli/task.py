"""``errorbar task``: a shared task from one TOML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from errorbar.cli.command import OUTPUT, Command, OutputPath, progress_bar, say, show_lines, show_notes
from errorbar.cli.main import EXIT_BAD_INPUT, Group, show_problems, while_read
from errorbar.cli.options import INPUT, options_of, refuse_given
from errorbar.cli.output import OutputOptions, check_output, output_options
from errorbar.core.problems import InputError, Problem, UsageError
from errorbar.formats.saving import is_stream, receipt_name

if TYPE_CHECKING:
    from errorbar.tasks.task_results import TaskResults

PATH = click.Path(path_type=Path)
WRITTEN = OutputPath(is_file=False, path_type=Path)
TASK = {"argument": "TASK.toml", "type": PATH}
CACHE = {"type": PATH, "metavar": "DIR"}


@click.group("task", cls=Group)
def command() -> None:
    """A shared task: corpora, metrics, teams and their runs, described in one TOML file."""


@command.command("init", cls=Command, short_help="Write an example task and its folders.")
@click.argument("folder", type=WRITTEN, default=".")
@options_of("errorbar.tasks.config:write_template", folder=None)
def init(**options: Any) -> None:
    """Write a commented task.toml and the folders that it names into FOLDER; nothing is overwritten.

    \b
    errorbar task init spring
    errorbar task init --kind hoo pilot
    """
    from errorbar.tasks.config import write_template

    for path in write_template(**options):
        show_lines(f"{path}{'/' if path.is_dir() else ''}")


@command.command("validate", cls=Command, short_help="Check a submission before it is sent.")
@options_of(
    "errorbar.tasks.validation:validate",
    task=TASK,
    submissions={"argument": "SUBMISSION...", "type": PATH},
    corpus={"metavar": "NAME"},
    dev={"type": PATH, "metavar": "OUTPUT"},
)
@output_options
def validate(output: OutputOptions, **options: Any) -> None:
    """Check submissions as a team does before sending; exit code 2 if one cannot be sent.

    Needs the source of the test data, not its gold edits, and scores nothing but development data.

    \b
    errorbar task validate task.toml run1.txt
    errorbar task validate task.toml run1.txt --dev dev-output.txt
    errorbar task validate task.toml --corpus dev dev-output.txt
    """
    from errorbar.tasks.validation import validate

    result = validate(**options)
    errors = dict.fromkeys(problem for each in result.submissions for problem in each.errors)
    with while_read():
        if errors and output.style != "json":
            show_problems(InputError(errors))
        output.show(result, "errorbar.task-validate/1")
    sys.exit(EXIT_BAD_INPUT if errors else 0)


@command.command("run", cls=Command, short_help="Score every run; what was counted before is not counted again.")
@options_of("errorbar.tasks.running:run_task", task=TASK, cache=CACHE)
@click.option(
    "--receipt/--no-receipt", default=True, help="Leave a receipt beside the file of -o (the default), or none."
)
@output_options
def run(output: OutputOptions, receipt: bool, **options: Any) -> None:
    """Score every run of every team; only what is new or changed is measured.

    A run that cannot be scored is listed with what is wrong with it, and the exit code is 2. Beside a file of results
    stands their receipt, which 'errorbar verify' checks.

    \b
    errorbar task run task.toml
    errorbar task run task.toml --jobs 2 --format csv
    errorbar task run task.toml -o scores.csv
    """
    left = receipt and output.file is not None and not is_stream(output.file)
    if left:
        check_output(receipt_name(str(output.file)))
    results = _score(**options)
    with while_read():
        output.show(results, "errorbar.task-run/1")
    if left:
        from errorbar.receipts.receipt import receipt_of_task

        receipt_of_task(results, str(output.file)).save(str(output.file))
    exit_for(results)


@command.command("board", cls=Command, short_help="Write the tables, the page of the task and a page for each team.")
@options_of("errorbar.tasks.running:run_task", task=TASK, prune=None, cache=CACHE)
@options_of(
    "errorbar.reporting.board:write_board",
    out={"names": ("-o", "--output", "--out"), "type": WRITTEN, "metavar": "DIR"},
    **dict.fromkeys(("results", "browse", "jobs", "date", "folders")),
)
@click.option("--no-browse", is_flag=True, help="Leave the sentences out, for data that may not be passed on.")
def board(
    task: Path, out: Path, cache: Path | None, jobs: int, tables_only: bool, no_browse: bool, **intervals: Any
) -> None:
    """Write tables.md, tables.tex, index.html and teams/NAME.html; runs are scored as task run does.

    The page of the task holds the tables and a report on the best run of each team: intervals, which teams
    differ significantly, the human ceiling, agreement, every sentence.

    \b
    errorbar task board task.toml -o board
    errorbar task board task.toml -o board --tables-only
    """
    from errorbar.reporting.board import write_board
    from errorbar.reporting.export import need, new_folder

    if tables_only:
        refuse_given(("no_browse",), "is about pages, and --tables-only makes none")
    else:
        need("html")
    with new_folder(out):
        results = _score(task=task, cache=cache, jobs=jobs)
    with progress_bar("corpora", len(results.corpora)) as progress:
        files, notes = write_board(
            results, out, tables_only=tables_only, browse=not no_browse, jobs=jobs, progress=progress, **intervals
        )
    show_notes(list(dict.fromkeys([*results.notes, *notes])))
    show_lines(*(str(out / name) for name in files))
    exit_for(results)


@command.command("alternatives", cls=Command, short_help="List teams' alternative answers, score with those accepted.")
@options_of(
    "errorbar.tasks.alternatives:propose",
    task=TASK,
    files={"argument": "[TEAM=]FILE...", "type": INPUT},
    corpus={"metavar": "NAME"},
)
@click.option("--list", "listing", type=OUTPUT, metavar="CSV", help="Write the answers there for judging.")
@click.option("--judged", type=INPUT, metavar="CSV", help="The list with its column verdict filled in: yes or no.")
@click.option(
    "--gold", type=OUTPUT, metavar="FILE", help="With --judged: where to write the gold edits and accepted answers."
)
@options_of("errorbar.tasks.running:run_task", task=None, prune=None, cache=CACHE)
@output_options
def alternatives(
    task: Path, files: tuple[str, ...], corpus: str | None, listing: str | None, output: OutputOptions, **given: Any
) -> None:
    """Check the answers that teams propose (M2 or JSONL), list them for judging, and score with those accepted.

    \b
    errorbar task alternatives task.toml alpha=answers.m2 --list answers.csv
    errorbar task alternatives task.toml alpha=answers.m2 --judged answers.csv --gold gold-alt.m2
    """
    from errorbar.tasks.alternatives import propose

    judged, gold = given.pop("judged"), given.pop("gold")
    if (listing is None) == (judged is None) or (judged is None) != (gold is None):
        message = "either --list CSV, or --judged CSV with --gold FILE, is needed"
        raise UsageError(
            Problem("task-alternatives", message, fix="list first, fill in the column verdict, then judge")
        )
    if listing is not None:
        refuse_given(("cache", "jobs", "style", "output"), "is about scoring, and --list scores nothing")
    proposals = propose(task, files, corpus=corpus)
    n = len(proposals.answers)
    if listing is not None:
        proposals.list(listing)
        show_notes(proposals.problems.notes)
        say(f"{n} answer{'s' * (n != 1)} in {listing}: fill in the column verdict")
        return
    result = proposals.judge(judged, gold, **given)
    say(f"{len(result.accepted)} of {n} answers accepted; gold edits with them in {gold}")
    output.show(result, "errorbar.task-alternatives/1")


def _score(*, prune: bool = False, **options: Any) -> TaskResults:
    """Score a task, with a progress line; what it cost is said on standard error."""
    from errorbar.tasks.running import run_task

    with progress_bar("runs") as progress:
        results = run_task(prune=prune, progress=progress, **options)
    n_runs = sum(len(corpus.runs) + len(corpus.refused) for corpus in results.corpora)
    say(f"{n_runs} run{'s' * (n_runs != 1)}: {results.n_measured} measured, {results.n_found} from the cache")
    if prune:
        say(f"{results.n_pruned} old measurement{'s' * (results.n_pruned != 1)} removed")
    return results


def exit_for(results: TaskResults) -> None:
    """Say what is wrong with runs that were not scored, and leave with the exit code."""
    problems = [problem for each in results.refused for problem in each.problems]
    with while_read():
        if problems:
            show_problems(InputError(dict.fromkeys(problems)))
    sys.exit(EXIT_BAD_INPUT if problems else 0)
