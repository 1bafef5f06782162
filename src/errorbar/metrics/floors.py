"""What a comparison could not have shown is said, so that nobody takes it for a finding."""

from __future__ import annotations

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.metrics.comparison import Comparison
from errorbar.stats.multiple import MOST_GROUPS, NO_LETTERS

MOST_NAMED = 3
FEW = 11
"""So few systems have letters whatever their pairs: 3^(11 / 3) groups, or 57, are the most (Moon & Moser 1965)."""


def warn_hopeless(found: Comparison, alpha: float, problems: Problems, *, unit: str = "document") -> None:
    """Note it when there are too few swaps, or when no difference of a pair, however large, could be significant.

    Args:
        found: The comparison.
        alpha: The level, a fraction.
        problems: Where the notes ``few-swaps``, ``too-many-groups`` and ``few-to-swap`` go.
        unit: What is swapped: ``document`` or ``sentence``.
    """
    ways, needed = found.n_swaps(alpha), found.testing.needed(len(found.names), alpha)
    drawn = [pair for pair in found.pairs if pair.p_adjusted is not None and not pair.test.exact]
    undecided = [pair for pair in found.pairs if pair.undecided(alpha)]
    level = f"the {100 * alpha:.3g}% level"
    if drawn and ways < needed:
        cut = [pair for pair in undecided if not pair.test.exact]
        undecided = [pair for pair in undecided if pair.test.exact]
        what = f"{ways:,} ways to swap are few for {len(found.pairs):,} pairs at {level}"
        if cut:
            what += f": {_which(len(cut), len(found.pairs))} be significant, however large the difference"
        fix = f"take {needed} (--swaps={needed})"
        fix += ", or adjust by max-T (--adjust=max-t)" if found.testing.adjust == "holm" else ""
        problems.note("few-swaps", what, Place(), fix=fix)
    if len(found.names) > FEW and any(row.group == NO_LETTERS for row in found.ranking(alpha)):
        what = f"the pairs of {len(found.names):,} systems make more than {MOST_GROUPS} groups, so there are no letters"
        problems.note("too-many-groups", what, Place(), fix="the pairs themselves are in the output: --pairs")
    if undecided:
        named = "; ".join(f"{pair.first} and {pair.second}" for pair in undecided[:MOST_NAMED])
        named += f"; and {len(undecided) - MOST_NAMED:,} more" if len(undecided) > MOST_NAMED else ""
        what = (
            f"so few {unit}s decide between systems that {_which(len(undecided), len(found.pairs))} be significant at "
            f"{level}, however large the difference: {named}"
        )
        other = "--adjust=" + ("max-t" if found.testing.adjust == "holm" else "holm")
        alone = any((pair.test.smallest or 0) <= alpha for pair in undecided)
        fix = f"more {unit}s decide" + (f"; fewer systems may, or {other}" if alone else "")
        problems.note("few-to-swap", what, Place(), fix=fix)


def _which(several: int, of: int) -> str:
    if several == of:
        return "the only pair could not" if of == 1 else f"none of {of:,} pairs could"
    return f"{several:,} of {of:,} pairs could not"
