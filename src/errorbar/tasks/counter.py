"""Entries found or made, for every run of a corpus, on several cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

from errorbar.core.errors import ErrorbarError, InputError, Problem
from errorbar.execute import run as run_pieces
from errorbar.tasks.config import Submission
from errorbar.tasks.keys import FileHashes
from errorbar.tasks.store import Entry, Store
from errorbar.tasks.wording import of_run

Made = TypeVar("Made")
Progress = Callable[[int], object]


@dataclass(slots=True)
class Counter:
    """Takes entries from the store or makes and keeps them; counts which it did.

    Attributes:
        store: Where entries are kept.
        hashes: Of files.
        jobs: How many runs are worked on at the same time.
        progress: Told how many runs are done.
        n_counted: Entries made.
        n_cached: Entries found.
    """

    store: Store
    hashes: FileHashes
    jobs: int
    progress: Progress
    n_counted: int = 0
    n_cached: int = 0
    n_done: int = 0
    lock: Lock = field(default_factory=Lock)

    def entry(self, key: str, count: Callable[[], Entry]) -> Entry:
        """The entry of a key, found or made.

        Raises:
            InputError: If it cannot be made.
        """
        found = self.store.get(key)
        if found is None:
            made = count()
            self.store.put(key, made)
            # Read back: what is used is what is kept, so that the next time gives the same.
            found = self.store.get(key) or made
            with self.lock:
                self.n_counted += 1
        else:
            with self.lock:
                self.n_cached += 1
        return found

    def every(self, work: Callable[[Submission], Made], submissions: Sequence[Submission]) -> list[Made]:
        """Work on every run, the bad ones too, and then say what is wrong with those.

        Raises:
            InputError: With the problems of every bad run; the counts of the good ones are kept.
        """

        def guarded(submission: Submission) -> Made | ErrorbarError:
            try:
                return work(submission)
            except ErrorbarError as error:
                return error

        made: list[Made] = []
        wrong: list[Problem] = []
        for result in run_pieces(guarded, submissions, self.jobs):
            self.n_done += 1
            self.progress(self.n_done)
            if isinstance(result, ErrorbarError):
                wrong += of_run(result.problems)
            else:
                made.append(result)
        if wrong:
            raise InputError(dict.fromkeys(wrong))  # what is wrong with all of them is said once
        return made
