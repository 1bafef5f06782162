"""The options of commands that read a whole corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import click

from errorbar.cli.options import INPUT
from errorbar.edits.admission import Admission
from errorbar.formats.reference import UNMARKED, UNMARKED_HELP, Unmarked
from errorbar.studies import inputs
from errorbar.studies.inputs import Loaded, ReadingOptions

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class CorpusInput:
    """What the shared options say about the corpus.

    Attributes:
        gold: ``--gold`` arguments.
        documents: File that tells the essay of each sentence, or None.
        unmarked: Who looked at a sentence without any A line.
    """

    gold: tuple[str, ...]
    documents: str | None
    unmarked: Unmarked


def corpus_options(command: Command) -> Command:
    """``--gold``, ``--documents``, ``--unmarked``: the command gets them as one argument, ``corpus``."""

    @click.option(
        "--gold",
        type=INPUT,
        multiple=True,
        required=True,
        metavar="FILE",
        help="Reference; repeatable, or a pattern.",
    )
    @click.option("--documents", type=INPUT, metavar="FILE", help="NUCLE SGML that tells the essay of each sentence.")
    @click.option("--unmarked", type=click.Choice(UNMARKED), default="auto", help=UNMARKED_HELP)
    @wraps(command)
    def wrapped(*args: Any, gold: tuple[str, ...], documents: str | None, unmarked: Unmarked, **options: Any) -> Any:
        return command(*args, corpus=CorpusInput(gold, documents, unmarked), **options)

    return wrapped  # type: ignore[return-value]  # click passes options by name; the decorated command keeps its type


def load(
    source: CorpusInput, systems: Sequence[str], *, lenient: bool, admission: Admission, as_written: bool = False
) -> Loaded:
    """Read everything, as the options say.

    Raises:
        InputError: If a file is bad, files do not fit together, or a system is not a correction of the source.
        UsageError: If two files have one name.
    """
    options = ReadingOptions(source.unmarked, source.documents, lenient, as_written, admission)
    return inputs.load(source.gold, systems, options)
