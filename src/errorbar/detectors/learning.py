"""The readable twins of ``_learn.pyx``: averaged perceptron, maximum entropy and tagging, one example at a time.

Examples are rows of a table of weights; a class's score is the sum of its weights in those rows. The
first of several best classes is the guess. All change what they are given: weights, sums, tags.

Features are rows of a table: names are hashed by crc32, combinations of names by one multiplication each.

Formula
    A name's code is the crc32 of its UTF-8. A feature is a template (a number) and some codes: h starts as the
    template's state and takes each code v in turn by h = (h xor v) * 0x9E3779B1 mod 2^32, h = h xor (h >> 15).
    Its row in a table of 2^bits rows is the top ``bits`` bits of h * 0x85EBCA6B mod 2^32.
Conventions
    The same on every machine and in every Python, which ``hash()`` is not. Two features may share a row.
Source
    Weinberger et al. (2009) for hashed features; the multiplications are Knuth's (1973, section 6.4).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import exp, log, sqrt
from types import ModuleType
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from errorbar.edits.matching import KERNEL

HASH = "crc32-multiply-1"  # what model files name; another function is another name
FIRST, STEP, LAST, SHIFT, MASK = 0x811C9DC5, 0x9E3779B1, 0x85EBCA6B, 15, 0xFFFFFFFF
Codes = NDArray[np.uint32]
Rows = NDArray[np.int32]


def code(name: str) -> int:
    """The code of a name, also of one that is not valid Unicode."""
    return crc32(name.encode("utf-8", "surrogatepass"))


def state(template: int) -> int:
    """The state that the features of a template start from."""
    return step_one(FIRST, template)


def step_one(h: int, value: int) -> int:
    """The state after one more code."""
    h = (h ^ value) * STEP & MASK
    return h ^ h >> SHIFT


def row_of(h: int, bits: int) -> int:
    """The row of one state."""
    return (h * LAST & MASK) >> 32 - bits


def step(h: Codes, values: Codes) -> Codes:
    """Many states after one more code each."""
    h = (h ^ values) * np.uint32(STEP)
    return h ^ h >> np.uint32(SHIFT)


def rows_of(h: Codes, bits: int) -> Rows:
    """The rows of many states."""
    return (h * np.uint32(LAST) >> np.uint32(32 - bits)).astype(np.int32)


def states(template: int, *values: Codes) -> Codes:
    """The states of a template's features: one for each place in the arrays of codes."""
    h = np.full(values[0].shape, state(template), np.uint32)
    for codes in values:
        h = step(h, codes)
    return h


SMALL = 1e-3  # a slope (probability less truth) below it moves nothing: most classes of most examples
Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]
Classes = NDArray[np.int8]
Floats32 = NDArray[np.float32]


def learn_perceptron(rows: Ints32, right: Classes, order: Ints64, weights: Ints32, totals: Ints64, at: int) -> int:
    """Run a pass of the averaged perceptron over examples in an order; return the number of wrong guesses.

    Formula
        A wrong guess adds 1 to the right class's weights in the example's rows and takes 1 from the guessed one's.
        With each change d made at example number t (``at`` for the first), totals += d * t: after T examples the
        average of the weights over all examples is weights - totals / T.
    """
    mistakes = 0
    for i, example in enumerate(order.tolist()):
        guess = _learn_one(rows[example].tolist(), int(right[example]), weights, totals, at + i)
        mistakes += guess != right[example]
    return mistakes


def _learn_one(features: Sequence[int], right: int, weights: Ints32, totals: Ints64, at: int) -> int:
    scores = np.zeros(weights.shape[1], np.int64)
    for row in features:
        scores += weights[row]
    guess = int(scores.argmax())
    if guess != right:
        for row in features:
            for change, label in ((1, right), (-1, guess)):
                weights[row, label] += change
                totals[row, label] += change * at
    return guess


def _history(states: NDArray[Any], depths: Classes, at: int, before: Sequence[int], bits: int) -> list[int]:
    """Rows of the features that look at the tags before; ``before``: codes of the last tag and the one before it."""
    features = []
    for start, depth in zip(states[at].tolist(), depths.tolist(), strict=True):
        h = start
        for tag in before[:depth]:
            h = step_one(h, tag)
        features.append(row_of(h, bits))
    return features


def learn_tags(
    rows: Ints32,
    states: NDArray[np.uint32],
    depths: Classes,
    codes: NDArray[np.uint32],
    right: Classes,
    spans: Ints64,
    weights: Ints32,
    totals: Ints64,
    at: int,
    bits: int,
) -> int:
    """Run a pass of the averaged perceptron over the tokens of sentences, each after its own guesses for those before.

    ``rows`` are known beforehand; ``states`` take the codes of the last ``depths`` tags. The last of ``codes`` stands
    for no tag.
    """
    mistakes = 0
    names = codes.tolist()
    for start, end in spans.tolist():
        before = (names[-1], names[-1])
        for t in range(start, end):
            features = rows[t].tolist() + _history(states, depths, t, before, bits)
            guess = _learn_one(features, int(right[t]), weights, totals, at)
            at += 1
            mistakes += guess != right[t]
            before = (names[guess], before[0])
    return mistakes


def learn_maxent(
    rows: Ints32, right: Classes, order: Ints64, weights: Floats32, squares: Floats32, rate: float
) -> float:
    """Run a pass of stochastic gradient descent with AdaGrad's rates over examples in an order; return sum of -log p.

    Formula
        p is the softmax of the scores. Of class c the slope is g = p_c - [c is right]; in every row of the example
        squares += g^2 and weights -= rate * g / sqrt(squares).
    """
    loss = 0.0
    n = weights.shape[1]
    for example in order.tolist():
        features, truth = rows[example].tolist(), int(right[example])
        p = [0.0] * n
        for row in features:
            for c, weight in enumerate(weights[row].tolist()):
                p[c] += weight
        most = max(p)
        loss -= p[truth] - most
        p = [exp(score - most) for score in p]
        total = 0.0
        for weight_of_class in p:
            total += weight_of_class
        loss += log(total)
        slopes = [weight_of_class / total - (c == truth) for c, weight_of_class in enumerate(p)]
        live = [(c, slope) for c, slope in enumerate(slopes) if slope > SMALL or slope < -SMALL]
        for row in features:
            for c, slope in live:
                square = float(squares[row, c]) + slope * slope
                squares[row, c] = square
                weights[row, c] = float(weights[row, c]) - rate * slope / sqrt(square)
    return loss


def add_scores(rows: Ints32, offsets: Ints32, classes: Classes, weights: Floats32, scores: NDArray[np.float64]) -> None:
    """Add the weights of each example's rows to its scores, row by row."""
    for example, features in zip(scores, rows.tolist(), strict=True):
        for row in features:
            for k in range(offsets[row], offsets[row + 1]):
                example[classes[k]] += weights[k]


def tag_tokens(
    rows: Ints32,
    states: NDArray[np.uint32],
    depths: Classes,
    codes: NDArray[np.uint32],
    spans: Ints64,
    offsets: Ints32,
    classes: Classes,
    weights: Floats32,
    tags: Classes,
    bits: int,
) -> None:
    """Tag the tokens of sentences from left to right, each by the best score after the tags given before."""
    names = codes.tolist()
    for start, end in spans.tolist():
        before = (names[-1], names[-1])
        for t in range(start, end):
            features = np.array([rows[t].tolist() + _history(states, depths, t, before, bits)], np.int32)
            scores = np.zeros((1, len(names) - 1))
            add_scores(features, offsets, classes, weights, scores)
            tags[t] = best = int(scores[0].argmax())
            before = (names[best], before[0])


def kernel() -> ModuleType:
    """The compiled kernel, else ``learning``: the same functions, the same numbers."""
    if KERNEL:
        try:
            from errorbar.detectors import _learn  # noqa: PLC0415 - absent without a compiler
        except ImportError:
            return sys.modules[__name__]
        return _learn
    return sys.modules[__name__]
