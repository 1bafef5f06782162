"""What holds for any sample, two-stage variances, cheap labels, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Judgments, Problems
from errorbar.core import Undefined, UsageError
from errorbar.sampling import (
    Aim,
    Estimation,
    Quantity,
    Sample,
    Strata,
    budget_for_half_width,
    draw_sample,
    estimate_sample,
    estimate_systems,
    judge_sample,
    mover_interval,
    paired_differences,
    plan_sample,
    rescaled_interval,
    stratify,
)
from errorbar.sampling.estimators import METHODS, Method, difference
from errorbar.sampling.frame import Name, estimated_totals
from errorbar.sampling.intervals import (
    box_interval,
    logit_bounds,
    posterior_interval,
    posterior_totals,
    total_bounds,
)
from errorbar.sampling.plan import expected_error, importance
from errorbar.stats import stream
from tests.helpers.expectations import expect_refusal, require
from tests.sampling.examples import LARGE, STRATA, TWO, Z, frame


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("sizes", "n", "x"),
    [((1000, 5), (1, 2), (1, 1)), ((5, 1000), (2, 1), (1, 0)), ((5, 1000), (5, 1), (2, 0))],
)
def test_with_one_item_judged_the_value_is_in_its_interval(
    method: Method, sizes: tuple[int, int], n: tuple[int, int], x: tuple[int, int]
) -> None:
    """Smoothed totals alone gave F .67 an interval that ended at .44."""
    strata = Strata(("flagged", "rest"), np.array(sizes), np.array([[True, False]]))
    found = estimate_sample(strata, Sample(np.array(n), np.array(x, np.float64)), Estimation(method=method))
    for name in ("P", "R", "F"):
        value, interval = require(found[name].estimate.value), found[name].estimate.interval
        assert interval is None or interval.low <= value <= interval.high


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
    slope = Quantity(name, STRATA, beta=0.5).gradient(totals)
    for at in range(2):
        ahead, behind = totals.copy(), totals.copy()
        ahead[at] += step
        behind[at] -= step
        change = Quantity(name, STRATA, beta=0.5).value(ahead) - Quantity(name, STRATA, beta=0.5).value(behind)
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
    with expect_refusal(code):
        estimate_sample(STRATA, Sample.of(n, x))


def test_strata_need_both_kinds() -> None:
    for flags in ([[True, True]], [[False, False]]):
        with expect_refusal("sample-one-class"):
            Strata(("a", "b"), np.array([1, 2]), np.array(flags))


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
    for _ in range(200):
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
    assert np.mean(variances, axis=0) == pytest.approx(seen, rel=0.25)  # a variance of 200 draws is known to 10 %
    # Without the second stage the variance would be far too small.
    first_only = np.mean([v - key.strata.sizes * 0.05 for v in variances], axis=0)
    assert (first_only < seen).all()


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
    sample = Sample.of([200, 300], list(x))
    edge = {"logit": "exact", "near-exact": "near-exact, one-sided"}
    for method in ("logit", "near-exact"):
        found = estimate_sample(LARGE, sample, Estimation(method=method))
        for name in ("hits", "misses", "P", "R", "F"):
            interval = require(found[name].estimate.interval)
            assert interval.method == (edge[method] if name in exact.split() else method)


def test_f1_is_the_default_everywhere() -> None:
    # Totals 60 and 30: F1 = 2 * 60 / (90 + 100), its derivatives (2 a - F) / 190.
    totals, value = np.array([60.0, 30.0]), 120 / 190
    assert Quantity("F", STRATA).value(totals) == pytest.approx(value)
    assert Quantity("F", STRATA).gradient(totals) == pytest.approx([(2 - value) / 190, -value / 190])
    assert (Quantity("F", STRATA).value(totals),)[0] == pytest.approx(value)
    assert expected_error(Quantity("F", STRATA), np.array([0.6, 0.1]), np.array([50, 50])) == expected_error(
        Quantity("F", STRATA, beta=1), np.array([0.6, 0.1]), np.array([50, 50])
    )
    sample = Sample.of([50, 50], [30, 5])
    (system,) = estimate_systems(STRATA, sample, Estimation(seed=0)).systems
    assert system.rows == estimate_sample(STRATA, sample, Estimation(beta=1, seed=0)).rows
    assert system["F"].estimate.value == pytest.approx((2 * 60) / (60 + 40 + 100))
    low, high = logit_bounds(Quantity("F", STRATA), totals, np.full(2, 1e-6))
    assert (float(low), float(high)) == pytest.approx((value, value), abs=1e-4)
    assert difference("F", np.array([540.0, 240, 200, 340]), np.ones(4), TWO)[0] == pytest.approx(
        2 * 780 / (1320 + 1000) - 2 * 740 / (1320 + 1100)
    )


def test_f1_is_the_default_of_what_is_made_of_it() -> None:
    sample, two = Sample.of([50, 50], [30, 5]), Sample.of([50] * 4, [40, 30, 20, 5])
    draws = posterior_totals(sample, STRATA, stream(1), draws=100)
    assert posterior_interval(Quantity("F", STRATA), draws) == posterior_interval(Quantity("F", STRATA, beta=1), draws)
    assert box_interval(Quantity("F", STRATA), sample) == box_interval(Quantity("F", STRATA, beta=1), sample)
    assert mover_interval(Quantity("F", STRATA), sample) == mover_interval(Quantity("F", STRATA, beta=1), sample)
    scores = Quantity("F", STRATA), Quantity("F", STRATA, beta=1)
    found = [rescaled_interval(score, sample, stream(2), draws=100) for score in scores]
    assert found[0] == found[1]
    assert paired_differences(TWO, two) == paired_differences(TWO, two, Estimation(beta=1))
    assert importance(TWO, [0.5] * 4, Aim("F")).tolist() == importance(TWO, [0.5] * 4, Aim("F", beta=1)).tolist()
    rates = (0.8, 0.3)
    assert budget_for_half_width(LARGE, rates, 0.03, Aim(target="F")) == budget_for_half_width(
        LARGE, rates, 0.03, Aim(target="F", beta=1)
    )
    plan = plan_sample(LARGE, rates, 500)
    assert plan.designs() == plan_sample(LARGE, rates, 500, Aim(beta=1)).designs()


def test_the_second_system_has_its_own_exact_interval() -> None:
    # B flags 11 and 01, where all that was judged is an error: the bounds of both at 1 - .05/2.
    sample = Sample.of([400, 300, 300, 3000], [400, 120, 300, 120])
    row = estimate_sample(TWO, sample, Estimation(method="logit"), system=1)["P"].estimate
    low = sum(total_bounds(n, n, size, confidence_level=0.975)[0] for n, size in ((400, 600), (300, 500)))
    interval = require(row.interval)
    assert (interval.low, interval.high) == pytest.approx((low / 1100, 1))


def test_there_is_no_other_interval() -> None:
    with pytest.raises(UsageError, match="did you mean 'logit'") as caught:
        estimate_sample(STRATA, Sample.of([50, 50], [30, 5]), Estimation(method="logi"))  # type: ignore[arg-type]  # wrong on purpose
    assert caught.value.code == "interval-method"


def test_what_was_judged_whole_needs_no_warning() -> None:
    assert estimate_sample(Strata.of_sizes(1000, 30), Sample.of([200, 30], [160, 0])).notes == ()


def test_exact_intervals_of_a_side_and_of_one_that_was_judged_whole() -> None:
    found = estimate_sample(LARGE, Sample.of([1000, 300], [1000, 0]), Estimation(method="logit"))
    assert found["P"].estimate.no_interval is Undefined.ZERO_WIDTH
    made = require(found["misses"].estimate.interval)
    # The bounds of section 1.1: none of 300 of 9,000 leaves at most 108.
    assert (made.low, made.high) == pytest.approx((0, 108))
    alarms = estimate_sample(LARGE, Sample.of([200, 300], [200, 10]), Estimation(method="logit"))[
        "false positives"
    ].estimate.interval
    assert alarms is not None
    assert (alarms.low, alarms.high) == pytest.approx((0, 1000 - total_bounds(200, 200, 1000)[0]))


def test_a_box_without_an_error_at_an_end_holds_everything() -> None:
    # All misses are known to be none; so R is 1 if there is one hit among the hundred, and anything if there is none.
    for n, sizes in (([50, 50], (100, 50)), ([50, 50], (50, 100))):
        box = box_interval(Quantity("R", Strata.of_sizes(*sizes)), Sample.of(n, [0, 0]))
        assert (box.low, box.high) == (0, 1)


def test_what_is_said_of_none_seen_is_the_end_of_its_row() -> None:
    """The exact bounds: 841 hits and 20 misses, as ``total_bounds`` has them."""
    strata = Strata.of_sizes(1000, 9000)
    found = estimate_sample(strata, Sample.of([2, 1500], [0, 0]))
    for note, name, end, size in zip(found.notes, ("hits", "misses"), (841, 20), (1000, 9000), strict=True):
        interval = require(found[name].estimate.interval)
        assert interval.high == pytest.approx(end)
        assert note.what.endswith(f": with 95 % confidence there are at most {end} among {size}")
    for method in ("logit", "wald"):
        (hits, misses) = estimate_sample(strata, Sample.of([2, 1500], [0, 0]), Estimation(method=method)).notes
        assert hits.what.endswith(f"at most {total_bounds(0, 2, 1000)[1]} among 1000")
        assert misses.what.endswith(f"at most {total_bounds(0, 1500, 9000)[1]} among 9000")


@pytest.mark.parametrize(
    ("n", "x", "said"),
    [
        ([1, 50], [1, 1], ["1 hit in 1 judged item for system", "1 miss in 50 judged items for system"]),
        ([2, 50], [2, 2], ["2 hits in 2 judged items for system", "2 misses in 50 judged items for system"]),
    ],
)
def test_one_is_not_said_as_many(n: list[int], x: list[float], said: list[str]) -> None:
    notes = estimate_sample(Strata.of_sizes(100, 900), Sample.of(n, x)).notes
    assert [note.what for note in notes] == said


def test_bounds_of_a_side_of_several_strata_share_what_may_fail() -> None:
    strata = Strata(("f", "a", "b"), np.array([1000, 2000, 7000]), np.array([[True, False, False]]))
    sample = Sample.of([200, 300, 400], [160, 0, 0])
    (note,) = estimate_sample(strata, sample, Estimation(method="logit", confidence_level=0.8)).notes
    bound = sum(total_bounds(0, n, size, confidence_level=0.9)[1] for n, size in ((300, 2000), (400, 7000)))
    assert note.what == (
        f"0 misses in 700 judged items for system: with 80 % confidence there are at most {bound} among 9000"
    )
    # The box of R shares it among both sides, too: 1 - .2/2 for hits and 1 - .2/4 for each stratum of misses.
    box = box_interval(Quantity("R", strata), sample, confidence_level=0.8)
    hits = total_bounds(160, 200, 1000, confidence_level=0.9)[0]
    misses = sum(total_bounds(0, n, size, confidence_level=0.95)[1] for n, size in ((300, 2000), (400, 7000)))
    assert (box.low, box.high) == pytest.approx((hits / (hits + misses), 1))
    assert (
        estimate_sample(strata, sample, Estimation(method="logit", confidence_level=0.8))["R"].estimate.interval == box
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_part_knows_system_beta_and_level(method: Method) -> None:
    """So large a sample that every interval is narrow: a wrong beta or system moves it off the value."""
    sample = Sample.of([400, 300, 300, 3000], [360, 180, 120, 120])
    half: dict[tuple[float, str, str, str], float] = {}
    for level in (0.5, 0.95):
        found = estimate_systems(TWO, sample, Estimation(2, method, level, seed=0))
        # T = 540, 240, 200, 340: H is 780 and 740, the errors are 1,320, flagged 1,000 and 1,100.
        for system, hits, flagged in zip(found.systems, (780, 740), (1000, 1100), strict=True):
            values = {"P": hits / flagged, "R": hits / 1320, "F": 5 * hits / (4 * 1320 + flagged)}
            for name, value in values.items():
                row = system[name]
                assert row.estimate.value == pytest.approx(value)
                for made in (row.estimate.interval, row.bayes):
                    assert made is not None
                    assert made.confidence_level == level
                    assert made.low < value < made.high
                    half[level, system.system, name, made.method] = (made.high - made.low) / 2
                assert row.standard_error is not None
                assert half[level, system.system, name, method] == pytest.approx(
                    (Z if level == 0.95 else 0.674490) * row.standard_error,
                    rel=0.2 if method == "near-exact" else 0.05,  # whole errors, and all of the middle one: most at .5
                )
        for paired, value in zip(
            found.differences, (780 / 1000 - 740 / 1100, 40 / 1320, 3900 / 6280 - 3700 / 6380), strict=True
        ):
            assert paired.estimate.value == pytest.approx(value)
            assert paired.estimate.interval is not None
            assert paired.estimate.interval.confidence_level == level
            assert paired.estimate.interval.low < value < paired.estimate.interval.high
    # A normal interval at .95 is 2.906 times as wide as one at .5.
    for (level, system_name, name, made_by), width in half.items():
        if level == 0.5:
            assert half[0.95, system_name, name, made_by] == pytest.approx(
                Z / 0.674490 * width, rel=0.16 if made_by == "near-exact" else 0.08
            )


def test_wald_intervals_end_at_0_and_1() -> None:
    # P 1 of 10: .1 ± 1.96 sqrt(.99 * .09 / 9) goes below 0, and 9 of 10 above 1.
    half = Z * (0.99 * 0.09 / 9) ** 0.5
    for x, ends in ((1, (0, 0.1 + half)), (9, (0.9 - half, 1))):
        estimates = estimate_sample(LARGE, Sample.of([10, 300], [x, 50]), Estimation(method="wald"))
        interval = require(estimates["P"].estimate.interval)
        assert (interval.low, interval.high) == pytest.approx(ends)


def test_differences_that_cannot_be_and_that_do_not_vary() -> None:
    whole = Sample.of([600, 400, 500, 8500], [540, 240, 200, 340])
    for row in paired_differences(TWO, whole):
        assert row.estimate.no_interval is Undefined.ZERO_WIDTH
        assert row.standard_error == 0
    nothing = paired_differences(TWO, Sample.of([10] * 4, [0] * 4))
    assert [row.estimate.undefined for row in nothing] == [None, Undefined.NOTHING_IN_REFERENCE, None]
    with expect_refusal("sample-size"):
        paired_differences(TWO, Sample.of([601, 10, 10, 10], [1] * 4))


"""Of Y and CHEAP: both have mean .4, Σ (y - .4)² = Σ (f - .4)² = 2.4 and Σ y f - 10 * .16 = 1.4: λ = 7/12."""


def test_one_judged_item_says_nothing_of_the_spread() -> None:
    """One item, an error: the share of the variance is (1 + ½) / (1 + 1) = ¾, smoothed or not.

    Its variance is 100² (1 - 1/100) (¾ · ¼) · 1 / 1 = 1856.25, its plain total 1 + 99 · 1.
    """
    strata, sample = Strata.of_sizes(100, 900), Sample.of([1, 300], [1, 30])
    (totals, variances), (_, smoothed) = (estimated_totals(sample, strata, add=add) for add in (0, 0.5))
    assert (totals[0], variances[0], smoothed[0]) == pytest.approx((100, 1856.25, 1856.25))


def test_a_total_as_likely_as_the_bound_allows_is_inside() -> None:
    """No error among 3 of 10: with 7 errors the chance is C(3, 3) / C(10, 3) = 1/120, half of .05/3 to the digit."""
    assert total_bounds(0, 3, 10, confidence_level=1 - 0.05 / 3) == (0, 7)
