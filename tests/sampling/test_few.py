"""Intervals where few errors are seen: against definitions, and by how often they hold the truth."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import hypergeom

from errorbar.core import Undefined
from errorbar.sampling import Quantity, Sample, Strata, estimate_sample
from errorbar.sampling.frame import TARGETS, Target
from errorbar.sampling.intervals import Melding, Side, total_bounds, total_chances
from tests.helpers.expectations import require
from tests.sampling.examples import LARGE, SAMPLE
from tests.sampling.few import (
    CUTS,
    GRID_JUDGED,
    GRID_SIZES,
    NEARLY,
    SCORES,
    UNLIKE,
    VOTED,
    cut,
    cut_row,
    few_rows,
    least_coverage,
    melded_coverage,
    nearly,
    random_design,
    row,
    sorted_ends,
    voted_rows,
)

MEASURED = (Path(__file__).resolve().parents[1] / "measured" / "sampling.md").read_text(encoding="utf-8")
COUNTS = [(600, 750, 1000), (450, 1500, 9000), (0, 300, 9000), (1, 200, 9000), (3, 10, 20), (20, 20, 50), (7, 9, 10)]


def hit_ends(x: int, n: int, size: int) -> tuple[float, float]:
    """The ends of the hits."""
    interval = require(estimate_sample(Strata.of_sizes(size, 1), Sample.of([n, 1], [x, 0]))["hits"].estimate.interval)
    return interval.low, interval.high


@pytest.mark.parametrize(("x", "n", "size"), COUNTS)
def test_the_ends_of_a_side_are_exact(x: int, n: int, size: int) -> None:
    # Section 1.1 for the first three: 785 to 814, 2510 to 2896, 0 to 108; two ways to the same totals.
    assert hit_ends(x, n, size) == pytest.approx(total_bounds(x, n, size), abs=1e-9)


@pytest.mark.parametrize(("x", "n", "size"), COUNTS)
def test_the_ends_are_the_last_totals_that_fit(x: int, n: int, size: int) -> None:
    """From the definition, with scipy's hypergeometric tails."""
    low, high = (round(end) for end in hit_ends(x, n, size))
    for total, outside, sign in ((low, low - 1, -1), (high, high + 1, 1)):
        for tried, fits in ((total, True), (outside, False)):
            if not x <= tried <= size - (n - x):
                continue
            chance = hypergeom.sf(x - 1, size, tried, n) if sign < 0 else hypergeom.cdf(x, size, tried, n)
            assert (chance >= 0.025 * (1 - 1e-6)) == fits


def test_a_very_large_corpus_is_one_without_end() -> None:
    # Of 10 billion items: (1 - q)^300 = .025 at q = .01222.
    low, high = hit_ends(0, 300, 10**10)
    assert low == 0
    assert high / 10**10 == pytest.approx(1 - 0.025 ** (1 / 300), rel=1e-3)


def test_the_default_beside_the_other_intervals() -> None:
    # Table 5: about the logit interval (.2159 to .2416), inside the exact box (.2112 to .2473).
    interval = require(estimate_sample(LARGE, SAMPLE)["R"].estimate.interval)
    assert (interval.low, interval.high) == pytest.approx((0.2158, 0.2422), abs=5e-5)


def test_a_side_that_was_judged_whole_adds_nothing() -> None:
    # All 1,000 flagged items were judged: R = 800 / (800 + M), whatever joins the two.
    found = estimate_sample(LARGE, Sample.of([1000, 300], [800, 3]))
    low, high = total_bounds(3, 300, 9000)
    interval = require(found["R"].estimate.interval)
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


@pytest.mark.parametrize("size", [1, 2, 7, pytest.param(40, marks=pytest.mark.slow)])
def test_a_side_alone_in_every_design(size: int) -> None:
    """Of every number of judged items and every truth: P holds the truth in .95 or more, as its proof says."""
    totals = np.arange(size + 1)
    for n in range(1, size):
        x = np.arange(n + 1)
        low, high = np.array([hit_ends(seen, n, size) for seen in x.tolist()]).T
        held = (low <= totals[:, None] + 1e-6) & (totals[:, None] <= high + 1e-6)
        assert (hypergeom.pmf(x, size, totals[:, None], n) * held).sum(axis=1).min() >= 0.95


TINY = [(("F", 1.0), (5, 1000), (2, 300), (4, 500)), (("R", 1.0), (1000, 5), (150, 4), (800, 2))]


@pytest.mark.parametrize(("score", "sizes", "n", "errors"), TINY)
def test_a_side_that_is_tiny(
    score: tuple[Target, float], sizes: tuple[int, int], n: tuple[int, int], errors: tuple[int, int]
) -> None:
    """Ends that were joined as those of normal numbers held .833 and .631 of the samples."""
    assert melded_coverage(sizes, n, errors, score) >= 0.95


@pytest.mark.parametrize("score", SCORES)
def test_two_tiny_sides_in_every_design(score: tuple[Target, float]) -> None:
    assert min(least_coverage((a, b), score) for a in range(1, 9) for b in range(1, 10 - a)) >= 0.95


def test_ends_are_found_as_by_sorting_all_pairs() -> None:
    """The halving of ``Melding`` and its readable twin."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        sizes = [int(size) for size in rng.integers(1, 25, 2)]
        n = [int(rng.integers(1, size + 1)) for size in sizes]
        x = [int(rng.integers(0, judged + 1)) for judged in n]
        target, beta = SCORES[rng.integers(3)]
        quantity = Quantity(target, Strata.of_sizes(*sizes), beta=beta)
        hits, misses = (Side(0.0, *total_chances(float(k), m, size)) for k, m, size in zip(x, n, sizes, strict=True))
        expected = sorted_ends(quantity, hits, misses, 0.025)
        assert Melding(quantity, hits, misses).ends(0.025) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "most", [pytest.param(24, marks=pytest.mark.slow), pytest.param(40, marks=pytest.mark.measured)]
)
@pytest.mark.parametrize("score", SCORES)
def test_every_design_of_few_items(score: tuple[Target, float], most: int) -> None:
    """All sizes of two strata with so many items together; all numbers of judged items, truths and samples of each."""
    assert min(least_coverage((a, b), score) for a in range(1, most) for b in range(1, most + 1 - a)) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("score", SCORES)
def test_designs_of_up_to_forty_items_a_stratum(score: tuple[Target, float]) -> None:
    """Sizes and numbers of judged items from a grid; all truths and samples of each."""
    pairs = [(a, b) for a, b in product(GRID_SIZES, repeat=2) if a + b > 40]
    assert min(least_coverage(pair, score, GRID_JUDGED) for pair in pairs) >= 0.95


@pytest.mark.parametrize(
    "n", [pytest.param(100, marks=pytest.mark.slow), pytest.param(500, marks=pytest.mark.measured)]
)
def test_designs_at_random(n: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(n):
        design = random_design(rng)
        assert min(melded_coverage(*design, score) for score in SCORES) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("name", CUTS)
def test_sides_of_several_strata(name: str) -> None:
    found = cut(name)
    assert cut_row(name, found) in MEASURED
    assert min(found.values()) >= (0.9 if name in UNLIKE else 0.93)


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
        interval = require(hits.interval)
        assert (interval.low, interval.high) == pytest.approx((17, 18))
    differ = Sample(n, x - [0.5, 0, 0], ones, np.full(3, 0.01), ones)
    hits = estimate_sample(strata, differ)["hits"].estimate
    assert require(hits.interval).low % 1 != 0


@pytest.mark.measured
def test_every_sample_of_many_designs() -> None:
    found = few_rows()
    for name, measured in found.items():
        assert row(name, measured) in MEASURED
    assert all(found["near-exact"][target][0] >= 0.95 for target in TARGETS)


@pytest.mark.measured
@pytest.mark.parametrize(("judged", "rate"), VOTED)
def test_few_errors_and_votes(judged: int, rate: float) -> None:
    found = voted_rows(judged, rate)
    for name, measured in found.items():
        assert row(f"{judged} judged, {100 * rate:g} % errors: {name}", measured) in MEASURED
    assert all(found["with votes"][target][0] >= 0.93 for target in TARGETS)
