"""What may be changed in some sentences, with what a language model and classifiers say of each change.

Formula
    Of a candidate the language model says ln p(the sentence with it) - ln p(the sentence), in nats. A classifier says
    ln p(what stands there then) - ln p(what stands there now): of articles at the places of noun phrases, of
    prepositions in the place of others (ME), of numbers of nouns, forms of verbs and words of one stem.
Conventions
    NaN: no classifier speaks of it. Candidates are in the order of the text.
Source
    Bryant and Briscoe (2018) for the language model; Rozovskaya et al. (2014) for classifiers beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.candidates import GROUPS, Candidate, Proposer
from errorbar.detectors.choices import ARTICLES, find_slots
from errorbar.detectors.chooser import FAMILIES, Chooser
from errorbar.detectors.contexts import find_contexts
from errorbar.detectors.lexicon import PREPOSITIONS, Ints
from errorbar.detectors.lm import change_scores
from errorbar.detectors.ngram_model import NgramModel
from errorbar.detectors.selectors import Classifier
from errorbar.detectors.sparse import Floats
from errorbar.detectors.tagger import Tagged, Tagger

AT_ONCE = 256  # sentences: small blocks are slow to tag, large ones hold many candidates
_GROUP = {name: number for number, name in enumerate(GROUPS)}
_PREPOSITION = {word: number for number, word in enumerate(PREPOSITIONS)}
_VERBS = np.isin(np.arange(sum(map(len, FAMILIES))), FAMILIES[1])
_FORMS = ("R:Nn", "R:Vform", "R:Wform")


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """Candidates of some sentences; columns are parallel.

    Attributes:
        sentences: Their tokens.
        tags: Their tags.
        sentence: Number of each candidate's sentence.
        candidates: What may be changed.
        groups: An index into ``GROUPS``.
        model: What the language model says, in nats.
        classifiers: What the classifiers say, in nats, or NaN.
    """

    sentences: Sequence[Sequence[str]]
    tags: Sequence[Sequence[str]]
    sentence: Ints
    candidates: Sequence[Candidate]
    groups: Ints
    model: Floats
    classifiers: Floats

    def part(self, chosen: NDArray[np.bool_]) -> Proposals:
        """Some of the candidates."""
        at = np.flatnonzero(chosen)
        return Proposals(
            self.sentences,
            self.tags,
            self.sentence[at],
            [self.candidates[each] for each in at.tolist()],
            self.groups[at],
            self.model[at],
            self.classifiers[at],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Classifiers:
    """The classifiers of a corrector, of one tagger."""

    articles: Chooser
    forms: Chooser
    prepositions: Classifier


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """What finds candidates and what is said of them.

    Attributes:
        model: Of n-grams.
        tagger: Whose tags say what a word can be.
        proposer: What may be changed.
        classifiers: None: only the language model speaks.
        hashes: Of each model of these, by kind: what is learned from its scores is good for no other.
    """

    model: NgramModel
    tagger: Tagger
    proposer: Proposer
    classifiers: Classifiers | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)

    def read(self, sentences: Sequence[Sequence[str]]) -> Proposals:
        """The candidates of some sentences: few enough to be held at once."""
        text = next(iter(self.tagger.blocks(sentences)))
        named = [text.tags[each] for each in text.classes[text.layout.places].tolist()]
        tags = [named[start:end] for start, end in text.layout.spans.tolist()]
        found = [self.proposer.candidates(*each) for each in zip(sentences, tags, strict=True)]
        numbers = np.repeat(np.arange(len(sentences)), [len(each) for each in found])
        candidates = [one for each in found for one in each]
        groups = np.array([_GROUP[one.group] for one in candidates], np.int64)
        asked = [
            (number, one.start, one.end, one.replacement)
            for number, one in zip(numbers.tolist(), candidates, strict=True)
        ]
        said = change_scores(self.model, sentences, asked)
        margins = np.full(len(candidates), np.nan)
        if self.classifiers is not None and candidates:
            starts = text.layout.spans[numbers, 0] + np.array([one.start for one in candidates])
            _Margins(self.classifiers, text, candidates, groups, starts).find(margins)
        return Proposals(sentences, tags, numbers, candidates, groups, said, margins)


def read_all(reader: Reader, sentences: Sequence[Sequence[str]]) -> Proposals:
    """The candidates of a whole text."""
    parts = [reader.read(sentences[first : first + AT_ONCE]) for first in range(0, len(sentences), AT_ONCE)]
    return Proposals(
        sentences,
        [tags for part in parts for tags in part.tags],
        np.concatenate([part.sentence + number * AT_ONCE for number, part in enumerate(parts)]),
        [one for part in parts for one in part.candidates],
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("groups", "model", "classifiers")),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Margins:
    """What classifiers say of the candidates of a block; ``starts``: each one's first token in the block."""

    classifiers: Classifiers
    text: Tagged
    candidates: Sequence[Candidate]
    groups: Ints
    starts: Ints

    def find(self, margins: Floats) -> None:
        """Fill in the margins of those of which a classifier speaks."""
        self._articles(margins)
        self._prepositions(margins)
        self._forms(margins)

    def _of(self, *groups: str) -> tuple[Ints, list[Candidate]]:
        at = np.flatnonzero(np.isin(self.groups, [_GROUP[each] for each in groups]))
        return at, [self.candidates[each] for each in at.tolist()]

    def _rows(self, tokens: Ints) -> Ints:
        """Of each token of the block its row among some tokens, or -1."""
        rows = np.full(len(self.text.layout.places) + 1, -1)
        rows[tokens] = np.arange(len(tokens))
        return rows

    def _articles(self, margins: Floats) -> None:
        slots = find_slots("articles", self.text)
        scores = self.classifiers.articles.scores(slots)
        at, asked = self._of("M:ArtOrDet", "R:ArtOrDet", "U:ArtOrDet")
        missing = self.groups[at] == _GROUP["M:ArtOrDet"]
        # The place of an article is that of the word after it, which must be of its sentence.
        places = self.starts[at] + ~missing
        ends = self.text.layout.spans[:, 1]
        inside = np.searchsorted(ends, places, "right") == np.searchsorted(ends, self.starts[at], "right")
        rows = np.where(inside, self._rows(slots.tokens)[places], -1)
        left_out = (self.groups[at] == _GROUP["U:ArtOrDet"]).tolist()
        new = [0 if out else ARTICLES[one.replacement[0].lower()] for one, out in zip(asked, left_out, strict=True)]
        # An "A" that is no article to the tagger is none that another could stand for.
        replaced = np.flatnonzero(~missing & (rows >= 0))
        rows[replaced[slots.written[rows[replaced]] == 0]] = -1
        margins[at] = _gained(scores, slots.written, rows, np.array(new, np.int64))

    def _prepositions(self, margins: Floats) -> None:
        contexts = find_contexts(self.text)
        scores = self.classifiers.prepositions.scores(self.text, contexts)
        at, asked = self._of("R:Prep")
        rows = self._rows(contexts.tokens)[self.starts[at]]
        new = np.array([_PREPOSITION[one.replacement[0].lower()] for one in asked], np.int64)
        margins[at] = _gained(scores, contexts.written, rows, new)

    def _forms(self, margins: Floats) -> None:
        chooser = self.classifiers.forms
        slots = find_slots("forms", self.text)
        scores = chooser.scores(slots)
        at, _ = self._of(*_FORMS)
        rows = self._rows(slots.tokens)[self.starts[at]]
        at, rows = at[rows >= 0], rows[rows >= 0]
        asked = [self.candidates[each] for each in at.tolist()]
        written = slots.written[rows].astype(np.int64)
        noun = self.groups[at] == _GROUP["R:Nn"]
        verb = self.groups[at] == _GROUP["R:Vform"]
        # The number of a noun is as it is tagged; its other form has the other one.
        new = chooser.words.masks([one.replacement[0] for one in asked])
        new[verb] &= _VERBS
        new[noun] = np.eye(new.shape[1], dtype=np.bool_)[np.where(written[noun] < 2, 1 - written[noun], 0)]
        names, words = self.text.lexicon.names, self.text.layout
        old = chooser.words.masks([names[each] for each in words.words[words.places[self.starts[at]]].tolist()])
        old[verb] &= _VERBS
        old[noun] = False
        old[np.arange(len(old)), written] = True
        found = _log_sum(scores[rows], new) - _log_sum(scores[rows], old)
        spoken = new.any(axis=1) & ~(noun & (written > 1))
        margins[at] = np.where(spoken, found, np.nan)


def _gained(scores: Floats, written: NDArray[np.int8], rows: Ints, new: Ints) -> Floats:
    """How much better the new class is than the written one; NaN where there is no row (-1), or nothing is new."""
    found = np.full(len(rows), np.nan)
    at = np.flatnonzero(rows >= 0)
    at = at[written[rows[at]] != new[at]]
    found[at] = scores[rows[at], new[at]] - scores[rows[at], written[rows[at]]]
    return found


def _log_sum(scores: Floats, masks: NDArray[np.bool_]) -> Floats:
    """The logarithm of the summed probabilities of some classes."""
    return np.asarray(np.logaddexp.reduce(np.where(masks, scores, -np.inf), axis=1))
