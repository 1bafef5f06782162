"""Which preposition fits a context: PERC, ME and the most frequent one, trained from native text.

Native text needs no labels: the right preposition is the one written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.detectors.contexts import Contexts, find_prepositions
from errorbar.detectors.features import FEATURES, LEAST, OF_PAPER, PAPERS, Known, States, feature_states
from errorbar.detectors.hashing import HASH
from errorbar.detectors.learning import Classes
from errorbar.detectors.lexicon import PREPOSITIONS, Ints, Sentences
from errorbar.detectors.loading import check_made, check_tagger, fitting, stored_weights
from errorbar.detectors.maxent import log_probabilities, train_maxent
from errorbar.detectors.model_file import TRAIN, Model, fingerprint
from errorbar.detectors.perceptron import train_perceptron
from errorbar.detectors.sparse import Floats, Weights
from errorbar.detectors.tagger import Tagged, Tagger

BITS = 21
Kind = Literal["perc", "me", "me-paper"]
KINDS: tuple[Kind, ...] = ("perc", "me")
"""Those of all features."""
PAPER: Kind = "me-paper"
"""ME of the features of Tetreault and Chodorow alone, and with their rules for extraneous use."""
MAJORITY = "majority"


class Selector(Protocol):
    """What scores all prepositions in contexts."""

    @property
    def tagger(self) -> Tagger:
        """What tags the text."""

    def scores(self, text: Tagged, contexts: Contexts) -> Floats:
        """The score of every preposition in every context; shape (contexts, prepositions)."""


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The prepositions of native text.

    Attributes:
        states: Of each its features; shape (examples, templates).
        right: Which preposition was written.
        sentence: Number of its sentence.
    """

    states: States
    right: Classes
    sentence: Ints

    def part(self, chosen: NDArray[Any]) -> Examples:
        """Some of the examples, by numbers or flags."""
        return Examples(self.states[chosen], self.right[chosen], self.sentence[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """PERC or ME.

    Attributes:
        kind: ``perc``: scores are sums of averaged weights. Others: scores are natural logarithms of probabilities.
        known: The features that have weights of their own.
        weights: Of the features.
        tagger: Whose tags and lemmas the features are made of.
        made: How it was trained.
        text: What it was trained on.
    """

    kind: Kind
    known: Known
    weights: Weights
    tagger: Tagger
    made: Mapping[str, Any]
    text: Mapping[str, Any]

    def scores(self, text: Tagged, contexts: Contexts) -> Floats:
        """See ``Selector``."""
        return self.score_states(feature_states(text, contexts, self.tagger.lemmas))

    def score_states(self, states: States) -> Floats:
        """The same, of features that were found before."""
        found = self.weights.scores(self.known.rows(_templates(self.kind, states)))
        return log_probabilities(found) if self.kind != "perc" and len(found) else found

    def model(self) -> Model:
        """What a model file holds."""
        return Model(self.kind, self.made, self.text, self.weights.arrays() | {"known": self.known.marks})


@dataclass(frozen=True, slots=True, eq=False)
class Majority:
    """The baseline: what a preposition is, without a look at its context.

    Attributes:
        counts: How often each preposition was written.
        tagger: What tells the marks of infinitives from prepositions.
        made: Nothing but which tagger.
        text: What was counted.
    """

    counts: Ints
    tagger: Tagger
    made: Mapping[str, Any]
    text: Mapping[str, Any]

    def scores(self, text: Tagged, contexts: Contexts) -> Floats:
        """The natural logarithm of each preposition's share, half a count added to each; see ``Selector``."""
        shares = (self.counts + 0.5) / (self.counts + 0.5).sum()
        return np.tile(np.log(shares), (len(contexts.places), 1))

    def model(self) -> Model:
        """What a model file holds."""
        return Model(MAJORITY, self.made, self.text, {"counts": self.counts})


def find_examples(sentences: Sentences, tagger: Tagger) -> Examples:
    """The prepositions of tokenized native sentences."""
    parts = [
        (feature_states(found.text, found.contexts, tagger.lemmas), found.contexts.written, found.sentence)
        for found in find_prepositions(tagger, sentences)
    ]
    if not sum(len(part[1]) for part in parts):
        raise UsageError(Problem("text-no-preposition", "there is no preposition in the text", fix="give more text"))
    states, right, sentence = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Examples(states, right, sentence)


def train_classifier(
    kind: Kind,
    examples: Examples,
    tagger: Tagger,
    text: Mapping[str, Any],
    *,
    bits: int = BITS,
    least: int = LEAST,
    seed: int = 0,
) -> Classifier:
    """Train PERC or ME; the same seed gives the same classifier.

    Args:
        kind: ``perc``, ``me`` or ``me-paper``.
        examples: Of native text.
        tagger: What tagged them.
        text: What the model says of its text.
        bits: The table of weights has 2^bits rows.
        least: In how many examples a feature must occur to have weights of its own.
        seed: Of the orders of examples.
    """
    train = train_perceptron if kind == "perc" else train_maxent
    states = _templates(kind, examples.states)
    known = Known.of_examples(states, bits, least)
    weights = train(known.rows(states), examples.right, len(PREPOSITIONS), bits, seed=seed)
    made = _made(tagger) | {
        "features": _features(kind),
        "hash": HASH,
        "bits": bits,
        "examples": len(examples.right),
        "seed": seed,
    }
    return Classifier(kind, known, weights, tagger, made, text)


def train_majority(examples: Examples, tagger: Tagger, text: Mapping[str, Any]) -> Majority:
    """Count prepositions."""
    counts = np.bincount(examples.right, minlength=len(PREPOSITIONS)).astype(np.int64)
    return Majority(counts, tagger, _made(tagger), text)


def load_selector(model: Model, path: str, tagger: Tagger) -> Classifier | Majority:
    """The selector of a model file.

    Raises:
        InputError: If it was made with another tagger, for other prepositions, features or another hash.
    """
    made = _made(tagger)
    check_tagger(model, path, made["tagger"])
    if model.made.get("prepositions") != made["prepositions"]:
        raise InputError(Problem("model-prepositions", "it was made for other prepositions", Place(path), fix=TRAIN))
    if model.kind == MAJORITY:
        with fitting(path):
            counts = model.arrays["counts"].astype(np.int64)
            if counts.shape != (len(PREPOSITIONS),) or counts.min() < 0:
                raise ValueError("not one count for each preposition")
        return Majority(counts, tagger, model.made, model.text)
    kind = cast("Kind", model.kind)
    check_made(model, path, {"features": _features(kind), "hash": HASH})
    with fitting(path):
        if kind not in get_args(Kind):
            raise ValueError("no kind of classifier")
        weights = stored_weights(model, len(PREPOSITIONS))
        known = Known.stored(model.arrays["known"], weights.bits)
    return Classifier(kind, known, weights, tagger, model.made, model.text)


def _features(kind: Kind) -> str:
    return OF_PAPER if kind == PAPER else FEATURES


def _templates(kind: Kind, states: States) -> States:
    """The features that a classifier knows, of all."""
    return states[:, :PAPERS] if kind == PAPER else states


def _made(tagger: Tagger) -> dict[str, Any]:
    return {"tagger": fingerprint(tagger.model()), "prepositions": list(PREPOSITIONS)}


def accuracy(selected: Sequence[int] | NDArray[Any], right: Classes) -> float:
    """The share of prepositions that a selector would have written too."""
    return float(np.mean(np.asarray(selected) == right))
