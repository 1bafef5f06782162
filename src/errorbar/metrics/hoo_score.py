"""HOO scores of runs: figures with intervals over fragments, and recall by type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problems
from errorbar.core.signature import Signature
from errorbar.core.standoff import Fragment, StandoffEdit, fragments_hash, texts_hash
from errorbar.metrics.base import Floats, Selection
from errorbar.metrics.hoo import CONDITIONS, FIGURES, MEASURES, RECALLS, Hoo
from errorbar.metrics.hoo_counts import COLUMNS, HooStatistics
from errorbar.metrics.resampling import Resampling, left_out_units, resampled_units

_ABOVE = 1 + 1e-9
"""Above 1 beyond the rounding of a mean of fragments; no quotient of counts is that near."""
Edits = Sequence[StandoffEdit]


@dataclass(frozen=True, slots=True)
class Prf:
    """Precision, recall and F of one measure under one condition."""

    precision: Estimate
    recall: Estimate
    f: Estimate


@dataclass(frozen=True, slots=True)
class HooScore:
    """A run's scores.

    Attributes:
        run: The run's name.
        team: Who submitted it.
        metric: What was computed.
        estimates: Of the metric's measures.
        counts: Totals, by the names of COLUMNS.
        statistics: What was counted per fragment.
        signature: What was computed on which data how.
    """

    run: str
    team: str
    metric: Hoo
    estimates: tuple[Estimate, ...]
    counts: Mapping[str, int]
    statistics: HooStatistics
    signature: Signature

    @property
    def figures(self) -> Mapping[tuple[str, str], Prf]:
        """By condition and measure."""
        names = [(condition, measure) for condition in CONDITIONS for measure in MEASURES]
        return {name: Prf(*self.estimates[3 * k : 3 * k + 3]) for k, name in enumerate(names)}

    @property
    def by_fragment(self) -> Floats:
        """P, R and F per fragment; shape (units, 2 conditions, 3 measures, 3)."""
        values = self.metric.parts(self.statistics).values
        assert values is not None  # every fragment has figures
        return values.reshape(-1, 2, 3, 3)


@dataclass(frozen=True, slots=True)
class TypeRecall:
    """Recall of one error code or row of table 8.

    Attributes:
        type: The code or row.
        counts: Gold, detected, recognized and corrected edits.
        recalls: Of detection, recognition and correction.
    """

    type: str
    counts: tuple[int, ...]
    recalls: tuple[Estimate, ...]
