"""Small models: light weights are left out and numbers are rounded, so that files pack well.

Formula
    Classifiers. Features in fewer than ``LEAST_EXAMPLES`` examples share rows. Of a row the median of the classes'
    weights is taken from each where scores become probabilities, which do not change by that; then a weight below
    ``LIGHT`` (absolute) is left out, the others become multiples of ``STEP``. N-gram models. N-grams rarer than
    ``LEAST`` are pruned (``ngrams.py``); logarithms become multiples of ``LOG_STEP``, so that probabilities are off
    by 7.5 % at most.
Conventions
    The numbers were chosen by what a model of 70 % of the textbooks says of the rest of them and of UD-EWT, and by the
    labels of CoNLL-2013: docs/detectors.md has them, and what is lost.
Source
    Absolute thresholds as in Seymore and Rosenfeld (1996), who call it a cutoff for n-grams.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.linear import Weights
from errorbar.detectors.model_file import Model, stored_weights
from errorbar.detectors.ngrams import NgramModel, Tree

SMALL = "small-1"
"""The name that models made with these numbers carry."""
LEAST = (1, 2, 2)
LOG_STEP = 1 / 16
LEAST_EXAMPLES = 4
LIGHT: Mapping[str, float] = {"me": 0.15, "me-paper": 0.15, "perc": 1.0, "articles": 0.15, "forms": 0.2}
STEP: Mapping[str, float] = {"me": 0.1, "me-paper": 0.1, "perc": 0.5, "articles": 0.1, "forms": 0.1}
"""Values of each kind of classifier, in the unit of its scores."""


def small_ngrams(model: NgramModel) -> NgramModel:
    """An n-gram model with rounded logarithms."""
    tree = model.tree
    rounded = Tree(tree.word, _rounded(tree.log10_prob), tree.first, _rounded(tree.log10_backoff), tree.order)
    return NgramModel(rounded, model.words, model.made, model.text)


def _rounded(logs: NDArray[np.float32]) -> NDArray[np.float32]:
    return (np.round(logs / LOG_STEP) * LOG_STEP).astype(np.float32)


def small_classifier(model: Model, n_classes: int) -> Model:
    """The model of a classifier with few weights."""
    kind = model.kind
    weights = small_weights(stored_weights(model, n_classes), LIGHT[kind], STEP[kind], centered=kind != "perc")
    return replace(model, arrays={**model.arrays, **weights.arrays()})


def small_weights(weights: Weights, light: float, step: float, *, centered: bool) -> Weights:
    """Weights without the light ones, rounded.

    Args:
        weights: The weights of a classifier.
        light: Below it, absolute, a weight is left out.
        step: The others become multiples of it.
        centered: Take each row's median from its weights first: for scores of which only differences count.
    """

    def part(rows: slice) -> NDArray[np.float32]:
        end = min(rows.stop, 1 << weights.bits)
        first, last = weights.offsets[rows.start], weights.offsets[end]
        table = np.zeros((end - rows.start, weights.n_classes), np.float32)
        table[weights.rows[first:last] - rows.start, weights.classes[first:last]] = weights.wide[first:last]
        if centered:
            table -= np.median(table, axis=1, keepdims=True)
        table[np.abs(table) < light] = 0
        return (np.round(table / step) * step).astype(np.float32)

    return Weights.of_table(part, (1 << weights.bits, weights.n_classes))
