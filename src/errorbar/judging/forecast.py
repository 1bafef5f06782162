"""When a study will be complete, if its raters go on as in the last hours.

Formula
    A window of the last w hours (6, or since the first judgment) is cut into 12 slices; c judgments came in it, of
    which s slices have counts with variance v. The rate is c / w, its standard error sqrt(max(c, 12 v)) / w: that of
    independent judgments, or of slices where they come in bursts. With n judgments to go the study ends in n / rate
    hours; its range is that of rate ± t · error, t the 97.5 % quantile of Student's t with 11 degrees of freedom.
Conventions
    Too early: fewer than 20 judgments in the window, or a window of less than 10 minutes. Where the lower end of the
    rate is not above 0, no latest end is known. Raters who stop or join change the rate, which the range does not know.
Source
    Our own: a rate of counts over slices of time, whose variance is estimated from the slices themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WINDOW_HOURS, SLICES = 6.0, 12
FEWEST, SHORTEST_HOURS = 20, 1 / 6
STUDENT = 2.200985
"""97.5 % quantile of t with SLICES - 1 degrees of freedom."""
HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """When a study will be complete; moments in seconds since 1970.

    Attributes:
        to_go: Judgments that are still wanted.
        per_hour: The rate of the last hours; None: nothing to compute one from.
        window_hours: Which hours those are.
        finish: When it will be complete; None: not known.
        earliest: Low end of the range; None where there is no finish.
        latest: High end; None: not known.
        why: Why there is no finish: ``complete``, ``nobody judged yet``, ``too early`` or ``nobody is at work``.
    """

    to_go: int
    per_hour: float | None = None
    window_hours: float = 0.0
    finish: float | None = None
    earliest: float | None = None
    latest: float | None = None
    why: str = ""


def forecast(at: NDArray[np.float64], to_go: int, now: float) -> Forecast:
    """Tell when a study will be complete.

    Args:
        at: When the judgments that count were given.
        to_go: How many more are wanted.
        now: The moment.
    """
    now = float(now)
    if to_go <= 0:
        return Forecast(0, why="complete")
    known = at[~np.isnan(at)]
    if not len(known):
        return Forecast(to_go, why="nobody judged yet")
    start = max(now - WINDOW_HOURS * HOUR, float(known.min()))
    recent, window = known[known >= start], (now - start) / HOUR
    if not len(recent):
        return Forecast(to_go, 0.0, WINDOW_HOURS, why="nobody is at work")
    rate = len(recent) / window if window > 0 else None
    if rate is None or window < SHORTEST_HOURS or len(recent) < FEWEST:
        return Forecast(to_go, rate, window, why="too early")
    spread = float(np.histogram(recent, SLICES, (start, now))[0].var(ddof=1))
    error = max(len(recent), SLICES * spread) ** 0.5 / window
    low, high = rate - STUDENT * error, rate + STUDENT * error
    latest = now + HOUR * to_go / low if low > 0 else None
    return Forecast(to_go, rate, window, now + HOUR * to_go / rate, now + HOUR * to_go / high, latest)
