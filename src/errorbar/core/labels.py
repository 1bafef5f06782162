"""Names, labels and counts: in the order in which people count, and as messages name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import isfinite, isnan, nan
from types import MappingProxyType
from unicodedata import decimal

_DIGITS = re.compile(r"(\d+)")
_NOUNS = """sentence document system essay token annotator edit editor fragment line problem run item rater judgment
    comparison pair tie judge reference link pool row call request answer warning text
    span option file"""
LONGEST_SHOWN, MOST_NAMED = 60, 10  # characters of a label, and labels, that a message shows before it counts the rest

MOST_DIGITS = 15  # of an offset, a rank or the number of a sentence; Python refuses to read thousands


@cache
def error_types(inventory: str = "hoo") -> Mapping[str, str]:
    """The codes and descriptions of an inventory's error types, in their order: ``hoo``, ``nucle`` or ``errant``."""
    import json  # noqa: PLC0415 - slow, and few data have these types
    from importlib.resources import files  # noqa: PLC0415 - as above

    text = files("errorbar.core").joinpath("inventories", f"{inventory}.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text)["types"])


def quote_labels(labels: Iterable[str]) -> str:
    """Some labels as a message names them: not too many, and none at length."""
    known = list(labels)
    shown = [label if len(label) <= LONGEST_SHOWN else f"{label[:LONGEST_SHOWN]}…" for label in known[:MOST_NAMED]]
    more = [f"and {len(known) - MOST_NAMED:,} more"] if len(known) > MOST_NAMED else []
    return ", ".join([*shown, *more])


def join_words(names: Sequence[str], most: int = 5) -> str:
    """``A``, ``A and B``, ``A, B and C``; of many the ``most`` first and how many more."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def format_count(count: int, nouns: str) -> str:
    """A number and what it counts, given in the plural: ``format_count(1, "edits in sets")`` is ``1 edit in sets``."""
    if count != 1:
        return f"{count:,} {nouns}"
    return "1 " + re.sub(rf"\b({'|'.join(_NOUNS.split())})s\b", r"\1", nouns, count=1)


def whole_number(text: str) -> int | None:
    """The number that some digits are, between white space; None where they are none, or more than ``MOST_DIGITS``."""
    digits = text.strip()
    return int(digits) if digits.isdecimal() and len(digits) <= MOST_DIGITS else None


def as_number(label: str) -> float:
    """The number that a label is; NaN where it is no finite number."""
    try:
        value = float(label)
    except ValueError:
        return nan
    return value if isfinite(value) else nan


def usual_order(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels in an order that depends on nothing but them: numbers ascending, then the rest by name."""

    def place(label: str) -> tuple[bool, float, str]:
        number = as_number(label)
        return isnan(number), 0.0 if isnan(number) else number, label

    return tuple(sorted(labels, key=place))


def is_missing(value: object) -> bool:
    """Whether a value in memory stands for none: None, or NaN, NaT or NA of numpy, pandas, decimals and others."""
    return value is None or (not isinstance(value, str) and str(value).lower() in ("nan", "nat", "<na>"))


ONE_LABEL = "one label; a row for each judgment, e.g. with a rater of its own"


def is_list(label: str) -> bool:
    """Whether a cell has several labels written as a list, such as ``[3, 3, 4]`` or ``['ok', 'error']``."""
    text = label.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return False
    inside = text[1:-1].strip()
    if len(inside) > 1 and inside[0] in "'\"" and inside[-1] == inside[0]:
        return True
    parts = inside.replace(",", " ").replace(";", " ").split()
    return all(as_number(part.lstrip("+-")) >= 0 for part in parts)


def list_words(label: str) -> str:
    """The message on a cell with a list of labels."""
    return f"the label '{quote_labels([label])}' is a list of labels"


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """The key that sorts names: texts, and numbers by value (by digits: Python makes none of more than 4,300)."""
    key = []
    for at, part in enumerate(_DIGITS.split(name)):
        digits = "".join(str(decimal(digit)) for digit in part).lstrip("0") if at % 2 else ""
        key.append((0, len(digits), digits) if at % 2 else (1, 0, part))
    return key


def natural_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names sorted, A2 before A10, the same whatever order they come in."""
    return tuple(sorted(names, key=lambda name: (natural_key(name), name)))
