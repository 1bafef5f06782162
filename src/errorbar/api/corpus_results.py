"""The parts of a report: results of the library, gathered and not yet put into words.

A study holds what the commands ``score``, ``compare``, ``ceiling``, ``agree``, ``crowd score``, ``curve`` and
``sample estimate`` give for the same input and the same seed, digit for digit: it calls the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from threading import Lock
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from errorbar.api.agree import AgreementResult, agree, measure_agreement
from errorbar.api.attack import AttackResult, attack_for_report
from errorbar.api.browse import Browse, BrowseEdit, BrowseUnit, browse_corpus
from errorbar.api.ceiling import RESAMPLES, CeilingResult, measure_ceiling
from errorbar.api.compare import USUAL_JUDGES, ComparisonResult, compare_loaded
from errorbar.api.crowd import Against, CrowdScores, crowd_rows
from errorbar.api.curve import Curves, Marks, curve_rows
from errorbar.api.detector_study import DetectorStudy
from errorbar.api.hoo_score import in_order
from errorbar.api.inputs import Loaded
from errorbar.api.judgment_input import ReadJudgments
from errorbar.api.model_raters import ModelRaters
from errorbar.api.own_references import score_own
from errorbar.api.references import ReferencesResult, compare_loaded_golds
from errorbar.api.sample_results import SampleEstimation
from errorbar.core.arrays import Flags
from errorbar.core.corpus import ContentHash, Corpus, Hypothesis, system_records
from errorbar.core.edit import Fragment, StandoffEdit
from errorbar.core.pools import Pools
from errorbar.core.problems import Place, Problem, Problems
from errorbar.crowdsourcing.answers import USUAL
from errorbar.edits.admission import Admission
from errorbar.edits.standoff_runs import Edits, redecompose
from errorbar.execute import run
from errorbar.metrics.base import Folded, Metric, Selection, Statistics
from errorbar.metrics.crowd_weighted import Crowd, in_bin
from errorbar.metrics.edit_metric import EditMetric, EditStatistics
from errorbar.metrics.folding import ScoringPlan
from errorbar.metrics.golds import OWN
from errorbar.metrics.hoo import CONVENTIONS, CORRECTED, GOLD, GOLD_NAME, SYSTEM, TYPE_COLUMNS, Hoo, align
from errorbar.metrics.hoo_scoring import parse_hoo, score_runs
from errorbar.metrics.judges import JudgePlan
from errorbar.metrics.scores import Score
from errorbar.metrics.scoring import score_corpus
from errorbar.metrics.swaps import SwapPlan
from errorbar.sampling import Aim, Sample, SampleEstimate, SampleEstimates, Strata, plan_sample
from errorbar.sampling.frame import TARGETS
from errorbar.sampling.plan import ExpectedScore, expected_precision
from errorbar.stats.resampling import Resampling
from errorbar.tables.table import Table
from errorbar.version import __version__


@dataclass(frozen=True, slots=True, eq=False)
class CorpusStudy:
    """Systems against annotators of an M2 or JSONL corpus; what the data does not allow is None.

    Attributes:
        unit: ``document`` or ``sentence``: what was resampled.
        scores: Of each system under the main metric, with intervals, types and sentences; in the order given.
        others: Under further metrics or choices of annotators (``choose=sentence`` always, where there are two
            annotators or more): spec to the systems' scores, without intervals.
        agreement: Of the annotators, about tokens.
        attacked: The ranks of systems that nobody would want, under the metrics that were asked for.
        detectors: Detectors of errors against the annotators, beside the systems.
        references: The same systems against references of their own, beside the annotators.
    """

    name: str
    unit: str
    n_sentences: int
    n_documents: int | None
    annotators: tuple[str, ...]
    scores: Sequence[Score]
    others: Mapping[str, Sequence[Score]]
    comparison: ComparisonResult | None
    ceiling: CeilingResult | None
    agreement: AgreementResult | None
    browse: Browse | None
    notes: Sequence[Problem]
    confidence_level: float
    metric: Metric  # the main one
    attacked: AttackResult | None = None
    detectors: DetectorStudy | None = None
    references: ReferencesResult | None = None

    @property
    def editors(self) -> dict[str, int]:
        """How many editors made references of each system's own output; empty: the references are those of all."""
        return {score.system: len(score.annotators) for score in self.scores if score.own}

    @property
    def groups(self) -> list[str]:
        """Letters of the systems, in the order of ``scores``: systems that share one do not differ significantly.

        A question mark stands where no difference with some other system could have been significant.
        """
        letters = {} if self.comparison is None else {row.name: row.group for row in self.comparison.ranking()}
        return [letters.get(score.system, "") for score in self.scores]

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each result, by its title."""
        parts: dict[str, ComparisonResult | CeilingResult | AgreementResult | ReferencesResult | None] = {
            **{"compare": self.comparison, "ceiling": self.ceiling, "agree": self.agreement},
            **{"references": self.references},
        }
        by_title = {f"score: {score.system}": str(score.signature) for score in self.scores}
        by_title |= {title: part.signature for title, part in parts.items() if part is not None}
        rankings = () if self.attacked is None else self.attacked.rankings
        by_title |= {f"attacks: {ranking.metric}": line for ranking in rankings for line in ranking.signature_lines}
        return by_title if self.detectors is None else {**by_title, **self.detectors.signatures}


@dataclass(frozen=True, slots=True, eq=False)
class HooStudy:
    """Runs against HOO gold edits."""

    name: str
    scores: Sequence[Score]  # of each run, with intervals over fragments and recall by the rows of table 8
    variants: Mapping[str, Sequence[Score]]  # under other conventions or matching: spec to scores, without intervals
    browse: Browse | None
    notes: Sequence[Problem]
    confidence_level: float

    @property
    def recall(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Recall by the rows of table 8: run to row to (gold, detected, recognized, corrected)."""
        return {
            score.system: {
                row.type: tuple(row.counts[name] for name in TYPE_COLUMNS) for row in in_order(score.by_type)
            }
            for score in self.scores
        }

    @property
    def signatures(self) -> dict[str, str]:
        """Title to signature."""
        return {f"score: {score.system}": str(score.signature) for score in self.scores}


@dataclass(frozen=True, slots=True, eq=False)
class CrowdStudy:
    """Judgments of items by many raters, and systems against them; with one rater there is no agreement."""

    name: str
    n_items: int
    n_raters: int
    n_judgments: int
    histogram: Mapping[tuple[float, float], int]  # share of the majority (low edge, high edge) to number of items
    scores: CrowdScores
    curves: Curves
    agreement: AgreementResult | None
    notes: Sequence[Problem]
    confidence_level: float
    detectors: DetectorStudy | None = None  # of the systems those with scores, under every threshold
    models: ModelRaters | None = None  # language models among the raters, who are not of the crowd

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each result, by its title."""
        by_title = {f"crowd score: {row.system}, {row.score.estimand}": row.signature for row in self.scores.rows}
        if self.agreement is not None:
            by_title["agree"] = self.agreement.signature
        return by_title if self.detectors is None else {**by_title, **self.detectors.signatures}


@dataclass(frozen=True, slots=True)
class BudgetStep:
    """The expected half-widths of P, R and F, None where there are none, that so many judgments in all would buy."""

    n_judgments: int
    half_widths: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, eq=False)
class SampleStudy:
    """Estimates from a judged sample, of two systems also their differences; and what was spent and more would buy."""

    name: str
    n_items: int  # of the corpus that was sampled from
    n_judged: int
    systems: Sequence[SampleEstimates]
    differences: Sequence[SampleEstimate]
    budget: Sequence[BudgetStep]
    signatures: Mapping[str, str]
    notes: Sequence[Problem]
    assistance: Table | None = None  # what a model adds: every score without and with it


Study = CorpusStudy | HooStudy | CrowdStudy | SampleStudy


USUAL_SWAPS = SwapPlan()


def study_corpus(
    data: Loaded,
    metrics: Sequence[Metric],
    resampling: Resampling,
    testing: SwapPlan = USUAL_SWAPS,
    ceiling_resamples: int | None = None,
    judges: JudgePlan = USUAL_JUDGES,
    *,
    own: Sequence[Corpus] = (),
    pools: Pools | None = None,
    browse: bool = True,
    attacks: bool = False,
) -> CorpusStudy:
    """Compute everything that a report shows of systems and annotators; every text is measured once.

    The numbers are those of ``errorbar score --ci``, ``compare``, ``ceiling`` and ``agree`` for the same input, method,
    number of resamples and seed. There is no comparison with fewer than two systems, essays or sentences, nor by the
    closed method; no ceiling with one annotator, or where the metric names one; no agreement with one annotator or no
    token.

    Args:
        data: What was read; warnings go to its notebook, and what that holds already is kept.
        metrics: The main metric, and further ones, without intervals.
        resampling: How intervals are made, of the main metric, of differences and of agreement.
        testing: How systems are compared.
        ceiling_resamples: Resamples for intervals of the human ceiling; None: texts are left out, where that takes
            seconds.
        judges: Whether intervals, and what is significant, are also over judges.
        own: References that were made for each system, in their order; empty: there are none.
        pools: Pools of judges, in which systems, humans and agreement are shown too.
        browse: Also sentences and edits.
        attacks: Also the ranks of systems that nobody would want.

    Raises:
        InputError: If a system has another number of sentences than the source, or edits of one annotator overlap.
        UsageError: If a metric names an annotator that the corpus does not have.
    """
    if data.own:
        return _study_own(data, metrics, resampling, testing, judges)
    corpus, systems, documents, problems = data.corpus, data.systems, data.documents, data.problems
    metrics = [data.with_systems(metric) for metric in metrics]
    metric, memory = metrics[0], Memory(corpus)
    main = cache_metric(metric, memory)
    _measure_in_parallel(main, corpus, systems, resampling.jobs)
    silent = Admission(silent=True)  # who read the systems has looked at them, and said what is to be said
    plan = ScoringPlan(
        [main], "types" not in metric.lacks, True, resampling, data.conventions, silent, judges=judges, pools=pools
    )
    scores = score_corpus(corpus, systems, plan, problems)
    further = [*(metric.variants() if len(corpus.annotators) > 1 else ()), *metrics[1:]]
    unique = {str(variant.spec): cache_metric(variant, memory) for variant in further}
    plan = ScoringPlan(list(unique.values()), conventions=data.conventions, admission=silent)
    further_scores = score_corpus(corpus, systems, plan, problems) if unique else []
    others = {spec: further_scores[k :: len(unique)] for k, spec in enumerate(unique)}

    def compare(own: Loaded) -> ComparisonResult | None:
        one_unit = len(np.unique(documents.clusters())) < 2
        if len(systems) < 2 or one_unit or resampling.method == "closed":
            return None
        return compare_loaded(own, main, resampling, testing, judges, pools=pools)

    def find_ceiling(own: Loaded) -> CeilingResult | None:
        if len(corpus.annotators) < 2 or metric.annotator is not None or "annotators" in metric.lacks:
            return None
        drawn = replace(resampling, method="percentile", replicates=ceiling_resamples or RESAMPLES)
        without_k = JudgePlan(judges.kind)  # the numbers of references are the curve's own
        ci = None if ceiling_resamples is None else True
        return measure_ceiling(own, main, drawn, ci=ci, judges=without_k, pools=pools)

    def find_agreement(own: Loaded) -> AgreementResult | None:
        looked = {name for sentence in corpus.sentences if sentence.tokens for name in sentence.annotations}
        if len(looked) < 2:  # some annotators may have looked at nothing
            return None
        n, level = resampling.replicates, resampling.confidence_level
        named = None if pools is None else {pool.name: list(pool.judges) for pool in pools}
        result = agree(corpus, pools=named, resamples=n, confidence=level, seed=resampling.seed, jobs=resampling.jobs)
        own.problems.notes += result.notes
        return result

    def compare_references(data: Loaded) -> ReferencesResult | None:
        how = None if resampling.method == "closed" else resampling
        return compare_loaded_golds(data, main.resampled, {OWN: own}, how, resampling.confidence_level) if own else None

    def lay_out(_: Loaded) -> Browse | None:
        return browse_corpus(corpus, systems, main) if browse else None

    def attack(own: Loaded) -> AttackResult | None:
        remembering = [main, *(cache_metric(further, memory) for further in metrics[1:])]
        return attack_for_report(own, remembering, {str(metric.spec): scores, **others}) if attacks else None

    def compute(part: Callable[[Loaded], Any]) -> tuple[Any, list[Problem]]:
        own = replace(data, problems=Problems(lenient=problems.lenient))
        return part(own), own.problems.notes

    # In the order in which warnings are given. The parts do not depend on each other.
    parts: list[Callable[[Loaded], Any]] = [compare, find_ceiling, find_agreement, compare_references, lay_out, attack]
    results, (*notes, attack_notes) = zip(*run(compute, parts, resampling.jobs), strict=True)
    comparison, ceiling, agreement, references, shown, attacked = results
    # The parts warn of the same things, and so did who read the files, who knows another way out.
    first: dict[tuple[str, Place, str], Problem] = {}
    for note in (*problems.notes, *chain.from_iterable(notes)):
        first.setdefault((note.code, note.place, note.what), note)
    reported = {(note.code, note.what) for note in first.values()}  # of an attack only what is said of nothing else
    attack_notes = [note for note in attack_notes if (note.code, note.what) not in reported]
    n_documents = documents.n_clusters if documents.unit == "document" else None
    return CorpusStudy(
        *(corpus.name, documents.unit, len(corpus), n_documents, corpus.annotators),
        scores,
        others,
        *(comparison, ceiling, agreement, shown),
        [*first.values(), *attack_notes],
        *(resampling.confidence_level, metric, attacked),
        references=references,
    )


def _study_own(
    data: Loaded, metrics: Sequence[Metric], resampling: Resampling, testing: SwapPlan, judges: JudgePlan
) -> CorpusStudy:
    """Systems against references that were made for each: no annotator has seen the output of all of them."""
    metric, documents = metrics[0], data.documents
    plan = ScoringPlan([metric], "types" not in metric.lacks, resampling=resampling, judges=judges)
    scores = score_own(data, plan)
    several = any(len(corpus.annotators) > 1 for corpus in data.own.values())
    further = {str(other.spec): other for other in (*(metric.variants() if several else ()), *metrics[1:])}
    further_scores = score_own(data, ScoringPlan(list(further.values()))) if further else []
    others = {spec: further_scores[k :: len(further)] for k, spec in enumerate(further)}
    comparison = None
    if len(data.systems) > 1 and len(np.unique(documents.clusters())) > 1 and resampling.method != "closed":
        comparison = compare_loaded(data, metric, resampling, testing, judges)
    everybody = dict.fromkeys(name for corpus in data.own.values() for name in corpus.annotators)
    n_documents = documents.n_clusters if documents.unit == "document" else None
    return CorpusStudy(
        *(data.corpus.name, documents.unit, len(data.corpus), n_documents, tuple(everybody)),
        scores,
        others,
        *(comparison, None, None, None),
        list(dict.fromkeys(data.problems.notes)),
        *(resampling.confidence_level, metric),
    )


def _measure_in_parallel(metric: Metric, corpus: Corpus, systems: Sequence[Hypothesis], jobs: int) -> None:
    """Measure the systems on several cores; those of another length are refused by who scores them."""
    ready = [system.lines for system in systems if len(system.lines) == len(corpus)]
    only = metric.annotator
    if jobs == 1 or not ready or (only is not None and only not in corpus.annotators):
        return

    def measure(lines: Sequence[str]) -> None:
        metric.measure(corpus, lines)

    measure(ready[0])  # encodes the corpus; the others share it
    for _ in run(measure, ready[1:], jobs):
        pass


class Memory:
    """Statistics of texts against one corpus, by what the map depends on and the text itself, and their resamples."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._known: dict[tuple[object, ...], Any] = {}
        self._records: dict[int, tuple[Sequence[str], tuple[str, ...]]] = {}
        self._lock = Lock()

    def statistics(self, metric: Metric, lines: Sequence[str]) -> Statistics:
        """The statistics that the map keeps, with error types where the metric has them; measured at the first call."""
        texts = self._records_of(lines) if metric.takes_edits else tuple(lines)
        key, by_type = (metric.measure_key, texts), "types" not in metric.lacks
        return cast("Statistics", self._once(key, lambda: metric.measure(self.corpus, lines, by_type=by_type)))

    def _records_of(self, lines: Sequence[str]) -> tuple[str, ...]:
        kept = self._records.get(id(lines))  # the lines are kept beside: nothing else gets their id
        if kept is None:
            kept = self._records[id(lines)] = lines, tuple(system_records(lines))
        return kept[1]

    def folded(self, metric: Metric, statistics: Statistics, selection: Selection) -> Folded:
        """The fold of a table of resamples, maybe against one set of annotators, made at the first call."""
        if _has_types(metric, statistics, selection):
            return self._folded_with_types(metric, statistics, selection)[0]
        key = _fold_key(metric, statistics, selection)
        kept = self._once(key, lambda: (statistics, selection, metric.fold(statistics, selection)))
        return cast("Folded", kept[2])

    def folded_types(self, metric: Metric, statistics: Statistics, selection: Selection) -> NDArray[np.int64]:
        """The edits by type of a table of resamples, which are made with its fold."""
        if _has_types(metric, statistics, selection):
            return self._folded_with_types(metric, statistics, selection)[1]
        return metric.fold_types(statistics, selection)

    def _folded_with_types(
        self, metric: Metric, statistics: Statistics, selection: Selection
    ) -> tuple[Folded, NDArray[np.int64]]:
        def make() -> tuple[object, ...]:
            edit_metric, counts = cast("EditMetric", metric), cast("EditStatistics", statistics)
            return statistics, selection, edit_metric.fold_with_types(counts, selection)

        return cast("tuple[Folded, NDArray[np.int64]]", self._once(_fold_key(metric, statistics, selection), make)[2])

    def folded_against(
        self, metric: Metric, statistics: Statistics, selection: Selection, masks: NDArray[np.uint8]
    ) -> Folded:
        """The fold against each of some sets of annotators, made at the first call."""
        key = _fold_key(metric, statistics, selection), masks.shape, masks.tobytes()
        kept = self._once(key, lambda: (statistics, selection, metric.fold_against(statistics, selection, masks)))
        return cast("Folded", kept[2])

    def _once(self, key: tuple[object, ...], make: Any) -> Any:  # noqa: ANN401 - either of the above
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = make()
            with self._lock:
                known = self._known.setdefault(key, known)
        return known


def _fold_key(metric: Metric, statistics: Statistics, selection: Selection) -> tuple[object, ...]:
    # What an id is of is kept with the fold: nothing else gets it.
    masks = None if selection.annotators is None else selection.annotators.tobytes()
    return str(metric.spec), id(statistics), id(selection.units), masks


def _has_types(metric: Metric, statistics: Statistics, selection: Selection) -> bool:
    """Whether a fold gives the edits by type of the same chosen annotators, which are asked for too."""
    typed = isinstance(metric, EditMetric) and cast("EditStatistics", statistics).by_type is not None
    return typed and selection.annotators is None


class CachedMetric:
    """A metric whose map remembers; every number is that of the metric itself, and so is everything else.

    Metrics that share a memory share what their maps have in common.
    """

    def __init__(self, metric: Metric, memory: Memory) -> None:
        self.metric = metric
        self.memory = memory

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name in ("metric", "memory"):  # asked for before they are set, by who copies
            raise AttributeError(name)
        return getattr(self.metric, name)

    def with_systems(self, reference: Corpus, outputs: Sequence[Sequence[str]]) -> Metric:
        """Itself: whoever gave it a memory has told the metric of all systems."""
        return cast("Metric", self)

    @property
    def resampled(self) -> Metric:
        """As the metric is folded for its intervals, which remembers as well."""
        own = self.metric.resampled
        return cast("Metric", self if own == self.metric else CachedMetric(own, self.memory))

    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> Statistics:
        """The map, or what it gave before."""
        if reference is not self.memory.corpus:
            return self.metric.measure(reference, output, by_type=by_type)
        return self.memory.statistics(self.metric, output)

    def fold(
        self, statistics: Statistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> Folded:
        """The metric's fold, or what it gave before: a score and a comparison need the same resamples and judges."""
        if start is None and selection is not None and _is_kept(selection):
            return self.memory.folded(self.metric, statistics, selection)
        return self.metric.fold(statistics, selection, start=start)

    def fold_against(self, statistics: Statistics, selection: Selection, masks: NDArray[np.uint8]) -> Folded:
        """The metric's folds against sets of annotators, or what they gave before."""
        if _is_kept(selection):
            return self.memory.folded_against(self.metric, statistics, selection, masks)
        return self.metric.fold_against(statistics, selection, masks)

    def fold_types(
        self, statistics: Statistics, selection: Selection | None = None, *, start: Folded | None = None
    ) -> NDArray[np.int64]:
        """The metric's fold by type, or what it gave before."""
        if start is None and selection is not None and _is_kept(selection):
            return self.memory.folded_types(self.metric, statistics, selection)
        return self.metric.fold_types(statistics, selection, start=start)


def _is_kept(selection: Selection) -> bool:
    """Whether it is a table of resamples that nobody can change, to be used again, against one set of annotators."""
    units, masks = selection.units, selection.annotators
    if units is None or selection.swapping is not None or (masks is not None and len(masks) > 1):
        return False
    return units.flags.owndata and not units.flags.writeable  # a view is made anew each time


def cache_metric(metric: Metric, memory: Memory) -> Metric:
    """The metric with a memory."""
    return cast("Metric", CachedMetric(metric, memory))


HISTOGRAM = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Edges of the histogram of agreement."""
STEPS = (1.5, 2.0, 3.0, 5.0, 10.0)
"""Budgets, as multiples of what was spent."""


@dataclass(frozen=True, slots=True)
class HooData:
    """Fragments with their gold edits; by its name each run's edits of each fragment; what joins signatures."""

    fragments: Sequence[Fragment]
    runs: Mapping[str, Sequence[Edits]]
    name: str = ""
    conventions: tuple[str, ...] = ()


def study_hoo(
    data: HooData, metric: Hoo | str, problems: Problems, resampling: Resampling, *, browse: bool = True
) -> HooStudy:
    """Everything that a report shows of HOO data; the numbers are those of ``errorbar score`` with ``--ci``."""
    metric, fragments, runs = parse_hoo(metric), data.fragments, data.runs
    by_rows = replace(metric, by="row")
    scores = score_runs(fragments, runs, [by_rows], problems, resampling=resampling, conventions=data.conventions)
    n_bare = sum(fragment.text is None for fragment in fragments)
    wanted = [Hoo.read({"conventions": name}) for name in CONVENTIONS]
    wanted.append(replace(metric, matching="edits" if metric.matching == "maxmatch" else "maxmatch"))
    if n_bare:
        wanted = [variant for variant in wanted if not (variant.edge_space or variant.matching == "maxmatch")]
    others = {str(variant.spec): variant for variant in wanted if variant != metric}
    quiet = Problems()  # precision above 1 is said of the main metric
    other_scores = (
        score_runs(fragments, runs, list(others.values()), quiet, conventions=data.conventions) if others else []
    )
    if n_bare:
        message = f"{n_bare} of {len(fragments)} fragments have no source text, which other conventions and texts need"
        problems.note("hoo-no-text", message, Place(data.name), fix="--source=FOLDER")
    return HooStudy(
        data.name,
        scores,
        {spec: other_scores[k :: len(others)] for k, spec in enumerate(others)},
        browse_hoo(fragments, runs, metric) if browse and not n_bare else None,
        list(dict.fromkeys(problems.notes)),
        resampling.confidence_level,
    )


def browse_hoo(fragments: Sequence[Fragment], runs: Mapping[str, Sequence[Edits]], metric: Hoo) -> Browse:
    """Lay out texts for looking at; those without a source text are not shown.

    A system's edit is matched where it corrects a gold edit under the metric. With ``counted=gold`` one edit that
    corrects two gold edits counts twice.
    """
    units = [
        _unit(fragment, [edits[number] for edits in runs.values()], metric)
        for number, fragment in enumerate(fragments)
        if fragment.text is not None
    ]
    return Browse((GOLD_NAME,), tuple(runs), units, "text")


def _unit(fragment: Fragment, outputs: Sequence[Edits], metric: Hoo) -> BrowseUnit:
    systems, counts = [], []
    for edits in outputs:
        aligned = edits
        if metric.matching == "maxmatch":
            aligned = redecompose(fragment, edits, max_unchanged=metric.max_unchanged)
        fitting = align(fragment, aligned, metric).fitting.tolist()
        systems.append(tuple(_browse_edit(edit, matched=fits) for edit, fits in zip(aligned, fitting, strict=True)))
        row = metric.measure([fragment], [edits]).counts[0].tolist()
        counts.append((row[CORRECTED], row[SYSTEM], row[GOLD]))
    gold = tuple(_browse_edit(edit) for edit in fragment.edits)
    chosen = (0,) * len(outputs)
    return BrowseUnit(fragment.name, fragment.text or "", "", (gold,), tuple(systems), tuple(counts), chosen)


def _browse_edit(edit: StandoffEdit, *, matched: bool | None = None) -> BrowseEdit:
    return BrowseEdit(edit.start, edit.end, edit.corrections, edit.type, edit.optional, matched)


def study_crowd(
    judged: ReadJudgments,
    systems: Mapping[str, Flags],
    problems: Problems,
    resampling: Resampling,
    name: str = "",
    error: str | Sequence[str] = USUAL,
) -> CrowdStudy:
    """Everything that a report shows of a crowd, with closed intervals, of agreement BCa, of curves percentiles.

    The numbers are those of ``crowd``, ``curve`` and ``agree`` for the same input, seed and numbers of resamples.

    Raises:
        UsageError: If no label means an error, or the judgments do not allow the shares.
    """
    table, how = judged.judgments, replace(resampling, method="percentile")
    against = Against.of(judged, Crowd(), error, how.seed)
    scores = CrowdScores(tuple(crowd_rows(against, systems, how.confidence_level)), against.unit, ())
    if systems:
        against.note_few(problems)
    curves = Curves(tuple(curve_rows(against, systems, how)), Marks().prevalence, how.seed, ())
    n_raters = len(np.unique(table.rater))
    known = replace(judged, options=replace(judged.options, unknown=()))  # those are gone already
    agreement = measure_agreement(known, replace(resampling, method="bca")) if n_raters > 1 else None
    problems.notes += agreement.notes if agreement is not None else ()
    share = against.votes.share[against.votes.n_judgments > 0]
    histogram = {(low, high): int(in_bin(share, low, high).sum()) for low, high in pairwise(HISTOGRAM)}
    notes = list(dict.fromkeys(problems.notes))
    return CrowdStudy(
        name, len(share), n_raters, len(table), histogram, scores, curves, agreement, notes, how.confidence_level
    )


def study_sample(estimated: SampleEstimation, name: str = "") -> SampleStudy:
    """Everything that a report shows of a judged sample."""
    strata, sample, how = estimated.strata, estimated.sample, estimated.how
    return SampleStudy(
        name,
        int(strata.sizes.sum()),
        int(sample.n.sum()),
        estimated.found.systems,
        estimated.found.differences,
        budget_steps(strata, sample, Aim("R", how.beta, how.confidence_level)),
        {"sample estimate": _signature(estimated)},
        estimated.notes,
        next((table for table in estimated.tables() if table.name == "assistance"), None),
    )


def budget_steps(strata: Strata, sample: Sample, aim: Aim | None = None) -> list[BudgetStep]:
    """The judgments that were spent and what more of them would buy, smallest first.

    Formula
        Expected half-widths of a larger sample are those of ``errorbar.sampling.plan`` with the error rates that were
        seen, (x + ½) / (n + 1) in each stratum. A larger budget keeps what was judged and adds where it serves R best.
    Conventions
        Of two systems the wider half-width is given. Budgets are the one that was spent, and 1.5, 2, 3, 5 and 10 times
        as many items, at most all of them. ``aim`` says what more judgments shall show best, the weight of recall, and
        the level of the intervals.
    Source
        Cochran 1977, sections 5.5 and 5.9.

    Raises:
        UsageError: If the sample does not fit the strata.
    """
    sample.check(strata)
    aim, rates = aim or Aim(), sample.rates(strata)
    spent, every = int(sample.n.sum()), int(strata.sizes.sum())
    steps = [BudgetStep(spent, _half_widths(expected_precision(strata, rates, sample.n, aim)))]
    for budget in sorted({min(every, round(spent * factor)) for factor in STEPS} - {spent}):
        plan = plan_sample(strata, rates, budget, aim, floor=sample.n)
        steps.append(BudgetStep(budget, _half_widths(plan.expected)))
    return steps


def _half_widths(expected: Sequence[ExpectedScore]) -> dict[str, float | None]:
    return {target: max(score.half_width for score in expected if score.name == target) for target in TARGETS}


def _signature(estimated: SampleEstimation) -> str:
    """The signature of everything that can change a digit: strata, what was judged, and how."""
    strata, sample, how = estimated.strata, estimated.sample, estimated.how
    judged = ContentHash()
    columns = (strata.names, strata.sizes.tolist(), sample.n.tolist(), sample.x.tolist())
    judged.add([" ".join(map(str, row)) for row in zip(*columns, strict=True)])
    judged.add([f"{system} {flags}" for system, flags in zip(strata.systems, strata.flags.tolist(), strict=True)])
    parts = [
        f"sample(beta={how.beta:g},method={how.method})",
        f"judged:{judged.short()}",
        f"n:{int(sample.n.sum())}",
        f"ci:{how.confidence_level}",
        f"seed:{how.seed}",
        f"v:{__version__}",
    ]
    return "|".join(parts)
