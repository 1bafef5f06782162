"""What a rater sees of one item: a fragment of HTML, the same in every round and for gold and work.

Nothing goes in but what is shown: no name, no kind, no answer. Offsets are code points of the text, so that the element
with the target holds ``text[start:end]``, character by character, carriage returns too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.rater_pages import pages
from errorbar.judging.scheme import Scheme, near, tokens

if TYPE_CHECKING:
    from jinja2 import Template

Span = tuple[int, int]


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


def _differing(tokens: Sequence[str], others: Sequence[str]) -> frozenset[int]:
    """Numbers of the tokens that the other text has not."""
    blocks = SequenceMatcher(None, tokens, others, autojunk=False).get_matching_blocks()
    same = {n for block in blocks for n in range(block.a, block.a + block.size)}
    return frozenset(range(len(tokens))) - same


def candidate_texts(item: JudgedItem, reversed_: bool) -> list[str]:
    """The whole text with each of the candidates in its place, top one first."""
    start, end = item.span or (0, len(item.text))
    texts = [item.text[:start] + candidate + item.text[end:] for candidate in item.candidates]
    return texts[::-1] if reversed_ else texts


def _candidates(item: JudgedItem, reversed_: bool) -> Iterator[_Line]:
    texts = candidate_texts(item, reversed_)
    words = [[text[slice(*span)] for span in tokens(text)] for text in texts]
    for n, text in enumerate(texts):
        differing = _differing(words[n], words[1 - n]) if len(texts) == 2 else frozenset()
        yield _pieces(text, (0, len(text)), differing=differing)


@cache
def _template() -> Template:
    return pages().get_template("item.html")


def fragment(scheme: Scheme, item: JudgedItem, reversed_: bool = False) -> str:
    """The item as HTML.

    Args:
        scheme: Says what is shown (``shows``) and how many words around the target are tinted (``context_words``).
        item: What is asked.
        reversed_: Whether the two candidates change places.

    Returns:
        Markup without any script, style or address in it. Tokens are ``span`` elements with ``data-token``; a token
        that the target cuts has several. The target is ``mark.target``.
    """
    what: dict[str, Any] = {"shows": scheme.shows, "before": item.before}
    if scheme.shows == "choice":
        what["lines"] = list(_candidates(item, reversed_))
    else:
        span = item.span or (0, len(item.text))
        tinted = near(scheme, item)[1] if item.span and scheme.context_words else range(0)
        what |= {"line": _pieces(item.text, span, tinted), "targeted": item.span is not None}
    return _template().render(what).replace("\r", "&#13;")  # a bare one would be read as a line feed
