"""Table 5 of Tetreault and Chodorow 2008 under other intervals: those that agree, and those that are wrong.

The values are those of section 1.1 of the project's statistics notes (section 4 for two stages): computed with numpy
and scipy, and simulated where a tolerance is wide.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorbar.agreement import PairTable, cohen_kappa
from errorbar.core import Interval, Undefined
from errorbar.sampling import (
    Estimation,
    Quantity,
    Sample,
    Strata,
    estimate_sample,
    mover_interval,
    rescaled_interval,
)
from errorbar.sampling.frame import TARGETS, Target, estimated_totals
from errorbar.sampling.intervals import logit_bounds, posterior_interval, posterior_totals, rescaled_totals
from errorbar.stats import proportion_interval, stream
from tests.helpers.expectations import expect_refusal, require
from tests.sampling.coverage import DESIGNS, Z, design_coverage
from tests.sampling.examples import LARGE as STRATA
from tests.sampling.examples import SAMPLE, TWO

UNCORRECTED = Sample(SAMPLE.n, SAMPLE.x, corrected=np.zeros(2))
"""The same sample as of a corpus without end: no finite-population correction."""


def ends(interval: Interval | Undefined | None) -> tuple[float, float]:
    assert isinstance(interval, Interval)
    return interval.low, interval.high


def test_pooling_the_samples_is_wrong() -> None:
    # R of the raw counts .571, wrong by 2.5 times; kappa of the raw table .4545, of the scaled one .2368.
    hits, misses = SAMPLE.x
    recall = require(estimate_sample(STRATA, SAMPLE)["R"].estimate.value)
    assert hits / (hits + misses) == pytest.approx(0.571, abs=5e-4)
    assert hits / (hits + misses) / recall == pytest.approx(2.5)
    # An equal share judged of both strata is what pooling takes for granted.
    pooled = estimate_sample(Strata.of_sizes(7500, 15000), SAMPLE)["R"].estimate.value
    assert pooled == pytest.approx(hits / (hits + misses))
    raw = cohen_kappa(PairTable.of([[600, 450], [150, 1050]])).estimate.value
    assert raw == pytest.approx(0.4545, abs=5e-5)
    totals, _ = estimated_totals(SAMPLE, STRATA, add=0)
    assert totals == pytest.approx([800, 2700])
    assert STRATA.sizes - totals == pytest.approx([200, 6300])
    scaled = cohen_kappa(PairTable.of([[800, 2700], [200, 6300]])).estimate.value
    assert scaled == pytest.approx(0.2368, abs=5e-5)


def test_without_finite_population_correction() -> None:
    found = estimate_sample(STRATA, UNCORRECTED, Estimation(method="wald"))
    assert ends(found["R"].estimate.interval) == pytest.approx((0.2135, 0.2436), abs=5e-5)
    assert ends(found["P"].estimate.interval) == pytest.approx((0.7714, 0.8286), abs=5e-5)


def test_mover_interval() -> None:
    assert ends(mover_interval(Quantity("R", STRATA), SAMPLE, corrected=False)) == pytest.approx(
        (0.2139, 0.2439), abs=5e-5
    )
    # With the correction it agrees with what is reported: .215985 to .241666 for R, .3396 to .3715 for F (Wald).
    assert ends(mover_interval(Quantity("R", STRATA), SAMPLE)) == pytest.approx((0.215985, 0.241666), abs=2e-4)
    assert ends(mover_interval(Quantity("F", STRATA), SAMPLE)) == pytest.approx((0.3396, 0.3715), abs=4e-4)
    # P without correction is Wilson's interval of 600 of 750 (section 7).
    found = ends(mover_interval(Quantity("P", STRATA), SAMPLE, corrected=False))
    assert found == pytest.approx((0.769876, 0.827066), abs=5e-7)
    swapped = Strata(("unflagged", "flagged"), np.array([9000, 1000]), np.array([[False, True]]))
    turned = Sample.of([1500, 750], [450, 600])
    assert mover_interval(Quantity("R", swapped), turned) == mover_interval(Quantity("R", STRATA), SAMPLE)


def test_mover_interval_where_nothing_was_seen() -> None:
    low, high = ends(mover_interval(Quantity("R", STRATA), Sample.of([200, 300], [160, 0])))
    assert high == 1
    # None of 300 leaves at most 108 misses (exact, section 1.1); Wilson's bound is close to it.
    assert low == pytest.approx(800 / 908, abs=0.02)
    low, high = ends(mover_interval(Quantity("R", STRATA), Sample.of([750, 1500], [0, 450])))
    assert low == 0 < high < 0.01
    assert ends(mover_interval(Quantity("F", STRATA), Sample.of([200, 300], [160, 0])))[1] < 1
    nothing = Sample.of([750, 1500], [0, 0])
    assert mover_interval(Quantity("R", STRATA), nothing) is Undefined.NOTHING_IN_REFERENCE


@given(st.integers(1, 99), st.integers(1, 99), st.sampled_from([0.5, 1.0, 2.0]))
def test_mover_interval_holds_the_value(hits: int, misses: int, beta: float) -> None:
    strata, sample = Strata.of_sizes(300, 500), Sample.of([100, 100], [hits, misses])
    for target in ("R", "F"):
        low, high = ends(mover_interval(Quantity(target, strata, beta=beta), sample))
        value = require(estimate_sample(strata, sample, Estimation(beta=beta))[target].estimate.value)
        assert 0 < low < value < high < 1


def test_where_there_is_no_mover_interval() -> None:
    assert mover_interval(Quantity("R", STRATA), Sample.of([1000, 1500], [800, 450])) is Undefined.ZERO_WIDTH
    three = Strata(("a", "b", "c"), np.array([100, 100, 100]), np.array([[True, False, False]]))
    with expect_refusal("sample-mover"):
        mover_interval(Quantity("R", three), Sample.of([50, 50, 50], [30, 5, 5]))


def test_graded_truths_and_samples_that_do_not_fit_have_no_mover_interval() -> None:
    for sample, code in (
        (Sample(SAMPLE.n, SAMPLE.x, np.full(2, 0.5)), "sample-mover"),
        (Sample.of([1001, 1500], [800, 450]), "sample-size"),
    ):
        with expect_refusal(code):
            mover_interval(Quantity("R", STRATA), sample)


TWO_SAMPLE = Sample.of([400, 300, 300, 3000], [360, 180, 120, 120])
"""Totals 540, 240, 200, 340: hits of A 780 of 1,000, of B 740 of 1,100; 1,320 errors."""


@pytest.mark.parametrize(("system", "hits", "flagged"), [(0, 780, 1000), (1, 740, 1100)])
def test_resampled_totals_know_system_beta_and_level(system: int, hits: int, flagged: int) -> None:
    drawn = posterior_totals(TWO_SAMPLE, TWO, stream(8, "bayes"))
    expected: dict[Target, float] = {"R": hits / 1320, "F": 5 * hits / (4 * 1320 + flagged), "P": hits / flagged}
    for name, value in expected.items():
        widths = []
        for level in (0.5, 0.95):
            bayes = posterior_interval(Quantity(name, TWO, system=system, beta=2.0), drawn, confidence_level=level)
            assert isinstance(bayes, Interval)
            rng = stream(9, "rescaled")
            found = rescaled_interval(
                Quantity(name, TWO, system=system, beta=2.0), TWO_SAMPLE, rng, confidence_level=level, draws=20_000
            )
            assert isinstance(found, Interval)
            assert bayes.low < value < bayes.high
            assert found.low < value < found.high
            assert (bayes.confidence_level, found.confidence_level) == (level, level)
            widths.append((bayes.high - bayes.low, found.high - found.low))
        # 1.959964 / .674490 for a normal distribution; quantiles of 20,000 draws are known to some 2 %.
        assert np.array(widths[1]) / widths[0] == pytest.approx([2.906, 2.906], rel=0.1)


def test_a_prior_is_shared_by_the_bands_of_a_side() -> None:
    # Half an error on each side of 100 and 300 unflagged items: an eighth and three eighths.
    strata = Strata(("f", "a", "b"), np.array([100, 100, 300]), np.array([[True, False, False]]))
    sample = Sample.of([9, 9, 9], [9, 0, 0])
    rates = [9.5 / 10, 0.125 / 9.25, 0.375 / 9.75]
    assert sample.rates(strata) == pytest.approx(rates)
    # The posterior's mean is the same rate of what was not judged: standard errors of 200,000 draws are below 1 %.
    mean = posterior_totals(sample, strata, stream(10, "bayes"), draws=200_000).mean(axis=0)
    assert mean == pytest.approx([9 + 91 * rates[0], 91 * rates[1], 291 * rates[2]], rel=0.03)
    # Half of it for two systems is shared by what both flag alike only: of the strata 11, 10, 01 and 00 each is alone.
    assert Sample.of([9] * 4, [0] * 4).rates(TWO) == pytest.approx([0.05] * 4)


def test_where_nothing_was_seen_nothing_is_resampled() -> None:
    nothing = Sample.of([10, 10], [0, 0])
    assert rescaled_interval(Quantity("R", STRATA), nothing, stream(5), draws=100) is Undefined.RESAMPLES_UNDEFINED
    assert posterior_interval(Quantity("R", STRATA), np.zeros((5, 2))) is None
    assert posterior_interval(Quantity("P", STRATA), np.zeros((5, 2))) is None
    # Draws without an error are left out of recall: of 1, 1/2 and none the median is 3/4.
    draws = np.array([[4.0, 0], [2, 2], [0, 0]])
    made = posterior_interval(Quantity("R", STRATA), draws, confidence_level=0.5)
    assert isinstance(made, Interval)
    assert (made.low, made.high) == pytest.approx((0.625, 0.875))
    for sample, draws_wanted, code in (
        (Sample.of([1001, 10], [1, 1]), 100, "sample-size"),
        (SAMPLE, 0, "sample-rescaled"),
    ):
        with expect_refusal(code):
            rescaled_totals(sample, STRATA, stream(6), draws=draws_wanted)


def test_rescaled_bootstrap() -> None:
    # Rao and Wu with correction: .2162 to .2421, itself a simulation.
    found = rescaled_interval(Quantity("R", STRATA), SAMPLE, stream(1, "rescaled"), draws=200_000)
    assert ends(found) == pytest.approx((0.2162, 0.2421), abs=2e-4)
    totals = rescaled_totals(SAMPLE, STRATA, stream(2, "rescaled"), draws=100_000)
    # The standard errors of section 1.1, which the rescaling is made for.
    assert totals.std(axis=0) == pytest.approx([7.30784, 97.24353], rel=0.01)
    assert totals.mean(axis=0) == pytest.approx([800, 2700], rel=2e-3)
    whole = Sample.of([1000, 9000], [800, 2700])
    assert rescaled_interval(Quantity("R", STRATA), whole, stream(3, "rescaled"), draws=100) is Undefined.NO_VARIATION
    with expect_refusal("sample-rescaled"):
        rescaled_totals(Sample(SAMPLE.n, SAMPLE.x, np.full(2, 0.5)), STRATA, stream(4, "rescaled"))


def test_parametric_bootstrap() -> None:
    # Hypergeometric draws from the estimated corpus: .2163 to .2420. An independent way to what is reported.
    drawn = np.random.default_rng(5).hypergeometric([800, 2700], [200, 6300], SAMPLE.n, (200_000, 2))
    draws = Sample(np.broadcast_to(SAMPLE.n, drawn.shape), drawn.astype(np.float64))
    recall = Quantity("R", STRATA).value(estimated_totals(draws, STRATA, add=0)[0])
    low, high = np.quantile(recall, [0.025, 0.975])
    assert (low, high) == pytest.approx((0.2163, 0.2420), abs=1.5e-4)
    # Near-exact ends are a little wider, as an exact method has to be: .2158 to .2422.
    assert ends(estimate_sample(STRATA, SAMPLE)["R"].estimate.interval) == pytest.approx((low, high), abs=6e-4)


@pytest.mark.parametrize(("n", "low", "high"), [(1050, 0.2032, 0.2540), (3500, 0.2147, 0.2425)])
def test_a_binomial_interval_is_wrong(n: int, low: float, high: float) -> None:
    """Recall is no share of n items: judged errors (1,050) give too wide an interval, estimated ones (3,500) too."""
    made = ends(proportion_interval(n * 8 / 35, n, method="wald"))
    assert made == pytest.approx((low, high), abs=5e-5)
    right = ends(estimate_sample(STRATA, SAMPLE, Estimation(method="wald"))["R"].estimate.interval)
    assert made[1] - made[0] > 1.05 * (right[1] - right[0])


def test_no_correction_holds_the_truth_too_often() -> None:
    # Coverage .979 of R without correction, .954 with it, of 20,000 samples; an error of .002.
    x = np.random.default_rng(6).hypergeometric([800, 2700], [200, 6300], SAMPLE.n, (20_000, 2)).astype(np.float64)
    n, truth = np.broadcast_to(SAMPLE.n, x.shape), 800 / 3500
    held = []
    for sample in (Sample(n, x, corrected=np.zeros(2)), Sample(n, x)):
        totals, variances = estimated_totals(sample, STRATA, add=0)
        half = Z * np.sqrt((Quantity("R", STRATA).gradient(totals) ** 2 * variances).sum(axis=1))
        held.append(float((np.abs(Quantity("R", STRATA).value(totals) - truth) <= half).mean()))
    assert held == pytest.approx([0.979, 0.954], abs=0.006)
    low, high = logit_bounds(Quantity("R", STRATA), *estimated_totals(Sample(n, x), STRATA))
    assert float(((low <= truth) & (truth <= high)).mean()) == pytest.approx(0.953, abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("design", "wald", "logit", "bayes"),
    [
        (design, *row)
        for design, row in zip(
            list(DESIGNS)[:4],
            [(0.954, 0.953, 0.948), (0.930, 0.955, 0.947), (0.847, 0.943, 0.977), (0.910, 0.966, 0.920)],
            strict=True,
        )
    ],
)
def test_coverage_of_the_notes(design: str, wald: float, logit: float, bayes: float) -> None:
    """An independent simulation of the first four designs; two runs differ by .002, Bayes (1,500 samples) by .008."""
    found = design_coverage(design)
    assert found["wald"] == pytest.approx(wald, abs=0.012)
    assert found["logit + ½"] == pytest.approx(logit, abs=0.012)
    assert found["bayes"] == pytest.approx(bayes, abs=0.02)


def two_stage_samples(k: int, draws: int) -> tuple[float, dict[str, Sample]]:
    """True recall, and samples of k judgments for each item of a corpus whose items differ in how many would object."""
    rng = np.random.default_rng(k)
    population = [rng.beta(4, 1, 1000), rng.beta(0.6, 6, 9000)]
    x, spread, within = (np.zeros((draws, 2)) for _ in range(3))
    for draw in range(draws):
        for at, (share, n) in enumerate(zip(population, SAMPLE.n.tolist(), strict=True)):
            y = rng.binomial(k, share[rng.choice(len(share), n, replace=False)]) / k
            x[draw, at], mean = y.sum(), y.mean()
            spread[draw, at] = y.var() / (mean * (1 - mean))
            within[draw, at] = (y * (1 - y)).mean() / max(k - 1, 1)
    n_all: NDArray[np.int64] = np.broadcast_to(SAMPLE.n, x.shape)
    known = {"two stages": Sample(n_all, x, spread, within)} if k > 1 else {}
    made = {"one": Sample(n_all, x, spread), "uncorrected": Sample(n_all, x, spread, corrected=np.zeros(2)), **known}
    hits, misses = (float(share.sum()) for share in population)
    return hits / (hits + misses), made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "name", "coverage"),
    [  # section 4, 750 and 1,500 items of k judgments; the correction on everything is too narrow
        (3, "one", 0.927),
        (3, "two stages", 0.948),
        (20, "one", 0.948),
        (20, "two stages", 0.956),
        (1, "one", 0.928),
        (1, "uncorrected", 0.95),  # what judge_sample does with one judgment for each item
    ],
)
def test_two_stage_coverage(k: int, name: str, coverage: float) -> None:
    truth, samples = two_stage_samples(k, 4_000)
    totals, variances = estimated_totals(samples[name], STRATA, add=0)
    half = Z * np.sqrt((Quantity("R", STRATA).gradient(totals) ** 2 * variances).sum(axis=1))
    held = float((np.abs(Quantity("R", STRATA).value(totals) - truth) <= half).mean())
    assert held == pytest.approx(coverage, abs=0.012)  # either simulation is known to about .004


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_mover_holds_the_truth_and_the_bootstrap_less(design: str) -> None:
    """1,500 samples of each design. No interval counts as a failure, so an error of .006 and a bit more."""
    flagged, n1, rest, n0, p, q = DESIGNS[design]
    strata, errors = Strata.of_sizes(flagged, rest), np.array([round(flagged * p), round(rest * q)])
    rng, n = np.random.default_rng(9), np.array([n1, n0])
    samples = [
        Sample(n, x) for x in rng.hypergeometric(errors, strata.sizes - errors, n, (1_500, 2)).astype(np.float64)
    ]
    for target in TARGETS:
        truth = float(Quantity(target, strata).value(errors.astype(np.float64)))

        def share(made: list[Interval | Undefined], truth: float = truth) -> float:
            return float(
                np.mean(
                    [isinstance(interval, Interval) and interval.low <= truth <= interval.high for interval in made]
                )
            )

        assert 0.935 <= share([mover_interval(Quantity(target, strata), sample) for sample in samples]) <= 0.965
        found = share([rescaled_interval(Quantity(target, strata), sample, rng, draws=500) for sample in samples])
        # With two misses in the mean there often is none, and then no resample has one.
        assert (0.82 if q == 0.01 else 0.91) <= found <= 0.965
