"""Classifiers that choose an article, or the form of a word, from native text: what is right is what is written.

Formula
    Probabilities by maximum entropy (``maxent.py``) over the features of ``choice_features.py``. The score of a form
    is the logarithm of the summed probabilities of the tags that it has: of those of its nouns, verbs, and other words
    each, the tags with at least ``LEAST_SHARE`` of its occurrences.
Conventions
    ``EPOCHS`` passes by task. Words are in lower case. A word that the training text does not have has no tag.
Source
    Berger et al. (1996) for maximum entropy; features and classes are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.detectors.choice_features import FEATURES, slot_states
from errorbar.detectors.choices import CLASSES, Slots, Task, find_slots
from errorbar.detectors.features import LEAST, Known, States
from errorbar.detectors.hashing import HASH
from errorbar.detectors.learning import Classes
from errorbar.detectors.lexicon import Sentences
from errorbar.detectors.loading import check_made, check_tagger, fitting, stored_weights
from errorbar.detectors.maxent import log_probabilities, train_maxent
from errorbar.detectors.model_file import Model, fingerprint
from errorbar.detectors.sparse import Floats, Weights
from errorbar.detectors.tagger import Tagger

BITS = 21
EPOCHS: Mapping[Task, int] = {"articles": 4, "forms": 3}
LEAST_SHARE = 0.03
FAMILIES = (range(2), range(2, 8), range(8, 10))  # nouns, verbs and the others among the classes of forms
Masks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class WordTags:
    """Which tags the forms of a text have: bits, by word in lower case, in the order of the classes of ``forms``."""

    bits: Mapping[str, int]

    @classmethod
    def of_counts(cls, counts: Mapping[str, NDArray[np.int64]]) -> WordTags:
        """Of how often each word has each tag."""
        found = {}
        for word in sorted(counts):
            seen = counts[word]
            found[word] = sum(
                1 << tag for family in FAMILIES for tag in family if seen[tag] > LEAST_SHARE * seen[family].sum()
            )
        return cls(found)

    def masks(self, words: Sequence[str]) -> Masks:
        """The tags of some words; shape (words, tags)."""
        found = np.array([self.bits.get(word.lower(), 0) for word in words], np.int64)
        return (found[:, None] >> np.arange(len(CLASSES["forms"])) & 1).astype(np.bool_)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file holds."""
        named = "\n".join(self.bits).encode("utf-8", "surrogatepass")
        return {"words": np.frombuffer(named, np.uint8), "tags": np.array([*self.bits.values()], np.int16)}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> WordTags:
        """Those of a model file; a ``ValueError`` if they do not fit."""
        words = arrays["words"].tobytes().decode("utf-8", "surrogatepass").split("\n")
        return cls(dict(zip(words, arrays["tags"].tolist(), strict=True)) if words != [""] else {})


@dataclass(frozen=True, slots=True, eq=False)
class Chooser:
    """A trained classifier.

    Attributes:
        task: What it chooses.
        known: The features that have weights of their own.
        weights: Of the features.
        words: Of ``forms``, which tags words have.
        tagger: Whose tags and lemmas the features are made of.
        made: How it was trained.
        text: What it was trained on.
    """

    task: Task
    known: Known
    weights: Weights
    words: WordTags
    tagger: Tagger
    made: Mapping[str, Any]
    text: Mapping[str, Any]

    def scores(self, slots: Slots) -> Floats:
        """The natural logarithm of each class's probability in each slot; shape (slots, classes)."""
        rows = self.known.rows(slot_states(self.task, slots, self.tagger.lemmas))
        found = self.weights.scores(rows)
        return log_probabilities(found) if len(found) else found

    def model(self) -> Model:
        """What a model file holds."""
        arrays = self.weights.arrays() | {"known": self.known.marks} | self.words.arrays()
        return Model(self.task, self.made, self.text, arrays)


def train_chooser(
    task: Task,
    sentences: Sentences,
    tagger: Tagger,
    text: Mapping[str, Any],
    *,
    bits: int = BITS,
    least: int = LEAST,
    seed: int = 0,
) -> Chooser:
    """Train on tokenized native sentences; the same seed gives the same classifier.

    Args:
        task: ``articles`` or ``forms``.
        sentences: Native text.
        tagger: What tags them.
        text: What the model says of its text.
        bits: The table of weights has 2^bits rows.
        least: In how many examples a feature must occur to have weights of its own.
        seed: Of the orders of examples.

    Raises:
        UsageError: If there is no noun phrase, or no noun, verb, adjective or adverb, in the text.
    """
    parts: list[tuple[States, Classes]] = []
    counts: dict[str, NDArray[np.int64]] = {}
    for block in tagger.blocks(sentences):
        slots = find_slots(task, block)
        parts.append((slot_states(task, slots, tagger.lemmas), slots.written))
        if task == "forms":
            _count(counts, slots)
    states, right = (np.concatenate(column) for column in zip(*parts, strict=True))
    if not len(right):
        raise UsageError(Problem("text-no-slot", f"there is no place for {task} in the text", fix="give more text"))
    known = Known.of_examples(states, bits, least)
    weights = train_maxent(known.rows(states), right, len(CLASSES[task]), bits, epochs=EPOCHS[task], seed=seed)
    about = {"tagger": fingerprint(tagger.model()), "features": FEATURES, "hash": HASH, "bits": bits, "seed": seed}
    made = about | {"examples": len(right)}
    return Chooser(task, known, weights, WordTags.of_counts(counts), tagger, made, text)


def _count(counts: dict[str, NDArray[np.int64]], slots: Slots) -> None:
    names, n_classes = slots.text.lexicon.names, len(CLASSES["forms"])
    pairs = slots.text.layout.words[slots.places].astype(np.int64) * n_classes + slots.written
    for pair, n in zip(*(column.tolist() for column in np.unique(pairs, return_counts=True)), strict=True):
        counts.setdefault(names[pair // n_classes].lower(), np.zeros(n_classes, np.int64))[pair % n_classes] += n


def load_chooser(model: Model, path: str, tagger: Tagger) -> Chooser:
    """The classifier of a model file; an ``InputError`` if it was made with another tagger, features or hash."""
    check_tagger(model, path, fingerprint(tagger.model()))
    check_made(model, path, {"features": FEATURES, "hash": HASH})
    with fitting(path):
        task: Task = "articles" if model.kind == "articles" else "forms"
        weights = stored_weights(model, len(CLASSES[task]))
        known, words = Known.stored(model.arrays["known"], weights.bits), WordTags.of_arrays(model.arrays)
    return Chooser(task, known, weights, words, tagger, model.made, model.text)
