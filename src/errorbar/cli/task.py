"""``errorbar task``: a shared task from one TOML file."""

from __future__ import annotations

import click

from errorbar.cli.lazy import LazyGroup

COMMANDS = {
    "init": "Write an example task and its folders.",
    "validate": "Check a submission before it is sent.",
    "run": "Score every run; what was counted before is not counted again.",
    "board": "Write the tables, the page of the task and a page for each team.",
    "alternatives": "List teams' alternative answers for judging, and score with those accepted.",
}


@click.group("task", cls=LazyGroup, table=COMMANDS, prefix="errorbar.cli.task_")
def command() -> None:
    """A shared task: corpora, metrics, teams and their runs, described in one TOML file."""
