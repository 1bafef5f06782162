"""How far a small pilot can be trusted: the plan that it would make for the whole corpus, many times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, repeat
from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

from errorbar.metrics.base import Metric, Opaque
from errorbar.metrics.judge_sets import Judging, make_panel
from errorbar.stats.decision import Components
from errorbar.stats.resampling import stream
from errorbar.stats.two_way import TwoWay
from errorbar.stats.units import cluster_members


@dataclass(frozen=True, slots=True)
class Pilot:
    """What pilots of one size predict of the standard error with all texts and judges."""

    n_texts: int
    n_judges: int
    low: float  # the 10% quantile
    median: float
    high: float  # the 90% quantile
    n_pilots: int  # that could predict anything


def pilots(
    metric: Metric,
    statistics: Opaque,
    whole: Judging,
    clusters: NDArray[np.int64],
    designs: Sequence[tuple[int, int]],
    draws: tuple[int, int],
) -> list[Pilot]:
    """Predictions of pilots of some designs (texts, judges): what is planned from them for the whole.

    ``draws``: how many of a design, from which seed; where there are no more sets of judges, each is taken once.
    """
    members, number = cluster_members(clusters), draws[0]
    found = []
    for n, m in designs:
        rng = stream(draws[1], "pilots", n, m)
        several = n == len(members) and comb(len(whole.judges), m) <= number
        sets = [*combinations(whole.judges, m)] if several else repeat((), number)
        predicted = []
        for drawn in sets:
            judges = drawn or tuple(sorted(rng.choice(whole.judges, m, replace=False).tolist()))
            texts = np.sort(rng.choice(len(members), n, replace=False))
            units = np.concatenate([members[t] for t in texts])
            groups = np.concatenate([np.full(len(members[t]), t) for t in texts])
            panel = make_panel(judges, whole.panel.masks.shape[1], whole.panel.k)
            pilot = Judging(groups, panel, n, judges, (n,) * m, n)
            parts = pilot.values(metric, statistics.take(units)).components(metric.main)
            if isinstance(parts, TwoWay):
                predicted.append(sqrt(Components.of(parts, n).variance(len(members), len(whole.judges))))
        if predicted:
            low, median, high = np.quantile(predicted, [0.1, 0.5, 0.9]).tolist()
            found.append(Pilot(n, m, low, median, high, len(predicted)))
    return found
