"""Accuracy and F of choices on held-out text, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from errorbar.detectors.lexicon import PREPOSITIONS
from errorbar.detectors.selectors import HeldOut
from errorbar.stats.resampling import Resampling

RESAMPLING = Resampling("percentile", 500)
AT, BY, OF = (PREPOSITIONS.index(name) for name in ("at", "by", "of"))


def texts(n: int = 400) -> tuple[HeldOut, np.ndarray]:
    """Contexts in ten blocks; three in four are chosen right."""
    chance = np.random.default_rng(0)
    right = chance.choice([AT, BY, OF], n).astype(np.int8)
    chosen = np.where(chance.random(n) < 0.75, right, AT).astype(np.int8)
    return HeldOut.of(right, np.sort(chance.integers(0, 1000, n)) + 5000), chosen


def test_f_by_hand() -> None:
    text = HeldOut.of(np.array([AT, AT, AT, BY, OF], np.int8), np.array([0, 1, 150, 320, 321]))
    chosen = np.array([AT, BY, AT, BY, AT], np.int8)
    assert text.block.tolist() == [0, 0, 1, 2, 2]
    assert text.totals.tolist() == [2, 1, 2]
    assert text.right_by_block(chosen).tolist() == [1, 1, 1]
    assert text.accuracy(chosen, RESAMPLING).value == pytest.approx(3 / 5)
    found = text.f_scores(chosen, RESAMPLING)
    assert found["at"].value == pytest.approx(2 * 2 / (3 + 3))
    assert found["by"].value == pytest.approx(2 * 1 / (1 + 2))
    assert found["of"].value == 0
    assert found["under"].value is None
    assert found["under"].undefined is not None


def test_intervals_hold_the_value_and_rest_on_blocks() -> None:
    text, chosen = texts()
    found = text.accuracy(chosen, RESAMPLING)
    assert found.interval is not None
    assert found.interval.low < (found.value or 0) < found.interval.high
    assert (found.n_units, found.n_clusters) == (400, 10)
    for name in ("at", "by", "of"):
        each = text.f_scores(chosen, RESAMPLING)[name]
        assert each.interval is not None
        assert each.interval.low < (each.value or 0) < each.interval.high


def test_a_difference_is_paired() -> None:
    text, chosen = texts()
    other = chosen.copy()
    other[::40] = (text.right[::40] + 1) % len(PREPOSITIONS)  # wrong in a few more places
    less = text.accuracy(chosen, RESAMPLING, less=other)
    assert less.value == pytest.approx(float((chosen == text.right).mean() - (other == text.right).mean()))
    one = text.accuracy(chosen, RESAMPLING)
    assert less.interval is not None
    assert one.interval is not None
    assert less.interval.high - less.interval.low < (one.interval.high - one.interval.low) / 2
    assert text.accuracy(chosen, RESAMPLING, less=chosen).value == 0


def test_a_part_has_no_empty_block() -> None:
    text = HeldOut.of(np.array([AT, BY, AT, OF], np.int8), np.array([0, 150, 250, 350]))
    part = text.part(np.array([AT, OF]))
    assert part.right.tolist() == [AT, AT, OF]
    assert part.block.tolist() == [0, 1, 2]
    none = text.part(np.array([PREPOSITIONS.index("under")]))
    found = none.accuracy(np.zeros(0, np.int8), RESAMPLING)
    assert (found.value, found.interval, found.n_units) == (None, None, 0)
