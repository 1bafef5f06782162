"""``--force`` and ``--retokenize``: how systems' texts are taken."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from errorbar.edits.admission import Admission

Command = TypeVar("Command", bound=Callable[..., Any])


def admission_options(command: Command) -> Command:
    """The command gets both as one argument, ``admission``."""

    @click.option("--force", is_flag=True, help="Take a system that is not a correction of the source, with a warning.")
    @click.option(
        "--retokenize",
        is_flag=True,
        help="Give lines that look untokenized the source's tokens, and say what was changed; in the signature.",
    )
    @wraps(command)
    def wrapped(*args: Any, force: bool, retokenize: bool, **options: Any) -> Any:
        return command(*args, admission=Admission(force, retokenize), **options)

    return wrapped  # type: ignore[return-value]  # click passes options by name; the decorated command keeps its type
