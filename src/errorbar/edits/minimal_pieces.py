"""Edits cut into minimal pieces: what they change, without the unchanged words that they carry along.

Conventions
    A piece is a stretch of the source and what stands there instead, with no unchanged token in it. The longest stretch
    that both texts share is kept first, then the longest on either side of it. Two edits that change the same are the
    same pieces, wherever they begin and end. An edit that changes nothing has no piece.
Source
    Ratcliff & Metzener 1988, Pattern matching: the gestalt approach, Dr. Dobb's Journal, as Python's difflib has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from errorbar.core.edit import Edit

Piece = tuple[int, int, str]
"""First token, one past the last, what stands there instead."""


def minimal_pieces(tokens: Sequence[str], start: int, end: int, replacement: str) -> tuple[Piece, ...]:
    """The pieces of an edit of some tokens, in text order."""
    before, after = list(tokens[start:end]), replacement.split()
    return tuple(
        (start + one, start + two, " ".join(after[three:four]))
        for kind, one, two, three, four in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if kind != "equal"
    )


def as_edits(pieces: Sequence[Piece], kind: str = "") -> list[Edit]:
    """Pieces as edits of a type."""
    return [Edit(start, end, (text,), kind) for start, end, text in pieces]


def changed_text(tokens: Sequence[str], start: int, end: int, pieces: Sequence[Piece]) -> str:
    """What pieces make of the tokens from ``start`` to ``end``, which they lie in."""
    shown, at = list[str](), start
    for first, last, text in pieces:
        shown += [*tokens[at:first], *([text] if text else [])]
        at = last
    return " ".join([*shown, *tokens[at:end]])
