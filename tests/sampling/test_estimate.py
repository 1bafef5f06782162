"""What holds for any sample, two-stage variances, cheap labels, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core.errors import UsageError
from errorbar.core.estimate import Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.sampling import (
    Frame,
    Sample,
    Strata,
    allocate,
    assist,
    assisted_total,
    draw_sample,
    estimate_sample,
    estimated_totals,
    judge_sample,
    paired_differences,
    pilot_rates,
    plan_sample,
    stratify,
)
from errorbar.sampling.plan import guessed_rates
from errorbar.sampling.quantities import Name, gradient, quantity

STRATA = Strata.of_sizes(100, 400)


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
