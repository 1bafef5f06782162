"""How well do annotators score against each other, and how near does a system come?

Formula
    g(X, k, i) is the mean score of text X over all subsets of k annotators that do not hold annotator i.
    Human: h_i(k) = g(text of annotator i, k, i), and h(k) is its mean over i. System: s(k) is the mean over i of
    g(output, k, i), which is the mean over all subsets of k annotators as long as one is left out. Ratio: s(k) / h(k).
Conventions
    The text of an annotator is the source with the first alternative of every edit applied; edits of unclear
    meaning (``Um``) and edits without a known correction stay unapplied. Overlapping edits: the later one is left
    out. k ends at one less than there are annotators, since a human text is never scored against its own author.
    There is no ratio where a score is undefined or the human score is not above 0. Where lower is better, a ratio above
    1 is worse than a human. An annotator who did not look at a sentence leaves it as it is, and a note says so. Where
    there are too many subsets of a size, different ones are drawn.
Source
    Bryant & Ng 2015, How far are we from fully automatic high quality grammatical error correction?, sections 4, 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, Corrected, Hypothesis, absent_note
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.edits.texts import corrected_text
from errorbar.execute import run
from errorbar.metrics.base import Floats, Measure, Metric, Selection, lacking
from errorbar.metrics.subsets import MOST, NO_ONE, Subsets, annotator_subsets
from errorbar.stats.resampling import stream
from errorbar.stats.units import divided

Units = NDArray[np.int64]
MOST_SETS, LEAST = 100_000, 10
"""Subsets of all sizes and of many annotators that are drawn unasked; so many of each size, or none are."""
MOST_ASKED = 10_000_000
"""Subsets of all sizes and annotators that are folded where a number of them is asked for: an hour, and gigabytes."""
MOST_SIZES = 20
"""Annotators up to whom every number of references is tried unasked."""


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """What is measured, and folded how."""

    sizes: Sequence[int] = ()  # numbers of annotators in a subset; none: 1 to one less than there are
    most: int = MOST
    seed: int = 0  # for drawing subsets
    jobs: int = 1  # how many texts are measured at the same time
    by_type: bool = False  # also count error types
    force: bool = False  # do not look whether systems are corrections of this source


def usual_sizes(n_annotators: int, problems: Problems) -> Sequence[int]:
    """List the numbers of references that are tried unasked: all, of many annotators some; a note then says so."""
    every = range(1, n_annotators)
    if n_annotators <= MOST_SIZES:
        return every
    sizes = [*every[:10]]
    while sizes[-1] * 4 // 3 < every[-1]:
        sizes.append(sizes[-1] * 4 // 3)
    what = f"{len(sizes) + 1} of {len(every):,} numbers of references are tried"
    problems.note("few-subsets", what, Place(), fix="--sizes asks for others")
    return [*sizes, every[-1]]


def affordable_subsets(n_annotators: int, sizes: Sequence[int], problems: Problems, asked: int = MOST) -> int:
    """Tell how many subsets of one size are drawn where ``MOST`` of each would take minutes; a note says so.

    ``UsageError`` where there are too many annotators for ``LEAST`` of each of these sizes, or for as many as are
    ``asked`` for.
    """

    def total(most: int) -> int:
        return n_annotators * sum(min(comb(n_annotators - 1, size), most) for size in sizes)

    if asked != MOST:
        if (n_sets := total(asked)) > MOST_ASKED:
            what = f"{n_sets:,} subsets of {n_annotators:,} annotators are too many"
            fix = "a lower --most, or fewer --sizes"
            raise UsageError(Problem("ceiling-too-large", what, expected=f"at most {MOST_ASKED:,}", fix=fix))
        return asked
    if n_annotators <= MOST_SIZES or total(MOST) <= MOST_SETS:
        return MOST
    most, n = MOST_SETS // (n_annotators * len(sizes)), f"{n_annotators:,} annotators"
    if most < LEAST:
        what = f"{n}, each scored against subsets of {len(sizes):,} sizes of the others, are too many"
        raise UsageError(Problem("ceiling-too-large", what, fix="take few numbers of references, as --sizes=1-5"))
    what = f"{most} subsets of each size are drawn, since {MOST:,} for each of {n} would take minutes"
    problems.note("few-subsets", what, Place(), fix="fewer --sizes allow more; --most asks for a number of subsets")
    return most


@dataclass(frozen=True, slots=True)
class Text:
    """Something that is scored against subsets of annotators."""

    name: str
    author: int  # column of the annotator who wrote it, or NO_ONE
    statistics: Any  # what the metric keeps of it against every annotator


@dataclass(frozen=True, slots=True)
class Study:
    """Texts measured against every annotator, and the subsets to fold."""

    metric: Metric
    annotators: tuple[str, ...]
    humans: Sequence[Text]
    systems: Sequence[Text]
    sizes: tuple[int, ...]
    subsets: dict[int, Subsets]  # for each text, by its author

    def g(self, text: Text, units: Units | None = None) -> Floats:
        """Mean of each measure of a text, or a resample, over the subsets of each size; shape (sizes, measures)."""
        subsets = self.subsets[text.author]
        rows = None if units is None else units[None, :]
        folded = self.metric.fold(text.statistics, Selection(rows, annotators=subsets.masks))
        return subsets.means(folded.values)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a study found."""

    measures: tuple[Measure, ...]
    main: int  # which of them the ratio is of
    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    sizes: tuple[int, ...]  # numbers of annotators in a subset
    humans: Floats  # shape (annotators, sizes, measures)
    scores: Floats  # shape (systems, sizes, measures)
    n_subsets: tuple[int, ...]  # of each size that a human text was scored against
    exact: tuple[bool, ...]  # whether those, and the ones that systems were scored against, are all there are

    @property
    def human(self) -> Floats:
        """Mean over annotators; shape (sizes, measures)."""
        return np.asarray(self.humans.mean(axis=0), np.float64)

    @property
    def ratio(self) -> Floats:
        """The main measure of each system over the human one; shape (systems, sizes), NaN where there is none."""
        return divided(self.scores[:, :, self.main], self.human[:, self.main])

    def no_ratio(self, system: int, size: int) -> str:
        """Why there is no ratio of a system at the size of that number; empty where there is one."""
        human, own = self.human[size, self.main], self.scores[system, size, self.main]
        if np.isnan(human):
            return "the human score is undefined"
        if human <= 0:
            return "the human score is 0" if human == 0 else "the human score is below 0"
        return "the system's score is undefined" if np.isnan(own) else ""

    def ratio_notes(self) -> list[str]:
        """What readers of the ratios should know."""
        reasons = [self.no_ratio(s, k) for s in range(len(self.systems)) for k in range(len(self.sizes))]
        said = "; ".join(dict.fromkeys(filter(None, reasons)))
        notes = [f"– no ratio: {said}"] if said else []
        if self.systems and self.measures[self.main].better == "lower":
            notes.append("lower is better: a system above 100% of the human score is worse than a human")
        return notes


def prepare_study(
    corpus: Corpus, systems: Sequence[Hypothesis], metric: Metric, problems: Problems, plan: StudyPlan | None = None
) -> Study:
    """Measure every annotator's text and every system against every annotator.

    The metric's choice of annotators must be a rule. Overlapping edits, annotators who did not look at everything, and
    what is to be said of the systems' texts are recorded in ``problems``.

    Raises:
        InputError: If edits of one annotator overlap, or a system is not a correction of the source.
        UsageError: If there is only one annotator, or a size does not fit.
    """
    plan, n = plan or StudyPlan(), len(corpus.annotators)
    if n < 2:
        what = "a human ceiling needs at least two annotators: one is scored against the others"
        expected = "several --gold files, or one with several annotators"
        raise UsageError(Problem("one-annotator", what, expected=expected))
    if "annotators" in metric.lacks:
        raise lacking(metric, "annotators")
    if metric.annotator is not None:
        what = f"{metric.spec} scores against one annotator only"
        raise UsageError(Problem("no-subsets", what, fix="name no annotator in the metric"))
    wanted = plan.sizes or range(1, n)
    subsets = {  # humans first: they allow one annotator less
        author: annotator_subsets(
            n, wanted, partial(stream, plan.seed, "subsets", author), without=author, most=plan.most
        )
        for author in (*range(n), NO_ONE)
    }
    for name in corpus.annotators:
        absent = sum(name not in sentence.annotations for sentence in corpus.sentences)
        if absent:
            problems.notes.append(absent_note(name, absent, len(corpus), corpus.name))
    pieces: list[tuple[str, int, Sequence[str]]] = []
    for column, name in enumerate(corpus.annotators):
        texts_by = [
            corrected_text(sentence, name, problems, place=corpus.place(number, name))
            for number, sentence in enumerate(corpus.sentences)
        ]
        made = zip(texts_by, corpus.sentences, strict=True)
        pieces.append((name, column, [Corrected(text, s.annotations.get(name, ())) for text, s in made]))
    for system in systems if not plan.force else ():
        if len(system.lines) == len(corpus):
            Admission().take(system.name, [one.text for one in corpus.sentences], system.lines, problems)
    problems.raise_errors()
    pieces += [(system.name, NO_ONE, list(system.lines)) for system in systems]

    def measure(piece: tuple[str, int, Sequence[str]]) -> Text:
        name, author, lines = piece
        return Text(name, author, metric.measure(corpus, lines, by_type=plan.by_type))

    first = measure(pieces[0])  # encodes the corpus; the others share it
    texts = [first, *run(measure, pieces[1:], plan.jobs)]
    return Study(metric, corpus.annotators, texts[:n], texts[n:], tuple(wanted), subsets)


def ceiling(study: Study, *, jobs: int = 1, units: Units | None = None) -> Ceiling:
    """Fold a study, so many texts at the same time; ``units``: a resample of the sentences."""
    texts = [*study.humans, *study.systems]
    table = np.stack(list(run(lambda text: study.g(text, units), texts, jobs)))
    n = len(study.humans)
    some, every = study.subsets[0], study.subsets[NO_ONE]
    exact = tuple(h and (s or not study.systems) for h, s in zip(some.exact, every.exact, strict=True))
    return Ceiling(
        study.metric.measures,
        study.metric.main,
        study.annotators,
        tuple(text.name for text in study.systems),
        study.sizes,
        table[:n],
        table[n:],
        some.n_subsets,
        exact,
    )
