"""NUCLE SGML: essays in paragraphs, and mistakes that point at paragraphs and characters.

It is SGML in name only: ``&`` and ``<`` stand unescaped, so all but the dozen tags of the format is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from errorbar.core.corpus import Annotation, Corpus, Sentence
from errorbar.core.edit import Edit, check_annotation
from errorbar.core.labels import MOST_DIGITS, whole_number
from errorbar.core.problems import InputError, MissingExtraError, Place, Problem, Problems, shorten_text
from errorbar.formats.look import Lines

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer


_LEAVES = ("TITLE", "P", "TYPE", "CORRECTION", "COMMENT")
_BRANCHES = ("DOC", "TEXT", "ANNOTATION", "MISTAKE")
_TAG = re.compile(rf"<(/?)({'|'.join(_LEAVES + _BRANCHES)})((?:\s[^<>]*)?)>", re.IGNORECASE)
# A name is looked at from its first letter only, or a long one would be looked at once for each letter.
_ATTRIBUTE = re.compile(r"""(?<![A-Za-z_])([A-Za-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_NUMBERS = ("start_par", "start_off", "end_par", "end_off")


class Mistake(NamedTuple):
    """One annotated mistake, from a paragraph and offset to before another; a title counts as a paragraph."""

    start_par: int
    start: int
    end_par: int
    end: int
    type: str
    correction: str | None  # untokenized; None: none was given (NUCLE always has one)
    comment: str  # on one line
    place: Place


@dataclass(slots=True)
class Essay:
    """One ``DOC``: title and paragraphs, none where the file holds annotations only, and each annotator's mistakes."""

    nid: str
    place: Place
    paragraphs: list[str] = field(default_factory=list)
    annotations: dict[str, list[Mistake]] = field(default_factory=dict)
    partial: set[str] = field(default_factory=set)  # whose files have no text: they looked only where they marked


def read_nucle(lines: Lines, problems: Problems) -> Iterator[Essay]:
    """Read NUCLE SGML essay by essay.

    A line feed after an opening tag and one before a closing tag are not part of the text. The five named entities of
    SGML are decoded, and offsets count the decoded characters.
    """
    reader = _Reader(lines.name, problems)
    for number, line in enumerate(lines, 1):
        yield from reader.feed(line, number)
    reader.finish()


def read_essays(path: str, problems: Problems) -> list[Essay]:
    """Read NUCLE essays whole: what is wrong with them is said before anything else fails because of it."""
    lines = Lines(path, problems)
    first = lines.peek().lstrip()
    if first and not first.startswith("<"):
        message = f"this is no NUCLE SGML; it starts {first[:30]!r}"
        raise InputError(Problem("unknown-format", message, Place(lines.name, 1), "<DOC ...>"))
    essays = list(read_nucle(lines, problems))
    problems.raise_errors()
    return essays


def merge_essays(files: Sequence[tuple[str, Iterable[Essay]]]) -> list[Essay]:
    """Bring the annotations of several files, each with its name, over the essays of the first together.

    The annotator of a file that knows only one takes the name of the file; otherwise they become ``name.annotator``.
    An essay without text takes that of the first file; other text or another essay is an error.
    """
    merged: dict[str, Essay] = {}
    for at, (name, stream) in enumerate(files):
        essays = list(stream)
        known = dict.fromkeys(annotator for essay in essays for annotator in essay.annotations)
        called = {a: name if len(known) == 1 else f"{name}.{a}" for a in known}
        for essay in essays:
            if not at:
                merged[essay.nid] = Essay(essay.nid, essay.place, essay.paragraphs)
            base = merged.get(essay.nid)
            if base is None:
                message, fix = f"the essay {essay.nid!r} is not in {files[0][0]}", "name the file with all essays first"
                raise InputError(Problem("nucle-other-essay", message, essay.place, fix=fix))
            if essay.paragraphs and essay.paragraphs != base.paragraphs:
                message = f"the essay {essay.nid!r} has other text than in {files[0][0]}"
                raise InputError(
                    Problem("nucle-other-text", message, essay.place, fix="give files over the same essays")
                )
            base.annotations |= {called[annotator]: mistakes for annotator, mistakes in essay.annotations.items()}
            if not essay.paragraphs:
                base.partial |= {called[annotator] for annotator in essay.annotations}
    return list(merged.values())


class _Reader:
    """Takes a file line by line: which elements are open, and what they hold so far."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.essay: Essay | None = None
        self.annotator: str | None = None
        self.mistake: tuple[Place, list[int | None]] | None = None  # and its numbers
        self.values: dict[str, str] = {}  # its leaves
        self.leaf = ""
        self.leaf_line = 0
        self.parts: list[str] = []
        self.place = Place(name)
        self.seen: set[str] = set()

    def feed(self, line: str, number: int) -> Iterator[Essay]:
        self.place = Place(self.name, number)
        at = 0
        for tag in _TAG.finditer(line):
            self._text(line[at : tag.start()])
            at = tag.end()
            name = tag[2].upper()
            if not tag[1]:
                self._leaf_ends_before(f"<{name}>")
                self._open(name, {key.lower(): one or other for key, one, other in _ATTRIBUTE.findall(tag[3])})
            elif name == self.leaf:
                self._end_leaf()
            else:
                self._leaf_ends_before(f"</{name}>")
                yield from self._close(name)
        self._text(line[at:])
        if self.leaf:
            self.parts.append("\n")

    def finish(self) -> None:
        if self.essay is not None:
            self.error("nucle-unclosed", f"the essay {self.essay.nid!r} is not closed", "</DOC>", self.essay.place)
        elif not self.seen:
            self.problems.error("nucle-empty", "no essay in the file", Place(self.name), "<DOC nid=...>")

    def _text(self, text: str) -> None:
        if self.leaf:
            self.parts.append(text)
        elif text.strip():
            message = f"text outside of paragraphs and corrections: {text.strip()[:40]!r}"
            self.repairable("nucle-stray", message, "a tag", "left out")

    def _open(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "DOC":
            self._open_essay(attributes.get("nid", ""))
        elif self.essay is None:
            self.error("nucle-place", f"<{name}> outside of an essay", "<DOC nid=...> before it")
        elif name == "ANNOTATION":
            self.annotator = attributes.get("teacher_id", "")
            if not self.annotator:
                self.error("nucle-attribute", "<ANNOTATION> without teacher_id", 'teacher_id="..."')
            self.essay.annotations.setdefault(self.annotator, [])
        elif name == "MISTAKE":
            self._open_mistake(attributes)
        elif name in _LEAVES:
            self.leaf, self.leaf_line, self.parts = name, self.place.line, []

    def _open_essay(self, nid: str) -> None:
        if self.essay is not None:
            self.error("nucle-unclosed", f"<DOC> inside of the essay {self.essay.nid!r}", "</DOC>")
        if not nid:
            self.error("nucle-attribute", "<DOC> without nid", 'nid="..."')
        elif nid in self.seen:
            self.error("nucle-twice", f"a second essay with the id {nid!r}", "every nid once")
        self.seen.add(nid)
        self.essay = Essay(nid, self.place)
        self.annotator = self.mistake = None

    def _open_mistake(self, attributes: Mapping[str, str]) -> None:
        if self.mistake is not None:
            self.error("nucle-unclosed", "<MISTAKE> inside of a <MISTAKE>", "</MISTAKE>")
        numbers = [whole_number(attributes.get(key, "")) for key in _NUMBERS]
        self.mistake, self.values = (self.place, numbers), {}
        for key, number in zip(_NUMBERS, numbers, strict=True):
            if number is None:
                attribute = f"with {key}={shorten_text(attributes[key])!r}" if key in attributes else f"without {key}"
                expected = f"a whole number of at most {MOST_DIGITS} digits"
                self.repairable("nucle-attribute", f"<MISTAKE> {attribute}", expected, "the mistake is dropped")

    def _close(self, name: str) -> Iterator[Essay]:
        opened = {"DOC": self.essay, "MISTAKE": self.mistake, "ANNOTATION": self.annotator, "TEXT": self.essay}
        if opened.get(name) is None:
            self.repairable("nucle-place", f"</{name}> without <{name}>", f"<{name}>", "left out")
        elif name == "MISTAKE":
            self._end_mistake()
        elif name == "ANNOTATION":
            self.annotator = None
        elif name == "DOC" and self.essay is not None:
            if self.mistake is not None:
                self.error("nucle-unclosed", "</DOC> inside of a <MISTAKE>", "</MISTAKE>", self.mistake[0])
                self.mistake = None
            essay, self.essay = self.essay, None
            yield essay

    def _leaf_ends_before(self, tag: str) -> None:
        if self.leaf:
            message = f"{tag} inside of <{self.leaf}> from line {self.leaf_line}"
            self.repairable("nucle-unclosed", message, f"</{self.leaf}>", f"<{self.leaf}> ends here")
            self._end_leaf()

    def _end_leaf(self) -> None:
        text = "".join(self.parts).removeprefix("\n").removesuffix("\n")
        text = _ENTITY.sub(lambda match: _ENTITIES[match[1]], text)
        leaf, self.leaf = self.leaf, ""
        if leaf in ("TITLE", "P"):
            if self.essay is not None:
                self.essay.paragraphs.append(text)
        elif self.mistake is None:
            self.repairable("nucle-place", f"<{leaf}> outside of a <MISTAKE>", "<MISTAKE ...>", "left out")
        elif leaf in self.values:
            self.repairable("nucle-twice", f"a second <{leaf}> in a <MISTAKE>", "one", "the first is used")
        else:
            self.values[leaf] = text

    def _end_mistake(self) -> None:
        assert self.essay is not None
        assert self.mistake is not None
        (place, numbers), self.mistake = self.mistake, None
        if self.annotator is None:
            self.error("nucle-place", "<MISTAKE> outside of an <ANNOTATION>", "<ANNOTATION teacher_id=...>")
            return
        missing = next((leaf for leaf in ("TYPE", "CORRECTION") if leaf not in self.values), "")
        if missing:
            message, expected = f"<MISTAKE> without <{missing}>", f"<{missing}>...</{missing}>"
            self.repairable("nucle-missing", message, expected, "the mistake is dropped")
            return
        span = [number for number in numbers if number is not None]
        if len(span) == len(_NUMBERS):
            kind, comment = (" ".join(self.values.get(leaf, "").split()) for leaf in ("TYPE", "COMMENT"))
            first, start, last, end = span
            new = Mistake(first, start, last, end, kind, self.values["CORRECTION"], comment, place)
            self.essay.annotations[self.annotator].append(new)

    def error(self, code: str, what: str, expected: str, place: Place | None = None) -> None:
        self.problems.error(code, what, place or self.place, expected)

    def repairable(self, code: str, what: str, expected: str, repair: str) -> None:
        self.problems.repairable(code, what, self.place, repair, expected)


# Treebank-style tokens as the CoNLL-2014 release cut them, and sentences of raw text.
#
# Sentences are found by nltk's Punkt algorithm (the extra ``tokenize``) with the abbreviations named here: no trained
# model is needed, and none is fetched.


ABBREVIATIONS = (
    *("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "e.g", "i.e", "cf", "fig", "no", "vol", "pp"),
    *("ed", "al", "inc", "ltd", "co", "corp", "dept", "u.s", "u.k", "u.n", "a.m", "p.m"),
)  # a full stop after them ends no sentence; in lower case, without their last full stop

_CONTRACTION = re.compile(r"(.)('ll|'re|'ve|n't|'s|'m|'d)\b", re.IGNORECASE)
_CANNOT = re.compile(r"\b(can)(not)\b", re.IGNORECASE)
# ASCII as in Python 2: the release cuts letters with accents off their word.
_PUNCTUATION = re.compile(r"([^\w.'\-/,&])", re.ASCII)
_COMMA = re.compile(r"(,\s)")
_QUOTE = re.compile(r"('\s)")
_INNER_END = re.compile(r"(?<=[.?!])(?<!\b[A-Z]\.)(?<!\betc\.)\s+(?=[A-Z])|(?<=[.?!])\s*\n")


def treebank_tokens(text: str) -> list[str]:
    """Cut a text into tokens as the CoNLL-2014 release does.

    Conventions
        Contractions come apart (``do n't``, ``it 's``, ``can not``). Every punctuation mark stands alone but for
        hyphens, slashes and ``&`` inside words. A comma or an apostrophe is cut off before white space only, a full
        stop at the end of a sentence only: ``known,the`` stays one token. Quotation marks keep their form. A
        sentence ends inside a text where white space and a capital follow its ``. ? !``, single letters and
        ``etc.`` excepted, or where a line feed follows.

    Source
        Found from the data: all 1,312 sentences of the CoNLL-2014 test set come out as released. The rules were
        made to fit that set, so this is a description of it, not a measurement of what happens elsewhere.
    """
    return [token for sentence in _INNER_END.split(text) for token in _split_words(sentence)]


def _split_words(sentence: str) -> list[str]:
    text = _CONTRACTION.sub(r"\1 \2", sentence)
    text = _CANNOT.sub(r"\1 \2", text)
    text = _PUNCTUATION.sub(r" \1 ", text)
    text = _COMMA.sub(r" \1", text)
    text = _QUOTE.sub(r" \1", text)
    # A stop with nothing but closing marks after it is the last; a pattern would look at every run of spaces n² times.
    before = text.rstrip().rstrip("\"')]").rstrip()
    return [*before[:-1].split(), *(".", *text[len(before) :].split())] if before.endswith(".") else text.split()


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The half-open character spans of the sentences of a paragraph, without surrounding white space, in order."""
    spans: list[tuple[int, int]] = []
    for start, end in _punkt().span_tokenize(text):
        sentence = text[start:end].strip()
        if sentence:
            first = text.index(sentence, start)
            spans.append((first, first + len(sentence)))
    return spans


@lru_cache(maxsize=1)
def _punkt() -> PunktSentenceTokenizer:
    try:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("tokenize", "finding sentences in raw essays") from None
    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    return PunktSentenceTokenizer(parameters)


# From paragraphs and characters to sentences and tokens: NUCLE mistakes as edits.
#
# Conventions Tokens are found in their paragraph by their characters; only white space may differ. A mistake becomes
# an edit of the tokens it touches, in whole: what it leaves of a token is added to the correction. The correction is
# tokenized as if it stood in the text. Tokens that span and correction share at both ends are taken off; where nothing
# is left, the mistake changes nothing and is dropped. A mistake that reaches beyond one sentence is dropped. A full
# stop at the end of a correction stays with its word where the sentence's own full stop follows directly (``dilemma.``
# before ``.``), as in release 3.2 of the CoNLL-2014 test set; the files of Bryant & Ng 2015 cut it off
# (``detach_stops``). Source Found from the released SGML and M2 files; ``benchmarks/regenerate_nucle.py`` counts how
# many edits agree.


NOOP = "noop"
_QUOTES = ("``", "''")
_Found = dict[str, list[tuple[Edit, Place]]]  # the edits of a sentence by annotator, and where each is from


class DropReason(StrEnum):
    """Why a mistake does not become an edit."""

    CROSSES = "it reaches beyond one sentence"
    NO_CHANGE = "it changes no token"
    OUTSIDE = "it lies outside the text"


class LocatedSentence(NamedTuple):
    """A sentence, its tokens, and the half-open character span of each in the paragraph."""

    sentence: Sentence
    tokens: list[str]
    spans: list[tuple[int, int]]


def split_essays(essays: Iterable[Essay]) -> Iterator[Sentence]:
    """Cut essays into tokenized sentences where no tokens are given; finding sentences needs nltk."""
    for essay in essays:
        for number, text in enumerate(essay.paragraphs, 1):
            for start, end in sentence_spans(text):
                tokens = " ".join(treebank_tokens(text[start:end]))
                yield Sentence(tokens, document=essay.nid, paragraph=number)


def locate(
    essays: Iterable[Essay], sentences: Iterable[Sentence], name: str = ""
) -> Iterator[tuple[Essay, list[list[LocatedSentence]]]]:
    """Yield each essay with the sentences of each of its paragraphs, in order; titles are sentences too."""
    following = iter(sentences)
    for essay in essays:
        if not essay.paragraphs:
            message, fix = f"the essay {essay.nid!r} has no text", "name the SGML file with the essays' text first"
            raise InputError(Problem("nucle-no-text", message, essay.place, "<TEXT> with paragraphs", fix))
        yield essay, [_locate_paragraph(essay, number, following, name) for number in range(len(essay.paragraphs))]
    left = sum(1 for _ in following)
    if left:
        raise _other_tokens(f"{left} sentences are left when the essays are at their end", Place(name))


def with_documents(sentences: Iterable[Sentence], path: str, problems: Problems, name: str = "") -> Iterator[Sentence]:
    """Yield all sentences of the essays of an SGML file, in order, with their essays; ``name``: their own file."""
    for essay, paragraphs in locate(read_essays(path, problems), sentences, name):
        for number, paragraph in enumerate(paragraphs, 1):
            for located in paragraph:
                located.sentence.document, located.sentence.paragraph = essay.nid, number
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
        by_sentence: list[list[_Found]] = [[{who: [] for who in whole} for _ in located] for located in paragraphs]
        for annotator, mistakes in essay.annotations.items():
            for mistake in mistakes:
                result = project_mistake(mistake, essay.paragraphs, paragraphs, detach_stops, problems.as_written)
                if isinstance(result, DropReason):
                    _record(result, mistake, essay, problems)
                    continue
                paragraph, number, edit = result
                looked = by_sentence[paragraph][number].setdefault(annotator, [])
                if edit.type != NOOP:
                    looked.append((edit, mistake.place))
        for number_of_row, (located_row, row) in enumerate(zip(paragraphs, by_sentence, strict=True), 1):
            for (sentence, tokens, _), collected in zip(located_row, row, strict=True):
                annotations: dict[str, Annotation] = {}
                for annotator in filter(collected.__contains__, essay.annotations):
                    edits = [edit for edit, _ in collected[annotator]]
                    places = [place for _, place in collected[annotator]]
                    annotations[annotator] = tuple(check_annotation(edits, tokens, places.__getitem__, problems))
                about = essay.nid, sentence.writer, sentence.line, number_of_row
                yield Sentence(sentence.text, annotations, *about)


def _record(why: DropReason, mistake: Mistake, essay: Essay, problems: Problems) -> None:
    message = f"the mistake {mistake.type!r} is dropped: {why}"
    if why is DropReason.OUTSIDE:
        message = f"the mistake {mistake.type!r} lies outside the text"
        expected = f"offsets inside the {len(essay.paragraphs)} paragraphs of the essay {essay.nid!r}"
        problems.repairable("nucle-outside", message, mistake.place, "it is dropped", expected)
    else:
        problems.note("nucle-crosses" if why is DropReason.CROSSES else "nucle-no-change", message, mistake.place)


def project_mistake(
    mistake: Mistake,
    texts: list[str],
    paragraphs: list[list[LocatedSentence]],
    detach_stops: bool = False,
    keep: bool = False,
) -> tuple[int, int, Edit] | DropReason:
    """One mistake as an edit, with its paragraph and sentence, or why not; ``keep``: also one that changes no token."""
    number = mistake.start_par
    if max(number, mistake.end_par) >= len(texts) or not paragraphs[number]:
        return DropReason.OUTSIDE
    if mistake.end_par != number:
        return DropReason.CROSSES
    if not mistake.start <= mistake.end <= len(texts[number]):
        return DropReason.OUTSIDE
    for at, located in enumerate(paragraphs[number]):
        if located.spans and located.spans[0][0] <= mistake.start and mistake.end <= located.spans[-1][1]:
            edit = _edit(mistake, texts[number], located, detach_stops=detach_stops)
            nothing = edit.is_insertion and edit.replacements == ("",) and edit.type != NOOP
            return DropReason.NO_CHANGE if nothing and not keep else (number, at, edit)
    return DropReason.CROSSES


def _edit(mistake: Mistake, text: str, located: LocatedSentence, *, detach_stops: bool) -> Edit:
    _, tokens, spans = located
    # White space at the ends is no part of the span.
    end = mistake.start + len(text[mistake.start : mistake.end].rstrip())
    start = end - len(text[mistake.start : end].lstrip())
    first, last = _touched_tokens(spans, start, end)
    if mistake.correction is None:
        return Edit(first, last, (), mistake.type, comment=mistake.comment)
    before, after = (text[spans[first][0] : start], text[end : spans[last - 1][1]]) if first < last else ("", "")
    correction = mistake.correction if mistake.correction.strip() else ""
    if correction.rstrip().endswith((".", "?", "!")) and correction != correction.rstrip():
        correction = f"{correction.rstrip()}\n"  # ends a sentence, whatever follows
    correction = before + correction + after
    stop = last < len(tokens) and tokens[last] == "." and spans[last][0] == end + len(after)
    if last == len(tokens):
        new = treebank_tokens(correction)
    elif correction and stop and not correction[-1].isspace() and not detach_stops:
        new = treebank_tokens(f"{correction}.")[:-1]
    else:
        new = treebank_tokens(correction if correction.endswith("\n") else f"{correction} ")
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


def _touched_tokens(spans: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The tokens that a character span touches; none for an insertion between tokens."""
    first = next((k for k, span in enumerate(spans) if span[1] > start), len(spans))
    if start == end:
        inside = first < len(spans) and spans[first][0] < start
        return first, first + inside
    return first, next(k for k in range(len(spans), 0, -1) if spans[k - 1][0] < end)


def _locate_paragraph(essay: Essay, number: int, sentences: Iterator[Sentence], name: str) -> list[LocatedSentence]:
    text = essay.paragraphs[number]
    located: list[LocatedSentence] = []
    at = _skip_space(text, 0)
    while at < len(text):
        sentence = next(sentences, None)
        if sentence is None:
            message = f"the sentences are at their end in paragraph {number} of the essay {essay.nid!r}"
            raise _other_tokens(message, Place(name))
        spans: list[tuple[int, int]] = []
        for token in sentence.tokens:
            at = _skip_space(text, at)
            length = 1 if token in _QUOTES and text.startswith('"', at) else len(token)
            if length == len(token) and not text.startswith(token, at):
                there = f"paragraph {number} of the essay {essay.nid!r}: {text[at : at + 30]!r}"
                raise _other_tokens(f"the token {token!r} is not what stands in {there}", Place(name, sentence.line))
            spans.append((at, at + length))
            at += length
        located.append(LocatedSentence(sentence, sentence.tokens, spans))
        at = _skip_space(text, at)
    return located


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _other_tokens(what: str, place: Place) -> InputError:
    fix = "give the tokenized sentences of these essays, in their order"
    return InputError(Problem("nucle-tokens", what, place, fix=fix))
