"""LM: a word is extraneous if a language model finds the sentence more probable without it.

Formula
    For the sentence w1 ... wk </s> and the word at i, with p of an n-gram model of order N,

        score = ln p(the sentence without wi) - ln p(the sentence)      label = "error" if score > threshold, else "ok"

    in nats. Only wi and the N - 1 tokens after it have another probability in the two, so the score is exact though
    nothing else is looked at. No length is taken out: the sentence without the word has one factor less.
Conventions
    The threshold is 0: on a tie the word is OK. Scores are kept, so that another threshold can be tried afterwards.
    The words to look at are given, token by token; a word that the model does not know is ``<unk>``, in either
    sentence. Nothing is suggested but leaving the word out: a wrong choice of preposition is found only where it is
    worse than none.
Source
    The LM system of Madnani, Chodorow, Tetreault and Rozovskaya 2011, section 5 (a 4-gram model of the Web 1T corpus
    with SRILM there, the text of the user and modified Kneser-Ney here).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
from errorbar.detectors.ngram_counts import BOS, EOS
from errorbar.detectors.ngram_lookup import score_tokens
from errorbar.detectors.ngram_model import NgramModel
from errorbar.edits.items import ERROR, OK

_AT_ONCE = 1 << 16  # changes whose windows are looked up together
Item = tuple[int, int]  # the sentence and the token in it, from 0
Change = tuple[int, int, int, Sequence[str]]  # the sentence, start and end of a span of tokens, and others for it
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a detector says of an item.

    Attributes:
        label: ``error`` or ``ok``.
        score: How much more probable the sentence is without the word, in nats; the higher, the more an error.
    """

    label: str
    score: float


def detect_extraneous(
    model: NgramModel, sentences: Sequence[Sequence[str]], items: Sequence[Item], *, threshold: float = 0.0
) -> list[Judged]:
    """Judge whether words are extraneous.

    Args:
        model: An n-gram model.
        sentences: Tokens, sentence by sentence.
        items: The words to judge, in any order.
        threshold: In nats; above it a word is an error.

    Returns:
        A judgment for each item, in their order.

    Raises:
        UsageError: If an item is no token of its sentence.
    """
    scores = deletion_scores(model, sentences, items).tolist()
    return [Judged(ERROR if score > threshold else OK, score) for score in scores]


def deletion_scores(model: NgramModel, sentences: Sequence[Sequence[str]], items: Sequence[Item]) -> Floats:
    """How much more probable, in nats, each item's sentence is without it; ``detect_extraneous`` says how."""
    return change_scores(model, sentences, [(number, at, at + 1, ()) for number, at in items])


def change_scores(model: NgramModel, sentences: Sequence[Sequence[str]], changes: Sequence[Change]) -> Floats:
    """How much more probable, in nats, each changed sentence is than as it stands: below 0, it is less probable.

    Args:
        model: An n-gram model.
        sentences: Tokens, sentence by sentence.
        changes: Each by itself: the sentence, the tokens from start to before end, and what stands there instead.

    Raises:
        UsageError: If a sentence does not have these tokens.
    """
    for number, start, end, _ in changes:
        if not (0 <= number < len(sentences) and 0 <= start <= end <= len(sentences[number])):
            span = f"token {start}" if end == start + 1 else f"tokens {start} to {end}"
            what = f"sentence {number} has no {span} (all counted from 0)"
            raise UsageError(Problem("bad-parameter", what, expected="places in the sentences given"))
    parts = [_scores(model, sentences, changes[at : at + _AT_ONCE]) for at in range(0, len(changes), _AT_ONCE)]
    return np.concatenate([np.empty(0), *parts])


def _scores(model: NgramModel, sentences: Sequence[Sequence[str]], changes: Sequence[Change]) -> Floats:
    reach = model.order - 1
    ids: list[int] = []
    lengths: list[int] = []  # of runs: the window of each span that is changed as it stands, then of each change
    counted: list[int] = []  # how many tokens at the end of each run have a probability that differs
    old: list[int] = []  # of each change the run as it stands
    new: list[int] = []  # and changed

    def run_of(before: list[int], inside: list[int], after: list[int]) -> int:
        ids.extend(before)
        ids.extend(inside)
        ids.extend(after)
        lengths.append(len(before) + len(inside) + len(after))
        counted.append(len(inside) + len(after))
        return len(lengths) - 1

    for number, group in groupby(changes, itemgetter(0)):
        sentence = [BOS, *model.encode(sentences[number]), EOS]
        windows: dict[tuple[int, int], tuple[list[int], list[int], int]] = {}
        for _, start, end, tokens in group:
            if (window := windows.get((start, end))) is None:
                before, after = sentence[max(0, start + 1 - reach) : start + 1], sentence[end + 1 : end + 1 + reach]
                window = before, after, run_of(before, sentence[start + 1 : end + 1], after)
                windows[start, end] = window
            old.append(window[2])
            new.append(run_of(window[0], model.encode(tokens), window[1]))
    run = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.diff(run, prepend=-1) > 0
    log10 = score_tokens(model.tree, np.array(ids, np.int32), starts)
    from_end = np.cumsum(lengths)[run] - np.arange(len(ids))
    log10[from_end > np.array(counted)[run]] = 0
    # Each run is added up by itself: what else is asked about moves no last bit, and no tie.
    summed = np.bincount(run, weights=log10, minlength=len(lengths))
    return np.asarray((summed[new] - summed[old]) * log(10), np.float64)
