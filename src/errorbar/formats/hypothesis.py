"""System output: one corrected sentence per line."""

from __future__ import annotations

from itertools import islice

from errorbar.core.corpus import wrong_count
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines
from errorbar.formats.reference import NamedFile
from errorbar.formats.text import BLANK_LEFT_OUT, count_rest


class HypothesisReader:
    """Reads a system's sentences in step with the source, and says when their numbers differ.

    Raises:
        InputError: If the file is bad, or looks like M2 rather than plain text.
    """

    def __init__(self, file: NamedFile, problems: Problems) -> None:
        self.file = file
        self.problems = problems
        self.lines = Lines(file.path, problems, last=True)
        self.count = 0
        first = self.lines.peek()
        if first.startswith("S ") and _looks_like_m2(self.lines):
            what = "this is M2, not plain text"
            fix = "if it is a reference, give it by --gold (patterns in quotes: --gold='A*.m2'); "
            fix += f"else errorbar convert --to text --annotator 0 {file.path}"
            raise InputError(Problem("hypothesis-m2", what, Place(self.lines.name, 1), "one sentence per line", fix))
        if first.startswith('{"format": "errorbar-corpus"'):
            what = "this is an errorbar corpus, not plain text"
            fix = f"errorbar convert --to text --annotator NAME {file.path}"
            raise InputError(Problem("hypothesis-jsonl", what, Place(self.lines.name, 1), "one sentence per line", fix))

    @property
    def name(self) -> str:
        """The system's name."""
        return self.file.name

    def take(self, size: int) -> list[str]:
        """The next sentences, as many as there are up to ``size``."""
        taken = list(islice(self.lines, size))
        self.count += len(taken)
        return taken

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source.

        Blank lines at the end are forgiven in lenient mode.
        """
        n_rest, n_said = count_rest(self.lines)
        self.count += n_rest
        place = Place(self.lines.name)
        if self.count == n_sentences:
            return
        if not self.count:
            raise InputError(Problem("hypothesis-empty", "the file is empty", place, f"{n_sentences} lines"))
        what = wrong_count(self.count, n_sentences)
        if n_rest and not n_said:
            what += f"; the last {n_rest} are blank" if n_rest > 1 else "; the last one is blank"
            self.problems.repairable("line-count", what, place, repair=BLANK_LEFT_OUT, expected=f"{n_sentences} lines")
            return
        self.problems.error("line-count", what, place, expected=f"{n_sentences} lines", fix="one line per sentence")


def _looks_like_m2(lines: Lines) -> bool:
    return any(line.startswith("A ") and line.count("|||") >= 4 for line in lines.ahead(20))
