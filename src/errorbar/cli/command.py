"""What every command has beyond click's: help in groups, defaults of the config file, options under their old names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from errorbar.cli.config import find_config
from errorbar.cli.talk import say

_INPUTS = """gold documents unmarked as-written source corpus judgments flags layout column labels unknown repeats
    counts truth key sample-key judged systems sentences first-sentence data from from-file tokens lenient
    force retokenize"""
_INTERVALS = "ci ci-method confidence resamples permutations adjust swaps"
_OUTPUT = "format output quiet out to save title charts browse tables-only report summary differing"
_OTHER = "seed jobs dask cache prune config version help"
GROUPS: Mapping[str, frozenset[str]] = {
    "Inputs": frozenset(_INPUTS.split()),
    "What to compute": frozenset(),
    "Intervals": frozenset(_INTERVALS.split()),
    "Output": frozenset(_OUTPUT.split()),
    "Other": frozenset(_OTHER.split()),
}
"""The groups of every help, in order, and the options of each; what is in none says what to compute."""
_OF_DRAWS = {"seed", "jobs"}
"""Stand among the intervals where a command has intervals."""


class Option(click.Option):
    """An option that had another name.

    Args:
        formerly: The name, with its dashes; it is understood for one more release, with a warning.
        attributes: What click's options take.
    """

    def __init__(self, *arguments: Any, formerly: str = "", **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.formerly = formerly


def long_name(option: click.Parameter) -> str:
    """What people call an option: its first long name without dashes; ``ci`` of ``--ci/--no-ci``."""
    return max(option.opts, key=lambda name: name.startswith("--")).lstrip("-")


class Command(click.Command):
    """A command as the command line shows it."""

    @classmethod
    def of(cls, command: click.Command) -> Command:
        """Make one of a plain command; its own parameters stay as they are."""
        made = cls.__new__(cls)
        vars(made).update(vars(command))
        return made

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take defaults from the config file, and options under their old names."""
        config = find_config(ctx)
        if config is not None:
            ctx.default_map = config.defaults_for(ctx.command_path.split()[1:], self.params)
        try:
            return super().parse_args(ctx, list(self._renamed(args)))
        except click.BadParameter as error:
            if config is None or not _from_config(ctx, error.param):
                raise
            raise config.bad_value(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; first say what the config file decided."""
        config = find_config(ctx)
        decided = [] if config is None else [each for each in self.params if _from_config(ctx, each)]
        if config is not None and decided:
            said = ", ".join(f"{each.opts[0]} {_shown(ctx.params.get(each.name or ''))}" for each in decided)
            say(f"note: {config.path} says {said} [config]")
        return super().invoke(ctx)

    def _renamed(self, args: Sequence[str]) -> Iterator[str]:
        """The arguments, with new names for old ones."""
        names = {each.formerly: each for each in self.params if isinstance(each, Option) and each.formerly}
        rest = iter(args)
        for argument in rest:
            if argument == "--":
                yield from (argument, *rest)
            name, equals, value = argument.partition("=")
            if name in names:
                new = f"--{long_name(names[name])}"
                say(f"warning: {name} is now called {new}; the old name goes with the next release [renamed-option]")
                yield f"{new}{equals}{value}"
            else:
                yield argument

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options group by group."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for title, records in grouped(options, ctx).items():
            with formatter.section(title):
                formatter.write_dl(records)


def grouped(options: Sequence[click.Option], ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
    """The help records of options by group, in the order of ``GROUPS``."""
    has_intervals = any(long_name(each) in GROUPS["Intervals"] for each in options)
    found: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS}
    for option in options:
        name = long_name(option)
        title = next((title for title, names in GROUPS.items() if name in names), "What to compute")
        record = option.get_help_record(ctx)
        if record is not None:
            found["Intervals" if has_intervals and name in _OF_DRAWS else title].append(record)
    return {title: records for title, records in found.items() if records}


def _from_config(ctx: click.Context, parameter: click.Parameter | None) -> bool:
    source = ctx.get_parameter_source(parameter.name or "") if parameter is not None else None
    return source is click.core.ParameterSource.DEFAULT_MAP


def _shown(value: object) -> str:
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(str(each).lower() if isinstance(each, bool) else str(each) for each in values)
