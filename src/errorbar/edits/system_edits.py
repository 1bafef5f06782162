"""Systems: lines of text, essays, token labels or M2, whose sentences know their edits, and annotators as systems."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from errorbar.core.corpus import Annotation, Corrected, Sentence, annotator_order, wrong_count
from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.texts import apply_edits
from errorbar.formats.catalog import recognize_line
from errorbar.formats.essay_texts import EssayReader
from errorbar.formats.m2_file import is_m2, read_m2
from errorbar.formats.opening import Lines, Source
from errorbar.formats.text import HypothesisReader
from errorbar.formats.token_labels import LabelReader

LONGEST_ROW = 3  # words of a line of token labels, with a number before the token


def open_system(
    path: Source, name: str, problems: Problems, *, edits: bool = False, labels: bool = False, retokenize: bool = False
) -> HypothesisReader | EssayReader | LabelReader | EditsReader:
    """Whoever reads a system's file in step with the source, seen from its beginning.

    Args:
        path: The file.
        name: What the system is called.
        problems: Where problems go.
        edits: It can be M2, for metrics over edits.
        labels: It can be token labels, for metrics that only look where errors are.
        retokenize: Somebody asked for other tokens, which M2 and labels do not get.

    Raises:
        InputError: If the file is not what is wanted.
        UsageError: If other tokens are asked for of what is no text.
    """
    lines = Lines(path, problems, last=True)
    first = lines.peek()
    kind = recognize_line(first).name
    if kind == "multigec":
        return EssayReader(lines, name, problems)
    columns = "\t" in first and len(first.split()) <= LONGEST_ROW  # of labels gone wrong, which their reader names
    of_labels, of_edits = kind == "multiged" or (labels and columns), edits and is_m2(lines)
    if of_labels and not labels:
        what, expected = "these are labels of tokens, which correct nothing", "corrected sentences"
        fix = "--metric=tokens scores them"
        raise InputError(Problem("hypothesis-labels", what, Place(lines.name, 1), expected, fix))
    if retokenize and (of_labels or of_edits):
        what = f"--retokenize is for texts, and this system is {'token labels' if of_labels else 'M2'}"
        raise UsageError(Problem("useless-option", what, Place(lines.name), fix="leave it out"))
    if of_labels:
        return LabelReader(lines, name, problems)
    return (EditsReader if of_edits else HypothesisReader)(lines, name, problems)


def corrected(sentence: Sentence, edits: Annotation) -> Corrected:
    """A sentence with its edits applied; of those that overlap the later one is left out of the text."""
    text = apply_edits(sentence.tokens, edits, problems=Problems(lenient=True))  # whoever read them has complained
    return Corrected(" ".join(text), edits, sentence.text)


class EditsReader:
    """Reads a system's M2 in step with the source; its edits are one annotator's."""

    def __init__(self, lines: Lines, name: str, problems: Problems) -> None:
        self.name = name
        self._problems, self._lines, self.count = problems, lines, 0
        self._sentences = read_m2(lines, problems)

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
            taken.append(corrected(sentence, edits))
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
