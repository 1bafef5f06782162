from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from errorbar.core import Undefined, UsageError
from errorbar.stats import (
    detectable_difference,
    leave_one_out,
    multiplicities,
    paired_power,
    power_of_test,
    pseudo_values,
    stream,
    units_for_half_width,
    units_for_power,
)
from tests.stats.fixtures import FIRST, f_half

effects = st.floats(0.05, 2)


def test_cohens_medium_effect_needs_34_pairs() -> None:
    # The textbook case (d = 0.5, two-sided 5 %, power 80 %): G*Power and statsmodels (TTestPower) give n = 33.4.
    assert units_for_power(0.5, 1) == 34
    assert power_of_test(0.5, 1, 34) == pytest.approx(0.8078, abs=1e-4)
    assert units_for_power(-0.5, 1) == 34


@pytest.mark.parametrize(("effect", "alpha", "n"), [(1, 5e-5, 32), (1, 1e-6, 45), (0.5, 1e-8, 189), (0.3, 1e-6, 378)])
def test_units_for_small_levels_are_those_of_the_noncentral_t(effect: float, alpha: float, n: int) -> None:
    """At 5e-5, of one test among a thousand, scipy has no value for the far tail of 28 units."""
    power = [stats.nct.sf(stats.t.ppf(1 - alpha / 2, k - 1), k - 1, effect * k**0.5) for k in (n - 1, n)]
    assert power[0] < 0.8 <= power[1]
    assert units_for_power(effect, 1, alpha=alpha) == n
    assert power_of_test(effect, 1, n, alpha=alpha) == pytest.approx(power[1])


def test_half_width_of_a_kappa() -> None:
    # Section 1.2 of the statistics notes: kappa with SE .042574 at n = 1336; ±.05 needs about 3,720 items.
    assert units_for_half_width(0.042574 * 1336**0.5, 0.05) == pytest.approx(3720, abs=5)


def test_half_width_by_hand() -> None:
    # (1.96 * 2 / 0.5)² = 61.47
    assert units_for_half_width(2, 0.5) == 62
    assert units_for_half_width(0, 0.5) == 1


@pytest.mark.parametrize(("effect", "n"), [(0.0, 8), (0.7, 8), (0.4, 40), (2.0, 50)])
def test_power_is_the_share_of_significant_t_tests(effect: float, n: int) -> None:
    # 20,000 simulated studies: standard error at most .0035; four of them.
    d = stream(11, "power", n, str(effect)).normal(effect, 1.0, (20_000, n))
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / n**0.5)
    share = float(np.mean(2 * stats.t.sf(np.abs(t), n - 1) < 0.05))
    assert share == pytest.approx(power_of_test(effect, 1, n), abs=0.014)


@given(effects, st.integers(2, 500))
@example(1.703125, 233)  # scipy has no value of a tail of 1e-290
def test_more_units_and_larger_effects_have_more_power(effect: float, n: int) -> None:
    here = power_of_test(effect, 1, n)
    assert 0.05 - 1e-9 <= here <= 1
    assert here <= power_of_test(effect, 1, n + 10) + 1e-9
    assert here <= power_of_test(effect * 1.5, 1, n) + 1e-9
    assert here == pytest.approx(power_of_test(effect * 7, 7, n))


@given(effects)
def test_the_smallest_number_of_units(effect: float) -> None:
    n = units_for_power(effect, 1)
    assert power_of_test(effect, 1, n) >= 0.8
    assert n == 2 or power_of_test(effect, 1, n - 1) < 0.8
    assert detectable_difference(1, n) <= effect * (1 + 1e-9)
    assert power_of_test(detectable_difference(1, n), 1, n) == pytest.approx(0.8, abs=1e-6)


def test_pseudo_values_of_a_mean_are_its_values() -> None:
    x = np.array([3.0, 1, 4, 1, 5])
    left_out = np.array([np.delete(x, k).mean() for k in range(5)])
    assert pseudo_values(x.mean(), left_out) == pytest.approx(x)


def test_pseudo_values_of_f_have_its_standard_error() -> None:
    # The jackknife's; the bootstrap's on the same sentences is .0864 (section 7).
    jackknife = f_half(multiplicities(leave_one_out(np.arange(12)), 12) @ FIRST)
    pseudo = pseudo_values(float(f_half(FIRST.sum(axis=0))), jackknife)
    assert pseudo.std(ddof=1) / 12**0.5 == pytest.approx(0.0864, abs=0.01)


def test_what_a_corpus_can_show() -> None:
    d = stream(12).normal(0, 1, 34)
    d = (d - d.mean()) / d.std(ddof=1)
    found = paired_power(d, 0.5)
    assert (found.n, found.units_needed) == (34, 34)
    assert found.power == pytest.approx(0.8078, abs=1e-4)
    assert found.detectable == pytest.approx(detectable_difference(1, 34))


def scipy_power(effect: float, n: int, alpha: float) -> float:
    """Power of the paired t-test at a standard deviation of 1, by scipy's noncentral t."""
    t, shift = stats.t.ppf(1 - alpha / 2, n - 1), effect * n**0.5
    return float(stats.nct.sf(t, n - 1, shift) + stats.nct.cdf(-t, n - 1, shift))


def test_the_level_and_the_power_wanted_are_those_asked_for() -> None:
    d = stream(12).normal(0, 1, 34)
    found = paired_power((d - d.mean()) / d.std(ddof=1), 0.5, alpha=0.01, wanted=0.9)
    assert found.power == pytest.approx(scipy_power(0.5, 34, 0.01))
    assert found.detectable is not None
    assert scipy_power(found.detectable, 34, 0.01) == pytest.approx(0.9, abs=1e-6)
    assert found.units_needed is not None
    assert scipy_power(0.5, found.units_needed - 1, 0.01) < 0.9 <= scipy_power(0.5, found.units_needed, 0.01)
    assert units_for_power(0.5, 1, alpha=0.2, wanted=0.3) < 34
    # Of five units 1.7 standard deviations are enough at 5 %, but not two of them at 1 %.
    few = detectable_difference(1, 5, alpha=0.01)
    assert few > 2
    assert scipy_power(few, 5, 0.01) == pytest.approx(0.8, abs=1e-6)


def test_where_nothing_can_be_said() -> None:
    assert paired_power([], 0.1).undefined is Undefined.NO_UNITS
    assert paired_power([0.3], 0.1).undefined is Undefined.ONE_UNIT
    assert paired_power([0.0, 0.0], 0.1).undefined is Undefined.NO_DISAGREEMENT
    assert paired_power([0.1, np.nan], 0.1).undefined is Undefined.NOT_COMPARABLE
    # They do differ, always by the same: 0.1 + 0.2 is 0.3 but for rounding.
    assert paired_power([0.3, 0.1 + 0.2, 0.3], 0.1).undefined is Undefined.SAME_DIFFERENCE


def test_misuse_is_named() -> None:
    with pytest.raises(UsageError, match=r"no corpus shows a difference of 0.*\[power-effect\]"):
        units_for_power(0, 1)
    with pytest.raises(UsageError, match=r"\[power-numbers\]"):
        power_of_test(1, 0, 10)
    with pytest.raises(UsageError, match=r"\[power-numbers\]"):
        detectable_difference(1, 10, wanted=0.01)
    with pytest.raises(UsageError, match=r"\[power-numbers\]"):
        units_for_half_width(1, 0)
    for wanted in (0.04, 0.05, 1):
        with pytest.raises(UsageError, match=r"\[power-numbers\]"):
            units_for_power(0.5, 1, wanted=wanted)
    with pytest.raises(UsageError, match=r"\[power-units\]"):
        power_of_test(1, 1, 1)
