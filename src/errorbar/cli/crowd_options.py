"""Options that the commands about crowds share, by the names of the public functions' arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from errorbar.cli.command import former
from errorbar.cli.intervals import IntervalOptions
from errorbar.cli.metric_options import with_beta, with_parameter
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
    """What the shared options say about judgments, as ``studies.judgment_input.JudgmentOptions`` describes it."""

    layout: str
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    repeats: str
    items: str
    documents: str | None
    unmarked: Unmarked
    lenient: bool

    def keywords(self, *, error: bool = False) -> dict[str, Any]:
        """The keyword arguments of a public function.

        Args:
            error: Whether it takes labels that mean an error.

        Raises:
            UsageError: If a role of a column or label is not written as it must be, or has no meaning.
        """
        from errorbar.studies.judgment_input import column_roles

        named = label_roles(self.labels, ("error",) * error + ("unknown", "type"))
        listed = [label for text in named.pop("") for label in text.split(",") if label]
        return {**asdict(self), "columns": column_roles(self.columns), "labels": tuple(listed), **edit_type(named)}


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


def label_roles(labels: Sequence[str], roles: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The labels of each role, and under "" what has none.

    Args:
        labels: What ``--labels`` says.
        roles: The roles there are.

    Raises:
        UsageError: If a role has no meaning here.
    """
    found: dict[str, tuple[str, ...]] = dict.fromkeys(("", *roles), ())
    for text in labels:
        role, equals, label = text.partition("=")
        if equals and role in ROLES and role not in roles:
            what = f"--labels {role}= has no meaning here"
            raise UsageError(
                Problem("useless-option", what, expected=f"one of {'=, '.join(roles)}=", fix="leave it out")
            )
        key, value = (role, label) if equals and role in roles else ("", text)
        found[key] = (*found[key], value)
    return found


def edit_type(named: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Labels by role, with one type of edits.

    Raises:
        UsageError: If there are several.
    """
    if len(named["type"]) > 1:
        raise UsageError(Problem("two-choices", "--labels type= is given twice", fix="give one type"))
    return {**named, "type": "".join(named["type"])}


def _no_longer_needed(_: click.Context, __: click.Parameter, given: bool) -> None:
    if given:
        tell("warning: --stream is no longer needed: tables are always read block by block [useless-option]")


_BEFORE = (
    click.option("--layout", type=click.Choice(LAYOUTS), default="auto", show_default=True, help="Layout of a table."),
    click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="E.g. rater=worker; repeatable."),
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


def crowd_keywords(spec: str, beta: float | None = None) -> dict[str, Any]:
    """What a spec says, by the names of the public functions' arguments; both estimands are computed anyway.

    Raises:
        UsageError: If it is no metric of judgments, or a parameter will not do.
    """
    from errorbar.metrics.crowd_weighted import Crowd
    from errorbar.metrics.registry import parse_metric

    metric = parse_metric(with_beta([spec], beta)[0], "judgments")
    if not isinstance(metric, Crowd):
        what = f"'{metric.name}' has other measures than those of the crowd"
        raise UsageError(Problem("unknown-metric", what, fix="--metric=crowd"))
    return {"shares": metric.shares, "ties": metric.ties, "beta": metric.beta}


def without_method(intervals: IntervalOptions) -> dict[str, Any]:
    """The options of intervals that are always percentile intervals."""
    return {name: value for name, value in asdict(intervals).items() if name != "ci_method"}
