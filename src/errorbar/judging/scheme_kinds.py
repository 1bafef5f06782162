"""The kinds of schemes, one object each.

A new kind is a subclass of ``SchemeKind`` with its entry in ``SCHEME_KINDS``, its markup in ``web/templates/item.html``
and, where it has figures of its own, an entry in ``analysis.kind_findings.KIND_FINDINGS``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from errorbar.core.problems import shorten_text
from errorbar.judging.edits_kind import EditsKind
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.post_edit_kind import PostEditKind
from errorbar.judging.rank_kind import RankKind
from errorbar.judging.scheme import NOTHING, Scheme
from errorbar.judging.scheme_kind import SchemeKind, own_text, texts_if_changed
from errorbar.judging.shown_texts import candidate_stretches, candidate_texts, cloze_texts


class ChoiceKind(SchemeKind):
    """Two texts, each with one of the candidates at the place; a rater chooses."""

    name = "choice"
    compares = True

    def hides_places(self, scheme: Scheme) -> bool:
        """Where the sides change places at random, nothing may tell which is the writer's."""
        return scheme.reversible

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

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """Both sides in the order in which they stand, so that nothing tells which candidate is the first."""
        return (*candidate_texts(item, bool(reversed_)),)

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The two texts, each cut where it differs from the other."""
        texts = list(candidate_stretches(item, bool(reversed_) and scheme.reversible))
        return {"texts": texts, "headings": scheme.headings}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The two texts."""
        headings = content["headings"] or ("Top text", "Bottom text")
        texts = ("".join(piece.text for part in parts for piece in part.pieces) for parts in content["texts"])
        return [*zip(headings, texts, strict=True)]

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

    def hides_places(self, scheme: Scheme) -> bool:
        """The gap."""
        del scheme
        return True

    def needs_span(self, scheme: Scheme) -> bool:
        """The gap is the span."""
        del scheme
        return True

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """The text without what belongs into its gap."""
        del reversed_
        return cloze_texts(item)

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The text on either side of the gap."""
        del scheme, reversed_
        return {"sides": cloze_texts(item)}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The text with its gap."""
        return [("Text", "____".join(content["sides"]))]

    def gives_corrections(self, scheme: Scheme) -> bool:
        """Another word than the writer's is one."""
        del scheme
        return True

    def corrections(
        self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]
    ) -> tuple[list[str], bool]:
        """The words of the answer where the first is not the writer's."""
        del label
        return texts_if_changed(["" if word == NOTHING else word for word in answer[scheme.main]], item), False


SCHEME_KINDS = {
    kind.name: kind for kind in (SchemeKind(), ChoiceKind(), ClozeKind(), RankKind(), EditsKind(), PostEditKind())
}
"""By what a scheme's file says it ``shows``."""


def kind_of(scheme: Scheme) -> SchemeKind:
    """The kind of a scheme."""
    return SCHEME_KINDS[scheme.shows]


def shown_hash(scheme: Scheme, item: JudgedItem, reversed_: int) -> str:
    """A hash of what the rater sees and of nothing else, which the browser sends back with the answer.

    It tells nobody the writer's word or which candidate comes first, as both sides of a choice are hashed in the
    order in which they stand, and a cloze text without what belongs into its gap.
    """
    shown = [scheme.shows, item.before, *kind_of(scheme).shown(item, reversed_)]
    if item.after:
        shown.append(["after", item.after])
    if item.choices:
        shown.append([choice.answer for choice in item.choices])
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]
