"""A metric that measures every text once, however many analyses ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, cast

from errorbar.core.corpus import Corpus
from errorbar.metrics.base import Folded, Metric, Selection, Statistics


class Memory:
    """Statistics of texts against one corpus, by what the map depends on and the text itself, and their resamples."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._known: dict[tuple[object, ...], Any] = {}
        self._lock = Lock()

    def statistics(self, metric: Metric, lines: Sequence[str]) -> Statistics:
        """What the map keeps, with error types where the metric has them; measured at the first call."""
        by_type = "types" not in metric.lacks
        made = self._once(
            (metric.measure_key, tuple(lines)), lambda: metric.measure(self.corpus, lines, by_type=by_type)
        )
        found: Statistics = made
        return found

    def folded(self, metric: Metric, statistics: Statistics, selection: Selection) -> Folded:
        """The fold of a table of resamples, made at the first call."""
        # What an id is of is kept with the fold: nothing else gets it.
        key = (str(metric.spec), id(statistics), id(selection.units))
        kept = self._once(key, lambda: (statistics, selection, metric.fold(statistics, selection)))
        folded: Folded = kept[2]
        return folded

    def _once(self, key: tuple[object, ...], make: Any) -> Any:  # noqa: ANN401 - either of the above
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = make()
            with self._lock:
                known = self._known.setdefault(key, known)
        return known


class Measured:
    """A metric whose map remembers; every number is that of the metric itself, and so is everything else.

    Args:
        metric: What is computed.
        memory: What was measured; metrics that share it share what their maps have in common.
    """

    def __init__(self, metric: Metric, memory: Memory) -> None:
        self.metric = metric
        self.memory = memory

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name in ("metric", "memory"):  # asked for before they are set, by who copies
            raise AttributeError(name)
        return getattr(self.metric, name)

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> Statistics:
        """The map, or what it gave before.

        Raises:
            InputError: As the metric's map does.
        """
        if reference is not self.memory.corpus:
            return self.metric.measure(reference, output, by_type=by_type)
        return self.memory.statistics(self.metric, output)

    def fold(
        self, statistics: Statistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> Folded:
        """The metric's fold, or what it gave before: a score and a comparison need the same resamples."""
        if start is None and selection is not None and _is_kept(selection):
            return self.memory.folded(self.metric, statistics, selection)
        return self.metric.fold(statistics, selection, start=start)


def _is_kept(selection: Selection) -> bool:
    """Whether a selection is one of units alone that nobody can change: a table of resamples that is used again."""
    if selection.units is None or selection.annotators is not None or selection.swapping is not None:
        return False
    return not selection.units.flags.writeable


def remembering(metric: Metric, memory: Memory) -> Metric:
    """The metric with a memory."""
    return cast("Metric", Measured(metric, memory))
