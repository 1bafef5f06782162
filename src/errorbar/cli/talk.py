"""Lines for people; whatever is in them, each stays one line and moves nothing on the terminal."""

from __future__ import annotations

import click

from errorbar.core.visible import visible


def tell(line: str) -> None:
    """Say something on stderr."""
    click.echo(visible(line), err=True)


def show_lines(*lines: str) -> None:
    """Print lines on stdout."""
    for line in lines:
        click.echo(visible(line))


def show_click_error(error: click.ClickException) -> None:
    """Show what click found wrong with the arguments, which it quotes as they are."""
    if isinstance(error, click.MissingParameter):  # quotes nothing, and lists what there is in lines of their own
        error.show()
    elif isinstance(error, click.UsageError):
        click.UsageError(visible(error.format_message()), error.ctx).show()
    else:
        click.ClickException(visible(error.format_message())).show()
