"""Prepositions in tagged sentences, and what stands around them: neighbors, and the heads of phrases near by.

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
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.hashing import code
from errorbar.detectors.learning import Classes
from errorbar.detectors.lexicon import PREPOSITIONS, Ints, Lexicon, Sentences
from errorbar.detectors.tagger import Tagged, Tagger

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
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The prepositions of a layout.

    Attributes:
        tokens: Number of each preposition's token.
        places: Its place in the layout.
        written: Which preposition it is.
        heads: By name (``verb``, ``noun``, ``near``, ``next``) the place of each one's head; 0, a gap, for none.
    """

    tokens: Ints
    places: Ints
    written: Classes
    heads: Mapping[str, Ints]


class Found(NamedTuple):
    """The prepositions of a block of sentences, and where they are in the whole text."""

    text: Tagged
    contexts: Contexts
    sentence: Ints  # number of each one's sentence in the whole text, from 0
    token: Ints  # number of its token in that sentence, from 0


def find_prepositions(tagger: Tagger, sentences: Sentences, every: bool = False) -> Iterator[Found]:
    """Tag sentences a block at a time and find their prepositions; ``every``: also the marks of infinitives."""
    first = 0
    for text in tagger.blocks(sentences):
        contexts = find_contexts(text, every)
        spans = text.layout.spans
        own = np.searchsorted(spans[:, 1], contexts.tokens, side="right")
        yield Found(text, contexts, own + first, contexts.tokens - spans[own, 0])
        first += len(spans)


def find_contexts(text: Tagged, every: bool = False) -> Contexts:
    """The prepositions of tagged sentences."""
    layout, places = text.layout, text.layout.places
    written = text.lexicon.prepositions()[layout.words[places]]
    tokens = np.flatnonzero((written >= 0) & (every | ~text.flags(INFINITIVE)[places]))
    own = np.searchsorted(layout.spans[:, 1], tokens, side="right")
    first = places[layout.spans[own, 0]]
    at = places[tokens]
    return Contexts(tokens, at, written[tokens], find_heads(text, at - 1, at + 1, first))


def is_tagged_infinitive(found: Found) -> Flags:
    """Which ones are tagged as the mark of an infinitive."""
    return found.text.flags(INFINITIVE)[found.contexts.places]


def is_infinitive(found: Found) -> Flags:
    """Which ones mark an infinitive: tagged so, and a verb follows, maybe after adverbs, or the phrase ends there."""
    text, after = found.text, found.contexts.places + 1
    verb = text.flags(VERBS)[next_place(~text.flags((*ADVERBS, "``", "''")))[after]]
    end = (text.layout.words[after] == 0) | text.flags(PHRASE_ENDS)[after]
    return np.asarray(is_tagged_infinitive(found) & (verb | end), np.bool_)


def find_extraneous(text: Tagged, contexts: Contexts) -> Flags:
    """Which prepositions should be left out by rule: repeated ones, and those of plurals with a quantifier."""
    words, places, lexicon = text.layout.words, contexts.places, text.lexicon
    before = words[places - 1]
    repeated = lexicon.prepositions()[before] == contexts.written
    quantifiers = np.isin(lexicon.codes(Lexicon.FORM)[before], [code(word) for word in QUANTIFIERS])
    noun = next_place(~text.flags((*ADJECTIVES, "CD", "RB")))[places + 1]
    of_plural = (contexts.written == PREPOSITIONS.index("of")) & text.flags(PLURALS)[noun]
    return np.asarray(repeated | (quantifiers & of_plural), np.bool_)


def find_heads(text: Tagged, before: Ints, after: Ints, first: Ints) -> dict[str, Ints]:
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
        name: np.where((found := last_place(flags)[before]) >= first, found, 0)
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
    found = np.where(next_place(nouns)[after] < end, noun, without)
    gerund = text.flags(("VBG",))[after] & ~nouns[np.minimum(after + 1, len(nouns) - 1)]
    return heads | {"next": np.where(gerund, after, found)}


def last_place(flags: Flags) -> Ints:
    """Of each place the last flagged one up to it, or -1."""
    return np.maximum.accumulate(np.where(flags, np.arange(len(flags)), -1))


def next_place(flags: Flags) -> Ints:
    """Of each place the next flagged one from it on, or the last place."""
    places = np.where(flags, np.arange(len(flags)), len(flags) - 1)
    return np.minimum.accumulate(places[::-1])[::-1]
