from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from errorbar.core import Interval, Undefined, UsageError
from errorbar.metrics.base import Swapping
from errorbar.stats import (
    Swaps,
    all_swaps,
    blocks,
    count_extreme,
    leave_one_out,
    mcnemar_test,
    multiplicities,
    paired_bootstrap,
    random_swaps,
    randomization_test,
    resample_units,
    stream,
)
from tests.helpers.folds import fold_counts
from tests.stats.fixtures import FIRST, SECOND, Floats, f_half


def difference(swaps: Swaps) -> Floats:
    """Of F0.5 of the two systems of the fixture, their outputs swapped."""
    first = np.where(swaps[:, :, None], SECOND, FIRST).sum(axis=1)
    second = np.where(swaps[:, :, None], FIRST, SECOND).sum(axis=1)
    return f_half(first) - f_half(second)


class TestRandomization:
    def test_exact_published_value(self) -> None:
        # Section 10 of the statistics notes: F0.5 .722892 vs .569620; of all 4,096 swaps 256 are as extreme.
        found = randomization_test(difference, 12, blocks(1, "swaps", replicates=10_000))
        assert found.difference == pytest.approx(0.153271, abs=1e-6)
        assert (found.exact, found.n_extreme, found.n_replicates) == (True, 256, 4096)
        assert found.p_value == 0.0625

    def test_sampled_published_value(self) -> None:
        # Section 10: Monte Carlo .0623. The standard error of a share near .0625 of 4,000 is .0038; four of them.
        found = randomization_test(difference, 12, blocks(1, "swaps", replicates=4_000))
        assert (found.exact, found.n_replicates) == (False, 4_000)
        assert found.p_value == (found.n_extreme + 1) / 4_001
        assert found.p_value == pytest.approx(0.0625, abs=0.0153)

    def test_scipys_permutation_test_agrees_on_means(self) -> None:
        d = np.array([3.0, -1, 2, 5, 0, 4, -2, 6, 1])
        ours = randomization_test(lambda swaps: (d * (1 - 2 * swaps)).mean(axis=1), 9, blocks(1, replicates=512))
        theirs = stats.permutation_test((d,), np.mean, permutation_type="samples", vectorized=True)
        assert ours.p_value == pytest.approx(float(theirs.pvalue))
        assert ours.exact

    def test_equal_systems_have_p_1(self) -> None:
        found = randomization_test(lambda swaps: np.zeros(len(swaps)), 3, blocks(1, replicates=100))
        assert (found.difference, found.p_value) == (0, 1)

    @given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
    def test_neither_the_order_of_units_nor_of_systems_matters(self, d: list[int]) -> None:
        def p(values: list[int]) -> float | None:
            table = np.array(values, np.float64)
            return randomization_test(
                lambda swaps: (table * (1 - 2 * swaps)).sum(axis=1), len(values), blocks(1, replicates=256)
            ).p_value

        assert p(d) == p(d[::-1]) == p(sorted(d)) == p([-x for x in d])

    def test_undefined_differences_make_p_larger(self) -> None:
        assert count_extreme(0.5, [0.1, 0.5, -0.6, np.nan, 0.5 - 1e-15]) == 4
        nothing = randomization_test(lambda swaps: np.full(len(swaps), np.nan), 3, blocks(1, replicates=100))
        assert (nothing.p_value, nothing.undefined) == (None, Undefined.NOT_COMPARABLE)

    def test_all_ways_once(self) -> None:
        ways = np.concatenate(list(all_swaps(11)))
        assert ways.shape == (2048, 11)
        assert len(np.unique(ways, axis=0)) == 2048

    def test_half_are_swapped(self) -> None:
        # 40,000 fair coins: standard error .0025; five of them.
        assert random_swaps(40, 1000, stream(1)).mean() == pytest.approx(0.5, abs=0.0125)

    @given(st.lists(st.integers(0, 2), min_size=1, max_size=8))
    def test_a_fold_of_swaps_is_that_of_the_swapped_systems(self, essays: list[int]) -> None:
        clusters = np.unique(essays, return_inverse=True)[1]
        n, rng = len(clusters), stream(9, *essays)
        counts = rng.integers(4, size=(2 * n, 1, 3)).astype(np.int32)
        swaps = random_swaps(int(clusters.max()) + 1, 4, rng)
        for which, ways in enumerate((swaps, ~swaps)):
            swapping = Swapping(ways, clusters)
            present = np.ones((2 * n, 1), np.uint8)
            totals = fold_counts(counts, present, beta=0.5, running=True, swapping=swapping).totals
            for row, total in zip(swaps, totals, strict=True):
                mine = [counts[u + n * (bool(row[clusters[u]]) != bool(which)), 0] for u in range(n)]
                assert total.tolist() == np.sum(mine, axis=0).tolist()

    def test_nothing_to_swap_is_named(self) -> None:
        with pytest.raises(UsageError, match=r"\[nothing-to-swap\]"):
            randomization_test(difference, 0, blocks(1, replicates=10))


class TestPairedBootstrap:
    DIFFERENCE = float(f_half(FIRST.sum(axis=0)) - f_half(SECOND.sum(axis=0)))
    WEIGHTS = np.concatenate(
        [multiplicities(resample_units(12, size, rng), 12) for size, rng in blocks(0, "paired", replicates=9999)]
    )
    RESAMPLED = f_half(WEIGHTS @ FIRST) - f_half(WEIGHTS @ SECOND)

    def test_published_values(self) -> None:
        # Section 10: bootstrap CI .0686 to .2460, share <= 0 .0015, centered p .0037. Tolerances: .01 as for the
        # fixture of section 7; four standard errors of a share of 9,999.
        found = paired_bootstrap(self.DIFFERENCE, self.RESAMPLED, method="percentile")
        assert isinstance(found.interval, Interval)
        assert (found.interval.low, found.interval.high) == pytest.approx((0.0686, 0.2460), abs=0.01)
        assert found.share_not_better == pytest.approx(0.0015, abs=0.0016)
        assert found.centered_p == pytest.approx(0.0037, abs=0.0025)

    def test_bca_needs_the_jackknife_of_the_difference(self) -> None:
        weights = multiplicities(leave_one_out(np.arange(12)), 12)
        jackknife = f_half(weights @ FIRST) - f_half(weights @ SECOND)
        found = paired_bootstrap(self.DIFFERENCE, self.RESAMPLED, jackknife=jackknife)
        assert isinstance(found.interval, Interval)
        assert 0 < found.interval.low < self.DIFFERENCE < found.interval.high

    def test_the_worse_system_first(self) -> None:
        here = paired_bootstrap(self.DIFFERENCE, self.RESAMPLED, method="percentile")
        there = paired_bootstrap(-self.DIFFERENCE, -self.RESAMPLED, method="percentile")
        assert (here.centered_p, here.share_not_better) == (there.centered_p, there.share_not_better)

    def test_by_hand(self) -> None:
        # |d* - .5| is .5, .1, .1 and .7: two of at least .5, so p = (1 + 2) / 5. One of four is not above 0.
        found = paired_bootstrap(0.5, [0.0, 0.4, 0.6, 1.2], method="percentile", confidence_level=0.5)
        assert (found.centered_p, found.share_not_better) == (0.6, 0.25)
        # Quartiles at positions .75 and 2.25 of 0, .4, .6, 1.2.
        assert isinstance(found.interval, Interval)
        assert (found.interval.low, found.interval.high) == pytest.approx((0.3, 0.75))
        assert found.interval.confidence_level == 0.5

    def test_undefined_resamples(self) -> None:
        found = paired_bootstrap(0.1, [0.1, 0.2, np.nan, -0.1], method="percentile")
        assert found.centered_p is None
        assert found.interval is Undefined.RESAMPLES_UNDEFINED
        assert found.share_not_better == 0.5


class TestMcNemar:
    # Section 10 of the statistics notes: b = 10, c = 3; exact 756/8192; statsmodels 0.15 agrees.
    def test_exact(self) -> None:
        assert mcnemar_test(10, 3).p_value == pytest.approx(756 / 8192, abs=1e-12)
        assert mcnemar_test(10, 3).p_value == pytest.approx(0.092285, abs=6e-7)

    def test_mid_p(self) -> None:
        assert mcnemar_test(10, 3, method="mid-p").p_value == pytest.approx(0.057373, abs=6e-7)

    def test_chi2(self) -> None:
        found = mcnemar_test(10, 3, method="chi2")
        assert (found.chi2, found.p_value) == pytest.approx((2.769231, 0.096092), abs=6e-7)

    def test_equal_counts(self) -> None:
        # P(X = 2) of 4 is 6/16.
        assert [mcnemar_test(2, 2, method=m).p_value for m in ("exact", "mid-p", "chi2")] == [1, 1 - 6 / 32, 1]

    @given(st.integers(0, 60), st.integers(0, 60))
    def test_scipys_sign_test_agrees_and_the_systems_can_be_exchanged(self, b: int, c: int) -> None:
        found = mcnemar_test(b, c)
        if b + c == 0:
            assert (found.p_value, found.undefined) == (None, Undefined.NO_DISAGREEMENT)
            return
        assert found.p_value == pytest.approx(float(stats.binomtest(b, b + c).pvalue))
        assert found.p_value == mcnemar_test(c, b).p_value
        mid = mcnemar_test(b, c, method="mid-p").p_value
        assert mid is not None
        assert found.p_value is not None
        assert 0 < mid < found.p_value

    def test_misuse_is_named(self) -> None:
        with pytest.raises(UsageError, match=r"\[mcnemar-counts\]"):
            mcnemar_test(-1, 3)
        with pytest.raises(UsageError, match=r"\[mcnemar-counts\]"):
            mcnemar_test(3, -1)
        for count in (2.5, nan, inf):
            with pytest.raises(UsageError, match=r"\[mcnemar-counts\]"):
                mcnemar_test(10, count)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"did you mean 'mid-p'.*\[mcnemar-method\]"):
            mcnemar_test(1, 3, method="midp")  # type: ignore[arg-type]  # wrong on purpose
