"""A study's question as a table, and the watch that halts a study once it is decided, where its rules say so."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from sqlalchemy import Connection, text

from errorbar.core.labels import format_count
from errorbar.judging.protocol.halting import halt, to_halt
from errorbar.judging.stopping.decision import StopDecision
from errorbar.judging.stopping.question import StopQuestion
from errorbar.judging.store.group_commit import GroupCommit
from errorbar.judging.store.store import Store, StoreError
from errorbar.judging.study.rules import current_rules
from errorbar.judging.web.requests import STORE_FAILS
from errorbar.tables.table import Cell, Column, Table

# The table of a study's question: what is known, what was wanted, and what it saves to stop.


LOOKS = {
    "anytime": "anytime: with 95 % the interval holds at every look, whenever one stops",
    "width": "plain interval: right if one stops by its width, too short if by what it says",
    "peeked": "plain interval, looked at again and again: too short; interval=anytime holds at every look",
}


def stopping_table(now: StopDecision) -> Table:
    """A row for each figure."""
    saves = "stopping saved" if now.halted else "stopping now saves" if now.decided else "still to be judged"
    notes = [LOOKS[now.looks]]
    if now.n_tested < now.n_items:
        notes.append("that is for labels that stay: raters whom gold has not tested may be excluded yet")
    if now.n_excluded:
        judged = f"raters who are excluded now had judged {format_count(now.n_excluded, 'items')} of these"
        notes.append(
            f"{judged}, of which {now.n_turned:,} have another label since: earlier intervals may have been wrong"
        )
    rows: list[list[Cell]] = [
        [now.of, _value(now)],
        ["wanted", _describe_wanted(now)],
        ["verdict", verdict(now)],
        ["rests on", _rests(now)],
        [saves, saving(now)],
    ]
    if now.halted:
        rows.append(["handing out", f"ended: {now.halted}"])
    columns = [Column("", key="figure"), Column("now", key="value")]
    return Table(columns, rows, "When to stop", "stopping", [*notes, f"question: {now.question}"])


def verdict(now: StopDecision) -> str:
    """The decision in a few words: go on, narrow enough, or decided."""
    if now.doubtful:
        return f"go on: not yet by the {format_count(now.n_tested, 'items')} whose raters gold has tested"
    if not now.decided:
        return "go on" if now.left or now.waits_for else "not decided, and everything is judged"
    if now.threshold is None:
        return "narrow enough to stop"
    interval, value = now.estimate.interval, now.estimate.value
    low = interval.low if interval is not None else value  # everything judged: no interval, and the value is known
    return f"decided: {'above' if low is not None and low > now.threshold else 'below'} {100 * now.threshold:g}"


def reason_of(now: StopDecision) -> str:
    """Why a study is halted, in one line that its items keep."""
    return f"{now.of} is {_value(now)}: {verdict(now)}"


def saving(now: StopDecision) -> str:
    """Judgments, minutes and money."""
    parts = [format_count(now.left, "judgments")]
    if now.minutes is not None:
        parts.append(f"{now.minutes:,.1f} minutes")
    return ", ".join([*parts, *([now.money] if now.money else [])])


def _value(now: StopDecision) -> str:
    value, interval = now.estimate.value, now.estimate.interval
    if value is None:
        return "– (too little is judged)"
    if interval is None:
        return f"{100 * value:.2f}, no interval: {now.estimate.no_interval}"
    half = 50 * (interval.high - interval.low)
    return f"{100 * value:.2f} ({100 * interval.low:.2f}–{100 * interval.high:.2f}, ± {half:.2f}; {interval.method})"


def _describe_wanted(now: StopDecision) -> str:
    if now.half_width is not None:
        return f"± {100 * now.half_width:g}"
    return f"above or below {100 * (now.threshold or 0):g}"


def _rests(now: StopDecision) -> str:
    first = f"the first {format_count(now.n_items, 'items')}, with all judgments"
    if now.n_tested < now.n_items:
        first += f", {now.n_tested:,} of them by raters whom gold has tested"
    return first + (f"; {now.n_beyond:,} more wait for {now.waits_for}" if now.n_beyond else "")


SECONDS, TIMES = 10.0, 10.0
"""Between two looks at least; and how many times as long as a look took: a tenth of one core at most."""
RULE = "rule"
_LOG = logging.getLogger("uvicorn.error")
_LAST = text("SELECT coalesce(max(id), 0) FROM event")


class StopWatch:
    """Looks at a study now and then. Each process of a server has one; to halt twice changes nothing.

    Args:
        store: Of the study.
        clock: The study's.
        decide: The decision as it stands, of a large study by a process beside the server (``LiveStatus.decision``).
    """

    def __init__(self, store: Store, clock: Callable[[], float], decide: Callable[[], StopDecision | None]) -> None:
        self._store, self._clock, self._decide = store, clock, decide
        self._seen = -1

    def look(self) -> StopDecision | None:
        """The decision by which the study is to halt; None: there is none, or nothing has happened since."""
        with self._store.read() as tx:
            rules, last = current_rules(tx), int(tx.scalar(_LAST))
            if last == self._seen or not rules.stop or not StopQuestion.parse(rules.stop).act:
                return None
            some = to_halt(tx) > 0
        now = self._decide() if some else None
        self._seen = last
        return now if now is not None and now.decided else None

    def act(self, tx: Connection, now: StopDecision) -> int:
        """Halt, unless the question was changed since; how many items are stopped by it."""
        same = current_rules(tx).stop == now.question
        return halt(tx, reason_of(now), RULE, self._clock()) if same else 0

    async def run(self, writer: GroupCommit) -> None:
        """Look until cancelled; whatever fails is told in the server's log, and looked at again."""
        while True:
            began = time.monotonic()
            try:
                now = await asyncio.to_thread(self.look)
                if now is not None:
                    decided = now
                    await writer.do(lambda tx: self.act(tx, decided))  # noqa: B023 - awaited here
            except StoreError as error:
                STORE_FAILS.log(error)
                self._seen = -1
            except Exception:  # noqa: BLE001 - one look less, and the next one comes
                _LOG.exception("the study's question could not be looked at")
                self._seen = -1
            await asyncio.sleep(max(SECONDS, TIMES * (time.monotonic() - began)))
