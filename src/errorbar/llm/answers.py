"""Answers of models as JSON objects: read strictly, or refused by name.

A model that was asked for JSON may write prose, another language, half an object, or nothing. None of it is guessed at:
a completion is an object of the keys that were asked for, or a refusal with a name, and either stays in the ledger.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, get_args

from errorbar.core.problems import shorten_text
from errorbar.llm.model import Completion

Refusal = Literal["declined", "cut", "empty", "not-json", "unfit"]
"""Why a completion is no answer: the model or a filter declined; it was cut off at the limit of tokens; it is empty; it
is not one JSON object; it is one, and does not answer the questions."""
REFUSALS: tuple[Refusal, ...] = get_args(Refusal)
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)
_UNTEXT = re.compile(r"[\0\ud800-\udfff]")
_NO_TEXT = "the answer has a zero or half of a surrogate pair, which JSON can spell and no text can hold"


class RefusedAnswerError(Exception):
    """A completion is no answer.

    Attributes:
        name: Why, in a word.
        detail: The same in a sentence, for people.
    """

    def __init__(self, name: Refusal, detail: str) -> None:
        self.name, self.detail = name, detail
        super().__init__(f"{name}: {detail}")


def read_text(completion: Completion) -> str:
    """The whole text of a completion.

    Raises:
        RefusedAnswerError: If the model declined, or its text is empty, was cut off or cannot be written.
    """
    if _UNTEXT.search(completion.content + completion.refusal):
        raise RefusedAnswerError("not-json", _NO_TEXT)
    if completion.refusal or completion.finish == "content_filter":
        raise RefusedAnswerError("declined", shorten_text(completion.refusal) or "a filter of the server's stopped it")
    if completion.finish == "length":
        raise RefusedAnswerError("cut", "the answer reached the limit of tokens")
    if not completion.content.strip():
        raise RefusedAnswerError("empty", "the answer is empty")
    return completion.content


def read_object(completion: Completion) -> dict[str, Any]:
    """The JSON object that a completion is; one fence around all of it is taken off.

    Raises:
        RefusedAnswerError: If it is anything else, or has a key twice.
    """
    text = read_text(completion).strip()
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once, parse_constant=_refuse_constant)
        texts = [*_texts_in(value)]
    except (ValueError, RecursionError):
        value, texts = None, []
    if not isinstance(value, dict):
        raise RefusedAnswerError("not-json", f"the answer is not one JSON object: {shorten_text(text)}")
    if any(map(_UNTEXT.search, texts)):
        raise RefusedAnswerError("not-json", _NO_TEXT)
    return value


def _texts_in(value: object) -> Iterator[str]:
    """All texts in a value of JSON, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _texts_in(part)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a key stands twice")
    return record


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
