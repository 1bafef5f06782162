"""The status of a study for pages that people look at while raters work: computed at most every few seconds, once.

Where a study is large, a process of its own computes it, and writes exports: Python runs one thread at a time, and the
server's is the raters'. A page that does not get new figures in time shows the last ones, and of which moment they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TypeVar

from sqlalchemy import func, select

from errorbar.judging.clerk import Clerk
from errorbar.judging.stop_decision import StopDecision, stop_decision
from errorbar.judging.store import Store
from errorbar.judging.store_tables import ASSIGNMENT
from errorbar.judging.study_clock import study_clock
from errorbar.judging.study_columns import ItemFacts, StudyColumns, read_study
from errorbar.judging.study_export import To, judge_export
from errorbar.judging.study_folder import Study
from errorbar.judging.study_progress import ItemFigures, item_figures
from errorbar.judging.study_status import StudyStatus, status_of
from errorbar.stats.resampling import Resampling

KEPT_SECONDS, TIMES = 5.0, 10.0
"""How long a status is kept at least; and how many times as long as it took to compute: a tenth of one core at most."""
LARGE = 50_000
"""Assignments from which on a status takes longer than what a rater notices."""
T = TypeVar("T")


class Figures:
    """Computes them, in whichever process; keeps what it read last, and items' texts, which do not change."""

    def __init__(self, study: Study, store: Store, clock: Callable[[], float]) -> None:
        self._study, self._store, self._clock = study, store, clock
        self._known: dict[int, ItemFacts] = {}
        self._last: StudyColumns | None = None
        self._reading = Lock()

    @classmethod
    def apart(cls, folder: Path) -> Figures:
        """In a process that has the store not open yet."""
        study = Study.open(folder)
        return cls(study, study.store(read_only=True), study_clock())

    def is_large(self) -> bool:
        """Whether the server should not compute by itself."""
        with self._store.read() as tx:
            return (tx.scalar(select(func.max(ASSIGNMENT.c.id))) or 0) > LARGE

    def status(self) -> StudyStatus:
        """As it stands, read in a snapshot that stops no writer."""
        self._last = self._read()
        return status_of(self._last, self._clock(), Resampling("percentile"))

    def decision(self) -> StopDecision | None:
        """Of the study's question, as it stands."""
        return stop_decision(self._read(), None)

    def _read(self) -> StudyColumns:
        """One thread after the other, as items are remembered."""
        with self._reading, self._store.read() as tx:
            return read_study(tx, self._known)

    def items(self, first: int, most: int) -> tuple[Sequence[ItemFigures], int]:
        """Some items as the last status had them, and how many there are."""
        if self._last is None:
            self.status()
        assert self._last is not None
        return item_figures(self._last, first, most), len(self._last.work)

    def export(self, to: To, out: str) -> tuple[str, ...]:
        """As ``errorbar judge export`` does; codes of what it notes."""
        return tuple(note.code for note in judge_export(self._study, out, to=to).notes)


class BeingComputedError(Exception):
    """There are no figures yet, and somebody computes them."""


class LiveStatus:
    """Keeps what was computed last. Any number of threads may ask; one computes."""

    def __init__(self, study: Study, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._here = Figures(study, store, clock)
        self._computing, self._exporting = (Clerk(Figures.apart, study.folder.absolute()) for _ in range(2))
        self._thread = ThreadPoolExecutor(1, "errorbar-figures")
        self._asking = Lock()
        self._coming: Future[StudyStatus] | None = None
        self._until = float("-inf")
        self._is_forgotten = False
        self._last: StudyStatus | None = None

    def status(self, seconds: float | None = None) -> StudyStatus:
        """A status that is a few seconds old at most, or ten times as long as it takes to compute.

        Args:
            seconds: How long new figures are waited for, until the last ones will do; None: in any case.

        Raises:
            BeingComputedError: If there are none in time, and were none before.
        """
        with self._asking:
            if self._coming is None or (self._coming.done() and time.monotonic() >= self._until):
                self._coming = self._thread.submit(self._compute)
            coming = self._coming
        try:
            return coming.result(seconds)
        except TimeoutError:
            if self._last is None:
                raise BeingComputedError from None
            return self._last

    def _compute(self) -> StudyStatus:
        self._is_forgotten, began = False, time.monotonic()
        self._last = self._done(self._computing, Figures.status)
        took = time.monotonic() - began
        self._until = float("-inf") if self._is_forgotten else time.monotonic() + max(KEPT_SECONDS, TIMES * took)
        return self._last

    def decision(self) -> StopDecision | None:
        """Of the study's question, as it stands now."""
        return self._done(self._computing, Figures.decision)

    def items(self, first: int, most: int, seconds: float | None = None) -> tuple[Sequence[ItemFigures], int]:
        """Some items for work, and how many there are, as in ``status``, but for that they are not kept.

        Raises:
            BeingComputedError: If there are none in time.
        """
        self.status(seconds)
        coming = self._thread.submit(self._done, self._computing, Figures.items, first, most)
        try:
            return coming.result(seconds)
        except TimeoutError:
            coming.cancel()
            raise BeingComputedError from None

    def export(self, to: To, out: str) -> tuple[str, ...]:
        """Write a file as ``errorbar judge export`` does; codes of what it notes."""
        return self._done(self._exporting, Figures.export, to, out)

    def forget(self) -> None:
        """Something was changed by hand: whoever looks next sees it."""
        self._until, self._is_forgotten = float("-inf"), True

    def close(self) -> None:
        """End what still computes."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._computing.close()
        self._exporting.close()

    def _done(self, clerk: Clerk[Figures], work: Callable[..., T], *arguments: object) -> T:
        if self._here.is_large():
            return clerk.ask(work, *arguments)
        return work(self._here, *arguments)
