"""A log-linear combination: the weights that made the data are found again, and nothing else matters to them."""

from __future__ import annotations

import numpy as np
import pytest

from errorbar.detectors.linear import log_probabilities
from errorbar.detectors.selectors import fit_log_linear, log_linear


def drawn(weights: list[float], n: int = 20_000, seed: int = 0) -> tuple[list[np.ndarray], np.ndarray]:
    """Scores of selectors, and classes drawn with the probabilities of their combination."""
    chance = np.random.default_rng(seed)
    scores = [chance.normal(size=(n, 5)) * scale for scale in (1.0, 30.0, 0.1)[: len(weights)]]
    p = np.exp(log_probabilities(log_linear(scores, np.array(weights))))
    right = (p.cumsum(axis=1) < chance.random((n, 1))).sum(axis=1)
    return scores, right.astype(np.int8)


def test_the_weights_of_the_data_are_found() -> None:
    scores, right = drawn([0.5, 0.04, 7.0])
    found = fit_log_linear(scores, right)
    # Standard errors by the inverse information, about 1 % of each.
    assert found == pytest.approx([0.5, 0.04, 7.0], rel=0.05)


def test_no_other_weights_make_the_data_more_probable() -> None:
    scores, right = drawn([0.5, 0.04], n=500)
    found = fit_log_linear(scores, right)

    def loss(weights: np.ndarray) -> float:
        return -float(log_probabilities(log_linear(scores, weights))[np.arange(500), right].mean())

    least = loss(found)
    for change in ([0.02, 0], [-0.02, 0], [0, 0.002], [0, -0.002]):
        assert loss(found + np.array(change)) > least


def test_units_of_scores_change_nothing() -> None:
    scores, right = drawn([0.5, 0.04], n=500)
    one = log_linear(scores, fit_log_linear(scores, right))
    scaled = [scores[0] * 1000, scores[1] + 5.0]  # what is added to all classes of a context is in no difference
    other = log_linear(scaled, fit_log_linear(scaled, right))
    assert (one.argmax(axis=1) == other.argmax(axis=1)).mean() > 0.99


def test_a_selector_that_says_nothing_has_no_weight() -> None:
    scores, right = drawn([0.5, 0.04], n=200)
    found = fit_log_linear([scores[0], np.ones_like(scores[0])], right)
    assert found[0] > 0
    assert found[1] == 0
    assert fit_log_linear([np.zeros((3, 5))], np.zeros(3, np.int8)).tolist() == [0]
