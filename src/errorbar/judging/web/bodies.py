"""Bodies of requests: forms and JSON, checked before anything is done with them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from errorbar.judging.exchange import Submission
from errorbar.judging.web.refusals import RefusalError, unfit

MOST_FIELDS = 100
MOST_ANSWERS = 100
MOST_WANTED = 10
LONGEST = 20_000
"""Characters of a comment."""
MOST_STEPS, LONGEST_STEP = 100, 100
"""Entries of a trail, and characters of the name of one."""
MOST_NUMBER = 2**31 - 1


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form; of a repeated one the last."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise unfit("A form was expected.")
    try:
        text = (await request.body()).decode("ascii")
        found = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"))
    except ValueError:
        raise unfit("The form cannot be read.") from None
    if not all(map(storable, found.values())):
        raise unfit("The form has a character that cannot be stored (U+0000).")
    return found


async def read_json(request: Request) -> dict[str, Any]:
    """A JSON object."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise unfit("JSON was expected.")
    return json_body(await request.body())


def json_body(content: bytes) -> dict[str, Any]:
    """The JSON object that a body is."""
    try:
        found = json.loads(content, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        raise unfit("The body is no JSON.") from None
    if not isinstance(found, dict):
        raise unfit("The body must be a JSON object.")
    return found


def _finite(said: str) -> float:
    """A number as JSON has it: exports of what was sent must be JSON too."""
    value = float(said)
    if not isfinite(value):
        raise ValueError
    return value


def wanted(body: Mapping[str, Any]) -> int:
    """How many items the page wants to hold."""
    want = body.get("want", MOST_WANTED)
    if not _count(want) or want > MOST_WANTED:
        raise unfit(f"'want' must be a whole number from 0 to {MOST_WANTED}.")
    return int(want)


def submissions(body: Mapping[str, Any]) -> list[Submission]:
    """The answers of a post; all of them are as they must be, or none is taken."""
    answers = body.get("answers")
    if not isinstance(answers, list):
        raise unfit("'answers' must be a list.")
    if len(answers) > MOST_ANSWERS:
        raise RefusalError(413, "too-many-answers", f"A post takes {MOST_ANSWERS} answers.", "Send them in parts.")
    return [_submission(raw) for raw in answers]


def _submission(raw: object) -> Submission:
    """An answer; what is said beside it is taken as far as it can be, so that nothing waits in a browser for ever."""
    if not isinstance(raw, dict):
        raise unfit("An answer must be a JSON object.")
    answer, trail = raw.get("answer"), raw.get("trail")
    if not (answer is None or isinstance(answer, dict)):
        raise unfit("'answer' must be an object or null.")
    whole = (
        isinstance(trail, dict)
        and len(trail) <= MOST_STEPS
        and all(len(name) <= LONGEST_STEP and _count(number) for name, number in trail.items())
    )
    return Submission(
        id=_text(raw, "submission"),
        token=_text(raw, "assignment"),
        text_hash=_text(raw, "text_hash"),
        base_version=_number(raw, "base_version"),
        answer=answer,
        skip=_text(raw, "skip"),
        comment=_text(raw, "comment"),
        milliseconds=_number(raw, "milliseconds"),
        trail=trail if whole else None,
    )


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    return value[:LONGEST] if isinstance(value, str) else ""


def _number(raw: Mapping[str, Any], name: str) -> int:
    value = raw.get(name)
    if isinstance(value, float):
        value = round(value)
    return min(max(value, 0), MOST_NUMBER) if isinstance(value, int) and not isinstance(value, bool) else 0


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_NUMBER


def storable(text: str) -> bool:
    """Whether both stores can hold a text: no NUL, no half of a pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
