"""Lines for people; whatever is in them, each stays one line and moves nothing on the terminal."""

from __future__ import annotations

import click

from errorbar.core.errors import visible

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
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()  # a group by itself: its help
    elif isinstance(error, click.MissingParameter):  # quotes nothing, and lists what there is in lines of their own
        error.show()
    elif isinstance(error, click.UsageError):
        click.UsageError(visible(error.format_message()), error.ctx).show()
    else:
        click.ClickException(visible(error.format_message())).show()
