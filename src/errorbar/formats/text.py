"""Plain text, one tokenized sentence per line: sources, corrections, outputs; files cut unread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Sentence, wrong_count
from errorbar.core.problems import InputError, Place, Problem, Problems, shell_words
from errorbar.formats.catalog import format_of
from errorbar.formats.limits import LONGEST_SENTENCE
from errorbar.formats.look import Lines, Source, byte_blocks, look

BLOCK = 1 << 20  # bytes read at a time
CHARACTERS = "characters"  # what is said of tokens that are characters
SPACES = "spaces"  # what is said of tokens that stand between spaces: the usual ones
_TAKES_EDITS = "for --metric errant, tokens or behavior"
_BOM = b"\xef\xbb\xbf"
_S, _SPACE, _LF, _CR = b"S \n\r"


class ParallelLine(NamedTuple):
    """One source line, its number from 1, and its corrected versions in the order of the files.

    A version is None where a file of essays does not have the essay.
    """

    number: int
    source: str
    corrected: tuple[str | None, ...]
    document: str = ""  # the id of an essay


def read_text(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read one sentence per line, without any annotation: nobody looked. A blank line is an empty sentence."""
    number = 0
    for number, line in enumerate(lines, 1):
        yield Sentence(line, line=number)
    if not number:
        problems.error("text-empty", "the file is empty", Place(lines.name), "one sentence per line")


def write_text(sentences: Iterable[Sentence], problems: Problems) -> Iterator[str]:
    """Yield each sentence's tokens as a line; a note says what plain text cannot hold."""
    lost: set[str] = set()
    for sentence in sentences:
        if sentence.annotations:
            lost.add("annotations")
        if sentence.document or sentence.writer:
            lost.add("documents and writers")
        yield " ".join(sentence.tokens)
    for loss in sorted(lost):
        problems.note("text-cannot-hold", f"plain text cannot hold {loss}; left out", Place())


def read_parallel(source: Lines, corrected: Sequence[Lines], problems: Problems) -> Iterator[ParallelLine]:
    """Read a source and its corrected versions, one per annotator, in step; the caller raises the problems.

    Lines go together by their number, essays by their ids.
    """
    essays = [format_of(lines).name == "multigec" for lines in (source, *corrected)]
    if any(essays):
        from errorbar.formats.essay_texts import align_essays  # noqa: PLC0415 - few texts are essays

        if not all(essays):
            lines, other = ((source, *corrected)[essays.index(kind)] for kind in (False, True))
            message, fix = f"this is plain text, and {other.name} has essays with ids", "give all files in one format"
            raise InputError(Problem("mixed-formats", message, Place(lines.name, 1), fix=fix))
        for essay, texts in align_essays(source, corrected, problems):
            yield ParallelLine(essay.line, essay.text, texts, essay.id)
        return
    yield from _read_lines(source, corrected, problems)


def _read_lines(source: Lines, corrected: Sequence[Lines], problems: Problems) -> Iterator[ParallelLine]:
    number, texts = 0, list[str | None]()
    for number, line in enumerate(source, 1):
        texts = [next(iter(lines), None) for lines in corrected]
        known = tuple(text for text in texts if text is not None)
        if len(known) < len(texts):
            break
        yield ParallelLine(number, line, known)
    if not number:
        problems.error("text-empty", "the file is empty", Place(source.name), "one sentence per line")
    n_sentences = number + sum(1 for _ in source)
    for lines, text in zip(corrected, texts or [""] * len(corrected), strict=True):
        check_end(lines, number - (text is None), n_sentences, problems)


def check_end(lines: Lines, n_taken: int, n_sentences: int, problems: Problems) -> int:
    """Count a file's lines, one for each sentence; lenient reading leaves blank ones at the end out."""
    n_rest = n_said = 0
    for line in lines:
        n_rest += 1
        n_said += bool(line.strip())
    if n_taken + n_rest == n_sentences:
        return n_sentences
    message, place, expected = wrong_count(n_taken + n_rest, n_sentences), Place(lines.name), f"{n_sentences} lines"
    if n_taken + n_rest > n_sentences and not n_said:
        message += f"; the last {n_rest} are blank" if n_rest > 1 else "; the last one is blank"
        problems.repairable("line-count", message, place, "blank lines at the end are left out", expected)
    else:
        problems.error(
            "line-count", message, place, expected, "one line per sentence; errorbar check looks for the place"
        )
    return n_taken + n_rest


def _is_json(line: str) -> bool:
    if not line.startswith(("{", "[")):
        return False
    import json  # noqa: PLC0415 - few texts begin so

    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value[0] if isinstance(value, list) and value else value, dict)


class HypothesisReader:
    """Reads a system's sentences in step with the source; refuses M2 and JSON, which its user took for its output."""

    def __init__(self, path: Source | Lines, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.lines = path if isinstance(path, Lines) else Lines(path, problems, last=True)
        self.count = 0
        first, code, fix = self.lines.peek(), "", "errorbar convert --to text --annotator"
        if first.startswith('{"format": "errorbar-corpus"'):
            code = "hypothesis-jsonl"
            kind, fix = (
                "an errorbar corpus",
                f"{fix} NAME {shell_words(self.lines.name)}, or leave it so {_TAKES_EDITS}",
            )
        elif _is_json(first):
            code, kind = "hypothesis-jsonl", "JSON"
            fix = f"write one corrected sentence per line, or {_TAKES_EDITS}, errorbar's JSONL or M2, which have edits"
        elif first.startswith("S ") and any(a[:2] == "A " and a.count("|||") >= 4 for a in self.lines.ahead(20)):
            code = "hypothesis-m2"
            gold = "if it is a reference, give it by --gold (patterns in quotes: --gold='A*.m2'); else"
            kind, fix = "M2", f"{gold} {fix} 0 {shell_words(self.lines.name)}, or leave it so {_TAKES_EDITS}"
        if code:
            place = Place(self.lines.name, 1)
            raise InputError(Problem(code, f"this is {kind}, not plain text", place, "one sentence per line", fix))

    def take(self, size: int) -> list[str]:
        """The next sentences, as many as there are up to ``size``."""
        taken = list(islice(self.lines, size))
        self.count += len(taken)
        return taken

    def take_for(self, sentences: Sequence[Sentence]) -> list[str]:
        """The lines of the next sentences."""
        return self.take(len(sentences))

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        if n_sentences and not self.count and not self.lines.ahead(1):
            place = Place(self.lines.name)
            raise InputError(Problem("hypothesis-empty", "the file is empty", place, f"{n_sentences} lines"))
        self.count = check_end(self.lines, self.count, n_sentences, self.problems)


class Stretch(NamedTuple):
    """Consecutive units of a file: their bytes, or where these are."""

    path: str
    start: int  # in bytes
    size: int
    lines_before: int
    separated: bool  # a blank line ended the sentence before it
    data: bytes | None  # None: to be read from the file

    def read(self) -> bytes:
        """The bytes."""
        if self.data is not None:
            return self.data
        try:
            with Path(self.path).open("rb") as stream:
                stream.seek(self.start)
                data = stream.read(self.size)
        except OSError as error:
            message = f"cannot be read by a worker: {error.strerror}"
            raise InputError(Problem("cannot-open", message, Place(self.path))) from None
        if len(data) < self.size:
            message = "has become shorter while it was read"
            raise InputError(Problem("file-changed", message, Place(self.path), fix="run again"))
        return data

    def lines(self, problems: Problems) -> Lines:
        """Its lines, which know where in the file they stand."""
        return Lines(self.path, problems, cut=[self.read()], before=self.lines_before)


class Cutter:
    """Cuts a file into stretches of ``sentences`` of M2, or lines, one after the other; holds one at a time.

    ``carry``: stretches hold their bytes, for workers who do not see the file; those of gzipped files always do.
    """

    def __init__(self, path: str, *, sentences: bool, carry: bool) -> None:
        self.path = path
        self.sentences = sentences
        self._blocks = byte_blocks(path, size=BLOCK)
        self.carry = carry or look(path).is_packed
        self._starts: NDArray[np.int64] = np.empty(0, np.int64)
        self._buffer, self._separated, self._ended = b"", True, False
        self._scanned = self._offset = self._lines = 0

    def take(self, size: int) -> tuple[Stretch, int]:
        """The next ``size`` units, or as many as there are, and their number."""
        while len(self._starts) <= size and not self._ended:
            self._fill()
        n = min(size, len(self._starts))
        end = int(self._starts[n]) if len(self._starts) > n else len(self._buffer)
        data = self._buffer[:end]
        stretch = Stretch(self.path, self._offset, end, self._lines, self._separated, data if self.carry else None)
        if n and self.sentences:
            self._separated = _ends_block(data[int(self._starts[n - 1]) :])
        self._buffer = self._buffer[end:]
        self._starts = self._starts[n:] - end
        self._scanned -= end
        self._offset += end
        self._lines += data.count(b"\n")
        return stretch, n

    def rest(self) -> Iterator[bytes]:
        """The bytes of what was not taken, in blocks that end with lines."""
        while (taken := self.take(1 << 14))[1]:
            yield taken[0].read()

    def _fill(self) -> None:
        block = next(self._blocks, b"")
        self._ended = not block
        self._buffer += block
        end = len(self._buffer)
        if self._ended:
            return
        # What ends without a line feed still is a line; the second byte is for looking ahead.
        tail = b"\n" if block.endswith(b"\n") else b"\n\n"
        self._starts = np.append(self._starts, self._find(block + tail, end))
        self._scanned = end
        if end - int(self._starts[-1] if len(self._starts) else 0) > LONGEST_SENTENCE:
            message = f"a sentence whose A lines have more than {LONGEST_SENTENCE:,} bytes"
            place = Place(self.path, self._lines + self._buffer.count(b"\n"))
            fix = "or read it by one process: --jobs 1"
            raise InputError(Problem("sentence-too-long", message, place, "S lines", fix))

    def _find(self, text: bytes, end: int) -> NDArray[np.int64]:
        """Where units start, in lines that are complete."""
        characters = np.frombuffer(text, np.uint8)
        starts = np.append(0, np.flatnonzero(characters[: end - self._scanned - 1] == _LF) + 1)
        if self.sentences:
            if not self._offset and not self._scanned and text.startswith(_BOM):
                starts[0] = len(_BOM)
            starts = starts[characters[starts] == _S]
            second = characters[starts + 1]
            alone = second == _LF
            alone[second == _CR] = characters[starts[second == _CR] + 2] == _LF
            starts = starts[(second == _SPACE) | alone]
            if not self._offset and not len(self._starts) and len(starts):
                starts[0] = 0  # what is before the first sentence goes with it
        return starts + self._scanned


def _ends_block(sentence: bytes) -> bool:
    """Whether there is a blank line after the last S line, as the reader of M2 tells both."""
    for line in reversed(sentence.removeprefix(_BOM).split(b"\n")[:-1]):
        text = line.decode(errors="replace").removesuffix("\r")
        if not text or text.isspace():
            return True
        if text[:2] in ("S ", "S"):
            break
    return False


# Tokens as ordinary text: what a person or a language model is shown of a tokenized sentence.
#
# Conventions
#     Closing marks and contractions are joined to the word before them, opening marks to the word after. Of straight
#     quotation marks every other one opens. An apostrophe alone is joined to a word in ``s``, as a genitive, and stays
#     apart elsewhere: it may open or close a quotation. ``can not`` stays two words.
# Source
#     The inverse of ``formats.nucle``.


_CLOSING = frozenset({*".,;:?!)]}%", "...", "''", "”", "’"})
_OPENING = frozenset({*"([{$£€", "``", "“", "‘"})
_CONTRACTIONS = frozenset({"n't", "'s", "'ll", "'re", "'ve", "'m", "'d", "n’t", "’s", "’ll", "’re", "’ve", "’m", "’d"})
_WRITTEN = {"``": '"', "''": '"'}


def ordinary_text(tokens: Iterable[str]) -> str:
    """A sentence of tokens with the white space that one writes."""
    words: list[str] = []
    quoted = False  # whether a straight quotation mark is open
    joined = True  # to what comes next
    for token in tokens:
        before, after = token in _CLOSING or token.lower() in _CONTRACTIONS, token in _OPENING
        if token == '"':
            before, after = quoted, not quoted
            quoted = after
        elif token == "'":
            before = bool(words) and words[-1].endswith(("s", "S"))
        if words and not before and not joined:
            words.append(" ")
        words.append(_WRITTEN.get(token, token))
        joined = after
    return "".join(words)
