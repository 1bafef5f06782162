"""N-gram models: counting, training by modified Kneser-Ney smoothing, and probabilities of tokens.

Counts are a table for each order, in which every n-gram knows the one that it extends.

Conventions
    A sentence is ``<s> w1 ... wk </s>``: n-grams reach over one ``<s>`` and one ``</s>`` and into no other sentence. A
    sentence without a token is ``<s> </s>``.

A model is a tree of all orders in four arrays, in which n-grams are looked up.

Formula
    log p(w | c) is kept for n-grams c w that the model has. For others it is log b(c) + log p(w | c'), where c' is c
    without its first word, and b(c) is 1 where the model does not have c.
Conventions
    Nodes are numbered order by order; the unigrams have the numbers of their words. The children of a node, its
    extensions by one word, stand together and are sorted by that word. Sums are taken in 64 bits, from the n-gram
    found on to its longer contexts: the compiled twin adds in the same order.
Source
    Backoff as in Katz 1987 and in ARPA files.

Modified Kneser-Ney smoothing gives the probabilities of n-grams, interpolated over all orders.

Formula
    a(g), the adjusted count of an n-gram g, is how often it occurs where it has the highest order or begins with
    ``<s>``, and else in how many different words' company it occurs: the number of different v with v g in the text.
    With n_k, the number of n-grams of an order with a = k, and Y = n_1 / (n_1 + 2 n_2), the discounts of that order
    are D(k) = k - (k + 1) Y n_{k+1} / n_k for k = 1, 2, 3, D(a) = D(3) above, D(0) = 0. With A(c) the sum of a(c w)
    over all words w, and c' for c without its first word,

    p(w | c) = (a(c w) - D(a(c w))) / A(c) + b(c) p(w | c')        b(c) = sum over w of D(a(c w)) / A(c)
Conventions
    Unigrams are interpolated with 1 / |V|, where V is all words with ``</s>`` and ``<unk>`` and without ``<s>``, so
    that ``<unk>`` has a probability; ``<s>`` has the probability 1 and is no part of the sums. The weight b of an
    n-gram that is no context is 1. Where D cannot be had (n_1, n_2 or n_3 is 0), is above k or not above 0, the text
    is refused, unless the fallback .5, 1, 1.5 is asked for; lmplz takes a D of 0 and gives some words the probability
    0. Nothing is pruned unless it is asked for. Then an n-gram that is rarer than asked of its order counts in A and D
    as ever, but all of its a goes to b(c): it has the probability b(c) p(w | c') and is not kept.
Source
    Chen and Goodman 1998, sections 2.7 and 4.1.6, equation 26; special words and the uniform distribution as lmplz
    does it (Heafield et al. 2013), whose figures it gives: tests/detectors/test_lmplz.py.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Flags, Floats
from errorbar.core.kernels import WANTED
from errorbar.core.problems import InputError, Place, Problem, UsageError, wrong_type
from errorbar.detectors.model_file import Model, load_model, save_model

UNK, BOS, EOS = range(3)  # numbers of the words that every vocabulary begins with
SPECIAL = ("<unk>", "<s>", "</s>")
MOST_NODES = (1 << 31) - 1  # n-grams of all orders, and tokens: they are numbered in 32 bits

Integers = NDArray[np.int32]


class _Vocabulary(dict[str, int]):
    """Words to numbers: a new word gets the next one."""

    def __init__(self) -> None:
        super().__init__(zip(SPECIAL, count()))

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class NumberedText:
    """A text in numbers."""

    ids: Integers  # the number of every word, sentence after sentence, each with ``<s>`` before and ``</s>`` after it
    words: tuple[str, ...]  # the words by number, in the order of their first occurrence after ``<unk> <s> </s>``


def number_words(sentences: Iterable[Sequence[str]]) -> NumberedText:
    """Number the words of tokenized sentences.

    Raises:
        UsageError: If a sentence is a text.
        InputError: If a token is ``<s>``, ``</s>`` or ``<unk>``, is empty or has white space in it: no ARPA file could
            hold it; or if there are more than 2,147,483,647 tokens.
    """
    vocabulary = _Vocabulary()
    number = vocabulary.__getitem__
    ids = array("i")
    for at, sentence in enumerate(sentences, 1):
        if isinstance(sentence, str):  # its letters would be the tokens
            raise wrong_type(f"sentence {at}", "a list of tokens", sentence)
        ids.append(BOS)
        start = len(ids)
        ids.extend(map(number, sentence))
        if min(ids[start:], default=len(SPECIAL)) < len(SPECIAL):
            word = next(word for word in sentence if word in SPECIAL)
            message = f"sentence {at} has the token '{word}', which stands for something else in n-gram models"
            raise InputError(Problem("ngrams-word", message, fix="leave it out of the text"))
        ids.append(EOS)
    if len(ids) > MOST_NODES:
        raise InputError(Problem("ngrams-large", f"{len(ids):,} tokens", expected=f"at most {MOST_NODES:,}"))
    bad = next((word for word in vocabulary if word.split() != [word]), None)
    if bad is not None:
        message = f"the token {bad!r} is empty or has white space in it"
        raise InputError(
            Problem("ngrams-word", message, expected="tokens without white space", fix="tokenize the text")
        )
    return NumberedText(np.array(ids, np.int32), tuple(vocabulary))


@dataclass(frozen=True, slots=True)
class Level:
    """The different n-grams of one order, sorted by the n-gram that they extend, then by their last word."""

    word: Integers  # number of the last word of each
    prefix: Integers  # number, one order below, of all but the last word
    suffix: Integers  # number, one order below, of all but the first word
    count: Integers  # how often each occurs


def count_ngrams(text: NumberedText, order: int) -> Iterator[Level]:
    """Count the n-grams of every order from 1 on; unigrams are all words, also ``<unk>``, which does not occur."""
    ids, n_words = text.ids, len(text.words)
    every = np.arange(n_words, dtype=np.int32)
    none = np.zeros(n_words, np.int32)
    yield Level(every, none, none, np.bincount(ids, minlength=n_words).astype(np.int32))
    gram = ids  # number of the n-gram that ends at each token, -1 where a sentence is too short before it
    for _ in range(1, order):
        ends = np.flatnonzero((gram[:-1] >= 0) & (ids[1:] != BOS)) + 1
        keys = gram[ends - 1].astype(np.int64) * n_words + ids[ends]
        by_key = np.argsort(keys)
        keys, ends = keys[by_key], ends[by_key]
        new = np.ones(len(keys), np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=new[1:])
        first = np.flatnonzero(new)
        prefix, word = np.divmod(keys[first], n_words)
        counts = np.diff(first, append=len(keys))
        suffix = gram[ends[first]]
        yield Level(word.astype(np.int32), prefix.astype(np.int32), suffix, counts.astype(np.int32))
        gram = np.full(len(ids), -1, np.int32)
        gram[ends] = np.cumsum(new, dtype=np.int32) - 1


COMPILED = find_spec("errorbar.detectors._ngrams") is not None
KERNEL = COMPILED and WANTED
LEAST_LOG = -999.0  # of a probability or a weight; SRILM writes -99 for none


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """N-grams of the orders 1 to N as nodes of a tree.

    Attributes:
        word: The last word of each node.
        log10_prob: log10 of the probability of that word after the others.
        first: The first child of each node of the orders 1 to N - 1, and a last entry: the children of ``k`` are
            ``first[k]`` to ``first[k + 1] - 1``.
        log10_backoff: log10 of the weight of each node of the orders 1 to N - 1 as a context.
        order: N.
    """

    word: Integers
    log10_prob: NDArray[np.float32]
    first: Integers
    log10_backoff: NDArray[np.float32]
    order: int

    def __post_init__(self) -> None:
        """Refuse by a ValueError what is no tree: the kernel reads where it is told to."""
        types = (np.int32, np.float32, np.int32, np.float32)
        arrays = (self.word, self.log10_prob, self.first, self.log10_backoff)
        fits = all(array.ndim == 1 and array.dtype == type_ for array, type_ in zip(arrays, types, strict=True))
        sizes = len(self.word) == len(self.log10_prob) and len(self.first) == len(self.log10_backoff) + 1
        if not (fits and sizes and self.first[0] > 0 and np.all(np.diff(self.first) >= 0)):
            raise ValueError("the arrays of n-grams do not fit together")
        ends = self.level_ends()
        if len(ends) != self.order or ends[-1] != len(self.word) or [0, *ends][-2] != len(self.log10_backoff):
            raise ValueError(f"the arrays hold no n-grams of {self.order} orders")
        if not all(np.all(np.abs(logs) <= -LEAST_LOG) for logs in (self.log10_prob, self.log10_backoff)):  # nor NaN
            raise ValueError(f"a logarithm that is not {LEAST_LOG:g} to {-LEAST_LOG:g}")

    def level_ends(self) -> list[int]:
        """The ends of the nodes of each order."""
        ends = [int(self.first[0])]
        while len(ends) < self.order and ends[-1] < len(self.first):
            ends.append(int(self.first[ends[-1]]))
        return ends


def score_tokens(tree: Tree, ids: Integers, starts: NDArray[np.bool_], kernel: bool = KERNEL) -> Floats:
    """log10 of the probability of each token after those before it in its run, as far as the model looks back.

    Args:
        tree: The model.
        ids: Numbers of words, run after run.
        starts: True where a run begins: the tokens before it are unknown.
        kernel: True to use the compiled twin.
    """
    ids, starts = np.ascontiguousarray(ids, np.int32), np.ascontiguousarray(starts, np.bool_)
    n_words = int(tree.first[0])  # the first child of the first unigram comes after the last unigram
    if len(ids) != len(starts) or (len(ids) and not 0 <= ids.min() <= ids.max() < n_words):
        raise ValueError(f"ids must be numbers from 0 to {n_words - 1}, with as many starts")
    if kernel:
        from errorbar.detectors._ngrams import score_runs  # noqa: PLC0415 - absent without a compiler

        out = np.empty(len(ids))
        arrays = (tree.word, tree.log10_prob, tree.first, tree.log10_backoff)
        score_runs(*arrays, tree.order, ids, starts.view(np.uint8), out)
        return out
    # Order by order, all tokens at once: the node of the n-gram that ends at each, -1 where the model has none.
    node = ids.astype(np.int64)
    total = tree.log10_prob[node].astype(np.float64)
    for _ in range(1, tree.order):
        context = np.concatenate([[-1], node[:-1]])[: len(ids)]
        context[starts] = -1
        node = children(tree, context, ids)
        backed = (node < 0) & (context >= 0)
        total[backed] += tree.log10_backoff[context[backed]]
        total[node >= 0] = tree.log10_prob[node[node >= 0]]
    return total


def children(tree: Tree, parents: NDArray[np.int64], words: Integers) -> NDArray[np.int64]:
    """The child of each parent by each word: a binary search in every list of children, one step of all at a time."""
    nodes = np.full(len(words), -1, np.int64)
    known = np.flatnonzero(parents >= 0)
    low, end = tree.first[parents[known]].astype(np.int64), tree.first[parents[known] + 1].astype(np.int64)
    high = end.copy()
    while np.any(open_ := low < high):
        middle = (low + high) // 2
        less = np.zeros(len(known), np.bool_)
        less[open_] = tree.word[middle[open_]] < words[known[open_]]
        low = np.where(less, middle + 1, low)
        high = np.where(open_ & ~less, middle, high)
    there = low < end
    there[there] = tree.word[low[there]] == words[known[there]]
    nodes[known[there]] = low[there]
    return nodes


KIND = "ngrams"
LARGEST_ORDER = 9


@dataclass(frozen=True, slots=True, eq=False)
class TokenScores:
    """log10 probabilities of the tokens of sentences, each sentence with its ``</s>``."""

    log10: NDArray[np.float64]  # of each token after those before it, sentence after sentence
    unknown: NDArray[np.bool_]  # true where the model does not have the word
    offsets: NDArray[np.int64]  # sentence k has the entries ``offsets[k]`` to ``offsets[k + 1] - 1``

    def sentences(self) -> NDArray[np.float64]:
        """log10 of the probability of each sentence, the sum over its tokens."""
        return np.add.reduceat(self.log10, self.offsets[:-1]) if len(self.offsets) > 1 else np.empty(0)

    def perplexity(self, *, unknown: bool = True) -> float:
        """10 to the mean of -log10 p, over all tokens or all but unknown words; NaN where there is none."""
        kept = self.log10 if unknown else self.log10[~self.unknown]
        return float(10 ** -kept.mean()) if len(kept) else float("nan")


@dataclass(frozen=True, eq=False)
class NgramModel:
    """An n-gram model with backoff."""

    tree: Tree = field(repr=False)  # the n-grams
    words: tuple[str, ...] = field(repr=False)  # the vocabulary; the first three are ``<unk> <s> </s>``
    made: Mapping[str, Any]  # how it was made: ``order``, ``counts`` of n-grams and ``discounts`` by order
    text: Mapping[str, Any]  # its text: ``tokens``, ``sha256``, ``license``, ``provenance``, as far as known

    @property
    def order(self) -> int:
        """The number of words of the longest n-grams."""
        return self.tree.order

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each word that the model has; a token of a text that looks like ``<s>`` is none."""
        return {word: number for number, word in enumerate(self.words) if number >= len(SPECIAL)}

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Tokens as numbers, 0 for unknown words; a ``UsageError`` for a text, whose letters would be the tokens."""
        if isinstance(tokens, str):
            raise wrong_type("a sentence", "a list of tokens", tokens)
        number = self.number.get
        return [number(token, UNK) for token in tokens]

    def score(self, sentences: Iterable[Sequence[str]]) -> TokenScores:
        """The probability of every token of whole sentences.

        Args:
            sentences: Tokens, sentence by sentence.
        """
        ids: list[int] = []
        lengths = [0]
        for sentence in sentences:
            ids.append(BOS)
            ids += self.encode(sentence)
            ids.append(EOS)
            lengths.append(len(sentence) + 1)
        flat = np.array(ids, np.int32)
        offsets = np.cumsum(lengths)
        begins = np.zeros(len(flat), np.bool_)
        begins[offsets[:-1] + np.arange(len(lengths) - 1)] = True
        log10 = score_tokens(self.tree, flat, begins)[~begins]
        return TokenScores(log10, flat[~begins] == UNK, offsets)

    def model(self) -> Model:
        """The n-grams as a model file."""
        tree = self.tree
        arrays: dict[str, NDArray[Any]] = {
            "words": np.frombuffer("\n".join(self.words).encode("utf-8", "surrogatepass"), np.uint8),
            "word": tree.word,
            "log10_prob": tree.log10_prob,
            "children": np.diff(tree.first),
            "log10_backoff": tree.log10_backoff,
        }
        return Model(KIND, self.made, self.text, arrays)

    def save(self, path: str | Path) -> None:
        """Write the model; an ``InputError`` if the file cannot be written."""
        save_model(self.model(), path)

    @classmethod
    def load(cls, path: str | Path) -> NgramModel:
        """Read a model that ``save`` wrote; an ``InputError`` if there is none, or it is damaged or another's."""
        return cls.stored(load_model(path, KIND), str(path))

    @classmethod
    def stored(cls, model: Model, path: str) -> NgramModel:
        """The model of a model file; an ``InputError`` if its arrays do not fit each other."""
        try:
            words = tuple(model.arrays["words"].tobytes().decode("utf-8", "surrogatepass").split("\n"))
            word, log10_prob, log10_backoff = (model.arrays[name] for name in ("word", "log10_prob", "log10_backoff"))
            if words[: len(SPECIAL)] != SPECIAL:
                raise ValueError(f"its first words are not {' '.join(SPECIAL)}")
            if not 1 <= model.made["order"] <= LARGEST_ORDER:
                raise ValueError(f"its order is not 1 to {LARGEST_ORDER}")
            first = np.cumsum(np.concatenate([[len(words)], model.arrays["children"]]), dtype=np.int32)
            tree = Tree(word, log10_prob, first, log10_backoff, model.made["order"])
        except (LookupError, TypeError, ValueError) as error:
            message = f"no n-gram model that errorbar can read: {error}"
            raise InputError(Problem("model-damaged", message, Place(path), fix="train it again")) from None
        return cls(tree, words, model.made, model.text)


FALLBACK = (0.5, 1.0, 1.5)
_KEPT = 5  # counts of counts: of 0, which is of no use, to 4

Discounts = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class _Weights:
    """The parts of an order: the share of each n-gram's own count, and the weight of each context."""

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
        order: The order of the longest n-grams, 1 to 9.
        fallback: True to take the discounts .5, 1, 1.5 for an order whose own cannot be had.
        least: How often n-grams of two, three and more words must occur to be kept, the last of these all longer ones;
            none: all are.
        text: The model's description of its text: ``sha256``, ``license``, ``provenance``.

    Returns:
        The model, the same for the same sentences.

    Raises:
        InputError: If the text is empty or too small for discounts, or has tokens that no model can hold.
        UsageError: If the order is not 1 to 9, or fewer occurrences are asked of longer n-grams.
    """
    needed = (1, *least[: order - 1], *[(1, *least)[-1]] * (order - 1 - len(least)))
    if not 1 <= order <= LARGEST_ORDER:
        message = f"the order must be from 1 to {LARGEST_ORDER}, got {order}"
        raise UsageError(Problem("bad-parameter", message))
    if min(needed) < 1 or list(needed) != sorted(needed):
        message = f"least must be numbers above 0 of which none is smaller than the one before, got {list(needed[1:])}"
        raise UsageError(Problem("bad-parameter", message))
    numbered = number_words(sentences)
    if len(numbered.ids) == 0:
        raise InputError(Problem("text-empty", "the text has no sentence", fix="give it text to learn from"))
    levels = list(count_ngrams(numbered, order))
    if sum(len(level.word) for level in levels) > MOST_NODES:
        message = f"more than {MOST_NODES:,} different n-grams"
        raise InputError(Problem("ngrams-large", message, fix="take a smaller order or less text"))
    discounts: list[Discounts] = []
    probs: list[NDArray[np.float32]] = []
    backoffs: list[NDArray[np.float32]] = []
    kept = [level.count >= occurrences for level, occurrences in zip(levels, needed, strict=True)]
    kept[0][:] = True
    n_words = len(numbered.words)
    lower = np.full(1, 1 / (n_words - 1))  # the uniform distribution: unigrams are the children of one node
    for n, level in enumerate(levels, 1):
        adjusted = _adjust_counts(level, levels[n] if n < order else None, n)
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
    counts = [int(flags.sum()) for flags in kept]
    about = {"counts": counts, "discounts": discounts, "order": order, "fallback": fallback}
    about |= {"smoothing": "modified Kneser-Ney"} | ({"least": needed[1:]} if max(needed) > 1 else {})
    return NgramModel(_tree(levels, kept, probs, backoffs), numbered.words, about, {"tokens": tokens, **(text or {})})


def _adjust_counts(level: Level, above: Level | None, n: int) -> Integers:
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
    """The parts of an order; all of the counts that are not kept goes to the backoff."""
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
        first, second, third = (float(k - (k + 1) * y * n_with[k + 1] / n_with[k]) for k in (1, 2, 3))
        if all(0 < discount <= k for k, discount in enumerate((first, second, third), 1)):
            return first, second, third
        why = f"they come out as {first:.3f}, {second:.3f} and {third:.3f}, not from 0 to 1, 2 and 3"
    else:
        why = f"no {n}-gram has the adjusted count {missing[0]}"
    if fallback:
        return FALLBACK
    message = f"the text gives no discounts for {n}-grams: {why}"
    fix = "give it more text, without repeated lines, or take a smaller order, or --fallback (discounts .5, 1, 1.5)"
    raise InputError(Problem("ngrams-discounts", message, fix=fix))


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
        np.concatenate([values[own] for values, own in zip(column, kept, strict=True)])
        for column in ([level.word for level in levels], probs)
    )
    backoff = [values[own] for values, own in zip(backoffs, kept[:-1], strict=True)]
    return Tree(word, prob, first, np.concatenate([np.empty(0, np.float32), *backoff]), len(levels))
