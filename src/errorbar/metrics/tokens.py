"""Detection by token: P, R and F of the tokens that a system calls wrong, as MultiGED-2023 scores it.

Formula
    Of a sentence, TP, FP and FN are the tokens that both the system and the annotator call wrong, only the system, and
    only the annotator. Over the sentences of a corpus, each with the annotator chosen for it, P = TP / (TP + FP),
    R = TP / (TP + FN), F = (1 + beta²) P R / (beta² P + R).
Conventions
    Correct, proposed and gold tokens are TP, TP + FP and TP + FN. An edit calls every token of its span wrong, an
    insertion the token on its right, and none at the end of a sentence; whatever the correction, and whether it is
    known. A token counts once, however many edits touch it. A system's edits are its labels or its M2; of a text, the
    smallest that make it. FP = 0: P = 1, FN = 0: R = 1, P + R = 0: F = 0.
    ``running`` takes for each sentence the annotator with the largest F of the corpus so far plus this sentence,
    ``sentence`` that of the sentence alone (``errorbar.metrics.choice``); with one annotator there is no choice.
Source
    eval.py of MultiGED-2023 (Volodina et al. 2023), which knows one annotator and prints four places; the token on the
    right of an insertion is that of its m2_to_conll.py, which leaves UNK out, where here it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from errorbar.core.corpus import Corpus, Corrected, Sentence, wrong_count
from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, Place, Problem, shortened
from errorbar.core.spec import Parameter, beta_parameter
from errorbar.edits.matching import Proposed
from errorbar.edits.texts import extract_edits
from errorbar.metrics.base import lacking
from errorbar.metrics.choice import EDITS, RUNNING
from errorbar.metrics.edit_metric import CHOOSE, EditMetric
from errorbar.metrics.edit_statistics import EditStatistics


@dataclass(frozen=True, slots=True)
class Tokens(EditMetric):
    """The metric.

    Attributes:
        beta: Weight of recall against precision.
        choose: ``running``, ``sentence`` (order-free), or the name of one annotator.

    Raises:
        UsageError: If a parameter will not do.
    """

    name: ClassVar[str] = "tokens"
    summary: ClassVar[str] = "Detection: P, R and F over the tokens that are called wrong, as MultiGED-2023 scores it"
    parameters: ClassVar[tuple[Parameter, ...]] = (beta_parameter(0.5), CHOOSE)
    takes_edits = True
    detects = True
    counted = EDITS
    lacks = {"types": "labels of tokens have no error types"}  # noqa: RUF012

    beta: float = 0.5
    choose: str = RUNNING

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> EditStatistics:
        """Count the tokens that system and annotator, the system, and the annotator call wrong.

        Raises:
            InputError: If the numbers of sentences differ, or a system's edits are of other sentences.
        """
        if len(output) != len(reference):
            raise InputError(Problem("line-count", wrong_count(len(output), len(reference)), Place(reference.name)))
        counts = np.zeros((len(reference), len(reference.annotators), 3), np.int32)
        present = np.zeros(counts.shape[:2], np.uint8)
        column = {name: k for k, name in enumerate(reference.annotators)}
        for unit, (sentence, line) in enumerate(zip(reference.sentences, output, strict=True)):
            n_tokens = len(sentence.tokens)
            place = Place(reference.name, sentence.line or unit + 1)
            ours = wrong_tokens(_edits(sentence, line, place), n_tokens)
            for name, annotation in sentence.annotations.items():
                theirs = wrong_tokens(annotation, n_tokens)
                present[unit, column[name]] = 1
                counts[unit, column[name]] = len(ours & theirs), len(ours), len(theirs)
        return EditStatistics(counts, present, reference.annotators)

    def system_edits(
        self, reference: Corpus, output: Sequence[str], annotators: Sequence[str | None]
    ) -> Sequence[Sequence[Proposed]]:
        """The edits of each sentence, correct if the annotator calls all of their tokens wrong; labels keep words."""
        found = []
        for number, (sentence, line, name) in enumerate(zip(reference.sentences, output, annotators, strict=True), 1):
            tokens, place = sentence.tokens, Place(reference.name, sentence.line or number)
            theirs = wrong_tokens(sentence.annotations.get(name or "", ()), len(tokens))
            said = []
            for edit in _edits(sentence, line, place):
                kept = " ".join(tokens[edit.start : edit.end])
                if wrong := wrong_tokens([edit], len(tokens)):
                    said.append(Proposed(*edit.span, (edit.replacements or (kept,))[0], wrong <= theirs))
            found.append(said)
        return found

    def types(self, statistics: EditStatistics) -> tuple[str, ...]:
        """None are counted."""
        raise lacking(self, "types")


def wrong_tokens(edits: Iterable[Edit], n_tokens: int) -> set[int]:
    """The tokens of a sentence that edits call wrong, counted from 0."""
    spans = (range(edit.start, min(max(edit.end, edit.start + 1), n_tokens)) for edit in edits)
    return {token for span in spans for token in span}


def _edits(sentence: Sentence, line: str, place: Place) -> Sequence[Edit]:
    """A system's edits of a sentence: its own, or those that make its text."""
    if not isinstance(line, Corrected):
        try:
            return extract_edits(sentence.tokens, line.split())
        except InputError as error:
            raise InputError([replace(each, place=place) for each in error.problems]) from None
    if line.source is not None and line.source.split() != sentence.tokens:
        what = f"the system's edits are of another sentence: {shortened(line.source)}"
        raise InputError(Problem("system-sentence", what, place, shortened(sentence.text)))
    return line.edits
