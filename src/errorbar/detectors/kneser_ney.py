"""Modified Kneser-Ney smoothing: probabilities of n-grams, interpolated over all orders.

Formula
    a(g), the adjusted count of an n-gram g, is how often it occurs where it has the highest order or begins with
    ``<s>``, and else in how many different words' company it occurs: the number of different v with v g in the text.
    With n_k, the number of n-grams of an order with a = k, and Y = n_1 / (n_1 + 2 n_2), the discounts of that order are
    D(k) = k - (k + 1) Y n_{k+1} / n_k for k = 1, 2, 3, D(a) = D(3) above, D(0) = 0. With A(c) the sum of a(c w) over
    all words w, and c' for c without its first word,

        p(w | c) = (a(c w) - D(a(c w))) / A(c) + b(c) p(w | c')        b(c) = sum over w of D(a(c w)) / A(c)
Conventions
    Unigrams are interpolated with 1 / |V|, where V is all words with ``</s>`` and ``<unk>`` and without ``<s>``, so
    that ``<unk>`` has a probability; ``<s>`` has the probability 1 and is no part of the sums. The weight b of an
    n-gram that is no context is 1. Where D cannot be had (n_1, n_2 or n_3 is 0), is above k or not
    above 0, the text is refused, unless the fallback .5, 1, 1.5 is asked for; lmplz takes a D of 0 and gives some words
    the probability 0. Nothing is pruned unless it is asked for. Then an n-gram that is rarer than asked of its order
    counts in A and D as ever, but all of its a goes to b(c): it has the probability b(c) p(w | c') and is not kept.
Source
    Chen and Goodman 1998, sections 2.7 and 4.1.6, equation 26; special words and the uniform distribution as lmplz does
    it (Heafield et al. 2013), whose figures it gives: tests/oracle/test_lmplz.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Problem, UsageError
from errorbar.detectors.ngram_counts import BOS, MOST_NODES, UNK, Level, count_ngrams, number_words
from errorbar.detectors.ngram_lookup import Tree
from errorbar.detectors.ngram_model import LARGEST_ORDER, NgramModel

FALLBACK = (0.5, 1.0, 1.5)
_KEPT = 5  # counts of counts: of 0, which is of no use, to 4
Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Discounts = tuple[float, float, float]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Weights:
    """What an order adds: the share of each n-gram's own count, and the weight of each context."""

    own: Floats
    backoff: Floats


def train_ngrams(
    sentences: Iterable[Sequence[str]],
    order: int = 4,
    *,
    fallback: bool = False,
    least: Sequence[int] = (),
    text: Mapping[str, object] | None = None,
) -> NgramModel:
    """Train an n-gram model with modified Kneser-Ney smoothing.

    Args:
        sentences: Tokens, sentence by sentence; read once.
        order: Of the longest n-grams, 1 to 9.
        fallback: Whether to take the discounts .5, 1, 1.5 for an order whose own cannot be had.
        least: How often n-grams of two, three and more words must occur to be kept, the last of these all longer ones;
            none: all are.
        text: What the model says of its text: ``sha256``, ``license``, ``provenance``.

    Returns:
        The model, the same for the same sentences.

    Raises:
        InputError: If the text is empty or too small for discounts, or has tokens that no model can hold.
        UsageError: If the order is not 1 to 9, or fewer occurrences are asked of longer n-grams.
    """
    needed = (1, *least[: order - 1], *[(1, *least)[-1]] * (order - 1 - len(least)))
    if not 1 <= order <= LARGEST_ORDER:
        what = f"the order must be from 1 to {LARGEST_ORDER}, got {order}"
        raise UsageError(Problem("bad-parameter", what))
    if min(needed) < 1 or list(needed) != sorted(needed):
        what = f"least must be numbers above 0 of which none is smaller than the one before, got {list(needed[1:])}"
        raise UsageError(Problem("bad-parameter", what))
    numbered = number_words(sentences)
    if len(numbered.ids) == 0:
        raise InputError(Problem("text-empty", "the text has no sentence", fix="give it text to learn from"))
    levels = list(count_ngrams(numbered, order))
    if sum(len(level.word) for level in levels) > MOST_NODES:
        what = f"more than {MOST_NODES:,} different n-grams"
        raise InputError(Problem("ngrams-large", what, fix="take a smaller order or less text"))
    discounts: list[Discounts] = []
    probs: list[NDArray[np.float32]] = []
    backoffs: list[NDArray[np.float32]] = []
    kept = [level.count >= occurrences for level, occurrences in zip(levels, needed, strict=True)]
    kept[0][:] = True
    n_words = len(numbered.words)
    lower = np.full(1, 1 / (n_words - 1))  # the uniform distribution: unigrams are the children of one node
    for n, level in enumerate(levels, 1):
        adjusted = _adjusted(level, levels[n] if n < order else None, n)
        discounts.append(_discounts(np.bincount(np.minimum(adjusted, _KEPT), minlength=_KEPT + 1), n, fallback))
        weights = _weigh(level, adjusted, kept[n - 1], len(lower), discounts[-1])
        prob = weights.own + weights.backoff[level.prefix] * lower[level.suffix]
        if n == 1:
            prob[BOS] = 1
        else:
            backoffs.append(np.log10(weights.backoff).astype(np.float32))
        probs.append(np.minimum(np.log10(prob), 0).astype(np.float32))
        lower = prob
    tokens = int(levels[0].count.sum() - 2 * levels[0].count[BOS])
    counts = [int(each.sum()) for each in kept]
    made = {"counts": counts, "discounts": discounts, "order": order, "fallback": fallback}
    made |= {"smoothing": "modified Kneser-Ney"} | ({"least": needed[1:]} if max(needed) > 1 else {})
    return NgramModel(_tree(levels, kept, probs, backoffs), numbered.words, made, {"tokens": tokens, **(text or {})})


def _adjusted(level: Level, above: Level | None, n: int) -> Integers:
    """The adjusted counts of an order; of unigrams those of ``<s>`` and ``<unk>`` are 0, and no part of any sum."""
    if above is None:
        counts = level.count.copy()
    else:
        counts = np.bincount(above.suffix, minlength=len(level.word)).astype(np.int32)
        # Nothing stands before <s>: those n-grams keep their counts.
        counts = np.where(counts == 0, level.count, counts)
    if n == 1:
        counts[[UNK, BOS]] = 0
    return counts


def _weigh(level: Level, adjusted: Integers, kept: Flags, n_contexts: int, discounts: Discounts) -> _Weights:
    """What an order adds; all of the counts that are not kept goes to the backoff."""
    table = np.array((0.0, *discounts))
    discounted = np.where(kept, table[np.minimum(adjusted, 3)], adjusted)
    total = np.bincount(level.prefix, weights=adjusted, minlength=n_contexts)
    context = total > 0
    total[~context] = 1
    backoff = np.bincount(level.prefix, weights=discounted, minlength=n_contexts) / total
    backoff[~context] = 1
    return _Weights((adjusted - discounted) / total[level.prefix], backoff)


def _discounts(n_with: NDArray[np.int64], n: int, fallback: bool) -> Discounts:
    """D(1), D(2), D(3) of an order of which ``n_with[k]`` n-grams have the adjusted count k."""
    missing = [k for k in (1, 2, 3) if n_with[k] == 0]
    if not missing:
        y = n_with[1] / (n_with[1] + 2 * n_with[2])
        one, two, three = (float(k - (k + 1) * y * n_with[k + 1] / n_with[k]) for k in (1, 2, 3))
        if all(0 < found <= k for k, found in enumerate((one, two, three), 1)):
            return one, two, three
        why = f"they come out as {one:.3f}, {two:.3f} and {three:.3f}, not from 0 to 1, 2 and 3"
    else:
        why = f"no {n}-gram has the adjusted count {missing[0]}"
    if fallback:
        return FALLBACK
    what = f"the text gives no discounts for {n}-grams: {why}"
    fix = "give it more text, without repeated lines, or take a smaller order, or fallback=True (discounts .5, 1, 1.5)"
    raise InputError(Problem("ngrams-discounts", what, fix=fix))


def _tree(
    levels: Sequence[Level],
    kept: Sequence[Flags],
    probs: list[NDArray[np.float32]],
    backoffs: list[NDArray[np.float32]],
) -> Tree:
    """The n-grams that are kept. What extends one that is not is not either: it occurs no more often."""
    children = [
        np.bincount(level.prefix[own], minlength=len(lower.word))[below]
        for (lower, level), (below, own) in zip(pairwise(levels), pairwise(kept), strict=True)
    ]
    first = np.cumsum(np.concatenate([[len(levels[0].word)], *children])).astype(np.int32)
    word, prob = (
        np.concatenate([each[own] for each, own in zip(column, kept, strict=True)])
        for column in ([level.word for level in levels], probs)
    )
    backoff = [each[own] for each, own in zip(backoffs, kept[:-1], strict=True)]
    return Tree(word, prob, first, np.concatenate([np.empty(0, np.float32), *backoff]), len(levels))
