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
    ``sentence`` that of the sentence alone (``errorbar.metrics.edit_metric``); with one annotator there is no choice.
Source
    eval.py of MultiGED-2023 (Volodina et al. 2023), which knows one annotator and prints four places; the token on the
    right of an insertion is that of its m2_to_conll.py, which leaves UNK out, where here it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from errorbar.core.corpus import Corpus, TextEdits
from errorbar.core.edit import Edit
from errorbar.core.problems import InputError, Place
from errorbar.core.spec import Parameter, beta_parameter
from errorbar.edits.errant import select_own_edits
from errorbar.edits.matching import ProposedEdit
from errorbar.edits.texts import extract_edits
from errorbar.metrics.base import lacking
from errorbar.metrics.edit_metric import CHOOSE, EDITS, RUNNING, EditMetric, EditStatistics


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
        proposed = _edits(reference, output)
        counts = np.zeros((len(reference), len(reference.annotators), 3), np.int32)
        present = np.zeros(counts.shape[:2], np.uint8)
        column = {name: k for k, name in enumerate(reference.annotators)}
        for unit, (sentence, edits) in enumerate(zip(reference.sentences, proposed, strict=True)):
            n_tokens = len(sentence.tokens)
            ours = wrong_tokens(edits, n_tokens)
            for name, annotation in sentence.annotations.items():
                theirs = wrong_tokens(annotation, n_tokens)
                present[unit, column[name]] = 1
                counts[unit, column[name]] = len(ours & theirs), len(ours), len(theirs)
        return EditStatistics(counts, present, reference.annotators)

    def system_edits(
        self, reference: Corpus, output: Sequence[str], annotators: Sequence[str | None]
    ) -> Sequence[Sequence[ProposedEdit]]:
        """The edits of each sentence, correct if the annotator calls all of their tokens wrong; labels keep words."""
        matched = []
        for sentence, edits, name in zip(reference.sentences, _edits(reference, output), annotators, strict=True):
            tokens = sentence.tokens
            theirs = wrong_tokens(sentence.annotations.get(name or "", ()), len(tokens))
            own = []
            for edit in edits:
                kept = " ".join(tokens[edit.start : edit.end])
                if wrong := wrong_tokens([edit], len(tokens)):
                    own.append(ProposedEdit(*edit.span, (edit.replacements or (kept,))[0], wrong <= theirs))
            matched.append(own)
        return matched

    def types(self, statistics: EditStatistics) -> tuple[str, ...]:
        """None are counted."""
        raise lacking(self, "types")


def wrong_tokens(edits: Iterable[Edit], n_tokens: int) -> set[int]:
    """The tokens of a sentence that edits call wrong, counted from 0."""
    spans = (range(edit.start, min(max(edit.end, edit.start + 1), n_tokens)) for edit in edits)
    return {token for span in spans for token in span}


def _edits(reference: Corpus, output: Sequence[str]) -> list[Sequence[Edit]]:
    """A system's edits of each sentence: its own, or those that make its text."""
    edits: list[Sequence[Edit]] = []
    for unit, (sentence, line, own) in enumerate(
        zip(reference.sentences, output, select_own_edits(reference, output), strict=True)
    ):
        try:
            edits.append(extract_edits(sentence.tokens, line.split()) if isinstance(own, TextEdits) else own)
        except InputError as error:
            place = Place(reference.name, sentence.line or unit + 1)
            raise InputError([replace(each, place=place) for each in error.problems]) from None
    return edits
