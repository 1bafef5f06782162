"""``judge_raters``: who takes part, who is excluded and why; to exclude, readmit, and take completion codes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike

from sqlalchemy import Connection, and_, func, select

from errorbar.api.arguments import public
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.judging.protocol.completion_codes import is_earned, redeem
from errorbar.judging.protocol.exclusions import (
    WITHDRAWN,
    exclude,
    foresee_exclusion,
    foresee_readmission,
    forget,
    readmit,
)
from errorbar.judging.store.tables import ANSWER, ASSIGNMENT, EXCLUSION, RATER
from errorbar.judging.study.folder import Study
from errorbar.judging.study.guidance import check_result
from errorbar.judging.study.invitations import iso_time, participant_id
from errorbar.judging.study.rules import current_rules, study_clock
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

MANAGER = "manager"


@dataclass(frozen=True, slots=True)
class RaterOnList:
    """A rater as the manager sees them.

    Attributes:
        name: As exports name them.
        participant: The id that a crowd's service or they themselves gave; empty: they came without one. No export of
            judgments has it.
        status: ``active``, ``excluded`` or ``withdrawn``.
        reason: Why they are excluded; empty: they are not.
        by: Who excluded them: ``manager`` or ``policy``.
        quiz: ``due``, ``passed`` or ``failed``; empty: the study has none.
        check: The same of the comprehension check.
        judged: Items that they judged, gold ones and repeats included, the quiz not.
        held: Items that they hold.
        joined: When, ISO 8601 in UTC.
        agreed: When they agreed to the consent text; None: there was none.
        last: When their last answer came; None: none has.
        code: Whether they have their completion code, and it counts.
        withdrawn: Whether they had it, and it does not count any more: they are excluded or took answers back.
        redeemed: When it was redeemed; None: it was not.
    """

    name: str
    participant: str
    status: str
    reason: str
    by: str
    quiz: str
    check: str
    judged: int
    held: int
    joined: str
    agreed: str | None
    last: str | None
    code: bool
    withdrawn: bool
    redeemed: str | None


@dataclass(frozen=True, slots=True, repr=False)
class JudgeRaters(Result):
    """Who takes part in a study.

    Attributes:
        raters: In the order in which they came.
        notes: What was done.
    """

    raters: Sequence[RaterOnList]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Every rater."""
        return {"raters": [asdict(rater) for rater in self.raters]}

    def tables(self) -> list[Table]:
        """A row for each rater."""
        has_ids = any(rater.participant for rater in self.raters)
        columns = [Column("rater"), *([Column("participant")] if has_ids else []), Column("status")]
        columns += [Column("judged", "count"), Column("held", "count")]
        has_consent, has_check = any(rater.agreed for rater in self.raters), any(rater.check for rater in self.raters)
        later = {
            "agreed": has_consent,
            "check": has_check,
            "quiz": True,
            "last answer": True,
            "code": True,
            "reason": True,
        }
        columns += [Column(name) for name, is_shown in later.items() if is_shown]
        rows: list[list[Cell]] = []
        for rater in self.raters:
            states = {"redeemed": rater.redeemed, "void": rater.withdrawn, "given": rater.code}
            code = next((state for state, holds in states.items() if holds), "")
            why = f"{rater.reason} ({rater.by})" if rater.reason else ""
            counts = [rater.judged, rater.held, *([rater.agreed or ""] if has_consent else ())]
            counts += [rater.check] if has_check else []
            ids = [rater.participant] if has_ids else []
            rows.append([rater.name, *ids, rater.status, *counts, rater.quiz, rater.last or "", code, why])
        return [Table(columns, rows, "Raters", "raters")]


@public()
def judge_raters(
    study: str | PathLike[str], *, exclude: str = "", reason: str = "", readmit: str = "", redeem: str = ""
) -> JudgeRaters:
    """List raters; exclude or readmit one, or take a completion code.

    Args:
        study: Its folder.
        exclude: Name of a rater whose judgments shall not count; they stay stored.
        reason: Why, with ``exclude``.
        readmit: Name of a rater whose judgments shall count again.
        redeem: A completion code that somebody brought; it counts once.

    Raises:
        UsageError: If there is no such rater, they are in that state already, or the code is nobody's or used.
    """
    if exclude and not reason.strip():
        message = f"'{exclude}' is excluded without a reason"
        raise UsageError(Problem("judge-no-reason", message, fix="give one: --reason='Answers without reading'"))
    now = study_clock()()

    def work(tx: Connection) -> list[Problem]:
        notes = []
        if exclude:
            notes.append(exclude_rater(tx, exclude, reason.strip(), now))
        if readmit:
            notes.append(readmit_rater(tx, readmit, now))
        if redeem:
            notes.append(redeem_code(tx, redeem, now))
        return notes

    with Study.open(study).store(read_only=not (exclude or readmit or redeem)) as store:
        notes = store.write(work) if not store.read_only else []
        with store.read() as snapshot:
            return JudgeRaters(rater_list(snapshot), notes)


@dataclass(frozen=True, slots=True, repr=False)
class JudgeForget(Result):
    """A rater who was forgotten.

    Attributes:
        name: The name that stands for theirs from now on.
        removed: Whether their answers were removed, as the study's rule ``withdrawal`` says.
        n_answers: Answers that there were, of the quiz and of gold items too.
        notes: What was done, and what is left to do.
    """

    name: str
    removed: bool
    n_answers: int
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """All of it."""
        return {"rater": self.name, "removed": self.removed, "answers": self.n_answers}

    def tables(self) -> list[Table]:
        """One row."""
        row: list[Cell] = [self.name, self.n_answers, "removed" if self.removed else "kept"]
        return [
            Table([Column("rater"), Column("answers", "count"), Column("answers are")], [row], "Forgotten", "forgotten")
        ]


@public()
def judge_forget(study: str | PathLike[str], rater: str) -> JudgeForget:
    """Forget who a rater was: name, participant id, links, notes, times and completion code are redacted for good.

    Their answers are kept or removed, as the study's rule ``withdrawal`` says; they get no further work. Backups and
    exports that were made before still hold what is redacted here.

    Args:
        study: Its folder.
        rater: Name of the rater, as exports name them.

    Raises:
        UsageError: If there is no such rater.
    """
    now = study_clock()()

    def work(tx: Connection) -> JudgeForget:
        name, withdrawal = forget(tx, current_rules(tx), rater_named(tx, rater), now)
        message = "backups and exports that were made before still hold what is redacted here"
        warning = Problem("judge-forgotten", message, fix="delete them, and make new ones", severity="warning")
        return JudgeForget(name, withdrawal.removed, withdrawal.n_answers, (warning,))

    with Study.open(study).store() as store:
        return store.write(work)


def rater_list(tx: Connection) -> list[RaterOnList]:
    """Every rater, in the order in which they came."""
    mine = select(ASSIGNMENT.c.rater, func.count()).where(ASSIGNMENT.c.state == "open").group_by(ASSIGNMENT.c.rater)
    held = {rater: count for rater, count in tx.execute(mine)}  # noqa: C416 - rows are no tuples to mypy
    answered = ASSIGNMENT.join(ANSWER, ANSWER.c.assignment == ASSIGNMENT.c.id)
    latest = select(ASSIGNMENT.c.rater, func.max(ANSWER.c.at)).select_from(answered).group_by(ASSIGNMENT.c.rater)
    last = {rater: at for rater, at in tx.execute(latest)}  # noqa: C416
    rules = current_rules(tx)
    now_excluded = and_(EXCLUSION.c.rater == RATER.c.id, EXCLUSION.c.until.is_(None))
    rows = tx.execute(
        select(RATER, EXCLUSION.c.reason, EXCLUSION.c.by)
        .select_from(RATER.outerjoin(EXCLUSION, now_excluded))
        .order_by(RATER.c.id)
    )
    return [
        RaterOnList(
            name=row.name,
            participant=participant_id(row.participant),
            status=row.status,
            reason=row.reason or "",
            by=row.by or "",
            quiz=row.quiz if rules.quiz else "",
            check=check_result(row.agreed).state if rules.comprehension else "",
            judged=row.judged,
            held=held.get(row.id, 0),
            joined=iso_time(row.joined) or "",
            agreed=_agreed_at(row.agreed),
            last=iso_time(last.get(row.id)),
            code=row.code is not None and is_earned(row.status, row.judged, row.code_for),
            withdrawn=row.code is not None and not is_earned(row.status, row.judged, row.code_for),
            redeemed=iso_time(row.code_used),
        )
        for row in rows
    ]


def _agreed_at(agreed: str) -> str | None:
    """When a rater agreed to the consent text."""
    record = json.loads(agreed)
    return iso_time(record.get("at")) if "consent" in record else None


def exclude_rater(tx: Connection, name: str, reason: str, now: float) -> Problem:
    """Set a rater's judgments aside; the note says it."""
    rater = rater_named(tx, name)
    effect = foresee_exclusion(tx, rater)
    if not exclude(tx, rater, reason, MANAGER, now):
        if tx.scalar(select(RATER.c.status).where(RATER.c.id == rater)) == WITHDRAWN:
            raise UsageError(Problem("judge-standing", f"'{name}' has withdrawn from the study, which is for good"))
        raise UsageError(Problem("judge-standing", f"'{name}' is excluded already", fix="--readmit undoes it"))
    return _done("judge-excluded", f"'{name}' is excluded: {effect}; nothing is deleted, --readmit undoes it")


def readmit_rater(tx: Connection, name: str, now: float) -> Problem:
    """Count a rater's judgments again; the note says it."""
    rater = rater_named(tx, name)
    effect = foresee_readmission(tx, rater)
    if not readmit(tx, rater, MANAGER, now):
        raise UsageError(Problem("judge-standing", f"'{name}' is not excluded"))
    return _done("judge-readmitted", f"'{name}' is readmitted: {effect}")


def redeem_code(tx: Connection, code: str, now: float) -> Problem:
    """Take a completion code; the note says whose it is."""
    result = redeem(tx, code, now)
    if not result.rater:
        raise UsageError(Problem("judge-code", "nobody was given this completion code"))
    if result.before is not None:
        message = f"this completion code of '{result.rater}' was redeemed before, {iso_time(result.before)}"
        raise UsageError(
            Problem("judge-code", f"{message}; since then {result.withdrawn}" if result.withdrawn else message)
        )
    if result.withdrawn:
        message = f"this completion code of '{result.rater}' was withdrawn: {result.withdrawn}"
        raise UsageError(Problem("judge-code", message, fix="errorbar judge raters STUDY shows what they judged"))
    key = tx.scalar(select(RATER.c.participant).where(RATER.c.name == result.rater)) or ""
    of_id = f" (participant {participant})" if (participant := participant_id(key)) else ""
    return _done("judge-redeemed", f"the completion code is that of '{result.rater}'{of_id}, and is redeemed now")


def rater_named(tx: Connection, name: str) -> int:
    """The rater of a name.

    Raises:
        UsageError: If there is none.
    """
    names = {row.name: row.id for row in tx.execute(select(RATER.c.id, RATER.c.name))}
    if name not in names:
        raise no_rater_error(name, list(names))
    return int(names[name])


def no_rater_error(name: str, known: Sequence[str]) -> UsageError:
    """Of a name that no rater has."""
    fix = nearest(name, known) if known else "nobody has come yet"
    return UsageError(Problem("judge-no-rater", f"no rater is called '{name}'", fix=fix))


def _done(code: str, message: str) -> Problem:
    return Problem(code, message, severity="repaired")
