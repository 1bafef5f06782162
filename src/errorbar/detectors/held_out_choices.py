"""Prepositions that selectors choose on held-out text, against those that were written: accuracy, and F of each one.

Formula
    Accuracy = right choices / all. Of preposition c, with n_c contexts where it was written, m_c where it was chosen
    and h_c where both: F = 2 h_c / (n_c + m_c), from P = h_c / m_c and R = h_c / n_c.
Conventions
    Intervals resample blocks of 100 consecutive sentences (``corpus_text.BLOCK``): neighbors repeat each other's words.
Source
    van Rijsbergen (1979) for F.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorbar.core.estimate import Estimate, Undefined
from errorbar.detectors.corpus_text import BLOCK
from errorbar.detectors.learning import Classes
from errorbar.detectors.lexicon import PREPOSITIONS, Ints
from errorbar.detectors.sparse import Floats
from errorbar.metrics.intervals import estimated, resampled
from errorbar.stats.resampling import Resampling
from errorbar.stats.units import Units


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Prepositions that selectors are asked for.

    Attributes:
        right: What was written, by number in ``PREPOSITIONS``; shape (contexts,).
        block: Number of each context's block, from 0 without a gap.
    """

    right: Classes
    block: Ints

    @classmethod
    def of(cls, right: Classes, sentence: Ints) -> HeldOut:
        """Contexts by the numbers of their sentences."""
        return cls(right, np.unique(sentence // BLOCK, return_inverse=True)[1])

    def part(self, classes: Ints) -> HeldOut:
        """The contexts of some prepositions."""
        chosen = np.isin(self.right, classes)
        return HeldOut(self.right[chosen], np.unique(self.block[chosen], return_inverse=True)[1])

    @property
    def totals(self) -> Floats:
        """Contexts of each block."""
        return np.bincount(self.block).astype(np.float64)

    def right_by_block(self, chosen: Classes) -> Floats:
        """How many choices are right in each block; shape (blocks,)."""
        return np.bincount(self.block[chosen == self.right], minlength=len(self.totals)).astype(np.float64)

    def accuracy(self, chosen: Classes, resampling: Resampling, *, less: Classes | None = None) -> Estimate:
        """The share of right choices; with ``less`` by how much it is larger than that of other choices."""
        right = self.right_by_block(chosen) - (0 if less is None else self.right_by_block(less))
        return self._shares(right[:, None], self.totals[:, None], resampling)[0]

    def f_scores(self, chosen: Classes, resampling: Resampling) -> dict[str, Estimate]:
        """F of every preposition."""
        shape = len(self.totals), len(PREPOSITIONS)
        hits, sums = np.zeros(shape), np.zeros(shape)
        np.add.at(hits, (self.block, self.right), chosen == self.right)
        for each in (self.right, chosen):
            np.add.at(sums, (self.block, each), 1)
        return dict(zip(PREPOSITIONS, self._shares(2 * hits, sums, resampling), strict=True))

    def _shares(self, parts: Floats, wholes: Floats, resampling: Resampling) -> list[Estimate]:
        """Sums of parts over sums of wholes, with intervals; shape of both (blocks, shares)."""

        def fold(weights: Floats) -> Floats:
            with np.errstate(invalid="ignore"):
                found: Floats = (weights @ parts) / (weights @ wholes)
            return found

        n_blocks = len(self.totals)
        values = fold(np.ones((1, n_blocks)))[0]
        drawn = resampled(Units(np.ones(n_blocks)), fold, resampling, "held out") if n_blocks > 1 else None
        reasons = [Undefined.NO_UNITS if np.isnan(value) else None for value in values]
        return estimated(values.tolist(), reasons, (len(self.right), n_blocks), resampling, drawn)
