"""The checker itself while raters work, a minute of it; the long runs are commands (docs/judge/guarantees.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar import judge_init
from tests.helpers.postgresql_cluster import binaries
from tests.judging.jepsen.history import History
from tests.judging.jepsen.large_study import export_memory, fill
from tests.judging.jepsen.run import Plan, run
from tests.judging.jepsen.study import write_items

pytestmark = pytest.mark.slow

no_postgresql = pytest.mark.skipif(binaries() is None, reason="needs a PostgreSQL server's programs (initdb)")
ON_BOTH = [pytest.param("sqlite"), pytest.param("postgresql", marks=no_postgresql)]
ON_EITHER = [pytest.param("sqlite"), pytest.param("postgresql", marks=[no_postgresql, pytest.mark.measured])]
"""For schemes that differ in how items are chosen; on the other store it takes minutes."""


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("store", ON_BOTH)
def test_forty_raters_and_a_nemesis(store: str, workers: int, tmp_path: Path) -> None:
    history = History(tmp_path / "history.jsonl")
    outcome = run(Plan(seconds=8, workers=workers, store=store, rate=150, every=0.6), history)
    history.close()
    assert {name: faults for name, faults in outcome.faults.items() if faults} == {}
    assert outcome.counts["receipts saved"] > 300
    assert outcome.counts["raters"] == 40
    assert outcome.counts["withdraw ok"] >= 1
    assert len(History.load(tmp_path / "history.jsonl").ops) == len(history.ops)


@pytest.mark.parametrize("store", ON_EITHER)
def test_pairs_that_the_study_chooses_and_a_nemesis(store: str) -> None:
    """What forty raters do to pairs of systems, with four processes; then twice killed."""
    from tests.judging.jepsen.kills import kill_runs

    outcome = run(Plan(seconds=6, store=store, rate=150, every=0.6, adaptive=True), History())
    assert {name: faults for name, faults in outcome.faults.items() if faults} == {}
    assert outcome.counts["receipts saved"] > 200
    found = kill_runs(Plan(seconds=6, rate=400, raters=12, workers=4, store=store, adaptive=True), 2)
    assert (found.faults, found.counts["runs"]) == ([], 2)


@pytest.mark.parametrize("store", ON_EITHER)
def test_crossed_editors_and_a_nemesis(store: str) -> None:
    """Forty raters edit outputs of four systems, with four processes: nobody two of one sentence."""
    outcome = run(Plan(seconds=6, store=store, rate=150, every=0.6, editors="crossed"), History())
    assert {name: faults for name, faults in outcome.faults.items() if faults} == {}
    assert outcome.counts["receipts saved"] > 200


def edits_and_a_nemesis(plan: Plan, kills: Plan, runs: int) -> None:
    """Raters who write lists of edits lose none of them, in a run and when all is killed."""
    from tests.judging.jepsen.kills import kill_runs

    outcome = run(plan, History())
    assert {name: faults for name, faults in outcome.faults.items() if faults} == {}
    assert outcome.counts["receipts saved"] > 20 * plan.seconds
    result = kill_runs(kills, runs)
    assert (result.faults, result.counts["runs"]) == ([], runs)
    assert result.counts["acknowledged"] > 0


@pytest.mark.parametrize("store", ON_EITHER)
def test_edits_and_a_nemesis(store: str) -> None:
    """Forty raters write the edits of sentences, with four processes; then twice killed."""
    kills = Plan(seconds=6, rate=400, raters=12, store=store, edits=True)
    edits_and_a_nemesis(Plan(seconds=6, store=store, rate=150, every=0.6, edits=True), kills, 2)


@pytest.mark.measured
@pytest.mark.parametrize("store", ON_BOTH)
def test_edits_and_a_nemesis_for_a_minute_and_forty_kills(store: str) -> None:
    kills = Plan(seconds=10, rate=400, raters=12, store=store, edits=True, seed=1)
    edits_and_a_nemesis(Plan(store=store, edits=True, seed=1), kills, 40)


def test_a_large_study_is_exported_row_by_row(tmp_path: Path) -> None:
    """Ten times the judgments need hardly more memory; benchmarks/judging_scale.py has the hundred thousand items."""
    megabytes = []
    for items in (500, 5000):
        folder = tmp_path / str(items)
        folder.mkdir()
        work, gold = write_items(folder, items, 40, 0)
        judge_init(folder / "study", work, gold_items=gold, raters_per_item=20, policy="none")
        fill(next((folder / "study").glob("*.sqlite3")), 20)
        found = export_memory(folder / "study", folder / "out.csv")
        assert found[2] > items * 19
        megabytes.append(found[0])
    assert megabytes[1] < megabytes[0] + 30
