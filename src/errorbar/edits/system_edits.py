"""Systems' files, whatever they hold: lines of text, essays, token labels, or M2, whose sentences know their edits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from errorbar.core.corpus import Corrected, Sentence, annotator_order, wrong_count
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.texts import apply_edits
from errorbar.formats.catalog import recognize_line
from errorbar.formats.essay_texts import EssayReader
from errorbar.formats.m2_file import read_m2
from errorbar.formats.opening import Lines, Source
from errorbar.formats.text import HypothesisReader
from errorbar.formats.token_labels import LabelReader


def open_system(
    path: Source, name: str, problems: Problems, *, edits: bool = False, labels: bool = False
) -> HypothesisReader | EssayReader | LabelReader | EditsReader:
    """Whoever reads a system's file in step with the source, seen from its first line.

    Args:
        path: The file.
        name: What the system is called.
        problems: Where problems go.
        edits: M2 is wanted, by metrics over edits.
        labels: Token labels will do, for metrics that only look where errors are.

    Raises:
        InputError: If the file is not what is wanted.
    """
    lines = Lines(path, problems, last=True)
    first = lines.peek()
    kind = recognize_line(first).name
    if kind == "multigec":
        return EssayReader(lines, name, problems)
    if kind == "multiged" or (labels and "\t" in first):
        if not labels:
            what, expected = "these are labels of tokens, which correct nothing", "corrected sentences"
            fix = "--metric=tokens scores them"
            raise InputError(Problem("hypothesis-labels", what, Place(lines.name, 1), expected, fix))
        return LabelReader(lines, name, problems)
    if edits and (kind == "m2" or not labels):
        return EditsReader(lines, name, problems)
    return HypothesisReader(lines, name, problems)


class EditsReader:
    """Reads a system's M2 in step with the source; its edits are one annotator's."""

    def __init__(self, lines: Lines, name: str, problems: Problems) -> None:
        self.name = name
        self._problems, self._lines, self.count = problems, lines, 0
        if not self._lines.ahead(1):
            place, expected = Place(self._lines.name), "a sentence for each of the source"
            raise InputError(Problem("hypothesis-empty", "the file is empty", place, expected))
        if not self._lines.peek().startswith("S "):
            what, place = "this is not M2, and the metric needs the edits of a system", Place(self._lines.name)
            fix = "make M2 of a corrected text: errorbar convert --source SOURCE TEXT --edits errant -o TEXT.m2"
            raise InputError(Problem("no-edits", what, place, "a line S with a sentence, lines A with edits", fix))
        self._sentences = read_m2(self._lines, problems)

    def take(self, size: int) -> list[Corrected]:
        """The next sentences, as many as there are up to ``size``."""
        taken = []
        for sentence in islice(self._sentences, size):
            place, names = Place(self._lines.name, sentence.line), list(sentence.annotations)
            if len(names) > 1:
                several = ", ".join(annotator_order(names))
                what = f"the edits of a system must be one annotator's, got those of {several}"
                fix = "errorbar convert --annotator NAME keeps one"
                self._problems.error("system-annotators", what, place, fix=fix)
            edits = sentence.annotations[names[0]] if names else ()
            silent = Problems(lenient=True)  # the reader has complained
            text = apply_edits(sentence.tokens, edits, problems=silent, place=place)
            taken.append(Corrected(" ".join(text), edits, sentence.text))
        self.count += len(taken)
        return taken

    def take_for(self, sentences: Sequence[Sentence]) -> list[Corrected]:
        """The next sentences, as many as the source's."""
        return self.take(len(sentences))

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        self.count += sum(1 for _ in self._sentences)
        if self.count != n_sentences:
            what = wrong_count(self.count, n_sentences).replace("line", "sentence", 1)
            self._problems.error("line-count", what, Place(self._lines.name), expected=f"{n_sentences} sentences")
