"""Krippendorff's unitizing alpha: do annotators mark the same stretches of texts, ends included?

Formula
    α_U = 1 - Σ_c D_o(c) / Σ_c D_e(c) over the types c of spans. With L places in all texts, m annotators of a text and
    M the sum of m L_t over texts t:
    D_o(c) = Σ_t 2 / (m (m - 1)) Σ_{i<j} δ²_ij / L². Of two spans that overlap δ² is the squared difference of their
    starts plus that of their ends; of a span within a gap of the other annotator the square of its length; else 0.
    D_e(c) = (2 / L) Σ_u [(N_c - 1) (2 l³ - 3 l² + l) / 3 + l² Σ_g max(g - l + 1, 0)] / (M (M - 1) - Σ_u l (l - 1)),
    over the N_c spans u of the type, of length l, and the gaps g between an annotator's spans of the type.
Conventions
    Texts are continua of their own: a gap ends where its text ends, so that chance puts a span anywhere within a text.
    With one text, and the same annotators throughout, this is the published coefficient. Texts that fewer than two
    annotators looked at are left out. Overlapping spans of one type and annotator are one. Undefined without a span.
Intervals
    Where annotators disagree in fewer than ``FEW`` texts or clusters, their number k itself varies, and resamples show
    too little of it: the low end of BCa is drawn out to 1 - (1 - α) exp(t s), with s the jackknife standard error of
    log(1 - α) and t the quantile of Student's t of k - 1 degrees of freedom. Fewer than ``TOO_FEW`` give no interval.
    Both numbers were chosen on simulated texts, and checked on others (docs/agreement.md).
Source
    Krippendorff 1995, Sociological Methodology 25; in the form of Krippendorff 2004, Content Analysis, section 11.6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from errorbar.agreement.coefficients import Kernel, ratio
from errorbar.core.arrays import Floats, Ints
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.spans import Span, SpannedText
from errorbar.stats.resampling import sparse_table, tails

AdjustInterval = Callable[[float, Interval, Floats], Interval | Undefined]
"""Of a value and its values without each text or cluster: a better interval, or why there is none."""
FEW = 30
"""Texts or clusters in which annotators disagree, from which on resamples show how their number varies."""
TOO_FEW = 4
"""Texts or clusters in which annotators disagree, from which on there is an interval."""


def squared_difference(first: Sequence[Span], second: Sequence[Span]) -> int:
    """Σ δ² of two annotators' spans of one type in a text, each in order and disjoint."""
    total = 0
    for own, others in ((first, second), (second, first)):
        for span in own:
            touching = [other for other in others if other.start < span.end and span.start < other.end]
            if not touching:
                total += (span.end - span.start) ** 2
            elif own is first:
                total += sum((span.start - other.start) ** 2 + (span.end - other.end) ** 2 for other in touching)
    return total


def _gaps(spans: Sequence[Span], length: int) -> list[int]:
    """Lengths of the gaps before, between and after spans in order."""
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), length]
    return [start - end for end, start in zip(ends, starts, strict=True) if start > end]


class UnitizingCounts:
    """The sums of each text from which alpha follows, so that any resample of texts is a product of matrices."""

    def __init__(self, texts: Sequence[SpannedText]) -> None:
        self.texts = texts
        self.length = np.array([text.length for text in texts], np.float64)
        self.annotated = self.length * [len(text.spans) for text in texts]
        self.lengths = np.array(
            sorted({span.end - span.start for text in texts for own in text.spans.values() for span in own}), np.int64
        )
        annotators = np.array([len(text.spans) for text in texts], np.float64)
        self.room = annotators[:, None] * np.maximum(self.length[:, None] - self.lengths + 1, 0)
        """Places for a span of each length where nobody marked anything; shape (texts, lengths)."""

    def kernel(self, types: Sequence[str]) -> Kernel:
        """Alpha of spans of some types as a function of how often each text occurs."""
        parts = [self._of_type(kind) for kind in types]

        def alpha(weights: Floats) -> Floats:
            observed, expected = np.zeros(len(weights)), np.zeros(len(weights))
            for disagreement, chance in parts:
                observed += weights @ disagreement
                expected += chance(weights)
            length = weights @ self.length
            return 1 - ratio(observed, 2 * expected * length)

        return alpha

    def adjust_interval(self, types: Sequence[str], clusters: Ints | None) -> AdjustInterval | None:
        """Draw out the low end of intervals; None where annotators disagree in enough texts, or clusters of texts."""
        disagreeing = np.zeros(len(self.texts), np.bool_)
        for row, text in enumerate(self.texts):
            for kind in types:
                own = [[span for span in spans if span.type == kind] for spans in text.spans.values()]
                disagreeing[row] |= any(first != second for first, second in combinations(own, 2))
        k = int(disagreeing.sum()) if clusters is None else len(np.unique(clusters[disagreeing]))
        if k >= FEW:
            return None

        def adjust(value: float, interval: Interval, left_out: Floats) -> Interval | Undefined:
            if k < TOO_FEW:
                return Undefined.TOO_FEW_TEXTS
            from scipy.special import stdtrit  # noqa: PLC0415 - loading it takes a while

            t = float(stdtrit(k - 1, tails(interval.confidence_level)[1]))
            logarithms = np.log(1 - left_out)
            error = float(np.sqrt((len(left_out) - 1) * logarithms.var()))
            low = 1 - (1 - value) * float(np.exp(t * error))
            return interval.covering(Interval(low, interval.high, interval.confidence_level, "log-jackknife"))

        return adjust

    def _of_type(self, kind: str) -> tuple[Floats, Kernel]:
        """Observed disagreement of each text, and that expected by chance, of spans of one type."""
        place = {length: at for at, length in enumerate(self.lengths.tolist())}
        observed = np.zeros(len(self.texts))
        rows: list[int] = []
        columns: list[int] = []
        less = np.zeros((0, len(self.lengths)))
        taken: list[Floats] = []
        taken_rows: list[int] = []
        for row, text in enumerate(self.texts):
            own = [[span for span in spans if span.type == kind] for spans in text.spans.values()]
            if not any(own):
                continue
            pairs = len(own) * (len(own) - 1) / 2
            observed[row] = sum(squared_difference(a, b) for a, b in combinations(own, 2)) / pairs
            lengths = [place[span.end - span.start] for spans in own for span in spans]
            rows += [row] * len(lengths)
            columns += lengths
            gaps = np.array([gap for spans in own for gap in _gaps(spans, text.length)], np.float64)
            taken.append(np.maximum(gaps[:, None] - self.lengths + 1, 0).sum(axis=0) - self.room[row])
            taken_rows.append(row)
        shape = (len(self.texts), len(self.lengths))
        units = sparse_table((np.ones(len(rows)), (np.array(rows, np.int64), np.array(columns, np.int64))), shape)
        less = np.array(taken).reshape(-1, len(self.lengths))
        where = np.array(taken_rows, np.int64)
        lengths_of = self.lengths.astype(np.float64)
        overlap = (2 * lengths_of**3 - 3 * lengths_of**2 + lengths_of) / 3

        def chance(weights: Floats) -> Floats:
            n = np.asarray(weights @ units)
            room = weights @ self.room + weights[:, where] @ less
            annotated = weights @ self.annotated
            meeting = (n * ((n.sum(axis=1, keepdims=True) - 1) * overlap + lengths_of**2 * room)).sum(axis=1)
            return ratio(meeting, annotated * (annotated - 1) - (n * lengths_of * (lengths_of - 1)).sum(axis=1))

        return observed, chance
