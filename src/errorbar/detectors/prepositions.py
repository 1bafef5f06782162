"""Prepositions in tagged sentences, with the features of their contexts: neighbors, and heads of phrases near by.

Conventions
    A context is a token that has the form of one of the 34 prepositions and is not tagged ``TO`` (the mark of an
    infinitive); in judging, that tag counts where a verb follows ("to really go") or nothing does ("I have to ."), so
    that the preposition in "They came to outside ." is judged. A preposition is extraneous if the word before is the
    same preposition ("with with"), or if it is
    ``of`` between a quantifier and a plural noun that only adjectives, numbers and adverbs come before ("some of
    people"). Heads are found by tags alone. Before the preposition: the nearest verb, the nearest noun or pronoun,
    and the nearest of both and adjectives. After it: the last noun of the first run of nouns that only determiners,
    adjectives, numbers, adverbs and participles come before; without one, the pronoun or the last of those words
    there; a gerund that follows at once; else the next word.
Source
    Tetreault and Chodorow (2008), Chodorow et al. (2007): a heuristic chunker instead of a parser. They print neither
    its rules nor their 34 prepositions; both are ours (``edits/items.py`` has the list). Extraneous use: two filters of
    Tetreault and Chodorow (2008, The ups and downs of preposition error detection in ESL writing), for a preposition
    that is repeated and for a quantifier, ``of`` and a bare plural; the lists of words and tags are ours.

The classifiers PERC and ME share the features of a context.

Conventions
    ``w-1`` is the word before the preposition, ``t+2`` the tag of the second after it. ``verb``, ``noun``, ``near``
    and ``next`` are the lemmas of heads, ``T:next`` the tag of one. Several parts make one
    feature, their combination. The preposition itself is in none.
Source
    Tetreault and Chodorow (2008, both papers) and Chodorow et al. (2007, table 1) have 25 features: words and tags of
    two tokens to each side, heads of the phrases before and after, their combinations, the same of tags only. They do
    not print all of them; the first 25 here fit what they say, and ``me(features=paper)`` has these alone. The other
    12 are ours: more words of the window, and the head most likely to govern the preposition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Flags, Ints
from errorbar.detectors.learning import PREPOSITIONS, Classes, Codes, Lexicon, Rows, Sentences, code, rows_of, states
from errorbar.detectors.tagger import Lemmas, TaggedText, Tagger

INFINITIVE = ("TO",)
NOUNS = ("NN", "NNS", "NNP", "NNPS")
PRONOUNS = ("PRP", "EX", "WP", "WDT", "WP$")
VERBS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD")
ADVERBS = ("RB", "RBR", "RBS")
PHRASE_ENDS = (".", ",", ":", "-RRB-", "CC")
ADJECTIVES = ("JJ", "JJR", "JJS")
PLURALS = ("NNS", "NNPS")
QUANTIFIERS = ("all", "any", "both", "few", "fewer", "many", "most", "several", "some")
_DETERMINERS, _MODIFIERS = ("DT", "PDT", "PRP$"), ("CD", "RB", "RBR", "RBS", "VBN", "VBG", "AFX")
BEFORE_NOUNS = (*_DETERMINERS, *ADJECTIVES, *_MODIFIERS, "``", "''", "HYPH", "$")
WITH_NOUNS = (*NOUNS, "POS")


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The prepositions of a layout."""

    tokens: Ints  # number of each preposition's token
    places: Ints  # its place in the layout
    written: Classes  # which preposition it is
    heads: Mapping[str, Ints]  # by name (``verb``, ``noun``, ``near``, ``next``) the place of its head; 0: none


class PrepositionBlock(NamedTuple):
    """The prepositions of a block of sentences, and where they are in the whole text."""

    text: TaggedText
    contexts: Contexts
    sentence: Ints  # number of each one's sentence in the whole text, from 0
    token: Ints  # number of its token in that sentence, from 0


def find_prepositions(tagger: Tagger, sentences: Sentences, every: bool = False) -> Iterator[PrepositionBlock]:
    """Tag sentences a block at a time and find their prepositions; ``every``: also the marks of infinitives."""
    first = 0
    for text in tagger.blocks(sentences):
        contexts = find_contexts(text, every)
        spans = text.layout.spans
        own = np.searchsorted(spans[:, 1], contexts.tokens, side="right")
        yield PrepositionBlock(text, contexts, own + first, contexts.tokens - spans[own, 0])
        first += len(spans)


def find_contexts(text: TaggedText, every: bool = False) -> Contexts:
    """The prepositions of tagged sentences."""
    layout, places = text.layout, text.layout.places
    written = text.lexicon.prepositions()[layout.words[places]]
    tokens = np.flatnonzero((written >= 0) & (every | ~text.flags(INFINITIVE)[places]))
    own = np.searchsorted(layout.spans[:, 1], tokens, side="right")
    first = places[layout.spans[own, 0]]
    at = places[tokens]
    return Contexts(tokens, at, written[tokens], find_heads(text, at - 1, at + 1, first))


def is_tagged_infinitive(block: PrepositionBlock) -> Flags:
    """Flag the prepositions that are tagged as the mark of an infinitive."""
    return block.text.flags(INFINITIVE)[block.contexts.places]


def is_infinitive(block: PrepositionBlock) -> Flags:
    """Flag marks of infinitives: tagged so, and a verb follows, maybe after adverbs, or the phrase ends there."""
    text, after = block.text, block.contexts.places + 1
    verb = text.flags(VERBS)[next_place(~text.flags((*ADVERBS, "``", "''")))[after]]
    end = (text.layout.words[after] == 0) | text.flags(PHRASE_ENDS)[after]
    return np.asarray(is_tagged_infinitive(block) & (verb | end), np.bool_)


def find_extraneous(text: TaggedText, contexts: Contexts) -> Flags:
    """Flag prepositions to leave out by rule: repeated ones, and those of plurals with a quantifier."""
    words, places, lexicon = text.layout.words, contexts.places, text.lexicon
    before = words[places - 1]
    repeated = lexicon.prepositions()[before] == contexts.written
    quantifiers = np.isin(lexicon.codes(Lexicon.FORM)[before], [code(word) for word in QUANTIFIERS])
    noun = next_place(~text.flags((*ADJECTIVES, "CD", "RB")))[places + 1]
    of_plural = (contexts.written == PREPOSITIONS.index("of")) & text.flags(PLURALS)[noun]
    return np.asarray(repeated | (quantifiers & of_plural), np.bool_)


def find_heads(text: TaggedText, before: Ints, after: Ints, first: Ints) -> dict[str, Ints]:
    """The places of the heads around some places, by name; 0 for none.

    Args:
        text: Tagged.
        before: The last places that lie before.
        after: The first places that lie after.
        first: The first places of their sentences.
    """
    nouns, verbs, adjectives = (text.flags(tags) for tags in (NOUNS, VERBS, ADJECTIVES))
    pronouns = text.flags(PRONOUNS)
    heads = {
        name: np.where((place := last_place(flags)[before]) >= first, place, 0)
        for name, flags in (
            ("verb", verbs),
            ("noun", nouns | pronouns),
            ("near", nouns | pronouns | verbs | adjectives),
        )
    }
    end = next_place(~text.flags((*BEFORE_NOUNS, *WITH_NOUNS)))[after]  # the first word after the phrase
    noun = next_place(nouns)[after]
    noun = last_place(nouns)[next_place(~text.flags(WITH_NOUNS))[noun] - 1]
    without = np.where((end > after) & ~pronouns[end], end - 1, end)
    place = np.where(next_place(nouns)[after] < end, noun, without)
    gerund = text.flags(("VBG",))[after] & ~nouns[np.minimum(after + 1, len(nouns) - 1)]
    return heads | {"next": np.where(gerund, after, place)}


def last_place(flags: Flags) -> Ints:
    """The last flagged place up to each place, or -1."""
    return np.maximum.accumulate(np.where(flags, np.arange(len(flags)), -1))


def next_place(flags: Flags) -> Ints:
    """The next flagged place from each place on, or the last place."""
    places = np.where(flags, np.arange(len(flags)), len(flags) - 1)
    return np.minimum.accumulate(places[::-1])[::-1]


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
        bits: The table of weights has 2^bits rows.
        marks: One bit for each of 2^25 hashes of features, packed: of features not seen, as many pass as bits are set.
    """

    bits: int
    marks: NDArray[np.uint8]

    @classmethod
    def of_examples(cls, examples: States, bits: int, least: int = LEAST) -> Known:
        """The features that occur in some examples or more."""
        marks = np.zeros(1 << _MARKS, np.bool_)
        for column in examples.T:
            unique, counts = np.unique(column, return_counts=True)
            marks[_mark(unique[counts >= least])] = True
        return cls(bits, np.packbits(marks))

    @classmethod
    def stored(cls, marks: NDArray[np.uint8], bits: int) -> Known:
        """The features of a model file; a ``ValueError`` if it has another number of marks."""
        if marks.shape != ((1 << _MARKS) // 8,):
            raise ValueError("not one mark for each hash")
        return cls(bits, marks.astype(np.uint8))

    def rows(self, examples: States) -> Rows:
        """The rows of examples' features; shape (examples, templates)."""
        rows = np.empty(examples.shape, np.int32)
        for number, column in enumerate(examples.T):
            mark = _mark(column)
            known = self.marks[mark >> 3] >> (7 - (mark & 7)).astype(np.uint8) & 1
            rows[:, number] = np.where(known, rows_of(column, self.bits), number)
        return rows


def _mark(hashes: Codes) -> Codes:
    mixed: Codes = hashes * np.uint32(0xC2B2AE35) >> np.uint32(32 - _MARKS)
    return mixed


def feature_states(text: TaggedText, contexts: Contexts, lemmas: Lemmas) -> States:
    """The features of every context as states (``learning.py``); shape (contexts, templates)."""
    parts = _parts(text, contexts, lemmas)
    table = np.empty((len(contexts.places), len(TEMPLATES)), np.uint32)
    for number, names in enumerate(TEMPLATES):
        table[:, number] = states(number, *(parts[name] for name in names))
    return table


def _parts(text: TaggedText, contexts: Contexts, lemmas: Lemmas) -> dict[str, Codes]:
    forms = text.lexicon.codes(Lexicon.FORM)
    tags = np.array([*map(code, text.tags), 0], np.uint32)
    parts: dict[str, Codes] = {}
    for offset in _OFFSETS:
        places = contexts.places + offset
        parts[f"w{offset:+d}"] = forms[text.layout.words[places]]
        parts[f"t{offset:+d}"] = tags[text.classes[places]]
    for name, places in contexts.heads.items():
        parts[name] = lemma_codes(text, places, lemmas)
        parts[f"T:{name}"] = tags[text.classes[places]]
    return parts


def lemma_codes(text: TaggedText, places: Ints, lemmas: Lemmas) -> Codes:
    """The codes of the lemmas at some places; each pair of word and tag is looked up once."""
    tags = (*text.tags, "")
    pairs = text.layout.words[places].astype(np.int64) * len(tags) + text.classes[places]
    unique, back = np.unique(pairs, return_inverse=True)
    names = text.lexicon.names
    codes = [code(lemmas.lemma(names[pair // len(tags)], tags[pair % len(tags)])) for pair in unique.tolist()]
    return np.array(codes, np.uint32)[back]
