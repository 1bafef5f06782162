"""Signs that a submission is not what its team thinks it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission, Look


def look_at(name: str, sources: Sequence[str], lines: Sequence[str], problems: Problems) -> None:
    """Look for other data, shifted and empty lines, text that is not tokenized, and nothing changed at all.

    Args:
        name: What the submission is called in messages.
        sources: The source sentences.
        lines: The submission's, as many.
        problems: Where it is recorded.
    """
    look = Look()
    look.add(sources, lines)
    # Who hands in has no options: a run is what its team sent.
    Admission(advise=False).say(name, look.seen, look.shifts, None, problems)
    if all(a.split() == b.split() for a, b in zip(sources, lines, strict=True)):
        problems.note("task-unchanged", "no sentence is changed", Place(name), fix="send the output, not the source")


def kept_share(sources: Sequence[str], lines: Sequence[str]) -> float:
    """Share of the source's words that stand in the other text's line of the same number; 1 without any word."""
    n_kept = n_words = 0
    for source, line in zip(sources, lines, strict=True):
        words = Counter(source.split())
        n_words += words.total()
        n_kept += (words & Counter(line.split())).total()
    return n_kept / n_words if n_words else 1.0
