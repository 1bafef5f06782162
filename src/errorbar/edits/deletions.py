"""What annotators delete: of each edit the tokens that its correction does not have and puts nothing in place of.

Conventions
    An edit is cut into the smallest ones (``extract_edits``) between its tokens and its first correction; those that
    replace or insert something are left out. So ``in the`` to ``the`` deletes ``in``, ``on`` to ``in`` nothing. A token
    that the correction has as often as the source was moved, not deleted. Edits of unclear meaning and those without a
    correction delete nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from errorbar.core.corpus import Corpus
from errorbar.core.edit import Edit
from errorbar.edits.texts import extract_edits

GONE = ("",)


def only_deletions(corpus: Corpus) -> Corpus:
    """The corpus with nothing but deletions, token by token, of the types of their edits; who looked stays known."""
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
    source, target = tokens[edit.start : edit.end], edit.replacements[0].split()
    gone = Counter(source) - Counter(target)
    for piece in extract_edits(source, target):
        if piece.replacements != GONE:
            continue
        for at in range(piece.start, piece.end):
            if gone[source[at]] > 0:
                gone[source[at]] -= 1
                yield edit._replace(start=edit.start + at, end=edit.start + at + 1, replacements=GONE)
