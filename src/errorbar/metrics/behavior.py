"""The behavior of a system: it corrects errors, corrects them wrongly, leaves them, or makes changes of its own.

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
    Edits of texts are those of the minimal aligner (errorbar.edits.texts), or ERRANT's. A reference edit with
    alternatives is met by any of them. Edits without a correction are left out, and so is one that overlaps an earlier
    edit of its side. A system's edits that leave a chunk as it is do not change it.
    A chunk counts for each type of the annotator's edits in it, an over-corrected one for each of the system's.
    The chunks are those of all annotators of a sentence, whoever is chosen: with more annotators they are longer.
    Under an annotator who leaves a sentence as it is, nothing is wrong or under-corrected, and what a system changes
    costs the .05 of over-correction alone. One who changes (nearly) nothing is chosen for most sentences and makes any
    system look good, so there is a warning.
Source
    Ye et al. 2025, CLEME2.0 (arXiv:2407.00934), under the dependence assumption, for a corpus and without weights of
    edits; its program decides what the paper leaves open, and the tests compare with that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints, divide
from errorbar.core.corpus import Annotation, Corpus, TextEdits
from errorbar.core.edit import OWN_PIPELINE, Edit
from errorbar.core.estimate import Interval, Undefined
from errorbar.core.problems import Problem
from errorbar.core.spec import Parameter, word_parameter
from errorbar.edits.matching import ProposedEdit
from errorbar.edits.texts import chunk_text, extract_edits, find_changed_chunks, says, select_applied, within
from errorbar.metrics.additive import OVERLAP, ReferenceTexts
from errorbar.metrics.base import Feature, Folded, Measure, lacking
from errorbar.metrics.choice import RUNNING, SENTENCE, EditStatistics, tally_types
from errorbar.metrics.edit_metric import CHOOSE, MADE, PIPELINE, EditMetric

WEIGHTS = (0.45, 0.35, 0.15, 0.05)
"""Of the hits, and of what is not wrong, under- and over-corrected: the program's for corpora."""
BEHAVIORS = ("n_hit", "n_wrong", "n_under", "n_over")
_HIT, _WRONG, _UNDER, _OVER = range(4)
UNCHANGED = "annotator-unchanged"
LEAST_CHANGED = 0.1
"""An annotator who changes a smaller share of sentences than this times the others' median is warned of."""
_LOOKED, _CHANGED = "sentences of ", "changed sentences of "


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
        edits: What makes the edits of references and systems that are texts: ``minimal``, or ``errant``.
        pipeline: The spaCy pipeline, or its folder, for ERRANT.

    Raises:
        UsageError: If a parameter will not do.
    """

    name: ClassVar[str] = "behavior"
    summary: ClassVar[str] = "Hits, wrong, missed and needless corrections, equal to CLEME 2.0 without weights"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        CHOOSE,
        word_parameter("edits", "Edits of references and systems that are texts: minimal, or errant.", *MADE),
        PIPELINE,
    )
    fold_only = frozenset({"choose"})
    takes_edits = True
    slower = 2000  # nothing is compiled
    counted = BEHAVIORS
    type_counted = (*BEHAVIORS, "gold")
    type_measures = ("hit", "wrong", "under")
    lacks: ClassVar[Mapping[Feature, str]] = {"closed": "there is no formula for intervals of its score"}
    remarks = ReferenceTexts.remarks

    choose: str = RUNNING
    edits: str = MADE[0]
    pipeline: str = OWN_PIPELINE

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
            UsageError: If ERRANT is asked for and not installed.
        """
        corpus, proposed, made_by = self._sides(reference, output)
        counts = np.zeros((len(corpus), len(corpus.annotators), len(BEHAVIORS)), np.int32)
        present = np.zeros(counts.shape[:2], np.uint8)
        column = {name: k for k, name in enumerate(corpus.annotators)}
        types: dict[str, int] = {}
        rows: list[tuple[int, ...]] = []
        remarked = Counter[str]()
        for unit, (sentence, own) in enumerate(zip(corpus.sentences, proposed, strict=True)):
            sides = [select_applied(edits) for edits in sentence.annotations.values()]
            remarked[OVERLAP] += sum(edit.applicable for edits in sentence.annotations.values() for edit in edits)
            remarked[OVERLAP] -= sum(map(len, sides))
            remarked.update(_LOOKED + name for name in sentence.annotations)
            remarked.update(_CHANGED + name for name, side in zip(sentence.annotations, sides, strict=True) if side)
            for name, chunks in zip(
                sentence.annotations, _look(sentence.tokens, select_applied(own), sides), strict=True
            ):
                at = column[name]
                present[unit, at] = 1
                seen = [chunk for chunk in chunks if chunk.what is not None]
                for chunk in seen:
                    counts[unit, at, chunk.what] += 1
                by = Counter((kind, chunk.what) for chunk in seen for kind in chunk.types if by_type)
                for kind in dict.fromkeys(kind for kind, _ in by):
                    four = [by[kind, behavior] for behavior in range(len(BEHAVIORS))]
                    slot, number = unit * len(column) + at, types.setdefault(kind, len(types))
                    rows.append((slot, number, *four, sum(four[:_OVER])))
        shape = (*counts.shape[:2], len(types))
        typed = tally_types(rows, shape, len(self.type_counted)) if by_type else None
        return EditStatistics(counts, present, corpus.annotators, typed, tuple(types), remarked, made_by)

    def notes(self, remarked: Mapping[str, int]) -> Iterable[Problem]:
        """Overlapping edits, and annotators who change so little that the score of a system that does too is high."""
        yield from EditMetric.notes(self, remarked)
        looked = {key.removeprefix(_LOOKED): n for key, n in remarked.items() if key.startswith(_LOOKED)}
        shares = {name: remarked.get(_CHANGED + name, 0) / n for name, n in looked.items()}
        for name, share in shares.items():
            usual = median([other for who, other in shares.items() if who != name] or [0.0])
            if self.choose in (RUNNING, SENTENCE) and share < LEAST_CHANGED * usual:
                message = (
                    f"annotator {name} changes {share:.1%} of the sentences, the others {usual:.1%}; under this "
                    "annotator nothing is wrong or under-corrected, so that almost any system scores high"
                )
                fix = f"leave this annotator out, or score against another alone: --metric='{self.name}(choose=NAME)'"
                yield Problem(UNCHANGED, message, fix=fix, severity="warning")

    def system_edits(
        self, reference: Corpus, output: Sequence[str], annotators: Sequence[str | None]
    ) -> Sequence[Sequence[ProposedEdit]]:
        """The edits of each sentence, matched where their chunk is a hit against the annotator."""
        corpus, proposed, _ = self._sides(reference, output)
        matched: list[list[ProposedEdit]] = []
        for sentence, own, name in zip(corpus.sentences, proposed, annotators, strict=True):
            looked = dict(zip(sentence.annotations, range(len(sentence.annotations)), strict=True))
            sides = [select_applied(edits) for edits in sentence.annotations.values()]
            chunks = [*_look(sentence.tokens, select_applied(own), sides)][looked[name]] if name in looked else []
            edits = ((edit, chunk.what == _HIT) for chunk in chunks for edit in chunk.own)
            matched.append([ProposedEdit(*edit.span, edit.replacements[0], hit) for edit, hit in edits])
        return matched

    def _sides(self, reference: Corpus, output: Sequence[str]) -> tuple[Corpus, Sequence[Annotation], str]:
        """The edits of both sides, and what made those of texts, if not the minimal aligner."""
        from errorbar.edits.errant import select_own_edits, type_output, type_reference  # noqa: PLC0415 - sqlite

        if not self.makes_edits:
            triples = zip(select_own_edits(reference, output), output, reference.sentences, strict=True)
            edits = [
                tuple(extract_edits(sentence.tokens, line.split())) if isinstance(own, TextEdits) else own
                for own, line, sentence in triples
            ]
            return reference, edits, ""
        corpus, made_by = type_reference(reference, self.pipeline)
        proposed, made_too = type_output(reference, output, self.pipeline)
        return corpus, proposed, made_by or made_too

    def type_values(self, counts: Ints) -> Floats:
        """The shares of the chunks that annotators change for each type that are hit, wrong and left."""
        return divide(counts[..., :_OVER], counts[..., -1:])


def behavior_rates(counts: Ints) -> Floats:
    """The four shares and the score of counts (..., 4); shape (..., 5)."""
    hit, wrong, under, over = (counts[..., kind].astype(np.float64) for kind in range(len(BEHAVIORS)))
    needed, changed = hit + wrong + under, hit + wrong + over
    shares = [np.nan_to_num(divide(one, needed)) for one in (hit, wrong, under)]
    shares.append(np.nan_to_num(divide(over, changed)))
    score = WEIGHTS[_HIT] * shares[_HIT]
    for kind in (_WRONG, _UNDER, _OVER):
        score = score + WEIGHTS[kind] * (1 - shares[kind])
    return np.stack([*shares, score], axis=-1)


class _Chunk(NamedTuple):
    """The fate of a chunk against an annotator."""

    what: int | None  # one of ``BEHAVIORS``; None: the system leaves it, and so does the annotator
    own: Sequence[Edit]  # of the system
    theirs: Sequence[Edit]

    @property
    def types(self) -> Iterator[str]:
        """The types that it counts for."""
        return iter(dict.fromkeys(edit.type for edit in (self.own if self.what == _OVER else self.theirs)))


def _look(tokens: Sequence[str], ours: Sequence[Edit], sides: Sequence[Sequence[Edit]]) -> Iterator[list[_Chunk]]:
    """Compare a system's chunks of a sentence with those of each annotator."""
    chunks = find_changed_chunks([ours, *sides])
    own = [within(ours, chunk) for chunk in chunks]
    texts = [chunk_text(tokens, chunk, edits) for chunk, edits in zip(chunks, own, strict=True)]
    for side in sides:
        seen: list[_Chunk] = []
        for chunk, edits, text in zip(chunks, own, texts, strict=True):
            theirs = within(side, chunk)
            met, behavior = says(tokens, chunk, theirs, text), None
            if text != list(tokens[slice(*chunk)]):
                behavior = _HIT if met else _WRONG if theirs else _OVER
            elif not met:
                behavior = _UNDER
            seen.append(_Chunk(behavior, edits, theirs))
        yield seen
