"""Precision at recall: by hand, and against a plain count of every threshold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Resampling
from errorbar.core import Interval, Undefined, UsageError
from errorbar.metrics import TRUTHS, Truth, Votes, sweep_scores, truth_of


def votes(*shares: float | None, clusters: list[int] | None = None) -> Votes:
    share = np.array([np.nan if each is None else each for each in shares])
    return Votes(share, np.where(np.isnan(share), 0, 4).astype(np.int64), clusters)


def test_by_hand() -> None:
    """Scores 5 4 4 2 1 with truth 1 ½ 1 0 ½: 3 in all; P is 1, 2.5/3, 2.5/4, 3/5 at R 1/3, 2.5/3, 2.5/3, 1."""
    found = sweep_scores(np.array([1.0, 2, 4, 4, 5]), votes(0.5, 0, 1, 0.5, 1), recalls=(0.2, 1 / 3, 0.5, 1.0))
    assert (found.n_items, found.errors) == (5, 3.0)
    assert [(p.threshold, p.n_flagged, p.precision.value) for p in found.points] == [
        (5.0, 1, 1.0),
        (5.0, 1, 1.0),
        (4.0, 3, 2.5 / 3),
        (1.0, 5, 0.6),
    ]
    assert found.average_precision.value == pytest.approx(1 / 3 + 0.5 * 2.5 / 3 + (0.5 / 3) * 0.6)


def test_what_an_error_is() -> None:
    said = votes(0, 0.25, 0.5, 0.75, None)
    assert truth_of(said, "any")[:4].tolist() == [0, 1, 1, 1]
    assert truth_of(said, "majority")[:4].tolist() == [0, 0, 0.5, 1]
    assert truth_of(said, "weighted")[:4].tolist() == [0, 0.25, 0.5, 0.75]
    for truth in TRUTHS:
        assert np.isnan(truth_of(said, truth)[4])
        # Nobody judged the last one, whose score may be anything.
        assert sweep_scores(np.array([1.0, 2, 3, 4, np.nan]), said, truth).n_items == 4


SCORES = st.integers(0, 4).map(float)


@given(st.lists(st.tuples(SCORES, st.integers(0, 4)), min_size=1, max_size=12), st.sampled_from(TRUTHS))
def test_as_counted_threshold_by_threshold(items: list[tuple[float, int]], truth: Truth) -> None:
    said = votes(*(n / 4 for _, n in items))
    exact = [Fraction(str(each)) for each in truth_of(said, truth).tolist()]
    whole = sum(exact)
    found = sweep_scores(np.array([score for score, _ in items]), said, truth, recalls=(0.1, 0.5, 0.9, 1.0))
    if not whole:
        assert all(p.precision.undefined is Undefined.NOTHING_IN_REFERENCE for p in found.points)
        return
    steps: list[tuple[float, Fraction, Fraction]] = []
    for tau in sorted({score for score, _ in items}, reverse=True):
        flagged: list[Fraction] = [t for (score, _), t in zip(items, exact, strict=True) if score >= tau]
        hits = sum(flagged, Fraction(0))
        steps.append((tau, hits / whole, hits / len(flagged)))
    for point in found.points:
        tau, _, p = next(step for step in steps if step[1] >= Fraction(str(point.recall)))
        assert point.threshold == tau
        assert point.precision.value == pytest.approx(float(p))
    area, before = Fraction(0), Fraction(0)
    for _, recall, p in steps:
        area, before = area + (recall - before) * p, recall
    assert found.average_precision.value == pytest.approx(float(area))


def test_intervals_hold_the_value_and_clusters_widen_them() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat(rng.integers(0, 5, 60) / 4, 5)
    scores = truth + rng.normal(0, 0.5, 300)
    drawn = Resampling("percentile", 400)
    widths = []
    for clusters in (None, np.repeat(np.arange(60), 5).tolist()):
        found = sweep_scores(scores, votes(*truth, clusters=clusters), recalls=(0.3, 0.6), resampling=drawn)
        for each in (*(p.precision for p in found.points), found.average_precision):
            assert isinstance(each.interval, Interval)
            assert each.value is not None
            assert each.interval.low < each.value < each.interval.high
        assert isinstance(found.average_precision.interval, Interval)
        widths.append(found.average_precision.interval.high - found.average_precision.interval.low)
    assert widths[1] > widths[0]


def test_limits() -> None:
    drawn = Resampling("percentile", 20)
    alone = sweep_scores(np.array([1.0]), votes(1.0), recalls=(1.0,), resampling=drawn)
    assert alone.points[0].precision.value == 1.0
    assert alone.points[0].precision.no_interval is Undefined.ONE_UNIT
    nobody = sweep_scores(np.zeros(1), votes(None), resampling=drawn)
    assert (nobody.n_items, nobody.points[0].threshold, nobody.points[0].n_flagged) == (0, None, 0)
    assert nobody.average_precision.undefined is Undefined.NO_UNITS
    for recalls in ((0.0,), (1.1,), (float("nan"),)):
        with pytest.raises(UsageError, match="recalls must be above 0"):
            sweep_scores(np.zeros(1), votes(1.0), recalls=recalls)
    with pytest.raises(UsageError, match="every judged item must have a score"):
        sweep_scores(np.array([np.nan]), votes(1.0))


def sampled(seed: list[int], n: int, per: int) -> tuple[np.ndarray[Any, np.dtype[np.float64]], Votes]:
    """Scores and truth of items in clusters, whose share of errors and scores both vary: 27 % errors or so."""
    rng = np.random.default_rng(seed)
    shift = rng.normal(0, 0.6, n // per).repeat(per)
    truth = (rng.random(n) < 1 / (1 + np.exp(1.1 - shift))).astype(np.float64)
    scores = truth + rng.normal(0, 1, n) + 0.5 * shift
    return scores, Votes(truth, np.ones(n, np.int64), np.arange(n // per).repeat(per))


@pytest.mark.slow
def test_how_often_intervals_hold_the_true_precision() -> None:
    """As in docs/measurements/crowd.md: the truth of two million items; 200 samples of 1,000 items in 100 clusters."""
    scores, said = sampled([99], 2_000_000, 10)
    recalls, times = (0.25, 0.5, 0.8), 200
    whole = sweep_scores(scores, said, recalls=recalls)
    true = [*(point.precision.value for point in whole.points), whole.average_precision.value]
    held = np.zeros(len(true))
    for k in range(times):
        found = sweep_scores(
            *sampled([1000, 10, k], 1000, 10), recalls=recalls, resampling=Resampling("percentile", 400, seed=k)
        )
        for at, each in enumerate([*(point.precision for point in found.points), found.average_precision]):
            assert isinstance(each.interval, Interval)
            assert true[at] is not None
            held[at] += each.interval.low <= (true[at] or 0.0) <= each.interval.high
    assert (held / times >= 0.91).all()  # .95 less more than two standard errors of a share of 200
