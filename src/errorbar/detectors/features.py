"""Features of a preposition's context, shared by the classifiers PERC and ME.

Conventions
    ``w-1`` is the word before the preposition, ``t+2`` the tag of the second after it. ``verb``, ``noun``, ``near``
    and ``next`` are the lemmas of heads (``contexts.py``), ``T:next`` the tag of one. Several parts make one
    feature, their combination. The preposition itself is in none.
Source
    Tetreault and Chodorow (2008, both papers) and Chodorow et al. (2007, table 1) have 25 features: words and tags of
    two tokens to each side, heads of the phrases before and after, their combinations, the same of tags only. They do
    not print all of them; the first 25 here fit what they say, and ``me(features=paper)`` has these alone. The other
    12 are ours: more words of the window, and the head most likely to govern the preposition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.contexts import Contexts
from errorbar.detectors.hashing import Codes, Rows, code, rows_of, states
from errorbar.detectors.lemmas import Lemmas
from errorbar.detectors.lexicon import Ints, Lexicon
from errorbar.detectors.tagger import Tagged

States = NDArray[np.uint32]
FEATURES = "prepositions-1"  # what model files name; other templates are another name
OF_PAPER = "prepositions-1-paper"  # the first of them alone
PAPERS = 25  # how many of the templates that follow
TEMPLATES: tuple[tuple[str, ...], ...] = (
    ("w-2",),
    ("w-1",),
    ("w+1",),
    ("w+2",),
    ("t-2",),
    ("t-1",),
    ("t+1",),
    ("t+2",),
    ("w-2", "w-1"),
    ("w+1", "w+2"),
    ("w-1", "w+1"),
    ("verb",),
    ("noun",),
    ("next",),
    ("noun", "next"),
    ("verb", "next"),
    ("verb", "noun", "next"),
    ("T:noun", "T:next"),
    ("T:verb", "T:next"),
    ("T:verb", "T:noun", "T:next"),
    ("t-1", "t+1"),
    ("t-2", "t-1"),
    ("t+1", "t+2"),
    ("t-2", "t-1", "t+1", "t+2"),
    ("w-1", "w+1", "w+2"),
    ("near",),
    ("near", "next"),
    ("w-1", "next"),
    ("near", "w+1"),
    ("w-2", "w-1", "w+1"),
    ("w+1", "next"),
    ("w-3", "w-2", "w-1"),
    ("w+1", "w+2", "w+3"),
    ("w+3",),
    ("w-3",),
    ("near", "T:next"),
    ("T:near", "next"),
)
LEAST = 2  # examples in which a feature must have been seen
_MARKS = 25
_OFFSETS = (-3, -2, -1, 1, 2, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The features that were seen often enough in training; all others of a template share one row, its own.

    A feature seen once teaches its one example by heart. Left out, the rest has fewer collisions and learns more.

    Attributes:
        bits: Of the table of weights.
        marks: One bit for each of 2^25 hashes of features, packed: of features not seen, as many pass as bits are set.
    """

    bits: int
    marks: NDArray[np.uint8]

    @classmethod
    def of_examples(cls, found: States, bits: int, least: int = LEAST) -> Known:
        """The features that occur in some examples or more."""
        marks = np.zeros(1 << _MARKS, np.bool_)
        for column in found.T:
            unique, counts = np.unique(column, return_counts=True)
            marks[_mark(unique[counts >= least])] = True
        return cls(bits, np.packbits(marks))

    @classmethod
    def stored(cls, marks: NDArray[np.uint8], bits: int) -> Known:
        """Those of a model file; a ``ValueError`` if it is another number of marks."""
        if marks.shape != ((1 << _MARKS) // 8,):
            raise ValueError("not one mark for each hash")
        return cls(bits, marks.astype(np.uint8))

    def rows(self, found: States) -> Rows:
        """The rows of examples' features; shape (examples, templates)."""
        rows = np.empty(found.shape, np.int32)
        for number, column in enumerate(found.T):
            mark = _mark(column)
            known = self.marks[mark >> 3] >> (7 - (mark & 7)).astype(np.uint8) & 1
            rows[:, number] = np.where(known, rows_of(column, self.bits), number)
        return rows


def _mark(found: Codes) -> Codes:
    mixed: Codes = found * np.uint32(0xC2B2AE35) >> np.uint32(32 - _MARKS)
    return mixed


def feature_states(text: Tagged, contexts: Contexts, lemmas: Lemmas) -> States:
    """Every context's features as states (``hashing.py``); shape (contexts, templates)."""
    parts = _parts(text, contexts, lemmas)
    found = np.empty((len(contexts.places), len(TEMPLATES)), np.uint32)
    for number, names in enumerate(TEMPLATES):
        found[:, number] = states(number, *(parts[name] for name in names))
    return found


def _parts(text: Tagged, contexts: Contexts, lemmas: Lemmas) -> dict[str, Codes]:
    forms = text.lexicon.codes(Lexicon.FORM)
    tags = np.array([*map(code, text.tags), 0], np.uint32)
    found: dict[str, Codes] = {}
    for offset in _OFFSETS:
        places = contexts.places + offset
        found[f"w{offset:+d}"] = forms[text.layout.words[places]]
        found[f"t{offset:+d}"] = tags[text.classes[places]]
    for name, places in contexts.heads.items():
        found[name] = lemma_codes(text, places, lemmas)
        found[f"T:{name}"] = tags[text.classes[places]]
    return found


def lemma_codes(text: Tagged, places: Ints, lemmas: Lemmas) -> Codes:
    """The codes of the lemmas at some places; each pair of word and tag is looked up once."""
    tags = (*text.tags, "")
    pairs = text.layout.words[places].astype(np.int64) * len(tags) + text.classes[places]
    unique, back = np.unique(pairs, return_inverse=True)
    names = text.lexicon.names
    found = [code(lemmas.lemma(names[pair // len(tags)], tags[pair % len(tags)])) for pair in unique.tolist()]
    return np.array(found, np.uint32)[back]
