"""Error bars of a study: workers and seeds, essays drawn whole, named reasons."""

from __future__ import annotations

import numpy as np
import pytest

from errorbar import M2, Problems, Resampling
from errorbar.core import Interval, Undefined, UsageError
from errorbar.metrics import (
    CeilingData,
    CeilingIntervals,
    Documents,
    EssaySpread,
    StudyPlan,
    ceiling_intervals,
    essay_spread,
    prepare_study,
)
from errorbar.metrics.ceiling import ceiling, repeat
from errorbar.stats import draw_resamples
from tests.ceilings.examples import random_corpus


def made(
    *, jobs: int = 1, seed: int = 0, most: int = 1000
) -> tuple[CeilingData, np.ndarray[tuple[int, ...], np.dtype[np.int64]]]:
    data, systems = random_corpus()
    documents = Documents()
    documents.add(data.sentences)
    return prepare_study(data, systems, M2(), Problems(), StudyPlan((), most, seed, jobs)), documents.clusters()


def repeats(n: int, *, seed: int = 0, jobs: int = 1) -> Resampling:
    return Resampling("percentile", n, seed=seed, jobs=jobs)


def intervals(*, jobs: int = 1, seed: int = 0) -> CeilingIntervals:
    study, documents = made(jobs=jobs)
    return ceiling_intervals(study, documents, Resampling("percentile", 60, 0.9, seed, jobs))


def test_the_number_of_workers_changes_no_digit() -> None:
    (one, documents), (two, _) = made(), made(jobs=2)
    first, second = ceiling(one), ceiling(two, jobs=2)
    np.testing.assert_array_equal(first.humans, second.humans)
    np.testing.assert_array_equal(first.scores, second.scores)
    rows = [np.flatnonzero(documents == k) for k in range(6)]
    for a, b in zip(repeat(one, rows), repeat(one, rows, jobs=2), strict=True):
        np.testing.assert_array_equal(a.humans, b.humans)
        np.testing.assert_array_equal(a.scores, b.scores)
    assert intervals() == intervals(jobs=2)
    spread, again = (essay_spread(one, documents, 3, repeats(8, jobs=jobs)) for jobs in (1, 2))
    np.testing.assert_array_equal(spread.human, again.human)
    np.testing.assert_array_equal(spread.ratios, again.ratios)


def test_the_seed_decides_the_digits() -> None:
    assert intervals() == intervals()
    assert intervals() != intervals(seed=1)
    study, documents = made()
    assert not np.array_equal(
        essay_spread(study, documents, 3, repeats(8)).human, essay_spread(study, documents, 3, repeats(8, seed=1)).human
    )
    drawn = [ceiling(made(seed=seed, most=2)[0]).human for seed in (0, 0, 1)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_an_interval_holds_the_value_and_says_its_level() -> None:
    study, _ = made()
    found, whole = intervals(), ceiling(study)
    for interval, value in zip((*found.human, *found.ratios[0]), (*whole.human[:, 2], *whole.ratio[0]), strict=True):
        assert isinstance(interval, Interval)
        assert interval.low < value < interval.high
        assert interval.confidence_level == 0.9
    assert len(found.systems) == len(found.ratios) == 2
    # Intervals are of F: of the quantiles of F in the same resamples, worked out here one system at a time.
    _, documents = made()
    resamples = [
        row for draw in draw_resamples(documents, Resampling("percentile", 60, 0.9), "ceiling") for row in draw()
    ]
    drawn = repeat(study, resamples)
    for at in range(2):
        quantiles = np.quantile([one.scores[at, :, 2] for one in drawn], [0.05, 0.95], axis=0).T
        for interval, expected in zip(found.systems[at], quantiles, strict=True):
            assert isinstance(interval, Interval)
            assert (interval.low, interval.high) == pytest.approx(tuple(expected))


def test_one_essay_has_no_interval() -> None:
    study, documents = made()
    found = ceiling_intervals(study, np.zeros_like(documents), Resampling("percentile", 10))
    assert found.human == (Undefined.ONE_UNIT,) * 3
    assert found.systems == found.ratios == (found.human,) * 2


def test_progress_is_told() -> None:
    study, documents = made()
    told: list[int] = []
    ceiling_intervals(study, documents, Resampling("percentile", 5), told.append)
    essay_spread(study, documents, 2, repeats(3), told.append)
    assert told == [1, 2, 3, 4, 5, 1, 2, 3]


def test_all_essays_are_the_whole_study() -> None:
    study, documents = made()
    spread = essay_spread(study, documents, 6, repeats(2))
    whole = ceiling(study)
    np.testing.assert_array_equal(spread.human, np.stack([whole.human[:, 2]] * 2))
    np.testing.assert_array_equal(spread.ratios, np.stack([whole.ratio] * 2))
    assert (spread.n_essays, spread.n_available) == (6, 6)


def test_one_essay_each_is_the_study_of_one_of_the_essays() -> None:
    study, documents = made()
    each = repeat(study, [np.flatnonzero(documents == k) for k in range(6)])
    possible = {tuple(one.human[:, 2].tolist()) for one in each}
    drawn = {tuple(row) for row in essay_spread(study, documents, 1, repeats(40)).human.tolist()}
    assert drawn == possible  # 40 draws miss one of six with probability 0.004 at most; the seed is fixed


def test_essays_stay_in_the_order_of_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric that chooses annotators as it goes depends on the order of sentences."""
    folded: list[list[int]] = []

    def listen(
        study: CeilingData, rows: list[np.ndarray[tuple[int, ...], np.dtype[np.int64]]], **options: object
    ) -> object:
        folded.extend(row.tolist() for row in rows)
        return repeat(study, rows)

    monkeypatch.setattr("errorbar.metrics.ceiling.repeat", listen)
    study, documents = made()
    essay_spread(study, documents, 4, repeats(10))
    assert len({tuple(row) for row in folded}) > 1
    assert folded == [sorted(row) for row in folded]


@pytest.mark.parametrize("n_essays", [0, 7])
def test_more_essays_than_there_are(n_essays: int) -> None:
    study, documents = made()
    with pytest.raises(UsageError, match=rf"n_documents={n_essays} with 6 documents \(expected 1 to 6\)"):
        essay_spread(study, documents, n_essays, repeats(3))


def test_summaries_are_quantiles_over_the_subsets() -> None:
    study, documents = made()
    spread = essay_spread(study, documents, 3, repeats(21))
    summaries = spread.summaries()
    assert len(summaries) == 1 + len(study.systems)
    for row, values in ((summaries[0], spread.human), (summaries[1], spread.ratios[:, 0])):
        for one, column in zip(row, values.T, strict=True):
            ordered = sorted(column.tolist())
            # Of 21 values the quantiles 0, .05, .5, .95 and 1 are the 1st, 2nd, 11th, 20th and 21st.
            expected = [ordered[k] for k in (0, 1, 10, 19, 20)]
            assert [one.lowest, one.low, one.median, one.high, one.highest] == pytest.approx(expected)
            mean = sum(ordered) / 21
            assert one.deviation == pytest.approx((sum((v - mean) ** 2 for v in ordered) / 20) ** 0.5)


def test_a_value_that_a_subset_lacks_has_no_summary() -> None:
    nothing = EssaySpread(1, 3, np.array([[0.5], [0.0]]), np.array([[[1.0]], [[np.nan]]]))
    human, ratio = nothing.summaries()
    assert human[0].median == 0.25
    assert ratio[0].median is ratio[0].deviation is ratio[0].lowest is None
