"""One thread that writes: what waits is run in one transaction, and one write to the disk acknowledges it all."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from sqlalchemy import Connection

from errorbar.judging.store.errors import OutcomeUnknownError, StoreError, of_database, store_error
from errorbar.judging.store.store import Store

T = TypeVar("T")
_Work = Callable[[Connection], Any]
_Waiting = tuple[_Work, Future[Any]]
_Done = tuple[Any, BaseException | None]
MOST_TOGETHER = 20
"""Works in one transaction: other processes wait that long."""


class GroupCommit:
    """Gathers what concurrent requests write.

    A work is a function of its connection alone, as it may be run again. One that raises leaves nothing, and the others
    go on. If the commit fails, nothing of any of them is stored, and each of their callers is told so; where nobody can
    tell whether it did, none is run again, and each is told that.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: deque[_Waiting] = deque()
        self._some = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="errorbar-writer", daemon=True)
        self._thread.start()

    async def do(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` and come back when it is on disk.

        A caller that is cancelled stops waiting; its work is done all the same.

        Raises:
            StoreError: If it could not be written.
        """
        return await asyncio.shield(asyncio.wrap_future(self.put(work)))

    def put(self, work: Callable[[Connection], T]) -> Future[T]:
        """The same for threads."""
        future: Future[T] = Future()
        with self._some:
            if self._closed:
                raise store_error("store-closed", "the server is stopping", "send it again")
            self._waiting.append((work, future))
            self._some.notify()
        return future

    async def close(self) -> None:
        """Write what waits, and stop."""
        await asyncio.to_thread(self.stop)

    def stop(self) -> None:
        """The same for threads."""
        with self._some:
            self._closed = True
            self._some.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._some:
                while not self._waiting and not self._closed:
                    self._some.wait()
                if not self._waiting:
                    return
            self._write_some()

    def _write_some(self) -> None:
        """One transaction; it takes what waits when its turn has come, also what came while it waited for it.

        Hardly ever does a work raise, so none has a savepoint. If one does, all is undone, and done again with a
        savepoint each; if the database refuses a statement, or the commit, each work is tried alone: what one caller
        sent must not keep others from being stored.
        """
        taken: list[_Waiting] = []
        done: list[_Done] = []
        try:
            with self._store.exclusive() as tx:
                while self._waiting and len(taken) < MOST_TOGETHER:
                    taken.append(self._waiting.popleft())
                    done.append((taken[-1][0](tx), None))
        except BaseException as error:  # noqa: BLE001 - whoever waits is told, whatever it was
            if not taken:
                taken = [self._waiting.popleft() for _ in range(len(self._waiting))]
                done = [(None, error)] * len(taken)
            elif len(taken) == 1 or isinstance(error, OutcomeUnknownError):
                done = [(None, error)] * len(taken)
            else:
                done = self._again([work for work, _ in taken], error)
        for (_, future), (result, failed) in zip(taken, done, strict=True):
            if future.cancelled():
                continue
            if failed is None:
                future.set_result(result)
            else:
                future.set_exception(failed)

    def _again(self, works: Sequence[_Work], error: BaseException) -> list[_Done]:
        """The error of one of several works, which kept it from being done."""
        if not isinstance(error, StoreError):
            try:
                with self._store.exclusive() as tx:
                    done = [_behind_a_savepoint(tx, work) for work in works]
            except OutcomeUnknownError as unknown:
                return [(None, unknown)] * len(works)
            except BaseException:  # noqa: BLE001 - said to who it concerns, below
                pass
            else:
                return done
        return [self._alone(work) for work in works]

    def _alone(self, work: _Work) -> _Done:
        try:
            return self._store.write(work), None
        except BaseException as error:  # noqa: BLE001 - the caller's, not this thread's
            return None, error


def _behind_a_savepoint(tx: Connection, work: _Work) -> _Done:
    """Run a work so that nothing of it is left if it raises; what the database says ends the transaction."""
    savepoint = tx.begin_nested()
    try:
        result = work(tx)
    except Exception as error:
        if of_database(error) or isinstance(error, OSError):
            raise
        savepoint.rollback()
        return None, error
    savepoint.commit()
    return result, None
