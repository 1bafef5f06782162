"""Intervals of the curve and of the ratios, over other texts and over other judges, by leaving out one of each.

Formula
    For each number of references k: human h(k), system s(k) and ratio s(k)/h(k), as in ``ceilings.study``, without each
    text (a document, or a sentence where none are known) and without each judge, who is then neither a reference nor a
    human whose text is scored. Over texts: U -+ t with n - 1 degrees of freedom and V_E. Over texts and judges: V_E +
    V_A, as in ``errorbar.stats.two_way``; on the scale of logits within the measure's range, of ratios on that of
    logarithms.
Conventions
    Where k is all others there are, a judge less leaves k - 1: then that is what is compared, for humans and systems.
    Of more than 2,000 texts, or where that would take long, 200 groups of neighbors are left out in their place.
    With two judges nothing is left, and with a judge who looked at a single text the two cannot be told apart: named
    reasons. What is left of each text is folded against at most 10 sets of references for each human text and size, 100
    for a system, drawn from a stream of their own: V_E is that of a mean over so many sets.
Source
    errorbar.stats.two_way; docs/judges.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from errorbar.ceilings.spread import CeilingIntervals, Row
from errorbar.ceilings.study import Study, Text
from errorbar.core.estimate import Interval, Scale, Undefined
from errorbar.execute import run
from errorbar.metrics.base import Floats, Selection
from errorbar.metrics.judge_sets import GROUPS, MOST_TEXTS, values_of, without_each
from errorbar.metrics.subsets import NO_ONE, annotator_subsets
from errorbar.stats.resampling import ANYWHERE, Resampling, stream
from errorbar.stats.two_way import TwoWay, jackknife, t_interval, two_way, unknown_texts
from errorbar.stats.units import divided, left_out_groups

OF_HUMAN, OF_SYSTEM = 10, 100
"""Sets of one size against which what is left of the texts is folded."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A text's main measure by size: on everything, without each judge, and without each document."""

    value: Floats  # shape (sizes,)
    without_judge: Floats  # shape (judges, sizes), NaN where nothing is left
    without_text: Floats  # shape (texts, sizes)


def groups_within(study: Study, clusters: NDArray[np.int64], most: int) -> NDArray[np.int64] | None:
    """What is left out together: texts, or 200 groups of them if else more sentences than ``most`` were folded.

    None where the groups would fold more than twice as many: ten annotators and three systems on CoNLL-2014 do not.
    """
    for most_texts, most_folded in ((MOST_TEXTS, most), (GROUPS, 2 * most)):
        groups = left_out_groups(clusters, most_texts, GROUPS)
        if folds_left_out(study, groups) * len(clusters) * study.metric.slower <= most_folded:
            return groups
    return None


def jackknife_intervals(
    study: Study, groups: NDArray[np.int64], how: Resampling, progress: Callable[[int], object] = lambda _: None
) -> tuple[CeilingIntervals, CeilingIntervals]:
    """Intervals over texts, and over texts and judges, of the main measure by size and of the ratios."""
    texts = [*study.humans, *study.systems]
    found: list[_Left] = []
    for left in run(partial(_left, study, groups=groups, seed=how.seed), texts, how.jobs):
        found.append(left)
        progress(len(found))
    n = len(study.humans)
    human = _Left(
        np.mean([one.value for one in found[:n]], axis=0),
        np.stack([_mean([one.without_judge[j] for i, one in enumerate(found[:n]) if i != j]) for j in range(n)]),
        np.mean([one.without_text for one in found[:n]], axis=0),
    )
    systems = found[n:]
    ratios = [_ratio(one, human) for one in systems]
    scale, level = study.metric.measures[study.metric.main].scale, how.confidence_level
    of_ratios = Scale(0.0) if scale.low >= 0 else ANYWHERE
    both = [
        CeilingIntervals(
            make(human, scale=scale),
            tuple(make(one, scale=scale) for one in systems),
            tuple(make(one, scale=of_ratios) for one in ratios),
        )
        for make in (partial(_over_texts, level=level), partial(_over_both, level=level))
    ]
    return both[0], both[1]


def folds_left_out(study: Study, groups: NDArray[np.int64]) -> int:
    """How many folds intervals take."""
    sets = (
        min(n, OF_SYSTEM if text.author == NO_ONE else OF_HUMAN)
        for text in (*study.humans, *study.systems)
        for n in study.subsets[text.author].n_subsets
    )
    return sum(sets) * len(np.unique(groups))


def left_out_convention(study: Study, clusters: NDArray[np.int64], groups: NDArray[np.int64]) -> str:
    """How it is named in a signature that not every set was folded without each text, or texts went in groups."""
    cut = any(
        n > (OF_SYSTEM if text.author == NO_ONE else OF_HUMAN)
        for text in (*study.humans, *study.systems)
        for n in study.subsets[text.author].n_subsets
    )
    grouped = len(np.unique(clusters)) > len(np.unique(groups))
    return f",sets:{OF_HUMAN}+{OF_SYSTEM}" * cut + f",groups:{GROUPS}" * grouped


def _left(study: Study, text: Text, *, groups: NDArray[np.int64], seed: int) -> _Left:
    """What is left of a text's values."""
    metric, subsets, m = study.metric, study.subsets[text.author], len(study.annotators)
    main = metric.main
    values = values_of(metric, text.statistics, Selection(annotators=subsets.masks))[:, main]
    sizes = subsets.masks.sum(axis=1)
    members = [np.flatnonzero(sizes == size) for size in study.sizes]
    value = np.array([_mean(values[own]) for own in members])
    without = np.full((m, len(study.sizes)), np.nan)
    for k, (size, own) in enumerate(zip(study.sizes, members, strict=True)):
        masks, scores = subsets.masks[own], values[own]
        if size == m - 1:
            masks, scores = _one_less(study, text, size - 1, seed)
        kept = masks == 0
        totals = np.sum(np.broadcast_to(scores[:, None], kept.shape), axis=0, where=kept)
        without[:, k] = divided(totals, kept.sum(axis=0))
    without[np.arange(m) == text.author] = np.nan
    some = [_some(own, text, int(size), seed) for size, own in zip(study.sizes, members, strict=True)]
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        return _Left(value, without, np.empty((0, len(study.sizes))))
    table = without_each(metric, text.statistics, subsets.masks[np.concatenate(some)], groups)[:, :, main]
    ends = np.cumsum([len(own) for own in some])[:-1]
    return _Left(value, without, np.stack([part.mean(axis=1) for part in np.split(table, ends, axis=1)], axis=1))


def _one_less(study: Study, text: Text, size: int, seed: int) -> tuple[NDArray[np.uint8], Floats]:
    """Sets of one judge less than there are others, and the values against them; none where nobody is left."""
    m = len(study.annotators)
    if size < 1:
        return np.ones((1, m), np.uint8), np.full(1, np.nan)
    masks = annotator_subsets(m, (size,), partial(stream, seed, "one-less", text.author), without=text.author).masks
    values = values_of(study.metric, text.statistics, Selection(annotators=masks))
    return masks, values[:, study.metric.main]


def _some(own: NDArray[np.intp], text: Text, size: int, seed: int) -> NDArray[np.intp]:
    """Sets that are folded without each text: all, or so many as are drawn."""
    most = OF_SYSTEM if text.author == NO_ONE else OF_HUMAN
    if len(own) <= most:
        return own
    drawn = stream(seed, "left-out", text.author, size).choice(own, most, replace=False)
    return np.sort(drawn)


def _mean(values: Sequence[Floats] | Floats) -> Floats:
    return np.asarray(np.mean(np.asarray(values), axis=0), np.float64)


def _ratio(system: _Left, human: _Left) -> _Left:
    return _Left(
        divided(system.value, human.value),
        divided(system.without_judge, human.without_judge),
        divided(system.without_text, human.without_text),
    )


def _over_texts(left: _Left, *, level: float, scale: Scale) -> Row:
    """Intervals over texts by size, or why there are none."""
    made: list[Interval | Undefined] = []
    for k, value in enumerate(left.value.tolist()):
        texts = left.without_text[:, k]
        if why := unknown_texts(value, texts):
            made.append(why)
            continue
        made.append(t_interval(value, [(jackknife(texts), len(texts) - 1)], level, scale, "jackknife, t"))
    return tuple(made)


def _over_both(left: _Left, *, level: float, scale: Scale) -> Row:
    """Intervals over texts and judges by size, or why there are none."""
    made: list[Interval | Undefined] = []
    for k, value in enumerate(left.value.tolist()):
        parts = two_way(value, left.without_text[:, k], left.without_judge[:, k])
        made.append(parts.interval(level, scale) if isinstance(parts, TwoWay) else parts)
    return tuple(made)
