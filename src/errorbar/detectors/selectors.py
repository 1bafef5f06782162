"""Selectors of the preposition that fits a context: PERC, ME and the most frequent one, trained from native text.

Native text needs no labels: the right preposition is the one written.

Several selectors make one: a weighted sum of their scores, fitted to native text that none was trained on.

Formula
    p(c | x) = exp(sum over j of w_j s_j(c, x)) / sum over k of exp(sum over j of w_j s_j(k, x)), s_j(c, x) the score
    of preposition c by selector j: a log-linear combination. The weights make the mean of -ln p(written | x) small.
Conventions
    By L-BFGS from weights that give every selector's scores a standard deviation of 1; no ridge: there are three
    weights and thousands of examples. A selector whose scores are the same for all prepositions gets no weight.
Source
    Och and Ney (2002) for log-linear combinations of models.

On held-out text the chosen prepositions are compared with the written ones.

Formula
    Accuracy = right choices / all. Of preposition c, with n_c contexts where it was written, m_c where it was chosen
    and h_c where both: F = 2 h_c / (n_c + m_c), from P = h_c / m_c and R = h_c / n_c.
Conventions
    Intervals resample blocks of 100 consecutive sentences (``text.BLOCK``): neighbors repeat each other's
    words.
Source
    van Rijsbergen (1979) for F.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from errorbar.core.arrays import Floats, Ints
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.problems import InputError, Place, Problem, UsageError
from errorbar.detectors.learning import (
    HASH,
    PREPOSITIONS,
    Classes,
    Sentences,
    Weights,
    log_probabilities,
    train_maxent,
    train_perceptron,
)
from errorbar.detectors.model_file import TRAIN, Model, check_made, check_tagger, fingerprint, fitting, stored_weights
from errorbar.detectors.prepositions import (
    FEATURES,
    LEAST,
    OF_PAPER,
    PAPERS,
    Contexts,
    Known,
    States,
    feature_states,
    find_prepositions,
)
from errorbar.detectors.tagger import TaggedText, Tagger
from errorbar.detectors.text import BLOCK
from errorbar.metrics.intervals import fold_unit_resamples, make_estimates
from errorbar.stats.resampling import Resampling, Units

BITS = 21
Kind = Literal["perc", "me", "me-paper"]
KINDS: tuple[Kind, ...] = ("perc", "me")
"""The kinds that use all features."""
PAPER: Kind = "me-paper"
"""ME of the features of Tetreault and Chodorow alone, and with their rules for extraneous use."""
MAJORITY = "majority"


class Selector(Protocol):
    """A model that scores all prepositions in contexts."""

    @property
    def tagger(self) -> Tagger:
        """The tagger of the text."""

    def scores(self, text: TaggedText, contexts: Contexts) -> Floats:
        """The score of every preposition in every context; shape (contexts, prepositions)."""


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The prepositions of native text."""

    states: States  # the features of each; shape (examples, templates)
    right: Classes  # which preposition was written
    sentence: Ints  # number of its sentence

    def part(self, chosen: NDArray[Any]) -> Examples:
        """Some of the examples, by numbers or flags."""
        return Examples(self.states[chosen], self.right[chosen], self.sentence[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """PERC or ME."""

    kind: Kind  # ``perc``: scores are sums of averaged weights. Others: scores are natural logarithms of probabilities
    known: Known  # the features that have weights of their own
    weights: Weights  # the weights of the features
    tagger: Tagger  # whose tags and lemmas the features are made of
    made: Mapping[str, Any]  # how it was trained
    text: Mapping[str, Any]  # the text it was trained on

    def scores(self, text: TaggedText, contexts: Contexts) -> Floats:
        """See ``Selector``."""
        return self.score_states(feature_states(text, contexts, self.tagger.lemmas))

    def score_states(self, states: States) -> Floats:
        """The scores of contexts whose features are known."""
        scores = self.weights.scores(self.known.rows(_templates(self.kind, states)))
        return log_probabilities(scores) if self.kind != "perc" and len(scores) else scores

    def model(self) -> Model:
        """The classifier as a model file."""
        return Model(self.kind, self.made, self.text, self.weights.arrays() | {"known": self.known.marks})


@dataclass(frozen=True, slots=True, eq=False)
class Majority:
    """The baseline: what a preposition is, without a look at its context."""

    counts: Ints  # how often each preposition was written
    tagger: Tagger  # tells the marks of infinitives from prepositions
    made: Mapping[str, Any]  # nothing but which tagger
    text: Mapping[str, Any]  # the text that was counted

    def scores(self, text: TaggedText, contexts: Contexts) -> Floats:
        """The natural logarithm of each preposition's share, half a count added to each; see ``Selector``."""
        shares = (self.counts + 0.5) / (self.counts + 0.5).sum()
        return np.tile(np.log(shares), (len(contexts.places), 1))

    def model(self) -> Model:
        """The counts as a model file."""
        return Model(MAJORITY, self.made, self.text, {"counts": self.counts})


def find_examples(sentences: Sentences, tagger: Tagger) -> Examples:
    """The prepositions of tokenized native sentences."""
    parts = [
        (feature_states(block.text, block.contexts, tagger.lemmas), block.contexts.written, block.sentence)
        for block in find_prepositions(tagger, sentences)
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
        examples: The prepositions of native text.
        tagger: The tagger of the text.
        text: The model's description of its text.
        bits: The table of weights has 2^bits rows.
        least: In how many examples a feature must occur to have weights of its own.
        seed: The seed of the orders of examples.
    """
    train = train_perceptron if kind == "perc" else train_maxent
    states = _templates(kind, examples.states)
    known = Known.of_examples(states, bits, least)
    weights = train(known.rows(states), examples.right, len(PREPOSITIONS), bits, seed=seed)
    header = _header(tagger) | {
        "features": _features(kind),
        "hash": HASH,
        "bits": bits,
        "examples": len(examples.right),
        "seed": seed,
    }
    return Classifier(kind, known, weights, tagger, header, text)


def train_majority(examples: Examples, tagger: Tagger, text: Mapping[str, Any]) -> Majority:
    """Count prepositions."""
    counts = np.bincount(examples.right, minlength=len(PREPOSITIONS)).astype(np.int64)
    return Majority(counts, tagger, _header(tagger), text)


def load_selector(model: Model, path: str, tagger: Tagger) -> Classifier | Majority:
    """The selector of a model file.

    Raises:
        InputError: If it was made with another tagger, for other prepositions, features or another hash.
    """
    own = _header(tagger)
    check_tagger(model, path, own["tagger"])
    if model.made.get("prepositions") != own["prepositions"]:
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


def _header(tagger: Tagger) -> dict[str, Any]:
    return {"tagger": fingerprint(tagger.model()), "prepositions": list(PREPOSITIONS)}


def accuracy(selected: Sequence[int] | NDArray[Any], right: Classes) -> float:
    """The share of prepositions that a selector would have written too."""
    return float(np.mean(np.asarray(selected) == right))


def fit_log_linear(scores: Sequence[Floats], right: Classes) -> Floats:
    """The weights of selectors.

    Args:
        scores: The scores of each selector, by context and preposition; shape (contexts, prepositions).
        right: The preposition that was written in each context.

    Returns:
        A weight for each selector.
    """
    spreads = [float(by_context.std(axis=1).mean()) for by_context in scores]
    used = [j for j, spread in enumerate(spreads) if spread > 0]
    table = np.stack([scores[j] / spreads[j] for j in used]) if used else np.zeros((0, *scores[0].shape))
    every = np.arange(len(right))
    written = table[:, every, right]

    def loss(weights: Floats) -> tuple[float, Floats]:
        log_p = log_probabilities(np.tensordot(weights, table, 1))
        expected = np.einsum("ec,jec->j", np.exp(log_p), table)
        return -float(log_p[every, right].mean()), (expected - written.sum(axis=1)) / len(right)

    weights = np.zeros(len(scores))
    if used:
        fit = minimize(loss, np.ones(len(used)), jac=True, method="L-BFGS-B")
        weights[used] = fit.x / np.array(spreads)[used]
    return weights


def log_linear(scores: Sequence[Floats], weights: Floats) -> Floats:
    """The weighted sum of selectors' scores; shape as of one of them."""
    combined: Floats = np.tensordot(weights, np.stack(scores), 1)
    return combined


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Prepositions that selectors are asked for."""

    right: Classes  # the written prepositions, by number in ``PREPOSITIONS``; shape (contexts,)
    block: Ints  # number of each context's block, from 0 without a gap

    @classmethod
    def of(cls, right: Classes, sentence: Ints) -> HeldOut:
        """Contexts by the numbers of their sentences."""
        return cls(right, np.unique(sentence // BLOCK, return_inverse=True)[1])

    def part(self, classes: Ints) -> HeldOut:
        """The contexts of some prepositions."""
        chosen = np.isin(self.right, classes)
        return HeldOut(self.right[chosen], np.unique(self.block[chosen], return_inverse=True)[1])

    @property
    def totals(self) -> Floats:
        """Contexts of each block."""
        return np.bincount(self.block).astype(np.float64)

    def right_by_block(self, chosen: Classes) -> Floats:
        """The number of right choices in each block; shape (blocks,)."""
        return np.bincount(self.block[chosen == self.right], minlength=len(self.totals)).astype(np.float64)

    def accuracy(self, chosen: Classes, resampling: Resampling, *, less: Classes | None = None) -> Estimate:
        """The share of right choices; with ``less`` by how much it is larger than that of other choices."""
        right = self.right_by_block(chosen) - (0 if less is None else self.right_by_block(less))
        return self._shares(right[:, None], self.totals[:, None], resampling)[0]

    def f_scores(self, chosen: Classes, resampling: Resampling) -> dict[str, Estimate]:
        """F of every preposition."""
        shape = len(self.totals), len(PREPOSITIONS)
        hits, sums = np.zeros(shape), np.zeros(shape)
        np.add.at(hits, (self.block, self.right), chosen == self.right)
        for classes in (self.right, chosen):
            np.add.at(sums, (self.block, classes), 1)
        return dict(zip(PREPOSITIONS, self._shares(2 * hits, sums, resampling), strict=True))

    def _shares(self, parts: Floats, wholes: Floats, resampling: Resampling) -> list[Estimate]:
        """Sums of parts over sums of wholes, with intervals; shape of both (blocks, shares)."""

        def fold(weights: Floats) -> Floats:
            with np.errstate(invalid="ignore"):
                shares: Floats = (weights @ parts) / (weights @ wholes)
            return shares

        n_blocks = len(self.totals)
        values = fold(np.ones((1, n_blocks)))[0]
        drawn = fold_unit_resamples(Units(np.ones(n_blocks)), fold, resampling, "held out") if n_blocks > 1 else None
        reasons = [Undefined.NO_UNITS if np.isnan(value) else None for value in values]
        return make_estimates(values.tolist(), reasons, (len(self.right), n_blocks), resampling, drawn)
