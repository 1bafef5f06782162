"""Options about judgments and what their labels mean, by the names of the public functions' arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from errorbar.cli.command import Decorator, together
from errorbar.cli.options import choice, documents_option, lenient_option, unmarked_option

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
    """``--items``."""
    more = " 'words' are prepositions; else words:articles, or words:a,b,c."
    return click.option("--items", type=Items(), default=default, show_default=True, metavar="WHAT", help=help + more)


def labels_option(roles: Sequence[str] = ERROR_OK, more: str = "") -> Decorator:
    """``--labels``, repeatable: ``ROLE=LABEL``, or what is written without a role."""
    said = "; ".join(f"{role}=: {ROLES[role]}" for role in roles)
    text = f"What labels mean, as ROLE=LABEL; repeatable. {said}{f'; or {more}' if more else ''}."
    return click.option("--labels", multiple=True, metavar="[ROLE=]LABEL", help=text)


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
        lenient_option,
    )
