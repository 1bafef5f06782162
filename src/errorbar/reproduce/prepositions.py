"""Madnani et al. 2011, and what two papers on prepositions that crowds and experts judged have in common.

The paper's judgments and system outputs are not at hand. What its printed counts determine is recomputed and must
match; the rest is listed with the reason, or the same analysis is run on the prepositions of the CoNLL-2014 test set
with ten annotators, whose numbers stand beside the published ones as a known difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from errorbar.crowdsourcing.howmany import against_experts
from errorbar.edits.items import ERROR, edit_items
from errorbar.metrics.crowd_agreement import agreement_bins
from errorbar.metrics.crowd_weighted import ESTIMANDS, Crowd, CrowdStatistics, Votes, score_kinds
from errorbar.reproduce.cells import Cell, Printed, compare, facts
from errorbar.reproduce.judged_detectors import judged_cells
from errorbar.reproduce.sources import TEN_ANNOTATORS, Sources
from errorbar.sampling import frame_of_systems
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
