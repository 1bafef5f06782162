"""How often a rule that is looked at after every judgment is ever wrong: many runs at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errorbar.stats import (
    LEAST,
    empirical_bernstein_bounds,
    finite_evidence,
    look_boundaries,
    proportion_bounds,
    running_factor,
    stream,
)
from errorbar.stats.anytime import Boundary, endless_evidence, log_capital

Floats = NDArray[np.float64]
LIMIT = float(np.log(20))
AT_ONCE = 500
JUDGMENTS = 1000
"""Of a win rate."""


def ordered_populations(n: int, size: int, positive: int, runs: int) -> NDArray[np.int64]:
    """Positive items among the first 1 … size of random orders; shape (runs, size)."""
    rng = stream(n, "anytime", size, positive)
    return np.cumsum(rng.random((runs, size)).argsort(axis=1) < positive, axis=1)


def finite_run(size: int, share: float, runs: int) -> dict[str, float]:
    """Prior-posterior ratio from the first judgment, Wald's interval with its correction from the 60th."""
    positive = round(size * share)
    t, S = np.arange(1, size + 1), np.arange(positive + 1)
    table = finite_evidence(np.minimum(S[:, None], t), t, size, positive)
    rate = np.minimum(S[:, None], t) / t
    error = np.sqrt(rate * (1 - rate) / np.maximum(t - 1, 1) * (1 - t / size))
    plain = (np.abs(rate - share) > 1.959964 * error) & (t >= LEAST) & (t < size)
    wrong, naive = 0, 0
    for start in range(0, runs, AT_ONCE):
        found = ordered_populations(start, size, positive, min(AT_ONCE, runs - start))
        wrong += int((table[found, t - 1] >= LIMIT).any(axis=1).sum())
        naive += int(plain[found, t - 1].any(axis=1).sum())
    return {"ever wrong": wrong / runs, "naive": naive / runs}


def betting_run(size: int | None, share: float, runs: int) -> dict[str, float]:
    """Hedged capital on 0 and 1, of a finite population or of independent judgments."""
    wrong = 0
    for start in range(0, runs, AT_ONCE):
        x = (
            np.diff(ordered_populations(start, size, round(size * share), AT_ONCE), axis=1, prepend=0)
            if size
            else streams_of(start, share)
        )
        high, low = log_capital(x, np.full(len(x), share), size=size)
        wrong += int((np.maximum(high, low) >= LIMIT).any(axis=1).sum())
    return {"ever wrong": wrong / runs}


def streams_of(start: int, share: float) -> Floats:
    """Independent judgments; shape (``AT_ONCE``, ``JUDGMENTS``)."""
    return np.asarray(stream(start, "anytime", "stream").random((AT_ONCE, JUDGMENTS)) < share, np.float64)


def win_rate_run(share: float, runs: int) -> dict[str, float]:
    """Every rule on win rates without ties, ``JUDGMENTS`` of them, asymptotic and naive ones from 60 on."""
    t = np.arange(1, JUDGMENTS + 1)
    wrong = dict.fromkeys(("beta", "betting", "empirical Bernstein", "asymptotic", "naive", "every 25th"), 0)
    for start in range(0, runs, AT_ONCE):
        x = streams_of(start, share)
        S = np.cumsum(x, axis=1)
        high, low = log_capital(x, np.full(len(x), share))
        one, two = empirical_bernstein_bounds(x)
        mean = S / t
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(mean * (1 - mean) / t)
            far = np.abs(mean - share) / error
            factor = running_factor(np.maximum(error, 1e-9), 0.05)
        naive = (far > 1.959964) & (t >= LEAST)
        out = {
            "beta": endless_evidence(S, t, share) >= LIMIT,
            "betting": np.maximum(high, low) >= LIMIT,
            "empirical Bernstein": (one > share) | (two < share),
            "asymptotic": (far > factor) & (t >= LEAST),
            "naive": naive,
            "every 25th": naive & (t % 25 == 0),
        }
        for name, each in out.items():
            wrong[name] += int(each.any(axis=1).sum())
    return {name: count / runs for name, count in wrong.items()}


def scores_run(runs: int) -> dict[str, float]:
    """Betting and empirical Bernstein on graded scores, Beta(2, 1), whose mean is 2/3."""
    wrong = dict.fromkeys(("betting", "empirical Bernstein"), 0)
    for start in range(0, runs, AT_ONCE):
        x = stream(start, "anytime", "scores").beta(2, 1, (AT_ONCE, 500))
        high, low = log_capital(x, np.full(len(x), 2 / 3))
        one, two = empirical_bernstein_bounds(x)
        wrong["betting"] += int((np.maximum(high, low) >= LIMIT).any(axis=1).sum())
        wrong["empirical Bernstein"] += int(((one > 2 / 3) | (two < 2 / 3)).any(axis=1).sum())
    return {name: count / runs for name, count in wrong.items()}


def planned_run(runs: int, kind: Boundary = "obrien-fleming") -> dict[str, float]:
    """Five planned looks at a win rate of a half, 200 judgments each."""
    t = np.arange(200, 1001, 200)
    S = stream(5, "planned", kind).binomial(200, 0.5, (runs, 5)).cumsum(axis=1)
    far = np.abs(S - t / 2) / np.sqrt(t / 4)
    return {
        "planned": float((far > look_boundaries(5, kind=kind)).any(axis=1).mean()),
        "naive": float((far > 1.959964).any(axis=1).mean()),
    }


def width_run(share: float, runs: int) -> dict[str, float]:
    """Wilson's interval where one stops as soon as it is as narrow as ± .05, from the 20th judgment on."""
    t, held = np.arange(1, JUDGMENTS + 1), 0
    for start in range(0, runs, AT_ONCE):
        S = np.cumsum(streams_of(start, share), axis=1)
        low, high = proportion_bounds(S, t)
        at = ((high - low <= 0.1) & (t >= 20)).argmax(axis=1)
        rows = np.arange(len(S))
        held += int(((low[rows, at] <= share) & (high[rows, at] >= share)).sum())
    return {"coverage": held / runs}


def decide_run(share: float, runs: int) -> dict[str, float]:
    """Mean judgments until the beta interval leaves out one half, and a fixed number with a power of .8."""
    t, seen = np.arange(1, JUDGMENTS + 1), []
    for start in range(0, runs, AT_ONCE):
        S = np.cumsum(streams_of(start, share), axis=1)
        out = endless_evidence(S, t, 0.5) >= LIMIT
        seen.append(np.where(out.any(axis=1), out.argmax(axis=1) + 1, JUDGMENTS))
    return {"judgments": float(np.concatenate(seen).mean())}
