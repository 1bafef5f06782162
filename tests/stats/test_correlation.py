from __future__ import annotations

from itertools import permutations
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from errorbar.core import Interval, Undefined, UsageError
from errorbar.stats import CorrelationKind, correlate, correlation_interval, williams_test

KINDS: tuple[CorrelationKind, ...] = get_args(CorrelationKind)
RANKS = range(1, 8)
PLAIN, TIED = (2, 1, 4, 3, 7, 5, 6), (2, 1, 4, 4, 7, 5, 5)


# Section 12 of the statistics notes (scipy 1.17).
@pytest.mark.parametrize(
    ("ranks", "kind", "expected"),
    [
        (PLAIN, "pearson", 0.821429),
        (PLAIN, "spearman", 0.821429),
        (PLAIN, "kendall-b", 0.619048),
        (TIED, "spearman", 0.836502),
        (TIED, "kendall-b", 0.650814),
        (TIED, "kendall-c", 0.663265),
    ],
)
def test_published_values(ranks: tuple[int, ...], kind: CorrelationKind, expected: float) -> None:
    assert correlate(RANKS, ranks, kind=kind).estimate.value == pytest.approx(expected, abs=6e-7)


# The tails of tables of Spearman's coefficient (of 5, .9 has .0417 on one side), and shares counted by hand.
@pytest.mark.parametrize(
    ("ranks", "p"),
    [
        ((1, 2, 3, 4), 2 / 24),
        ((4, 3, 2, 1), 2 / 24),
        ((1, 2, 3, 5, 4), 10 / 120),
        ((1, 2, 3, 4, 5), 2 / 120),
        ((1, 1, 2), 4 / 6),
        ((2, 1), 1),
    ],
)
def test_the_p_of_few_ranks_is_exact(ranks: tuple[int, ...], p: float) -> None:
    assert correlate(range(len(ranks)), ranks, kind="spearman").p_value == pytest.approx(p, abs=1e-12)


# Of (2, 2, 1, 1) with (4, 4, 3, 1) all four pairs agree; all or none do where the 4s stand together: 2 · 2! · 2!.
@pytest.mark.parametrize(
    ("own", "other", "p"), [((2, 2, 1, 1), (4, 4, 3, 1), 8 / 24), ((1, 2, 3), (1, 1, 2), 4 / 6), ((1, 2), (1, 2), 1)]
)
def test_the_p_of_few_tied_pairs_is_exact(own: tuple[int, ...], other: tuple[int, ...], p: float) -> None:
    for kind in ("kendall-b", "kendall-c"):
        assert correlate(own, other, kind=kind).p_value == pytest.approx(p, abs=1e-12)


def test_an_exact_p_of_kendall_is_a_share_of_all_orders() -> None:
    rng = np.random.default_rng(3)
    for x, y in rng.integers(0, 4, (20, 2, 5)):
        orders = [stats.kendalltau(x, order).statistic for order in permutations(y)]
        share = np.mean(np.abs(orders) >= abs(orders[0]) - 1e-9)
        p = correlate(x, y, kind="kendall-b").p_value
        assert p is None or p == pytest.approx(share, abs=1e-12)


def test_the_exact_p_goes_over_into_the_approximate_one() -> None:
    numbers = np.random.default_rng(5).normal(size=(10, 2))
    numbers[:, 1] += numbers[:, 0] / 2
    nine, ten = (correlate(*numbers[:n].T, kind="spearman").p_value for n in (9, 10))
    assert nine is not None
    assert ten is not None
    assert nine != stats.spearmanr(*numbers[:9].T).pvalue
    assert nine == pytest.approx(stats.spearmanr(*numbers[:9].T).pvalue, abs=0.01)
    assert ten == stats.spearmanr(*numbers.T).pvalue


# Section 12; the first is the example of Steiger 1980 as the R package psych has it, the last SEEDA's two metrics,
# whose correlations are given to three or four digits, hence the tolerance.
@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "t", "p", "tolerance"),
    [
        (0.5, 0.4, 0.1, 103, 0.89128, 0.374919, 6e-6),
        (0.95, 0.90, 0.93, 12, 1.291363, 0.228756, 6e-7),
        (0.9, 0.7, 0.6, 14, 1.762383, 0.105730, 6e-7),
        (0.914, 0.675, 0.4707, 12, 1.8838, 0.0922, 5e-3),
    ],
)
def test_williams_published_values(
    r12: float, r13: float, r23: float, n: int, t: float, p: float, tolerance: float
) -> None:
    found = williams_test(r12, r13, r23, n)
    assert found.t == pytest.approx(t, abs=tolerance)
    assert found.p_value == pytest.approx(p, abs=tolerance)
    assert found.df == n - 3
    other = williams_test(r13, r12, r23, n)
    assert (other.t, other.p_value) == pytest.approx((-t, p), abs=tolerance)


def test_fishers_interval_by_hand() -> None:
    # atanh(.5) = .549306; 1.959964 / sqrt(100) = .195996; tanh(.353310) = .339307, tanh(.745302) = .632338
    interval = correlation_interval(0.5, 103)
    assert isinstance(interval, Interval)
    assert (interval.low, interval.high) == pytest.approx((0.339307, 0.632338), abs=2e-6)


@pytest.mark.parametrize(("kind", "error"), [("spearman", 0.106066), ("kendall-b", 0.066439)])
def test_rank_intervals_by_hand(kind: CorrelationKind, error: float) -> None:
    # SE: sqrt(1.125 / 100) = .106066 and sqrt(.437 / 99) = .066439, around atanh(.5) = .549306.
    interval = correlation_interval(0.5, 103, kind=kind)
    assert isinstance(interval, Interval)
    ends = np.arctanh([interval.low, interval.high])
    assert ends == pytest.approx(0.549306 + 1.959964 * error * np.array([-1, 1]), abs=2e-6)


def test_kendall_c_is_kendall_b_times_what_the_ties_give() -> None:
    b, c = (correlate(RANKS, TIED, kind=kind).estimate for kind in ("kendall-b", "kendall-c"))
    assert b.interval is not None
    assert c.interval is not None
    assert b.value is not None
    assert c.value is not None
    # 7 different ranks; of the tied ones 5 groups of sizes 1, 1, 2, 1, 2.
    factor = ((1 - 7 / 49) * (1 - 11 / 49)) ** 0.5 * 5 / 4
    assert c.value / b.value == pytest.approx(factor)
    assert c.interval.low / b.interval.low == pytest.approx(factor)


def test_kendall_c_ends_at_1() -> None:
    # All pairs of different groups agree, c = 1: b = 100 / sqrt(190 * 100), c / b = sqrt((19/20) / (1/2)) = 1.378405.
    # The ends of b are tanh(0.919110 ± 1.959964 sqrt(.437 / 16)), 0.533623 and 0.846316; the high one times 1.378405 is
    # above 1.
    halves = [0] * 10 + [1] * 10
    up = correlate(range(20), halves, kind="kendall-c").estimate
    down = correlate(range(20), halves[::-1], kind="kendall-c").estimate
    assert (up.value, down.value) == pytest.approx((1, -1))
    assert up.interval is not None
    assert down.interval is not None
    assert (up.interval.low, up.interval.high) == pytest.approx((0.735549, 1), abs=2e-6)
    assert (down.interval.low, down.interval.high) == pytest.approx((-1, -0.735549), abs=2e-6)
    less = correlate(range(20), halves, kind="kendall-c", confidence_level=0.5).estimate.interval
    assert less is not None
    assert less.low > up.interval.low
    assert less.confidence_level == 0.5
    plain = correlate(RANKS, PLAIN, confidence_level=0.5).estimate
    assert plain.value is not None
    assert plain.interval == correlation_interval(plain.value, 7, confidence_level=0.5)


@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=25))
def test_invariants(kind: CorrelationKind, pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array(series, float) for series in zip(*pairs, strict=True))
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    here = correlate(x, y, kind=kind)
    value, interval = here.estimate.value, here.estimate.interval
    assert value is not None
    assert here.p_value is not None
    assert -1 - 1e-9 <= value <= 1 + 1e-9
    assert correlate(y[::-1], x[::-1], kind=kind).estimate.value == pytest.approx(value, abs=1e-9)
    assert correlate(-x, 3 * y + 1, kind=kind).estimate.value == pytest.approx(-value, abs=1e-9)
    if interval is None:
        assert here.estimate.no_interval in {Undefined.TOO_FEW_UNITS, Undefined.ZERO_WIDTH}
        return
    assert -1 <= interval.low <= value + 1e-9
    assert value - 1e-9 <= interval.high <= 1
    wider = correlate(x, y, kind=kind, confidence_level=0.99).estimate.interval
    assert wider is not None
    assert wider.low <= interval.low
    assert interval.high <= wider.high


@pytest.mark.parametrize("kind", KINDS)
def test_where_there_is_none(kind: CorrelationKind) -> None:
    assert correlate([], [], kind=kind).estimate.undefined is Undefined.NO_UNITS
    assert correlate([1], [2], kind=kind).estimate.undefined is Undefined.ONE_UNIT
    constant = correlate([1, 1, 1], [1, 2, 3], kind=kind)
    assert (constant.estimate.undefined, constant.p_value) == (Undefined.CONSTANT, None)
    assert correlate([1, 2, 3], [1, 3, 2], kind=kind).estimate.no_interval is Undefined.TOO_FEW_UNITS
    assert correlate(range(9), range(9), kind=kind).estimate.no_interval is Undefined.ZERO_WIDTH


def test_williams_where_there_is_none() -> None:
    assert williams_test(0.5, 0.4, 0.1, 3).undefined is Undefined.TOO_FEW_UNITS
    assert williams_test(0.5, 0.5, 1, 20).undefined is Undefined.NO_DISAGREEMENT
    assert williams_test(0.5, 0.5, 0.3, 20).p_value == 1
    # K = 1 - .36 - .36 - .0784 - 2 * .36 * .28 = 0 and the mean of both is 0: t has no bound.
    for sign in (1, -1):
        found = williams_test(0.6 * sign, -0.6 * sign, 0.28, 10)
        assert (found.t, found.df, found.p_value, found.undefined) == (sign * np.inf, 7, 0, None)


def test_misuse_is_named() -> None:
    with pytest.raises(UsageError, match=r"series of 2 and 3 numbers .*\[correlation-series\]"):
        correlate([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match=r"\[correlation-series\]"):
        correlate([1, 2], [1, np.nan])
    with pytest.raises(UsageError, match=r"did you mean 'kendall-b'|did you mean 'kendall-c'"):
        correlate([1, 2], [1, 2], kind="kendall")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(UsageError, match=r"depends on the ties.*\[correlation-kind\]"):
        correlation_interval(0.5, 10, kind="kendall-c")
    with pytest.raises(UsageError, match=r"no correlation is called 'perason'.*\[correlation-kind\]"):
        correlation_interval(0.5, 10, kind="perason")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(UsageError, match=r"\[correlation-value\]"):
        correlation_interval(1.5, 10)
    with pytest.raises(UsageError, match=r"no three series correlate .*\[williams-correlations\]"):
        williams_test(0.9, -0.9, 0.9, 10)
