"""Reference edits and sentences prepared for matching: as tuples of tokens for the twin, as arrays for the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Annotation, Corpus
from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, Place, Problem

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]
Flags = NDArray[np.uint8]


class ReferenceEdit(NamedTuple):
    """A reference edit with its replacements cut into tokens.

    Attributes:
        start: First token of the span.
        end: One past the last token.
        replacements: Each alternative as a tuple of tokens; ``()`` deletes the span. Where there is other white space
            than one space between tokens, one of them is no token of any text: corrections are compared as written.
    """

    start: int
    end: int
    replacements: tuple[tuple[str, ...], ...]


def reference_edits(edits: Sequence[Edit]) -> list[ReferenceEdit]:
    """Prepare an annotator's edits, keeping their order."""
    return [
        ReferenceEdit(edit.start, edit.end, tuple(tuple(replacement_tokens(text)) for text in edit.replacements))
        for edit in edits
    ]


def replacement_tokens(text: str) -> list[str]:
    """The tokens of a correction as written: only a single space is between two."""
    return text.split(" ") if text else []


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
    """Token sequences end to end.

    Attributes:
        ids: Token numbers of all sequences; one unused element at the end, so that it is never empty.
        offsets: Where each sequence starts, and where the last one ends; shape (sequences + 1,).
    """

    ids: Ints
    offsets: Offsets


@dataclass(frozen=True, slots=True)
class EncodedReferences:
    """A corpus as arrays; ``slot = unit * n_annotators + annotator``.

    Attributes:
        vocabulary: Numbers of every token seen, shared with the hypotheses.
        source: Source tokens.
        present: Whether an annotator looked at a unit; shape (units, annotators).
        edit_offsets: Edits of each slot; shape (units * annotators + 1,).
        start: First token of each edit's span.
        end: One past its last token.
        alternative_offsets: Alternatives of each edit; shape (edits + 1,).
        alternatives: Tokens of each alternative.
        types: Type number of each edit.
        type_names: Name of each type number.
    """

    vocabulary: Vocabulary
    source: Tokens
    present: Flags
    edit_offsets: Offsets
    start: Ints
    end: Ints
    alternative_offsets: Offsets
    alternatives: Tokens
    types: Ints
    type_names: tuple[str, ...]


def encode_tokens(sequences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> Tokens:
    """Number the tokens of many sequences."""
    lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
    offsets = _offsets(lengths)
    ids = np.zeros(int(offsets[-1]) + 1, np.int32)
    ids[:-1] = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(sequences)), np.int32, int(offsets[-1]))
    return Tokens(ids, offsets)


def encode_references(corpus: Corpus) -> EncodedReferences:
    """Encode a corpus, once; later calls return the same arrays, unless the corpus was edited in between."""
    known = corpus.cache.get("references")
    if isinstance(known, _Cached) and known.still(corpus):
        return known.encoded
    vocabulary, types = Vocabulary(), Vocabulary()
    annotators = corpus.annotators
    present = np.zeros((len(corpus), len(annotators)), np.uint8)
    sizes: list[int] = []
    edits: list[Edit] = []
    for unit, sentence in enumerate(corpus.sentences):
        for column, annotator in enumerate(annotators):
            found = sentence.annotations.get(annotator)
            if found is None:
                sizes.append(0)
            else:
                present[unit, column] = 1
                sizes.append(len(found))
                edits += found
    alternatives: list[list[str]] = []
    cut: dict[tuple[str, ...], list[list[str]]] = {}  # few replacements are the only ones of their kind
    for edit in edits:
        replacements = edit[2]
        tokens = cut.get(replacements)
        if tokens is None:
            tokens = cut[replacements] = [replacement_tokens(text) for text in replacements]
        alternatives += tokens
    start = _never_empty([edit[0] for edit in edits])
    end = _never_empty([edit[1] for edit in edits])
    _check_spans(corpus, start[:-1], end[:-1], np.repeat(np.arange(len(sizes)), sizes))
    encoded = EncodedReferences(
        vocabulary,
        encode_tokens([sentence.tokens for sentence in corpus.sentences], vocabulary),
        present,
        _offsets(sizes),
        start,
        end,
        _offsets([len(edit[2]) for edit in edits]),
        encode_tokens(alternatives, vocabulary),
        np.array([types[edit[3]] for edit in edits], np.int32),
        tuple(types),
    )
    sentences = [(sentence.text, sentence.annotations.copy()) for sentence in corpus.sentences]
    corpus.cache["references"] = _Cached(encoded, corpus.annotators, sentences)
    return encoded


@dataclass(frozen=True, slots=True)
class _Cached:
    """An encoding and what it was made of: sentences can be edited, and their annotations replaced."""

    encoded: EncodedReferences
    annotators: tuple[str, ...]
    sentences: list[tuple[str, dict[str, Annotation]]]

    def still(self, corpus: Corpus) -> bool:
        """Whether nothing was edited; quick, because what is the same object is not looked into."""
        now = [(sentence.text, sentence.annotations) for sentence in corpus.sentences]
        return self.annotators == corpus.annotators and self.sentences == now


def _check_spans(corpus: Corpus, start: Ints, end: Ints, slots: NDArray[np.int64]) -> None:
    """Readers see to this; a corpus built by hand might not, and the kernel must never look outside a sentence."""
    if not start.size:
        return
    units = slots // len(corpus.annotators)
    lengths = np.array([len(sentence.tokens) for sentence in corpus.sentences])[units]
    wrong = np.flatnonzero((start < 0) | (end < start) | (end > lengths))
    if wrong.size:
        first = int(wrong[0])
        what = f"the span {start[first]} {end[first]} is outside the sentence of {lengths[first]} tokens"
        place = Place(corpus.name, corpus.sentences[units[first]].line)
        raise InputError(Problem("span-outside", what, place, f"0 <= start <= end <= {lengths[first]}"))


def fold_case(vocabulary: Vocabulary) -> Tokens:
    """The characters of every token in lower case, by token number.

    Characters are folded one by one, as the official scorer does: a final sigma is a sigma.
    """
    folded = ["".join([character.lower() for character in token]) for token in vocabulary]
    offsets = _offsets([len(token) for token in folded])
    return Tokens(_never_empty([ord(character) for token in folded for character in token]), offsets)


def _offsets(lengths: NDArray[np.int64] | list[int]) -> Offsets:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _never_empty(numbers: list[int]) -> Ints:
    numbers.append(0)
    return np.array(numbers, np.int32)
