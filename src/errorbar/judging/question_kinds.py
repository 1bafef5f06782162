"""The kinds of questions, one object each: what answers it, which options it takes, and which label an answer gives.

A new kind is a class here with its entry in ``QUESTION_KINDS``, and its field on the page in
``web/static/question_kinds.js``.
"""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Sequence

from errorbar.judging.items.item import JudgedItem
from errorbar.judging.scheme import NOTHING, Question, fold_word, tokens

LONGEST = 500
"""Code points of one word or text of an answer."""
_RAW = 4 * LONGEST  # as it was sent: to bring a million combining marks into NFC takes minutes


class UnfitError(Exception):
    """A value does not fit its question; the message completes "it must be"."""


class QuestionKind(ABC):
    """A kind of question."""

    name: str
    takes_options = False
    least_options = 0
    takes_proposal = False
    """Whether a program may propose an answer."""
    counts_empty = False
    """Whether an empty list is an answer."""
    has_classes = False
    """Whether right answers are few enough to test raters on each of them."""
    marks_errors = False
    """Whether answers name tokens that are wrong."""
    names_replacements = False
    """Whether answers are words that belong in the place of the writer's."""

    @abstractmethod
    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """Read an answer as it is stored.

        Raises:
            UnfitError: If it does not fit.
        """

    def label(self, answer: object) -> str:
        """The label that an answer gives a judgment; empty: none."""
        return str(answer)


class OneKind(QuestionKind):
    """One of the options."""

    name = "one"
    takes_options = True
    least_options = 2
    has_classes = True

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The value of an option, also where it was sent in other capital letters."""
        plain = fold_word(value) if isinstance(value, str) and len(value) <= _RAW else None
        matches = [option for option in question.values() if fold_word(option) == plain]
        if not matches:
            raise UnfitError(f"one of {', '.join(question.values())}")
        return value if value in matches else matches[0]


class MarksKind(QuestionKind):
    """Numbers of tokens, counted from 0; that none is marked is an answer."""

    name = "marks"
    counts_empty = True
    marks_errors = True

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The numbers in order, each once."""
        n_tokens = len(tokens(item.text))
        if not isinstance(value, list | tuple) or not all(_is_index(number, n_tokens) for number in value):
            raise UnfitError(f"numbers of tokens from 0 to {n_tokens - 1}")
        return sorted(set(value))

    def label(self, answer: object) -> str:
        """All numbers; ``NOTHING`` where none is marked."""
        return " ".join(map(str, _listed(answer))) or NOTHING


class TextKind(QuestionKind):
    """Words or texts that are typed, in order of preference."""

    name = "text"

    def read(self, question: Question, item: JudgedItem, value: object) -> list[str]:
        """The texts in NFC, each once."""
        raw_texts = [value] if isinstance(value, str) else value
        if not isinstance(raw_texts, list | tuple) or not all(isinstance(text, str) for text in raw_texts):
            raise UnfitError("a list of texts")
        if len(raw_texts) > max(_RAW, question.most) or any(len(text) > _RAW for text in raw_texts):
            raise UnfitError(f"at most {question.most}, at most {LONGEST} characters long")
        texts = list(dict.fromkeys(filter(None, (unicodedata.normalize("NFC", text).strip() for text in raw_texts))))
        if len(texts) > question.most:
            raise UnfitError(f"at most {question.most}")
        if any(len(text) > LONGEST for text in texts):
            raise UnfitError(f"at most {LONGEST} characters long")
        if NOTHING in texts and (len(texts) > 1 or not question.nothing):
            raise UnfitError(f"words, or {NOTHING} alone" if question.nothing else "words")
        return texts

    def label(self, answer: object) -> str:
        """The first text, as words are compared."""
        texts = _listed(answer)
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

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The number."""
        n_tokens = len(tokens(item.text))
        if not _is_index(value, n_tokens):
            raise UnfitError(f"the number of a token from 0 to {n_tokens - 1}")
        return value


QUESTION_KINDS: dict[str, QuestionKind] = {
    kind.name: kind for kind in (OneKind(), MarksKind(), WordsKind(), TextKind(), TokenKind())
}
"""By the ``kind`` of a question in a scheme's file."""


def kind_of_question(question: Question) -> QuestionKind:
    """The kind of a question."""
    return QUESTION_KINDS[question.kind]


def _is_index(value: object, n: int) -> bool:
    return type(value) is int and 0 <= value < n


def _listed(answer: object) -> Sequence[object]:
    return answer if isinstance(answer, list) else [answer]
