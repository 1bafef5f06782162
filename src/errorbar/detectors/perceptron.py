"""Averaged perceptron over hashed features.

Formula
    A class's score is the sum of its weights over the example's features. A wrong guess adds 1 to the right class's
    weights and takes 1 from the guessed one's. What is kept is the mean of the weights over all examples seen.
Conventions
    Of equal scores the first class wins. Every pass takes the examples in an order of its own. No rate, no margin.
Source
    Freund and Schapire (1999); Collins (2002) for averaging in place of voting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.hashing import Rows
from errorbar.detectors.kernels import kernel
from errorbar.detectors.learning import Classes
from errorbar.detectors.sparse import Weights
from errorbar.stats.resampling import stream

PERCEPTRON = "perceptron"
EPOCHS = 6


def train_perceptron(
    rows: Rows, right: Classes, n_classes: int, bits: int, *, epochs: int = EPOCHS, seed: int = 0
) -> Weights:
    """Train on examples; the same seed gives the same weights.

    Args:
        rows: Of each example the rows of its features; shape (examples, features).
        right: Its class.
        n_classes: Number of classes.
        bits: The table of weights has 2^bits rows.
        epochs: Passes over all examples.
        seed: Of the orders.
    """
    table, totals = tables(bits, n_classes)
    chance = stream(seed, PERCEPTRON)
    at = 1
    for _ in range(epochs):
        kernel().learn_perceptron(rows, right, chance.permutation(len(right)), table, totals, at)
        at += len(right)
    return averaged(table, totals, at)


def tables(bits: int, n_classes: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Weights and their sums over time, all zero."""
    return np.zeros((1 << bits, n_classes), np.int32), np.zeros((1 << bits, n_classes), np.int64)


def averaged(table: NDArray[np.int32], totals: NDArray[np.int64], at: int) -> Weights:
    """The mean of the weights over the examples before number ``at``; see ``learn_perceptron``."""
    return Weights.of_table(lambda part: table[part] - totals[part] / at, table.shape)
