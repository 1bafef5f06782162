"""Metrics that are sums: counts of each sentence against each reference text, added up over the best references.

Formula
    For each sentence, of the annotators who looked at it the one whose text costs least (the first of equal ones); the
    values are made of the sums of the counts under these.
Conventions
    An annotator's text is the source with the first alternative of every edit applied (errorbar.edits.texts); of edits
    that overlap the later one is left out, and a note says how many. The choice of a sentence does not depend on other
    sentences, so their order changes no sum of whole counts, and one of fractions in the last bit at most.
Source
    A convention of errorbar's own, modeled on the M2 scorer, which takes the annotator who suits a sentence best
    (Dahlmeier & Ng 2012; errorbar.metrics.edit_metric). What is counted, and its source, is the subclass's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.corpus import Corpus, TextEdits, annotator_order, wrong_count
from errorbar.core.estimate import Undefined
from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.edits.texts import corrected_text
from errorbar.metrics.base import Folded, Metric, Selection, Swapping, UnitParts, unlike_units

_CACHE = "reference texts"
OVERLAP = "apply-overlap"


@dataclass(frozen=True, slots=True)
class Sums:
    """Counts of each sentence against each annotator's text."""

    counts: NDArray[Any]  # shape (units, annotators, counted)
    present: NDArray[np.bool_]  # whether an annotator looked at a unit; shape (units, annotators)
    annotators: tuple[str, ...]
    n_overlaps: int = 0  # edits that were left out of reference texts because they overlap others

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, units: NDArray[np.int64] | slice) -> Sums:
        """The statistics of some units."""
        return Sums(self.counts[units], self.present[units], self.annotators)


class SummedCounts(Metric):
    """A metric of sums: a subclass has ``counted``, ``measures``, ``measure``, ``cost`` and ``rate``.

    A field ``only`` is the annotator to score against alone, or empty; declare it among the parameters with
    ``Parameter("only", str, "", "Score against this annotator alone.")`` for ``--annotator``.
    """

    __slots__ = ()
    additive = True
    fold_only = frozenset({"only"})
    remarks = {OVERLAP: ("edits of annotators that overlap others and were left out", "errorbar check names them")}  # noqa: RUF012

    @property
    def compared(self) -> int:
        """How many counts it keeps of each sentence and annotator."""
        return len(self.counted)

    def cost(self, counts: Floats) -> Floats:
        """The cost by which the best reference is chosen, if not by the first count: counts (..., counted) to (...)."""
        return np.asarray(counts[..., 0], np.float64)

    def costs(self, counts: Floats) -> Sequence[Floats]:
        """The cost, then what its ties go by, smallest first; each of the shape of ``cost``."""
        return (self.cost(counts),)

    @abstractmethod
    def rate(self, sums: Floats) -> Floats:
        """The measures of sums of shape (..., counted), NaN where undefined; shape (..., measures)."""

    @property
    def annotator(self) -> str | None:
        """The one annotator that is scored against, or None where a rule chooses."""
        return getattr(self, "only", "") or None

    def against(self, annotator: str) -> Metric:
        """The metric against one annotator alone."""
        if not any(parameter.name == "only" for parameter in self.parameters):
            return Metric.against(self, annotator)
        return self.replaced(only=annotator)

    def join(self, parts: Sequence[Sums]) -> Sums:
        """Annotators are joined by name."""
        names = tuple(annotator_order(name for part in parts for name in part.annotators))
        n = sum(map(len, parts))
        kind = np.result_type(np.int64, *(part.counts for part in parts))
        counts, present = np.zeros((n, len(names), self.compared), kind), np.zeros((n, len(names)), np.bool_)
        at = 0
        for part in parts:
            columns = [names.index(name) for name in part.annotators]
            counts[at : at + len(part), columns] = part.counts
            present[at : at + len(part), columns] = part.present
            at += len(part)
        return Sums(counts, present, names, sum(part.n_overlaps for part in parts))

    def fold(self, statistics: Sums, selection: Selection | None = None, *, start: Folded | None = None) -> Folded:
        """The values of sums over the units of each replicate, under the annotators that it allows."""
        sums, n_units = self.sum_replicates(statistics, selection, start)
        return Folded(self.rate(sums), sums, n_units)

    def sum_replicates(
        self, statistics: Sums, selection: Selection | None, start: Folded | None
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The sums of each replicate, and its units with a text to compare with."""
        selected = selection or Selection()
        if selected.swapping is not None and selected.units is None and selected.annotators is None:
            sums, n_units = self._swapped_sums(statistics, selected.swapping)
        else:
            sums, n_units = self._weighted_sums(statistics, selected)
        if start is not None:
            sums, n_units = sums + start.counts, n_units + start.n_units
        return sums, n_units

    def _weighted_sums(self, statistics: Sums, selected: Selection) -> tuple[NDArray[Any], NDArray[np.int64]]:
        def add_units(mask: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
            allowed = self.allowed_annotators(statistics, mask)
            return self.summands(statistics, allowed), allowed

        return sum_selected(add_units, len(statistics), len(statistics.annotators), selected)

    def _swapped_sums(self, statistics: Sums, swapping: Swapping) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Two systems mixed in many ways: the sums of the first one's units, and what each swap makes of them."""
        allowed = self.allowed_annotators(statistics)
        summands = self.summands(statistics, allowed)
        first, second = np.split(np.column_stack([summands, allowed.any(axis=1)]), 2)
        sums = first.sum(axis=0) + swapping.swapped.astype(np.float64) @ (second - first)
        return _as_kept(sums[:, :-1], summands.dtype), np.rint(sums[:, -1]).astype(np.int64)

    def allowed_annotators(self, statistics: Sums, mask: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Whom each unit may be scored against, of a mask of annotators; shape (units, annotators)."""
        allowed = statistics.present if mask is None else statistics.present & mask
        if self.annotator is not None:
            allowed = allowed & np.array([name == self.annotator for name in statistics.annotators], np.bool_)
        return allowed

    def summands(self, statistics: Sums, allowed: NDArray[np.bool_]) -> NDArray[Any]:
        """The counts that each unit adds to the sums: those under the best annotator, 0 where nobody is allowed.

        A subclass may add more than ``counted`` names, after that; shape (units, summands).
        """
        columns = self._best(statistics, allowed)
        if not allowed.shape[1]:
            return np.zeros((len(statistics), statistics.counts.shape[2]), statistics.counts.dtype)
        return np.where((columns >= 0)[:, None], statistics.counts[np.arange(len(columns)), columns], 0)

    def _best(self, statistics: Sums, allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The column of the best annotator of each unit, -1 where nobody is allowed."""
        return best_columns(self.costs(statistics.counts), allowed)

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Nothing was scored, or the reference has nothing to compare with."""
        if not folded.n_units[0]:
            return [Undefined.NO_UNITS] * len(self.measures)
        return [Undefined.NOTHING_IN_REFERENCE if np.isnan(value) else None for value in folded.values[0]]

    def differ(self, first: Sums, second: Sums) -> NDArray[np.bool_]:
        """In which sentences the counts of two systems differ."""
        return unlike_units(first, second)

    def remarked(self, statistics: Sums) -> Mapping[str, int]:
        """Edits that are in no reference text."""
        return {OVERLAP: statistics.n_overlaps}

    def parts(self, statistics: Sums, *, start: Folded | None = None) -> UnitParts:
        """The best annotator of each sentence, and its counts and values."""
        allowed = self.allowed_annotators(statistics)
        columns, counts = self._best(statistics, allowed), self.summands(statistics, allowed)
        names = [statistics.annotators[column] if column >= 0 else None for column in columns.tolist()]
        return UnitParts(names, counts, self.rate(counts))


class ReferenceTexts(SummedCounts):
    """A metric that compares texts: a subclass has ``counted``, ``measures``, ``compare``, ``cost`` and ``rate``."""

    __slots__ = ()
    lacks = {"types": "texts have no error types", "closed": "there is no formula for its intervals"}  # noqa: RUF012

    @property
    def keeps_spaces(self) -> bool:
        """Whether ``compare`` gets texts as they were read, not with one space between tokens."""
        return False

    @abstractmethod
    def compare(self, source: str, reference: str, output: str) -> Sequence[float]:
        """The counts of a sentence against one reference text, in the order of ``counted``."""

    def compare_all(
        self, sources: Sequence[str], outputs: Sequence[str], references: Sequence[str], units: NDArray[np.int64]
    ) -> Floats:
        """``compare`` for each reference text, ``units`` saying of which sentence; shape (references, compared)."""
        rows = [self.compare(sources[u], text, outputs[u]) for u, text in zip(units, references, strict=True)]
        return np.array(rows, np.float64).reshape(-1, self.compared)

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> Sums:
        """Counts of each sentence against each annotator's text.

        Raises:
            InputError: If the numbers of sentences differ.
        """
        if len(output) != len(reference):
            raise InputError(Problem("line-count", wrong_count(len(output), len(reference)), Place(reference.name)))
        texts, n_overlaps = _reference_texts(reference)
        sources = [" ".join(sentence.tokens) for sentence in reference.sentences]
        outputs = [" ".join(line.split()) for line in output]
        if self.keeps_spaces:
            sources, texts, outputs = _texts_as_read(reference, sources, texts, outputs, output)
        units, columns = np.array([(u, k) for u, own in enumerate(texts) for k in own], np.int64).reshape(-1, 2).T
        counts = np.zeros((len(reference), len(reference.annotators), self.compared))
        present = np.zeros(counts.shape[:2], np.bool_)
        present[units, columns] = True
        counts[units, columns] = self.compare_all(
            sources, outputs, [text for own in texts for text in own.values()], units
        )
        whole = (counts == np.rint(counts)).all()
        return Sums(counts.astype(np.int64) if whole else counts, present, reference.annotators, n_overlaps)


def sum_selected(
    add_units: Callable[[NDArray[np.bool_]], tuple[NDArray[Any], NDArray[np.bool_]]],
    n_units: int,
    n_annotators: int,
    selected: Selection,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The sums of each replicate of a selection, and its units that somebody looked at.

    Args:
        add_units: Makes of a mask of annotators what each unit adds; shape (units, summands), and who is allowed to
            count for it; shape (units, annotators).
        n_units: Of the statistics.
        n_annotators: Of the statistics.
        selected: The units, or their weights, and the annotators of each replicate.

    Returns:
        Sums; shape (replicates, summands). Units; shape (replicates,).
    """
    weights = selected.as_weights(n_units)
    masks = np.ones((1, n_annotators), np.bool_)
    if selected.annotators is not None:
        masks = selected.annotators.astype(np.bool_)
    unlike, which = np.unique(masks, axis=0, return_inverse=True)
    sums, counted = np.zeros((0, 0)), np.zeros(max(len(weights), len(masks)), np.int64)
    for k, mask in enumerate(unlike):
        summands, allowed = add_units(mask)
        rows = np.broadcast_to(which.ravel() == k, len(counted))
        own = weights if len(weights) == 1 else weights[rows]
        sums = sums if sums.size else np.zeros((len(counted), summands.shape[1]))
        sums[rows] = own @ summands
        counted[rows] = (own @ allowed.any(axis=1)).astype(np.int64)
    return _as_kept(sums, summands.dtype), counted


def best_columns(costs: Sequence[Floats], allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The column of the allowed annotator of least cost, of ties by the next cost; -1 where nobody is.

    ``costs`` and ``allowed`` have the shape (units, annotators), what results (units,).
    """
    if not allowed.size:
        return np.full(len(allowed), -1, np.int64)
    left = allowed
    for cost in costs:
        left = left & (cost == np.where(left, cost, np.inf).min(axis=1, keepdims=True))
    return np.where(allowed.any(axis=1), left.argmax(axis=1), -1)


def _as_kept(sums: Floats, kind: np.dtype[Any]) -> NDArray[Any]:
    """Sums of whole counts as whole numbers."""
    return sums if np.issubdtype(kind, np.floating) else np.rint(sums).astype(np.int64)


def _texts_as_read(
    corpus: Corpus, sources: Sequence[str], texts: Sequence[dict[int, str]], outputs: Sequence[str], read: Sequence[str]
) -> tuple[list[str], list[dict[int, str]], list[str]]:
    """Sources, references and outputs with the white space of their files; as they are where references are edits."""
    own_texts = [
        {
            column: edits.text
            for column, name in enumerate(corpus.annotators)
            if isinstance(edits := sentence.annotations.get(name), TextEdits) and edits.text is not None
        }
        for sentence in corpus.sentences
    ]
    as_read = [s.text if own else source for s, own, source in zip(corpus.sentences, own_texts, sources, strict=True)]
    lines = [line if own else output for line, own, output in zip(read, own_texts, outputs, strict=True)]
    return as_read, [new | own for new, own in zip(texts, own_texts, strict=True)], lines


def _reference_texts(corpus: Corpus) -> tuple[list[dict[int, str]], int]:
    """Each sentence's text by each annotator who looked, and how many edits were left out; kept for all systems."""
    known = corpus.cache.get(_CACHE)
    if known is None:
        problems = Problems(lenient=True)
        column = {name: k for k, name in enumerate(corpus.annotators)}
        texts = [
            {column[name]: corrected_text(sentence, name, problems) for name in sentence.annotations}
            for sentence in corpus.sentences
        ]
        problems.raise_errors()
        known = corpus.cache[_CACHE] = texts, sum(note.others or 1 for note in problems.notes)
    return cast("tuple[list[dict[int, str]], int]", known)
