"""The rules of a study: how many judge what, and what is asked of raters; kept in the store for all workers."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Any, Literal, Self

from sqlalchemy import Connection, select, text

from errorbar.api.audit_edits import AUDIT_KEY, AuditKey, audit_key_of
from errorbar.core.problems import InputError, Place, Problem, Problems, refuse_halves, shell_words
from errorbar.formats.look import Source
from errorbar.formats.saving import is_stream
from errorbar.formats.untrusted import read_json
from errorbar.judging.scheme import Scheme
from errorbar.judging.scheme_kinds import Editors
from errorbar.judging.store.tables import STUDY
from errorbar.sampling.draw import SAMPLE_KEY, Key, key_of

Policy = Literal["sequential", "posterior", "fixed", "none"]
Direction = Literal["auto", "ltr", "rtl"]
Withdrawing = Literal["keep", "remove"]
PageTongue = Literal["auto", "ar", "de", "en", "es", "fr", "zh"]


@dataclass(frozen=True, slots=True)
class StudyRules:
    """The rules of a study.

    Attributes:
        raters_per_item: k, judgments of each item by k different raters.
        items_per_rater: The most items of one rater, gold ones included; 0: as many as there are.
        page: Items that a browser leases at a time, at most 10, and in each of which one gold item is hidden.
        lease_minutes: How long a leased item is kept for its rater.
        gold_per_page: Gold items among ``page`` items.
        quiz: Gold items with explanations before the work; 0: no quiz.
        quiz_pass: The share of right answers that passes the quiz.
        policy: How raters are excluded by their gold answers: ``sequential``: a test for each class; ``posterior``:
            once the accuracy of a class is nearly certainly below ``policy_share``; ``fixed``: if below it after
            ``policy_gold`` answers, classes together; ``none``: by the manager alone.
        repeats: The share of items that a rater is shown again, reversed where there are sides.
        pay: What an item pays, shown to raters; empty: nothing is said.
        consent: Text that raters must agree to; empty: none.
        eligibility: Questions that must be answered with yes before the first item.
        title: Of the study, for raters; empty: the scheme's.
        contact: To whom raters can write; empty: nobody is named.
        minutes: How long the work takes a rater, shown to them; 0: nothing is said.
        pay_total: What the whole work of a rater pays, shown to them; empty: nothing is said.
        return_url: Where raters go once they are done (``completion_codes.return_address``); empty: nowhere.
        break_minutes: After how long at work a break is suggested; 0: never.
        break_items: After how many items a break is suggested; 0: never.
        language: Of the texts (``lang``).
        direction: Of the texts (``dir``).
        page_language: Of raters' pages; ``auto``: that of the texts where there are pages in it, else English.
        withdrawal: What becomes of the answers of a rater who withdraws: they are kept, and count, or are removed.
        training: Gold items with explanations before all else, which are no test; 0: none.
        comprehension: Questions on the guidelines before the work (``comprehension.Comprehension``); empty: none.
        stop: The question after which the study may stop early (``stop_question``); empty: none.
        adaptive: Of rankings: items are pairs of systems, and the pair comes next whose order is least known.
        editors: Of a study of systems' outputs: who edits which of them (``scheme_kinds``).
        systems: With crossed and nested editors: whose outputs they are, in the order of places; else none.
    """

    raters_per_item: int = 3
    items_per_rater: int = 0
    page: int = 10
    lease_minutes: float = 60.0
    gold_per_page: int = 1
    quiz: int = 0
    quiz_pass: float = 0.7
    policy: Policy = "sequential"
    policy_share: float = 0.7
    policy_gold: int = 10
    repeats: float = 0.0
    pay: str = ""
    consent: str = ""
    eligibility: tuple[str, ...] = ()
    title: str = ""
    contact: str = ""
    minutes: int = 0
    pay_total: str = ""
    return_url: str = ""
    break_minutes: int = 30
    break_items: int = 0
    language: str = "en"
    direction: Direction = "auto"
    page_language: PageTongue = "auto"
    withdrawal: Withdrawing = "keep"
    training: int = 0
    comprehension: str = ""
    stop: str = ""
    adaptive: bool = False
    editors: Editors = "free"
    systems: tuple[str, ...] = ()

    def quiz_needed(self, asked: int) -> int:
        """How many right answers pass a quiz of so many questions."""
        return ceil(self.quiz_pass * asked - 1e-9)

    def to_json(self) -> str:
        """For the store."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the output of ``to_json``, also of versions without a rule."""
        raw: dict[str, Any] = json.loads(text)
        for name in ("eligibility", "systems"):
            raw[name] = tuple(raw.get(name, ()))
        return cls(
            **{field.name: raw[field.name] for field in fields(cls) if field.name in raw or field.name not in _LATER}
        )


FIXED_RULES = ("editors", "systems")
"""Rules by which items got their places: they are never changed."""
_LATER = frozenset(
    (
        *("stop", "adaptive", "title", "contact", "minutes", "pay_total", "return_url", "break_minutes", "break_items"),
        *("page_language", "withdrawal", "training", "comprehension", *FIXED_RULES),
    )
)
"""Rules that studies of older versions do not have."""


# The clock of leases, sessions and invites: the machine's, which tests of the protocol may set forward and back.


VARIABLE = "ERRORBAR_JUDGE_CLOCK"


def study_clock() -> Callable[[], float]:
    """``time.time``; where ``ERRORBAR_JUDGE_CLOCK`` names a file, plus the seconds in it, read at every look.

    Only for tests: all workers of a server see one clock, and it jumps while they run.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        return time.time
    file = Path(named)
    return lambda: time.time() + float(file.read_text(encoding="ascii") or 0)


# What a store has one of: rules, scheme, guidelines, seed.


_GET = text("SELECT value FROM study WHERE name = :name")
_SET = text(
    "INSERT INTO study (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)


def get_value(tx: Connection, name: str) -> str | None:
    """A value; None: there is none of that name."""
    row = tx.execute(_GET, {"name": name}).first()
    return None if row is None else str(row[0])


def set_value(tx: Connection, name: str, value: str) -> None:
    """Write a value, over one that is there; a ``UsageError`` where it is text that cannot be stored."""
    refuse_halves(f"the {name} of a study", value)
    tx.execute(_SET, {"name": name, "value": value})


def current_rules(tx: Connection) -> StudyRules:
    """The rules as they stand in this transaction; another process may have changed them since the last one."""
    rules = get_value(tx, "rules")
    return StudyRules() if rules is None else _parse_rules(rules)


@lru_cache(maxsize=64)
def _parse_rules(text: str) -> StudyRules:
    return StudyRules.from_json(text)


# What a store says of its study as a whole: scheme, rules, guidelines.


@dataclass(frozen=True, slots=True)
class StudyInfo:
    """Of a study as a whole.

    Attributes:
        scheme: What is asked.
        rules: Who judges how much.
        guidelines: For raters, a small Markdown.
        made_by: The version of errorbar that made it.
        key: Of the sample or audit that is judged (``study_key``); empty: none.
        adjudicated: The study whose disagreements this one decides (``adjudication.Origin``); empty: none.
    """

    scheme: Scheme
    rules: StudyRules
    guidelines: str
    made_by: str
    key: str = ""
    adjudicated: str = ""


def read_about(tx: Connection) -> StudyInfo:
    """The information in the store."""
    values = {row.name: row.value for row in tx.execute(select(STUDY.c.name, STUDY.c.value))}
    scheme, rules = Scheme.from_json(values["scheme"]), StudyRules.from_json(values["rules"])
    return StudyInfo(scheme, rules, *(values.get(name, "") for name in ("guidelines", "made_by", "key", "adjudicated")))


def write_about(tx: Connection, about: StudyInfo) -> None:
    """Say it in the store, in the place of what it said; once there are judgments, rules are for ``set_rules``."""
    values = {
        "scheme": about.scheme.to_json(),
        "rules": about.rules.to_json(),
        "guidelines": about.guidelines,
        "made_by": about.made_by,
    }
    values |= {name: text for name in ("key", "adjudicated") if (text := getattr(about, name))}
    for name, value in values.items():
        set_value(tx, name, value)


# The key of the sample, or of the audit, that a study judges: kept in its store, and shown to no rater.


StudyKey = Key | AuditKey
_STORED = Place("the study's key")


def read_study_key(path: Source, problems: Problems) -> str:
    """Read a key file as a store keeps it, and note that others than its owner can read it.

    Raises:
        InputError: If it is no key.
    """
    record, place = read_json(path)
    if os.name == "posix" and not is_stream(str(path)) and Path(path).stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        message = "others than its owner can read the key, which tells raters what they must not know"
        problems.note("key-readable", message, place, fix=f"chmod 600 {shell_words(place.file)}")
    if not isinstance(record, dict) or record.get("format") not in (SAMPLE_KEY.name, AUDIT_KEY.name):
        message, fix = "this is not the key of a sample or an audit", "name the file that was written with the set"
        raise InputError(Problem("sample-key", message, place, fix=fix))
    text = json.dumps(record, ensure_ascii=False)
    parsed_key(text, place)
    return text


@lru_cache(maxsize=8)
def parsed_key(text: str, place: Place = _STORED) -> StudyKey:
    """The key of a text."""
    record = json.loads(text)
    return audit_key_of(record, place) if record.get("format") == AUDIT_KEY.name else key_of(record, place)


def names_of(key: StudyKey) -> set[str]:
    """Items that were drawn."""
    return {*key.items()} if isinstance(key, Key) else {key.frame.items[at].name for at in key.drawn()}


def systems_of(key: StudyKey) -> tuple[str, ...]:
    """Systems that the key knows."""
    return key.strata.systems if isinstance(key, Key) else tuple(system.name for system in key.frame.strata.systems)
