"""Judgments of a crowd, and systems against them: scores, bins, curves and agreement at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.resampling import Resampling
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.answers import Answers
from errorbar.crowdsourcing.dawid_skene import dawid_skene
from errorbar.crowdsourcing.errors import USUAL, error_codes, error_convention
from errorbar.crowdsourcing.majority import majority
from errorbar.crowdsourcing.trust import trust_weighted
from errorbar.metrics.crowd import ESTIMANDS, CrowdScore, Flags, Floats, Ties, crowd_score, measure_crowd
from errorbar.metrics.crowd_bins import agreement_bins, in_bin
from errorbar.metrics.crowd_curve import REFERENCE_PREVALENCE, kappa_curve
from errorbar.stats.streams import stream
from errorbar.studies.agree import agree
from errorbar.studies.agree_input import Judged
from errorbar.studies.model import CrowdStudy, CrowdSystem
from errorbar.studies.signatures import GIVEN, crowd_signature

Shares = Literal["votes", "trust", "dawid-skene"]
USUAL_LEVEL = 0.95
HISTOGRAM = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Edges of the histogram of agreement."""


def study_crowd(
    judgments: Judgments,
    systems: Mapping[str, Flags],
    problems: Problems,
    *,
    name: str = "",
    clusters: NDArray[np.int64] | None = None,
    error: str | Sequence[str] = USUAL,
    shares: Shares = "votes",
    ties: Ties = "half",
    beta: float = 1.0,
    seed: int = 0,
    resamples: int = 2000,
    curve_resamples: int = 1000,
    confidence_level: float = USUAL_LEVEL,
    reference_prevalence: float = REFERENCE_PREVALENCE,
    how: str = GIVEN,
) -> CrowdStudy:
    """Compute everything that a report shows of a crowd.

    The numbers are those of ``errorbar crowd score``, ``curve`` and ``agree`` for the same input, seed and numbers of
    resamples.

    Args:
        judgments: The judgments.
        systems: Name to its flag for each item; shape (items,) each.
        problems: Where warnings go; what it holds already is kept.
        name: What to call the judgments.
        clusters: Cluster of each item; None: items are resampled.
        error: The labels that mean an error, in any case, or rules about numbers such as ``<4``.
        shares: What the share of an item is.
        ties: What a tie is to the majority.
        beta: Weight of recall in F.
        seed: Of the random streams.
        resamples: For the intervals of scores and agreement.
        curve_resamples: For those of bins and curves.
        confidence_level: Of all intervals, a fraction.
        reference_prevalence: Share of errors that kappa is standardised to.
        how: What the judgments are, for the signature of agreement.

    Raises:
        UsageError: If no label means an error, or the judgments do not allow the shares.
    """
    share, counts, convention = _shares(judgments, error, shares, seed)
    signatures: dict[str, str] = {}
    # Said where it is not the usual one, so that signatures are those of `errorbar crowd score`.
    level = () if confidence_level == USUAL_LEVEL else (f"confidence:{confidence_level:g}",)
    how_often = (f"resamples:{resamples}", f"seed:{seed}", *level)

    def resampled(n: int, *path: str) -> Resampling:
        return Resampling(stream(seed, *path), n, confidence_level)

    found = []
    for system, flags in systems.items():
        scores: dict[str, CrowdScore] = {}
        for estimand in ESTIMANDS:
            resampling = resampled(resamples, "crowd", estimand)
            scores[estimand] = crowd_score(
                share, flags, counts, clusters, estimand=estimand, ties=ties, beta=beta, resampling=resampling
            )
            spec = f"crowd(beta={beta:g},estimand={estimand},shares={shares},ties={ties})"
            signatures[f"crowd score: {system}, {estimand}"] = crowd_signature(
                spec, judgments, flags, (*convention, *how_often), clusters
            )
        tables = {
            str(each): measure_crowd(share, flags, counts, clusters, estimand=each, ties=ties) for each in ESTIMANDS
        }
        # The curve leaves ties out, whatever they are to the bins.
        untied = measure_crowd(share, flags, counts, clusters, estimand="majority", ties="half")
        in_bins = agreement_bins(tables, resampling=resampled(curve_resamples, "curve", "bins"))
        resampling = resampled(curve_resamples, "curve", "kappa")
        curve = kappa_curve(untied, reference_prevalence=reference_prevalence, resampling=resampling)
        found.append(CrowdSystem(system, scores, in_bins, curve))
    agreement = None
    if len(np.unique(judgments.rater)) > 1:
        judged = Judged(judgments, clusters, how=how)
        result = agree(judged, confidence=confidence_level, resamples=resamples, seed=seed)
        agreement, signatures["agree"] = result.report, result.signature
        problems.notes += result.notes
    return CrowdStudy(
        name,
        int((counts > 0).sum()),
        len(np.unique(judgments.rater)),
        len(judgments),
        {(low, high): int(in_bin(share[counts > 0], low, high).sum()) for low, high in pairwise(HISTOGRAM)},
        agreement,
        found,
        reference_prevalence,
        signatures,
        list(dict.fromkeys(problems.notes)),
    )


def _shares(
    judgments: Judgments, error: str | Sequence[str], shares: Shares, seed: int
) -> tuple[Floats, NDArray[np.int64], tuple[str, ...]]:
    """Share of errors of each item, its number of judgments, and what a signature says of the labels."""
    codes = error_codes(judgments.labels, error)
    ways: dict[str, Callable[[], Answers]] = {
        "votes": lambda: majority(judgments),
        "trust": lambda: trust_weighted(judgments),
        "dawid-skene": lambda: dawid_skene(judgments, stream(seed, "crowd", "dawid-skene"))[0],
    }
    answers = ways[shares]()
    return answers.share_of(codes), answers.n_judgments, error_convention(judgments.labels, codes)
