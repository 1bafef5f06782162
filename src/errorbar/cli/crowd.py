"""``errorbar crowd``: what many raters say, how far to trust them, and how many are enough."""

from __future__ import annotations

import click

from errorbar.cli.lazy import LazyGroup

COMMANDS = {
    "score": "Score systems against a crowd, weighted and by majority.",
    "aggregate": "Turn judgments into answers by several methods, next to each other.",
    "raters": "Describe raters and say whom to keep, watch or drop.",
    "howmany": "Tell how many raters equal an expert.",
    "mine": "Find likely errors to put before raters.",
}


@click.group("crowd", cls=LazyGroup, table=COMMANDS, prefix="errorbar.cli.crowd_")
def command() -> None:
    """Judgments of many raters: scores, answers, raters, how many are enough, what to ask."""
