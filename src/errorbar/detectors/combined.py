"""ME, PERC and a language model as one detector, which learners' text with labels has taught what to trust.

Conventions
    The language model gives two kinds of scores: of every preposition in the place
    of the one written, and of leaving it out. A preposition is an error if an edit of type ``Prep``, or of one of
    ERRANT's types of prepositions, touches it, whoever made the edit. The ridge is fixed: it was the best of four on
    the labels of CoNLL-2013.

Several detectors and a few learner labels: one score for every preposition of learners' text.

Formula
    The log odds of an error are a logistic regression (``learning.py``) on columns. Of each detector: the margin, the
    margin where it is above 0, and the score of what is written. Indicators: the preposition written, the first
    detector's suggestion, and whether the token is tagged as the mark of an infinitive.
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
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Flags, Floats, Ints
from errorbar.core.corpus import Corpus
from errorbar.core.problems import InputError, Place, Problem, UsageError
from errorbar.detectors.detection import LmChoice, PrepositionMargins, deletion_scores, find_margins, item_names
from errorbar.detectors.learning import PREPOSITIONS, Classes, Logistic, Sentences, fit_logistic
from errorbar.detectors.model_file import Model, fingerprint, fitting
from errorbar.detectors.ngrams import NgramModel
from errorbar.detectors.prepositions import PrepositionBlock, find_prepositions, is_tagged_infinitive
from errorbar.detectors.selectors import Classifier, Selector
from errorbar.detectors.text import LearnerText, sentence_codes, stored_codes
from errorbar.edits.items import ERROR, edit_items

KIND = "combiner"
LEAST = 4  # examples that an indicator must have


@dataclass(frozen=True, slots=True, eq=False)
class PrepositionEvidence:
    """The evidence on each preposition of a text, in order."""

    sentence: Ints  # number of its sentence
    token: Ints  # number of its token
    scores: Mapping[str, Floats]  # columns of numbers by name
    marks: Sequence[Sequence[str]]  # the names of the indicators that hold for each preposition
    suggested: Classes  # by the first selector, an index into ``PREPOSITIONS``
    written: Classes  # the preposition of the text

    def items(self) -> list[str]:
        """Names of the prepositions, as ``PrepositionMargins`` has them."""
        return item_names(self.sentence, self.token)


def find_evidence(selectors: Mapping[str, Selector], sentences: Sentences) -> PrepositionEvidence:
    """Score every preposition of tokenized sentences by selectors of one tagger."""
    tagger = next(iter(selectors.values())).tagger
    parts = []
    marks: list[list[str]] = []
    for block in find_prepositions(tagger, sentences, every=True):
        written = block.contexts.written
        columns, suggested = [], []
        for selector in selectors.values():
            scores = selector.scores(block.text, block.contexts)
            best, margin = find_margins(scores, written)
            columns += [margin, np.maximum(margin, 0), scores[np.arange(len(scores)), written]]
            suggested.append(best)
        marks += _marks(block, suggested[0])
        parts.append((block.sentence, block.token, np.stack(columns, axis=1), suggested[0], written))
    s, t, table, best, written = (np.concatenate(column) for column in zip(*parts, strict=True))
    names = [f"{name} {column}" for name in selectors for column in ("margin", "excess", "written")]
    return PrepositionEvidence(s, t, dict(zip(names, table.T, strict=True)), marks, best, written)


def _marks(block: PrepositionBlock, suggested: Classes) -> list[list[str]]:
    pairs = zip(block.contexts.written.tolist(), suggested.tolist(), strict=True)
    marks = [[f"written {PREPOSITIONS[written]}", f"suggested {PREPOSITIONS[best]}"] for written, best in pairs]
    for at in np.flatnonzero(is_tagged_infinitive(block)).tolist():
        marks[at].append("infinitive")
    return marks


@dataclass(frozen=True, slots=True, eq=False)
class Combiner:
    """A fitted combination.

    Attributes:
        names: The names of the scores, then of the indicators, in the order of columns.
        n_scores: How many scores.
        center, scale: The means and deviations of the scores.
        fitted: The regression.
        made: How it was made.
        text: The text it was made of.
        learned: Codes of the sentences of that text.
    """

    names: tuple[str, ...]
    n_scores: int
    center: Floats
    scale: Floats
    fitted: Logistic
    made: Mapping[str, Any]
    text: Mapping[str, Any]
    learned: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))

    @property
    def error_share(self) -> float:
        """The share of errors among the labels, from which a prior moves the log odds."""
        return float(self.made["errors"] / self.made["examples"])

    def model(self) -> Model:
        """The combination as a model file."""
        header = dict(self.made) | {"scores": self.n_scores, "constant": self.fitted.constant}
        arrays = {
            "center": self.center,
            "scale": self.scale,
            "weights": self.fitted.weights,
            "names": np.array(self.names),
            "learned": self.learned,
        }
        return Model(KIND, header, self.text, arrays)

    def log_odds(self, evidence: PrepositionEvidence) -> Floats:
        """The log odds that each preposition is an error."""
        return self.fitted.log_odds(_columns(evidence, self.names, self.n_scores, self.center, self.scale))

    def detect(self, evidence: PrepositionEvidence) -> PrepositionMargins:
        """Judge every preposition: its margin is the log odds of an error, the suggestion the first selector's."""
        e = evidence
        return PrepositionMargins(e.sentence, e.token, e.written, e.suggested, self.log_odds(e))


def _columns(
    evidence: PrepositionEvidence, names: Sequence[str], n_scores: int, center: Floats, scale: Floats
) -> Floats:
    table = np.zeros((len(evidence.token), len(names)))
    table[:, :n_scores] = (np.stack([evidence.scores[name] for name in names[:n_scores]], axis=1) - center) / scale
    places = {name: at for at, name in enumerate(names) if at >= n_scores}
    for row, marks in zip(table, evidence.marks, strict=True):
        row[[places[mark] for mark in marks if mark in places]] = 1
    return table


def fit_combiner(evidence: PrepositionEvidence, errors: Flags, ridge: float, text: Mapping[str, Any]) -> Combiner:
    """Fit a combination to labels.

    Args:
        evidence: The scores and indicators of each preposition.
        errors: Which ones are errors; there must be one that is and one that is not.
        ridge: The ridge of the regression.
        text: The model's description of its text.
    """
    if errors.all() or not errors.any():
        message = f"{int(errors.sum())} of {len(errors)} prepositions are errors"
        fix = f"give more labels; errors are words in edits of the types {', '.join(OF_PREPOSITIONS)}"
        raise UsageError(Problem("labels-one", message, expected="both errors and correct ones", fix=fix))
    counts = Counter(mark for marks in evidence.marks for mark in marks)
    scores = tuple(evidence.scores)
    names = (*scores, *sorted(mark for mark, count in counts.items() if count >= LEAST))
    table = np.stack([evidence.scores[name] for name in scores], axis=1)
    center, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale == 0] = 1
    columns = _columns(evidence, names, len(scores), center, scale)
    header = {"ridge": ridge, "examples": len(errors), "errors": int(errors.sum())}
    return Combiner(names, len(scores), center, scale, fit_logistic(columns, errors, ridge), header, text)


def load_combiner(model: Model, path: str) -> Combiner:
    """The combiner of a model file; one whose columns do not fit is refused."""
    with fitting(path):
        arrays, n = model.arrays, int(model.made["scores"])
        if not len(arrays["names"]) == len(arrays["weights"]) >= n == len(arrays["center"]) == len(arrays["scale"]):
            raise ValueError("columns of different lengths")
        if not 0 < model.made["errors"] < model.made["examples"]:
            raise ValueError("no share of errors")
        names, fitted = tuple(arrays["names"].tolist()), Logistic(float(model.made["constant"]), arrays["weights"])
        learned = stored_codes(arrays)
    return Combiner(names, n, arrays["center"], arrays["scale"], fitted, model.made, model.text, learned)


RIDGE = 3.0
DELETION = "lm deletion"
OF_PREPOSITIONS = ("Prep", "R:PREP", "M:PREP", "U:PREP")
"""Types of edits, of NUCLE and of ERRANT."""


@dataclass(frozen=True, slots=True, eq=False)
class CombinedDetectors:
    """Detectors side by side."""

    me: Classifier  # maximum entropy
    perc: Classifier  # the perceptron, of the same tagger
    ngrams: NgramModel  # a language model

    def evidence(self, sentences: Sentences) -> PrepositionEvidence:
        """The scores of the detectors for every preposition of tokenized sentences."""
        choice = LmChoice(self.ngrams, self.me.tagger)
        evidence = find_evidence({"me": self.me, "perc": self.perc, "lm": choice}, sentences)
        items = [*zip(evidence.sentence.tolist(), evidence.token.tolist(), strict=True)]
        return replace(evidence, scores={**evidence.scores, DELETION: deletion_scores(self.ngrams, sentences, items)})

    def hashes(self) -> dict[str, str]:
        """A hash of each model; that of a classifier is also one of its tagger."""
        return {model.kind: fingerprint(model) for model in (self.me.model(), self.perc.model(), self.ngrams.model())}

    def fit(self, text: LearnerText) -> Combiner:
        """Learn from labels what to trust; a ``UsageError`` if there is no error among them, or nothing else."""
        evidence = self.evidence(text.tokens)
        fitted = fit_combiner(evidence, errors_of(text, evidence), RIDGE, text.described)
        made = {**fitted.made, "models": self.hashes()}
        return replace(fitted, made=made, learned=sentence_codes(text.tokens))

    def load(self, model: Model, path: str) -> Combiner:
        """The combiner of a model file; one that was fitted to other models is refused."""
        refuse_other_models(model, path, self.hashes())
        return load_combiner(model, path)

    def detect(self, combiner: Combiner, sentences: Sentences) -> PrepositionMargins:
        """Judge every preposition; marks of infinitives too, which annotators call wrong prepositions now and then."""
        return combiner.detect(self.evidence(sentences))


def errors_of(text: LearnerText, evidence: PrepositionEvidence) -> Flags:
    """Flag the prepositions of a text that an annotator changed."""
    sentences = [
        replace(
            sentence,
            annotations={
                name: tuple(edit for edit in edits if edit.type in OF_PREPOSITIONS)
                for name, edits in sentence.annotations.items()
            },
        )
        for sentence in text.corpus.sentences
    ]
    judgments = edit_items(Corpus(sentences, text.corpus.annotators), "words").judgments
    wrong = {judgments.items[at] for at in judgments.item[judgments.label == judgments.labels.index(ERROR)].tolist()}
    return np.array([item in wrong for item in evidence.items()], np.bool_)


def refuse_other_models(model: Model, path: str, hashes: Mapping[str, str]) -> None:
    """Refuse a model that was fitted to the scores of other models than these."""
    known = model.made.get("models")
    wrong = [kind for kind in hashes if not isinstance(known, dict) or known.get(kind) != hashes[kind]]
    if wrong:
        message = f"it was fitted to another model of kind {', '.join(wrong)}"
        fix = "fit it again: errorbar train --labels=FILE.m2 --part=" + model.kind
        raise InputError(Problem("model-parts", message, Place(path), fix=fix))
