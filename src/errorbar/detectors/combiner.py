"""Several detectors and a few learner labels: one score for every preposition of learners' text.

Formula
    The log odds of an error are a logistic regression (``logistic.py``) on columns. Of each detector: the margin, the
    margin where it is above 0, and the score of what is written. Indicators: the preposition written, the
    first detector's suggestion, and whether the token is tagged as the mark of an infinitive.
Conventions
    An indicator needs ``LEAST`` examples. The ridge, of 1, 3, 10 and 30, had the least log loss when whole prompts
    were left out in turn, not essays or sentences: essays to one prompt use the same words with the same prepositions,
    and what is learned from one of them looks better on another than it is.
Source
    Tetreault and Chodorow (2008, The ups and downs) filter by rules here; learning from a few labels what to trust is
    the way of Rozovskaya et al. (2014).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.detectors.contexts import Found, find_prepositions, is_tagged_infinitive
from errorbar.detectors.detection import Detected, item_names, margins
from errorbar.detectors.learning import Classes
from errorbar.detectors.lexicon import PREPOSITIONS, Ints, Sentences
from errorbar.detectors.loading import fitting
from errorbar.detectors.logistic import Floats, Logistic, fit_logistic
from errorbar.detectors.model_file import Model
from errorbar.detectors.selectors import Selector

KIND = "combiner"
LEAST = 4  # examples that an indicator must have
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What is known of each preposition of a text, in order.

    Attributes:
        sentence: Number of its sentence.
        token: Number of its token.
        scores: Columns of numbers by name.
        marks: Of each preposition, the names of the indicators that hold.
        suggested: By the first selector, an index into ``PREPOSITIONS``.
        written: What stands there.
    """

    sentence: Ints
    token: Ints
    scores: Mapping[str, Floats]
    marks: Sequence[Sequence[str]]
    suggested: Classes
    written: Classes

    def items(self) -> list[str]:
        """Names of the prepositions, as ``Detected`` has them."""
        return item_names(self.sentence, self.token)


def find_evidence(selectors: Mapping[str, Selector], sentences: Sentences) -> Evidence:
    """What selectors of one tagger say of every preposition of tokenized sentences."""
    tagger = next(iter(selectors.values())).tagger
    parts = []
    marks: list[list[str]] = []
    for found in find_prepositions(tagger, sentences, every=True):
        written = found.contexts.written
        columns, suggested = [], []
        for selector in selectors.values():
            scores = selector.scores(found.text, found.contexts)
            best, margin = margins(scores, written)
            columns += [margin, np.maximum(margin, 0), scores[np.arange(len(scores)), written]]
            suggested.append(best)
        marks += _marks(found, suggested[0])
        parts.append((found.sentence, found.token, np.stack(columns, axis=1), suggested[0], written))
    s, t, table, best, written = (np.concatenate(column) for column in zip(*parts, strict=True))
    names = [f"{name} {what}" for name in selectors for what in ("margin", "excess", "written")]
    return Evidence(s, t, dict(zip(names, table.T, strict=True)), marks, best, written)


def _marks(found: Found, suggested: Classes) -> list[list[str]]:
    pairs = zip(found.contexts.written.tolist(), suggested.tolist(), strict=True)
    marks = [[f"written {PREPOSITIONS[one]}", f"suggested {PREPOSITIONS[other]}"] for one, other in pairs]
    for at in np.flatnonzero(is_tagged_infinitive(found)).tolist():
        marks[at].append("infinitive")
    return marks


@dataclass(frozen=True, slots=True, eq=False)
class Combiner:
    """A fitted combination.

    Attributes:
        names: Of the scores, then of the indicators, in the order of columns.
        n_scores: How many scores.
        center, scale: Of the scores.
        fitted: The regression.
        made: How it was made.
        text: What it was made of.
    """

    names: tuple[str, ...]
    n_scores: int
    center: Floats
    scale: Floats
    fitted: Logistic
    made: Mapping[str, Any]
    text: Mapping[str, Any]

    def model(self) -> Model:
        """What a model file holds."""
        made = dict(self.made) | {"scores": self.n_scores, "constant": self.fitted.constant}
        arrays = {
            "center": self.center,
            "scale": self.scale,
            "weights": self.fitted.weights,
            "names": np.array(self.names),
        }
        return Model(KIND, made, self.text, arrays)

    def log_odds(self, evidence: Evidence) -> Floats:
        """The log odds that each preposition is an error."""
        return self.fitted.log_odds(_columns(evidence, self.names, self.n_scores, self.center, self.scale))

    def detect(self, evidence: Evidence) -> Detected:
        """Judge every preposition: its margin is the log odds of an error, the suggestion the first selector's."""
        e = evidence
        return Detected(e.sentence, e.token, e.written, e.suggested, self.log_odds(e))


def _columns(evidence: Evidence, names: Sequence[str], n_scores: int, center: Floats, scale: Floats) -> Floats:
    table = np.zeros((len(evidence.token), len(names)))
    table[:, :n_scores] = (np.stack([evidence.scores[name] for name in names[:n_scores]], axis=1) - center) / scale
    places = {name: at for at, name in enumerate(names) if at >= n_scores}
    for row, marks in zip(table, evidence.marks, strict=True):
        row[[places[mark] for mark in marks if mark in places]] = 1
    return table


def fit_combiner(evidence: Evidence, errors: Flags, ridge: float, text: Mapping[str, Any]) -> Combiner:
    """Fit a combination to labels.

    Args:
        evidence: What is known of each preposition.
        errors: Which ones are errors; there must be one that is and one that is not.
        ridge: Of the regression.
        text: What the model says of its text.
    """
    if errors.all() or not errors.any():
        what = f"{int(errors.sum())} of {len(errors)} prepositions are errors"
        raise UsageError(Problem("labels-one", what, expected="both errors and correct ones", fix="give more labels"))
    counts = Counter(mark for marks in evidence.marks for mark in marks)
    scores = tuple(evidence.scores)
    names = (*scores, *sorted(mark for mark, count in counts.items() if count >= LEAST))
    table = np.stack([evidence.scores[name] for name in scores], axis=1)
    center, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale == 0] = 1
    columns = _columns(evidence, names, len(scores), center, scale)
    made = {"ridge": ridge, "examples": len(errors), "errors": int(errors.sum())}
    return Combiner(names, len(scores), center, scale, fit_logistic(columns, errors, ridge), made, text)


def load_combiner(model: Model, path: str) -> Combiner:
    """The combiner of a model file; one whose columns do not fit is refused."""
    with fitting(path):
        arrays, n = model.arrays, int(model.made["scores"])
        if not len(arrays["names"]) == len(arrays["weights"]) >= n == len(arrays["center"]) == len(arrays["scale"]):
            raise ValueError("columns of different lengths")
        names, fitted = tuple(arrays["names"].tolist()), Logistic(float(model.made["constant"]), arrays["weights"])
    return Combiner(names, n, arrays["center"], arrays["scale"], fitted, model.made, model.text)
