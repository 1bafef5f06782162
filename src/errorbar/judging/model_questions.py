"""A scheme's questions as a language model gets them: instructions, one message an item, and the answer read back.

A model gets what a browser gets, made of the same ``content``: no name of an item or of a system, no kind, no right
answer, no hidden column; gold items and work alike.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from errorbar.core.problems import Problem, UsageError
from errorbar.judging.answers import check_answer
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.ranks_answer import n_arrangements
from errorbar.judging.scheme import NOTHING, Question, Scheme, tokens
from errorbar.judging.scheme_kinds import kind_of
from errorbar.llm.answers import RefusedAnswerError, read_object
from errorbar.llm.model import Call, Completion

OPENING = "You are one of several raters of texts. Each message has one item, which you judge by these guidelines."
_MARKED = "The place that is asked about stands in [[double brackets]]."
_CLOSING = "Answer with one JSON object of these keys and nothing else: no other text, no comment."
_LONGEST_DETAIL = 200


def refuse_unaskable(scheme: Scheme, *, is_adjudication: bool) -> None:
    """Refuse what no model is asked.

    Raises:
        UsageError: If the study adjudicates: what people could not agree on, people decide.
    """
    if is_adjudication:
        message = f"a study that adjudicates ({scheme.name}) is for people: what they disagreed on, people decide"
        raise UsageError(Problem("llm-study", message, fix="ask the model in the study whose raters disagreed"))


def instructions(scheme: Scheme, guidelines: str, prompt: str = "") -> str:
    """The message before every item: guidelines or another prompt, the questions, and the form of answers."""
    parts = [prompt.strip() or f"{OPENING}\n\n{guidelines.strip()}"]
    if kind_of(scheme).name == "span":
        parts.append(_MARKED)
    asked = "\n".join(_describe_question(question) for question in scheme.questions)
    return "\n\n".join((*parts, f"Questions:\n{asked}", _CLOSING))


def _describe_question(question: Question) -> str:
    """A question, what answers it, and when it is asked."""
    lines = [f'* "{question.id}": {question.ask}']
    if question.most > 1 and not question.options:
        lines[0] += f" (at most {question.most}, the best first)"
    lines += [
        f'  "{option.value}": {": ".join(filter(None, (option.label, option.help)))}' for option in question.options
    ]
    if question.nothing:
        lines.append(f'  ["{NOTHING}"]: {question.nothing}')
    if question.types:
        lines.append("  Types: " + "; ".join(f"{option.value} ({option.label})" for option in question.types))
    if kind_of_question(question).takes_types:
        lines.append(
            "  A list of edits, empty where nothing is wrong. Tokens are numbered from 0; an edit replaces those from"
            ' "start" to before "end"; equal numbers insert before that token; the correction "" deletes.'
        )
    elif kind_of_question(question).counts_tokens:
        lines.append("  By the numbers of the tokens.")
    lines += [
        f'  Only if "{earlier}" is {" or ".join(values)}; else null.' for earlier, values in question.when.items()
    ]
    if not question.required and not question.when:
        lines.append("  May be null.")
    return "\n".join(lines)


def make_call(scheme: Scheme, item: JudgedItem, arrangement: int, repeat: int) -> Call:
    """The call that asks about an item, its candidates in one of their orders."""
    kind = kind_of(scheme)
    sections = kind.plain_texts(kind.content(scheme, item, arrangement))
    if not sections:
        raise _unaskable(f"items that are shown as '{scheme.shows}' have no plain text")
    if item.before:
        sections.insert(0, ("What stands before it", item.before))
    if item.after:
        sections.append(("What stands after it", item.after))
    if any(kind_of_question(question).counts_tokens for question in scheme.questions):
        words = (f"{number}:{item.text[start:end]}" for number, (start, end) in enumerate(tokens(item.text)))
        sections.append(("Its tokens", " ".join(words)))
    for name, proposal in item.proposed.items():
        shown = json.dumps(proposal, ensure_ascii=False)
        sections.append((f'Proposed by a program for "{name}", to be kept, changed or left out', shown))
    content = "\n\n".join(f"{heading}:\n{text}" for heading, text in sections)
    return Call(item.name, content, arrangement, repeat, _schema(scheme, item))


def _unaskable(reason: str) -> UsageError:
    message = f"no model can be asked: {reason}"
    return UsageError(Problem("llm-study", message, fix="ask people"))


def _schema(scheme: Scheme, item: JudgedItem) -> dict[str, Any]:
    """The JSON schema of an answer to all questions."""
    properties: dict[str, Any] = {}
    for question in scheme.questions:
        schema = kind_of_question(question).json_schema(question, item)
        if not schema:
            raise _unaskable(f"answers of the kind '{question.kind}' ({question.id}) have no form in JSON")
        is_sure = question.required and not question.when
        properties[question.id] = schema if is_sure else {"anyOf": [schema, {"type": "null"}]}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def orders_of(scheme: Scheme, item: JudgedItem, *, both: bool) -> list[int]:
    """The orders in which an item's candidates are shown: one drawn by the item's name, and its reverse if ``both``."""
    kind = kind_of(scheme)
    n = 2 if scheme.reversible else n_arrangements(item) if kind.ranks else 1
    drawn = int.from_bytes(hashlib.sha256(f"order\0{item.name}".encode()).digest()[:8]) % n
    return [drawn] if n == 1 or not both else [drawn, n - 1 - drawn]


def read_answer(scheme: Scheme, item: JudgedItem, arrangement: int, completion: Completion) -> dict[str, Any]:
    """The answer that a completion gives, as a rater's is stored.

    Raises:
        RefusedAnswerError: If it gives none.
    """
    record = read_object(completion)
    known = {question.id: kind_of_question(question) for question in scheme.questions}
    answer = {
        name: known[name].read_json(item, value, arrangement) if name in known else value
        for name, value in record.items()
    }
    try:
        return check_answer(scheme, item, answer)
    except UsageError as error:
        raise RefusedAnswerError("unfit", error.problems[0].what[:_LONGEST_DETAIL]) from None
