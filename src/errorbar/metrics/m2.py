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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, unknown_annotator
from errorbar.core.spec import Parameter, Spec, Value, check_value, make_spec
from errorbar.edits.matching import Matches, match_corpus
from errorbar.metrics.base import Selection
from errorbar.metrics.choice import RUNNING, SENTENCE, Folded, fold_counts
from errorbar.metrics.statistics import Statistics
from errorbar.metrics.type_counts import TypeCounts

MAX_BETA = 1000
"""Larger weights make F the recall to the last digit, and beta squared overflow in the end."""


def _positive(value: Value) -> str:
    return "" if isinstance(value, float) and 0 < value <= MAX_BETA else f"a number above 0, at most {MAX_BETA}"


def _small_count(value: Value) -> str:
    return "" if isinstance(value, int) and 0 <= value <= 100 else "a whole number from 0 to 100"


@dataclass(frozen=True, slots=True)
class M2:
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
        Parameter("beta", float, 0.5, "Weight of recall against precision in F.", _positive),
        Parameter(
            "max_unchanged",
            int,
            2,
            "How many unchanged words one edit may span.",
            _small_count,
            ("max_unchanged_words",),
        ),
        Parameter(
            "ignore_case_space",
            bool,
            False,
            "Drop proposed edits that only change case or white space.",
            aliases=("ignore_whitespace_casing",),
        ),
        Parameter("choose", str, RUNNING, "Annotator of a sentence: running, sentence, or one annotator's name."),
    )

    beta: float = 0.5
    max_unchanged: int = 2
    ignore_case_space: bool = False
    choose: str = RUNNING

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            checked = check_value(self.name, parameter, getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, checked)

    @property
    def spec(self) -> Spec:
        """The spec, defaults omitted."""
        return make_spec(self.name, self.parameters, {p.name: getattr(self, p.name) for p in self.parameters})

    @property
    def measure_key(self) -> str:
        """What the map depends on: neither beta nor the choice of annotators."""
        return str(M2(max_unchanged=self.max_unchanged, ignore_case_space=self.ignore_case_space).spec)

    @property
    def annotator(self) -> str | None:
        """The one annotator that is scored against, or None where a rule chooses."""
        return None if self.choose in (RUNNING, SENTENCE) else self.choose

    def measure(self, corpus: Corpus, hypothesis: Sequence[str], *, by_type: bool = False) -> Statistics:
        """Count matched, proposed and reference edits per sentence and annotator.

        Args:
            corpus: Source sentences and annotations.
            hypothesis: One sentence per source sentence.
            by_type: Also count matched and reference edits of each error type.

        Raises:
            InputError: If the numbers of sentences differ, or a sentence pair is too large.
        """
        matches = match_corpus(
            corpus, hypothesis, max_unchanged=self.max_unchanged, ignore_case_space=self.ignore_case_space
        )
        return Statistics(
            matches.counts,
            matches.present,
            corpus.annotators,
            _count_types(matches) if by_type else None,
            matches.references.type_names,
            int(matches.large.sum()),
        )

    def fold(
        self,
        statistics: Statistics,
        selection: Selection | None = None,
        *,
        start: NDArray[np.int64] | None = None,
        want_chosen: bool = False,
    ) -> Folded:
        """Corpus totals of each replicate.

        Args:
            statistics: What ``measure`` kept.
            selection: Replicates of units and annotators; None: everything, once.
            start: Totals to go on from, shape (replicates, 3): how a stream is folded part by part.
            want_chosen: Return which annotator was chosen for each sentence.

        Raises:
            UsageError: If ``choose`` names an annotator that the statistics do not have.
        """
        chosen = selection or Selection()
        masks = chosen.annotators
        if self.annotator is not None:
            if self.annotator not in statistics.annotators:
                raise unknown_annotator(self.annotator, statistics.annotators)
            only = np.array([[name == self.annotator for name in statistics.annotators]], np.uint8)
            masks = only if masks is None else masks * only
        return fold_counts(
            statistics.counts,
            statistics.present,
            beta=self.beta,
            running=self.choose != SENTENCE,
            units=chosen.units,
            masks=masks,
            start=start,
            swapping=chosen.swapping,
            want_chosen=want_chosen,
        )


def _count_types(matches: Matches) -> TypeCounts:
    """Matched and reference edits of each type."""
    references = matches.references
    units, annotators = references.present.shape
    slots = np.repeat(np.arange(units * annotators), np.diff(references.edit_offsets))
    shape = units, annotators, len(references.type_names)
    return TypeCounts.of_edits(shape, slots, references.types.astype(np.int64), matches.matched[:-1])
