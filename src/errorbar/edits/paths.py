"""The edits that MaxMatch finds in a hypothesis, against one annotator of each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from errorbar.core.corpus import Corpus
from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, Place, Problem
from errorbar.edits.encode import Ints, Offsets, encode_references
from errorbar.edits.kernel import DEFAULT_MAX_UNCHANGED, KERNEL, MAX_ARCS, PairTooLargeError
from errorbar.edits.matching import empty_matches, run_kernel, too_large_pair
from errorbar.edits.reference import reference_edits


class Proposed(NamedTuple):
    """An edit of a hypothesis.

    Attributes:
        start: First source token of the span.
        end: One past the last token; equal to ``start`` for an insertion.
        replacement: Tokens joined by one space; ``""`` deletes the span.
        matched: Whether it is one of the annotator's edits.
    """

    start: int
    end: int
    replacement: str
    matched: bool


def proposed_edits(
    corpus: Corpus,
    hypothesis: Sequence[str],
    columns: Sequence[int],
    *,
    max_unchanged: int = DEFAULT_MAX_UNCHANGED,
    ignore_case_space: bool = False,
    kernel: bool | None = None,
    arc_limit: int = MAX_ARCS,
) -> list[tuple[Proposed, ...]]:
    """Find the edits whose numbers ``match_corpus`` counts.

    Args:
        corpus: Source sentences and annotations.
        hypothesis: One sentence per source sentence.
        columns: Number of the annotator to match with, for each sentence; -1: none, and no edits. So where that
            annotator did not look.
        max_unchanged: How many unchanged words an edit may span.
        ignore_case_space: Drop edits that only change letter case or white space.
        kernel: Use the compiled kernel (True), the twin (False), or the kernel where there is one (None).
        arc_limit: Entries of the arc list beyond which the integer objective takes over (errorbar.edits.large).

    Returns:
        The edits of each sentence, left to right. An edit is matched where it equals a reference edit after those that
        earlier edits were matched with.

    Raises:
        InputError: If the numbers of sentences differ, or a sentence pair is too large.
    """
    if len(hypothesis) != len(corpus) or len(columns) != len(corpus):
        what = f"{len(hypothesis)} sentences and {len(columns)} annotators for the {len(corpus)} of the source"
        raise InputError(Problem("line-count", what, Place(corpus.name)))
    lines = [text.split() for text in hypothesis]
    if KERNEL if kernel is None else kernel:
        return _by_kernel(corpus, lines, columns, max_unchanged, ignore_case_space, arc_limit)
    return _by_twin(corpus, lines, columns, max_unchanged, ignore_case_space, arc_limit)


def _by_kernel(
    corpus: Corpus,
    lines: list[list[str]],
    columns: Sequence[int],
    max_unchanged: int,
    fold: bool,
    arc_limit: int,
) -> list[tuple[Proposed, ...]]:
    references = encode_references(corpus)
    wanted = np.array(columns, np.int64)
    only = np.zeros_like(references.present)
    has = np.flatnonzero(wanted >= 0)
    only[has, wanted[has]] = references.present[has, wanted[has]]
    # A path has no more edits than tokens on both sides; what it does not need is never looked at.
    most: Offsets = np.diff(references.source.offsets) + np.array([len(line) for line in lines], np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(only.any(axis=1), most, 0))])
    rows: Ints = np.full((int(offsets[-1]) + 1, 5), -1, np.int32)
    result = replace(empty_matches(references), present=only)
    run_kernel(corpus, references, lines, result, max_unchanged, fold, arc_limit, rows, offsets)
    used = np.flatnonzero(rows[:, 0] >= 0)
    units = np.searchsorted(offsets, used, side="right") - 1
    found: list[list[Proposed]] = [[] for _ in lines]
    for unit, (start, end, low, high, matched) in zip(units.tolist(), rows[used].tolist(), strict=True):
        found[unit].append(Proposed(start, end, " ".join(lines[unit][low:high]), bool(matched)))
    return [tuple(edits) for edits in found]


def _by_twin(
    corpus: Corpus,
    lines: list[list[str]],
    columns: Sequence[int],
    max_unchanged: int,
    fold: bool,
    arc_limit: int,
) -> list[tuple[Proposed, ...]]:
    from errorbar.edits.maxmatch import match_all  # noqa: PLC0415 - not needed where the kernel serves

    found: list[tuple[Proposed, ...]] = []
    for unit, (sentence, line, column) in enumerate(zip(corpus.sentences, lines, columns, strict=True)):
        edits = sentence.annotations.get(corpus.annotators[column]) if column >= 0 else None
        if edits is None:
            found.append(())
            continue
        try:
            (match,) = match_all(
                sentence.tokens,
                line,
                [edits],
                max_unchanged=max_unchanged,
                ignore_case_space=fold,
                arc_limit=arc_limit,
            )
        except PairTooLargeError:
            raise too_large_pair(corpus, unit, len(line)) from None
        found.append(_flagged(match.proposed, match.matched, edits))
    return found


def _flagged(proposed: Sequence[Edit], matched: Sequence[int], reference: Sequence[Edit]) -> tuple[Proposed, ...]:
    """Which proposed edits equal one of the matched reference edits, both left to right."""
    wanted = reference_edits(reference)
    last = 0
    flagged = []
    for edit in proposed:
        tokens = tuple(edit.replacements[0].split())
        hits = [
            index
            for index in matched
            if index >= last and edit.span == (wanted[index].start, wanted[index].end)
            if tokens in wanted[index].replacements
        ]
        last = hits[-1] + 1 if hits else last
        flagged.append(Proposed(edit.start, edit.end, edit.replacements[0], bool(hits)))
    return tuple(flagged)
