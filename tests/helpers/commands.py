"""Every command of the command line."""

from __future__ import annotations

from collections.abc import Iterator

import click

from errorbar.cli.main import cli
from tests.helpers.expectations import require


def every_command(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command with its name, as ``crowd score``."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = require(group.get_command(context, name))
        if isinstance(command, click.Group):
            yield from every_command(command, (*path, name))
        else:
            yield " ".join((*path, name)), command
