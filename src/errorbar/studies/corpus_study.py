"""Systems against the annotators of a corpus: scores, comparison, ceiling, agreement and sentences at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.execute import run
from errorbar.metrics.base import Metric
from errorbar.metrics.folding import Plan
from errorbar.metrics.scoring import score_corpus
from errorbar.metrics.swaps import SwapPlan
from errorbar.stats.resampling import Resampling
from errorbar.studies.agree import AgreementResult, agree
from errorbar.studies.browse import Browse, browse_corpus
from errorbar.studies.ceiling import RESAMPLES, CeilingResult, reached
from errorbar.studies.compare import Compared, compared
from errorbar.studies.inputs import Loaded
from errorbar.studies.measured import Memory, remembering
from errorbar.studies.model import CorpusStudy


def study_corpus(
    data: Loaded,
    metric: Metric,
    *,
    resampling: Resampling,
    testing: SwapPlan | None = None,
    metrics: Sequence[Metric] = (),
    ceiling_resamples: int | None = None,
    browse: bool = True,
    force: bool = False,
) -> CorpusStudy:
    """Compute everything that a report shows of systems and annotators.

    The numbers are those of ``errorbar score --ci``, ``compare``, ``ceiling`` and ``agree`` for the same input, method,
    number of resamples and seed. Every text is measured once.

    Args:
        data: The corpus and the systems' sentences, as ``errorbar.studies.inputs.load`` reads them; warnings go to its
            notebook, and what that holds already is kept.
        metric: The main metric.
        resampling: How intervals are made, of the main metric, of differences and of agreement.
        testing: How systems are compared; None: the default.
        metrics: Further metrics, without intervals.
        ceiling_resamples: Resamples for intervals of the human ceiling; None: none are made.
        browse: Also sentences and edits.
        force: Take a system that is not a correction of this source, with a warning.

    Returns:
        The study. There is no comparison with fewer than two systems, essays or sentences, nor by the closed method;
        no ceiling with one annotator, or where the metric names one; no agreement with one annotator or no token.

    Raises:
        InputError: If a system has another number of sentences than the source or is no correction of it, or edits of
            one annotator overlap.
        UsageError: If a metric names an annotator that the corpus does not have.
    """
    corpus, systems, documents, problems = data.corpus, data.systems, data.documents, data.problems
    memory = Memory(corpus)
    main = remembering(metric, memory)
    _measure(main, corpus, systems, resampling.jobs)
    by_type, admission = "types" not in metric.lacks, Admission(force)
    plan = Plan([main], by_type, True, resampling, data.conventions, admission)
    scores = score_corpus(corpus, systems, plan, problems)
    further = [*(metric.variants() if len(corpus.annotators) > 1 else ()), *metrics]
    unique = {str(each.spec): remembering(each, memory) for each in further}
    plan = Plan(list(unique.values()), conventions=data.conventions, admission=admission)
    made = score_corpus(corpus, systems, plan, problems) if unique else []

    def compare(own: Loaded) -> Compared | None:
        one_unit = len(np.unique(documents.clusters())) < 2
        if len(systems) < 2 or one_unit or resampling.method == "closed":
            return None
        return compared(own, main, resampling, testing or SwapPlan())

    def reach(own: Loaded) -> CeilingResult | None:
        if len(corpus.annotators) < 2 or metric.annotator is not None or "annotators" in metric.lacks:
            return None
        how = Resampling("percentile", ceiling_resamples or RESAMPLES, 0.95, resampling.seed, resampling.jobs)
        return reached(own, main, how, ci=ceiling_resamples is not None)

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

    def do(part: Callable[[Loaded], Any]) -> tuple[Any, list[Problem]]:
        own = replace(data, problems=Problems(lenient=problems.lenient))
        return part(own), own.problems.notes

    # In the order in which warnings are given. The parts do not depend on each other.
    parts: list[Callable[[Loaded], Any]] = [compare, reach, meet, show]
    found = list(run(do, parts, resampling.jobs))
    for _, notes in found:
        problems.notes += notes
    comparison, ceiling, agreement, shown = (part for part, _ in found)
    return CorpusStudy(
        corpus.name,
        documents.unit,
        len(corpus),
        documents.n_clusters if documents.unit == "document" else None,
        corpus.annotators,
        scores,
        {spec: made[k :: len(unique)] for k, spec in enumerate(unique)},
        comparison,
        ceiling,
        agreement,
        shown,
        _once(problems.notes),
        resampling.confidence_level,
    )


def _once(notes: Sequence[Problem]) -> list[Problem]:
    """The parts of a study warn of the same things, and so did who read the files, who knows another way out."""
    first: dict[tuple[str, Place, str], Problem] = {}
    for note in notes:
        first.setdefault((note.code, note.place, note.what), note)
    return list(first.values())


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
