"""Options that several commands share, so that they look the same everywhere and say one thing each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from errorbar.cli.command import former
from errorbar.cli.config import find_config
from errorbar.cli.talk import say
from errorbar.core.errors import Place, Problem, UsageError, as_options
from errorbar.formats.pipes import display_name, pipe_key
from errorbar.tables import FORMATS

if TYPE_CHECKING:
    from errorbar.formats.reference import Unmarked

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]

BOOTSTRAPS = ("bca", "percentile", "basic")
ADJUSTMENTS = ("max-t", "holm")
UNMARKED = ("auto", "official", "all", "everywhere", "absent")
"""What options offer is written here again: helps would take long if they loaded what computes. A test compares."""
MOST_NOTES = 5
"""How many notes of one kind are shown before the rest is counted."""

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
        key = pipe_key(path)
        if ctx is not None and key is not None:
            known = ctx.meta.setdefault(_PIPES, set())
            if key in known:
                what = "standard input can be read only once" if path == "-" else "a pipe can be read only once"
                raise UsageError(Problem("two-stdin", what, Place(display_name(path)), fix="give it for one file"))
            known.add(key)
        return super().convert(value, param, ctx)


INPUT = InputPath()


def in_one(name: str, kind: type, *options: Decorator) -> Callable[[Command], Command]:
    """Make a decorator that gives a command several options as one argument.

    Args:
        name: The argument.
        kind: A dataclass; it is made of the options that have the names of its fields.
        options: Decorators of the options, in the order of the help.
    """
    names = {each.name for each in fields(kind)}

    def decorate(command: Command) -> Command:
        @wraps(command)
        def wrapped(*args: Any, **given: Any) -> Any:
            mine = {key: given.pop(key) for key in names & given.keys()}
            return command(*args, **given, **{name: kind(**mine)})

        made: Any = wrapped
        for option in reversed(options):
            made = option(made)
        return cast("Command", made)

    return decorate


# What is read


@dataclass(frozen=True, slots=True)
class GoldOptions:
    """What the shared options say about the reference, by the names of the public functions' arguments.

    Attributes:
        gold: Reference files, as ``read_corpus`` takes them.
        unmarked: Who looked at a sentence without any A line.
        documents: File that tells which document each sentence is from, or None.
        as_written: Keep reference edits as they stand in the file.
    """

    gold: tuple[str, ...]
    unmarked: Unmarked = "auto"
    documents: str | None = None
    as_written: bool = False


unmarked_option = click.option(
    "--unmarked",
    type=click.Choice(UNMARKED),
    default="auto",
    show_default=True,
    help="Who looked at sentences without any A line; 'everywhere': everybody looked at every sentence.",
)
documents_option = click.option(
    "--documents",
    type=INPUT,
    metavar="FILE",
    help="NUCLE SGML that tells which document each sentence is from; of HOO data the folder of the source texts, "
    "where it is not Raw beside Gold.",
)
as_written_option = click.option(
    "--as-written",
    is_flag=True,
    help="Keep reference edits as they are written, as the official scorer does: what matches a repeated one counts "
    "twice, and one out of order may not match.",
)
lenient_option = click.option(
    "--lenient/--strict", default=False, help="Repair what can be repaired and say so, or refuse it (the default)."
)
gold_options = in_one(
    "gold",
    GoldOptions,
    click.option(
        "--gold",
        type=INPUT,
        multiple=True,
        required=True,
        metavar="FILE",
        help="Reference (M2 or JSONL; for HOO the folder of edits), a quoted pattern, or a name of errorbar.toml; "
        "repeatable.",
    ),
    unmarked_option,
    documents_option,
    as_written_option,
)
"""``--gold``, ``--unmarked``, ``--documents``, ``--as-written``: the command gets a ``GoldOptions``, ``gold``."""


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """How systems' texts are taken, by the names of the public functions' arguments.

    Attributes:
        force: Take a text that is not a correction of the source.
        retokenize: Give lines that look untokenized the tokens of the source.
    """

    force: bool = False
    retokenize: bool = False


system_options = in_one(
    "taken",
    SystemOptions,
    click.option("--force", is_flag=True, help="Take a system that is not a correction of the source, with a warning."),
    click.option(
        "--retokenize",
        is_flag=True,
        help="Give lines that look untokenized the source's tokens, and say what was changed; the signature tells.",
    ),
)
"""``--force``, ``--retokenize``: the command gets a ``SystemOptions``, ``taken``."""


# How it is computed


class FiniteRange(click.FloatRange):
    """A range that nan is not in either."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a number, and see that it is one."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


seed_option = click.option(
    "--seed", type=click.IntRange(0), metavar="N", default=0, show_default=True, help="Seed of everything random."
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    show_default=True,
    help="Number of processes to use; no digit depends on it.",
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


def anywhere_options(command: Command) -> Command:
    """``--jobs`` of commands that can work on a Dask cluster too."""
    for option in (
        former("--dask", "jobs", lambda jobs, to: f"{to}:{jobs}" if to == "local" and jobs != 1 else to),
        click.option(
            "--jobs",
            type=Jobs(),
            metavar="N|ADDRESS",
            default=1,
            show_default=True,
            help="Number of processes to use, a Dask scheduler to work on, or 'local[:N]', a Dask cluster here (with "
            "errorbar[dask]); no digit depends on it.",
        ),
    ):
        command = option(command)
    return command


def swap_options(command: Command) -> Command:
    """``--adjust``, ``--swaps``: how systems are compared."""
    for option in (
        click.option(
            "--swaps",
            type=click.IntRange(1),
            metavar="N",
            help="Random ways to swap the outputs of two systems.  [default: 2000, or as many as the level asks for]",
        ),
        click.option(
            "--adjust",
            type=click.Choice(ADJUSTMENTS),
            default=ADJUSTMENTS[0],
            show_default=True,
            help="How p-values are adjusted for the number of pairs: step-down max-T, or Holm, which takes more swaps.",
        ),
    ):
        command = option(command)
    return command


# What is shown

order_option = click.option(
    "--order",
    type=click.Choice(("best", "input")),
    default="best",
    show_default=True,
    help="List systems the best first, or as they were given.",
)


format_option = click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How to print results.",
)


def refuse_given(names: Sequence[str], why: str, fix: str = "leave it out") -> None:
    """Refuse options that were given and of which nothing would come.

    Args:
        names: The command's parameters.
        why: What stands after the option's name.
        fix: What to do.

    Raises:
        UsageError: If one was given.
    """
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in names and context.get_parameter_source(option.name) == ParameterSource.COMMANDLINE:
            raise UsageError(Problem("useless-option", f"{option.opts[0]} {why}", fix=fix))


def show_notes(notes: list[Problem]) -> None:
    """Print warnings and repairs on stderr, at most a few of each kind."""
    counts: Counter[str] = Counter()
    for note in notes:
        counts[note.code] += note.others or 1
    shown: Counter[str] = Counter()
    for note in notes:
        shown[note.code] += 1
        if shown[note.code] <= MOST_NOTES:
            say(f"{'warning' if note.severity == 'warning' else 'note'}: {note.line(as_options)}")
        if shown[note.code] == MOST_NOTES and counts[note.code] > MOST_NOTES:
            say(f"note: and {counts[note.code] - MOST_NOTES:,} more [{note.code}]")
