"""What must hold of a store at every moment, counted again from the rows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, text

from errorbar.judging.places import WORD
from errorbar.judging.prepared import Prepared
from errorbar.judging.store import Store
from errorbar.judging.study_values import current_rules

MOST_NAMED = 5
"""Rows that a finding names."""
_K = ":k"
_COUNTED = "SELECT count(*) FROM assignment a WHERE a.item = i.id AND a.round = 'main' AND a.state IN ('open', 'done')"

_NEVER = {  # each gives the rows that must not be
    "more judgments than k": f"SELECT i.name FROM item i WHERE i.kind = 'work' AND ({_COUNTED}) > {_K}",
    "places counted wrong": f"SELECT i.name FROM item i WHERE i.kind = 'work' AND i.taken <> ({_COUNTED})",
    "gold items with places": "SELECT name FROM item WHERE kind = 'gold' AND (taken <> 0 OR place IS NOT NULL)",
    "an extra answer beside a free place": "SELECT i.name FROM item i WHERE i.kind = 'work' AND i.taken < :k AND EXISTS"
    " (SELECT 1 FROM assignment a JOIN rater r ON r.id = a.rater WHERE a.item = i.id AND a.round = 'main'"
    " AND a.state = 'extra' AND r.status = 'active')",
    "a rater twice on an item": "SELECT item, rater, round FROM assignment GROUP BY item, rater, round"
    " HAVING count(*) > 1",
    "answers without a state, or states without an answer": "SELECT id FROM assignment"
    " WHERE (version > 0) <> (state IN ('done', 'extra', 'aside', 'skipped'))",
    "versions that were not kept": "SELECT a.id FROM assignment a WHERE a.version <>"
    " (SELECT count(*) FROM answer n WHERE n.assignment = a.id AND n.version <= a.version)"
    " OR EXISTS (SELECT 1 FROM answer n WHERE n.assignment = a.id AND n.version > a.version)",
    "skipped and answered mixed up": "SELECT a.id FROM assignment a JOIN answer n ON n.assignment = a.id"
    " AND n.version = a.version WHERE (a.state = 'skipped') <> (n.answer = 'null')",
    "answers without an event": "SELECT n.id FROM answer n WHERE NOT EXISTS (SELECT 1 FROM event e"
    " WHERE e.submission = n.submission AND e.kind = 'answered' AND e.assignment = n.assignment)",
    "events of answers without an answer": "SELECT e.id FROM event e WHERE e.kind = 'answered' AND NOT EXISTS"
    " (SELECT 1 FROM answer n WHERE n.submission = e.submission)",
    "excluded raters that hold items or count": "SELECT a.id FROM assignment a JOIN rater r ON r.id = a.rater"
    " WHERE r.status = 'excluded' AND (a.state = 'open' OR (a.state = 'done' AND a.round <> 'quiz'))",
    "judgments aside of raters who count": "SELECT a.id FROM assignment a JOIN rater r ON r.id = a.rater"
    " WHERE r.status = 'active' AND a.state = 'aside'",
    "exclusions that do not fit": "SELECT r.id FROM rater r WHERE (r.status = 'excluded') <>"
    " ((SELECT count(*) FROM exclusion x WHERE x.rater = r.id AND x.until IS NULL) = 1)",
    "raters' judgments counted wrong": "SELECT r.id FROM rater r WHERE r.judged <> (SELECT count(*) FROM assignment a"
    " WHERE a.rater = r.id AND a.round <> 'quiz' AND a.state IN ('done', 'extra', 'aside'))",
    "raters' answers counted wrong": "SELECT r.id FROM rater r WHERE r.answered <> (SELECT count(a.answered)"
    " FROM assignment a WHERE a.rater = r.id) OR r.answered <> (SELECT coalesce(max(a.answered), 0)"
    " FROM assignment a WHERE a.rater = r.id)",
    "repeats of what was never judged": "SELECT a.id FROM assignment a WHERE a.round = 'repeat' AND NOT EXISTS"
    " (SELECT 1 FROM assignment m WHERE m.item = a.item AND m.rater = a.rater AND m.round = 'main' AND m.version > 0)",
    "work in the quiz": "SELECT a.id FROM assignment a JOIN item i ON i.id = a.item"
    " WHERE a.round = 'quiz' AND i.kind <> 'gold'",
}
_ITEMS = Prepared("SELECT place, taken FROM item WHERE kind = 'work' AND stopped = ''")
_FREE = Prepared("SELECT taken, block, bits FROM free WHERE bits <> 0")
_PLACES = Prepared(
    "SELECT a.rater, i.place FROM assignment a JOIN item i ON i.id = a.item"
    " WHERE i.kind = 'work' AND a.round = 'main' AND a.state <> 'expired'"
)
_HAD = Prepared("SELECT rater, block, bits FROM had WHERE bits <> 0")


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that must never be.

    Attributes:
        what: In a few words.
        rows: Names or numbers of the first rows.
        n: How many there are.
    """

    what: str
    rows: tuple[str, ...]
    n: int

    def __str__(self) -> str:
        more = ", ..." if self.n > len(self.rows) else ""
        return f"{self.what}: {self.n} ({', '.join(self.rows)}{more})"


def check(store: Store) -> list[Broken]:
    """Everything that is broken in a store, at one moment; nothing, if all is well."""
    with store.read() as tx:
        return [*_file(tx), *check_rows(tx)]


def check_rows(tx: Connection) -> list[Broken]:
    """The same inside a transaction, without the file itself."""
    k = current_rules(tx).raters_per_item
    found = []
    for what, query in _NEVER.items():
        rows = tx.execute(text(query), {"k": k} if _K in query else {}).all()
        if rows:
            found.append(_broken(what, [", ".join(map(str, row)) for row in rows]))
    free = {(taken, block): bits for taken, block, bits in _FREE(tx).fetchall()}
    if wrong := _differences(free, [((taken, place // WORD), place % WORD) for place, taken in _ITEMS(tx)]):
        found.append(_broken("words of free items", wrong))
    had = {(rater, block): bits for rater, block, bits in _HAD(tx).fetchall()}
    if wrong := _differences(had, [((rater, place // WORD), place % WORD) for rater, place in _PLACES(tx)]):
        found.append(_broken("words of what raters had", wrong))
    return found


def _broken(what: str, rows: list[str]) -> Broken:
    return Broken(what, tuple(rows[:MOST_NAMED]), len(rows))


def _differences(words: dict[tuple[int, int], int], bits: list[tuple[tuple[int, int], int]]) -> list[str]:
    right: dict[tuple[int, int], int] = {}
    for word, bit in bits:
        right[word] = right.get(word, 0) | 1 << bit
    return [str(word) for word in words.keys() | right.keys() if words.get(word, 0) != right.get(word, 0)]


def _file(tx: Connection) -> list[Broken]:
    """Of SQLite; PostgreSQL checks its pages when it reads them."""
    if tx.dialect.name != "sqlite":
        return []
    said = [row[0] for row in tx.execute(text("PRAGMA integrity_check"))]
    keys = [f"{row[0]} {row[1]}" for row in tx.execute(text("PRAGMA foreign_key_check"))]
    found = [] if said == ["ok"] else [_broken("the file itself", said)]
    return [*found, _broken("rows that point nowhere", keys)] if keys else found
