"""Options that the commands about crowds share, as keyword arguments of the functions behind them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from errorbar.cli.options import INPUT, jobs_option, lenient_option, refuse_given, refuse_words, seed_option
from errorbar.cli.talk import tell
from errorbar.formats.reference import UNMARKED, UNMARKED_HELP

Command = TypeVar("Command", bound=Callable[..., Any])
# Written out, so that help need not load what reads judgments; a test sees that they are the library's.
LAYOUTS = ("auto", "long", "wide", "batch")
REPEATS = ("refuse", "first", "last", "keep")
PROJECTIONS = ("tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words")
SHARES = ("votes", "trust", "dawid-skene")
TIES = ("half", "unknown", "error", "ok")
ERROR_HELP = "A label that means an error, or a rule such as '<4'; repeatable.  [default: error]"


def _no_longer_needed(_: click.Context, __: click.Parameter, given: bool) -> None:
    if given:
        tell("warning: --stream is no longer needed: tables are always read block by block [useless-option]")


_READING = (
    click.option("--layout", type=click.Choice(LAYOUTS), default="auto", show_default=True, help="Layout of a table."),
    click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="E.g. rater=worker; repeatable."),
    click.option("--labels", default="", metavar="A,B", help="The labels there may be, in order; others are refused."),
    click.option("--unknown", multiple=True, metavar="LABEL", help="A label that means 'cannot say'; repeatable."),
    click.option(
        "--repeats",
        type=click.Choice(REPEATS),
        default="refuse",
        show_default=True,
        help="Which judgment counts where a rater judged an item more than once.",
    ),
    click.option("--items", type=click.Choice(PROJECTIONS), default="tokens", help="What a corpus's annotators judge."),
    click.option("--words", default="prepositions", help="With --items words: prepositions, articles, or a,b,c."),
    click.option("--type", "type", default="", metavar="TYPE", help="Only annotators' edits of this type are errors."),
    click.option("--documents", type=INPUT, metavar="FILE", help="NUCLE SGML that tells the essay of each sentence."),
    click.option("--unmarked", type=click.Choice(UNMARKED), default="auto", help=UNMARKED_HELP),
    click.option("--stream", is_flag=True, hidden=True, expose_value=False, callback=_no_longer_needed),
    lenient_option,
)
_SHARES = (
    click.option("--error", multiple=True, metavar="LABEL", help=ERROR_HELP),
    click.option("--shares", type=click.Choice(SHARES), default="votes", show_default=True, help="What a share is."),
    click.option(
        "--ties", type=click.Choice(TIES), default="half", show_default=True, help="What a tie is to the majority."
    ),
)


def reading_options(command: Command) -> Command:
    """Options about the judgments: the command gets them as one argument, ``reading``."""

    def gathered(given: dict[str, Any]) -> dict[str, Any]:
        from errorbar.studies.judgment_input import column_roles

        if given["items"] != "words":
            refuse_words(given["items"])
        labels = tuple(label for label in given["labels"].split(",") if label)
        return {**given, "columns": column_roles(given["columns"]), "labels": labels}

    names = ("layout", "columns", "labels", "unknown", "repeats", "items", "words", "type", "documents", "unmarked")
    return _together(command, _READING, "reading", (*names, "lenient"), gathered)


def share_options(command: Command) -> Command:
    """``--error``, ``--shares``, ``--ties``: the command gets them as one argument, ``wanted``."""

    def gathered(given: dict[str, Any]) -> dict[str, Any]:
        return {**given, "error": given["error"] or "error"}

    return _together(command, _SHARES, "wanted", ("error", "shares", "ties"), gathered)


def interval_options(resamples: int) -> Callable[[Command], Command]:
    """``--ci``, ``--confidence``, ``--resamples``, ``--seed``, ``--jobs``: one argument, ``intervals``."""
    options = (
        click.option("--ci/--no-ci", default=None, help="Make intervals, or none.  [default: up to 20,000 items]"),
        click.option(
            "--confidence",
            type=click.FloatRange(0.5, 1, max_open=True),
            default=0.95,
            show_default=True,
            help="Confidence level of intervals.",
        ),
        click.option(
            "--resamples", type=click.IntRange(1), default=resamples, show_default=True, help="How many they rest on."
        ),
        seed_option,
        jobs_option,
    )

    def gathered(given: dict[str, Any]) -> dict[str, Any]:
        if given["ci"] is False:
            refuse_given(("confidence", "resamples"), "is about intervals, and --no-ci asks for none")
        return given

    return lambda command: _together(
        command, options, "intervals", ("ci", "confidence", "resamples", "seed", "jobs"), gathered
    )


def _together(
    command: Command,
    options: tuple[Callable[[Any], Any], ...],
    argument: str,
    names: tuple[str, ...],
    gathered: Callable[[dict[str, Any]], dict[str, Any]],
) -> Command:
    """The command with some options, whose values it gets as one argument."""

    @wraps(command)
    def wrapped(*args: Any, **given: Any) -> Any:
        values = gathered({name: given.pop(name) for name in names})
        return command(*args, **given, **{argument: values})

    made: Any = wrapped
    for option in reversed(options):
        made = option(made)
    found: Command = made
    return found
