"""Reference edits and sentences as arrays, for the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.edit import Edit, are_edits
from errorbar.core.errors import InputError, Place, Problem
from errorbar.edits.maxmatch import replacement_tokens

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]
Flags = NDArray[np.uint8]


class Vocabulary(dict[str, int]):
    """Token to number, growing as tokens are looked up; several threads may share one."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def __missing__(self, token: str) -> int:
        with self._lock:  # two threads must not give one number to two tokens
            return self.setdefault(token, len(self))


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token sequences end to end."""

    ids: Ints  # token numbers of all sequences; one unused element at the end, so that it is never empty
    offsets: Offsets  # where each sequence starts, and where the last one ends; shape (sequences + 1,)


@dataclass(frozen=True, slots=True)
class EncodedReferences:
    """A corpus as arrays; ``slot = unit * n_annotators + annotator``."""

    vocabulary: Vocabulary  # shared with the hypotheses
    source: Tokens
    present: Flags  # whether an annotator looked at a unit; shape (units, annotators)
    edit_offsets: Offsets  # edits of each slot; shape (units * annotators + 1,)
    start: Ints
    end: Ints
    alternative_offsets: Offsets  # alternatives of each edit; shape (edits + 1,)
    alternatives: Tokens
    types: Ints  # numbers of ``type_names``
    type_names: tuple[str, ...]


def encode_tokens(sequences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> Tokens:
    """Number the tokens of many sequences."""
    offsets = _offsets(np.fromiter(map(len, sequences), np.int64, len(sequences)))
    ids = np.zeros(int(offsets[-1]) + 1, np.int32)
    ids[:-1] = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(sequences)), np.int32, int(offsets[-1]))
    return Tokens(ids, offsets)


class _Cached(NamedTuple):
    encoded: EncodedReferences
    made_of: object


def encode_references(corpus: Corpus) -> EncodedReferences:
    """Encode a corpus, once; later calls return the same arrays, unless the corpus was edited in between.

    A span outside its sentence is an ``InputError``: the kernel must never look there.
    """
    known = corpus.cache.get("references")
    made_of = (corpus.annotators, [(sentence.text, sentence.annotations.copy()) for sentence in corpus.sentences])
    if isinstance(known, _Cached) and known.made_of == made_of:
        return known.encoded
    annotators = corpus.annotators
    found = [sentence.annotations.get(name) for sentence in corpus.sentences for name in annotators]
    sizes = [len(edits or ()) for edits in found]
    edits: list[Edit] = [edit for one in found if one for edit in one]
    if not are_edits(edits):
        corpus.check()
    alternatives: list[list[str]] = []
    cut: dict[tuple[str, ...], list[list[str]]] = {}  # few replacements are the only ones of their kind
    for edit in edits:
        tokens = cut.get(edit[2])
        if tokens is None:
            tokens = cut[edit[2]] = [replacement_tokens(text) for text in edit[2]]
        alternatives += tokens
    start, end = _never_empty([edit.start for edit in edits]), _never_empty([edit.end for edit in edits])
    _check_spans(corpus, start[:-1], end[:-1], np.repeat(np.arange(len(sizes)), sizes))
    vocabulary, types = Vocabulary(), Vocabulary()
    encoded = EncodedReferences(
        vocabulary,
        encode_tokens([sentence.tokens for sentence in corpus.sentences], vocabulary),
        np.array([edits is not None for edits in found], np.uint8).reshape(len(corpus), len(annotators)),
        _offsets(sizes),
        start,
        end,
        _offsets([len(edit[2]) for edit in edits]),
        encode_tokens(alternatives, vocabulary),
        np.array([types[edit[3]] for edit in edits], np.int32),
        tuple(types),
    )
    corpus.cache["references"] = _Cached(encoded, made_of)
    return encoded


def _check_spans(corpus: Corpus, start: Ints, end: Ints, slots: NDArray[np.int64]) -> None:
    units = slots // max(len(corpus.annotators), 1)
    lengths = np.array([len(sentence.tokens) for sentence in corpus.sentences], np.int64)[units]
    wrong = np.flatnonzero((start < 0) | (end < start) | (end > lengths))
    if wrong.size:
        first = int(wrong[0])
        what = f"the span {start[first]} {end[first]} is outside the sentence of {lengths[first]} tokens"
        place = Place(corpus.name, corpus.sentences[units[first]].line)
        raise InputError(Problem("span-outside", what, place, f"0 <= start <= end <= {lengths[first]}"))


def fold_case(vocabulary: Vocabulary) -> Tokens:
    """The characters of every token in lower case, one by one as in the official scorer: a final sigma is a sigma."""
    folded = ["".join([character.lower() for character in token]) for token in vocabulary]
    offsets = _offsets([len(token) for token in folded])
    return Tokens(_never_empty([ord(character) for token in folded for character in token]), offsets)


def _offsets(lengths: NDArray[np.int64] | list[int]) -> Offsets:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


_LARGEST = int(np.iinfo(np.int32).max)


def _never_empty(numbers: list[int]) -> Ints:
    numbers.append(0)
    try:
        return np.array(numbers, np.int32)
    except OverflowError:  # no sentence is so long: whoever checks spans refuses the largest number, too
        return np.array([max(-1, min(number, _LARGEST)) for number in numbers], np.int32)
