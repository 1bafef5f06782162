"""Dale & Kilgarriff 2011: table 8 of the test set, and tables of the shape of the others for simulated teams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.hoo_folder import read_gold
from errorbar.metrics.hoo import Hoo
from errorbar.metrics.hoo_score import HooScore
from errorbar.metrics.hoo_tables import BestRecall, best_recalls, simulated_scores
from errorbar.metrics.hoo_types import count_rows
from errorbar.reproduce.cells import Cell, Outcome, compare, facts

TEST_SET = "1"
"""What the numbers of the texts of the test set begin with."""
MISSING_TEXT = "text 1062 is missing from the data"


@dataclass(frozen=True, slots=True)
class Hoo2011:
    """What can be recomputed of the paper.

    Attributes:
        n_fragments: Texts of the test set that are here.
        n_edits: Their gold edits.
        table8: Edits by type, published and ours; a row that is short by the missing text is a known difference.
        scores: Those of the simulated teams' runs: tables 2 to 7.
        recalls: Their best recall by type: tables 9 to 21.
    """

    n_fragments: int
    n_edits: int
    table8: list[Cell]
    scores: list[HooScore]
    recalls: list[BestRecall]

    @property
    def n_matched(self) -> int:
        """Rows of table 8 that are as published."""
        return sum(cell.outcome == Outcome.MATCH for cell in self.table8)


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
    return Hoo2011(len(fragments), sum(counts.values()), table_8(counts), scores, best_recalls(scores))


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
