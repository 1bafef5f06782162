from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from errorbar.core.errors import UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.metrics.choice import fold_counts
from errorbar.stats.bootstrap import (
    BootstrapMethod,
    acceleration,
    bootstrap_interval,
    cluster_members,
    leave_one_out,
    multiplicities,
    resample_clusters,
    resample_units,
    standard_error,
)
from errorbar.stats.streams import blocks, stream
from tests.stats.fixtures import FIRST, f_half

codes = st.lists(st.integers(0, 5), min_size=1, max_size=20)
values = st.lists(st.integers(-50, 50), min_size=30, max_size=200)
METHODS: tuple[BootstrapMethod, ...] = ("bca", "percentile", "basic")


class TestFixture:
    """Section 7 of the statistics notes: scipy.stats.bootstrap, 9,999 resamples, seed 0; tolerance 0.01."""

    VALUE = float(f_half(FIRST.sum(axis=0)))
    RESAMPLED = np.concatenate(
        [
            f_half(multiplicities(resample_units(12, size, rng), 12) @ FIRST)
            for size, rng in blocks(0, "bootstrap", replicates=9999)
        ]
    )
    JACKKNIFE = f_half(multiplicities(leave_one_out(np.arange(12)), 12) @ FIRST)

    def test_value_and_acceleration(self) -> None:
        value = self.VALUE
        assert value == pytest.approx(0.722892, abs=6e-7)
        assert acceleration(self.JACKKNIFE) == pytest.approx(-0.022333, abs=6e-7)

    @pytest.mark.parametrize(
        ("method", "low", "high"), [("percentile", 0.5232, 0.8636), ("basic", 0.5821, 0.9226), ("bca", 0.5, 0.8553)]
    )
    def test_intervals(self, method: BootstrapMethod, low: float, high: float) -> None:
        interval = bootstrap_interval(self.VALUE, self.RESAMPLED, jackknife=self.JACKKNIFE, method=method)
        assert isinstance(interval, Interval)
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.01)

    def test_standard_error(self) -> None:
        assert standard_error(self.RESAMPLED) == pytest.approx(0.0864, abs=0.002)
        assert standard_error([1, 3]) == pytest.approx(2**0.5)
        assert np.isnan(standard_error([1]))

    @pytest.mark.parametrize("method", METHODS)
    def test_the_ends_are_scipys_to_the_last_digits_on_scipys_resamples(self, method: BootstrapMethod) -> None:
        def statistic(tp: object, fp: object, fn: object, axis: int = -1) -> object:
            return f_half(np.stack([np.sum(np.asarray(part), axis=axis) for part in (tp, fp, fn)], axis=-1))

        theirs = stats.bootstrap(
            tuple(FIRST.T), statistic, paired=True, vectorized=True, n_resamples=999, method=method,
            rng=np.random.default_rng(0),
        )  # fmt: skip
        ours = bootstrap_interval(self.VALUE, theirs.bootstrap_distribution, jackknife=self.JACKKNIFE, method=method)
        assert isinstance(ours, Interval)
        expected = tuple(theirs.confidence_interval)
        assert (ours.low, ours.high) == pytest.approx((expected[0], expected[1]), abs=1e-9)


class TestResamples:
    @given(st.integers(1, 40), st.integers(0, 10))
    def test_units_are_drawn_with_replacement_and_keep_the_order(self, n: int, replicates: int) -> None:
        units = resample_units(n, replicates, stream(1, n))
        assert units.shape == (replicates, n)
        assert ((units >= 0) & (units < n)).all()
        assert (np.diff(units, axis=1) >= 0).all()

    def test_every_unit_is_drawn_equally_often(self) -> None:
        # 20,000 draws of 10: mean 1 per resample, standard error sqrt(.9 / 20000) = .0067; five of them.
        counted = multiplicities(resample_units(10, 20_000, stream(2, "uniform")), 10)
        assert counted.mean(axis=0) == pytest.approx(np.ones(10), abs=0.034)
        assert counted.var() == pytest.approx(0.9, abs=0.02)  # multinomial: n p (1 - p)

    @given(st.integers(1, 30), st.integers(1, 5))
    def test_clusters_of_one_unit_are_units(self, n: int, replicates: int) -> None:
        as_clusters = resample_clusters(np.arange(n)[::-1], replicates, stream(3, n))
        assert as_clusters.tolist() == resample_units(n, replicates, stream(3, n)).tolist()

    @given(codes, st.integers(1, 6))
    def test_a_cluster_comes_whole(self, clusters: list[int], replicates: int) -> None:
        table = resample_clusters(clusters, replicates, stream(4, len(clusters)))
        counted = multiplicities(table, len(clusters))
        n_clusters = len(set(clusters))
        for row, times in zip(table.tolist(), counted, strict=True):
            of_cluster = {
                code: {int(t) for c, t in zip(clusters, times, strict=True) if c == code} for code in clusters
            }
            assert all(len(found) == 1 for found in of_cluster.values())
            assert sum(found.pop() for found in of_cluster.values()) == n_clusters
            used = [unit for unit in row if unit >= 0]
            assert row == used + [-1] * (len(row) - len(used))
            assert len(used) == times.sum()
        assert max(sum(unit >= 0 for unit in row) for row in table.tolist()) == table.shape[1]

    @given(codes)
    def test_leaving_out_each_cluster_in_turn(self, clusters: list[int]) -> None:
        rows = leave_one_out(clusters)
        names = list(dict.fromkeys(clusters))
        assert len(rows) == len(names)
        for row, name in zip(rows.tolist(), names, strict=True):
            assert sorted(unit for unit in row if unit >= 0) == [u for u, code in enumerate(clusters) if code != name]

    def test_clusters_in_the_order_of_their_first_units(self) -> None:
        assert [units.tolist() for units in cluster_members([7, 2, 7, 2, 5])] == [[0, 2], [1, 3], [4]]
        assert leave_one_out([7, 2, 7, 2, 5]).tolist() == [[1, 3, 4, -1], [0, 2, 4, -1], [0, 2, 1, 3]]

    @given(codes)
    def test_the_fold_of_a_padded_resample_is_the_fold_of_its_units(self, clusters: list[int]) -> None:
        rng = stream(5, *clusters)
        counts = rng.integers(4, size=(len(clusters), 2, 3)).astype(np.int32)
        present = np.ones((len(clusters), 2), np.uint8)
        table = resample_clusters(clusters, 3, rng)
        folded = fold_counts(counts, present, beta=0.5, running=True, units=table)
        for row, totals, used in zip(table, folded.totals, folded.n_units, strict=True):
            alone = fold_counts(counts, present, beta=0.5, running=True, units=row[row >= 0][None])
            assert totals.tolist() == alone.totals[0].tolist()
            assert used == (row >= 0).sum()

    def test_nothing_to_resample_is_named(self) -> None:
        with pytest.raises(UsageError, match=r"\[nothing-to-resample\]"):
            resample_units(0, 5, stream(0))
        with pytest.raises(UsageError, match=r"\[nothing-to-resample\]"):
            leave_one_out([])


class TestIntervals:
    @given(values)
    def test_the_order_of_resamples_and_units_does_not_matter(self, resampled: list[int]) -> None:
        shuffled = np.random.default_rng(len(resampled)).permutation(resampled)
        jackknife = np.array(resampled[:20]) / 10
        for method in METHODS:
            one = bootstrap_interval(0.0, resampled, jackknife=jackknife, method=method)
            other = bootstrap_interval(0.0, shuffled, jackknife=jackknife[::-1], method=method)
            assert type(one) is type(other)
            if isinstance(one, Interval) and isinstance(other, Interval):
                assert (one.low, one.high) == pytest.approx((other.low, other.high))

    @pytest.mark.parametrize("method", METHODS)
    @given(resampled=values, two=st.tuples(st.floats(0.5, 0.99), st.floats(0.5, 0.99)))
    def test_inside_the_resamples_and_wider_with_more_confidence(
        self, method: BootstrapMethod, resampled: list[int], two: tuple[float, float]
    ) -> None:
        jackknife = np.array(resampled[:20]) / 10
        less, more = (
            bootstrap_interval(0.5, resampled, jackknife=jackknife, method=method, confidence_level=level)
            for level in sorted(two)
        )
        assume(isinstance(less, Interval) and isinstance(more, Interval))
        assert isinstance(less, Interval)
        assert isinstance(more, Interval)
        assert more.low <= less.low + 1e-9
        assert less.high <= more.high + 1e-9
        if method != "basic":
            assert min(resampled) <= more.low <= more.high <= max(resampled)

    def test_percentile_is_numpys_quantile_and_basic_its_mirror(self) -> None:
        resampled = stream(6).normal(size=501)
        low, high = np.quantile(resampled, [0.05, 0.95])
        percentile = bootstrap_interval(0.1, resampled, method="percentile", confidence_level=0.9)
        basic = bootstrap_interval(0.1, resampled, method="basic", confidence_level=0.9)
        assert isinstance(percentile, Interval)
        assert isinstance(basic, Interval)
        assert (percentile.low, percentile.high) == pytest.approx((low, high))
        assert (basic.low, basic.high) == pytest.approx((0.2 - high, 0.2 - low))

    def test_undefined_resamples_can_only_widen(self) -> None:
        resampled = np.arange(1000.0)
        without = bootstrap_interval(500, resampled, method="percentile")
        holed = bootstrap_interval(500, np.append(resampled, [np.nan] * 10), method="percentile")
        assert isinstance(without, Interval)
        assert isinstance(holed, Interval)
        assert holed.low < without.low
        assert without.high < holed.high
        many = bootstrap_interval(500, np.append(resampled, [np.nan] * 30), method="percentile")
        assert many is Undefined.RESAMPLES_UNDEFINED
        assert bootstrap_interval(500, [np.nan] * 30, method="percentile") is Undefined.RESAMPLES_UNDEFINED
        assert bootstrap_interval(np.nan, resampled, method="percentile") is Undefined.RESAMPLES_UNDEFINED

    def test_undefined_resamples_by_hand(self) -> None:
        # 41 resamples at .95 end at positions 1 and 39. With k undefined ones below the others the low end is at 1 - k;
        # with them above the high end stays at 39, which 39 defined ones (0 to 38) do not reach.
        for k, expected in ((0, (1, 39)), (1, (0, 39)), (2, None)):
            resampled = [*range(41 - k), *[np.nan] * k]
            made = bootstrap_interval(20, resampled, method="percentile")
            if expected is None:
                assert made is Undefined.RESAMPLES_UNDEFINED
            else:
                assert isinstance(made, Interval)
                assert (made.low, made.high) == pytest.approx(expected, abs=1e-9)

    def test_an_end_at_a_whole_position_is_reached_in_spite_of_rounding(self) -> None:
        """41 resamples at .9 end at positions 2 and 38; (1 - .9) / 2 * 40 is 1.9999999999999996."""
        made = bootstrap_interval(20, [*range(39), np.nan, np.nan], method="percentile", confidence_level=0.9)
        assert isinstance(made, Interval)
        assert (made.low, made.high) == (0, 38)

    @pytest.mark.parametrize("value", [4, 35])
    def test_one_end_that_is_undefined_is_enough(self, value: float) -> None:
        # 35.5 of 40 below 35 give z0 = Φ⁻¹(.8875) = 1.213: bca ends at Φ(2 z0 ± 1.645), .783 and .99998 of 41
        # resamples, of which the last is undefined. 4 is its mirror.
        resampled = [*range(40), np.nan]
        made = bootstrap_interval(value, resampled, jackknife=[1.0, 2.0, 3.0], confidence_level=0.9)
        assert made is Undefined.RESAMPLES_UNDEFINED

    def test_one_unit_has_no_interval(self) -> None:
        assert bootstrap_interval(0.4, [0.4] * 100, method="percentile") is Undefined.NO_VARIATION
        assert bootstrap_interval(0.4, [0.4, 0.5] * 50, jackknife=[0.4]) is Undefined.ONE_UNIT

    def test_bca_says_where_it_has_no_answer(self) -> None:
        jackknife = [1.0, 2.0, 3.0]
        assert bootstrap_interval(9, [1.0, 2.0] * 50, jackknife=jackknife) is Undefined.ONE_SIDED
        # One unit of 1,000 makes all of the skewness: acceleration 998 / (6 sqrt(999,000)) = .1664; z = 6.11 at this
        # level, and 1 - .1664 * 6.11 is below 0.
        skewed = [0.0] * 999 + [-1.0]
        assert acceleration(skewed) == pytest.approx(998 / (6 * 999_000**0.5))
        assert bootstrap_interval(2, [1, 2, 3], jackknife=skewed, confidence_level=1 - 1e-9) is Undefined.ONE_SIDED
        assert bootstrap_interval(1, [1.0] * 50, jackknife=[1.0] * 3) is Undefined.NO_VARIATION
        assert bootstrap_interval(1.5, [1.0, 2.0] * 50, jackknife=[1.0, np.nan]) is Undefined.RESAMPLES_UNDEFINED

    def test_misuse_is_named(self) -> None:
        with pytest.raises(UsageError, match=r"use percentile \[bca-jackknife\]"):
            bootstrap_interval(1, [1.0, 2.0])
        with pytest.raises(UsageError, match=r"did you mean 'percentile'.*\[interval-method\]"):
            bootstrap_interval(1, [1.0, 2.0], method="percentil")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"\[replicates\]"):
            bootstrap_interval(1, [], method="percentile")
        with pytest.raises(UsageError, match=r"\[confidence-level\]"):
            bootstrap_interval(1, [1.0, 2.0], method="percentile", confidence_level=1)
