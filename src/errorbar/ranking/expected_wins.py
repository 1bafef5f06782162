"""Expected Wins: how often a system beats another one, averaged over the others.

Formula
    EW_i = mean over j of w_ij / (w_ij + w_ji), w_ij how often i was found better than j; with ties as half a win for
    each, mean over j of (w_ij + t_ij/2) / (w_ij + w_ji + t_ij).
Conventions
    The mean is over the systems that i was compared with (and, where ties are ignored, compared with a decision); the
    WMT's scripts count a pair that never met as lost by both. A system that met nobody has no value (NaN).
Source
    Bojar et al. 2013, Findings of the WMT, section 3 (ties ignored: "Expected Wins"); Koehn 2012, Simulating human
    judgment in machine translation evaluation campaigns, IWSLT.
"""

from __future__ import annotations

import numpy as np

from errorbar.ranking.counts import Counts, Floats


def expected_wins(counts: Counts, *, half_ties: bool = False) -> Floats:
    """Expected Wins of every system.

    Args:
        counts: Wins and ties; shape (..., systems, systems).
        half_ties: A tie is half a win for each; else ties are left out.

    Returns:
        Shape (..., systems); NaN where undefined.
    """
    won = counts.wins + (counts.ties / 2 if half_ties else 0.0)
    met = won + np.swapaxes(won, -1, -2)
    share = np.divide(won, met, out=np.zeros_like(won), where=met > 0)
    n_met = np.count_nonzero(met > 0, axis=-1)
    wins: Floats = np.divide(share.sum(axis=-1), n_met, out=np.full(n_met.shape, np.nan), where=n_met > 0)
    return wins
