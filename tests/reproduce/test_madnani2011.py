"""The part of Madnani et al. 2011 that can be recomputed, and the same analysis on the ten annotators."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar.reproduce import Outcome, Sources, reproduce

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def sources() -> Sources:
    if not SHARED.is_dir():
        pytest.skip(f"the corpora are not at {SHARED}")
    return Sources(SHARED)


def test_the_bins_hold_every_instance_and_nothing_else_is_claimed(sources: Sources) -> None:
    found = list(reproduce("madnani2011", sources))
    matched = [(cell.row, cell.ours) for cell in found if cell.outcome == Outcome.MATCH]
    assert matched == [("instances", 923.0)]  # 93 + 114 + 716, the paper's three bins
    assert {cell.outcome for cell in found} == {Outcome.MATCH, Outcome.KNOWN, Outcome.NOT_COMPUTABLE}
    assert all("ten annotators" in cell.table for cell in found if cell.outcome == Outcome.KNOWN)


def test_the_ten_annotators_stand_beside_the_published_numbers(sources: Sources) -> None:
    ours = {(c.table, c.row, c.column): c.ours for c in reproduce("madnani2011", sources) if c.ours is not None}
    # CAMB on 3,836 prepositions: docs/measurements/crowd.md gives the same from `errorbar crowd score`.
    assert ours["table 1, ten annotators", "unweighted", "precision"] == pytest.approx(0.5180, abs=5e-5)
    assert ours["table 1, ten annotators", "weighted", "recall"] == pytest.approx(0.2265, abs=5e-5)
    bins = [value for (table, _, _), value in ours.items() if table.startswith("bins")]
    assert sum(bins) == 3836
