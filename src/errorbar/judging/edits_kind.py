"""Schemes in which raters write all edits of a sentence; and a system's edits, put before them to be decided on.

Conventions
    What a system proposes are the edits of the fewest tokens between the sentence and its text, without types. A share
    of the items may come without them, so that their effect can be measured: the items whose hash is smallest, so that
    the same items of the same study come blank however often it is made. All raters of an item get the same. Whether
    an item came with proposals is in its hidden column ``proposals``: ``shown`` or ``blank``; what the system said is
    in ``says:NAME`` of both. Nothing of this reaches a browser but the proposed edits themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from errorbar.core.edit import Edit
from errorbar.core.problems import shorten_text
from errorbar.edits.texts import extract_edits
from errorbar.judging.edits_question import PENDING, as_edit, as_record
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.scheme import Scheme
from errorbar.judging.scheme_kind import SchemeKind

PROPOSALS = "proposals"
"""The hidden column that says whether the system's edits were shown."""
SHOWN, BLANK = "shown", "blank"


class EditsKind(SchemeKind):
    """The text as tokens and the gaps between them; a rater writes edits."""

    name = "edits"
    corrects_sentences = True

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Refuses an item with a span: edits may stand anywhere."""
        if item.span is not None:
            name = shorten_text(item.name)
            return f"item '{name}' has a span, and the scheme {scheme.name} asks for edits of the whole text"
        return ""

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """The text."""
        del reversed_
        return (item.text,)

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The text, which the page cuts into its tokens."""
        del scheme, reversed_
        return {"text": item.text}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The text."""
        return [("Text", content["text"])]

    def gives_corrections(self, scheme: Scheme) -> bool:
        """They are all that is asked for."""
        del scheme
        return True

    def edits(self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]) -> list[Edit]:
        """The rater's edits."""
        del item, label
        return [as_edit(record) for record in answer[scheme.main]]


def propose_edits(
    items: Sequence[JudgedItem], scheme: Scheme, texts: Mapping[str, str], blank: float
) -> list[JudgedItem]:
    """The items with a system's edits to decide on.

    Args:
        items: Whole sentences.
        scheme: Whose main question is about edits.
        texts: The system's text of each item, by its name; gold items have none.
        blank: The share of them that comes without.
    """
    drawn = sorted((item.name for item in items if item.name in texts), key=lambda name: _place(name, texts[name]))
    hidden_from = set(drawn[: round(blank * len(drawn))])
    proposing = []
    for item in items:
        if item.name not in texts:
            proposing.append(item)
            continue
        is_blank = item.name in hidden_from
        edits = [] if is_blank else extract_edits(item.text.split(), texts[item.name].split())
        records = [as_record(edit, **{PENDING: True}) for edit in edits]
        hidden = {**item.hidden, PROPOSALS: BLANK if is_blank else SHOWN}
        proposing.append(replace(item, hidden=hidden, proposed={scheme.main: records} if records else {}))
    return proposing


def _place(name: str, text: str) -> str:
    """Where an item stands among those of which the first come blank: as good as drawn, and always the same."""
    return hashlib.sha256(f"{name}\n{text}".encode(errors="surrogatepass")).hexdigest()
