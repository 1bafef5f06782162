"""The base of metrics over annotators' edits: the fold over the annotator chosen for each sentence, and its P, R and F.

A subclass is a frozen dataclass with ``beta`` and ``choose``, and counts edits in ``measure``; one that counts other
things has ``rule``, ``rate``, ``measures``, ``reasons`` and ``closed_intervals`` of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.corpus import Annotation, Corpus, TextEdits
from errorbar.core.edit import OWN_PIPELINE
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.core.spec import Parameter
from errorbar.edits.texts import extract_edits
from errorbar.metrics.base import Folded, Measure, Metric, Selection, UnitParts, unlike_units
from errorbar.metrics.choice import (
    RUNNING,
    SENTENCE,
    Choice,
    ChoiceRule,
    EditStatistics,
    Preference,
    closed_prf,
    concatenate,
    fold_counts,
    fold_left_out,
    prf_measures,
    prf_reasons,
    score_totals,
)

CHOOSE = Parameter("choose", str, RUNNING, "Annotator of a sentence: running, sentence, or one annotator's name.")
MADE = ("minimal", "errant")
PIPELINE = Parameter(
    "pipeline", str, OWN_PIPELINE, "spaCy pipeline, or its folder, that makes ERRANT's edits of texts."
)


class EditMetric(Metric):
    """A metric over edits: ``choose`` is ``running`` (official), ``sentence`` (order-free), or one annotator."""

    __slots__ = ()
    fold_only = frozenset({"beta", "choose"})

    beta: float
    choose: str

    def __post_init__(self) -> None:
        Metric.__post_init__(self)
        if getattr(self, "pipeline", OWN_PIPELINE) != OWN_PIPELINE and not self.makes_edits:
            message = f"the metric {self.spec} needs no pipeline: the edits of its texts are the smallest"
            raise UsageError(Problem("bad-parameter", message, fix="add edits=errant, or leave it out"))

    @property
    def makes_edits(self) -> bool:
        """Whether ERRANT makes the edits of texts: a field ``edits`` of one of ``MADE`` says it."""
        return getattr(self, "edits", MADE[0]) != MADE[0]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """P, R and F."""
        return prf_measures(self.beta)

    @property
    def annotator(self) -> str | None:
        """The one annotator that is scored against, or None where a rule chooses."""
        return None if self.choose in (RUNNING, SENTENCE) else self.choose

    def against(self, annotator: str) -> Self:
        """The metric against one annotator alone.

        Raises:
            UsageError: If the spec says already who is scored against, or a rule has the annotator's name.
        """
        if self.choose != RUNNING:
            message = f"the annotator {annotator} and the metric {self.spec} both say who is scored against"
            raise UsageError(Problem("two-choices", message, fix="give one of them"))
        if annotator in (RUNNING, SENTENCE):
            message = f"'{annotator}' is the name of a rule for choosing annotators"
            raise UsageError(Problem("reserved-name", message, fix="rename the annotator: --gold=name=path"))
        return self.replaced(choose=annotator)

    def variants(self) -> Sequence[Self]:
        """The metric under the other rule of choosing an annotator."""
        others = {RUNNING: SENTENCE, SENTENCE: RUNNING}
        return [self.replaced(choose=others[self.choose])] if self.choose in others else ()

    def remarked(self, statistics: EditStatistics) -> Mapping[str, int]:
        """Counts beside the edits, by name."""
        return statistics.remarked

    def made_by(self, statistics: EditStatistics) -> str:
        """The maker of the edits of texts."""
        return statistics.made_by

    @property
    def rule(self) -> Preference:
        """How annotators are compared."""
        return ChoiceRule(self.beta, self.choose != SENTENCE)

    def rate(self, totals: NDArray[np.int64]) -> Floats:
        """The measures of totals; shape (replicates, counted) to (replicates, measures)."""
        return score_totals(totals, self.beta)

    def join(self, parts: Sequence[EditStatistics]) -> EditStatistics:
        """Annotators and types are joined by name."""
        return parts[0] if len(parts) == 1 else concatenate(parts, len(self.counted))

    def fold(
        self, statistics: EditStatistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> Folded:
        """Corpus totals of each replicate, and the measures of them."""
        chosen = self._fold(statistics, selection or Selection(), start)
        return Folded(self.rate(chosen.totals), chosen.totals, chosen.n_units)

    def fold_against(self, statistics: EditStatistics, selection: Selection, masks: NDArray[np.uint8]) -> Folded:
        """Fold against all sets at once where stretches are left out."""
        left_out, choice = selection.left_out, None
        if left_out is not None and selection.swapping is None and self.annotator is None:
            choice = fold_left_out(statistics, self.rule, left_out, masks)
        if choice is None:
            return Metric.fold_against(self, statistics, selection, masks)
        return Folded(self.rate(choice.totals), choice.totals, choice.n_units)

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Which empty case fills P, R and F."""
        return prf_reasons(folded.counts[0], int(folded.n_units[0]), float(folded.values[0, 2]))

    def differ(self, first: EditStatistics, second: EditStatistics) -> NDArray[np.bool_]:
        """In which sentences the counts of two systems differ."""
        return unlike_units(first, second)

    def parts(self, statistics: EditStatistics, *, start: Folded | None = None) -> UnitParts:
        """The annotator chosen for each sentence, and the counts under that one."""
        chosen = self._fold(statistics, Selection(), start, want_chosen=True).chosen[0]
        nothing = np.zeros(len(self.counted), np.int64)
        counts = statistics.counts[np.arange(len(chosen)), chosen] if len(statistics.annotators) else nothing
        counts = np.where(chosen[:, None] >= 0, counts, 0)
        names = [statistics.annotators[column] if column >= 0 else None for column in chosen.tolist()]
        return UnitParts(names, counts)

    def without_types(self, statistics: EditStatistics) -> EditStatistics:
        """Counts per sentence and annotator alone."""
        return replace(statistics, by_type=None)

    def types(self, statistics: EditStatistics) -> tuple[str, ...]:
        """The error types of the reference."""
        return statistics.types

    def fold_types(
        self, statistics: EditStatistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> NDArray[np.int64]:
        """Edits of each type, of the annotators chosen sentence by sentence."""
        return self.fold_with_types(statistics, selection or Selection(), start=start)[1]

    def fold_with_types(
        self, statistics: EditStatistics, selection: Selection, *, start: Folded | None = None
    ) -> tuple[Folded, NDArray[np.int64]]:
        """The fold, and the edits of each type of the same chosen annotators; shape (replicates, types, counts)."""
        choice = self._fold(statistics, selection, start, want_chosen=True)
        units = np.arange(len(statistics))[None, :] if selection.units is None else selection.units
        folded = Folded(self.rate(choice.totals), choice.totals, choice.n_units)
        return folded, statistics.typed.chosen(units, choice.chosen)

    def type_units(self, statistics: EditStatistics) -> NDArray[np.int64]:
        """Sentences in which the chosen annotator has an edit of a type, and the type."""
        table = statistics.typed
        chosen = self._fold(statistics, Selection(), None, want_chosen=True).chosen[0]
        unit, annotator = np.divmod(table.slot, max(1, table.shape[1]))
        used = (chosen[unit] == annotator) & (table.count[:, self.type_counted.index("gold")] > 0)
        return np.stack([unit[used], table.type[used]], axis=1)

    def closed_intervals(self, folded: Folded, confidence_level: float) -> Sequence[Interval | Undefined]:
        """Wilson's interval for P and R, Goutte & Gaussier's for F; the choice of annotators is taken as given."""
        return closed_prf(folded.counts[0], self.beta, confidence_level)

    def _fold(
        self, statistics: EditStatistics, selection: Selection, start: Folded | None, *, want_chosen: bool = False
    ) -> Choice:
        if self.annotator is not None:  # of an annotator who has nothing in this part of a corpus: nobody looked
            only = np.array([[name == self.annotator for name in statistics.annotators]], np.uint8)
            masks = only if selection.annotators is None else selection.annotators * only
            selection = replace(selection, annotators=masks)
        totals = None if start is None else start.counts
        choice = fold_counts(statistics, self.rule, selection, totals, want_chosen=want_chosen)
        return choice if start is None else choice._replace(n_units=choice.n_units + start.n_units)


def edits_of_sides(
    reference: Corpus, output: Sequence[str], pipeline: str | None
) -> tuple[Corpus, Sequence[Annotation], str]:
    """The edits of both sides, and what made those of texts, if not the minimal aligner (``pipeline`` None)."""
    from errorbar.edits.errant import select_own_edits, type_output, type_reference  # noqa: PLC0415 - sqlite

    if pipeline is None:
        triples = zip(select_own_edits(reference, output), output, reference.sentences, strict=True)
        edits = [
            tuple(extract_edits(sentence.tokens, line.split())) if isinstance(own, TextEdits) else own
            for own, line, sentence in triples
        ]
        return reference, edits, ""
    corpus, made_by = type_reference(reference, pipeline)
    proposed, made_too = type_output(reference, output, pipeline)
    return corpus, proposed, made_by or made_too
