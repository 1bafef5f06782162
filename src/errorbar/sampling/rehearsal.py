"""Many samples of a corpus that is judged whole: how far estimates lie from the truth, and how often intervals hold it.

Conventions
    A repetition is what a user does: ``draw_sample`` under a seed of its own, the judgments of the drawn items, of all
    raters or of some drawn anew for each item, ``judge_sample`` and ``estimate_systems``. The truth is what the same
    rule makes of all judgments of all items; of graded truths it is the mean of these raters. An interval that is
    missing, because all that a score rests on was judged, holds the truth if the value is the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Counts, Floats
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, Problems, UsageError
from errorbar.sampling.draw import Labels, Truth, draw_sample, judge_sample
from errorbar.sampling.estimators import Estimation, SystemEstimates, difference, estimate_systems
from errorbar.sampling.frame import TARGETS, Frame, Quantity, stratify
from errorbar.stats.resampling import stream

MOST_SEEDS = 2**31
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The sample that is drawn and asked, again and again."""

    n: Counts  # items of each stratum
    edges: tuple[float, ...] = ()  # of score
    raters: int | None = None  # asked about each item, drawn anew for it; None: all who judged it
    truth: Truth = "majority"
    labels: Labels = field(default_factory=Labels)
    how: Estimation = field(default_factory=Estimation)
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class RehearsedScore:
    """One score of one system, or of two the difference; arrays have shape (repetitions,), NaN where there is none."""

    system: str  # empty: the difference of both
    name: str  # P, R or F
    truth: float
    values: Floats
    lows: Floats
    highs: Floats

    @property
    def held(self) -> NDArray[np.bool_]:
        """Where the truth is held."""
        # Ends are often totals that can be, and so may be the truth but for rounding.
        inside = (self.lows - _SAME <= self.truth) & (self.truth <= self.highs + _SAME)
        return np.asarray(inside | (np.isnan(self.lows) & (np.abs(self.values - self.truth) < _SAME)))


def rehearse(
    frame: Frame,
    judgments: Judgments,
    rehearsal: Rehearsal,
    repetitions: int,
    progress: Callable[[int], object] = lambda _: None,
) -> list[RehearsedScore]:
    """Draw, judge and estimate ``repetitions`` times."""
    kept = _of_frame(frame, judgments, rehearsal)
    truths = true_scores(frame, kept, rehearsal)
    seeds, rng = (stream(rehearsal.seed, "sample", "rehearsal", name) for name in ("draws", "raters"))
    scores: list[list[tuple[float, float, float]]] = []
    for number, seed in enumerate(seeds.integers(MOST_SEEDS, size=repetitions).tolist(), 1):
        key = draw_sample(frame, rehearsal.n, edges=rehearsal.edges, seed=seed)
        asked = _ask_raters(kept, key.items(), rehearsal.raters, rng)
        judged = judge_sample(asked, key, Problems(), truth=rehearsal.truth, labels=rehearsal.labels)
        scores.append([*_ends(estimate_systems(key.strata, judged.sample, rehearsal.how))])
        progress(number)
    columns = np.array(scores).transpose(1, 2, 0)
    return [RehearsedScore(*named, *column) for named, column in zip(truths, columns, strict=True)]


def true_scores(frame: Frame, judgments: Judgments, rehearsal: Rehearsal) -> list[tuple[str, str, float]]:
    """System, name and value of every score if all items are judged; of two systems the differences come last."""
    strata, _ = stratify(frame, rehearsal.edges)
    everything = draw_sample(frame, strata.sizes, edges=rehearsal.edges)
    judged = judge_sample(judgments, everything, Problems(), truth=rehearsal.truth, labels=rehearsal.labels)
    errors, beta = judged.sample.x, rehearsal.how.beta
    if not errors.any():
        message = "nobody calls an item an error, so there is nothing to find"
        raise UsageError(Problem("sample-rehearsal", message, fix="say what labels mean: --labels=error=LABEL"))
    scores: list[tuple[str, str, float]] = [
        (system, target, float(Quantity(target, strata, at, beta).value(errors)))
        for at, system in enumerate(strata.systems)
        for target in TARGETS
    ]
    if len(strata.systems) > 1:
        none = np.zeros(len(strata))
        scores += [("", target, difference(target, errors, none, strata, beta=beta)[0]) for target in TARGETS]
    return scores


def _of_frame(frame: Frame, judgments: Judgments, rehearsal: Rehearsal) -> Judgments:
    """The judgments of the items of the frame that say something, by item; every item must have enough."""
    known = set(frame.items)
    inside = np.array([item in known for item in judgments.items], np.bool_)
    usable = np.array([label not in rehearsal.labels.unknown for label in judgments.labels], np.bool_)
    kept = judgments.take(inside[judgments.item] & usable[judgments.label])
    kept = kept.take(np.argsort(kept.item, kind="stable"))
    counts = dict(zip(judgments.items, np.bincount(kept.item, minlength=len(judgments.items)).tolist(), strict=True))
    least = rehearsal.raters or 1
    short = [item for item in frame.items if counts.get(item, 0) < least]
    if short:
        message = f"{len(short):,} of {len(frame):,} items have fewer than {least} judgments, first '{short[0]}'"
        if least == 1:
            message = f"{len(short):,} of {len(frame):,} items have no judgment, first '{short[0]}'"
        fix = "a rehearsal needs the truth of every item: leave out the others, or ask fewer raters"
        raise UsageError(Problem("sample-rehearsal", message, fix=fix))
    return kept


def _ask_raters(kept: Judgments, drawn: Collection[str], raters: int | None, rng: np.random.Generator) -> Judgments:
    """The judgments of drawn items, by some raters of each; ``kept`` are in the order of their items."""
    chosen = np.array([item in drawn for item in kept.items], np.bool_)
    rows = np.flatnonzero(chosen[kept.item])
    if raters is None:
        return kept.take(rows)
    order = np.lexsort((rng.random(len(rows)), kept.item[rows]))
    rows = rows[order]
    starts = np.flatnonzero(np.diff(kept.item[rows], prepend=-1))
    place = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    return kept.take(rows[place < raters])


def _ends(estimates: SystemEstimates) -> Iterator[tuple[float, float, float]]:
    """Value and interval of P, R and F of each system, and of their differences."""
    rows = [system[target] for system in estimates.systems for target in TARGETS]
    for row in [*rows, *estimates.differences]:
        value, interval = row.estimate.value, row.estimate.interval
        nan = float("nan")
        yield (nan if value is None else value, *((nan, nan) if interval is None else (interval.low, interval.high)))
