"""Samples to train on, the error bars of a learning curve, and what is read off its fits."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from errorbar import Resampling
from errorbar.detectors.selection import LearningCurve, fit_learning_curve, training_samples

RESAMPLING = Resampling("percentile", 2000)
AHEAD = 3_200_000


def curve(values: dict[int, list[float]], blocks: int = 50, ahead: float = AHEAD) -> LearningCurve:
    """Runs that are equally good in all blocks of 1,000 choices."""
    right = {n: np.tile(1000 * np.array(runs)[:, None], blocks) for n, runs in values.items()}
    return fit_learning_curve(right, np.full(blocks, 1000.0), ahead, RESAMPLING)


class TestSamples:
    blocks = np.repeat(np.arange(40), np.random.default_rng(0).integers(1, 30, 40))

    def test_no_block_is_in_two(self) -> None:
        samples = training_samples(self.blocks, 60, 5, seed=0)
        assert [len(sample) for sample in samples] == [60] * 5
        seen = [set(self.blocks[sample].tolist()) for sample in samples]
        assert all(not one & other for k, one in enumerate(seen) for other in seen[:k])

    def test_all_blocks_but_the_last_are_whole(self) -> None:
        (sample, *_) = training_samples(self.blocks, 60, 5, seed=0)
        names, counts = np.unique(self.blocks[sample], return_counts=True)
        cut = [name for name, count in zip(names, counts, strict=True) if count < (self.blocks == name).sum()]
        assert len(cut) <= 1

    def test_as_many_as_there_are(self) -> None:
        n = len(self.blocks)
        assert len(training_samples(self.blocks, n // 3, 5, seed=0)) in (2, 3)
        (whole,) = training_samples(self.blocks, n, 5, seed=0)
        assert sorted(whole.tolist()) == list(range(n))

    def test_the_seed_decides(self) -> None:
        one, again, other = (training_samples(self.blocks, 60, 1, seed)[0].tolist() for seed in (0, 0, 1))
        assert one == again
        assert one != other


class TestFits:
    def test_a_line_is_found_and_followed(self) -> None:
        line = {n: [0.1 + 0.03 * log2(n)] * 2 for n in (1000, 8000, 64_000)}
        found = curve(line)
        assert found.doubling is not None
        assert found.doubling.value == pytest.approx(0.03)
        assert found.fits[0].form == "line"
        assert found.fits[0].ahead.value == pytest.approx(0.1 + 0.03 * log2(AHEAD))

    def test_a_line_ends_at_1(self) -> None:
        assert curve({1000: [0.7] * 2, 2000: [0.8] * 2}).fits[0].ahead.value == 1

    def test_a_power_law_is_found_and_followed(self) -> None:
        power = {n: [1 - 2 * n**-0.2] * 2 for n in (1000, 8000, 64_000)}
        fit = curve(power).fits[1]
        assert fit.form == "power"
        assert fit.places[0] == pytest.approx(1000)
        assert fit.places[-1] == pytest.approx(AHEAD)
        for n, each in zip(fit.places, fit.accuracy, strict=True):
            assert each.value == pytest.approx(1 - 2 * n**-0.2)

    def test_one_size_has_no_fit(self) -> None:
        found = curve({1000: [0.5, 0.6]})
        assert found.fits == ()
        assert found.doubling is None

    def test_nothing_wrong_has_no_power_law(self) -> None:
        assert [fit.form for fit in curve({1000: [0.9], 2000: [1.0]}).fits] == ["line"]

    def test_looking_back_is_not_looking_ahead(self) -> None:
        assert curve({1000: [0.5], 2000: [0.6]}, ahead=10).fits[0].places[-1] == pytest.approx(2000)


class TestErrorBars:
    def test_runs_alone(self) -> None:
        """Blocks that are all alike: what remains is Student's interval of the mean of the runs."""
        runs = [0.50, 0.52, 0.54, 0.56]
        point = curve({1000: runs}).points[0]
        assert point.accuracy.value == pytest.approx(0.53)
        assert point.spread == pytest.approx(np.std(runs, ddof=1))
        half = float(3.182 * np.std(runs, ddof=1) / 2)  # t with 3 degrees of freedom
        interval = point.accuracy.interval
        assert interval is not None
        assert interval.low == pytest.approx(0.53 - half, abs=half / 10)
        assert interval.high == pytest.approx(0.53 + half, abs=half / 10)

    def test_blocks_alone(self) -> None:
        """Runs that are all alike: what remains is the bootstrap of a mean over blocks."""
        right = np.random.default_rng(0).binomial(100, 0.6, 200).astype(np.float64)
        found = fit_learning_curve({1000: np.tile(right, (3, 1))}, np.full(200, 100.0), AHEAD, RESAMPLING)
        interval = found.points[0].accuracy.interval
        assert interval is not None
        half = 1.96 * right.std() / 100 / np.sqrt(200)
        assert interval.high - interval.low == pytest.approx(2 * half, rel=0.1)
        assert found.points[0].spread == 0

    def test_one_run_takes_the_spread_of_the_last_several(self) -> None:
        found = curve({1000: [0.50, 0.52], 2000: [0.55, 0.56], 4000: [0.6]})
        assert found.points[2].spread == found.points[1].spread == pytest.approx(np.std([0.55, 0.56], ddof=1))
        one, two = (point.accuracy.interval for point in found.points[1:])
        assert one is not None
        assert two is not None
        assert two.high - two.low > one.high - one.low

    def test_both_sources_add_up(self) -> None:
        """Coverage: test blocks and training samples drawn anew, 95 % intervals hold the true mean as often."""
        chance, held, n_blocks = np.random.default_rng(1), 0, 60
        for _ in range(200):
            of_block = chance.normal(0, 0.05, n_blocks)
            right = 100 * (0.6 + of_block + chance.normal(0, 0.008, (5, 1)) + chance.normal(0, 0.02, (5, n_blocks)))
            found = fit_learning_curve({1000: right}, np.full(n_blocks, 100.0), AHEAD, Resampling("percentile", 300))
            interval = found.points[0].accuracy.interval
            assert interval is not None
            held += interval.low <= 0.6 <= interval.high
        assert 0.90 <= held / 200 <= 0.99

    def test_one_block_has_no_interval(self) -> None:
        found = curve({1000: [0.5, 0.6]}, blocks=1)
        assert found.points[0].accuracy.interval is None
        assert found.points[0].accuracy.no_interval is not None
