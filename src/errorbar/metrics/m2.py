"""MaxMatch (M2): precision, recall and F over the edits that match an annotator's best.

Formula
    P = C / P_n, R = C / G, F = (1 + beta²) P R / (beta² P + R), where C, P_n and G are the sums over sentences of
    the matched, proposed and reference edits of the annotator chosen for the sentence. ``score_totals`` of
    ``errorbar.metrics.edit_metric`` computes them.
Conventions
    Nothing proposed: P = 1. Nothing in the reference: R = 1. P = R = 0: F = 0. An annotator who did not look at
    a sentence cannot be chosen for it. The choice of annotators is described in ``errorbar.metrics.edit_metric``.
Source
    Dahlmeier & Ng 2012; Ng et al. 2014; behavior of the official M2 scorer, release 3.2, which the tests compare
    with sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import divide
from errorbar.core.corpus import Corpus, TextEdits
from errorbar.core.edit import OWN_PIPELINE
from errorbar.core.problems import Place, Problem, UsageError
from errorbar.core.spec import Parameter, beta_parameter, unchanged_parameter, word_parameter
from errorbar.edits.matching import ProposedEdit, match_corpus, proposed_edits
from errorbar.edits.maxmatch import MatchRules
from errorbar.metrics.edit_metric import CHOOSE, EDITS, MADE, PIPELINE, RUNNING, EditMetric, EditStatistics, count_types

LARGE = "large-pairs"
_SPACE = "Drop proposed edits that only change case or white space."


@dataclass(frozen=True, slots=True)
class M2(EditMetric):
    """The MaxMatch metric.

    Attributes:
        beta: Weight of recall against precision.
        max_unchanged: How many unchanged words an edit may span.
        ignore_case_space: Drop proposed edits that only change letter case or white space.
        choose: ``running`` (official), ``sentence`` (order-free), or the name of one annotator.
        edits: How edits of references that are texts are made: ``minimal``, or as ``errant`` makes them.
        pipeline: The spaCy pipeline that ERRANT needs for that, or its folder.

    Raises:
        UsageError: If a parameter will not do.
    """

    name: ClassVar[str] = "m2"
    summary: ClassVar[str] = "MaxMatch: P, R and F over edits, equal to the official M2 scorer"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        beta_parameter(0.5),
        unchanged_parameter("How many unchanged words one edit may span.", "max_unchanged_words"),
        Parameter("ignore_case_space", bool, False, _SPACE, aliases=("ignore_whitespace_casing",)),
        CHOOSE,
        word_parameter("edits", "Edits of references that are texts: minimal, or errant.", *MADE),
        PIPELINE,
    )

    counted = EDITS
    type_counted = ("correct", "gold")
    type_measures = ("recall",)
    remarks: ClassVar[Mapping[str, tuple[str, str]]] = {
        LARGE: (
            "sentence pairs too large for the official search order, matched by the integer objective",
            "see docs/design/large-lattices.md",
        )
    }

    beta: float = 0.5
    max_unchanged: int = 2
    ignore_case_space: bool = False
    choose: str = RUNNING
    edits: str = "minimal"
    pipeline: str = OWN_PIPELINE

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> EditStatistics:
        """Count matched, proposed and reference edits per sentence and annotator; ``by_type``: of each type too.

        Raises:
            InputError: If the numbers of sentences differ, or a pair of texts is too large.
            UsageError: If ``edits`` is errant and the reference has edits of its own, or ERRANT is not installed.
        """
        corpus, made_by = self._typed_reference(reference)
        matches = match_corpus(corpus, output, MatchRules(self.max_unchanged, self.ignore_case_space))
        return EditStatistics(
            matches.counts,
            matches.present,
            reference.annotators,
            count_types(matches) if by_type else None,
            matches.references.type_names,
            {LARGE: int(matches.large.sum())},
            made_by,
        )

    def _typed_reference(self, reference: Corpus) -> tuple[Corpus, str]:
        """The reference with the edits that are asked for, and what made them."""
        if not self.makes_edits:
            return reference, ""
        from errorbar.edits.errant import type_reference  # noqa: PLC0415 - few ask for it

        if not all(isinstance(each, TextEdits) for one in reference.sentences for each in one.annotations.values()):
            message = f"the metric {self.spec} makes the edits of texts, and the edits of this reference are given"
            raise UsageError(Problem("useless-option", message, Place(reference.name), fix="leave edits=errant out"))
        return type_reference(reference, self.pipeline)

    def type_values(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Recall: the edits of systems have no types."""
        return divide(counts[..., :1], counts[..., 1:])

    def system_edits(
        self, reference: Corpus, output: Sequence[str], annotators: Sequence[str | None]
    ) -> Sequence[Sequence[ProposedEdit]]:
        """The edits that MaxMatch finds in each sentence against one annotator."""
        column = {name: k for k, name in enumerate(reference.annotators)}
        columns = [-1 if name is None else column[name] for name in annotators]
        return proposed_edits(
            self._typed_reference(reference)[0], output, columns, MatchRules(self.max_unchanged, self.ignore_case_space)
        )
