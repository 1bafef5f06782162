"""``errorbar judge``: the list of its commands, which ``judge_commands`` has."""

from __future__ import annotations

import click

from errorbar.cli.main import Group

COMMANDS = {
    "init": "Make a study of items.",
    "export": "Write a study's judgments.",
    "import": "Read judgments that another tool collected, and audit their independence.",
    "serve": "Serve a study in the browser.",
    "llm": "Ask a language model the items of a study.",
    "invite": "Make links for raters, list or revoke them.",
    "status": "Tell how a study stands.",
    "raters": "List, exclude and readmit raters; redeem their codes.",
    "forget": "Forget who a rater was, for good.",
    "change": "Change rules and items while raters work.",
    "analyze": "Compute what the papers computed from such a study.",
    "adjudicate": "Make a study of what the raters of another one disagree on.",
    "backup": "Copy a study while raters work.",
    "restore": "Make a study from a backup.",
    "upgrade": "Bring a study of an older errorbar to this one.",
    "demo": "See a study with a simulated crowd at work.",
}


@click.group("judge", cls=Group, module="errorbar.cli.judge_commands", helps=COMMANDS)
def command() -> None:
    """Collect judgments: a server, its raters, and what came of it; in a checkout: make judge."""
