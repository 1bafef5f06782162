"""How often an address may try what nobody has signed in for, and how often the log is told the same.

Answers of raters are never counted.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from errorbar.judging.web.refusals import RefusalError

MOST_ADDRESSES = 10_000
QUIET = 60.0
"""Seconds for which the log is not told the same again."""
_LOG = logging.getLogger("uvicorn.error")


@dataclass(slots=True)
class RateLimit:
    """A bucket of tries for each address, which fills up again; of one process.

    Attributes:
        most: Tries at once.
        per_second: How many come back.
        clock: Seconds.
    """

    most: int
    per_second: float
    clock: Callable[[], float]
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, address: str) -> None:
        """Count a try.

        Raises:
            RefusalError: If there were too many.
        """
        left, now = self._now(address)
        self._left.pop(address, None)
        self._left[address] = (max(0.0, left - 1), now)
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        _refuse_below_one(left)

    def look(self, address: str) -> None:
        """Refuse as ``take`` does, and count nothing."""
        _refuse_below_one(self._now(address)[0])

    def _now(self, address: str) -> tuple[float, float]:
        now = self.clock()
        left, since = self._left.get(address, (float(self.most), now))
        return min(self.most, left + max(0.0, now - since) * self.per_second), now


@dataclass(slots=True)
class RareWarning:
    """A warning in the server's log: one line, and none for a minute, however often it is true."""

    _until: float = float("-inf")

    def log(self, message: object) -> None:
        """Tell the log, unless it was told a moment ago."""
        now = time.monotonic()
        if now >= self._until:
            self._until = now + QUIET
            _LOG.warning("%s", message)


STORE_FAILS = RareWarning()
"""Of all requests of a process, and of what it does by itself."""


def _refuse_below_one(left: float) -> None:
    if left < 1:
        what = "There were too many tries from your address."
        raise RefusalError(429, "too-many", what, "Wait a minute and try again.")
