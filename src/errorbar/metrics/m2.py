"""MaxMatch (M2): precision, recall and F over the edits that match an annotator's best.

Formula
    P = C / P_n, R = C / G, F = (1 + beta²) P R / (beta² P + R), where C, P_n and G are the sums over sentences of
    the matched, proposed and reference edits of the annotator chosen for the sentence.
Conventions
    Nothing proposed: P = 1. Nothing in the reference: R = 1. P = R = 0: F = 0. An annotator who did not look at
    a sentence cannot be chosen for it. The choice of annotators is described in ``errorbar.metrics.choice``.
Source
    Dahlmeier & Ng 2012; Ng et al. 2014; behavior of the official M2 scorer, release 3.2, which the tests compare
    with sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.spec import Parameter, beta_parameter, unchanged_parameter
from errorbar.edits.matching import Proposed, match_corpus, proposed_edits
from errorbar.edits.maxmatch import Rules
from errorbar.metrics.base import Folded, Measure, Metric, Selection, UnitParts, divided
from errorbar.metrics.choice import (
    EDITS,
    RUNNING,
    SENTENCE,
    Choice,
    Rule,
    closed_prf,
    fold_counts,
    prf_measures,
    prf_reasons,
    score_totals,
)
from errorbar.metrics.edit_statistics import EditStatistics, concatenate, count_types

LARGE = "large-pairs"
_NOTHING = np.zeros(3, np.int64)
_SPACE = "Drop proposed edits that only change case or white space."


@dataclass(frozen=True, slots=True)
class M2(Metric):
    """The MaxMatch metric.

    Attributes:
        beta: Weight of recall against precision.
        max_unchanged: How many unchanged words an edit may span.
        ignore_case_space: Drop proposed edits that only change letter case or white space.
        choose: ``running`` (official), ``sentence`` (order-free), or the name of one annotator.

    Raises:
        UsageError: If a parameter will not do.
    """

    name: ClassVar[str] = "m2"
    summary: ClassVar[str] = "MaxMatch: P, R and F over edits, equal to the official M2 scorer"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        beta_parameter(0.5),
        unchanged_parameter("How many unchanged words one edit may span.", "max_unchanged_words"),
        Parameter("ignore_case_space", bool, False, _SPACE, aliases=("ignore_whitespace_casing",)),
        Parameter("choose", str, RUNNING, "Annotator of a sentence: running, sentence, or one annotator's name."),
    )

    fold_only = frozenset({"beta", "choose"})
    counted = EDITS
    type_counted = ("correct", "gold")
    type_measures = ("recall",)
    remarks: ClassVar[Mapping[str, tuple[str, str]]] = {
        LARGE: (
            "sentence pairs were too large for the official search order; the integer objective served",
            "see docs/design/large-lattices.md",
        )
    }

    beta: float = 0.5
    max_unchanged: int = 2
    ignore_case_space: bool = False
    choose: str = RUNNING

    @property
    def measures(self) -> tuple[Measure, ...]:
        """P, R and F."""
        return prf_measures(self.beta)

    @property
    def annotator(self) -> str | None:
        """The one annotator that is scored against, or None where a rule chooses."""
        return None if self.choose in (RUNNING, SENTENCE) else self.choose

    def against(self, annotator: str) -> M2:
        """The metric against one annotator alone, who may not be named like a rule; the spec may not name one too."""
        if self.choose != RUNNING:
            what = f"--annotator={annotator} and the metric {self.spec} both say who is scored against"
            raise UsageError(Problem("two-choices", what, fix="give one of them"))
        if annotator in (RUNNING, SENTENCE):
            what = f"'{annotator}' is the name of a rule for choosing annotators"
            raise UsageError(Problem("reserved-name", what, fix="rename the annotator: --gold=name=path"))
        return replace(self, choose=annotator)

    def variants(self) -> Sequence[M2]:
        """The metric under the other rule of choosing an annotator."""
        others = {RUNNING: SENTENCE, SENTENCE: RUNNING}
        return [replace(self, choose=others[self.choose])] if self.choose in others else ()

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> EditStatistics:
        """Count matched, proposed and reference edits per sentence and annotator; ``by_type``: of each type too."""
        matches = match_corpus(reference, output, Rules(self.max_unchanged, self.ignore_case_space))
        return EditStatistics(
            matches.counts,
            matches.present,
            reference.annotators,
            count_types(matches) if by_type else None,
            matches.references.type_names,
            int(matches.large.sum()),
        )

    def join(self, parts: Sequence[EditStatistics]) -> EditStatistics:
        """Annotators and types are joined by name."""
        return parts[0] if len(parts) == 1 else concatenate(parts)

    def fold(
        self, statistics: EditStatistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> Folded:
        """Corpus totals of each replicate, and P, R and F of them."""
        chosen = self._fold(statistics, selection or Selection(), start)
        return Folded(score_totals(chosen.totals, self.beta), chosen.totals, chosen.n_units)

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Which empty case fills P, R and F."""
        return prf_reasons(folded.counts[0], int(folded.n_units[0]), float(folded.values[0, 2]))

    def differ(self, first: EditStatistics, second: EditStatistics) -> NDArray[np.bool_]:
        """In which sentences the counts of two systems differ."""
        return np.asarray((first.counts != second.counts).any(axis=(1, 2)), np.bool_)

    def parts(self, statistics: EditStatistics, *, start: Folded | None = None) -> UnitParts:
        """The annotator chosen for each sentence, and the counts under that one."""
        chosen = self._fold(statistics, Selection(), start, want_chosen=True).chosen[0]
        counts = statistics.counts[np.arange(len(chosen)), chosen] if len(statistics.annotators) else _NOTHING
        counts = np.where(chosen[:, None] >= 0, counts, 0)
        names = [statistics.annotators[column] if column >= 0 else None for column in chosen.tolist()]
        return UnitParts(names, counts)

    def types(self, statistics: EditStatistics) -> tuple[str, ...]:
        """The error types of the reference."""
        return statistics.types

    def fold_types(
        self, statistics: EditStatistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> NDArray[np.int64]:
        """Matched and reference edits of each type, of the annotators chosen sentence by sentence."""
        selected = selection or Selection()
        chosen = self._fold(statistics, selected, start, want_chosen=True).chosen
        units = np.arange(len(statistics))[None, :] if selected.units is None else selected.units
        rows = np.broadcast_to(units, (len(chosen), units.shape[1]))
        return np.stack([statistics.typed.chosen(row, columns) for row, columns in zip(rows, chosen, strict=True)])

    def type_values(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Recall: the edits of systems have no types."""
        return divided(counts[..., :1], counts[..., 1:])

    def type_units(self, statistics: EditStatistics) -> NDArray[np.int64]:
        """Sentences in which the chosen annotator has an edit of a type, and the type."""
        table = statistics.typed
        chosen = self._fold(statistics, Selection(), None, want_chosen=True).chosen[0]
        unit, annotator = np.divmod(table.slot, max(1, table.shape[1]))
        used = chosen[unit] == annotator
        return np.stack([unit[used], table.type[used]], axis=1)

    def edits(
        self, reference: Corpus, output: Sequence[str], annotators: Sequence[str | None]
    ) -> Sequence[Sequence[Proposed]]:
        """The edits that MaxMatch finds in each sentence against one annotator."""
        column = {name: k for k, name in enumerate(reference.annotators)}
        columns = [-1 if name is None else column[name] for name in annotators]
        return proposed_edits(reference, output, columns, Rules(self.max_unchanged, self.ignore_case_space))

    def remarked(self, statistics: EditStatistics) -> Mapping[str, int]:
        """Sentence pairs too large for the official search order (docs/design/large-lattices.md)."""
        return {LARGE: statistics.n_large}

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
        rule, totals = Rule(self.beta, self.choose != SENTENCE), None if start is None else start.counts
        found = fold_counts(statistics, rule, selection, totals, want_chosen=want_chosen)
        return found if start is None else replace(found, n_units=found.n_units + start.n_units)
