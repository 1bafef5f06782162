"""Many units, many workers: the same digits whatever their number."""

from errorbar.execute.executor import Executor, Processes, Serial, choose_executor, run

__all__ = ["Executor", "Processes", "Serial", "choose_executor", "run"]
