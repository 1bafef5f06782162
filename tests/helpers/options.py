"""Every option of every command: ``python -m tests.helpers.options`` writes docs/options.md.

Options come from the commands, which have them from the signatures and docstrings of the public functions.
"""

from __future__ import annotations

from pathlib import Path

import click

from tests.helpers.commands import every_command

OPTIONS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "options.md"
HEAD = """# Options

Every option of every command with its default, also those that the help leaves out. [Command line](cli.md) explains
what they are for. This page is generated.
"""


def render_options() -> str:
    """The page: a table for each command."""
    return "\n".join([HEAD, *(line for name, command in every_command() for line in _section(name, command))])


def _section(name: str, command: click.Command) -> list[str]:
    context = click.Context(command)
    arguments = [param.make_metavar(context) for param in command.params if isinstance(param, click.Argument)]
    options = [param for param in command.params if isinstance(param, click.Option)]
    title = f"## `{' '.join(('errorbar', name, *arguments))}`"
    return [title, "", "| option | | default |", "|---|---|---|", *(_row(option, context) for option in options), ""]


def _row(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    values = "" if option.is_flag else f" `{option.make_metavar(context)}`"
    text, _, usual = (option.help or "").partition("  [default: ")
    value = option.get_default(context, call=False)
    shown = usual.removesuffix("]") if usual else _default(option, value)
    return f"| {_cell(names + values)} | {_cell(text)} | {_cell(shown)} |"


def _default(option: click.Option, value: object) -> str:
    if option.required:
        return "(required)"
    if isinstance(value, bool):
        return "" if not option.secondary_opts else (option.opts if value else option.secondary_opts)[0]
    if callable(value) or not option.show_default:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    OPTIONS_PAGE.write_text(render_options(), encoding="utf-8")
