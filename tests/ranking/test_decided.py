"""Which pairs of systems are decided, however often one looks."""

from __future__ import annotations

import numpy as np
import pytest

import errorbar
from errorbar.core import Comparisons
from errorbar.ranking.ranked import decide_pairs
from errorbar.stats import adjust, endless_p_value, endless_share_bounds, stream
from tests.helpers.expectations import expect_refusal, require


def pairs(wins: int, losses: int, ties: int = 0, first: str = "a", second: str = "b") -> list[tuple[str, str, int]]:
    return [(first, second, said) for said, times in ((1, wins), (-1, losses), (0, ties)) for _ in range(times)]


def test_a_pair_is_its_beta_interval() -> None:
    (found,) = decide_pairs(Comparisons.from_pairs(pairs(70, 30, 25)))
    assert (found.wins, found.losses, found.ties, found.better) == (70, 30, 25, "a")
    assert found.share.value == 0.7
    assert found.share.n_units == 100
    interval = require(found.share.interval)
    low, high = (float(end) for end in endless_share_bounds(70, 100))
    assert (interval.low, interval.high) == (low, high)
    assert found.p == found.p_unadjusted == endless_p_value(70, 100)


def test_open_pairs_and_pairs_of_ties() -> None:
    judged = [*pairs(60, 40), *pairs(30, 70, 0, "a", "c"), *pairs(0, 0, 5, "b", "c")]
    decisions = decide_pairs(Comparisons.from_pairs(judged))
    found = {(decision.first, decision.second): decision for decision in decisions}
    assert found["a", "b"].better == ""
    assert found["a", "c"].better == "c"
    tied = found["b", "c"]
    assert tied.better == ""
    assert tied.share.value is None
    assert tied.p == tied.p_unadjusted == 1
    p = [float(endless_p_value(60, 100)), float(endless_p_value(30, 100)), 1.0]
    assert [decision.p_unadjusted for decision in decisions] == p
    assert [decision.p for decision in decisions] == pytest.approx(list(adjust(p)))
    assert found["a", "c"].p > found["a", "c"].p_unadjusted


def test_any_of_three_pairs_is_seldom_ever_wrong() -> None:
    """Three equal systems, looked at after every tenth judgment of each pair: 400 studies."""
    t = np.arange(10, 501, 10)
    wins = stream(1, "decided").binomial(10, 0.5, (400, 3, len(t))).cumsum(axis=2)
    p = endless_p_value(wins, t)
    assert ((3 * p.min(axis=1)) <= 0.05).any(axis=1).mean() < 0.05


def test_the_ranking_has_no_ranges_then() -> None:
    judged = Comparisons.from_pairs(pairs(70, 30))
    found = errorbar.rank(judged, anytime=True)
    assert [table.name for table in found.tables()] == ["ranking", "pairs"]
    assert found.rankings[0].systems[0].score.interval is None
    record = found.to_dict()["anytime"]
    assert isinstance(record, list)
    assert record[0]["better"] == "a"
    assert errorbar.rank(judged, ci=False).to_dict()["anytime"] is None
    with expect_refusal("two-choices"):
        errorbar.rank(judged, anytime=True, ci=True)
