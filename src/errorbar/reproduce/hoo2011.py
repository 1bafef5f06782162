"""Dale & Kilgarriff 2011: table 8 of the test set, and tables of the shape of the others for simulated teams.

Simulated teams stand for runs that were never released; their runs are made of gold edits. A run meets each gold edit
by chance, apart or not from others. Of the edits it meets, a share is corrected as the annotators did, a share has the
right span and another correction, and the rest covers one more character on either side. In addition it deletes words
that are right. Runs of a team share their skill and differ in how much they dare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from errorbar.api.hoo_score import best_records, best_table
from errorbar.core.edit import Fragment, StandoffEdit, in_text_order
from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.edits.standoff import WORD
from errorbar.formats.hoo import read_gold
from errorbar.metrics.base import Metric
from errorbar.metrics.hoo import Hoo, count_rows
from errorbar.metrics.hoo_scoring import BestRecall, best_recalls, score_runs
from errorbar.metrics.scores import Score
from errorbar.reproduce.cells import Cell, Outcome, Printed, compare, read_facts
from errorbar.stats.resampling import stream
from errorbar.tables.result import Result
from errorbar.tables.table import Cell as Shown
from errorbar.tables.table import Column, Table

DARING = (0.5, 1.0, 1.5)
"""The daring of the three runs of a simulated team."""
WRONG = "???"
"""The correction that no annotator gave."""
TEST_SET = "1"
"""The first digit of the numbers of the texts in the test set."""
MISSING_TEXT = "text 1062 is missing from the data, and with it 17 + 19 + 4 = 40 edits"
SLIP = "a slip of the paper, whose table 21 has 71: 80 - 71 = 1,066 (rows of table 8) - 1,057 (its text)"
RUNS_LOST = "the teams' runs were never released"


@dataclass(frozen=True, slots=True)
class SimulatedTeam:
    """The skills of a simulated team."""

    name: str
    meets: Mapping[str, float]  # error type to the share of gold edits it meets; ``""`` for all others
    corrected: float  # of the edits met, the share with the annotators' correction
    recognized: float  # of the edits met, the share with the right span and a wrong correction
    noise: float  # right words deleted per gold edit


TEAMS = (
    SimulatedTeam("S1", {"": 0.05, "MP": 0.15}, 0.6, 0.1, 0.3),
    SimulatedTeam("S2", {"": 0.06, "S": 0.8}, 0.5, 0.2, 0.1),
    SimulatedTeam("S3", {"": 0.01, "MD": 0.4, "UD": 0.3, "RT": 0.2}, 0.7, 0.2, 0.1),
    SimulatedTeam("S4", {"": 0.15}, 0.1, 0.4, 2.0),
    SimulatedTeam("S5", {"": 0.03, "MD": 0.5, "UD": 0.5, "RT": 0.4, "MT": 0.4, "MP": 0.2}, 0.75, 0.1, 0.1),
    SimulatedTeam("S6", {"": 0.02, "RT": 0.6, "MT": 0.6, "RQ": 0.5}, 0.3, 0.3, 0.6),
)
"""Six made-up teams, as many as took part; their shares are not fitted to the published runs."""


@dataclass(frozen=True, slots=True, repr=False)
class Hoo2011(Result):
    """The cells of the paper that can be recomputed."""

    n_fragments: int  # texts of the test set that are here
    n_edits: int  # their gold edits
    table8: Sequence[Cell]  # edits by type; what differs has a reason
    lost: Sequence[Cell]  # every number of tables 2 to 7 and 9 to 21, which cannot be computed
    scores: Sequence[Score]  # those of the simulated teams' runs: tables 2 to 7
    recalls: Sequence[BestRecall]  # their best recall by type: tables 9 to 21
    notes: Sequence[Problem] = ()  # repairs of the data and warnings of the scoring

    @property
    def n_matched(self) -> int:
        """Rows of table 8 that are as published."""
        return sum(cell.outcome == Outcome.MATCH for cell in self.table8)

    def to_dict(self) -> dict[str, object]:
        """All of the tables."""
        return {
            "table8": [
                {"type": c.row, "published": c.published, "ours": c.ours}
                | {"outcome": c.outcome.name.lower(), "reason": c.known}
                for c in self.table8
            ],
            "not_computable": [
                {"table": c.table, "row": c.row, "column": c.column, "published": c.published, "reason": c.known}
                for c in self.lost
            ],
            "tables2_7": best_records(self.scores),
            "tables9_21": [
                {"type": c.row, "team": c.team, "measure": c.measure, "recall": c.recall, "run": c.run}
                for c in self.recalls
            ],
        }

    def tables(self) -> Sequence[Table]:
        """Table 8; what cannot be computed; tables in the shape of 2 to 7, and of 9 to 21."""
        notes = [
            f"table 8 on {self.n_fragments} fragments, {self.n_edits:,} edits: "
            f"{self.n_matched} of {len(self.table8)} rows match",
        ]
        numbers = (Column(name, "count") for name in ("published", "ours", "difference"))
        columns = [Column("type"), Column("reason"), *numbers, Column("outcome")]
        rows: list[list[Shown]] = [[c.row, c.known, c.published, c.ours, c.difference, c.outcome] for c in self.table8]
        first = Table(columns, rows, name="table8", notes=notes)
        columns = [Column("table"), Column("cells", "count"), Column("not computable", "count")]
        numbers_lost = Counter(c.table for c in self.lost)
        rows = [[table, n, n] for table, n in numbers_lost.items()]
        lost = Table(columns, rows, name="not_computable", notes=[f"{RUNS_LOST}; JSON has every number"])
        best = best_table(self.scores)
        shape = "in the shape of tables 2 to 7; simulated teams, not those of 2011"
        columns = [Column("type"), Column("team"), Column("measure"), Column("recall", "percent"), Column("run")]
        cells: list[list[Shown]] = [[c.row, c.team, c.measure, c.recall, c.run] for c in self.recalls]
        last = "in the shape of tables 9 to 21: each simulated team's best recall"
        recalls = Table(columns, cells, name="recalls", notes=[last])
        return [first, lost, replace(best, notes=[shape, *best.notes]), recalls]


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
        message = "these are not the texts of the test set, whose numbers begin with 1"
        raise InputError(
            Problem("hoo-not-test-set", message, Place(str(folder)), fix="name the folder of the test set")
        )
    counts = count_rows(edit.type for fragment in fragments for edit in fragment.edits)
    scores = simulated_scores(fragments, Hoo(), problems, seed=seed)
    cells, recalls = table_8(counts), best_recalls(scores)
    return Hoo2011(len(fragments), sum(counts.values()), cells, lost_cells(), scores, recalls, problems.notes)


def table_8(counts: Mapping[str, int]) -> list[Cell]:
    """Table 8 beside our counts of each row."""
    file = "hoo2011_table08_edits_by_type"
    printed = read_facts(file)
    ours = {(kind, "edits"): float(counts.get(kind, 0)) for kind in printed}
    known = dict.fromkeys(("Article", "Punctuation", "Preposition"), MISSING_TEXT) | {"Other": SLIP}
    known = {kind: reason for kind, reason in known.items() if counts.get(kind, 0) < printed[kind]}
    return list(compare(Printed("table 8", file, columns={"count": "edits"}), ours, known=known))


def lost_cells() -> list[Cell]:
    """Tables 2 to 7, the best runs of each team, and 9 to 21, their best recall by type."""
    runs = {"run": ""}
    best = Printed("tables 2 to 7", "hoo2011_tables02_07_best_runs", "{measure}, {condition}, {team}", runs)
    runs = {f"{measure}_run": "" for measure in ("detection", "recognition", "correction")}
    recalls = Printed("tables 9 to 21", "hoo2011_tables09_21_recall_by_type", "{error_type}, {team}", runs)
    return [cell for printed in (best, recalls) for cell in compare(printed, {}, known=RUNS_LOST)]


def _test_set(data: str | None) -> Path:
    if data is None:
        from errorbar.datasets import path  # noqa: PLC0415 - only for the cache

        folder = path("hoo2011") / "test"
    else:
        folder = Path(data)
    inside = [folder / "hoo2011" / "test", folder / "test"]
    return next((place for place in inside if place.is_dir()), folder)


def simulated_scores(gold: Sequence[Fragment], metric: Metric, problems: Problems, *, seed: int = 0) -> list[Score]:
    """Score the runs of simulated teams, three each; every run has its own random stream."""
    runs = {
        f"{team.name}-{number}": simulate_run(gold, team, daring, stream(seed, "hoo", team.name, number))
        for team in TEAMS
        for number, daring in enumerate(DARING)
    }
    return score_runs(gold, runs, [metric], problems, conventions=(f"simulated:{seed}",))


def simulate_run(
    gold: Sequence[Fragment], team: SimulatedTeam, daring: float, rng: np.random.Generator
) -> list[tuple[StandoffEdit, ...]]:
    """The edits of a run of each fragment, none overlapping; shares met and noise are multiplied by ``daring``."""
    return [_simulate(fragment, team, daring, rng) for fragment in gold]


def _simulate(
    fragment: Fragment, team: SimulatedTeam, daring: float, rng: np.random.Generator
) -> tuple[StandoffEdit, ...]:
    text = fragment.text or ""
    words = [match.span() for match in WORD.finditer(text)]
    planned: list[tuple[int, int, str]] = []
    for edit in fragment.edits:
        met, kind = rng.random(2)
        if not edit.corrections or met >= min(1.0, daring * team.meets.get(edit.type, team.meets[""])):
            continue
        if kind < team.corrected:
            planned.append((edit.start, edit.end, edit.corrections[0]))
        elif kind < team.corrected + team.recognized:
            planned.append((edit.start, edit.end, WRONG))
        else:
            planned.append((max(edit.start - 1, 0), min(edit.end + 1, len(text)), WRONG))
    for _ in range(rng.poisson(daring * team.noise * len(fragment.edits)) if words else 0):
        start, end = words[int(rng.integers(len(words)))]
        planned.append((start, end, ""))
    edits: list[StandoffEdit] = []
    for start, end, correction in sorted(planned):
        if not edits or start > edits[-1].end:
            edits.append(
                StandoffEdit(f"{fragment.name}-{len(edits) + 1:04d}", start, end, text[start:end], (correction,))
            )
    return in_text_order(edits)
