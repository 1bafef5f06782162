"""A study restored from its export: the same records, so that its export is the same again."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, insert

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.look import Lines, Source, look
from errorbar.formats.untrusted import NotJsonError, json_record, parse_json
from errorbar.judging.about import About, write_about
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.places import WORD
from errorbar.judging.rules import Rules
from errorbar.judging.schemes import Scheme
from errorbar.judging.store_check import check_rows
from errorbar.judging.store_tables import ANSWER, ASSIGNMENT, EVENT, EXCLUSION, FREE, HAD, ITEM, RATER
from errorbar.judging.study_filling import emptied_if_failed
from errorbar.judging.study_folder import Study
from errorbar.judging.study_key import parsed_key
from errorbar.judging.study_records import FORMAT, VERSION, Record

CHUNK = 5000
KINDS = ("item", "rater", "excluded", "judgment", "event")


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored."""

    about: About
    n_items: int
    n_gold: int


def is_export(path: Source) -> bool:
    """Whether a file is the whole of a study."""
    record = json_record(look(path).peek())
    return record is not None and record.get("format") == FORMAT


def restore(study: Study, source: Source) -> Restored:
    """Make a study's store of an export.

    Raises:
        InputError: If the export is damaged, or says what cannot be of a study; nothing is made.
    """
    name = str(source)
    lines = Lines(source, Problems())
    with emptied_if_failed(study) as store, store.exclusive() as tx:
        number = 0
        try:
            records = _records(lines)
            number, head = next(records)
            about = _about(head)
            write_about(tx, about)
            into = _Restoring(tx)
            for number, record in records:  # noqa: B007 - of the line that is wrong
                into.take(record)
            into.finish()
        except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
            what = f"the export is damaged: {type(error).__name__} at {error}"
            raise InputError(Problem("judge-export", what, Place(name, number), fix="export the study again")) from None
        if broken := check_rows(tx):
            what = f"the export contradicts itself: {broken[0]}"
            raise InputError(Problem("judge-export", what, Place(name), fix="export the study again"))
    return Restored(about, into.n_items, into.n_gold)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, Record]]:
    for number, line in enumerate(lines, 1):
        record: object = None
        with suppress(NotJsonError):
            record = parse_json(line)
        if not isinstance(record, dict):
            raise ValueError(f"line {number}, which is no JSON object")
        yield number, record


def _about(head: Record) -> About:
    if head["version"] != VERSION:
        raise ValueError(f"version {head['version']}, and this errorbar reads version {VERSION}")
    scheme, rules = (json.dumps(head[name], ensure_ascii=False) for name in ("scheme", "rules"))
    key = json.dumps(head["key"], ensure_ascii=False) if "key" in head else ""
    if key:
        parsed_key(key)
    return About(Scheme.from_json(scheme), Rules.from_json(rules), head["guidelines"], head["made_by"], key)


class _Restoring:
    """Puts records into tables, many rows at a time; rows are numbered as they come."""

    def __init__(self, tx: Connection) -> None:
        self.tx = tx
        self.items: dict[str, tuple[int, int | None]] = {}  # number and place
        self.raters: dict[str, int] = {}
        self.assignments: dict[tuple[int, int], int] = {}  # rater and seq
        self.words: dict[Table, dict[tuple[int, int], int]] = {FREE: {}, HAD: {}}
        self.waiting: dict[Table, list[Mapping[str, Any]]] = {}
        self.n_items = self.n_gold = 0

    def take(self, record: Record) -> None:
        """Put a record where it belongs."""
        kind = next(iter(record))
        if kind not in KINDS:
            raise ValueError(f"a record of '{kind}'")
        getattr(self, f"_{kind}")(record.pop(kind), record)

    def finish(self) -> None:
        """Put down what is still waiting."""
        keys = {FREE: ("taken", "block"), HAD: ("rater", "block")}
        for table, words in self.words.items():
            for key, bits in words.items():
                self._add(table, dict(zip(keys[table], key, strict=True)) | {"bits": bits})
        for table in (ITEM, RATER, EXCLUSION, ASSIGNMENT, ANSWER, EVENT, FREE, HAD):
            self._flush(table)

    def _add(self, table: Table, row: Mapping[str, Any]) -> None:
        waiting = self.waiting.setdefault(table, [])
        waiting.append(row)
        if len(waiting) == CHUNK:
            for before in (ITEM, RATER, ASSIGNMENT):  # to which others point
                self._flush(before)
            self._flush(table)

    def _flush(self, table: Table) -> None:
        if waiting := self.waiting.pop(table, []):
            self.tx.execute(insert(table), waiting)

    def _set(self, table: Table, key: int, place: int) -> None:
        words, word = self.words[table], (key, place // WORD)
        words[word] = words.get(word, 0) | 1 << place % WORD

    def _item(self, payload: Mapping[str, Any], rest: Record) -> None:
        item = JudgedItem.from_json(json.dumps(payload, ensure_ascii=False))
        place, taken, stopped = (rest[name] for name in ("place", "taken", "stopped"))
        self.items[item.name] = len(self.items) + 1, place
        self.n_items, self.n_gold = self.n_items + (item.kind == "work"), self.n_gold + (item.kind == "gold")
        if place is not None and not stopped:
            self._set(FREE, taken, place)
        told = {"name": item.name, "kind": item.kind, "gold_class": item.gold_class}
        told |= {"payload": item.to_json(), "text_hash": item.text_hash(), "place": place}
        self._add(ITEM, told | {"taken": taken, "stopped": stopped})

    def _rater(self, name: str, rest: Record) -> None:
        self.raters[name] = len(self.raters) + 1
        agreed = json.dumps(rest.pop("agreed"), ensure_ascii=False)
        self._add(RATER, {"name": name, "participant": f"restored:{name}", "agreed": agreed, "gold": None, **rest})

    def _excluded(self, rater: str, rest: Record) -> None:
        self._add(EXCLUSION, {"rater": self.raters[rater], **rest})

    def _judgment(self, item: str, rest: Record) -> None:
        rest.pop("label")
        answers, rater = rest.pop("answers"), self.raters[rest.pop("rater")]
        number, place = self.items[item]
        key = self.assignments[rater, rest["seq"]] = len(self.assignments) + 1
        if rest["round"] == "main" and place is not None and rest["state"] != "expired":
            self._set(HAD, rater, place)
        token = secrets.token_urlsafe(16)
        row = {"token": token, "item": number, "rater": rater, **rest, "reversed": int(rest["reversed"])}
        self._add(ASSIGNMENT, row)
        for answer in answers:
            trail = json.dumps(answer["trail"], ensure_ascii=False) if answer["trail"] else ""
            said = json.dumps(answer["answer"], ensure_ascii=False)
            self._add(ANSWER, answer | {"assignment": key, "answer": said, "trail": trail})

    def _event(self, kind: str, rest: Record) -> None:
        seq, rater = rest.pop("seq"), None if rest["rater"] is None else self.raters[rest["rater"]]
        assignment = None if seq is None or rater is None else self.assignments[rater, seq]
        self._add(EVENT, {**rest, "kind": kind, "rater": rater, "assignment": assignment})
