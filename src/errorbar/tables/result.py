"""What every result can do: be a dictionary, a data frame, tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from errorbar.core.problems import Problem
from errorbar.tables.table import Table


class Result(ABC):
    """The value of a public function; a frozen dataclass inherits this.

    ``notes`` is an attribute of every result: warnings and repairs, which the command line prints on stderr.
    """

    __slots__ = ()
    notes: Sequence[Problem]

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """The result as JSON has it, fractions and all: what ``--format json`` prints but for its warnings."""

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """The tables that the command prints, the main one first."""
