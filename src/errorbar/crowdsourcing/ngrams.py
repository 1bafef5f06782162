"""Counts of the word pairs and triples that mining compares, from running text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

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
