"""Answers on their way into the store: each gets one receipt, and the same one as often as it is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, text

from errorbar.core.problems import UsageError
from errorbar.judging.answers import check_answer, is_right
from errorbar.judging.page_languages import phrase
from errorbar.judging.protocol.assignments import (
    HELD,
    Held,
    follow,
    judged_by,
    note,
    parse_item,
    rater_row,
    settle_state,
)
from errorbar.judging.protocol.claims import settle_if_answered
from errorbar.judging.protocol.exclusions import WITHDRAWN, exclude
from errorbar.judging.quality import POLICY, GoldAnswers, after_answer, class_of, gold_answers
from errorbar.judging.question_kinds import longest_rewrite
from errorbar.judging.scheme import JudgedItem, Scheme, Submission, SubmissionReceipt
from errorbar.judging.scheme_kinds import kind_of, shown_hash
from errorbar.judging.store.store import execute_together
from errorbar.judging.study.rules import StudyRules

RECENT = 10
"""So many answers back can be changed."""
LONGEST_ID = 64
MOST_KEPT = 4096
"""Bytes that are kept of a submission that is not stored as an answer."""
MOST_VOLUME, VOLUME_PER_ANSWER, _ROW = 1_000_000, 4096, 500
"""Bytes that a rater may send in all, besides for each item that they answered, and for the rows of a submission. So no
first answer of usual length is ever refused, and nobody fills the disk."""

_SENT = text("SELECT rater, data FROM event WHERE submission = :submission")
_FOUND = text(
    f"SELECT {HELD}, a.version, a.answered, a.reversed, i.payload, i.kind, i.gold_class,"
    " r.answered, r.volume, r.status, r.gold, e.rater, e.data"
    " FROM assignment a JOIN item i ON i.id = a.item JOIN rater r ON r.id = a.rater"
    " LEFT JOIN event e ON e.submission = :submission WHERE a.token = :token"
)
_STORED = text("SELECT answer FROM answer WHERE assignment = :assignment AND version = :version")
_STORE = (
    text(
        "INSERT INTO answer (submission, assignment, version, answer, skip, comment, milliseconds, trail, status, at)"
        " VALUES (:id, :assignment, :version, :answer, :skip, :comment, :milliseconds, :trail, :status, :at)"
    ),
    text(
        "INSERT INTO event (at, kind, rater, assignment, submission, data)"
        " VALUES (:at, 'answered', :rater, :assignment, :id, :data)"
    ),
    text("UPDATE assignment SET version = :version, answered = :answered, state = :state WHERE id = :assignment"),
    text(
        "UPDATE rater SET answered = answered + :first, judged = judged + :judged, gold = :gold,"
        " volume = volume + :size WHERE id = :rater"
    ),
)
_TOO_LONG = phrase("what you have sent so far is too long: shorten the comment, or change fewer answers")
_VOLUME = text("SELECT volume, answered, status FROM rater WHERE id = :rater")
_GROWN = text("UPDATE rater SET volume = volume + :size WHERE id = :rater")
_COUNTED = text("UPDATE rater SET gold = :gold WHERE id = :rater")


@dataclass(slots=True)
class _Asked:
    """The assignment that a submission answers."""

    held: Held
    version: int
    answered: int | None
    reversed: int
    item: JudgedItem
    kind: str
    gold_class: str
    rater_answered: int
    rater_volume: int
    status: str
    gold: GoldAnswers | None  # of the rater; None: not counted yet


class _RefusedError(Exception):
    """Why a submission can never be stored as an answer."""


def submit(
    tx: Connection, scheme: Scheme, rules: StudyRules, rater_id: int, submissions: Sequence[Submission], now: float
) -> list[SubmissionReceipt]:
    """Store answers, in their order; what cannot be stored as an answer is kept as an event.

    Args:
        tx: Of the store, exclusive.
        scheme: Which answers there are.
        rules: As they stand in this transaction (``study.rules.current_rules``).
        rater_id: Whose answers they are.
        submissions: At most some hundred.
        now: By the store's clock.
    """
    intake = _Intake(tx, scheme, rules, rater_id, now)
    return [intake.receive(submission) for submission in submissions]


def make_storable(text: str) -> str:
    """The text without what a database cannot hold: zeros and halves of characters."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, slots=True)
class _Intake:
    """Where the submissions of one rater come in."""

    tx: Connection
    scheme: Scheme
    rules: StudyRules
    rater: int
    now: float

    def receive(self, one: Submission) -> SubmissionReceipt:
        key = make_storable(one.id)
        if not key or len(key) > LONGEST_ID:
            return self._kept(None, one, _refusal_receipt(one, f"a submission's id has 1 to {LONGEST_ID} characters"))
        row = self.tx.execute(_FOUND, {"token": make_storable(one.token), "submission": key}).first()
        sent = self.tx.execute(_SENT, {"submission": key}).first() if row is None else row[-2:]
        if sent is not None and sent[1] is not None:
            known: dict[str, Any] = json.loads(sent[1])
            return (
                SubmissionReceipt(**known["receipt"])
                if sent[0] == self.rater
                else _refusal_receipt(one, "this id was used before")
            )
        asked = None if row is None else _read_assignment(row[:-2])
        if asked is None or asked.held.rater != self.rater:
            return self._kept(None, one, _refusal_receipt(one, phrase("this item was not given to you")))
        try:
            answer = self._fit(asked, one)
        except _RefusedError as error:
            return self._kept(asked.held.id, one, _refusal_receipt(one, str(error), asked.version))
        if one.base_version != asked.version:
            stored = self.tx.execute(_STORED, {"assignment": asked.held.id, "version": asked.version}).first()
            there = json.loads(stored[0]) if stored else None
            return self._kept(asked.held.id, one, SubmissionReceipt(one.id, "conflict", asked.version, stored=there))
        return self._store(asked, one, answer)

    def _fit(self, asked: _Asked, one: Submission) -> dict[str, Any] | None:
        """The answer as it is stored; None: the item is skipped."""
        if asked.status == WITHDRAWN:
            raise _RefusedError(phrase("you have withdrawn from this study"))
        if one.text_hash != shown_hash(self.scheme, asked.item, asked.reversed):
            raise _RefusedError(phrase("the page showed another text than the study has for this item"))
        if asked.version:
            if asked.held.round == "quiz":
                raise _RefusedError(phrase("answers of the quiz cannot be changed"))
            if asked.rater_answered - (asked.answered or 0) >= RECENT:
                raise _RefusedError(phrase("only the last 10 answers can be changed"))
        if asked.rater_volume + _counted_size(asked, one) > _most_volume(asked.rater_answered + (not asked.version)):
            raise _RefusedError(_TOO_LONG)
        if one.answer is None:
            if not one.skip.strip():
                raise _RefusedError("an item is skipped with a reason")
            return None
        try:
            return check_answer(self.scheme, asked.item, one.answer)
        except UsageError as error:
            raise _RefusedError("; ".join(problem.what for problem in error.problems)) from error

    def _store(self, asked: _Asked, one: Submission, answer: dict[str, Any] | None) -> SubmissionReceipt:
        held, version = asked.held, asked.version + 1
        state = settle_state(held, self.rules.raters_per_item, skipped=answer is None, active=asked.status == "active")
        feedback = self._feedback(asked, answer) if held.round == "quiz" else None
        receipt = SubmissionReceipt(one.id, "extra" if state == "extra" else "saved", version, feedback=feedback)
        first = asked.answered is None and held.round != "quiz"
        gold = self._gold(asked, answer)
        values = {
            "id": make_storable(one.id),
            "assignment": held.id,
            "version": version,
            "answer": make_storable(_json(answer)),
            "skip": make_storable(one.skip) if answer is None else "",
            "comment": make_storable(one.comment),
            "milliseconds": min(max(int(one.milliseconds), 0), 2**31 - 1),
            "trail": make_storable(_json(one.trail)) if one.trail else "",
            "status": receipt.status,
            "at": self.now,
            "rater": held.rater,
            "data": make_storable(_json({"receipt": _receipt_record(receipt), "state": state})),
            "answered": asked.rater_answered + 1 if first else asked.answered,
            "state": state,
            "first": int(first),
            "judged": judged_by(held, state),
            "gold": None if gold is None else gold.to_json(),
            "size": _counted_size(asked, one),
        }
        execute_together(self.tx, _STORE, values)
        follow(self.tx, held, state, self.now)
        if held.round == "quiz":
            settle_if_answered(self.tx, self.rules, rater_row(self.tx, self.rules, held.rater, self.now), self.now)
        else:
            self._decide(asked, gold)
        return receipt

    def _gold(self, asked: _Asked, answer: dict[str, Any] | None) -> GoldAnswers | None:
        """The rater's gold answers with this one; for an answer to work the same is done, for nothing."""
        held = asked.held
        right = None if answer is None else is_right(self.scheme, asked.item, asked.reversed, answer)
        if asked.gold is None or asked.kind != "gold" or held.round != "main":
            return asked.gold
        label = class_of(self.scheme, asked.gold_class)
        return asked.gold.having(held.id, label, right, first=asked.version == 0)

    def _decide(self, asked: _Asked, gold: GoldAnswers | None) -> None:
        """Whether the rater is to be excluded; asked after every answer, so that no time tells gold."""
        rater = asked.held.rater
        if gold is None:
            gold = gold_answers(self.tx, self.scheme, rater)
            self.tx.execute(_COUNTED, {"gold": gold.to_json(), "rater": rater})
        reason = after_answer(self.rules, gold)
        if reason is not None and asked.status == "active":
            exclude(self.tx, rater, reason, POLICY, self.now)

    def _feedback(self, asked: _Asked, answer: dict[str, Any] | None) -> dict[str, Any]:
        """The quiz's reply to an answer."""
        right = answer is not None and bool(is_right(self.scheme, asked.item, asked.reversed, answer))
        kind = kind_of(self.scheme)
        answers = [kind.told(asked.item, asked.reversed, each) for each in asked.item.answers]
        return {"right": right, "answers": answers, "explanation": asked.item.explanation}

    def _kept(self, assignment: int | None, one: Submission, receipt: SubmissionReceipt) -> SubmissionReceipt:
        """Keep what is not stored as an answer, its beginning at least, as long as the rater has not sent too much.

        Of who has withdrawn, nothing is kept any more.
        """
        key = make_storable(receipt.id)
        fits = bool(key) and len(key) <= LONGEST_ID
        kept_receipt = _receipt_record(receipt) if fits else _receipt_record(receipt) | {"id": key[:LONGEST_ID]}
        data = make_storable(_json({"receipt": kept_receipt, "submission": _beginning(one)}))
        size = len(data.encode()) + _ROW
        volume, answered, status = self.tx.execute(_VOLUME, {"rater": self.rater}).one()
        if status != WITHDRAWN and volume + size <= _most_volume(answered):
            note(
                self.tx,
                self.now,
                receipt.status,
                rater=self.rater,
                assignment=assignment,
                submission=key if fits else None,
                data=data,
            )
            self.tx.execute(_GROWN, {"size": size, "rater": self.rater})
        return receipt


def _most_volume(answered: int) -> int:
    return MOST_VOLUME + VOLUME_PER_ANSWER * answered


def _size(one: Submission) -> int:
    """The bytes that a submission takes in the store, about."""
    return (
        len(_json({"answer": one.answer, "trail": one.trail}))
        + len((one.skip + one.comment).encode(errors="replace"))
        + _ROW
    )


def _counted_size(asked: _Asked, one: Submission) -> int:
    """The bytes that count against what a rater may send: a first answer may be as long as a text that it rewrites."""
    free = 0 if asked.version else longest_rewrite(asked.item)
    return max(_ROW, _size(one) - free)


def _beginning(one: Submission) -> dict[str, Any]:
    """A submission as it is kept: whole if it is short, otherwise the first bytes of it as text."""
    whole = {name: getattr(one, name) for name in one.__slots__}
    text = _json(whole)
    size = len(text.encode(errors="replace"))
    if size <= MOST_KEPT:
        return whole
    return {"bytes": size, "beginning": text.encode(errors="replace")[:MOST_KEPT].decode(errors="ignore")}


def _receipt_record(receipt: SubmissionReceipt) -> dict[str, Any]:
    return {name: getattr(receipt, name) for name in receipt.__slots__}


def _read_assignment(row: tuple[Any, ...]) -> _Asked:
    version, answered, turned, payload, kind, label, count, volume, status, kept = row[8:]
    item = parse_item(payload)
    gold = None if kept is None else GoldAnswers.from_json(kept)
    return _Asked(Held(*row[:8]), version, answered, turned, item, kind, label, count, volume, status, gold)


def _refusal_receipt(one: Submission, why: str, version: int = 0) -> SubmissionReceipt:
    return SubmissionReceipt(one.id, "refused", version, why=why)


def _json(what: Mapping[str, Any] | None) -> str:
    return json.dumps(what, ensure_ascii=False)
