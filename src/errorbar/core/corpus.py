"""Sentences, the annotations on them, and what a system proposes for them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Self, TypeVar, cast

from errorbar.core.edit import UNCLEAR, Edit, are_edits, check_edits, span_error
from errorbar.core.labels import format_count, natural_order
from errorbar.core.problems import Place, Problem, UsageError, nearest, wrong_type

Made = TypeVar("Made")
Annotation = tuple[Edit, ...]  # one annotator's edits of a sentence, in the order given; empty: found nothing


class TextEdits(tuple[Edit, ...]):
    """Edits that were made of a corrected text: a metric may make them in its own way instead.

    Attributes:
        text: The corrected text as it was read, or None.
    """

    text: str | None = None

    @classmethod
    def of_text(cls, edits: Iterable[Edit], text: str) -> TextEdits:
        """Edits with the text that they make of the source."""
        annotation = cls(edits)
        annotation.text = text
        return annotation


@dataclass(slots=True)
class Sentence:
    """One source sentence and who said what about it.

    Attributes:
        text: The sentence as it was read; tokens are what lies between white space.
        annotations: Annotator to edits. Present and empty: looked and found nothing. Absent: did not look.
        document: Essay the sentence is from, or ``""``; the cluster of resampling.
        writer: Who wrote it, or ``""``.
        line: Line of the file it was read from, counted from 1, or 0.
        paragraph: Number of its paragraph in the document, counted from 1, or 0; sentences may be equal without it.

    Raises:
        UsageError: If the text is none, or the annotations are no dict.
    """

    text: str
    annotations: dict[str, Annotation] = field(default_factory=dict)
    document: str = ""
    writer: str = ""
    line: int = 0
    paragraph: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise wrong_type("a sentence's text", "a text", self.text)
        if not isinstance(self.annotations, dict):
            raise wrong_type("a sentence's annotations", "a dict of annotators and their edits", self.annotations)

    @property
    def tokens(self) -> list[str]:
        """The tokens: what any Unicode white space separates."""
        return self.text.split()


@dataclass(slots=True)
class Corpus:
    """Sentences in order, with the annotators known for them.

    Attributes:
        sentences: The sentences.
        annotators: Every annotator, in the order that ties are decided by: ``annotator_order``, however they are given.
        name: What to call the corpus in messages.
        notes: What its reader repaired or warns of.
        cache: Encodings that metrics keep so that many systems share them; dropped when the corpus is.
        labeled: The annotators said which tokens are wrong, and corrected nothing.
        files: Where several files were joined: annotator to the own file, and to its line of each sentence.

    Raises:
        UsageError: If the annotators are one name, or the sentences no list.
    """

    sentences: list[Sentence]
    annotators: tuple[str, ...]
    name: str = ""
    notes: list[Problem] = field(default_factory=list)
    cache: dict[str, object] = field(default_factory=dict, repr=False, compare=False)
    labeled: bool = False
    files: dict[str, tuple[str, Sequence[int]]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.annotators = check_names("a corpus' annotators", self.annotators)
        if not isinstance(self.sentences, list):
            raise wrong_type("a corpus' sentences", "a list of sentences", self.sentences)
        self.annotators = annotator_order(self.annotators)

    def __len__(self) -> int:
        return len(self.sentences)

    def need(self, annotators: Iterable[str]) -> None:
        """Refuse the name of somebody who annotated nothing here."""
        for name in annotators:
            if name not in self.annotators:
                raise unknown_annotator(name, self.annotators)

    def place(self, number: int, annotator: str) -> Place:
        """Where an annotator's edits of a sentence stand, counted from 0; without a line where none is known."""
        if annotator in self.files:
            file, lines = self.files[annotator]
            return Place(file, lines[number])
        line = self.sentences[number].line
        return Place(self.name, line) if line else Place(f"annotator {annotator}, sentence {number + 1}")

    def check(self) -> Corpus:
        """Itself, unless fields are wrong, as a corpus made by hand may have them; looked at again where it changed."""
        if set(map(type, self.sentences)) - {Sentence}:
            for number, sentence in enumerate(self.sentences, 1):
                if not isinstance(sentence, Sentence):
                    raise wrong_type(f"sentence {number}", "a Sentence", sentence)
        self.once("checked", self._check)
        return self

    def _check(self) -> None:
        check_texts("the document of a sentence", [sentence.document for sentence in self.sentences])
        check_texts("an annotator of a sentence", [*chain.from_iterable(s.annotations for s in self.sentences)])
        annotations = [edits for sentence in self.sentences for edits in sentence.annotations.values()]
        if annotations and not self.annotators:
            message = "the corpus has no annotators, but annotations"
            fix = "give the names of those whose annotations are to count: Corpus(sentences, names)"
            raise UsageError(Problem("no-reference", message, Place(self.name), fix=fix))
        if set(map(type, annotations)) - {tuple} or not are_edits([*chain.from_iterable(annotations)]):
            for number, sentence in enumerate(self.sentences, 1):
                for annotator, edits in sentence.annotations.items():
                    check_edits(f"annotator {annotator} in sentence {number}", edits)
        for number, sentence in enumerate(self.sentences):
            n = len(sentence.tokens) if any(sentence.annotations.values()) else 0
            for annotator, edits in sentence.annotations.items():
                for start, end, *_ in edits:
                    if not 0 <= start <= end <= n:
                        raise span_error(start, end, n, self.place(number, annotator))

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Make something of texts and annotations, once; anew where one of them was exchanged since."""
        annotations = [sentence.annotations for sentence in self.sentences]
        made_of = (
            (self.annotators, [sentence.text for sentence in self.sentences], [*map(len, annotations)]),
            ([*chain.from_iterable(annotations)], [*chain.from_iterable([one.values() for one in annotations])]),
        )
        known = cast("tuple[object, Made] | None", self.cache.get(name))
        if known is None or known[0] != made_of:
            known = made_of, make()
            self.cache[name] = known
        return known[1]

    def only(self, annotators: Sequence[str]) -> Corpus:
        """Keep the annotations of some annotators, with a note for each who is absent from some sentences."""
        annotators = check_names("annotators", annotators)
        self.need(annotators)
        known = ({name: s.annotations[name] for name in annotators if name in s.annotations} for s in self.sentences)
        kept = [replace(s, annotations=annotations) for s, annotations in zip(self.sentences, known, strict=True)]
        absent = {name: sum(name not in s.annotations for s in kept) for name in annotators}
        notes = [absent_note(name, count, len(kept), self.name) for name, count in absent.items() if count]
        files = {name: self.files[name] for name in annotators if name in self.files}
        return Corpus(kept, tuple(annotators), self.name, self.notes + notes, labeled=self.labeled, files=files)


def check_names(what: str, names: object) -> tuple[str, ...]:
    """The names, refused where they are one text, or no texts."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise wrong_type(what, "a tuple of names", names)
    listed = tuple(names)
    check_texts(f"a name of {what}", listed)
    return listed


def check_texts(what: str, values: Sequence[object]) -> None:
    """Refuse what is no text among many values."""
    for value in values if set(map(type, values)) - {str} else ():
        if not isinstance(value, str):
            raise wrong_type(what, "a text", value)


def annotator_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names once each, in the order that decides ties: numbers ascend, as in the official scorer; A2 before A10."""
    return natural_order(set(names))


class CorrectedSentence(str):
    """A corrected sentence whose edits are known: metrics over texts see the text, those over typed edits these."""

    __slots__ = ("edits", "source")
    edits: tuple[Edit, ...]
    source: str | None  # the sentence that they are edits of; None: that of the corpus

    def __new__(cls, text: str, edits: Iterable[Edit], source: str | None = None) -> Self:
        """The text, with what turns the source into it."""
        sentence = super().__new__(cls, text)
        sentence.edits, sentence.source = edits if isinstance(edits, tuple) else tuple(edits), source
        return sentence

    def __reduce__(self) -> tuple[type[Self], tuple[str, tuple[Edit, ...], str | None]]:
        """The class and the values that a copy in another process is made of."""
        return type(self), (str(self), self.edits, self.source)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A system's output: one line of text per sentence.

    Attributes:
        name: The system's name, the row it gets in tables.
        lines: The corrected sentences, in corpus order.

    Raises:
        UsageError: If the lines are one text, or the name is none.
    """

    name: str
    lines: Sequence[str]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise wrong_type("a hypothesis' name", "a text", self.name)
        if isinstance(self.lines, str) or not isinstance(self.lines, Sequence):
            raise wrong_type("a hypothesis' lines", "a list of sentences", self.lines)
        for line in self.lines:
            if not isinstance(line, str):
                raise wrong_type(f"a line of the hypothesis {self.name}", "a text", line)


def wrong_count(n_lines: int, n_sentences: int) -> str:
    """The message on a system with another number of lines than there are sentences."""
    return f"{format_count(n_lines, 'lines')} for {format_count(n_sentences, 'sentences')} of the source"


def absent_note(
    annotator: str, n_absent: int, n_sentences: int, name: str, effect: str = "which are not scored"
) -> Problem:
    """Make the warning for an annotator who did not look at every sentence."""
    message = f"annotator {annotator} has no line for {n_absent} of {n_sentences} sentences, {effect}"
    message += "; in files that combine annotators, sentences found correct or agreed upon are often lost"
    return Problem("annotator-absent", message, Place(name), fix="use that annotator's own file", severity="warning")


def unknown_annotator(name: str, known: Iterable[str]) -> UsageError:
    """Make the error for an annotator that the corpus does not have."""
    return UsageError(Problem("unknown-annotator", f"no annotator '{name}' in the reference", fix=nearest(name, known)))


class ContentHash:
    """Hash of a stream of records, independent of the format they were read from."""

    def __init__(self) -> None:
        self._sha = hashlib.sha256()

    def add(self, records: Iterable[str]) -> None:
        """Add records; the text of a record must not contain a line feed."""
        self._sha.update("".join([f"{record}\n" for record in records]).encode("utf-8", "surrogatepass"))

    def short(self) -> str:
        """The first 12 hexadecimal digits."""
        return self._sha.hexdigest()[:12]


def source_record(sentence: Sentence) -> str:
    """The canonical record of a source: its tokens."""
    return " ".join(sentence.text.split())


_UNKNOWN, _END, _QUOTED = "\x00", "\x01", "\x02"
_STRUCTURE = re.compile("[\x00-\x02\n\x1d-\x1f]")


def reference_record(annotations: Mapping[str, Annotation]) -> str:
    """The canonical record of what counts in a reference: annotators, spans, replacements, optionality.

    Of types only unclear meaning counts, which decides what an annotator's text is; the order of annotators does not.
    """
    return _reference_records([annotations])[0]


def reference_records(corpus: Corpus) -> list[str]:
    """The canonical records of the references of all sentences."""
    return corpus.once(
        "records of references", lambda: _reference_records([sentence.annotations for sentence in corpus.sentences])
    )


def _reference_records(annotations: Iterable[Mapping[str, Annotation]]) -> list[str]:
    corrections = _CorrectionRecords()
    records = []
    for each in annotations:
        parts = []
        for name in _in_order(tuple(each)) if len(each) > 1 else each:
            parts.append(_name_record(name) + _edits_record(each[name], corrections))
        records.append("\x1d".join(parts))
    return records


def type_record(annotations: Mapping[str, Annotation]) -> str:
    """The canonical record of what also counts where error types do: the types of the edits of ``reference_record``."""
    names = _in_order(tuple(annotations)) if len(annotations) > 1 else annotations
    return "\x1d".join(["\x1e".join([_plain(edit.type) for edit in annotations[name]]) for name in names])


def system_record(line: str) -> str:
    """The canonical record of a system's sentence: its tokens, and its edits with their types where these are given."""
    if not isinstance(line, CorrectedSentence) or isinstance(
        line.edits, TextEdits
    ):  # metrics make the edits of texts anew
        return _tokens_of(str(line))
    text = _tokens_of(str(line))
    edits = {"": line.edits}
    return "\x1d".join((text, reference_record(edits), type_record(edits)))


def system_records(lines: Iterable[str]) -> list[str]:
    """The canonical records of a system's sentences."""
    return [_tokens_of(line) if type(line) is str else system_record(line) for line in lines]


@lru_cache(maxsize=1 << 15)  # every system's lines are asked for often, and many lines are those of several systems
def _tokens_of(line: str) -> str:
    return " ".join(line.split())


_in_order = lru_cache(maxsize=1 << 10)(annotator_order)  # most sentences have the same annotators


def _edits_record(edits: Annotation, corrections: _CorrectionRecords) -> str:
    try:
        return "\x1e".join([f"{edit[0]} {edit[1]} {corrections[edit[2:5]]}" for edit in edits])
    except TypeError:  # a list of replacements, in edits that somebody made
        keys = [(tuple(edit.replacements or ()), edit.type, edit.optional) for edit in edits]
        return "\x1e".join([f"{e.start} {e.end} {corrections[key]}" for e, key in zip(edits, keys, strict=True)])


class _CorrectionRecords(dict[tuple[tuple[str, ...], str, bool], str]):
    """The records of the replacements, type and optionality of edits: many edits have the same."""

    def __missing__(self, correction: tuple[tuple[str, ...], str, bool]) -> str:
        replacements, kind, optional = correction
        texts = "\x1f".join(map(_plain, replacements)) if replacements else _UNKNOWN
        marks = f"{'?' if optional else ''}{'!' if kind == UNCLEAR else ''}"
        if texts.endswith(("?", "!")):
            marks = _END + marks  # or "no?" would be an optional "no"
        return self.setdefault(correction, texts + marks)


@lru_cache(maxsize=1 << 10)
def _name_record(annotator: str) -> str:
    return f"{_plain(annotator)}\x1e"


def _plain(text: str) -> str:
    """The text, quoted where it holds what parts records or their fields."""
    return f"{_QUOTED}{text!r}" if _STRUCTURE.search(text) else text
