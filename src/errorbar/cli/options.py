"""Options that several commands share, so that they look the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from errorbar.cli.render import FORMATS
from errorbar.core.errors import Problem

Command = TypeVar("Command", bound=Callable[..., Any])

MOST_NOTES = 5
"""How many notes of one kind are shown before the rest is counted."""


def format_option(command: Command) -> Command:
    """``--format``: how results are printed."""
    return click.option(
        "--format",
        "style",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How to print results.",
    )(command)


def lenient_option(command: Command) -> Command:
    """``--strict/--lenient``: refuse or repair."""
    return click.option(
        "--lenient/--strict",
        default=False,
        help="Repair what can be repaired and say so, or refuse it (the default).",
    )(command)


def resampling_options(command: Command) -> Command:
    """``--ci-method``, ``--resamples``, ``--confidence``, ``--seed``, ``--jobs``: how intervals are made."""
    for option in reversed(
        [
            click.option(
                "--ci-method",
                type=click.Choice(("bca", "percentile", "basic", "closed")),
                default="bca",
                show_default=True,
                help="Bootstrap over essays (or sentences), or closed formulas.",
            ),
            click.option("--resamples", type=click.IntRange(1), default=2000, show_default=True, help="How many."),
            click.option(
                "--confidence",
                type=click.FloatRange(0.5, 1, max_open=True),
                default=0.95,
                show_default=True,
                help="Confidence level of intervals.",
            ),
            seed_option,
            jobs_option,
        ]
    ):
        command = option(command)
    return command


def seed_option(command: Command) -> Command:
    """``--seed``: of every random stream."""
    return click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed; in the signature.")(
        command
    )


def jobs_option(command: Command) -> Command:
    """``--jobs``: how many cores."""
    return click.option(
        "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Cores to use; changes no digit."
    )(command)


def show_notes(notes: list[Problem]) -> None:
    """Print warnings and repairs on stderr, at most a few of each kind."""
    shown: dict[str, int] = {}
    for note in notes:
        shown[note.code] = shown.get(note.code, 0) + 1
        if shown[note.code] <= MOST_NOTES:
            click.echo(f"{'warning' if note.severity == 'warning' else 'note'}: {note}", err=True)
    for code, count in shown.items():
        if count > MOST_NOTES:
            click.echo(f"note: and {count - MOST_NOTES} more [{code}]", err=True)


def note_record(note: Problem) -> dict[str, object]:
    """A note as it stands in JSON output."""
    return {
        "code": note.code,
        "severity": note.severity,
        "file": note.place.file,
        "line": note.place.line,
        "what": note.what,
        "expected": note.expected,
        "fix": note.fix,
    }
