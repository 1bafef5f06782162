"""Texts as items show them: cut into pieces that look the same, with candidates in place, or with a gap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

from errorbar.judging.items.item import JudgedItem
from errorbar.judging.scheme import tokens

Span = tuple[int, int]
_SPACES = " \t\u00a0"
_OPENING, _CLOSING = "\n\r([{“‘«¿¡-/", "\n\r.,;:!?…)]}”’»-/"
"""Characters after which, and before which, no space stands at a gap."""


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A stretch of the text that looks the same all over; ``token``: its number, None: space between tokens."""

    text: str
    token: int | None
    near: bool = False
    differs: bool = False


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A text in three parts, of which the middle one is the target: highlighted, or the blank."""

    before: list[ShownPiece] = field(default_factory=list)
    target: list[ShownPiece] = field(default_factory=list)
    after: list[ShownPiece] = field(default_factory=list)


def cut_pieces(text: str, cut: Span, tinted: range = range(0), differing: frozenset[int] = frozenset()) -> ShownLine:
    """The text, cut where its tokens and the target begin and end."""
    spans = tokens(text)
    edges = sorted({0, len(text), *cut, *(edge for span in spans for edge in span)})
    line, numbers = ShownLine(), iter(enumerate(spans))
    number, (start, end) = next(numbers, (0, (len(text), len(text))))
    for first, last in pairwise(edges):
        while first >= end and first < len(text):
            number, (start, end) = next(numbers, (0, (len(text), len(text))))
        token = number if start <= first < end else None
        piece = ShownPiece(text[first:last], token, token in tinted, token in differing)
        part = line.before if last <= cut[0] else line.after if first >= cut[1] else line.target
        part.append(piece)
    return line


@dataclass(frozen=True, slots=True)
class ShownStretch:
    """Pieces that stand in both texts, or in one of them alone; a gap is where only the other text has words."""

    kind: Literal["same", "differs", "gap"]
    pieces: list[ShownPiece] = field(default_factory=list)


def differing_stretches(text: str, words: Sequence[str], others: Sequence[str]) -> Iterator[ShownStretch]:
    """A text of a choice, cut where it differs from the other one."""
    changes = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    differing = frozenset(n for tag, start, end, *_ in changes if tag != "equal" for n in range(start, end))
    gaps = {start for tag, start, *_ in changes if tag == "insert"}
    pieces = cut_pieces(text, (0, len(text)), differing=differing).target
    stretch = ShownStretch("same")
    for at, piece in enumerate(pieces):
        if piece.token in gaps:
            yield from (stretch, ShownStretch("gap"))
            stretch = ShownStretch("same")
        is_space = stretch.kind == "differs" and piece.token is None
        differs = piece.differs or (is_space and any(following.differs for following in pieces[at + 1 : at + 2]))
        kind: Literal["same", "differs"] = "differs" if differs else "same"
        if kind != stretch.kind:
            yield stretch
            stretch = ShownStretch(kind)
        stretch.pieces.append(piece)
    yield stretch
    if len(words) in gaps:
        yield ShownStretch("gap")


def candidate_texts(item: JudgedItem, reversed_: bool) -> list[str]:
    """The whole text with each of the candidates in its place, top one first."""
    start, end = item.span or (0, len(item.text))
    left, right = item.text[:start], item.text[end:]
    texts = [left + candidate + right if candidate else _close_gap(left, right) for candidate in item.candidates]
    return texts[::-1] if reversed_ else texts


def _close_gap(left: str, right: str) -> str:
    """The two sides with nothing between: a second space would show that a word was taken out here."""
    if not right:
        return left.rstrip(_SPACES)
    return left + (right.lstrip(_SPACES) if not left or left[-1].isspace() else right)


def cloze_texts(item: JudgedItem) -> tuple[str, str]:
    """The text on either side of the gap, with the same spaces around it whether or not the writer put a word there."""
    start, end = item.span or (0, len(item.text))
    left, right = item.text[:start], item.text[end:]
    if left[-1:].isalnum() and right[:1].isalnum():  # within a word
        return left, right
    left, right = left.rstrip(_SPACES), right.lstrip(_SPACES)
    space_before = bool(left) and left[-1] not in _OPENING
    space_after = bool(right) and right[0] not in _CLOSING
    return left + " " * space_before, " " * space_after + right


def candidate_stretches(item: JudgedItem, reversed_: bool) -> Iterator[list[ShownStretch]]:
    """The texts with each candidate, cut where they differ from each other, top one first."""
    texts = candidate_texts(item, reversed_)
    words = [[text[slice(*span)] for span in tokens(text)] for text in texts]
    for n, text in enumerate(texts):
        yield list(differing_stretches(text, words[n], words[1 - n] if len(texts) == 2 else words[n]))
