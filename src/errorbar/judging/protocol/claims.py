"""Who judges what next: live leases, topped up, with gold, repeats and the quiz in their places."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from sqlalchemy import Connection, insert, select, text, update

from errorbar.judging.items.item import Lease, Standing, Work
from errorbar.judging.protocol.leases import Next, RaterState, expire, lease, rater_row
from errorbar.judging.protocol.next_item import AvailableItem, draw, note, pick, wanted
from errorbar.judging.random_tokens import same
from errorbar.judging.store.tables import EVENT, RATER
from errorbar.judging.study.rules import StudyRules

# Completion codes: what a rater of a crowd shows to be paid.
#
# A code is random, given when the work is done, and redeemed once. It counts as long as its rater keeps the judgments
# that it was given for and is not excluded.


ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters and digits that nobody takes for another."""
GROUPS, LENGTH = 3, 4


@dataclass(frozen=True, slots=True)
class Redeemed:
    """The result of redeeming a code.

    Attributes:
        rater: Whose it is; empty: nobody was given it.
        before: When it was redeemed before; None: never, and from now on it is, unless it was withdrawn.
        withdrawn: Why the code does not count; empty: it does.
    """

    rater: str
    before: float | None = None
    withdrawn: str = ""


def new_code() -> str:
    """A code of 59 random bits."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for _ in range(GROUPS))


def is_earned(status: str, judged: int, code_for: int | None) -> bool:
    """Whether a code counts: its rater is not excluded, and still has the judgments that it was given for."""
    return status == "active" and code_for is not None and judged >= code_for


def issue_code(tx: Connection, rater: int, judged: int, now: float) -> str:
    """The rater's code, for so many judgments: made at the first call, the same ever after.

    Called in the transaction that finds the work done, so that a code is out exactly when the last answer is stored,
    and a last post that is sent again gets the same one.
    """
    known: str | None = tx.scalar(select(RATER.c.code).where(RATER.c.id == rater))
    code = known or new_code()
    tx.execute(update(RATER).where(RATER.c.id == rater).values(code=code, code_for=judged))
    tx.execute(insert(EVENT).values(at=now, kind="code", rater=rater, data=json.dumps({"judged": judged})))
    return code


def redeem(tx: Connection, code: str, now: float) -> Redeemed:
    """Look a code up, by comparisons that take the same time for every code, and mark it as used."""
    wanted = code.strip().upper()
    rows = tx.execute(select(RATER).where(RATER.c.code.is_not(None)))
    found = None
    for row in rows.all():
        if same(row.code, wanted):
            found = row
    if found is None:
        return Redeemed("")
    withdrawn = ""
    if not is_earned(found.status, found.judged, found.code_for):
        fewer = f"of the {found.code_for} judgments that it was given for {found.judged} are left"
        withdrawn = fewer if found.status == "active" else "they are excluded"
    elif found.code_used is None:
        tx.execute(update(RATER).where(RATER.c.id == found.id).values(code_used=now))
        tx.execute(insert(EVENT).values(at=now, kind="redeemed", rater=found.id, data=json.dumps({"code": found.code})))
    return Redeemed(found.name, found.code_used, withdrawn)


# The quiz before the work: gold items with explanations, each rater's own, classes balanced.


_FIRST_SEQ = -100_000  # the quiz comes before all else in a rater's order
_QUIZ_ITEMS = text(  # who works already when the quiz is set has had some, and was not told the answers
    "SELECT i.id, i.gold_class FROM item i WHERE i.kind = 'gold' AND i.stopped = '' AND NOT EXISTS"
    " (SELECT 1 FROM assignment a WHERE a.item = i.id AND a.rater = :rater AND a.round = 'main') ORDER BY i.id"
)
_STATES = text("SELECT item, state, seq FROM assignment WHERE rater = :rater AND round = 'quiz' ORDER BY seq")
_RECEIPTS = text(
    "SELECT e.data FROM event e JOIN assignment a ON a.id = e.assignment"
    " WHERE a.rater = :rater AND a.round = 'quiz' AND e.kind = 'answered'"
)
_BEGAN = text("SELECT 1 FROM assignment WHERE rater = :rater AND round = 'quiz' LIMIT 1")
_SETTLED = text("UPDATE rater SET quiz = :quiz WHERE id = :id")


def quiz_work(tx: Connection, rules: StudyRules, rater: RaterState, want: int, now: float) -> Work | None:
    """The page of a rater who is in the quiz; None: they are through, ``rater.quiz`` says how."""
    states, order, answered, of = _progress(tx, rules, rater)
    if answered >= of:
        rater.quiz = _settle(tx, rules, rater.id, now)
        return None
    leases = [each for each in rater.leases if each.round == "quiz"]
    known = {item for item, _, _ in states}
    fresh = [item for item in order if item not in known][: of - len(states)]
    todo = [(item, seq) for item, state, seq in states if state == "expired"]
    todo += [(item, _FIRST_SEQ + len(states) + at) for at, item in enumerate(fresh)]
    for item, seq in todo[: max(want - len(leases), 0)]:
        leases.append(lease(tx, rules, rater, Next(item, round="quiz", seq=seq), now))
    return Work("quiz", tuple(leases), answered, of)


def began(tx: Connection, rater: int) -> bool:
    """Whether the rater was given a question of the quiz."""
    return tx.execute(_BEGAN, {"rater": rater}).first() is not None


def settle_if_answered(tx: Connection, rules: StudyRules, rater: RaterState, now: float) -> None:
    """Say whether a rater passed as soon as every question is answered."""
    _, _, answered, of = _progress(tx, rules, rater)
    if rater.quiz == "due" and answered >= of:
        _settle(tx, rules, rater.id, now)


def _progress(
    tx: Connection, rules: StudyRules, rater: RaterState
) -> tuple[list[tuple[int, str, int]], list[int], int, int]:
    """The items that the rater got so far, all gold in their order, how many are answered, of how many."""
    states = [(item, state, seq) for item, state, seq in tx.execute(_STATES, {"rater": rater.id})]
    gold = [(item, right) for item, right in tx.execute(_QUIZ_ITEMS, {"rater": rater.id})]
    order = quiz_order(gold, rater.seed)
    answered = sum(state in ("done", "skipped") for _, state, _ in states)
    return states, order, answered, max(len(states), min(rules.quiz, len(order)))


def quiz_order(gold: list[tuple[int, str]], seed: int) -> list[int]:
    """Gold items in a rater's own order, one of each class in turn."""
    shuffled = sorted(gold, key=lambda one: draw(seed, "quiz", one[0]))
    nth: dict[str, int] = {}
    turns = []
    for item, right in shuffled:
        nth[right] = nth.get(right, 0) + 1
        turns.append((nth[right], item))
    return [item for _, item in sorted(turns, key=lambda turn: (turn[0], draw(seed, "quiz turn", turn[1])))]


def _settle(tx: Connection, rules: StudyRules, rater: int, now: float) -> str:
    """By the receipts that the rater was given."""
    receipts = [json.loads(data)["receipt"] for (data,) in tx.execute(_RECEIPTS, {"rater": rater}).all()]
    right = sum(bool((receipt.get("feedback") or {}).get("right")) for receipt in receipts)
    quiz = "passed" if right >= rules.quiz_needed(len(receipts)) else "failed"
    tx.execute(_SETTLED, {"id": rater, "quiz": quiz})
    note(tx, now, f"quiz {quiz}", rater=rater, data=json.dumps({"right": right, "of": len(receipts)}))
    return quiz


MOST_LEASES = 10
APART = 10
"""So many items stand between an item and its repeat."""

_GOLD = text(
    "SELECT i.id, i.gold_class, a.round FROM item i"
    " LEFT JOIN assignment a ON a.item = i.id AND a.rater = :rater"
    " WHERE i.kind = 'gold' AND i.stopped = '' ORDER BY i.id"
)
_STILL_DUE = text(
    wanted(
        "i.id = :item AND i.stopped = '' AND NOT EXISTS (SELECT 1 FROM assignment a WHERE a.item = i.id"
        " AND a.rater = :rater AND a.round IN ('quiz', 'main'))"
    )
)
_LAPSED = text(  # what is no work comes again when the work that it stands for could
    "SELECT i.id, i.payload, i.place, i.taken, a.token, a.round, a.reversed, a.seq FROM assignment a"
    " JOIN item i ON i.id = a.item JOIN item w ON w.id = coalesce(a.stands_for, a.item)"
    " WHERE a.rater = :rater AND a.state = 'expired' AND a.round <> 'quiz' AND i.stopped = '' AND w.stopped = ''"
    " AND w.taken - (SELECT count(*) FROM assignment o WHERE o.item = w.id AND o.rater = a.rater AND o.round = 'main'"
    " AND o.state IN ('open', 'done')) < :k ORDER BY a.seq LIMIT 1"
)
_SKIPPED = text("SELECT 1 FROM assignment WHERE rater = :rater AND state = 'skipped' AND round <> 'quiz' LIMIT 1")
_TO_REPEAT = text(
    "SELECT a.item, a.reversed FROM assignment a JOIN item i ON i.id = a.item"
    " WHERE a.rater = :rater AND a.seq BETWEEN :first AND :last AND a.round = 'main' AND a.state IN ('done', 'extra')"
    " AND i.kind = 'work' AND NOT EXISTS (SELECT 1 FROM assignment r WHERE r.item = a.item AND r.rater = a.rater"
    " AND r.round = 'repeat') ORDER BY a.seq LIMIT 1"
)
_MAY_COME_BACK = text(  # what is open is little, and must be looked at first, whatever statistics say
    "SELECT 1 FROM assignment a WHERE a.state = 'open' AND a.round = 'main' AND a.rater <> :rater"
    " AND (SELECT i.kind = 'work' AND i.stopped = '' FROM item i WHERE i.id = a.item)"
    " AND NOT EXISTS (SELECT 1 FROM assignment o"
    " WHERE o.item = a.item AND o.rater = :rater AND o.round = 'main' AND o.state <> 'expired') LIMIT 1"
)


def claim(tx: Connection, rules: StudyRules, rater_id: int, want: int, now: float) -> Work:
    """The page of items of a rater: those that they hold, topped up to ``want`` items.

    Args:
        tx: Of the store, exclusive.
        rules: As they stand in this transaction (``study_values.current_rules``).
        rater_id: Who asks.
        want: How many items they want to hold, at most a page.
        now: By the store's clock.
    """
    expire(tx, rules, now)
    rater = rater_row(tx, rater_id)
    of = rules.items_per_rater
    if rater.status != "active":
        return Work("excluded", (), rater.judged, of)
    want = min(want, rules.page, MOST_LEASES)
    if rules.quiz and rater.quiz == "due":
        if not rater.leases and not began(tx, rater.id) and _standing(tx, rules, rater) == "finished":
            return Work("finished", (), 0, of)  # who passes a quiz is to find work behind it
        work = quiz_work(tx, rules, rater, want, now)
        if work is not None:
            return work
    if rules.quiz and rater.quiz == "failed":
        return Work("failed", (), rater.judged, of)
    leases = [each for each in rater.leases if each.round != "quiz"]
    more = want - len(leases)
    if of:
        more = min(more, of - rater.judged - len(leases))
    leases += _top_up(tx, rules, rater, more, now)
    standing: Standing = "work" if leases else _standing(tx, rules, rater)
    return Work(standing, tuple(leases), rater.judged, of, _code(tx, rules, rater, standing, now))


def _code(tx: Connection, rules: StudyRules, rater: RaterState, standing: Standing, now: float) -> str:
    """The completion code of a rater whose work is done.

    That is, who has as many judgments as the study wants of a rater; or, where nothing is left before that, who skipped
    nothing of what they were given.
    """
    if rater.code and is_earned(rater.status, rater.judged, rater.code_for):
        return rater.code
    if standing != "finished" or not rater.judged:
        return ""
    quota = rules.items_per_rater
    if quota and rater.judged >= quota:
        return issue_code(tx, rater.id, quota, now)
    skipped = tx.execute(_SKIPPED, {"rater": rater.id}).first() is not None
    return "" if skipped else issue_code(tx, rater.id, rater.judged, now)


def _top_up(tx: Connection, rules: StudyRules, rater: RaterState, more: int, now: float) -> list[Lease]:
    """New leases: first of what the rater had before and let lapse, gold or not, then of what comes next."""
    made: list[Lease] = []
    while len(made) < more:
        what = _lapsed(tx, rules, rater) or _next(tx, rules, rater)
        if what is None:
            break
        made.append(lease(tx, rules, rater, what, now))
    return made


def _lapsed(tx: Connection, rules: StudyRules, rater: RaterState) -> Next | None:
    """The first item in the rater's order whose lease ran out and which they can still get."""
    row = tx.execute(_LAPSED, {"rater": rater.id, "k": rules.raters_per_item}).first() if rater.lapsed else None
    rater.lapsed = row is not None
    if row is None:
        return None
    *item, round, turned, seq = row
    return Next(AvailableItem(*item), round, bool(turned), seq)


def _standing(tx: Connection, rules: StudyRules, rater: RaterState) -> Standing:
    """Of a rater who holds nothing."""
    if rules.items_per_rater and rater.judged >= rules.items_per_rater:
        return "finished"
    if _pick(tx, rules, rater.id, 0) is not None:
        return "work"
    return "finished" if tx.execute(_MAY_COME_BACK, {"rater": rater.id}).first() is None else "waiting"


def _next(tx: Connection, rules: StudyRules, rater: RaterState) -> Next | None:
    """The next item in a rater's order; gold and repeats come only where work would come too."""
    found = _pick(tx, rules, rater.id, draw(rater.seed, "item", rater.claims))
    if found is None:
        return None
    page, at = divmod(rater.claims, rules.page)
    if at == 0 or rater.due is None:  # at the same place of every page: no claim of gold takes longer than others
        rater.due = _golds(tx, rater, rules.gold_per_page)
    special = None
    if at in gold_positions(rater.seed, page, rules.page, rules.gold_per_page):
        special = _gold(tx, rater.id, rater.due, found.id)
    elif rules.repeats and draw(rater.seed, "repeat", rater.claims) < rules.repeats * 2**64:
        special = _repeat(tx, rater, found.id)
    return special or Next(found)


def _pick(tx: Connection, rules: StudyRules, rater: int, point: int) -> AvailableItem | None:
    """A study that may stop early judges its items in their order; others one judgment of each item first."""
    return pick(tx, rater, rules.raters_per_item, point, in_order=bool(rules.stop))


@lru_cache(maxsize=4096)
def gold_positions(seed: int, page: int, size: int, golds: int) -> frozenset[int]:
    """Where in a rater's page gold items stand: drawn anew for each page."""
    return frozenset(Random(draw(seed, "gold", page)).sample(range(size), min(golds, size)))


def _gold(tx: Connection, rater: int, due: list[int], instead_of: int) -> Next | None:
    """The next of a page's gold items that was not stopped, or had in the quiz, since it was drawn."""
    while due:
        found = tx.execute(_STILL_DUE, {"item": due.pop(0), "rater": rater, "round": "main"}).first()
        if found is not None:
            return Next(AvailableItem(*found), stands_for=instead_of)
    return None


def _golds(tx: Connection, rater: RaterState, n: int) -> list[int]:
    """Gold items that the rater never had, each of the class of which they had the fewest."""
    if not n:
        return []
    unseen: dict[str, list[int]] = {}
    seen: dict[str, int] = {}
    rows = tx.execute(_GOLD, {"rater": rater.id}).all()
    had = {item for item, _, round in rows if round is not None}  # also what lapsed: that comes again by itself
    for item, right, round in rows:
        if item not in had:
            unseen.setdefault(right, []).append(item)
        elif round == "main":
            seen[right] = seen.get(right, 0) + 1
    found: list[int] = []
    while unseen and len(found) < n:
        at = rater.claims + len(found)
        right = min(unseen, key=lambda each: (seen.get(each, 0), draw(rater.seed, "class", at, each)))
        left = unseen[right]
        found.append(left.pop(draw(rater.seed, "gold item", at) % len(left)))
        seen[right] = seen.get(right, 0) + 1
        if not left:
            del unseen[right]
    return found


def _repeat(tx: Connection, rater: RaterState, instead_of: int) -> Next | None:
    """An item that the rater judged a while ago, with its sides changed."""
    last = rater.claims - APART
    if last < 1:
        return None
    start = 1 + draw(rater.seed, "repeated", rater.claims) % last
    for first, until in ((start, last), (1, start - 1)):
        row = tx.execute(_TO_REPEAT, {"rater": rater.id, "first": first, "last": until}).first()
        if row is not None:
            return Next(row[0], round="repeat", reversed=not row[1], stands_for=instead_of)
    return None
