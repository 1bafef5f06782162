"""``judge``: a study as judgments, read-only, as it stands at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike

import numpy as np

from errorbar.core.errors import Problem
from errorbar.core.judgments import Judgments
from errorbar.judging.exchange import JUDGED, Round, State
from errorbar.judging.export_rows import PARTS, Row, judgment_rows
from errorbar.judging.rules import Rules
from errorbar.judging.schemes import Scheme
from errorbar.judging.study_columns import RaterFacts, read_study
from errorbar.judging.study_folder import Study
from errorbar.studies.door import public
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table


@dataclass(frozen=True, slots=True, repr=False)
class StudyJudgments(Result):
    """The judgments of a study at one moment, as ``agree``, ``crowd`` and ``curve`` take them.

    Tables of judgments know all labels of the scheme, also those that nobody gave.

    Attributes:
        scheme: What is asked.
        rules: Who judges how much.
        judgments: Those that count: of items for work, k at most of each, by raters who are not excluded.
        extra: Those that came when all places of their item were taken.
        excluded: Those of raters who are excluded.
        gold: Those of hidden gold items.
        repeats: Those of items that a rater judged a second time.
        answers: What is right of each gold item.
        raters: Who judges, with status and reason of an exclusion.
        rows: Every judgment that has an answer, those that were skipped too, with all that was said.
        notes: Warnings.
    """

    scheme: Scheme
    rules: Rules
    judgments: Judgments
    extra: Judgments
    excluded: Judgments
    gold: Judgments
    repeats: Judgments
    answers: dict[str, tuple[str, ...]]
    raters: Sequence[RaterFacts]
    rows: Sequence[Row] = field(repr=False)
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """How many there are of each kind."""
        kinds = ("judgments", "extra", "excluded", "gold", "repeats")
        return {"scheme": self.scheme.name, "raters": len(self.raters)} | {
            name: len(getattr(self, name)) for name in kinds
        }

    def tables(self) -> list[Table]:
        """A row for each judgment, as ``judge_export`` writes them, those that do not count too."""
        columns = [*map(Column, ("item", "rater", "label")), Column("seconds", "number", digits=3)]
        columns += [*map(Column, ("round", "state")), Column("version", "count")]
        found: list[list[Cell]] = []
        for row in self.rows:
            told = row.item.name, row.rater, row.label(self.scheme), row.seconds
            found.append([*told, row.round, row.state, row.version])
        return [Table(columns, found)]


@public()
def judge(study: str | PathLike[str] | Study) -> StudyJudgments:
    """Open a study read-only as judgments, at any moment, also while raters work on it.

    Args:
        study: Its folder.

    Raises:
        InputError: If there is no study, or it cannot be read.
    """
    with Study.open(study).snapshot() as tx:
        columns = read_study(tx, whole=True)
        rows = list(judgment_rows(tx, PARTS))
    gold = columns.is_gold[columns.item]

    def table(round_: Round, *states: State, of_gold: bool = False, aside: bool | None = None) -> Judgments:
        found = columns.rows(round_, *states)
        found = found[(gold[found] == of_gold) & (columns.label[found] >= 0)]
        found = found if aside is None else found[columns.set_aside[found] == aside]
        names = tuple(item.name for item in columns.items), tuple(rater.name for rater in columns.raters)
        item, rater, label = (
            np.asarray(each[found], np.int32) for each in (columns.item, columns.rater, columns.label)
        )
        return _of_kind(Judgments(item, rater, label, *names, columns.labels), gold=columns.is_gold == of_gold)

    about = columns.about
    answers = {item.name: item.whole.answers for item in columns.items if item.gold and item.whole is not None}
    parts = table("main"), table("main", "extra", aside=False), table("main", "extra", "aside", aside=True)
    tested = table("main", *JUDGED, of_gold=True)
    repeats = table("repeat", "done", "extra")
    return StudyJudgments(about.scheme, about.rules, *parts, tested, repeats, answers, columns.raters, rows)


def _of_kind(table: Judgments, gold: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Judgments:
    """The table with the items of one kind alone."""
    place = np.cumsum(gold, dtype=np.int32) - 1
    names = tuple(name for name, kept in zip(table.items, gold.tolist(), strict=True) if kept)
    return Judgments(place[table.item], table.rater, table.label, names, table.raters, table.labels)
