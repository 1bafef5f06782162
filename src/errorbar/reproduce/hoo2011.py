"""Dale & Kilgarriff 2011: table 8 of the test set, and tables of the shape of the others for simulated teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.hoo_folder import read_gold
from errorbar.metrics.hoo import Hoo
from errorbar.metrics.hoo_counts import count_rows
from errorbar.metrics.hoo_scoring import BestRecall, best_recalls
from errorbar.metrics.scored import Score
from errorbar.reproduce.cells import Cell, Outcome, compare, facts
from errorbar.reproduce.hoo_teams import simulated_scores
from errorbar.studies.hoo_scores import best_records, best_table
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table

TEST_SET = "1"
"""What the numbers of the texts of the test set begin with."""
MISSING_TEXT = "text 1062 is missing from the data"


@dataclass(frozen=True, slots=True, repr=False)
class Hoo2011(Result):
    """What can be recomputed of the paper.

    Attributes:
        n_fragments: Texts of the test set that are here.
        n_edits: Their gold edits.
        table8: Edits by type, published and ours; a row that is short by the missing text is a known difference.
        scores: Those of the simulated teams' runs: tables 2 to 7.
        recalls: Their best recall by type: tables 9 to 21.
        notes: Repairs of the data and warnings of the scoring.
    """

    n_fragments: int
    n_edits: int
    table8: Sequence[Cell]
    scores: Sequence[Score]
    recalls: Sequence[BestRecall]
    notes: Sequence[Problem] = ()

    @property
    def n_matched(self) -> int:
        """Rows of table 8 that are as published."""
        return sum(cell.outcome == Outcome.MATCH for cell in self.table8)

    def to_dict(self) -> dict[str, object]:
        """All of the tables."""
        return {
            "table8": [
                {
                    "type": c.row,
                    "published": c.published,
                    "ours": c.ours,
                    "outcome": c.outcome.name.lower(),
                    "reason": c.known,
                }
                for c in self.table8
            ],
            "tables2_7": best_records(self.scores),
            "tables9_21": [
                {"type": c.row, "team": c.team, "measure": c.measure, "recall": c.recall, "run": c.run}
                for c in self.recalls
            ],
        }

    def tables(self) -> Sequence[Table]:
        """Table 8; tables in the shape of 2 to 7, and of 9 to 21."""
        notes = [
            f"table 8 on {self.n_fragments} fragments, {self.n_edits:,} edits: "
            f"{self.n_matched} of {len(self.table8)} rows match",
            "the paper's rows (19 fragments) add up to 1,066, its text says 1,057",
        ]
        numbers = (Column(name, "count") for name in ("published", "ours", "difference"))
        columns = [Column("type"), Column("reason"), *numbers, Column("outcome")]
        first = Table(
            columns,
            [
                [c.row, c.known if c.outcome == Outcome.KNOWN else "", c.published, c.ours, c.difference, c.outcome]
                for c in self.table8
            ],
            name="table8",
            notes=notes,
        )
        best = best_table(self.scores)
        said = "in the shape of tables 2 to 7; simulated teams, not those of 2011"
        columns = [Column("type"), Column("team"), Column("measure"), Column("recall", "percent"), Column("run")]
        cells = [[c.row, c.team, c.measure, c.recall, c.run] for c in self.recalls]
        last = "in the shape of tables 9 to 21: each simulated team's best recall"
        return [first, replace(best, notes=[said, *best.notes]), Table(columns, cells, name="recalls", notes=[last])]


def recompute(data: str | None, problems: Problems, *, seed: int = 0) -> Hoo2011:
    """Recompute table 8, and make the other tables for simulated teams.

    Args:
        data: The test set, a folder with ``Gold`` and ``Raw``, or a folder that has it in ``hoo2011/test``; None: that
            of ``errorbar data``.
        problems: Where repairs of the data and warnings of the scoring go.
        seed: Of the simulated teams.

    Raises:
        InputError: If the data is not there or not readable, or is not the test set.
    """
    folder = _test_set(data)
    fragments = read_gold(str(folder), problems, need_text=True)
    problems.raise_errors()
    if not all(fragment.name.startswith(TEST_SET) for fragment in fragments):
        what = "these are not the texts of the test set, whose numbers begin with 1"
        raise InputError(Problem("hoo-not-test-set", what, Place(str(folder)), fix="name the folder of the test set"))
    counts = count_rows(edit.type for fragment in fragments for edit in fragment.edits)
    scores = simulated_scores(fragments, Hoo(), problems, seed=seed)
    cells, recalls = table_8(counts), best_recalls(scores)
    return Hoo2011(len(fragments), sum(counts.values()), cells, scores, recalls, problems.notes)


def table_8(counts: Mapping[str, int]) -> list[Cell]:
    """Table 8 beside our counts of each row."""
    file = "hoo2011_table08_edits_by_type"
    printed = facts(file)
    ours = {(kind, "edits"): float(counts.get(kind, 0)) for kind in printed}
    known = {kind: MISSING_TEXT for kind, n in printed.items() if counts.get(kind, 0) < n}
    return list(compare("table 8", file, ours, columns={"count": "edits"}, tolerance=0, known=known))


def _test_set(data: str | None) -> Path:
    if data is None:
        from errorbar.datasets import path  # noqa: PLC0415 - only for the cache

        folder = path("hoo2011") / "test"
    else:
        folder = Path(data)
    inside = [folder / "hoo2011" / "test", folder / "test"]
    return next((place for place in inside if place.is_dir()), folder)
