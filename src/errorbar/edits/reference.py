"""Reference edits prepared for matching: replacements as token tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from errorbar.core.edit import Edit


class ReferenceEdit(NamedTuple):
    """A reference edit with its replacements cut into tokens.

    Attributes:
        start: First token of the span.
        end: One past the last token.
        replacements: Each alternative as a tuple of tokens; ``()`` deletes the span. Where there is other white space
            than one space between tokens, one of them is no token of any text: corrections are compared as written.
    """

    start: int
    end: int
    replacements: tuple[tuple[str, ...], ...]


def reference_edits(edits: Sequence[Edit]) -> list[ReferenceEdit]:
    """Prepare an annotator's edits, keeping their order."""
    return [
        ReferenceEdit(edit.start, edit.end, tuple(tuple(replacement_tokens(text)) for text in edit.replacements))
        for edit in edits
    ]


def replacement_tokens(text: str) -> list[str]:
    """The tokens of a correction as written: only a single space is between two."""
    return text.split(" ") if text else []
