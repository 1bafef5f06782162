"""An n-gram language model: probabilities of tokens and perplexity, saved and read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem, wrong_type
from errorbar.detectors.model_file import Model, load_model, save_model
from errorbar.detectors.ngram_counts import BOS, EOS, SPECIAL, UNK
from errorbar.detectors.ngram_lookup import Tree, score_tokens

KIND = "ngrams"
LARGEST_ORDER = 9


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """log10 probabilities of the tokens of sentences, each sentence with its ``</s>``.

    Attributes:
        log10: Of each token after those before it, sentence after sentence.
        unknown: Whether the model does not have the word.
        offsets: Sentence k has the entries ``offsets[k]`` to ``offsets[k + 1] - 1``.
    """

    log10: NDArray[np.float64]
    unknown: NDArray[np.bool_]
    offsets: NDArray[np.int64]

    def sentences(self) -> NDArray[np.float64]:
        """log10 of the probability of each sentence, the sum over its tokens."""
        return np.add.reduceat(self.log10, self.offsets[:-1]) if len(self.offsets) > 1 else np.empty(0)

    def perplexity(self, *, unknown: bool = True) -> float:
        """10 to the mean of -log10 p, over all tokens or all but unknown words; NaN where there is none."""
        kept = self.log10 if unknown else self.log10[~self.unknown]
        return float(10 ** -kept.mean()) if len(kept) else float("nan")


@dataclass(frozen=True, eq=False)
class NgramModel:
    """An n-gram model with backoff.

    Attributes:
        tree: The n-grams.
        words: The vocabulary; the first three are ``<unk> <s> </s>``.
        made: How it was made: ``order``, ``counts`` of n-grams and ``discounts`` by order.
        text: What it was made of: ``tokens``, ``sha256``, ``license``, ``provenance``, as far as known.
    """

    tree: Tree = field(repr=False)
    words: tuple[str, ...] = field(repr=False)
    made: Mapping[str, Any]
    text: Mapping[str, Any]

    @property
    def order(self) -> int:
        """How many words the longest n-grams have."""
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

    def score(self, sentences: Iterable[Sequence[str]]) -> Scores:
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
        return Scores(log10, flat[~begins] == UNK, offsets)

    def model(self) -> Model:
        """What a model file holds."""
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
            what = f"no n-gram model that errorbar can read: {error}"
            raise InputError(Problem("model-damaged", what, Place(path), fix="train it again")) from None
        return cls(tree, words, model.made, model.text)
