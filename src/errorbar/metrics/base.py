"""What every metric offers: a spec, a map over sentences and a fold over what the map keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.spec import Parameter, Spec
from errorbar.metrics.choice import Folded, Swapping
from errorbar.metrics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Selection:
    """What to fold: replicates of units and of annotators.

    Attributes:
        units: Unit numbers in order, e.g. a resample; shape (replicates, n) or (1, n). None: all, once.
        annotators: Which annotators may be chosen; shape (replicates, annotators) or (1, annotators). None: all.
        swapping: Ways to swap the outputs of two systems, whose statistics stand one after the other; ``units`` are
            then those of the first, in one row. None: nothing is swapped.
    """

    units: NDArray[np.int64] | None = None
    annotators: NDArray[np.uint8] | None = None
    swapping: Swapping | None = None


class Metric(Protocol):
    """A metric is a value: its parameters are fields, its spec prints them, and it does no I/O."""

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]

    @property
    def spec(self) -> Spec:
        """The spec, defaults omitted."""
        ...

    @property
    def beta(self) -> float:
        """Weight of recall against precision in F."""
        ...

    @property
    def measure_key(self) -> str:
        """What the map depends on; metrics with one key share their statistics."""
        ...

    @property
    def annotator(self) -> str | None:
        """The one annotator that is scored against, or None where a rule chooses."""
        ...

    def measure(self, corpus: Corpus, hypothesis: Sequence[str], *, by_type: bool = False) -> Statistics:
        """The map: counts per sentence and annotator; pure, and knows one sentence at a time."""
        ...

    def fold(
        self,
        statistics: Statistics,
        selection: Selection | None = None,
        *,
        start: NDArray[np.int64] | None = None,
        want_chosen: bool = False,
    ) -> Folded:
        """The fold: corpus totals of each replicate of a selection."""
        ...
