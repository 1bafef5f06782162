"""Recall by error type, with intervals over fragments.

Formula
    R = (gold edits of the type that are detected, recognized or corrected) / (gold edits of the type), both summed
    over the fragments.
Conventions
    Counts are pooled whatever the metric's ``aggregate``. A type without gold edits has no recall. Intervals use the
    same resamples of fragments as those of the whole score; a resample without gold edits of the type has no value and
    can only widen the interval, and a type of one fragment has none.
Source
    Dale & Kilgarriff 2011, tables 9 to 21.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.metrics.hoo_score import HooScore, weight_blocks
from errorbar.metrics.hoo_types import row_names, row_of
from errorbar.stats.bootstrap import bootstrap_interval
from errorbar.stats.resampling import Resampling


@dataclass(frozen=True, slots=True)
class TypeRecall:
    """Recall of one error code or row of table 8.

    Attributes:
        type: The code or row.
        counts: Gold, detected, recognized and corrected edits.
        recalls: Of detection, recognition and correction.
    """

    type: str
    counts: tuple[int, ...]
    recalls: tuple[Estimate, ...]


def row_recalls(
    score: HooScore, overrides: Mapping[str, str] | None = None, resampling: Resampling | None = None
) -> list[TypeRecall]:
    """Recall of each row of table 8, in its order.

    Args:
        score: The score.
        overrides: Codes that count in other rows.
        resampling: How to make intervals over fragments; None: none.

    Raises:
        UsageError: If the resampling is no bootstrap.
    """
    names = row_names()
    member = np.array(
        [[row_of(code, overrides) == row for code in score.statistics.types] for row in names], np.int64
    ).reshape(len(names), len(score.statistics.types))
    return _recalls(names, np.einsum("rt,utk->urk", member, score.statistics.by_type), resampling)


def code_recalls(score: HooScore, resampling: Resampling | None = None) -> list[TypeRecall]:
    """As ``row_recalls``, for each error code of the gold edits."""
    return _recalls(score.statistics.types, score.statistics.by_type, resampling)


def _recalls(names: tuple[str, ...], counts: NDArray[np.int64], resampling: Resampling | None) -> list[TypeRecall]:
    """Counts have the shape (units, types, 4)."""
    n_units = len(counts)
    resampled = None if resampling is None or n_units < 2 else _resampled_sums(counts, resampling)
    left_out = counts.sum(axis=0) - counts
    made = []
    for at, name in enumerate(names):
        gold, *found = counts[:, at].sum(axis=0).tolist()
        n_with = int(np.count_nonzero(counts[:, at, 0]))
        recalls = []
        for k, each in enumerate(found, 1):
            if not gold:
                recalls.append(Estimate(None, n_units, undefined=Undefined.NOTHING_IN_REFERENCE))
                continue
            estimate = Estimate(each / gold, n_units)
            if resampling is not None:
                interval: Interval | Undefined = Undefined.ONE_UNIT
                if resampled is not None and n_with > 1 and resampling.method != "closed":
                    interval = bootstrap_interval(
                        each / gold,
                        _shares(resampled[:, at], k),
                        jackknife=_shares(left_out[:, at], k),
                        method=resampling.method,
                        confidence_level=resampling.confidence_level,
                    )
                estimate = estimate.with_interval(interval)
            recalls.append(estimate)
        made.append(TypeRecall(name, (gold, *found), tuple(recalls)))
    return made


def _resampled_sums(counts: NDArray[np.int64], resampling: Resampling) -> NDArray[np.float64]:
    """Sums of the counts over the fragments of each resample; shape (replicates, types, 4)."""
    n_units, n_types, n_columns = counts.shape
    flat = counts.reshape(n_units, n_types * n_columns).astype(np.float64)
    sums = np.concatenate([weights @ flat for weights in weight_blocks(n_units, resampling)])
    return sums.reshape(-1, n_types, n_columns)


def _shares(sums: NDArray[np.float64] | NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Column k over the gold edits; NaN where there are none."""
    shares = np.full(len(sums), np.nan)
    np.divide(sums[:, k], sums[:, 0], out=shares, where=sums[:, 0] > 0)
    return shares
