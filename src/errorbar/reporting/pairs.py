"""What is said of pairs of systems, in the same words by ``errorbar compare`` and by a report."""

from __future__ import annotations

from math import ceil, floor, log10

from errorbar.core.estimate import Interval, Undefined
from errorbar.metrics.comparison import Comparison, Pair

DASH = "–"
ADJUSTED = {"max-t": "max-T", "holm": "Holm"}
SIGNIFICANT, NOT_SIGNIFICANT, UNDECIDED, SAME = "significant", "not significant", "undecided", "never differ"
EXACT = " exact"
DIGITS = 4
"""Digits of a p-value that is not very small."""


def p_text(value: float | None, *, at_most: bool = False) -> str:
    """A p-value: ``0.0123``, and never 0; ``≤0.0005``, rounded up, where no more is known; a dash for none."""
    if value is None:
        return DASH
    two = 1 - floor(log10(value)) if value > 0 else DIGITS  # two significant digits
    if at_most:
        return f"≤{ceil(value * 10**two - 1e-9) / 10**two:.{two}f}".rstrip("0").rstrip(".")
    return f"{value:.{max(two, DIGITS) if value < 10**-DIGITS else DIGITS}f}"


def level_text(alpha: float) -> str:
    """``5%``."""
    return f"{100 * alpha:.3g}%"


def result(pair: Pair, alpha: float) -> str:
    """What the test says of a pair, in a word or two."""
    if pair.p_adjusted is None:
        return SAME
    if pair.significant(alpha):
        return SIGNIFICANT
    return UNDECIDED if pair.undecided(alpha) else NOT_SIGNIFICANT


def verdict(pair: Pair, alpha: float, unit: str) -> str:
    """What the test says of a pair, in a sentence without its full stop."""
    better, other = (pair.first, pair.second) if pair.difference >= 0 else (pair.second, pair.first)
    at = f"at the {level_text(alpha)} level"
    said = {
        SIGNIFICANT: f"{better} is significantly better than {other} {at}",
        NOT_SIGNIFICANT: f"{better} is not significantly better than {other} {at}",
        UNDECIDED: f"Whether {better} is better than {other} is undecided: {hopeless(unit)} {at}",
        SAME: f"{better} and {other} never differ",
    }
    return said[result(pair, alpha)]


def hopeless(unit: str) -> str:
    """Why a pair is undecided."""
    return f"with these {unit}s and swaps no difference, however large, could be significant"


def group_legend(found: Comparison, alpha: float) -> list[str]:
    """How to read group letters."""
    how = ADJUSTED[found.testing.adjust]
    lines = [
        f"systems that share a group letter do not differ significantly at the {level_text(alpha)} level "
        f"({how} over all pairs); that does not make them equal"
    ]
    if any(pair.undecided(alpha) for pair in found.pairs):
        lines.append(
            "?: the system has undecided pairs, of which nothing can be said: no difference, however large, could be "
            "significant"
        )
    return lines


def pair_columns(found: Comparison, confidence: float) -> list[str]:
    """Headings of ``pair_texts``."""
    ci, adjusted = f"{100 * confidence:g}% CI", f"p ({ADJUSTED[found.testing.adjust]})"
    return [
        "first",
        "second",
        "F diff",
        ci,
        "p",
        adjusted,
        f"at {level_text(1 - confidence)}",
        "detectable",
        "power at 1",
    ]


PAIR_NOTES = (
    "F diff: F of the first less F of the second, in points",
    "detectable: the difference in points of F that such a corpus shows with 80% power; power at 1: how often it "
    "shows a difference of one point",
)


def pair_texts(pair: Pair, alpha: float) -> list[str]:
    """A row of the table of pairs."""
    interval, power, detectable = pair.interval, pair.power.power, pair.power.detectable
    ends = f"{100 * interval.low:+.2f} to {100 * interval.high:+.2f}" if isinstance(interval, Interval) else DASH
    return [
        pair.first,
        pair.second,
        f"{100 * pair.difference:+.2f}",
        ends,
        p_text(pair.test.p_value, at_most=pair.test.at_floor)
        + EXACT * (pair.test.exact and pair.p_adjusted is not None),
        p_text(pair.p_adjusted, at_most=pair.at_floor),
        result(pair, alpha),
        DASH if detectable is None else f"{100 * detectable:.2f}",
        DASH if power is None else f"{100 * power:.0f}%",
    ]


def why_not(pair: Pair) -> str:
    """Why something of a pair is missing."""
    interval = pair.interval if isinstance(pair.interval, Undefined) else None
    return ", ".join(dict.fromkeys(str(why) for why in (pair.test.undefined, interval, pair.power.undefined) if why))
