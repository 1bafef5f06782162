"""Which pairs of systems are decided, however often one looked: win rates with intervals that always hold.

Formula
    Of the n comparisons of a pair that were not ties the first system won w. The interval of its win rate and the
    p-value of a rate of one half are those of an endless stream (``stats.anytime_share``): all p with
    (n + 1) Bin(w; n, p) > α, and min(1, (n + 1) Bin(w; n, ½)). The p-values of all pairs are adjusted by Holm's method,
    which needs no assumption about their dependence, and so holds at every look for all pairs together. A pair is
    decided where its adjusted p-value is at most α.
Conventions
    Ties are dropped, as Expected Wins drops them. Comparisons of one pair count as independent: they are of different
    items, but several judges of one sentence are alike. Which pair is judged next may depend on what was seen.
Source
    As ``stats.anytime_share`` and ``stats.multiple``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.rankings import Comparisons
from errorbar.ranking.wins import head_to_head
from errorbar.stats.anytime_share import endless_p_value, endless_share_bounds
from errorbar.stats.multiple import adjust
from errorbar.stats.resampling import ROUNDING


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """Two systems, and whether one is known to be better."""

    first: str
    second: str
    wins: int  # of the first
    losses: int
    ties: int
    share: Estimate  # of wins among wins and losses, with its interval
    p: float  # that both are equally good, adjusted for all pairs: it decides
    p_unadjusted: float  # of this pair alone
    better: str  # empty: open


def decide_pairs(comparisons: Comparisons, *, confidence_level: float = 0.95) -> list[PairVerdict]:
    """A verdict for each pair that was compared, in the order of the systems."""
    pairs = head_to_head(comparisons)
    wins, losses = (np.array([pair[at] for pair in pairs], np.int64) for at in (2, 3))
    decided = wins + losses
    low, high = endless_share_bounds(wins, decided, confidence_level=confidence_level)
    p_unadjusted = endless_p_value(wins, decided)
    p = adjust(p_unadjusted)
    verdicts = []
    for at, (first, second, won, lost, ties) in enumerate(pairs):
        if won + lost:
            interval = Interval(float(low[at]), float(high[at]), confidence_level, "anytime, beta")
            share = Estimate(won / (won + lost), won + lost).with_interval(interval)
        else:
            share = Estimate(None, 0, undefined=Undefined.NO_UNITS).with_interval(Undefined.NO_UNITS)
        clear = p[at] <= 1 - confidence_level + ROUNDING
        better = (first if won > lost else second) if clear else ""
        p_values = float(p[at]), float(p_unadjusted[at])
        verdicts.append(PairVerdict(first, second, won, lost, ties, share, *p_values, better))
    return verdicts
