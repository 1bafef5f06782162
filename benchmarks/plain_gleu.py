"""GLEU with 500 draws in plain Python, from its description; bench.py times ``gleu`` beside it.

The published script is on no index, so this stands in for it: python plain_gleu.py SOURCE OUTPUT REFERENCE...
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from pathlib import Path

DRAWS, SEED, ORDER = 500, 101, 4


def grams(tokens: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[k : k + n]) for k in range(len(tokens) + 1 - n))


def counts(source: list[str], output: list[str], reference: list[str]) -> list[int]:
    """Lengths of output and reference, then for each order the right n-grams and all of the output."""
    numbers = [len(output), len(reference)]
    for n in range(1, ORDER + 1):
        ours, before, theirs = grams(output, n), grams(source, n), grams(reference, n)
        given_up = Counter({gram: count for gram, count in before.items() if gram not in theirs})
        numbers.append(max(0, (ours & theirs).total() - (ours & given_up).total()))
        numbers.append(max(0, len(output) + 1 - n))
    return numbers


def main(source: str, output: str, *references: str) -> None:
    texts = [
        [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
        for path in (source, output, *references)
    ]
    rows = [
        [counts(before, output_tokens, reference) for reference in others]
        for before, output_tokens, *others in zip(*texts, strict=True)
    ]
    scores = []
    for draw in range(DRAWS):
        chance = random.Random(SEED * draw)
        sums = [0] * (2 + 2 * ORDER)
        for row in rows:
            for k, count in enumerate(row[int(chance.random() * len(references))]):
                sums[k] += count
        length, wanted, *pairs = sums
        logs = [math.log(pairs[k] / pairs[k + 1]) for k in range(0, 2 * ORDER, 2)]
        scores.append(math.exp(min(0.0, 1 - wanted / length) + sum(logs) / ORDER))
    print(f"{sum(scores) / DRAWS:.6f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
