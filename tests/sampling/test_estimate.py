"""What holds for any sample, two-stage variances, cheap labels, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core.errors import InputError, UsageError
from errorbar.core.estimate import Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.sampling import (
    Assisted,
    Frame,
    Key,
    Sample,
    Strata,
    allocate,
    assist,
    assisted_total,
    box_interval,
    budget_for_half_width,
    compare_designs,
    draw_sample,
    estimate_sample,
    estimate_systems,
    estimated_totals,
    importance,
    items_for_cv,
    judge_sample,
    mover_interval,
    paired_differences,
    pilot_rates,
    plan_sample,
    random_sampling_error,
    rescaled_interval,
    stratify,
    total_bounds,
)
from errorbar.sampling.allocation import difference_importance, proportional
from errorbar.sampling.bayes import posterior_interval, posterior_totals
from errorbar.sampling.estimate import METHODS, Method, logit_bounds, value_and_error
from errorbar.sampling.plan import expected_error, guessed_rates, items_without_correction
from errorbar.sampling.quantities import Name, gradient, quantity
from errorbar.sampling.two_systems import difference
from errorbar.stats import stream

STRATA = Strata.of_sizes(100, 400)
LARGE = Strata.of_sizes(1000, 9000)
TWO = Strata(
    ("11", "10", "01", "00"),
    np.array([600, 400, 500, 8500]),
    np.array([[True, True, False, False], [True, False, True, False]]),
    ("A", "B"),
)
Z = 1.959964


@given(st.integers(2, 100), st.integers(2, 400), st.data())
def test_intervals_are_in_range_and_hold_the_value(n1: int, n0: int, data: st.DataObject) -> None:
    x = [data.draw(st.integers(0, n)) for n in (n1, n0)]
    found = estimate_sample(STRATA, Sample.of([n1, n0], [float(v) for v in x]))
    for name in ("P", "R", "F"):
        row = found[name].estimate
        if row.interval is not None:
            assert 0 <= row.interval.low < row.interval.high <= 1
            assert row.value is not None
            assert row.interval.low - 0.05 <= row.value <= row.interval.high + 0.05
    if not any(x):
        assert found["R"].estimate.undefined == Undefined.NOTHING_IN_REFERENCE


@pytest.mark.parametrize("name", ["P", "R", "F", "Q"])
def test_derivatives(name: Name) -> None:
    totals, step = np.array([60.0, 30.0]), 1e-5
    slope = gradient(name, totals, STRATA, beta=0.5)
    for at in range(2):
        ahead, behind = totals.copy(), totals.copy()
        ahead[at] += step
        behind[at] -= step
        change = quantity(name, ahead, STRATA, beta=0.5) - quantity(name, behind, STRATA, beta=0.5)
        assert slope[at] == pytest.approx(float(change) / (2 * step), rel=1e-6)


def test_cutting_into_bands_does_not_smooth_more() -> None:
    flags = np.array([[True, False, False, False, False]])
    cut = Strata(("f", "a", "b", "c", "d"), np.array([100, 100, 100, 100, 100]), flags)
    whole, _ = estimated_totals(Sample.of([50, 40], [30, 0]), STRATA)
    parts, _ = estimated_totals(Sample.of([50, 10, 10, 10, 10], [30, 0, 0, 0, 0]), cut)
    assert parts[1:].sum() == pytest.approx(whole[1], rel=0.05)
    assert whole[1] == pytest.approx(360 * 0.5 / 41)


@pytest.mark.parametrize(
    ("n", "x", "code"),
    [
        ([101, 10], [1, 1], "sample-size"),
        ([10, 10], [11, 1], "sample-size"),
        ([10, 0], [1, 0], "sample-unseen"),
        ([10], [1], "sample-strata"),
    ],
)
def test_samples_that_do_not_fit_are_refused(n: list[int], x: list[float], code: str) -> None:
    with pytest.raises(UsageError) as caught:
        estimate_sample(STRATA, Sample.of(n, x))
    assert caught.value.code == code


def test_strata_need_both_kinds() -> None:
    for flags in ([[True, True]], [[False, False]]):
        with pytest.raises(UsageError) as caught:
            Strata(("a", "b"), np.array([1, 2]), np.array(flags))
        assert caught.value.code == "sample-one-class"


def test_what_cannot_be_planned_is_refused() -> None:
    for call, code in (
        (lambda: allocate([1, 1], [100, 100], 20), "sample-budget"),
        (lambda: plan_sample(STRATA, [0.5, 0], 100), "sample-rates"),
        (lambda: plan_sample(STRATA, [0.5, 0.1], 100, target="X"), "sample-target"),  # type: ignore[arg-type]
        (lambda: paired_differences(STRATA, Sample.of([9, 9], [1, 1])), "sample-systems"),
        (lambda: plan_sample(STRATA, [0.5, 0.1], 100).cost(raters=0), "sample-cost"),
    ):
        with pytest.raises(UsageError) as caught:
            call()
        assert caught.value.code == code


def test_cost() -> None:
    cost = plan_sample(STRATA, guessed_rates(STRATA), 100).cost(raters=3, price=0.02, minutes=0.5)
    assert (cost.items, cost.judgments, cost.money, cost.hours) == (100, 300, 6.0, 2.5)


def test_pilot_rates_are_never_0_or_1() -> None:
    assert pilot_rates(STRATA, Sample.of([9, 9], [9, 0])) == pytest.approx([0.95, 0.05])


def frame(n: int = 300, share: float = 0.2, seed: int = 1) -> Frame:
    flags = np.random.default_rng(seed).random(n) < share
    return Frame(tuple(f"i{k}" for k in range(n)), flags[None])


def test_two_stage_variance_by_simulation() -> None:
    """Graded truths of k raters: the estimated variance is that of the estimate over both stages."""
    population = frame(400)
    rng = np.random.default_rng(5)
    codes = stratify(population)[1]
    shares = np.where(codes == 0, rng.beta(4, 2, 400), rng.beta(1, 8, 400))
    n, k = np.array([30, 120]), 3
    members = [np.flatnonzero(codes == at) for at in range(2)]
    key = draw_sample(population, np.bincount(codes))
    totals, variances = [], []
    for _ in range(400):
        rows = np.concatenate([rng.choice(m, size, replace=False) for m, size in zip(members, n, strict=True)])
        said = rng.random((len(rows), k)) < shares[rows, None]
        judgments = Judgments.from_columns(
            [population.items[row] for row in rows.tolist() for _ in range(k)],
            ["a", "b", "c"] * len(rows),
            np.where(said.ravel(), "error", "ok").tolist(),
        )
        judged = judge_sample(judgments, key, Problems(), truth="graded")
        total, variance = estimated_totals(judged.sample, key.strata, add=0)
        totals.append(total)
        variances.append(variance)
    seen = np.var(totals, axis=0, ddof=1)
    assert np.mean(variances, axis=0) == pytest.approx(seen, rel=0.25)  # a variance of 400 draws is known to 7 %
    # Without the second stage the variance would be far too small.
    first_only = np.mean([v - key.strata.sizes * 0.05 for v in variances], axis=0)
    assert (first_only < seen).all()


def test_cheap_labels_by_simulation_and_never_worse() -> None:
    rng = np.random.default_rng(7)
    truth = (rng.random(2000) < 0.2).astype(float)
    good = np.clip(truth * 0.7 + 0.1 + rng.normal(0, 0.1, 2000), 0, 1)
    noise = rng.random(2000)
    # y has standard deviation .4, y - cheap = .3 y - .1 + noise of .1 has about .156: a ratio of .39.
    for cheap, gain in ((good, 0.42), (noise, 1.05)):
        values, alone, expected = [], [], []
        for _ in range(500):
            rows = rng.choice(2000, 150, replace=False)
            total, variance, trust = assisted_total(truth[rows], cheap[rows], cheap, 2000)
            assert 0 <= trust <= 1
            plain = 2000**2 * truth[rows].var(ddof=1) * (1 / 150 - 1 / 2000)
            assert variance <= plain * (1 + 1e-9)
            values.append(total)
            alone.append(2000 * truth[rows].mean())
            expected.append(variance)
        assert np.std(values) <= gain * np.std(alone)
        assert np.mean(values) == pytest.approx(truth.sum(), rel=0.03)
        assert np.sqrt(np.mean(expected)) == pytest.approx(np.std(values), rel=0.15)


def test_votes_that_lack_an_item_leave_experts_alone() -> None:
    population = frame()
    key = draw_sample(population, np.array([30, 60]))
    judged = judge_sample(
        Judgments.from_columns(list(key.items()), ["e"] * 90, ["error" if k % 3 else "ok" for k in range(90)]),
        key,
        Problems(),
    )
    problems = Problems()
    found = assist(population, key, judged, {}, problems)
    assert found.trust.tolist() == [0, 0]
    assert [note.code for note in problems.notes] == ["sample-votes"] * 2
    with_none = estimate_sample(key.strata, judged.sample, assisted=(found.totals, found.variances))
    without = estimate_sample(key.strata, judged.sample)
    assert [row.estimate for row in with_none.rows] == [row.estimate for row in without.rows]


def test_two_strata_that_are_not_alike_to_two_systems() -> None:
    # A flags 600 + 400 items, B 600 + 500; with half of all items errors a_h = |g_h| N_h / 2. P: g is 1/1000 for A
    # where A flags and 1/1100 for B where B flags, so their difference is 1/11000, 1/1000, 1/1100 and 0.
    half = [0.5] * 4
    assert importance(TWO, half, "P", system=1) == pytest.approx([300 / 1100, 0, 250 / 1100, 0])
    assert difference_importance(TWO, half, "P") == pytest.approx([300 / 11000, 0.2, 250 / 1100, 0])
    # F with beta 2: F_A = 5 * 500 / (4 * 5000 + 1000), F_B = 5 * 550 / (4 * 5000 + 1100), and g is
    # (5 a - 4 F) over the same denominator.
    first, second = 2500 / 21000, 2750 / 21100
    slopes = [(5 * a - 4 * first) / 21000 - (5 * b - 4 * second) / 21100 for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
    expected = [abs(slope) * size / 2 for slope, size in zip(slopes, (600, 400, 500, 8500), strict=True)]
    assert difference_importance(TWO, half, "F", beta=2) == pytest.approx(expected)
    plan = plan_sample(TWO, half, 200, target="F", beta=2, floor=1)
    assert plan.n == pytest.approx(200 * np.array(expected) / sum(expected), abs=1)
    with pytest.raises(UsageError) as caught:
        difference_importance(STRATA, [0.5, 0.5], "P")
    assert caught.value.code == "sample-systems"


def test_what_a_plan_expects_of_each_system() -> None:
    # P A = .5 always; R A = 500 / 5000, R B = 550 / 5000; F as above.
    plan = plan_sample(TWO, [0.5] * 4, 1000, beta=2)
    assert [(one.system, one.name) for one in plan.expected] == [(s, name) for s in "AB" for name in "PRF"]
    assert [one.value for one in plan.expected] == pytest.approx([0.5, 0.1, 2500 / 21000, 0.5, 0.11, 2750 / 21100])
    # P of B rests on 600 and 500 items: SE² = Σ N² (1 - n/N) / 4n / 1100².
    n = plan.n[[0, 2]]
    variance = (np.array([600, 500]) ** 2 * (1 - n / np.array([600, 500])) / 4 / n).sum() / 1100**2
    assert plan.expected[3].standard_error == pytest.approx(variance**0.5)
    assert plan.expected[3].half_width == pytest.approx(Z * variance**0.5)
    narrow = plan_sample(TWO, [0.5] * 4, 1000, beta=2, confidence_level=0.5).expected[3]
    assert narrow.half_width == pytest.approx(0.674490 * variance**0.5, rel=1e-5)


def test_expected_errors_at_the_ends() -> None:
    # P rests on what is flagged: nothing judged there tells nothing, all of it everything, and the rest plays no part.
    rates = np.array([0.8, 0.3])
    assert expected_error(LARGE, rates, np.array([0, 1000]), "P") == np.inf
    assert expected_error(LARGE, rates, np.array([1000, 0]), "P") == 0
    assert expected_error(LARGE, rates, np.array([10, 0]), "P") == pytest.approx((0.99 * 0.8 * 0.2 / 10) ** 0.5)


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
    with pytest.raises(UsageError) as caught:
        plan.cost(price=price, minutes=minutes)
    assert caught.value.code == "sample-cost"
    assert (plan.cost().judgments, plan.cost().money, plan.cost().hours) == (100, None, None)


def test_items_for_a_half_width_of_f() -> None:
    # By hand for beta 2: F = 5 * 800 / 15000, g = (5 a - 4 F) / 15000, a_h = g N sqrt(p (1 - p)), n = a Σa (z / d)².
    f = 4000 / 15000
    a = np.array([(5 - 4 * f) / 15000 * 1000 * 0.4, 4 * f / 15000 * 9000 * 0.21**0.5])
    found = items_without_correction(LARGE, (0.8, 0.3), 0.03, target="F", beta=2)
    assert found == pytest.approx(a * a.sum() * (Z / 0.03) ** 2, rel=1e-6)
    smaller = items_without_correction(LARGE, (0.8, 0.3), 0.03, target="F", beta=2, confidence_level=0.5)
    assert smaller == pytest.approx(found * (0.674490 / Z) ** 2, rel=1e-5)
    for level in (0.95, 0.5):
        options = {"target": "F", "beta": 2, "confidence_level": level}
        budget = budget_for_half_width(LARGE, (0.8, 0.3), 0.03, **options)  # type: ignore[arg-type]
        wide, narrow = (
            plan_sample(LARGE, (0.8, 0.3), b, **options).expected[2].half_width  # type: ignore[arg-type]
            for b in (budget - 1, budget)
        )
        assert narrow <= 0.03 < wide


def test_the_budget_for_a_half_width_is_no_less_than_the_floors() -> None:
    assert budget_for_half_width(LARGE, (0.8, 0.3), 0.9, floor=40) == 80
    assert budget_for_half_width(Strata.of_sizes(20, 9000), (0.8, 0.3), 0.9) == 20 + 30
    for refused in (budget_for_half_width, items_without_correction):
        with pytest.raises(UsageError) as caught:
            refused(LARGE, (0.8, 0.3), 0)
        assert caught.value.code == "sample-half-width"


def test_designs_know_beta_and_level() -> None:
    # Simple random sampling, beta 2, F = 4000 / 15000 = .266667. Shares .08 hits, .02 false positives, .27 misses:
    # mean (u - F v)² = .08 (5 - 5 F)² + .02 F² + .27 (4 F)² = 1.384178, mean v = (4 * 3500 + 1000) / 10000 = 1.5.
    assert random_sampling_error(LARGE, (0.8, 0.3), 2250, "F", beta=2) == pytest.approx(
        (0.775 * 1.384178 / 2250) ** 0.5 / 1.5, rel=1e-6
    )
    rates = np.array([0.8, 0.3])
    plan = plan_sample(LARGE, rates, 2250, target="F", beta=2)
    designs = {one.name: one for one in compare_designs(plan, beta=2, confidence_level=0.5)}
    assert list(designs) == ["best for F", "proportional", "equal", "simple random", "verification"]
    assert designs["equal"].n == (1000, 1250)  # 1,125 of each, and there are 1,000
    assert designs["simple random"].n == pytest.approx((225, 2025))
    assert designs["verification"].n == (1000, 0)
    assert designs["verification"].half_widths == (0, None, None)
    assert designs["simple random"].half_widths[2] == pytest.approx(
        0.674490 * random_sampling_error(LARGE, rates, 2250, "F", beta=2), rel=1e-5
    )
    for name in ("best for F", "proportional", "equal"):
        error = expected_error(LARGE, rates, np.array(designs[name].n), "F", beta=2)
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
    small = compare_designs(plan_sample(STRATA, [0.5, 0.1], 2, floor=1))
    assert [one.n for one in small if one.name == "equal"] == [(1, 1)]
    assert allocate([2, 1], [10, 10], 3, floor=0).tolist() == [2, 1]
    assert allocate([1, 1], [10, 10], 1, floor=0).sum() == 1
    for costs in ([1, 0], [1, -1], [1, np.nan]):
        with pytest.raises(UsageError) as caught:
            allocate([1, 1], [100, 100], 100, costs=costs)
        assert caught.value.code == "sample-cost"
    for rate, cv in ((0, 0.1), (1, 0.1), (0.5, 0), (0.5, -1)):
        with pytest.raises(UsageError) as refused:
            items_for_cv(rate, cv)
        assert refused.value.code == "sample-rates"


@pytest.mark.parametrize(
    ("x", "exact"),
    [  # of 200 flagged and 300 other items
        ((160, 10), ""),
        ((160, 0), "misses R"),
        ((200, 10), "hits P"),
        ((200, 0), "hits misses P R F"),
        ((0, 10), "hits P R F"),
        ((160, 300), "misses"),
    ],
)
def test_what_has_the_exact_interval(x: tuple[float, float], exact: str) -> None:
    found = estimate_sample(LARGE, Sample.of([200, 300], list(x)))
    for name in ("hits", "misses", "P", "R", "F"):
        interval = found[name].estimate.interval
        assert interval is not None
        assert interval.method == ("exact" if name in exact.split() else "logit")


def test_f1_is_the_default_everywhere() -> None:
    # Totals 60 and 30: F1 = 2 * 60 / (90 + 100), its derivatives (2 a - F) / 190.
    totals, value = np.array([60.0, 30.0]), 120 / 190
    assert quantity("F", totals, STRATA) == pytest.approx(value)
    assert gradient("F", totals, STRATA) == pytest.approx([(2 - value) / 190, -value / 190])
    assert value_and_error("F", totals, np.ones(2), STRATA)[0] == pytest.approx(value)
    assert expected_error(STRATA, np.array([0.6, 0.1]), np.array([50, 50]), "F") == expected_error(
        STRATA, np.array([0.6, 0.1]), np.array([50, 50]), "F", beta=1
    )
    sample = Sample.of([50, 50], [30, 5])
    (one,) = estimate_systems(STRATA, sample).systems
    assert one.rows == estimate_sample(STRATA, sample, beta=1, rng=stream(0, "sample", "bayes")).rows
    assert one["F"].estimate.value == pytest.approx((2 * 60) / (60 + 40 + 100))
    low, high = logit_bounds("F", totals, np.full(2, 1e-6), STRATA)
    assert (float(low), float(high)) == pytest.approx((value, value), abs=1e-4)
    assert difference("F", np.array([540.0, 240, 200, 340]), np.ones(4), TWO)[0] == pytest.approx(
        2 * 780 / (1320 + 1000) - 2 * 740 / (1320 + 1100)
    )


def test_f1_is_the_default_of_what_is_made_of_it() -> None:
    sample, two = Sample.of([50, 50], [30, 5]), Sample.of([50] * 4, [40, 30, 20, 5])
    draws = posterior_totals(sample, STRATA, stream(1), draws=100)
    assert posterior_interval("F", draws, STRATA) == posterior_interval("F", draws, STRATA, beta=1)
    assert box_interval("F", sample, STRATA) == box_interval("F", sample, STRATA, beta=1)
    assert mover_interval("F", sample, STRATA) == mover_interval("F", sample, STRATA, beta=1)
    found = [rescaled_interval("F", sample, STRATA, stream(2), draws=100, **beta) for beta in ({}, {"beta": 1.0})]  # type: ignore[arg-type]
    assert found[0] == found[1]
    assert paired_differences(TWO, two) == paired_differences(TWO, two, beta=1)
    assert (
        difference_importance(TWO, [0.5] * 4, "F").tolist()
        == difference_importance(TWO, [0.5] * 4, "F", beta=1).tolist()
    )
    rates = (0.8, 0.3)
    assert budget_for_half_width(LARGE, rates, 0.03, target="F") == budget_for_half_width(
        LARGE, rates, 0.03, target="F", beta=1
    )
    assert items_without_correction(LARGE, rates, 0.03, target="F").tolist() == (
        items_without_correction(LARGE, rates, 0.03, target="F", beta=1).tolist()
    )
    plan = plan_sample(LARGE, rates, 500)
    assert compare_designs(plan) == compare_designs(plan, beta=1)


def test_the_second_system_has_its_own_exact_interval() -> None:
    # B flags 11 and 01, where all that was judged is an error: the bounds of both at 1 - .05/2.
    sample = Sample.of([400, 300, 300, 3000], [400, 120, 300, 120])
    row = estimate_sample(TWO, sample, system=1)["P"].estimate
    low = sum(total_bounds(n, n, size, confidence_level=0.975)[0] for n, size in ((400, 600), (300, 500)))
    assert row.interval is not None
    assert (row.interval.low, row.interval.high) == pytest.approx((low / 1100, 1))


def test_votes_help_both_systems_and_their_difference() -> None:
    # 500 in the place of 540 errors in 11: P is 740 / 1,000 and 700 / 1,100.
    sample = Sample.of([400, 300, 300, 3000], [360, 180, 120, 120])
    only_first = np.array([500.0, np.nan, np.nan, np.nan])
    helped = Assisted(only_first, only_first / 100, np.zeros(4), (600, 0, 0, 0))
    found = estimate_systems(TWO, sample, assisted=helped)
    assert [one["P"].estimate.value for one in found.systems] == pytest.approx([0.74, 700 / 1100])
    assert found.differences[0].estimate.value == pytest.approx(0.74 - 700 / 1100)


def test_there_is_no_other_interval() -> None:
    with pytest.raises(UsageError, match="did you mean 'logit'") as caught:
        estimate_sample(STRATA, Sample.of([50, 50], [30, 5]), method="logi")  # type: ignore[arg-type]
    assert caught.value.code == "interval-method"


def test_what_was_judged_whole_needs_no_warning() -> None:
    assert estimate_sample(Strata.of_sizes(1000, 30), Sample.of([200, 30], [160, 0])).notes == ()


def test_exact_intervals_of_a_side_and_of_one_that_was_judged_whole() -> None:
    found = estimate_sample(LARGE, Sample.of([1000, 300], [1000, 0]))
    assert found["P"].estimate.no_interval is Undefined.ZERO_WIDTH
    made = found["misses"].estimate.interval
    assert made is not None
    # The bounds of section 1.1: none of 300 of 9,000 leaves at most 108.
    assert (made.low, made.high) == pytest.approx((0, 108))
    alarms = estimate_sample(LARGE, Sample.of([200, 300], [200, 10]))["false positives"].estimate.interval
    assert alarms is not None
    assert (alarms.low, alarms.high) == pytest.approx((0, 1000 - total_bounds(200, 200, 1000)[0]))


def test_a_box_without_an_error_at_an_end_holds_everything() -> None:
    # All misses are known to be none; so R is 1 if there is one hit among the hundred, and anything if there is none.
    for n, sizes in (([50, 50], (100, 50)), ([50, 50], (50, 100))):
        box = box_interval("R", Sample.of(n, [0, 0]), Strata.of_sizes(*sizes))
        assert (box.low, box.high) == (0, 1)


def test_bounds_of_a_side_of_several_strata_share_what_may_fail() -> None:
    strata = Strata(("f", "a", "b"), np.array([1000, 2000, 7000]), np.array([[True, False, False]]))
    sample = Sample.of([200, 300, 400], [160, 0, 0])
    (note,) = estimate_sample(strata, sample, confidence_level=0.8).notes
    bound = sum(total_bounds(0, n, size, confidence_level=0.9)[1] for n, size in ((300, 2000), (400, 7000)))
    assert note.what == (
        f"0 misses in 700 judged items for system: with 80 % confidence there are at most {bound} among 9000"
    )
    # The box of R shares it among both sides, too: 1 - .2/2 for hits and 1 - .2/4 for each stratum of misses.
    box = box_interval("R", sample, strata, confidence_level=0.8)
    hits = total_bounds(160, 200, 1000, confidence_level=0.9)[0]
    misses = sum(total_bounds(0, n, size, confidence_level=0.95)[1] for n, size in ((300, 2000), (400, 7000)))
    assert (box.low, box.high) == pytest.approx((hits / (hits + misses), 1))
    assert estimate_sample(strata, sample, confidence_level=0.8)["R"].estimate.interval == box


@pytest.mark.parametrize("method", METHODS)
def test_every_part_knows_system_beta_and_level(method: Method) -> None:
    """So large a sample that every interval is narrow: a wrong beta or system moves it off the value."""
    sample = Sample.of([400, 300, 300, 3000], [360, 180, 120, 120])
    half: dict[tuple[float, str, str, str], float] = {}
    for level in (0.5, 0.95):
        found = estimate_systems(TWO, sample, beta=2, method=method, confidence_level=level)
        # T = 540, 240, 200, 340: H is 780 and 740, the errors are 1,320, flagged 1,000 and 1,100.
        for one, hits, flagged in zip(found.systems, (780, 740), (1000, 1100), strict=True):
            values = {"P": hits / flagged, "R": hits / 1320, "F": 5 * hits / (4 * 1320 + flagged)}
            for name, value in values.items():
                row = one[name]
                assert row.estimate.value == pytest.approx(value)
                for made in (row.estimate.interval, row.bayes):
                    assert made is not None
                    assert made.confidence_level == level
                    assert made.low < value < made.high
                    half[level, one.system, name, made.method] = (made.high - made.low) / 2
                assert row.standard_error is not None
                assert half[level, one.system, name, method] == pytest.approx(
                    (Z if level == 0.95 else 0.674490) * row.standard_error, rel=0.05
                )
        for paired, value in zip(
            found.differences, (780 / 1000 - 740 / 1100, 40 / 1320, 3900 / 6280 - 3700 / 6380), strict=True
        ):
            assert paired.estimate.value == pytest.approx(value)
            assert paired.estimate.interval is not None
            assert paired.estimate.interval.confidence_level == level
            assert paired.estimate.interval.low < value < paired.estimate.interval.high
    # A normal interval at .95 is 2.906 times as wide as one at .5.
    for (level, system, name, made_by), width in half.items():
        if level == 0.5:
            assert half[0.95, system, name, made_by] == pytest.approx(Z / 0.674490 * width, rel=0.06)


def test_wald_intervals_end_at_0_and_1() -> None:
    # P 1 of 10: .1 ± 1.96 sqrt(.99 * .09 / 9) goes below 0, and 9 of 10 above 1.
    half = Z * (0.99 * 0.09 / 9) ** 0.5
    for x, ends in ((1, (0, 0.1 + half)), (9, (0.9 - half, 1))):
        made = estimate_sample(LARGE, Sample.of([10, 300], [x, 50]), method="wald")["P"].estimate.interval
        assert made is not None
        assert (made.low, made.high) == pytest.approx(ends)


def test_differences_that_cannot_be_and_that_do_not_vary() -> None:
    whole = Sample.of([600, 400, 500, 8500], [540, 240, 200, 340])
    for row in paired_differences(TWO, whole):
        assert row.estimate.no_interval is Undefined.ZERO_WIDTH
        assert row.standard_error == 0
    nothing = paired_differences(TWO, Sample.of([10] * 4, [0] * 4))
    assert [row.estimate.undefined for row in nothing] == [None, Undefined.NOTHING_IN_REFERENCE, None]
    with pytest.raises(UsageError) as caught:
        paired_differences(TWO, Sample.of([601, 10, 10, 10], [1] * 4))
    assert caught.value.code == "sample-size"


Y = [1.0] * 4 + [0.0] * 6
CHEAP = [1.0, 1, 1, 0, 0, 0, 0, 0, 0, 1]
"""Of Y and CHEAP: both have mean .4, Σ (y - .4)² = Σ (f - .4)² = 2.4 and Σ y f - 10 * .16 = 1.4: λ = 7/12."""


def test_an_assisted_total_by_hand() -> None:
    # 20 items with votes of mean .3 in 100: T = 100 (λ .3 + .4 - λ .4). s_Y² = 2.4/9, s_d² = s_Y² (1 - λ²) as the
    # spreads are equal; Var = 100² [s_Y² (1/20 - 1/100) + s_d² (1/10 - 1/20)].
    voted = np.array([*CHEAP, 1.0, 1, *[0.0] * 8])
    total, variance, trust = assisted_total(np.array(Y), np.array(CHEAP), voted, 100)
    assert trust == pytest.approx(7 / 12)
    assert total == pytest.approx(100 * (0.4 - 0.1 * 7 / 12))
    assert variance == pytest.approx(1e4 * (2.4 / 9 * 0.04 + 2.4 / 9 * (1 - 49 / 144) * 0.05))
    # With a trust that is given: d = y - f/2 has Σ (d - .2)² = 2.4 - 1.4 + 2.4/4 = 1.6.
    total, variance, trust = assisted_total(np.array(Y), np.array(CHEAP), voted, 100, trust=0.5)
    assert (total, trust) == pytest.approx((35, 0.5))
    assert variance == pytest.approx(1e4 * (2.4 / 9 * 0.04 + 1.6 / 9 * 0.05))


def test_where_votes_are_not_trusted() -> None:
    votes = np.array(CHEAP)
    # Nine labels are fewer than ten, votes or experts that all say the same teach nothing, nor do votes that mislead.
    for labels, cheap in ((Y[:9], votes[:9]), (Y, np.full(10, 0.5)), ([1.0] * 10, votes), (Y, 1 - votes)):
        assert assisted_total(np.array(labels), cheap, cheap, 20)[2] == 0
    for n, n_cheap, n_voted, size in ((1, 1, 10, 20), (10, 9, 10, 20), (10, 10, 9, 20), (10, 10, 10, 9)):
        with pytest.raises(UsageError) as caught:
            assisted_total(np.array(Y[:n]), votes[:n_cheap], votes[:n_voted], size)
        assert caught.value.code == "sample-ppi"


def assisted_study(
    labels: dict[str, list[float]], votes: list[float], rest: float
) -> tuple[Frame, Key, Judgments, dict[str, float]]:
    """Ten of 20 flagged items are judged, the votes of the other ten have a mean; of 40 other items nobody votes.

    Args:
        labels: Rater to truths of the ten flagged items; the first rater says of the ten others that two are errors.
        votes: Votes of the ten flagged items.
        rest: Share of votes of the flagged items that are not drawn.
    """
    population = Frame(tuple(f"i{k}" for k in range(60)), np.array([[k < 20 for k in range(60)]]))
    key = draw_sample(population, np.array([10, 10]))
    flagged, others = ([item for item, at in key.items().items() if at == side] for side in (0, 1))
    rows = [
        (item, rater, "error" if y else "ok")
        for rater, truths in labels.items()
        for item, y in (*zip(flagged, truths, strict=True), *((item, k < 2) for k, item in enumerate(others)))
    ]
    cheap = dict.fromkeys(population.items[:20], rest) | dict(zip(flagged, votes, strict=True))
    return population, key, Judgments.from_columns(*map(list, zip(*rows, strict=True))), cheap


def test_votes_help_in_their_stratum() -> None:
    population, key, judgments, cheap = assisted_study({"e": Y}, CHEAP, 0.2)
    problems = Problems()
    judged = judge_sample(judgments, key, problems)
    found = assist(population, key, judged, cheap, problems)
    assert found.voted == (20, 0)
    assert found.trust.tolist() == pytest.approx([7 / 12, 0])
    # As by hand above with 20 items of which all have votes: T = 20 (.4 - .1 λ), Var = 20² s_d² / 20.
    assert found.totals[0] == pytest.approx(20 * (0.4 - 0.1 * 7 / 12))
    assert found.variances[0] == pytest.approx(400 * 2.4 / 9 * (1 - 49 / 144) * 0.05)
    assert np.isnan([found.totals[1], found.variances[1]]).all()
    (note,) = problems.notes
    assert note.what == "10 of 10 items that experts judged in stratum 'unflagged' have no vote"
    # Hits are what the votes helped to find; misses 40 * 2/10 with the error of experts alone.
    made = estimate_systems(key.strata, judged.sample, assisted=found).systems[0]
    alone = estimate_sample(key.strata, judged.sample)
    assert made["hits"].estimate.value == pytest.approx(20 * (0.4 - 0.1 * 7 / 12))
    assert made["hits"].standard_error == pytest.approx(found.variances[0] ** 0.5)
    assert made["misses"].estimate == alone["misses"].estimate
    assert made["misses"].standard_error == alone["misses"].standard_error
    assert made["P"].bayes is None
    with pytest.raises(InputError) as caught:
        assist(Frame(population.items, ~population.flags), key, judged, cheap, problems)
    assert caught.value.code == "sample-frame-other"


def test_votes_and_graded_truths() -> None:
    # Of two raters who agree but on two of ten items, each of those has y (1 - y) / (k - 1) = .25: in the mean .05.
    population, key, judgments, cheap = assisted_study({"e": Y, "f": [*Y[:3], 0, 1, *Y[5:]]}, CHEAP, 0.2)
    judged = judge_sample(judgments, key, Problems(), truth="graded")
    assert judged.sample.within is not None
    assert judged.sample.within.tolist() == pytest.approx([0.05, 0])
    found = assist(population, key, judged, cheap, Problems())
    total, variance, trust = assisted_total(
        np.array([1, 1, 1, 0.5, 0.5, 0, 0, 0, 0, 0]), np.array(CHEAP), np.array([*CHEAP, *[0.2] * 10]), 20
    )
    assert (found.totals[0], found.variances[0], found.trust[0]) == pytest.approx((total, variance + 20 * 0.05, trust))
    # One rater for each: how raters vary is not known, so neither is what votes save; that is no fault of the votes.
    population, key, judgments, cheap = assisted_study({"e": Y}, CHEAP, 0.2)
    problems = Problems()
    alone = assist(population, key, judge_sample(judgments, key, problems, truth="graded"), cheap, problems)
    assert alone.trust.tolist() == [0, 0]
    assert np.isnan(alone.totals).all()
    assert problems.notes == []


def test_votes_that_lead_out_of_the_stratum_are_not_used() -> None:
    # f = .5 + y/2 gives λ = 1: with no vote on the other ten T = 20 (.275 + .1 - .55) is below 0.
    y = [1.0] + [0.0] * 9
    population, key, judgments, cheap = assisted_study({"e": y}, [1.0] + [0.5] * 9, 0.0)
    assert assisted_total(np.array(y), np.array([1.0] + [0.5] * 9), np.array([1.0, *[0.5] * 9, *[0.0] * 10]), 20)[
        ::2
    ] == pytest.approx((-3.5, 1))
    found = assist(population, key, judge_sample(judgments, key, Problems()), cheap, Problems())
    assert found.trust.tolist() == [0, 0]
    assert np.isnan(found.totals).all()
