"""Tetreault & Chodorow 2008, Native judgments of non-native usage: experiments in preposition error detection.

The paper is that of the workshop on human judgments in computational linguistics at COLING 2008, and the tables are its
own. Another paper of theirs at COLING 2008, The ups and downs of preposition error detection in ESL writing, reports
another state of the detector: precision .84, recall .19.

Their texts, ratings and system output are not at hand. What their printed counts determine is recomputed and must
match; the rest is listed with the reason, or the same analysis is run on the prepositions of the CoNLL-2014 test set
with ten annotators, whose numbers stand beside the published ones as a known difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import fmean

import numpy as np

from errorbar.agreement.cohen import cohen_kappa, pairwise_agreement
from errorbar.agreement.label_counts import PairTable
from errorbar.detectors.detection import detect
from errorbar.detectors.selectors import PAPER, Kind
from errorbar.edits.items import ERROR, Items, edit_items
from errorbar.metrics.crowd_weighted import Crowd, Flags, Votes, score_kinds
from errorbar.reproduce.cells import Cell, Number, Printed, compare, facts, published, with_ends
from errorbar.reproduce.native_text import RESAMPLING, selection_cells
from errorbar.reproduce.prepositions import OTHER_JUDGES, OTHER_TEXT, SYSTEM
from errorbar.reproduce.sources import NO_DETECTOR, Sources
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
from errorbar.studies.detect import THRESHOLDS
from errorbar.studies.model_folder import file_of, read_selector, read_tagger

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


def cells(sources: Sources) -> Iterator[Cell]:
    """Tetreault & Chodorow 2008: the agreement of table 3, the sampling of table 5, and both on ten annotators."""
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
