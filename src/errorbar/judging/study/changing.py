"""``judge_change``: the rules and items of a study, changed while raters work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Any, get_args

from sqlalchemy import Connection

from errorbar.api.arguments import public
from errorbar.core.problems import Problem, Problems, UsageError, nearest
from errorbar.formats.look import Source
from errorbar.judging.items.sources import read_items
from errorbar.judging.protocol.assignments import note
from errorbar.judging.protocol.changes import add_items, all_items, set_rules, stop_item, why_closed, why_halted
from errorbar.judging.protocol.changes import close as close_handing_out
from errorbar.judging.protocol.changes import halt as halt_study
from errorbar.judging.protocol.changes import resume as resume_study
from errorbar.judging.stopping.question import fitting
from errorbar.judging.study.folder import Study
from errorbar.judging.study.guidance import read_face
from errorbar.judging.study.invitations import all_invites, revoke
from errorbar.judging.study.make import check_rules
from errorbar.judging.study.raters import MANAGER
from errorbar.judging.study.rules import (
    FIXED_RULES,
    Direction,
    PageTongue,
    Policy,
    StudyRules,
    Withdrawing,
    read_about,
    read_study_key,
    set_value,
    study_clock,
)
from errorbar.judging.study.status import handing_out_notes
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

Rule = str | int | float
_CHOICES = {
    "policy": get_args(Policy),
    "direction": get_args(Direction),
    "page_language": get_args(PageTongue),
    "withdrawal": get_args(Withdrawing),
}


@dataclass(frozen=True, slots=True, repr=False)
class JudgeChange(Result):
    """The rules of a study after the change.

    Attributes:
        rules: Who judges how much.
        n_added: Items that were added.
        stopped: Items of which no more judgments are wanted from now on.
        halted: Why nothing more is handed out; empty: it is.
        notes: Warnings.
        closed: Why the study is closed; empty: it is not.
    """

    rules: StudyRules
    n_added: int
    stopped: Sequence[str]
    halted: str = ""
    notes: Sequence[Problem] = ()
    closed: str = ""

    def to_dict(self) -> dict[str, object]:
        """Rules, and what was changed of the items."""
        return {"rules": asdict(self.rules), "added": self.n_added, "stopped": list(self.stopped)} | {
            "halted": self.halted or None,
            "closed": self.closed or None,
        }

    def tables(self) -> list[Table]:
        """A row for each rule."""
        rows = [[name.replace("_", "-"), _format_rule(value)] for name, value in asdict(self.rules).items()]
        notes = [f"{self.n_added} items added"] if self.n_added else []
        notes += handing_out_notes(self.halted, self.closed)
        return [Table([Column("rule"), Column("value")], rows, "Rules", "rules", notes)]


@public()
def judge_change(
    study: str | PathLike[str],
    *,
    rules: Mapping[str, Rule] | None = None,
    about: Source | None = None,
    add: Source | None = None,
    stop: str | Sequence[str] = (),
    key: Source | None = None,
    halt: bool = False,
    close: bool = False,
    resume: bool = False,
    reason: str = "",
    lenient: bool = False,
) -> JudgeChange:
    """Change rules and items of a study, all in one step; without changes, tell the rules.

    Args:
        study: Its folder.
        rules: New values of rules, by the names of ``judge_init``'s arguments.
        about: TOML of what raters read before and after the work, as for a new study.
        add: Items to add: a table of items, a set of ``sample draw``, a corpus, or sentences one a line.
        stop: Name of an item of which no more judgments are wanted. Several can be given.
        key: Key of the sample or audit that the items are, in the place of the one that the study has.
        halt: Hand out nothing more: what raters hold still counts, and they get their completion codes.
        close: Halt, and revoke all open links: nobody new can come, also after ``resume``.
        resume: Hand out again what was halted; a rule that halts by itself only tells from then on.
        reason: Why, with ``stop``, ``halt`` and ``close``.
        lenient: Repair what can be repaired of the added file and note it; otherwise refuse it.

    Raises:
        InputError: If a file is bad; then nothing is changed.
        UsageError: If there is no such rule or item, a value is out of its bounds, or the study cannot answer its
            question.
    """
    if len(chosen := [name for name, is_set in (("halt", halt), ("close", close), ("resume", resume)) if is_set]) > 1:
        message = " and ".join(f"--{name}" for name in chosen)
        raise UsageError(Problem("two-choices", message, fix="give one of them"))
    new_rules: dict[str, Rule] = {**(rules or {})}
    if about is not None:
        face = read_face(about, {name.replace("-", "_") for name in new_rules})
        new_rules |= {name: "\n".join(value) if isinstance(value, tuple) else value for name, value in face.items()}
    problems, stopped = Problems(lenient=lenient), [stop] if isinstance(stop, str) and stop else list(stop)
    only_tells = not (new_rules or add is not None or stopped or key is not None or chosen)
    with Study.open(study).store(read_only=only_tells) as store:
        with store.read() as snapshot:
            before, halted, closed = read_about(snapshot), why_halted(snapshot), why_closed(snapshot)
        if only_tells:
            return JudgeChange(before.rules, 0, (), halted, closed=closed)
        # Before the transaction: raters must not wait for a file. A study's scheme stays what it is.
        added = [] if add is None else list(read_items(add, before.scheme, problems))
        new_key = "" if key is None else read_study_key(key, problems)
        problems.raise_errors()

        def change(tx: Connection) -> JudgeChange:
            now = study_clock()()
            if resume:
                resume_study(tx, MANAGER, now)
            known, why = read_about(tx), why_closed(tx) or why_halted(tx)
            changed = update_rules(known.rules, new_rules)
            if new_key:
                set_value(tx, "key", new_key)
                note(tx, now, "key")
            n_added = add_items(tx, added, now) if added else 0
            if changed.stop and (new_key or added or changed.stop != known.rules.stop):
                stop_text = fitting(changed.stop, known.scheme, all_items(tx), new_key or known.key)
                changed = replace(changed, stop=stop_text)
            if changed != known.rules:
                set_rules(tx, changed, now)
            for name in stopped:
                stop_item(tx, name, reason, now)
            if why and (n_added or changed.raters_per_item > known.rules.raters_per_item):
                halt_study(tx, why, MANAGER, now)  # new places of a halted study are handed out once it is resumed
            if halt:
                halt_study(tx, reason, MANAGER, now)
            if close:
                close_study(tx, reason, now)
            return JudgeChange(changed, n_added, tuple(stopped), why_halted(tx), closed=why_closed(tx))

        return replace(store.write(change), notes=tuple(problems.notes))


def close_study(tx: Connection, reason: str, now: float) -> None:
    """Hand out nothing more, and revoke every open link, in one transaction."""
    close_handing_out(tx, reason, MANAGER, now)
    for invite in all_invites(tx):
        if invite.state(now) == "open":
            revoke(tx, invite.label, now)


def update_rules(before: StudyRules, new_values: Mapping[str, Rule]) -> StudyRules:
    """Rules with new values, which may be texts as the command line has them."""
    known = asdict(before)
    changed: dict[str, Any] = {}
    if "adaptive" in new_values:
        message = "adaptive is settled when a study is made: the places of its items follow from it"
        raise UsageError(Problem("judge-rule", message, fix="make another study"))
    if new_values.get("stop") and before.adaptive:
        message = "an adaptive study takes pairs as they are least known, and stop wants items in their order"
        raise UsageError(Problem("judge-rule", message, fix="leave stop out"))
    for key, value in new_values.items():
        name = key.replace("-", "_")
        if name in FIXED_RULES:
            message = f"the rule {key} is chosen when a study is made"
            raise UsageError(Problem("judge-rule", message, fix="make another study"))
        if name not in known:
            fix = nearest(key, [rule.replace("_", "-") for rule in known])
            raise UsageError(Problem("judge-rule", f"no rule is called '{key}'", fix=fix))
        changed[name] = _read_rule(key, value, known[name])
    return check_rules({**known, **changed})


def _read_rule(name: str, value: Rule, before: object) -> object:
    """A value of the kind that the rule has."""
    choices = _CHOICES.get(name, ())
    if choices and value not in choices:
        message = f"the rule {name} must be one of {', '.join(choices)}, got '{value}'"
        raise UsageError(Problem("bad-parameter", message))
    if isinstance(before, tuple):
        return tuple(filter(None, map(str.strip, str(value).split("\n"))))
    if isinstance(before, str):
        return str(value)
    kind = int if isinstance(before, int) else float
    try:
        number = kind(value)
        if not isinstance(value, str) and number != value:
            raise ValueError
    except (ValueError, TypeError):
        message = f"the rule {name} must be a {'whole ' if kind is int else ''}number, got '{value}'"
        raise UsageError(Problem("bad-parameter", message)) from None
    return number


def _format_rule(value: object) -> str:
    return "; ".join(value) if isinstance(value, tuple) else str(value)
