"""Our detectors and correctors in published tables: cells that ``errorbar reproduce`` adds to those of papers.

CoNLL-2014's teams (Ng et al. 2014) have our correctors beside them; Tetreault & Chodorow 2008 choose prepositions in
native text (section 3), here in text of one's own, and hold a detector against one judge at a time (table 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from errorbar.core.arrays import Flags
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.estimate import Estimate
from errorbar.core.problems import InputError, Problems
from errorbar.detectors.corrector import apply_changes
from errorbar.detectors.correctors import CORRECTORS, Name
from errorbar.detectors.detect import THRESHOLDS, file_of, read_corrector, read_selector, read_tagger
from errorbar.detectors.detection import detect_prepositions
from errorbar.detectors.learning import PREPOSITIONS
from errorbar.detectors.selection import (
    ENSEMBLE,
    FIVE,
    MAJORITY,
    SELECTION,
    ChoiceSelection,
    Form,
    LearningCurve,
    TextChoices,
    study_selection,
)
from errorbar.detectors.selectors import PAPER, Kind
from errorbar.edits.items import ERROR, Items, edit_items
from errorbar.metrics.ceiling import StudyPlan, ceiling, ceiling_intervals, prepare_study
from errorbar.metrics.comparison import System, compare_systems
from errorbar.metrics.crowd_weighted import Crowd, Votes, score_kinds
from errorbar.metrics.folding import ScoringPlan
from errorbar.metrics.m2 import M2
from errorbar.metrics.scoring import score_corpus
from errorbar.metrics.swaps import SwapPlan
from errorbar.reproduce import conll2014
from errorbar.reproduce.cells import (
    NO_DETECTOR,
    Cell,
    Number,
    Printed,
    Sources,
    add_ends,
    compare,
    read_facts,
    read_published,
)
from errorbar.reproduce.prepositions import COLUMNS, OTHER_TEXT, PREFIX
from errorbar.stats.resampling import Resampling

OURS = "our corrector, which the paper does not have"
BY_ESSAY = f"{OURS}; intervals over essays"
LEVEL = 0.05
RESAMPLES = 500  # of essays: each folds every subset of annotators again
SIZES = (1, 9)
"""How many of ten annotators a corrector is held against, and a human too."""


def corrector_cells(sources: Sources) -> Iterator[Cell]:
    """Rows of our correctors beside the teams of CoNLL-2014; without trained models they say what they take."""
    if sources.models is None:
        for name in CORRECTORS:
            yield Cell("our correctors", name, "f0.5", None, None, known=NO_DETECTOR)
        return
    corpora = dict(zip(("table 7", "table 8"), conll2014.references(sources), strict=True))
    plain = corpora["table 7"]
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
                yield from add_ends(table, score.system, column, None, _percent(value), OURS)
    yield from _groups(sources, plain, [*conll2014.team_systems(sources), *corrected], len(corrected))
    yield from _ratios(sources, corrected)


def _correct_corpus(sources: Sources, corpus: Corpus, name: Name) -> Hypothesis:
    assert sources.models is not None
    corrector = read_corrector(sources.models, name)
    sentences = iter([sentence.tokens for sentence in corpus.sentences])
    return Hypothesis(
        name, [" ".join(apply_changes(tokens, changes)) for tokens, changes in corrector.changes(sentences)]
    )


def _percent(value: Estimate) -> Estimate:
    if value.value is None:
        return value
    interval = value.interval
    ends = None if interval is None else interval._replace(low=100 * interval.low, high=100 * interval.high)
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
            yield from add_ends(table, system.name, column, None, _percent(value.with_interval(ends)), BY_ESSAY)


FACTS, TABLE_1 = "tetreault_chodorow2008_facts", "tetreault_chodorow2008_table1_f_measures"
NO_TEXT = "not run: it takes native text and a tagger (--text, --models)"
OTHER_NATIVE = "not their text"
ADDED_CURVE = "the paper has two points, and not of this text"
AHEAD = 3_200_000
"""Examples that the paper's classifier was trained on."""
EXTRAPOLATED = "an extrapolation, and not their text"
FORMS: Mapping[Form, str] = {"line": "a line over log2(n)", "power": "a power law of the error"}
HELD, OTHER = "held-out text", "treebank"
RESAMPLING = Resampling("percentile")
SETTINGS = {
    MAJORITY: "majority_of_accuracy",
    PAPER: "accuracy_encarta_reuters",
    "me": "accuracy_encarta_reuters",
    FIVE: "accuracy_five_prepositions_wsj",
    "perc": "",
    ENSEMBLE: "",
}
"""The choosers, and the paper's fact that stands beside each."""
NAMES = {
    MAJORITY: "majority",
    PAPER: "ME, the paper's features",
    "me": "ME",
    FIVE: "ME, five most frequent",
    "perc": "PERC",
}
NAMES |= {ENSEMBLE: "ensemble of PERC, ME and n-grams"}
METRIC = Crowd()
EACH_JUDGE, TWO_RATERS = "table 4, ten annotators", "difference of two raters, mean"
NO_PAPER = "not run: the folder has no me-paper.model, which errorbar train --part me-paper makes"


def make_selection(sources: Sources) -> ChoiceSelection | None:
    """Choices in the text that is given, made once; None: text or models are not given."""
    if not sources.texts or sources.models is None:
        return None
    if SELECTION not in sources.made:
        sources.made[SELECTION] = study_selection(sources.texts, sources.models, sources.treebanks, tell=sources.tell)
    choices: ChoiceSelection = sources.made[SELECTION]
    return choices


def curves(choices: ChoiceSelection) -> dict[str, LearningCurve]:
    """The learning curve in each text."""
    return {text: chosen.curve(AHEAD, RESAMPLING) for text, chosen in _texts(choices).items()}


def published_point() -> dict[str, tuple[float, float]]:
    """Examples and accuracy of the paper's classifier."""
    value = read_facts(FACTS)[SETTINGS["me"]]
    return {f"published: {100 * value:.1f}": (AHEAD, value)}


def selection_cells(sources: Sources) -> Iterator[Cell]:
    """Table 1, the settings of section 3 and the learning curve."""
    printed, choices = read_facts(FACTS), make_selection(sources)
    if choices is None:
        yield from compare(
            Printed(f"table 1, {HELD}", TABLE_1, columns={"gamon2008": "", "tetreault2008": "F"}), {}, known=NO_TEXT
        )
        for who, name in SETTINGS.items():
            if name:
                yield Cell("selection", NAMES[who], HELD, printed[name], None, known=NO_TEXT)
        yield Cell("learning curve", f"{AHEAD:,} examples", HELD, printed[SETTINGS["me"]], None, known=NO_TEXT)
        return
    yield from _each_preposition(choices.held)
    for text, chosen in _texts(choices).items():
        yield from _settings(text, chosen, choices, printed if text == HELD else {})
    for text, curve in curves(choices).items():
        yield from _curve(text, curve, printed[SETTINGS["me"]] if text == HELD else None)


def _texts(choices: ChoiceSelection) -> dict[str, TextChoices]:
    return {HELD: choices.held} | ({} if choices.other is None else {OTHER: choices.other})


def _each_preposition(held: TextChoices) -> Iterator[Cell]:
    """F of each preposition of table 1 in the choices of ME."""
    scores = held.text.f_scores(held.by["me"], RESAMPLING)
    for row in read_published(TABLE_1):
        name = row["preposition"]
        yield from add_ends(f"table 1, {HELD}", name, "F", Number(row["tetreault2008"]), scores[name], OTHER_NATIVE)


def _settings(
    text: str, chosen: TextChoices, choices: ChoiceSelection, printed: Mapping[str, Number]
) -> Iterator[Cell]:
    """Accuracy in the paper's settings, and of an ensemble."""
    few = ", ".join(PREPOSITIONS[number] for number in choices.most_frequent)
    here = f"{OTHER_NATIVE}; ours is trained on {choices.n_examples:,} examples"
    for who, name in SETTINGS.items():
        text_choices = chosen.five if who == FIVE else chosen.text
        row = f"{NAMES[who]} ({few})" if who == FIVE else NAMES[who]
        value = text_choices.accuracy(chosen.by[who], RESAMPLING)
        yield from add_ends("selection", row, text, printed.get(name), value, here)
    more = chosen.text.accuracy(chosen.by[ENSEMBLE], RESAMPLING, less=chosen.by["perc"])
    yield from add_ends("selection", f"{NAMES[ENSEMBLE]}, less PERC", text, None, more, here)


def _curve(text: str, curve: LearningCurve, printed: Number | None) -> Iterator[Cell]:
    """Accuracy by the number of examples, and where it would go."""
    table = "learning curve"
    for point in curve.points:
        row = f"{point.n:,} examples"
        yield from add_ends(table, row, text, None, point.accuracy, ADDED_CURVE)
        yield Cell(table, row, f"{text}, samples", None, len(point.accuracies), known=ADDED_CURVE)
        if len(point.accuracies) > 1:
            yield Cell(table, row, f"{text}, SD of samples", None, point.spread, known=ADDED_CURVE)
    if curve.doubling is not None:
        yield from add_ends(table, "a doubling adds", text, None, curve.doubling, ADDED_CURVE)
    for fit in curve.fits:
        row = f"{AHEAD:,} examples by {FORMS[fit.form]}"
        yield from add_ends(table, row, text, printed, fit.ahead, EXTRAPOLATED)


def judge_cells(sources: Sources) -> Iterator[Cell]:
    """Table 4 for detectors like theirs: P and R against one judge at a time, and how far judges are apart."""
    raters = [[float(row[column]) for column in COLUMNS] for row in read_published(f"{PREFIX}_table4_raters")]
    printed = [Number(f"{apart:.2f}") for apart in np.ptp(raters, axis=0).tolist()]  # as the two are printed
    tables: dict[Kind, str] = {PAPER: f"{EACH_JUDGE}, me(features=paper)", "me": EACH_JUDGE}
    if sources.models is None:
        for table in tables.values():
            for column, value in zip(COLUMNS, printed, strict=True):
                yield Cell(table, TWO_RATERS, column, value, None, known=NO_DETECTOR)
        return
    corpus = sources.ten_annotators(essays=True)
    items = edit_items(corpus, "words", words="prepositions", type="Prep")
    tagger = read_tagger(sources.models)
    for kind, table in tables.items():
        if kind == PAPER and not file_of(sources.models, PAPER).exists():
            for column, value in zip(COLUMNS, printed, strict=True):
                yield Cell(table, TWO_RATERS, column, value, None, known=NO_PAPER)
            continue
        detected = detect_prepositions(
            read_selector(sources.models, kind, tagger), [sentence.tokens for sentence in corpus.sentences]
        )
        spec = f"me({'features=paper,' if kind == PAPER else ''}threshold={THRESHOLDS[kind]:g})"
        known = f"{OTHER_TEXT}; flags of {spec}; truth: edits of type Prep by one annotator"
        yield from _against_judges(table, items, detected.flags(THRESHOLDS[kind]), printed, known)


def _against_judges(table: str, items: Items, flagged: Flags, printed: Sequence[Number], known: str) -> Iterator[Cell]:
    """Precision and recall of flags against each judge, and the spread of the judges."""
    values_of = []
    judgments = items.judgments
    for code, name in enumerate(judgments.raters):
        weights = judgments.take(judgments.rater == code).label_weights()
        votes = Votes(weights[:, judgments.labels.index(ERROR)], np.ones(len(weights), np.int64), items.clusters)
        score = score_kinds(METRIC, METRIC.measure(votes, flagged), resampling=RESAMPLING)
        for column, estimate in zip(COLUMNS, (score.precision, score.recall), strict=True):
            yield from add_ends(table, name, column, None, estimate, known)
        values_of.append([score.precision.value, score.recall.value])
    judged = np.array(values_of, np.float64)
    pairs = [np.abs(first - second) for first, second in combinations(judged, 2)]
    spread = {"lowest": judged.min(axis=0), "highest": judged.max(axis=0), "range": np.ptp(judged, axis=0)}
    spread |= {"SD": judged.std(axis=0, ddof=1), TWO_RATERS: np.mean(pairs, axis=0)}
    for row, values in spread.items():
        theirs = printed if row == TWO_RATERS else (None, None)
        for column, value, of_paper in zip(COLUMNS, values.tolist(), theirs, strict=True):
            # Precision has no value where nothing is flagged.
            yield Cell(table, row, column, of_paper, None if np.isnan(value) else value, known, other_data=True)
