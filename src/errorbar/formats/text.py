"""Plain text, one tokenized sentence per line: sources, corrected versions in step with them, and system outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from errorbar.core.corpus import Sentence, wrong_count
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines, Source


class ParallelLine(NamedTuple):
    """One source line, its number from 1, and its corrected versions in the order of the files."""

    number: int
    source: str
    corrected: tuple[str, ...]


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
    for what in sorted(lost):
        problems.note("text-cannot-hold", f"plain text cannot hold {what}; left out", Place())


def read_parallel(source: Lines, corrected: Sequence[Lines], problems: Problems) -> Iterator[ParallelLine]:
    """Read a source and its corrected versions, one per annotator, in step; the caller raises the problems."""
    number, texts = 0, list[str | None]()
    for number, line in enumerate(source, 1):
        texts = [next(iter(lines), None) for lines in corrected]
        said = tuple(text for text in texts if text is not None)
        if len(said) < len(texts):
            break
        yield ParallelLine(number, line, said)
    if not number:
        problems.error("text-empty", "the file is empty", Place(source.name), "one sentence per line")
    n_sentences = number + sum(1 for _ in source)
    for lines, text in zip(corrected, texts or [""] * len(corrected), strict=True):
        check_end(lines, number - (text is None), n_sentences, problems)


def check_end(lines: Lines, n_taken: int, n_sentences: int, problems: Problems) -> None:
    """See that a file has a line for each sentence; lenient reading leaves blank ones at the end out."""
    n_rest = n_said = 0
    for line in lines:
        n_rest += 1
        n_said += bool(line.strip())
    if n_taken + n_rest == n_sentences:
        return
    what, place, expected = wrong_count(n_taken + n_rest, n_sentences), Place(lines.name), f"{n_sentences} lines"
    if n_taken + n_rest > n_sentences and not n_said:
        what += f"; the last {n_rest} are blank" if n_rest > 1 else "; the last one is blank"
        problems.repairable("line-count", what, place, "blank lines at the end are left out", expected)
    else:
        problems.error("line-count", what, place, expected, "one line per sentence")


class HypothesisReader:
    """Reads a system's sentences in step with the source; refuses M2 and JSONL, which its user took for its output."""

    def __init__(self, path: Source, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.lines = Lines(path, problems, last=True)
        self.count = 0
        first, code, fix = self.lines.peek(), "", "errorbar convert --to text --annotator"
        if first.startswith('{"format": "errorbar-corpus"'):
            code = "hypothesis-jsonl"
            what, fix = "an errorbar corpus", f"{fix} NAME {path}"
        elif first.startswith("S ") and any(_is_a_line(line) for line in self.lines.ahead(20)):
            code = "hypothesis-m2"
            gold = "if it is a reference, give it by --gold (patterns in quotes: --gold='A*.m2'); else"
            what, fix = "M2", f"{gold} {fix} 0 {path}"
        if code:
            place = Place(self.lines.name, 1)
            raise InputError(Problem(code, f"this is {what}, not plain text", place, "one sentence per line", fix))

    def take(self, size: int) -> list[str]:
        """The next sentences, as many as there are up to ``size``."""
        taken = list(islice(self.lines, size))
        self.count += len(taken)
        return taken

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        if n_sentences and not self.count and not self.lines.ahead(1):
            place = Place(self.lines.name)
            raise InputError(Problem("hypothesis-empty", "the file is empty", place, f"{n_sentences} lines"))
        check_end(self.lines, self.count, n_sentences, self.problems)


def _is_a_line(line: str) -> bool:
    return line.startswith("A ") and line.count("|||") >= 4
