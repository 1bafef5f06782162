"""Options about judgments and what their labels mean, by the names of the public functions' arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from errorbar.cli.command import Decorator, former, together
from errorbar.cli.options import choice, documents_option, lenient_option, unmarked_option
from errorbar.cli.talk import tell
from errorbar.core.errors import Problem, UsageError

# Written out, so that help need not load what reads judgments; a test sees that they are the library's.
LAYOUTS = ("auto", "long", "wide", "batch")
REPEATS = ("refuse", "first", "last", "keep")
PROJECTIONS = ("tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words")
ROLES: Mapping[str, str] = {
    "error": "an error, also a rule such as '<4'",
    "ok": "no error",
    "unknown": "'cannot say'",
    "type": "which error type of edits alone counts, or which ones, between commas",
}
ERROR_OK = ("error", "ok", "unknown")
"""Roles where two kinds of answers are told apart."""


class Items(click.Choice[str]):
    """What annotators judge: one of ``PROJECTIONS``, or ``words:articles`` or ``words:a,b,c``."""

    def __init__(self) -> None:
        super().__init__(PROJECTIONS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read it; the words are read where they are looked for."""
        name, _, words = str(value).partition(":")
        return str(value) if name == "words" and words else super().convert(value, param, ctx)


def items_option(help: str = "What annotators of a corpus judge.", default: str | None = "tokens") -> Decorator:
    """``--items``, and ``--words`` as it was before."""
    more = " 'words' are prepositions; else words:articles, or words:a,b,c."
    items = click.option("--items", type=Items(), default=default, show_default=True, metavar="WHAT", help=help + more)
    return together(items, former("--words", "items", _these_words))


def _these_words(items: str | None, words: str) -> str:
    if items is None or not items.startswith("words"):
        what = f"--words is about --items=words, and these are {items or 'tokens'}"
        raise UsageError(Problem("useless-option", what, fix="leave it out"))
    return f"words:{words}"


def labels_option(roles: Sequence[str] = ERROR_OK, more: str = "") -> Decorator:
    """``--labels``, repeatable: ``ROLE=LABEL``, or what is written without a role; and ``--ROLE`` as it was before."""
    said = "; ".join(f"{role}=: {ROLES[role]}" for role in roles)
    text = f"What labels mean, as ROLE=LABEL; repeatable. {said}{f'; or {more}' if more else ''}."
    return together(
        click.option("--labels", multiple=True, metavar="[ROLE=]LABEL", help=text), *map(_former_role, roles)
    )


def _former_role(role: str) -> Decorator:
    def said(labels: Sequence[str], given: Sequence[str]) -> list[str]:
        return [*labels, *(f"{role}={label}" for label in given)]

    return former(f"--{role}", "labels", said, multiple=True)


def _no_longer_needed(_: click.Context, __: click.Parameter, given: bool) -> None:
    if given:
        tell("warning: --stream is no longer needed: tables are always read block by block [useless-option]")


def judged_options(
    *,
    error: bool = False,
    bare: str = "the labels there may be, in order: A,B",
    repeats: Sequence[str] = REPEATS,
    items: str = "What annotators of a corpus judge.",
) -> Decorator:
    """Make a decorator: how judgments are read; ``bare`` describes labels without a role.

    With ``error`` the command takes labels that mean an error; ``repeats`` are the choices, ``items`` is a help.
    """
    return together(
        choice(
            "--layout",
            LAYOUTS,
            "Layout of a table: rows of judgments, a column for each rater (wide), batch results.",
        ),
        click.option("--column", multiple=True, metavar="ROLE=NAME", help="E.g. rater=worker; repeatable."),
        labels_option(("error",) * error + ("unknown", "type"), bare),
        choice("--repeats", repeats, "Which judgment counts where a rater judged an item more than once."),
        items_option(items),
        documents_option,
        unmarked_option,
        click.option("--stream", is_flag=True, hidden=True, expose_value=False, callback=_no_longer_needed),
        lenient_option,
    )
