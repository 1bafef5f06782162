"""Numbers that others computed: Tetreault and Chodorow 2008, tables 3 and 5, and the project's statistics notes.

The notes' values were computed with numpy, scipy and statsmodels, and confirmed by simulation where one exists (their
sections 1.1, 8 and 9); each test names the section. Other intervals of the same table stand in ``test_alternatives``.
"""

from __future__ import annotations

import numpy as np
import pytest

from errorbar.core import Interval, UsageError
from errorbar.sampling import (
    Aim,
    Estimation,
    Quantity,
    Sample,
    Strata,
    budget_for_half_width,
    estimate_sample,
    paired_differences,
    plan_sample,
    ppi_mean,
)
from errorbar.sampling.estimators import METHODS, Method
from errorbar.sampling.frame import Target, estimated_totals, random_sampling_error
from errorbar.sampling.intervals import box_interval, logit_bounds, total_bounds
from errorbar.sampling.plan import allocate, expected_error, importance, proportional
from errorbar.sampling.prediction_powered import best_trust
from tests.helpers.expectations import require
from tests.sampling.examples import LARGE as STRATA
from tests.sampling.examples import SAMPLE, TWO

TWO_SAMPLE = Sample.of([200, 150, 150, 500], [180, 90, 60, 20])
"""Section 8, two systems."""


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [  # section 1.1; P .80 and R .23 are printed in table 5
        ("hits", 800, 7.30784),
        ("misses", 2700, 97.24353),
        ("false positives", 200, 7.30784),
        ("P", 0.8, 0.007308),
        ("R", 0.228571, 0.006552),
        ("F", 0.355556, 0.008134),
    ],
)
def test_table_5(name: str, value: float, error: float) -> None:
    row = estimate_sample(STRATA, SAMPLE)[name]
    assert row.estimate.value == pytest.approx(value, abs=5e-7)
    assert row.standard_error == pytest.approx(error, abs=5e-6 if value > 1 else 5e-7)
    assert row.estimate.n_units == 2250


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("P", 0.7857, 0.8143), ("R", 0.215730, 0.241412), ("F", 0.3396, 0.3715)],  # section 1.1, Wald with FPC
)
def test_wald_intervals(name: str, low: float, high: float) -> None:
    interval = require(estimate_sample(STRATA, SAMPLE, Estimation(method="wald"))[name].estimate.interval)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-7 if name == "R" else 5e-5)
    assert interval.method == "wald"


def test_logit_interval_without_smoothing() -> None:
    # Section 1.1: .215985 to .241666.
    low, high = logit_bounds(Quantity("R", STRATA), *estimated_totals(SAMPLE, STRATA, add=0))
    assert (float(low), float(high)) == pytest.approx((0.215985, 0.241666), abs=1e-6)


def test_logit_with_a_half_and_bayes_beside_it() -> None:
    # By hand: T = x + (N - n) (x + 1/2) / (n + 1) is 799.900 and 2698.651 (250 and 7,500 items were not judged).
    totals, _ = estimated_totals(SAMPLE, STRATA)
    assert totals == pytest.approx([600 + 250 * 600.5 / 751, 450 + 7500 * 450.5 / 1501])
    row = estimate_sample(STRATA, SAMPLE, Estimation(method="logit", seed=0))["R"]
    assert row.estimate.interval is not None
    assert row.estimate.interval.method == "logit"
    assert (row.estimate.interval.low, row.estimate.interval.high) == pytest.approx((0.2160, 0.2417), abs=2e-4)
    interval = require(row.bayes)
    # Section 1.1: .2162 to .2419, itself a simulation.
    assert (interval.low, interval.high) == pytest.approx((0.2162, 0.2419), abs=4e-4)


def test_exact_bounds() -> None:
    # Section 1.1: hits 785 to 814 and misses 2510 to 2896 at 95 % each; the box of R at 97.5 % each.
    assert total_bounds(600, 750, 1000) == (785, 814)
    assert total_bounds(450, 1500, 9000) == (2510, 2896)
    box = box_interval(Quantity("R", STRATA), SAMPLE)
    assert (box.low, box.high) == pytest.approx((0.2112, 0.2473), abs=5e-5)


def test_no_miss_seen() -> None:
    # Section 1.1: none of 300 of 9,000 leaves at most 108 misses.
    assert total_bounds(0, 300, 9000) == (0, 108)
    # By hand, without end: (1 - q)^300 = .025 at q = .01222; a large population comes near.
    assert total_bounds(0, 300, 10**7)[1] / 10**7 == pytest.approx(0.01222, abs=1e-5)
    found = estimate_sample(STRATA, Sample.of([200, 300], [160, 0]), Estimation(method="logit"))
    row = found["R"].estimate
    assert row.value == 1
    assert row.interval is not None
    assert row.interval.method == "exact"
    assert row.interval.high == 1
    assert row.interval.low < 800 / 908
    (note,) = found.notes
    assert note.code == "sample-none-seen"
    assert "at most 108 among 9000" in note.what


def test_few_misses_are_warned_of() -> None:
    assert [n.code for n in estimate_sample(STRATA, Sample.of([200, 300], [160, 4])).notes] == ["sample-few"]
    assert estimate_sample(STRATA, Sample.of([200, 300], [160, 5])).notes == ()


def test_three_strata() -> None:
    # Section 8: OK split into 2,000 (700 judged, 550 errors) and 7,000 (800, 80).
    strata = Strata(("f", "a", "b"), np.array([1000, 2000, 7000]), np.array([[True, False, False]]))
    found = estimate_sample(strata, Sample.of([750, 700, 800], [600, 550, 80]))
    assert found["misses"].estimate.value == pytest.approx(2271.43, abs=5e-3)
    assert found["R"].estimate.value == pytest.approx(0.260465, abs=5e-7)
    assert found["R"].standard_error == pytest.approx(0.006539, abs=5e-7)


@pytest.mark.parametrize(
    ("sizes", "rates", "budget", "beta", "target", "n", "error"),
    [  # section 8
        ((1000, 9000), (0.8, 0.3), 2250, 1, "R", [555, 1695], 0.00640),
        ((1000, 9000), (0.8, 0.3), 2250, 1, "F", [697, 1553], 0.00812),
        ((1000, 9000), (0.8, 0.3), 2250, 0.5, "F", [1000, 1250], None),
        ((1000, 9000), (0.8, 0.05), 600, 1, "R", [62, 538], 0.04431),
        ((1000, 9000), (0.8, 0.05), 600, 1, "F", [162, 438], 0.03326),
        ((1000, 9000), (0.8, 0.05), 600, 0.5, "F", [319, 281], 0.02240),
        ((500, 9500), (0.84, 0.04), 1000, 1, "R", [82, 918], 0.03987),
        ((500, 9500), (0.84, 0.04), 1000, 1, "F", [171, 829], 0.03291),
    ],
)
def test_allocation(
    sizes: tuple[int, int],
    rates: tuple[float, float],
    budget: int,
    beta: float,
    target: Target,
    n: list[int],
    error: float | None,
) -> None:
    plan = plan_sample(Strata.of_sizes(*sizes), rates, budget, Aim(target=target, beta=beta))
    assert plan.n.tolist() == n
    expected = {estimate.name: estimate for estimate in plan.expected}[target]
    if error is not None:
        assert expected.standard_error == pytest.approx(error, abs=5e-6)
        assert 1 < expected.half_width / (1.959964 * expected.standard_error) < 1.1  # near-exact


def test_ratio_for_recall() -> None:
    # Section 8: .5 : 1.527525, whatever the sizes.
    for sizes in ((1000, 9000), (50, 10**6)):
        a = importance(Strata.of_sizes(*sizes), (0.8, 0.3), Aim("R"))
        assert a[0] / a[1] == pytest.approx(0.5 / 1.527525, rel=1e-6)


@pytest.mark.parametrize("target", ["P", "R", "F"])
def test_allocation_is_the_best_of_all_whole_numbers(target: Target) -> None:
    strata, rates = Strata.of_sizes(60, 300), np.array([0.7, 0.1])
    n = plan_sample(strata, rates, 100, Aim(target=target), floor=2).n

    def error(first: int) -> float:
        return expected_error(Quantity(target, strata), rates, np.array([first, 100 - first]))

    assert error(int(n[0])) == pytest.approx(min(error(first) for first in range(2, 61)), rel=1e-12)


def test_costs_and_caps() -> None:
    # Neyman with costs: n in proportion to a / sqrt(c): 1 : 1/2 : 1/2 with 4 the cost of the last two.
    n = allocate([1, 1, 1], [10**6] * 3, 500, floor=1, costs=[1, 4, 4])
    assert n.tolist() == [100, 50, 50]
    assert allocate([1, 1], [10, 1000], 100, floor=1).tolist() == [10, 90]
    assert allocate([1, 0], [10, 1000], 100, floor=1).tolist() == [10, 90]


def test_other_designs() -> None:
    # Sections 1.1 and 8: 750/1,500 .006552 (.00655), proportional .00738, equal .00707, simple random about .0132.
    rates = np.array([0.8, 0.3])
    assert expected_error(Quantity("R", STRATA), rates, np.array([750, 1500])) == pytest.approx(0.00655, abs=5e-6)
    designs = {design.name: design for design in plan_sample(STRATA, rates, 2250).designs()}
    half = {name: design.half_widths[1] for name, design in designs.items()}
    for name, error in {"best for R": 0.00640, "proportional": 0.00738, "equal": 0.00707}.items():
        assert half[name] == pytest.approx(1.959964 * error, abs=1e-5)
    assert half["simple random"] == pytest.approx(1.96 * 0.0132, abs=1e-4)
    assert designs["verification"].half_widths[1:] == (None, None)
    assert proportional(STRATA.sizes, 2250).tolist() == [225, 2025]


def test_simple_random_sampling_by_simulation() -> None:
    rng = np.random.default_rng(8)
    tp, fp, fn, _ = rng.multivariate_hypergeometric([800, 200, 2700, 6300], 2250, 50_000).T
    for target, values in (("P", tp / (tp + fp)), ("R", tp / (tp + fn)), ("F", 2 * tp / (2 * tp + fp + fn))):
        error = random_sampling_error(Quantity(target, STRATA), (0.8, 0.3), 2250)  # type: ignore[arg-type]  # one of the names above
        assert error == pytest.approx(values.std(), rel=0.015)


def test_items_for_a_half_width() -> None:
    # Section 8: 545.5 items without correction, (sum of a_h)² z² / d²; with it fewer are enough.
    a = importance(STRATA, (0.8, 0.3), Aim())
    n = a * a.sum() * (1.959964 / 0.03) ** 2
    assert n.sum() == pytest.approx(545.5, abs=0.05)
    assert n.round().tolist() == [135, 411]
    budget = budget_for_half_width(STRATA, (0.8, 0.3), 0.03)
    wide, narrow = (plan_sample(STRATA, (0.8, 0.3), b).expected[1].half_width for b in (budget - 1, budget))
    assert narrow <= 0.03 < wide


def test_two_systems() -> None:
    # Section 8: R .590909 (SE .033631) and .560606 (.031877), P .780000 and .672727.
    for system, recall, error, precision in ((0, 0.590909, 0.033631, 0.78), (1, 0.560606, 0.031877, 0.672727)):
        found = estimate_sample(TWO, TWO_SAMPLE, system=system)
        assert found["R"].estimate.value == pytest.approx(recall, abs=5e-7)
        assert found["R"].standard_error == pytest.approx(error, abs=5e-7)
        assert found["P"].estimate.value == pytest.approx(precision, abs=5e-7)
    # Taken for independent the difference would have .0463, 2.9 times as much.
    errors = [estimate_sample(TWO, TWO_SAMPLE, system=system)["R"].standard_error or 0.0 for system in (0, 1)]
    apart = float(np.hypot(errors[0], errors[1]))
    assert apart == pytest.approx(0.0463, abs=5e-5)
    assert apart / 0.016170 == pytest.approx(2.9, abs=0.05)
    # R_A - R_B .030303, SE .016170, -.0014 to .0620.
    row = paired_differences(TWO, TWO_SAMPLE, add=0)[1]
    assert row.name == "R"
    assert row.estimate.value == pytest.approx(0.030303, abs=5e-7)
    assert row.standard_error == pytest.approx(0.016170, abs=5e-7)
    interval = require(row.estimate.interval)
    assert (interval.low, interval.high) == pytest.approx((-0.0014, 0.0620), abs=5e-5)


def test_two_systems_by_simulation() -> None:
    # Section 8: Monte-Carlo .01612. The truth is the sample scaled up.
    errors, rng = np.array([540, 240, 200, 340]), np.random.default_rng(8)
    x = rng.hypergeometric(errors, TWO.sizes - errors, TWO_SAMPLE.n, (100_000, 4))
    totals, _ = estimated_totals(Sample(np.broadcast_to(TWO_SAMPLE.n, x.shape), x.astype(np.float64)), TWO, add=0)
    recalls = [Quantity("R", TWO, system=system).value(totals) for system in (0, 1)]
    assert (recalls[0] - recalls[1]).std() == pytest.approx(0.01612, abs=1.5e-4)
    assert np.hypot(recalls[0].std(), recalls[1].std()) == pytest.approx(0.0463, abs=3e-4)


Y = [1, 0, 0, 1, 1, 0, 0, 0, 1, 0]
CHEAP = [0.9, 0.2, 0.4, 0.7, 0.6, 0.1, 0.3, 0.2, 0.8, 0.5]
OTHERS = [0.1, 0.2, 0.8, 0.9, 0.3, 0.4, 0.6, 0.2, 0.1, 0.7, 0.5, 0.3, 0.2, 0.9, 0.1, 0.4, 0.2, 0.3, 0.6, 0.1]


@pytest.mark.parametrize(
    ("trust", "value", "low", "high"),
    [  # section 9, confirmed by the ppi-python package; the best trust is 1.0626, clipped to 1
        (1.0, 0.325, 0.111339, 0.538661),
        (None, 0.325, 0.111339, 0.538661),
        (0.0, 0.40, 0.096364, 0.703636),
    ],
)
def test_prediction_powered_mean(trust: float | None, value: float, low: float, high: float) -> None:
    found = ppi_mean(Y, CHEAP, OTHERS, trust=trust)
    assert found.estimate.value == pytest.approx(value)
    assert isinstance(found.estimate.interval, Interval)
    assert (found.estimate.interval.low, found.estimate.interval.high) == pytest.approx((low, high), abs=5e-7)


def test_prediction_powered_mean_of_few_labels() -> None:
    # Section 9: divided by n - 1 instead of n, .101521 to .548479.
    made = require(ppi_mean(Y, CHEAP, OTHERS, trust=1.0, divisor="n - 1").estimate.interval)
    assert (made.low, made.high) == pytest.approx((0.101521, 0.548479), abs=5e-7)
    with pytest.raises(UsageError, match="at least 2 of each"):
        ppi_mean([1], [0.5], OTHERS, divisor="n - 1")
    with pytest.raises(UsageError, match="as many cheap as expert labels"):
        ppi_mean(Y, [0.5], OTHERS)
    with pytest.raises(UsageError, match="no divisor is called"):
        ppi_mean(Y, CHEAP, OTHERS, divisor="n-2")  # type: ignore[arg-type]  # wrong on purpose


def test_best_trust_before_it_is_clipped() -> None:
    # Section 9: 1.0626.
    y, f, u = (np.array(column, np.float64) for column in (Y, CHEAP, OTHERS))
    assert best_trust(y, f, u) == pytest.approx(1.0626, abs=5e-5)
    assert ppi_mean(Y, CHEAP, OTHERS).trust == 1
    assert best_trust(y, np.full(10, 0.5), np.full(20, 0.5)) == 0


@pytest.mark.parametrize("method", METHODS)
def test_everything_judged_has_no_interval(method: Method) -> None:
    found = estimate_sample(STRATA, Sample.of([1000, 9000], [800, 2700]), Estimation(method=method))
    for row in found.rows:
        assert row.estimate.interval is None
        assert str(row.estimate.no_interval) == "the formula gives an interval of zero width here"
        assert row.standard_error == 0
    assert found["R"].estimate.value == pytest.approx(800 / 3500)
