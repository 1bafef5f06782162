"""Signs that a submission is not what its team thinks it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.shift import ShiftDetector
from errorbar.metrics.scoring import warn_shifted

LEAST_KEPT = 0.35
"""Share of the source's words below which a submission is for other data. The systems of 2014 keep 0.94 and more;
with other sentences of the same essays a sentence shares 0.15 to 0.22."""
_ENDS = (".", "!", "?")
_FIRST = 5
"""Lines that a message names."""


def look_at(name: str, sources: Sequence[str], lines: Sequence[str], problems: Problems) -> float:
    """Look for other data, shifted and empty lines, text that is not tokenized, and nothing changed at all.

    Args:
        name: What the submission is called in messages.
        sources: The source sentences.
        lines: The submission's, as many.
        problems: Where it is recorded.

    Returns:
        Share of the source's words that stand in the submission's line of the same number.
    """
    kept = kept_share(sources, lines)
    if kept < LEAST_KEPT:
        what = f"only {kept:.0%} of the source's words are kept: this seems to be for other data"
        problems.error("task-other-data", what, Place(name), expected=f"{LEAST_KEPT:.0%} or more", fix="check the file")
        return kept
    empty = [number for number, (a, b) in enumerate(zip(sources, lines, strict=True), 1) if a.strip() and not b.strip()]
    if empty:
        what = f"{_said(empty)} empty, which deletes the whole sentence"
        problems.note("task-empty-lines", what, Place(name, empty[0]), fix="repeat the source where nothing changes")
    glued = [number for number, (a, b) in enumerate(zip(sources, lines, strict=True), 1) if _glued(a, b)]
    if len(glued) > len(lines) / 2:
        what = (
            f"{len(glued)} of {len(lines)} lines end in a word with its full stop: the text seems not to be tokenized"
        )
        problems.note("task-not-tokenized", what, Place(name, glued[0]), fix="put spaces around tokens, as the source")
    if all(a.split() == b.split() for a, b in zip(sources, lines, strict=True)):
        problems.note("task-unchanged", "no sentence is changed", Place(name), fix="send the output, not the source")
    shifts = ShiftDetector()
    shifts.add(sources, lines)
    warn_shifted(name, shifts, problems)
    return kept


def kept_share(sources: Sequence[str], lines: Sequence[str]) -> float:
    """Share of the source's words that stand in the other text's line of the same number; 1 without any word."""
    n_kept = n_words = 0
    for source, line in zip(sources, lines, strict=True):
        words = Counter(source.split())
        n_words += words.total()
        n_kept += (words & Counter(line.split())).total()
    return n_kept / n_words if n_words else 1.0


def _glued(source: str, line: str) -> bool:
    tokens, said = source.split(), line.split()
    return bool(tokens and said) and tokens[-1] in _ENDS and len(said[-1]) > 1 and said[-1].endswith(tokens[-1])


def _said(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_FIRST])) + (", ..." if len(numbers) > _FIRST else "")
    return f"line {shown} is" if len(numbers) == 1 else f"{len(numbers)} lines ({shown}) are"
