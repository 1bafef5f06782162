"""Penn tags by an averaged perceptron over hashed features, decoded from left to right without a beam.

Formula
    Of a token's classes the one whose weights over the token's features sum to most. The features are the words
    and parts of words of two tokens to each side, and the last two tags given (``STATIC``, ``HISTORY``).
Conventions
    Words count in lower case with every digit as 0. Beyond a sentence's ends are empty words and no tags. Training
    guesses the history as decoding does.
Source
    Collins (2002) for the averaged perceptron and its features, Ratnaparkhi (1996) for parts of words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.hashing import HASH, Codes, Rows, code, rows_of, state, states
from errorbar.detectors.kernels import kernel
from errorbar.detectors.learning import Classes
from errorbar.detectors.lemmas import Lemmas, learn_lemmas
from errorbar.detectors.lexicon import Layout, Lexicon, Sentences
from errorbar.detectors.loading import check_made, fitting, stored_weights
from errorbar.detectors.model_file import Model
from errorbar.detectors.perceptron import averaged, tables
from errorbar.detectors.sparse import MOST_CLASSES, Weights
from errorbar.detectors.treebank import Treebank
from errorbar.stats.resampling import stream

KIND, FEATURES = "tagger", "tagger-1"
BITS, EPOCHS = 19, 8
BLOCK = 4_000  # sentences at a time, which bounds memory

_FORM, _END1, _END2, _END3 = Lexicon.FORM, Lexicon.END1, Lexicon.END2, Lexicon.END3
_START, _SHAPE = Lexicon.START, Lexicon.SHAPE
# Of each feature known beforehand: (column of the lexicon, how far to the right); several make one combination.
STATIC: tuple[tuple[tuple[int, int], ...], ...] = (
    ((_FORM, 0),),
    ((_END1, 0),),
    ((_END2, 0),),
    ((_END3, 0),),
    ((_START, 0),),
    ((_SHAPE, 0),),
    ((_SHAPE, 0), (_SHAPE, -1)),
    ((_SHAPE, 0), (_SHAPE, 1)),
    ((_FORM, -1),),
    ((_FORM, -2),),
    ((_FORM, 1),),
    ((_FORM, 2),),
    ((_END3, -1),),
    ((_END3, 1),),
    ((_FORM, -1), (_FORM, 0)),
    ((_FORM, 0), (_FORM, 1)),
)
# Of each feature of the history: how many of the last tags, and what stands with them.
HISTORY: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = (
    (1, ()),
    (2, ()),
    (1, ((_FORM, 0),)),
    (1, ((_FORM, 1),)),
    (2, ((_END2, 0),)),
)
DEPTHS = np.array([depth for depth, _ in HISTORY], np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class Tagged:
    """Tagged sentences.

    Attributes:
        lexicon: What the words are.
        layout: Where they are.
        tags: The tag set.
        classes: The tag of each place by its number; in the gaps the number after the last.
    """

    lexicon: Lexicon
    layout: Layout
    tags: tuple[str, ...]
    classes: Classes

    def number(self, tag: str) -> int:
        """The number of a tag; -1 if the tag set lacks it."""
        return self.tags.index(tag) if tag in self.tags else -1

    def flags(self, tags: Iterable[str]) -> NDArray[np.bool_]:
        """Which places have one of some tags."""
        wanted = np.zeros(len(self.tags) + 1, np.bool_)
        wanted[[self.number(tag) for tag in tags if tag in self.tags]] = True
        found: NDArray[np.bool_] = wanted[self.classes]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Tagger:
    """A trained tagger.

    Attributes:
        tags: The tag set, in the order of classes.
        weights: Of its features.
        lemmas: Of the words it tags; learned from the same treebank.
        made: How it was trained.
        text: What it was trained on.
    """

    tags: tuple[str, ...]
    weights: Weights
    lemmas: Lemmas
    made: dict[str, Any]
    text: dict[str, Any]
    lexicon: Lexicon = field(default_factory=Lexicon, repr=False)

    def blocks(self, sentences: Sentences) -> Iterator[Tagged]:
        """Tag sentences a block at a time; of no sentence, one empty block. Use each before asking for the next."""
        for first in range(0, max(len(sentences), 1), BLOCK):
            layout = self.lexicon.lay_out(sentences[first : first + BLOCK])
            yield self.tagged(layout)

    def tagged(self, layout: Layout) -> Tagged:
        """Tag the words of a layout."""
        rows, h = _features(self.lexicon, layout, self.weights.bits)
        w, found = self.weights, np.zeros(len(rows), np.int8)
        kernel().tag_tokens(
            rows, h, DEPTHS, _codes(self.tags), layout.spans, w.offsets, w.classes, w.wide, found, w.bits
        )
        return Tagged(self.lexicon, layout, self.tags, padded(layout, found, len(self.tags)))

    def tag(self, sentences: Sentences) -> list[list[str]]:
        """Tag tokenized sentences."""
        found: list[list[str]] = []
        for text in self.blocks(sentences):
            named = [self.tags[each] for each in text.classes[text.layout.places].tolist()]
            found += [named[start:end] for start, end in text.layout.spans.tolist()]
        return found

    def model(self) -> Model:
        """What a model file holds."""
        return Model(KIND, self.made, self.text, self.weights.arrays() | self.lemmas.arrays())


def load_tagger(model: Model, path: str) -> Tagger:
    """The tagger of a model file; one that was made for other features is refused."""
    check_made(model, path, {"features": FEATURES, "hash": HASH})
    with fitting(path):
        tags = stored_tags(model)
        weights, lemmas = stored_weights(model, len(tags)), Lemmas.of_arrays(model.arrays)
    return Tagger(tags, weights, lemmas, dict(model.made), dict(model.text))


def stored_tags(model: Model) -> tuple[str, ...]:
    """The tag set of a model file; a ``ValueError`` if it is none."""
    tags = model.made["tags"]
    if not (isinstance(tags, list) and all(isinstance(tag, str) for tag in tags) and len({*tags}) == len(tags)):
        raise ValueError("no tag set")
    if not 1 <= len(tags) <= MOST_CLASSES:
        raise ValueError(f"{len(tags)} tags")
    return tuple(tags)


def train_tagger(
    bank: Treebank, about: Mapping[str, str] | None = None, *, epochs: int = EPOCHS, bits: int = BITS, seed: int = 0
) -> Tagger:
    """Train on a treebank; the same seed gives the same tagger.

    Args:
        bank: Sentences with their tags.
        about: What the model says of them besides their hash and number: ``license``, ``provenance``.
        epochs: Passes over all sentences, each in an order of its own.
        bits: The table of weights has 2^bits rows.
        seed: Of the orders.
    """
    tags = tuple(sorted({tag for sentence in bank.tags for tag in sentence}))
    numbers = {tag: number for number, tag in enumerate(tags)}
    right = np.array([numbers[tag] for sentence in bank.tags for tag in sentence], np.int8)
    lexicon = Lexicon()
    layout = lexicon.lay_out(bank.forms)
    rows, h = _features(lexicon, layout, bits)
    table, totals = tables(bits, len(tags))
    chance = stream(seed, KIND)
    at = 1
    for _ in range(epochs):
        spans = layout.spans[chance.permutation(len(layout.spans))]
        kernel().learn_tags(rows, h, DEPTHS, _codes(tags), right, spans, table, totals, at, bits)
        at += len(right)
    made = {"features": FEATURES, "hash": HASH, "bits": bits, "tags": list(tags), "epochs": epochs, "seed": seed}
    text = {"sha256": bank.sha256, "tokens": bank.n_tokens, **(about or {})}
    return Tagger(tags, averaged(table, totals, at), learn_lemmas(bank), made, text)


def padded(layout: Layout, classes: Classes, none: int) -> Classes:
    """The tag of each place, of the tags of tokens: ``none`` in the gaps."""
    found = np.full(len(layout.words), none, np.int8)
    found[layout.places] = classes
    return found


def _codes(tags: tuple[str, ...]) -> Codes:
    return np.array([*map(code, tags), 0], np.uint32)


def _features(lexicon: Lexicon, layout: Layout, bits: int) -> tuple[Rows, Codes]:
    """Rows of what is known beforehand, shape (tokens, ``STATIC``), and states of the history's features."""
    near = {
        part: lexicon.codes(part[0])[layout.words[layout.places + part[1]]]
        for part in {part for parts in (*STATIC, *(parts for _, parts in HISTORY)) for part in parts}
    }
    n = len(layout.places)
    rows, h = np.empty((n, len(STATIC)), np.int32), np.empty((n, len(HISTORY)), np.uint32)
    for number, parts in enumerate(STATIC):
        rows[:, number] = rows_of(states(number, *(near[part] for part in parts)), bits)
    for number, (_, parts) in enumerate(HISTORY):
        template = len(STATIC) + number
        h[:, number] = states(template, *(near[part] for part in parts)) if parts else state(template)
    return rows, h
