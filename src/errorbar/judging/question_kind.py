"""A kind of question: what answers it, which options it takes, and which label an answer gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from errorbar.judging.items.item import JudgedItem
from errorbar.judging.scheme import NOTHING, Question

LONGEST = 500
"""Code points of one word or text of an answer."""
LONGEST_RAW = 4 * LONGEST
"""The same as it was sent: to bring a million combining marks into NFC takes minutes."""


class UnfitError(Exception):
    """A value does not fit its question; the message completes "it must be"."""


class QuestionKind(ABC):
    """A kind of question."""

    name: str
    takes_options = False
    least_options = 0
    takes_proposal = False
    """Whether a program may propose an answer."""
    takes_types = False
    """Whether answers may name error types."""
    counts_empty = False
    """Whether an empty list is an answer."""
    has_classes = False
    """Whether right answers are few enough to test raters on each of them."""
    marks_errors = False
    """Whether answers name tokens that are wrong."""
    rewrites = False
    """Whether an answer is the whole text of the item, as it should be."""
    names_replacements = False
    """Whether answers are words that belong in the place of the writer's."""
    counts_tokens = False
    """Whether answers name tokens by their numbers."""

    @abstractmethod
    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """Read an answer as it is stored.

        Raises:
            UnfitError: If it does not fit.
        """

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """The JSON schema of an answer, for those who are asked in JSON: language models; empty: they cannot be."""
        del question, item
        return {}

    def read_json(self, item: JudgedItem, value: object, arrangement: int) -> object:
        """An answer of that schema as ``read`` takes it; what does not fit stays as it is."""
        del item, arrangement
        return value

    def label(self, answer: object) -> str:
        """The label that an answer gives a judgment; empty: none."""
        return str(answer)

    def without_remarks(self, answer: object) -> object:
        """The part of an answer that is about the item: answers that differ in nothing else are the same."""
        return answer

    def cell(self, answer: object) -> str:
        """An answer in a cell of a table: that nothing was marked is an answer."""
        if isinstance(answer, list):
            return " | ".join(map(str, answer)) if answer else NOTHING
        return str(answer)


def is_index(value: object, n: int) -> bool:
    """Whether a value of JSON is an index of ``n`` things: ``true`` is none."""
    return type(value) is int and 0 <= value < n


def as_list(answer: object) -> Sequence[object]:
    """An answer as a list, of one where it is none."""
    return answer if isinstance(answer, list) else [answer]
