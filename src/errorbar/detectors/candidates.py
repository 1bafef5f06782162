"""What a corrector may change: small edits that learners need often, by type.

Conventions
    Tokens are as in the CoNLL data. A candidate replaces a span of tokens; types are those of NUCLE where it has one:
    ``ArtOrDet``, ``Prep``, ``Nn`` (number of nouns), ``Vform`` (forms of verbs and auxiliaries; agreement and tense
    among them), ``Wform`` (words of one stem), ``Mec`` (spelling), ``Rloc-`` (words said twice). Ours: ``Case`` (the
    first letter), ``Split`` (one word written as two), ``Comma``, ``Det`` (this and these, much and many). A group is
    a type with what is done: ``M:`` a word is missing, ``U:`` one is unnecessary, ``R:`` one is replaced.
    Without tags every word is taken for whatever its forms allow; a language model has to tell.
    A word that the training text does not have is replaced by its nearest spellings only. A name, which is a word that
    has a capital inside a sentence or is tagged as a name, is neither replaced nor taken out; only its capital may go
    where the tag says that it is no name.
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
LEFT_OUT = ("at", "for", "from", "in", "of", "on", "to", "with")
"""Prepositions that may be missing."""
AUXILIARIES = ("is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "will", "would")
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
SEEN_WHOLE = 3
"""How often a word must occur to be proposed for two."""
Forms = tuple[tuple[str, tuple[str, ...]], ...]


class Candidate(NamedTuple):
    """An edit that may be made: tokens ``start`` to ``end`` become others."""

    start: int
    end: int
    replacement: tuple[str, ...]
    type: str

    @property
    def group(self) -> str:
        """What is done and the type."""
        more = len(self.replacement) - (self.end - self.start)
        return f"{'M' if more > 0 else 'U' if more < 0 else 'R'}:{self.type}"


GROUPS = (
    *("M:ArtOrDet", "R:ArtOrDet", "U:ArtOrDet", "R:Case", "M:Comma", "U:Comma", "R:Det", "R:Mec", "R:Nn", "M:Prep"),
    *("R:Prep", "U:Prep", "U:Rloc-", "U:Split", "M:Vform", "R:Vform", "U:Vform", "R:Wform"),
)


class Proposer:
    """Proposes edits; ``counts`` tell how often the training text has each word, in lower case."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = counts
        often = {word: n for word, n in counts.items() if n >= SEEN_OFTEN}
        self._families = Families(often)
        self._spellings = Spellings({word: n for word, n in counts.items() if 4 * n >= SEEN_OFTEN and word.isalpha()})
        self._known = frozenset(counts)
        # A few thousand words are most of any text; what can stand for one is looked for once.
        self._words: Callable[[str], Forms] = lru_cache(maxsize=1 << 16)(self._look_up)

    def candidates(self, tokens: Sequence[str], tags: Sequence[str] = ()) -> list[Candidate]:
        """Every edit of a sentence that may be worth making, from left to right.

        Args:
            tokens: The sentence.
            tags: Penn tags of the tokens; none: every word is what it can be.
        """
        found: list[Candidate] = []
        words = [token.lower() for token in tokens]
        for k, (token, word) in enumerate(zip(tokens, words, strict=True)):
            found += _around(tokens, words, k, tags)
            for form, kinds in () if is_name(tokens, k, tags) else self._words(word):
                for kind in kinds:
                    if not tags or tags[k].startswith(_OPEN.get(kind, ("",))):
                        said = as_written(form, token) if token != "I" else form
                        found.append(Candidate(k, k + 1, (said,), kind))
                        break
            found += self._written(tokens, words, k, tags)
        return found

    def _written(self, tokens: Sequence[str], words: Sequence[str], k: int, tags: Sequence[str]) -> Iterator[Candidate]:
        """A word with another first letter, with the next one in one word, or left out where it was just said."""
        token, word = tokens[k], words[k]
        if k and token[:1].isupper() and token[1:].islower() and word in self.counts and not _tagged_name(tags, k):
            yield Candidate(k, k + 1, (word,), "Case")
        elif k == 0 and token == word != token.capitalize():
            yield Candidate(k, k + 1, (token.capitalize(),), "Case")
        if k + 1 < len(tokens) and token.isalpha() and tokens[k + 1].isalpha() and not is_name(tokens, k + 1, tags):
            for whole in (token + tokens[k + 1], f"{token}-{tokens[k + 1]}"):
                if self.counts.get(whole.lower(), 0) >= SEEN_WHOLE:
                    yield Candidate(k, k + 2, (whole,), "Split")
            if word == words[k + 1] and word in self._known:
                yield Candidate(k, k + 2, (token,), "Rloc-")

    def _look_up(self, word: str) -> Forms:
        """What can stand in the place of a word, each form once, with the types that the change can have."""
        found: dict[str, tuple[str, ...]] = {}

        def add(forms: Sequence[str], kind: str) -> None:
            for form in forms:
                if form != word:
                    found[form] = (*found.get(form, ()), kind)

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


def is_name(tokens: Sequence[str], k: int, tags: Sequence[str] = ()) -> bool:
    """Whether a token is taken for a name: it has a capital inside a sentence, or is tagged as a name."""
    return tokens[k][:1].isupper() and (k > 0 or _tagged_name(tags, k))


def _tagged_name(tags: Sequence[str], k: int) -> bool:
    return bool(tags) and tags[k].startswith("NNP")


_PREPOSITIONS, _AUXILIARIES = frozenset(PREPOSITIONS), frozenset(AUXILIARIES)
_OPEN = {"Nn": ("NN",), "Vform": ("VB", "MD", "NN", "JJ"), "Wform": ("NN", "VB", "JJ", "RB")}
_AFTER_ARTICLE = ("NN", "JJ", "VB", "RB", "CD")
_BEFORE_PREPOSITION, _AFTER_PREPOSITION = ("NN", "VB", "JJ"), ("NN", "PR", "DT", "JJ", "CD", "VB")
_BEFORE_AUXILIARY, _AFTER_AUXILIARY = ("NN", "PR", "MD", "TO", "W", "RB", "VB"), ("VB", "JJ")


def _around(tokens: Sequence[str], words: Sequence[str], k: int, tags: Sequence[str]) -> Iterator[Candidate]:
    """Words put in before a token; articles, prepositions, auxiliaries and commas left out."""
    token, word, before = tokens[k], words[k], words[k - 1] if k else ""
    if token[:1].isalpha():
        yield from _missing(token, word, before, k, tags)
    if (word in ARTICLES or word in PREPOSITIONS) and not is_name(tokens, k, tags):
        following = tokens[k + 1 : k + 2]
        said = (as_written(following[0], token),) if k == 0 and following else tuple(following)
        if following:
            yield Candidate(k, k + 2, said, "ArtOrDet" if word in ARTICLES else "Prep")
    if k and word in AUXILIARIES and k + 1 < len(tokens) and _tagged(tags, k + 1, ("VB", "RB")):
        yield Candidate(k, k + 1, (), "Vform")
    if token == "," and k:
        yield Candidate(k, k + 1, (), "Comma")
    elif k and before not in ENDS and token not in ENDS:
        yield Candidate(k, k, (",",), "Comma")


def _missing(token: str, word: str, before: str, k: int, tags: Sequence[str]) -> Iterator[Candidate]:
    """Articles, prepositions and auxiliaries before a word."""
    bare = word not in ARTICLES
    if bare and before not in ARTICLES and _tagged(tags, k, _AFTER_ARTICLE):
        for article in (*_indefinite(word), "the"):
            yield from _inserted(article, k, token, "ArtOrDet", name=_tagged_name(tags, k))
    among = _between(tags, k, _BEFORE_PREPOSITION, _AFTER_PREPOSITION)
    if k and bare and among and not {word, before} & _PREPOSITIONS:
        for preposition in LEFT_OUT:
            yield Candidate(k, k, (preposition,), "Prep")
    among = _between(tags, k, _BEFORE_AUXILIARY, _AFTER_AUXILIARY)
    if k and among and not {word, before} & _AUXILIARIES:
        for verb in AUXILIARIES:
            yield Candidate(k, k, (verb,), "Vform")


def _tagged(tags: Sequence[str], k: int, kinds: tuple[str, ...]) -> bool:
    return not tags or tags[k].startswith(kinds)


def _between(tags: Sequence[str], k: int, before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    return not tags or (tags[k - 1].startswith(before) and tags[k].startswith(after))


def _indefinite(word: str) -> tuple[str, ...]:
    """The indefinite articles that may stand before a word."""
    if word[0] in "heou":  # an hour, a house; a university, an uncle: letters do not tell
        return "a", "an"
    return ("an",) if word[0] in VOWELS else ("a",)


def _inserted(word: str, k: int, token: str, kind: str, *, name: bool) -> Iterator[Candidate]:
    """A word before a token; at the beginning of a sentence the capital moves to it, from a name it goes nowhere."""
    if k:
        yield Candidate(k, k, (word,), kind)
    elif token[:1].isupper() and not token[1:2].isupper():
        lower = token if name or token == "I" else token[:1].lower() + token[1:]
        yield Candidate(0, 1, (word.capitalize(), lower), kind)
