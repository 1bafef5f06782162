"""Judgments with known coefficients; the sources are named where the values are tested."""

from __future__ import annotations

from errorbar import Judgments
from errorbar.agreement import PairTable

# Two raters of preposition use: extraneous, wrong choice, correct. Tetreault and Chodorow 2008, table 3.
PREPOSITION_RATERS = PairTable.of([[17, 0, 6], [1, 42, 20], [4, 33, 1213]], ["extraneous", "wrong", "ok"])
SMALL = PairTable.of([[20, 5], [10, 15]])
# The prevalence trap of Feinstein and Cicchetti 1990.
TRAP = PairTable.of([[118, 5], [2, 0]])

# Fleiss 1971 as in textbooks: 10 items, 14 raters, 5 labels.
TEXTBOOK_COUNTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
TEXTBOOK = Judgments.from_matrix(
    [[label for label, n in zip("abcde", row, strict=True) for _ in range(n)] for row in TEXTBOOK_COUNTS]
)

_: None = None
# Krippendorff 2011, section C: 4 observers, 12 units, missing values; one row per unit.
FIVE = ("1", "2", "3", "4", "5")
KRIPPENDORFF = Judgments.from_matrix(
    [
        [1, 1, _, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [_, 5, 5, 5],
        [_, _, 1, 1],
        [_, 3, _, _],
    ],
    raters=("A", "B", "C", "D"),
    labels=FIVE,
)
# 3 coders, 15 units, many missing: the worked example of the Wikipedia article on Krippendorff's alpha.
WEB = Judgments.from_matrix(
    list(
        zip(
            [_, _, _, _, _, 3, 4, 1, 2, 1, 1, 3, 3, _, 3],
            [1, _, 2, 1, 3, 3, 4, 3, _, _, _, _, _, _, _],
            [_, _, 2, 1, 3, 4, 4, _, 2, 1, 1, 3, 3, _, 4],
            strict=True,
        )
    )
)
