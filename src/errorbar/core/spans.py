"""Marked stretches of texts: what several annotators marked in each, corrected or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from errorbar.core.corpus import Corpus
from errorbar.core.edit import Edit


class Span(NamedTuple):
    """A stretch of a text, half-open, and the type that an annotator gave it; ``""``: none."""

    start: int
    end: int
    type: str = ""


@dataclass(frozen=True, slots=True)
class SpannedText:
    """A text and what its annotators marked.

    Attributes:
        name: Of the text, as its table has it; of a sentence its number.
        length: How many places it has: characters, tokens, or tokens and the gaps between them.
        spans: Annotator to spans in order, those of a type disjoint. Empty: looked and found nothing. Absent: did not
            look.
        document: Of the text, or ``""``; the cluster of resampling.
    """

    name: str
    length: int
    spans: Mapping[str, tuple[Span, ...]]
    document: str = ""


def spans_of_corpus(corpus: Corpus) -> list[SpannedText]:
    """The edits of a corpus as spans of places: a sentence of n tokens has 2n + 1, its gaps and tokens in turn.

    An edit of tokens i to j - 1 stands on those tokens and the gaps between them, 2(j - i) - 1 places; an insertion on
    its gap, one place. So no edit is empty, and an insertion lies beside the tokens around it, not on them. Where
    annotators labeled tokens, tokens in a row are one span.
    """
    return [
        SpannedText(
            str(number),
            2 * len(sentence.tokens) + 1,
            {
                annotator: _join_neighbors(edits) if corpus.labeled else tuple(map(_place_edit, edits))
                for annotator, edits in sentence.annotations.items()
            },
            sentence.document,
        )
        for number, sentence in enumerate(corpus.sentences, 1)
    ]


def _place_edit(edit: Edit) -> Span:
    return Span(2 * edit.start + (not edit.is_insertion), 2 * edit.end + edit.is_insertion, edit.type)


def _join_neighbors(edits: Iterable[Edit]) -> tuple[Span, ...]:
    spans: list[Span] = []
    for span in sorted(map(_place_edit, edits)):
        if spans and spans[-1].type == span.type and span.start <= spans[-1].end + 1:
            spans[-1] = spans[-1]._replace(end=span.end)
        else:
            spans.append(span)
    return tuple(spans)


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order, where those of one type that overlap are one."""
    last: dict[str, Span] = {}
    merged: list[Span] = []
    for span in sorted(spans):
        before = last.get(span.type)
        if before is not None and span.start < before.end:
            last[span.type] = before._replace(end=max(before.end, span.end))
            continue
        merged += [] if before is None else [before]
        last[span.type] = span
    return tuple(sorted((*merged, *last.values())))
