"""Which preposition a language model prefers: each one put in the place of the one written.

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

from dataclasses import dataclass
from math import log

import numpy as np

from errorbar.detectors.contexts import Contexts
from errorbar.detectors.learning import Classes
from errorbar.detectors.lexicon import PREPOSITIONS
from errorbar.detectors.ngram_counts import BOS, EOS
from errorbar.detectors.ngram_lookup import score_tokens
from errorbar.detectors.ngram_model import NgramModel
from errorbar.detectors.sparse import Floats
from errorbar.detectors.tagger import Tagged, Tagger

_AT_ONCE = 4_096  # contexts looked up together


@dataclass(frozen=True, slots=True, eq=False)
class LmChoice:
    """A language model as a selector of prepositions.

    Attributes:
        model: Of n-grams.
        tagger: What tells the marks of infinitives from prepositions.
    """

    model: NgramModel
    tagger: Tagger

    def scores(self, text: Tagged, contexts: Contexts) -> Floats:
        """The score of every preposition in every context, in nats; shape (contexts, prepositions)."""
        found = np.zeros((len(contexts.tokens), len(PREPOSITIONS)))
        for first in range(0, len(found), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            found[part] = self._scores(text, contexts.tokens[part].tolist(), contexts.written[part])
        return found

    def _scores(self, text: Tagged, tokens: list[int], written: Classes) -> Floats:
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
            for each in candidates:
                ids += (*before, each, *after)
            lengths += [len(before) + 1 + len(after)] * len(candidates)
            counted += [1 + len(after)] * len(candidates)
        ends = np.cumsum(lengths, dtype=np.int64)
        starts = np.zeros(len(ids), np.bool_)
        starts[ends - lengths] = True
        sums = np.concatenate([[0.0], np.cumsum(score_tokens(self.model.tree, np.array(ids, np.int32), starts))])
        found: Floats = (sums[ends] - sums[ends - counted]).reshape(len(tokens), len(candidates)) * log(10)
        return found
