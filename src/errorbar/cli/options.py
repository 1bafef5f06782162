"""Options that several commands share, so that they look the same everywhere and say one thing each.

Commands get them by the names of the public functions' arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import wraps
from importlib import import_module
from math import ceil, isfinite
from os import PathLike
from typing import Any

import click
from click.core import ParameterSource
from click.types import FloatParamType, IntParamType

from errorbar.cli.command import Decorator, keep_note, together
from errorbar.cli.config import find_config
from errorbar.cli.declared import Argument, Kind, parameters_of
from errorbar.core.problems import Place, Problem, UsageError
from errorbar.formats.look import look

_PIPES = "errorbar.pipes"


class InputPath(click.Path):
    """A file or folder to read, or ``name=file``; every input of every command has this type.

    Names of the config file stand for their files. A pipe can be one input only, whether it is called ``-``,
    ``/dev/stdin`` or ``<(...)``: another would find nothing.
    """

    def convert(
        self, value: str | PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | PathLike[str]:
        """Look names up, and refuse a pipe that another input is."""
        from errorbar.formats.reference import NamedFile

        config = find_config(ctx)
        if str(value) in config.corpora and param is not None and (param.multiple or param.nargs == -1):
            return value  # may be several files: the command puts them in its place
        value = config.one_file(str(value))
        path = NamedFile.parse(str(value)).path
        source = look(path)
        if ctx is not None and source.is_stream:
            known = ctx.meta.setdefault(_PIPES, set())
            if source.key in known:
                message = "standard input can be read only once" if path == "-" else "a pipe can be read only once"
                raise UsageError(Problem("two-stdin", message, Place(source.name), fix="give it for one file"))
            known.add(source.key)
        return super().convert(value, param, ctx)


INPUT = InputPath()


class _Finite(click.ParamType[float]):
    """A number that is neither nan nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number, and see that it is one."""
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class FiniteNumber(_Finite, FloatParamType):
    """Any number but nan and infinities."""


class FiniteRange(_Finite, click.FloatRange):
    """A range, in which nan is not."""


def option(*names: str, default: object = None, **attributes: Any) -> Decorator:
    """An option that shows its default, if it has one; numbers are called N."""
    if isinstance(attributes.get("type"), IntParamType | FloatParamType):
        attributes.setdefault("metavar", "N")
    attributes.setdefault("show_default", default not in (None, ""))
    if not attributes.get("required"):  # click misses nothing that has a default, None too
        attributes["default"] = default
    return click.option(*names, **attributes)


def choice(names: str | Sequence[str], choices: Sequence[str], help: str, *, hidden: bool = False) -> Decorator:
    """An option with a few values, the usual one first."""
    named = [names] if isinstance(names, str) else names
    return option(*named, type=click.Choice(choices), default=choices[0], help=help, hidden=hidden)


# What is read

lenient_option = click.option(
    "--lenient/--strict",
    default=False,
    help="Repair faults of the input where that is possible and report each repair, or stop at them (the default).",
)
retokenize_option = click.option(
    "--retokenize", is_flag=True, help="Cut lines into tokens first, as the text was that the models learned from."
)
"""Of what reads a text to judge or correct it."""


models_option = click.option(
    "--models",
    type=click.Path(),
    metavar="DIR",
    help="Folder that 'errorbar train' wrote.  [default: models, or without it the package errorbar-models]",
)


# How it is computed

seed_option = option("--seed", type=click.IntRange(0), default=0, help="Seed of everything random.")


class Jobs(click.ParamType[Any]):
    """A number of processes, ``local`` or ``local:N``, or the address of a Dask scheduler."""

    name = "jobs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Read a number as one; anything else that is no address is refused."""
        if str(value).lstrip("-").isdecimal():
            return click.IntRange(1).convert(value, param, ctx)
        if str(value) == "local" or ":" in str(value):
            return str(value)
        return self.fail(
            f"{value!r} must be a number, 'local', 'local:N' or an address such as tcp://HOST:PORT.", param, ctx
        )


def refuse_given(names: Sequence[str], why: str, fix: str = "leave it out") -> None:
    """Refuse options that were given and of which nothing would come; ``names`` are the command's parameters."""
    context = click.get_current_context()
    for each in context.command.params:
        if each.name in names and context.get_parameter_source(each.name) == ParameterSource.COMMANDLINE:
            raise UsageError(Problem("useless-option", f"{each.opts[0]} {why}", fix=fix))


def numbers(text: str, option: str) -> list[float]:
    """Numbers between commas."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if not values or not all(map(isfinite, values)):
        raise UsageError(Problem("curve-numbers", f"{option} {text}", expected="numbers between commas"))
    return values


# Options about judgments and what their labels mean, by the names of the public functions' arguments.


# Written out, so that help need not load what reads judgments; a test sees that they are the library's.
PROJECTIONS = ("tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words")


class ItemsType(click.Choice[str]):
    """The items that annotators judge: one of ``PROJECTIONS``, or ``words:articles`` or ``words:a,b,c``."""

    def __init__(self) -> None:
        super().__init__(PROJECTIONS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read it; the words are read where they are looked for."""
        name, _, words = str(value).partition(":")
        return str(value) if name == "words" and words else super().convert(value, param, ctx)


# Options about intervals, the same in every command that has them.


FEW = 100
"""Of fewer resamples the ends of a 95 % interval are one or two draws."""
JACKKNIFE: Mapping[str, tuple[str, object]] = {"agree": ("judges", "random"), "ceiling": ("ci", None)}
"""Functions, and the argument with which their intervals rest on a jackknife, at any level."""


def warn_of_few(resamples: int, default: object, confidence: float = 0.95) -> None:
    """Warn of intervals of fewer than ``FEW`` resamples, or than have as many beyond their ends at a higher level."""
    needed = ceil(round(FEW * 0.05 / (1 - confidence), 6))
    if resamples < FEW:
        message, fix = f"--resamples={resamples}: intervals of so few are too rough to rely on", f"{default} are usual"
        headline = f"--resamples={resamples} are too few to rely on; {fix}"
    elif resamples < needed:
        from errorbar.stats.resampling import MOST_RESAMPLES

        message = f"--resamples={resamples}: too few for --confidence={confidence:g}: its intervals are too short"
        fix = f"take {needed:,} or more" if needed <= MOST_RESAMPLES else "choose a lower level"
        headline = f"--resamples={resamples} are too few for --confidence={confidence:g}; {fix}"
    else:
        return
    keep_note(Problem("few-resamples", message, fix=fix, severity="warning", headline=headline))


# Options of a public function, as it declares them.


class Numbers(click.ParamType[Sequence[float]]):
    """Numbers between commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Sequence[float]:
        """Read them."""
        return value if isinstance(value, tuple) else numbers(str(value), param.opts[0] if param else "")


GOLD = ("--gold", "--reference")
NUMBERS = {"type": Numbers(), "metavar": "A,B,...", "multiple": False}
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "as_written": {"hidden": True},
    "beta": {"metavar": "B", "hidden": True},
    "ci": {"names": ("--ci/--no-ci",)},
    "column": {"metavar": "ROLE=NAME"},
    "confidence": {"metavar": "LEVEL"},
    "documents": {"multiple": False},
    "essays": {"hidden": True},
    "gold": {"names": GOLD},
    "items": {"type": ItemsType(), "metavar": "WHAT"},
    "judges": {"metavar": "RULE"},
    "labels": {"metavar": "[ROLE=]LABEL"},
    "lenient": {"names": ("--lenient/--strict",)},
    "metric": {"metavar": "SPEC"},
    "pools_random": {"hidden": True},
    "reference_of": {"type": INPUT, "metavar": "SYSTEM=FILE"},
    "retokenize": {"hidden": True},
    "source": {"multiple": False},
    "tokens": {"metavar": "NAME", "hidden": True},
}
"""The form of options on the command line, by the names of arguments, where it does not follow from the type."""
SYSTEMS = {"argument": "SYSTEM...", "required": True}
"""An argument that takes several files."""


def options_of(function: str, **forms: Mapping[str, Any] | None) -> Decorator:
    """Make a decorator: the options of a public function, and its rules on those of which nothing would come.

    ``function`` is ``module:name``; ``forms`` say, by argument, what is special to this command line: attributes of
    click's option, or ``argument`` and how it is shown; None: the command line has none.
    """
    module, _, name = function.partition(":")
    declared = parameters_of(module, name)
    if unknown := sorted(forms.keys() - declared.keys()):
        raise TypeError(f"{function} has no {unknown}")
    shown = {each: forms.get(each, {}) for each in declared}
    usual = {each: argument.default for each, argument in declared.items() if not argument.required}
    parts = [_make_option(declared[each], form) for each, form in shown.items() if form is not None]

    def decorate(command: Any) -> Any:
        @wraps(command)
        def checked(**options: Any) -> Any:
            context = click.get_current_context()
            typed = {n for n in options if context.get_parameter_source(n) is ParameterSource.COMMANDLINE}
            useless = [rule for rule in getattr(import_module(module), name).useless if rule.when(options)]
            for rule in useless:
                rule.refuse(options, typed)
            of_config = {n for rule in useless for n in rule.names.split()}  # defaults of the config file
            options = {
                n: usual[n] if value == () and n in usual else value
                for n, value in options.items()
                if n not in of_config
            }
            if "resamples" in declared.keys() & options.keys() and options.get("ci_method") != "closed":
                argument, value = JACKKNIFE.get(name, ("ci", False))
                level = 0.95 if options.get(argument) == value else options.get("confidence", 0.95)
                warn_of_few(options["resamples"], declared["resamples"].default, level)
            return command(**options)

        return together(*parts)(checked)

    return decorate


def _make_option(parameter: Argument, form: Mapping[str, Any]) -> Decorator:
    """The option, or argument, of a parameter."""
    kind = parameter.kind
    known = OPTIONS.get(parameter.name, {})
    attributes = {**({"hidden": known.get("hidden", False)} if kind.choices else known), **form}
    if "argument" in attributes:
        required = attributes.get("required", parameter.required)
        more: dict[str, Any] = {"type": INPUT} if "PathLike" in kind.names else {}
        more |= {"type": attributes["type"]} if "type" in attributes else {}
        more |= {"nargs": -1} if attributes.get("several", kind.several) else {}
        return click.argument(parameter.name, required=required, metavar=attributes["argument"], **more)
    names = attributes.pop("names", (f"--{parameter.name.replace('_', '-')}",))
    text, default, usual = parameter.help.partition("  [default")
    multiple = attributes.setdefault("multiple", kind.several)
    if multiple and "repeatable" not in text:
        text = f"{text.removesuffix('.')}; repeatable."
    if isinstance(attributes.get("type"), Numbers) and isinstance(parameter.default, tuple):
        attributes["default"] = ",".join(map(str, parameter.default))  # as it can be typed
    if not multiple or (parameter.default and isinstance(parameter.default, tuple)):
        attributes.setdefault("default", parameter.default)
    attributes = {"required": parameter.required, "help": f"{text}{default}{usual}", **_type(kind), **attributes}
    return option(*names, parameter.name, **attributes)


def _type(kind: Kind) -> dict[str, Any]:
    """The attributes of an option for values of a kind."""
    if kind.choices:
        return {"type": click.Choice(kind.choices)}
    if "PathLike" in kind.names:
        return {"type": INPUT, "metavar": "FILE"}
    if "bool" in kind.names:
        return {"is_flag": True}
    if {"int", "str"} <= kind.names:
        return {"type": Jobs(), "metavar": "N|ADDRESS"}
    number = _number(kind)
    return {} if number is None else {"type": number}


def _number(kind: Kind) -> click.ParamType[Any] | None:
    """The type of an option for numbers of a kind; None: the kind has none."""
    low, high, excluded = kind.bounds or (None, None, "")
    if "int" in kind.names and kind.bounds is None:
        return click.INT
    if "int" in kind.names:
        return click.IntRange(None if low is None else int(low), None if high is None else int(high))
    if "float" not in kind.names:
        return None
    if kind.bounds is None:
        return FiniteNumber()
    # Help shows whole bounds without a decimal point.
    low, high = (int(bound) if bound is not None and bound == int(bound) else bound for bound in (low, high))
    return FiniteRange(low, high, min_open="low" in excluded, max_open="high" in excluded)
