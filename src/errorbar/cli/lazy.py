"""Groups of commands that are imported only when they run, so that help and completion cost nothing."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from errorbar.core.errors import nearest


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own name.

    Args:
        table: Every command with its one-line help, in the order to list them.
        prefix: What stands before a command's name in its module's name.
        attributes: What click's own groups take.
    """

    def __init__(self, *, table: Mapping[str, str], prefix: str, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.table = table
        self.prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module, and give the command what all commands have."""
        if cmd_name not in self.table:
            return None
        from errorbar.cli.command import Command

        command = import_module(f"{self.prefix}{cmd_name}").command
        assert isinstance(command, click.Command)
        return command if isinstance(command, click.Group) else Command.of(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Read ``help X`` as ``X --help``; name the nearest command where there is none of that name."""
        if args[:1] == ["help"] and "help" not in self.table:
            if not args[1:]:
                click.echo(ctx.get_help())
                ctx.exit()
            return self.resolve_command(ctx, [*args[1:], "--help"])
        if args and args[0] not in self.table and not args[0].startswith("-"):
            ctx.fail(f"no command '{args[0]}'; {nearest(args[0], self.table)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; click would call it a failure where the reader of the output has seen enough."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return 0
        except EOFError as error:  # nobody is asked anything here, and click would call it an interruption
            raise RuntimeError(f"unexpected end of data ({error})") from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))
