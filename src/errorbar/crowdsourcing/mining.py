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
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log
from typing import Literal

import numpy as np

from errorbar.core.problems import Problem, UsageError

START, END = "<s>", "</s>"
HEADER = "# errorbar n-gram counts 2"


@dataclass(slots=True)
class NgramCounts:
    """How often words follow each other."""

    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    triples: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # the middle word is a target
    n_pairs: int = 0  # all, also those that were left out as rare
    n_triples: int = 0  # of whatever middle word
    targets: set[str] = field(default_factory=set)  # the words whose triples were counted

    def add(self, tokens: Iterable[str], targets: Collection[str]) -> None:
        """Count a sentence; words are compared in lower case."""
        self.targets.update(targets)
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
        yield f"{HEADER}\t{self.n_pairs}\t{self.n_triples}\t{' '.join(sorted(self.targets))}"
        for table in (self.pairs, self.triples):
            for words, count in sorted(table.items(), key=lambda row: (-row[1], row[0])):
                yield f"{' '.join(words)}\t{count}"

    @classmethod
    def parse(cls, lines: Iterable[str], name: str) -> NgramCounts:
        """Read what ``lines`` wrote."""
        counts = cls()
        for number, line in enumerate(lines, 1):
            head, *texts = line.split("\t")
            numbers = [int(text) for text in texts if text.isdecimal()]
            match number == 1, head.split(" "), numbers:
                case True, _, [n_pairs, n_triples, *_] if head == HEADER and len(texts) == 3:
                    counts.n_pairs, counts.n_triples = n_pairs, n_triples
                    counts.targets.update(texts[2].split(" "))
                case False, [left, right], [n] if len(texts) == 1:
                    counts.pairs[left, right] = n
                case False, [left, word, right], [n] if len(texts) == 1:
                    counts.triples[left, word, right] = n
                case _:
                    message = f"{name}, line {number}: not a file of n-gram counts"
                    fix = "make one with errorbar crowd mine --build --counts FILE CORPUS"
                    expected = f"'{HEADER}', then n-gram TAB count"
                    raise UsageError(Problem("mine-counts", message, expected=expected, fix=fix))
        if not counts.n_pairs:
            raise UsageError(Problem("mine-counts", f"{name}: no n-gram was counted", expected="counts of a corpus"))
        return counts


@dataclass(frozen=True, slots=True)
class MinedItem:
    """A word to ask about."""

    item: str  # sentence:start-end as in projected corpora
    sentence: int  # from 1
    at: int  # from 0
    word: str
    tokens: tuple[str, ...]
    score: float  # how much better the text does without it
    kind: Literal["candidate", "correct"] = "candidate"

    def text(self) -> str:
        """The sentence with the word in brackets."""
        return " ".join((*self.tokens[: self.at], f"[{self.tokens[self.at]}]", *self.tokens[self.at + 1 :]))


@dataclass(frozen=True, slots=True)
class Mining:
    """Items to ask: candidates and correct instances, in random order."""

    items: tuple[MinedItem, ...]
    n_repeated: int  # left out, as the same sentence asks the same elsewhere


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
        targets: The words asked about, in lower case; those that were counted, or some of them.
        generator: The stream for choosing and shuffling.
        n: How many candidates.
        error_rate: Wanted share of candidates among all; 1: nothing is mixed in.
    """
    if n < 1 or not 0 < error_rate <= 1:
        message = f"{n} candidates at an error rate of {error_rate}"
        raise UsageError(Problem("mine-options", message, expected="at least 1, and a fraction above 0"))
    if others := sorted({*targets} - counts.targets):
        message = f"the counts were not made for {', '.join(others[:5])}{', ...' if others[5:] else ''}"
        fix = "count again with the same words: errorbar crowd mine --build --words"
        raise UsageError(Problem("mine-counts", message, fix=fix))
    scored = [
        MinedItem(f"{number}:{at}-{at + 1}", number, at, word, tuple(tokens), score)
        for number, tokens in enumerate(sentences, 1)
        for at, (left, word, right) in enumerate(zip([START, *tokens], tokens, [*tokens[1:], END], strict=False))
        if word.lower() in targets and (score := extraneous_score(counts, left, word, right)) is not None
    ]
    questions = list({(m.tokens, m.at): m for m in reversed(scored)}.values())[::-1]  # each question once
    chosen = sorted((m for m in questions if m.score > 0), key=lambda m: (-m.score, m.sentence, m.at))[:n]
    if not chosen:
        message = f"none of {len(questions)} scored instances does better without the word"
        fix = "use more text for the counts, or other words"
        raise UsageError(Problem("mine-nothing", message, fix=fix))
    wanted = round(len(chosen) / error_rate) - len(chosen)
    unlikely = [m for m in questions if m.score <= 0]
    if len(unlikely) < wanted:
        message = f"{wanted} correct instances are wanted and {len(unlikely)} are there"
        fix = "ask for fewer candidates, a higher error rate, or give more text"
        raise UsageError(Problem("mine-few", message, fix=fix))
    drawn = generator.choice(len(unlikely), wanted, replace=False).tolist() if wanted else []
    mixed = chosen + [replace(unlikely[at], kind="correct") for at in drawn]
    order = generator.permutation(len(mixed)).tolist()
    return Mining(tuple(mixed[at] for at in order), len(scored) - len(questions))
