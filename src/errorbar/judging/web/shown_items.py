"""Markup of items that raters hold, kept since a page shows each ten times; in so many characters and no more."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from errorbar.judging.exchange import Lease
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.scheme import Scheme
from errorbar.judging.screens import shown_hash

MOST_CHARACTERS = 32_000_000
"""Of all markup together, in each process: 20,000 sentences, or a few texts of a book."""

Shown = tuple[str, str]
"""Hash of what is shown, and its markup."""


class ShownItems:
    """By the random names of assignments; what was asked for longest ago goes first. Of one thread: the loop's."""

    def __init__(self, make: Callable[[Scheme, JudgedItem, bool], str], most: int = MOST_CHARACTERS) -> None:
        self._make = make
        self._most = most
        self._found: OrderedDict[str, Shown] = OrderedDict()
        self.size = 0

    def of(self, scheme: Scheme, lease: Lease) -> Shown:
        """The markup of an item."""
        found = self._found.get(lease.token)
        if found is not None:
            self._found.move_to_end(lease.token)
            return found
        shown = shown_hash(scheme, lease.item, lease.reversed), self._make(scheme, lease.item, lease.reversed)
        self._found[lease.token] = shown
        self.size += len(shown[1])
        while self.size > self._most:  # the newest too, if it alone is too large
            _, (_, markup) = self._found.popitem(last=False)
            self.size -= len(markup)
        return shown
