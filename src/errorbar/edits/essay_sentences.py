"""Essays cut into sentences: where the source ends one and no reference goes across, systems at the same places.

Conventions
    A sentence ends at a token that ends in ``ENDS``, perhaps followed by closing quotation marks or brackets, whatever
    the language. An abbreviation ends one too: a unit is then smaller than a sentence, which changes no count of edits.
    The essay is cut there unless an edit of a reference covers both sides of the place. What an annotator inserts at
    the place goes to the sentence before it if it ends one, else to the one behind it.
    A system's essay is aligned with the source by its smallest edits. Of an edit that covers both sides of a place what
    it writes goes to the first of its sentences, and the others lose the words that it replaces.
Source
    errorbar's own. MultiGEC-2025 (Masciolini et al. 2025) has whole essays, each one unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from errorbar.core.corpus import Annotation, Corpus, CorrectedSentence, Sentence, TextEdits
from errorbar.core.edit import Edit
from errorbar.core.problems import Place, Problem, UsageError
from errorbar.edits.texts import apply_edits, extract_edits
from errorbar.edits.tokenizers import SystemStream

ENDS = frozenset(".!?…。！？｡؟۔।॥։።")
_CLOSING = frozenset("\"'”’»›)]}」』）")


def ends_sentence(token: str) -> bool:
    """Whether a token ends in a mark that ends a sentence."""
    return token.rstrip("".join(_CLOSING))[-1:] in ENDS


def find_ends(tokens: Sequence[str]) -> list[int]:
    """The places, counted in tokens, where sentences end; the last one is the end of the text."""
    ends: list[int] = []  # an end moves on with the marks behind it, as the quotation mark in: Hi ! "
    for at, token in enumerate(tokens, 1):
        goes_on = bool(ends) and ends[-1] == at - 1 and set(token) <= _CLOSING | ENDS
        if goes_on:
            ends[-1] = at
        elif ends_sentence(token):
            ends.append(at)
    return ends if ends and ends[-1] == len(tokens) else [*ends, len(tokens)]


def cut_essay(essay: Sentence) -> list[Sentence]:
    """The sentences of an essay, each with the essay's document and its part of every annotator's edits."""
    tokens = essay.tokens
    crossed = {
        place for edits in essay.annotations.values() for edit in edits for place in range(edit.start + 1, edit.end)
    }
    places = [0, *(place for place in find_ends(tokens) if place not in crossed or place == len(tokens))]
    if len(places) == 1:
        return [essay]
    parts = {name: _cut_edits(edits, places, tokens) for name, edits in essay.annotations.items()}
    return [
        replace(
            essay,
            text=" ".join(tokens[start:end]),
            annotations={name: own[number] for name, own in parts.items()},
        )
        for number, (start, end) in enumerate(pairwise(places))
    ]


def _cut_edits(edits: Annotation, places: Sequence[int], tokens: Sequence[str]) -> list[Annotation]:
    """The edits of each sentence, none of which covers both sides of a place."""
    parts: list[list[Edit]] = [[] for _ in places[1:]]
    for edit in edits:
        number = _sentence_of(edit, places)
        parts[number].append(edit._replace(start=edit.start - places[number], end=edit.end - places[number]))
    if not isinstance(edits, TextEdits):
        return list(map(tuple, parts))
    return [
        TextEdits.of_text(own, " ".join(apply_edits(tokens[start:end], own)))
        for own, (start, end) in zip(parts, pairwise(places), strict=True)
    ]


def _sentence_of(edit: Edit, places: Sequence[int]) -> int:
    """The number of the sentence that an edit belongs to: the one in which it begins."""
    last = len(places) - 2
    number = next((k for k in range(last, -1, -1) if places[k] <= edit.start), 0)
    if edit.is_insertion and number and edit.start == places[number]:
        written = (edit.replacements or ("",))[0].split()
        if written and ends_sentence(written[-1]):
            return number - 1
    return number


def cut_essays(corpus: Corpus) -> Corpus:
    """A corpus of whole essays, cut into sentences.

    Raises:
        UsageError: If the corpus does not tell its essays, or has them in sentences.
    """
    documents = [sentence.document for sentence in corpus.sentences]
    if not all(documents) or len(set(documents)) < len(documents):
        fault = "has its essays in sentences already" if all(documents) else "does not tell its essays"
        message = f"--essays=sentences cuts whole essays, and this corpus {fault}"
        raise UsageError(Problem("essay-reference", message, Place(corpus.name), fix="leave it out"))
    sentences = [sentence for essay in corpus.sentences for sentence in cut_essay(essay)]
    return replace(corpus, sentences=sentences, cache={})


def cut_text(sentences: Sequence[Sequence[str]], text: str) -> list[str]:
    """A system's version of each sentence of an essay, of its version of the essay.

    Raises:
        InputError: If the texts are too large to compare.
    """
    source = [token for sentence in sentences for token in sentence]
    places = [0]
    for sentence in sentences:
        places.append(places[-1] + len(sentence))
    parts: list[list[Edit]] = [[] for _ in sentences]
    for edit in extract_edits(source, text.split()):
        number, start, written = _sentence_of(edit, places), edit.start, edit.replacements
        while start < edit.end or edit.is_insertion:
            end = min(edit.end, places[number + 1])
            parts[number].append(Edit(start - places[number], end - places[number], written))
            number, start, written = number + 1, end, ("",)
            if start >= edit.end:
                break
    return [" ".join(apply_edits(sentence, own)) for sentence, own in zip(sentences, parts, strict=True)]


class CutStream:
    """A system's whole essays, taken sentence by sentence in step with a reference that was cut."""

    def __init__(self, stream: SystemStream) -> None:
        self.name = stream.name
        self.count = 0  # of essays
        self._stream = stream

    def take(self, size: int) -> Sequence[str]:
        """The next essays, as many as there are up to ``size``."""
        return self._stream.take(size)

    def take_for(self, sentences: Sequence[Sentence]) -> Sequence[str]:
        """The lines of the next sentences, which are whole essays together.

        Raises:
            UsageError: If the system has edits of its own, which are of whole essays.
        """
        return list(self._cut(sentences))

    def _cut(self, sentences: Iterable[Sentence]) -> Iterator[str]:
        groups = [list(group) for _, group in groupby(sentences, lambda sentence: sentence.document)]
        wholes = [replace(group[0], text=" ".join(sentence.text for sentence in group)) for group in groups]
        self.count += len(groups)
        for group, line in zip(groups, self._stream.take_for(wholes), strict=False):
            if isinstance(line, CorrectedSentence):
                message = "--essays=sentences cuts texts, and this system has edits of its own"
                raise UsageError(Problem("useless-option", message, Place(self.name), fix="give the corrected essays"))
            yield from cut_text([sentence.tokens for sentence in group], line)

    def finish(self, n_sentences: int) -> None:
        """Complain if there are not as many essays as the source has."""
        self._stream.finish(self.count)
