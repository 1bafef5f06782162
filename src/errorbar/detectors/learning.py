"""Linear models of detectors and tagger, how they learn, and what they learn from: words and hashed features.

Logistic regression weighs scores against each other, on a few hundred columns.

Formula
    p(error | x) = 1 / (1 + exp(-(b + w x))). Fitting makes the sum of -log p(label | x) + (ridge / 2) |w|^2 small.
Conventions
    By L-BFGS from w = 0. The constant b has no ridge. Columns should be of one scale: the ridge is the same for all.
Source
    le Cessie and van Houwelingen (1992) for the ridge.

Maximum entropy is multinomial logistic regression over hashed features, by stochastic gradient descent.

Formula
    p(c | x) = exp(s_c) / sum over k of exp(s_k), s_c the sum of class c's weights over the features of x. Training
    makes the sum of -log p(right | x) small: one example after the other, every weight at a rate of its own,
    ``RATE`` / the root of the sum of its squared slopes so far.
Conventions
    ``EPOCHS`` passes, stopped early instead of penalized. Slopes below 0.001 move nothing (``SMALL``).
Source
    Berger et al. (1996) for maximum entropy; Duchi et al. (2011), AdaGrad, for the rates. Tetreault and Chodorow
    (2008) trained theirs by generalized iterative scaling.

The averaged perceptron works over hashed features too.

Formula
    A class's score is the sum of its weights over the example's features. A wrong guess adds 1 to the right class's
    weights and takes 1 from the guessed one's. What is kept is the mean of the weights over all examples seen.
Conventions
    Of equal scores the first class wins. Every pass takes the examples in an order of its own. No rate, no margin.
Source
    Freund and Schapire (1999); Collins (2002) for averaging in place of voting.

The readable twins of ``_learn.pyx``: averaged perceptron, maximum entropy and tagging, one example at a time.

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

Words of a text as numbers, with the codes of their forms: the features of a word without its neighbors.

A text is laid out as one row of word numbers with ``GAP`` empty words (number 0) before, between and after its
sentences, so that the neighbors of all words are shifts of the row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import exp, log, sqrt
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.edits.items import PREPOSITIONS as FORMS
from errorbar.edits.matching import KERNEL
from errorbar.stats.resampling import stream

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


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


Columns: TypeAlias = "Floats | csr_matrix"
STEPS, ENOUGH = 1000, 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Logistic:
    """A fitted regression: the constant, one weight for each column."""

    constant: float
    weights: Floats

    def log_odds(self, columns: Columns) -> Floats:
        """The natural logarithm of the odds of an error; shape (examples,)."""
        odds: Floats = self.constant + columns @ self.weights
        return odds


def fit_logistic(columns: Columns, labels: NDArray[np.bool_], ridge: float, enough: float = ENOUGH) -> Logistic:
    """Fit a regression; there must be an example with and one without the label.

    Args:
        columns: Shape (examples, columns), sparse or not.
        labels: Which examples are errors.
        ridge: Above 0, so that there is one best fit.
        enough: By what share of itself a step must make the sum smaller.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - loading it takes half a second; what is fitted needs none
    from scipy.special import expit  # noqa: PLC0415 - as above

    y = labels.astype(np.float64)
    start = np.zeros(columns.shape[1] + 1)
    start[0] = np.log(y.mean() / (1 - y.mean()))

    def loss(w: Floats) -> tuple[float, Floats]:
        odds = w[0] + columns @ w[1:]
        error = expit(odds) - y
        slope = np.concatenate([[error.sum()], columns.T @ error + ridge * w[1:]])
        return float((np.logaddexp(0, odds) - y * odds).sum() + ridge * (w[1:] @ w[1:]) / 2), slope

    fit = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "ftol": enough, "gtol": enough})
    return Logistic(float(fit.x[0]), fit.x[1:])


_PART = 1 << 16  # rows
MOST_BITS, MOST_CLASSES = 22, 127
"""Limits of any table: all rows take memory whatever a file holds, and the kernel counts classes in eight bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights by row and class, as model files hold them.

    Attributes:
        bits: The table has 2^bits rows.
        n_classes: Number of classes.
        rows: Row of each weight, in order.
        classes: Class of each weight.
        values: The weights, rounded to half precision.
        offsets: Where the weights of each row begin; one more at the end.
        wide: The values in single precision, which the kernel reads.

    Raises:
        ValueError: If these are no weights of such a table: the kernel reads where it is told to.
    """

    bits: int
    n_classes: int
    rows: NDArray[np.int32]
    classes: NDArray[np.int8]
    values: NDArray[np.float16]
    offsets: NDArray[np.int32] = field(init=False, repr=False)
    wide: NDArray[np.float32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check what the kernel relies on, and find where each row begins."""
        rows, classes = self.rows, self.classes
        if not (1 <= self.bits <= MOST_BITS and 1 <= self.n_classes <= MOST_CLASSES):
            raise ValueError(f"a table of {self.bits} bits and {self.n_classes} classes")
        if not rows.shape == classes.shape == self.values.shape == (len(rows),):
            raise ValueError("columns of different lengths")
        if len(rows) and not (rows[0] >= 0 and rows[-1] < 1 << self.bits and (rows[1:] >= rows[:-1]).all()):
            raise ValueError("rows out of order")
        if len(rows) and not (classes.min() >= 0 and classes.max() < self.n_classes):
            raise ValueError("a class outside of the set")
        if not np.isfinite(self.values).all():
            raise ValueError("a weight that is no number")
        begins = np.searchsorted(self.rows, np.arange((1 << self.bits) + 1, dtype=np.int32))
        object.__setattr__(self, "offsets", begins.astype(np.int32))
        object.__setattr__(self, "wide", self.values.astype(np.float32))

    @classmethod
    def of_table(cls, part: Callable[[slice], NDArray[Any]], shape: tuple[int, ...]) -> Weights:
        """The weights other than zero in a table of 2^bits rows, read a part at a time: the table is large."""
        parts: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        for first in range(0, shape[0], _PART):
            values = part(slice(first, first + _PART)).astype(np.float16)
            rows, classes = np.nonzero(values)
            parts.append(((rows + first).astype(np.int32), classes.astype(np.int8), values[rows, classes]))
        columns: list[NDArray[Any]] = [np.concatenate(column) for column in zip(*parts, strict=True)]
        return cls(shape[0].bit_length() - 1, shape[1], *columns)

    def scores(self, rows: Rows) -> Floats:
        """Sum the weights of each example's rows, by class; shape (examples, classes)."""
        scores = np.zeros((len(rows), self.n_classes))
        kernel().add_scores(np.ascontiguousarray(rows), self.offsets, self.classes, self.wide, scores)
        return scores

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of a model file."""
        return {"rows": self.rows, "classes": self.classes, "values": self.values}


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
    logs: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs


PERCEPTRON = "perceptron"
PERCEPTRON_EPOCHS = 6


def train_perceptron(
    rows: Rows, right: Classes, n_classes: int, bits: int, *, epochs: int = PERCEPTRON_EPOCHS, seed: int = 0
) -> Weights:
    """Train on examples; the same seed gives the same weights.

    Args:
        rows: The rows of the features of each example; shape (examples, features).
        right: Its class.
        n_classes: Number of classes.
        bits: The table of weights has 2^bits rows.
        epochs: Passes over all examples.
        seed: The seed of the orders.
    """
    table, totals = tables(bits, n_classes)
    chance = stream(seed, PERCEPTRON)
    at = 1
    for _ in range(epochs):
        kernel().learn_perceptron(rows, right, chance.permutation(len(right)), table, totals, at)
        at += len(right)
    return average_weights(table, totals, at)


def tables(bits: int, n_classes: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Weights and their sums over time, all zero."""
    return np.zeros((1 << bits, n_classes), np.int32), np.zeros((1 << bits, n_classes), np.int64)


def average_weights(table: NDArray[np.int32], totals: NDArray[np.int64], at: int) -> Weights:
    """The mean of the weights over the examples before number ``at``; see ``learn_perceptron``."""
    return Weights.of_table(lambda part: table[part] - totals[part] / at, table.shape)


GAP = 3  # the widest window looks at three words to a side
MOST_WORDS = 2_000_000  # a stream of text is forgotten from time to time
NONE = "\0"  # the empty word; no token is a control character alone
PREPOSITIONS = tuple(sorted(FORMS))  # in the order of classes
_NUMBERS = {form: number for number, form in enumerate(PREPOSITIONS)}
SHAPES = ((re.compile(r"[A-Z]+"), "X"), (re.compile(r"[a-z]+"), "x"), (re.compile(r"[0-9]+"), "d"))
Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The places of the words of some sentences."""

    words: NDArray[np.int32]  # word numbers with gaps of 0
    places: Ints  # the place of each token in ``words``
    spans: Ints  # the half-open range of tokens of each sentence; shape (sentences, 2)


class Lexicon:
    """Numbers and codes of words; it grows with what is read.

    Columns of ``codes``: the form in lower case with every digit as 0, its last one, two and three letters, its first
    letter, and its shape (runs of capitals, small letters and digits).
    """

    FORM, END1, END2, END3, START, SHAPE = range(6)

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all words."""
        self.numbers: dict[str, int] = {}
        self.names: list[str] = []
        self._codes = np.zeros((1024, 6), np.uint32)
        self._prepositions = np.zeros(1024, np.int8)
        self._known = 0
        self.numbers[NONE] = 0
        self._fill()

    def __len__(self) -> int:
        """The number of known words, the empty one among them."""
        return len(self.numbers)

    def lay_out(self, sentences: Sentences) -> Layout:
        """Number the words of some sentences."""
        if len(self) > MOST_WORDS:
            self.clear()
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        numbers = self.numbers
        ids = [numbers.setdefault(word, len(numbers)) for sentence in sentences for word in sentence]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        spans = np.stack([ends[:-1], ends[1:]], axis=1)
        gaps = GAP * np.arange(1, len(lengths) + 1)
        places = np.arange(len(ids)) + np.repeat(gaps, lengths)
        words = np.zeros(len(ids) + GAP * (len(lengths) + 1), np.int32)
        words[places] = ids
        self._fill()
        return Layout(words, places, spans)

    def codes(self, column: int) -> Codes:
        """The codes of all words in one column."""
        return self._codes[: self._known, column]

    def prepositions(self) -> NDArray[np.int8]:
        """The preposition that each word is, by its number in ``PREPOSITIONS``; -1: none."""
        return self._prepositions[: self._known]

    def _fill(self) -> None:
        new = islice(self.numbers, self._known, None)
        while len(self) > len(self._codes):
            self._codes = np.concatenate([self._codes, np.zeros_like(self._codes)])
            self._prepositions = np.concatenate([self._prepositions, np.zeros_like(self._prepositions)])
        for at, word in enumerate(new, self._known):
            self.names.append(word)
            self._codes[at] = _codes(word)
            self._prepositions[at] = _NUMBERS.get(word.casefold(), -1)
        self._known = len(self)


def _codes(word: str) -> list[int]:
    form = re.sub(r"[0-9]", "0", word.lower())
    shape = word
    for pattern, mark in SHAPES:
        shape = pattern.sub(mark, shape)
    return [code(part) for part in (form, form[-1:], form[-2:], form[-3:], word[:1], shape[:8])]
