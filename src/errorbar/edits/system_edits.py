"""Systems: lines of text, essays, token labels or M2, whose sentences know their edits, and annotators as systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from errorbar.core.corpus import Annotation, Corrected, Sentence, annotator_order, wrong_count
from errorbar.core.errors import InputError, Place, Problem, UsageError, shortened
from errorbar.core.problems import Problems
from errorbar.edits.texts import apply_edits
from errorbar.formats.catalog import FORMATS, Format, format_of
from errorbar.formats.look import Lines, Source
from errorbar.formats.m2_file import is_m2
from errorbar.formats.text import HypothesisReader

if TYPE_CHECKING:
    from errorbar.formats.essay_texts import EssayReader

LONGEST_ROW = 3  # words of a line of token labels, with a number before the token


def open_system(
    path: Source, name: str, problems: Problems, *, edits: bool = False, labels: bool = False, retokenize: bool = False
) -> HypothesisReader | EssayReader | EditsReader:
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
    kind = format_of(lines)
    if kind.name == "multigec":
        from errorbar.formats.essay_texts import EssayReader  # noqa: PLC0415 - few systems are essays

        return EssayReader(lines, name, problems)
    columns = "\t" in first and len(first.split()) <= LONGEST_ROW  # of labels gone wrong, which their reader names
    of_labels = kind.holds == "labels" or (labels and columns)
    of_edits = (kind.name not in FORMATS and kind.holds == "edits") or (edits and is_m2(lines))
    if of_labels and not labels:
        what, expected = "these are labels of tokens, which correct nothing", "corrected sentences"
        fix = "--metric=tokens scores them"
        raise InputError(Problem("hypothesis-labels", what, Place(lines.name, 1), expected, fix))
    if retokenize and (of_labels or of_edits):
        what = f"--retokenize is for texts, and this system is {'token labels' if of_labels else 'M2'}"
        raise UsageError(Problem("useless-option", what, Place(lines.name), fix="leave it out"))
    if of_labels:
        return LabelReader(lines, name, problems, kind if kind.holds == "labels" else FORMATS["multiged"])
    if of_edits:
        return EditsReader(lines, name, problems, kind if kind.holds == "edits" else FORMATS["m2"])
    return HypothesisReader(lines, name, problems)


def corrected(sentence: Sentence, edits: Annotation) -> Corrected:
    """A sentence with its edits applied; of those that overlap the later one is left out of the text."""
    text = apply_edits(sentence.tokens, edits, problems=Problems(lenient=True))  # whoever read them has complained
    return Corrected(" ".join(text), edits, sentence.text)


class EditsReader:
    """Reads a system's M2, or its like, in step with the source; its edits are one annotator's."""

    def __init__(self, lines: Lines, name: str, problems: Problems, kind: Format) -> None:
        self.name = name
        self.count = 0
        self._labels = kind.holds == "labels"
        self._problems, self._file = problems, lines.name
        self._sentences: Iterator[Sentence] = kind.read(lines, problems)

    def take(self, size: int) -> list[Corrected]:
        """The next sentences, as many as there are up to ``size``."""
        return list(map(self._output, self._next(size)))

    def _next(self, size: int) -> list[Sentence]:
        taken = list(islice(self._sentences, size))
        self.count += len(taken)
        return taken

    def _output(self, sentence: Sentence) -> Corrected:
        if len(sentence.annotations) > 1:
            several = ", ".join(annotator_order(sentence.annotations))
            what = f"the edits of a system must be one annotator's, got those of {several}"
            fix = "errorbar convert --annotator NAME keeps one"
            self._problems.error("system-annotators", what, Place(self._file, sentence.line), fix=fix)
        edits = next(iter(sentence.annotations.values()), ())
        return Corrected(sentence.text, edits, sentence.text) if self._labels else corrected(sentence, edits)

    def take_for(self, sentences: Sequence[Sentence]) -> list[Corrected]:
        """The next sentences, as many as the source's."""
        return self.take(len(sentences))

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        self.count += sum(1 for _ in self._sentences)
        if self.count != n_sentences:
            what = wrong_count(self.count, n_sentences).replace("line", "sentence", 1)
            self._problems.error("line-count", what, Place(self._file), expected=f"{n_sentences} sentences")


class LabelReader(EditsReader):
    """Reads a system's token labels in step with the source, whose tokens they must have."""

    def take_for(self, sentences: Sequence[Sentence]) -> list[Corrected]:
        """The labels of each sentence.

        Raises:
            InputError: At the first token that is another one: those behind it are wrong for the same reason.
        """
        taken = self._next(len(sentences))
        for sentence, own in zip(sentences, taken, strict=False):
            if own.tokens != sentence.tokens and not self._problems.errors:  # which may be why
                self._refuse(own, sentence)
        return list(map(self._output, taken))

    def _refuse(self, own: Sentence, sentence: Sentence) -> None:
        ours, theirs = own.tokens, sentence.tokens
        shorter = min(len(ours), len(theirs))
        at = next((k for k in range(shorter) if ours[k] != theirs[k]), shorter)
        what = f"the token is {shortened(ours[at])!r}" if at < len(ours) else "the sentence ends"
        expected = shortened(theirs[at]) if at < len(theirs) else "the end of the sentence"
        place = Place(self._file, own.line + at)
        self._problems.error("labels-other-token", what, place, f"{expected}, as the reference has it")
        self._problems.raise_errors()
