"""The M2 format: an ``S`` line of tokens, then one ``A`` line per edit and annotator, then a blank line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count, islice

from errorbar.core.corpus import Sentence, annotator_order
from errorbar.core.edit import Edit, check_annotation, check_span, check_white_space
from errorbar.core.kernels import WANTED
from errorbar.core.labels import format_count
from errorbar.core.problems import Place, Problems, shorten_text
from errorbar.formats.look import Lines, Source, byte_blocks

NOTHING = "-NONE-"
NOOP = "noop"
UNKNOWN = "UNK"  # ERRANT's type where no correction is known: it writes the words themselves for one
N_FIELDS = 6
LOOKED = 40  # lines that tell M2 from text
BLOCK = 1 << 20  # bytes looked at together in search of annotators
_Fields = tuple[tuple[str, ...], str, bool, str, str]  # of an edit, after its span
_TARGET = re.compile(r"T\d+(-A\d+)? ")  # a corrected text, as ChERRANT writes it above its edits

try:
    from errorbar.formats._m2 import take_sentences
except ImportError:
    KERNEL = False
else:
    KERNEL = WANTED

# The parts of A lines recur so often, within a file and between files, that each is kept once.
_KNOWN: dict[str, tuple[str, _Fields | None]] = {}
MOST_KNOWN = 1 << 16
"""How many of them; bounds the memory of reading."""


def read_m2(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read an M2 file sentence by sentence; what one without any A line means is the caller's policy (``Unmarked``).

    The kernel takes the sentences in which there is nothing to remark on, and its twin the others.
    """
    reader, number = _Reader(lines.name, problems), lines.before
    for block in lines.blocks():
        at = 0
        while at < len(block):
            if KERNEL and reader.text is None:
                taken, at = take_sentences(block, at, number, _KNOWN, MOST_KNOWN)
                reader.n_sentences += len(taken)
                yield from taken
            while at < len(block):
                at += 1
                sentence = reader.take_line(number + at, block[at - 1])
                if sentence is not None:
                    yield sentence
                    break
        number += len(block)
    sentence = reader.end()
    if sentence is not None:
        yield sentence
    if not reader.n_sentences:
        message = "the file has no S line" if number > lines.before else "the file is empty"
        problems.error("m2-empty", message, Place(lines.name), "M2: S and A lines")


def no_blank_line(place: Place, problems: Problems) -> None:
    """Record an S line that follows a sentence without a blank line between."""
    problems.repairable("m2-no-blank", "a second S line in one block", place, "a new block", "a blank line before it")


class _Reader:
    """Makes sentences of S and A lines, and says what is odd about them."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.n_sentences = 0
        self.text: str | None = None  # of the sentence that is being read
        self._number = 0  # of its S line
        self._lines: list[tuple[int, str]] = []  # its A lines, with their numbers

    def take_line(self, number: int, line: str) -> Sentence | None:
        """Take the next line; the sentence that it ends."""
        start = line[:2]
        if start == "A ":
            if self.text is None:
                self.problems.error(
                    "m2-no-sentence", "an A line without a sentence", Place(self.name, number), "S line"
                )
            else:
                self._lines.append((number, line))
        elif start in ("S ", "S"):
            if self.text is not None:
                no_blank_line(Place(self.name, number), self.problems)
            ended = self.end()
            self.text, self._number, self._lines = line[2:].strip(), number, []
            self.n_sentences += 1
            return ended
        elif not line or line.isspace():
            return self.end()
        elif start != "I " and _TARGET.match(line) is None:
            message = f"a line that is neither S, A nor blank: {line[:40]!r}"
            self.problems.repairable("m2-line", message, Place(self.name, number), "skipped", "S, A or a blank line")
        return None

    def end(self) -> Sentence | None:
        """The sentence that is being read, of which nothing more follows."""
        text, self.text = self.text, None
        if text is None:
            return None
        tokens = text.split()
        kept: dict[str, tuple[list[Edit], list[int]]] = {}  # an annotator's edits, and their lines
        for number, line in self._lines:
            head, _, tail = line.partition("|||")
            place = Place(self.name, number)
            parsed, span = self._tail(tail, place), self._span(head, place)
            if parsed is None:
                continue
            annotator, fields = parsed
            edits, numbers = kept.setdefault(annotator, ([], []))  # whatever becomes of the line, they looked
            if fields is None or span is None or not check_span(*span, len(tokens), place, self.problems):
                continue
            edits.append(Edit._make((*span, *fields)))
            numbers.append(number)
        annotations = {
            annotator: tuple(check_annotation(edits, tokens, partial(self._place, numbers), self.problems))
            for annotator, (edits, numbers) in kept.items()
        }
        return Sentence(text, annotations, line=self._number)

    def _place(self, numbers: list[int], index: int) -> Place:
        return Place(self.name, numbers[index])

    def _record_skip(self, what: str, place: Place, expected: str) -> None:
        self.problems.repairable("m2-fields", what, place, "the line is skipped", expected)

    def _span(self, head: str, place: Place) -> tuple[int, int] | None:
        try:
            first, second = head[2:].split()
            return int(first), int(second)
        except ValueError:
            self._record_skip(f"the span {shorten_text(head[2:])!r} cannot be read", place, "two whole numbers")
            return None

    def _tail(self, tail: str, place: Place) -> tuple[str, _Fields | None] | None:
        """Annotator and fields after the span; None where the line cannot be used."""
        fields = tail.split("|||")
        if len(fields) < N_FIELDS - 1:
            message = f"an A line of {len(fields) + bool(tail)} fields"
            self._record_skip(message, place, f"{N_FIELDS} fields separated by |||")
            return None
        kind, _, need, comment, annotator = map(str.strip, fields[:5])
        replacements = tuple(["" if part == NOTHING else part.strip() for part in fields[1].split("||")])
        check_white_space(replacements, place, self.problems)
        if NOTHING in replacements:
            message = f"{NOTHING} with white space around it; it is read as a word and not as a deletion"
            self.problems.note("edit-white-space", message, place)
        if not annotator.isdecimal():
            message = f"the annotator id '{shorten_text(annotator)}' is not a number"
            self.problems.repairable("m2-annotator", message, place, "kept as a name", "a whole number")
        if need.startswith("||"):
            message = "an empty last alternative, which the official scorer loses"
            self.problems.repairable("m2-lost-alternative", message, place, "read as a deletion", NOTHING)
            replacements = (*replacements, "")
        if kind == NOOP and any(replacements):
            message = f"a {NOOP} line with a correction, '{shorten_text(fields[1])}'; it is read as no edit"
            self.problems.note("m2-noop", message, place)
        fields_of_edit = (replacements, kind, need == "OPTIONAL", "", "" if comment == NOTHING else comment)
        return annotator, None if kind == NOOP else fields_of_edit


def is_m2(lines: Lines) -> bool:
    """Whether a file looks like M2 rather than text, before any line is taken."""
    first = [line for line in lines.ahead(LOOKED) if line.strip()]
    edits = any(line.startswith("A ") and line.count("|||") == N_FIELDS - 1 for line in first)
    return bool(first) and first[0][:2] in ("S ", "S") and (edits or all(line[:2] in ("S ", "S") for line in first))


def m2_annotators(path: Source, most: int | None = None) -> list[str]:
    """The annotator ids of an M2 file, no more than ``most``, by first appearance, without parsing the file.

    A file of one annotator is counted through, at a hundredth of the time of reading it: every A line of a block has
    the five separators and ends with the one id.
    """
    annotators: dict[str, None] = {}
    known: set[bytes] = set()
    for block in byte_blocks(path, size=BLOCK):
        whole = b"\n" + block
        n_lines = whole.count(b"\nA ")
        if len(known) == 1 and whole.count(b"|||") == (N_FIELDS - 1) * n_lines:
            (tail,) = known
            if whole.count(b"|||" + tail + b"\n") == n_lines:
                continue
        for line in block.split(b"\n"):
            tail = line.rpartition(b"|||")[2]
            if line.startswith(b"A ") and tail not in known and line.count(b"|||") >= N_FIELDS - 1:
                known.add(tail)
                annotators[line.split(b"|||")[N_FIELDS - 1].decode(errors="replace").strip()] = None
                if len(annotators) == most:
                    return list(annotators)
    return list(annotators)


def write_m2(sentences: Iterable[Sentence], problems: Problems, annotators: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of an M2 file, without line ends; the notes say what M2 cannot hold.

    Annotators with a number keep it; others are numbered and noted: ``annotators`` in the order in which ties go, so
    that the numbers decide them as the names did, the rest by first appearance.
    """
    ids: dict[str, str] = {}
    for name in annotator_order(annotators):
        _number(name, ids)
    used: set[str] = set()
    lost: dict[str, dict[str, None]] = {}  # what was left out, and of which edits or documents
    n_unseen = 0  # sentences that nobody looked at
    for number_of_sentence, sentence in enumerate(sentences, 1):
        yield f"S {' '.join(sentence.tokens)}"
        n_unseen += not sentence.annotations
        if sentence.document or sentence.writer:
            lost.setdefault("documents and writers", {})[sentence.document or sentence.writer] = None
        for annotator, edits in sentence.annotations.items():
            number = ids.get(annotator) or _number(annotator, ids)
            used.add(annotator)
            if not edits:
                yield f"A -1 -1|||{NOOP}|||{NOTHING}|||REQUIRED|||{NOTHING}|||{number}"
            for each in edits:
                edit = each
                if edit.type == UNKNOWN and not edit.replacements and not edit.is_insertion:
                    edit = edit._replace(replacements=(" ".join(sentence.tokens[edit.start : edit.end]),))
                line, losses = _a_line(edit, number)
                yield line
                for loss in losses:
                    item = edit.comment or f"edit {edit.start} {edit.end} of sentence {number_of_sentence}"
                    lost.setdefault(loss, {})[item] = None
        yield ""
    for loss, items in sorted(lost.items()):
        examples = ", ".join([*islice(items, 5), *(["..."] if len(items) > 5 else [])])
        problems.note("m2-cannot-hold", f"M2 cannot hold {loss}; left out ({len(items):,}: {examples})", Place())
    if n_unseen and used:
        message = f"M2 cannot hold that nobody looked at {format_count(n_unseen, 'sentences')}"
        problems.note("m2-cannot-hold", message, Place(), fix="read the file with --unmarked=absent")
    renamed = {name: number for name, number in ids.items() if name != number and name in used}
    if renamed:
        pairs = ", ".join(f"{number} = {name}" for name, number in renamed.items())
        problems.note("m2-annotators", f"M2 numbers its annotators: {pairs}", Place())


def _number(annotator: str, ids: dict[str, str]) -> str:
    taken = {*ids.values()}
    keeps = annotator.isdecimal() and annotator not in taken
    ids[annotator] = annotator if keeps else next(number for number in map(str, count()) if number not in taken)
    return ids[annotator]


def _a_line(edit: Edit, number: str) -> tuple[str, list[str]]:
    """The line of an edit, and what it loses."""
    replacements = tuple([_plain(text, "||") for text in edit.replacements])
    kind, comment = _plain(edit.type, "|||"), _plain(edit.comment, "|||")
    losses = {
        "consistency sets": bool(edit.group),
        f"edits of type {NOOP}, which it takes for none": kind == NOOP,
        "corrections that are unknown (written as deletions)": not edit.replacements,
        "|| and line feeds in corrections (written as spaces)": replacements != edit.replacements,
        f"the correction {NOTHING}, which it reads as a deletion": NOTHING in replacements,
        "||| and line feeds in types (written as spaces)": kind != edit.type,
        "||| and line feeds in comments (written as spaces)": comment != edit.comment,
    }
    several = len(replacements) > 1
    correction = "||".join(text or NOTHING if several else text for text in replacements)
    need = "OPTIONAL" if edit.optional else "REQUIRED"
    line = f"A {edit.start} {edit.end}|||{kind}|||{correction}|||{need}|||{comment or NOTHING}|||{number}"
    return line, [loss for loss, happened in losses.items() if happened]


def _plain(text: str, separator: str) -> str:
    """The text without what would end its field or its line, or join the separator beside it."""
    if separator in text or "\n" in text or "\r" in text:
        text = " ".join(text.replace(separator, " ").split())
    return text.strip("|")
