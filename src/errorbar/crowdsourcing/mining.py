"""Likely errors to put before raters: words that the text around them does better without.

Formula
    For a target word b between a and c: score = log[(n(a c) + ½) / N₂] - log[(n(a b c) + ½) / N₃], with n the count of
    a pair or triple of words and N their totals: how much more frequent the words around it are without it than
    with it. The instances with the largest scores are the candidates.
Conventions
    Words are compared in lower case; the beginning and the end of a sentence are words. Where neither the pair nor
    the triple was ever counted the score says nothing and the instance is no candidate. Ties are broken by place.
    The same sentence with the same word at the same place is offered once, where it stands first: asking again tells
    nothing new. "Correct" instances are drawn evenly from the target words that are no candidates and score at most 0,
    so that the share of candidates is the wanted one: a rater who sees errors only stops looking. Candidates are
    likely errors, so the true error rate is at most the wanted one (as far as the correct instances are correct).
Source
    Madnani et al. 2011, who found 500 extraneous prepositions so, mixed with correct ones to an error rate of 50 %;
    the smoothing is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from typing import Literal

import numpy as np

from errorbar.core.errors import Problem, UsageError

START, END = "<s>", "</s>"
HEADER = "# errorbar n-gram counts 1"


@dataclass(slots=True)
class NgramCounts:
    """How often words follow each other.

    Attributes:
        pairs: Two neighboring words to their count.
        triples: Three neighboring words, the middle one a target, to their count.
        n_pairs: All pairs counted, also those that were left out as rare.
        n_triples: All triples of whatever middle word.
    """

    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    triples: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    n_pairs: int = 0
    n_triples: int = 0

    def add(self, tokens: Iterable[str], targets: Collection[str]) -> None:
        """Count a sentence; words are compared in lower case."""
        words = [START, *(token.lower() for token in tokens), END]
        self.pairs.update(pairwise(words))
        self.triples.update(t for t in zip(words, words[1:], words[2:], strict=False) if t[1] in targets)
        self.n_pairs += len(words) - 1
        self.n_triples += max(len(words) - 2, 0)

    def prune(self, least: int) -> None:
        """Forget what was counted less often; totals stay."""
        self.pairs = Counter({words: n for words, n in self.pairs.items() if n >= least})
        self.triples = Counter({words: n for words, n in self.triples.items() if n >= least})

    def lines(self) -> Iterator[str]:
        """The counts as lines of a text file, frequent first."""
        yield f"{HEADER}\t{self.n_pairs}\t{self.n_triples}"
        for table in (self.pairs, self.triples):
            for words, count in sorted(table.items(), key=lambda row: (-row[1], row[0])):
                yield f"{' '.join(words)}\t{count}"

    @classmethod
    def parse(cls, lines: Iterable[str], name: str) -> NgramCounts:
        """Read what ``lines`` wrote.

        Raises:
            UsageError: If a line is something else.
        """
        counts = cls()
        for number, line in enumerate(lines, 1):
            head, *numbers = line.split("\t")
            words = tuple(head.split(" "))
            good = all(text.isdecimal() for text in numbers)
            if number == 1 and head == HEADER and len(numbers) == 2 and good:
                counts.n_pairs, counts.n_triples = int(numbers[0]), int(numbers[1])
            elif number > 1 and len(numbers) == 1 and good and len(words) == 2:
                counts.pairs[words[0], words[1]] = int(numbers[0])
            elif number > 1 and len(numbers) == 1 and good and len(words) == 3:
                counts.triples[words[0], words[1], words[2]] = int(numbers[0])
            else:
                what = f"{name}, line {number}: not a file of n-gram counts"
                fix = "make one with errorbar crowd mine --build COUNTS CORPUS"
                raise UsageError(Problem("mine-counts", what, expected=f"'{HEADER}', then n-gram TAB count", fix=fix))
        if not counts.n_pairs:
            raise UsageError(Problem("mine-counts", f"{name}: no n-gram was counted", expected="counts of a corpus"))
        return counts


@dataclass(frozen=True, slots=True)
class Mined:
    """A word to ask about.

    Attributes:
        item: Name of the item, ``sentence:start-end`` as in projected corpora.
        sentence: Number of the sentence, from 1.
        at: Place of the word, from 0.
        word: The word.
        tokens: The sentence.
        score: How much better the text does without it.
        kind: ``candidate``, or ``correct`` for what was mixed in.
    """

    item: str
    sentence: int
    at: int
    word: str
    tokens: tuple[str, ...]
    score: float
    kind: Literal["candidate", "correct"]

    def text(self, before: str = "[", after: str = "]") -> str:
        """The sentence with the word marked."""
        marked = f"{before}{self.tokens[self.at]}{after}"
        return " ".join((*self.tokens[: self.at], marked, *self.tokens[self.at + 1 :]))


@dataclass(frozen=True, slots=True)
class Mining:
    """What to ask.

    Attributes:
        items: Candidates and correct instances, in random order.
        n_repeated: Scored instances that were left out because the same sentence asks the same elsewhere.
    """

    items: tuple[Mined, ...]
    n_repeated: int


def extraneous_score(counts: NgramCounts, left: str, word: str, right: str) -> float | None:
    """How much better the text does without a word; None where nothing like it was counted."""
    a, b, c = left.lower(), word.lower(), right.lower()
    without, with_it = counts.pairs.get((a, c), 0), counts.triples.get((a, b, c), 0)
    if not without and not with_it:
        return None
    return log((without + 0.5) / max(counts.n_pairs, 1)) - log((with_it + 0.5) / max(counts.n_triples, 1))


def mine(
    sentences: Sequence[Sequence[str]],
    counts: NgramCounts,
    targets: Collection[str],
    generator: np.random.Generator,
    *,
    n: int = 500,
    error_rate: float = 0.5,
) -> Mining:
    """Find likely errors and mix them with likely correct instances, in random order.

    Args:
        sentences: Tokens of each sentence.
        counts: Counts of n-grams of some other, large text.
        targets: The words asked about, in lower case.
        generator: The stream for choosing and shuffling.
        n: How many candidates.
        error_rate: Wanted share of candidates among all; 1: nothing is mixed in.

    Raises:
        UsageError: If a number is out of range, there is no candidate, or too few instances are left to mix in.
    """
    if n < 1 or not 0 < error_rate <= 1:
        what = f"{n} candidates at an error rate of {error_rate}"
        raise UsageError(Problem("mine-options", what, expected="at least 1, and a fraction above 0"))
    scored = _instances(sentences, counts, targets)
    found = _once(scored)
    ranked = sorted((m for m in found if m.score > 0), key=lambda m: (-m.score, m.sentence, m.at))
    if not ranked:
        what = f"none of {len(found)} scored instances does better without the word"
        fix = "use more text for the counts, or other words"
        raise UsageError(Problem("mine-nothing", what, fix=fix))
    chosen = ranked[:n]
    wanted = round(len(chosen) / error_rate) - len(chosen)
    rest = [m for m in found if m.score <= 0]
    if len(rest) < wanted:
        what = f"{wanted} correct instances are wanted and {len(rest)} are there"
        raise UsageError(
            Problem("mine-few", what, fix="ask for fewer candidates, a higher error rate, or give more text")
        )
    drawn = generator.choice(len(rest), wanted, replace=False) if wanted else np.empty(0, np.int64)
    mixed = chosen + [
        Mined(m.item, m.sentence, m.at, m.word, m.tokens, m.score, "correct") for m in (rest[int(i)] for i in drawn)
    ]
    return Mining(tuple(mixed[int(i)] for i in generator.permutation(len(mixed))), len(scored) - len(found))


def _once(found: Sequence[Mined]) -> list[Mined]:
    """Without instances that are the same question."""
    return list({(m.tokens, m.at): m for m in reversed(found)}.values())[::-1]


def _instances(sentences: Sequence[Sequence[str]], counts: NgramCounts, targets: Collection[str]) -> list[Mined]:
    found = []
    for number, tokens in enumerate(sentences, 1):
        words = [START, *tokens, END]
        for at, word in enumerate(tokens):
            if word.lower() not in targets:
                continue
            score = extraneous_score(counts, words[at], word, words[at + 2])
            if score is not None:
                item = f"{number}:{at}-{at + 1}"
                found.append(Mined(item, number, at, word, tuple(tokens), score, "candidate"))
    return found
