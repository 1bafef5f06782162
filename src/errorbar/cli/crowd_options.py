"""Options that the commands about crowds share, by the names of the public functions' arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from errorbar.cli.command import former
from errorbar.cli.intervals import IntervalOptions
from errorbar.cli.metric_options import with_parameter
from errorbar.cli.options import Command, Decorator, documents_option, in_one, lenient_option, unmarked_option
from errorbar.cli.talk import tell
from errorbar.core.errors import Problem, UsageError
from errorbar.formats.reference import Unmarked

# Written out, so that help need not load what reads judgments; a test sees that they are the library's.
LAYOUTS = ("auto", "long", "wide", "batch")
REPEATS = ("refuse", "first", "last", "keep")
PROJECTIONS = ("tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words")


@dataclass(frozen=True, slots=True)
class JudgedOptions:
    """What the shared options say about judgments, by the names of the public functions' arguments."""

    layout: str
    column: tuple[str, ...]
    labels: tuple[str, ...]
    repeats: str
    items: str
    documents: str | None
    unmarked: Unmarked
    lenient: bool


class Items(click.Choice[str]):
    """What annotators judge: one of ``PROJECTIONS``, or ``words:articles`` or ``words:a,b,c``."""

    def __init__(self) -> None:
        super().__init__(PROJECTIONS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read it; the words are read where they are looked for."""
        name, _, words = str(value).partition(":")
        return str(value) if name == "words" and words else super().convert(value, param, ctx)


def items_option(help: str = "What annotators of a corpus judge.", default: str | None = "tokens") -> Decorator:
    """``--items``."""
    more = " 'words' are prepositions; else words:articles, or words:a,b,c."
    return click.option("--items", type=Items(), default=default, show_default=True, metavar="WHAT", help=help + more)


def _these_words(items: str | None, words: str) -> str:
    """``--words`` as ``--items``."""
    if items is None or not items.startswith("words"):
        what = f"--words is about --items=words, and these are {items or 'tokens'}"
        raise UsageError(Problem("useless-option", what, fix="leave it out"))
    return f"words:{words}"


words_option = former("--words", "items", _these_words, metavar="WORDS")
ROLES: Mapping[str, str] = {
    "error": "an error, also a rule such as '<4'",
    "ok": "no error",
    "unknown": "'cannot say'",
    "type": "which error type of edits alone counts",
}


def labels_option(more: str = "", roles: Sequence[str] = ("unknown", "type")) -> Decorator:
    """``--labels``, repeatable: ``ROLE=LABEL``, or what is written without a role."""
    said = "; ".join(f"{role}=: {ROLES[role]}" for role in roles)
    text = f"What labels mean, as ROLE=LABEL; repeatable. {said}{f'; or {more}' if more else ''}."
    return click.option("--labels", multiple=True, metavar="[ROLE=]LABEL", help=text)


def role_option(name: str) -> Decorator:
    """``--error``, ``--ok`` or ``--unknown``, which ``--labels`` says now."""
    role = name.lstrip("-")
    return former(name, "labels", lambda said, given: [*said, *(f"{role}={each}" for each in given)], multiple=True)


def _no_longer_needed(_: click.Context, __: click.Parameter, given: bool) -> None:
    if given:
        tell("warning: --stream is no longer needed: tables are always read block by block [useless-option]")


_BEFORE = (
    click.option("--layout", type=click.Choice(LAYOUTS), default="auto", show_default=True, help="Layout of a table."),
    click.option("--column", multiple=True, metavar="ROLE=NAME", help="E.g. rater=worker; repeatable."),
)
_AFTER = (
    role_option("--unknown"),
    former("--type", "labels", lambda said, type: [*said, f"type={type}"], metavar="TYPE"),
    click.option(
        "--repeats",
        type=click.Choice(REPEATS),
        default="refuse",
        show_default=True,
        help="Which judgment counts where a rater judged an item more than once.",
    ),
    items_option(),
    words_option,
    documents_option,
    unmarked_option,
    click.option("--stream", is_flag=True, hidden=True, expose_value=False, callback=_no_longer_needed),
    lenient_option,
)
_CLOSED = "the labels there may be, in order: A,B"
judged_options = in_one("judged", JudgedOptions, *_BEFORE, labels_option(_CLOSED), *_AFTER)
crowd_options = in_one(
    "judged",
    JudgedOptions,
    *_BEFORE,
    labels_option(_CLOSED, ("error", "unknown", "type")),
    role_option("--error"),
    *_AFTER,
)
"""Of commands that compare systems with a crowd's errors."""


def crowd_metric_options(command: Command) -> Command:
    """``--metric`` of crowds: the command gets its spec."""
    for option in (
        former("--ties", "spec", lambda spec, ties: with_parameter([spec], "ties", ties)[0], metavar="TIES"),
        former("--shares", "spec", lambda spec, shares: with_parameter([spec], "shares", shares)[0], metavar="SHARES"),
        click.option(
            "--metric",
            "spec",
            metavar="SPEC",
            default="crowd",
            show_default=True,
            help="What is computed, e.g. 'crowd(shares=trust,ties=unknown)': what the share of an item is (votes, "
            "trust, dawid-skene), and what a tie is to the majority (half, unknown, error, ok).",
        ),
    ):
        command = option(command)
    return command


def without_method(intervals: IntervalOptions) -> dict[str, Any]:
    """The options of intervals that are always percentile intervals."""
    return {name: value for name, value in asdict(intervals).items() if name != "ci_method"}
