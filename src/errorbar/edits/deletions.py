"""What annotators delete: of each edit the tokens that its correction does not have and puts nothing in place of.

Conventions
    An edit is cut into the smallest ones (``extract_edits``) between its tokens and its first correction; those that
    replace or insert something are left out. So ``in the`` to ``the`` deletes ``in``, ``on`` to ``in`` nothing. Edits
    of unclear meaning and those without a correction delete nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from errorbar.core.corpus import Corpus
from errorbar.core.edit import Edit
from errorbar.edits.texts import extract_edits

GONE = ("",)


def only_deletions(corpus: Corpus) -> Corpus:
    """The corpus with nothing but deletions, each of the type of its edit; who looked at what stays known."""
    sentences = [
        replace(
            sentence,
            annotations={
                name: tuple(piece for edit in edits for piece in _deleted(edit, sentence.tokens))
                for name, edits in sentence.annotations.items()
            },
        )
        for sentence in corpus.sentences
    ]
    return Corpus(sentences, corpus.annotators, corpus.name)


def _deleted(edit: Edit, tokens: Sequence[str]) -> Iterator[Edit]:
    if not edit.applicable or edit.is_insertion:
        return
    for piece in extract_edits(tokens[edit.start : edit.end], edit.replacements[0].split()):
        if piece.replacements == GONE:
            yield edit._replace(start=edit.start + piece.start, end=edit.start + piece.end, replacements=GONE)
