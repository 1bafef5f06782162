"""Messages of readers in the words of a task: its file has keys where commands have options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from errorbar.core.errors import InputError, Problem

_LENIENT = re.compile(r" or use --lenient \(.*?\)")
_ARGUMENTS = re.compile(r", or use (?:force|retokenize)=True")
_KEYS = {"use --lenient": "set lenient = true", "use --missing-as-empty": "set missing_as_empty = true"}


def of_run(problems: Iterable[Problem]) -> list[Problem]:
    """What is wrong with a run, or noticed; nothing of a run is repaired or forced."""
    return [replace(each, fix=_keys(_ARGUMENTS.sub("", _LENIENT.sub("", each.fix)))) for each in problems]


@contextmanager
def of_gold() -> Iterator[None]:
    """Say how the task's file can have references repaired.

    Raises:
        InputError: The one that was raised inside, with other words.
    """
    try:
        yield
    except InputError as error:
        raise InputError([replace(problem, fix=_keys(problem.fix)) for problem in error.problems]) from None


def _keys(fix: str) -> str:
    for option, key in _KEYS.items():
        fix = fix.replace(option, key)
    return fix
