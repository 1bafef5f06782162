"""What a kind of scheme is: how an item is shown, which items fit, and what answers correct.

A browser gets nothing but what is shown: no name, no kind, no answer. Offsets are code points of the text, so that the
element with the target holds ``text[start:end]``, character by character, carriage returns too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errorbar.core.problems import shorten_text
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.scheme import Scheme, fold_word, near
from errorbar.judging.shown_texts import cut_pieces


def own_text(item: JudgedItem) -> str:
    """The writer's words at the place that is asked about."""
    start, end = item.span or (0, len(item.text))
    return item.text[start:end]


class SchemeKind:
    """A kind of scheme; this one shows the text with its span set off."""

    name = "span"
    compares = False
    """Whether two texts are set against each other: items have two candidates, exports sides and pairs."""
    edits_systems = False
    """Whether each item is one system's output, of which raters make a reference."""

    def hides_places(self, scheme: Scheme) -> bool:
        """Whether raters must not see what the writer wrote at a place that is asked about."""
        del scheme
        return False

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
        return {"line": cut_pieces(item.text, span, tinted), "targeted": item.span is not None}

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
        return texts_if_changed(texts, item), label == "equal"


def texts_if_changed(texts: list[str], item: JudgedItem) -> list[str]:
    """The texts, unless the first is what the writer wrote."""
    return [] if not texts or fold_word(texts[0]) == fold_word(own_text(item)) else texts
