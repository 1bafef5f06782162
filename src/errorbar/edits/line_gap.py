"""Where lines are missing from a text, or stand in it besides, whose number is not that of its source."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from errorbar.edits.admission import ALIKE, likeness
from errorbar.edits.likeness import Words


def explain_gap(sources: Sequence[str], lines: Sequence[str], n_lines: int) -> str | None:
    """Say where one stretch of lines is missing or too many, if all others fit the source well; None: they do not.

    Args:
        sources: The source lines.
        lines: The text's lines; those beyond the number of source lines may be left out.
        n_lines: How many the text has.

    The stretch is where the likeness of lines and their source lines (shared distinct words over the larger of the two
    sets), summed over all lines, is largest.
    """
    n_off = abs(n_lines - len(sources))
    if not n_off or n_off >= min(n_lines, len(sources)):
        return None
    missing = n_lines < len(sources)
    source_words, said_words = [*map(_words, sources)], [*map(_words, lines)]
    before = _running(said_words, source_words)
    behind = _running(said_words if missing else said_words[n_off:], source_words[n_off:] if missing else source_words)
    n_behind = len(behind) - 1
    sums = [sum_before + behind[-1] - behind[min(at, n_behind)] for at, sum_before in enumerate(before)]
    at = max(range(len(sums)), key=sums.__getitem__)
    if sums[at] < ALIKE * max(at, n_behind):
        return None
    named = f"line {at + 1}" if n_off == 1 else f"lines {at + 1}-{at + n_off}"
    seem, them = ("seems", "it") if n_off == 1 else ("seem", "them")
    if missing:
        return f"{named} of the source {seem} to be missing here; with {them}, the other lines fit"
    return f"{named} {seem} to be too many; without {them}, the other lines fit"


def _words(line: str) -> Words:
    return frozenset(line.split())


def _running(first: Sequence[Words], second: Sequence[Words]) -> list[float]:
    """Sums of the likeness of pairs, from none to all."""
    return [*accumulate((likeness(a, b) for a, b in zip(first, second, strict=False)), initial=0.0)]
