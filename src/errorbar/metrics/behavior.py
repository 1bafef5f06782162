"""What a system does with errors: corrects them, corrects them wrongly, leaves them, or makes changes of its own.

Formula
    A sentence is cut into chunks: the spans of the edits of the system and of all its annotators, joined where they
    overlap or touch. Against an annotator a chunk is a hit (H) if both change it to one text, wrong (W) if both change
    it and to different texts, under-corrected (U) if only the annotator changes it, over-corrected (O) if only the
    system does. Over the sentences of a corpus, each with the annotator chosen for it,
    hit = H / (H + W + U), wrong = W / (H + W + U), under = U / (H + W + U), over = O / (H + W + O), and
    score = .45 hit + .35 (1 - wrong) + .15 (1 - under) + .05 (1 - over).
Conventions
    A ratio with an empty denominator is 0. ``running`` takes for each sentence the annotator with the largest score of
    the corpus so far plus this sentence; ties go to more hits, fewer wrong and over-corrected chunks, fewer
    under-corrected ones, then to the first. ``sentence`` compares scores of the sentence alone.
    Of a text without edits of its own, the edits are those of the minimal aligner (errorbar.edits.texts). A reference
    edit with alternatives is met by any of them. Edits without a correction are left out, and so is one that overlaps
    an earlier edit of its side. A system's edits that leave a chunk as it is do not change it.
    A chunk counts for each type of the annotator's edits in it, an over-corrected one for each of the system's.
    The chunks are those of all annotators of a sentence, whoever is chosen: the fewer files, the smaller the chunks.
Source
    Ye et al. 2024, CLEME2.0 (arXiv:2407.00934), under the dependence assumption, for a corpus and without weights of
    edits; its program decides what the paper leaves open, and the tests compare with that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, Corrected, wrong_count
from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.spec import Parameter
from errorbar.edits.chunks import applied, changed_chunks, chunk_text, says, within
from errorbar.edits.texts import extract_edits
from errorbar.metrics.additive import OVERLAP, ReferenceTexts
from errorbar.metrics.base import Feature, Floats, Folded, Measure, lacking
from errorbar.metrics.choice import RUNNING, SENTENCE
from errorbar.metrics.edit_metric import CHOOSE, EditMetric
from errorbar.metrics.edit_statistics import EditStatistics, Ints, tally_types
from errorbar.metrics.errant import edits_of
from errorbar.stats.units import divided

WEIGHTS = (0.45, 0.35, 0.15, 0.05)
"""Of the hits, and of what is not wrong, under- and over-corrected: the program's for corpora."""
BEHAVIORS = ("n_hit", "n_wrong", "n_under", "n_over")
_HIT, _WRONG, _UNDER, _OVER = range(4)
Seen = tuple[int, tuple[str, ...]]  # what happened to a chunk, and the types it counts for


@dataclass(frozen=True, slots=True)
class ByScore:
    """Annotators are compared by the score, of the corpus so far (``running``) or of the sentence alone."""

    running: bool

    def keys(self, reached: Ints) -> Sequence[NDArray[Any]]:
        """The score, then what its ties go by."""
        hit, wrong, under, over = np.moveaxis(reached, -1, 0)
        return behavior_rates(reached)[..., -1], hit, -(wrong + over), -under


@dataclass(frozen=True, slots=True)
class Behavior(EditMetric):
    """The metric.

    Attributes:
        choose: ``running`` (the published program's way), ``sentence`` (order-free), or the name of one annotator.

    Raises:
        UsageError: If a parameter will not do.
    """

    name: ClassVar[str] = "behavior"
    summary: ClassVar[str] = "Hits, wrong, missed and needless corrections, equal to CLEME 2.0 without weights"
    parameters: ClassVar[tuple[Parameter, ...]] = (CHOOSE,)
    fold_only = frozenset({"choose"})
    takes_edits = True
    counted = BEHAVIORS
    type_counted = (*BEHAVIORS, "gold")
    type_measures = ("hit", "wrong", "under")
    lacks: ClassVar[Mapping[Feature, str]] = {"closed": "there is no formula for intervals of its score"}
    remarks = ReferenceTexts.remarks

    choose: str = RUNNING

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Four shares of what happens to chunks, and the score that weighs them."""
        shares = ("wrong", "under", "over")
        return Measure("hit", "hit"), *(Measure(one, one, better="lower") for one in shares), Measure("score", "score")

    @property
    def rule(self) -> ByScore:
        """How annotators are compared."""
        return ByScore(self.choose != SENTENCE)

    def rate(self, totals: NDArray[np.int64]) -> Floats:
        """The measures of totals."""
        return behavior_rates(totals)

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Which empty case fills the shares."""
        if not folded.n_units[0]:
            return (Undefined.NO_UNITS,) * len(self.measures)
        hit, wrong, under, over = folded.counts[0].tolist()
        nothing = None if hit + wrong + under else Undefined.NOTHING_IN_REFERENCE
        unproposed = None if hit + wrong + over else Undefined.NOTHING_PROPOSED
        return nothing, nothing, nothing, unproposed, Undefined.NO_EDITS if nothing and unproposed else nothing

    def closed_intervals(self, folded: Folded, confidence_level: float) -> Sequence[Interval | Undefined]:
        """There are none."""
        raise lacking(self, "closed")

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> EditStatistics:
        """Count what happens to the chunks of each sentence against each annotator; ``by_type``: for each type too.

        Raises:
            InputError: If the numbers of sentences differ, or a system's edits are of other sentences.
        """
        if len(output) != len(reference):
            problem = Problem("line-count", wrong_count(len(output), len(reference)), Place(reference.name))
            raise InputError([problem])
        counts = np.zeros((len(reference), len(reference.annotators), len(BEHAVIORS)), np.int32)
        present = np.zeros(counts.shape[:2], np.uint8)
        column = {name: k for k, name in enumerate(reference.annotators)}
        types: dict[str, int] = {}
        rows: list[tuple[int, ...]] = []
        n_overlaps = 0
        for unit, (sentence, said) in enumerate(zip(reference.sentences, _proposed(reference, output), strict=True)):
            sides = [applied(said), *map(applied, sentence.annotations.values())]
            n_overlaps += sum(edit.applicable for edits in sentence.annotations.values() for edit in edits)
            n_overlaps -= sum(map(len, sides[1:]))
            for name, seen in zip(sentence.annotations, _look(sentence.tokens, sides), strict=True):
                at = column[name]
                present[unit, at] = 1
                for what, _ in seen:
                    counts[unit, at, what] += 1
                by = Counter((kind, what) for what, kinds in seen for kind in kinds if by_type)
                for kind in dict.fromkeys(kind for kind, _ in by):
                    four = [by[kind, what] for what in range(len(BEHAVIORS))]
                    slot, number = unit * len(column) + at, types.setdefault(kind, len(types))
                    rows.append((slot, number, *four, sum(four[:_OVER])))
        shape = (*counts.shape[:2], len(types))
        typed = tally_types(rows, shape, len(self.type_counted)) if by_type else None
        return EditStatistics(counts, present, reference.annotators, typed, tuple(types), n_overlaps)

    def type_values(self, counts: Ints) -> Floats:
        """What share of the chunks that annotators change for each type is hit, wrong and left."""
        return divided(counts[..., :_OVER], counts[..., -1:])

    def remarked(self, statistics: EditStatistics) -> Mapping[str, int]:
        """Edits of annotators that overlap earlier ones."""
        return {OVERLAP: statistics.n_remarked}


def behavior_rates(counts: Ints) -> Floats:
    """The four shares and the score of counts (..., 4); shape (..., 5)."""
    hit, wrong, under, over = (counts[..., kind].astype(np.float64) for kind in range(len(BEHAVIORS)))
    needed, changed = hit + wrong + under, hit + wrong + over
    shares = [np.nan_to_num(divided(one, needed)) for one in (hit, wrong, under)]
    shares.append(np.nan_to_num(divided(over, changed)))
    score = WEIGHTS[_HIT] * shares[_HIT]
    for kind in (_WRONG, _UNDER, _OVER):
        score = score + WEIGHTS[kind] * (1 - shares[kind])
    return np.stack([*shares, score], axis=-1)


def _proposed(reference: Corpus, output: Sequence[str]) -> Sequence[Sequence[Edit]]:
    """The edits of a system's sentences, the minimal aligner's where it has none of its own."""
    made = [
        line if isinstance(line, Corrected) else Corrected(line, extract_edits(sentence.tokens, line.split()))
        for sentence, line in zip(reference.sentences, output, strict=True)
    ]
    return edits_of(reference, made)


def _look(tokens: Sequence[str], sides: Sequence[Sequence[Edit]]) -> Iterator[list[Seen]]:
    """What happens to the chunks of a sentence, against each annotator; the first side is the system."""
    chunks = changed_chunks(sides)
    ours = [within(sides[0], chunk) for chunk in chunks]
    texts = [chunk_text(tokens, chunk, edits) for chunk, edits in zip(chunks, ours, strict=True)]
    for side in sides[1:]:
        seen: list[Seen] = []
        for chunk, own, text in zip(chunks, ours, texts, strict=True):
            theirs = within(side, chunk)
            met = says(tokens, chunk, theirs, text)
            if text == list(tokens[slice(*chunk)]):
                if met:
                    continue
                what = _UNDER
            else:
                what = _HIT if met else _WRONG if theirs else _OVER
            by = own if what == _OVER else theirs
            seen.append((what, tuple(dict.fromkeys(edit.type for edit in by))))
        yield seen
