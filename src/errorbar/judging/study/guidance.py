"""The texts of a study for raters before and after their work, and the comprehension check of its guidelines."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from os import fspath
from pathlib import Path
from typing import Any, get_args

from sqlalchemy import Connection, text

from errorbar.core.problems import Problem, Problems, UsageError, shorten_text
from errorbar.formats import toml_tables as toml
from errorbar.formats.look import Source
from errorbar.formats.toml_tables import Field, TomlTable
from errorbar.judging.protocol.assignments import note
from errorbar.judging.protocol.completion_codes import check_return_url
from errorbar.judging.study.rules import PageTongue, StudyRules, Withdrawing

TRIES = 2
MOST_OPTIONS = 10
_FIELDS = {
    "ask": Field(toml.text, required=True),
    "options": Field(toml.texts, required=True),
    "right": Field(toml.text, required=True),
}
_AGREED = text("SELECT agreed FROM rater WHERE id = :rater")
_SET_AGREED = text("UPDATE rater SET agreed = :agreed WHERE id = :rater")


@dataclass(frozen=True, slots=True)
class ComprehensionQuestion:
    """A question on the guidelines.

    Attributes:
        ask: The question.
        options: Its answers, in the order in which they are shown.
        right: The one that is right.
    """

    ask: str
    options: Sequence[str]
    right: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a rater's comprehension check so far.

    Attributes:
        tries: Tries that they had.
        passed: Whether every answer of one try was right.
    """

    tries: int = 0
    passed: bool = False

    @property
    def state(self) -> str:
        """``due``, ``passed`` or ``failed``."""
        return "passed" if self.passed else "due" if self.tries < TRIES else "failed"


def read_questions(table: TomlTable, key: str) -> str:
    """The questions of a file's ``[[comprehension]]`` as a rule keeps them; what is wrong with them is recorded."""
    questions: list[dict[str, object]] = []
    for own in table.each(key):
        question = own.read(_FIELDS)
        options = question["options"] or ()
        if len(set(options)) != len(options) or not 2 <= len(options) <= MOST_OPTIONS:
            expected = f"2 to {MOST_OPTIONS} different ones"
            own.error(
                "study-value",
                f"a question of the comprehension check has {len(options)} options",
                "options",
                expected=expected,
            )
        elif question["right"] is not None and question["right"] not in options:
            message = f"right is '{question['right']}', which is none of the options"
            own.error("study-value", message, "right", fix="write it as in options")
        questions.append(question)
    return json.dumps(questions, ensure_ascii=False)


@lru_cache(maxsize=16)
def questions_of(comprehension: str) -> tuple[ComprehensionQuestion, ...]:
    """The questions of a rule; none where it is empty."""
    records: Sequence[Mapping[str, Any]] = json.loads(comprehension or "[]")
    return tuple(ComprehensionQuestion(each["ask"], tuple(each["options"]), each["right"]) for each in records)


def check_questions(comprehension: str) -> None:
    """See that a rule holds questions, as ``read_questions`` writes them.

    Raises:
        UsageError: If it does not.
    """
    try:
        is_list = isinstance(json.loads(comprehension or "[]"), list)
        if is_list and all(question.right in question.options for question in questions_of(comprehension)):
            return
    except (ValueError, TypeError, KeyError):
        pass
    message = "the rule comprehension is no list of questions"
    fix = "write them as [[comprehension]] in a file, and give it by --about"
    raise UsageError(Problem("judge-rule", message, fix=fix))


def check_result(agreed: str) -> CheckResult:
    """The result by what the store keeps of a rater's consent."""
    return CheckResult(**json.loads(agreed).get("comprehension", {}))


def try_check(
    tx: Connection, rules: StudyRules, rater: int, answers: Sequence[str | None], nth: int, now: float
) -> CheckResult:
    """Take a rater's answers to the check, those of the try that is due; another changes nothing.

    Args:
        tx: Of the store, exclusive.
        rules: As they stand in this transaction.
        rater: Who answers.
        answers: One for each question; None: none.
        nth: Which try it is, from 1 on: a form that comes twice is no second try.
        now: By the store's clock.
    """
    agreed = json.loads(tx.execute(_AGREED, {"rater": rater}).one().agreed)
    before = CheckResult(**agreed.get("comprehension", {}))
    if before.state != "due" or nth != before.tries + 1:
        return before
    questions = questions_of(rules.comprehension)
    wrong = [question.ask for question, answer in zip(questions, answers, strict=True) if answer != question.right]
    result = CheckResult(nth, not wrong)
    agreed["comprehension"] = asdict(result)
    tx.execute(_SET_AGREED, {"rater": rater, "agreed": json.dumps(agreed, ensure_ascii=False)})
    kind = "check passed" if result.passed else "check failed"
    note(tx, now, kind, rater=rater, data=json.dumps({"try": nth, "wrong": wrong}, ensure_ascii=False))
    return result


MOST_LINE = 200
"""Characters of a line that raters read."""
_LINES = ("title", "contact", "pay_total")
_FACE = {
    "title": Field(toml.text),
    "contact": Field(toml.text),
    "minutes": Field(toml.whole_or_zero),
    "pay": Field(toml.text),
    "pay_total": Field(toml.text),
    "consent": Field(toml.long_text),
    "eligibility": Field(toml.texts),
    "return_url": Field(toml.text),
    "training": Field(toml.whole_or_zero),
    "withdrawal": Field(toml.one_of(*get_args(Withdrawing))),
    "page_language": Field(toml.one_of(*get_args(PageTongue))),
    "break_minutes": Field(toml.whole_or_zero),
    "break_items": Field(toml.whole_or_zero),
}
"""The rules that a file can have, by the names that they have everywhere."""


def read_face(path: Source, options: Collection[str] = ()) -> dict[str, Any]:
    """Read the rules of a file, those that it names.

    Args:
        path: The file.
        options: Names of rules that are said by options: the file must not say them, too.

    Raises:
        InputError: If it is no such file, with everything that is wrong with it.
        UsageError: If something is said twice.
    """
    problems = Problems()
    file = toml.read_toml(Path(fspath(path)), problems, "study")
    table = TomlTable(file.document, file)
    table.only({*_FACE, "comprehension"})
    face = {key: table.value(key, field) for key, field in _FACE.items() if key in file.document}
    if "comprehension" in file.document:
        face["comprehension"] = read_questions(table, "comprehension")
    problems.raise_errors()
    for name in face:
        if name in options:
            message = f"--{name.replace('_', '-')} and {name} in the file of --about"
            raise UsageError(Problem("two-choices", message, table.place(name), fix="give one of them"))
    return face


def check_face(rules: StudyRules) -> None:
    """See that raters can be shown what the rules say.

    Raises:
        UsageError: If a line is too long or is none, or the address to go back to is none.
    """
    for name in _LINES:
        text = getattr(rules, name)
        if len(text) > MOST_LINE or not text.isprintable():
            message = f"--{name.replace('_', '-')} must be one line of at most {MOST_LINE} characters"
            raise UsageError(Problem("bad-parameter", f"{message}, got '{shorten_text(text)}'"))
    check_return_url(rules.return_url)
