"""A text with stand-off edits: spans are characters, and nothing of the text is repeated in tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class StandoffEdit(NamedTuple):
    """A source character span plus what may stand there instead.

    Without corrections only leaving the span as it is will do (``optional``), or none is known (``unknown``).
    """

    index: str  # type: ignore[assignment]  # its name in the fragment's file, as the format calls it, or ""
    start: int  # first character, counted from 0
    end: int  # one past the last; ``start == end`` is an insertion
    original: str  # the source text of the span
    corrections: tuple[str, ...] = ()  # alternatives in the order given; "" deletes the span
    optional: bool = False  # the span may as well stay as it is
    null_at: int = 0  # where among the corrections the empty one stood that says so
    type: str = ""  # a code of some inventory
    group: str = ""  # its consistency set, or ""

    @property
    def is_insertion(self) -> bool:
        """Whether nothing of the source is replaced."""
        return self.start == self.end

    @property
    def unknown(self) -> bool:
        """Whether the span is wrong but no correction is known."""
        return not self.corrections and not self.optional


@dataclass(frozen=True, slots=True)
class Fragment:
    """A text and one set of edits of it, in text order; the unit of HOO scores."""

    name: str  # what joins it with other files about the same text, e.g. 1005
    edits: tuple[StandoffEdit, ...]
    text: str | None = None  # None where only the edits were read
    file: str = ""  # where the edits are from, for messages


def in_text_order(edits: Iterable[StandoffEdit]) -> tuple[StandoffEdit, ...]:
    """Sort by span; an insertion stands before a span that starts at the same point."""
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


def edits_record(name: str, edits: Iterable[StandoffEdit]) -> str:
    """What counts in a fragment's edits, in a line, for content hashes: not types, nor indexes."""
    rows = sorted((e.start, e.end, e.corrections, e.optional, e.null_at, e.group) for e in edits)
    return f"{name!r} {rows!r}"


def text_record(fragment: Fragment) -> str:
    """A fragment's source text in a line, for content hashes; of one without a text the name alone."""
    digest = hashlib.sha256((fragment.text or "").encode("utf-8", "surrogatepass")).hexdigest()
    return f"{fragment.name!r} {digest}"
