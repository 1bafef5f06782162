"""Whether a text can be a correction of another one: a quick test against files that were mixed up.

Formula
    Of a text with ``LONG`` words or more, the share of neighboring word pairs that stand in the other text too; of a
    shorter one, of which a good correction can leave no pair, the share of its letter triples (within words,
    case ignored, a space at either end of a word). Each counts as often as it stands in both.
Conventions
    A text of fewer than ``SHORT`` words can be corrected into anything, but not into a text many times as long.
    Thresholds were set on real data: docs/design/hoo.md.
Source
    errorbar's own.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from errorbar.edits.standoff import words_of

SHORT, LONG = 4, 40
LEAST_PAIRS = 0.3
"""Unrelated texts of the 2011 data share 0.05 to 0.1 of their word pairs; all gold edits leave 0.75 or more."""
LEAST_TRIPLES = 0.2
"""Of sentences of 4 to 25 words, those of ten annotators keep 0.31 and more; unrelated ones share about 0.13."""
MOST_WORDS, SPARE_WORDS = 3, 10
"""A short text's correction has at most so many times its words, and some to spare."""


def kept_pairs(source: str, target: str) -> float:
    """The share of the source's pairs of neighboring words that also stand in the target; 1 where it has none."""
    pairs, there = Counter(pairwise(words_of(source))), Counter(pairwise(words_of(target)))
    return (pairs & there).total() / pairs.total() if pairs else 1.0


def kept_triples(source: str, target: str) -> float:
    """The share of the source's letter triples that also stand in the target; 1 where it has none."""
    triples, there = _triples(source), _triples(target)
    return (triples & there).total() / triples.total() if triples else 1.0


def why_no_correction(source: str, target: str) -> str:
    """Say why a text cannot be a correction of the source; ``""`` where it can.

    Args:
        source: Source text.
        target: What is said to be a correction of it.
    """
    n_source, n_target = len(words_of(source)), len(words_of(target))
    if n_source >= LONG:
        share = kept_pairs(source, target)
        return f"it keeps {share:.0%} of the source's word pairs" if share < LEAST_PAIRS else ""
    if n_target > MOST_WORDS * n_source + SPARE_WORDS:
        return f"it has {n_target} words, the source {n_source}"
    share = kept_triples(source, target)
    if n_source >= SHORT and share < LEAST_TRIPLES:
        return f"it keeps {share:.0%} of the source's letters in threes"
    return ""


def _triples(text: str) -> Counter[str]:
    words = (f" {word.casefold()} " for word in words_of(text))
    return Counter(word[at : at + 3] for word in words for at in range(len(word) - 2))
