"""Match hypotheses with references for many sentences, by the kernel or, where there is none, by its twin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus
from errorbar.core.errors import InputError, Place, Problem
from errorbar.edits.encode import EncodedReferences, Flags, Ints, Offsets, encode_references, encode_tokens, fold_case
from errorbar.edits.kernel import DEFAULT_MAX_UNCHANGED, KERNEL, MAX_ARCS, MAX_CELLS, MAX_STATES, PairTooLargeError

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
    references = encode_references(corpus)
    lines = [text.split() for text in hypothesis]
    if KERNEL if kernel is None else kernel:
        return _by_kernel(corpus, references, lines, max_unchanged, ignore_case_space, arc_limit)
    return _by_twin(corpus, references, lines, max_unchanged, ignore_case_space, arc_limit)


def empty_matches(references: EncodedReferences) -> Matches:
    """Room for what matches, nothing in it."""
    units, annotators = references.present.shape
    return Matches(
        np.zeros((units, annotators, COUNTS), np.int32),
        references.present,
        np.zeros(len(references.types) + 1, np.uint8),
        np.zeros(units, np.uint8),
        references,
    )


def _by_kernel(
    corpus: Corpus,
    references: EncodedReferences,
    lines: list[list[str]],
    max_unchanged: int,
    fold: bool,
    arc_limit: int,
) -> Matches:
    result = empty_matches(references)
    run_kernel(corpus, references, lines, result, max_unchanged, fold, arc_limit)
    return result


def run_kernel(
    corpus: Corpus,
    references: EncodedReferences,
    lines: list[list[str]],
    result: Matches,
    max_unchanged: int,
    fold: bool,
    arc_limit: int,
    rows: Ints | None = None,
    offsets: Offsets | None = None,
) -> None:
    """Run the compiled kernel.

    Args:
        corpus: Source sentences and annotations.
        references: The same, encoded.
        lines: Tokens of the hypothesis of each sentence.
        result: What is filled in; its ``present`` says whom to match with.
        max_unchanged: How many unchanged words an edit may span.
        fold: Drop proposed edits that only change letter case or white space.
        arc_limit: Entries of the arc list beyond which the integer objective takes over.
        rows: Where proposed edits go; shape (edits, 5). None: they are not kept.
        offsets: First row of each sentence, and the end.

    Raises:
        InputError: If a sentence pair is too large.
    """
    from errorbar.edits._kernel import match_pairs, workspace  # noqa: PLC0415 - absent without a compiler

    tokens = encode_tokens(lines, references.vocabulary)
    folded = fold_case(references.vocabulary) if fold else None
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
        max_unchanged,
        arc_limit,
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
        raise too_large_pair(corpus, too_large, len(lines[too_large]))


def _by_twin(
    corpus: Corpus,
    references: EncodedReferences,
    lines: list[list[str]],
    max_unchanged: int,
    fold: bool,
    arc_limit: int,
) -> Matches:
    from errorbar.edits.maxmatch import match_all  # noqa: PLC0415 - not needed where the kernel serves

    result = empty_matches(references)
    n_annotators = len(corpus.annotators)
    for unit, (sentence, line) in enumerate(zip(corpus.sentences, lines, strict=True)):
        columns = [c for c, name in enumerate(corpus.annotators) if name in sentence.annotations]
        edits = [sentence.annotations[corpus.annotators[c]] for c in columns]
        try:
            found = match_all(
                sentence.tokens,
                line,
                edits,
                max_unchanged=max_unchanged,
                ignore_case_space=fold,
                arc_limit=arc_limit,
            )
        except PairTooLargeError:
            raise too_large_pair(corpus, unit, len(line)) from None
        for column, match in zip(columns, found, strict=True):
            first = references.edit_offsets[unit * n_annotators + column]
            result.matched[[first + index for index in match.matched]] = 1
            size = references.edit_offsets[unit * n_annotators + column + 1] - first
            result.counts[unit, column] = len(match.matched), len(match.proposed), size
            result.large[unit] = match.large
    return result


def too_large_pair(corpus: Corpus, unit: int, length: int) -> InputError:
    """The refusal of a sentence that is too long to be compared with its hypothesis.

    Args:
        corpus: Where the sentence is from.
        unit: Its number, counted from 0.
        length: Tokens of the hypothesis.
    """
    sentence = corpus.sentences[unit]
    what = f"sentence {unit + 1} has {len(sentence.tokens)} tokens and its hypothesis {length}: too many to compare"
    expected = f"at most {MAX_CELLS:,} pairs of their tokens; fewer with many annotators or much larger max_unchanged"
    place = Place(corpus.name, sentence.line)
    return InputError(Problem("pair-too-large", what, place, expected, "split the line"))
