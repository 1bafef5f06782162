"""What every command has beyond click's: help in groups, defaults of the config file, options under their old names."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from errorbar.cli.config import find_config, load_config
from errorbar.cli.talk import be_quiet, say
from errorbar.core.errors import Place, Problem, UsageError, as_options

_INPUTS = """gold documents unmarked as-written source corpus judgments flags layout column labels unknown repeats
    counts truth key sample-key judged systems sentences first-sentence data from from-file tokens lenient
    force retokenize"""
_INTERVALS = "ci ci-method confidence resamples permutations adjust swaps"
_OUTPUT = "format output quiet out to save title charts browse tables-only report summary differing"
_OTHER = "seed jobs cache prune config version help"
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


_FORMER = "errorbar.former"


class Option(click.Option):
    """An option that had another name.

    Args:
        formerly: The name, with its dashes; it is understood for one more release, with a warning.
        attributes: What click's options take.
    """

    def __init__(self, *arguments: Any, formerly: str = "", **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.formerly = formerly


class Former(click.Option):
    """An option whose matter another option says now; understood for one more release, with a warning that says how.

    Args:
        into: The parameter of the other option.
        by: What the other option has to say: a text, or texts where it is repeatable; given what it says otherwise, and
            what this one says.
        attributes: What click's options take.
    """

    def __init__(
        self, *arguments: Any, into: str, by: Callable[[Any, Any], str | list[str]], **attributes: Any
    ) -> None:
        super().__init__(*arguments, **{**attributes, "hidden": True, "expose_value": False})
        self.into = into
        self.by = by

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Keep what was given apart: the command knows the other option only."""
        value, rest = super().handle_parse_result(ctx, opts, args)
        ctx.meta[f"{_FORMER}.{self.name}"] = value
        return value, rest

    def hand_over(self, ctx: click.Context, parameters: Sequence[click.Parameter]) -> None:
        """Let the other option say the same, where this one was given."""
        given, source = ctx.meta.get(f"{_FORMER}.{self.name}"), ctx.get_parameter_source(self.name or "")
        if source is None or source in (click.core.ParameterSource.DEFAULT, click.core.ParameterSource.ENVIRONMENT):
            return
        other = next(each for each in parameters if each.name == self.into)
        before = ctx.params[self.into]
        said = self.by(before, given)
        ctx.params[self.into] = other.type_cast_value(ctx, said)
        ctx.set_parameter_source(self.into, source)
        flag = [] if isinstance(other, click.Argument) else [f"--{long_name(other)}"]
        new = [said] if isinstance(said, str) else [each for each in said if each not in before]
        words = [word for each in new for word in (*flag, each)]
        told = f"--{long_name(self)} is now said by {shlex.join(words)}; the old name ends with the next release"
        say(f"warning: {Problem('renamed-option', told).line(str)}")


def former(name: str, into: str, by: Callable[[Any, Any], str | list[str]], **attributes: Any) -> Callable[[Any], Any]:
    """Make a decorator that gives a command a ``Former`` option."""
    return click.option(name, cls=Former, into=into, by=by, **attributes)


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
        rest = self._own(ctx, args)
        self._refuse_twice(rest)
        config = find_config(ctx)
        ctx.default_map = config.defaults_for(ctx.command_path.split()[1:], self.params)
        try:
            left = super().parse_args(ctx, rest)
        except click.BadParameter as error:
            if not _from_config(ctx, error.param):
                raise
            raise config.bad_value(error) from None
        for each in self.params:
            if isinstance(each, Former) and not ctx.resilient_parsing:
                each.hand_over(ctx, self.params)
        for each in self.params:
            if isinstance(each.type, click.Path) and isinstance(files := ctx.params.get(each.name or ""), tuple):
                ctx.params[each.name or ""] = tuple(
                    file for name in files for file in config.corpora.get(name, (name,))
                )
        return left

    def _refuse_twice(self, args: Sequence[str]) -> None:
        """Refuse a second metric where one is computed: the first would be lost without a word.

        Of other options the last wins, as everywhere: aliases and scripts rely on it.
        """
        words = args[: args.index("--")] if "--" in args else args
        for each in self.params:
            if not isinstance(each, click.Option) or each.multiple or long_name(each) != "metric":
                continue
            names = [name for name in each.opts if name.startswith("--")]
            if sum(word in names or word.startswith(tuple(f"{name}=" for name in names)) for word in words) > 1:
                what = f"{names[0]} is given twice, and takes one value"
                raise UsageError(Problem("option-twice", what, fix="leave one of them out"))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; first say what the config file decided."""
        config = find_config(ctx)
        decided = [each for each in self.params if _from_config(ctx, each)]
        if decided:
            said = ", ".join(f"{each.opts[0]} {_shown(ctx.params.get(each.name or ''))}" for each in decided)
            say(f"note: {Problem('config', f'set here: {said}', Place(str(config.path))).line(as_options)}")
        return super().invoke(ctx)

    def _own(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Obey the options of all commands, which may stand after the command too, and put new names for old ones.

        Returns:
            The arguments that click is to read.
        """
        names = {each.formerly: each for each in self.params if isinstance(each, Option) and each.formerly}
        rest: list[str] = []
        renamed: list[str] = []
        given = iter(args)
        for argument in given:
            name, equals, value = argument.partition("=")
            if argument == "--":
                rest += (argument, *given)
            elif argument == "--quiet":
                be_quiet(ctx)
            elif name == "--config":
                _use_config(ctx, value if equals else next(given, None))
            elif name in names:
                new = f"--{long_name(names[name])}"
                renamed.append(f"{name} is now called {new}; the old name ends with the next release")
                rest.append(f"{new}{equals}{value}")
            else:
                rest.append(argument)
        for what in renamed:
            say(f"warning: {Problem('renamed-option', what).line(as_options)}")
        return rest

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


def _use_config(ctx: click.Context, file: str | None) -> None:
    """Read the file of a ``--config`` that stands after the command."""
    if file is None:
        raise click.BadOptionUsage("--config", "Option '--config' requires an argument.", ctx)
    root = ctx.find_root().command
    ctx.obj = load_config(file, root.list_commands(ctx) if isinstance(root, click.Group) else ())
    if ctx.obj.quiet:
        be_quiet(ctx)


def _from_config(ctx: click.Context, parameter: click.Parameter | None) -> bool:
    source = ctx.get_parameter_source(parameter.name or "") if parameter is not None else None
    return source is click.core.ParameterSource.DEFAULT_MAP


def _shown(value: object) -> str:
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(str(each).lower() if isinstance(each, bool) else str(each) for each in values)
