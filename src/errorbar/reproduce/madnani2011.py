"""Madnani et al. 2011: crowd-weighted scores, agreement bins and how many raters equal an expert.

The judgments and system outputs of the paper are not at hand. What its printed counts determine is recomputed and must
match; for the rest the same analysis runs on the prepositions of the CoNLL-2014 test set, where ten annotators are the
crowd, and stands beside the published numbers as a known difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from errorbar.core.corpus import Hypothesis
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.howmany import against_experts
from errorbar.edits.items import ERROR, edit_items
from errorbar.formats.reference import read_corpus
from errorbar.metrics.crowd_agreement import agreement_bins
from errorbar.metrics.crowd_weighted import ESTIMANDS, Crowd, CrowdStatistics, Votes, score_kinds
from errorbar.reproduce.cells import Cell, published
from errorbar.reproduce.sources import Sources
from errorbar.sampling import frame_of_systems
from errorbar.stats.streams import stream

PAPER = "Madnani et al. 2011"
CORPUS, SYSTEMS, SYSTEM = "bryant-ng2015", "conll2014-systems", "CAMB"
ANNOTATORS = [f"A{k}" for k in range(1, 11)]
NOT_AT_HAND = "the paper's judgments and system outputs are not at hand"
OTHER_DATA = f"not their data: prepositions of CoNLL-2014, ten annotators, edits of {SYSTEM}"
BINS = ("bin_50_75_n", "bin_75_90_n", "bin_90_100_n")
CROWD, SEED = 3, 2011


def cells(sources: Sources) -> Iterator[Cell]:
    """Every cell: recomputed, listed with a reason, or compared with the ten annotators.

    Raises:
        InputError: If a corpus is not there.
    """
    facts = {row["fact"]: float(row["value"]) for row in published("madnani2011_facts")}
    yield Cell("facts", "instances", "sum of the bins", facts["instances"], sum(facts[name] for name in BINS), 0)
    compared = {"instances", *BINS, "crowd3_vs_expert_agreement", "crowd3_vs_expert_kappa"}
    for name, value in facts.items():
        if name not in compared:
            yield Cell("facts", name, "value", value, None, known=NOT_AT_HAND)
    yield from _ten_annotators(sources, facts)


def _ten_annotators(sources: Sources, facts: dict[str, float]) -> Iterator[Cell]:
    corpus = read_corpus([sources.file(CORPUS, f"{name}.m2") for name in ANNOTATORS], Problems(lenient=True))
    judgments = edit_items(corpus, "words", words="prepositions").judgments
    frame = frame_of_systems(
        corpus, [Hypothesis(SYSTEM, sources.lines(SYSTEMS, SYSTEM))], "words", words="prepositions"
    )
    statistics = _count(judgments, dict(zip(frame.items, frame.flags[0].tolist(), strict=True)))
    printed = {row["counting"]: row for row in published("madnani2011_table1_lm")}
    for metric, table in statistics.items():
        row = "unweighted" if metric.estimand == "majority" else "weighted"
        found = score_kinds(metric, table)
        for column, estimate in (("precision", found.precision), ("recall", found.recall)):
            value = float(printed[row][column])
            yield Cell("table 1, ten annotators", row, column, value, estimate.value, 0, OTHER_DATA)
    for name, part in zip(BINS, agreement_bins(statistics), strict=True):
        yield Cell("bins, ten annotators", name, "items", facts[name], float(part.n_items), 0, OTHER_DATA)
    points = [
        against_experts(judgments, [expert], stream(SEED, "crowd of three", expert), ks=[CROWD]).curve[0]
        for expert in ANNOTATORS
    ]
    row = f"majority of {CROWD} against one annotator, mean of ten"
    agreed = fmean(point.accuracy for point in points)
    kappa = fmean(point.kappa for point in points if point.kappa is not None)
    for column, value in (("agreement", agreed), ("kappa", kappa)):
        yield Cell("crowd of 3, ten annotators", row, column, facts[f"crowd3_vs_expert_{column}"], value, 0, OTHER_DATA)


def _count(judgments: Judgments, flags: dict[str, bool]) -> dict[Crowd, CrowdStatistics]:
    weights = judgments.label_weights()
    n_judgments = weights.sum(axis=1)
    share = weights[:, judgments.labels.index(ERROR)] / n_judgments
    flag = np.array([flags[item] for item in judgments.items])
    numbers = n_judgments.astype(np.int64)
    votes = Votes(share, numbers)
    return {metric: metric.measure(votes, flag) for metric in (Crowd(estimand=each) for each in ESTIMANDS[::-1])}
