"""Two formats of another package: sentences with edits in brackets, and votes as words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from errorbar import Edit, Problems, Sentence
from errorbar.core import Place
from errorbar.formats import Format, Lines
from errorbar.formats.catalog import Row

HEADER = "%brackets"
WORDS = 3


def read_brackets(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Sentences such as ``He [go|goes] home .``, by one annotator."""
    for number, line in enumerate(lines, 1):
        if line == HEADER:
            continue
        tokens: list[str] = []
        edits: list[Edit] = []
        for old, new, word in re.findall(r"\[([^|\]]*)\|([^]]*)\]|(\S+)", line):
            if "[" in word:
                problems.error("brackets-open", f"the bracket of {word!r} is not closed", Place(lines.name, number))
            start = len(tokens)
            tokens += old.split() or word.split()
            if not word:
                edits.append(Edit(start, len(tokens), (new,), "X"))
        yield Sentence(" ".join(tokens), {"0": tuple(edits)}, line=number)


def write_brackets(sentences: Iterable[Sentence], problems: Problems) -> Iterator[str]:
    """The lines of sentences with the edits of annotator 0."""
    yield HEADER
    for sentence in sentences:
        tokens = sentence.tokens[:]
        for edit in reversed(sentence.annotations.get("0", ())):
            tokens[edit.start : edit.end] = [f"[{' '.join(tokens[edit.start : edit.end])}|{edit.replacements[0]}]"]
        yield " ".join(tokens)


def read_votes(lines: Lines, problems: Problems) -> Iterator[Row]:
    """Judgments such as ``ann: item1 error``."""
    for number, line in enumerate(lines, 1):
        rater, _, rest = line.partition(": ")
        if len(words := [rater, *rest.split()]) == WORDS:
            yield number, dict(zip(("rater", "item", "label"), words, strict=True))
        else:
            problems.error("votes-line", f"not a vote: {line!r}", Place(lines.name, number))


BRACKETS = Format("brackets", ".brackets", "edits", lambda line: line == HEADER, read_brackets, write_brackets)
VOTES = Format("votes", ".votes", "rows", lambda line: ": " in line, read_votes)
NOTHING = Format("nothing", ".nothing", "essays", lambda line: False, read_brackets)
