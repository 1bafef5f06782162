"""Lines of a text of which something is said: how many there are, and which come first."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST = 5
"""Lines that are named."""


@dataclass(slots=True)
class NamedLines:
    """How many lines, and the numbers of the first ones, counted from 1."""

    n: int = 0
    first: list[int] = field(default_factory=list)

    def note(self, number: int) -> None:
        """Count one."""
        self.n += 1
        if len(self.first) < MOST:
            self.first.append(number)

    def add(self, other: NamedLines, before: int) -> None:
        """Take those of a later piece, which so many lines come before."""
        self.n += other.n
        self.first += [before + number for number in other.first[: MOST - len(self.first)]]

    def __str__(self) -> str:
        return f"{'line' if self.n == 1 else 'lines'} {self._named()}"

    def are(self, what: str) -> str:
        """``line 2 is empty``; ``6 lines (2, 3, 4, 5, 6, ...) are empty``."""
        return f"line {self._named()} is {what}" if self.n == 1 else f"{self.n:,} lines ({self._named()}) are {what}"

    def _named(self) -> str:
        return ", ".join(map(str, self.first)) + (", ..." if self.n > len(self.first) else "")
