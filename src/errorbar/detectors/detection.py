"""Detectors of prepositions: by a selector's suggestions, and by a language model without or with another word.

Formula
    The margin of a preposition in its context is the best score of the others less the score of the one written. It
    is an error if the margin is at least the threshold.
Conventions
    Scores are the selector's: for ``me`` and ``majority`` natural logarithms of probabilities, so that a margin is in
    nats (a threshold of 4: the other is e^4 = 55 times as probable); for ``perc`` sums of averaged weights. The
    threshold is above 0 in use; margins below 0 (the written one is the best) are kept for sweeping. The mark of an
    infinitive (``prepositions.is_infinitive``) is no preposition: its margin is minus infinity. One that a rule for
    extraneous use leaves out (``me-paper`` alone) has a margin of infinity.
Source
    Tetreault and Chodorow (2008), who compare probabilities by their difference; a ratio keeps thresholds apart where
    both are small.

``detect_extraneous``: a word is extraneous if a language model finds the sentence more probable without it.

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

``LmChoice``: a language model scores each preposition in the place of the one written.

Formula
    The score of a preposition is the natural logarithm of the probability of the words from it to N - 1 words after
    it (or the sentence's end), it being there; N is the model's order. The differences between prepositions are
    those of whole sentences.
Conventions
    The preposition stands there in lower case, the other words as written.
Source
    Gamon et al. (2008) let a language model of words judge prepositions that a classifier suggests; here it is a
    detector of its own beside PERC and ME.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.core.problems import Problem, UsageError
from errorbar.detectors.learning import PREPOSITIONS, Classes, Sentences
from errorbar.detectors.ngrams import BOS, EOS, NgramModel, score_tokens
from errorbar.detectors.prepositions import Contexts, find_extraneous, find_prepositions, is_infinitive
from errorbar.detectors.selectors import PAPER, Classifier, Selector
from errorbar.detectors.tagger import TaggedText, Tagger
from errorbar.edits.items import ERROR, OK


@dataclass(frozen=True, slots=True, eq=False)
class PrepositionMargins:
    """Every preposition of a text, in order; all columns are parallel."""

    sentence: Ints  # number of its sentence, from 0
    token: Ints  # number of its token in the sentence, from 0
    written: Classes  # the preposition, an index into ``PREPOSITIONS``
    suggested: Classes  # the best other one
    margin: Floats  # score of ``suggested`` less that of ``written``

    def __len__(self) -> int:
        """The number of prepositions."""
        return len(self.token)

    def items(self) -> list[str]:
        """Their names, as ``edit_items`` names words: ``sentence:start-end``, sentences from 1."""
        return item_names(self.sentence, self.token)

    def flags(self, threshold: float) -> NDArray[np.bool_]:
        """Flag the errors: margins of at least the threshold."""
        return self.margin >= threshold

    def labels(self, threshold: float) -> list[str]:
        """The label of each one: ``error`` or ``ok``."""
        return [ERROR if flag else OK for flag in self.flags(threshold).tolist()]

    def suggestions(self) -> list[str]:
        """The text to write instead of each one; empty: leave it out."""
        extraneous = np.isposinf(self.margin).tolist()
        return ["" if out else PREPOSITIONS[number] for number, out in zip(self.suggested, extraneous, strict=True)]


def item_names(sentence: Ints, token: Ints) -> list[str]:
    """The names that ``edit_items`` gives tokens of sentences, both counted from 0."""
    return [f"{s + 1}:{t}-{t + 1}" for s, t in zip(sentence.tolist(), token.tolist(), strict=True)]


def detect_prepositions(selector: Selector, sentences: Sentences) -> PrepositionMargins:
    """Judge every preposition of tokenized sentences; a text without one gives none."""
    parts = []
    for block in find_prepositions(selector.tagger, sentences, every=True):
        written = block.contexts.written
        suggested, margin = find_margins(selector.scores(block.text, block.contexts), written)
        if isinstance(selector, Classifier) and selector.kind == PAPER:
            margin[find_extraneous(block.text, block.contexts)] = np.inf
        margin[is_infinitive(block)] = -np.inf
        parts.append((block.sentence, block.token, written, suggested, margin))
    return PrepositionMargins(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def find_margins(scores: Floats, written: Classes) -> tuple[Classes, Floats]:
    """The best preposition other than the written one, and by how much its score is higher (lower: below 0)."""
    every = np.arange(len(scores))
    own = scores[every, written]
    others = scores.copy()
    others[every, written] = -np.inf
    best = others.argmax(axis=1)
    return best.astype(np.int8), others[every, best] - own


_AT_ONCE = 1 << 16  # changes whose windows are looked up together
Item = tuple[int, int]  # the sentence and the token in it, from 0
Change = tuple[int, int, int, Sequence[str]]  # the sentence, start and end of a span of tokens, and others for it


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The judgment of a detector on an item."""

    label: str  # ``error`` or ``ok``
    score: float  # how much more probable the sentence is without the word, in nats; the higher, the more an error


def detect_extraneous(
    model: NgramModel, sentences: Sequence[Sequence[str]], items: Sequence[Item], *, threshold: float = 0.0
) -> list[ItemScore]:
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
    return [ItemScore(ERROR if score > threshold else OK, score) for score in scores]


def deletion_scores(model: NgramModel, sentences: Sequence[Sequence[str]], items: Sequence[Item]) -> Floats:
    """The score of each item in nats, as in ``detect_extraneous``: the gain of its sentence without it."""
    return change_scores(model, sentences, [(number, at, at + 1, ()) for number, at in items])


def change_scores(model: NgramModel, sentences: Sequence[Sequence[str]], changes: Sequence[Change]) -> Floats:
    """The gain of each change in nats: ln p of the changed sentence less ln p of the sentence as it stands.

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
            message = f"sentence {number} has no {span} (all counted from 0)"
            raise UsageError(Problem("bad-parameter", message, expected="places in the sentences given"))
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


_CONTEXTS_AT_ONCE = 4_096  # contexts looked up together


@dataclass(frozen=True, slots=True, eq=False)
class LmChoice:
    """A language model as a selector of prepositions."""

    model: NgramModel  # the n-gram model
    tagger: Tagger  # tells the marks of infinitives from prepositions

    def scores(self, text: TaggedText, contexts: Contexts) -> Floats:
        """The score of every preposition in every context, in nats; shape (contexts, prepositions)."""
        scores = np.zeros((len(contexts.tokens), len(PREPOSITIONS)))
        for first in range(0, len(scores), _CONTEXTS_AT_ONCE):
            part = slice(first, first + _CONTEXTS_AT_ONCE)
            scores[part] = self._scores(text, contexts.tokens[part].tolist(), contexts.written[part])
        return scores

    def _scores(self, text: TaggedText, tokens: list[int], written: Classes) -> Floats:
        layout, names, reach = text.layout, text.lexicon.names, self.model.order - 1
        candidates = self.model.encode(PREPOSITIONS)
        spans = layout.spans[np.searchsorted(layout.spans[:, 1], tokens, side="right")]
        ids: list[int] = []
        lengths: list[int] = []
        counted: list[int] = []
        for token, (start, end) in zip(tokens, spans.tolist(), strict=True):
            words = self.model.encode(
                names[number] for number in layout.words[layout.places[max(start, token - reach) : token]].tolist()
            )
            before = [BOS, *words][-reach:] if reach and token - reach < start else words
            after = self.model.encode(
                names[number]
                for number in layout.words[layout.places[token + 1 : min(end, token + 1 + reach)]].tolist()
            )
            after = [*after, EOS][:reach]
            for candidate in candidates:
                ids += (*before, candidate, *after)
            lengths += [len(before) + 1 + len(after)] * len(candidates)
            counted += [1 + len(after)] * len(candidates)
        ends = np.cumsum(lengths, dtype=np.int64)
        starts = np.zeros(len(ids), np.bool_)
        starts[ends - lengths] = True
        sums = np.concatenate([[0.0], np.cumsum(score_tokens(self.model.tree, np.array(ids, np.int32), starts))])
        scores: Floats = (sums[ends] - sums[ends - counted]).reshape(len(tokens), len(candidates)) * log(10)
        return scores
