"""Metrics beside humans: pairwise accuracy, correlations on resamples, tests between metrics, and what is refused."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from errorbar import Problems
from errorbar.core import Comparisons, Floats, InputError, MetricScores, Undefined, UsageError
from errorbar.ranking.judged_pairs import pairwise_accuracy
from errorbar.ranking.metric_agreement import (
    KINDS,
    Kind,
    common_systems,
    compare_metrics,
    correlations_of,
    human_scores,
    metric_agreement,
    plain_scores,
)
from errorbar.ranking.ranked import Method
from errorbar.stats import correlate
from tests.helpers.expectations import require
from tests.helpers.page_rows import rows_of_page
from tests.ranking.examples import drawn
from tests.ranking.noise_runs import POPULATIONS, row

HUMAN = {"A": 5.0, "B": 4.0, "C": 3.0, "D": 2.0, "E": 1.0}


def sentences(scores: dict[str, dict[str, float]]) -> MetricScores:
    return MetricScores("m", {}, scores)


class TestPairwise:
    def test_by_hand(self) -> None:
        # Differences .5 right, .1 wrong, .1 tie, 0 tie, .3 right: with a threshold of .1 only the wrong one is wrong.
        triples = [("A", "B", 1), ("A", "B", -1), ("A", "B", 0), ("A", "B", 0), ("A", "B", 1)]
        differences = [0.5, 0.1, 0.1, 0.0, 0.3]
        metric = sentences({str(n): {"A": d, "B": 0.0} for n, d in enumerate(differences, 1)})
        found = pairwise_accuracy(Comparisons.from_pairs(triples), metric, drawn(50))
        assert found.plain.value == pytest.approx(3 / 5)
        assert found.calibrated.value == pytest.approx(4 / 5)
        assert found.threshold == 0.1
        assert found.decided.value == pytest.approx(2 / 3)
        assert (found.n_ties, found.n_metric_ties, found.n_left_out) == (2, 1, 0)
        assert (found.calibrated.n_units, found.decided.n_units) == (5, 3)

    def test_equal_scores_are_half_right_where_a_judge_decided(self) -> None:
        metric = sentences({"1": {"A": 1.0, "B": 1.0}})
        found = pairwise_accuracy(Comparisons.from_pairs([("A", "B", 1)]), metric, drawn(9))
        assert (found.decided.value, found.plain.value) == (0.5, 0.0)
        assert found.decided.no_interval == Undefined.NO_VARIATION

    def test_where_judges_decided_nothing(self) -> None:
        found = pairwise_accuracy(Comparisons.from_pairs([("A", "B", 0)]), sentences({"1": {"A": 1.0, "B": 1.0}}))
        assert (found.decided.value, found.decided.undefined, found.decided.n_units) == (None, Undefined.NO_UNITS, 0)
        assert (found.plain.value, found.threshold) == (1, 0)

    def test_as_many_resamples_as_asked_for(self) -> None:
        # Right in one of two: the accuracies of resamples are 0, .5 and 1, and one resample alone does not vary.
        metric = sentences({"1": {"A": 1.0, "B": 0.0}, "2": {"A": 0.0, "B": 1.0}})
        comparisons = Comparisons.from_pairs([("A", "B", 1), ("A", "B", 1)])
        found = pairwise_accuracy(comparisons, metric, drawn(1))
        assert found.plain.no_interval == Undefined.NO_VARIATION
        often = pairwise_accuracy(comparisons, metric, drawn(60)).plain
        interval = require(often.interval)
        assert (interval.low, interval.high) == (0, 1)

    def test_lacking_scores_are_counted(self) -> None:
        comparisons = Comparisons.from_pairs([("A", "B", 1), ("A", "B", 1)])
        found = pairwise_accuracy(comparisons, sentences({"1": {"A": 1.0, "B": 0.0}}), drawn(5))
        assert (found.calibrated.n_units, found.n_left_out) == (1, 1)
        nothing = pairwise_accuracy(comparisons, sentences({"9": {"A": 1.0, "B": 0.0}}))
        assert (nothing.calibrated.value, nothing.calibrated.undefined) == (None, Undefined.NO_UNITS)

    @pytest.mark.slow
    @pytest.mark.parametrize(("n", "too_high"), [(60, 0.05), (240, 0.02)])
    def test_the_interval_allows_for_a_threshold_that_is_fitted(self, n: int, too_high: float) -> None:
        """The page has the numbers: what the best threshold has among 200,000 comparisons is held in .93 to .96."""
        rng = np.random.default_rng(0)

        def judged(size: int) -> tuple[Floats, Floats]:
            outcome = rng.choice([-1.0, 0.0, 1.0], size, p=[0.35, 0.3, 0.35])
            return outcome, 0.7 * outcome + rng.normal(size=size)

        outcome, apart = judged(200_000)
        cuts = (
            np.where(np.abs(apart) <= cut, outcome == 0, np.sign(apart) == outcome) for cut in np.arange(0, 3, 0.02)
        )
        truth, held, values = max(float(np.mean(right)) for right in cuts), 0, []
        for run in range(500):
            outcome, apart = judged(n)
            metric = sentences({str(k): {"A": d, "B": 0.0} for k, d in enumerate(apart.tolist(), 1)})
            comparisons = Comparisons.from_pairs([("A", "B", int(said)) for said in outcome])
            calibrated = pairwise_accuracy(comparisons, metric, drawn(300, seed=run)).calibrated
            interval = require(calibrated.interval)
            held += interval.low <= truth <= interval.high
            values.append(require(calibrated.value))
        assert np.mean(values) - truth == pytest.approx(too_high, abs=0.012)
        assert 0.91 < held / 500 < 0.98

    @given(st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.integers(-4, 4)), min_size=1, max_size=30))
    def test_its_readable_twin(self, judged: list[tuple[int, int]]) -> None:
        triples = [("A", "B", outcome) for outcome, _ in judged]
        metric = sentences({str(n): {"A": float(d), "B": 0.0} for n, (_, d) in enumerate(judged, 1)})
        found = pairwise_accuracy(Comparisons.from_pairs(triples), metric, drawn(2))

        def accuracy(threshold: float) -> float:
            says = [0 if abs(d) <= threshold else 1 if d > 0 else -1 for _, d in judged]
            return sum(a == b for a, (b, _) in zip(says, judged, strict=True)) / len(judged)

        thresholds = sorted({0, *(abs(d) for _, d in judged)})
        assert found.plain.value == pytest.approx(accuracy(0))
        assert found.calibrated.value == pytest.approx(max(accuracy(threshold) for threshold in thresholds))
        assert found.threshold == max(thresholds, key=lambda threshold: (round(accuracy(threshold), 9), -threshold))


class TestCorrelations:
    @pytest.mark.parametrize("kind", KINDS)
    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=8))
    def test_many_at_once_are_one_by_one(self, kind: Kind, points: list[tuple[int, int]]) -> None:
        x, y = (np.array(series, np.float64) for series in zip(*points, strict=True))
        (found,) = correlations_of(x[None], y[None], kind)
        expected = correlate(x, y, kind=kind).estimate.value
        assert found == pytest.approx(np.nan if expected is None else expected, nan_ok=True, abs=1e-12)

    def test_windows_are_neighbors_in_the_human_order(self) -> None:
        metric = MetricScores("m", {"E": 1.0, "D": 2.0, "C": 3.0, "B": 5.0, "A": 4.0})
        found = metric_agreement(plain_scores(HUMAN), metric, window=3)
        # The first window has the two that changed places: ranks 1 2 3 against 2 1 3.
        assert [window.value for window in found.windows["spearman"]] == pytest.approx([0.5, 1, 1])
        assert [window.value for window in found.windows["kendall-b"]] == pytest.approx([1 / 3, 1, 1])
        assert found.correlations["spearman"].value == pytest.approx(0.9)
        assert found.judged == {}

    def test_a_constant_metric_is_named(self) -> None:
        found = metric_agreement(plain_scores(HUMAN), MetricScores("m", dict.fromkeys(HUMAN, 1.0)))
        assert {correlation.undefined for correlation in found.correlations.values()} == {Undefined.CONSTANT}

    def test_the_interval_over_judgments_shrinks_with_more_of_them(self) -> None:
        rng = np.random.default_rng(5)
        widths = []
        for n in (100, 1600):
            triples = [
                (a, b, 1 if rng.random() < 0.5 + (HUMAN[a] - HUMAN[b]) / 20 else -1)
                for _ in range(n)
                for a, b in [tuple(rng.choice(list(HUMAN), 2, replace=False))]
            ]
            metric = MetricScores("m", {"A": 3.0, "B": 5.0, "C": 4.0, "D": 1.0, "E": 2.0})
            human = human_scores(Comparisons.from_pairs(triples), "expected-wins", drawn(300))
            pearson = metric_agreement(human, metric).judged["pearson"]
            interval, value = pearson.interval, pearson.value
            assert interval is not None
            assert value is not None
            assert interval.method == "subsamples"
            # The value is the middle on Fisher's scale: percentiles of resamples lie towards 0 of it.
            assert np.arctanh([interval.low, interval.high]).mean() == pytest.approx(np.arctanh(value))
            widths.append(interval.high - interval.low)
        # Four times narrower, or nearly.
        assert widths[1] < widths[0] / 2

    def test_reasons_for_no_interval_over_judgments(self) -> None:
        metric = MetricScores("m", {"A": 4.0, "B": 5.0, "C": 3.0, "D": 1.0, "E": 2.0})
        outcomes = np.random.default_rng(1).choice([1, -1], 20).tolist()
        tossed = [(a, b, said) for (a, b), said in zip([*combinations("ABCDE", 2)] * 2, outcomes, strict=True)]
        cases: list[tuple[str, Method, Undefined]] = [
            ("1" * 20, "expected-wins", Undefined.ONE_UNIT),
            ("", "trueskill-wmt", Undefined.RUNS_ALONE),
        ]
        for items, method, reason in cases:
            comparisons = Comparisons.from_pairs(tossed, items=items)
            judged = metric_agreement(human_scores(comparisons, method, drawn(40)), metric).judged["pearson"]
            assert (judged.interval, judged.no_interval) == (None, reason)
        for names, reason in (("ABCDE", Undefined.TOO_FEW_SYSTEMS), ("ABCDEFGH", Undefined.NO_VARIATION)):
            every = [(a, b, 1) for a, b in combinations(names, 2)] * 9
            human = human_scores(Comparisons.from_pairs(every), "expected-wins", drawn(40))
            known = MetricScores("m", {name: -float(ord(name)) for name in names})
            judged = metric_agreement(human, known).judged["spearman"]
            assert judged.no_interval is reason
            assert judged.value == pytest.approx(1)

    def test_windows_of_three_to_all_systems(self) -> None:
        metric = MetricScores("m", HUMAN)
        for window, n_windows in ((3, 3), (5, 1)):
            found = metric_agreement(plain_scores(HUMAN), metric, window=window)
            assert [estimate.n_units for estimate in found.windows["pearson"]] == [window] * n_windows
        assert metric_agreement(plain_scores(HUMAN), metric).windows["pearson"] == ()
        for window in (1, 2, 6, 9):
            with pytest.raises(UsageError, match=rf"a window of {window} systems \(expected 3 to 5"):
                metric_agreement(plain_scores(HUMAN), metric, window=window)

    def test_intervals_have_the_confidence_asked_for(self) -> None:
        metric = MetricScores("m", {"A": 4.0, "B": 5.0, "C": 3.0, "D": 1.0, "E": 2.0})
        found = metric_agreement(plain_scores(HUMAN), metric, window=4, confidence_level=0.5)
        for estimate in (found.correlations["pearson"], *found.windows["pearson"]):
            assert require(estimate.interval).confidence_level == 0.5

    def test_refused(self) -> None:
        with pytest.raises(UsageError, match="bradley-terry has no score for A, B"):
            human_scores(Comparisons.from_pairs([("A", "B", 1)]), "bradley-terry", drawn(5))
        chain = Comparisons.from_pairs([(f"s{k}", f"s{k + 1}", 1) for k in range(99)])
        with pytest.raises(UsageError, match="1,000,000 resamples of 100 systems"):
            human_scores(chain, "expected-wins", drawn(10**6))


class TestComparing:
    def test_all_ways_to_swap_by_hand(self) -> None:
        """Three systems: the 8 ways, written out with plain loops."""
        human = plain_scores({"A": 3.0, "B": 2.0, "C": 1.0})
        x, y = {"A": 6.0, "B": 5.0, "C": 1.0}, {"A": 1.0, "B": 9.0, "C": 4.0}
        found = compare_metrics(human, MetricScores("x", x), MetricScores("y", y))
        assert found.swapped == "systems"
        series = [np.array([scores[s] for s in human.systems]) for scores in (x, y)]
        z = [(values - values.mean()) / values.std() for values in series]

        def difference(way: int) -> float:
            kept = [z[(way >> s) & 1][s] for s in range(3)]
            swapped = [z[1 - ((way >> s) & 1)][s] for s in range(3)]
            values = [correlate(human.scores, mixed).estimate.value for mixed in (kept, swapped)]
            assert values[0] is not None
            assert values[1] is not None
            return values[0] - values[1]

        observed = difference(0)
        extreme = sum(abs(difference(way)) >= abs(observed) - 1e-12 for way in range(8))
        test = found.permutation["pearson"]
        assert test.difference == pytest.approx(observed)
        assert test.p_value == extreme / 8
        assert test.exact
        assert found.williams.undefined == Undefined.TOO_FEW_UNITS

    def test_sentence_scores_are_swapped_one_by_one(self) -> None:
        """With sentences a clear difference of two metrics is seen among five systems, which alone cannot show it."""
        rng = np.random.default_rng(2)
        names = [str(n) for n in range(200)]
        good, bad = (
            {name: {s: quality * HUMAN[s] + rng.normal(0, 4) for s in HUMAN} for name in names} for quality in (1, -1)
        )
        metrics = []
        for name, scores in (("good", good), ("bad", bad)):
            means = {s: float(np.mean([score[s] for score in scores.values()])) for s in HUMAN}
            metrics.append(MetricScores(name, means, scores))
        found = compare_metrics(plain_scores(HUMAN), *metrics, replicates=500)
        assert found.swapped == "both"
        p = require(found.permutation["pearson"].p_value)
        assert p < 0.01
        alone = compare_metrics(plain_scores(HUMAN), *(MetricScores(m.metric, m.systems) for m in metrics))
        p = require(alone.permutation["pearson"].p_value)
        assert p >= 2 / 2**5  # no way to swap five systems gives less

    @pytest.mark.slow
    def test_swaps_of_sentences_ask_about_these_systems_and_williams_about_others(self) -> None:
        """Twelve systems that two equally good metrics misjudge each in its own way: the page has the shares."""
        rng, names, told_apart = np.random.default_rng(2), [f"s{n}" for n in range(12)], np.zeros(2)
        for _ in range(200):
            quality = rng.normal(size=12)
            human = plain_scores(dict(zip(names, (quality + rng.normal(0, 0.2, 12)).tolist(), strict=True)))
            metrics = []
            for name in "ab":
                scores = quality + rng.normal(0, 0.7, 12) + rng.normal(0, 2, (30, 12))
                rows = {str(n): dict(zip(names, row, strict=True)) for n, row in enumerate(scores.tolist())}
                metrics.append(MetricScores(name, dict(zip(names, scores.mean(axis=0).tolist(), strict=True)), rows))
            test = compare_metrics(human, *metrics, replicates=199)
            told_apart += [require(test.permutation["pearson"].p_value) <= 0.05, require(test.williams.p_value) <= 0.05]
        assert test.swapped == "both"
        assert told_apart / 200 == pytest.approx([0.34, 0.05], abs=0.05)

    def test_one_sentence_in_common_is_not_enough_to_swap_sentences(self) -> None:
        turned = dict(zip(HUMAN, reversed(HUMAN.values()), strict=True))
        metrics = [MetricScores(name, HUMAN, {"1": {"x": HUMAN, "y": turned}[name], name: HUMAN}) for name in "xy"]
        found = compare_metrics(plain_scores(HUMAN), *metrics, replicates=10)
        assert (found.swapped, found.permutation["pearson"].difference) == ("systems", 0)
        both = [MetricScores(name, HUMAN, {"1": HUMAN, "2": HUMAN, name: HUMAN}) for name in "xy"]
        assert compare_metrics(plain_scores(HUMAN), *both, replicates=10).swapped == "both"

    def test_a_constant_metric_has_no_test(self) -> None:
        like_humans, constant = MetricScores("x", HUMAN), MetricScores("y", dict.fromkeys(HUMAN, 1.0))
        found = compare_metrics(plain_scores(HUMAN), like_humans, constant)
        assert (found.williams.undefined, found.williams.df, found.williams.p_value) == (Undefined.CONSTANT, 2, None)

    def test_a_metric_with_itself(self) -> None:
        metric = MetricScores("m", {"A": 1.0, "B": 5.0, "C": 4.0, "D": 2.0, "E": 3.0})
        found = compare_metrics(plain_scores(HUMAN), metric, metric)
        assert {permuted.p_value for permuted in found.permutation.values()} == {1.0}
        assert found.williams.undefined == Undefined.NO_DISAGREEMENT


class TestSystems:
    def test_plain_scores_come_best_first(self) -> None:
        human = plain_scores({"A": 1.0, "B": 3.0, "C": 2.0})
        assert (human.systems, human.scores.tolist(), human.subsampled) == (("B", "C", "A"), [3.0, 2.0, 1.0], None)

    def test_both_sides_are_named_with_the_nearest(self) -> None:
        metric = MetricScores("m", {"A": 1.0, "B": 2.0, "C": 3.0, "D": 4.0, "EE": 5.0})
        with pytest.raises(InputError) as caught:
            common_systems(plain_scores(HUMAN), [metric], Problems())
        not_in_metric, not_ranked = map(str, caught.value.problems)
        assert "m has no score for 'E', which humans ranked; did you mean 'EE'?" in not_in_metric
        assert "m has a score for 'EE', which no human ranked; did you mean 'E'?" in not_ranked
        problems = Problems(lenient=True)
        assert common_systems(plain_scores(HUMAN), [metric], problems).systems == ("A", "B", "C", "D")
        assert [note.code for note in problems.notes] == ["meta-missing-system", "meta-unknown-system"]

    def test_nothing_in_common(self) -> None:
        with pytest.raises(InputError, match="0 systems have scores of humans and of all metrics"):
            common_systems(plain_scores(HUMAN), [MetricScores("m", {"Z": 1.0})], Problems(lenient=True))


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall-b"])
@pytest.mark.parametrize("scale", [1e-20, 1e-9, 1.0, 1e12])
def test_correlations_do_not_depend_on_the_scale_of_scores(kind: Kind, scale: float) -> None:
    rng = np.random.default_rng(5)
    x, y = rng.random((4, 9)), rng.random((4, 9))
    expected = [correlate(a, b, kind=kind).estimate.value for a, b in zip(x, y, strict=True)]
    assert correlations_of(x, y * scale, kind) == pytest.approx(expected)
    constant = np.full((4, 9), 0.1 * scale)  # whose mean is not exactly the number itself
    assert np.isnan(correlations_of(x, constant, kind)).all()


@pytest.mark.parametrize("scale", [1.0, 10.0, 1 / 3])
def test_scores_that_are_equal_once_standardized_are_ties(scale: float) -> None:
    """The second metric's scores are the first one's mirrored: of the 2^5 ways to swap 12 differ by as much."""
    names = "ABCDE"
    human = plain_scores(dict(zip(names, (0.84, 0.42, 0.35, 0.41, 0.76), strict=True)))
    first, second = (
        MetricScores(name, {system: value * scale for system, value in zip(names, values, strict=True)})
        for name, values in (("a", (0.2, 0.2, 0.3, 0.3, 0.2)), ("b", (0.2, 0.2, 0.1, 0.1, 0.1)))
    )
    found = compare_metrics(human, first, second).permutation
    assert [found[kind].p_value for kind in ("spearman", "kendall-b")] == [0.375, 0.375]


def test_more_systems_or_metrics_than_pairs_can_be_made_of_are_refused() -> None:
    many = {f"s{k}": float(k) for k in range(1001)}
    few = {"A": 1.0, "B": 2.0}
    for human, metrics, what in (
        (many, [MetricScores("m", many)], "1,001 systems"),
        (few, [MetricScores("m", many)], "1,001 systems"),
        (few, [MetricScores(f"m{k}", few) for k in range(101)], "101 metrics"),
    ):
        with pytest.raises(InputError, match=what) as caught:
            common_systems(plain_scores(human), metrics, Problems())
        assert caught.value.code == "meta-too-many"


def test_kendall_of_many_series_is_that_of_each() -> None:
    """In blocks of 4,000,000 pairs: six series of 1,000 systems are two blocks."""
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 50, (6, 1000)).astype(float), rng.integers(0, 50, (6, 1000)).astype(float)
    alone = [float(correlations_of(x[at : at + 1], y[at : at + 1], "kendall-b")[0]) for at in range(6)]
    assert correlations_of(x, y, "kendall-b").tolist() == pytest.approx(alone, abs=1e-15)
    assert alone[0] == pytest.approx(kendalltau(x[0], y[0]).statistic, abs=1e-12)


@pytest.mark.parametrize("population", rows_of_page(POPULATIONS, in_ci=(0, 1)))
def test_intervals_over_judgments_hold_what_studies_give_on_average(population: str) -> None:
    page = (Path(__file__).parents[2] / "tests/measured/ranking.md").read_text(encoding="utf-8")
    line = row(population)
    assert line in page
    assert all(float(cell) >= 0.93 for cell in line.split("|")[2:-1])
