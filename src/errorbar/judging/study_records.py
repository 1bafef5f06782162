"""Everything that a store tells of its study, as records in one order: what an export holds, and is restored of.

Conventions
    First what the study is, then items, raters, exclusions, judgments and events, each in the order in which they came.
    Raters are named by pseudonym. Who they are to an invitation, links, sessions and completion codes stay behind. An
    event names its judgment by rater and ``seq``, the rater's order, as numbers of rows are nobody's business. Times
    are seconds since 1970. A judgment has all versions of its answer; ``answer`` is null where the item was skipped,
    and a judgment without answers was never given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, text

from errorbar.judging.about import read_about
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.schemes import label_of

FORMAT, VERSION = "errorbar-judge", 1
Record = dict[str, Any]
_ITEMS = "SELECT payload, place, taken, stopped FROM item ORDER BY id"
_RATERS = "SELECT name, seed, status, quiz, claims, answered, judged, joined, agreed FROM rater ORDER BY id"
_EXCLUSIONS = (
    'SELECT r.name AS rater, x.reason, x."by", x.since, x.until, x.undone_by FROM exclusion x'
    " JOIN rater r ON r.id = x.rater ORDER BY x.id"
)
_JUDGMENTS = (
    "SELECT a.id, i.name AS item, i.payload, r.name AS rater, a.round, a.seq, a.answered, a.reversed, a.state,"
    " a.version AS counts, a.lease_until, n.submission, n.version, n.answer, n.skip, n.comment, n.milliseconds,"
    " n.trail, n.status, n.at FROM assignment a JOIN item i ON i.id = a.item JOIN rater r ON r.id = a.rater"
    " LEFT JOIN answer n ON n.assignment = a.id ORDER BY a.id, n.version"
)
_EVENTS = (
    "SELECT e.at, e.kind, r.name AS rater, a.seq, e.submission, e.data FROM event e"
    " LEFT JOIN assignment a ON a.id = e.assignment LEFT JOIN rater r ON r.id = e.rater ORDER BY e.id"
)
SECRET = ("code", "redeemed", "invited", "revoked", "joined")
"""Events whose data tell of links and codes."""


def rows(tx: Connection, statement: str, **values: object) -> Iterator[Row[Any]]:
    """The rows of a statement, some at a time, so that memory does not grow with them."""
    yield from tx.execute(text(statement), values, execution_options={"stream_results": True, "yield_per": 1000})


def study_records(tx: Connection) -> Iterator[Record]:
    """Everything of one snapshot."""
    about = read_about(tx)
    head: Record = {"format": FORMAT, "version": VERSION, "made_by": about.made_by, "guidelines": about.guidelines}
    if about.key:
        head["key"] = json.loads(about.key)
    yield head | {"scheme": json.loads(about.scheme.to_json()), "rules": json.loads(about.rules.to_json())}
    for row in rows(tx, _ITEMS):
        yield {"item": json.loads(row.payload), "place": row.place, "taken": row.taken, "stopped": row.stopped}
    for row in rows(tx, _RATERS):
        told = row._asdict()
        yield {"rater": told.pop("name"), **told, "agreed": json.loads(row.agreed)}
    for row in rows(tx, _EXCLUSIONS):
        yield {"excluded": row.rater, **{name: getattr(row, name) for name in row._fields[1:]}}
    for _, found in groupby(rows(tx, _JUDGMENTS), key=lambda row: row.id):
        versions = list(found)
        first = versions[0]
        answers = [_answer(row) for row in versions if row.submission is not None]
        counts = next((each for each in answers if each["version"] == first.counts), None)
        label = ""
        if counts is not None and counts["answer"] is not None:
            item = JudgedItem("", "")  # a label depends on the sides alone
            label = label_of(about.scheme, item, bool(first.reversed), counts["answer"])
        yield {
            "judgment": first.item,
            **{name: getattr(first, name) for name in ("rater", "round", "seq", "answered")},
            "reversed": bool(first.reversed),
            "state": first.state,
            "version": first.counts,
            "label": label or None,
            "lease_until": first.lease_until,
            "answers": answers,
        }
    for row in rows(tx, _EVENTS):
        data = "" if row.kind in SECRET else row.data
        yield {"event": row.kind, "at": row.at, "rater": row.rater, "seq": row.seq, **_said(row.submission, data)}


def _said(submission: str | None, data: str) -> Mapping[str, object]:
    return {"submission": submission, "data": data}


def _answer(row: Row[Any]) -> Record:
    return {
        "version": row.version,
        "submission": row.submission,
        "answer": json.loads(row.answer),
        "skip": row.skip,
        "comment": row.comment,
        "milliseconds": row.milliseconds,
        "trail": json.loads(row.trail) if row.trail else None,
        "status": row.status,
        "at": row.at,
    }
