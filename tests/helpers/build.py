"""Small corpora in one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from errorbar import Corpus, Edit, Sentence


def edit(start: int, end: int, *replacements: str, kind: str = "") -> Edit:
    """An edit; more than one replacement are alternatives."""
    return Edit(start, end, replacements, kind)


def sentence(text: str, annotations: Mapping[str, Sequence[Edit]]) -> Sentence:
    """A sentence; an annotator with no edits looked and found nothing."""
    return Sentence(text, {name: tuple(edits) for name, edits in annotations.items()})


def corpus(*sentences: Sentence, annotators: Sequence[str] = ()) -> Corpus:
    """A corpus whose annotators are all that occur, in the order of their names, unless they are given."""
    found = sorted({name for sentence in sentences for name in sentence.annotations})
    return Corpus(list(sentences), tuple(annotators or found))
