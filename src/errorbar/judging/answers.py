"""Answers to a scheme's questions: whether they are whole, which label they give, whether they are right."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from errorbar.core.problems import Problem, UsageError, nearest, shorten_text
from errorbar.judging.question_kinds import UnfitError, kind_of_question
from errorbar.judging.scheme import SIDES, JudgedItem, Scheme
from errorbar.judging.scheme_kinds import kind_of

_MOST_NAMED = 5  # questions that the scheme does not have


def check_answer(scheme: Scheme, item: JudgedItem, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as it is stored: in the order of the questions, texts in NFC, what was not asked left out.

    What is not answered has no key.

    Raises:
        UsageError: With everything that is missing or unfit.
    """
    wrong: list[Problem] = []
    checked: dict[str, Any] = {}
    known = [question.id for question in scheme.questions]
    unknown = islice((key for key in answer if key not in known), _MOST_NAMED)
    wrong += [_unfit(f"no question '{shorten_text(str(key))}'", nearest(key, known)) for key in unknown]
    for question in scheme.questions:
        if not question.asked(checked):
            continue
        raw, kind = answer.get(question.id), kind_of_question(question)
        try:
            value = None if raw is None else kind.read(question, item, raw)
        except UnfitError as error:
            wrong.append(_unfit(f"{question.id} must be {error}, got {shorten_text(repr(raw))}"))
            continue
        if value is None or (value == [] and not kind.counts_empty):
            if question.required:
                wrong.append(_unfit(f"{question.id} is not answered", question.ask))
        else:
            checked[question.id] = value
    if wrong:
        raise UsageError(wrong)
    return checked


def _unfit(message: str, fix: str = "") -> Problem:
    return Problem("judge-answer", message, fix=fix)


def label_of(scheme: Scheme, reversed: int, answer: Mapping[str, Any]) -> str:
    """The answer to the main question in the item's own terms; empty: it was not asked.

    Where candidates change places, ``top`` and ``bottom`` are ``first`` or ``second`` of the item's candidates. Of
    words that were typed the first counts, in NFC and without the difference of capital letters.
    """
    main_answer = answer.get(scheme.main)
    if main_answer is None:
        return ""
    label = kind_of_question(scheme.question(scheme.main)).label(main_answer)
    return SIDES[label][bool(reversed)] if scheme.reversible and label in SIDES else label


def is_right(scheme: Scheme, item: JudgedItem, reversed: int, answer: Mapping[str, Any]) -> bool | None:
    """Whether an answer to a gold item is right; None: it says that one cannot tell, or nothing is known."""
    label = label_of(scheme, reversed, answer)
    if not label or not item.answers:
        return None
    if label in scheme.abstaining():
        return True if label in item.answers else None
    return any(kind_of(scheme).agrees(item, label, right) for right in item.answers)
