from __future__ import annotations

from math import sqrt
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core import Interval, Undefined, UsageError
from errorbar.stats import f_cdf, f_quantile, f_score_interval, f_standard_error, f_value, stream
from errorbar.stats.proportion import FMethod
from tests.helpers.counts import Counts

METHODS: tuple[FMethod, ...] = get_args(FMethod)
ANY_BETA: tuple[FMethod, ...] = ("delta", "goutte-gaussier")
counts = st.tuples(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))


# Test values of the project's statistics notes, section 7; goutte-gaussier there confirmed by 2 million draws.
@pytest.mark.parametrize(
    ("triple", "method", "prior", "low", "high"),
    [
        ((50, 10, 20), "delta", 0.5, 0.688881, 0.849580),
        ((50, 10, 20), "wilson-j", 0.5, 0.680292, 0.839273),
        ((50, 10, 20), "clopper-pearson-j", 0.5, 0.675185, 0.844470),
        ((50, 10, 20), "goutte-gaussier", 0.5, 0.677595, 0.838090),
        ((50, 10, 20), "goutte-gaussier", 1.0, 0.673787, 0.834251),
        ((5, 1, 15), "delta", 0.5, 0.146939, 0.622292),
        ((5, 1, 15), "wilson-j", 0.5, 0.192140, 0.621556),
        ((5, 1, 15), "goutte-gaussier", 0.5, 0.173086, 0.608197),
    ],
)
def test_f1_published_values(
    triple: tuple[int, int, int], method: FMethod, prior: float, low: float, high: float
) -> None:
    interval = f_score_interval(*triple, beta=1, method=method, prior=prior)
    assert isinstance(interval, Interval)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=6e-7)


def test_f1_value_error_and_median() -> None:  # section 7, as above
    assert f_value(50, 10, 20, beta=1) == pytest.approx(0.769231, abs=6e-7)
    assert f_value(5, 1, 15, beta=1) == pytest.approx(0.384615, abs=6e-7)
    assert f_standard_error(50, 10, 20, beta=1) == pytest.approx(0.040995, abs=6e-7)
    assert f_quantile(0.5, 50, 10, 20, beta=1) == pytest.approx(0.765901, abs=6e-7)


def test_f_half_by_the_trinomial_delta() -> None:  # section 7, as above
    assert f_value(50, 10, 20) == pytest.approx(0.806452, abs=6e-7)
    assert f_standard_error(50, 10, 20) == pytest.approx(0.041297, abs=6e-7)
    interval = f_score_interval(50, 10, 20, method="delta")
    assert isinstance(interval, Interval)
    assert (interval.low, interval.high) == pytest.approx((0.725511, 0.887392), abs=6e-7)


@given(counts)
def test_the_delta_formula_for_f1_is_the_published_one(triple: tuple[int, int, int]) -> None:
    # Section 7: Var F1 = 4 a b (a + b) / (2 a + b)^4 with a = tp, b = fp + fn.
    a, b = triple[0], triple[1] + triple[2]
    if a + b:
        expected = sqrt(4 * a * b * (a + b)) / (2 * a + b) ** 2
        assert f_standard_error(*triple, beta=1) == pytest.approx(expected, abs=1e-12)


@given(counts, st.sampled_from((0.5, 1.0, 2.0)))
def test_f_is_that_of_the_scorer(triple: tuple[int, int, int], beta: float) -> None:
    tp, fp, fn = triple
    if tp:
        assert f_value(*triple, beta=beta) == pytest.approx(Counts(tp, tp + fp, tp + fn).f(beta), rel=1e-12)


@pytest.mark.parametrize("triple", [(50, 10, 20), (5, 1, 15), (0, 3, 9), (2, 0, 40)])
@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_goutte_gaussier_equals_a_simulation_of_its_definition(triple: tuple[int, int, int], beta: float) -> None:
    # F = (1 + beta²) U / ((1 + beta²) U + V + beta² W) of gamma variables. The standard error of the simulated
    # probability is sqrt(.025 * .975 / 400000) = .00025; five of them.
    rng = stream(20_05, "goutte", *triple, str(beta))
    u, v, w = (rng.gamma(count + 0.5, size=400_000) for count in triple)
    f = (1 + beta**2) * u / ((1 + beta**2) * u + v + beta**2 * w)
    for probability in (0.025, 0.5, 0.975):
        share = float(np.mean(f <= f_quantile(probability, *triple, beta=beta)))
        assert share == pytest.approx(probability, abs=5 * sqrt(probability * (1 - probability) / 400_000))


@given(counts)
def test_the_quadrature_meets_the_closed_form_near_beta_1(triple: tuple[int, int, int]) -> None:
    nearly = f_quantile(0.975, *triple, beta=1 + 1e-9)
    assert nearly == pytest.approx(f_quantile(0.975, *triple, beta=1), abs=1e-7)


@given(counts, st.floats(0.01, 0.99), st.sampled_from((0.5, 1.0, 2.0)))
def test_quantile_and_distribution_function_are_inverse(
    triple: tuple[int, int, int], probability: float, beta: float
) -> None:
    assert f_cdf(f_quantile(probability, *triple, beta=beta), *triple, beta=beta) == pytest.approx(
        probability, abs=1e-5
    )


@pytest.mark.parametrize("method", METHODS)
@given(triple=counts, two=st.tuples(st.floats(0.8, 0.999), st.floats(0.8, 0.999)))
def test_inside_the_unit_interval_around_f_and_wider_with_more_confidence(
    method: FMethod, triple: tuple[int, int, int], two: tuple[float, float]
) -> None:
    for beta in (1.0, 0.5) if method in ANY_BETA else (1.0,):
        less, more = (
            f_score_interval(*triple, beta=beta, method=method, confidence_level=level) for level in sorted(two)
        )
        if isinstance(less, Undefined) or isinstance(more, Undefined):
            assert less == more
            assert method == "delta" or not any(triple)
            continue
        assert 0 <= more.low <= less.low < less.high <= more.high <= 1
        assert less.low <= f_value(*triple, beta=beta) + 1e-12
        assert f_value(*triple, beta=beta) <= less.high + 1e-12


def test_f1_takes_misses_for_false_alarms() -> None:
    for method in METHODS:
        assert f_score_interval(9, 2, 7, beta=1, method=method) == f_score_interval(9, 7, 2, beta=1, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_where_there_is_no_interval(method: FMethod) -> None:
    assert f_score_interval(0, 0, 0, beta=1, method=method) is Undefined.NO_EDITS
    if method == "delta":
        assert f_score_interval(0, 2, 5, method=method) is Undefined.ZERO_WIDTH
        assert f_score_interval(7, 0, 0, method=method) is Undefined.ZERO_WIDTH
    else:
        nothing, everything = (f_score_interval(*t, beta=1, method=method) for t in ((0, 2, 5), (7, 0, 0)))
        assert isinstance(nothing, Interval)
        assert isinstance(everything, Interval)
        assert (nothing.low, everything.high) == (0, 1)
        assert nothing.high > 0.1
        assert everything.low < 0.9


def test_the_default_follows_the_measurements() -> None:
    # The table "F from counts" of docs/measurements/intervals.md.
    assert f_score_interval(9, 2, 7, beta=1) == f_score_interval(9, 2, 7, beta=1, method="wilson-j")
    assert f_score_interval(9, 2, 7) == f_score_interval(9, 2, 7, beta=0.5, method="goutte-gaussier")


def test_f_half_is_the_default_everywhere() -> None:
    assert f_quantile(0.5, 50, 10, 20) == f_quantile(0.5, 50, 10, 20, beta=0.5, prior=0.5)
    assert f_cdf(0.8, 50, 10, 20) == f_cdf(0.8, 50, 10, 20, beta=0.5, prior=0.5)


def test_f_is_between_0_and_1_and_nothing_has_none() -> None:
    assert [f_cdf(f, 5, 1, 2) for f in (-0.1, 0, 1, 1.1)] == [0, 0, 1, 1]
    assert np.isnan([f_value(0, 0, 0), f_standard_error(0, 0, 0)]).all()


def test_misuse_is_named() -> None:
    with pytest.raises(UsageError, match=r"for F1, not for beta = 0.5; use goutte-gaussier or delta \[interval-beta\]"):
        f_score_interval(5, 1, 1, method="wilson-j")
    with pytest.raises(UsageError, match=r"did you mean 'delta'.*\[interval-method\]"):
        f_score_interval(5, 1, 1, method="dleta")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(UsageError, match=r"\[f-counts\]"):
        f_score_interval(-1, 1, 1)
    with pytest.raises(UsageError, match=r"\[f-counts\]"):
        f_score_interval(5, -1, 1, method="delta")
    for beta in (0.5, 1.0):
        with pytest.raises(UsageError, match=r"\[f-counts\]"):
            f_quantile(0.5, 5, -0.1, 1, beta=beta)
    with pytest.raises(UsageError, match=r"\[f-beta\]"):
        f_score_interval(1, 1, 1, beta=0)
    with pytest.raises(UsageError, match=r"\[interval-prior\]"):
        f_score_interval(1, 1, 1, prior=0)
    with pytest.raises(UsageError, match=r"\[quantile\]"):
        f_quantile(1, 1, 1, 1)
