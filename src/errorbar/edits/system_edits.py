"""A system's M2, or an annotator as a system: corrected sentences that know the edits they were made by."""

from __future__ import annotations

from itertools import islice

from errorbar.core.corpus import Annotation, Corrected, Sentence, annotator_order, wrong_count
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.texts import apply_edits
from errorbar.formats.m2_file import read_m2
from errorbar.formats.opening import Lines


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

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        self.count += sum(1 for _ in self._sentences)
        if self.count != n_sentences:
            what = wrong_count(self.count, n_sentences).replace("line", "sentence", 1)
            self._problems.error("line-count", what, Place(self._lines.name), expected=f"{n_sentences} sentences")
