"""From paragraphs and characters to sentences and tokens: NUCLE mistakes as edits.

Conventions
    Tokens are found in their paragraph by their characters; only white space may differ. A mistake becomes an edit
    of the tokens it touches, in whole: what it leaves of a token is added to the correction. The correction is
    tokenized as if it stood in the text. Tokens that span and correction share at both ends are taken off; where
    nothing is left, the mistake changes nothing and is dropped. A mistake that reaches beyond one sentence is dropped.
    A full stop at the end of a correction stays with its word where the sentence's own full stop follows directly
    (``dilemma.`` before ``.``), as in release 3.2 of the CoNLL-2014 test set; the files of Bryant & Ng 2015 cut it
    off (``detach_stops``).
Source
    Found from the released SGML and M2 files; ``benchmarks/regenerate_nucle.py`` counts how many edits agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from errorbar.core.corpus import Annotation, Corpus, Sentence
from errorbar.core.edit import Edit, check_annotation
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.nucle import Essay, Mistake, read_essays
from errorbar.formats.tokenize import sentence_spans, treebank_tokens

NOOP = "noop"
_QUOTES = ("``", "''")


_Found = dict[str, list[tuple[Edit, Place]]]
"""The edits of a sentence by annotator, and where each is from."""


class Dropped(StrEnum):
    """Why a mistake does not become an edit."""

    CROSSES = "it reaches beyond one sentence"
    NO_CHANGE = "it changes no token"
    OUTSIDE = "it lies outside the text"


@dataclass(frozen=True, slots=True)
class Located:
    """A sentence, its tokens, and the half-open character span of each in the paragraph."""

    sentence: Sentence
    tokens: list[str]
    spans: list[tuple[int, int]]


def split_essays(essays: Iterable[Essay]) -> Iterator[Sentence]:
    """Cut essays into tokenized sentences where no tokens are given.

    Raises:
        MissingExtraError: If nltk is not installed.
    """
    for essay in essays:
        for text in essay.paragraphs:
            for start, end in sentence_spans(text):
                yield Sentence(" ".join(treebank_tokens(text[start:end])), document=essay.nid)


def locate(
    essays: Iterable[Essay], sentences: Iterable[Sentence], name: str = ""
) -> Iterator[tuple[Essay, list[list[Located]]]]:
    """Find the sentences of each paragraph of each essay, in order; titles are sentences too.

    Yields:
        Each essay with the sentences of each of its paragraphs.
    """
    rest = iter(sentences)
    for essay in essays:
        if not essay.paragraphs:
            what = f"the essay {essay.nid!r} has no text"
            place = Place(essay.file, essay.line)
            fix = "name the SGML file with the essays' text first"
            raise InputError(Problem("nucle-no-text", what, place, "<TEXT> with paragraphs", fix))
        yield essay, [_locate_paragraph(essay, number, rest, name) for number in range(len(essay.paragraphs))]
    left = sum(1 for _ in rest)
    if left:
        what = f"{left} sentences are left when the essays are at their end"
        raise InputError(Problem("nucle-tokens", what, Place(name), fix="give the sentences of these essays"))


def with_documents(
    sentences: Iterable[Sentence], essays_path: str, problems: Problems, name: str = ""
) -> Iterator[Sentence]:
    """Yield the sentences with the essay that each is from.

    Args:
        sentences: All sentences of the essays, in order.
        essays_path: NUCLE SGML with the text of the essays.
        problems: Where problems of that file are recorded.
        name: The file the sentences are from, for messages.
    """
    for essay, paragraphs in locate(read_essays(essays_path, problems), sentences, name):
        for paragraph in paragraphs:
            for located in paragraph:
                located.sentence.document = essay.nid
                yield located.sentence


def add_documents(corpus: Corpus, essays_path: str, problems: Problems) -> None:
    """Write the essay of each sentence into a corpus."""
    corpus.sentences = list(with_documents(corpus.sentences, essays_path, problems, corpus.name))


def project_essays(
    essays: Iterable[Essay],
    sentences: Iterable[Sentence],
    problems: Problems,
    *,
    name: str = "",
    detach_stops: bool = False,
) -> Iterator[Sentence]:
    """Turn the mistakes of essays into edits of sentences.

    Args:
        essays: The essays, with their text.
        sentences: Their tokenized sentences in the same order.
        problems: Where dropped mistakes are noted and overlapping edits are recorded.
        name: The file the sentences are from, for messages.
        detach_stops: Cut a correction's last full stop off even before a full stop.

    Yields:
        The sentences with their essay as document. An annotator who marked something in an essay's file looked at
        all of its sentences; of an essay given without its text (alternative answers), only at those marked.
    """
    for essay, paragraphs in locate(essays, sentences, name):
        found: list[list[_Found]] = [[{} for _ in located] for located in paragraphs]
        for annotator, mistakes in essay.annotations.items():
            if annotator not in essay.partial:
                for row in found:
                    for collected in row:
                        collected[annotator] = []
            for mistake in mistakes:
                place = Place(essay.file_of.get(annotator, essay.file), mistake.line)
                result = project_mistake(
                    mistake, essay.paragraphs, paragraphs, detach_stops=detach_stops, keep=problems.as_written
                )
                if isinstance(result, Dropped):
                    _record(result, mistake, essay, place, problems)
                    continue
                paragraph, number, edit = result
                looked = found[paragraph][number].setdefault(annotator, [])
                if edit.type != NOOP:
                    looked.append((edit, place))
        for located_row, row in zip(paragraphs, found, strict=True):
            for located, collected in zip(located_row, row, strict=True):
                annotations: dict[str, Annotation] = {}
                for annotator, pairs in collected.items():
                    edits, places = [edit for edit, _ in pairs], [place for _, place in pairs]
                    checked = check_annotation(edits, located.tokens, places.__getitem__, problems)
                    annotations[annotator] = tuple(checked)
                sentence = located.sentence
                yield Sentence(sentence.text, annotations, essay.nid, sentence.writer, sentence.line)


def _record(why: Dropped, mistake: Mistake, essay: Essay, place: Place, problems: Problems) -> None:
    what = f"the mistake {mistake.type!r} is dropped: {why}"
    if why is Dropped.CROSSES:
        problems.note("nucle-crosses", what, place)
    elif why is Dropped.NO_CHANGE:
        problems.note("nucle-no-change", what, place)
    else:
        expected = f"offsets inside the {len(essay.paragraphs)} paragraphs of the essay {essay.nid!r}"
        problems.repairable("nucle-outside", what, place, expected=expected, repair="it is dropped")


def project_mistake(
    mistake: Mistake,
    texts: list[str],
    paragraphs: list[list[Located]],
    *,
    detach_stops: bool = False,
    keep: bool = False,
) -> tuple[int, int, Edit] | Dropped:
    """Turn one mistake into an edit.

    Args:
        mistake: The mistake.
        texts: The paragraphs of its essay.
        paragraphs: The sentences of each paragraph.
        detach_stops: Cut a correction's last full stop off even before a full stop.
        keep: A mistake that changes no token becomes an edit without effect, as in release 2.3.1 of CoNLL-2013.

    Returns:
        Paragraph, sentence of that paragraph, and edit; or why there is none.
    """
    number = mistake.start_par
    if max(number, mistake.end_par) >= len(texts) or not paragraphs[number]:
        return Dropped.OUTSIDE
    if mistake.end_par != number:
        return Dropped.CROSSES
    if not mistake.start <= mistake.end <= len(texts[number]):
        return Dropped.OUTSIDE
    for at, located in enumerate(paragraphs[number]):
        if located.spans and located.spans[0][0] <= mistake.start and mistake.end <= located.spans[-1][1]:
            edit = _edit(mistake, texts[number], located, detach_stops=detach_stops)
            return (number, at, edit) if keep or not _without_effect(edit) else Dropped.NO_CHANGE
    return Dropped.CROSSES


def _edit(mistake: Mistake, text: str, located: Located, *, detach_stops: bool) -> Edit:
    start, end = _without_space(text, mistake.start, mistake.end)
    first, last = _touched(located.spans, start, end)
    before = text[located.spans[first][0] : start] if first < last else ""
    after = text[end : located.spans[last - 1][1]] if first < last else ""
    new = _tokens(before, mistake.correction, after, located, last, end + len(after), detach_stops=detach_stops)
    if mistake.type == NOOP:
        return Edit(first, last, (" ".join(new),), NOOP)
    old = located.tokens[first:last]
    while new and old and new[0] == old[0]:
        del new[0], old[0]
        first += 1
    while new and old and new[-1] == old[-1]:
        del new[-1], old[-1]
        last -= 1
    return Edit(first, last, (" ".join(new),), mistake.type, comment=mistake.comment)


def _without_effect(edit: Edit) -> bool:
    return edit.is_insertion and edit.replacements == ("",) and edit.type != NOOP


def _without_space(text: str, start: int, end: int) -> tuple[int, int]:
    end = start + len(text[start:end].rstrip())
    return end - len(text[start:end].lstrip()), end


def _touched(spans: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The tokens that a character span touches; none for an insertion between tokens."""
    first = next((k for k, span in enumerate(spans) if span[1] > start), len(spans))
    if start == end:
        inside = first < len(spans) and spans[first][0] < start
        return first, first + inside
    return first, next(k for k in range(len(spans), 0, -1) if spans[k - 1][0] < end)


def _tokens(
    before: str, correction: str, after: str, located: Located, following: int, end: int, *, detach_stops: bool
) -> list[str]:
    """Tokenize a correction together with what is left of the tokens around it."""
    said = correction.rstrip()
    if said.endswith((".", "?", "!")) and said != correction:
        said += "\n"  # ends a sentence, whatever follows
    elif said:
        said = correction
    text = before + said + after
    if following == len(located.tokens):
        return treebank_tokens(text)
    glued = not text[-1:].isspace() and located.tokens[following] == "." and located.spans[following][0] == end
    if glued and text and not detach_stops:
        return treebank_tokens(f"{text}.")[:-1]
    return treebank_tokens(text if text.endswith("\n") else f"{text} ")


def _locate_paragraph(essay: Essay, number: int, sentences: Iterator[Sentence], name: str) -> list[Located]:
    text = essay.paragraphs[number]
    found: list[Located] = []
    at = _skip_space(text, 0)
    while at < len(text):
        sentence = next(sentences, None)
        if sentence is None:
            what = f"the sentences are at their end in paragraph {number} of the essay {essay.nid!r}"
            raise InputError(Problem("nucle-tokens", what, Place(name), fix="give the sentences of these essays"))
        tokens = sentence.tokens
        spans: list[tuple[int, int]] = []
        for token in tokens:
            at = _skip_space(text, at)
            if text.startswith(token, at):
                length = len(token)
            elif token in _QUOTES and text.startswith('"', at):
                length = 1
            else:
                raise InputError(_mismatch(essay, number, at, token, Place(name, sentence.line)))
            spans.append((at, at + length))
            at += length
        found.append(Located(sentence, tokens, spans))
        at = _skip_space(text, at)
    return found


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _mismatch(essay: Essay, number: int, at: int, token: str, place: Place) -> Problem:
    there = essay.paragraphs[number][at : at + 30]
    what = f"the token {token!r} is not what stands in paragraph {number} of the essay {essay.nid!r}: {there!r}"
    return Problem("nucle-tokens", what, place, fix="give the tokenized sentences of these essays, in their order")
