"""GLEU of corrected text: n-grams shared with a reference, less those of the source that the reference gave up.

Formula
    Of a sentence with source s, output h and reference r, for n = 1..4:
    N_n = max(0, Σ min(h, r) - Σ min(h, s where r has none)), over the n-grams' counts in h, r and s;
    D_n = max(0, |h| + 1 - n); a text's length is its number of tokens.
    Of a corpus, over the sums of its sentences: GLEU = exp(min(0, 1 - Σ|r| / Σ|h|) + ¼ Σ_n log(ΣN_n / ΣD_n)).
    Of a sentence alone, the same with 1 for whatever is 0, averaged over its references.
Conventions
    A sentence counts with one of its references, each as likely as the others; the score of a corpus is what is to be
    expected of that draw. ``draws=published`` averages 500 draws, those of the published script: draw j picks
    reference ⌊u n⌋ of n by the numbers u of a Mersenne Twister seeded with 101 j. The default draws nothing: with
    independent draws the sums have known means and covariances, Σ|r| is taken as normal (the length penalty has a bend
    that an expansion would miss) and log N_n is expanded to the second order; docs/metrics/gleu.md has the error.
    Selections (resamples, swaps, subsets) are folded without draws.
    Tokens are what white space separates; under ``draws=published`` what ASCII white space separates, as Python 2
    splits bytes: a no-break or ideographic space is part of a token.
    Where any sum is 0 the score is 0. There is none where the outputs have no n-gram of some order and nothing is
    wrong with what they have (N_n = D_n, |h| = |r|).
    References are the annotators' texts: the source with the first alternative of each edit applied.
Source
    Napoles, Sakaguchi, Post & Tetreault 2015, "Ground truth for grammatical error correction metrics", and 2016, "GLEU
    without tuning" (arXiv:1605.02592), as the authors' script of June 2017 computes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.core.estimate import Undefined
from errorbar.core.spec import Parameter, Value
from errorbar.edits.matching import Vocabulary, encode_lines
from errorbar.metrics.additive import ReferenceTexts, Sums
from errorbar.metrics.base import Folded, Measure, Metric, Selection, UnitParts

# N-grams that outputs share with references and sources, for all sentences of a corpus at once.
#
# A gram of an output is known by the number of the gram without its last token, and that token; one of one token by its
# sentence. So sentences share no numbers, and a gram of another text has one only where all of it stands in the output:
# the others are dropped order by order, and no n-gram is ever built.


class _Texts:
    """Places of many texts at which a gram may begin."""

    def __init__(self, texts: Sequence[str], units: Ints, vocabulary: Vocabulary) -> None:
        tokens = encode_lines(texts, vocabulary)
        self.ids = tokens.ids.astype(np.int64)
        self.lengths = np.diff(tokens.offsets)
        self.at = np.arange(tokens.offsets[-1])
        self.text = np.repeat(np.arange(len(texts)), self.lengths)  # the text that each place is in
        self._ends = tokens.offsets[1:]
        self._prefix = np.asarray(units, np.int64)[self.text]  # number of the gram so far, at first of the sentence

    def keys(self, order: int, width: int) -> Ints:
        """Prefix and last token of each gram of an order, as one number."""
        if order > 1:
            self._keep(self.at + order <= self._ends[self.text])
        keys: Ints = self._prefix * width + self.ids[self.at + order - 1]
        return keys

    def number(self, grams: Ints) -> None:
        """Say which gram stands at each place, -1 for none of those that matter."""
        self._prefix = grams
        self._keep(grams >= 0)

    def counts(self, n_grams: int, texts: NDArray[np.bool_] | None = None) -> Ints:
        """How often each gram occurs, in some of the texts."""
        counted = self._prefix if texts is None else self._prefix[texts[self.text]]
        return np.bincount(counted, minlength=n_grams)

    def _keep(self, where: NDArray[np.bool_]) -> None:
        self.at, self.text, self._prefix = self.at[where], self.text[where], self._prefix[where]


def shared_grams(
    sources: Sequence[str], outputs: Sequence[str], references: Sequence[str], units: Ints, order: int
) -> tuple[Ints, Ints, Ints]:
    """Lengths of outputs and of references, and N_1.. (``errorbar.metrics.gleu``) of each reference.

    Args:
        sources: Of each sentence.
        outputs: Of each sentence.
        references: Texts of sentences, in the order of sentences.
        units: Number of the sentence of each reference; shape (references,).
        order: Tokens of the longest grams.

    Returns:
        Tokens of outputs; shape (sentences,). Tokens of references; shape (references,). Grams; shape
        (references, order).
    """
    vocabulary, every = Vocabulary(), np.arange(len(sources))
    ours, before, theirs = (
        _Texts(texts, of, vocabulary) for texts, of in ((outputs, every), (sources, every), (references, units))
    )
    rank = np.arange(len(units)) - np.searchsorted(units, units)  # of each reference among those of its sentence
    width = len(vocabulary)
    shared = np.zeros((len(units), order), np.int64)
    unit_of = every
    for n in range(1, order + 1):
        grams, numbers = np.unique(ours.keys(n, width), return_inverse=True)
        ours.number(numbers)
        for other in (before, theirs):
            other.number(_find_keys(grams, other.keys(n, width)))
        unit_of = unit_of[grams // max(1, width)]
        counts, kept = ours.counts(len(grams)), before.counts(len(grams))
        for k in range(int(rank.max(initial=-1)) + 1):
            rows = rank == k
            wanted = theirs.counts(len(grams), rows)
            net = np.where(wanted > 0, np.minimum(counts, wanted), -np.minimum(counts, kept))
            sums = np.bincount(unit_of, net, minlength=len(every))
            shared[rows, n - 1] = np.maximum(0, sums[units[rows]])
    return ours.lengths, theirs.lengths, shared


def _find_keys(known: Ints, keys: Ints) -> Ints:
    """Where each key stands among sorted ones, -1 for nowhere."""
    at = np.searchsorted(known, keys)
    return np.where(np.append(known, -1)[at] == keys, at, -1)


ORDER = 4
DRAWS, SEED = 500, 101
"""Of the published script: how many, and what draw j multiplies to get its seed."""
MOST_DRAWN = 2**22
"""References that are drawn at once."""


def gleu_counts(source: str, reference: str, output: str) -> list[int]:
    """|h|, which is D_1, |r|, D_2..4 and N_1..4 of a sentence, tokens apart by white space."""
    length = len(output.split())
    row = [length, len(reference.split()), *(max(0, length + 1 - n) for n in range(2, ORDER + 1))]
    for n in range(1, ORDER + 1):
        ours, theirs, before = (_grams(text.split(), n) for text in (output, reference, source))
        right = (ours & theirs).total()
        wrong = sum(min(count, before[gram]) for gram, count in ours.items() if gram not in theirs)
        row.append(max(0, right - wrong))
    return row


def _grams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[k:] for k in range(n)), strict=False))


_PROPOSED, _LENGTH, _RIGHT = [0, 2, 3, 4], 1, [5, 6, 7, 8]
_DRAWN = [_LENGTH, *_RIGHT]
"""Where ``gleu_counts`` has D_n, |r| and N_n; the last two depend on the reference."""
N_COUNTS = 9
_UPPER = np.triu_indices(1 + ORDER)


def gleu_value(sums: Floats) -> Floats:
    """GLEU of sums of ``gleu_counts``; shape (..., 9) to (...), NaN where there is none."""
    proposed, right = sums[..., _PROPOSED], sums[..., _RIGHT]
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty = np.minimum(0.0, 1.0 - sums[..., _LENGTH] / sums[..., 0])
        value: Floats = np.exp(penalty + np.log(right / proposed).mean(axis=-1))
    return _with_limits(value, sums)


def _with_limits(found: Floats, sums: Floats) -> Floats:
    """Put in what the formula does not give: 0 where a sum is 0, NaN where nothing that there is is wrong."""
    proposed, right = sums[..., _PROPOSED], sums[..., _RIGHT]
    flawless = (proposed == right).all(axis=-1) & (sums[..., 0] == sums[..., _LENGTH])
    short = (proposed == 0).any(axis=-1)
    return np.where(short & flawless, np.nan, np.where(short | (right <= 0).any(axis=-1), 0.0, found))


def expected_gleu(sums: Floats) -> Floats:
    """The expected GLEU of independent draws of references, from sums of ``draw_moments``.

    Shape (..., 24) to (...), NaN where there is none.
    """
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import

    length, wanted, right = sums[..., 0], sums[..., _LENGTH], sums[..., _RIGHT]
    covariance = np.zeros((*sums.shape[:-1], 1 + ORDER, 1 + ORDER))
    covariance[..., _UPPER[0], _UPPER[1]] = covariance[..., _UPPER[1], _UPPER[0]] = sums[..., N_COUNTS:]
    variances = np.einsum("...jj->...j", covariance)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = 1 / (ORDER * right)
        second = np.einsum("...j,...k,...jk->...", slope, slope, covariance[..., 1:, 1:])
        second -= (variances[..., 1:] / right**2).sum(axis=-1) / ORDER
        sd = np.sqrt(np.maximum(variances[..., 0], 0.0))
        over = np.where(sd > 0, (wanted - length) / sd, np.where(wanted > length, np.inf, -np.inf))
        # The mean of exp(min(0, 1 - r/|h|)) of a normal r: 1 below |h|, part of a log-normal above it.
        above = np.exp(1 - wanted / length + (sd / length) ** 2 / 2) * ndtr(over - sd / length)
        penalty = ndtr(-over) + above
        # By Stein's lemma its product with what is linear in N_n has the mean of its derivative times the covariance.
        jointly = -above / length * np.einsum("...k,...k->...", slope, covariance[..., 0, 1:])
        precision = np.exp(np.log(right / sums[..., _PROPOSED]).mean(axis=-1))
        value = precision * (penalty * (1 + second / 2) + jointly)
    return _with_limits(value, sums)


def draw_moments(counts: Floats, present: NDArray[np.bool_]) -> Floats:
    """Means of ``gleu_counts`` over the references of each unit, and covariances of |r|, N_1..4.

    Args:
        counts: ``gleu_counts`` against each reference; shape (units, references, 9).
        present: Which references there are; shape (units, references).

    Returns:
        The means, then the upper triangle of the covariances by rows, 0 where there is no reference; shape
        (units, 24).
    """
    weights = present / np.maximum(present.sum(axis=1, keepdims=True), 1)
    means = np.einsum("ur,urk->uk", weights, counts)
    apart = counts[..., _DRAWN] - means[:, None, _DRAWN]
    covariance = np.einsum("ur,urj,urk->ujk", weights, apart, apart)
    return np.concatenate([means, covariance[:, _UPPER[0], _UPPER[1]]], axis=1)


def published_sums(counts: Floats, present: NDArray[np.bool_], before: int = 0) -> Floats:
    """Sums of ``gleu_counts`` under each draw of the published script; shape (500, 9).

    Args:
        counts: As of ``draw_moments``.
        present: As of ``draw_moments``; units without any reference are left out.
        before: Units that came before these.
    """
    some = present.any(axis=1)
    counts, present = counts[some], present[some]
    n, order = present.sum(axis=1), np.argsort(~present, axis=1, kind="stable")
    ranked = np.take_along_axis(counts, order[..., None], axis=1)
    if not len(counts):
        return np.zeros((DRAWS, counts.shape[2]))
    sums = np.tile(ranked[:, 0].sum(axis=0).astype(np.float64), (DRAWS, 1))
    twister = np.random.RandomState(0)  # seeded again for each draw, which a new one takes ten times as long for
    size = max(1, MOST_DRAWN // max(1, len(counts)))
    for at in range(0, DRAWS, size):
        numbers = np.zeros((min(size, DRAWS - at), len(counts)))
        for draw, row in enumerate(numbers, at):
            twister.seed([draw * SEED])
            row[:] = twister.random_sample(before + len(counts))[before:]
        picked = (numbers * n).astype(np.int64)
        for rank in range(1, n.max()):  # whole numbers, so what is added first does not matter
            sums[at : at + size] += (picked == rank) @ (ranked[:, rank] - ranked[:, 0])
    return sums


_PUBLISHED_TOKENS = {
    space: 0xF0000 + space  # of private use: a letter like any other
    for space in (
        *range(0x1C, 0x20),
        0x85,
        0xA0,
        0x1680,
        *range(0x2000, 0x200B),
        0x2028,
        0x2029,
        0x202F,
        0x205F,
        0x3000,
    )
}
"""White space to Unicode, and not to the published script."""


def _known_draws(value: Value) -> str:
    return "" if value in ("none", "published") else "none or published"


@dataclass(frozen=True, slots=True)
class _Drawn(Folded):
    """A fold with the sums of the published draws, to go on from."""

    sums: Floats = field(default_factory=lambda: np.zeros((DRAWS, N_COUNTS)))


@dataclass(frozen=True, slots=True)
class Gleu(ReferenceTexts):
    """The metric.

    Attributes:
        draws: How references are drawn: ``none``, or ``published`` for the 500 draws of the published script.
        only: Score against this annotator's text alone.
    """

    name: ClassVar[str] = "gleu"
    summary: ClassVar[str] = "GLEU of 2016: n-grams shared with any number of reference texts"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("draws", str, "none", "How references are drawn: none or published.", _known_draws),
        Parameter("only", str, "", "Score against this annotator's text alone."),
    )
    fold_only: ClassVar[frozenset[str]] = frozenset({"only"})
    counted: ClassVar[tuple[str, ...]] = ("output_tokens", "reference_tokens")
    measures: ClassVar[tuple[Measure, ...]] = (Measure("gleu", "GLEU"),)

    draws: str = "none"
    only: str = ""

    @property
    def resampled(self) -> Metric:
        """Without draws: those of the published script are of a whole corpus."""
        return self.replaced(draws="none")

    @property
    def keeps_spaces(self) -> bool:
        """The published script splits texts in its own way."""
        return self.draws == "published"

    @property
    def compared(self) -> int:
        """|h|, |r|, D_2..4 and N_1..4."""
        return N_COUNTS

    def compare(self, source: str, reference: str, output: str) -> Sequence[float]:
        """The counts of a sentence against one reference text."""
        return gleu_counts(*(self._splitting(text) for text in (source, reference, output)))

    def _splitting(self, text: str) -> str:
        """The text, such that ``split`` gives the tokens."""
        return text.translate(_PUBLISHED_TOKENS) if self.keeps_spaces else text

    def compare_all(
        self, sources: Sequence[str], outputs: Sequence[str], references: Sequence[str], units: NDArray[np.int64]
    ) -> Floats:
        """``gleu_counts`` of all texts at once."""
        if self.keeps_spaces:
            sources, outputs, references = ([*map(self._splitting, texts)] for texts in (sources, outputs, references))
        ours, theirs, right = shared_grams(sources, outputs, references, units, ORDER)
        proposed = np.maximum(0, ours[units, None] + 1 - np.arange(2, ORDER + 1))
        return np.column_stack([ours[units], theirs, proposed, right]).astype(np.float64)

    def summands(self, statistics: Sums, allowed: NDArray[np.bool_]) -> Floats:
        """Means and covariances over the references of each unit."""
        return draw_moments(statistics.counts, allowed)

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Nothing was scored, or the outputs are too short for n-grams of some order."""
        if not folded.n_units[0]:
            return [Undefined.NO_UNITS]
        return [Undefined.TOO_SHORT if np.isnan(folded.values[0, 0]) else None]

    def rate(self, sums: Floats) -> Floats:
        """GLEU without draws."""
        return expected_gleu(sums)[..., None]

    def parts(self, statistics: Sums, *, start: Folded | None = None) -> UnitParts:
        """The scores of sentences alone; the annotator of one that has but one."""
        allowed = self.allowed_annotators(statistics)
        alone = gleu_value(np.where(statistics.counts > 0, statistics.counts, 1))
        n = allowed.sum(axis=1)
        values = np.divide((alone * allowed).sum(axis=1), n, out=np.full(len(n), np.nan), where=n > 0)
        names = [statistics.annotators[row.argmax()] if k == 1 else None for row, k in zip(allowed, n, strict=True)]
        return UnitParts(names, self.summands(statistics, allowed)[:, : len(self.counted)], values[:, None])

    def fold(self, statistics: Sums, selection: Selection | None = None, *, start: Folded | None = None) -> Folded:
        """The published draws are of the whole corpus in its order; a selection has none."""
        if self.draws == "none" or selection is not None:
            # Not super(): a dataclass with slots is made anew, and super() would mean the first one.
            return ReferenceTexts.fold(self, statistics, selection, start=start)
        counts, n_units = self.sum_replicates(statistics, None, start)
        before = 0 if start is None else int(start.n_units[0])
        sums = published_sums(statistics.counts, self.allowed_annotators(statistics), before)
        if isinstance(start, _Drawn):
            sums += start.sums
        return _Drawn(gleu_value(sums).mean(keepdims=True)[None], counts, n_units, sums)
