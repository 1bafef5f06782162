"""An edit: a source token span and what may stand there instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from errorbar.core.errors import wrong_type

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


_TYPES = (int, int, tuple, str, bool, str, str)
_SAID = {int: "a whole number", tuple: "a tuple of texts", str: "a text", bool: "True or False"}
_TEXTS = {(), (str,), (str, str)}


def check_tokens(what: str, tokens: object) -> None:
    """Refuse one text, or anything else, in place of a list of tokens.

    Raises:
        UsageError: If it is none.
    """
    if isinstance(tokens, str) or not isinstance(tokens, Sequence):
        raise wrong_type(what, "a list of tokens", tokens)
    if not all(issubclass(kind, str) for kind in set(map(type, tokens))):
        wrong = next(token for token in tokens if not isinstance(token, str))
        raise wrong_type(f"a token of {what}", "a text", wrong)


def check_edits(what: str, edits: object) -> None:
    """Refuse what is no list of edits, or an edit with fields of other types.

    Raises:
        UsageError: If it is none.
    """
    if type(edits) is not tuple and (isinstance(edits, str | Edit) or not isinstance(edits, Sequence)):
        raise wrong_type(what, "a list of edits", edits)
    for edit in edits:
        if type(edit) is not Edit:
            raise wrong_type(f"an edit of {what}", "an Edit", edit)
        if (*map(type, edit),) == _TYPES and (*map(type, edit.replacements),) in _TEXTS:
            continue
        for name, value, wanted in zip(Edit._fields, edit, _TYPES, strict=True):
            is_number = wanted is int and hasattr(value, "__index__")  # numpy's are as good
            if not isinstance(value, wanted) and not is_number:
                raise wrong_type(f"{name} of an edit of {what}", _SAID[wanted], value)
        for text in edit.replacements:
            if type(text) is not str:
                raise wrong_type(f"a replacement of an edit of {what}", "a text", text)
