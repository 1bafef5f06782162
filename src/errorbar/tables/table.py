"""A table of a result: raw values, and what each column holds. How a value looks is for the writers to know.

Conventions
    One rule decides percent or fraction: what is a share of edits, items or wins (P, R, F, recall, ratio, coverage) is
    kept as a fraction and shown in percent with two digits, without the sign; coefficients that can be negative
    (kappa, alpha, correlations) and p-values are shown as they are. JSON, CSV and data frames always hold the fraction.
    A star after a value means everywhere: an empty case that a convention filled (``Estimate.undefined`` beside a
    value that is not 0), and a note below the table names the case. A dash stands where there is no value; a note says
    why there is none where the table is of shares, and the cell itself in columns of the kind ``number``.
    Estimates that have intervals, or should have had them, are shown in two columns: the value, and ``95% CI``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from errorbar.core.estimate import Estimate, Interval, Undefined

Kind = Literal["text", "count", "percent", "number", "p"]


class PValue(NamedTuple):
    """A p-value and what is known of it."""

    value: float | None  # None where nothing could be tested
    at_most: bool = False  # a bound: no smaller value is possible with so many resamples
    exact: bool = False  # every swap was counted


Cell = str | int | float | bool | Estimate | Interval | PValue | Undefined | None
"""An ``Undefined`` is a value that is missing for a reason; NaN and None are missing without one."""


class Column(NamedTuple):
    """A column; estimates and intervals go into columns of the kinds ``percent`` and ``number``.

    ``interval`` is ``beside`` where cells are estimates, each with a second column for its interval; ``only`` where
    cells are intervals; ``hidden`` where the intervals of estimates stand elsewhere. Empty: as the cells are, which a
    table without rows cannot tell.
    """

    title: str  # its heading, e.g. F0.5
    kind: Kind = "text"
    key: str = ""  # its name in CSV and data frames; empty: the title in lower case with _
    digits: int | None = None  # after the point; None: 2 of percent, 4 of numbers
    interval: Literal["", "beside", "only", "hidden"] = ""
    signed: bool = False  # differences, shown with their sign
    chance: bool = False  # a chance that rests on a model: never shown as 0 or 100 %, but as ``>99.9``
    only: Literal["", "data", "shown"] = ""  # for CSV and data frames only; for people only


@dataclass(frozen=True, slots=True)
class Table:
    """A table; its notes say what was computed how, those about stars and dashes are the writers' own."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]  # as many cells as there are columns
    title: str = ""  # what it shows, for its caption
    name: str = ""  # unique in a report; part of anchors and file names: lower-case letters, digits, hyphens
    notes: Sequence[str] = ()
    level: float = 0.95  # in headings of intervals, where none is there to tell
    series: str = ""  # tables of one series are one in CSV and data frames, where rows leave columns empty
