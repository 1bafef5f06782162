"""Intervals where few errors are seen: against definitions, and by how often they hold the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import hypergeom

from errorbar.core.estimate import Undefined
from errorbar.sampling import Sample, Strata, estimate_sample
from errorbar.sampling.near_exact import near_exact_bounds
from errorbar.sampling.other_intervals import total_bounds
from errorbar.sampling.totals import TARGETS
from tests.sampling.examples import LARGE, SAMPLE
from tests.sampling.few import CUTS, NEARLY, VOTED, cut, cut_row, few_rows, nearly, row, voted_rows

MEASURED = Path(__file__).with_name("measured.md").read_text(encoding="utf-8")
COUNTS = [(600, 750, 1000), (450, 1500, 9000), (0, 300, 9000), (1, 200, 9000), (3, 10, 20), (20, 20, 50), (7, 9, 10)]


@pytest.mark.parametrize(("x", "n", "size"), COUNTS)
def test_with_all_of_the_middle_the_bounds_are_exact(x: int, n: int, size: int) -> None:
    # Section 1.1 for the first three: 785 to 814, 2510 to 2896, 0 to 108; two ways to the same totals.
    assert near_exact_bounds(x, n, size, outer=1.0) == total_bounds(x, n, size)


@pytest.mark.parametrize(("x", "n", "size"), COUNTS)
def test_the_ends_are_the_last_totals_that_fit(x: int, n: int, size: int) -> None:
    """From the definition, with scipy's hypergeometric tails."""
    low, high = near_exact_bounds(x, n, size)
    for total, outside, sign in ((low, low - 1, -1), (high, high + 1, 1)):
        for each, fits in ((total, True), (outside, False)):
            if not x <= each <= size - (n - x):
                continue
            chance = 0.75 * hypergeom.pmf(x, size, each, n)
            chance += hypergeom.sf(x, size, each, n) if sign < 0 else hypergeom.cdf(x - 1, size, each, n)
            assert (chance >= 0.025 * (1 - 1e-6)) == fits


def test_a_very_large_corpus_is_one_without_end() -> None:
    # Of 10 billion items: (1 - q)^300 w = .025 at q = .01128.
    low, high = near_exact_bounds(0, 300, 10**10)
    assert low == 0
    assert high / 10**10 == pytest.approx(1 - (0.025 / 0.75) ** (1 / 300), rel=1e-3)


def test_the_default_beside_the_other_intervals() -> None:
    # Table 5: between the logit interval (.2159 to .2416) and the exact box (.2112 to .2473).
    interval = estimate_sample(LARGE, SAMPLE)["R"].estimate.interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.2161, 0.2419), abs=5e-5)


def test_a_side_that_was_judged_whole_adds_nothing() -> None:
    # All 1,000 flagged items were judged: R = 800 / (800 + M), whatever joins the two.
    found = estimate_sample(LARGE, Sample.of([1000, 300], [800, 3]))
    low, high = near_exact_bounds(3, 300, 9000)
    interval = found["R"].estimate.interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((800 / (800 + high), 800 / (800 + low)))
    assert found["P"].estimate.no_interval is Undefined.ZERO_WIDTH


def test_strata_alike_count_as_one() -> None:
    """A side cut in two in the same proportion tells no more than whole."""
    cut = Strata(("f", "a", "b"), np.array([1000, 4500, 4500]), np.array([[True, False, False]]))
    whole = estimate_sample(LARGE, Sample.of([200, 300], [160, 8]))["R"].estimate.interval
    parts = estimate_sample(cut, Sample.of([200, 150, 150], [160, 4, 4]))["R"].estimate.interval
    assert whole is not None
    assert parts is not None
    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high), abs=0.01)


@pytest.mark.parametrize(("n", "size"), [(20, 200), (60, 1000), pytest.param(200, 20_000, marks=pytest.mark.slow)])
def test_one_proportion_at_its_worst_rate(n: int, size: int) -> None:
    """Mid-p falls to .92 (.918, .929, .919): three quarters of the middle hold .94."""
    x, totals = np.arange(n + 1), np.unique(np.linspace(0, size / 2, 1000).round())
    chance = hypergeom.pmf(x, size, totals[:, None], n)
    least = {}
    for outer in (0.5, 0.75):
        low, high = np.array([near_exact_bounds(float(k), n, size, outer=outer) for k in x]).T
        held = (low <= totals[:, None]) & (totals[:, None] <= high)
        least[outer] = float((chance * held).sum(axis=1).min())
    assert least[0.5] < 0.93
    assert least[0.75] > 0.94


@pytest.mark.slow
@pytest.mark.parametrize("name", CUTS)
def test_sides_of_several_strata(name: str) -> None:
    found = cut(name)
    assert cut_row(name, found) in MEASURED
    assert min(found.values()) >= 0.93


@pytest.mark.parametrize("name", NEARLY)
def test_a_side_of_which_nearly_all_is_judged(name: str) -> None:
    """Ends that are no whole totals hold .18, none, .75 and .49 of the samples: the truth lies just beyond them."""
    found = nearly(name)
    assert cut_row(name, found) in MEASURED
    assert min(found.values()) >= 0.93


def test_ends_are_totals_that_can_be() -> None:
    strata = Strata(("a", "b", "rest"), np.array([18, 19, 500]), np.array([[True, True, False]]))
    n, x, ones = np.array([17, 18, 100]), np.array([17.0, 0.0, 5.0]), np.ones(3)
    agreed = Sample(n, x, ones, np.array([0.0, 0.0, 0.01]), ones)  # graded: raters differ in the rest only
    for sample in (Sample(n, x), agreed):
        hits = estimate_sample(strata, sample)["hits"].estimate
        assert hits.value == pytest.approx(18)
        assert hits.interval is not None
        assert (hits.interval.low, hits.interval.high) == pytest.approx((17, 18))
    differ = Sample(n, x - [0.5, 0, 0], ones, np.full(3, 0.01), ones)
    hits = estimate_sample(strata, differ)["hits"].estimate
    assert hits.interval is not None
    assert hits.interval.low % 1 != 0


@pytest.mark.slow
def test_every_sample_of_many_designs() -> None:
    found = few_rows()
    for name, one in found.items():
        assert row(name, one) in MEASURED
    assert all(found["near-exact"][target][0] >= 0.95 for target in TARGETS)


@pytest.mark.slow
@pytest.mark.parametrize(("judged", "rate"), VOTED)
def test_few_errors_and_votes(judged: int, rate: float) -> None:
    found = voted_rows(judged, rate)
    for name, one in found.items():
        assert row(f"{judged} judged, {100 * rate:g} % errors: {name}", one) in MEASURED
    assert all(found["with votes"][target][0] >= 0.93 for target in TARGETS)
