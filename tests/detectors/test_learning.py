"""The learners: updates worked by hand, and the kernel's numbers are the readable twin's."""

from __future__ import annotations

from math import exp, log
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from errorbar.detectors import learning
from errorbar.detectors.learning import (
    Weights,
    average_weights,
    code,
    kernel,
    log_probabilities,
    row_of,
    rows_of,
    state,
    states,
    step_one,
    tables,
    train_maxent,
    train_perceptron,
)
from errorbar.detectors.ngrams import train_ngrams
from errorbar.detectors.training import LOG_STEP, small_ngrams, small_weights

BITS, CLASSES, WIDTH = 6, 5, 4
BOTH = [learning] if kernel() is learning else [learning, kernel()]
compiled = pytest.mark.skipif(len(BOTH) == 1, reason="the kernel is not compiled: there is nothing to compare")


def name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


@pytest.mark.parametrize("learn", BOTH, ids=name)
def test_perceptron_by_hand(learn: ModuleType) -> None:
    weights, totals = tables(2, 3)
    rows = np.array([[0, 1], [0, 2], [0, 1]], np.int32)
    right = np.array([1, 0, 1], np.int8)
    # 1: all scores are 0, class 0 is the guess, wrong. 2: class 1 has 1 from row 0, class 0 has -1: wrong.
    # 3: row 0 is 0 again, row 1 has 1 for class 1: right.
    assert learn.learn_perceptron(rows, right, np.arange(3), weights, totals, 1) == 2
    assert weights.tolist() == [[0, 0, 0], [-1, 1, 0], [1, -1, 0], [0, 0, 0]]
    assert totals.tolist() == [[1, -1, 0], [-1, 1, 0], [2, -2, 0], [0, 0, 0]]
    kept = average_weights(
        weights, totals, 4
    )  # weights after example 1, 2 and 3 (t = 1, 2, 3), and at the end of the fourth
    assert kept.rows.tolist() == [0, 0, 1, 1, 2, 2]
    assert kept.values.tolist() == [-0.25, 0.25, -0.75, 0.75, 0.5, -0.5]


@pytest.mark.parametrize("learn", BOTH, ids=name)
def test_maxent_by_hand(learn: ModuleType) -> None:
    weights, squares = np.zeros((4, 2), np.float32), np.zeros((4, 2), np.float32)
    rows, right = np.array([[0, 3]], np.int32), np.array([1], np.int8)
    # p = (1/2, 1/2), slopes (1/2, -1/2): the first step of a weight is the rate itself, against the slope.
    assert learn.learn_maxent(rows, right, np.arange(1), weights, squares, 0.25) == log(2)
    assert weights.tolist() == [[-0.25, 0.25], [0, 0], [0, 0], [-0.25, 0.25]]
    assert squares.tolist() == [[0.25, 0.25], [0, 0], [0, 0], [0.25, 0.25]]
    loss = learn.learn_maxent(rows, right, np.arange(1), weights, squares, 0.25)
    assert loss == pytest.approx(log(1 + exp(-1)), abs=1e-15)  # scores -1/2 and 1/2
    slope = 1 / (1 + exp(1))
    assert weights[0].tolist() == pytest.approx(
        [-0.25 - 0.25 * slope / (0.25 + slope**2) ** 0.5, 0.25 + 0.25 * slope / (0.25 + slope**2) ** 0.5], abs=1e-7
    )


@compiled
@pytest.mark.parametrize("seed", range(20))
def test_the_kernel_learns_what_the_twin_learns(seed: int) -> None:
    chance = np.random.default_rng(seed)
    n = int(chance.integers(0, 40))
    rows = chance.integers(0, 1 << BITS, (n, WIDTH)).astype(np.int32)
    right = chance.integers(0, CLASSES, n).astype(np.int8)
    order = chance.permutation(n)
    found = []
    for learn in BOTH:
        table, totals = tables(BITS, CLASSES)
        mistakes = [learn.learn_perceptron(rows, right, order, table, totals, at) for at in (1, 1 + n)]
        weights, squares = np.zeros((2, 1 << BITS, CLASSES), np.float32)
        losses = [learn.learn_maxent(rows, right, order, weights, squares, 0.1) for _ in range(3)]
        kept = average_weights(table, totals, 1 + 2 * n)
        scores = np.zeros((n, CLASSES))
        learn.add_scores(rows, kept.offsets, kept.classes, kept.wide, scores)
        found.append((mistakes, losses, *(a.tobytes() for a in (table, totals, weights, squares, scores))))
    assert found[0] == found[1]


@compiled
@pytest.mark.parametrize("seed", range(10))
def test_the_kernel_tags_as_the_twin_tags(seed: int) -> None:
    chance = np.random.default_rng(seed)
    ends = np.concatenate([[0], np.cumsum(chance.integers(0, 9, 6))])
    spans, n = np.stack([ends[:-1], ends[1:]], axis=1), int(ends[-1])
    rows = chance.integers(0, 1 << BITS, (n, WIDTH)).astype(np.int32)
    h = chance.integers(0, 1 << 32, (n, 3)).astype(np.uint32)
    depths = np.array([1, 2, 1], np.int8)
    codes = np.array([*map(code, "abcde"), 0], np.uint32)
    right = chance.integers(0, CLASSES, n).astype(np.int8)
    found = []
    for learn in BOTH:
        table, totals = tables(BITS, CLASSES)
        mistakes = [
            learn.learn_tags(rows, h, depths, codes, right, spans, table, totals, at, BITS) for at in (1, 1 + n)
        ]
        kept = average_weights(table, totals, 1 + 2 * n)
        tags = np.zeros(n, np.int8)
        learn.tag_tokens(rows, h, depths, codes, spans, kept.offsets, kept.classes, kept.wide, tags, BITS)
        found.append((mistakes, table.tobytes(), totals.tobytes(), tags.tobytes()))
    assert found[0] == found[1]


def test_a_seed_gives_the_same_weights_and_another_seed_others() -> None:
    chance = np.random.default_rng(1)
    rows = chance.integers(0, 1 << BITS, (200, WIDTH)).astype(np.int32)
    right = (rows[:, 0] % CLASSES).astype(np.int8)
    for train in (train_perceptron, train_maxent):
        one, same, other = (train(rows, right, CLASSES, BITS, seed=seed) for seed in (3, 3, 4))
        assert one.values.tobytes() == same.values.tobytes()
        assert one.values.tobytes() != other.values.tobytes()
        assert (one.scores(rows).argmax(axis=1) == right).mean() > 0.6


def test_log_probabilities_also_of_large_scores() -> None:
    found = log_probabilities(np.array([[0.0, log(3)], [1000.0, 0.0]]))
    np.testing.assert_allclose(found, [[log(1 / 4), log(3 / 4)], [0.0, -1000.0]], rtol=1e-15)


def test_weights_keep_what_is_not_zero() -> None:
    table = np.zeros((1 << BITS, 3))
    table[5, 2], table[63, 0] = 1.5, -2
    kept = Weights.of_table(lambda part: table[part], table.shape)
    assert (kept.bits, kept.rows.tolist(), kept.classes.tolist(), kept.values.tolist()) == (
        BITS,
        [5, 63],
        [2, 0],
        [1.5, -2],
    )
    assert kept.scores(np.array([[5, 5, 63], [0, 1, 2]], np.int32)).tolist() == [[-2, 0, 3], [0, 0, 0]]


def test_hashes_are_the_same_everywhere() -> None:
    assert code("123456789") == 0xCBF43926  # the check value of the crc32 of ITU-T V.42 and of zip
    assert code("\ud800") == code("\ud800")  # what is not valid Unicode has a code as well
    h = step_one(state(7), code("in"))
    assert (state(7), h, row_of(h, 21)) == (0x6C071D2D, 0x02CFB7EC, 1094338)  # recorded: model files depend on it
    many = states(7, np.array([code("in"), code("ß")], np.uint32))
    assert many.dtype == np.uint32
    assert int(many[0]) == h
    assert rows_of(many, 21).tolist() == [row_of(int(each), 21) for each in many]


# Small models: what is left of weights, worked by hand, and of n-grams.


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
