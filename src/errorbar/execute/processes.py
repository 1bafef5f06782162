"""Work in other processes of this machine."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing import get_all_start_methods, get_context
from types import TracebackType
from typing import Self, TypeVar

from errorbar.core.errors import Problem, UsageError
from errorbar.execute.executor import AHEAD, RETRIES, Failure, Remote, in_window, opened, tune_worker

Piece = TypeVar("Piece")
Result = TypeVar("Result")

FEW = 3
"""Fewer pieces than this are done here before other processes would have started."""


class Processes:
    """Processes on this machine: reading and hashing hold Python's lock, so threads would wait for each other.

    A process that dies (killed, out of memory) loses nothing: what was under way is done again by fresh processes,
    up to ``RETRIES`` times for one piece.

    Args:
        jobs: How many processes.
        few: Inputs of fewer pieces are worked on in this process.
    """

    def __init__(self, jobs: int, *, few: int = FEW) -> None:
        self.n_workers = jobs
        self.few = few
        self._pool: ProcessPoolExecutor | None = None

    def sees(self, paths: Sequence[str]) -> bool:
        """Whether every worker can open these files: they are on this machine."""
        return True

    def map_ordered(self, work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Yield the results of all pieces, in order.

        Raises:
            ErrorbarError: What ``work`` raised for the first piece that fails.
            UsageError: If processes died too often.
        """
        rest = iter(pieces)
        first = list(islice(rest, self.few))
        if len(first) < self.few:
            yield from map(work, first)
            return
        remote = Remote(work)

        def submit(piece: Piece) -> Future[Result | Failure]:
            try:
                return self._running().submit(remote, piece)
            except BrokenProcessPool as broken:  # noticed here first; ``finish`` begins it again
                failed: Future[Result | Failure] = Future()
                failed.set_exception(broken)
                return failed

        def finish(waiting: deque[tuple[Piece, Future[Result | Failure]]]) -> Result:
            for _ in range(RETRIES + 1):
                try:
                    result = opened(waiting[0][1].result())
                except BrokenProcessPool:
                    self._end()
                    again = [(piece, future if _succeeded(future) else submit(piece)) for piece, future in waiting]
                    waiting.clear()
                    waiting.extend(again)
                else:
                    waiting.popleft()
                    return result
            raise UsageError(_lost(self.n_workers))

        try:
            yield from in_window(submit, finish, chain(first, rest), AHEAD * self.n_workers)
        finally:
            self._end()

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Never a plain fork: the caller may have threads, whose locks would be copied in whatever state they are.
            method = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
            self._pool = ProcessPoolExecutor(self.n_workers, get_context(method), _begin)
        return self._pool

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Self:
        """Begin; processes start with the first pieces."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes."""
        self._end()


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asked, which ends the others
    tune_worker()


def _succeeded(future: Future[Result]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _lost(jobs: int) -> Problem:
    what = f"a worker process died {RETRIES + 1} times over the same piece of work"
    fix = f"memory may be short: try fewer than --jobs={jobs}" if jobs > 1 else "look at the system's log"
    return Problem("workers-lost", what, fix=fix)
