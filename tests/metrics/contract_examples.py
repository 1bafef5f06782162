"""Random input of whatever a metric reads: what it is measured against, and the outputs of two systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from errorbar import Corpus
from errorbar.core import Fragment, StandoffEdit
from errorbar.metrics import Metric, Reads, Votes
from tests.helpers.scoring import with_edits
from tests.helpers.standoff import fragment, standoff
from tests.strategies import corpora


@dataclass(frozen=True)
class Example:
    """Units to measure.

    Attributes:
        reference: What they are measured against.
        outputs: Of two systems, as the metric takes them.
        size: How many units.
        some: Makes of a reference or an output that of some units.
    """

    reference: Any
    outputs: tuple[Any, Any]
    size: int
    some: Callable[[Any, Sequence[int]], Any]

    def take(self, units: Sequence[int]) -> Example:
        """Some of the units, in any order and more than once."""
        first, second = (self.some(output, units) for output in self.outputs)
        return replace(self, reference=self.some(self.reference, units), outputs=(first, second), size=len(units))

    def measured(self, metric: Metric, which: int = 0) -> Any:  # noqa: ANN401 - opaque statistics
        """What a metric keeps of a system."""
        outputs = self.outputs
        if metric.takes_edits:
            outputs = with_edits(self.reference, outputs[0]), with_edits(self.reference, outputs[1])
        joint = metric.with_systems(self.reference, outputs)
        return joint.measure(self.reference, outputs[which], by_type="types" not in metric.lacks)


def _some_sentences(whole: Any, units: Sequence[int]) -> Any:  # noqa: ANN401
    if isinstance(whole, Corpus):
        return Corpus([whole.sentences[unit] for unit in units], whole.annotators)
    return [whole[unit] for unit in units]


def _some_judgments(whole: Any, units: Sequence[int]) -> Any:  # noqa: ANN401
    at = np.array(units, np.int64)
    return Votes(whole.share[at], whole.n_judgments[at]) if isinstance(whole, Votes) else whole[at]


@st.composite
def _sentences(draw: st.DrawFn, min_size: int) -> Example:
    reference, lines = draw(corpora(min_size))
    others = [
        draw(st.sampled_from((line, sentence.text))) for line, sentence in zip(lines, reference.sentences, strict=True)
    ]
    return Example(reference, (lines, others), len(lines), _some_sentences)


def _edits(*, optional: bool) -> st.SearchStrategy[tuple[StandoffEdit, ...]]:
    parts = st.tuples(st.integers(0, 8), st.integers(0, 3), st.sampled_from("xy"), st.booleans())
    return st.lists(parts, max_size=4).map(
        lambda found: tuple(
            standoff(start, start + length, said, optional=optional and null, kind={"x": "RN", "y": "MD"}[said])
            for start, length, said, null in found
        )
    )


@st.composite
def _fragments(draw: st.DrawFn, min_size: int) -> Example:
    gold: list[Fragment] = [
        fragment(*edits, name=str(k), text="a b c d e f g")
        for k, edits in enumerate(draw(st.lists(_edits(optional=True), min_size=min_size, max_size=5)))
    ]
    first, second = ([draw(_edits(optional=False)) for _ in gold] for _ in range(2))
    return Example(gold, (first, second), len(gold), _some_sentences)


@st.composite
def _judgments(draw: st.DrawFn, min_size: int) -> Example:
    raters = draw(st.lists(st.integers(0, 4), min_size=min_size, max_size=8))
    shares = [draw(st.integers(0, k)) / k if k else np.nan for k in raters]
    first, second = (
        np.array(draw(st.lists(st.booleans(), min_size=len(raters), max_size=len(raters))), np.bool_) for _ in range(2)
    )
    return Example(
        Votes(np.array(shares, np.float64), np.array(raters, np.int64)), (first, second), len(raters), _some_judgments
    )


_EXAMPLES: Mapping[Reads, Callable[[int], st.SearchStrategy[Example]]] = {
    "sentences": _sentences,
    "fragments": _fragments,
    "judgments": _judgments,
}


def examples(metric: Metric, min_size: int = 0) -> st.SearchStrategy[Example]:
    """Random input of a metric, of at least so many units."""
    return _EXAMPLES[metric.reads](min_size)
