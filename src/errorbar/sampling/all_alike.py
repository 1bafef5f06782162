"""How many unlike items there may be in strata of which all drawn ones were alike.

Formula
    Of N_h items of stratum h n_h were drawn without replacement, none of them unlike. With M_h unlike ones this has the
    probability Π C(N_h − M_h, n_h) / C(N_h, n_h). The bound is the largest Σ w_h M_h for which it is α/2 at least.
Conventions
    Exact for one stratum. For several, the last item is counted whole, so that the bound is a little on the wide side.
Source
    Inversion of the exact test, as Clopper & Pearson 1934; Wright 1991, Exact confidence bounds when sampling from
    small finite universes.
"""

from __future__ import annotations

from math import log

from errorbar.sampling.frame import Counts, Floats


def unlike_bound(sizes: Counts, n: Counts, weights: Floats, level: float) -> float:
    """The largest weighted sum of unlike items that is not refuted; all arrays have shape (strata,)."""
    left = log(2 / (1 - level))
    strata = [(int(N), int(k), float(w)) for N, k, w in zip(sizes, n, weights, strict=True) if w > 0 and k < N]
    found = sum(w * N for N, k, w in strata if not k)  # nothing is known of these
    open_ = [(N, k, w) for N, k, w in strata if k]
    unlike = [0] * len(open_)
    while True:
        # Of a stratum with M unlike items one more makes its sample (N - M) / (N - M - n) times as unlikely.
        costs = [
            (log((N - M) / (N - M - k)) / w, at)
            for at, ((N, k, w), M) in enumerate(zip(open_, unlike, strict=True))
            if k < N - M
        ]
        if not costs:
            return found
        cost, at = min(costs)
        weight = open_[at][2]
        left -= cost * weight
        if left < 0 and len(open_) == 1:
            return found
        found += weight
        if left < 0:
            return found
        unlike[at] += 1
