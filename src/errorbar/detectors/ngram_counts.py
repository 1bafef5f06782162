"""N-grams of a text, counted: for each order a table in which every n-gram knows the one that it extends.

Conventions
    A sentence is ``<s> w1 ... wk </s>``: n-grams reach over one ``<s>`` and one ``</s>`` and into no other sentence. A
    sentence without a token is ``<s> </s>``.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Problem, wrong_type

UNK, BOS, EOS = range(3)  # numbers of the words that every vocabulary begins with
SPECIAL = ("<unk>", "<s>", "</s>")
MOST_NODES = (1 << 31) - 1  # n-grams of all orders, and tokens: they are numbered in 32 bits

Integers = NDArray[np.int32]


class _Vocabulary(dict[str, int]):
    """Words to numbers: a new word gets the next one."""

    def __init__(self) -> None:
        super().__init__(zip(SPECIAL, count()))

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Text:
    """A text in numbers.

    Attributes:
        ids: The number of every word, sentence after sentence, each with ``<s>`` before and ``</s>`` after it.
        words: The words by number, in the order of their first occurrence after ``<unk> <s> </s>``.
    """

    ids: Integers
    words: tuple[str, ...]


def number_words(sentences: Iterable[Sequence[str]]) -> Text:
    """Number the words of tokenized sentences.

    Raises:
        UsageError: If a sentence is a text.
        InputError: If a token is ``<s>``, ``</s>`` or ``<unk>``, is empty or has white space in it: no ARPA file could
            hold it; or if there are more than 2,147,483,647 tokens.
    """
    vocabulary = _Vocabulary()
    number = vocabulary.__getitem__
    ids = array("i")
    for at, sentence in enumerate(sentences, 1):
        if isinstance(sentence, str):  # its letters would be the tokens
            raise wrong_type(f"sentence {at}", "a list of tokens", sentence)
        ids.append(BOS)
        start = len(ids)
        ids.extend(map(number, sentence))
        if min(ids[start:], default=len(SPECIAL)) < len(SPECIAL):
            word = next(word for word in sentence if word in SPECIAL)
            what = f"sentence {at} has the token '{word}', which stands for something else in n-gram models"
            raise InputError(Problem("ngrams-word", what, fix="leave it out of the text"))
        ids.append(EOS)
    if len(ids) > MOST_NODES:
        raise InputError(Problem("ngrams-large", f"{len(ids):,} tokens", expected=f"at most {MOST_NODES:,}"))
    bad = next((word for word in vocabulary if word.split() != [word]), None)
    if bad is not None:
        what = f"the token {bad!r} is empty or has white space in it"
        raise InputError(Problem("ngrams-word", what, expected="tokens without white space", fix="tokenize the text"))
    return Text(np.array(ids, np.int32), tuple(vocabulary))


@dataclass(frozen=True, slots=True)
class Level:
    """The different n-grams of one order, sorted by the n-gram that they extend, then by their last word.

    Attributes:
        word: Number of the last word of each.
        prefix: Number, one order below, of all but the last word.
        suffix: Number, one order below, of all but the first word.
        count: How often each occurs.
    """

    word: Integers
    prefix: Integers
    suffix: Integers
    count: Integers


def count_ngrams(text: Text, order: int) -> Iterator[Level]:
    """Count the n-grams of every order from 1 on; unigrams are all words, also ``<unk>``, which does not occur."""
    ids, n_words = text.ids, len(text.words)
    every = np.arange(n_words, dtype=np.int32)
    none = np.zeros(n_words, np.int32)
    yield Level(every, none, none, np.bincount(ids, minlength=n_words).astype(np.int32))
    gram = ids  # number of the n-gram that ends at each token, -1 where a sentence is too short before it
    for _ in range(1, order):
        ends = np.flatnonzero((gram[:-1] >= 0) & (ids[1:] != BOS)) + 1
        keys = gram[ends - 1].astype(np.int64) * n_words + ids[ends]
        by_key = np.argsort(keys)
        keys, ends = keys[by_key], ends[by_key]
        new = np.ones(len(keys), np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=new[1:])
        first = np.flatnonzero(new)
        prefix, word = np.divmod(keys[first], n_words)
        counts = np.diff(first, append=len(keys))
        suffix = gram[ends[first]]
        yield Level(word.astype(np.int32), prefix.astype(np.int32), suffix, counts.astype(np.int32))
        gram = np.full(len(ids), -1, np.int32)
        gram[ends] = np.cumsum(new, dtype=np.int32) - 1
