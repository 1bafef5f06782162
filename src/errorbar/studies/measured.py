"""A metric that measures every text once, however many analyses ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.spec import Parameter, Spec
from errorbar.metrics.base import Metric, Selection
from errorbar.metrics.choice import Folded
from errorbar.metrics.statistics import Statistics


class Memory:
    """Statistics of texts against one corpus, by what the map depends on and the text itself, and their resamples."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._known: dict[tuple[str, tuple[str, ...]], Statistics] = {}
        self._folded: dict[tuple[str, bytes, bytes, int], tuple[Selection, Folded]] = {}
        self._lock = Lock()

    def statistics(self, metric: Metric, lines: Sequence[str]) -> Statistics:
        """Counts with error types, measured at the first call."""
        key = (metric.measure_key, tuple(lines))
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = metric.measure(self.corpus, lines, by_type=True)
            with self._lock:
                known = self._known.setdefault(key, known)
        return known

    def folded(self, metric: Metric, statistics: Statistics, selection: Selection) -> Folded:
        """The fold of a table of resamples, made at the first call."""
        key = (str(metric.spec), statistics.counts.tobytes(), statistics.present.tobytes(), id(selection.units))
        with self._lock:
            known = self._folded.get(key)
        if known is None:
            known = selection, metric.fold(statistics, selection)  # the table is kept: no other gets its id
            with self._lock:
                self._folded[key] = known
        return known[1]


class Measured:
    """A metric whose map remembers; every number is that of the metric itself.

    Args:
        metric: What is computed.
        memory: What was measured; metrics that share it share what their maps have in common.
    """

    name: ClassVar[str] = "measured"
    summary: ClassVar[str] = "A metric that measures every text once"
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __init__(self, metric: Metric, memory: Memory) -> None:
        self.metric = metric
        self.memory = memory

    @property
    def spec(self) -> Spec:
        """The metric's spec."""
        return self.metric.spec

    @property
    def beta(self) -> float:
        """Weight of recall against precision in F."""
        return self.metric.beta

    @property
    def measure_key(self) -> str:
        """What the map depends on."""
        return self.metric.measure_key

    @property
    def annotator(self) -> str | None:
        """The one annotator that is scored against, or None where a rule chooses."""
        return self.metric.annotator

    def measure(self, corpus: Corpus, hypothesis: Sequence[str], *, by_type: bool = False) -> Statistics:
        """The map, or what it gave before.

        Raises:
            InputError: As the metric's map does.
        """
        if corpus is not self.memory.corpus:
            return self.metric.measure(corpus, hypothesis, by_type=by_type)
        known = self.memory.statistics(self.metric, hypothesis)
        return known if by_type else replace(known, by_type=None)

    def fold(
        self,
        statistics: Statistics,
        selection: Selection | None = None,
        *,
        start: NDArray[np.int64] | None = None,
        want_chosen: bool = False,
    ) -> Folded:
        """The metric's fold, or what it gave before: a score and a comparison need the same resamples."""
        if start is None and not want_chosen and selection is not None and _is_kept(selection):
            return self.memory.folded(self.metric, statistics, selection)
        return self.metric.fold(statistics, selection, start=start, want_chosen=want_chosen)


def _is_kept(selection: Selection) -> bool:
    """Whether a selection is one of units alone that nobody can change: a table of resamples that is used again."""
    if selection.units is None or selection.annotators is not None or selection.swapping is not None:
        return False
    return not selection.units.flags.writeable
