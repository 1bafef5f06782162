"""Match hypotheses with references for many sentences, by the kernel or, where there is none, by its twin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, Place, Problem
from errorbar.edits.encode import (
    EncodedReferences,
    Flags,
    Ints,
    Offsets,
    encode_references,
    encode_tokens,
    fold_case,
    reference_edits,
)
from errorbar.edits.kernel import DEFAULT_MAX_UNCHANGED, KERNEL, MAX_ARCS, MAX_CELLS, MAX_STATES, PairTooLargeError

if TYPE_CHECKING:
    from errorbar.edits.maxmatch import Match

COUNTS = 3


@dataclass(frozen=True, slots=True)
class Matches:
    """What matched.

    Attributes:
        counts: Correct, proposed and reference edits; shape (units, annotators, 3).
        present: Whether an annotator looked at a unit; shape (units, annotators).
        matched: Whether each reference edit was matched, in the order of ``references``; one unused element at the end.
        large: Units whose pair was too large for the official search order (docs/design/large-lattices.md).
        references: The encoded corpus.
    """

    counts: NDArray[np.int32]
    present: Flags
    matched: Flags
    large: Flags
    references: EncodedReferences


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


@dataclass(frozen=True, slots=True)
class _Rules:
    """How edits are found: what ``match_corpus`` says of its arguments."""

    max_unchanged: int
    ignore_case_space: bool
    arc_limit: int


def match_corpus(
    corpus: Corpus,
    hypothesis: Sequence[str],
    *,
    max_unchanged: int = DEFAULT_MAX_UNCHANGED,
    ignore_case_space: bool = False,
    kernel: bool | None = None,
    arc_limit: int = MAX_ARCS,
) -> Matches:
    """Match a system's sentences with every annotator's edits.

    Args:
        corpus: Source sentences and annotations.
        hypothesis: One sentence per source sentence.
        max_unchanged: How many unchanged words an edit may span.
        ignore_case_space: Drop proposed edits that only change letter case or white space.
        kernel: Use the compiled kernel (True), the twin (False), or the kernel where there is one (None).
        arc_limit: Entries of the arc list beyond which the integer objective takes over (errorbar.edits.large).

    Raises:
        InputError: If the numbers of sentences differ, or a sentence pair is too large.
    """
    if len(hypothesis) != len(corpus):
        what = f"{len(hypothesis)} sentences in the hypothesis, {len(corpus)} in the source"
        raise InputError(Problem("line-count", what, Place(corpus.name)))
    rules = _Rules(max_unchanged, ignore_case_space, arc_limit)
    result = _empty(encode_references(corpus))
    lines = [text.split() for text in hypothesis]
    if KERNEL if kernel is None else kernel:
        _run_kernel(corpus, lines, result, rules)
        return result
    offsets, n_annotators = result.references.edit_offsets, len(corpus.annotators)
    looked = [[c for c, name in enumerate(corpus.annotators) if name in s.annotations] for s in corpus.sentences]
    for unit, columns, found in _by_twin(corpus, lines, looked.__getitem__, rules):
        for column, match in zip(columns, found, strict=True):
            first, end = offsets[unit * n_annotators + column : unit * n_annotators + column + 2]
            result.matched[[first + index for index in match.matched]] = 1
            result.counts[unit, column] = len(match.matched), len(match.proposed), end - first
            result.large[unit] = match.large
    return result


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
    """Find the edits whose numbers ``match_corpus`` counts, against one annotator of each sentence.

    Args:
        corpus: Source sentences and annotations.
        hypothesis: One sentence per source sentence.
        columns: Number of the annotator to match with, for each sentence; -1: none, and no edits. So where that
            annotator did not look.
        max_unchanged: As for ``match_corpus``, and so are those that follow.
        ignore_case_space: Drop edits that only change letter case or white space.
        kernel: Use the compiled kernel, or the twin.
        arc_limit: Entries of the arc list.

    Returns:
        The edits of each sentence, left to right. An edit is matched where it equals a reference edit after those that
        earlier edits were matched with.

    Raises:
        InputError: If the numbers of sentences differ, or a sentence pair is too large.
    """
    if len(hypothesis) != len(corpus) or len(columns) != len(corpus):
        what = f"{len(hypothesis)} sentences and {len(columns)} annotators for the {len(corpus)} of the source"
        raise InputError(Problem("line-count", what, Place(corpus.name)))
    rules = _Rules(max_unchanged, ignore_case_space, arc_limit)
    lines = [text.split() for text in hypothesis]
    found: list[list[Proposed]] = [[] for _ in lines]
    if KERNEL if kernel is None else kernel:
        units, rows = _proposed_rows(corpus, lines, columns, rules)
        for unit, (start, end, low, high, matched) in zip(units, rows, strict=True):
            found[unit].append(Proposed(start, end, " ".join(lines[unit][low:high]), bool(matched)))
    else:
        names = [corpus.annotators[c] if c >= 0 else None for c in columns]
        looked = [
            [c] if name in s.annotations else [] for c, name, s in zip(columns, names, corpus.sentences, strict=True)
        ]
        for unit, (column,), (match,) in _by_twin(corpus, lines, looked.__getitem__, rules):
            edits = corpus.sentences[unit].annotations[corpus.annotators[column]]
            found[unit] = list(_flagged(match.proposed, match.matched, edits))
    return [tuple(edits) for edits in found]


def _empty(references: EncodedReferences) -> Matches:
    """Room for what matches, nothing in it."""
    units, annotators = references.present.shape
    counts = np.zeros((units, annotators, COUNTS), np.int32)
    matched, large = np.zeros(len(references.types) + 1, np.uint8), np.zeros(units, np.uint8)
    return Matches(counts, references.present, matched, large, references)


def _proposed_rows(
    corpus: Corpus, lines: list[list[str]], columns: Sequence[int], rules: _Rules
) -> tuple[list[int], list[list[int]]]:
    """Number of the sentence of each proposed edit, and what the kernel says of it."""
    references = encode_references(corpus)
    wanted = np.array(columns, np.int64)
    only = np.zeros_like(references.present)
    has = np.flatnonzero(wanted >= 0)
    only[has, wanted[has]] = references.present[has, wanted[has]]
    # A path has no more edits than tokens on both sides; what it does not need is never looked at.
    most: Offsets = np.diff(references.source.offsets) + np.array([len(line) for line in lines], np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(only.any(axis=1), most, 0))])
    rows: Ints = np.full((int(offsets[-1]) + 1, 5), -1, np.int32)
    _run_kernel(corpus, lines, replace(_empty(references), present=only), rules, rows, offsets)
    used = np.flatnonzero(rows[:, 0] >= 0)
    return (np.searchsorted(offsets, used, side="right") - 1).tolist(), rows[used].tolist()


def _run_kernel(
    corpus: Corpus,
    lines: list[list[str]],
    result: Matches,
    rules: _Rules,
    rows: Ints | None = None,
    offsets: Offsets | None = None,
) -> None:
    """Fill in a result, whose ``present`` says whom to match with.

    Args:
        corpus: Source sentences and annotations.
        lines: Tokens of the hypothesis of each sentence.
        result: What is filled in.
        rules: How edits are found.
        rows: Where proposed edits go; shape (edits, 5). None: they are not kept.
        offsets: First row of each sentence, and the end.
    """
    from errorbar.edits._kernel import match_pairs, workspace  # noqa: PLC0415 - absent without a compiler

    references = result.references
    tokens = encode_tokens(lines, references.vocabulary)
    folded = fold_case(references.vocabulary) if rules.ignore_case_space else None
    too_large = match_pairs(
        workspace(),
        references.source.ids,
        references.source.offsets,
        tokens.ids,
        tokens.offsets,
        result.present,
        references.edit_offsets,
        references.start,
        references.end,
        references.alternative_offsets,
        references.alternatives.offsets,
        references.alternatives.ids,
        rules.max_unchanged,
        rules.arc_limit,
        MAX_CELLS,
        MAX_STATES,
        folded.offsets if folded else np.zeros(1, np.int64),
        folded.ids if folded else np.zeros(1, np.int32),
        result.counts,
        result.matched,
        result.large,
        rows,
        offsets,
    )
    if too_large >= 0:
        raise _too_large_pair(corpus, too_large, len(lines[too_large]))


def _by_twin(
    corpus: Corpus, lines: list[list[str]], columns_of: Callable[[int], list[int]], rules: _Rules
) -> Iterator[tuple[int, list[int], list[Match]]]:
    """Each sentence, the annotators to match with, if any, and what matches."""
    from errorbar.edits.maxmatch import match_all  # noqa: PLC0415 - not needed where the kernel serves

    for unit, (sentence, line) in enumerate(zip(corpus.sentences, lines, strict=True)):
        columns = columns_of(unit)
        if not columns:
            continue
        edits = [sentence.annotations[corpus.annotators[column]] for column in columns]
        try:
            found = match_all(
                sentence.tokens,
                line,
                edits,
                max_unchanged=rules.max_unchanged,
                ignore_case_space=rules.ignore_case_space,
                arc_limit=rules.arc_limit,
            )
        except PairTooLargeError:
            raise _too_large_pair(corpus, unit, len(line)) from None
        yield unit, columns, found


def _flagged(proposed: Sequence[Edit], matched: Sequence[int], reference: Sequence[Edit]) -> Iterator[Proposed]:
    """Which proposed edits equal one of the matched reference edits, both left to right."""
    wanted = reference_edits(reference)
    last = 0
    for edit in proposed:
        tokens = tuple(edit.replacements[0].split())
        hits = [
            index
            for index in matched
            if index >= last and edit.span == (wanted[index].start, wanted[index].end)
            if tokens in wanted[index].replacements
        ]
        last = hits[-1] + 1 if hits else last
        yield Proposed(edit.start, edit.end, edit.replacements[0], bool(hits))


def _too_large_pair(corpus: Corpus, unit: int, length: int) -> InputError:
    """The refusal of a sentence that is too long to be compared with its hypothesis of ``length`` tokens."""
    sentence = corpus.sentences[unit]
    what = f"sentence {unit + 1} has {len(sentence.tokens)} tokens and its hypothesis {length}: too many to compare"
    expected = f"at most {MAX_CELLS:,} pairs of their tokens; fewer with many annotators or much larger max_unchanged"
    place = Place(corpus.name, sentence.line)
    return InputError(Problem("pair-too-large", what, place, expected, "split the line"))
