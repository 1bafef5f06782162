"""Sentences, the annotations on them, and what a system proposes for them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

from errorbar.core.edit import UNCLEAR, Edit
from errorbar.core.errors import Place, Problem, UsageError, nearest, wrong_type
from errorbar.core.labels import natural_order

Annotation = tuple[Edit, ...]
"""One annotator's edits of one sentence, in the order given; empty means: looked and found nothing."""


@dataclass(slots=True)
class Sentence:
    """One source sentence and who said what about it.

    Attributes:
        text: The sentence as it was read; tokens are what lies between white space.
        annotations: Annotator to edits. Present and empty: looked and found nothing. Absent: did not look.
        document: Essay the sentence is from, or ``""``; the cluster of resampling.
        writer: Who wrote it, or ``""``.
        line: Line of the file it was read from, counted from 1, or 0.
    """

    text: str
    annotations: dict[str, Annotation] = field(default_factory=dict)
    document: str = ""
    writer: str = ""
    line: int = 0

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
    """

    sentences: list[Sentence]
    annotators: tuple[str, ...]
    name: str = ""
    notes: list[Problem] = field(default_factory=list)
    cache: dict[str, object] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.annotators = tuple(annotator_order(self.annotators))

    def __len__(self) -> int:
        return len(self.sentences)

    def need(self, annotators: Iterable[str]) -> None:
        """Refuse the name of somebody who annotated nothing here.

        Raises:
            UsageError: If one of them annotated nothing.
        """
        for name in annotators:
            if name not in self.annotators:
                raise unknown_annotator(name, self.annotators)

    def only(self, annotators: Sequence[str]) -> Corpus:
        """Keep the annotations of some annotators.

        The new corpus carries a note for each annotator who is absent from some sentences.

        Raises:
            UsageError: If one of them annotated nothing here.
        """
        self.need(annotators)
        kept = [
            Sentence(
                s.text,
                {name: s.annotations[name] for name in annotators if name in s.annotations},
                s.document,
                s.writer,
                s.line,
            )
            for s in self.sentences
        ]
        absent = {name: sum(name not in s.annotations for s in kept) for name in annotators}
        notes = [absent_note(name, count, len(kept), self.name) for name, count in absent.items() if count]
        return Corpus(kept, tuple(annotators), self.name, self.notes + notes)


def annotator_order(names: Iterable[str]) -> list[str]:
    """Names once each, in the order in which annotators are tried, which the first of a full tie wins.

    Numbers ascend, as in the official scorer, and A2 is before A10. It depends on nothing but the names: neither the
    order of files nor that of lines may decide ties.
    """
    return list(natural_order(set(names)))


class Corrected(str):
    """A corrected sentence whose edits are known: metrics over texts see the text, those over typed edits these."""

    __slots__ = ("edits",)
    edits: tuple[Edit, ...]

    def __new__(cls, text: str, edits: Iterable[Edit]) -> Self:
        """The text, with what turns the source into it."""
        made = super().__new__(cls, text)
        made.edits = tuple(edits)
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[str, tuple[Edit, ...]]]:
        """What a copy in another process is made of."""
        return type(self), (str(self), self.edits)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What one system proposes: one line of text per sentence.

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


def wrong_count(n_lines: int, n_sentences: int) -> str:
    """What is said of a system with another number of lines than there are sentences."""
    lines = "1 line" if n_lines == 1 else f"{n_lines} lines"
    return f"{lines} for {'1 sentence' if n_sentences == 1 else f'{n_sentences} sentences'} of the source"


def absent_note(annotator: str, n_absent: int, n_sentences: int, name: str) -> Problem:
    """Make the warning for an annotator who did not look at every sentence."""
    what = f"annotator {annotator} has no line for {n_absent} of {n_sentences} sentences, which are not scored"
    what += "; in files that combine annotators, sentences found correct or agreed upon are often lost"
    fix = "use that annotator's own file"
    return Problem("annotator-absent", what, Place(name), fix=fix, severity="warning")


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


_SEPARATOR, _UNKNOWN, _END, _QUOTED = "\x1f", "\x00", "\x01", "\x02"
_STRUCTURE = re.compile("[\x00-\x02\n\x1d-\x1f]")


def reference_record(annotations: Mapping[str, Annotation]) -> str:
    """The canonical record of what counts in a reference: annotators, spans, replacements, optionality.

    Comments and types are left out, but for unclear meaning, which decides what an annotator's text is; so is the order
    of annotators, which changes nothing.
    """
    names = _in_order(tuple(annotations)) if len(annotations) > 1 else annotations
    return "\x1d".join([f"{_plain(name)}\x1e{_edits_record(annotations[name])}" for name in names])


def type_record(annotations: Mapping[str, Annotation]) -> str:
    """The canonical record of what also counts where error types do: the types of the edits of ``reference_record``."""
    names = _in_order(tuple(annotations)) if len(annotations) > 1 else annotations
    return "\x1d".join(["\x1e".join([_plain(edit.type) for edit in annotations[name]]) for name in names])


@lru_cache(maxsize=1 << 10)
def _in_order(names: tuple[str, ...]) -> list[str]:
    """Most sentences have the same annotators."""
    return annotator_order(names)


def _edits_record(edits: Annotation) -> str:
    records = []
    for start, end, replacements, kind, optional, _, _ in edits:
        said = _SEPARATOR.join(map(_plain, replacements)) if replacements else _UNKNOWN
        marks = f"{'?' if optional else ''}{'!' if kind == UNCLEAR else ''}"
        if said.endswith(("?", "!")):
            marks = _END + marks  # or "no?" would be an optional "no"
        records.append(f"{start} {end} {said}{marks}")
    return "\x1e".join(records)


def _plain(text: str) -> str:
    """The text, quoted where it holds what parts records or their fields."""
    return f"{_QUOTED}{text!r}" if _STRUCTURE.search(text) else text
