"""From paragraphs and characters to sentences and tokens: NUCLE mistakes as edits.

Conventions
    Tokens are found in their paragraph by their characters; only white space may differ. A mistake becomes an edit of
    the tokens it touches, in whole: what it leaves of a token is added to the correction. The correction is tokenized
    as if it stood in the text. Tokens that span and correction share at both ends are taken off; where nothing is left,
    the mistake changes nothing and is dropped. A mistake that reaches beyond one sentence is dropped. A full stop at
    the end of a correction stays with its word where the sentence's own full stop follows directly (``dilemma.`` before
    ``.``), as in release 3.2 of the CoNLL-2014 test set; the files of Bryant & Ng 2015 cut it off (``detach_stops``).
Source
    Found from the released SGML and M2 files; ``benchmarks/regenerate_nucle.py`` counts how many edits agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from errorbar.core.corpus import Annotation, Corpus, Sentence
from errorbar.core.edit import Edit, check_annotation
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.look import Lines
from errorbar.formats.nucle import Essay, Mistake, read_essays, read_nucle
from errorbar.formats.tokenize import sentence_spans, treebank_tokens

NOOP = "noop"
_QUOTES = ("``", "''")
_Found = dict[str, list[tuple[Edit, Place]]]  # the edits of a sentence by annotator, and where each is from


class Dropped(StrEnum):
    """Why a mistake does not become an edit."""

    CROSSES = "it reaches beyond one sentence"
    NO_CHANGE = "it changes no token"
    OUTSIDE = "it lies outside the text"


class Located(NamedTuple):
    """A sentence, its tokens, and the half-open character span of each in the paragraph."""

    sentence: Sentence
    tokens: list[str]
    spans: list[tuple[int, int]]


def split_essays(essays: Iterable[Essay]) -> Iterator[Sentence]:
    """Cut essays into tokenized sentences where no tokens are given; finding sentences needs nltk."""
    for essay in essays:
        for text in essay.paragraphs:
            for start, end in sentence_spans(text):
                yield Sentence(" ".join(treebank_tokens(text[start:end])), document=essay.nid)


def locate(
    essays: Iterable[Essay], sentences: Iterable[Sentence], name: str = ""
) -> Iterator[tuple[Essay, list[list[Located]]]]:
    """Yield each essay with the sentences of each of its paragraphs, in order; titles are sentences too."""
    rest = iter(sentences)
    for essay in essays:
        if not essay.paragraphs:
            what, fix = f"the essay {essay.nid!r} has no text", "name the SGML file with the essays' text first"
            raise InputError(Problem("nucle-no-text", what, essay.place, "<TEXT> with paragraphs", fix))
        yield essay, [_locate_paragraph(essay, number, rest, name) for number in range(len(essay.paragraphs))]
    left = sum(1 for _ in rest)
    if left:
        raise _other_tokens(f"{left} sentences are left when the essays are at their end", Place(name))


def with_documents(sentences: Iterable[Sentence], path: str, problems: Problems, name: str = "") -> Iterator[Sentence]:
    """Yield all sentences of the essays of an SGML file, in order, with their essays; ``name``: their own file."""
    for essay, paragraphs in locate(read_essays(path, problems), sentences, name):
        for paragraph in paragraphs:
            for located in paragraph:
                located.sentence.document = essay.nid
                yield located.sentence


def add_documents(corpus: Corpus, essays_path: str, problems: Problems) -> None:
    """Write the essay of each sentence into a corpus."""
    corpus.sentences = list(with_documents(corpus.sentences, essays_path, problems, corpus.name))


def read_nucle_sentences(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read essays as sentences with tokens of our own; ``project_essays`` takes given ones."""
    for essay in read_nucle(lines, problems):
        yield from project_essays([essay], split_essays([essay]), problems, name=lines.name)


def project_essays(
    essays: Iterable[Essay],
    sentences: Iterable[Sentence],
    problems: Problems,
    name: str = "",
    detach_stops: bool = False,
) -> Iterator[Sentence]:
    """Turn the mistakes of essays into edits of their tokenized sentences, which come from the file ``name``.

    An annotator who marked something in an essay's file looked at all of its sentences; of an essay given without its
    text (alternative answers), only at those marked.
    """
    for essay, paragraphs in locate(essays, sentences, name):
        whole = [annotator for annotator in essay.annotations if annotator not in essay.partial]
        found: list[list[_Found]] = [[{who: [] for who in whole} for _ in located] for located in paragraphs]
        for annotator, mistakes in essay.annotations.items():
            for mistake in mistakes:
                result = project_mistake(mistake, essay.paragraphs, paragraphs, detach_stops, problems.as_written)
                if isinstance(result, Dropped):
                    _record(result, mistake, essay, problems)
                    continue
                paragraph, number, edit = result
                looked = found[paragraph][number].setdefault(annotator, [])
                if edit.type != NOOP:
                    looked.append((edit, mistake.place))
        for located_row, row in zip(paragraphs, found, strict=True):
            for (sentence, tokens, _), collected in zip(located_row, row, strict=True):
                annotations: dict[str, Annotation] = {}
                for annotator in filter(collected.__contains__, essay.annotations):
                    edits = [edit for edit, _ in collected[annotator]]
                    places = [place for _, place in collected[annotator]]
                    annotations[annotator] = tuple(check_annotation(edits, tokens, places.__getitem__, problems))
                yield Sentence(sentence.text, annotations, essay.nid, sentence.writer, sentence.line)


def _record(why: Dropped, mistake: Mistake, essay: Essay, problems: Problems) -> None:
    what = f"the mistake {mistake.type!r} is dropped: {why}"
    if why is Dropped.OUTSIDE:
        expected = f"offsets inside the {len(essay.paragraphs)} paragraphs of the essay {essay.nid!r}"
        problems.repairable("nucle-outside", what, mistake.place, "it is dropped", expected)
    else:
        problems.note("nucle-crosses" if why is Dropped.CROSSES else "nucle-no-change", what, mistake.place)


def project_mistake(
    mistake: Mistake, texts: list[str], paragraphs: list[list[Located]], detach_stops: bool = False, keep: bool = False
) -> tuple[int, int, Edit] | Dropped:
    """One mistake as an edit, with its paragraph and sentence, or why not; ``keep``: also one that changes no token."""
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
            nothing = edit.is_insertion and edit.replacements == ("",) and edit.type != NOOP
            return Dropped.NO_CHANGE if nothing and not keep else (number, at, edit)
    return Dropped.CROSSES


def _edit(mistake: Mistake, text: str, located: Located, *, detach_stops: bool) -> Edit:
    _, tokens, spans = located
    # White space at the ends is no part of the span.
    end = mistake.start + len(text[mistake.start : mistake.end].rstrip())
    start = end - len(text[mistake.start : end].lstrip())
    first, last = _touched(spans, start, end)
    if mistake.correction is None:
        return Edit(first, last, (), mistake.type, comment=mistake.comment)
    before, after = (text[spans[first][0] : start], text[end : spans[last - 1][1]]) if first < last else ("", "")
    said = mistake.correction if mistake.correction.strip() else ""
    if said.rstrip().endswith((".", "?", "!")) and said != said.rstrip():
        said = f"{said.rstrip()}\n"  # ends a sentence, whatever follows
    said = before + said + after
    stop = last < len(tokens) and tokens[last] == "." and spans[last][0] == end + len(after)
    if last == len(tokens):
        new = treebank_tokens(said)
    elif said and stop and not said[-1].isspace() and not detach_stops:
        new = treebank_tokens(f"{said}.")[:-1]
    else:
        new = treebank_tokens(said if said.endswith("\n") else f"{said} ")
    if mistake.type == NOOP:
        return Edit(first, last, (" ".join(new),), NOOP)
    old = tokens[first:last]
    while new and old and new[0] == old[0]:
        del new[0], old[0]
        first += 1
    while new and old and new[-1] == old[-1]:
        del new[-1], old[-1]
        last -= 1
    return Edit(first, last, (" ".join(new),), mistake.type, comment=mistake.comment)


def _touched(spans: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The tokens that a character span touches; none for an insertion between tokens."""
    first = next((k for k, span in enumerate(spans) if span[1] > start), len(spans))
    if start == end:
        inside = first < len(spans) and spans[first][0] < start
        return first, first + inside
    return first, next(k for k in range(len(spans), 0, -1) if spans[k - 1][0] < end)


def _locate_paragraph(essay: Essay, number: int, sentences: Iterator[Sentence], name: str) -> list[Located]:
    text = essay.paragraphs[number]
    found: list[Located] = []
    at = _skip_space(text, 0)
    while at < len(text):
        sentence = next(sentences, None)
        if sentence is None:
            what = f"the sentences are at their end in paragraph {number} of the essay {essay.nid!r}"
            raise _other_tokens(what, Place(name))
        spans: list[tuple[int, int]] = []
        for token in sentence.tokens:
            at = _skip_space(text, at)
            length = 1 if token in _QUOTES and text.startswith('"', at) else len(token)
            if length == len(token) and not text.startswith(token, at):
                there = f"paragraph {number} of the essay {essay.nid!r}: {text[at : at + 30]!r}"
                raise _other_tokens(f"the token {token!r} is not what stands in {there}", Place(name, sentence.line))
            spans.append((at, at + length))
            at += length
        found.append(Located(sentence, sentence.tokens, spans))
        at = _skip_space(text, at)
    return found


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _other_tokens(what: str, place: Place) -> InputError:
    fix = "give the tokenized sentences of these essays, in their order"
    return InputError(Problem("nucle-tokens", what, place, fix=fix))
