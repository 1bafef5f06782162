"""Our correctors beside the teams of CoNLL-2014: scores with intervals, groups, and ratios to humans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from errorbar.ceilings import StudyPlan, ceiling, prepare_study
from errorbar.ceilings.spread import ceiling_intervals
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import InputError
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.detectors.corrector import changed
from errorbar.detectors.correctors import CORRECTORS, Name
from errorbar.metrics.comparison import System, compare_systems
from errorbar.metrics.folding import Plan
from errorbar.metrics.m2 import M2
from errorbar.metrics.scoring import score_corpus
from errorbar.metrics.swaps import SwapPlan
from errorbar.reproduce.cells import Cell, with_ends
from errorbar.reproduce.sources import NO_DETECTOR, Sources
from errorbar.stats.resampling import Resampling
from errorbar.studies.model_folder import read_corrector

OURS = "our corrector, which the paper does not have"
BY_ESSAY = f"{OURS}; intervals over essays"
LEVEL = 0.05
RESAMPLES = 500  # of essays: each folds every subset of annotators again
SIZES = (1, 9)
"""How many of ten annotators a corrector is held against, and a human too."""


def corrector_cells(sources: Sources, corpora: Mapping[str, Corpus], teams: Sequence[Hypothesis]) -> Iterator[Cell]:
    """Rows of our correctors.

    Args:
        sources: With trained models; without, the rows say what they take.
        corpora: The references by the name of their table.
        teams: Those of the shared task.
    """
    plain = next(iter(corpora.values()))
    if sources.models is None:
        for name in CORRECTORS:
            yield Cell("our correctors", name, "f0.5", None, None, known=NO_DETECTOR)
        return
    made: list[Hypothesis] = []
    for name in CORRECTORS:
        sources.tell(f"correcting by {name}")
        try:
            made.append(_corrected(sources, plain, name))
        except InputError as error:
            yield Cell("our correctors", name, "f0.5", None, None, known=f"not run: {error.problems[0].what}")
    for table, corpus in corpora.items():
        for score in score_corpus(corpus, made, Plan([M2()], resampling=Resampling()), Problems()):
            for column, value in (("precision", score.precision), ("recall", score.recall), ("f0.5", score.f)):
                yield from with_ends(table, score.system, column, None, _percent(value), OURS)
    yield from _groups(sources, plain, [*teams, *made], len(made))
    yield from _ratios(sources, made)


def _corrected(sources: Sources, corpus: Corpus, name: Name) -> Hypothesis:
    assert sources.models is not None
    corrector = read_corrector(sources.models, name)
    sentences = iter([sentence.tokens for sentence in corpus.sentences])
    return Hypothesis(name, [" ".join(changed(tokens, made)) for tokens, made in corrector.changes(sentences)])


def _percent(value: Estimate) -> Estimate:
    if value.value is None:
        return value
    found = value.interval
    ends = None if found is None else replace(found, low=100 * found.low, high=100 * found.high)
    return replace(value, value=100 * value.value, interval=ends)


def _groups(sources: Sources, corpus: Corpus, systems: Sequence[Hypothesis], n_ours: int) -> Iterator[Cell]:
    """How many systems each of ours is better and worse than, and which it is not told apart from."""
    if not n_ours:
        return
    sources.tell("comparing with the teams")
    metric = M2()
    measured = [System(system.name, metric.measure(corpus, system.lines)) for system in systems]
    clusters = np.arange(len(corpus.sentences))
    found = compare_systems(
        metric, measured, clusters, Resampling(confidence_level=1 - LEVEL), SwapPlan(), intervals=False
    )
    ranking = found.ranking()
    for one in ranking:
        if one.name not in CORRECTORS:
            continue
        above = {other.number for other in ranking if one.number in other.better}
        apart = {one.number, *one.better, *above}
        same = ", ".join(other.name for other in ranking if other.number not in apart)
        known = (
            f"swaps of sentences, level {LEVEL} for all pairs; {one.name} is not told apart from {same or 'any other'}"
        )
        yield Cell("groups", one.name, "significantly better than", None, len(one.better), known)
        yield Cell("groups", one.name, "significantly worse than", None, len(above), known)


def _ratios(sources: Sources, made: Sequence[Hypothesis]) -> Iterator[Cell]:
    """What each of ours reaches of a human's F0.5, in percent, against some of ten annotators."""
    problems = Problems(lenient=True)
    table = "ratio to humans"
    try:
        corpus = sources.ten_annotators(problems, essays=True)
    except InputError as error:
        for one in made:
            yield Cell(table, one.name, "percent", None, None, known=f"not run: {error.problems[0].what}")
        return
    if not made:
        return
    sources.tell("comparing with ten annotators")
    study = prepare_study(corpus, made, M2(), problems, StudyPlan(sizes=SIZES))
    result = ceiling(study)
    _, essays = np.unique([sentence.document for sentence in corpus.sentences], return_inverse=True)
    drawn = ceiling_intervals(study, essays, Resampling("percentile", replicates=RESAMPLES))
    for number, one in enumerate(made):
        for at, size in enumerate(SIZES):
            ends = drawn.ratios[number][at]
            value = Estimate(float(result.ratio[number, at]), len(essays))
            column = f"percent, {size} reference{'s' if size > 1 else ''}"
            yield from with_ends(table, one.name, column, None, _percent(value.with_interval(ends)), BY_ESSAY)
