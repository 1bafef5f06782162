"""Systems against the annotators of a corpus: scores, comparison, ceiling, agreement and sentences at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from threading import Lock
from typing import Any, cast

import numpy as np

from errorbar.core.corpus import Corpus, Hypothesis, system_record
from errorbar.core.errors import Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.execute import run
from errorbar.metrics.base import Folded, Metric, Selection, Statistics
from errorbar.metrics.folding import Plan
from errorbar.metrics.judges import JudgePlan
from errorbar.metrics.scoring import score_corpus
from errorbar.metrics.swaps import SwapPlan
from errorbar.stats.resampling import Resampling
from errorbar.studies.agree import AgreementResult, agree
from errorbar.studies.attack import attacks_among
from errorbar.studies.attack_result import Attacked
from errorbar.studies.browse import Browse, browse_corpus
from errorbar.studies.ceiling import RESAMPLES, reached
from errorbar.studies.ceiling_result import CeilingResult
from errorbar.studies.compare import USUAL_JUDGES, ComparisonResult, compared
from errorbar.studies.inputs import Loaded
from errorbar.studies.model import CorpusStudy

USUAL = SwapPlan()


def study_corpus(
    data: Loaded,
    metrics: Sequence[Metric],
    resampling: Resampling,
    testing: SwapPlan = USUAL,
    ceiling_resamples: int | None = None,
    judges: JudgePlan = USUAL_JUDGES,
    *,
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
        browse: Also sentences and edits.
        attacks: Also where systems that nobody would want land.

    Raises:
        InputError: If a system has another number of sentences than the source, or edits of one annotator overlap.
        UsageError: If a metric names an annotator that the corpus does not have.
    """
    corpus, systems, documents, problems = data.corpus, data.systems, data.documents, data.problems
    metric, memory = metrics[0], Memory(corpus)
    main = remembering(metric, memory)
    _measure(main, corpus, systems, resampling.jobs)
    admission = Admission(force=True)  # who read the systems has looked at them
    plan = Plan([main], "types" not in metric.lacks, True, resampling, data.conventions, admission, judges=judges)
    scores = score_corpus(corpus, systems, plan, problems)
    further = [*(metric.variants() if len(corpus.annotators) > 1 else ()), *metrics[1:]]
    unique = {str(each.spec): remembering(each, memory) for each in further}
    silent = Admission(silent=True)  # what is to be said of the texts has been said
    plan = Plan(list(unique.values()), conventions=data.conventions, admission=silent)
    made = score_corpus(corpus, systems, plan, problems) if unique else []
    others = {spec: made[k :: len(unique)] for k, spec in enumerate(unique)}

    def compare(own: Loaded) -> ComparisonResult | None:
        one_unit = len(np.unique(documents.clusters())) < 2
        if len(systems) < 2 or one_unit or resampling.method == "closed":
            return None
        return compared(own, main, resampling, testing, judges)

    def reach(own: Loaded) -> CeilingResult | None:
        if len(corpus.annotators) < 2 or metric.annotator is not None or "annotators" in metric.lacks:
            return None
        drawn = replace(resampling, method="percentile", replicates=ceiling_resamples or RESAMPLES)
        without_k = JudgePlan(judges.kind)  # the numbers of references are the curve's own
        return reached(own, main, drawn, ci=None if ceiling_resamples is None else True, judges=without_k)

    def meet(own: Loaded) -> AgreementResult | None:
        """Agreement about tokens; also where some annotators looked at nothing."""
        looked = {name for sentence in corpus.sentences if sentence.tokens for name in sentence.annotations}
        if len(looked) < 2:
            return None
        n, level = resampling.replicates, resampling.confidence_level
        found = agree(corpus, resamples=n, confidence=level, seed=resampling.seed, jobs=resampling.jobs)
        own.problems.notes += found.notes
        return found

    def show(_: Loaded) -> Browse | None:
        return browse_corpus(corpus, systems, main) if browse else None

    def strike(own: Loaded) -> Attacked | None:
        return attacks_among(own, metrics, {str(metric.spec): scores, **others}) if attacks else None

    def do(part: Callable[[Loaded], Any]) -> tuple[Any, list[Problem]]:
        own = replace(data, problems=Problems(lenient=problems.lenient))
        return part(own), own.problems.notes

    # In the order in which warnings are given. The parts do not depend on each other.
    parts: list[Callable[[Loaded], Any]] = [compare, reach, meet, show, strike]
    (comparison, ceiling, agreement, shown, attacked), (*notes, struck) = zip(
        *run(do, parts, resampling.jobs), strict=True
    )
    # The parts warn of the same things, and so did who read the files, who knows another way out.
    first: dict[tuple[str, Place, str], Problem] = {}
    for note in (*problems.notes, *chain.from_iterable(notes)):
        first.setdefault((note.code, note.place, note.what), note)
    said = {(note.code, note.what) for note in first.values()}  # of an attack only what is said of nothing else
    struck = [note for note in struck if (note.code, note.what) not in said]
    return CorpusStudy(
        corpus.name,
        documents.unit,
        len(corpus),
        documents.n_clusters if documents.unit == "document" else None,
        corpus.annotators,
        scores,
        others,
        comparison,
        ceiling,
        agreement,
        shown,
        [*first.values(), *struck],
        resampling.confidence_level,
        metric,
        attacked,
    )


def _measure(metric: Metric, corpus: Corpus, systems: Sequence[Hypothesis], jobs: int) -> None:
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
        self._lock = Lock()

    def statistics(self, metric: Metric, lines: Sequence[str]) -> Statistics:
        """What the map keeps, with error types where the metric has them; measured at the first call."""
        texts = tuple(map(system_record, lines)) if metric.takes_edits else tuple(lines)
        key, by_type = (metric.measure_key, texts), "types" not in metric.lacks
        return cast("Statistics", self._once(key, lambda: metric.measure(self.corpus, lines, by_type=by_type)))

    def folded(self, metric: Metric, statistics: Statistics, selection: Selection) -> Folded:
        """The fold of a table of resamples, maybe against one set of annotators, made at the first call."""
        # What an id is of is kept with the fold: nothing else gets it.
        masks = None if selection.annotators is None else selection.annotators.tobytes()
        key = (str(metric.spec), id(statistics), id(selection.units), masks)
        kept = self._once(key, lambda: (statistics, selection, metric.fold(statistics, selection)))
        return cast("Folded", kept[2])

    def _once(self, key: tuple[object, ...], make: Any) -> Any:  # noqa: ANN401 - either of the above
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = make()
            with self._lock:
                known = self._known.setdefault(key, known)
        return known


class Measured:
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

    @property
    def resampled(self) -> Metric:
        """As the metric is folded for its intervals, which remembers as well."""
        own = self.metric.resampled
        return cast("Metric", self if own == self.metric else Measured(own, self.memory))

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


def _is_kept(selection: Selection) -> bool:
    """Whether it is a table of resamples that is used again, as nobody can change it, against one set of annotators."""
    units, masks = selection.units, selection.annotators
    if units is None or selection.swapping is not None or (masks is not None and len(masks) > 1):
        return False
    return units.flags.owndata and not units.flags.writeable  # a view is made anew each time


def remembering(metric: Metric, memory: Memory) -> Metric:
    """The metric with a memory."""
    return cast("Metric", Measured(metric, memory))
