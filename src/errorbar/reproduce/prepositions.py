"""Madnani et al. 2011, and what two papers on prepositions that crowds and experts judged have in common.

The paper's judgments and system outputs are not at hand. What its printed counts determine is recomputed and must
match; the rest is listed with the reason, or the same analysis is run on the prepositions of the CoNLL-2014 test set
with ten annotators, whose numbers stand beside the published ones as a known difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from errorbar.agreement.coefficients import PairTable
from errorbar.agreement.cohen import cohen_kappa, pairwise_agreement
from errorbar.crowdsourcing.howmany import against_experts
from errorbar.edits.items import ERROR, edit_items
from errorbar.metrics.crowd_weighted import ESTIMANDS, Crowd, CrowdStatistics, Votes, agreement_bins, score_kinds
from errorbar.reproduce.cells import (
    TEN_ANNOTATORS,
    Cell,
    Number,
    Printed,
    Sources,
    compare,
    read_facts,
    read_published,
)
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
from errorbar.stats.resampling import stream

SYSTEM = "CAMB"
OTHER_TEXT = "not their data: prepositions of CoNLL-2014, ten annotators"
OTHER_JUDGES = f"{OTHER_TEXT}; error: an edit of any type touches the word"
OTHER_EDITS = f"{OTHER_JUDGES}; flags: edits of {SYSTEM}"
CROWD, CROWD_SEED = 3, 2011
NOT_AT_HAND = "the paper's judgments and system outputs are not at hand"
BINS = ("bin_50_75_n", "bin_75_90_n", "bin_90_100_n")


def madnani2011(sources: Sources) -> Iterator[Cell]:
    """Madnani et al. 2011: crowd-weighted scores, agreement bins and how many raters equal an expert."""
    printed = read_facts("madnani2011_facts")
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
    metrics = [Crowd(estimand=estimand) for estimand in ESTIMANDS[::-1]]
    statistics: dict[Crowd, CrowdStatistics] = {metric: metric.measure(votes, flags) for metric in metrics}
    ours: dict[tuple[str, str], float | None] = {}
    for metric, table in statistics.items():
        row = "unweighted" if metric.estimand == "majority" else "weighted"
        score = score_kinds(metric, table)
        ours |= {(row, "precision"): score.precision.value, (row, "recall"): score.recall.value}
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


def tetreault_chodorow2008(sources: Sources) -> Iterator[Cell]:
    """Native judgments of non-native usage (Tetreault & Chodorow 2008): agreement, sampling, both on ten annotators.

    The paper is that of the workshop on human judgments in computational linguistics at COLING 2008. Another paper of
    theirs at COLING 2008, The ups and downs of preposition error detection in ESL writing, reports another state of the
    detector: precision .84, recall .19.
    """
    printed = read_facts(f"{PREFIX}_facts")
    yield from _confusion(printed)
    yield from _sampling_example()
    for name, value in printed.items():
        if not name.startswith("overall_"):
            yield Cell("facts", name, "value", value, None, known=NOT_RELEASED)
    for file in ("table1_f_measures", "table2_cloze", "table4_raters", "table6_sampling"):
        yield from compare(Printed(f"table {file[5]}", f"{PREFIX}_{file}"), {}, known=NOT_RELEASED)
    yield from _ten_annotators(sources, printed)


def _confusion(printed: dict[str, Number]) -> Iterator[Cell]:
    rows = [
        [int(row[name]) for name in ("extraneous", "wrong_choice", "ok")]
        for row in read_published(f"{PREFIX}_table3_confusion")
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
    row = read_facts(f"{PREFIX}_table5_sampling_example")
    strata = Strata.of_sizes(int(row["error_stratum"]), int(row["ok_stratum"]))
    sample = Sample.of(
        [int(row["error_sample"]), int(row["ok_sample"])], [row["hits_in_sample"], row["misses_in_sample"]]
    )
    estimates = estimate_sample(strata, sample, Estimation(method="logit"))
    for column, name in (("hit_rate", "hits"), ("false_positive_rate", "false positives"), ("miss_rate", "misses")):
        value = estimates[name].estimate.value
        yield Cell("table 5", "sampling", column, row[column], None if value is None else value / row["corpus"])
    for column, name in (("precision", "P"), ("recall", "R")):
        yield Cell("table 5", "sampling", column, row[column], estimates[name].estimate.value)
    bounds = proportion_bounds(row["hits_in_sample"], row["error_sample"], method="wald")
    for column, scale in (("precision", 1.0), ("hit_rate", row["error_stratum"] / row["corpus"])):
        for end, text, bound in zip(("low", "high"), PRINTED_INTERVALS[column], bounds, strict=True):
            yield Cell("table 5", f"95% interval of {column}", end, Number(text), scale * float(bound))
    for name in ("P", "R", "F"):
        interval = estimates[name].estimate.interval
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
    n_errors = np.bincount(stratum, [float(truth[item]) for item in drawn], minlength=len(strata)).astype(np.float64)
    part = Sample(np.bincount(stratum, minlength=len(strata)), n_errors)
    ours = {
        (approach, column): estimate_sample(strata, sample)[name].estimate.value
        for approach, sample in (("standard", whole), ("sampling", part))
        for column, name in (("precision", "P"), ("recall", "R"))
    }
    table6 = Printed("table 6, ten annotators", f"{PREFIX}_table6_sampling")
    yield from compare(table6, ours, known=OTHER_FLAGS, other_data=True)
