"""Work on a Dask cluster: the one place that knows Dask."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from multiprocessing import resource_tracker
from pathlib import Path
from types import ModuleType
from typing import Any

from errorbar.core.problems import ErrorbarError, MissingExtraError, Problem, UsageError
from errorbar.execute.executor import LOCAL, RETRIES, Job, Piece, Remote, Result, other_version
from errorbar.version import __version__

EXTRA = "dask"
PATIENCE = 5.0  # seconds to wait for the scheduler, and then for its first worker
LOOK = 1.0  # seconds between two looks at whether there are workers, while a result is waited for
PROBE = 1 << 16  # bytes of a file by which it is recognized elsewhere, from its start and its end


class DaskCluster(Remote):
    """A Dask cluster: a scheduler somewhere, workers of this version of errorbar on any number of machines.

    A worker that is lost loses nothing: the scheduler gives its pieces, finished or not, to others. A piece that took
    ``RETRIES`` workers with it is given up.
    """

    def __init__(self, address: str, jobs: int = 1) -> None:
        distributed = _import_distributed()
        self.address = address
        self._cluster: Any = None
        _quiet()
        if address == LOCAL:
            with _interrupts_later():
                self._cluster = distributed.LocalCluster(
                    n_workers=jobs, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
                )
        else:
            _knock(address)
        try:
            self.client = distributed.Client(self._cluster or address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:  # it answered and went away
            raise _unreachable(address, error) from None
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
            self._check_versions()
        except TimeoutError:
            self.close()
            message = f"the scheduler at {address} has no workers"
            raise UsageError(Problem("no-workers", message, fix=f"dask worker {address}")) from None
        except UsageError:
            self.close()
            raise
        self.n_workers = sum(self.client.nthreads().values())

    def sees(self, paths: Sequence[str]) -> bool:
        """Whether every worker can open these files and reads there what we read."""
        ours = fingerprints(paths)
        return "" not in ours and all(theirs == ours for theirs in self.client.run(fingerprints, list(paths)).values())

    def submit(self, job: Job[Piece, Result], piece: Piece) -> Any:  # noqa: ANN401 - a Dask future
        """Begin a piece; unscattered, it stays with the scheduler until its result is here, whoever is lost."""
        return self.client.submit(job, piece, pure=False, retries=RETRIES)

    def take(self, job: Job[Piece, Result], waiting: deque[tuple[Piece, Any]]) -> Result | ErrorbarError:
        """Wait for the first piece; not beyond ``PATIENCE`` if nobody works on it, or without a scheduler."""
        distributed = _import_distributed()
        try:
            outcome: Result | ErrorbarError = self._result(waiting[0][1])
        except distributed.KilledWorker:
            message = f"a piece of work took {RETRIES + 1} workers with it"
            raise UsageError(Problem("workers-lost", message, fix="give the workers more memory")) from None
        except (CancelledError, distributed.comm.CommClosedError):
            message = f"the scheduler at {self.address} was lost in the middle"
            raise UsageError(Problem("scheduler-lost", message, fix="start it and run again")) from None
        waiting.popleft()
        return outcome

    def _result(self, future: Any) -> Any:  # noqa: ANN401 - a Dask future, and what it holds
        alone = 0
        while True:
            try:
                return future.result(timeout=LOOK)
            except TimeoutError:
                if future.done():  # just now; or the work itself raised it
                    return future.result()
            if self.client.status != "running":  # the wait for a scheduler that went away ends by itself
                continue
            alone = 0 if self.client.scheduler_info()["workers"] else alone + 1
            if alone * LOOK >= PATIENCE:
                fault, fix = "has lost all its workers", f"start some and run again: dask worker {self.address}"
                raise UsageError(Problem("workers-lost", f"the scheduler at {self.address} {fault}", fix=fix))

    def _check_versions(self) -> None:
        try:
            versions = self.client.run(_version)
        except ImportError:  # a function of errorbar cannot be read there
            message = "a worker has no errorbar"
            raise UsageError(Problem("worker-version", message, expected=__version__, fix="install it there")) from None
        for worker, version in versions.items():
            if version != __version__:
                raise other_version(f"the worker {worker}", version, __version__)

    def close(self) -> None:
        """Leave the cluster, and end it if it is our own."""
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()


def _quiet() -> None:
    """Silence Dask: what matters is said here, in one line. Some of its loggers have levels of their own."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.split(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold Ctrl-C back, for seconds at most: a cluster interrupted while it starts leaves complaints behind."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starts once, and would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _knock(address: str) -> None:
    """Open a connection and close it: a Dask client that never got one leaves threads and complaints behind."""
    distributed = _import_distributed()

    async def connect() -> None:
        security = distributed.Security().get_connection_args("client")
        connecting = distributed.comm.connect(address, timeout=PATIENCE, **security)
        # Its own limit does not count the wait for a server that takes the call and says nothing, e.g. a dashboard.
        connection = await asyncio.wait_for(connecting, PATIENCE)
        connection.abort()

    try:
        with ThreadPoolExecutor(1) as thread:  # the caller may have an event loop of its own, e.g. in a notebook
            thread.submit(asyncio.run, connect()).result()
    except (OSError, ValueError) as error:
        raise _unreachable(address, error) from None


def _import_distributed() -> ModuleType:  # a module found at run time: most of Dask has no type hints
    try:
        return import_module("distributed")
    except ImportError:
        raise MissingExtraError(EXTRA, "--jobs=ADDRESS") from None


def fingerprints(paths: Sequence[str]) -> list[str]:
    """The identity of files: size and a hash of both ends; "" if one cannot be read, or is a pipe."""
    return [_fingerprint(Path(path)) for path in paths]


def _fingerprint(path: Path) -> str:
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(0)
            ends = stream.read(PROBE)
            stream.seek(max(0, size - PROBE))
            ends += stream.read(PROBE)
    except OSError:
        return ""
    return f"{size}:{sha256(ends).hexdigest()}"


def _version() -> str:
    return __version__


def _unreachable(address: str, error: Exception) -> UsageError:
    message = f"no Dask scheduler answers at '{address}' within {PATIENCE:g} s ({type(error).__name__})"
    expected, fix = "e.g. tcp://10.0.0.1:8786", "is it running? or --jobs=local"
    return UsageError(Problem("dask-unreachable", message, expected=expected, fix=fix))
