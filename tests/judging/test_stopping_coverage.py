"""How often a study's question is ever wrong, through the real protocol; docs/stopping.md has longer runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import binom

from tests.judging.stopping_runs import CASES, run, shares

RUNS = 60


def test_a_run_stops_early_and_knows_its_truth(tmp_path: Path) -> None:
    *wrong, given = run(CASES["errors take as long"], 1, tmp_path)
    assert {type(each) for each in wrong} == {bool}
    assert 0.3 < given < 1


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CASES)[:2])
def test_ever_wrong_at_most_one_in_twenty(name: str) -> None:
    """What chance would exceed once in ten thousand tests is a fault."""
    ever, _, _, given = shares(CASES[name], RUNS)
    assert ever * RUNS <= binom.isf(1e-4, RUNS, 0.05)
    assert given < 0.85
