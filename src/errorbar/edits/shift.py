"""Finding hypothesis lines that belong to another source line."""

from __future__ import annotations

from collections.abc import Sequence

WINDOW = 3
"""How many lines away a line's own source is looked for."""
UNLIKE = 0.5
ALIKE = 0.6
MARGIN = 0.25
SHORTEST = 4
"""Shorter lines are too easily alike by chance."""
GAP = 2
"""Suspicious lines at most this far apart are reported as one stretch."""


Words = frozenset[str]
Changed = tuple[int, Words, Words]
"""A line whose words are not those of its source: its number, counted from 0; the source's words; its own."""


def changed_lines(sources: Sequence[str], lines: Sequence[str]) -> list[Changed]:
    """The lines that have other words than their source lines; how often, and in what order, does not count."""
    found = []
    for number, (source, line) in enumerate(zip(sources, lines, strict=True)):
        if source != line:
            old, new = frozenset(source.split()), frozenset(line.split())
            if old != new:
                found.append((number, old, new))
    return found


class ShiftDetector:
    """Collects suspicious lines over the parts of a corpus, in order.

    A line is suspicious when it shares less than half of its words with its own source line, and clearly more with
    a neighbor's. Likeness is the number of shared distinct words over the larger of the two sets.
    """

    def __init__(self) -> None:
        self.lines: list[int] = []
        self._seen = 0
        self._before: list[str] = []
        self._waiting: list[Changed] = []

    def add(self, sources: Sequence[str], hypothesis: Sequence[str], changed: Sequence[Changed] | None = None) -> None:
        """Look at the next lines of both sides, of which the changed ones may be known already."""
        start = self._seen
        for at, source, said in changed_lines(sources, hypothesis) if changed is None else changed:
            if len(said) >= SHORTEST and _likeness(said, source) < UNLIKE:
                self._waiting.append((start + at, source, said))
        known = [*self._before, *sources] if self._waiting else sources
        first = start - (len(known) - len(sources))
        end = start + len(sources)
        words: dict[int, Words] = {}  # of the few lines beside a waiting one
        still: list[Changed] = []
        for number, source, said in self._waiting:
            own = _likeness(said, source)
            near = range(max(first, number - WINDOW), min(end, number + WINDOW + 1))
            words |= {other: frozenset(known[other - first].split()) for other in near if other not in words}
            best = max(_likeness(said, words[other]) for other in near)
            if best >= ALIKE and best >= own + MARGIN:
                self.lines.append(number + 1)
            elif number + WINDOW >= end:
                still.append((number, source, said))
        self._waiting = still
        self._before = [*self._before, *sources[-2 * WINDOW :]][-2 * WINDOW :]
        self._seen = end

    def stretches(self) -> list[tuple[int, int]]:
        """First and last line of every suspicious stretch, counted from 1."""
        found: list[tuple[int, int]] = []
        for line in sorted(self.lines):
            if found and line - found[-1][1] <= GAP:
                found[-1] = (found[-1][0], line)
            else:
                found.append((line, line))
        return found


def _likeness(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / max(len(first), len(second), 1)
