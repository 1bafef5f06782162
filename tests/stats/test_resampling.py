from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from errorbar import Resampling
from errorbar.core import Interval, Scale, Undefined, UsageError
from errorbar.core.estimate import BootstrapMethod
from errorbar.stats import (
    Method,
    Units,
    acceleration,
    blocks,
    bootstrap_interval,
    cluster_members,
    cluster_table,
    leave_one_out,
    left_out_of,
    multiplicities,
    resample_clusters,
    resample_units,
    standard_error,
    stream,
    subsample_clusters,
    subsample_interval,
)
from tests.helpers.folds import fold_counts
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

    def test_draws_without_a_value_can_only_widen_and_are_said(self) -> None:
        resampled = np.arange(1000.0)
        without = bootstrap_interval(500, resampled, method="percentile")
        holed = bootstrap_interval(500, [*resampled, *[np.nan] * 10], method="percentile")
        assert isinstance(without, Interval)
        assert isinstance(holed, Interval)
        assert holed.low < without.low
        assert without.high < holed.high
        assert without.method == "bootstrap-percentile"
        assert holed.method == "bootstrap-percentile, 0.99% of resamples undefined"

    def test_draws_without_a_value_by_hand(self) -> None:
        # 101 resamples at .95 end at positions 2.5 and 97.5. k undefined ones below the others move the low end to
        # 2.5 - k; with them above, the high end stays at 97.5, of which 98 defined ones (0 to 97) do not go beyond 97.
        for k, expected in ((0, (2.5, 97.5)), (1, (1.5, 97.5)), (2, (0.5, 97.5)), (3, None)):
            resampled = [*range(101 - k), *[np.nan] * k]
            made = bootstrap_interval(50, resampled, method="percentile")
            if expected is None:
                assert made is Undefined.RESAMPLES_UNDEFINED
            else:
                assert isinstance(made, Interval)
                assert (made.low, made.high) == pytest.approx(expected, abs=1e-9)

    @pytest.mark.parametrize("value", [4, 35])
    def test_no_end_lies_beyond_what_was_drawn(self, value: float) -> None:
        # 35.5 of 40 below 35 give z0 = Φ⁻¹(.8875) = 1.213: bca ends at Φ(2 z0 ± 1.645), .783 and .99998, that is at
        # positions 31.31 - 1 and 40 of 41, of which the last is undefined; 4 is its mirror.
        made = bootstrap_interval(value, [*range(40), np.nan], jackknife=[1.0, 2.0, 3.0], confidence_level=0.9)
        assert isinstance(made, Interval)
        assert 0 <= made.low < made.high <= 39
        assert made.high == 39 if value == 35 else made.low == 0

    @pytest.mark.parametrize(("level", "most"), [(0.8, 100), (0.9, 50), (0.95, 25), (0.99, 5)])
    def test_a_tail_is_as_wide_as_the_level_leaves_it(self, level: float, most: int) -> None:
        for n, kind in ((most, Interval), (most + 1, Undefined)):
            resampled = [*range(1000 - n), *[np.nan] * n]
            for method in METHODS:
                jackknife = [1.0, 2.0, 3.0]
                made = bootstrap_interval(450, resampled, jackknife=jackknife, method=method, confidence_level=level)
                assert isinstance(made, kind), (method, n)

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("draws", [[np.nan], [np.nan] * 30, [1.0, np.nan], [1.0, 2.0, np.nan, np.nan] * 10])
    def test_all_or_half_of_the_draws_without_a_value(self, method: BootstrapMethod, draws: list[float]) -> None:
        made = bootstrap_interval(1.0, draws, jackknife=[1.0, 2.0], method=method)
        assert made is Undefined.RESAMPLES_UNDEFINED

    def test_a_value_that_is_undefined_has_no_interval(self) -> None:
        assert bootstrap_interval(np.nan, np.arange(9.0), method="percentile") is Undefined.RESAMPLES_UNDEFINED

    def test_one_and_two_draws(self) -> None:
        assert bootstrap_interval(1.0, [1.0], method="percentile") is Undefined.NO_VARIATION
        two = bootstrap_interval(1.0, [1.0, 2.0], method="percentile")
        assert isinstance(two, Interval)
        assert (two.low, two.high) == pytest.approx((1.025, 1.975))

    def test_rounding_is_no_variation(self) -> None:
        assert bootstrap_interval(0.3, [0.3, 0.1 + 0.2] * 50, method="percentile") is Undefined.NO_VARIATION

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
            bootstrap_interval(1, [1.0, 2.0], method="percentil")  # type: ignore[arg-type]  # wrong on purpose
        with pytest.raises(UsageError, match=r"\[replicates\]"):
            bootstrap_interval(1, [], method="percentile")
        with pytest.raises(UsageError, match=r"\[confidence-level\]"):
            bootstrap_interval(1, [1.0, 2.0], method="percentile", confidence_level=1)


class TestResampling:
    def test_its_interval_is_by_its_method_at_its_level(self) -> None:
        drawn, jackknife = stream(7).normal(size=300), [1.0, 2.0, 4.0]
        for method in METHODS:
            made = Resampling(method, confidence_level=0.9).interval(0.1, drawn, jackknife)
            assert made == bootstrap_interval(0.1, drawn, jackknife=jackknife, method=method, confidence_level=0.9)

    def test_misuse_is_named(self) -> None:
        with pytest.raises(UsageError, match=r"did you mean 'basic'.*\[interval-method\]"):
            Resampling("basik")  # type: ignore[arg-type]  # wrong on purpose
        with pytest.raises(UsageError, match=r"\[confidence-level\]"):
            Resampling(confidence_level=95)
        with pytest.raises(UsageError, match=r"the number of resamples must be at least 1, got 0 \[replicates\]"):
            Resampling(replicates=0)
        assert Resampling(replicates=10**6).replicates == 10**6
        beyond = r"the number of resamples must be at most 1,000,000, got 1,000,000,000,000 \[replicates\]"
        with pytest.raises(UsageError, match=beyond):
            Resampling(replicates=10**12)
        with pytest.raises(UsageError, match=r"the number of replicates must be at most 10,000,000, got 1,000,000,000"):
            next(blocks(0, replicates=10**9))
        with pytest.raises(UsageError, match=r"the number of resamples must be a whole number, got str \[wrong-type\]"):
            Resampling(replicates="200")  # type: ignore[arg-type]  # wrong on purpose
        with pytest.raises(UsageError, match=r"the confidence level must be a number between 0 and 1, got str"):
            Resampling(confidence_level="0.9")  # type: ignore[arg-type]  # wrong on purpose
        with pytest.raises(UsageError, match=r"the number of jobs must be at least 1, got 0 \[jobs\]"):
            Resampling(jobs=0)
        with pytest.raises(UsageError, match=r"the seed is -1 \(expected a whole number from 0\)"):
            Resampling(seed=-1)
        with pytest.raises(UsageError, match=r"the number of resamples must be a whole number, got bool"):
            Resampling(replicates=True)
        with pytest.raises(UsageError, match=r"no formula gives intervals of HOO scores.*\[interval-method\]"):
            Resampling("closed").bootstrap("HOO scores")
        with pytest.raises(UsageError, match=r"\[interval-method\]"):
            Resampling("closed").interval(1.0, [1.0, 2.0])

    @pytest.mark.parametrize(
        ("method", "said"), [("closed", "ci:closed,0.9"), ("bca", "ci:bca,0.9,50,by:essay,seed:3")]
    )
    def test_its_name_in_a_signature(self, method: Method, said: str) -> None:
        assert Resampling(method, 50, 0.9, 3, jobs=2).convention("essay") == said


def weights(units: Units, resampling: Resampling, *names: str) -> NDArray[np.float64]:
    return np.concatenate([part for draw in units.draws(resampling, *names) for part in draw()])


class TestSubsamples:
    def test_of_a_mean_the_standard_error_is_that_of_a_mean(self) -> None:
        """Of all ways to leave out 2 of 10 the delete-d jackknife of a mean is s / √n (Shao & Wu 1989)."""
        sample = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3])
        means = [np.delete(sample, list(two)).mean() for two in itertools.combinations(range(10), left_out_of(10))]
        interval = subsample_interval(float(sample.mean()), means, 10)
        assert isinstance(interval, Interval)
        half = 1.959964 * sample.std(ddof=1) / np.sqrt(10) * np.sqrt(45 / 44)  # 45 values, of which all are known
        assert (interval.high - interval.low) / 2 == pytest.approx(half, rel=1e-6)
        assert (interval.high + interval.low) / 2 == pytest.approx(sample.mean())

    def test_the_ends_stay_in_the_range_and_reasons_have_names(self) -> None:
        share = Scale(0.0, 1.0)
        interval = subsample_interval(0.95, [0.9, 0.95, 0.97, 0.99], 50, scale=share)
        assert isinstance(interval, Interval)
        assert 0 < interval.low < 0.95 < interval.high < 1
        cases: list[tuple[float, list[float], int, Undefined]] = [
            (0.5, [0.4, 0.6], 1, Undefined.ONE_UNIT),
            (0.5, [0.4, 0.6, np.nan], 9, Undefined.RESAMPLES_UNDEFINED),
            (0.5, [0.5, 0.5], 9, Undefined.NO_VARIATION),
            (1.0 - 1e-16, [0.9, 1.0], 9, Undefined.AT_AN_END),
            (0.5, [0.1, 0.9], 9, Undefined.TOO_FEW_JUDGMENTS),
        ]
        for value, drawn, n, reason in cases:
            assert subsample_interval(value, drawn, n, scale=share) is reason


class TestWeights:
    KINDS = Units(np.array([3.0, 1.0, 6.0]))
    # Ten units in four clusters of 1, 2, 3 and 4; kinds as above.
    CLUSTERED = Units(
        KINDS.frequency, cluster_table(np.array([0, 0, 0, 1, 2, 2, 2, 2, 2, 2]), 3, [0, 1, 1, 2, 2, 2, 3, 3, 3, 3], 10)
    )

    def test_as_many_units_are_drawn_as_there_are(self) -> None:
        drawn = weights(self.KINDS, Resampling(replicates=2500), "x")
        assert drawn.shape == (2500, 3)
        assert (drawn.sum(axis=1) == 10).all()
        # Multinomial of 10 units: means 3, 1, 6 and variances n p (1 - p); five standard errors.
        assert drawn.mean(axis=0) == pytest.approx(np.array([3, 1, 6]), abs=0.16)
        assert drawn.var(axis=0) == pytest.approx(np.array([2.1, 0.9, 2.4]), rel=0.15)

    def test_clusters_come_whole(self) -> None:
        assert self.CLUSTERED.clusters is not None
        table = self.CLUSTERED.clusters.toarray()
        combinations = {tuple(np.bincount(some, minlength=4) @ table) for some in itertools.product(range(4), repeat=4)}
        drawn = weights(self.CLUSTERED, Resampling(replicates=500), "x")
        assert {tuple(row) for row in drawn} <= combinations

    @pytest.mark.parametrize("units", [KINDS, CLUSTERED])
    def test_how_much_is_held_at_a_time_changes_no_digit(self, units: Units, monkeypatch: pytest.MonkeyPatch) -> None:
        resampling = Resampling(replicates=1500)
        before = weights(units, resampling, "x"), [row for part, _ in units.left_out() for row in part.tolist()]
        monkeypatch.setattr("errorbar.stats.resampling.MOST_HELD", 21)
        assert len(list(units.draws(resampling, "x")[0]())) > 100
        np.testing.assert_array_equal(weights(units, resampling, "x"), before[0])
        assert [row for part, _ in units.left_out() for row in part.tolist()] == before[1]

    def test_a_draw_is_the_same_at_every_call_and_streams_are_named(self) -> None:
        draws = self.KINDS.draws(Resampling(replicates=1001), "x")
        for draw in draws:
            np.testing.assert_array_equal(next(draw()), next(draw()))
        other = weights(self.KINDS, Resampling(replicates=1001), "y")
        assert not np.array_equal(weights(self.KINDS, Resampling(replicates=1001), "x"), other)

    def test_leaving_out(self) -> None:
        ((rows, times),) = self.KINDS.left_out()
        assert rows.tolist() == [[2, 1, 6], [3, 0, 6], [3, 1, 5]]
        assert times.tolist() == [3, 1, 6]
        ((rows, times),) = self.CLUSTERED.left_out()
        assert rows.tolist() == [[2, 1, 6], [1, 1, 6], [3, 0, 4], [3, 1, 2]]
        assert times.tolist() == [1, 1, 1, 1]

    def test_subsamples_have_each_unit_or_cluster_once_or_not_at_all(self) -> None:
        for units, n_left_out in ((self.KINDS, 3), (self.CLUSTERED, 1)):
            drawn = [
                part for draw in units.draws(Resampling(replicates=900), "x", n_left_out=n_left_out) for part in draw()
            ]
            rows = np.concatenate(drawn)
            assert (rows <= units.frequency).all()
            if units.clusters is None:
                assert set(rows.sum(axis=1)) == {7}
            else:
                assert {tuple(row) for row in rows.tolist()} == {(2, 1, 6), (1, 1, 6), (3, 0, 4), (3, 1, 2)}
        numbers = subsample_clusters([0, 0, 1, 2], 1, 200, stream(0, "rows"))
        assert {tuple(row[row >= 0].tolist()) for row in numbers} == {(0, 1, 2), (0, 1, 3), (2, 3)}

    def test_units_of_one_kind_each_are_drawn_like_rows(self) -> None:
        """The two ways of drawing have one distribution: mean 1, variance n p (1 - p) = .9 for ten units."""
        drawn = weights(Units(np.ones(10)), Resampling(replicates=4000), "x")
        rows = multiplicities(resample_units(10, 4000, stream(0, "rows")), 10)
        assert drawn.var() == pytest.approx(rows.var(), rel=0.05)
        assert drawn.mean() == rows.mean() == 1
