"""A kind of scheme: how an item is shown, which items fit, and what answers correct.

A browser gets nothing but what is shown: no name, no kind, no answer. Offsets are code points of the text, so that the
element with the target holds ``text[start:end]``, character by character, carriage returns too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errorbar.core.edit import Edit
from errorbar.core.problems import shorten_text
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.scheme import Scheme, fold_word, near, tokens
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
    ranks = False
    """Whether outputs of systems are ranked: items have up to five candidates, exports rankings and pairs."""

    corrects_sentences = False
    """Whether an item is a whole sentence of which raters write all edits: its corpus can be exported as a whole."""

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

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """All that a rater sees of an item besides the sentence before it; ``reversed_``: as a ``Lease`` has it."""
        del reversed_  # there are no sides
        return item.text, item.span

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The values of the item's markup."""
        del reversed_
        span = item.span or (0, len(item.text))
        tinted = near(scheme, item)[1] if item.span and scheme.context_words else range(0)
        return {"line": cut_pieces(item.text, span, tinted), "targeted": item.span is not None}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The texts that ``content`` shows, with their headings, for readers who see no markup; empty: nothing."""
        if "line" not in content:
            return []
        line = content["line"]
        before, target, after = ("".join(p.text for p in part) for part in (line.before, line.target, line.after))
        return [("Text", f"{before}[[{target}]]{after}" if content["targeted"] else f"{before}{target}{after}")]

    def gives_corrections(self, scheme: Scheme) -> bool:
        """Whether answers say what to write instead."""
        return any(kind_of_question(question).names_replacements for question in scheme.questions)

    def is_about_writer(self, item: JudgedItem) -> bool:
        """Whether answers are about the writer's words: not where two other texts are compared."""
        del item
        return True

    def edits(self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]) -> list[Edit]:
        """The edits of the text's tokens that an answer makes."""
        start, end = item.span or (0, len(item.text))
        texts, optional = self.corrections(scheme, item, label, answer)
        if not texts:
            return []
        words_of = item.text[:start], item.text[end:]
        first, last, before, after = _around(item.text, start, end)
        replacements = [" ".join(f"{before}{_apart(text, words_of)}{after}".split()) for text in texts]
        return [Edit(first, last, tuple(dict.fromkeys(replacements)), optional=optional)]

    def corrections(
        self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]
    ) -> tuple[list[str], bool]:
        """The texts that an answer puts in place of the writer's words; and whether the writer's are as good."""
        replacing = (question for question in scheme.questions if kind_of_question(question).names_replacements)
        texts = [""] if label == "extraneous" else [*answer.get(next(replacing).id, ())]
        return texts_if_changed(texts, item), label == "equal"

    def unfit_gold(self, item: JudgedItem, right: str) -> str:
        """Why an answer cannot be right of a gold item; empty: it can."""
        del item, right
        return ""

    def agrees(self, item: JudgedItem, label: str, right: str) -> bool:
        """Whether a label is what is right of a gold item."""
        del item
        return fold_word(label) == fold_word(right)

    def told(self, item: JudgedItem, reversed_: int, right: str) -> str:
        """The right answer to a gold item, as the quiz tells it."""
        del item, reversed_
        return right


def texts_if_changed(texts: list[str], item: JudgedItem) -> list[str]:
    """The texts, unless the first is what the writer wrote."""
    return [] if not texts or fold_word(texts[0]) == fold_word(own_text(item)) else texts


def _apart(word: str, around: tuple[str, str]) -> str:
    """A word with spaces where the text around it has some."""
    left, right = around
    return f"{' ' if left[-1:].isspace() or not left else ''}{word}{' ' if right[:1].isspace() or not right else ''}"


def _around(text: str, start: int, end: int) -> tuple[int, int, str, str]:
    """The tokens that a span lies in, and what of these stands before and after it."""
    spans = tokens(text)
    if start == end and not any(left < start < right for left, right in spans):
        at = sum(left < start for left, _ in spans)
        return at, at, "", ""
    first = sum(right <= start for _, right in spans)
    last = sum(left < end for left, _ in spans)
    inside = spans[first:last]
    return first, last, text[inside[0][0] : start] if inside else "", text[end : inside[-1][1]] if inside else ""
