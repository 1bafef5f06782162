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
    """Statistics of texts against one corpus, by what the map depends on and the text itself."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._known: dict[tuple[str, tuple[str, ...]], Statistics] = {}
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
        """The metric's fold."""
        return self.metric.fold(statistics, selection, start=start, want_chosen=want_chosen)
