"""What every result can do: be a dictionary, a data frame, tables."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

from errorbar.core.errors import ErrorbarError, Problem, UsageError, nearest
from errorbar.tables.html_text import notebook_html
from errorbar.tables.plain import in_series, plain_series
from errorbar.tables.table import Table

FRAMES = ("pandas", "polars")
"""Libraries of data frames; neither comes with errorbar."""
MOST_NAMED = 3


class Result(ABC):
    """The value of a public function; a dataclass inherits this: ``@dataclass(frozen=True, slots=True, repr=False)``.

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

    def to_frame(self, table: str = "") -> Any:  # noqa: ANN401 - of a library that the caller chose
        """A table as a data frame: of the library that is imported already, else of that which is installed.

        Args:
            table: The name of one of ``tables()``; empty: the main one, with those of its series.

        Returns:
            A ``pandas.DataFrame`` or ``polars.DataFrame`` with the columns of ``--format csv``: fractions with all
            digits, an interval as two columns.

        Raises:
            ErrorbarError: If neither library is installed.
            UsageError: If there is no table of that name.
        """
        found = list(self.tables())
        named = [[one] for one in found if one.name == table] if table else in_series(found)
        if not named:
            fix = nearest(table, [one.name for one in found if one.name])
            raise UsageError(Problem("no-table", f"there is no table '{table}'", fix=fix))
        return _frame_library().DataFrame(plain_series(named[0]))

    def _repr_html_(self) -> str:
        """The tables, as a notebook shows them."""
        return notebook_html(self.tables())

    def __repr__(self) -> str:
        """The class, and what the rows of the main table are."""
        main = next(iter(self.tables()), None)
        if main is None:
            return f"{type(self).__name__}()"
        at = int(main.columns[0].key == "letter")
        names = list(dict.fromkeys(str(row[at]) for row in main.rows if row))
        listed = ", ".join(islice(names, MOST_NAMED)) + (", …" if len(names) > MOST_NAMED else "")
        rows = f"{len(main.rows):,} row{'' if len(main.rows) == 1 else 's'}"
        return f"{type(self).__name__}({rows}{': ' * bool(listed)}{listed})"


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Result):
    """What is known without a study: a document, and the tables of it."""

    document: Mapping[str, object]
    listed: Sequence[Table]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The document."""
        return dict(self.document)

    def tables(self) -> Sequence[Table]:
        """Those given."""
        return self.listed


def _frame_library() -> Any:  # noqa: ANN401 - one of two libraries
    name = next((each for each in FRAMES if each in sys.modules), None) or next(filter(find_spec, FRAMES), None)
    if name is not None:
        return import_module(name)
    what = "a data frame needs pandas or polars, and neither is installed"
    raise ErrorbarError(Problem("no-frames", what, fix="pip install pandas, or pip install polars"))
