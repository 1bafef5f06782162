"""Many units, many workers: the same digits whatever their number."""

from errorbar.execute.workers import run

__all__ = ["run"]
