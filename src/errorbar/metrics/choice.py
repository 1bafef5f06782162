"""Which annotator a sentence is scored against, and the corpus totals that follow.

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

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.edits.matching import KERNEL
from errorbar.metrics.base import Swapping

RUNNING = "running"
SENTENCE = "sentence"


@dataclass(frozen=True, slots=True)
class Choice:
    """Corpus totals of one or many replicates.

    Attributes:
        totals: Correct, proposed and reference edits; shape (replicates, 3).
        n_units: Sentences that somebody looked at; shape (replicates,).
        chosen: Column of the chosen annotator, -1 where nobody looked; shape (replicates, units), or (0, units)
            where it was not asked for.
    """

    totals: NDArray[np.int64]
    n_units: NDArray[np.int64]
    chosen: NDArray[np.int32]


def fold_counts(
    counts: NDArray[np.int32],
    present: NDArray[np.uint8],
    *,
    beta: float,
    running: bool,
    units: NDArray[np.int64] | None = None,
    masks: NDArray[np.uint8] | None = None,
    start: NDArray[np.int64] | None = None,
    swapping: Swapping | None = None,
    want_chosen: bool = False,
    kernel: bool | None = None,
) -> Choice:
    """Choose an annotator for every sentence and add up, for many replicates in one pass.

    Args:
        counts: Correct, proposed and reference edits; shape (units, annotators, 3).
        present: Whether an annotator looked at a unit; shape (units, annotators).
        beta: Weight of recall against precision.
        running: Compare by the corpus so far plus this sentence, not by the sentence alone.
        units: Units to fold, in order, e.g. a resample; shape (replicates, n) or (1, n). -1 is padding, for rows
            of different lengths. None: all, once.
        masks: Annotators that may be chosen; shape (replicates, annotators) or (1, annotators). None: all.
        start: Totals to go on from; shape (replicates, 3).
        swapping: Where to take the second half of the units instead of the first; ``units`` has one row then.
        want_chosen: Return who was chosen.
        kernel: Use the compiled kernel (True), the twin (False), or the kernel where there is one (None).

    Raises:
        ValueError: If the selection does not fit the counts.
    """
    n_units, n_annotators = present.shape
    known = n_units if swapping is None else n_units // 2
    rows = np.arange(known, dtype=np.int64)[None, :] if units is None else np.ascontiguousarray(units, np.int64)
    allowed = np.ones((1, n_annotators), np.uint8) if masks is None else np.ascontiguousarray(masks, dtype=np.uint8)
    swaps, slots = _swaps(swapping, n_units, rows)
    replicates = max(len(rows), len(allowed), 1 if start is None else len(start), len(swaps))
    _check(known, n_annotators, replicates, rows, allowed, start)
    if len(swaps) not in (0, replicates):
        raise ValueError(f"swaps has {len(swaps)} rows; expected {replicates}")
    totals = np.zeros((replicates, 3), np.int64)
    if start is not None:
        totals += start
    used = np.zeros(replicates, np.int64)
    chosen = np.full((replicates if want_chosen else 0, rows.shape[1]), -1, np.int32)
    if KERNEL if kernel is None else kernel:
        from errorbar.metrics._fold import fold_replicates  # noqa: PLC0415 - absent without a compiler

        fold_replicates(
            np.ascontiguousarray(counts),
            np.ascontiguousarray(present),
            rows,
            slots,
            swaps,
            allowed,
            beta,
            running,
            totals,
            used,
            chosen,
        )
    else:
        everywhere = np.broadcast_to(allowed, (replicates, n_annotators))
        for place in range(rows.shape[1]):
            drawn = np.broadcast_to(rows[:, place], replicates)
            there = np.flatnonzero(drawn >= 0)
            unit = drawn[there]
            if len(swaps) and slots[place] >= 0:
                unit = np.where(swaps[there, slots[place]] > 0, unit + known, unit)
            before = totals[there] * running
            best = _best(before[:, None] + counts[unit], (present[unit] & everywhere[there]) > 0, beta)
            looked = best >= 0
            totals[there[looked]] += counts[unit[looked], best[looked]]
            used[there[looked]] += 1
            if want_chosen:
                chosen[there, place] = best
    return Choice(totals, used, chosen)


def _swaps(
    swapping: Swapping | None, n_units: int, rows: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
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


def _check(
    n_units: int,
    n_annotators: int,
    replicates: int,
    rows: NDArray[np.int64],
    allowed: NDArray[np.uint8],
    start: NDArray[np.int64] | None,
) -> None:
    """The kernel reads where it is told to: nothing may lie outside its arrays."""
    if rows.ndim != 2 or (rows.size and (rows.min() < -1 or rows.max() >= n_units)):
        raise ValueError(f"units must be a table of numbers from 0 to {n_units - 1} (or -1)")
    if allowed.ndim != 2 or allowed.shape[1] != n_annotators:
        raise ValueError(f"masks must have {n_annotators} columns, one per annotator")
    for name, size in (("units", len(rows)), ("masks", len(allowed)), ("start", 1 if start is None else len(start))):
        if size not in (1, replicates):
            raise ValueError(f"{name} has {size} rows; expected 1 or {replicates}")


def _best(reached: NDArray[np.int64], looked: NDArray[np.bool_], beta: float) -> NDArray[np.intp]:
    """The best annotator of one unit in each replicate, -1 where none looked; shapes (replicates, annotators, ...)."""
    correct, proposed, gold = np.moveaxis(reached, -1, 0)
    beta2 = beta * beta
    denominator = beta2 * gold + proposed
    f = np.divide((1.0 + beta2) * correct, denominator, out=1.0 * (correct == 0), where=denominator > 0)
    left = looked
    if not looked.shape[1]:
        return np.full(len(looked), -1)
    for key in (f, correct, -denominator):  # ties of one go to the next; those of all to the first annotator
        left = left & (key == np.where(left, key, -np.inf).max(axis=1, keepdims=True))
    return np.where(left.any(axis=1), left.argmax(axis=1), -1)
