"""Answers to a scheme's questions: whether they are whole, what label they give, whether they are right."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Any

from errorbar.core.errors import Problem, UsageError, nearest, shortened
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.scheme import NOTHING, SIDES, Question, Scheme, tokens

LONGEST = 500
"""Code points of one word or text of an answer."""
_RAW = 4 * LONGEST  # as it was sent: to bring a million combining marks into NFC takes minutes
_TOLD = 5  # questions that there are not


def check_answer(scheme: Scheme, item: JudgedItem, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as it is stored: in the order of the questions, texts in NFC, what was not asked left out.

    ``one`` is a value, ``token`` a number, ``marks`` a list of numbers, ``words`` and ``text`` are lists of texts. What
    is not answered has no key.

    Raises:
        UsageError: With everything that is missing or unfit.
    """
    wrong: list[Problem] = []
    found: dict[str, Any] = {}
    known = [question.id for question in scheme.questions]
    unknown = islice((key for key in answer if key not in known), _TOLD)
    wrong += [_unfit(f"no question '{shortened(str(key))}'", nearest(key, known)) for key in unknown]
    for question in scheme.questions:
        if not question.asked(found):
            continue
        said = answer.get(question.id)
        try:
            value = None if said is None else _value(question, item, said)
        except _UnfitError as error:
            wrong.append(_unfit(f"{question.id} must be {error}, got {shortened(repr(said))}"))
            continue
        if value is None or (value == [] and question.kind != "marks"):
            if question.required:
                wrong.append(_unfit(f"{question.id} is not answered", question.ask))
        else:
            found[question.id] = value
    if wrong:
        raise UsageError(wrong)
    return found


def label_of(scheme: Scheme, item: JudgedItem, reversed: bool, answer: Mapping[str, Any]) -> str:
    """The answer to the main question in the item's own terms; empty: it was not asked.

    Where candidates change places, ``top`` and ``bottom`` are ``first`` or ``second`` of the item's candidates. Of
    words that were typed the first counts, in NFC and without the difference of capital letters.
    """
    said = answer.get(scheme.main)
    if said is None:
        return ""
    if isinstance(said, list):
        if scheme.question(scheme.main).kind == "marks":
            return " ".join(map(str, said)) or NOTHING
        return folded(said[0]) if said else ""
    value = str(said)
    return SIDES[value][bool(reversed)] if scheme.reversible and value in SIDES else value


def is_right(scheme: Scheme, item: JudgedItem, reversed: bool, answer: Mapping[str, Any]) -> bool | None:
    """Whether an answer to a gold item is right; None: it says that one cannot tell, or nothing is known."""
    label = label_of(scheme, item, reversed, answer)
    if not label or not item.answers:
        return None
    if label in scheme.abstaining():
        return True if label in item.answers else None
    return folded(label) in {folded(right) for right in item.answers}


def folded(text: str) -> str:
    """A word as words are compared: NFC, without the difference of capital letters and of spaces."""
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", text).casefold().split()))


class _UnfitError(Exception):
    """What the value of a question must be."""


def _value(question: Question, item: JudgedItem, said: object) -> object:
    if question.kind == "one":
        return _chosen(question, said)
    if question.kind in ("words", "text"):
        return _texts(question, said)
    n_tokens = len(tokens(item.text))
    numbers = said if question.kind == "marks" else [said]
    if not isinstance(numbers, list | tuple) or not all(type(each) is int and 0 <= each < n_tokens for each in numbers):
        what = "numbers of tokens" if question.kind == "marks" else "the number of a token"
        raise _UnfitError(f"{what} from 0 to {n_tokens - 1}")
    return sorted(set(numbers)) if question.kind == "marks" else numbers[0]


def _chosen(question: Question, said: object) -> str:
    """The value of an option, also where it was said in other capital letters."""
    plain = folded(said) if isinstance(said, str) and len(said) <= _RAW else None
    found = [value for value in question.values() if folded(value) == plain]
    if not found:
        raise _UnfitError(f"one of {', '.join(question.values())}")
    return said if isinstance(said, str) and said in found else found[0]


def _texts(question: Question, said: object) -> list[str]:
    given = [said] if isinstance(said, str) else said
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
        raise _UnfitError("a list of texts")
    if len(given) > max(_RAW, question.most) or any(len(each) > _RAW for each in given):
        raise _UnfitError(f"at most {question.most}, at most {LONGEST} characters long")
    found = list(dict.fromkeys(filter(None, (unicodedata.normalize("NFC", each).strip() for each in given))))
    if len(found) > question.most:
        raise _UnfitError(f"at most {question.most}")
    if any(len(each) > LONGEST for each in found):
        raise _UnfitError(f"at most {LONGEST} characters long")
    if NOTHING in found and (len(found) > 1 or not question.nothing):
        raise _UnfitError(f"words, or {NOTHING} alone" if question.nothing else "words")
    if question.options and question.kind == "words":
        known = {*question.values(), NOTHING}
        if any(each not in known for each in found):
            raise _UnfitError(f"words of its list ({len(question.options)})")
    return found


def _unfit(what: str, fix: str = "") -> Problem:
    return Problem("judge-answer", what, fix=fix)
