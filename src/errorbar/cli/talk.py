"""Lines for people; whatever is in them, each stays one line and moves nothing on the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from errorbar.core.errors import visible

PATIENCE = 1.5
"""Seconds of work before a line of progress is shown, on terminals only."""
INTERVAL = 0.2
_QUIET = "errorbar.quiet"


def tell(line: str) -> None:
    """Say something on stderr."""
    click.echo(visible(line), err=True)


def say(line: str) -> None:
    """Say something on stderr that ``--quiet`` silences."""
    if not is_quiet():
        tell(line)


def be_quiet(context: click.Context) -> None:
    """Silence notes and progress of a command."""
    context.meta[_QUIET] = True


def is_quiet() -> bool:
    """Whether notes and progress are silenced."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


def show_lines(*lines: str) -> None:
    """Print lines on stdout."""
    for line in lines:
        click.echo(visible(line))


def show_click_error(error: click.ClickException) -> None:
    """Show what click found wrong with the arguments, which it quotes as they are."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError | click.MissingParameter):
        error.show()  # helps and lists, in lines of their own; nothing is quoted
    elif isinstance(error, click.UsageError):
        click.UsageError(visible(error.format_message()), error.ctx).show()
    else:
        click.ClickException(visible(error.format_message())).show()


@contextmanager
def progress_bar(unit: str, total: int = 0) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told how many units are done, of ``total`` if that is known."""
    start = shown = time.monotonic()
    on_terminal = sys.stderr.isatty() and not is_quiet()
    used = False

    def progress(done: int) -> None:
        nonlocal shown, used
        now = time.monotonic()
        if not on_terminal or now - start < PATIENCE or now - shown < INTERVAL:
            return
        shown, used = now, True
        share = f" of {total:,} ({100 * done / total:.0f} %)" if total else ""
        click.echo(f"\r{done:,}{share} {unit}, {done / (now - start):,.0f} a second ", nl=False, err=True)

    try:
        yield progress
    finally:
        if used:
            click.echo("\r" + " " * 78 + "\r", nl=False, err=True)
