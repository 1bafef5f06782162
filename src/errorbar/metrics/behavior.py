"""The behavior of a system: it corrects errors, corrects them wrongly, leaves them, or makes changes of its own.

Formula
    A sentence is cut into chunks: the spans of the edits of the system and of all its annotators, joined where they
    overlap or touch. Against an annotator a chunk is a hit (H) if both change it to one text, wrong (W) if both change
    it and to different texts, under-corrected (U) if only the annotator changes it, over-corrected (O) if only the
    system does. Over the sentences of a corpus, each with the annotator chosen for it,
    hit = H / (H + W + U), wrong = W / (H + W + U), under = U / (H + W + U), over = O / (H + W + O), and
    score = .45 hit + .35 (1 - wrong) + .15 (1 - under) + .05 (1 - over).
    With ``assumption=independent`` nobody is chosen; against all annotators a chunk is H if the system changes it as
    any of them does, W if it changes it otherwise and any of them changes it too, O if it changes it and none of them
    does, U if it leaves it and all of them change it. With ``average=sentence`` the shares, and the score with weights
    .35, .25, .20 and .20, are those of each sentence, averaged over sentences.
Conventions
    A ratio with an empty denominator is 0. ``running`` takes for each sentence the annotator with the largest score of
    the corpus so far plus this sentence; ties go to more hits, fewer wrong and over-corrected chunks, fewer
    under-corrected ones, then to the first. ``sentence`` compares scores of the sentence alone.
    Averages over sentences choose by the score of the sentence alone, then more hits and a smaller share that is wrong,
    under- and over-corrected. A sentence where nothing is needed has hit, wrong and under 0 and is averaged in.
    Edits of texts are those of the minimal aligner (errorbar.edits.texts), or ERRANT's. A reference edit with
    alternatives is met by any of them. Edits without a correction are left out, and so is one that overlaps an earlier
    edit of its side. A system's edits that leave a chunk as it is do not change it.
    A chunk counts for each type of the annotator's edits in it, an over-corrected one for each of the system's.
    The chunks are those of all annotators of a sentence, whoever is chosen: with more annotators they are longer.
    Under an annotator who leaves a sentence as it is, nothing is wrong or under-corrected, and what a system changes
    costs the .05 of over-correction alone. One who changes (nearly) nothing is chosen for most sentences and makes any
    system look good, so there is a warning.
Source
    Ye et al. 2025, CLEME2.0 (arXiv:2407.00934), without weights of edits; its program decides what the paper leaves
    open, and the tests compare with that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints, divide
from errorbar.core.corpus import Corpus
from errorbar.core.edit import OWN_PIPELINE, Edit
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.problems import Problem, UsageError
from errorbar.core.spec import Parameter, word_parameter
from errorbar.edits.matching import ProposedEdit
from errorbar.edits.texts import chunk_text, find_changed_chunks, says, select_applied, within
from errorbar.metrics.additive import OVERLAP, SummedCounts, best_columns, sum_selected
from errorbar.metrics.base import Feature, Folded, Measure, Selection, UnitParts, lacking
from errorbar.metrics.edit_metric import (
    CHOOSE,
    MADE,
    PIPELINE,
    RUNNING,
    SENTENCE,
    EditMetric,
    EditStatistics,
    concatenate,
    edits_of_sides,
    tally_types,
)

WEIGHTS = (0.45, 0.35, 0.15, 0.05)
"""Of the hits, and of what is not wrong, under- and over-corrected: the program's for corpora."""
SENTENCE_WEIGHTS = (0.35, 0.25, 0.20, 0.20)
"""The program's for averages over sentences."""
ASSUMPTIONS = ("dependent", "independent")
AVERAGES = ("corpus", SENTENCE)
BEHAVIORS = ("n_hit", "n_wrong", "n_under", "n_over")
_HIT, _WRONG, _UNDER, _OVER, _LEFT = range(5)
UNCHANGED = "annotator-unchanged"
LEAST_CHANGED = 0.1
"""An annotator who changes a smaller share of sentences than this times the others' median is warned of."""
_LOOKED, _CHANGED = "sentences of ", "changed sentences of "


@dataclass(frozen=True, slots=True)
class ByScore:
    """Annotators are compared by the score, of the corpus so far (``running``) or of the sentence alone."""

    running: bool
    averaged: bool = False  # by the score and the ties of averages over sentences

    def keys(self, reached: Ints) -> Sequence[NDArray[Any]]:
        """The score, then what its ties go by."""
        if self.averaged:
            hit_share, *others, score = np.moveaxis(behavior_rates(reached, SENTENCE_WEIGHTS), -1, 0)
            return score, hit_share, *(-share for share in others)
        hit, wrong, under, over = np.moveaxis(reached, -1, 0)
        return behavior_rates(reached)[..., -1], hit, -(wrong + over), -under


@dataclass(frozen=True, slots=True)
class Behavior(EditMetric):
    """The metric.

    Attributes:
        choose: ``running`` (the published program's way), ``sentence`` (order-free), or the name of one annotator.
        assumption: ``dependent``: a sentence counts with one annotator; ``independent``: each chunk with all of them.
        average: ``corpus``: values are of sums over sentences; ``sentence``: they are means of sentences' values.
        edits: What makes the edits of references and systems that are texts: ``minimal``, or ``errant``.
        pipeline: The spaCy pipeline, or its folder, for ERRANT.

    Raises:
        UsageError: If a parameter will not do.
    """

    name: ClassVar[str] = "behavior"
    summary: ClassVar[str] = "Hits, wrong, missed and needless corrections, equal to CLEME 2.0 without weights"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        CHOOSE,
        word_parameter("assumption", "Annotators of a sentence: one chosen, or all at each chunk.", *ASSUMPTIONS),
        word_parameter("average", "Values of the sums over a corpus, or means of sentences' values.", *AVERAGES),
        word_parameter("edits", "Edits of references and systems that are texts: minimal, or errant.", *MADE),
        PIPELINE,
    )
    fold_only = frozenset({"choose", "average"})
    takes_edits = True
    slower = 2000  # nothing is compiled, as the running choice needs
    counted = BEHAVIORS
    type_counted = (*BEHAVIORS, "gold")
    type_measures = ("hit", "wrong", "under")
    remarks = SummedCounts.remarks

    choose: str = RUNNING
    assumption: str = ASSUMPTIONS[0]
    average: str = AVERAGES[0]
    edits: str = MADE[0]
    pipeline: str = OWN_PIPELINE

    def __post_init__(self) -> None:
        EditMetric.__post_init__(self)
        if self.choose == SENTENCE and self.is_sum:
            why = "no annotator is chosen" if self.is_independent else "the choice is by sentence already"
            message = f"in the metric {self.spec} {why}"
            raise UsageError(Problem("bad-parameter", message, fix="leave out choose=sentence"))

    @property
    def lacks(self) -> Mapping[Feature, str]:  # type: ignore[override] # it depends on a parameter
        """Formulas of intervals, and scores by type where nobody is chosen."""
        closed: dict[Feature, str] = {"closed": "there is no formula for intervals of its score"}
        types: dict[Feature, str] = {
            "types": "independent chunks are of no single annotator, who would give them types"
        }
        return closed | types if self.is_independent else closed

    @property
    def is_independent(self) -> bool:
        """Whether each chunk is compared with all annotators."""
        return self.assumption == ASSUMPTIONS[1]

    @property
    def is_sum(self) -> bool:
        """Whether the counts of a sentence depend on no other sentence by any parameter but ``choose``."""
        return self.is_independent or self.average == SENTENCE

    def variants(self) -> Sequence[Self]:
        """The metric under the other rule of choosing an annotator, where there are two."""
        return () if self.is_sum else EditMetric.variants(self)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Four shares of what happens to chunks, and the score that weighs them."""
        shares = ("wrong", "under", "over")
        return Measure("hit", "hit"), *(Measure(one, one, better="lower") for one in shares), Measure("score", "score")

    @property
    def rule(self) -> ByScore:
        """How annotators are compared."""
        return ByScore(self.choose != SENTENCE and not self.is_sum, self.average == SENTENCE)

    def join(self, parts: Sequence[EditStatistics]) -> EditStatistics:
        """Annotators and types are joined by name; the fates of chunks are padded to those of the longest sentence."""
        if not self.is_independent:
            return EditMetric.join(self, parts)
        padded = _pad_chunks(parts)
        return concatenate(padded, padded[0].counts.shape[2] if padded else 0)

    def differ(self, first: EditStatistics, second: EditStatistics) -> NDArray[np.bool_]:
        """In which sentences the counts, or the fates of chunks, of two systems differ."""
        if self.is_independent:
            first, second = _pad_chunks([first, second])
        return EditMetric.differ(self, first, second)

    def fold(
        self, statistics: EditStatistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> Folded:
        """Corpus totals of each replicate, and the measures of them or the means over sentences."""
        if not self.is_sum:
            return EditMetric.fold(self, statistics, selection, start=start)

        def add_units(mask: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
            counts, allowed, _ = self._count(statistics, mask)
            looked = np.asarray(allowed.any(axis=1), np.float64)[:, None]
            return np.concatenate([counts, self._rate_alone(counts) * looked], axis=1), allowed

        n_annotators = len(statistics.annotators)
        sums, n_units = sum_selected(add_units, len(statistics), n_annotators, selection or Selection())
        counts = np.rint(sums[:, : len(BEHAVIORS)]).astype(np.int64)
        totals = n_units if start is None else n_units + start.n_units
        if self.average == SENTENCE:
            values = sums[:, len(BEHAVIORS) :]
            if start is not None:
                values = values + np.nan_to_num(start.values) * start.n_units[:, None]
            values = divide(values, totals[:, None])
        if start is not None:
            counts = counts + start.counts
        return Folded(values if self.average == SENTENCE else behavior_rates(counts), counts, totals)

    def types(self, statistics: EditStatistics) -> tuple[str, ...]:
        """The error types of the reference.

        Raises:
            UsageError: Under the independence assumption.
        """
        if self.is_independent:
            raise lacking(self, "types")
        return statistics.types

    def fold_with_types(
        self, statistics: EditStatistics, selection: Selection, *, start: Folded | None = None
    ) -> tuple[Folded, NDArray[np.int64]]:
        """The fold, and the chunks of each type of the same chosen annotators; shape (replicates, types, counts)."""
        folded, by_type = EditMetric.fold_with_types(self, statistics, selection, start=start)
        return (self.fold(statistics, selection, start=start) if self.is_sum else folded), by_type

    def parts(self, statistics: EditStatistics, *, start: Folded | None = None) -> UnitParts:
        """The annotator chosen for each sentence, or the only one, and its counts."""
        if not self.is_sum:
            return EditMetric.parts(self, statistics, start=start)
        counts, _, columns = self._count(statistics)
        names = [statistics.annotators[column] if column >= 0 else None for column in columns.tolist()]
        return UnitParts(names, counts, self._rate_alone(counts))

    def _rate_alone(self, counts: Ints) -> Floats:
        """The values of sentences alone."""
        return behavior_rates(counts, SENTENCE_WEIGHTS if self.average == SENTENCE else WEIGHTS)

    def _count(
        self, statistics: EditStatistics, mask: NDArray[np.bool_] | None = None
    ) -> tuple[Ints, NDArray[np.bool_], Ints]:
        """The counts of each sentence against those of a mask, who is allowed there, and the column of the one used."""
        allowed = statistics.present.astype(np.bool_) & (True if mask is None else mask)
        if self.annotator is not None:
            allowed = allowed & np.array([name == self.annotator for name in statistics.annotators], np.bool_)
        if self.is_independent:
            alone = allowed.sum(axis=1) == 1
            columns = np.where(alone, allowed.argmax(axis=1), -1) if allowed.size else np.full(len(statistics), -1)
            return count_independent(statistics.counts.astype(np.int64), allowed), allowed, columns
        columns = best_columns([-key for key in self.rule.keys(statistics.counts.astype(np.int64))], allowed)
        if not allowed.size:
            return np.zeros((len(statistics), len(BEHAVIORS)), np.int64), allowed, columns
        counts = statistics.counts[np.arange(len(columns)), columns].astype(np.int64)
        return np.where(columns[:, None] >= 0, counts, 0), allowed, columns

    def rate(self, totals: NDArray[np.int64]) -> Floats:
        """The measures of totals."""
        return behavior_rates(totals)

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Which empty case fills the shares."""
        if not folded.n_units[0]:
            return (Undefined.NO_UNITS,) * len(self.measures)
        hit, wrong, under, over = folded.counts[0].tolist()
        nothing = None if hit + wrong + under else Undefined.NOTHING_IN_REFERENCE
        unproposed = None if hit + wrong + over else Undefined.NOTHING_PROPOSED
        return nothing, nothing, nothing, unproposed, Undefined.NO_EDITS if nothing and unproposed else nothing

    def closed_intervals(self, folded: Folded, confidence_level: float) -> Sequence[Interval | Undefined]:
        """There are none."""
        raise lacking(self, "closed")

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> EditStatistics:
        """Count what happens to the chunks of each sentence against each annotator; ``by_type``: for each type too.

        Raises:
            InputError: If the numbers of sentences differ, or a system's edits are of other sentences.
            UsageError: If ERRANT is asked for and not installed, or types under the independence assumption.
        """
        if by_type and self.is_independent:
            raise lacking(self, "types")
        corpus, proposed, made_by = edits_of_sides(reference, output, self.pipeline if self.makes_edits else None)
        counts = np.zeros((len(corpus), len(corpus.annotators), len(BEHAVIORS)), np.int32)
        fates: dict[tuple[int, int], list[int]] = {}
        present = np.zeros(counts.shape[:2], np.uint8)
        column = {name: k for k, name in enumerate(corpus.annotators)}
        types: dict[str, int] = {}
        rows: list[tuple[int, ...]] = []
        remarked = Counter[str]()
        for unit, (sentence, own) in enumerate(zip(corpus.sentences, proposed, strict=True)):
            sides = [select_applied(edits) for edits in sentence.annotations.values()]
            remarked[OVERLAP] += sum(edit.applicable for edits in sentence.annotations.values() for edit in edits)
            remarked[OVERLAP] -= sum(map(len, sides))
            remarked.update(_LOOKED + name for name in sentence.annotations)
            remarked.update(_CHANGED + name for name, side in zip(sentence.annotations, sides, strict=True) if side)
            for name, chunks in zip(
                sentence.annotations, _look(sentence.tokens, select_applied(own), sides), strict=True
            ):
                at = column[name]
                present[unit, at] = 1
                if self.is_independent:
                    fates[unit, at] = [1 + (_LEFT if chunk.what is None else chunk.what) for chunk in chunks]
                    continue
                seen = [chunk for chunk in chunks if chunk.what is not None]
                for chunk in seen:
                    counts[unit, at, chunk.what] += 1
                by = Counter((kind, chunk.what) for chunk in seen for kind in chunk.types if by_type)
                for kind in dict.fromkeys(kind for kind, _ in by):
                    four = [by[kind, behavior] for behavior in range(len(BEHAVIORS))]
                    slot, number = unit * len(column) + at, types.setdefault(kind, len(types))
                    rows.append((slot, number, *four, sum(four[:_OVER])))
        if self.is_independent:
            counts = np.zeros((*present.shape, max(map(len, fates.values()), default=0)), np.int32)
            for (unit, at), row in fates.items():
                counts[unit, at, : len(row)] = row
        shape = (*present.shape, len(types))
        typed = tally_types(rows, shape, len(self.type_counted)) if by_type else None
        return EditStatistics(counts, present, corpus.annotators, typed, tuple(types), remarked, made_by)

    def notes(self, remarked: Mapping[str, int]) -> Iterable[Problem]:
        """Overlapping edits, and annotators who change so little that the score of a system that does too is high."""
        yield from EditMetric.notes(self, remarked)
        looked = {key.removeprefix(_LOOKED): n for key, n in remarked.items() if key.startswith(_LOOKED)}
        shares = {name: remarked.get(_CHANGED + name, 0) / n for name, n in looked.items()}
        for name, share in shares.items():
            usual = median([other for who, other in shares.items() if who != name] or [0.0])
            if self.choose in (RUNNING, SENTENCE) and share < LEAST_CHANGED * usual:
                why = "under this annotator nothing is wrong or under-corrected, so that almost any system scores high"
                if self.is_independent:
                    why = "what an annotator leaves is not under-corrected, so that almost no system leaves errors"
                message = f"annotator {name} changes {share:.1%} of the sentences, the others {usual:.1%}; {why}"
                fix = f"leave this annotator out, or score against another alone: --metric='{self.name}(choose=NAME)'"
                yield Problem(UNCHANGED, message, fix=fix, severity="warning")

    def system_edits(
        self, reference: Corpus, output: Sequence[str], annotators: Sequence[str | None]
    ) -> Sequence[Sequence[ProposedEdit]]:
        """The edits of each sentence, matched where their chunk is a hit against the annotator, or any of them."""
        corpus, proposed, _ = edits_of_sides(reference, output, self.pipeline if self.makes_edits else None)
        matched: list[list[ProposedEdit]] = []
        for sentence, own, name in zip(corpus.sentences, proposed, annotators, strict=True):
            sides = [select_applied(edits) for edits in sentence.annotations.values()]
            looks = dict(zip(sentence.annotations, _look(sentence.tokens, select_applied(own), sides), strict=True))
            anyone = self.is_independent and name is None
            against = [chunks for who, chunks in looks.items() if anyone or who == name]
            hits = [(same[0].own, any(chunk.what == _HIT for chunk in same)) for same in zip(*against, strict=True)]
            edits = [(edit, hit) for own_edits, hit in hits for edit in own_edits]
            matched.append([ProposedEdit(edit.start, edit.end, edit.replacements[0], hit) for edit, hit in edits])
        return matched

    def type_values(self, counts: Ints) -> Floats:
        """The shares of the chunks that annotators change for each type that are hit, wrong and left."""
        return divide(counts[..., :_OVER], counts[..., -1:])


def count_independent(fates: Ints, allowed: NDArray[np.bool_]) -> Ints:
    """Count the behaviors in sentences of which each chunk is compared with all allowed annotators.

    Args:
        fates: 1 + the behavior of each chunk against each annotator, 1 + ``_LEFT`` if both leave it, 0 for padding;
            shape (units, annotators, chunks).
        allowed: Whether an annotator counts for a unit; shape (units, annotators).

    Returns:
        Chunks of each behavior; shape (units, 4).
    """
    kept = np.where(allowed[..., None], fates, 0)
    hit, wrong, under, over, left = ((kept == 1 + fate).any(axis=1) for fate in (*range(len(BEHAVIORS)), _LEFT))
    wrong = wrong & ~hit
    chunks = hit, wrong, under & ~left, over & ~hit & ~wrong
    return np.stack([chunk.sum(axis=1) for chunk in chunks], axis=-1)


def _pad_chunks(parts: Sequence[EditStatistics]) -> list[EditStatistics]:
    """Statistics with the fates of as many chunks each, those of the sentence with most; 0 is no chunk."""
    width = max((part.counts.shape[2] for part in parts), default=0)
    padding = [((0, 0), (0, 0), (0, width - part.counts.shape[2])) for part in parts]
    return [replace(part, counts=np.pad(part.counts, pads)) for part, pads in zip(parts, padding, strict=True)]


def behavior_rates(counts: Ints, weights: Sequence[float] = WEIGHTS) -> Floats:
    """The four shares and the score of counts (..., 4); shape (..., 5)."""
    hit, wrong, under, over = (counts[..., kind].astype(np.float64) for kind in range(len(BEHAVIORS)))
    needed, changed = hit + wrong + under, hit + wrong + over
    shares = [np.nan_to_num(divide(one, needed)) for one in (hit, wrong, under)]
    shares.append(np.nan_to_num(divide(over, changed)))
    score = weights[_HIT] * shares[_HIT]
    for kind in (_WRONG, _UNDER, _OVER):
        score = score + weights[kind] * (1 - shares[kind])
    return np.stack([*shares, score], axis=-1)


class _Chunk(NamedTuple):
    """The fate of a chunk against an annotator."""

    what: int | None  # one of ``BEHAVIORS``; None: the system leaves it, and so does the annotator
    own: Sequence[Edit]  # of the system
    theirs: Sequence[Edit]

    @property
    def types(self) -> Iterator[str]:
        """The types that it counts for."""
        return iter(dict.fromkeys(edit.type for edit in (self.own if self.what == _OVER else self.theirs)))


def _look(tokens: Sequence[str], ours: Sequence[Edit], sides: Sequence[Sequence[Edit]]) -> Iterator[list[_Chunk]]:
    """Compare a system's chunks of a sentence with those of each annotator."""
    chunks = find_changed_chunks([ours, *sides])
    own = [within(ours, chunk) for chunk in chunks]
    texts = [chunk_text(tokens, chunk, edits) for chunk, edits in zip(chunks, own, strict=True)]
    for side in sides:
        seen: list[_Chunk] = []
        for chunk, edits, text in zip(chunks, own, texts, strict=True):
            theirs = within(side, chunk)
            met, behavior = says(tokens, chunk, theirs, text), None
            if text != list(tokens[slice(*chunk)]):
                behavior = _HIT if met else _WRONG if theirs else _OVER
            elif not met:
                behavior = _UNDER
            seen.append(_Chunk(behavior, edits, theirs))
        yield seen
