"""Options that several commands share, so that they look the same everywhere and say one thing each.

Commands get them by the names of the public functions' arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from os import PathLike
from typing import Any

import click
from click.core import ParameterSource

from errorbar.cli.command import Decorator, together
from errorbar.cli.config import find_config
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.formats.look import look

BOOTSTRAPS = ("bca", "percentile", "basic")
ADJUSTMENTS = ("max-t", "holm")
UNMARKED = ("auto", "official", "all", "everywhere", "absent")
"""What options offer is written here again: helps would take long if they loaded what computes. A test compares."""

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
                what = "standard input can be read only once" if path == "-" else "a pipe can be read only once"
                raise UsageError(Problem("two-stdin", what, Place(source.name), fix="give it for one file"))
            known.add(source.key)
        return super().convert(value, param, ctx)


INPUT = InputPath()


class FiniteRange(click.FloatRange):
    """A range that nan is not in either."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a number, and see that it is one."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def option(*names: str, default: object = None, **attributes: Any) -> Decorator:
    """An option that shows its default, if it has one; numbers are called N."""
    if isinstance(attributes.get("type"), click.IntRange | click.FloatRange) or attributes.get("type") is float:
        attributes.setdefault("metavar", "N")
    attributes.setdefault("show_default", default is not None)
    return click.option(*names, default=default, **attributes)


def choice(names: str | Sequence[str], choices: Sequence[str], help: str, *, hidden: bool = False) -> Decorator:
    """An option with a few values, the usual one first."""
    named = [names] if isinstance(names, str) else names
    return option(*named, type=click.Choice(choices), default=choices[0], help=help, hidden=hidden)


# What is read

systems_argument = click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM...")
unmarked_option = choice(
    "--unmarked",
    UNMARKED,
    "Who looked at sentences without any A line; 'everywhere': everybody looked at every sentence.",
)
documents_option = click.option(
    "--documents",
    type=INPUT,
    metavar="FILE",
    help="NUCLE SGML that tells which document each sentence is from.",
)
lenient_option = click.option(
    "--lenient/--strict", default=False, help="Repair what can be repaired and say so, or refuse it (the default)."
)
source_option = click.option(
    "--source",
    type=INPUT,
    metavar="FILE",
    help="The references are texts that correct this one, line by line; of HOO data the folder of the source texts, "
    "where it is not Raw beside Gold.",
)


def gold_option(help: str, *, required: bool = False) -> Decorator:
    """``--gold``, which can be called ``--reference``."""
    names = "--gold", "--reference"
    return click.option(*names, type=INPUT, multiple=True, required=required, metavar="FILE", help=help)


gold_options = together(
    gold_option(
        "Reference (M2 or JSONL; with --source a text; for HOO the folder of edits), a quoted pattern, or a name of "
        "errorbar.toml; repeatable.",
        required=True,
    ),
    source_option,
    unmarked_option,
    documents_option,
    click.option(
        "--as-written",
        is_flag=True,
        help="Keep reference edits as they are written, as the official scorer does: what matches a repeated one "
        "counts twice, and one out of order may not match.",
    ),
)
taken_options = together(
    click.option("--force", is_flag=True, help="Take a system that is not a correction of the source, with a warning."),
    click.option(
        "--retokenize",
        is_flag=True,
        help="Give lines that look untokenized the source's tokens, and say what was changed; the signature tells.",
    ),
)
"""How systems' texts are taken."""
retokenize_option = click.option(
    "--retokenize", is_flag=True, help="Cut lines into tokens first, as the text was that the models learned from."
)
"""Of what reads a text to judge or correct it."""
scoring_options = together(gold_options, taken_options, lenient_option)


models_option = click.option(
    "--models",
    type=click.Path(),
    metavar="DIR",
    help="Folder that 'errorbar train' wrote.  [default: models, or without it the package errorbar-models]",
)


# How it is computed

judges_option = click.option(
    "--judges",
    metavar="RULE",
    help="Whether intervals are also over judges: 'fixed', 'random', 'random(k=2)' (against two of them), "
    "'random(population=FILE)' (how judges vary, from 'errorbar judges fit'; 'none': as these do).  [default: random "
    "from three judges on, or from one where it is known how judges vary in the measure]",
)
seed_option = option("--seed", type=click.IntRange(0), default=0, help="Seed of everything random.")
jobs_option = option(
    "--jobs", type=click.IntRange(1), default=1, help="Number of processes to use; no digit depends on it."
)


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


cluster_options = option(
    "--jobs",
    type=Jobs(),
    metavar="N|ADDRESS",
    default=1,
    help="Number of processes to use, a Dask scheduler to work on, or 'local[:N]', a Dask cluster here (in a checkout: "
    "make dask); no digit depends on it.",
)
"""``--jobs`` of commands that can work on a Dask cluster too."""


def refuse_given(names: Sequence[str], why: str, fix: str = "leave it out") -> None:
    """Refuse options that were given and of which nothing would come; ``names`` are the command's parameters."""
    context = click.get_current_context()
    for each in context.command.params:
        if each.name in names and context.get_parameter_source(each.name) == ParameterSource.COMMANDLINE:
            raise UsageError(Problem("useless-option", f"{each.opts[0]} {why}", fix=fix))


def numbers(text: str, option: str) -> list[float]:
    """Numbers between commas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(Problem("curve-numbers", f"{option} {text}", expected="numbers between commas")) from None
