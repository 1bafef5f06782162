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

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.edit import Edit
from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.edits.texts import extract_edits

ERROR = "error"
OK = "ok"
Projection = Literal["tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words"]
PROJECTIONS: tuple[Projection, ...] = (
    "tokens",
    "tokens-before",
    "tokens-after",
    "tokens-gaps",
    "gaps",
    "sentences",
    "words",
)
Labels = Literal["error", "type"]
Cluster = Literal["document", "sentence"]

ARTICLES = frozenset(("a", "an", "the"))
# fmt: off
PREPOSITIONS = frozenset((
    "about", "above", "across", "after", "against", "along", "among", "around", "as", "at", "before", "behind",
    "between", "by", "during", "for", "from", "in", "into", "of", "off", "on", "over", "since", "through", "to",
    "toward", "towards", "under", "until", "upon", "with", "within", "without",
))
# fmt: on
"""Frequent one-word English prepositions.

Tetreault and Chodorow (2008) use 34 and print no list that we know of: the number is theirs, the choice is ours. Words
are told by their form alone, so ``to`` before an infinitive is among them.
"""
WORD_CLASSES: Mapping[str, frozenset[str]] = {"prepositions": PREPOSITIONS, "articles": ARTICLES}


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The judgments that annotators' edits make.

    Attributes:
        judgments: One label per item and annotator who looked. An item is called ``sentence:start-end``, sentences
            counted from 1, tokens from 0, and start = end for a gap; a sentence is called by its number.
        clusters: Number of the document or sentence of each item; what to resample by.
        untouched: Annotator to the number of their edits that touch no item, e.g. insertions among tokens.
        several: Items that edits of different types of one annotator touch; with labels by type they have the first.
    """

    judgments: Judgments
    clusters: NDArray[np.int64]
    untouched: Mapping[str, int]
    several: int

    def notes(self) -> list[Problem]:
        """What the projection could not say, one warning for each kind."""
        found = []
        lost = {name: count for name, count in self.untouched.items() if count}
        if lost:
            counts = ", ".join(f"{name}: {count}" for name, count in lost.items())
            what = f"edits that touch no item ({counts})"
            fix = "the projection tokens-gaps has an item for every insertion"
            found.append(Problem("items-untouched", what, fix=fix, severity="warning"))
        if self.several:
            what = (
                f"{self.several} items are touched by edits of several types of one annotator; the first is the label"
            )
            found.append(Problem("items-several", what, severity="warning"))
        return found


def edit_items(
    corpus: Corpus,
    projection: Projection = "tokens",
    *,
    words: str | Collection[str] = "prepositions",
    type: str = "",
    labels: Labels = "error",
    cluster: Cluster = "document",
) -> Items:
    """Make judgments of a corpus with one or more annotators.

    Args:
        corpus: The corpus.
        projection: What the items are.
        words: With ``words``, a class (``prepositions``, ``articles``) or the words themselves, in any case.
        type: Only edits of this error type count; "": all.
        labels: ``error``: label an item "error" or "ok"; ``type``: label it with the type of the edit, or "ok".
        cluster: What items belong together in resampling; sentences where no document is known.

    Raises:
        UsageError: If an option is unknown, nobody used the error type, or no word of the class occurs.
    """
    _check_option("projection", projection, PROJECTIONS)
    _check_option("labels", labels, ("error", "type"))
    _check_option("cluster", cluster, ("document", "sentence"))
    used = {edit.type for s in corpus.sentences for edits in s.annotations.values() for edit in edits}
    if type and type not in used:
        what = f"no annotator of {corpus.name or 'the corpus'} used the error type '{type}'"
        raise UsageError(Problem("items-type", what, fix=nearest(type, sorted(used - {""})) if used else ""))
    chosen = _word_set(words) if projection == "words" else None
    return _Projector(corpus, projection, chosen, type, labels, cluster).run()


def changed_items(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    projection: Projection = "tokens",
    *,
    words: str | Collection[str] = "prepositions",
) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """The items that the edits between source and outputs touch: names of all items; flags of shape (systems, items).

    Annotations play no part; the other arguments are those of ``edit_items``.

    Raises:
        UsageError: If an option is unknown, or there is no item.
    """
    names = tuple(system.name for system in systems)
    sentences = [
        Sentence(one.text, {each.name: tuple(extract_edits(one.tokens, each.lines[at].split())) for each in systems})
        for at, one in enumerate(corpus.sentences)
    ]
    judgments = edit_items(Corpus(sentences, names, corpus.name), projection, words=words).judgments
    flags = np.zeros((len(names), len(judgments.items)), np.bool_)
    flags[judgments.rater, judgments.item] = judgments.label == judgments.labels.index(ERROR)
    return judgments.items, flags


class _Projector:
    def __init__(
        self,
        corpus: Corpus,
        projection: Projection,
        words: frozenset[str] | None,
        kind: str,
        labels: Labels,
        cluster: Cluster,
    ) -> None:
        self.corpus = corpus
        self.words = words
        self.kind = kind
        self.by_type = labels == "type"
        self.by_document = cluster == "document" and any(s.document for s in corpus.sentences)
        self.spans_of = _SPANS[projection]
        self.touch = _TOUCH.get(projection, _touch_tokens)
        self.sentences_only = projection == "sentences"
        self.several = 0
        self.untouched: Counter[str] = Counter(dict.fromkeys(corpus.annotators, 0))
        self.label_names = {OK: 0} if self.by_type else {OK: 0, ERROR: 1}

    def run(self) -> Items:
        raters = {name: code for code, name in enumerate(self.corpus.annotators)}
        names: list[str] = []
        clusters: list[int] = []
        documents: dict[str, int] = {}
        columns: tuple[list[NDArray[np.int32]], ...] = ([], [], [])
        for number, sentence in enumerate(self.corpus.sentences, 1):
            places = self._places(sentence)
            document = sentence.document or f"\0{number}"  # a sentence without one is a document of its own
            group = documents.setdefault(document, len(documents)) if self.by_document else number
            first = len(names)
            names += self._names(number, places)
            clusters += [group] * len(places)
            for annotator, edits in sentence.annotations.items():
                codes = self._labels(edits, places, annotator)
                columns[0].append(np.arange(first, len(names), dtype=np.int32))
                columns[1].append(np.full(len(places), raters[annotator], np.int32))
                columns[2].append(np.array(codes, np.int32))
        if not names:
            raise UsageError(self._nothing())
        item, rater, label = (np.concatenate([*column, np.empty(0, np.int32)]) for column in columns)
        table = Judgments(item, rater, label, tuple(names), self.corpus.annotators, tuple(self.label_names))
        return Items(table, np.array(clusters, np.int64), dict(self.untouched), self.several)

    def _places(self, sentence: Sentence) -> dict[tuple[int, int], int]:
        """Span of each item to its number in the sentence."""
        tokens = sentence.tokens
        spans = self.spans_of(len(tokens))
        if self.words is not None:
            spans = [span for span in spans if tokens[span[0]].casefold() in self.words]
        return {span: at for at, span in enumerate(spans)}

    def _names(self, number: int, places: Mapping[tuple[int, int], int]) -> list[str]:
        if self.sentences_only:
            return [str(number)]
        return [f"{number}:{start}-{end}" for start, end in places]

    def _labels(self, edits: Sequence[Edit], places: Mapping[tuple[int, int], int], annotator: str) -> list[int]:
        codes = [0] * len(places)
        types: dict[int, set[str]] = {}
        for edit in edits:
            if self.kind and edit.type != self.kind:
                continue
            touched = [places[span] for span in self.touch(edit) if span in places]
            if not touched:
                self.untouched[annotator] += 1
            for at in touched:
                if not codes[at]:
                    codes[at] = self._code(edit)
                types.setdefault(at, set()).add(edit.type)
        if self.by_type:
            self.several += sum(len(kinds) > 1 for kinds in types.values())
        return codes

    def _code(self, edit: Edit) -> int:
        if not self.by_type:
            return 1
        # An edit without a type is an error all the same, and a type called "ok" must not look like none.
        name = edit.type if edit.type not in ("", OK) else ERROR if not edit.type else f"type {OK}"
        return self.label_names.setdefault(name, len(self.label_names))

    def _nothing(self) -> Problem:
        what = "no word of the class occurs" if self.words is not None else "the corpus has no item"
        return Problem("items-none", f"{what}: there is nothing to judge", Place(self.corpus.name))


def _token_spans(n: int) -> list[tuple[int, int]]:
    return [(at, at + 1) for at in range(n)]


def _gap_spans(n: int) -> list[tuple[int, int]]:
    return [(at, at) for at in range(n + 1)]


_WHOLE = (-1, -1)
_SPANS: dict[Projection, Callable[[int], list[tuple[int, int]]]] = {
    "tokens": _token_spans,
    "tokens-before": _token_spans,
    "tokens-after": _token_spans,
    "tokens-gaps": lambda n: _token_spans(n) + _gap_spans(n),
    "gaps": _gap_spans,
    "sentences": lambda _: [_WHOLE],
    "words": _token_spans,
}


def _touch_tokens(edit: Edit) -> list[tuple[int, int]]:
    """The tokens of an edit, or the gap of an insertion, which is an item only where gaps are."""
    if edit.is_insertion:
        return [edit.span]
    return [(at, at + 1) for at in range(edit.start, edit.end)]


def _touch_before(edit: Edit) -> list[tuple[int, int]]:
    return [(edit.start - 1, edit.start)] if edit.is_insertion else _touch_tokens(edit)


def _touch_after(edit: Edit) -> list[tuple[int, int]]:
    return [(edit.start, edit.start + 1)] if edit.is_insertion else _touch_tokens(edit)


_TOUCH: dict[Projection, Callable[[Edit], list[tuple[int, int]]]] = {
    "tokens-before": _touch_before,
    "tokens-after": _touch_after,
    "sentences": lambda _: [_WHOLE],
}


def split_items(items: str) -> tuple[Projection, str | list[str]]:
    """Read what says what the items are: a projection, or ``words:articles`` or ``words:a,b,c``.

    Returns:
        The projection, and the words that are items or the name of their class.

    Raises:
        UsageError: If words are named for another projection.
    """
    name, colon, named = items.partition(":")
    if colon and (name != "words" or not named):
        what = f"the items must be one of {', '.join(PROJECTIONS)}, or words:CLASS or words:a,b,c, got '{items}'"
        raise UsageError(Problem("bad-parameter", what))
    words = named or "prepositions"
    return cast("Projection", name), words if words in WORD_CLASSES else [word for word in words.split(",") if word]


def _word_set(words: str | Collection[str]) -> frozenset[str]:
    if isinstance(words, str):
        _check_option("words", words, tuple(WORD_CLASSES))
        return WORD_CLASSES[words]
    return frozenset(word.casefold() for word in words)


def _check_option(what: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(Problem("items-option", f"{what} is '{value}'", fix=nearest(value, known)))
