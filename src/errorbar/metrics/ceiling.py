"""Human ceilings: annotators scored against each other, and systems beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, divide
from errorbar.core.corpus import Corpus, CorrectedSentence, Hypothesis, absent_note
from errorbar.core.estimate import Interval, Scale, Undefined, value_or_none
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.edits.admission import Admission
from errorbar.edits.texts import corrected_texts
from errorbar.execute import run
from errorbar.metrics.base import Measure, Metric, Selection, lacking
from errorbar.metrics.judge_sets import (
    GROUPS,
    MOST,
    MOST_TEXTS,
    NO_ONE,
    Subsets,
    annotator_subsets,
    fold_without_each,
    values_of,
)
from errorbar.stats.resampling import (
    ANYWHERE,
    Resampling,
    cluster_members,
    draw_resamples,
    left_out_groups,
    stream,
)
from errorbar.stats.two_way import TwoWay, jackknife, t_interval, two_way, unknown_texts

# How well do annotators score against each other, and how near does a system come?
#
# Formula g(X, k, i) is the mean score of text X over all subsets of k annotators that do not hold annotator i. Human:
# h_i(k) = g(text of annotator i, k, i), and h(k) is its mean over i. System: s(k) is the mean over i of g(output, k,
# i), which is the mean over all subsets of k annotators as long as one is left out. Ratio: s(k) / h(k). Conventions
# The text of an annotator is the source with the first alternative of every edit applied; edits of unclear meaning
# (``Um``) and edits without a known correction stay unapplied. Overlapping edits: the later one is left out. k ends at
# one less than there are annotators, since a human text is never scored against its own author. There is no ratio
# where a score is undefined or the human score is not above 0. Where lower is better, a ratio above 1 is worse than a
# human. An annotator who did not look at a sentence leaves it as it is, and a note says so. Where there are too many
# subsets of a size, different ones are drawn. Source Bryant & Ng 2015, How far are we from fully automatic high
# quality grammatical error correction?, sections 4, 5.


Units = NDArray[np.int64]
MOST_SETS, LEAST = 100_000, 10
"""Subsets of all sizes and of many annotators that are drawn unasked; so many of each size, or none are."""
MOST_ASKED = 10_000_000
"""Subsets of all sizes and annotators that are folded where a number of them is asked for: an hour, and gigabytes."""
MOST_SIZES = 20
"""Annotators up to whom every number of references is tried unasked."""


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """The plan of a ceiling: which metric is measured, and how it is folded."""

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
    message = f"{len(sizes) + 1} of {len(every):,} numbers of references are tried"
    problems.note("few-subsets", message, Place(), fix="--sizes asks for others")
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
            message = f"{n_sets:,} subsets of {n_annotators:,} annotators are too many"
            fix = "a lower --most, or fewer --sizes"
            raise UsageError(Problem("ceiling-too-large", message, expected=f"at most {MOST_ASKED:,}", fix=fix))
        return asked
    if n_annotators <= MOST_SIZES or total(MOST) <= MOST_SETS:
        return MOST
    most, n = MOST_SETS // (n_annotators * len(sizes)), f"{n_annotators:,} annotators"
    if most < LEAST:
        message = f"{n}, each scored against subsets of {len(sizes):,} sizes of the others, are too many"
        raise UsageError(Problem("ceiling-too-large", message, fix="take few numbers of references, as --sizes=1-5"))
    message = f"{most} subsets of each size are drawn, since {MOST:,} for each of {n} would take minutes"
    problems.note("few-subsets", message, Place(), fix="fewer --sizes allow more; --most asks for a number of subsets")
    return most


@dataclass(frozen=True, slots=True)
class ScoredText:
    """Something that is scored against subsets of annotators."""

    name: str
    author: int  # column of the annotator who wrote it, or NO_ONE
    statistics: Any  # what the metric keeps of it against every annotator


@dataclass(frozen=True, slots=True)
class CeilingData:
    """Texts measured against every annotator, and the subsets to fold."""

    metric: Metric
    annotators: tuple[str, ...]
    humans: Sequence[ScoredText]
    systems: Sequence[ScoredText]
    sizes: tuple[int, ...]
    subsets: dict[int, Subsets]  # for each text, by its author

    def largest(self) -> CeilingData:
        """The same texts with subsets of the largest size alone."""
        subsets = {author: own.largest() for author, own in self.subsets.items()}
        return replace(self, sizes=self.sizes[-1:], subsets=subsets)

    def g(self, text: ScoredText, units: Units | None = None) -> Floats:
        """Mean of each measure of a text, or a resample, over the subsets of each size; shape (sizes, measures)."""
        subsets = self.subsets[text.author]
        rows = None if units is None else units[None, :]
        folded = self.metric.fold(text.statistics, Selection(rows, annotators=subsets.masks))
        return subsets.means(folded.values)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The results of a study of the ceiling."""

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
        return divide(self.scores[:, :, self.main], self.human[:, self.main])

    def no_ratio(self, system: int, size: int) -> str:
        """Why there is no ratio of a system at the size of that number; empty where there is one."""
        human, own = self.human[size, self.main], self.scores[system, size, self.main]
        if np.isnan(human):
            return "the human score is undefined"
        if human <= 0:
            return "the human score is 0" if human == 0 else "the human score is below 0"
        return "the system's score is undefined" if np.isnan(own) else ""

    def ratio_notes(self) -> list[str]:
        """Notes for readers of the ratios."""
        reasons = [self.no_ratio(s, k) for s in range(len(self.systems)) for k in range(len(self.sizes))]
        texts = "; ".join(dict.fromkeys(filter(None, reasons)))
        notes = [f"– no ratio: {texts}"] if texts else []
        if self.systems and self.measures[self.main].better == "lower":
            notes.append("lower is better: a system above 100% of the human score is worse than a human")
        return notes


def prepare_study(
    corpus: Corpus, systems: Sequence[Hypothesis], metric: Metric, problems: Problems, plan: StudyPlan | None = None
) -> CeilingData:
    """Measure every annotator's text and every system against every annotator.

    The metric's choice of annotators must be a rule. Overlapping edits, annotators who did not look at everything, and
    what is to be said of the systems' texts are recorded in ``problems``.

    Raises:
        InputError: If edits of one annotator overlap, or a system is not a correction of the source.
        UsageError: If there is only one annotator, or a size does not fit.
    """
    plan, n = plan or StudyPlan(), len(corpus.annotators)
    if n < 2:
        message = "a human ceiling needs at least two annotators: one is scored against the others"
        expected = "several --gold files, or one with several annotators"
        raise UsageError(Problem("one-annotator", message, expected=expected))
    if "annotators" in metric.lacks:
        raise lacking(metric, "annotators")
    if metric.annotator is not None:
        message = f"{metric.spec} scores against one annotator only"
        raise UsageError(Problem("no-subsets", message, fix="name no annotator in the metric"))
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
            effect = "which count as unchanged in this annotator's text"
            problems.notes.append(absent_note(name, absent, len(corpus), corpus.name, effect))
    pieces: list[tuple[str, int, Sequence[str]]] = []
    for column, (name, texts_of_one) in enumerate(corrected_texts(corpus, problems).items()):
        pairs = zip(texts_of_one, corpus.sentences, strict=True)
        pieces.append((name, column, [CorrectedSentence(text, s.annotations.get(name, ())) for text, s in pairs]))
    for system in systems if not plan.force else ():
        if len(system.lines) == len(corpus):
            Admission().take(system.name, [one.text for one in corpus.sentences], system.lines, problems)
    problems.raise_errors()
    pieces += [(system.name, NO_ONE, system.lines) for system in systems]

    def measure(piece: tuple[str, int, Sequence[str]]) -> ScoredText:
        name, author, lines = piece
        return ScoredText(name, author, metric.measure(corpus, lines, by_type=plan.by_type))

    first = measure(pieces[0])  # encodes the corpus; the others share it
    texts = [first, *run(measure, pieces[1:], plan.jobs)]
    return CeilingData(metric, corpus.annotators, texts[:n], texts[n:], tuple(wanted), subsets)


def ceiling(study: CeilingData, *, jobs: int = 1, units: Units | None = None) -> Ceiling:
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


# What is made of a study: intervals from resamples, the claim that a few essays are enough, recall by error type.
#
# Formula
#     Recall: for a text and a subset of annotators, each sentence has its chosen annotator; the recall of a type is the
#     matched edits of that type over all of them, as in ``errorbar score --by type``. Means are taken over subsets, and
#     over annotators, as for F.
# Conventions
#     A subset in which the chosen annotators have no edit of a type does not count for it; a type that no subset has
#     is not a number. The ratio of a system to humans is a mean recall over a mean recall, and undefined where humans
#     find nothing.
# Source
#     Ng et al. 2014, tables 9 and 10, for the recall; Bryant & Ng 2015 for the means and the essays.


Row = tuple[Interval | Undefined, ...]


@dataclass(frozen=True, slots=True)
class CeilingIntervals:
    """Intervals of the main measure by size, and of the ratios: system F over human F in the same resample."""

    human: Row  # one per size
    systems: tuple[Row, ...]  # a row per system
    ratios: tuple[Row, ...]

    def padded(self, n_sizes: int) -> CeilingIntervals:
        """The same as the last of so many sizes; those before it are made on request."""
        before = (Undefined.ON_REQUEST,) * (n_sizes - len(self.human))
        rows = ((*before, *row) for row in (self.human, *self.systems, *self.ratios))
        human, *others = rows
        n = len(self.systems)
        return CeilingIntervals(human, tuple(others[:n]), tuple(others[n:]))

    def covering(self, narrower: CeilingIntervals) -> CeilingIntervals:
        """The same, none narrower than one that takes less into account."""
        return CeilingIntervals(
            _covering(self.human, narrower.human),
            tuple(map(_covering, self.systems, narrower.systems)),
            tuple(map(_covering, self.ratios, narrower.ratios)),
        )


def _covering(row: Row, narrower: Row) -> Row:
    pairs = zip(row, narrower, strict=True)
    return tuple(own.covering(other) if isinstance(own, Interval) else own for own, other in pairs)


@dataclass(frozen=True, slots=True)
class EssaySpread:
    """The same study on random subsets of the essays."""

    n_essays: int  # in each subset
    n_available: int
    human: Floats  # F; shape (repeats, sizes)
    ratios: Floats  # system F over human F; shape (repeats, systems, sizes)

    def summaries(self) -> tuple[tuple[SubsetSummary, ...], ...]:
        """How human F, and then each system's ratio, vary over the subsets: a row each, a summary per size."""
        table = np.concatenate([self.human[:, None, :], self.ratios], axis=1)
        return tuple(tuple(_summary(column) for column in row.T) for row in table.transpose(1, 0, 2))


class SubsetSummary(NamedTuple):
    """How a value varies over subsets; all None where it is undefined for one of them."""

    lowest: float | None
    low: float | None  # the 5% quantile
    median: float | None
    high: float | None  # the 95% quantile
    highest: float | None
    deviation: float | None  # standard


def _summary(values: Floats) -> SubsetSummary:
    if np.isnan(values).any():
        return SubsetSummary(*[None] * 6)
    lowest, low, median, high, highest = np.quantile(values, [0, 0.05, 0.5, 0.95, 1]).tolist()
    return SubsetSummary(lowest, low, median, high, highest, float(values.std(ddof=1)))


def repeat(
    study: CeilingData, rows: Sequence[Units], *, jobs: int = 1, progress: Callable[[int], object] = lambda _: None
) -> list[Ceiling]:
    """Fold a study on many selections of its sentences, -1 for none: resamples, or random essays."""
    results = []
    for result in run(lambda units: ceiling(study, units=units), rows, jobs):
        results.append(result)
        progress(len(results))
    return results


def ceiling_intervals(
    study: CeilingData,
    clusters: NDArray[np.int64],
    resampling: Resampling,
    progress: Callable[[int], object] = lambda _: None,
) -> CeilingIntervals:
    """Percentile intervals from folding the whole study on resamples of the essays that ``clusters`` tells."""
    if len(np.unique(clusters)) < 2:
        nothing = (Undefined.ONE_UNIT,) * len(study.sizes)
        return CeilingIntervals(nothing, (nothing,) * len(study.systems), (nothing,) * len(study.systems))
    units = [row for draw in draw_resamples(clusters, resampling, "ceiling") for row in draw()]
    results = repeat(study, units, jobs=resampling.jobs, progress=progress)
    whole = ceiling(study, jobs=resampling.jobs)
    main = whole.main
    percentile = replace(resampling, method="percentile")  # the jackknife of a study would fold it once more for each

    def table(result: Ceiling) -> Floats:
        return np.concatenate([result.human[None, :, main], result.scores[:, :, main], result.ratio])

    drawn = np.stack([table(result) for result in results])
    rows = [
        tuple(percentile.interval(float(value), column) for value, column in zip(values, drawn[:, k].T, strict=True))
        for k, values in enumerate(table(whole))
    ]
    n = 1 + len(study.systems)
    return CeilingIntervals(rows[0], tuple(rows[1:n]), tuple(rows[n:]))


def essay_spread(
    study: CeilingData,
    documents: NDArray[np.int64],
    n_essays: int,
    resampling: Resampling,
    progress: Callable[[int], object] = lambda _: None,
) -> EssaySpread:
    """Repeat a study on random subsets of the essays, drawn without replacement, kept in corpus order.

    ``documents``: which essay each sentence is from. ``resampling``: how many subsets, from which seed.
    ``UsageError`` if there are not so many essays.
    """
    members = cluster_members(documents)
    if not 1 <= n_essays <= len(members):
        message = f"--n-documents={n_essays} with {len(members)} documents"
        raise UsageError(Problem("subset-size", message, expected=f"1 to {len(members)}"))
    rng = stream(resampling.seed, "essays", n_essays)
    picks = [np.sort(rng.choice(len(members), n_essays, replace=False)) for _ in range(resampling.replicates)]
    rows = [np.concatenate([members[k] for k in picked]) for picked in picks]
    results = repeat(study, rows, jobs=resampling.jobs, progress=progress)
    human = np.stack([result.human[:, result.main] for result in results])
    return EssaySpread(n_essays, len(members), human, np.stack([result.ratio for result in results]))


@dataclass(frozen=True, slots=True)
class TypeRow:
    """Recall of one error type; None where it is undefined, of ratios too where humans find nothing."""

    type: str
    human: float | None  # mean of the annotators
    systems: tuple[float | None, ...]
    ratios: tuple[float | None, ...]


def type_rows(study: CeilingData, size: int) -> list[TypeRow]:
    """Recall of every type against subsets of one size, by name of the type; they must have been counted."""
    of_texts = [(study.metric.types(text.statistics), text) for text in (*study.humans, *study.systems)]
    names = sorted({name for types, _ in of_texts for name in types})
    recalls = np.full((len(of_texts), len(names)), np.nan)
    for row, (types, text) in zip(recalls, of_texts, strict=True):
        row[[names.index(name) for name in types]] = type_recall(study, text, size)
    human, systems = _mean(recalls[: len(study.humans)]), recalls[len(study.humans) :]
    ratios = divide(systems, np.broadcast_to(human, systems.shape))
    return [
        TypeRow(
            name,
            value_or_none(human[k]),
            tuple(map(value_or_none, systems[:, k])),
            tuple(map(value_or_none, ratios[:, k])),
        )
        for k, name in enumerate(names)
        if not np.isnan(recalls[:, k]).all()  # types of systems alone have no recall
    ]


def type_recall(study: CeilingData, text: ScoredText, size: int) -> Floats:
    """Mean recall of each type over the subsets of one size; shape (types,), NaN where there is nothing to find."""
    metric, subsets = study.metric, study.subsets[text.author]
    masks = subsets.masks[subsets.masks.sum(axis=1) == size]
    counts = metric.fold_types(text.statistics, Selection(annotators=masks))
    return _mean(metric.type_values(counts)[..., metric.type_measures.index("recall")])


def _mean(rows: Floats) -> Floats:
    """The mean of every column over the rows that know it."""
    return divide(np.nansum(rows, axis=0), (~np.isnan(rows)).sum(axis=0))


__all__ = [
    "Ceiling",
    "CeilingData",
    "StudyPlan",
    "affordable_subsets",
    "annotator_subsets",
    "ceiling",
    "prepare_study",
    "repeat",
    "usual_sizes",
]


# Intervals of the curve and of the ratios, over other texts and over other judges, by leaving out one of each.
#
# Formula For each number of references k: human h(k), system s(k) and ratio s(k)/h(k), as in ``metrics.ceiling``,
# without each text (a document, or a sentence where none are known) and without each judge, who is then neither a
# reference nor a human whose text is scored. Over texts: U -+ t with n - 1 degrees of freedom and V_E. Over texts and
# judges: V_E + V_A, as in ``errorbar.stats.two_way``; on the scale of logits within the measure's range, of ratios on
# that of logarithms. Conventions Where k is all others there are, a judge less leaves k - 1: then that is what is
# compared, for humans and systems. Of more than 2,000 texts, or where that would take long, 200 groups of neighbors
# are left out in their place. With two judges nothing is left, and with a judge who looked at a single text the two
# cannot be told apart: named reasons. What is left of each text is folded against at most 10 sets of references for
# each human text and size, 100 for a system, drawn from a stream of their own: V_E is that of a mean over so many
# sets. Source errorbar.stats.two_way; docs/judges.md.


OF_HUMAN, OF_SYSTEM = 10, 100
"""Sets of one size against which what is left of the texts is folded."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A text's main measure by size: on everything, without each judge, and without each document."""

    value: Floats  # shape (sizes,)
    without_judge: Floats  # shape (judges, sizes), NaN where nothing is left
    without_text: Floats  # shape (texts, sizes)


def groups_within(study: CeilingData, clusters: NDArray[np.int64], most: int) -> NDArray[np.int64] | None:
    """The groups left out together: texts, or 200 groups of them if else more than ``most`` sentences were folded.

    None where the groups would fold more than twice as many: ten annotators and three systems on CoNLL-2014 do not.
    """
    for most_texts, most_folded in ((MOST_TEXTS, most), (GROUPS, 2 * most)):
        groups = left_out_groups(clusters, most_texts, GROUPS)
        if folds_left_out(study, groups) * len(clusters) * study.metric.slower <= most_folded:
            return groups
    return None


def jackknife_intervals(
    study: CeilingData, groups: NDArray[np.int64], how: Resampling, progress: Callable[[int], object] = lambda _: None
) -> tuple[CeilingIntervals, CeilingIntervals]:
    """Intervals over texts, and over texts and judges, of the main measure by size and of the ratios."""
    texts = [*study.humans, *study.systems]
    left_out: list[_Left] = []
    for left in run(partial(_left_values, study, groups=groups, seed=how.seed), texts, how.jobs):
        left_out.append(left)
        progress(len(left_out))
    n = len(study.humans)
    human = _Left(
        np.mean([one.value for one in left_out[:n]], axis=0),
        np.stack(
            [_mean_values([one.without_judge[j] for i, one in enumerate(left_out[:n]) if i != j]) for j in range(n)]
        ),
        np.mean([one.without_text for one in left_out[:n]], axis=0),
    )
    systems = left_out[n:]
    ratios = [_ratio(one, human) for one in systems]
    scale, level = study.metric.measures[study.metric.main].scale, how.confidence_level
    of_ratios = Scale(0.0) if scale.low >= 0 else ANYWHERE
    both = [
        CeilingIntervals(
            make(human, scale=scale),
            tuple(make(one, scale=scale) for one in systems),
            tuple(make(one, scale=of_ratios) for one in ratios),
        )
        for make in (partial(_over_texts, level=level), partial(_over_both, level=level))
    ]
    return both[0], both[1]


def folds_left_out(study: CeilingData, groups: NDArray[np.int64]) -> int:
    """How many folds intervals take."""
    sets = (
        min(n, OF_SYSTEM if text.author == NO_ONE else OF_HUMAN)
        for text in (*study.humans, *study.systems)
        for n in study.subsets[text.author].n_subsets
    )
    return sum(sets) * len(np.unique(groups))


def left_out_convention(study: CeilingData, clusters: NDArray[np.int64], groups: NDArray[np.int64]) -> str:
    """How it is named in a signature that not every set was folded without each text, or texts went in groups."""
    cut = any(
        n > (OF_SYSTEM if text.author == NO_ONE else OF_HUMAN)
        for text in (*study.humans, *study.systems)
        for n in study.subsets[text.author].n_subsets
    )
    grouped = len(np.unique(clusters)) > len(np.unique(groups))
    return f",sets:{OF_HUMAN}+{OF_SYSTEM}" * cut + f",groups:{GROUPS}" * grouped


def _left_values(study: CeilingData, text: ScoredText, *, groups: NDArray[np.int64], seed: int) -> _Left:
    """The values of a text that remain."""
    metric, subsets, m = study.metric, study.subsets[text.author], len(study.annotators)
    main = metric.main
    values = values_of(metric, text.statistics, Selection(annotators=subsets.masks))[:, main]
    sizes = subsets.masks.sum(axis=1)
    members = [np.flatnonzero(sizes == size) for size in study.sizes]
    value = np.array([_mean_values(values[own]) for own in members])
    without = np.full((m, len(study.sizes)), np.nan)
    for k, (size, own) in enumerate(zip(study.sizes, members, strict=True)):
        masks, scores = subsets.masks[own], values[own]
        if size == m - 1:
            masks, scores = _one_less(study, text, size - 1, seed)
        kept = masks == 0
        totals = np.sum(np.broadcast_to(scores[:, None], kept.shape), axis=0, where=kept)
        without[:, k] = divide(totals, kept.sum(axis=0))
    without[np.arange(m) == text.author] = np.nan
    some = [_some(own, text, int(size), seed) for size, own in zip(study.sizes, members, strict=True)]
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        return _Left(value, without, np.empty((0, len(study.sizes))))
    table = fold_without_each(metric, text.statistics, subsets.masks[np.concatenate(some)], groups)[:, :, main]
    ends = np.cumsum([len(own) for own in some])[:-1]
    return _Left(value, without, np.stack([part.mean(axis=1) for part in np.split(table, ends, axis=1)], axis=1))


def _one_less(study: CeilingData, text: ScoredText, size: int, seed: int) -> tuple[NDArray[np.uint8], Floats]:
    """Sets of one judge less than there are others, and the values against them; none where nobody is left."""
    m = len(study.annotators)
    if size < 1:
        return np.ones((1, m), np.uint8), np.full(1, np.nan)
    masks = annotator_subsets(m, (size,), partial(stream, seed, "one-less", text.author), without=text.author).masks
    values = values_of(study.metric, text.statistics, Selection(annotators=masks))
    return masks, values[:, study.metric.main]


def _some(own: NDArray[np.intp], text: ScoredText, size: int, seed: int) -> NDArray[np.intp]:
    """Sets that are folded without each text: all, or so many as are drawn."""
    most = OF_SYSTEM if text.author == NO_ONE else OF_HUMAN
    if len(own) <= most:
        return own
    drawn = stream(seed, "left-out", text.author, size).choice(own, most, replace=False)
    return np.sort(drawn)


def _mean_values(values: Sequence[Floats] | Floats) -> Floats:
    return np.asarray(np.mean(np.asarray(values), axis=0), np.float64)


def _ratio(system: _Left, human: _Left) -> _Left:
    return _Left(
        divide(system.value, human.value),
        divide(system.without_judge, human.without_judge),
        divide(system.without_text, human.without_text),
    )


def _over_texts(left: _Left, *, level: float, scale: Scale) -> Row:
    """Intervals over texts by size, or why there are none."""
    intervals: list[Interval | Undefined] = []
    for k, value in enumerate(left.value.tolist()):
        texts = left.without_text[:, k]
        if why := unknown_texts(value, texts):
            intervals.append(why)
            continue
        intervals.append(t_interval(value, [(jackknife(texts), len(texts) - 1)], level, scale, "jackknife, t"))
    return tuple(intervals)


def _over_both(left: _Left, *, level: float, scale: Scale) -> Row:
    """Intervals over texts and judges by size, or why there are none."""
    intervals: list[Interval | Undefined] = []
    for k, value in enumerate(left.value.tolist()):
        parts = two_way(value, left.without_text[:, k], left.without_judge[:, k])
        intervals.append(parts.interval(level, scale) if isinstance(parts, TwoWay) else parts)
    return tuple(intervals)
