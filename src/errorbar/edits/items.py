"""Edits as judgments: every token, gap, sentence or word of a class is an item, every annotator a rater.

Formula
    An annotator who looked at a sentence gives every item in it one label: "error" if one of their edits touches the
    item, else "ok". An edit of tokens [i, j) touches the tokens i to j-1; an insertion at i touches the gap before
    token i and no token.
Conventions
    ``tokens`` (the default) leaves insertions out, as no token is wrong; ``tokens-before`` and ``tokens-after`` give an
    insertion to the token before or after it, and ``tokens-gaps`` adds the n + 1 gaps of a sentence of n tokens as
    items. An edit that touches no item is counted, never guessed into one. A sentence is touched by any of its
    edits. Edits count as annotated, with everything in their span, and so do edits without a known correction
    (unclear meaning). An annotator who did not look at a sentence gives its items no label.
Source
    CoNLL-2014 (Ng et al. 2014, section 4.3) for agreement in identification, which they publish as kappa .43 without
    saying what becomes of insertions; the words as items are Tetreault and Chodorow's (2008).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.edit import Edit
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Place, Problem, UsageError, nearest, wrong_type
from errorbar.edits.texts import extract_edits

ERROR = "error"
OK = "ok"
Projection = Literal["tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words"]
PROJECTIONS: tuple[Projection, ...] = get_args(Projection)
Labels = Literal["error", "type"]
Span = tuple[int, int]
Words = str | Collection[str]  # a class of words, or the words themselves, in any case

# Frequent ones of one word. Tetreault and Chodorow (2008) use 34 and print no list that we know of: the number is
# theirs, the choice is ours. Words are told by their form alone, so ``to`` before an infinitive is among them.
# fmt: off
PREPOSITIONS = frozenset((
    "about", "above", "across", "after", "against", "along", "among", "around", "as", "at", "before", "behind",
    "between", "by", "during", "for", "from", "in", "into", "of", "off", "on", "over", "since", "through", "to",
    "toward", "towards", "under", "until", "upon", "with", "within", "without",
))
# fmt: on
WORD_CLASSES = {"prepositions": PREPOSITIONS, "articles": frozenset(("a", "an", "the"))}


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The judgments that edits make; an item is ``sentence:start-end`` (start = end: a gap), or ``sentence``."""

    judgments: Judgments  # one label per item and annotator who looked
    clusters: NDArray[np.int64]  # number of the document or sentence of each item; what to resample by
    untouched: Mapping[str, int]  # of each annotator's edits, how many touch no item, e.g. insertions among tokens
    several: int  # items that edits of different types of one annotator touch; with labels by type they have the first
    unused: tuple[str, ...] = ()  # types that were asked for and that nobody used, where others were

    def notes(self) -> list[Problem]:
        """Warnings about all that the projection lost, one for each kind."""
        problems = []
        lost = {name: count for name, count in self.untouched.items() if count}
        if lost:
            n = sum(lost.values())
            many = f"{n:,} edits touch no item and are" if n > 1 else "1 edit touches no item and is"
            by = f"annotator {', '.join(f'{name}: {count:,}' for name, count in lost.items())}"
            fix = "--items=tokens-gaps has an item for every insertion"
            problems.append(Problem("items-untouched", f"{many} not counted ({by})", fix=fix, severity="warning"))
        if self.several:
            message = f"{self.several} items are touched by edits of several types of one annotator"
            problems.append(Problem("items-several", f"{message}; the first is the label", severity="warning"))
        if self.unused:
            message = f"no annotator used the error type {_quote_names(self.unused)}; the others count"
            problems.append(Problem("items-type", message, severity="warning"))
        return problems


def _quote_names(names: Sequence[str]) -> str:
    return " or ".join(f"'{name}'" for name in names)


def split_types(type: str | Sequence[str]) -> tuple[str, ...]:
    """The error types that a text with commas or a list names, each once."""
    texts = (type,) if isinstance(type, str) else type
    return tuple(dict.fromkeys(name for text in texts for part in text.split(",") if (name := part.strip())))


def edit_items(
    corpus: Corpus,
    projection: Projection = "tokens",
    *,
    words: Words = "prepositions",
    type: str | Sequence[str] = "",
    labels: Labels = "error",
) -> Items:
    """Make judgments of a corpus with one or more annotators; an option that does not fit is a ``UsageError``.

    Items are those of the ``projection``; with ``words``, those of a class (``prepositions``, ``articles``) or some
    words. Only edits of an error ``type`` or of several (a list, or names between commas) count, "": all.
    ``labels``: "error" or "ok", or the type of the edit or "ok".
    Documents belong together in resampling; sentences where no document is known.
    """
    if not isinstance(corpus, Corpus):
        raise wrong_type("the corpus", "a Corpus", corpus)
    corpus.check()
    _check_option("projection", projection, PROJECTIONS)
    _check_option("labels", labels, get_args(Labels))
    used = {edit.type for s in corpus.sentences for edits in s.annotations.values() for edit in edits}
    types = split_types(type)
    unused = tuple(name for name in types if name not in used)
    if types and len(unused) == len(types):
        message = f"no annotator of {corpus.name or 'the corpus'} used the error type {_quote_names(types)}"
        raise UsageError(Problem("items-type", message, fix=nearest(types[0], sorted(used - {""})) if used else ""))
    project = _Projection(projection, _word_set(words) if projection == "words" else None, labels == "type")
    by_document = any(s.document for s in corpus.sentences)
    raters = {name: code for code, name in enumerate(corpus.annotators)}
    untouched = dict.fromkeys(corpus.annotators, 0)
    several = 0
    names: list[str] = []
    clusters: list[int] = []
    documents: dict[str, int] = {}
    items: list[range] = []
    who: list[int] = []
    label: list[int] = []
    for number, sentence in enumerate(corpus.sentences, 1):
        places = project.places(sentence)
        # A sentence without a document is a document of its own.
        document = sentence.document if by_document and sentence.document else f"\0{number}"
        clusters += [documents.setdefault(document, len(documents))] * len(places)
        own = range(len(names), len(names) + len(places))
        names += [f"{number}:{start}-{end}" if start >= 0 else str(number) for start, end in places]
        for annotator, edits in sentence.annotations.items():
            codes, lost, mixed = project.labels_of([edit for edit in edits if not types or edit.type in types], places)
            untouched[annotator] += lost
            several += mixed
            items.append(own)
            who.append(raters[annotator])
            label += codes
    if not names:
        message, fix = "the corpus has no item", ""
        if projection == "words":
            named = words if isinstance(words, str) and words in WORD_CLASSES else "words"
            message = f"the items are {named}, and none of them occurs"
            fix = "--items=sentences asks about whole sentences, --items=tokens about every word"
        raise UsageError(Problem("items-none", f"{message}: there is nothing to judge", Place(corpus.name), fix=fix))
    item = np.concatenate([np.empty(0, np.int32), *(np.arange(own.start, own.stop, dtype=np.int32) for own in items)])
    rater = np.repeat(np.array(who, np.int32), [len(own) for own in items])
    table_of = (item, rater, np.array(label, np.int32), tuple(names), corpus.annotators, tuple(project.label_names))
    return Items(Judgments(*table_of), np.array(clusters, np.int64), untouched, several, unused)


def find_changed_items(
    corpus: Corpus, systems: Sequence[Hypothesis], projection: Projection = "tokens", *, words: Words = "prepositions"
) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """The items that the edits of outputs touch: names of all items; flags of shape (systems, items)."""
    names = tuple(system.name for system in systems)
    sentences = [
        Sentence(one.text, {each.name: tuple(extract_edits(one.tokens, each.lines[at].split())) for each in systems})
        for at, one in enumerate(corpus.sentences)
    ]
    judgments = edit_items(Corpus(sentences, names, corpus.name), projection, words=words).judgments
    flags = np.zeros((len(names), len(judgments.items)), np.bool_)
    row = np.array([names.index(name) for name in judgments.raters])  # raters are in an order of their own
    flags[row[judgments.rater], judgments.item] = judgments.label == judgments.labels.index(ERROR)
    return judgments.items, flags


def split_items(items: str) -> tuple[Projection, str | list[str]]:
    """Read what the items are, ``words:articles``, ``words:a,b,c`` or a projection: that, and words or their class."""
    name, colon, named = items.partition(":")
    if colon and (name != "words" or not named):
        message = f"the items must be one of {', '.join(PROJECTIONS)}, or words:CLASS or words:a,b,c, got '{items}'"
        raise UsageError(Problem("bad-parameter", message))
    words = named or "prepositions"
    return cast("Projection", name), words if words in WORD_CLASSES else [word for word in words.split(",") if word]


_SENTENCE: Span = (-1, -1)


class _Projection:
    """Which spans of a sentence are items, which of them an edit touches, and the codes of labels used so far."""

    def __init__(self, projection: Projection, words: frozenset[str] | None, by_type: bool) -> None:
        self.projection = projection
        self.words = words
        self.by_type = by_type
        self.label_names = {OK: 0} if by_type else {OK: 0, ERROR: 1}

    def places(self, sentence: Sentence) -> dict[Span, int]:
        """Span of each item to its number in the sentence."""
        if self.projection == "sentences":
            return {_SENTENCE: 0}
        tokens = sentence.tokens
        spans = [] if self.projection == "gaps" else [(at, at + 1) for at in range(len(tokens))]
        if self.words is not None:
            spans = [span for span in spans if tokens[span[0]].casefold() in self.words]
        if self.projection in ("gaps", "tokens-gaps"):
            spans += [(at, at) for at in range(len(tokens) + 1)]
        return {span: at for at, span in enumerate(spans)}

    def _touched_spans(self, edit: Edit) -> list[Span]:
        """The tokens of an edit, or the gap of an insertion; these are items only where the projection has them."""
        if self.projection == "sentences":
            return [_SENTENCE]
        if not edit.is_insertion:
            return [(at, at + 1) for at in range(edit.start, edit.end)]
        if self.projection == "tokens-before":
            return [(edit.start - 1, edit.start)]
        return [(edit.start, edit.start + (self.projection == "tokens-after"))]

    def labels_of(self, edits: Sequence[Edit], places: Mapping[Span, int]) -> tuple[list[int], int, int]:
        """Label code of each item, edits that touch none, and items with labels of several types."""
        codes = [0] * len(places)
        types: dict[int, set[str]] = {}
        untouched = 0
        for edit in edits:
            touched = [places[span] for span in self._touched_spans(edit) if span in places]
            untouched += not touched
            for at in touched:
                codes[at] = codes[at] or self._code(edit)
                types.setdefault(at, set()).add(edit.type)
        return codes, untouched, sum(len(kinds) > 1 for kinds in types.values()) if self.by_type else 0

    def _code(self, edit: Edit) -> int:
        if not self.by_type:
            return 1
        # An edit without a type is an error all the same, and a type called "ok" must not look like none.
        name = f"type {OK}" if edit.type == OK else edit.type or ERROR
        return self.label_names.setdefault(name, len(self.label_names))


def _word_set(words: Words) -> frozenset[str]:
    if isinstance(words, str):
        _check_option("words", words, tuple(WORD_CLASSES))
        return WORD_CLASSES[words]
    return frozenset(word.casefold() for word in words)


def _check_option(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(Problem("items-option", f"{what} is '{value}'", fix=nearest(value, known)))
