"""What a rater sees of one item: a fragment of HTML, the same in every round and for gold and work.

Nothing goes in but what is shown: no name, no kind, no answer. Offsets are code points of the text, so that the element
with the target holds ``text[start:end]``, character by character, carriage returns too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.rater_pages import pages
from errorbar.judging.scheme import Scheme, near, tokens

if TYPE_CHECKING:
    from jinja2 import Template

Span = tuple[int, int]
_SPACES = " \t\u00a0"
_OPENING, _CLOSING = "\n\r([{“‘«¿¡-/", "\n\r.,;:!?…)]}”’»-/"
"""Characters after which, and before which, no space stands at a gap."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the text that looks the same all over; ``token``: its number, None: space between tokens."""

    text: str
    token: int | None
    near: bool = False
    differs: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """A text in three parts, of which the middle one is the target: highlighted, or the blank."""

    before: list[_Piece] = field(default_factory=list)
    target: list[_Piece] = field(default_factory=list)
    after: list[_Piece] = field(default_factory=list)


def _pieces(text: str, cut: Span, tinted: range = range(0), differing: frozenset[int] = frozenset()) -> _Line:
    """The text, cut where its tokens and the target begin and end."""
    spans = tokens(text)
    edges = sorted({0, len(text), *cut, *(edge for span in spans for edge in span)})
    line, numbers = _Line(), iter(enumerate(spans))
    number, (start, end) = next(numbers, (0, (len(text), len(text))))
    for first, last in pairwise(edges):
        while first >= end and first < len(text):
            number, (start, end) = next(numbers, (0, (len(text), len(text))))
        token = number if start <= first < end else None
        piece = _Piece(text[first:last], token, token in tinted, token in differing)
        part = line.before if last <= cut[0] else line.after if first >= cut[1] else line.target
        part.append(piece)
    return line


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Pieces that stand in both texts, or in one of them alone; a gap is where only the other text has words."""

    kind: Literal["same", "differs", "gap"]
    pieces: list[_Piece] = field(default_factory=list)


def _stretches(text: str, words: Sequence[str], others: Sequence[str]) -> Iterator[_Stretch]:
    """A text of a choice, cut where it differs from the other one."""
    changes = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    differing = frozenset(n for tag, start, end, *_ in changes if tag != "equal" for n in range(start, end))
    gaps = {start for tag, start, *_ in changes if tag == "insert"}
    pieces = _pieces(text, (0, len(text)), differing=differing).target
    stretch = _Stretch("same")
    for at, piece in enumerate(pieces):
        if piece.token in gaps:
            yield from (stretch, _Stretch("gap"))
            stretch = _Stretch("same")
        is_space = stretch.kind == "differs" and piece.token is None
        differs = piece.differs or (is_space and any(each.differs for each in pieces[at + 1 : at + 2]))
        kind: Literal["same", "differs"] = "differs" if differs else "same"
        if kind != stretch.kind:
            yield stretch
            stretch = _Stretch(kind)
        stretch.pieces.append(piece)
    yield stretch
    if len(words) in gaps:
        yield _Stretch("gap")


def candidate_texts(item: JudgedItem, reversed_: bool) -> list[str]:
    """The whole text with each of the candidates in its place, top one first."""
    start, end = item.span or (0, len(item.text))
    left, right = item.text[:start], item.text[end:]
    texts = [left + candidate + right if candidate else _closed(left, right) for candidate in item.candidates]
    return texts[::-1] if reversed_ else texts


def _closed(left: str, right: str) -> str:
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


def shown_hash(scheme: Scheme, item: JudgedItem, reversed_: bool) -> str:
    """A hash of what the rater sees and of nothing else, which the browser sends back with the answer.

    It tells nobody the writer's word or which candidate comes first, as both sides of a choice are hashed in the
    order in which they stand, and a cloze text without what belongs into its gap.
    """
    shown: tuple[object, ...] = (item.text, item.span)
    if scheme.shows == "choice":
        shown = (*candidate_texts(item, reversed_),)
    elif scheme.shows == "cloze":
        shown = cloze_texts(item)
    return hashlib.sha256(json.dumps([scheme.shows, item.before, *shown]).encode()).hexdigest()[:16]


def _candidates(item: JudgedItem, reversed_: bool) -> Iterator[list[_Stretch]]:
    texts = candidate_texts(item, reversed_)
    words = [[text[slice(*span)] for span in tokens(text)] for text in texts]
    for n, text in enumerate(texts):
        yield list(_stretches(text, words[n], words[1 - n] if len(texts) == 2 else words[n]))


@cache
def _template() -> Template:
    return pages().get_template("item.html")


def fragment(scheme: Scheme, item: JudgedItem, reversed_: bool = False) -> str:
    """The item as HTML.

    Args:
        scheme: Says what is shown (``shows``) and how many words around the target are tinted (``context_words``).
        item: What is asked.
        reversed_: Whether the two candidates change places, if the scheme lets them.

    Returns:
        Markup without any script, style or address in it. Tokens are ``span`` elements with ``data-token``; a token
        that the target cuts has several. The target is ``mark.target``.
    """
    what: dict[str, Any] = {"shows": scheme.shows, "before": item.before}
    if scheme.shows == "choice":
        what |= {"texts": list(_candidates(item, reversed_ and scheme.reversible)), "headings": scheme.headings}
    elif scheme.shows == "cloze":
        what["sides"] = cloze_texts(item)
    else:
        span = item.span or (0, len(item.text))
        tinted = near(scheme, item)[1] if item.span and scheme.context_words else range(0)
        what |= {"line": _pieces(item.text, span, tinted), "targeted": item.span is not None}
    return _template().render(what).replace("\r", "&#13;")  # a bare one would be read as a line feed
