"""The kinds of questions, one object each.

A new kind is a subclass of ``QuestionKind`` with its entry in ``QUESTION_KINDS``, and its field on the page in
``web/static/question_kinds.js``.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from errorbar.judging.edits_question import EditsQuestion
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.question_kind import LONGEST, LONGEST_RAW, QuestionKind, UnfitError, as_list, is_index
from errorbar.judging.ranks_answer import RanksKind
from errorbar.judging.scheme import NOTHING, Question, fold_word, tokens


class OneKind(QuestionKind):
    """One of the options."""

    name = "one"
    takes_options = True
    least_options = 2
    has_classes = True

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The value of an option, also where it was sent in other capital letters."""
        plain = fold_word(value) if isinstance(value, str) and len(value) <= LONGEST_RAW else None
        matches = [option for option in question.values() if fold_word(option) == plain]
        if not matches:
            raise UnfitError(f"one of {', '.join(question.values())}")
        return value if value in matches else matches[0]

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """One of the values."""
        del item
        return {"type": "string", "enum": [*question.values()]}


class MarksKind(QuestionKind):
    """Numbers of tokens, counted from 0; that none is marked is an answer."""

    name = "marks"
    counts_empty = True
    marks_errors = True
    counts_tokens = True

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The numbers in order, each once."""
        n_tokens = len(tokens(item.text))
        if not isinstance(value, list | tuple) or not all(is_index(number, n_tokens) for number in value):
            raise UnfitError(f"numbers of tokens from 0 to {n_tokens - 1}")
        return sorted(set(value))

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A list of numbers."""
        del question, item
        return {"type": "array", "items": {"type": "integer"}}

    def label(self, answer: object) -> str:
        """All numbers; ``NOTHING`` where none is marked."""
        return " ".join(map(str, as_list(answer))) or NOTHING


class TextKind(QuestionKind):
    """Words or texts that are typed, in order of preference."""

    name = "text"

    def read(self, question: Question, item: JudgedItem, value: object) -> list[str]:
        """The texts in NFC, each once."""
        raw_texts = [value] if isinstance(value, str) else value
        if not isinstance(raw_texts, list | tuple) or not all(isinstance(text, str) for text in raw_texts):
            raise UnfitError("a list of texts")
        if len(raw_texts) > max(LONGEST_RAW, question.most) or any(len(text) > LONGEST_RAW for text in raw_texts):
            raise UnfitError(f"at most {question.most}, at most {LONGEST} characters long")
        texts = list(dict.fromkeys(filter(None, (unicodedata.normalize("NFC", text).strip() for text in raw_texts))))
        if len(texts) > question.most:
            raise UnfitError(f"at most {question.most}")
        if any(len(text) > LONGEST for text in texts):
            raise UnfitError(f"at most {LONGEST} characters long")
        if NOTHING in texts and (len(texts) > 1 or not question.nothing):
            raise UnfitError(f"words, or {NOTHING} alone" if question.nothing else "words")
        return texts

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A list of texts, of the options where there are some."""
        del item
        values = [*question.values(), *([NOTHING] if question.nothing else [])]
        return {"type": "array", "items": {"type": "string", **({"enum": values} if question.options else {})}}

    def label(self, answer: object) -> str:
        """The first text, as words are compared."""
        texts = as_list(answer)
        return fold_word(str(texts[0])) if texts else ""


class WordsKind(TextKind):
    """Words in order of preference, of the options where there are some."""

    name = "words"
    takes_options = True
    names_replacements = True

    def read(self, question: Question, item: JudgedItem, value: object) -> list[str]:
        """The words in NFC, each once."""
        words = super().read(question, item, value)
        if question.options and not {*words} <= {*question.values(), NOTHING}:
            raise UnfitError(f"words of its list ({len(question.options)})")
        return words


class TokenKind(QuestionKind):
    """The number of one token."""

    name = "token"
    takes_proposal = True
    counts_tokens = True

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The number."""
        n_tokens = len(tokens(item.text))
        if not is_index(value, n_tokens):
            raise UnfitError(f"the number of a token from 0 to {n_tokens - 1}")
        return value

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A number."""
        del question, item
        return {"type": "integer"}


class RewriteKind(QuestionKind):
    """The text of the item as it should be, white space as single spaces."""

    name = "rewrite"
    rewrites = True

    def read(self, question: Question, item: JudgedItem, value: object) -> str:
        """The text in NFC."""
        most = longest_rewrite(item)
        if not isinstance(value, str) or not value.strip():
            raise UnfitError("a text")
        if len(value) > 4 * most:
            raise UnfitError(f"at most {most:,} characters long")
        text = " ".join(unicodedata.normalize("NFC", value).split())
        if len(text) > most:
            raise UnfitError(f"at most {most:,} characters long")
        return text

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A text."""
        del question, item
        return {"type": "string"}


def longest_rewrite(item: JudgedItem) -> int:
    """Code points that a rater may make of an item: the double of what is shown, and a sentence more."""
    return 2 * len((*item.candidates, item.text)[0]) + LONGEST


QUESTION_KINDS: dict[str, QuestionKind] = {
    kind.name: kind
    for kind in (
        *(OneKind(), MarksKind(), WordsKind(), TextKind(), TokenKind(), RanksKind(), EditsQuestion()),
        RewriteKind(),
    )
}
"""By the ``kind`` of a question in a scheme's file."""


def kind_of_question(question: Question) -> QuestionKind:
    """The kind of a question."""
    return QUESTION_KINDS[question.kind]
