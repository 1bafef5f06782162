"""Workers: each reads batches of inputs under limits that the system keeps, and is replaced when it dies."""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from tests.fuzz.checked import is_checked
from tests.fuzz.readers import Reader
from tests.fuzz.trial import Outcome, Result, cases_of, make_trial, place, run_trial

BATCH = 250
HUNG_SECONDS = 15
"""Of processor time for one input, after which the system ends the worker."""
STILL_SECONDS = 120
"""Of a worker that says nothing, after which we do."""
ADDRESS_SPACE = 4 << 30
_CONTEXT = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Batch:
    """Inputs of one reader, by their numbers."""

    reader: Reader
    start: int
    stop: int


Report = Callable[[Reader, int, Result], None]


def run_batches(batches: Sequence[Batch], seed: int, jobs: int, report: Report) -> None:
    """Read every input once, and report every result."""
    workers: list[_Worker] = []
    try:
        _work_off(list(reversed(batches)), workers, seed, jobs, report)
    finally:
        for worker in workers:
            worker.process.kill()


def _work_off(waiting: list[Batch], workers: list[_Worker], seed: int, jobs: int, report: Report) -> None:
    while waiting or workers:
        while waiting and len(workers) < jobs:
            workers.append(_Worker(waiting.pop(), seed))
        ready = wait([worker.connection for worker in workers], timeout=STILL_SECONDS / 4)
        for worker in list(workers):
            if worker.connection not in ready and not worker.still():
                continue
            workers.remove(worker)
            results, rest = worker.collect()
            for number, result in results:
                report(worker.batch.reader, number, result)
            waiting += rest


class _Worker:
    """A process that reads one batch; a fresh one for each, so that no input suffers from those before it for long."""

    def __init__(self, batch: Batch, seed: int) -> None:
        self.batch = batch
        self.connection, theirs = _CONTEXT.Pipe(duplex=False)
        self.at: Synchronized[int] = _CONTEXT.Value("q", batch.start)
        self.seen = batch.start, time.monotonic()
        self.process: ForkProcess = _CONTEXT.Process(target=_work, args=(batch, seed, self.at, theirs))
        self.process.start()
        theirs.close()

    def still(self) -> bool:
        """Whether it has been at one input for much too long, waiting for something."""
        if self.seen[0] != self.at.value:
            self.seen = self.at.value, time.monotonic()
        return time.monotonic() - self.seen[1] > STILL_SECONDS

    def collect(self) -> tuple[list[tuple[int, Result]], list[Batch]]:
        """What it found, and what is left to be read by others because it died."""
        try:
            results: list[tuple[int, Result]] = self.connection.recv() if self.connection.poll(0) else []
            died = not results
        except (EOFError, OSError):
            results, died = [], True
        if died:
            self.process.kill()
        self.process.join()
        self.connection.close()
        reader, at = self.batch.reader, self.at.value
        if not died:
            last = results[-1][0]
            return results, [Batch(reader, last + 1, self.batch.stop)] if last + 1 < self.batch.stop else []
        rest = [Batch(reader, self.batch.start, at), Batch(reader, at + 1, self.batch.stop)]
        return [(at, self._cause())], [batch for batch in rest if batch.start < batch.stop]

    def _cause(self) -> Result:
        code = self.process.exitcode or 0
        if code > 0:
            raise RuntimeError(f"{self.batch.reader.name}, input {self.at.value}: the fuzzer itself failed, see above")
        outcome = Outcome.SLOW if -code in (signal.SIGXCPU, signal.SIGKILL) else Outcome.INTERNAL
        return Result(outcome, f"the worker ended: {signal.Signals(-code).name}", f"exit code {code}")


def _work(batch: Batch, seed: int, at: Synchronized[int], connection: Connection) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if not is_checked():  # the sanitizer takes addresses for all that there could be
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    results: list[tuple[int, Result]] = []
    try:
        for number in range(batch.start, batch.stop):
            at.value = number
            used = resource.getrusage(resource.RUSAGE_SELF)
            limit = int(used.ru_utime + used.ru_stime) + HUNG_SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            results.append((number, run_trial(batch.reader, make_trial(batch.reader, seed, number), folder)))
            if results[-1][1].outcome is Outcome.LARGE:
                break  # its memory would be that of the next one too
        connection.send(results)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        sys.stdout.flush()
    connection.close()


def warm_up(readers: Sequence[Reader]) -> None:
    """Read every seed, before workers are made: what is imported or compiled on the way is no input's cost.

    Raises:
        ErrorbarError: If a seed is not read, which would make the reader's mutants worthless.
    """
    # A warning on the terminal of somebody who only reads a file is a fault, too.
    warnings.simplefilter("error")
    for kind in (ResourceWarning, DeprecationWarning, PendingDeprecationWarning):
        warnings.simplefilter("ignore", kind)
    for reader in readers:
        for case in cases_of(reader):
            with tempfile.TemporaryDirectory() as name:
                place(reader, case, Path(name))
                reader.read(Path(name), True)
