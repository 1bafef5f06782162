"""How often an address may try: for what nobody has signed in for. Answers of raters are never counted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from errorbar.judging.web.refusals import RefusalError

MOST_ADDRESSES = 10_000


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


def _refuse_below_one(left: float) -> None:
    if left < 1:
        what = "There were too many tries from your address."
        raise RefusalError(429, "too-many", what, "Wait a minute and try again.")
