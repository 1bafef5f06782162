"""From options to whoever does the work."""

from __future__ import annotations

from errorbar.execute.executor import Executor, Serial


def choose_executor(jobs: int = 1, dask: str | None = None) -> Executor:
    """This process, several processes, or a Dask cluster; the results are the same.

    Args:
        jobs: Processes on this machine, or of a local cluster.
        dask: Address of a Dask scheduler, or ``local``; None: no Dask.

    Raises:
        MissingExtraError: If Dask is asked for and not installed.
        UsageError: If the scheduler cannot be reached, or has no workers.
    """
    if dask is not None:
        from errorbar.execute.cluster import DaskCluster  # noqa: PLC0415 - an extra

        return DaskCluster(dask, jobs)
    if jobs > 1:
        from errorbar.execute.processes import Processes  # noqa: PLC0415 - takes its time to load

        return Processes(jobs)
    return Serial()
