"""Halts a study once its question is decided, where its rules say so: the server looks, apart from its answers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from sqlalchemy import Connection

from errorbar.judging.group_commit import GroupCommit
from errorbar.judging.halting import halt, to_halt
from errorbar.judging.prepared import Prepared
from errorbar.judging.stop_decision import StopDecision
from errorbar.judging.stop_question import StopQuestion
from errorbar.judging.stopping_table import reason_of
from errorbar.judging.store import Store, StoreError
from errorbar.judging.study_values import current_rules
from errorbar.judging.web.rate_limits import STORE_FAILS

SECONDS, TIMES = 10.0, 10.0
"""Between two looks at least; and how many times as long as a look took: a tenth of one core at most."""
RULE = "rule"
_LOG = logging.getLogger("uvicorn.error")
_LAST = Prepared("SELECT coalesce(max(id), 0) FROM event")


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
            rules, last = current_rules(tx), int(_LAST(tx).fetchone()[0])
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
