"""Match hypotheses with references for many sentences, by the kernel or, where there is none, by its twin."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, wrong_count
from errorbar.core.errors import InputError, Place, Problem
from errorbar.edits.encode import EncodedReferences, Flags, Ints, Offsets, encode_references, encode_tokens, fold_case
from errorbar.edits.maxmatch import (
    DEFAULT_RULES,
    MAX_CELLS,
    MAX_STATES,
    Match,
    PairTooLargeError,
    Rules,
    match_all,
    too_large,
)

try:
    from errorbar.edits import _kernel
except ImportError:
    COMPILED = False
else:
    COMPILED = True

SWITCH = "ERRORBAR_KERNEL"  # in the environment: ``off`` makes the readable twins serve where there is a kernel
KERNEL = COMPILED and os.environ.get(SWITCH, "").lower() != "off"


def explain() -> str:
    """Say which implementation is active and why."""
    if KERNEL:
        return "compiled kernel"
    if COMPILED:
        return f"readable twin, because {SWITCH}=off"
    return "readable twin, because no C compiler was found when errorbar was installed (same numbers, slower)"


@dataclass(frozen=True, slots=True)
class Matches:
    """What matched."""

    counts: NDArray[np.int32]  # correct, proposed and reference edits; shape (units, annotators, 3)
    present: Flags  # whether an annotator looked at a unit; shape (units, annotators)
    matched: Flags  # of each reference edit, in the order of ``references``; one unused element at the end
    large: Flags  # units whose pair was too large for the official search order (docs/design/large-lattices.md)
    references: EncodedReferences


class Proposed(NamedTuple):
    """An edit of a hypothesis; ``matched``: whether it is one of the annotator's edits."""

    start: int
    end: int
    replacement: str
    matched: bool


def match_corpus(corpus: Corpus, hypothesis: Sequence[str], rules: Rules = DEFAULT_RULES) -> Matches:
    """Match a system's sentences with every annotator's edits; an ``InputError`` if their numbers differ."""
    lines = _tokens(corpus, hypothesis)
    result = _empty(encode_references(corpus))
    if _by_kernel(rules):
        _run_kernel(corpus, lines, result, rules, None, None)
        return result
    for unit, column, match in _by_twin(corpus, lines, result.present, rules):
        slot = unit * len(corpus.annotators) + column
        first, end = result.references.edit_offsets[slot : slot + 2]
        result.matched[[first + index for index in match.matched]] = 1
        result.counts[unit, column] = len(match.matched), len(match.proposed), end - first
        result.large[unit] = match.large
    return result


def proposed_edits(
    corpus: Corpus, hypothesis: Sequence[str], columns: Sequence[int], rules: Rules = DEFAULT_RULES
) -> list[tuple[Proposed, ...]]:
    """Find the edits whose numbers ``match_corpus`` counts, against one annotator of each sentence.

    ``columns`` has the number of the annotator for each sentence; without one (-1), or where they did not look, there
    are no edits. An edit is matched where it equals a reference edit after those that earlier edits were matched with.
    """
    lines = _tokens(corpus, hypothesis)
    if len(columns) != len(corpus):
        what = f"{len(columns)} annotators for the {len(corpus)} sentences of the source"
        raise InputError(Problem("line-count", what, Place(corpus.name)))
    result = _empty(encode_references(corpus))
    wanted = np.array(columns, np.int64)
    only = np.zeros_like(result.present)
    has = np.flatnonzero(wanted >= 0)
    only[has, wanted[has]] = result.present[has, wanted[has]]
    found: list[list[Proposed]] = [[] for _ in lines]
    if not _by_kernel(rules):
        for unit, _, match in _by_twin(corpus, lines, only, rules):
            pairs = zip(match.proposed, match.hits, strict=True)
            found[unit] = [Proposed(*edit.span, edit.replacements[0], hit) for edit, hit in pairs]
        return [tuple(edits) for edits in found]
    # A path has no more edits than tokens on both sides; what it does not need is never looked at.
    most: Offsets = np.diff(result.references.source.offsets) + np.array([len(line) for line in lines], np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(only.any(axis=1), most, 0))])
    rows: Ints = np.full((int(offsets[-1]) + 1, 5), -1, np.int32)
    _run_kernel(corpus, lines, replace(result, present=only), rules, rows, offsets)
    used = np.flatnonzero(rows[:, 0] >= 0)
    units = (np.searchsorted(offsets, used, side="right") - 1).tolist()
    for unit, (start, end, low, high, matched) in zip(units, rows[used].tolist(), strict=True):
        found[unit].append(Proposed(start, end, " ".join(lines[unit][low:high]), bool(matched)))
    return [tuple(edits) for edits in found]


def _by_kernel(rules: Rules) -> bool:
    return KERNEL if rules.kernel is None else rules.kernel


def _tokens(corpus: Corpus, hypothesis: Sequence[str]) -> list[list[str]]:
    if len(hypothesis) != len(corpus):
        raise InputError(Problem("line-count", wrong_count(len(hypothesis), len(corpus)), Place(corpus.name)))
    return [text.split() for text in hypothesis]


def _empty(references: EncodedReferences) -> Matches:
    """Room for what matches, nothing in it."""
    counts = np.zeros((*references.present.shape, 3), np.int32)
    matched, large = np.zeros(len(references.types) + 1, np.uint8), np.zeros(len(counts), np.uint8)
    return Matches(counts, references.present, matched, large, references)


def _run_kernel(
    corpus: Corpus, lines: list[list[str]], result: Matches, rules: Rules, rows: Ints | None, offsets: Offsets | None
) -> None:
    """Fill in a result, whose ``present`` says whom to match with; ``rows``: proposed edits, shape (edits, 5)."""
    references, alternatives = result.references, result.references.alternatives
    tokens = encode_tokens(lines, references.vocabulary)
    texts = (references.source.ids, references.source.offsets, tokens.ids, tokens.offsets)
    edits = (references.edit_offsets, references.start, references.end, references.alternative_offsets)
    limits = (rules.max_unchanged, rules.arc_limit, MAX_CELLS, MAX_STATES)
    folded = np.zeros(1, np.int64), np.zeros(1, np.int32)
    if rules.ignore_case_space:
        characters = fold_case(references.vocabulary)
        folded = characters.offsets, characters.ids
    given = (*texts, result.present, *edits, alternatives.offsets, alternatives.ids, *limits, *folded)
    filled = (result.counts, result.matched, result.large, rows, offsets)
    failed = _kernel.match_pairs(_kernel.workspace(), *given, *filled)
    if failed >= 0:
        raise _too_large(corpus, failed, len(lines[failed]))


def _by_twin(corpus: Corpus, lines: list[list[str]], present: Flags, rules: Rules) -> Iterator[tuple[int, int, Match]]:
    """Sentence, annotator and what matches, wherever an annotator is present."""
    for unit, (sentence, line) in enumerate(zip(corpus.sentences, lines, strict=True)):
        columns = np.flatnonzero(present[unit]).tolist()
        edits = [sentence.annotations[corpus.annotators[column]] for column in columns]
        try:
            found = match_all(sentence.tokens, line, edits, rules) if columns else []
        except PairTooLargeError:
            raise _too_large(corpus, unit, len(line)) from None
        for column, match in zip(columns, found, strict=True):
            yield unit, column, match


def _too_large(corpus: Corpus, unit: int, length: int) -> InputError:
    sentence = corpus.sentences[unit]
    return too_large(f"sentence {unit + 1}", len(sentence.tokens), length, Place(corpus.name, sentence.line))
