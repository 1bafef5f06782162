"""A text with stand-off edits: spans are characters, and nothing of the text is repeated in tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

_DIGITS = 12


class StandoffEdit(NamedTuple):
    """A source character span plus what may stand there instead.

    Attributes:
        index: Its name within the fragment's file, or ``""``.
        start: First character of the span, counted from 0.
        end: One past the last character; ``start == end`` is an insertion.
        original: The source text of the span.
        corrections: Alternative corrections in the order given; ``""`` deletes the span. Empty: only leaving the
            span as it is will do (``optional``), or it is wrong but no correction is known (not ``optional``).
        optional: The span may as well stay as it is.
        null_at: Where among the corrections the empty one stood that says so, counted from 0.
        type: Error type, a code of some inventory.
        group: Name of the consistency set the edit belongs to, or ``""``.
    """

    index: str  # type: ignore[assignment]  # the format calls it so; nobody searches this tuple
    start: int
    end: int
    original: str
    corrections: tuple[str, ...] = ()
    optional: bool = False
    null_at: int = 0
    type: str = ""
    group: str = ""

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
    """A text and one set of edits of it; the unit of HOO scores.

    Attributes:
        name: What joins it with other files about the same text, e.g. ``1005``.
        edits: Its edits in text order.
        text: The source text; None where only the edits were read.
        file: The file the edits are from, for messages.
    """

    name: str
    edits: tuple[StandoffEdit, ...]
    text: str | None = None
    file: str = ""


def in_text_order(edits: Iterable[StandoffEdit]) -> tuple[StandoffEdit, ...]:
    """Sort by span; an insertion stands before a span that starts at the same point."""
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


def fragments_hash(fragments: Iterable[Fragment]) -> str:
    """Content hash of edits: spans, corrections, optionality, sets; not types, indexes or the order of files.

    Args:
        fragments: The fragments; no name stands twice.
    """
    return hash_of_digests({each.name: edits_digest(each.edits) for each in fragments})


def texts_hash(fragments: Iterable[Fragment]) -> str:
    """Content hash of the source texts; of the names alone where no text was read.

    Args:
        fragments: The fragments; no name stands twice.
    """
    return hash_of_digests({each.name: text_digest(each.text) for each in fragments})


def edits_digest(edits: Iterable[StandoffEdit]) -> bytes:
    """A fragment's part of ``fragments_hash``, for whoever never holds all of them."""
    rows = sorted((e.start, e.end, e.corrections, e.optional, e.null_at, e.group) for e in edits)
    return _digest("".join(map(repr, rows)))


def text_digest(text: str | None) -> bytes:
    """A fragment's part of ``texts_hash``."""
    return _digest(text or "")


def hash_of_digests(digests: Mapping[str, bytes]) -> str:
    """Join the parts of all fragments, given by name in any order, into their content hash."""
    sha = hashlib.sha256()
    for name, digest in sorted(digests.items()):
        sha.update(_digest(name) + digest)
    return sha.hexdigest()[:_DIGITS]


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
