"""Systems against the annotators of a corpus: scores, comparison, ceiling, agreement and sentences at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from errorbar.agreement import AgreementReport
from errorbar.ceilings import Ceiling, ceiling, prepare_study
from errorbar.ceilings.spread import CeilingIntervals, ceiling_intervals
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.execute import run
from errorbar.metrics.base import Metric
from errorbar.metrics.comparison import Comparison, System, compare_systems
from errorbar.metrics.documents import Documents
from errorbar.metrics.floors import warn_hopeless
from errorbar.metrics.score import Score
from errorbar.metrics.scoring import Plan, score_corpus
from errorbar.metrics.swaps import SwapPlan
from errorbar.stats.resampling import Resampling
from errorbar.studies.agree import agree
from errorbar.studies.browse import Browse, browse_corpus
from errorbar.studies.measured import Memory, remembering
from errorbar.studies.model import CorpusStudy
from errorbar.studies.signatures import CorpusSignatures


@dataclass(slots=True)
class _Found:
    """What the parts of a study found, each part on its own."""

    comparison: Comparison | None = None
    groups: list[str] = field(default_factory=list)
    ceiling: Ceiling | None = None
    intervals: CeilingIntervals | None = None
    how: list[str] = field(default_factory=list)
    agreement: AgreementReport | None = None
    agreed: str = ""
    browse: Browse | None = None


def study_corpus(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    metric: Metric,
    problems: Problems,
    documents: Documents,
    *,
    resampling: Resampling,
    testing: SwapPlan | None = None,
    conventions: tuple[str, ...] = (),
    metrics: Sequence[Metric] = (),
    ceiling_resamples: int | None = None,
    jobs: int = 1,
    browse: bool = True,
    force: bool = False,
) -> CorpusStudy:
    """Compute everything that a report shows of systems and annotators.

    The numbers are those of ``errorbar score --ci``, ``compare``, ``ceiling`` and ``agree`` for the same input, method,
    number of resamples and seed. Every text is measured once.

    Args:
        corpus: Sentences and annotations.
        systems: The systems' sentences.
        metric: The main metric.
        problems: Where warnings and repairs go; what it holds already is kept.
        documents: Which essay each sentence is from.
        resampling: How intervals are made, of the main metric, of differences and of agreement.
        testing: How systems are compared; None: the default.
        conventions: Further choices that belong in signatures, e.g. ``unmarked:nobody``.
        metrics: Further metrics, without intervals.
        ceiling_resamples: Resamples for intervals of the human ceiling; None: none are made.
        jobs: How many cores; changes no digit.
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
    resampling = replace(resampling, jobs=jobs)
    testing = testing or SwapPlan()
    memory = Memory(corpus)
    main = remembering(metric, memory)
    _measure(main, corpus, systems, jobs)
    by_type = "types" not in metric.lacks
    plan = Plan([main], by_type, True, resampling, conventions, Admission(force))
    scores = score_corpus(corpus, systems, plan, problems)
    others = _others(
        corpus,
        systems,
        [*(metric.variants() if len(corpus.annotators) > 1 else ()), *metrics],
        memory,
        problems,
        conventions,
        force,
    )
    signatures = CorpusSignatures(corpus, systems, conventions)
    said = {f"score: {one.system}": str(one.signature) for one in scores}

    found = _Found()

    def compare(own: Problems) -> None:
        found.comparison, found.groups = _compare(main, corpus, systems, documents, resampling, testing, own)

    def agree(own: Problems) -> None:
        found.agreement, found.agreed = _agreement(corpus, resampling, own)

    def reach(own: Problems) -> None:
        found.ceiling, found.intervals, found.how = _ceiling(
            main, corpus, systems, documents, resampling, ceiling_resamples, own
        )

    def show(_: Problems) -> None:
        found.browse = browse_corpus(corpus, systems, main) if browse else None

    def do(piece: tuple[Callable[[Problems], None], Problems]) -> Problems:
        piece[0](piece[1])
        return piece[1]

    # In the order in which warnings are given. The parts do not depend on each other.
    pieces = [(part, Problems(lenient=problems.lenient)) for part in (compare, reach, agree, show)]
    for own in run(do, pieces, jobs):
        problems.notes += own.notes
    if found.comparison is not None:
        tested = testing.convention(len(systems), 1 - resampling.confidence_level)
        said["compare"] = signatures.of(str(metric.spec), resampling.convention(documents.clustering), tested)
    if found.ceiling is not None:
        said["ceiling"] = signatures.of(str(metric.spec), *found.how)
    if found.agreement is not None:
        said["agree"] = found.agreed

    return CorpusStudy(
        corpus.name,
        documents.unit,
        len(corpus),
        documents.n_clusters if documents.unit == "document" else None,
        corpus.annotators,
        scores,
        others,
        found.comparison,
        found.groups,
        found.ceiling,
        found.intervals,
        found.agreement,
        found.browse,
        said,
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


def _others(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    memory: Memory,
    problems: Problems,
    conventions: tuple[str, ...],
    force: bool,
) -> dict[str, list[Score]]:
    unique = {str(metric.spec): remembering(metric, memory) for metric in metrics}
    plan = Plan(list(unique.values()), conventions=conventions, admission=Admission(force))
    made = score_corpus(corpus, systems, plan, problems) if unique else []
    n = len(unique)
    return {spec: made[k::n] for k, spec in enumerate(unique)}


def _compare(
    metric: Metric,
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    documents: Documents,
    resampling: Resampling,
    testing: SwapPlan,
    problems: Problems,
) -> tuple[Comparison | None, list[str]]:
    clusters = documents.clusters()
    if len(systems) < 2 or len(np.unique(clusters)) < 2 or resampling.method == "closed":
        return None, [""] * len(systems)
    measured = [System(system.name, metric.measure(corpus, system.lines)) for system in systems]
    found = compare_systems(metric, measured, clusters, resampling, testing)
    alpha = 1 - resampling.confidence_level
    warn_hopeless(found, alpha, problems, unit=documents.unit)
    groups = {row.name: row.group for row in found.ranking(alpha)}
    return found, [groups[system.name] for system in systems]


def _ceiling(
    metric: Metric,
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    documents: Documents,
    resampling: Resampling,
    resamples: int | None,
    problems: Problems,
) -> tuple[Ceiling | None, CeilingIntervals | None, list[str]]:
    if len(corpus.annotators) < 2 or metric.annotator is not None or "annotators" in metric.lacks:
        return None, None, []
    seed, jobs = resampling.seed, resampling.jobs
    study = prepare_study(corpus, systems, metric, problems, seed=seed, jobs=jobs, force=True)
    found = ceiling(study, jobs=jobs)
    how = [] if all(found.exact) else ["most:1000", f"seed:{seed}"]
    if resamples is None:
        return found, None, how
    percentile = Resampling("percentile", resamples, 0.95, seed, jobs)
    intervals = ceiling_intervals(study, documents.clusters(), percentile)
    return found, intervals, [*how, percentile.convention(documents.clustering)]


def _agreement(corpus: Corpus, resampling: Resampling, problems: Problems) -> tuple[AgreementReport | None, str]:
    """Agreement about tokens; also where some annotators looked at nothing."""
    looked = {name for sentence in corpus.sentences if sentence.tokens for name in sentence.annotations}
    if len(looked) < 2:
        return None, ""
    seed, n, level = resampling.seed, resampling.replicates, resampling.confidence_level
    found = agree(corpus, resamples=n, confidence=level, seed=seed, jobs=resampling.jobs)
    problems.notes += found.notes
    return found.report, found.signature
