"""Who does the work: an ordered map over pieces, in this process, in others, or on a cluster.

An executor takes pieces from an iterator that may never fit in memory, keeps a few of them under way for each
worker, and gives the results back in the order of the pieces. What is folded over them is the same whoever works.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from errorbar.core.errors import ErrorbarError, InputError, Problem, UsageError
from errorbar.version import __version__

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Future = TypeVar("Future")

AHEAD = 2
"""Pieces under way for each worker: one in work, one waiting; memory does not grow with the input."""
RETRIES = 3
"""How often the work of a lost worker is begun again before giving up."""


class Executor(Protocol):
    """Whoever maps work over pieces; a context manager, which ends its workers on leaving.

    Attributes:
        n_workers: Pieces that can be worked on at the same time; 1: only in this process.
    """

    @property
    def n_workers(self) -> int:
        """Pieces that can be worked on at the same time."""
        ...

    def sees(self, paths: Sequence[str]) -> bool:
        """Whether every worker can open these files and finds in them what is there for us."""
        ...

    def map_ordered(self, work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Yield the results of all pieces, in order.

        Args:
            work: What to do with a piece: pure, and with the pieces picklable where other processes work.
            pieces: The pieces, taken only a few at a time.

        Raises:
            ErrorbarError: What ``work`` raised, for the first piece that fails; or that workers were lost too often.
        """
        ...

    def __enter__(self) -> Self:
        """Begin."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the workers."""
        ...


class Serial:
    """Everything in this process, one piece after the other."""

    n_workers = 1

    def sees(self, paths: Sequence[str]) -> bool:
        """Whether every worker can open these files."""
        return True

    def map_ordered(self, work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """Yield the results of all pieces, in order."""
        return map(work, pieces)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to end."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A named failure on its way from a worker: exceptions with more than a message do not travel well."""

    kind: type[ErrorbarError]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Remote(Generic[Piece, Result]):
    """Work as it is done elsewhere: by the same version, with named failures handed back as values.

    Attributes:
        work: What to do with a piece.
        version: The version that asks.
    """

    work: Callable[[Piece], Result]
    version: str = __version__

    def __call__(self, piece: Piece) -> Result | Failure:
        """Do the work."""
        if self.version != __version__:
            return Failure(UsageError, (other_version("a worker", __version__, self.version),))
        try:
            return self.work(piece)
        except ErrorbarError as error:
            return Failure(type(error), error.problems)


def opened(outcome: Result | Failure) -> Result:
    """The result that came back, or the failure raised here.

    Raises:
        ErrorbarError: What the work raised.
    """
    if isinstance(outcome, Failure):
        kind = outcome.kind if outcome.kind in (InputError, UsageError) else ErrorbarError
        raise kind(outcome.problems)
    return outcome


def other_version(who: str, theirs: str, ours: str) -> Problem:
    """A worker that runs another version might count otherwise."""
    what = f"{who} runs errorbar {theirs}"
    return Problem("worker-version", what, expected=ours, fix="install one version everywhere")


def in_window(
    submit: Callable[[Piece], Future],
    finish: Callable[[deque[tuple[Piece, Future]]], Result],
    pieces: Iterable[Piece],
    window: int,
) -> Iterator[Result]:
    """Keep ``window`` pieces under way and yield their results in order.

    Args:
        submit: Begins a piece.
        finish: Waits for the first of those under way and takes it off.
        pieces: The pieces.
        window: How many may be under way.
    """
    waiting: deque[tuple[Piece, Future]] = deque()
    for piece in pieces:
        waiting.append((piece, submit(piece)))
        if len(waiting) >= window:
            yield finish(waiting)
    while waiting:
        yield finish(waiting)


def tune_worker() -> None:
    """Collect garbage rarely: pieces are millions of small tuples without cycles, a fifth of the time otherwise."""
    gc.set_threshold(200_000, 50, 100)
