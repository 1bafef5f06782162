"""``errorbar completion``: a script for the shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from errorbar.cli.command import Command
from errorbar.core.problems import Problem, UsageError, nearest

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", cls=Command)
@click.argument("shell", metavar="bash|zsh|fish")
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a completion script for a shell, to be saved where the shell looks for it.

    \b
    errorbar completion bash > ~/.local/share/bash-completion/completions/errorbar
    errorbar completion zsh > ~/.zfunc/_errorbar
    errorbar completion fish > ~/.config/fish/completions/errorbar.fish
    """
    known = get_completion_class(shell) if shell in SHELLS else None
    if known is None:
        message = f"the shell must be one of {', '.join(SHELLS)}, got '{shell}'"
        raise UsageError(Problem("unknown-shell", message, fix=nearest(shell, SHELLS)))
    click.echo(known(context.find_root().command, {}, "errorbar", "_ERRORBAR_COMPLETE").source())
