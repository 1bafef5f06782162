"""GREEN of corrected text: F over n-grams that a correction keeps, deletes and inserts as a reference does.

Formula
    Of a sentence with source s, reference r and output h, and of each n-gram (n = 1..4) with counts s, r and h in them:
    TP = max(0, s - max(r, h)) + max(0, min(r, h) - s) + min(s, r, h)    (rightly deleted, inserted and kept),
    FP = max(0, min(s, r) - h) + max(0, h - max(s, r))                   (needlessly deleted and inserted),
    FN = max(0, min(s, h) - r) + max(0, r - max(s, h))                   (not deleted and not inserted).
    Over the n-grams of an order n and the sentences of a corpus, P_n = ΣTP / Σ(TP + FP), R_n = ΣTP / Σ(TP + FN). P and
    R are the geometric means of P_1..P_4 and of R_1..R_4, and F = (1 + beta²) P R / (beta² P + R).
Conventions
    A sentence counts with the reference of its largest F; ties go to the larger F of orders up to three, then two, then
    one, then to the first annotator. Without n-grams of an order P_n is 1 and R_n is 0, so that F is 0. Tokens are what
    white space separates; with ``unit=char`` they are characters, white space among them.
    References are the annotators' texts: the source with the first alternative of each edit applied.
Source
    Koyama, Kiyono, Kobayashi, Mita, Okazaki 2024, "n-gram F-score for Evaluating Grammatical Error Correction", INLG;
    the behavior where the paper leaves it open is that of the authors' program, which the tests compare with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Undefined
from errorbar.core.spec import Parameter, beta_parameter, word_parameter
from errorbar.metrics.additive import ReferenceTexts, Sums
from errorbar.metrics.base import Folded, Measure, UnitParts
from errorbar.metrics.edit_metric import prf_measures

ORDER = 4
UNITS = ("word", "char")
Grams = Sequence[Counter[tuple[str, ...]]]


def count_grams(tokens: Sequence[str]) -> Grams:
    """The n-grams of each order from 1 to 4."""
    return [Counter(zip(*(tokens[at:] for at in range(n)), strict=False)) for n in range(1, ORDER + 1)]


def compare_grams(source: Grams, reference: Grams, output: Grams) -> list[int]:
    """TP of each order, then FP of each, then FN of each."""
    right, over, under = [0] * ORDER, [0] * ORDER, [0] * ORDER
    for at, (before, wanted, got) in enumerate(zip(source, reference, output, strict=True)):
        for gram in before.keys() | wanted.keys() | got.keys():
            s, r, h = before[gram], wanted[gram], got[gram]
            if r == h:
                right[at] += max(s, r)
                continue
            right[at] += max(0, s - max(r, h)) + max(0, min(r, h) - s) + min(s, r, h)
            over[at] += max(0, min(s, r) - h) + max(0, h - max(s, r))
            under[at] += max(0, min(s, h) - r) + max(0, r - max(s, h))
    return [*right, *over, *under]


@dataclass(frozen=True, slots=True)
class Green(ReferenceTexts):
    """The metric.

    Attributes:
        beta: Weight of recall against precision.
        unit: What n-grams are made of: ``word`` or ``char``.
        only: Score against this annotator's text alone.
    """

    name: ClassVar[str] = "green"
    summary: ClassVar[str] = "GREEN: P, R and F over n-grams that are kept, deleted and inserted"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        beta_parameter(2.0),
        word_parameter("unit", "What n-grams are made of: word or char.", *UNITS),
        Parameter("only", str, "", "Score against this annotator's text alone."),
    )
    counted: ClassVar[tuple[str, ...]] = ("right_grams", "over_grams", "under_grams")

    beta: float = 2.0
    unit: str = UNITS[0]
    only: str = ""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """P, R and F."""
        return prf_measures(self.beta)

    @property
    def compared(self) -> int:
        """TP, FP and FN of all orders, then of each."""
        return 3 + 3 * ORDER

    def compare(self, source: str, reference: str, output: str) -> Sequence[float]:
        """TP, FP and FN of all orders, then those of each order."""
        return _with_totals(compare_grams(*map(self._grams, (source, reference, output))))

    def compare_all(
        self, sources: Sequence[str], outputs: Sequence[str], references: Sequence[str], units: NDArray[np.int64]
    ) -> Floats:
        """``compare`` of all texts, those of a sentence cut into n-grams once."""
        rows, cut = [], -1
        for unit, reference in zip(units.tolist(), references, strict=True):
            if unit != cut:
                cut, source, output = unit, self._grams(sources[unit]), self._grams(outputs[unit])
            rows.append(_with_totals(compare_grams(source, self._grams(reference), output)))
        return np.array(rows, np.float64).reshape(-1, self.compared)

    def _grams(self, text: str) -> Grams:
        return count_grams(text if self.unit == "char" else text.split())

    def costs(self, counts: Floats) -> Sequence[Floats]:
        """The loss of F over the orders up to four, then up to three, two and one."""
        return [-self._cumulated(counts)[..., order, 2] for order in range(ORDER - 1, -1, -1)]

    def rate(self, sums: Floats) -> Floats:
        """P, R and F over all orders."""
        return self._cumulated(sums)[..., -1, :]

    def _cumulated(self, sums: Floats) -> Floats:
        """P, R and F over the orders up to each; shape (..., order, 3)."""
        right, over, under = np.split(np.asarray(sums[..., 3:], np.float64), 3, axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(right + over > 0, right / (right + over), 1.0)
            recall = np.where(right + under > 0, right / (right + under), 0.0)
            orders = np.arange(1, ORDER + 1)
            p, r = (np.exp(np.log(share).cumsum(axis=-1) / orders) for share in (precision, recall))
            weight = 1 / (self.beta * self.beta + 1)
            f = np.where((p > 0) & (r > 0), 1 / (weight / p + (1 - weight) / r), 0.0)
        return np.stack([p, r, f], axis=-1)

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Which empty case fills P, R and F: there are no n-grams of some order."""
        if not folded.n_units[0]:
            return [Undefined.NO_UNITS] * 3
        right, over, under = np.split(np.asarray(folded.counts[0][3:]), 3)
        no_p = None if (right + over).all() else Undefined.NOTHING_PROPOSED
        no_r = None if (right + under).all() else Undefined.NOTHING_IN_REFERENCE
        return no_p, no_r, no_r

    def parts(self, statistics: Sums, *, start: Folded | None = None) -> UnitParts:
        """The best annotator of each sentence, its counts of all orders, and its values."""
        parts = ReferenceTexts.parts(self, statistics, start=start)
        return UnitParts(parts.annotators, parts.counts[:, :3], parts.values)


def _with_totals(counts: Sequence[int]) -> list[int]:
    return [sum(counts[at : at + ORDER]) for at in range(0, len(counts), ORDER)] + [*counts]
