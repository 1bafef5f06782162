"""Options that the commands about crowds share, by the names of the public functions' arguments."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import click

from errorbar.cli.intervals import IntervalOptions
from errorbar.cli.options import documents_option, in_one, lenient_option, unmarked_option
from errorbar.cli.talk import tell
from errorbar.formats.reference import Unmarked

# Written out, so that help need not load what reads judgments; a test sees that they are the library's.
LAYOUTS = ("auto", "long", "wide", "batch")
REPEATS = ("refuse", "first", "last", "keep")
PROJECTIONS = ("tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words")
SHARES = ("votes", "trust", "dawid-skene")
TIES = ("half", "unknown", "error", "ok")
ERROR_HELP = "A label that means an error, or a rule such as '<4'; repeatable.  [default: error]"


@dataclass(frozen=True, slots=True)
class JudgedOptions:
    """What the shared options say about judgments, as ``studies.judgment_input.JudgmentOptions`` describes it."""

    layout: str
    columns: tuple[str, ...]
    labels: str
    unknown: tuple[str, ...]
    repeats: str
    items: str
    words: str
    type: str
    documents: str | None
    unmarked: Unmarked
    lenient: bool

    def keywords(self) -> dict[str, Any]:
        """The keyword arguments of a public function.

        Raises:
            UsageError: If a role of a column is not written as it must be.
        """
        from errorbar.studies.judgment_input import column_roles

        labels = tuple(label for label in self.labels.split(",") if label)
        return {**asdict(self), "columns": column_roles(self.columns), "labels": labels}


@dataclass(frozen=True, slots=True)
class ShareOptions:
    """What the shared options say about the crowd that systems are compared with."""

    error: tuple[str, ...]
    shares: str
    ties: str


def _no_longer_needed(_: click.Context, __: click.Parameter, given: bool) -> None:
    if given:
        tell("warning: --stream is no longer needed: tables are always read block by block [useless-option]")


judged_options = in_one(
    "judged",
    JudgedOptions,
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
    documents_option,
    unmarked_option,
    click.option("--stream", is_flag=True, hidden=True, expose_value=False, callback=_no_longer_needed),
    lenient_option,
)
share_options = in_one(
    "wanted",
    ShareOptions,
    click.option("--error", multiple=True, metavar="LABEL", help=ERROR_HELP),
    click.option("--shares", type=click.Choice(SHARES), default="votes", show_default=True, help="What a share is."),
    click.option(
        "--ties", type=click.Choice(TIES), default="half", show_default=True, help="What a tie is to the majority."
    ),
)


def without_method(intervals: IntervalOptions) -> dict[str, Any]:
    """The options of intervals that are always percentile intervals."""
    return {name: value for name, value in asdict(intervals).items() if name != "ci_method"}
