"""Small models: what is left of weights, worked by hand, and of n-grams."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from errorbar.detectors.linear import Weights, log_probabilities
from errorbar.detectors.ngrams import train_ngrams
from errorbar.detectors.small import LOG_STEP, small_ngrams, small_weights

TABLE = np.array([[0, 0, 0], [0.5, -0.25, -0.25], [0, 0, 1.5], [-0.75, 0.125, 0.5]], np.float32)
WEIGHTS = Weights.of_table(lambda rows: TABLE[rows], TABLE.shape)


def table(weights: Weights) -> NDArray[np.float64]:
    """All weights."""
    found = np.zeros(TABLE.shape)
    found[weights.rows, weights.classes] = weights.values
    return found


def test_light_weights_go_and_others_are_rounded() -> None:
    found = small_weights(WEIGHTS, 0.5, 0.25, centered=False)
    assert table(found).tolist() == [[0, 0, 0], [0.5, 0, 0], [0, 0, 1.5], [-0.75, 0, 0.5]]
    assert len(found.values) == 4


def test_medians_go_first() -> None:
    # medians -.25, 0 and .125: [.75 0 0], [0 0 1.5], [-.875 0 .375], rounded to halves (to even ones)
    found = small_weights(WEIGHTS, 0.5, 0.5, centered=True)
    assert table(found).tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 1.5], [-1, 0, 0]]
    same = small_weights(WEIGHTS, 0, 1 / 64, centered=True)  # fine enough for all of these
    rows = np.array([[1, 2], [2, 3], [0, 3]], np.int32)
    ours, theirs = (log_probabilities(each.scores(rows)) for each in (same, WEIGHTS))
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_logarithms_are_rounded() -> None:
    model = train_ngrams([["a", "b"], ["b", "a", "c"]], 2, fallback=True)
    found = small_ngrams(model)
    for name in ("log10_prob", "log10_backoff"):
        ours, theirs = getattr(found.tree, name), getattr(model.tree, name)
        assert np.all(ours / LOG_STEP == np.round(ours / LOG_STEP))
        assert np.abs(ours - theirs).max() <= LOG_STEP / 2
    assert found.score([["a", "c"]]).log10 == pytest.approx(model.score([["a", "c"]]).log10, abs=LOG_STEP)
