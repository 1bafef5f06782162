"""``errorbar task alternatives``: answers that teams defend."""

from __future__ import annotations

from pathlib import Path

import click

from errorbar.cli.options import INPUT, format_option, jobs_option, show_notes
from errorbar.cli.show import show_result
from errorbar.cli.talk import say
from errorbar.core.errors import Problem, UsageError

SCHEMA = "errorbar.task-alternatives/1"


@click.command("alternatives")
@click.argument("task", type=click.Path(path_type=Path), metavar="TASK.toml")
@click.argument("files", nargs=-1, required=True, metavar="[TEAM=]FILE...")
@click.option("--corpus", metavar="NAME", help="What they are about.  [default: the test corpus]")
@click.option("--list", "listing", metavar="CSV", help="Write the answers there for judging.")
@click.option("--judged", type=INPUT, metavar="CSV", help="The list with its column verdict filled in: yes or no.")
@click.option("--gold", metavar="FILE", help="With --judged: where to write the gold edits and accepted answers.")
@click.option("--cache", type=click.Path(path_type=Path), metavar="DIR", help="Where measurements are kept.")
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
    from errorbar.tasks.alternatives import propose

    if (listing is None) == (judged is None) or (judged is None) != (gold is None):
        what = "either --list CSV, or --judged CSV with --gold FILE, is needed"
        raise UsageError(Problem("task-alternatives", what, fix="list first, fill in the column verdict, then judge"))
    proposals = propose(task, files, corpus=corpus)
    n = len(proposals.answers)
    if listing is not None:
        proposals.list(listing)
        show_notes(proposals.problems.notes)
        say(f"{n} answer{'' if n == 1 else 's'} in {listing}: fill in the column verdict")
    elif judged is not None and gold is not None:
        found = proposals.judged(judged, gold, cache=cache, jobs=jobs)
        say(f"{len(found.accepted)} of {n} answers accepted; gold edits with them in {gold}")
        show_result(found, style, schema=SCHEMA)
