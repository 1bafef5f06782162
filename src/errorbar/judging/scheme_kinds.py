"""The kinds of schemes, one object each: how an item is shown, which items fit, and what answers correct.

A browser gets nothing but what is shown: no name, no kind, no answer. Offsets are code points of the text, so that the
element with the target holds ``text[start:end]``, character by character, carriage returns too.

A new kind is a class here with its entry in ``SCHEME_KINDS``, its markup in ``web/templates/item.html`` and, where it
has figures of its own, an entry in ``analysis.kind_findings.KIND_FINDINGS``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, Literal

from errorbar.core.problems import shorten_text
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.scheme import NOTHING, Scheme, fold_word, near, tokens


def own_text(item: JudgedItem) -> str:
    """The writer's words at the place that is asked about."""
    start, end = item.span or (0, len(item.text))
    return item.text[start:end]


class SchemeKind:
    """A kind of scheme; this one shows the text with its span set off."""

    name = "span"
    compares = False
    """Whether two texts are set against each other: items have two candidates, exports sides and pairs."""

    def needs_span(self, scheme: Scheme) -> bool:
        """Whether it asks about a part of the text."""
        return bool(scheme.context_words)

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Why a scheme cannot ask about an item; empty: it can."""
        if item.span is None and self.needs_span(scheme):
            name = shorten_text(item.name)
            return f"item '{name}' has no span, and the scheme {scheme.name} asks about a part of the text"
        return ""

    def shown(self, item: JudgedItem, reversed_: bool) -> tuple[object, ...]:
        """All that a rater sees of an item besides the sentence before it."""
        del reversed_  # there are no sides
        return item.text, item.span

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: bool) -> dict[str, Any]:
        """The values of the item's markup."""
        del reversed_
        span = item.span or (0, len(item.text))
        tinted = near(scheme, item)[1] if item.span and scheme.context_words else range(0)
        return {"line": _pieces(item.text, span, tinted), "targeted": item.span is not None}

    def gives_corrections(self, scheme: Scheme) -> bool:
        """Whether answers say what to write instead."""
        return any(kind_of_question(question).names_replacements for question in scheme.questions)

    def is_about_writer(self, item: JudgedItem) -> bool:
        """Whether answers are about the writer's words: not where two other texts are compared."""
        del item
        return True

    def corrections(
        self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]
    ) -> tuple[list[str], bool]:
        """The texts that an answer puts in place of the writer's words; and whether the writer's are as good."""
        replacing = (question for question in scheme.questions if kind_of_question(question).names_replacements)
        texts = [""] if label == "extraneous" else [*answer.get(next(replacing).id, ())]
        return _if_changed(texts, item), label == "equal"


class ChoiceKind(SchemeKind):
    """Two texts, each with one of the candidates at the place; a rater chooses."""

    name = "choice"
    compares = True

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Also refuses an item without two candidates that differ."""
        name = shorten_text(item.name)
        if wrong := super().unfit(scheme, item):
            return wrong
        if len(item.candidates) != 2:
            return f"item '{name}' has no two candidates: columns candidate1 and candidate2"
        if item.candidates[0] == item.candidates[1]:
            return f"the two candidates of item '{name}' are the same: {shorten_text(item.candidates[0])!r}"
        return ""

    def shown(self, item: JudgedItem, reversed_: bool) -> tuple[object, ...]:
        """Both sides in the order in which they stand, so that nothing tells which candidate is the first."""
        return (*candidate_texts(item, reversed_),)

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: bool) -> dict[str, Any]:
        """The two texts, each cut where it differs from the other."""
        texts = list(_candidates(item, reversed_ and scheme.reversible))
        return {"texts": texts, "headings": scheme.headings}

    def gives_corrections(self, scheme: Scheme) -> bool:
        """The text that was chosen is one."""
        del scheme
        return True

    def is_about_writer(self, item: JudgedItem) -> bool:
        """Only where one of the two texts is the writer's."""
        return own_text(item) in item.candidates

    def corrections(
        self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]
    ) -> tuple[list[str], bool]:
        """The candidate that is better than the writer's; a capital letter may be all that it changes."""
        del scheme, answer
        texts = [item.candidates[("first", "second").index(label)]] if label in ("first", "second") else []
        return [] if texts == [own_text(item)] else texts, False


class ClozeKind(SchemeKind):
    """The text with a gap; a rater writes what belongs there."""

    name = "cloze"

    def needs_span(self, scheme: Scheme) -> bool:
        """The gap is the span."""
        del scheme
        return True

    def shown(self, item: JudgedItem, reversed_: bool) -> tuple[object, ...]:
        """The text without what belongs into its gap."""
        del reversed_
        return cloze_texts(item)

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: bool) -> dict[str, Any]:
        """The text on either side of the gap."""
        del scheme, reversed_
        return {"sides": cloze_texts(item)}

    def gives_corrections(self, scheme: Scheme) -> bool:
        """Another word than the writer's is one."""
        del scheme
        return True

    def corrections(
        self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]
    ) -> tuple[list[str], bool]:
        """The words of the answer where the first is not the writer's."""
        del label
        return _if_changed(["" if word == NOTHING else word for word in answer[scheme.main]], item), False


SCHEME_KINDS = {kind.name: kind for kind in (SchemeKind(), ChoiceKind(), ClozeKind())}
"""By what a scheme's file says it ``shows``."""


def kind_of(scheme: Scheme) -> SchemeKind:
    """The kind of a scheme."""
    return SCHEME_KINDS[scheme.shows]


def _if_changed(texts: list[str], item: JudgedItem) -> list[str]:
    return [] if not texts or fold_word(texts[0]) == fold_word(own_text(item)) else texts


def shown_hash(scheme: Scheme, item: JudgedItem, reversed_: bool) -> str:
    """A hash of what the rater sees and of nothing else, which the browser sends back with the answer.

    It tells nobody the writer's word or which candidate comes first, as both sides of a choice are hashed in the
    order in which they stand, and a cloze text without what belongs into its gap.
    """
    shown = kind_of(scheme).shown(item, reversed_)
    return hashlib.sha256(json.dumps([scheme.shows, item.before, *shown]).encode()).hexdigest()[:16]


# The texts and their pieces, as they are shown.


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
        differs = piece.differs or (is_space and any(following.differs for following in pieces[at + 1 : at + 2]))
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


def _candidates(item: JudgedItem, reversed_: bool) -> Iterator[list[_Stretch]]:
    texts = candidate_texts(item, reversed_)
    words = [[text[slice(*span)] for span in tokens(text)] for text in texts]
    for n, text in enumerate(texts):
        yield list(_stretches(text, words[n], words[1 - n] if len(texts) == 2 else words[n]))
