"""What a corrector may change: small edits that learners need often, by type.

Conventions
    Tokens are as in the CoNLL data. A candidate replaces a span of tokens; types are those of NUCLE where it has one:
    ``ArtOrDet``, ``Prep``, ``Nn`` (number of nouns), ``Vform`` (forms of verbs, agreement and tense among them),
    ``Wform`` (words of one stem), ``Mec`` (spelling), ``Mec,`` (commas), ``Det`` (this and these, much and many).
    Without tags every word is taken for whatever its forms allow; a language model has to tell.
Source
    The confusion sets of the classifiers of CoNLL-2013 and 2014 (Ng et al. 2013, 2014), and of the correctors without
    learner data (Bryant & Briscoe 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from errorbar.detectors.word_forms import VOWELS, Families, Spellings, as_written, other_number, verb_forms

ARTICLES = ("a", "an", "the")
PREPOSITIONS = ("about", "as", "at", "by", "for", "from", "in", "into", "of", "on", "over", "to", "under", "with")
NEIGHBORS: Mapping[str, tuple[str, ...]] = {
    **{"this": ("these",), "these": ("this",), "that": ("those",), "those": ("that",)},
    **{
        "much": ("many",),
        "many": ("much",),
        "another": ("other",),
        "other": ("another", "others"),
        "others": ("other",),
    },
}
ENDS = frozenset(".,;:!?)\"'") | {"''", "``"}
SEEN_OFTEN = 20
"""How often a word must occur to be proposed as one of the same stem; of a spelling a quarter of that."""


class Candidate(NamedTuple):
    """An edit that may be made: tokens ``start`` to ``end`` become others."""

    start: int
    end: int
    replacement: tuple[str, ...]
    type: str


class Proposer:
    """Proposes edits; ``counts`` tell how often the training text has each word, in lower case."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = counts
        often = {word: n for word, n in counts.items() if n >= SEEN_OFTEN}
        self._families = Families(often)
        self._spellings = Spellings({word: n for word, n in counts.items() if 4 * n >= SEEN_OFTEN and word.isalpha()})
        self._known = frozenset(counts)
        # A few thousand words are most of any text; what can stand for one is looked for once.
        self._words: Callable[[str], tuple[tuple[str, str], ...]] = lru_cache(maxsize=1 << 16)(self._look_up)

    def candidates(self, tokens: Sequence[str], tags: Sequence[str] = ()) -> list[Candidate]:
        """Every edit of a sentence that may be worth making, from left to right.

        Args:
            tokens: The sentence.
            tags: Penn tags of the tokens; none: every word is what it can be.
        """
        found: list[Candidate] = []
        for k, token in enumerate(tokens):
            found += self._around(tokens, k, tags)
            word = token.lower()
            for form, kind in self._words(word):
                if not tags or _fits(kind, tags[k]):
                    said = as_written(form, token) if token != "I" else form
                    found.append(Candidate(k, k + 1, (said,), kind))
        return found

    def _around(self, tokens: Sequence[str], k: int, tags: Sequence[str]) -> Iterator[Candidate]:
        """Insertions before a token; articles, prepositions and commas deleted."""
        token, word = tokens[k], tokens[k].lower()
        before = tokens[k - 1].lower() if k else ""
        may = token[:1].isalpha() and word not in ARTICLES and before not in ARTICLES
        if may and (not tags or tags[k].startswith(_AFTER_ARTICLE)):
            for article in _indefinite(word):
                yield from _inserted(article, k, token, "ArtOrDet")
            yield from _inserted("the", k, token, "ArtOrDet")
        between = not tags or (tags[k].startswith(_AFTER_PREPOSITION) and tags[k - 1].startswith(_BEFORE_PREPOSITION))
        if k and may and between and before not in PREPOSITIONS and word not in PREPOSITIONS:
            for preposition in PREPOSITIONS:
                yield Candidate(k, k, (preposition,), "Prep")
        if word in ARTICLES or word in PREPOSITIONS:
            following = tokens[k + 1 : k + 2]
            said = (as_written(following[0], token),) if k == 0 and following else tuple(following)
            if following:
                yield Candidate(k, k + 2, said, "ArtOrDet" if word in ARTICLES else "Prep")
        if token == "," and k:
            yield Candidate(k, k + 1, (), "Mec,")
        elif k and before not in ENDS and token not in ENDS:
            yield Candidate(k, k, (",",), "Mec,")

    def _look_up(self, word: str) -> tuple[tuple[str, str], ...]:
        """What can stand in the place of a word, with the type of the change; each form once."""
        found: dict[str, str] = {}

        def add(forms: Sequence[str], kind: str) -> None:
            for form in forms:
                if form != word:
                    found.setdefault(form, kind)

        if word in ARTICLES:
            add(ARTICLES, "ArtOrDet")
        elif word in PREPOSITIONS:
            add(PREPOSITIONS, "Prep")
        elif word in NEIGHBORS:
            add(NEIGHBORS[word], "Det")
        elif word.isalpha():
            if word in self._known:
                add(other_number(word, self._known), "Nn")
                add(verb_forms(word, self._known), "Vform")
                add(self._families.of(word), "Wform")
            elif len(word) > 2:
                add(self._spellings.near(word), "Mec")
        return tuple(found.items())


_AFTER_ARTICLE = ("NN", "JJ", "VB", "RB", "CD")
_BEFORE_PREPOSITION, _AFTER_PREPOSITION = ("NN", "VB", "JJ"), ("NN", "PR", "DT", "JJ", "CD", "VB")
_OPEN = {"Nn": ("NN",), "Vform": ("VB", "MD", "NN", "JJ"), "Wform": ("NN", "VB", "JJ", "RB")}


def _fits(kind: str, tag: str) -> bool:
    return kind not in _OPEN or tag.startswith(_OPEN[kind])


def _indefinite(word: str) -> tuple[str, ...]:
    """The indefinite articles that may stand before a word."""
    if word[0] == "h":
        return "a", "an"
    return ("an",) if word[0] in VOWELS else ("a",)


def _inserted(word: str, k: int, token: str, kind: str) -> Iterator[Candidate]:
    """A word before a token; at the beginning of a sentence the capital moves to it."""
    if k:
        yield Candidate(k, k, (word,), kind)
    elif token[:1].isupper() and not token[1:2].isupper():
        lower = token if token == "I" else token[:1].lower() + token[1:]
        yield Candidate(0, 1, (word.capitalize(), lower), kind)
