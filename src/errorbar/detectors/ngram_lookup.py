"""Looking up n-grams: a tree of all orders in four arrays, and the probability of every token of some text in it.

Formula
    log p(w | c) is kept for n-grams c w that the model has. For others it is log b(c) + log p(w | c'), where c' is c
    without its first word, and b(c) is 1 where the model does not have c.
Conventions
    Nodes are numbered order by order; the unigrams have the numbers of their words. The children of a node, its
    extensions by one word, stand together and are sorted by that word. Sums are taken in 64 bits, from the n-gram found
    on to its longer contexts: the compiled twin adds in the same order.
Source
    Backoff as in Katz 1987 and in ARPA files.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from os import environ

import numpy as np
from numpy.typing import NDArray

from errorbar.edits.matching import SWITCH

COMPILED = find_spec("errorbar.detectors._ngrams") is not None
KERNEL = COMPILED and environ.get(SWITCH, "").lower() != "off"
LEAST_LOG = -999.0  # of a probability or a weight; SRILM writes -99 for none
Integers = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """N-grams of the orders 1 to N as nodes of a tree.

    Attributes:
        word: The last word of each node.
        log10_prob: log10 of the probability of that word after the others.
        first: The first child of each node of the orders 1 to N - 1, and a last entry: the children of ``k`` are
            ``first[k]`` to ``first[k + 1] - 1``.
        log10_backoff: log10 of the weight of each node of the orders 1 to N - 1 as a context.
        order: N.
    """

    word: Integers
    log10_prob: NDArray[np.float32]
    first: Integers
    log10_backoff: NDArray[np.float32]
    order: int

    def __post_init__(self) -> None:
        """Refuse by a ValueError what is no tree: the kernel reads where it is told to."""
        types = (np.int32, np.float32, np.int32, np.float32)
        arrays = (self.word, self.log10_prob, self.first, self.log10_backoff)
        fits = all(each.ndim == 1 and each.dtype == type_ for each, type_ in zip(arrays, types, strict=True))
        sizes = len(self.word) == len(self.log10_prob) and len(self.first) == len(self.log10_backoff) + 1
        if not (fits and sizes and self.first[0] > 0 and np.all(np.diff(self.first) >= 0)):
            raise ValueError("the arrays of n-grams do not fit together")
        ends = self.level_ends()
        if len(ends) != self.order or ends[-1] != len(self.word) or [0, *ends][-2] != len(self.log10_backoff):
            raise ValueError(f"the arrays hold no n-grams of {self.order} orders")
        if not all(np.all(np.abs(logs) <= -LEAST_LOG) for logs in (self.log10_prob, self.log10_backoff)):  # nor NaN
            raise ValueError(f"a logarithm that is not {LEAST_LOG:g} to {-LEAST_LOG:g}")

    def level_ends(self) -> list[int]:
        """Where the nodes of each order end."""
        ends = [int(self.first[0])]
        while len(ends) < self.order and ends[-1] < len(self.first):
            ends.append(int(self.first[ends[-1]]))
        return ends


def score_tokens(tree: Tree, ids: Integers, starts: NDArray[np.bool_], kernel: bool = KERNEL) -> Floats:
    """log10 of the probability of each token after those before it in its run, as far as the model looks back.

    Args:
        tree: The model.
        ids: Numbers of words, run after run.
        starts: Whether a run begins at a token: nothing is known of what stands before it.
        kernel: Whether the compiled twin serves.
    """
    ids, starts = np.ascontiguousarray(ids, np.int32), np.ascontiguousarray(starts, np.bool_)
    n_words = int(tree.first[0])  # the first child of the first unigram comes after the last unigram
    if len(ids) != len(starts) or (len(ids) and not 0 <= ids.min() <= ids.max() < n_words):
        raise ValueError(f"ids must be numbers from 0 to {n_words - 1}, with as many starts")
    if kernel:
        from errorbar.detectors._ngrams import score_runs  # noqa: PLC0415 - absent without a compiler

        out = np.empty(len(ids))
        arrays = (tree.word, tree.log10_prob, tree.first, tree.log10_backoff)
        score_runs(*arrays, tree.order, ids, starts.view(np.uint8), out)
        return out
    # Order by order, all tokens at once: the node of the n-gram that ends at each, -1 where the model has none.
    node = ids.astype(np.int64)
    total = tree.log10_prob[node].astype(np.float64)
    for _ in range(1, tree.order):
        context = np.concatenate([[-1], node[:-1]])[: len(ids)]
        context[starts] = -1
        node = children(tree, context, ids)
        backed = (node < 0) & (context >= 0)
        total[backed] += tree.log10_backoff[context[backed]]
        total[node >= 0] = tree.log10_prob[node[node >= 0]]
    return total


def children(tree: Tree, parents: NDArray[np.int64], words: Integers) -> NDArray[np.int64]:
    """The child of each parent by each word: a binary search in every list of children, one step of all at a time."""
    found = np.full(len(words), -1, np.int64)
    asked = np.flatnonzero(parents >= 0)
    low, end = tree.first[parents[asked]].astype(np.int64), tree.first[parents[asked] + 1].astype(np.int64)
    high = end.copy()
    while np.any(open_ := low < high):
        middle = (low + high) // 2
        less = np.zeros(len(asked), np.bool_)
        less[open_] = tree.word[middle[open_]] < words[asked[open_]]
        low = np.where(less, middle + 1, low)
        high = np.where(open_ & ~less, middle, high)
    there = low < end
    there[there] = tree.word[low[there]] == words[asked[there]]
    found[asked[there]] = low[there]
    return found
