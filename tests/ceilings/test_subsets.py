"""Subsets of annotators: all of them, or a sample that says so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from math import comb

import numpy as np
import pytest

from errorbar import M2, Problems
from errorbar.core import UsageError
from errorbar.metrics import MOST, StudyPlan, affordable_subsets, prepare_study, usual_sizes
from errorbar.metrics.ceiling import annotator_subsets, ceiling
from errorbar.stats import stream
from tests.ceilings.examples import random_corpus


def streams(seed: int = 0) -> Callable[[int], np.random.Generator]:
    return partial(stream, seed, "test")


def test_all_subsets_of_every_size() -> None:
    subsets = annotator_subsets(5, range(1, 6), streams())
    assert subsets.n_subsets == tuple(comb(5, size) for size in range(1, 6))
    assert all(subsets.exact)
    rows = [tuple(np.flatnonzero(mask)) for mask in subsets.masks]
    assert rows == [row for size in range(1, 6) for row in combinations(range(5), size)]


def test_the_author_is_in_no_subset() -> None:
    subsets = annotator_subsets(5, (1, 4), streams(), without=2)
    assert subsets.n_subsets == (4, 1)
    assert not subsets.masks[:, 2].any()


def test_too_many_are_sampled_without_repetition() -> None:
    subsets = annotator_subsets(13, (1, 6), streams(), without=0, most=50)
    assert (subsets.n_subsets, subsets.exact) == ((12, 50), (True, False))
    drawn = subsets.masks[12:]
    assert (drawn.sum(axis=1) == 6).all()
    assert len(np.unique(drawn, axis=0)) == 50
    assert not drawn[:, 0].any()


def test_every_subset_is_drawn_about_equally_often() -> None:
    """1,000 samples of 5 of the 10 pairs of five: each pair is in half of them; 5 standard deviations are 0.08."""
    times = np.zeros((5, 5))
    for seed in range(1000):
        for mask in annotator_subsets(5, (2,), streams(seed), most=5).masks:
            a, b = np.flatnonzero(mask)
            times[a, b] += 1 / 1000
    np.testing.assert_allclose(times[np.triu_indices(5, 1)], 0.5, atol=0.08)


def test_a_sample_depends_on_its_seed_and_on_no_other_size() -> None:
    alone, among = annotator_subsets(12, (6,), streams(), most=20), annotator_subsets(12, (5, 6), streams(), most=20)
    np.testing.assert_array_equal(alone.masks, among.masks[20:])
    assert not np.array_equal(alone.masks, annotator_subsets(12, (6,), streams(1), most=20).masks)


def test_means_are_by_size() -> None:
    subsets = annotator_subsets(3, (1, 2), streams())
    np.testing.assert_allclose(subsets.means(np.array([[1.0], [2], [6], [10], [20], [60]])), [[3], [30]])


@pytest.mark.parametrize("size", [-1, 0, 4, 99])
def test_a_size_that_does_not_fit(size: int) -> None:
    with pytest.raises(UsageError, match=rf"sizes=\"?{size}\"? with 3 annotators \(expected 1 to 3\)"):
        annotator_subsets(3, (size,), streams())


def test_a_huge_range_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="sizes=4 with 3 annotators"):
        annotator_subsets(3, range(1, 10**12), streams())


def test_a_study_is_exact_only_if_the_systems_subsets_are_too() -> None:
    """Of ten annotators, subsets of four: 126 without the author of a text, but 210 for a system."""
    data, systems = random_corpus(3, 6, 1)
    few = prepare_study(data, systems, M2(), Problems(), StudyPlan((3,), 10))  # C(5, 3) = 10, C(6, 3) = 20
    assert ceiling(few).exact == (False,)
    assert ceiling(prepare_study(data, [], M2(), Problems(), StudyPlan((3,), 10))).exact == (True,)
    assert ceiling(prepare_study(data, systems, M2(), Problems(), StudyPlan((3,), 20))).exact == (True,)


class TestManyAnnotators:
    def test_up_to_twenty_every_number_of_references_is_tried(self) -> None:
        problems = Problems()
        assert [*usual_sizes(20, problems)] == [*range(1, 20)]
        assert affordable_subsets(20, range(1, 20), problems) == MOST
        assert problems.notes == []

    def test_of_a_hundred_some_with_fewer_subsets(self) -> None:
        """100 x 19 sizes x 52 subsets are the most below 100,000."""
        problems = Problems()
        sizes = usual_sizes(100, problems)
        assert [*sizes] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 17, 22, 29, 38, 50, 66, 88, 99]
        assert affordable_subsets(100, sizes, problems) == 52
        assert [note.code for note in problems.notes] == ["few-subsets", "few-subsets"]

    def test_as_many_as_are_asked_for_are_drawn_where_that_ends(self) -> None:
        """29 others have 77,558,760 subsets of 15."""
        assert affordable_subsets(30, [1, 2], Problems(), 10**12) == 10**12
        assert affordable_subsets(30, [15], Problems(), 5000) == 5000
        with pytest.raises(UsageError, match=r"2,326,762,800 subsets .* \(expected at most 10,000,000\)") as caught:
            affordable_subsets(30, [15], Problems(), 10**12)
        assert caught.value.code == "ceiling-too-large"

    def test_a_thousand_are_refused(self) -> None:
        with pytest.raises(UsageError, match="1,000 annotators, each scored against subsets of") as caught:
            affordable_subsets(1000, usual_sizes(1000, Problems()), Problems())
        assert caught.value.code == "ceiling-too-large"
        assert affordable_subsets(1000, [1, 2], Problems()) == 50
