"""Many units, many workers: the same digits whatever their number."""

from __future__ import annotations

from errorbar.core.problems import Problem, UsageError
from errorbar.execute.executor import LOCAL, Executor, Processes, Serial, run, without_script

__all__ = ["Executor", "Processes", "Serial", "choose_executor", "read_jobs", "run", "without_script"]


def read_jobs(jobs: int | str) -> tuple[int, str | None]:
    """Who works, as ``choose_executor`` takes it: a number of processes, ``local``, ``local:N``, or an address.

    Raises:
        UsageError: If the N of ``local:N`` is no number.
    """
    if not isinstance(jobs, str):
        return jobs, None
    if jobs.isdecimal():
        return int(jobs), None
    name, colon, number = jobs.partition(":")
    if name == LOCAL:
        if colon and not number.isdecimal():
            raise UsageError(Problem("jobs", f"the number of jobs must be a whole number, got '{number}'"))
        return int(number or 1), LOCAL
    return 1, jobs


def choose_executor(jobs: int = 1, dask: str | None = None) -> Executor:
    """This process, several processes, or a Dask cluster, by its address or ``local``; the results are the same.

    Without Dask, a ``MissingExtraError``; a ``UsageError`` if there is no job, no scheduler, or no worker.
    """
    if jobs < 1:
        raise UsageError(Problem("jobs", f"the number of jobs must be at least 1, got {jobs}"))
    if dask is not None:
        from errorbar.execute.cluster import DaskCluster  # noqa: PLC0415 - an extra

        return DaskCluster(dask, jobs)
    return Processes(jobs) if jobs > 1 else Serial()
