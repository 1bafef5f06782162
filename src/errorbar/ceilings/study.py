"""How well do annotators score against each other, and how near does a system come?

Formula
    g(X, k, i) is the mean score of text X over all subsets of k annotators that do not hold annotator i.
    Human: h_i(k) = g(text of annotator i, k, i), and h(k) is its mean over i. System: s(k) is the mean over i of
    g(output, k, i), which is the mean over all subsets of k annotators as long as one is left out. Ratio: s(k) / h(k).
Conventions
    The text of an annotator is the source with the first alternative of every edit applied; edits of unclear
    meaning (``Um``) and edits without a known correction stay unapplied. Overlapping edits: the later one is left
    out. k ends at one less than there are annotators, since a human text is never scored against its own author.
    Where the human score is 0 there is no ratio (not a number). An annotator who did not look at a sentence leaves it
    as it is, and a note says so.
Source
    Bryant & Ng 2015, How far are we from fully automatic high quality grammatical error correction?, sections 4
    and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.ceilings.subsets import MOST, Subsets, annotator_subsets
from errorbar.core.corpus import Corpus, Hypothesis, absent_note
from errorbar.core.errors import Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.edits.texts import corrected_text
from errorbar.execute import run
from errorbar.metrics.base import Measure, Metric, Selection, lacking
from errorbar.stats.resampling import stream

Units = NDArray[np.int64]
NO_ONE = -1


@dataclass(frozen=True, slots=True)
class Text:
    """Something that is scored against subsets of annotators.

    Attributes:
        name: An annotator's or a system's name.
        author: Column of the annotator who wrote it, or NO_ONE.
        statistics: What the metric keeps of it against every annotator.
    """

    name: str
    author: int
    statistics: Any


@dataclass(frozen=True, slots=True)
class Study:
    """Texts measured against every annotator, and the subsets to fold.

    Attributes:
        metric: What is computed.
        annotators: Names of the annotators.
        humans: The annotators' own texts.
        systems: The systems' texts.
        sizes: Numbers of annotators in a subset.
        subsets: Subsets for each text, by its author (NO_ONE for systems).
    """

    metric: Metric
    annotators: tuple[str, ...]
    humans: Sequence[Text]
    systems: Sequence[Text]
    sizes: tuple[int, ...]
    subsets: dict[int, Subsets]

    def g(self, text: Text, units: Units | None = None) -> NDArray[np.float64]:
        """Mean of each measure of a text over the subsets of each size.

        Args:
            text: The text.
            units: A resample of the sentences; None: all of them.

        Returns:
            Shape (sizes, measures).
        """
        subsets = self.subsets[text.author]
        rows = None if units is None else units[None, :]
        folded = self.metric.fold(text.statistics, Selection(rows, annotators=subsets.masks))
        return subsets.means(folded.values)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a study found.

    Attributes:
        measures: What was computed.
        main: Which of them the ratio is of.
        annotators: Names of the annotators.
        systems: Names of the systems.
        sizes: Numbers of annotators in a subset.
        humans: Each annotator; shape (annotators, sizes, measures).
        scores: Each system; shape (systems, sizes, measures).
        n_subsets: Subsets of each size that a human text was scored against.
        exact: Whether those, and the ones that systems were scored against, are all there are.
    """

    measures: tuple[Measure, ...]
    main: int
    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    sizes: tuple[int, ...]
    humans: NDArray[np.float64]
    scores: NDArray[np.float64]
    n_subsets: tuple[int, ...]
    exact: tuple[bool, ...]

    @property
    def human(self) -> NDArray[np.float64]:
        """Mean over annotators; shape (sizes, measures)."""
        mean: NDArray[np.float64] = self.humans.mean(axis=0)
        return mean

    @property
    def ratio(self) -> NDArray[np.float64]:
        """The main measure of each system over the human one; shape (systems, sizes), NaN where the human one is 0."""
        systems, human = self.scores[:, :, self.main], self.human[:, self.main]
        ratio: NDArray[np.float64] = np.divide(systems, human, out=np.full(systems.shape, np.nan), where=human > 0)
        return ratio


def prepare_study(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    metric: Metric,
    problems: Problems,
    *,
    sizes: Sequence[int] = (),
    most: int = MOST,
    seed: int = 0,
    jobs: int = 1,
    by_type: bool = False,
    force: bool = False,
) -> Study:
    """Measure every annotator's text and every system against every annotator.

    Args:
        corpus: Sentences on which all annotators worked.
        systems: The systems' sentences.
        metric: What to compute; its choice of annotators must be a rule.
        problems: Where overlapping edits, annotators who did not look at everything, and what is to be said of the
            systems' texts are recorded.
        sizes: Numbers of annotators in a subset; none: 1 to one less than there are.
        most: Subsets of one size that are enumerated; of more, as many are drawn.
        seed: For that draw.
        jobs: How many texts are measured at the same time.
        by_type: Also count error types.
        force: Take systems as they are, without looking whether they are corrections of this source.

    Raises:
        InputError: If edits of one annotator overlap, or a system is not a correction of the source.
        UsageError: If there is only one annotator, or a size does not fit.
    """
    n = len(corpus.annotators)
    if n < 2:
        what = "a human ceiling needs at least two annotators: one is scored against the others"
        raise UsageError(
            Problem("one-annotator", what, expected="several --gold files, or one with several annotators")
        )
    if "annotators" in metric.lacks:
        raise lacking(metric, "annotators")
    if metric.annotator is not None:
        what = f"{metric.spec} scores against one annotator only"
        raise UsageError(Problem("no-subsets", what, expected="choose=running or choose=sentence"))
    wanted = sizes or range(1, n)
    subsets = {  # humans first: they allow one annotator less
        author: annotator_subsets(
            n, wanted, partial(stream, seed, "subsets", author), without=None if author == NO_ONE else author, most=most
        )
        for author in (*range(n), NO_ONE)
    }
    for name in corpus.annotators:
        absent = sum(name not in sentence.annotations for sentence in corpus.sentences)
        if absent:
            problems.notes.append(absent_note(name, absent, len(corpus), corpus.name))
    humans = [
        (name, column, [corrected_text(sentence, name, problems, file=name) for sentence in corpus.sentences])
        for column, name in enumerate(corpus.annotators)
    ]
    if not force:
        texts_of = [sentence.text for sentence in corpus.sentences]
        for system in systems:
            if len(system.lines) == len(corpus):
                Admission().take(system.name, texts_of, system.lines, problems)
    problems.raise_errors()
    pieces = humans + [(system.name, NO_ONE, list(system.lines)) for system in systems]

    def measure(piece: tuple[str, int, list[str]]) -> Text:
        name, author, lines = piece
        return Text(name, author, metric.measure(corpus, lines, by_type=by_type))

    first = measure(pieces[0])  # encodes the corpus; the others share it
    texts = [first, *run(measure, pieces[1:], jobs)]
    return Study(metric, corpus.annotators, texts[:n], texts[n:], tuple(wanted), subsets)


def ceiling(study: Study, *, jobs: int = 1, units: Units | None = None) -> Ceiling:
    """Fold a study.

    Args:
        study: What was measured.
        jobs: How many texts are folded at the same time.
        units: A resample of the sentences; None: all of them.
    """
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


def repeat(
    study: Study, rows: Sequence[Units], *, jobs: int = 1, progress: Callable[[int], object] = lambda _: None
) -> list[Ceiling]:
    """Fold a study on many selections of its sentences: resamples, or random essays.

    Args:
        study: What was measured.
        rows: Sentence numbers of each selection, -1 for none.
        jobs: How many selections are folded at the same time.
        progress: Told how many are done.
    """
    results = []
    for result in run(lambda units: ceiling(study, units=units), rows, jobs):
        results.append(result)
        progress(len(results))
    return results
