"""The agreement of the two CoNLL-2014 annotators, by what becomes of insertions."""

from __future__ import annotations

from collections.abc import Iterator

from errorbar.agreement import pairwise_agreement
from errorbar.core.corpus import Corpus
from errorbar.edits.items import Projection, edit_items

PUBLISHED: tuple[Projection, ...] = ("tokens", "tokens-before")
"""Readings of "identification" that print as the published number."""
OTHERS: tuple[Projection, ...] = ("tokens-after", "tokens-gaps")
OTHER_READING = "the paper does not say what becomes of insertions; this is another reading"


def identification_kappas(corpus: Corpus) -> Iterator[tuple[str, float | None, str]]:
    """Cohen's kappa under each reading, and why it may differ from the published one."""
    for projection in (*PUBLISHED, *OTHERS):
        (pair,) = pairwise_agreement(edit_items(corpus, projection).judgments)
        yield projection, pair.kappa.estimate.value, "" if projection in PUBLISHED else OTHER_READING
