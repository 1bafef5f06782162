"""Who does the work: an ordered map over pieces, in this process, in others, or on a cluster; the same digits.

Pieces come from an iterator that may never fit in memory; a few of them are under way for each worker.
"""

from __future__ import annotations

import gc
import pickle
import signal
import sys
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain, islice
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from errorbar.core.problems import ErrorbarError, Problem, UsageError
from errorbar.version import __version__

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Piece = TypeVar("Piece")
Result = TypeVar("Result")

LOCAL = "local"  # the address that means: a cluster of processes on this machine, ended with the work
AHEAD = 2  # pieces under way for each worker: one in work, one waiting; memory does not grow with the input
RETRIES = 3  # how often the work of a lost worker is begun again before giving up
FEW = 3  # fewer pieces than this are done here before other processes would have started


_STARTING = Lock()


@contextmanager
def without_script() -> Iterator[None]:
    """Start processes that do not run the caller's script again, as Python's would where it has no main guard."""
    with _STARTING:
        main = vars(sys.modules["__main__"])
        hidden: dict[str, Any] = {name: main[name] for name in ("__file__", "__spec__") if name in main}
        main["__spec__"] = main["__file__"] = None
        try:
            yield
        finally:
            del main["__spec__"], main["__file__"]
            main.update(hidden)


def run(work: Callable[[Piece], Result], pieces: Sequence[Piece], jobs: int = 1) -> Iterator[Result]:
    """Yield the results of independent pieces, in order, by so many threads: the kernels release Python's lock.

    Each piece brings everything it needs, random streams included: the number of workers changes no digit.
    """
    if jobs <= 1 or len(pieces) <= 1:
        yield from map(work, pieces)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only for several workers

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(work, pieces)  # which cancels what has not begun, should one fail


class Executor(AbstractContextManager["Executor"]):
    """Whoever maps work over pieces; a context manager, which ends its workers on leaving."""

    n_workers: int = 1  # pieces that can be worked on at the same time; 1: only in this process

    def sees(self, paths: Sequence[str]) -> bool:
        """Whether every worker can open these files and reads there what we read."""
        return True

    @abstractmethod
    def map_ordered(self, work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Yield the results of all pieces, taken only a few at a time, in order; the error of the first that fails.

        Where other processes work, the work is pure, and picklable as the pieces are.
        """

    def close(self) -> None:
        """End the workers."""

    def __exit__(self, *error: object) -> None:
        self.close()


class Serial(Executor):
    """Everything in this process, one piece after the other."""

    def map_ordered(self, work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """As everywhere."""
        return map(work, pieces)


class Remote(Executor):
    """Pieces sent to workers elsewhere: a few under way for each, results in the order of the pieces."""

    def map_ordered(self, work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Yield the results of all pieces, in order."""
        job = Job(work)
        waiting: deque[tuple[Piece, Any]] = deque()
        remaining = iter(pieces)
        while True:
            for piece in islice(remaining, AHEAD * self.n_workers - len(waiting)):
                waiting.append((piece, self.submit(job, piece)))
            if not waiting:
                return
            outcome: Result | ErrorbarError = self.take(job, waiting)
            if isinstance(outcome, ErrorbarError):
                raise outcome
            yield outcome

    @abstractmethod
    def submit(self, job: Job[Piece, Result], piece: Piece) -> Any:  # noqa: ANN401 - Python's futures, or Dask's
        """Begin a piece; its future."""

    @abstractmethod
    def take(self, job: Job[Piece, Result], waiting: deque[tuple[Piece, Any]]) -> Result | ErrorbarError:
        """Wait for the first piece, take it off, give its outcome; a ``UsageError`` if workers were lost too often."""


@dataclass(frozen=True, slots=True)
class Job(Generic[Piece, Result]):
    """Work as it is done elsewhere, by the version that asks; named failures are values, which nobody retries."""

    work: Callable[[Piece], Result]
    version: str = __version__

    def __call__(self, piece: Piece) -> Result | ErrorbarError:
        """Do the work."""
        # Collect garbage rarely: pieces are millions of small tuples without cycles, a fifth of the time otherwise.
        gc.set_threshold(200_000, 50, 100)
        if self.version != __version__:
            return other_version("a worker", __version__, self.version)
        try:
            return self.work(piece)
        except ErrorbarError as error:
            return error


class Processes(Remote):
    """Processes on this machine: reading and hashing hold Python's lock, so threads would wait for each other.

    A process that dies loses nothing: fresh ones do its work again, up to ``RETRIES`` times for one piece.
    """

    def __init__(self, jobs: int) -> None:
        self.n_workers = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._of_script = False  # the work or its pieces are defined in the caller's script, which is run again then

    def map_ordered(self, work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Yield the results of all pieces, in order."""
        remaining = iter(pieces)
        first = list(islice(remaining, FEW))
        if len(first) < FEW:
            yield from map(work, first)
            return
        try:
            yield from super().map_ordered(work, chain(first, remaining))
        finally:
            self.close()

    def submit(self, job: Job[Piece, Result], piece: Piece) -> Future[Result | ErrorbarError]:
        """Begin a piece."""
        from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor  # noqa: PLC0415 - slow to load

        if self._pool is None:
            from multiprocessing import get_all_start_methods, get_context  # noqa: PLC0415

            # Never a plain fork: the caller may have threads, whose locks would be copied in whatever state they are.
            method = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
            # Ctrl-C is for the process that asked, which ends the others.
            ignore = (signal.SIGINT, signal.SIG_IGN)
            self._pool = ProcessPoolExecutor(self.n_workers, get_context(method), signal.signal, ignore)
            self._of_script = b"__main__" in pickle.dumps((job, piece))
        try:
            with nullcontext() if self._of_script else without_script():
                return self._pool.submit(job, piece)
        except BrokenExecutor as broken:  # noticed here first; ``take`` begins it again
            failed: Future[Result | ErrorbarError] = Future()
            failed.set_exception(broken)
            return failed

    def take(
        self, job: Job[Piece, Result], waiting: deque[tuple[Piece, Future[Result | ErrorbarError]]]
    ) -> Result | ErrorbarError:
        """Wait for the first piece; where processes died, what they had is begun again."""
        from concurrent.futures import BrokenExecutor  # noqa: PLC0415 - loaded by now

        for _ in range(RETRIES + 1):
            try:
                outcome = waiting[0][1].result()
            except BrokenExecutor:
                self.close()
                again = [(piece, f if _has_succeeded(f) else self.submit(job, piece)) for piece, f in waiting]
                waiting.clear()
                waiting.extend(again)
            else:
                waiting.popleft()
                return outcome
        message = f"a worker process died {RETRIES + 1} times over the same piece of work"
        fix = f"memory may be short: try fewer than --jobs={self.n_workers}"
        if self._of_script:
            fix = 'they run your script: put its calls under if __name__ == "__main__", or what it defines in a module'
        raise UsageError(Problem("workers-lost", message, fix=fix))

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _has_succeeded(future: Future[Result]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def other_version(who: str, theirs: str, ours: str) -> UsageError:
    """A worker that runs another version might count otherwise."""
    message = f"{who} runs errorbar {theirs}"
    return UsageError(Problem("worker-version", message, expected=ours, fix="install one version everywhere"))
