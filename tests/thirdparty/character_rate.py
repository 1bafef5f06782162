"""A metric of another package: the character edit rate of a sentence against the nearest reference text.

Formula
    CER = (character insertions, deletions and substitutions) / (characters of the reference), both summed over the
    sentences; of each sentence the reference with the fewest edits per character counts.
Conventions
    Spaces are characters. An empty reference has no rate of its own, and its edits count.
Source
    Levenshtein 1966; the measure of speech and character recognition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import eq
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core import Parameter
from errorbar.metrics import Measure
from errorbar.metrics.additive import ReferenceTexts

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CharacterRate(ReferenceTexts):
    """The metric.

    Attributes:
        only: Score against this annotator alone.
    """

    name: ClassVar[str] = "cer"
    summary: ClassVar[str] = "Character edit rate against the nearest reference text"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("only", str, "", "Score against this annotator alone."),)
    counted: ClassVar[tuple[str, ...]] = ("edits", "characters")
    measures: ClassVar[tuple[Measure, ...]] = (Measure("cer", "CER", better="lower"),)

    only: str = ""

    def compare(self, source: str, reference: str, output: str) -> Sequence[float]:
        alike = sum(takewhile(bool, map(eq, reference, output)))  # characters that both begin with
        row = list(range(len(output) - alike + 1))
        for at, wanted in enumerate(reference[alike:], 1):
            left, row = row, [at]
            row += [0] * (len(output) - alike)
            for k, got in enumerate(output[alike:], 1):
                row[k] = min(left[k] + 1, row[k - 1] + 1, left[k - 1] + (wanted != got))
        return row[-1], len(reference)

    def cost(self, counts: Floats) -> Floats:
        return counts[..., 0] / np.maximum(counts[..., 1], 1)

    def rate(self, sums: Floats) -> Floats:
        rate = np.full((*sums.shape[:-1], 1), np.nan)
        return np.divide(sums[..., :1], sums[..., 1:], out=rate, where=sums[..., 1:] > 0)
