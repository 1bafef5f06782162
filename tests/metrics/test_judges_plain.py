"""Intervals over texts and judges are those of a second derivation by loops, on small cases of every kind."""

from __future__ import annotations

from collections import Counter
from math import isnan

import numpy as np
import pytest

from errorbar.core.estimate import Undefined
from errorbar.metrics.choice import EditStatistics
from errorbar.metrics.judge_sets import judging_of
from errorbar.metrics.m2 import M2
from errorbar.stats.two_way import Components, TwoWay, VariancePrior, moderate
from tests.helpers import plain_judges as by_hand

F = 2
KINDS = ("plain", "judges who agree", "a judge of some texts", "judges of some sentences", "nothing right", "all right")


def small(kind: str, rng: np.random.Generator, n: int, m: int) -> tuple[list[EditStatistics], np.ndarray]:
    """Two systems on a few short texts of unequal length."""
    texts = np.repeat(np.arange(n), rng.integers(1, 5, size=n))
    gold = rng.integers(0, 4, size=(len(texts), m))
    present = np.ones(gold.shape, np.uint8)
    if kind == "judges who agree":
        gold[:] = gold[:, :1]
    elif kind == "a judge of some texts":
        present[:, -1] = texts < max(1, n // 2)
    elif kind == "judges of some sentences":
        present[:] = rng.random(gold.shape) < 0.7
    made = []
    for _ in range(2):
        proposed = np.broadcast_to(rng.integers(0, 4, size=(len(texts), 1)), gold.shape)
        correct = np.minimum(rng.integers(0, 3, size=gold.shape), np.minimum(proposed, gold))
        if kind == "judges who agree":
            correct = np.minimum(correct[:, :1], gold)
        elif kind in ("nothing right", "all right"):
            correct = np.minimum(proposed, gold) if kind == "all right" else np.zeros_like(gold)
        counts = np.stack([correct, proposed, gold], axis=-1).astype(np.int32) * present[..., None]
        made.append(EditStatistics(np.ascontiguousarray(counts), present, tuple(map(str, range(m)))))
    return made, texts


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_to_the_last_digit(kind: str) -> None:
    rng, known = np.random.default_rng(KINDS.index(kind)), Counter[str]()
    for _ in range(25):
        n, m = int(rng.integers(1, 6)), int(rng.integers(1, 6))
        statistics, texts = small(kind, rng, n, m)
        looked = [judge for judge in range(m) if statistics[0].present[:, judge].any()]
        if not looked:
            continue
        k = int(rng.integers(1, len(looked) + 1))
        judging = judging_of(M2(), statistics[0], m, texts.astype(np.int64), k)
        values = [judging.values(M2(), each) for each in statistics]
        tables = [
            by_hand.scores(each.counts.tolist(), each.present.tolist(), texts.tolist(), looked, k)
            for each in statistics
        ]
        for ours, table in ((values[0], tables[0]), (values[0] - values[1], by_hand.minus(*tables))):
            found = ours.components(F)
            if isinstance(found, Undefined):
                known[found.name] += 1
                assert found is not Undefined.ONE_JUDGE or len(looked) == 1
                assert found is not Undefined.ONE_UNIT or n == 1
                continue
            known["interval"] += 1
            compare(found, by_hand.plain(table, looked, k))
            zeta, ours_zeta = by_hand.zetas(table, k), ours.zeta(F)
            assert (zeta is None) == (ours_zeta is None)
            if zeta is not None and ours_zeta is not None:
                assert float(ours_zeta[-1]) == pytest.approx(zeta[-1], rel=1e-9, abs=1e-15)
                if (unbiased := ours.unbiased(F)) is not None:
                    assert unbiased == pytest.approx(by_hand.unbiased(zeta, len(looked)), rel=1e-9, abs=1e-15)
    assert known["interval"] or kind in ("judges who agree", "nothing right"), known
    assert len(known) > 1, known


def compare(found: TwoWay, plain: by_hand.Plain) -> None:
    ours = (found.value, found.texts, found.judges, found.df, found.half_width(0.95), found.p_value)
    theirs = (plain.value, plain.texts, plain.judges, plain.df(), plain.half_width(), plain.p_value())
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-15)
    assert isnan(found.both) == isnan(plain.both)
    if not isnan(plain.both):
        made = Components.of(found, plain.n)
        assert (made.judges, made.texts, made.both) == pytest.approx(plain.components(), rel=1e-7, abs=1e-15)
    assert moderate(found, VariancePrior(1.45e-4, 4)).half_width(0.95) == pytest.approx(
        plain.moderated(1.45e-4), rel=1e-9
    )


def test_a_variance_that_comes_out_negative_is_0() -> None:
    """Judges who vary less than judges and texts together can."""
    parts = Components.of(TwoWay(0.5, 2e-4, 1e-5, 2e-5, 10, 3, 2.0), 10)
    assert (parts.judges, parts.texts, parts.both) == pytest.approx((0.0, 10 * 1.8e-4, 30 * 2e-5))
    assert (parts.over_texts(10, 3), parts.over_judges(10, 3)) == pytest.approx((2e-4, 2e-5))
