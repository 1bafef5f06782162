"""Plans of samples: what they cost, what they promise, how a budget is shared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorbar import sample_plan
from errorbar.sampling import (
    Aim,
    Quantity,
    Sample,
    Strata,
    budget_for_half_width,
    estimate_sample,
    guessed_rates,
    paired_differences,
    plan_sample,
)
from errorbar.sampling.frame import Target, random_sampling_error
from errorbar.sampling.plan import allocate, expected_error, importance, proportional
from errorbar.stats import stream
from tests.helpers.expectations import expect_refusal, require
from tests.sampling.examples import LARGE, STRATA, TWO, Z


def test_what_cannot_be_planned_is_refused() -> None:
    for call, code in (
        (lambda: allocate([1, 1], [100, 100], 20), "sample-budget"),
        (lambda: plan_sample(STRATA, [0.5, 0], 100), "sample-rates"),
        (lambda: plan_sample(STRATA, [0.5, 0.1], 100, Aim(target="X")), "sample-target"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: paired_differences(STRATA, Sample.of([9, 9], [1, 1])), "sample-systems"),
        (lambda: plan_sample(STRATA, [0.5, 0.1], 100).cost(raters=0), "sample-cost"),
    ):
        with expect_refusal(code):
            call()


def test_cost() -> None:
    cost = plan_sample(STRATA, guessed_rates(STRATA), 100).cost(raters=3, price=0.02, minutes=0.5)
    assert (cost.items, cost.judgments, cost.money, cost.hours) == (100, 300, 6.0, 2.5)


def test_pilot_rates_are_never_0_or_1() -> None:
    assert Sample.of([9, 9], [9, 0]).rates(STRATA) == pytest.approx([0.95, 0.05])


def test_two_strata_that_are_not_alike_to_two_systems() -> None:
    # A flags 600 + 400 items, B 600 + 500; with half of all items errors a_h = |g_h| N_h / 2. P: g is 1/1000 for A
    # where A flags and 1/1100 for B where B flags, so their difference is 1/11000, 1/1000, 1/1100 and 0.
    half = [0.5] * 4
    assert importance(TWO, half, Aim("P"), system=1) == pytest.approx([300 / 1100, 0, 250 / 1100, 0])
    assert importance(TWO, half, Aim("P")) == pytest.approx([300 / 11000, 0.2, 250 / 1100, 0])
    # F with beta 2: F_A = 5 * 500 / (4 * 5000 + 1000), F_B = 5 * 550 / (4 * 5000 + 1100), and g is
    # (5 a - 4 F) over the same denominator.
    first, second = 2500 / 21000, 2750 / 21100
    slopes = [(5 * a - 4 * first) / 21000 - (5 * b - 4 * second) / 21100 for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
    expected = [abs(slope) * size / 2 for slope, size in zip(slopes, (600, 400, 500, 8500), strict=True)]
    assert importance(TWO, half, Aim("F", beta=2)) == pytest.approx(expected)
    plan = plan_sample(TWO, half, 200, Aim(target="F", beta=2), floor=1)
    assert plan.n == pytest.approx(200 * np.array(expected) / sum(expected), abs=1)


def test_what_a_plan_expects_of_each_system() -> None:
    # P A = .5 always; R A = 500 / 5000, R B = 550 / 5000; F as above.
    plan = plan_sample(TWO, [0.5] * 4, 1000, Aim(beta=2))
    assert [(expected.system, expected.name) for expected in plan.expected] == [
        (s, name) for s in "AB" for name in "PRF"
    ]
    assert [expected.value for expected in plan.expected] == pytest.approx(
        [0.5, 0.1, 2500 / 21000, 0.5, 0.11, 2750 / 21100]
    )
    # P of B rests on 600 and 500 items: SE² = Σ N² (1 - n/N) / 4n / 1100².
    n = plan.n[[0, 2]]
    variance = (np.array([600, 500]) ** 2 * (1 - n / np.array([600, 500])) / 4 / n).sum() / 1100**2
    assert plan.expected[3].standard_error == pytest.approx(variance**0.5)
    assert plan.expected[3].half_width == pytest.approx(Z * variance**0.5, rel=0.06)
    narrow = plan_sample(TWO, [0.5] * 4, 1000, Aim(beta=2, confidence_level=0.5)).expected[3]
    assert narrow.half_width == pytest.approx(0.674490 * variance**0.5, rel=0.2)  # exact ones are wide at low levels


def test_expected_errors_at_the_ends() -> None:
    # P rests on what is flagged: nothing judged there tells nothing, all of it everything, and the rest plays no part.
    rates = np.array([0.8, 0.3])
    assert expected_error(Quantity("P", LARGE), rates, np.array([0, 1000])) == np.inf
    assert expected_error(Quantity("P", LARGE), rates, np.array([1000, 0])) == 0
    assert expected_error(Quantity("P", LARGE), rates, np.array([10, 0])) == pytest.approx(
        (0.99 * 0.8 * 0.2 / 10) ** 0.5
    )


def test_guessed_rates_are_high_where_any_system_flags() -> None:
    assert guessed_rates(TWO).tolist() == [0.7, 0.7, 0.7, 0.05]
    assert guessed_rates(STRATA, 0.6, 0.1).tolist() == [0.6, 0.1]


def test_the_budget_may_be_in_units_of_cost() -> None:
    plan = plan_sample(LARGE, [0.8, 0.3], 1000, costs=[2, 1])
    assert plan.spent == 2 * plan.n[0] + plan.n[1] == 1000
    assert plan_sample(LARGE, [0.8, 0.3], 1000).spent == 1000


@pytest.mark.parametrize(("price", "minutes"), [(-1, None), (None, -1), (-1, 1), (1, -1)])
def test_nothing_costs_less_than_nothing(price: float | None, minutes: float | None) -> None:
    plan = plan_sample(STRATA, [0.5, 0.1], 100)
    with expect_refusal("sample-cost"):
        plan.cost(price=price, minutes=minutes)
    assert (plan.cost().judgments, plan.cost().money, plan.cost().hours) == (100, None, None)


def test_items_for_a_half_width_of_f() -> None:
    for level in (0.95, 0.5):
        budget = budget_for_half_width(LARGE, (0.8, 0.3), 0.03, Aim(target="F", beta=2, confidence_level=level))
        wide, narrow = (
            plan_sample(LARGE, (0.8, 0.3), n, Aim(target="F", beta=2, confidence_level=level)).expected[2].half_width
            for n in (budget - 1, budget)
        )
        assert narrow <= 0.03 < wide


@pytest.mark.parametrize(
    ("sizes", "rates", "target", "half_width"),
    [
        ((1000, 9000), (0.8, 0.05), "R", 0.05),
        ((1000, 9000), (0.7, 0.05), "R", 0.1),
        ((1000, 9000), (0.8, 0.05), "P", 0.05),
        ((1000, 9000), (0.8, 0.05), "F", 0.04),
        ((1000, 100_000), (0.8, 0.001), "R", 0.1),
        ((50, 100), (0.7, 0.1), "R", 0.02),
    ],
)
def test_samples_of_a_plan_have_the_half_width(
    sizes: tuple[int, int], rates: tuple[float, float], target: Target, half_width: float
) -> None:
    """The mean over samples that the corpus gives; planned by a normal interval it is up to 1.05 times as wide."""
    asked = {"target": target, "precision": rates[0], "miss_rate": rates[1]}
    plan = sample_plan(flagged=sizes[0], unflagged=sizes[1], half_width=half_width, **asked).plan  # type: ignore[arg-type]  # as a mapping
    less = sample_plan(flagged=sizes[0], unflagged=sizes[1], budget=int(plan.n.sum()) - 1, **asked).plan  # type: ignore[arg-type]  # as above
    expected, wider = ({one.name: one.half_width for one in each.expected}[target] for each in (plan, less))
    assert expected <= half_width < wider
    errors, rng = np.rint(np.array(sizes) * rates).astype(np.int64), stream(5, *sizes, target)
    widths = []
    for _ in range(200):
        x = rng.hypergeometric(errors, np.array(sizes) - errors, plan.n).tolist()
        estimate = estimate_sample(plan.strata, Sample.of(plan.n.tolist(), x))[target].estimate
        interval = require(estimate.interval)
        widths.append((interval.high - interval.low) / 2)
    assert np.mean(widths) == pytest.approx(half_width, rel=0.02 if sizes[1] == 9000 else 0.07)


def test_a_half_width_that_only_everything_gives() -> None:
    """Without an unknown item the interval is the value."""
    plan = sample_plan(flagged=50, unflagged=100, half_width=1e-6).plan
    assert plan.n.tolist() == [50, 100]
    assert [one.half_width for one in plan.expected] == [0, 0, 0]
    almost = sample_plan(flagged=50, unflagged=100, half_width=0.001, target="P").plan
    assert almost.n.tolist() == [50, 30]


@given(
    st.tuples(st.integers(2, 30), st.integers(2, 60)),
    st.tuples(st.floats(0.001, 0.999), st.floats(0.001, 0.999)),
    st.sampled_from(["P", "R", "F"]),
    st.floats(0.01, 0.5),
)
@settings(max_examples=40)
def test_one_item_less_is_too_few(
    sizes: tuple[int, int], rates: tuple[float, float], target: Target, half_width: float
) -> None:
    strata, aim = Strata.of_sizes(*sizes), Aim(target)
    budget = budget_for_half_width(strata, rates, half_width, aim, floor=2)

    def width(n: int) -> float:
        plan = plan_sample(strata, rates, n, aim, floor=2)
        return {one.name: one.half_width for one in plan.expected}[target]

    assert 4 <= budget <= sum(sizes)
    assert width(budget) <= half_width
    assert budget == 4 or width(budget - 1) > half_width


def test_the_budget_for_a_half_width_is_no_less_than_the_floors() -> None:
    assert budget_for_half_width(LARGE, (0.8, 0.3), 0.9, floor=40) == 80
    assert budget_for_half_width(Strata.of_sizes(20, 9000), (0.8, 0.3), 0.9) == 20 + 30
    with expect_refusal("sample-half-width"):
        budget_for_half_width(LARGE, (0.8, 0.3), 0)


def test_designs_know_beta_and_level() -> None:
    # Simple random sampling, beta 2, F = 4000 / 15000 = .266667. Shares .08 hits, .02 false positives, .27 misses:
    # mean (u - F v)² = .08 (5 - 5 F)² + .02 F² + .27 (4 F)² = 1.384178, mean v = (4 * 3500 + 1000) / 10000 = 1.5.
    assert random_sampling_error(Quantity("F", LARGE, beta=2), (0.8, 0.3), 2250) == pytest.approx(
        (0.775 * 1.384178 / 2250) ** 0.5 / 1.5, rel=1e-6
    )
    rates = np.array([0.8, 0.3])
    plan = plan_sample(LARGE, rates, 2250, Aim("F", 2, 0.5))
    designs = {design.name: design for design in plan.designs()}
    assert list(designs) == ["best for F", "proportional", "equal", "simple random", "verification"]
    assert designs["equal"].n == (1000, 1250)  # 1,125 of each, and there are 1,000
    assert designs["simple random"].n == pytest.approx((225, 2025))
    assert designs["verification"].n == (1000, 0)
    assert designs["verification"].half_widths == (0, None, None)
    assert designs["simple random"].half_widths[2] == pytest.approx(
        0.674490 * random_sampling_error(Quantity("F", LARGE, beta=2), rates, 2250), rel=1e-5
    )
    for name in ("best for F", "proportional", "equal"):
        error = expected_error(Quantity("F", LARGE, beta=2), rates, np.array(designs[name].n))
        assert designs[name].half_widths[2] == pytest.approx(0.674490 * error, rel=1e-5)


def test_allocations_at_the_ends() -> None:
    # One item for each stratum, however small its part; never more than there are.
    assert proportional(np.array([2, 998]), 100).tolist() == [1, 99]
    assert proportional(np.array([2, 998]), 5000).tolist() == [2, 998]
    # Quotas of 10 among 3, 3 and 4 hundred are whole, among 35, 35 and 30 they are 3.5, 3.5 and 3: the first is raised.
    assert proportional(np.array([35, 35, 30]), 10).tolist() == [4, 3, 3]
    # A stratum that was given its one item has more than its quota (.94), and the others have 4.69 each.
    assert proportional(np.array([10, 50, 50, 50]), 15).tolist() == [1, 5, 5, 4]
    assert proportional(np.array([1, 5, 5, 5]), 15).tolist() == [1, 5, 5, 4]
    # Quotas .4, .4, .4 and 18.8: the three small ones take 1.8 more than theirs from the large one.
    assert proportional(np.array([20, 20, 20, 940]), 20).tolist() == [1, 1, 1, 17]
    assert proportional(np.array([20, 20, 20, 940]), 2).tolist() == [1, 1, 1, 1]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(1, 400))
def test_shares_in_proportion_spend_the_budget_and_stay_near_their_quotas(sizes: list[int], budget: int) -> None:
    n = proportional(np.array(sizes), budget)
    spent = min(max(budget, len(sizes)), sum(sizes))
    assert n.sum() == spent
    assert ((n >= 1) & (n <= sizes)).all()
    quotas = np.array(sizes) * spent / sum(sizes)
    assert (n < quotas + 1).all()


def test_the_smallest_budgets_and_costs_that_cannot_be() -> None:
    small = plan_sample(STRATA, [0.5, 0.1], 2, floor=1).designs()
    assert [design.n for design in small if design.name == "equal"] == [(1, 1)]
    assert allocate([2, 1], [10, 10], 3, floor=0).tolist() == [2, 1]
    assert allocate([1, 1], [10, 10], 1, floor=0).sum() == 1
    for costs in ([1, 0], [1, -1], [1, np.nan]):
        with expect_refusal("sample-cost"):
            allocate([1, 1], [100, 100], 100, costs=costs)


def test_a_stratum_without_a_floor_gets_an_item_before_any_gets_two() -> None:
    """Without one its variance has no bound; with one each, 7.3² + 2²."""
    assert allocate([7.3, 2.0], [300, 300], 2, floor=0).tolist() == [1, 1]
