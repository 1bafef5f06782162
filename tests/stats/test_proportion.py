from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from errorbar.core import Estimate, Interval, Undefined, UsageError
from errorbar.stats import proportion_bounds, proportion_interval
from errorbar.stats.proportion import ProportionMethod

METHODS: tuple[ProportionMethod, ...] = get_args(ProportionMethod)
counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.floats(0.5, 0.999)


# The table of test values of the project's statistics notes, section 7: computed there with statsmodels 0.15
# (proportion_confint) and scipy 1.17; the Jeffreys intervals at the edges by Brown, Cai & DasGupta 2001.
@pytest.mark.parametrize(
    ("x", "n", "method", "low", "high"),
    [
        (600, 750, "wald", 0.771373, 0.828627),
        (600, 750, "wilson", 0.769876, 0.827066),
        (600, 750, "clopper-pearson", 0.769550, 0.828068),
        (600, 750, "jeffreys", 0.770250, 0.827440),
        (0, 50, "wilson", 0, 0.071348),
        (0, 50, "clopper-pearson", 0, 0.071122),
        (0, 50, "jeffreys", 0, 0.048758),
        (3, 20, "wilson", 0.052369, 0.360419),
        (3, 20, "clopper-pearson", 0.032071, 0.378927),
        (3, 20, "jeffreys", 0.044131, 0.348578),
        (81, 263, "wilson", 0.255289, 0.366210),
        (81, 263, "clopper-pearson", 0.252737, 0.367622),
    ],
)
def test_published_values(x: int, n: int, method: ProportionMethod, low: float, high: float) -> None:
    interval = proportion_interval(x, n, method=method)
    assert isinstance(interval, Interval)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=6e-7)
    assert (interval.method, interval.confidence_level) == (method, 0.95)


@pytest.mark.parametrize(("method", "scipys"), [("wilson", "wilson"), ("clopper-pearson", "exact")])
@given(counts=counts, level=levels)
def test_scipy_agrees(method: ProportionMethod, scipys: str, counts: tuple[int, int], level: float) -> None:
    expected = binomtest(*counts).proportion_ci(level, method=scipys)
    low, high = proportion_bounds(*counts, method=method, confidence_level=level)
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_wald_has_no_interval_where_it_would_have_zero_width() -> None:
    # Section 7 has a dash for 0/50.
    assert proportion_interval(0, 50, method="wald") is Undefined.ZERO_WIDTH
    assert proportion_interval(50, 50, method="wald") is Undefined.ZERO_WIDTH


@pytest.mark.parametrize("method", METHODS)
def test_no_trial_no_interval(method: ProportionMethod) -> None:
    made = proportion_interval(0, 0, method=method)
    assert made is Undefined.NO_UNITS
    estimate = Estimate(None, 0, undefined=Undefined.NO_UNITS).with_interval(made)
    assert (estimate.interval, estimate.no_interval) == (None, Undefined.NO_UNITS)


@pytest.mark.parametrize("method", METHODS)
@given(counts=counts, level=levels)
def test_inside_the_unit_interval_and_around_the_proportion(
    method: ProportionMethod, counts: tuple[int, int], level: float
) -> None:
    x, n = counts
    interval = proportion_interval(x, n, method=method, confidence_level=level)
    if isinstance(interval, Undefined):
        assert method == "wald"
        assert x in {0, n}
        return
    assert 0 <= interval.low < interval.high <= 1
    if method != "jeffreys":  # a posterior quantile may pass the proportion at low levels
        assert interval.low <= x / n + 1e-12
        assert x / n <= interval.high + 1e-12
    if method != "wald":
        assert (interval.low == 0) == (x == 0)
        assert (interval.high == 1) == (x == n)


@pytest.mark.parametrize("method", METHODS)
@given(counts=counts, two=st.tuples(levels, levels))
def test_more_confidence_is_wider(method: ProportionMethod, counts: tuple[int, int], two: tuple[float, float]) -> None:
    less, more = (proportion_bounds(*counts, method=method, confidence_level=level) for level in sorted(two))
    if not np.isnan(less[0]):
        assert more[0] <= less[0]
        assert less[1] <= more[1]


@pytest.mark.parametrize("method", METHODS)
@given(counts=counts)
def test_failures_mirror_successes(method: ProportionMethod, counts: tuple[int, int]) -> None:
    x, n = counts
    low, high = proportion_bounds([x, n - x], n, method=method)
    assert low == pytest.approx(1 - high[::-1], abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(("x", "n"), [(-1, 5), (6, 5), (1, float("nan")), (1, float("inf"))])
def test_counts_that_do_not_fit(x: float, n: float) -> None:
    with pytest.raises(UsageError, match=r"0 <= x <= n.*\[proportion-counts\]"):
        proportion_interval(x, n)


def test_misuse_is_named() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'wilson'.*\[interval-method\]"):
        proportion_interval(1, 5, method="wilsen")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(UsageError, match=r"95 % is 0.95 \[confidence-level\]"):
        proportion_interval(1, 5, confidence_level=95)
