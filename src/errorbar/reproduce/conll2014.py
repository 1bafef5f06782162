"""Ng et al. 2014, the CoNLL-2014 shared task: tables 2, 3, 7 to 12 and the agreement of the annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from errorbar.agreement.cohen import pairwise_agreement
from errorbar.api.detect import read_corrector
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.estimate import Estimate
from errorbar.core.problems import InputError, Problems
from errorbar.detectors.corrector import changed
from errorbar.detectors.correctors import CORRECTORS, Name
from errorbar.edits.items import Projection, edit_items
from errorbar.edits.texts import corrected_text
from errorbar.formats.look import Lines
from errorbar.formats.nucle import read_nucle
from errorbar.metrics.ceiling import StudyPlan, ceiling, ceiling_intervals, prepare_study
from errorbar.metrics.comparison import System, compare_systems
from errorbar.metrics.folding import ScoringPlan
from errorbar.metrics.m2 import M2
from errorbar.metrics.scoring import score_corpus
from errorbar.metrics.swaps import SwapPlan
from errorbar.reproduce.cells import (
    NO_DETECTOR,
    Cell,
    Number,
    Printed,
    Sources,
    compare,
    percents,
    published,
    score_systems,
    with_ends,
)
from errorbar.stats.resampling import Resampling

# Our correctors beside the teams of CoNLL-2014: scores with intervals, groups, and ratios to humans.


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
    corrected: list[Hypothesis] = []
    for name in CORRECTORS:
        sources.tell(f"correcting by {name}")
        try:
            corrected.append(_correct_corpus(sources, plain, name))
        except InputError as error:
            yield Cell("our correctors", name, "f0.5", None, None, known=f"not run: {error.problems[0].what}")
    for table, corpus in corpora.items():
        for score in score_corpus(corpus, corrected, ScoringPlan([M2()], resampling=Resampling()), Problems()):
            for column, value in (("precision", score.precision), ("recall", score.recall), ("f0.5", score.f)):
                yield from with_ends(table, score.system, column, None, _percent(value), OURS)
    yield from _groups(sources, plain, [*teams, *corrected], len(corrected))
    yield from _ratios(sources, corrected)


def _correct_corpus(sources: Sources, corpus: Corpus, name: Name) -> Hypothesis:
    assert sources.models is not None
    corrector = read_corrector(sources.models, name)
    sentences = iter([sentence.tokens for sentence in corpus.sentences])
    return Hypothesis(name, [" ".join(changed(tokens, changes)) for tokens, changes in corrector.changes(sentences)])


def _percent(value: Estimate) -> Estimate:
    if value.value is None:
        return value
    interval = value.interval
    ends = None if interval is None else replace(interval, low=100 * interval.low, high=100 * interval.high)
    return replace(value, value=100 * value.value, interval=ends)


def _groups(sources: Sources, corpus: Corpus, systems: Sequence[Hypothesis], n_ours: int) -> Iterator[Cell]:
    """The number of systems that each of ours is better and worse than, and those that it does not differ from."""
    if not n_ours:
        return
    sources.tell("comparing with the teams")
    metric = M2()
    measured = [System(system.name, metric.measure(corpus, system.lines)) for system in systems]
    clusters = np.arange(len(corpus.sentences))
    comparison = compare_systems(
        metric, measured, clusters, Resampling(confidence_level=1 - LEVEL), SwapPlan(), intervals=False
    )
    ranking = comparison.ranking()
    for system in ranking:
        if system.name not in CORRECTORS:
            continue
        above = {other.number for other in ranking if system.number in other.better}
        apart = {system.number, *system.better, *above}
        same = ", ".join(other.name for other in ranking if other.number not in apart)
        alike = f"{system.name} is not told apart from {same or 'any other'}"
        known = f"swaps of sentences, level {LEVEL} for all pairs; {alike}"
        yield Cell("groups", system.name, "significantly better than", None, len(system.better), known)
        yield Cell("groups", system.name, "significantly worse than", None, len(above), known)


def _ratios(sources: Sources, corrected: Sequence[Hypothesis]) -> Iterator[Cell]:
    """The share of a human's F0.5 that each of our correctors reaches, in percent, against some of ten annotators."""
    problems = Problems(lenient=True)
    table = "ratio to humans"
    try:
        corpus = sources.ten_annotators(problems, essays=True)
    except InputError as error:
        for system in corrected:
            yield Cell(table, system.name, "percent", None, None, known=f"not run: {error.problems[0].what}")
        return
    if not corrected:
        return
    sources.tell("comparing with ten annotators")
    study = prepare_study(corpus, corrected, M2(), problems, StudyPlan(sizes=SIZES))
    result = ceiling(study)
    _, essays = np.unique([sentence.document for sentence in corpus.sentences], return_inverse=True)
    drawn = ceiling_intervals(study, essays, Resampling("percentile", replicates=RESAMPLES))
    for number, system in enumerate(corrected):
        for at, size in enumerate(SIZES):
            ends = drawn.ratios[number][at]
            value = Estimate(float(result.ratio[number, at]), len(essays))
            column = f"percent, {size} reference{'s' if size > 1 else ''}"
            yield from with_ends(table, system.name, column, None, _percent(value.with_interval(ends)), BY_ESSAY)


TABLES = "conll2014_table"
NOT_RELEASED = {"NARA": "the team's output was never released"}
NO_TRAINING = {"nucle": "the NUCLE training data needs a license"}
PUBLISHED_KAPPA = Number("0.43")
"""Identification kappa of the two annotators, as printed."""
KAPPA_AS_PUBLISHED: tuple[Projection, ...] = ("tokens", "tokens-before")
"""Readings of "identification" that print as the published number."""
OTHER_KAPPAS: tuple[Projection, ...] = ("tokens-after", "tokens-gaps")
OTHER_READING = "the paper does not say what becomes of insertions; this is another reading"

Values = dict[tuple[str, str], float | None]


def cells(sources: Sources) -> Iterator[Cell]:
    """Every cell of the paper's tables about the test data and the systems' scores."""
    yield from compare(Printed("table 2", f"{TABLES}02_statistics"), _sizes(sources), known=NO_TRAINING)
    yield from _error_types(sources)
    systems = [
        sources.system(row["team"])
        for row in published(f"{TABLES}07_no_alternatives")
        if row["team"] not in NOT_RELEASED
    ]
    plain = sources.conll2014("noalt/official-2014.combined.m2")
    alternatives = sources.conll2014("alt/official-2014.combined-withalt.m2")
    for number, name, corpus in (("07", "no", plain), ("08", "with", alternatives)):
        file = f"{TABLES}{number}_{name}_alternatives"
        printed = Printed(f"table {int(number)}", file, columns={"late": ""})
        yield from compare(printed, _team_scores(corpus, systems), known=NOT_RELEASED)
    for number, name, corpus in (("09", "no", plain), ("10", "with", alternatives)):
        file = f"{TABLES}{number}_recall_by_type_{name}_alternatives"
        ours = _recall_by_type(file, corpus, systems)
        yield from compare(Printed(f"table {int(number)}", file), ours, known=NOT_RELEASED)
    single = [sources.conll2014(f"noalt/official-2014.{k}.m2") for k in range(2)]
    ours = {
        key: value
        for k, corpus in enumerate(single, 1)
        for key, value in _team_scores(corpus, systems, f"annotator{k}_").items()
    }
    yield from compare(Printed("table 11", f"{TABLES}11_single_annotator"), ours, known=NOT_RELEASED)
    printed = Printed("table 12", f"{TABLES}12_annotator_vs_annotator", "{hypothesis} against {reference}")
    yield from compare(printed, _annotators_against_each_other(single))
    both = sources.conll2014(*(f"noalt/official-2014.{k}.m2" for k in range(2)))
    for projection in (*KAPPA_AS_PUBLISHED, *OTHER_KAPPAS):
        (pair,) = pairwise_agreement(edit_items(both, projection).judgments)
        known = "" if projection in KAPPA_AS_PUBLISHED else OTHER_READING
        yield Cell("kappa", "identification", projection, PUBLISHED_KAPPA, pair.kappa.estimate.value, known=known)
    yield from corrector_cells(sources, {"table 7": plain, "table 8": alternatives}, systems)


def _sizes(sources: Sources) -> Values:
    sentences = sources.conll2014("noalt/official-2014.0.m2").sentences
    problems = Problems()
    essays = list(read_nucle(Lines(sources.file("conll2014", "noalt/official-2014.0.sgml"), problems), problems))
    tokens = sum(len(sentence.tokens) for sentence in sentences)
    return {("essays", "test"): len(essays), ("sentences", "test"): len(sentences), ("tokens", "test"): tokens}


def _error_types(sources: Sources) -> Iterator[Cell]:
    file = f"{TABLES}03_error_types"
    ours: Values = {}
    names = {"nucle_count": "nucle", "nucle_percent": ""}
    for k in range(2):
        problems = Problems()
        lines = Lines(sources.file("conll2014", f"noalt/official-2014.{k}.sgml"), problems)
        essays = read_nucle(lines, problems)
        types = Counter(edit.type for essay in essays for edits in essay.annotations.values() for edit in edits)
        count, share = f"annotator {k + 1}", f"annotator {k + 1} %"
        for row in published(file):
            n = types.total() if row["error_type"] == "All types" else types[row["error_type"]]
            ours[row["error_type"], count] = n
            ours[row["error_type"], share] = 100 * n / types.total()
        names |= {f"annotator{k + 1}_count": count, f"annotator{k + 1}_percent": share}
    yield from compare(Printed("table 3", file, columns=names), ours, known=NO_TRAINING)


def _team_scores(corpus: Corpus, systems: list[Hypothesis], prefix: str = "") -> Values:
    return {
        (score.system, prefix + column): value
        for score in score_systems(corpus, systems, [M2()])
        for column, value in percents(score).items()
    }


def _recall_by_type(file: str, corpus: Corpus, systems: list[Hypothesis]) -> Values:
    # The paper prints 0.00 where the chosen annotators have no edit of the type.
    ours: Values = {(row["error_type"], system.name): 0.0 for row in published(file) for system in systems}
    for score in score_systems(corpus, systems, [M2()], by_type=True):
        ours |= {(row.type, score.system): 100 * (row["recall"].value or 0.0) for row in score.by_type}
    return ours


def _annotators_against_each_other(single: list[Corpus]) -> Values:
    ours: Values = {}
    for writer, judge in ((0, 1), (1, 0)):
        corpus = single[writer]
        problems = Problems()
        text = [corrected_text(sentence, corpus.annotators[0], problems) for sentence in corpus.sentences]
        problems.raise_errors()
        (score,) = score_systems(single[judge], [Hypothesis(f"annotator{writer + 1}", text)], [M2()])
        row = f"annotator{writer + 1} against annotator{judge + 1}"
        ours |= {(row, column): value for column, value in percents(score).items()}
    return ours
