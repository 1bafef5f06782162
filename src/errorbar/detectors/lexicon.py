"""Words of a text as numbers, with the codes of their forms: the features of a word without its neighbors.

A text is laid out as one row of word numbers with ``GAP`` empty words (number 0) before, between and after its
sentences, so that the neighbors of all words are shifts of the row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Ints
from errorbar.detectors.learning import Codes, code
from errorbar.edits.items import PREPOSITIONS as FORMS

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
