"""Many units, many workers: the same digits whatever their number."""

from errorbar.execute.choose import choose_executor
from errorbar.execute.executor import Executor, Serial
from errorbar.execute.workers import run

__all__ = ["Executor", "Serial", "choose_executor", "run"]
