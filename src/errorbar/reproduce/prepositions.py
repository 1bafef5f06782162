"""Madnani et al. 2011, and what two papers on prepositions that crowds and experts judged have in common.

The paper's judgments and system outputs are not at hand. What its printed counts determine is recomputed and must
match; the rest is listed with the reason, or the same analysis is run on the prepositions of the CoNLL-2014 test set
with ten annotators, whose numbers stand beside the published ones as a known difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean

import numpy as np

from errorbar.agreement.cohen import cohen_kappa, pairwise_agreement
from errorbar.agreement.label_counts import PairTable
from errorbar.api.detect import THRESHOLDS, file_of, read_selector, read_tagger
from errorbar.api.selection import ENSEMBLE, FIVE, MAJORITY, SELECTION, ChoiceSelection, Chosen, study_selection
from errorbar.core.arrays import Flags
from errorbar.crowdsourcing.howmany import against_experts
from errorbar.detectors.detection import detect
from errorbar.detectors.learning_curve import Form, LearningCurve
from errorbar.detectors.lexicon import PREPOSITIONS
from errorbar.detectors.selectors import PAPER, Kind
from errorbar.edits.items import ERROR, Items, edit_items
from errorbar.metrics.crowd_weighted import ESTIMANDS, Crowd, CrowdStatistics, Votes, agreement_bins, score_kinds
from errorbar.reproduce.cells import (
    NO_DETECTOR,
    TEN_ANNOTATORS,
    Cell,
    Number,
    Printed,
    Sources,
    compare,
    facts,
    published,
    with_ends,
)
from errorbar.reproduce.judged_detectors import judged_cells
from errorbar.sampling import (
    Estimation,
    Sample,
    Strata,
    draw_sample,
    estimate_sample,
    frame_of_systems,
    plan_sample,
    stratify,
)
from errorbar.stats.proportion import proportion_bounds
from errorbar.stats.resampling import Resampling, stream

SYSTEM = "CAMB"
OTHER_TEXT = "not their data: prepositions of CoNLL-2014, ten annotators"
OTHER_JUDGES = f"{OTHER_TEXT}; error: an edit of any type touches the word"
OTHER_EDITS = f"{OTHER_JUDGES}; flags: edits of {SYSTEM}"
CROWD, CROWD_SEED = 3, 2011
NOT_AT_HAND = "the paper's judgments and system outputs are not at hand"
BINS = ("bin_50_75_n", "bin_75_90_n", "bin_90_100_n")


def madnani2011(sources: Sources) -> Iterator[Cell]:
    """Madnani et al. 2011: crowd-weighted scores, agreement bins and how many raters equal an expert."""
    printed = facts("madnani2011_facts")
    yield Cell("facts", "instances", "sum of the bins", printed["instances"], sum(printed[name] for name in BINS))
    compared = {"instances", *BINS, "crowd3_vs_expert_agreement", "crowd3_vs_expert_kappa"}
    for name, value in printed.items():
        if name not in compared:
            yield Cell("facts", name, "value", value, None, known=NOT_AT_HAND)
    corpus = sources.ten_annotators()
    judgments = edit_items(corpus, "words", words="prepositions").judgments
    frame = frame_of_systems(corpus, [sources.system(SYSTEM)], "words", words="prepositions")
    flagged = dict(zip(frame.items, frame.flags[0].tolist(), strict=True))
    weights = judgments.label_weights()
    numbers = weights.sum(axis=1)
    votes = Votes(weights[:, judgments.labels.index(ERROR)] / numbers, numbers.astype(np.int64))
    flags = np.array([flagged[item] for item in judgments.items])
    metrics = [Crowd(estimand=each) for each in ESTIMANDS[::-1]]
    statistics: dict[Crowd, CrowdStatistics] = {metric: metric.measure(votes, flags) for metric in metrics}
    ours: dict[tuple[str, str], float | None] = {}
    for metric, table in statistics.items():
        row = "unweighted" if metric.estimand == "majority" else "weighted"
        found = score_kinds(metric, table)
        ours |= {(row, "precision"): found.precision.value, (row, "recall"): found.recall.value}
    table1 = Printed("table 1, ten annotators", "madnani2011_table1_lm")
    yield from compare(table1, ours, known=OTHER_EDITS, other_data=True)
    for name, part in zip(BINS, agreement_bins(statistics), strict=True):
        n_items = float(part.n_items)
        yield Cell("bins, ten annotators", name, "items", printed[name], n_items, OTHER_JUDGES, other_data=True)
    points = [
        against_experts(judgments, [expert], stream(CROWD_SEED, "crowd of three", expert), ks=[CROWD]).curve[0]
        for expert in TEN_ANNOTATORS
    ]
    row = f"majority of {CROWD} against one annotator, mean of ten"
    agreed = fmean(point.accuracy for point in points)
    kappa = fmean(point.kappa for point in points if point.kappa is not None)
    for column, ours_of_three in (("agreement", agreed), ("kappa", kappa)):
        theirs = printed[f"crowd3_vs_expert_{column}"]
        yield Cell("crowd of 3, ten annotators", row, column, theirs, ours_of_three, OTHER_JUDGES, other_data=True)
    yield from judged_cells(sources)


# Tetreault & Chodorow 2008, section 3, on native text of one's own: how often the preposition written is chosen.


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
"""Who chooses, and which of the paper's facts stands beside."""
NAMES = {
    MAJORITY: "majority",
    PAPER: "ME, the paper's features",
    "me": "ME",
    FIVE: "ME, five most frequent",
    "perc": "PERC",
}
NAMES |= {ENSEMBLE: "ensemble of PERC, ME and n-grams"}


def selection(sources: Sources) -> ChoiceSelection | None:
    """Choices in the text that is given, made once; None: text or models are not given."""
    if not sources.texts or sources.models is None:
        return None
    if SELECTION not in sources.made:
        made = study_selection(sources.texts, sources.models, sources.treebanks, tell=sources.tell)
        sources.made[SELECTION] = made
    found: ChoiceSelection = sources.made[SELECTION]
    return found


def curves(found: ChoiceSelection) -> dict[str, LearningCurve]:
    """The learning curve in each text."""
    return {text: chosen.curve(AHEAD, RESAMPLING) for text, chosen in _texts(found).items()}


def published_point() -> dict[str, tuple[float, float]]:
    """Examples and accuracy of the paper's classifier."""
    value = facts(FACTS)[SETTINGS["me"]]
    return {f"published: {100 * value:.1f}": (AHEAD, value)}


def selection_cells(sources: Sources) -> Iterator[Cell]:
    """Table 1, the settings of section 3 and the learning curve."""
    printed, found = facts(FACTS), selection(sources)
    if found is None:
        yield from compare(
            Printed(f"table 1, {HELD}", TABLE_1, columns={"gamon2008": "", "tetreault2008": "F"}), {}, known=NO_TEXT
        )
        for who, name in SETTINGS.items():
            if name:
                yield Cell("selection", NAMES[who], HELD, printed[name], None, known=NO_TEXT)
        yield Cell("learning curve", f"{AHEAD:,} examples", HELD, printed[SETTINGS["me"]], None, known=NO_TEXT)
        return
    yield from _each_preposition(found.held)
    for text, chosen in _texts(found).items():
        yield from _settings(text, chosen, found, printed if text == HELD else {})
    for text, curve in curves(found).items():
        yield from _curve(text, curve, printed[SETTINGS["me"]] if text == HELD else None)


def _texts(found: ChoiceSelection) -> dict[str, Chosen]:
    return {HELD: found.held} | ({} if found.other is None else {OTHER: found.other})


def _each_preposition(held: Chosen) -> Iterator[Cell]:
    """F of each preposition of table 1 in the choices of ME."""
    scores = held.text.f_scores(held.by["me"], RESAMPLING)
    for row in published(TABLE_1):
        name = row["preposition"]
        yield from with_ends(f"table 1, {HELD}", name, "F", Number(row["tetreault2008"]), scores[name], OTHER_NATIVE)


def _settings(text: str, chosen: Chosen, found: ChoiceSelection, printed: Mapping[str, Number]) -> Iterator[Cell]:
    """Accuracy in the paper's settings, and of an ensemble."""
    few = ", ".join(PREPOSITIONS[number] for number in found.most_frequent)
    here = f"{OTHER_NATIVE}; ours is trained on {found.n_examples:,} examples"
    for who, name in SETTINGS.items():
        asked = chosen.five if who == FIVE else chosen.text
        row = f"{NAMES[who]} ({few})" if who == FIVE else NAMES[who]
        value = asked.accuracy(chosen.by[who], RESAMPLING)
        yield from with_ends("selection", row, text, printed.get(name), value, here)
    more = chosen.text.accuracy(chosen.by[ENSEMBLE], RESAMPLING, less=chosen.by["perc"])
    yield from with_ends("selection", f"{NAMES[ENSEMBLE]}, less PERC", text, None, more, here)


def _curve(text: str, curve: LearningCurve, printed: Number | None) -> Iterator[Cell]:
    """Accuracy by the number of examples, and where it would go."""
    table = "learning curve"
    for point in curve.points:
        row = f"{point.n:,} examples"
        yield from with_ends(table, row, text, None, point.accuracy, ADDED_CURVE)
        yield Cell(table, row, f"{text}, samples", None, len(point.accuracies), known=ADDED_CURVE)
        if len(point.accuracies) > 1:
            yield Cell(table, row, f"{text}, SD of samples", None, point.spread, known=ADDED_CURVE)
    if curve.doubling is not None:
        yield from with_ends(table, "a doubling adds", text, None, curve.doubling, ADDED_CURVE)
    for fit in curve.fits:
        row = f"{AHEAD:,} examples by {FORMS[fit.form]}"
        yield from with_ends(table, row, text, printed, fit.ahead, EXTRAPOLATED)


METRIC = Crowd()
PREFIX = "tetreault_chodorow2008"
NOT_RELEASED = "the essays, ratings and system output were never released"
OTHER_FLAGS = f"{OTHER_TEXT}; flags of {SYSTEM}; truth: edits of any type by five of ten or more"
OTHER_MERGING = "not how the paper merged its categories"
WITH_CORRECTION = "the logit interval with finite-population correction; those of section 6.3 are Wald's without"
PRINTED_INTERVALS = {"precision": ("0.77", "0.83"), "hit_rate": ("0.077", "0.083")}
"""Of table 5's example, in section 6.3."""
PRINTED_DISAGREEMENT = {"rater 1": "0.302", "rater 2": "0.381"}
"""Of the errors of a rater, the share that the other one calls OK; it follows from table 3."""
MERGINGS = {
    "extraneous and wrong choice as one": [[0, 1], [2]],
    "extraneous against the rest": [[0], [1, 2]],
    "wrong choice against the rest": [[1], [0, 2]],
}
BUDGET, SEED = 500, 2008
COLUMNS = ("precision", "recall")
EACH_JUDGE, TWO_RATERS = "table 4, ten annotators", "difference of two raters, mean"
NO_PAPER = "not run: the folder has no me-paper.model, which errorbar train --part me-paper makes"


def tetreault_chodorow2008(sources: Sources) -> Iterator[Cell]:
    """Native judgments of non-native usage (Tetreault & Chodorow 2008): agreement, sampling, both on ten annotators.

    The paper is that of the workshop on human judgments in computational linguistics at COLING 2008. Another paper of
    theirs at COLING 2008, The ups and downs of preposition error detection in ESL writing, reports another state of the
    detector: precision .84, recall .19.
    """
    printed = facts(f"{PREFIX}_facts")
    yield from _confusion(printed)
    yield from _sampling_example()
    for name, value in printed.items():
        if not name.startswith("overall_"):
            yield Cell("facts", name, "value", value, None, known=NOT_RELEASED)
    for file in ("table1_f_measures", "table2_cloze", "table4_raters", "table6_sampling"):
        yield from compare(Printed(f"table {file[5]}", f"{PREFIX}_{file}"), {}, known=NOT_RELEASED)
    yield from _ten_annotators(sources, printed)
    yield from _each_judge(sources)
    yield from selection_cells(sources)


def _confusion(printed: dict[str, Number]) -> Iterator[Cell]:
    rows = [
        [int(row[name]) for name in ("extraneous", "wrong_choice", "ok")]
        for row in published(f"{PREFIX}_table3_confusion")
    ]
    counts = np.array(rows, np.int64)
    unmerged = {"three categories": [[0], [1], [2]]}
    for name, groups in (unmerged | MERGINGS).items():
        merged = [[int(counts[np.ix_(a, b)].sum()) for b in groups] for a in groups]
        kappa = cohen_kappa(PairTable.of(merged))
        known = "" if name in unmerged else OTHER_MERGING
        for column, value in (("agreement", kappa.observed), ("kappa", kappa.estimate.value)):
            yield Cell("table 3", name, column, printed[f"overall_{column}"], value, known)
    ok = 2  # the last of the categories
    for rater, table in zip(PRINTED_DISAGREEMENT, (counts, counts.T), strict=True):
        share = float(table[:ok, ok].sum() / table[:ok].sum())
        yield Cell("table 3", f"errors of {rater}", "OK to the other", Number(PRINTED_DISAGREEMENT[rater]), share)


def _sampling_example() -> Iterator[Cell]:
    row = facts(f"{PREFIX}_table5_sampling_example")
    strata = Strata.of_sizes(int(row["error_stratum"]), int(row["ok_stratum"]))
    sample = Sample.of(
        [int(row["error_sample"]), int(row["ok_sample"])], [row["hits_in_sample"], row["misses_in_sample"]]
    )
    found = estimate_sample(strata, sample, Estimation(method="logit"))
    for column, name in (("hit_rate", "hits"), ("false_positive_rate", "false positives"), ("miss_rate", "misses")):
        value = found[name].estimate.value
        yield Cell("table 5", "sampling", column, row[column], None if value is None else value / row["corpus"])
    for column, name in (("precision", "P"), ("recall", "R")):
        yield Cell("table 5", "sampling", column, row[column], found[name].estimate.value)
    bounds = proportion_bounds(row["hits_in_sample"], row["error_sample"], method="wald")
    for column, scale in (("precision", 1.0), ("hit_rate", row["error_stratum"] / row["corpus"])):
        for end, text, bound in zip(("low", "high"), PRINTED_INTERVALS[column], bounds, strict=True):
            yield Cell("table 5", f"95% interval of {column}", end, Number(text), scale * float(bound))
    for name in ("P", "R", "F"):
        interval = found[name].estimate.interval
        assert interval is not None  # hits and misses were seen
        for column, value in (("low", interval.low), ("high", interval.high)):
            yield Cell("table 5", f"95% interval of {name}, corrected", column, None, value, known=WITH_CORRECTION)


def _ten_annotators(sources: Sources, printed: dict[str, Number]) -> Iterator[Cell]:
    corpus = sources.ten_annotators()
    judgments = edit_items(corpus, "words", words="prepositions").judgments
    pairs = [pair.kappa for pair in pairwise_agreement(judgments)]
    for column, values in (
        ("agreement", [kappa.observed for kappa in pairs]),
        ("kappa", [kappa.estimate.value for kappa in pairs]),
    ):
        mean = fmean(value for value in values if value is not None)
        row = "mean of all pairs"
        yield Cell(
            "table 3, ten annotators",
            row,
            column,
            printed[f"overall_{column}"],
            mean,
            OTHER_JUDGES,
            other_data=True,
        )
    frame = frame_of_systems(corpus, [sources.system(SYSTEM)], "words", words="prepositions")
    weights = judgments.label_weights()
    share = weights[:, judgments.labels.index(ERROR)] / weights.sum(axis=1)
    # A tie counts as an error: half of the experts would correct it.
    truth = dict(zip(judgments.items, (share >= 0.5).tolist(), strict=True))
    strata, codes = stratify(frame)
    errors = np.array([truth[item] for item in frame.items])
    rates = np.bincount(codes, errors, minlength=len(strata)) / strata.sizes
    whole = Sample(strata.sizes, np.bincount(codes, errors, minlength=len(strata)).astype(np.float64))
    key = draw_sample(frame, plan_sample(strata, rates, BUDGET).n, seed=SEED)
    drawn = key.items()
    stratum = np.array(list(drawn.values()))
    said = np.bincount(stratum, [float(truth[item]) for item in drawn], minlength=len(strata)).astype(np.float64)
    part = Sample(np.bincount(stratum, minlength=len(strata)), said)
    ours = {
        (approach, column): estimate_sample(strata, sample)[name].estimate.value
        for approach, sample in (("standard", whole), ("sampling", part))
        for column, name in (("precision", "P"), ("recall", "R"))
    }
    table6 = Printed("table 6, ten annotators", f"{PREFIX}_table6_sampling")
    yield from compare(table6, ours, known=OTHER_FLAGS, other_data=True)


def _each_judge(sources: Sources) -> Iterator[Cell]:
    """Table 4 for detectors like theirs: P and R against one judge at a time, and how far judges are apart."""
    raters = [[float(row[column]) for column in COLUMNS] for row in published(f"{PREFIX}_table4_raters")]
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
        found = detect(read_selector(sources.models, kind, tagger), [one.tokens for one in corpus.sentences])
        spec = f"me({'features=paper,' if kind == PAPER else ''}threshold={THRESHOLDS[kind]:g})"
        known = f"{OTHER_TEXT}; flags of {spec}; truth: edits of type Prep by one annotator"
        yield from _against_judges(table, items, found.flags(THRESHOLDS[kind]), printed, known)


def _against_judges(table: str, items: Items, flagged: Flags, printed: Sequence[Number], known: str) -> Iterator[Cell]:
    """Precision and recall of flags against each judge, and the spread of the judges."""
    values_of = []
    judgments = items.judgments
    for code, name in enumerate(judgments.raters):
        weights = judgments.take(judgments.rater == code).label_weights()
        votes = Votes(weights[:, judgments.labels.index(ERROR)], np.ones(len(weights), np.int64), items.clusters)
        score = score_kinds(METRIC, METRIC.measure(votes, flagged), resampling=RESAMPLING)
        for column, estimate in zip(COLUMNS, (score.precision, score.recall), strict=True):
            yield from with_ends(table, name, column, None, estimate, known)
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
