"""N-grams that outputs share with references and sources, for all sentences of a corpus at once.

A gram of an output is known by the number of the gram without its last token, and that token; one of one token by its
sentence. So sentences share no numbers, and a gram of another text has one only where all of it stands in the output:
the others are dropped order by order, and no n-gram is ever built.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorbar.edits.encode import Vocabulary, encode_tokens

Ints = NDArray[np.int64]


class _Texts:
    """Places of many texts at which a gram may begin."""

    def __init__(self, texts: Sequence[str], units: Ints, vocabulary: Vocabulary) -> None:
        tokens = encode_tokens([text.split() for text in texts], vocabulary)
        self.ids = tokens.ids.astype(np.int64)
        self.lengths = np.diff(tokens.offsets)
        self.at = np.arange(tokens.offsets[-1])
        self.text = np.repeat(np.arange(len(texts)), self.lengths)  # the text that each place is in
        self._ends = tokens.offsets[1:]
        self._prefix = np.asarray(units, np.int64)[self.text]  # number of the gram so far, at first of the sentence

    def keys(self, order: int, width: int) -> Ints:
        """Prefix and last token of each gram of an order, as one number."""
        if order > 1:
            self._keep(self.at + order <= self._ends[self.text])
        keys: Ints = self._prefix * width + self.ids[self.at + order - 1]
        return keys

    def number(self, grams: Ints) -> None:
        """Say which gram stands at each place, -1 for none of those that matter."""
        self._prefix = grams
        self._keep(grams >= 0)

    def counts(self, n_grams: int, texts: NDArray[np.bool_] | None = None) -> Ints:
        """How often each gram occurs, in some of the texts."""
        counted = self._prefix if texts is None else self._prefix[texts[self.text]]
        return np.bincount(counted, minlength=n_grams)

    def _keep(self, where: NDArray[np.bool_]) -> None:
        self.at, self.text, self._prefix = self.at[where], self.text[where], self._prefix[where]


def shared_grams(
    sources: Sequence[str], outputs: Sequence[str], references: Sequence[str], units: Ints, order: int
) -> tuple[Ints, Ints, Ints]:
    """Lengths of outputs and of references, and N_1.. (``errorbar.metrics.gleu``) of each reference.

    Args:
        sources: Of each sentence.
        outputs: Of each sentence.
        references: Texts of sentences, in the order of sentences.
        units: Number of the sentence of each reference; shape (references,).
        order: Tokens of the longest grams.

    Returns:
        Tokens of outputs; shape (sentences,). Tokens of references; shape (references,). Grams; shape
        (references, order).
    """
    vocabulary, every = Vocabulary(), np.arange(len(sources))
    ours, before, theirs = (
        _Texts(texts, of, vocabulary) for texts, of in ((outputs, every), (sources, every), (references, units))
    )
    rank = np.arange(len(units)) - np.searchsorted(units, units)  # of each reference among those of its sentence
    width = len(vocabulary)
    shared = np.zeros((len(units), order), np.int64)
    unit_of = every
    for n in range(1, order + 1):
        grams, numbers = np.unique(ours.keys(n, width), return_inverse=True)
        ours.number(numbers)
        for other in (before, theirs):
            other.number(_found(grams, other.keys(n, width)))
        unit_of = unit_of[grams // max(1, width)]
        said, kept = ours.counts(len(grams)), before.counts(len(grams))
        for k in range(int(rank.max(initial=-1)) + 1):
            rows = rank == k
            wanted = theirs.counts(len(grams), rows)
            net = np.where(wanted > 0, np.minimum(said, wanted), -np.minimum(said, kept))
            sums = np.bincount(unit_of, net, minlength=len(every))
            shared[rows, n - 1] = np.maximum(0, sums[units[rows]])
    return ours.lengths, theirs.lengths, shared


def _found(known: Ints, keys: Ints) -> Ints:
    """Where each key stands among sorted ones, -1 for nowhere."""
    at = np.searchsorted(known, keys)
    return np.where(np.append(known, -1)[at] == keys, at, -1)
