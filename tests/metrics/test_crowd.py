"""Crowd-weighted scores, agreement bins and the measures of the kappa-agreement curve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorbar import Resampling
from errorbar.agreement import PairTable, cohen_kappa
from errorbar.core import Undefined, UsageError
from errorbar.metrics import Crowd, CrowdStatistics, Estimand, Selection, agreement_bins, in_bin, kappa_curve
from errorbar.metrics.crowd_weighted import TIES, Ties, kappa_of_rates, majority_share, rates
from tests.helpers.crowd import crowd_score, measure_crowd

# STATISTICS.md section 4.
SHARE = np.array([0.9, 0.6, 0.3, 0.05, 0.8, 0.1])
FLAG = np.array([1, 1, 0, 0, 0, 1], np.bool_)
K = np.full(6, 20)


def by_metric(tables: dict[Estimand, CrowdStatistics]) -> dict[Crowd, CrowdStatistics]:
    return {Crowd(estimand=estimand): table for estimand, table in tables.items()}


def test_weighted_and_majority_counts() -> None:
    weighted = crowd_score(SHARE, FLAG, K)
    assert (weighted.hits, weighted.false_positives, weighted.misses) == pytest.approx((1.6, 1.4, 1.15))
    assert weighted.precision.value == pytest.approx(0.533333, abs=5e-7)
    assert weighted.recall.value == pytest.approx(0.581818, abs=5e-7)
    most = crowd_score(SHARE, FLAG, K, estimand="majority")
    assert (most.hits, most.false_positives, most.misses) == (2, 1, 1)
    assert most.f.value == pytest.approx(2 / 3)
    assert most.n_judgments == (20, 20.0, 20)


def test_f_weighs_recall_by_beta() -> None:
    half = crowd_score(SHARE, FLAG, K, beta=0.5).f.value
    assert half == pytest.approx(1.25 * 1.6 / (1.25 * 1.6 + 1.4 + 0.25 * 1.15))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60), st.sampled_from(TIES))
def test_majority_equals_weighted_where_every_share_is_0_or_1(rows: list[tuple[bool, bool]], ties: str) -> None:
    share = np.array([float(error) for error, _ in rows])
    flag = np.array([flagged for _, flagged in rows], np.bool_)
    k = np.full(len(rows), 3)
    one = crowd_score(share, flag, k)
    two = crowd_score(share, flag, k, estimand="majority", ties=ties)  # type: ignore[arg-type]  # one of the names above
    for name in ("hits", "false_positives", "misses", "true_negatives", "precision", "recall", "f", "n_items"):
        assert getattr(one, name) == getattr(two, name)


def test_ties_count_as_told() -> None:
    share = np.array([0.5, 1.0, np.nan])
    for ties, expected in {"half": 0.5, "error": 1.0, "ok": 0.0}.items():
        assert majority_share(share, ties)[:2].tolist() == [expected, 1.0]  # type: ignore[arg-type]  # one of the names above
    score = crowd_score(share, np.array([True, True, True]), np.array([2, 2, 0]), estimand="majority", ties="unknown")
    assert (score.n_items, score.hits) == (1, 1)
    # Of 201 raters one makes a majority: 101/201 is no tie, nor is 100/201.
    assert majority_share(np.array([101 / 201, 100 / 201])).tolist() == [1.0, 0.0]
    with pytest.raises(UsageError, match="ties must be half or unknown or error or ok, got halve"):
        Crowd(ties="halve")  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    ("share", "n", "message"),
    [
        (np.full(3, 0.5), 2, "one of each for every item"),
        (np.full((2, 1), 0.5), 2, "one of each for every item"),
        (np.array([0.5, 1.01]), 2, "a share is not between 0 and 1"),
        (np.array([-0.01, 0.5]), 2, "a share is not between 0 and 1"),
    ],
)
def test_columns_that_do_not_fit(share: NDArray[np.float64], n: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        measure_crowd(share, np.ones(n, np.bool_), np.full(n, 2))


def test_tables_are_no_columns() -> None:
    with pytest.raises(UsageError, match="one of each for every item"):
        measure_crowd(np.full((2, 1), 0.5), np.ones((2, 1), np.bool_), np.full((2, 1), 2))


def test_options_that_do_not_exist() -> None:
    with pytest.raises(UsageError, match="must be weighted or majority"):
        measure_crowd(SHARE, FLAG, K, estimand="weigthed")  # type: ignore[arg-type]  # what a user may type
    for beta in (0.0, -1.0, np.inf):
        with pytest.raises(UsageError, match="number above 0"):
            crowd_score(SHARE, FLAG, K, beta=beta)


def test_the_estimands_differ_as_the_number_of_judgments_grows() -> None:
    # STATISTICS.md section 4: p ~ Beta(4, 1) flagged, Beta(.6, 6) unflagged. One flagged item to nine others, as there.
    # Majority recall grows with k, weighted recall does not.
    generator = np.random.default_rng(11)
    n1, n0 = 20_000, 180_000
    p = np.concatenate([generator.beta(4, 1, n1), generator.beta(0.6, 6, n0)])
    flag = np.arange(n1 + n0) < n1
    for k, majority in {1: 0.497, 3: 0.678, 5: 0.762, 9: 0.837, 20: 0.895}.items():
        votes = generator.binomial(k, p) / k
        ks = np.full(len(p), k)
        weighted = crowd_score(votes, flag, ks).recall.value
        assert weighted == pytest.approx(0.497, abs=0.01)
        found = crowd_score(votes, flag, ks, estimand="majority").recall.value
        assert found == pytest.approx(majority, abs=0.015)


def test_no_value_without_a_reason() -> None:
    nothing = np.zeros(4, np.bool_)
    score = crowd_score(np.zeros(4), nothing, np.full(4, 3), resampling=Resampling("percentile", 50))
    assert score.precision.undefined is Undefined.NOTHING_PROPOSED
    assert score.recall.undefined is Undefined.NOTHING_IN_REFERENCE
    assert score.f.undefined is Undefined.NO_EDITS
    none = crowd_score(np.full(2, np.nan), nothing[:2], np.zeros(2, np.int64))
    assert none.precision.undefined is Undefined.NO_UNITS
    one = crowd_score(np.ones(1), np.ones(1, np.bool_), np.ones(1, np.int64), resampling=Resampling("percentile"))
    assert one.precision.no_interval is Undefined.ONE_UNIT


def test_intervals_are_reproducible_and_wider_for_clusters() -> None:
    generator = np.random.default_rng(4)
    essay = np.repeat(np.arange(40), 25)
    level = generator.beta(2, 2, 40)[essay]
    share = generator.binomial(10, level) / 10
    flag = generator.random(1000) < 0.3
    k = np.full(1000, 10)
    made = [
        crowd_score(share, flag, k, clusters, resampling=Resampling("percentile", 500, seed=seed)).precision.interval
        for clusters, seed in ((None, 1), (None, 1), (essay, 1))
    ]
    assert made[0] is not None
    assert made[2] is not None
    assert made[0] == made[1]
    assert made[2].high - made[2].low > 1.2 * (made[0].high - made[0].low)


def test_bins_hold_their_low_edge_and_sum_to_the_whole() -> None:
    share = np.array([15 / 20, 1 - 15 / 20, 18 / 20, 14 / 20, 1.0, 0.5])
    assert in_bin(share, 0.75, 0.9).tolist() == [True, True, False, False, False, False]
    assert in_bin(share, 0.9, 1.0).tolist() == [False, False, True, False, True, False]
    flag = np.ones(6, np.bool_)
    tables = by_metric({name: measure_crowd(share, flag, K, estimand=name) for name in ("weighted", "majority")})
    bins = agreement_bins(tables)
    assert [part.n_items for part in bins] == [2, 2, 2]
    assert sum(part.scores["weighted"].hits for part in bins) == pytest.approx(share.sum())
    for edges in ((0.9, 0.5), (0.5, 0.5), (0.4, 0.9), (0.5, 1.1), (0.5,), ()):
        with pytest.raises(UsageError, match="ascending numbers"):
            agreement_bins(tables, edges)


def test_judgments_are_those_of_the_bin() -> None:
    """Agreement is .6 (5 judgments), .8 and .75 (2 and 4), and nothing from .9."""
    table = measure_crowd(np.array([0.6, 0.2, 0.75]), np.ones(3, np.bool_), np.array([5, 2, 4]))
    found = agreement_bins(by_metric({"weighted": table}))
    assert [part.n_items for part in found] == [1, 2, 0]
    assert [part.scores["weighted"].n_judgments for part in found] == [(5, 5.0, 5), (2, 3.0, 4), (0, 0.0, 0)]


def test_kappa_depends_on_prevalence_and_the_rest_does_not() -> None:
    # STATISTICS.md section 3: Se .6, Sp .97.
    found = kappa_of_rates(0.6, 0.97, [0.01, 0.05, 0.10, 0.20, 0.50])
    assert found == pytest.approx([0.250878, 0.527521, 0.604953, 0.636872, 0.57], abs=5e-7)


def test_rates_of_the_scaled_table() -> None:
    # STATISTICS.md sections 1.1 and 3: Tetreault and Chodorow 2008, scaled to the corpus.
    table = np.array([[800.0, 200.0, 2700.0, 6300.0]])
    one = rates(table, 0.10)
    assert one.sensitivity[0] == pytest.approx(0.228571, abs=5e-7)
    assert one.specificity[0] == pytest.approx(0.969231, abs=5e-7)
    assert one.youden[0] == pytest.approx(0.197802, abs=5e-7)
    assert np.exp(one.log_odds[0]) == pytest.approx(9.3333, abs=5e-5)
    assert one.kappa[0] == pytest.approx(0.2368, abs=5e-5)
    for prevalence in (0.0, 1.0):
        with pytest.raises(UsageError, match="a fraction between 0 and 1"):
            rates(table, prevalence)
    for rate in (-0.01, 1.01):
        with pytest.raises(UsageError, match="no fraction"):
            kappa_of_rates(rate, 0.5, 0.5)
    for prevalence, kappa in {0.02: 0.145377, 0.10: 0.253521, 0.35: 0.236842, 0.50: 0.197802}.items():
        assert rates(table, prevalence).kappa_at[0] == pytest.approx(kappa, abs=5e-7)


@given(st.lists(st.integers(0, 30), min_size=4, max_size=4).filter(lambda c: min(c[0] + c[2], c[1] + c[3]) > 0))
def test_kappa_of_counts_equals_cohens(counts: list[int]) -> None:
    hits, wrong, missed, right = counts
    expected = cohen_kappa(PairTable.of([[hits, missed], [wrong, right]])).estimate.value
    found = rates(np.array([counts], np.float64), 0.1).kappa[0]
    assert expected is not None
    assert found == pytest.approx(expected, abs=1e-9)


def test_the_curve_keeps_what_the_crowd_agrees_on() -> None:
    generator = np.random.default_rng(8)
    p = np.concatenate([generator.beta(5, 2, 300), generator.beta(1, 6, 700)])
    share = generator.binomial(10, p) / 10
    flag = generator.random(1000) < np.where(p > 0.5, 0.6, 0.05)
    table = measure_crowd(share, flag, np.full(1000, 10), estimand="majority")
    points = kappa_curve(table, resampling=Resampling("percentile", 200))
    sizes = [int((np.maximum(share, 1 - share)[share != 0.5] >= p.threshold - 1e-9).sum()) for p in points]
    assert [p.n_items for p in points] == sizes
    last = points[-1]
    kept = (share == 0) | (share == 1)
    crossed = [[int((kept & (share == a) & (flag == b)).sum()) for b in (1, 0)] for a in (1, 0)]
    assert last.kappa.value == pytest.approx(cohen_kappa(PairTable.of(crossed)).estimate.value)
    assert last.kappa.interval is not None
    assert last.kappa.interval.low < (last.kappa.value or 0) < last.kappa.interval.high
    for thresholds in ((0.4,), (0.5, 1.1), ()):
        with pytest.raises(UsageError, match="numbers from"):
            kappa_curve(table, thresholds)


def test_points_of_the_curve_by_hand() -> None:
    """Eight judged items, one of them a tie, and one that nobody judged.

    From ½: hits 1 and .8, missed .9, false .1, right .2, 0, 0, and the tie left out. Se = 2/3, Sp = 3/4, J = 5/12,
    odds = 2 * 3 / (1 * 1). Kappa: agreed 5/7, expected (3 * 3 + 4 * 4) / 49, so (35 - 25) / (49 - 25). At a prevalence
    of .1: a + d = .1 * 2/3 + .9 * 3/4 = .74167, of the items .29167 are flagged, expected .1 * .29167 + .9 * .70833 =
    2/3, so (.74167 - .66667) / (1/3) = .225.
    From 1: hit 1, right 0, 0. Counts 1, 0, 0, 2, each with ½ more for the odds: 1.5 * 2.5 / (.5 * .5) = 15.
    """
    share = np.array([1.0, 0.9, 0.8, 0.5, 0.2, 0.1, 0.0, 0.0, np.nan])
    flag = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1], np.bool_)
    essay = [0, 0, 0, 0, 0, 1, 1, 1, 1]
    table = measure_crowd(share, flag, np.full(9, 10), essay, estimand="majority")
    half, most, whole = kappa_curve(table, (0.5, 0.9, 1.0))
    assert [(p.n_items, p.n_ties, p.kept) for p in (half, most, whole)] == [(7, 1, 7 / 8), (5, 0, 5 / 8), (3, 0, 3 / 8)]
    assert (half.prevalence, half.sensitivity, half.specificity) == pytest.approx((3 / 7, 2 / 3, 3 / 4))
    assert half.youden.value == pytest.approx(5 / 12)
    assert half.log_odds.value == pytest.approx(np.log(6))
    assert half.kappa.value == pytest.approx(10 / 24)
    assert half.kappa_at.value == pytest.approx(0.225)
    assert (half.kappa.n_units, half.kappa.n_clusters, half.kappa.interval, half.kappa.no_interval) == (
        7,
        2,
        None,
        None,
    )
    assert (whole.sensitivity, whole.specificity, whole.kappa.value) == pytest.approx((1, 1, 1))
    assert whole.log_odds.value == pytest.approx(np.log(15))


def test_one_error_is_enough_for_rates() -> None:
    """One error, found, and one item that is none: Se = Sp = kappa = 1, odds = 1.5 * 1.5 / (.5 * .5) = 9."""
    one = rates(np.array([[1.0, 0.0, 0.0, 1.0]]), 0.1)
    assert (one.kappa[0], one.youden[0]) == (1, 1)
    assert one.log_odds[0] == pytest.approx(np.log(9))


def test_essays_are_those_of_the_chosen_items() -> None:
    """Of three essays two have items that the crowd agrees on, and one has all of the undecided ones."""
    share = np.array([1.0, 0.0, 1.0, 0.0, 0.6, 0.4])
    flag = np.array([1, 0, 0, 1, 1, 0], np.bool_)
    table = measure_crowd(share, flag, np.full(6, 10), [0, 0, 1, 1, 2, 2], estimand="majority")
    resampling = Resampling("percentile", 50)
    low, high = agreement_bins(by_metric({"majority": table}), (0.5, 0.9, 1.0), resampling=resampling)
    assert [each.scores["majority"].precision.n_clusters for each in (low, high)] == [1, 2]
    assert low.scores["majority"].precision.no_interval is Undefined.ONE_UNIT
    points = kappa_curve(table, (0.5, 0.9), resampling=resampling)
    assert [each.kappa.n_clusters for each in points] == [3, 2]


def test_one_essay_has_no_band() -> None:
    table = measure_crowd(SHARE, FLAG, K, [3] * 6, estimand="majority")
    (point,) = kappa_curve(table, (0.5,), resampling=Resampling("percentile", 50))
    assert point.kappa.no_interval is Undefined.ONE_UNIT


def test_data_of_one_class_has_no_kappa() -> None:
    table = measure_crowd(np.zeros(5), np.array([1, 0, 0, 0, 0], np.bool_), np.full(5, 3), estimand="majority")
    point = kappa_curve(table, (0.5,))[0]
    assert (point.prevalence, point.sensitivity, point.specificity) == (0.0, None, 4 / 5)
    assert point.kappa.value is None
    assert point.kappa.undefined is Undefined.ONE_LABEL


SHARES = st.sampled_from([0.0, 0.2, 0.5, 0.6, 1.0, np.nan])
ROWS = st.lists(st.tuples(SHARES, st.booleans(), st.integers(1, 3)), min_size=2, max_size=30)


@given(ROWS, st.sampled_from(["weighted", "majority"]), st.sampled_from(TIES))
def test_folds_of_kinds_are_folds_of_items(rows: list[tuple[float, bool, int]], estimand: Estimand, ties: Ties) -> None:
    """Counting kinds of items, joining parts, and weighing items gives what adding up item by item gives."""
    share, flag, k = (np.array(column) for column in zip(*rows, strict=True))
    metric = Crowd(estimand=estimand, ties=ties)
    p = share if estimand == "weighted" else majority_share(share, ties)
    adds = np.nan_to_num(np.stack([flag * p, flag * (1 - p), ~flag * p, ~flag * (1 - p)], axis=1))
    table = measure_crowd(share, flag, k, estimand=estimand, ties=ties)
    whole = metric.fold(table)
    assert whole.counts[0] == pytest.approx(adds.sum(axis=0))
    assert whole.n_units[0] == (~np.isnan(p)).sum()
    assert metric.parts(table).counts == pytest.approx(adds)
    half = len(rows) // 2
    parts = [table.take(slice(half)), table.take(slice(half, None))]
    assert metric.fold(metric.join(parts)).counts[0] == pytest.approx(adds.sum(axis=0))
    assert metric.fold(parts[1], start=metric.fold(parts[0])).counts[0] == pytest.approx(adds.sum(axis=0))
    drawn = np.random.default_rng(len(rows)).integers(0, len(rows), (3, len(rows)))
    folded = metric.fold(table, Selection(drawn))
    assert folded.counts == pytest.approx(adds[drawn].sum(axis=1))
    hits, wrong, missed, _ = folded.counts.T
    for k_, below in enumerate((hits + wrong, hits + missed)):
        known = below > 0
        assert folded.values[known, k_] == pytest.approx((hits / np.where(known, below, 1))[known])
        assert np.isnan(folded.values[~known, k_]).all()


def test_systems_differ_where_their_flags_do() -> None:
    metric = Crowd(estimand="majority", ties="unknown")
    share, other = np.array([1.0, 0.5, 0.0]), np.array([True, True, True])
    first = measure_crowd(share, np.array([True, False, False]), np.full(3, 4), estimand="majority", ties="unknown")
    second = measure_crowd(share, other, np.full(3, 4), estimand="majority", ties="unknown")
    assert metric.differ(first, second).tolist() == [False, False, True]  # the tie counts for neither
