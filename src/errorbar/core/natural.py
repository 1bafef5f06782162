"""Names in the order in which people count: A2 before A10, however many digits there are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import decimal

_DIGITS = re.compile(r"(\d+)")


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """What a name is sorted by: its texts, and its numbers by value.

    Python makes no number of more than 4,300 digits, so numbers are compared by their length and then as texts.
    """
    return [_number(part) if at % 2 else (1, 0, part) for at, part in enumerate(_DIGITS.split(name))]


def natural_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names sorted, the same whatever order they come in."""
    return tuple(sorted(names, key=lambda name: (natural_key(name), name)))


def _number(digits: str) -> tuple[int, int, str]:
    plain = digits if digits.isascii() else "".join(str(decimal(digit)) for digit in digits)
    bare = plain.lstrip("0")
    return 0, len(bare), bare
