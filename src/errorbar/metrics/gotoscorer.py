"""GoToScorer: P, R and F where an edit weighs the share of the compared systems that do not make it.

Formula
    A sentence is cut into chunks by an annotator's edits: each edit, each token outside of edits, and each place
    between these where something could be inserted. Against a system's edits a chunk is
    TP if it is an edit that the system makes, TN if it is none and the system leaves it,
    FP if it is none and the system changes it, FN if it is an edit and the system leaves it,
    FP and FN if it is an edit and the system changes it otherwise.
    Of N systems, the difficulty of a chunk is w = 1 - (systems under which it is TP or TN) / N. Over the chunks of a
    corpus, P = Σw TP / Σw (TP + FP), R = Σw TP / Σw (TP + FN), F = (1 + beta²) P R / (beta² P + R).
Conventions
    Weights are kept as whole numbers, N w: the systems that are wrong. P, R and F are the same, and sums are exact.
    A token counts as changed if an edit with a span covers it, an edit of the annotator also if the system inserts
    something at its beginning or within. P and R without a denominator are 0; where no chunk weighs anything, every
    system is right everywhere, and nothing is defined.
    Of several annotators the first is scored against, as by the program, and ``only`` names another. An edit with
    alternatives is made by any of them. Edits of type noop, UNK and Um are left out, as is one that overlaps an earlier
    one.
    The weights of a sentence come of the outputs for it alone, so that resampling sentences, or swapping the outputs
    of two systems, leaves them as they are.
Source
    Gotou, Nagata, Mita & Hanawa 2020, "Taking the Correction Difficulty into Account in Grammatical Error Correction
    Evaluation", COLING; what the paper leaves open is the behavior of the authors' program, which the tests compare
    with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np

from errorbar.core.arrays import Floats, divide
from errorbar.core.corpus import Annotation, Corpus, wrong_count
from errorbar.core.edit import OWN_PIPELINE, Edit
from errorbar.core.estimate import Undefined
from errorbar.core.problems import InputError, Place, Problem, UsageError
from errorbar.core.spec import Parameter, Value, beta_parameter, word_parameter
from errorbar.edits.matching import ProposedEdit
from errorbar.edits.texts import select_applied
from errorbar.metrics.additive import SummedCounts, Sums
from errorbar.metrics.base import Feature, Folded, Measure
from errorbar.metrics.edit_metric import MADE, PIPELINE, edits_of_sides, prf_measures

COUNTED = ("tp", "fp", "fn", "tn")
_TP, _FP, _FN, _TN = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)
_BOTH = (0, 1, 1, 0)
_NO_EDITS = ("noop", "UNK", "Um")
FEWEST = 2
"""Systems that are compared: every chunk that the only one gets right would weigh nothing."""
Fate = tuple[int, int, int, int]


class Chunk(NamedTuple):
    """A stretch of a source sentence; an empty one is a place where something could be inserted."""

    start: int
    end: int
    edit: Edit | None  # the annotator's; None: it is to stay as it is


@dataclass(frozen=True, slots=True)
class ChunkDifficulties:
    """The difficulty of all chunks of a corpus."""

    n_systems: int
    digest: str  # of sources, chunks and difficulties; those of one digest weigh alike
    wrong: Sequence[Mapping[str, tuple[int, ...]]] = field(compare=False, repr=False)  # of each sentence, by annotator
    made_by: str = ""  # maker of the edits of texts, if not the minimal aligner


def clean_edits(edits: Iterable[Edit]) -> list[Edit]:
    """The edits that count, in order."""
    return select_applied(edit for edit in edits if edit.type not in _NO_EDITS)


def cut_chunks(n_tokens: int, edits: Sequence[Edit]) -> Iterator[Chunk]:
    """The chunks of a sentence of so many tokens, by an annotator's edits in order."""
    at, inserts = 0, False  # whether the chunk before is an insertion
    for edit in (*edits, None):
        for token in range(at, n_tokens if edit is None else edit.start):
            if not inserts:
                yield Chunk(token, token, None)
            yield Chunk(token, token + 1, None)
            inserts = False
        if edit is not None:
            if edit.start < edit.end and not inserts:
                yield Chunk(edit.start, edit.start, None)
            yield Chunk(edit.start, edit.end, edit)
            at, inserts = edit.end, edit.start == edit.end
    if not inserts:
        yield Chunk(n_tokens, n_tokens, None)


def judge_chunk(chunk: Chunk, own: Sequence[Edit]) -> Fate:
    """TP, FP, FN and TN of a chunk under a system's edits."""
    start, end, wanted = chunk
    if wanted is not None:
        if any(edit.span == (start, end) and edit.replacements[0] in wanted.replacements for edit in own):
            return _TP
        if start == end:
            changed = any(edit.span == (start, end) for edit in own)
        else:
            changed = any(edit.start < end and (start < edit.end or start <= edit.start) for edit in own)
        return _BOTH if changed else _FN
    if start == end:
        return _FP if any(edit.span == (start, end) for edit in own) else _TN
    return _FP if any(edit.start < end and start < edit.end and edit.start < edit.end for edit in own) else _TN


def judge_chunks(chunks: Sequence[Chunk], own: Sequence[Edit]) -> list[Fate]:
    """TP, FP, FN and TN of each chunk under a system's edits."""
    if not own:  # as most sentences
        return [_TN if chunk.edit is None else _FN for chunk in chunks]
    return [judge_chunk(chunk, own) for chunk in chunks]


def _is_right(fate: Fate) -> bool:
    return fate in (_TP, _TN)


@dataclass(frozen=True, slots=True)
class GoToScorer(SummedCounts):
    """The metric.

    Attributes:
        beta: Weight of recall against precision.
        edits: What makes the edits of references and systems that are texts: ``minimal``, or ``errant``.
        only: Score against this annotator alone.
        pipeline: The spaCy pipeline, or its folder, for ERRANT.
    """

    name: ClassVar[str] = "gotoscorer"
    summary: ClassVar[str] = "GoToScorer: P, R and F where an edit weighs the share of systems that do not make it"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        beta_parameter(0.5),
        word_parameter("edits", "Edits of references and systems that are texts: minimal, or errant.", *MADE),
        Parameter("only", str, "", "Score against this annotator alone."),
        PIPELINE,
    )
    fold_only: ClassVar[frozenset[str]] = frozenset({"beta", "only"})
    takes_edits: ClassVar[bool] = True
    joint: ClassVar[bool] = True
    slower: ClassVar[int] = 3
    counted: ClassVar[tuple[str, ...]] = COUNTED
    lacks: ClassVar[Mapping[Feature, str]] = {
        "types": "what a system changes needlessly has no type of the reference",
        "closed": "there is no formula for its intervals",
    }

    beta: float = 0.5
    edits: str = MADE[0]
    only: str = ""
    pipeline: str = OWN_PIPELINE

    @property
    def makes_edits(self) -> bool:
        """Whether ERRANT makes the edits of texts."""
        return self.edits != MADE[0]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """P, R and F."""
        return prf_measures(self.beta)

    def cost(self, counts: Floats) -> Floats:
        """The same for all annotators: the first one is taken."""
        return np.zeros(counts.shape[:-1])

    def with_systems(self, reference: Corpus, outputs: Sequence[Sequence[str]]) -> WeighedGoToScorer:
        """The metric that knows the difficulty of each chunk for all systems.

        Raises:
            InputError: If a system has another number of sentences.
            UsageError: If there are fewer than two systems.
        """
        if len(outputs) < FEWEST:
            message = f"{self.name} needs {FEWEST} systems or more: it weighs edits by the share of systems that fail"
            raise UsageError(Problem("too-few-systems", message, fix="add the systems that it is to be compared with"))
        wrong: list[dict[str, list[int]]] = []
        made_by = ""
        for output in outputs:
            corpus, proposed, maker = self._sides(reference, output)
            made_by = max(made_by, maker)  # some outputs know their edits
            if not wrong:
                chunks = [_chunks_of(corpus, unit) for unit in range(len(corpus))]
                wrong = [{name: [0] * len(own) for name, own in one.items()} for one in chunks]
            for unit, edits in enumerate(proposed):
                made = clean_edits(edits)
                for name, own in chunks[unit].items():
                    counts = wrong[unit][name]
                    for at, fate in enumerate(judge_chunks(own, made)):
                        counts[at] += not _is_right(fate)
        frozen = [{name: tuple(counts) for name, counts in one.items()} for one in wrong]
        values = {one.name: getattr(self, one.name) for one in self.parameters}
        if len(corpus.annotators) > 1:  # nobody else needs a name
            values["only"] = self.only or corpus.annotators[0]
        return WeighedGoToScorer(**values, difficulties=_make_difficulties(corpus, len(outputs), frozen, made_by))

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> Sums:
        """Refuse: edits cannot be weighed before ``with_systems``.

        Raises:
            UsageError: Always.
        """
        message = f"{self.name} weighs edits by all systems against one gold, and here each is measured alone"
        fix = f"use errorbar score, compare, meta or report with all systems and --gold, not '{self.name}' here"
        raise UsageError(Problem("systems-unknown", message, fix=fix))

    def rate(self, sums: Floats) -> Floats:
        """P, R and F."""
        tp, fp, fn, tn = np.moveaxis(np.asarray(sums, np.float64), -1, 0)
        beta2 = self.beta * self.beta
        f = divide((1 + beta2) * tp, (1 + beta2) * tp + beta2 * fn + fp)
        rates = np.stack([divide(tp, tp + fp), divide(tp, tp + fn), f], axis=-1)
        return np.where((tp + fp + fn + tn > 0)[..., None], np.nan_to_num(rates), np.nan)

    def reasons(self, folded: Folded) -> Sequence[Undefined | None]:
        """Which empty case fills P, R and F, or that nothing weighs anything."""
        if not folded.n_units[0]:
            return [Undefined.NO_UNITS] * len(self.measures)
        tp, fp, fn, tn = folded.counts[0].tolist()
        if not tp + fp + fn + tn:
            return [Undefined.NO_DIFFICULTY] * len(self.measures)
        no_p = None if tp + fp else Undefined.NOTHING_PROPOSED
        no_r = None if tp + fn else Undefined.NOTHING_IN_REFERENCE
        return no_p, no_r, no_p or no_r or (None if tp else Undefined.NOTHING_CORRECT)

    def system_edits(
        self, reference: Corpus, output: Sequence[str], annotators: Sequence[str | None]
    ) -> Sequence[Sequence[ProposedEdit]]:
        """The edits of each sentence, and whether the annotator makes them too."""
        corpus, proposed, _ = self._sides(reference, output)
        rows: list[list[ProposedEdit]] = []
        for sentence, edits, name in zip(corpus.sentences, proposed, annotators, strict=True):
            theirs = clean_edits(sentence.annotations.get(name, ())) if name is not None else ()
            wanted = {(*edit.span, text) for edit in theirs for text in edit.replacements}
            own = ((*edit.span, edit.replacements[0]) for edit in clean_edits(edits) if name is not None)
            rows.append([ProposedEdit(*edit, edit in wanted) for edit in own])
        return rows

    def _sides(self, reference: Corpus, output: Sequence[str]) -> tuple[Corpus, Sequence[Annotation], str]:
        if len(output) != len(reference):
            raise InputError(Problem("line-count", wrong_count(len(output), len(reference)), Place(reference.name)))
        return edits_of_sides(reference, output, self.pipeline if self.makes_edits else None)


@dataclass(frozen=True, slots=True)
class WeighedGoToScorer(GoToScorer):
    """The metric with the difficulties of all chunks of the corpus that it measures."""

    difficulties: ChunkDifficulties = ChunkDifficulties(0, "", ())

    @property
    def measure_key(self) -> str:
        """The key of all that the map depends on, the systems too."""
        spec = self._spec([one for one in self.parameters if one.name not in self.fold_only])
        return f"{spec}{self._systems_name()}"

    def _systems_name(self) -> str:
        return f"systems:{self.difficulties.n_systems}@{self.difficulties.digest}"

    def made_by(self, statistics: Sums) -> str:
        """The maker of the edits of texts, and the systems that edits are weighed by."""
        return "|".join(filter(None, (self.difficulties.made_by, self._systems_name())))

    def replaced(self, **values: Value) -> Self:
        """The metric with other values of some parameters, and the same systems."""
        return replace(self, **values)  # type: ignore[arg-type]  # its parameters

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> Sums:
        """Weighted TP, FP, FN and TN of each sentence against each annotator.

        Raises:
            InputError: If the numbers of sentences differ, or the weights are of another reference.
        """
        corpus, proposed, _ = self._sides(reference, output)
        if len(self.difficulties.wrong) != len(corpus):
            raise _other_reference(self.difficulties, corpus.name)
        counts = np.zeros((len(corpus), len(corpus.annotators), len(COUNTED)), np.int64)
        present = np.zeros(counts.shape[:2], np.bool_)
        column = {name: k for k, name in enumerate(corpus.annotators)}
        n_overlaps = 0
        for unit, edits in enumerate(proposed):
            made, wrong = clean_edits(edits), self.difficulties.wrong[unit]
            annotations = corpus.sentences[unit].annotations
            for name, chunks in _chunks_of(corpus, unit).items():
                n_overlaps += sum(one.applicable and one.type not in _NO_EDITS for one in annotations[name])
                n_overlaps -= sum(chunk.edit is not None for chunk in chunks)
                if len(chunks) != len(wrong.get(name, ())):
                    raise _other_reference(self.difficulties, corpus.name)
                fates = np.array(judge_chunks(chunks, made), np.int64)
                counts[unit, column[name]] = np.array(wrong[name], np.int64) @ fates
                present[unit, column[name]] = True
        return Sums(counts, present, corpus.annotators, n_overlaps)


def _chunks_of(corpus: Corpus, unit: int) -> dict[str, list[Chunk]]:
    """The chunks of a sentence by annotator."""
    sentence = corpus.sentences[unit]
    return {
        name: list(cut_chunks(len(sentence.tokens), clean_edits(edits))) for name, edits in sentence.annotations.items()
    }


def _make_difficulties(
    corpus: Corpus, n_systems: int, wrong: Sequence[Mapping[str, tuple[int, ...]]], made_by: str
) -> ChunkDifficulties:
    """Difficulties with their digest."""
    content = hashlib.sha256(f"{n_systems}".encode())
    for sentence, own in zip(corpus.sentences, wrong, strict=True):
        content.update(f"\n{sentence.text}\t{sorted(own.items())}".encode())
    return ChunkDifficulties(n_systems, content.hexdigest()[:12], tuple(wrong), made_by)


def _other_reference(difficulties: ChunkDifficulties, name: str) -> InputError:
    message = f"the weights of {difficulties.n_systems} systems are of another reference"
    return InputError(Problem("other-weights", message, Place(name), fix="weigh and score with the same reference"))
