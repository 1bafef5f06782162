"""An adjudication: a study that decides what the raters of another one disagree on, and whose answers it holds.

Conventions
    An item keeps the different answers of the raters of its origin, each once, with who gave it. Items on which no two
    raters differ, or that nobody judged, are items of the adjudication too, but stopped: it holds the whole set.
    Whether an answer was accepted or written is read off the answers: who types what a rater said accepts it. What
    comes out is one more annotator beside the raters, and replaces none of them: on items that were not in question it
    is what they said.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

from sqlalchemy import Connection

from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.scheme import AnswerChoice, JudgedItem, Scheme, turn_sides
from errorbar.judging.study.rows import JudgmentRow, Part, judgment_rows, rows
from errorbar.judging.study.rules import StudyInfo

AGREED, UNJUDGED = "no two raters differ", "nobody judged it"
"""Why items of an adjudication are stopped from the beginning."""
ADJUDICATED = "adjudicated"
"""The annotator that an adjudication adds."""
Provenance = Literal["rater", "agreed", "accepted", "written"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The study whose disagreements are decided.

    Attributes:
        study: Name of its folder.
        digest: SHA-256 of its rows when the adjudication was made (``backup.describe``).
        raters: Who judged it, in its order.
    """

    study: str
    digest: str
    raters: tuple[str, ...]

    def to_json(self) -> str:
        """For the store."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the output of ``to_json``.

        Raises:
            ValueError: If it is something else.
        """
        raw = json.loads(text)
        if not isinstance(raw, dict) or not all(isinstance(raw.get(name), str) for name in ("study", "digest")):
            raise ValueError(f"adjudicated = {text}")
        return cls(raw["study"], raw["digest"], tuple(map(str, raw["raters"])))


def collapse_answers(
    scheme: Scheme, answers: Iterable[tuple[str, Mapping[str, Any]]], *, show_counts: bool = False
) -> tuple[AnswerChoice, ...]:
    """The different answers among those of raters, in order of appearance; remarks alone make no difference."""
    raters: dict[str, list[str]] = {}
    first: dict[str, Mapping[str, Any]] = {}
    for rater, answer in answers:
        key = answer_key(scheme, answer)
        first.setdefault(key, answer)
        raters.setdefault(key, []).append(rater)
    return tuple(
        AnswerChoice(answer, tuple(raters[key]), len(raters[key]) if show_counts else 0)
        for key, answer in first.items()
    )


def answer_key(scheme: Scheme, answer: Mapping[str, Any], questions: Collection[str] = ()) -> str:
    """A text that equal answers share: to some questions, or to all."""
    told = {
        question.id: kind_of_question(question).without_remarks(answer[question.id])
        for question in scheme.questions
        if question.id in answer and (not questions or question.id in questions)
    }
    return json.dumps(told, sort_keys=True)


def answer_provenance(
    scheme: Scheme, item: JudgedItem, answer: Mapping[str, Any]
) -> tuple[Provenance, tuple[str, ...]]:
    """Whether an adjudicator's answer was accepted or written, and the raters who gave it too.

    Args:
        scheme: Of the adjudication.
        item: Of the adjudication.
        answer: With candidates at their own sides.
    """
    key = answer_key(scheme, answer)
    accepted = next((choice for choice in item.choices if answer_key(scheme, choice.answer) == key), None)
    return ("written", ()) if accepted is None else ("accepted", accepted.raters)


def own_sides(scheme: Scheme, row: JudgmentRow) -> Mapping[str, Any] | None:
    """The answer of a row with candidates at their own sides; None: the item was skipped."""
    return turn_sides(scheme, row.answer) if row.answer is not None and row.reversed else row.answer


def exported_rows(tx: Connection, about: StudyInfo, include: Sequence[Part]) -> Iterator[JudgmentRow]:
    """The judgments that an export holds; of an adjudication those of its origin's raters too, before its own."""
    if not about.adjudicated:
        yield from judgment_rows(tx, include)
        return
    origin, names = Origin.from_json(about.adjudicated), _annotator_names(tx, about)
    own: dict[str, list[JudgmentRow]] = {}
    for row in judgment_rows(tx, include):
        own.setdefault(row.item.name, []).append(row)
    adjudicators = list(dict.fromkeys(row.rater for rows_of in own.values() for row in rows_of))
    for stored in rows(tx, "SELECT payload, stopped FROM item WHERE kind = 'work' ORDER BY id"):
        item = JudgedItem.from_json(stored.payload)
        by_rater = {rater: choice.answer for choice in item.choices for rater in choice.raters}
        for rater in origin.raters:
            if rater in by_rater:
                yield _row(item, rater, by_rater[rater], "rater")
        for row in own.get(item.name, ()):
            answer = own_sides(about.scheme, row)
            told = replace(row, rater=names[row.rater])
            if answer is not None:
                provenance, accepted_of = answer_provenance(about.scheme, item, answer)
                told = replace(told, provenance=provenance, accepted_of=accepted_of)
            yield told
        if stored.stopped == AGREED and item.name not in own and item.choices:
            for name in dict.fromkeys(names[rater] for rater in adjudicators) or [ADJUDICATED]:
                yield _row(item, name, item.choices[0].answer, "agreed", item.choices[0].raters)


def exported_annotators(tx: Connection, about: StudyInfo) -> list[str]:
    """The raters of an export in their order; an adjudication stands after the raters of its origin."""
    names = _annotator_names(tx, about)
    if not about.adjudicated:
        return [*names]
    return [*Origin.from_json(about.adjudicated).raters, *(dict.fromkeys(names.values()) or [ADJUDICATED])]


def _annotator_names(tx: Connection, about: StudyInfo) -> dict[str, str]:
    """The name of each rater in an export: adjudicators who decide an item alone are one annotator together."""
    raters = [row.name for row in rows(tx, "SELECT name FROM rater ORDER BY id")]
    if not about.adjudicated:
        return dict(zip(raters, raters, strict=True))
    together = about.rules.raters_per_item == 1
    return {rater: ADJUDICATED if together else f"{ADJUDICATED} {rater}" for rater in raters}


def _row(
    item: JudgedItem, rater: str, answer: Mapping[str, Any], provenance: Provenance, accepted_of: tuple[str, ...] = ()
) -> JudgmentRow:
    """A judgment that was given in the origin."""
    return JudgmentRow(item, rater, "main", "done", False, 1, answer, "", "", 0, provenance, accepted_of)
