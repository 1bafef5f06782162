"""Judgments as one table, whatever they came as: what ``errorbar crowd judgments`` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.look import Source, display_name
from errorbar.formats.tables import table_rows
from errorbar.studies.door import public
from errorbar.studies.judgment_input import Reading, Votes, take_crowd
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table


class DrawnItem(NamedTuple):
    """An item of an annotation set."""

    text: str
    set: str  # the name of the set


@dataclass(frozen=True, slots=True, repr=False)
class CrowdJudgments(Result):
    """Judgments, rater by rater.

    Attributes:
        judgments: Who said what of which item, in the order of the rows.
        drawn: The items of the annotation set that was asked for, in its order; None: every item.
        notes: Warnings and repairs.
    """

    judgments: Judgments
    drawn: dict[str, DrawnItem] | None
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Every judgment."""
        table = self.every()
        names = [column.key or column.title for column in table.columns]
        return {"rows": [dict(zip(names, row, strict=True)) for row in table.rows]}

    def tables(self) -> list[Table]:
        """How often each rater gave each label."""
        j = self.judgments
        counts = np.zeros((len(j.raters), len(j.labels)), np.int64)
        np.add.at(counts, (j.rater, j.label), 1)
        columns = [Column("rater"), Column("judgments", "count"), *(Column(label, "count") for label in j.labels)]
        body: list[list[Cell]] = [
            [rater, sum(row), *row] for rater, row in zip(j.raters, counts.tolist(), strict=True) if sum(row)
        ]
        items = len(np.unique(j.item))
        of = f"{items:,} item{'s' * (items != 1)}"
        note = f"{len(j):,} judgment{'s' * (len(j) != 1)} of {of}; csv and json have them all"
        return [Table(columns, body, "Judgments", "raters", [note])]

    def every(self) -> Table:
        """All judgments, as every command that takes judgments reads them; those of a set as filled-in sets are."""
        j, drawn = self.judgments, self.drawn
        rows = zip(*(codes.tolist() for codes in (j.item, j.rater, j.label)), strict=True)
        weights = [[]] * len(j) if j.weight is None else [[weight] for weight in j.weight.tolist()]
        body: list[list[Cell]] = [
            [
                j.items[item],
                *(drawn[j.items[item]] if drawn is not None else ()),
                *(j.raters[rater], j.labels[label]),
                *weight,
            ]
            for (item, rater, label), weight in zip(rows, weights, strict=True)
        ]
        names = ["item", *(DrawnItem._fields if drawn is not None else ()), "rater", "label"]
        columns = [*map(Column, names), *([] if j.weight is None else [Column("weight", "number")])]
        return Table(columns, body, name="judgments")


@public()
def crowd_judgments(judgments: Votes, *, drawn: Source | None = None, **shared: Unpack[Reading]) -> CrowdJudgments:
    """Write judgments as one table of item, rater and label: those of another layout, or of annotators' edits.

    Args:
        judgments: As of ``crowd``.
        drawn: A set that ``sample draw`` wrote: only its items, in its order and with its name, as if the raters had
            filled it in.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad, or nobody judged an item of the set.
        UsageError: If an option does not fit.
    """
    judged, problems = take_crowd(judgments, shared)
    found = judged.judgments
    known = None if drawn is None else _read_set(drawn, problems)
    place = {item: at for at, item in enumerate(found.items if known is None else known)}
    where = np.array([place.get(item, -1) for item in found.items], np.int64)[found.item]
    rows = np.lexsort((where, found.rater))
    found = found.take(rows[where[rows] >= 0])
    if known is not None:
        _note_missing(found, known, Place(display_name(drawn or "")), problems)
    return CrowdJudgments(found, known, tuple(problems.notes))


def _read_set(path: Source, problems: Problems) -> dict[str, DrawnItem]:
    """The items of an annotation set, each once: it has a row for every rater."""
    found: dict[str, DrawnItem] = {}
    for row, _ in table_rows(path, problems, ("item", "set")):
        found.setdefault(row["item"], DrawnItem(row.get("text", ""), row["set"]))
    problems.raise_errors()
    return found


def _note_missing(found: Judgments, drawn: dict[str, DrawnItem], place: Place, problems: Problems) -> None:
    judged = {found.items[code] for code in np.unique(found.item).tolist()}
    missing = [item for item in drawn if item not in judged]
    if not judged:
        what = f"nobody judged any of its {len(drawn):,} items"
        fix = "items must be called alike: of a corpus --items says what they are"
        raise InputError(Problem("sample-other-set", what, place, fix=fix))
    if missing:
        what = f"{len(missing):,} of its {len(drawn):,} items have no judgment, first '{missing[0]}'"
        problems.note("sample-unjudged", what, place)
