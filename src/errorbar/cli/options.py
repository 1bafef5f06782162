"""Options that several commands share, so that they look the same everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from math import isfinite
from os import PathLike
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from errorbar.cli.talk import tell
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.formats.pipes import display_name, pipe_key
from errorbar.tables import FORMATS
from errorbar.tables.records import note_record as note_record  # noqa: PLC0414 - commands take it from here

Command = TypeVar("Command", bound=Callable[..., Any])

BOOTSTRAPS = ("bca", "percentile", "basic")
ADJUSTMENTS = ("max-t", "holm")
MOST_NOTES = 5
"""How many notes of one kind are shown before the rest is counted."""

_PIPES = "errorbar.pipes"


class InputPath(click.Path):
    """A file or folder to read, or ``name=file``; every input of every command has this type.

    A pipe can be one input only, whether it is called ``-``, ``/dev/stdin`` or ``<(...)``: another would find nothing.
    """

    def convert(
        self, value: str | PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | PathLike[str]:
        """Refuse a pipe that another input is."""
        from errorbar.formats.reference import NamedFile

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


def format_option(command: Command) -> Command:
    """``--format``: how results are printed."""
    return click.option(
        "--format",
        "style",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How to print results.",
    )(command)


def lenient_option(command: Command) -> Command:
    """``--strict/--lenient``: refuse or repair."""
    return click.option(
        "--lenient/--strict",
        default=False,
        help="Repair what can be repaired and say so, or refuse it (the default).",
    )(command)


def as_written_option(command: Command) -> Command:
    """``--as-written``: the edits of an annotator stay as they are in the file."""
    return click.option(
        "--as-written",
        is_flag=True,
        help="Keep reference edits as they are written, as the official scorer does: what matches a repeated one "
        "counts twice, and one out of order may not match.",
    )(command)


def resampling_options(command: Command) -> Command:
    """``--ci-method``, ``--resamples``, ``--confidence``, ``--seed``, ``--jobs``: how intervals are made.

    A command that has ``--ci`` refuses them without it, and those of draws beside closed formulas: nothing would come
    of them. Reports without ``--ci`` draw for more than scores: agreement, the human ceiling.
    """

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        if options.get("ci") is False:
            _refuse_interval_options()
        elif options.get("ci") and options["ci_method"] == "closed":
            refuse_given(("resamples", "seed"), "is about random draws, and --ci-method closed makes none")
        return command(*args, **options)

    text = "Bootstrap over essays (or sentences), or closed formulas."
    made: Command = _with_resampling(wrapped, (*BOOTSTRAPS, "closed"), text)
    return made


def bootstrap_options(command: Command) -> Command:
    """As ``resampling_options``, where no closed formula exists."""
    made: Command = _with_resampling(command, BOOTSTRAPS, "Bootstrap over essays (or sentences).")
    return made


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


def _with_resampling(command: Callable[..., Any], methods: Sequence[str], text: str) -> Any:
    for option in reversed(
        [
            click.option("--ci-method", type=click.Choice(methods), default="bca", show_default=True, help=text),
            click.option("--resamples", type=click.IntRange(1), default=2000, show_default=True, help="How many."),
            click.option(
                "--confidence",
                type=click.FloatRange(0.5, 1, max_open=True),
                default=0.95,
                show_default=True,
                help="Confidence level of intervals.",
            ),
            seed_option,
            jobs_option,
        ]
    ):
        command = option(command)
    return command


class FiniteRange(click.FloatRange):
    """A range that nan is not in either."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a number, and see that it is one."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


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


def refuse_words(items: str) -> None:
    """Refuse ``--words`` where the items of a corpus are no words.

    Raises:
        UsageError: If it was given.
    """
    if items != "words":
        refuse_given(("words",), f"is about --items words, and these are {items}")


def _refuse_interval_options() -> None:
    why = "is about intervals, and none are asked for"
    refuse_given(("ci_method", "resamples", "confidence", "seed"), why, "add --ci, or leave it out")


def seed_option(command: Command) -> Command:
    """``--seed``: of every random stream."""
    return click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed; in the signature.")(
        command
    )


def jobs_option(command: Command) -> Command:
    """``--jobs``: how many cores."""
    return click.option(
        "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Cores to use; changes no digit."
    )(command)


def dask_option(command: Command) -> Command:
    """``--dask``: work on a Dask cluster."""
    return click.option(
        "--dask", metavar="ADDRESS", help="Dask scheduler to work on, or 'local'; needs errorbar[dask]."
    )(command)


def show_notes(notes: list[Problem]) -> None:
    """Print warnings and repairs on stderr, at most a few of each kind."""
    counts: Counter[str] = Counter()
    for note in notes:
        counts[note.code] += note.others or 1
    shown: Counter[str] = Counter()
    for note in notes:
        shown[note.code] += 1
        if shown[note.code] <= MOST_NOTES:
            tell(f"{'warning' if note.severity == 'warning' else 'note'}: {note}")
        if shown[note.code] == MOST_NOTES and counts[note.code] > MOST_NOTES:
            tell(f"note: and {counts[note.code] - MOST_NOTES:,} more [{note.code}]")
