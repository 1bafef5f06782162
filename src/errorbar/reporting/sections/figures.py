"""Numbers and lists as they are written: the one place where fractions become percent in a report."""

from __future__ import annotations

import re
from collections.abc import Sequence

from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.reporting.model import Shown

DASH = "–"
MOST_NAMED = 5
"""Names in one list of a sentence; more are counted."""
Ends = Interval | Undefined | None


def percent(value: float | None) -> str:
    """A fraction in percent with two digits, or a dash."""
    return DASH if value is None else f"{100 * value:.2f}"


def points(value: float | None) -> float | None:
    """A fraction in percent, for a chart."""
    return None if value is None else 100 * value


def share(value: float | None) -> Shown:
    """A fraction as a cell."""
    return Shown(percent(value), value)


def count(value: int) -> Shown:
    """A number of things as a cell."""
    return Shown(f"{value:,}", value)


def estimate_cell(estimate: Estimate) -> Shown:
    """A value in percent; a star where a convention fills an empty case with something else than 0."""
    star = "*" if estimate.undefined is not None and estimate.value else ""
    return Shown(percent(estimate.value) + star, estimate.value)


def ends_text(ends: Ends) -> str:
    """An interval in percent, or a dash."""
    return f"{100 * ends.low:.2f}–{100 * ends.high:.2f}" if isinstance(ends, Interval) else DASH


def ends_cell(ends: Ends) -> Shown:
    """An interval as a cell, sorted by its lower end."""
    return Shown(ends_text(ends), ends.low if isinstance(ends, Interval) else None)


def plain_ends(ends: Ends, digits: int) -> Shown:
    """An interval that is no percent."""
    if not isinstance(ends, Interval):
        return Shown(DASH)
    return Shown(f"{ends.low:.{digits}f}–{ends.high:.{digits}f}", ends.low)


def plain(value: float | None, digits: int) -> Shown:
    """A value that is no percent."""
    return Shown(DASH if value is None else f"{value:.{digits}f}", value)


def low_high(ends: Ends, factor: float = 100) -> tuple[float | None, float | None]:
    """Both ends for a chart."""
    return (factor * ends.low, factor * ends.high) if isinstance(ends, Interval) else (None, None)


def interval_heading(level: float) -> str:
    """The heading of intervals."""
    return f"{100 * level:g}% CI"


def in_sentence(estimate: Estimate) -> str:
    """``37.33 (95% interval 35.90–38.80)``; no interval where it has none; the reason where it has no value."""
    if estimate.value is None:
        return f"undefined ({estimate.undefined})" if estimate.undefined else "undefined"
    if estimate.interval is None:
        return percent(estimate.value)
    level = estimate.interval.confidence_level
    return f"{percent(estimate.value)} ({100 * level:g}% interval {ends_text(estimate.interval)})"


def f_name(beta: float) -> str:
    """``F0.5``."""
    return f"F{beta:g}"


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """``A``, ``A and B``, ``A, B and C``; of many the first and how many more."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def plural(number: int, one: str, many: str = "") -> str:
    """``1 system``, ``2 systems``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def slug(text: str) -> str:
    """Lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


def reasons(estimates: Sequence[Estimate]) -> list[str]:
    """Notes that explain stars and dashes."""
    starred = dict.fromkeys(str(e.undefined) for e in estimates if e.undefined is not None and e.value)
    missing = dict.fromkeys(str(e.undefined) for e in estimates if e.undefined is not None and e.value is None)
    without = dict.fromkeys(str(e.no_interval) for e in estimates if e.no_interval is not None)
    return [
        *([f"* by convention: {', '.join(starred)}"] if starred else []),
        *([f"– no value: {', '.join(missing)}"] if missing else []),
        *([f"– no interval: {', '.join(without)}"] if without else []),
    ]
