"""An edit: a source token span and what may stand there instead."""

from __future__ import annotations

from typing import NamedTuple

UNCLEAR = "Um"
"""NUCLE's type for unclear meaning: marked as an error, but no correction can be given."""


class Edit(NamedTuple):
    """A source token span plus its replacement(s).

    Attributes:
        start: First token of the span, counted from 0.
        end: One past the last token; ``start == end`` is an insertion before token ``start``.
        replacements: Alternative corrections in the order of the file, each a string of tokens joined by one space;
            ``""`` deletes the span. An empty tuple means: wrong, but no correction is known. Readers keep other white
            space inside of a correction as it is written; no hypothesis matches it.
        type: Error type, a code of some inventory; ``""`` where the format has none.
        optional: The span may as well stay as it is.
        group: Name of the consistency set the edit belongs to, or ``""``.
        comment: The annotator's remark, or ``""``.
    """

    start: int
    end: int
    replacements: tuple[str, ...]
    type: str = ""
    optional: bool = False
    group: str = ""
    comment: str = ""

    @property
    def span(self) -> tuple[int, int]:
        """The half-open token span."""
        return self.start, self.end

    @property
    def is_insertion(self) -> bool:
        """Whether nothing of the source is replaced."""
        return self.start == self.end

    @property
    def applicable(self) -> bool:
        """Whether the edit says what the text should become (unclear meaning and unknown corrections do not)."""
        return bool(self.replacements) and self.type != UNCLEAR
