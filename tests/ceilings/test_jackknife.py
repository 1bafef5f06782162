"""Intervals of the curve over texts and judges: the fold of a study with one of each left out, done by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from errorbar import M2, Problems, Resampling
from errorbar.core import Interval, Scale, Undefined
from errorbar.metrics import (
    CeilingData,
    Documents,
    Selection,
    StudyPlan,
    folds_left_out,
    jackknife_intervals,
    judging_of,
    prepare_study,
)
from errorbar.metrics.ceiling import ScoredText, Units
from errorbar.stats import TwoWay
from errorbar.stats.two_way import two_way
from tests.ceilings.examples import random_corpus
from tests.helpers import plain_judges as by_hand

HOW = Resampling()
F_HALF = M2().measures[2]


def prepared() -> tuple[CeilingData, Units]:
    """A study of a random corpus, and the document of each sentence."""
    data, systems = random_corpus()
    documents = Documents()
    documents.add(data.sentences)
    return prepare_study(data, systems, M2(), Problems(lenient=True), StudyPlan(force=True)), documents.clusters()


def test_a_system_has_the_interval_of_its_score_against_as_many_judges() -> None:
    """Wherever there are judges to spare, the curve of a system is errorbar score --judges 'random(k=K)'."""
    study, clusters = prepared()
    m = len(study.annotators)
    _, both = jackknife_intervals(study, clusters, HOW)
    for k in range(1, m - 1):
        statistics = study.systems[0].statistics
        values = judging_of(M2(), statistics, m, clusters, k).values(M2(), statistics)
        parts = values.components(2)
        assert isinstance(parts, TwoWay)
        found, expected = both.systems[0][k - 1], parts.interval(0.95, F_HALF.scale)
        assert isinstance(found, Interval)
        assert isinstance(expected, Interval)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_humans_without_each_judge_and_each_document() -> None:
    """The largest size: with a judge less, each human text meets one reference less."""
    study, clusters = prepared()
    m = len(study.annotators)

    def score(author: int, references: tuple[int, ...], units: Units | None = None) -> float:
        mask = np.isin(np.arange(m), references).astype(np.uint8)[None]
        rows = None if units is None else units[None]
        return float(M2().fold(study.humans[author].statistics, Selection(rows, annotators=mask)).values[0, 2])

    def others(*without: int) -> tuple[int, ...]:
        return tuple(i for i in range(m) if i not in without)

    value = np.mean([score(i, others(i)) for i in range(m)])
    judge = [np.mean([score(i, others(i, j)) for i in others(j)]) for j in range(m)]
    text = [
        np.mean([score(i, others(i), np.flatnonzero(clusters != e)) for i in range(m)]) for e in np.unique(clusters)
    ]
    parts = two_way(float(value), text, judge)
    assert isinstance(parts, TwoWay)
    found = jackknife_intervals(study, clusters, HOW)[1].human[-1]
    assert isinstance(found, Interval)
    expected = parts.interval(0.95, F_HALF.scale)
    assert isinstance(expected, Interval)
    assert found.low == pytest.approx(expected.low)
    sets = sum(len([*combinations(range(m - 1), k)]) * m + len([*combinations(range(m), k)]) for k in range(1, m))
    assert folds_left_out(study, clusters) == (sets + (len(study.systems) - 1) * (2**m - 2)) * len(np.unique(clusters))


def test_one_document_is_named() -> None:
    study, clusters = prepared()
    texts, both = jackknife_intervals(study, np.zeros_like(clusters), HOW)
    assert set(texts.human) == set(both.ratios[0]) == {Undefined.ONE_UNIT}


def test_ratios_by_loops() -> None:
    """Against one reference, by a derivation that shares no code: without each text, and without each judge."""
    study, clusters = prepared()
    m, texts = len(study.annotators), sorted(set(clusters.tolist()))

    def score(text: ScoredText, judge: int, left_out: int | None) -> float:
        units = [u for u in range(len(clusters)) if clusters[u] != left_out]
        statistics = text.statistics
        return by_hand.f_half(statistics.counts.tolist(), statistics.present.tolist(), units, (judge,))

    def ratio(judge: int | None = None, left_out: int | None = None) -> float:
        who = [i for i in range(m) if i != judge]
        human = [score(study.humans[i], j, left_out) for i in who for j in who if i != j]
        system = [score(study.systems[0], j, left_out) for j in who]
        return float(np.mean(system) / np.mean(human))

    parts = two_way(ratio(), [ratio(left_out=e) for e in texts], [ratio(i) for i in range(m)])
    assert isinstance(parts, TwoWay)
    found = jackknife_intervals(study, clusters, HOW)[1].ratios[0][0]
    assert isinstance(found, Interval)
    expected = parts.interval(0.95, Scale(0.0))
    assert isinstance(expected, Interval)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
