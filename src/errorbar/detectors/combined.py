"""ME, PERC and a language model as one detector, which learners' text with labels has taught what to trust.

Conventions
    ``combiner.py`` has the regression. The language model gives two kinds of scores: of every preposition in the place
    of the one written, and of leaving it out. A preposition is an error if an edit of type ``Prep``, or of one of
    ERRANT's types of prepositions, touches it, whoever made the edit. The ridge is fixed: it was the best of four on
    the labels of CoNLL-2013.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from errorbar.core.corpus import Corpus
from errorbar.core.errors import InputError, Place, Problem
from errorbar.detectors.combiner import Combiner, Evidence, Flags, find_evidence, fit_combiner, load_combiner
from errorbar.detectors.detection import Detected
from errorbar.detectors.learner_text import LearnerText
from errorbar.detectors.lexicon import Sentences
from errorbar.detectors.lm import deletion_scores
from errorbar.detectors.lm_choice import LmChoice
from errorbar.detectors.model_file import Model, fingerprint
from errorbar.detectors.ngram_model import NgramModel
from errorbar.detectors.selectors import Classifier
from errorbar.edits.items import ERROR, edit_items

RIDGE = 3.0
DELETION = "lm deletion"
OF_PREPOSITIONS = ("Prep", "R:PREP", "M:PREP", "U:PREP")
"""Types of edits, of NUCLE and of ERRANT."""


@dataclass(frozen=True, slots=True, eq=False)
class Combined:
    """Detectors side by side.

    Attributes:
        me: Maximum entropy.
        perc: The perceptron, of the same tagger.
        ngrams: A language model.
    """

    me: Classifier
    perc: Classifier
    ngrams: NgramModel

    def evidence(self, sentences: Sentences) -> Evidence:
        """What they say of every preposition of tokenized sentences."""
        choice = LmChoice(self.ngrams, self.me.tagger)
        found = find_evidence({"me": self.me, "perc": self.perc, "lm": choice}, sentences)
        items = [*zip(found.sentence.tolist(), found.token.tolist(), strict=True)]
        return replace(found, scores={**found.scores, DELETION: deletion_scores(self.ngrams, sentences, items)})

    def hashes(self) -> dict[str, str]:
        """A hash of each model; that of a classifier is also one of its tagger."""
        return {each.kind: fingerprint(each) for each in (self.me.model(), self.perc.model(), self.ngrams.model())}

    def fit(self, text: LearnerText) -> Combiner:
        """Learn from labels what to trust; a ``UsageError`` if there is no error among them, or nothing else."""
        found = self.evidence(text.tokens)
        fitted = fit_combiner(found, errors_of(text, found), RIDGE, text.described)
        return replace(fitted, made={**fitted.made, "models": self.hashes()})

    def load(self, model: Model, path: str) -> Combiner:
        """The combiner of a model file; one that was fitted to other models is refused."""
        refuse_other_models(model, path, self.hashes())
        return load_combiner(model, path)

    def detect(self, combiner: Combiner, sentences: Sentences) -> Detected:
        """Judge every preposition; marks of infinitives too, which annotators call wrong prepositions now and then."""
        return combiner.detect(self.evidence(sentences))


def errors_of(text: LearnerText, found: Evidence) -> Flags:
    """Which of the prepositions found in a text an annotator changed."""
    sentences = [
        replace(
            each,
            annotations={
                name: tuple(edit for edit in edits if edit.type in OF_PREPOSITIONS)
                for name, edits in each.annotations.items()
            },
        )
        for each in text.corpus.sentences
    ]
    judgments = edit_items(Corpus(sentences, text.corpus.annotators), "words").judgments
    wrong = {judgments.items[at] for at in judgments.item[judgments.label == judgments.labels.index(ERROR)].tolist()}
    return np.array([item in wrong for item in found.items()], np.bool_)


def refuse_other_models(model: Model, path: str, hashes: Mapping[str, str]) -> None:
    """Refuse a model that was fitted to the scores of other models than these."""
    known = model.made.get("models")
    wrong = [kind for kind in hashes if not isinstance(known, dict) or known.get(kind) != hashes[kind]]
    if wrong:
        what = f"it was fitted to another model of kind {', '.join(wrong)}"
        fix = "fit it again: errorbar train --labels=FILE.m2 --part=" + model.kind
        raise InputError(Problem("model-parts", what, Place(path), fix=fix))
