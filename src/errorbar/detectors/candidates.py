"""Candidates: small edits that learners need often, by type, each with the scores of models.

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

Forms of a word that learners mix up are the number of nouns, forms of verbs, words of one stem and near spellings.
Rules of English spelling propose them, the words of the training text decide: a word that does not occur there is no
form. Words are in lower case; ``as_written`` gives a form the case of the word that it replaces.

A language model and classifiers score each candidate.

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

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.detectors.chooser import ARTICLES, FAMILIES, Chooser, find_slots
from errorbar.detectors.detection import change_scores
from errorbar.detectors.learning import PREPOSITIONS
from errorbar.detectors.ngrams import NgramModel
from errorbar.detectors.prepositions import find_contexts
from errorbar.detectors.selectors import Classifier
from errorbar.detectors.tagger import TaggedText, Tagger

VOWELS = frozenset("aeiou")
_ENDINGS = """s es ed ing er est ly al ial ally ation ations ition ion ions ment ments ness able ably ible ibly ity
    ities ive ively ance ances ancy ence ences ency ant ants ent ents ful fully less ous ously ic ical ically ist ists
    ism ize izes ized izing ise ises ised ising y ies ied ier iest ily e"""
_SUFFIXES = sorted(_ENDINGS.split(), key=len, reverse=True)


@cache
def irregular(kind: str) -> dict[str, tuple[str, ...]]:
    """All forms of a ``noun`` or a ``verb`` that has irregular ones, by each of them."""
    lines = files(__package__).joinpath("irregular_forms.txt").read_text(encoding="utf-8").splitlines()
    rows = [tuple(line.split()[1:]) for line in lines if line.startswith(f"{kind}:")]
    return {form: row for row in rows for form in row}


def as_written(form: str, like: str) -> str:
    """A form with the case of another word: all capitals, a capital first, or as it is."""
    if len(like) > 1 and like.isupper():
        return form.upper()
    return form[:1].upper() + form[1:] if like[:1].isupper() else form


def _doubles_consonant(word: str) -> bool:
    """True if the last consonant may be doubled before a suffix, as in ``stopped``."""
    return len(word) > 2 and word[-1] not in VOWELS | {"w", "x", "y"} and word[-2] in VOWELS and word[-3] not in VOWELS


def with_s(word: str) -> str:
    """The plural of a regular noun, or the third person of a regular verb."""
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def _strip_s(word: str) -> Iterator[str]:
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]


def other_number(word: str, known: Collection[str]) -> list[str]:
    """The plural of a singular, the singular of a plural: those of the known words that are one of the other."""
    if word in irregular("noun"):
        return [form for form in irregular("noun")[word] if form != word and form in known]
    forms = [base for base in _strip_s(word) if with_s(base) == word]
    if not forms or word.endswith("ss"):
        forms = [*forms, with_s(word)]
    return [form for form in dict.fromkeys(forms) if form in known]


def verb_forms(word: str, known: Collection[str]) -> list[str]:
    """The other forms of a verb: known words that have a base with it in common."""
    if word in irregular("verb"):
        return [form for form in irregular("verb")[word] if form != word and form in known]
    related: dict[str, None] = {}
    for base in _bases(word):
        if base in known and base not in irregular("verb"):
            forms = _regular(base)
            if word in forms:
                related |= dict.fromkeys(forms)
    return [form for form in related if form != word and form in known]


def _bases(word: str) -> Iterator[str]:
    yield word
    yield from _strip_s(word)
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and len(word) > len(suffix) + 1:
            stem = word.removesuffix(suffix)
            yield stem
            yield stem + "e"
            if stem[-1] == stem[-2:-1]:
                yield stem[:-1]
            if suffix == "ed" and stem.endswith("i"):
                yield stem[:-1] + "y"


def _regular(base: str) -> set[str]:
    forms = {base, with_s(base)}
    if base.endswith("e"):
        return forms | {base + "d", base + "ing" if base.endswith("ee") else base[:-1] + "ing"}
    past = base[:-1] + "i" if base.endswith("y") and base[-2:-1] not in VOWELS else base
    forms |= {past + "ed", base + "ing"}
    if _doubles_consonant(base):
        forms |= {base + base[-1] + "ed", base + base[-1] + "ing"}
    return forms


@lru_cache(maxsize=1 << 16)
def stem_of(word: str) -> str:
    """A word without its longest suffix; at least four letters."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            stem = word.removesuffix(suffix)
            return stem[:-1] if len(stem) > 4 and stem[-1] == stem[-2] else stem
    return word


class Families:
    """The known words of one stem, such as ``economy``, ``economic``, ``economically``."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_stem: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted(words):
            if word.isalpha() and len(word) > 3:
                self._by_stem[stem_of(word)].append(word)

    def of(self, word: str) -> list[str]:
        """The others of its stem, in alphabetical order."""
        return [other for other in self._by_stem.get(stem_of(word), ()) if other != word]


class Spellings:
    """Known words near to one that is unknown: what both are with a few letters left out."""

    def __init__(self, counts: Mapping[str, int], most: int = 8) -> None:
        """``most``: how many words are proposed."""
        self._counts, self._most = counts, most
        self._longest = max(map(len, counts), default=0)

    @cached_property
    def _by_part(self) -> dict[str, list[str]]:
        """Words by what they are with a letter left out: half a million parts, made at the first unknown word."""
        words_by_part: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted(self._counts):
            for part in {word, *_parts(word)}:
                words_by_part[part].append(word)
        return words_by_part

    def near(self, word: str) -> list[str]:
        """The nearest words, at distance 1 or else 2, a swap of neighbors counting 1; the most frequent first."""
        if len(word) > self._longest + 2:
            return []  # and what a word of thousands of letters is without two of them fits into no memory
        once = {word, *_parts(word)}
        twice = once | {part for whole in once if len(whole) > 3 for part in _parts(whole)}
        words = {near for part in twice for near in self._by_part.get(part, ())}
        ranked = sorted((distance(word, near), -self._counts[near], near) for near in words if near != word)
        least = min(2, ranked[0][0]) if ranked else 0
        return [near for apart, _, near in ranked if apart <= least][: self._most]


def _parts(word: str) -> Iterator[str]:
    return (word[:k] + word[k + 1 :] for k in range(len(word)))


def distance(first: str, second: str) -> int:
    """Letters inserted, deleted, substituted, or swapped with a neighbor (optimal string alignment)."""
    before, row = list(range(len(second) + 1)), list(range(len(second) + 1))
    two_before = before
    for i, letter in enumerate(first, 1):
        two_before, before, row = before, row, [i, *[0] * len(second)]
        for j, other in enumerate(second, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                row[j] = min(row[j], two_before[j - 2] + 1)
    return row[-1]


ARTICLE_FORMS = ("a", "an", "the")
PREPOSITION_FORMS = ("about", "as", "at", "by", "for", "from", "in", "into", "of", "on", "over", "to", "under", "with")
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
"""The least count of a word that is proposed as one of the same stem; of a spelling a quarter of that."""
SEEN_WHOLE = 3
"""The least count of a word that is proposed for two."""
Forms = tuple[tuple[str, tuple[str, ...]], ...]


class Candidate(NamedTuple):
    """An edit that may be made: tokens ``start`` to ``end`` become others."""

    start: int
    end: int
    replacement: tuple[str, ...]
    type: str

    @property
    def group(self) -> str:
        """The operation and the type."""
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
        """Find every edit of a sentence that may be worth making, from left to right.

        Args:
            tokens: The sentence.
            tags: Penn tags of the tokens; none: every word is what it can be.
        """
        proposed: list[Candidate] = []
        words = [token.lower() for token in tokens]
        for k, (token, word) in enumerate(zip(tokens, words, strict=True)):
            proposed += _around(tokens, words, k, tags)
            for form, kinds in () if is_name(tokens, k, tags) else self._words(word):
                for kind in kinds:
                    if not tags or tags[k].startswith(_OPEN.get(kind, ("",))):
                        written = as_written(form, token) if token != "I" else form
                        proposed.append(Candidate(k, k + 1, (written,), kind))
                        break
            proposed += self._written(tokens, words, k, tags)
        return proposed

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
        """Forms that can replace a word, each once, with the types that the change can have."""
        kinds: dict[str, tuple[str, ...]] = {}

        def add(forms: Sequence[str], kind: str) -> None:
            for form in forms:
                if form != word:
                    kinds[form] = (*kinds.get(form, ()), kind)

        if word in ARTICLE_FORMS:
            add(ARTICLE_FORMS, "ArtOrDet")
        elif word in PREPOSITION_FORMS:
            add(PREPOSITION_FORMS, "Prep")
        elif word in NEIGHBORS:
            add(NEIGHBORS[word], "Det")
        elif word.isalpha():
            if word in self._known:
                add(other_number(word, self._known), "Nn")
                add(verb_forms(word, self._known), "Vform")
                add(self._families.of(word), "Wform")
            elif len(word) > 2:
                add(self._spellings.near(word), "Mec")
        return tuple(kinds.items())


def is_name(tokens: Sequence[str], k: int, tags: Sequence[str] = ()) -> bool:
    """True if a token has a capital inside a sentence or is tagged as a name."""
    return tokens[k][:1].isupper() and (k > 0 or _tagged_name(tags, k))


def _tagged_name(tags: Sequence[str], k: int) -> bool:
    return bool(tags) and tags[k].startswith("NNP")


_PREPOSITIONS, _AUXILIARIES = frozenset(PREPOSITION_FORMS), frozenset(AUXILIARIES)
_OPEN = {"Nn": ("NN",), "Vform": ("VB", "MD", "NN", "JJ"), "Wform": ("NN", "VB", "JJ", "RB")}
_AFTER_ARTICLE = ("NN", "JJ", "VB", "RB", "CD")
_BEFORE_PREPOSITION, _AFTER_PREPOSITION = ("NN", "VB", "JJ"), ("NN", "PR", "DT", "JJ", "CD", "VB")
_BEFORE_AUXILIARY, _AFTER_AUXILIARY = ("NN", "PR", "MD", "TO", "W", "RB", "VB"), ("VB", "JJ")


def _around(tokens: Sequence[str], words: Sequence[str], k: int, tags: Sequence[str]) -> Iterator[Candidate]:
    """Words put in before a token; articles, prepositions, auxiliaries and commas left out."""
    token, word, before = tokens[k], words[k], words[k - 1] if k else ""
    if token[:1].isalpha():
        yield from _missing(token, word, before, k, tags)
    if (word in ARTICLE_FORMS or word in PREPOSITION_FORMS) and not is_name(tokens, k, tags):
        following = tokens[k + 1 : k + 2]
        kept = (as_written(following[0], token),) if k == 0 and following else tuple(following)
        if following:
            yield Candidate(k, k + 2, kept, "ArtOrDet" if word in ARTICLE_FORMS else "Prep")
    if k and word in AUXILIARIES and k + 1 < len(tokens) and _has_tag(tags, k + 1, ("VB", "RB")):
        yield Candidate(k, k + 1, (), "Vform")
    if token == "," and k:
        yield Candidate(k, k + 1, (), "Comma")
    elif k and before not in ENDS and token not in ENDS:
        yield Candidate(k, k, (",",), "Comma")


def _missing(token: str, word: str, before: str, k: int, tags: Sequence[str]) -> Iterator[Candidate]:
    """Articles, prepositions and auxiliaries before a word."""
    bare = word not in ARTICLE_FORMS
    if bare and before not in ARTICLE_FORMS and _has_tag(tags, k, _AFTER_ARTICLE):
        for article in (*_indefinite(word), "the"):
            yield from _insert_word(article, k, token, "ArtOrDet", name=_tagged_name(tags, k))
    among = _between(tags, k, _BEFORE_PREPOSITION, _AFTER_PREPOSITION)
    if k and bare and among and not {word, before} & _PREPOSITIONS:
        for preposition in LEFT_OUT:
            yield Candidate(k, k, (preposition,), "Prep")
    among = _between(tags, k, _BEFORE_AUXILIARY, _AFTER_AUXILIARY)
    if k and among and not {word, before} & _AUXILIARIES:
        for verb in AUXILIARIES:
            yield Candidate(k, k, (verb,), "Vform")


def _has_tag(tags: Sequence[str], k: int, kinds: tuple[str, ...]) -> bool:
    return not tags or tags[k].startswith(kinds)


def _between(tags: Sequence[str], k: int, before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    return not tags or (tags[k - 1].startswith(before) and tags[k].startswith(after))


def _indefinite(word: str) -> tuple[str, ...]:
    """The indefinite articles that may stand before a word."""
    if word[0] in "heou":  # an hour, a house; a university, an uncle: letters do not tell
        return "a", "an"
    return ("an",) if word[0] in VOWELS else ("a",)


def _insert_word(word: str, k: int, token: str, kind: str, *, name: bool) -> Iterator[Candidate]:
    """A word before a token; at the beginning of a sentence the capital moves to it, from a name it goes nowhere."""
    if k:
        yield Candidate(k, k, (word,), kind)
    elif token[:1].isupper() and not token[1:2].isupper():
        lower = token if name or token == "I" else token[:1].lower() + token[1:]
        yield Candidate(0, 1, (word.capitalize(), lower), kind)


AT_ONCE = 256  # sentences: small blocks are slow to tag, large ones hold many candidates
_GROUP = {name: number for number, name in enumerate(GROUPS)}
_PREPOSITION = {word: number for number, word in enumerate(PREPOSITIONS)}
_VERBS = np.isin(np.arange(sum(map(len, FAMILIES))), FAMILIES[1])
_FORMS = ("R:Nn", "R:Vform", "R:Wform")


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """Candidates of some sentences; columns are parallel."""

    sentences: Sequence[Sequence[str]]  # their tokens
    tags: Sequence[Sequence[str]]  # their tags
    sentence: Ints  # number of each candidate's sentence
    candidates: Sequence[Candidate]  # the changes
    groups: Ints  # an index into ``GROUPS``
    model: Floats  # scores by the language model, in nats
    classifiers: Floats  # scores by the classifiers, in nats, or NaN

    def part(self, chosen: NDArray[np.bool_]) -> Proposals:
        """Some of the candidates."""
        at = np.flatnonzero(chosen)
        return Proposals(
            self.sentences,
            self.tags,
            self.sentence[at],
            [self.candidates[k] for k in at.tolist()],
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
    """The models that find candidates and score them.

    Attributes:
        model: The n-gram model.
        tagger: Whose tags say what a word can be.
        proposer: Finds the candidates.
        classifiers: None: only the language model speaks.
        hashes: The hash of each of these models, by kind: weights learned from its scores are good for no other.
    """

    model: NgramModel
    tagger: Tagger
    proposer: Proposer
    classifiers: Classifiers | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)

    def read(self, sentences: Sequence[Sequence[str]]) -> Proposals:
        """The candidates of some sentences: few enough to be held at once."""
        text = next(iter(self.tagger.blocks(sentences)))
        named = [text.tags[number] for number in text.classes[text.layout.places].tolist()]
        tags = [named[start:end] for start, end in text.layout.spans.tolist()]
        proposed = [self.proposer.candidates(*pair) for pair in zip(sentences, tags, strict=True)]
        numbers = np.repeat(np.arange(len(sentences)), [len(of_sentence) for of_sentence in proposed])
        candidates = [candidate for of_sentence in proposed for candidate in of_sentence]
        groups = np.array([_GROUP[candidate.group] for candidate in candidates], np.int64)
        changes = [
            (number, candidate.start, candidate.end, candidate.replacement)
            for number, candidate in zip(numbers.tolist(), candidates, strict=True)
        ]
        scores = change_scores(self.model, sentences, changes)
        margins = np.full(len(candidates), np.nan)
        if self.classifiers is not None and candidates:
            starts = text.layout.spans[numbers, 0] + np.array([candidate.start for candidate in candidates])
            _Margins(self.classifiers, text, candidates, groups, starts).find(margins)
        return Proposals(sentences, tags, numbers, candidates, groups, scores, margins)


def read_all(reader: Reader, sentences: Sequence[Sequence[str]]) -> Proposals:
    """The candidates of a whole text."""
    parts = [reader.read(sentences[first : first + AT_ONCE]) for first in range(0, len(sentences), AT_ONCE)]
    return Proposals(
        sentences,
        [tags for part in parts for tags in part.tags],
        np.concatenate([part.sentence + number * AT_ONCE for number, part in enumerate(parts)]),
        [candidate for part in parts for candidate in part.candidates],
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("groups", "model", "classifiers")),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Margins:
    """The classifiers' margins of the candidates of a block; ``starts``: first token of each in the block."""

    classifiers: Classifiers
    text: TaggedText
    candidates: Sequence[Candidate]
    groups: Ints
    starts: Ints

    def find(self, margins: Floats) -> None:
        """Fill in the margins of those of which a classifier speaks."""
        self._articles(margins)
        self._prepositions(margins)
        self._forms(margins)

    def _of(self, *groups: str) -> tuple[Ints, list[Candidate]]:
        at = np.flatnonzero(np.isin(self.groups, [_GROUP[name] for name in groups]))
        return at, [self.candidates[k] for k in at.tolist()]

    def _rows(self, tokens: Ints) -> Ints:
        """The row of each token of the block among some tokens, or -1."""
        rows = np.full(len(self.text.layout.places) + 1, -1)
        rows[tokens] = np.arange(len(tokens))
        return rows

    def _articles(self, margins: Floats) -> None:
        slots = find_slots("articles", self.text)
        scores = self.classifiers.articles.scores(slots)
        at, candidates = self._of("M:ArtOrDet", "R:ArtOrDet", "U:ArtOrDet")
        missing = self.groups[at] == _GROUP["M:ArtOrDet"]
        # The place of an article is that of the word after it, which must be of its sentence.
        places = self.starts[at] + ~missing
        ends = self.text.layout.spans[:, 1]
        inside = np.searchsorted(ends, places, "right") == np.searchsorted(ends, self.starts[at], "right")
        rows = np.where(inside, self._rows(slots.tokens)[places], -1)
        left_out = (self.groups[at] == _GROUP["U:ArtOrDet"]).tolist()
        new = [
            0 if out else ARTICLES[candidate.replacement[0].lower()]
            for candidate, out in zip(candidates, left_out, strict=True)
        ]
        # An "A" that is no article to the tagger is none that another could stand for.
        replaced = np.flatnonzero(~missing & (rows >= 0))
        rows[replaced[slots.written[rows[replaced]] == 0]] = -1
        margins[at] = _score_gains(scores, slots.written, rows, np.array(new, np.int64))

    def _prepositions(self, margins: Floats) -> None:
        contexts = find_contexts(self.text)
        scores = self.classifiers.prepositions.scores(self.text, contexts)
        at, candidates = self._of("R:Prep")
        rows = self._rows(contexts.tokens)[self.starts[at]]
        new = np.array([_PREPOSITION[candidate.replacement[0].lower()] for candidate in candidates], np.int64)
        margins[at] = _score_gains(scores, contexts.written, rows, new)

    def _forms(self, margins: Floats) -> None:
        chooser = self.classifiers.forms
        slots = find_slots("forms", self.text)
        scores = chooser.scores(slots)
        at, _ = self._of(*_FORMS)
        rows = self._rows(slots.tokens)[self.starts[at]]
        at, rows = at[rows >= 0], rows[rows >= 0]
        candidates = [self.candidates[k] for k in at.tolist()]
        written = slots.written[rows].astype(np.int64)
        noun = self.groups[at] == _GROUP["R:Nn"]
        verb = self.groups[at] == _GROUP["R:Vform"]
        # The number of a noun is as it is tagged; its other form has the other one.
        new = chooser.words.masks([candidate.replacement[0] for candidate in candidates])
        new[verb] &= _VERBS
        new[noun] = np.eye(new.shape[1], dtype=np.bool_)[np.where(written[noun] < 2, 1 - written[noun], 0)]
        names, words = self.text.lexicon.names, self.text.layout
        old = chooser.words.masks([names[k] for k in words.words[words.places[self.starts[at]]].tolist()])
        old[verb] &= _VERBS
        old[noun] = False
        old[np.arange(len(old)), written] = True
        gains = _log_sum(scores[rows], new) - _log_sum(scores[rows], old)
        spoken = new.any(axis=1) & ~(noun & (written > 1))
        margins[at] = np.where(spoken, gains, np.nan)


def _score_gains(scores: Floats, written: NDArray[np.int8], rows: Ints, new: Ints) -> Floats:
    """The score of the new class less that of the written one; NaN where there is no row (-1), or nothing is new."""
    gains = np.full(len(rows), np.nan)
    at = np.flatnonzero(rows >= 0)
    at = at[written[rows[at]] != new[at]]
    gains[at] = scores[rows[at], new[at]] - scores[rows[at], written[rows[at]]]
    return gains


def _log_sum(scores: Floats, masks: NDArray[np.bool_]) -> Floats:
    """The logarithm of the summed probabilities of some classes."""
    return np.asarray(np.logaddexp.reduce(np.where(masks, scores, -np.inf), axis=1))
