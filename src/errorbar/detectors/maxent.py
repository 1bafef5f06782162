"""Maximum entropy: multinomial logistic regression over hashed features, by stochastic gradient descent.

Formula
    p(c | x) = exp(s_c) / sum over k of exp(s_k), s_c the sum of class c's weights over the features of x. Training
    makes the sum of -log p(right | x) small: one example after the other, every weight at a rate of its own,
    ``RATE`` / the root of the sum of its squared slopes so far.
Conventions
    ``EPOCHS`` passes, stopped early instead of penalized. Slopes below 0.001 move nothing (``learning.SMALL``).
Source
    Berger et al. (1996) for maximum entropy; Duchi et al. (2011), AdaGrad, for the rates. Tetreault and Chodorow
    (2008) trained theirs by generalized iterative scaling.
"""

from __future__ import annotations

import numpy as np

from errorbar.detectors.hashing import Rows
from errorbar.detectors.kernels import kernel
from errorbar.detectors.learning import Classes
from errorbar.detectors.sparse import Floats, Weights
from errorbar.stats.resampling import stream

MAXENT = "maxent"
EPOCHS, RATE = 4, 0.05


def train_maxent(
    rows: Rows, right: Classes, n_classes: int, bits: int, *, epochs: int = EPOCHS, rate: float = RATE, seed: int = 0
) -> Weights:
    """Train on examples; the same seed gives the same weights. Arguments as of ``train_perceptron``."""
    table, squares = (np.zeros((1 << bits, n_classes), np.float32) for _ in range(2))
    chance = stream(seed, MAXENT)
    for _ in range(epochs):
        kernel().learn_maxent(rows, right, chance.permutation(len(right)), table, squares, rate)
    return Weights.of_table(lambda part: table[part], table.shape)


def log_probabilities(scores: Floats) -> Floats:
    """Natural logarithms of the classes' probabilities; shape as of ``scores``, (examples, classes)."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
