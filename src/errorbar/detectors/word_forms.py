"""Forms of a word that learners mix up: number of nouns, forms of verbs, words of one stem, near spellings.

Rules of English spelling propose, the words of the training text decide: what does not occur there is no form. Words
are in lower case; ``as_written`` gives a form the case of the word that it replaces.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from importlib.resources import files

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


def _doubled(word: str) -> bool:
    """Whether the last consonant may be doubled before a suffix, as in ``stopped``."""
    return len(word) > 2 and word[-1] not in VOWELS | {"w", "x", "y"} and word[-2] in VOWELS and word[-3] not in VOWELS


def with_s(word: str) -> str:
    """The plural of a regular noun, or the third person of a regular verb."""
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def _without_s(word: str) -> Iterator[str]:
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
    found = [base for base in _without_s(word) if with_s(base) == word]
    if not found or word.endswith("ss"):
        found = [*found, with_s(word)]
    return [form for form in dict.fromkeys(found) if form in known]


def verb_forms(word: str, known: Collection[str]) -> list[str]:
    """The other forms of a verb: known words that have a base with it in common."""
    if word in irregular("verb"):
        return [form for form in irregular("verb")[word] if form != word and form in known]
    found: dict[str, None] = {}
    for base in _bases(word):
        if base in known and base not in irregular("verb"):
            forms = _regular(base)
            if word in forms:
                found |= dict.fromkeys(forms)
    return [form for form in found if form != word and form in known]


def _bases(word: str) -> Iterator[str]:
    yield word
    yield from _without_s(word)
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
    if _doubled(base):
        forms |= {base + base[-1] + "ed", base + base[-1] + "ing"}
    return forms


@lru_cache(maxsize=1 << 16)
def stem_of(word: str) -> str:
    """What is left of a word without its longest suffix; at least four letters."""
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
        return [each for each in self._by_stem.get(stem_of(word), ()) if each != word]


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
        twice = once | {part for each in once if len(each) > 3 for part in _parts(each)}
        found = {near for part in twice for near in self._by_part.get(part, ())}
        ranked = sorted((distance(word, near), -self._counts[near], near) for near in found if near != word)
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
