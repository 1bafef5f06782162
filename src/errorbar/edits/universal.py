"""Types of edits in any language: operation, part of speech, and the features that change; they are not ERRANT's.

Formula
    A type is ``OPERATION:CATEGORY``, and ``R:PART:FEATURES`` where a word keeps its lemma and part of speech.
    OPERATION: ``M`` (missing: the edit only inserts), ``U`` (unnecessary: it only deletes), ``R`` (replacement).
    CATEGORY is the first of these that fits the words of both sides, without those that both begin or end with:
    ``CASE`` (the same letters in other case), ``SPACE`` (the same letters, written together or apart), ``ORDER`` (the
    same words in another order), ``PUNCT`` (marks and symbols alone), ``SPELL`` (one word for one of another lemma
    that is written nearly alike, and not only the ends of which differ; no function words), the part of speech that all
    words have, ``MORPH`` (one word for one of another part of speech that has the same lemma, or the same beginning),
    ``OTHER``. Without a parser it is ``WORD`` instead of the last three.
Conventions
    Words are compared without regard to case. Two words are written nearly alike where their letters have a likeness
    of ``NEARLY`` or more: twice the number of letters in common, in order, over the number of all. Parts of speech
    that annotation guidelines divide in different ways count as one where both occur in an edit (``FAMILIES``): VERB
    with AUX and PART, NOUN with PROPN, DET with PRON, ADP with SCONJ; the first gives the name. FEATURES are the
    names of the features of Universal Dependencies that differ, joined by ``+``: ``R:NOUN:Number``. An edit that
    overlaps another of its annotator is typed as if it stood alone. Of several corrections the first counts. ``Um`` and
    ``UNK`` stay: they say that no correction is known, and ``Um`` that an empty one is no deletion.
    Edits of texts are the smallest ones (``errorbar.edits.texts``); one of as many words on both sides is cut where two
    words belong together: the lemma or the part of speech is the same, or they are written alike.
Source
    The operations, and the idea that rules over both sides' words give the type, are those of Bryant, Felice & Briscoe
    2017; parts of speech and features those of Universal Dependencies (Nivre et al. 2020). The rules are errorbar's
    own and know no language.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice

from errorbar.core.corpus import Annotation, Sentence, TextEdits
from errorbar.core.edit import UNCLEAR, Edit
from errorbar.edits.parses import Parse, Parser, Word
from errorbar.edits.texts import overlaps
from errorbar.formats.m2 import UNKNOWN

NEARLY = 0.75
RELATED = 0.5  # likeness of words of which one can be what became of the other
BATCH = 256  # sentences that are parsed together
FAMILIES = (("VERB", "AUX", "PART"), ("NOUN", "PROPN"), ("DET", "PRON"), ("ADP", "SCONJ"))
_VERBAL = frozenset(FAMILIES[0])
_FUNCTION = frozenset(("ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ"))

_Span = tuple[int, int, int, int]
"""A span of the source and one of the target."""


def type_sentences(sentences: Iterable[Sentence], parser: Parser | None) -> Iterator[Sentence]:
    """Yield sentences with universal types of their edits; edits that were made of texts are cut anew.

    Raises:
        InputError: If the parser lacks a text.
    """
    rows = iter(sentences)
    while batch := list(islice(rows, BATCH)):
        typings = [(sentence, _typings(sentence)) for sentence in batch]
        wanted = {typing.text for _, own in typings for typing in own}
        wanted |= {" ".join(sentence.tokens) for sentence, own in typings if own}
        parses = _parse(sorted(wanted), parser)
        for sentence, own in typings:
            source = parses.get(" ".join(sentence.tokens), [])
            typed: dict[str, list[Edit]] = {name: [] for name in sentence.annotations}
            for typing in own:
                typed[typing.annotator] += typing.type_edits(source, parses[typing.text])
            annotations: dict[str, Annotation] = {
                name: tuple(sorted(edits, key=lambda edit: edit.span)) for name, edits in typed.items()
            }
            yield replace(sentence, annotations=annotations)


def _parse(texts: Sequence[str], parser: Parser | None) -> dict[str, Parse]:
    parses: list[Parse] = (
        [[Word(token) for token in text.split()] for text in texts] if parser is None else parser.parse(texts)
    )
    return dict(zip(texts, parses, strict=True))


class _Typing:
    """Edits of one annotator that are applied together, and the text that they make."""

    def __init__(self, annotator: str, tokens: Sequence[str], edits: Sequence[Edit], *, cuts: bool) -> None:
        self.annotator = annotator
        self._cuts = cuts
        self._edits: list[tuple[Edit, int, int]] = []  # each with the span of what it writes
        words: list[str] = []
        at = 0
        for edit in edits:
            words += tokens[at : edit.start]
            new = edit.replacements[0].split() if edit.applicable else tokens[edit.start : edit.end]
            self._edits.append((edit, len(words), len(words) + len(new)))
            words += new
            at = edit.end
        self.text = " ".join([*words, *tokens[at:]])

    def type_edits(self, source: Parse, target: Parse) -> Iterator[Edit]:
        """Give each edit its type."""
        for edit, start, end in self._edits:
            before, after = source[edit.start : edit.end], target[start:end]
            if edit.type in (UNCLEAR, UNKNOWN):  # the type says that there is no correction, whatever stands there
                yield edit
            elif not edit.replacements:  # wrong, and nobody says what would be right
                yield edit._replace(type=f"R:{_part(before) or 'WORD'}")
            elif not self._cuts:
                yield edit._replace(type=universal_type(before, after))
            else:
                for first, last, other_first, other_last in cut_edit(before, after):
                    new = after[other_first:other_last]
                    kind = universal_type(before[first:last], new)
                    text = " ".join(word.form for word in new)
                    yield Edit(edit.start + first, edit.start + last, (text,), kind)


def _typings(sentence: Sentence) -> list[_Typing]:
    """The edits of each annotator; those that overlap an earlier one are on their own."""
    typings = []
    for name, edits in sentence.annotations.items():
        together: list[Edit] = []
        for edit in sorted(edits, key=lambda each: each.span):
            if together and overlaps(edit, together[-1]):
                typings.append(_Typing(name, sentence.tokens, [edit], cuts=False))
            else:
                together.append(edit)
        if together:
            typings.append(_Typing(name, sentence.tokens, together, cuts=isinstance(edits, TextEdits)))
    return typings


def universal_type(source: Parse, target: Parse) -> str:
    """The type of an edit that puts some words in place of others."""
    before, after = [_fold(word) for word in source], [_fold(word) for word in target]
    if before and after:
        if before == after:
            return "R:CASE"
        if "".join(before) == "".join(after):
            return "R:SPACE"
        if len(before) > 1 and Counter(before) == Counter(after):
            return "R:ORDER"
        source, target = _without_common_ends(source, target)
    operation = "M" if not source else "U" if not target else "R"
    return f"{operation}:{_category(source, target)}"


def _category(source: Parse, target: Parse) -> str:
    words = [*source, *target]
    if all(_is_mark(word.form) for word in words):
        return "PUNCT"
    if len(source) == len(target) == 1:
        return _category_of_pair(source[0], target[0])
    return (_part(words) or "OTHER") if all(word.part for word in words) else "WORD"


def _category_of_pair(before: Word, after: Word) -> str:
    parsed = bool(before.part and after.part)
    first, second = _fold(before), _fold(after)
    same_lemma = bool(before.lemma) and before.lemma.casefold() == after.lemma.casefold()
    other_end = differ_at_end(first, second)
    is_function = {before.part, after.part} & _FUNCTION
    if not same_lemma and not other_end and not is_function and likeness(first, second) >= NEARLY:
        return "SPELL"
    if not parsed:
        return "WORD"
    part = _part([before, after])
    if part and same_lemma:
        return ":".join(filter(None, (part, changed_features(before, after))))
    return part or ("MORPH" if same_lemma or (other_end and not is_function) else "OTHER")


def differ_at_end(first: str, second: str) -> bool:
    """Whether two words begin alike, for half of the longer one or more, and end in other letters."""
    shorter, longer = sorted((len(first), len(second)))
    n_common = next((k for k in range(shorter) if first[k] != second[k]), shorter)
    ends = first[n_common:], second[n_common:]
    return 2 * n_common >= longer and not (ends[0] and ends[1] and ends[0][-1] == ends[1][-1])


def changed_features(before: Word, after: Word) -> str:
    """The names of the features that differ, joined by ``+``."""
    names = sorted(before.features.keys() | after.features.keys())
    return "+".join(name for name in names if before.features.get(name) != after.features.get(name))


def _part(words: Sequence[Word]) -> str:
    """The part of speech that all words have, or the first of a family; none: empty."""
    parts = {word.part for word in words}
    if len(parts) == 1:
        return next(iter(parts))
    return next((family[0] for family in FAMILIES if parts <= set(family)), "")


def _fold(word: Word) -> str:
    return word.form.casefold()


@lru_cache(maxsize=1 << 14)
def _is_mark(form: str) -> bool:
    return all(unicodedata.category(letter)[0] in "PS" for letter in form)


@lru_cache(maxsize=1 << 14)
def likeness(first: str, second: str) -> float:
    """How alike two words are written, from 0 to 1."""
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def _without_common_ends(source: Parse, target: Parse) -> tuple[Parse, Parse]:
    first, last = 0, 0
    shorter = min(len(source), len(target))
    while last < shorter and _fold(source[-1 - last]) == _fold(target[-1 - last]):
        last += 1
    while first < shorter - last and _fold(source[first]) == _fold(target[first]):
        first += 1
    return source[first : len(source) - last], target[first : len(target) - last]


# An edit between two texts, cut into those of words that belong together.


def cut_edit(source: Parse, target: Parse) -> list[_Span]:
    """Cut an edit where one word takes the place of one that it belongs to; spans of source and target, in order.

    Of edits with more words on one side the whole is one: annotators, and ERRANT, seldom mark its parts.
    """
    whole = (0, len(source), 0, len(target))
    if len(source) != len(target) or len(source) < 2:
        return [whole]
    before, after = [_fold(word) for word in source], [_fold(word) for word in target]
    if Counter(before) == Counter(after) or "".join(before) == "".join(after):
        return [whole]
    if all(word.part in _VERBAL for word in (*source, *target)):
        return [whole]
    pieces: list[_Span] = []
    for first, last, other_first, other_last in _align(source, target):
        own = source[first:last], target[other_first:other_last]
        if last - first == other_last - other_first == 1 and _belong(own[0][0], own[1][0]):
            pieces.append((first, last, other_first, other_last))
        elif pieces and pieces[-1][1] == first and not _is_pair(pieces[-1], source, target):
            pieces[-1] = (pieces[-1][0], last, pieces[-1][2], other_last)
        else:
            pieces.append((first, last, other_first, other_last))
    return pieces


def _is_pair(piece: _Span, source: Parse, target: Parse) -> bool:
    first, last, other_first, other_last = piece
    return last - first == other_last - other_first == 1 and _belong(source[first], target[other_first])


def _belong(before: Word, after: Word) -> bool:
    """Whether one word is what became of the other."""
    same_lemma = bool(before.lemma) and before.lemma.casefold() == after.lemma.casefold()
    same_part = bool(before.part) and before.part == after.part
    return same_lemma or same_part or likeness(_fold(before), _fold(after)) >= RELATED


def _align(source: Parse, target: Parse) -> list[_Span]:
    """Steps of the cheapest alignment: a word for a word, a word deleted, or a word inserted.

    A substitution costs 1 less the likeness of the words, and .5 each for another lemma and another part of speech
    (without a parser what the likeness costs once more); an insertion or deletion costs 1.
    """
    costs = [[float(j) for j in range(len(target) + 1)]]
    for i, before in enumerate(source, 1):
        row = [float(i)]
        for j, after in enumerate(target, 1):
            row.append(min(costs[i - 1][j - 1] + _cost(before, after), costs[i - 1][j] + 1, row[j - 1] + 1))
        costs.append(row)
    steps: list[_Span] = []
    i, j = len(source), len(target)
    while i or j:
        if i and j and costs[i][j] == costs[i - 1][j - 1] + _cost(source[i - 1], target[j - 1]):
            steps.append((i - 1, i, j - 1, j))
            i, j = i - 1, j - 1
        elif i and costs[i][j] == costs[i - 1][j] + 1:
            steps.append((i - 1, i, j, j))
            i -= 1
        else:
            steps.append((i, i, j - 1, j))
            j -= 1
    return steps[::-1]


def _cost(before: Word, after: Word) -> float:
    unlike = 1 - likeness(_fold(before), _fold(after))
    if not (before.part and after.part):
        return 2 * unlike
    other_lemma = before.lemma.casefold() != after.lemma.casefold()
    return unlike + 0.5 * other_lemma + 0.5 * (before.part != after.part)
