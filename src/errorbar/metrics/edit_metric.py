"""The base of metrics over annotators' edits: the fold over the annotator chosen for each sentence, and its P, R and F.

A subclass is a frozen dataclass with ``beta`` and ``choose``, and counts edits in ``measure``; one that counts other
things has ``rule``, ``rate``, ``measures``, ``reasons`` and ``closed_intervals`` of its own.

Formula
    For each annotator who looked at the sentence: C, P, G = totals so far plus this sentence's correct, proposed
    and reference edits; F = (1 + beta²) C / (beta² G + P), and with an empty denominator 1 if C = 0, else 0. The
    annotator with the largest F is chosen; ties go to the larger C, then to the smaller P + beta² G, then to the
    first annotator. The chosen counts join the totals.
Conventions
    ``running`` does just that, so the result depends on the order of sentences. ``sentence`` leaves the totals out
    of the comparison. A sentence that nobody looked at adds nothing and is not counted.
Source
    The official M2 scorer, release 3.2 (its README says "maximizes the score of the sentence", which is not what
    it does).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.core.corpus import Annotation, Corpus, TextEdits, annotator_order
from errorbar.core.edit import OWN_PIPELINE
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.core.spec import Parameter
from errorbar.edits.matching import KERNEL, Matches
from errorbar.edits.texts import extract_edits
from errorbar.metrics.base import Folded, Measure, Metric, Selection, Stretches, Swapping, UnitParts, unlike_units

# Edit counts per sentence and annotator: what metrics over annotators' edits keep, so that every score is a fold.


def _compiled_kernel() -> ModuleType | None:
    try:
        from errorbar.metrics import _tally  # noqa: PLC0415 - absent without a compiler
    except ImportError:
        return None
    return _tally


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """Edits of each type, for each unit and annotator where there are any (few have)."""

    shape: tuple[int, int, int]  # units, annotators, types
    slot: Ints  # unit * annotators + annotator, ascending; shape (rows,)
    type: Ints  # number of the type; shape (rows,)
    count: Ints  # as the metric's ``type_counted`` names them, e.g. correct and reference edits; shape (rows, counts)

    def chosen(self, units: Ints, columns: NDArray[np.int32], *, kernel: bool = KERNEL) -> Ints:
        """Edits of each type over units (e.g. of resamples), each with the annotator of its column.

        A unit or column of -1 adds nothing. Shape (replicates or 1, units) and (replicates, units) to (replicates,
        types, counts). ``kernel``: by the compiled kernel where there is one, or by its twin.
        """
        replicates, (n_types, n_counts) = len(columns), (self.shape[2], self.count.shape[1])
        n_slots = self.shape[0] * self.shape[1]
        if kernel and (compiled := _compiled_kernel()) is not None:
            totals = np.zeros((replicates, n_types, n_counts), np.int64)
            counted = map(np.ascontiguousarray, (self.slot, self.type, self.count))
            rows = np.ascontiguousarray(units), np.ascontiguousarray(columns)
            compiled.add_chosen(*rows, self.shape[1], n_slots, *counted, totals)
            return totals
        units = np.broadcast_to(units, columns.shape)
        looked = (columns >= 0) & (units >= 0)
        slots = units[looked] * self.shape[1] + columns[looked]
        if replicates == 1:  # spares loading scipy where there are no intervals
            often = np.bincount(slots, minlength=n_slots)[self.slot]
            sums = [np.bincount(self.type, often * self.count[:, k], n_types) for k in range(n_counts)]
            return np.stack(sums, axis=1).astype(np.int64)[None]
        from scipy.sparse import csr_array  # noqa: PLC0415

        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(looked.sum(axis=1))])
        often = csr_array((np.ones(len(slots), np.int64), slots, ends), shape=(replicates, n_slots))
        places = self.type[:, None] * n_counts + np.arange(n_counts)
        where = np.repeat(self.slot, n_counts), places.ravel()
        table = csr_array((self.count.ravel(), where), shape=(n_slots, n_types * n_counts))
        return np.asarray((often @ table).toarray(), np.int64).reshape(replicates, n_types, n_counts)

    def take(self, units: Ints | slice) -> TypeCounts:
        """The counts of some units, in their order."""
        picked = np.arange(self.shape[0])[units]
        width = self.shape[1]
        first = np.searchsorted(self.slot, picked * width)
        size = np.searchsorted(self.slot, (picked + 1) * width) - first
        rows = np.repeat(first - np.cumsum(size) + size, size) + np.arange(size.sum())
        new = np.repeat(np.arange(len(picked)), size) * width + self.slot[rows] % max(1, width)
        return TypeCounts((len(picked), *self.shape[1:]), new, self.type[rows], self.count[rows])


def tally_types(rows: Sequence[tuple[int, ...]], shape: tuple[int, int, int], n_counts: int) -> TypeCounts:
    """Counts by type of rows in any order: number of the slot (unit * annotators + annotator), type, and its counts."""
    table = np.array(rows, np.int64).reshape(-1, 2 + n_counts)
    table = table[np.argsort(table[:, 0], kind="stable")]
    return TypeCounts(shape, table[:, 0], table[:, 1], table[:, 2:])


def count_types(matches: Matches) -> TypeCounts:
    """Matched and reference edits of each type."""
    references = matches.references
    units, annotators = references.present.shape
    cells, row, width = references.cells, references.cell_of, len(references.type_names)
    sums = [np.bincount(row, matches.matched[:-1], len(cells)), np.bincount(row, minlength=len(cells))]
    slot, kind = np.divmod(cells, max(1, width))
    return TypeCounts((units, annotators, width), slot, kind, np.stack(sums, axis=1).astype(np.int64))


@dataclass(frozen=True, slots=True)
class EditStatistics:
    """Edit counts per sentence and annotator."""

    counts: NDArray[np.int32]  # as the metric's ``counted`` names them; shape (units, annotators, counted)
    present: NDArray[np.uint8]  # whether an annotator looked at a unit; shape (units, annotators)
    annotators: tuple[str, ...]
    by_type: TypeCounts | None = None  # None: not asked for
    types: tuple[str, ...] = ()
    remarked: Mapping[str, int] = field(default_factory=dict)  # what the metric has something to say of, and how often
    made_by: str = ""  # what made the edits of texts, where a pipeline did

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def typed(self) -> TypeCounts:
        """The counts by type, which must have been asked for."""
        if self.by_type is None:
            raise ValueError("types were not counted: it was measured without by_type")
        return self.by_type

    def take(self, units: NDArray[np.int64] | slice) -> EditStatistics:
        """The statistics of some units: the metric of a sub-corpus needs no second measuring."""
        by_type = None if self.by_type is None else self.by_type.take(units)
        kept = self.counts[units], self.present[units], self.annotators, by_type, self.types
        return EditStatistics(*kept, made_by=self.made_by)


def concatenate(parts: Sequence[EditStatistics], n_counted: int = 3) -> EditStatistics:
    """Join the statistics of consecutive parts of a corpus; annotators and types are joined by name."""
    annotators = tuple(annotator_order(name for part in parts for name in part.annotators))
    types = tuple(dict.fromkeys(name for part in parts for name in part.types))
    n = sum(map(len, parts))
    counts = np.zeros((n, len(annotators), n_counted), np.int32)
    present = np.zeros((n, len(annotators)), np.uint8)
    counted = [part.by_type for part in parts if part.by_type is not None]
    placed: list[NDArray[np.int64]] = []
    at = 0
    for part in parts:
        rows = slice(at, at + len(part))
        columns = np.array([annotators.index(name) for name in part.annotators], np.int64)
        placed.append(columns)
        into = slice(None) if part.annotators == annotators else columns  # a slice is copied as a whole
        counts[rows, into] = part.counts
        present[rows, into] = part.present
        at += len(part)
    by_type = None
    if len(counted) == len(parts):
        number = {name: k for k, name in enumerate(types)}
        kinds = [np.array([number[name] for name in part.types], np.int64) for part in parts]
        by_type = join_types(counted, placed, kinds, len(annotators))
    made_by = max((part.made_by for part in parts), default="")  # some parts have nothing to make, or no reference
    remarked = Counter[str]()
    for part in parts:
        remarked.update(part.remarked)
    return EditStatistics(counts, present, annotators, by_type, types, remarked, made_by)


def join_types(parts: Sequence[TypeCounts], columns: Sequence[Ints], kinds: Sequence[Ints], width: int) -> TypeCounts:
    """Join the counts of consecutive parts; for each, where its annotators and types stand in the whole of a width."""
    if not parts:
        nothing = np.zeros(0, np.int64)
        return TypeCounts((0, width, 0), nothing, nothing, np.zeros((0, 2), np.int64))
    slots, types = [], []
    at = 0
    for part, column, kind in zip(parts, columns, kinds, strict=True):
        unit, annotator = np.divmod(part.slot, max(1, part.shape[1]))
        slots.append((unit + at) * width + column[annotator])
        types.append(kind[part.type])
        at += part.shape[0]
    slot, type_ = np.concatenate(slots), np.concatenate(types)
    order = np.argsort(slot, kind="stable")
    n_types = max((int(kind.max()) + 1 for kind in kinds if kind.size), default=0)
    return TypeCounts((at, width, n_types), slot[order], type_[order], np.concatenate([p.count for p in parts])[order])


RUNNING = "running"
SENTENCE = "sentence"
EDITS = ("correct", "proposed", "gold")
"""Proposed edits that match the reference; edits of the hypothesis; edits of the reference."""


class Preference(Protocol):
    """How annotators are compared for a sentence."""

    @property
    def running(self) -> bool:
        """Whether counts of the corpus so far are compared, or those of the sentence alone."""

    def keys(self, reached: Ints) -> Sequence[NDArray[Any]]:
        """The keys that choose the best annotator, later ones for ties; of counts (..., counted), each (...)."""


class ChoiceRule(NamedTuple):
    """Annotators are compared by F of this weight, of the corpus so far (``running``) or of the sentence alone."""

    beta: float
    running: bool = True
    kernel: bool = KERNEL  # choose by the compiled kernel, or by its twin
    rounded: bool = False  # as errant_compare: F to four places, then more correct, fewer false, fewer missed edits

    def keys(self, reached: Ints) -> Sequence[NDArray[Any]]:
        """F, then what its ties go by."""
        correct, proposed, gold = np.moveaxis(reached, -1, 0)
        if self.rounded:
            f = _four_places(score_totals(reached, self.beta)[..., 2])
            return f, correct, correct - proposed, correct - gold
        beta2 = self.beta * self.beta
        denominator = beta2 * gold + proposed
        f = np.divide((1.0 + beta2) * correct, denominator, out=1.0 * (correct == 0), where=denominator > 0)
        return f, correct, -denominator


class Choice(NamedTuple):
    """Corpus totals of one or many replicates."""

    totals: Ints  # what is counted, e.g. correct, proposed and reference edits; shape (replicates, counted)
    n_units: Ints  # sentences that somebody looked at; shape (replicates,)
    chosen: NDArray[np.int32]
    """Column of the chosen annotator, -1 where nobody looked; shape (replicates, units), no row where nobody asked."""


def fold_counts(
    statistics: EditStatistics,
    rule: Preference,
    selection: Selection,
    start: Ints | None = None,
    *,
    want_chosen: bool = False,
) -> Choice:
    """Choose an annotator for every sentence and add up, for many replicates in one pass.

    ``start``: totals to go on from; shape (replicates, counted). A selection that does not fit is a ``ValueError``.
    """
    choice = None if want_chosen or start is not None else _fold_left_out(statistics, rule, selection)
    if choice is not None:
        return choice
    counts, present, swapping = statistics.counts, statistics.present, selection.swapping
    n_units, n_annotators = present.shape
    known = n_units if swapping is None else n_units // 2
    rows = np.arange(known)[None] if selection.units is None else selection.units
    rows = np.ascontiguousarray(rows, np.int64)
    masks = np.ones((1, n_annotators)) if selection.annotators is None else selection.annotators
    masks = np.ascontiguousarray(masks, np.uint8)
    swaps, slots = _swaps(swapping, n_units, rows)
    # The kernel reads where it is told to: nothing may lie outside its arrays.
    if rows.ndim != 2 or (rows.size and (rows.min() < -1 or rows.max() >= known)):
        raise ValueError(f"units must be a table of numbers from 0 to {known - 1} (or -1)")
    if masks.ndim != 2 or masks.shape[1] != n_annotators:
        raise ValueError(f"masks must have {n_annotators} columns, one per annotator")
    sizes = {"units": len(rows), "masks": len(masks), "start": 1 if start is None else len(start)}
    replicates = max(*sizes.values(), len(swaps))
    for name, size in sizes.items():
        if size not in (1, replicates):
            raise ValueError(f"{name} has {size} rows; expected 1 or {replicates}")
    if len(swaps) not in (0, replicates):
        raise ValueError(f"swaps has {len(swaps)} rows; expected {replicates}")
    totals, used = np.zeros((replicates, counts.shape[2]), np.int64), np.zeros(replicates, np.int64)
    totals += 0 if start is None else start
    chosen = np.full((replicates if want_chosen else 0, rows.shape[1]), -1, np.int32)
    if isinstance(rule, ChoiceRule) and rule.kernel:
        from errorbar.metrics._fold import fold_replicates  # noqa: PLC0415 - absent without a compiler

        counts, present = np.ascontiguousarray(counts), np.ascontiguousarray(present)
        how = rule.beta, rule.running, rule.rounded
        packed = np.packbits(swaps, axis=1, bitorder="little")
        fold_replicates(counts, present, rows, slots, swaps, packed, masks, *how, totals, used, chosen)
        return Choice(totals, used, chosen)
    everywhere = np.broadcast_to(masks, (replicates, n_annotators))
    for place in range(rows.shape[1]):
        drawn = np.broadcast_to(rows[:, place], replicates)
        there = np.flatnonzero(drawn >= 0)
        unit = drawn[there]
        if len(swaps) and slots[place] >= 0:
            unit = np.where(swaps[there, slots[place]] > 0, unit + known, unit)
        before = totals[there] * rule.running
        best = _best(before[:, None] + counts[unit], (present[unit] & everywhere[there]) > 0, rule)
        looked = best >= 0
        totals[there[looked]] += counts[unit[looked], best[looked]]
        used[there[looked]] += 1
        if want_chosen:
            chosen[there, place] = best
    return Choice(totals, used, chosen)


def _fold_left_out(statistics: EditStatistics, rule: Preference, selection: Selection) -> Choice | None:
    """The totals without each stretch by the kernel that folds everything once; None where it cannot."""
    n_annotators = statistics.present.shape[1]
    masks = np.ones((1, n_annotators), np.uint8) if selection.annotators is None else selection.annotators
    if selection.left_out is None or selection.swapping is not None or masks.shape != (1, n_annotators):
        return None
    return fold_left_out(statistics, rule, selection.left_out, masks)


def fold_left_out(
    statistics: EditStatistics, rule: Preference, left_out: Stretches, masks: NDArray[np.uint8]
) -> Choice | None:
    """The totals without each stretch, against the first set of annotators, then the second and so on.

    By the kernel that folds everything once for each set; None where it cannot. ``masks``: shape (sets, annotators).
    """
    counts, present = statistics.counts, statistics.present
    if not isinstance(rule, ChoiceRule) or rule.rounded or not (rule.running and rule.kernel):
        return None
    from errorbar.metrics import _left_out  # noqa: PLC0415 - absent without a compiler

    order, ends = np.ascontiguousarray(left_out.order, np.int64), np.ascontiguousarray(left_out.ends, np.int64)
    # As above: nothing may lie outside.
    if order.size and (order.min() < 0 or order.max() >= len(present)):
        raise ValueError(f"units must be numbers from 0 to {len(present) - 1}")
    if not ends.size or ends[0] < 0 or ends[-1] != len(order) or (ends[1:] < ends[:-1]).any():
        raise ValueError(f"stretches must end one after the other, the last at {len(order)}")
    if masks.ndim != 2 or not len(masks) or masks.shape[1] != present.shape[1]:
        raise ValueError(f"masks must have {present.shape[1]} columns, one per annotator, and at least one row")
    totals, used = (
        np.zeros((len(masks), len(ends), counts.shape[2]), np.int64),
        np.zeros((len(masks), len(ends)), np.int64),
    )
    counts, present = np.ascontiguousarray(counts), np.ascontiguousarray(present)
    sets = np.ascontiguousarray(masks, np.uint8)
    if not _left_out.fold_left_out(counts, present, order, ends, sets, rule.beta, totals, used):
        return None
    return Choice(totals.reshape(-1, counts.shape[2]), used.ravel(), np.empty((0, len(order)), np.int32))


def _swaps(swapping: Swapping | None, n_units: int, rows: Ints) -> tuple[NDArray[np.uint8], Ints]:
    """Swaps, no row if there are none, and the column of each place; nothing may lie outside of the table."""
    if swapping is None:
        return np.zeros((0, 0), np.uint8), np.zeros(0, np.int64)
    swaps = np.ascontiguousarray(swapping.swaps, np.bool_).view(np.uint8)
    slots = np.ascontiguousarray(swapping.slots, np.int64)
    if n_units % 2 or len(rows) != 1:
        raise ValueError("swapping needs the units of two systems, and one row of units for all replicates")
    if swaps.ndim != 2 or not len(swaps) or slots.shape != rows.shape[1:]:
        raise ValueError(f"swaps must be a table with at least one row, and slots have {rows.shape[1]} places")
    if slots.size and (slots.min() < -1 or slots.max() >= swaps.shape[1]):
        raise ValueError(f"slots must be numbers from 0 to {swaps.shape[1] - 1} (or -1)")
    return swaps, slots


def _best(reached: Ints, looked: NDArray[np.bool_], rule: Preference) -> NDArray[np.intp]:
    """The best annotator of one unit in each replicate, -1 where none looked; shapes (replicates, annotators, ...)."""
    left = looked
    if not looked.shape[1]:
        return np.full(len(looked), -1)
    for key in rule.keys(reached):  # ties of one go to the next; those of all to the first annotator
        left = left & (key == np.where(left, key, -np.inf).max(axis=1, keepdims=True))
    return np.where(left.any(axis=1), left.argmax(axis=1), -1)


def _four_places(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rounded as Python rounds, by the decimal value, which numpy does not do next to a half."""
    rounded: NDArray[np.float64] = np.round(values, 4)
    near = np.abs(values * 1e4 % 1 - 0.5) < 1e-6
    rounded[near] = [round(value, 4) for value in values[near].tolist()]
    return rounded


def prf_measures(beta: float) -> tuple[Measure, Measure, Measure]:
    """P, R and F with its weight in its title."""
    return Measure("precision", "P"), Measure("recall", "R"), Measure("f", f"F{beta:g}")


def score_totals(totals: Ints, beta: float) -> NDArray[np.float64]:
    """P, R and F of corpus totals, equal to the official M2 scorer's to the last bit.

    Formula
        P = correct / proposed, R = correct / gold, F = (1 + beta²) P R / (beta² P + R).
    Conventions
        Nothing proposed: P = 1. Nothing in the reference: R = 1. P = R = 0: F = 0.
    Source
        van Rijsbergen 1979; computed from P and R, as the official scorer does.

    Args:
        totals: Correct, proposed and reference edits; shape (..., 3), as what is returned.
        beta: Weight of recall against precision.
    """
    correct, proposed, gold = (totals[..., k].astype(np.float64) for k in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(proposed > 0, correct / proposed, 1.0)
        r = np.where(gold > 0, correct / gold, 1.0)
        denominator = beta * beta * p + r
        f = np.where(denominator > 0, (1.0 + beta * beta) * p * r / denominator, 0.0)
    return np.stack([p, r, f], axis=-1)


def prf_reasons(counts: Ints, n_units: int, f: float) -> tuple[Undefined | None, ...]:
    """Which empty case fills P, R and F of correct, proposed and reference edits."""
    if not n_units:
        return (Undefined.NO_UNITS,) * 3
    no_p = None if counts[1] else Undefined.NOTHING_PROPOSED
    no_r = None if counts[2] else Undefined.NOTHING_IN_REFERENCE
    return no_p, no_r, no_p or no_r or (None if f else Undefined.NOTHING_CORRECT)  # F rests on what fills P or R


def closed_prf(counts: Ints, beta: float, level: float) -> Sequence[Interval | Undefined]:
    """Wilson's interval for P and R, Goutte & Gaussier's for F, which take edits for independent."""
    from errorbar.stats.proportion import f_score_interval, proportion_interval  # noqa: PLC0415 - scipy

    correct, proposed, gold = counts.tolist()

    def wilson(n: int, empty: Undefined) -> Interval | Undefined:
        if correct > n > 0:  # of a reference kept as it is written, what is proposed once can be correct twice
            return Undefined.NOT_A_SHARE
        return proportion_interval(correct, n, confidence_level=level) if n else empty

    fp, fn = proposed - correct, gold - correct
    return [
        wilson(proposed, Undefined.NOTHING_PROPOSED),
        wilson(gold, Undefined.NOTHING_IN_REFERENCE),
        f_score_interval(correct, fp, fn, beta=beta, confidence_level=level)
        if min(fp, fn) >= 0
        else Undefined.NOT_A_SHARE,
    ]


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
