"""Intervals of samples that may be looked at at any time, planned looks, and when to stop."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from errorbar.core import Undefined, UsageError
from errorbar.sampling import (
    Aim,
    Anytime,
    Budget,
    Estimation,
    Look,
    Quantity,
    Sample,
    StopRule,
    Strata,
    Tally,
    budget_for_half_width,
    estimate_sample,
    may_stop,
    paired_differences,
    plan_looks,
    plan_sample,
)
from errorbar.sampling.frame import Name, estimated_totals
from errorbar.sampling.stopping import anytime_bounds, joint_bounds
from errorbar.stats import finite_evidence, finite_share_bounds, look_boundaries
from tests.helpers.expectations import expect_refusal, require
from tests.sampling.anytime_runs import CASES, ratio_run, stratified_run

MEASURED = (Path(__file__).resolve().parents[2] / "tests/measured/stopping.md").read_text(encoding="utf-8")
LARGE = Strata.of_sizes(1000, 9000)
BANDS = Strata(("a", "b", "c", "d"), np.array([12, 9, 14, 10]), np.array([[True, True, False, False]]))


@pytest.mark.parametrize("name", get_args(Name))
@pytest.mark.parametrize(
    ("n", "x"),
    [
        ([5, 4, 6, 5], [4, 1, 1, 0]),
        pytest.param([3, 3, 3, 3], [3, 3, 0, 0], marks=pytest.mark.slow),
        pytest.param([12, 9, 2, 10], [4, 4, 1, 2], marks=pytest.mark.slow),
        ([1] * 4, [0] * 4),
    ],
)
def test_joint_bounds_are_those_of_every_combination(name: Name, n: list[int], x: list[float]) -> None:
    """All ways to have M_1 … M_4 errors are tried."""
    quantity, limit = Quantity(name, BANDS), np.log(20)
    against = [finite_evidence(x[h], n[h], size, np.arange(size + 1)) for h, size in enumerate(BANDS.sizes.tolist())]
    used = {"P": quantity.flags, "Q": ~quantity.flags}.get(name, np.ones(4, np.bool_))
    kept = [
        float(quantity.value(np.array(errors, np.float64)))
        for errors in product(*(range(size + 1) for size in BANDS.sizes.tolist()))
        if sum(against[h][errors[h]] for h in range(4) if used[h]) < limit
    ]
    known = [value for value in kept if not np.isnan(value)]
    assert joint_bounds(quantity, Sample.of(n, x), 0.95) == pytest.approx((min(known), max(known)), abs=1e-9)


def test_one_stratum_is_the_prior_posterior_ratio_alone() -> None:
    sample = Sample.of([150, 600], [120, 60])
    low, high = finite_share_bounds(120, 150, 1000)
    found = anytime_bounds(Quantity("P", LARGE), sample, estimated_totals(sample, LARGE), Anytime(), 0.95)
    assert found == (float(low) / 1000, float(high) / 1000, "anytime, prior-posterior")


def methods(n: list[int], x: list[float]) -> list[str]:
    found = estimate_sample(LARGE, Sample.of(n, x), Estimation(looks=Anytime()))
    return [row.estimate.interval.method for row in found.rows if row.estimate.interval is not None]


def test_ratios_are_asymptotic_once_enough_was_seen() -> None:
    exact, normal = "anytime, prior-posterior", "anytime, asymptotic"
    assert methods([150, 600], [120, 60]) == [exact] * 4 + [normal] * 2
    assert methods([150, 600], [120, 9]) == [exact] * 6  # nine misses
    assert methods([25, 30], [12, 12]) == [exact] * 6  # 55 items


def test_anytime_is_wider_than_a_look_and_that_than_plain() -> None:
    sample, widths = Sample.of([150, 600], [120, 60]), []
    for looks in (None, Look(5, 5), Look(3, 5), Look(1, 5)):
        made = require(estimate_sample(LARGE, sample, Estimation(looks=looks))["R"].estimate.interval)
        assert made.confidence_level == 0.95
        assert made.method == ("near-exact" if looks is None else f"near-exact, {looks}")
        widths.append(made.high - made.low)
    assert widths == sorted(widths)
    always = require(estimate_sample(LARGE, sample, Estimation(looks=Anytime()))["R"].estimate.interval)
    assert always.high - always.low > widths[1]


def test_wald_at_a_look_reaches_as_far_as_its_boundary() -> None:
    sample, boundary = Sample.of([150, 600], [120, 60]), look_boundaries(5)[1]
    row = estimate_sample(LARGE, sample, Estimation(method="wald", looks=Look(2, 5)))["R"]
    assert row.estimate.interval is not None
    assert row.standard_error is not None
    assert row.estimate.interval.high - row.estimate.interval.low == pytest.approx(2 * boundary * row.standard_error)


def test_everything_judged_has_no_width() -> None:
    found = estimate_sample(BANDS, Sample.of([12, 9, 14, 10], [6, 3, 2, 1]), Estimation(looks=Anytime()))
    assert {row.estimate.no_interval for row in found.rows} == {Undefined.ZERO_WIDTH}


def test_graded_truths_are_asymptotic_or_nothing() -> None:
    spread = np.array([0.5, 0.5])
    many = Sample(np.array([150, 600]), np.array([120.5, 60.5]), spread)
    rows = estimate_sample(LARGE, many, Estimation(looks=Anytime()))
    assert {row.estimate.interval.method for row in rows.rows if row.estimate.interval} == {"anytime, asymptotic"}
    few = Sample(np.array([15, 60]), np.array([12.5, 6.5]), spread)
    row = estimate_sample(LARGE, few, Estimation(looks=Anytime()))["P"]
    assert row.estimate.no_interval is Undefined.TOO_FEW_UNITS


def test_differences() -> None:
    flags = np.array([[1, 1, 0, 0], [1, 0, 1, 0]]) > 0
    two = Strata(("both", "a", "b", "neither"), np.array([300, 200, 200, 3000]), flags, ("a", "b"))
    sample = Sample.of([100, 80, 80, 400], [80, 50, 30, 20])
    plain, always = (paired_differences(two, sample, Estimation(looks=looks)) for looks in (None, Anytime()))
    for at_the_end, other in zip(plain, always, strict=True):
        assert other.estimate.interval is not None
        assert other.estimate.interval.method == "anytime, asymptotic"
        assert other.estimate.interval.low < require(at_the_end.estimate.interval).low
    few = paired_differences(two, Sample.of([10] * 4, [8, 5, 3, 1]), Estimation(looks=Anytime()))
    assert few[0].estimate.no_interval is Undefined.TOO_FEW_UNITS


def test_looks_of_a_plan() -> None:
    plan = plan_sample(LARGE, np.array([0.8, 0.05]), 500, Aim("R", 1.0, Look(5, 5).nominal(0.95)))
    looks = plan_looks(plan, 5)
    assert [look.number for look in looks] == [1, 2, 3, 4, 5]
    assert looks[-1].n == tuple(plan.n.tolist())
    assert looks[-1].half_widths[0] == pytest.approx(plan.expected[1].half_width)
    assert [sum(look.n) for look in looks] == [100, 200, 301, 400, 500] or sum(looks[0].n) in (100, 101)
    assert looks[0].half_widths > looks[1].half_widths


def test_looks_cost_a_twelfth() -> None:
    rates = np.array([0.8, 0.05])
    once, five_times = (
        budget_for_half_width(LARGE, rates, 0.05, Aim("R", 1.0, Look(k, k).nominal(0.95))) for k in (1, 5)
    )
    assert 1.05 < five_times / once < 1.09  # (2.040 / 1.960)², less the finite-population correction


@pytest.mark.parametrize(("at", "of"), [(0, 5), (6, 5), (1, 101), (-1, 1)])
def test_no_such_look(at: int, of: int) -> None:
    with expect_refusal("look-number"):
        Look(at, of)


class TestMayStop:
    def test_width(self) -> None:
        rule, budget = StopRule(half_width=0.05), Budget(600, raters=2, minutes=0.5)
        early = may_stop(Tally(80, 100), rule, budget)
        assert (early.stop, early.reason, early.saved_judgments, early.saved_minutes) == (False, "go on", 0, 0)
        assert early.needed is not None
        assert 200 < early.needed < 300
        late = may_stop(Tally(round(0.8 * early.needed), early.needed), rule, budget)
        assert (late.stop, late.reason) == (True, "narrow enough")
        assert late.saved_judgments == 2 * (600 - early.needed)
        assert late.saved_minutes == 600 - early.needed

    def test_a_finite_stratum_needs_fewer(self) -> None:
        rule, budget = StopRule(half_width=0.05), Budget(600)
        endless, finite = may_stop(Tally(80, 100), rule, budget), may_stop(Tally(80, 100, 500), rule, budget)
        assert endless.needed is not None
        assert finite.needed is not None
        assert finite.needed < endless.needed

    def test_verdict(self) -> None:
        rule, budget = StopRule(threshold=0.5), Budget(1000)
        assert may_stop(Tally(60, 100), rule, budget).reason == "go on"
        won = may_stop(Tally(70, 100), rule, budget)
        assert (won.reason, won.saved_judgments, won.interval.method) == ("decided", 900, "anytime, beta")
        finite = may_stop(Tally(70, 100, 1000), rule, budget)
        assert (finite.reason, finite.interval.method) == ("decided", "anytime, prior-posterior")

    def test_plain_intervals_would_decide_too_early(self) -> None:
        """60 of 100: Wilson's interval, .502 to .691, leaves out one half; the one that always holds does not."""
        assert may_stop(Tally(60, 100), StopRule(threshold=0.5), Budget(200)).interval.low < 0.45

    def test_nothing_and_everything(self) -> None:
        for rule in (StopRule(half_width=0.05), StopRule(threshold=0.5)):
            assert may_stop(Tally(0, 0, 50), rule, Budget(50)).reason == "go on"
            assert may_stop(Tally(25, 50, 50), rule, Budget(60)).stop
            assert may_stop(Tally(10, 20), rule, Budget(20)).reason == "all judged"
        assert may_stop(Tally(0, 0), StopRule(half_width=0.05), Budget(50)).needed is None
        assert may_stop(Tally(1, 1, 1), StopRule(half_width=0.05), Budget(1)).reason == "narrow enough"
        assert may_stop(Tally(0, 0, 0), StopRule(threshold=0.5), Budget(0)).stop

    @pytest.mark.parametrize(("half_width", "threshold"), [(None, None), (0.1, 0.5), (0, None), (None, 1.0)])
    def test_one_rule(self, half_width: float | None, threshold: float | None) -> None:
        with pytest.raises(UsageError):
            StopRule(half_width, threshold)

    def test_counts(self) -> None:
        with pytest.raises(UsageError):
            Tally(5, 4)
        with pytest.raises(UsageError):
            Tally(1, 4, 3)


def test_seldom_ever_wrong() -> None:
    for case in CASES.values():
        found = ratio_run(case, "R", 1000)
        assert found["anytime"] < 0.06
        assert found["naive"] > 0.25
        assert found["trusted"] > 0.9  # the asymptotic interval was used
    assert stratified_run(500)["asymptotic"] < 0.07


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("score", ["R", "F"])
def test_ratios_are_never_wrong_too_often(name: str, score: str) -> None:
    found = ratio_run(CASES[name], score, 10_000)  # type: ignore[arg-type]  # one of the two
    assert found["anytime"] <= 0.05
    assert f"| {score}, {name} | {found['anytime']:.3f} |" in MEASURED


@pytest.mark.slow
def test_stratified_means_are_never_wrong_too_often() -> None:
    found = stratified_run(10_000)["asymptotic"]
    assert found <= 0.05
    assert f"| mean of strata of 1,000, 500 and 200, asymptotic | {found:.3f} |" in MEASURED


def test_strata_that_are_judged_whole_make_nothing_trusted() -> None:
    """Sixty judged of sixty say nothing of the twenty of which ten were judged, five of them errors."""
    flags = np.array([[True, True, False]])
    strata = Strata(("open", "whole", "rest"), np.array([20, 60, 900]), flags)
    sample = Sample.of([10, 60, 300], [5, 40, 60])
    found = estimate_sample(strata, sample, Estimation(looks=Anytime()))
    assert {row.estimate.interval.method for row in found.rows if row.estimate.interval and row.name in "PRF"} == {
        "anytime, prior-posterior"
    }
    more = Sample.of([20, 60, 300], [10, 40, 60])
    made = require(estimate_sample(strata, more, Estimation(looks=Anytime()))["R"].estimate.interval)
    assert made.method == "anytime, asymptotic"
