"""Plain text, one tokenized sentence per line: sources, and corrected versions in step with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from errorbar.core.corpus import Sentence
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines

BLANK_LEFT_OUT = "blank lines at the end are left out"


class ParallelLine(NamedTuple):
    """One source line and its corrected versions.

    Attributes:
        number: The line, counted from 1.
        source: The source sentence.
        corrected: Its corrected versions, in the order of the files.
    """

    number: int
    source: str
    corrected: tuple[str, ...]


def read_text(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read one sentence per line, without any annotation: nobody looked. A blank line is an empty sentence."""
    number = 0
    for number, line in enumerate(lines, 1):
        yield Sentence(line, line=number)
    if not number:
        problems.error("text-empty", "the file is empty", Place(lines.name), expected="one sentence per line")


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
    """Read a source and its corrected versions line by line, in step.

    Every file must have as many lines as the source; blank lines too many at the end are a repairable error.

    Args:
        source: The source text, one sentence per line.
        corrected: The corrected texts, one per annotator.
        problems: Where different numbers of lines are recorded; the caller raises them after the last line.
    """
    number = 0
    for number, line in enumerate(source, 1):
        texts = [next(iter(lines), None) for lines in corrected]
        said = tuple(text for text in texts if text is not None)
        if len(said) < len(texts):
            for lines, text in zip(corrected, texts, strict=True):
                if text is None:
                    what = f"{number - 1} lines, while {source.name} has more"
                    problems.error("line-count", what, Place(lines.name), expected="one line per source sentence")
            return
        yield ParallelLine(number, line, said)
    if not number:
        problems.error("text-empty", "the file is empty", Place(source.name), expected="one sentence per line")
    for lines in corrected:
        _check_rest(lines, number, source.name, problems)


def _check_rest(lines: Lines, number: int, source: str, problems: Problems) -> None:
    n_rest, n_said = count_rest(lines)
    what, expected = f"{number + n_rest} lines for the {number} of {source}", "one line per source sentence"
    if n_said:
        problems.error("line-count", what, Place(lines.name), expected=expected)
    elif n_rest:
        problems.repairable("line-count", what, Place(lines.name), expected=expected, repair=BLANK_LEFT_OUT)


def count_rest(lines: Lines) -> tuple[int, int]:
    """How many lines are left, and how many of them are not blank."""
    n_rest = n_said = 0
    for line in lines:
        n_rest += 1
        n_said += bool(line.strip())
    return n_rest, n_said
