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


class ShiftDetector:
    """Collects suspicious lines over the parts of a corpus, in order.

    A line is suspicious when it shares less than half of its words with its own source line, and clearly more with
    a neighbor's. Likeness is the number of shared distinct words over the larger of the two sets.
    """

    def __init__(self) -> None:
        self.lines: list[int] = []
        self._seen = 0
        self._before: list[frozenset[str]] = []
        self._waiting: list[tuple[int, frozenset[str], frozenset[str]]] = []

    def add(self, sources: Sequence[str], hypothesis: Sequence[str]) -> None:
        """Look at the next lines of both sides."""
        words = [frozenset(text.split()) for text in sources]
        start = self._seen
        for at, (source, line, text) in enumerate(zip(words, hypothesis, sources, strict=True)):
            if line == text:
                continue
            said = frozenset(line.split())
            if len(said) >= SHORTEST and _likeness(said, source) < UNLIKE:
                self._waiting.append((start + at, said, source))
        known = self._before + words
        first = start - len(self._before)
        end = start + len(words)
        still: list[tuple[int, frozenset[str], frozenset[str]]] = []
        for number, said, source in self._waiting:
            own = _likeness(said, source)
            low, high = max(first, number - WINDOW), min(end, number + WINDOW + 1)
            best = max(_likeness(said, known[other - first]) for other in range(low, high))
            if best >= ALIKE and best >= own + MARGIN:
                self.lines.append(number + 1)
            elif number + WINDOW >= end:
                still.append((number, said, source))
        self._waiting = still
        self._before = known[-2 * WINDOW :]
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
