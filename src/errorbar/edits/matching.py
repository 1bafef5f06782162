"""Match hypotheses with references for many sentences, by the kernel or, where there is none, by its twin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, wrong_count
from errorbar.core.edit import Edit, are_edits, span_error
from errorbar.core.kernels import SWITCH, WANTED
from errorbar.core.problems import InputError, Place, Problem
from errorbar.edits.maxmatch import (
    DEFAULT_RULES,
    MAX_CELLS,
    MAX_STATES,
    Match,
    MatchRules,
    PairTooLargeError,
    match_all,
    replacement_tokens,
    too_large,
)

try:
    from errorbar.edits import _kernel
    from errorbar.edits._encode import list_columns, number_tokens
except ImportError:
    COMPILED = False
else:
    COMPILED = True

KERNEL = COMPILED and WANTED


def explain() -> str:
    """Say which implementation is active and why."""
    if KERNEL:
        return "compiled kernel"
    if COMPILED:
        return f"readable twin, because {SWITCH}=off"
    return "readable twin, because no C compiler was found when errorbar was installed (same numbers, slower)"


# Reference edits and sentences as arrays, for the kernel.


Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]
Flags = NDArray[np.uint8]


class Vocabulary(dict[str, int]):
    """Token to number, growing as tokens are looked up; several threads may share one."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def __missing__(self, token: str) -> int:
        with self._lock:  # two threads must not give one number to two tokens
            return self.setdefault(token, len(self))


class TokenArrays(NamedTuple):
    """Token sequences end to end."""

    ids: Ints  # token numbers of all sequences; one unused element at the end, so that it is never empty
    offsets: Offsets  # where each sequence starts, and where the last one ends; shape (sequences + 1,)


class EncodedReferences(NamedTuple):
    """A corpus as arrays; ``slot = unit * n_annotators + annotator``."""

    vocabulary: Vocabulary  # shared with the hypotheses
    source: TokenArrays
    present: Flags  # whether an annotator looked at a unit; shape (units, annotators)
    edit_offsets: Offsets  # edits of each slot; shape (units * annotators + 1,)
    start: Ints
    end: Ints
    alternative_offsets: Offsets  # alternatives of each edit; shape (edits + 1,)
    alternatives: TokenArrays
    types: Ints  # numbers of ``type_names``
    type_names: tuple[str, ...]
    cells: Offsets  # ``slot * types + type`` where there are edits, ascending
    cell_of: Offsets  # number of the cell of each edit; shape (edits,)


def encode_lines(lines: Sequence[str], vocabulary: Vocabulary) -> TokenArrays:
    """Number the tokens of many lines."""
    if KERNEL:
        return TokenArrays(*number_tokens(list(lines), vocabulary, None))
    return _encode_tokens([line.split() for line in lines], vocabulary)


def _encode_corrections(texts: list[str], vocabulary: Vocabulary) -> TokenArrays:
    if KERNEL:
        return TokenArrays(*number_tokens(texts, vocabulary, " "))
    return _encode_tokens([*map(replacement_tokens, texts)], vocabulary)


def _encode_tokens(sequences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> TokenArrays:
    offsets = _offsets([*map(len, sequences)])
    ids = np.zeros(int(offsets[-1]) + 1, np.int32)
    ids[:-1] = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(sequences)), np.int32, int(offsets[-1]))
    return TokenArrays(ids, offsets)


def encode_references(corpus: Corpus) -> EncodedReferences:
    """Encode a corpus, once; later calls return the same arrays, unless the corpus was edited in between.

    A span outside its sentence is an ``InputError``: the kernel must never look there.
    """
    return corpus.once("references", lambda: _encode(corpus))


def _encode(corpus: Corpus) -> EncodedReferences:
    annotators, vocabulary, types = corpus.annotators, Vocabulary(), Vocabulary()
    annotations = [sentence.annotations.get(name) for sentence in corpus.sentences for name in annotators]
    sizes = [len(edits or ()) for edits in annotations]
    edits: list[Edit] = [*chain.from_iterable(filter(None, annotations))]
    columns = list_columns(edits, types) if KERNEL else None
    start, end, kinds, n_alternatives, alternatives = columns or _list_columns(corpus, edits, types)
    source = encode_lines([sentence.text for sentence in corpus.sentences], vocabulary)
    slots = np.repeat(np.arange(len(sizes)), sizes)
    _check_spans(corpus, start[:-1], end[:-1], slots, np.diff(source.offsets))
    cells, cell_of = np.unique(slots * len(types) + kinds, return_inverse=True)
    return EncodedReferences(
        vocabulary,
        source,
        np.array([edits is not None for edits in annotations], np.uint8).reshape(len(corpus), len(annotators)),
        _offsets(sizes),
        start,
        end,
        _offsets(n_alternatives),
        _encode_corrections(alternatives, vocabulary),
        kinds,
        tuple(types),
        cells,
        cell_of,
    )


def _list_columns(
    corpus: Corpus, edits: Sequence[Edit], types: Vocabulary
) -> tuple[Ints, Ints, Ints, Offsets, list[str]]:
    if not are_edits(edits):
        corpus.check()
    starts, ends, replacements, names, *_ = map(list, zip(*edits, strict=True)) if edits else ([], [], [], [])
    kinds = np.fromiter(map(types.__getitem__, names), np.int32, len(edits))
    n_alternatives = np.fromiter(map(len, replacements), np.int64, len(edits))
    return _never_empty(starts), _never_empty(ends), kinds, n_alternatives, [*chain.from_iterable(replacements)]


def _check_spans(corpus: Corpus, start: Ints, end: Ints, slots: Offsets, n_tokens: Offsets) -> None:
    units = slots // max(len(corpus.annotators), 1)
    lengths = n_tokens[units]
    wrong = np.flatnonzero((start < 0) | (end < start) | (end > lengths))
    if wrong.size:
        first = int(wrong[0])
        place = Place(corpus.name, corpus.sentences[units[first]].line)
        raise span_error(int(start[first]), int(end[first]), int(lengths[first]), place)


def fold_case(vocabulary: Vocabulary) -> TokenArrays:
    """The characters of every token in lower case, one by one as in the official scorer: a final sigma is a sigma."""
    folded = ["".join([character.lower() for character in token]) for token in vocabulary]
    offsets = _offsets([len(token) for token in folded])
    return TokenArrays(_never_empty([ord(character) for token in folded for character in token]), offsets)


def _offsets(lengths: NDArray[np.int64] | list[int]) -> Offsets:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


_LARGEST = int(np.iinfo(np.int32).max)


def _never_empty(numbers: list[int]) -> Ints:
    numbers.append(0)
    try:
        return np.array(numbers, np.int32)
    except OverflowError:  # no sentence is so long: whoever checks spans refuses the largest number, too
        return np.array([max(-1, min(number, _LARGEST)) for number in numbers], np.int32)


class Matches(NamedTuple):
    """The edits that matched."""

    counts: NDArray[np.int32]  # correct, proposed and reference edits; shape (units, annotators, 3)
    present: Flags  # whether an annotator looked at a unit; shape (units, annotators)
    matched: Flags  # of each reference edit, in the order of ``references``; one unused element at the end
    large: Flags  # units whose pair was too large for the official search order (docs/design/large-lattices.md)
    references: EncodedReferences


class ProposedEdit(NamedTuple):
    """An edit of a hypothesis; ``matched``: whether it is one of the annotator's edits."""

    start: int
    end: int
    replacement: str
    matched: bool


def match_corpus(corpus: Corpus, hypothesis: Sequence[str], rules: MatchRules = DEFAULT_RULES) -> Matches:
    """Match a system's sentences with every annotator's edits; an ``InputError`` if their numbers differ."""
    _check_count(corpus, hypothesis)
    result = _empty(encode_references(corpus))
    if _by_kernel(rules):
        _run_kernel(corpus, encode_lines(hypothesis, result.references.vocabulary), result, rules, None, None)
        return result
    for unit, column, match in _by_twin(corpus, hypothesis, result.present, rules):
        slot = unit * len(corpus.annotators) + column
        first, end = result.references.edit_offsets[slot : slot + 2]
        result.matched[[first + index for index in match.matched]] = 1
        result.counts[unit, column] = len(match.matched), len(match.proposed), end - first
        result.large[unit] = match.large
    return result


def proposed_edits(
    corpus: Corpus, hypothesis: Sequence[str], columns: Sequence[int], rules: MatchRules = DEFAULT_RULES
) -> list[tuple[ProposedEdit, ...]]:
    """Find the edits whose numbers ``match_corpus`` counts, against one annotator of each sentence.

    ``columns`` has the number of the annotator for each sentence; without one (-1), or where they did not look, there
    are no edits. An edit is matched where it equals a reference edit after those that earlier edits were matched with.
    """
    _check_count(corpus, hypothesis)
    if len(columns) != len(corpus):
        message = f"{len(columns)} annotators for the {len(corpus)} sentences of the source"
        raise InputError(Problem("line-count", message, Place(corpus.name)))
    result = _empty(encode_references(corpus))
    wanted = np.array(columns, np.int64)
    only = np.zeros_like(result.present)
    has = np.flatnonzero(wanted >= 0)
    only[has, wanted[has]] = result.present[has, wanted[has]]
    proposed: list[list[ProposedEdit]] = [[] for _ in hypothesis]
    if not _by_kernel(rules):
        for unit, _, match in _by_twin(corpus, hypothesis, only, rules):
            pairs = zip(match.proposed, match.hits, strict=True)
            proposed[unit] = [ProposedEdit(*edit.span, edit.replacements[0], hit) for edit, hit in pairs]
        return [tuple(edits) for edits in proposed]
    # A path has no more edits than tokens on both sides; what it does not need is never looked at.
    tokens = encode_lines(hypothesis, result.references.vocabulary)
    most: Offsets = np.diff(result.references.source.offsets) + np.diff(tokens.offsets)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(only.any(axis=1), most, 0))])
    rows: Ints = np.full((int(offsets[-1]) + 1, 5), -1, np.int32)
    _run_kernel(corpus, tokens, result._replace(present=only), rules, rows, offsets)
    used = np.flatnonzero(rows[:, 0] >= 0)
    units = (np.searchsorted(offsets, used, side="right") - 1).tolist()
    for unit, edits in groupby(zip(units, rows[used].tolist(), strict=True), key=itemgetter(0)):
        words = hypothesis[unit].split()
        for _, (start, end, low, high, matched) in edits:
            proposed[unit].append(ProposedEdit(start, end, " ".join(words[low:high]), bool(matched)))
    return [tuple(edits) for edits in proposed]


def _by_kernel(rules: MatchRules) -> bool:
    return KERNEL if rules.kernel is None else rules.kernel


def _check_count(corpus: Corpus, hypothesis: Sequence[str]) -> None:
    if len(hypothesis) != len(corpus):
        raise InputError(Problem("line-count", wrong_count(len(hypothesis), len(corpus)), Place(corpus.name)))


def _empty(references: EncodedReferences) -> Matches:
    """Room for what matches, nothing in it."""
    counts = np.zeros((*references.present.shape, 3), np.int32)
    matched, large = np.zeros(len(references.types) + 1, np.uint8), np.zeros(len(counts), np.uint8)
    return Matches(counts, references.present, matched, large, references)


def _run_kernel(
    corpus: Corpus,
    tokens: TokenArrays,
    result: Matches,
    rules: MatchRules,
    rows: Ints | None,
    offsets: Offsets | None,
) -> None:
    """Fill in a result, whose ``present`` says whom to match with; ``rows``: proposed edits, shape (edits, 5)."""
    references, alternatives = result.references, result.references.alternatives
    texts = (references.source.ids, references.source.offsets, tokens.ids, tokens.offsets)
    edits = (references.edit_offsets, references.start, references.end, references.alternative_offsets)
    limits = (rules.max_unchanged, rules.arc_limit, MAX_CELLS, MAX_STATES)
    folded = np.zeros(1, np.int64), np.zeros(1, np.int32)
    if rules.ignore_case_space:
        characters = fold_case(references.vocabulary)
        folded = characters.offsets, characters.ids
    arguments = (*texts, result.present, *edits, alternatives.offsets, alternatives.ids, *limits, *folded)
    filled = (result.counts, result.matched, result.large, rows, offsets)
    failed = _kernel.match_pairs(_kernel.workspace(), *arguments, *filled)
    if failed >= 0:
        raise _too_large(corpus, failed, int(tokens.offsets[failed + 1] - tokens.offsets[failed]))


def _by_twin(
    corpus: Corpus, hypothesis: Sequence[str], present: Flags, rules: MatchRules
) -> Iterator[tuple[int, int, Match]]:
    """Sentence, annotator and what matches, wherever an annotator is present."""
    for unit, (sentence, text) in enumerate(zip(corpus.sentences, hypothesis, strict=True)):
        line = text.split()
        columns = np.flatnonzero(present[unit]).tolist()
        edits = [sentence.annotations[corpus.annotators[column]] for column in columns]
        try:
            matches = match_all(sentence.tokens, line, edits, rules) if columns else []
        except PairTooLargeError:
            raise _too_large(corpus, unit, len(line)) from None
        for column, match in zip(columns, matches, strict=True):
            yield unit, column, match


def _too_large(corpus: Corpus, unit: int, length: int) -> InputError:
    sentence = corpus.sentences[unit]
    return too_large(f"sentence {unit + 1}", len(sentence.tokens), length, Place(corpus.name, sentence.line))
