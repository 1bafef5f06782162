"""All that a report shows of judgments of a crowd, and of systems against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.error_labels import USUAL
from errorbar.metrics.crowd_agreement import REFERENCE_PREVALENCE, agreement_bins, in_bin, kappa_curve
from errorbar.metrics.crowd_weighted import Crowd, Flags
from errorbar.stats.resampling import Resampling
from errorbar.studies.agree import agree
from errorbar.studies.agree_input import Judged
from errorbar.studies.crowd import Against, crowd_rows, untied
from errorbar.studies.judgment_input import CrowdJudgments
from errorbar.studies.model import CrowdStudy, CrowdSystem
from errorbar.studies.signatures import GIVEN

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
    metric: Crowd | None = None,
    seed: int = 0,
    resamples: int = 2000,
    confidence_level: float = 0.95,
    reference_prevalence: float = REFERENCE_PREVALENCE,
    how: str = GIVEN,
) -> CrowdStudy:
    """Compute everything that a report shows of a crowd.

    The numbers are those of ``crowd``, ``curve`` and ``agree`` for the same input, seed and numbers of resamples.

    Args:
        judgments: The judgments.
        systems: Name to its flag for each item; shape (items,) each.
        problems: Where warnings go; what it holds already is kept.
        name: What to call the judgments.
        clusters: Cluster of each item; None: items are resampled.
        error: The labels that mean an error, in any case, or rules about numbers such as ``<4``.
        metric: By what systems are scored; None: the usual way.
        seed: Of the random streams.
        resamples: For every interval.
        confidence_level: Of all intervals, a fraction.
        reference_prevalence: Share of errors that kappa is standardised to.
        how: What the judgments are, for the signature of agreement.

    Raises:
        UsageError: If no label means an error, or the judgments do not allow the shares.
    """
    against = Against.of(CrowdJudgments(judgments, clusters), metric or Crowd(), error, seed)
    asked = Resampling("percentile", resamples, confidence_level, seed)
    rows = crowd_rows(against, systems, asked)
    found = []
    for system, flags in systems.items():
        scores = {row.score.estimand: row.score for row in rows if row.system == system}
        in_bins = agreement_bins(against.counted(flags), resampling=asked)
        curve = kappa_curve(untied(against, flags), reference_prevalence=reference_prevalence, resampling=asked)
        found.append(CrowdSystem(system, scores, in_bins, curve))
    signatures = {f"crowd score: {row.system}, {row.score.estimand}": row.signature for row in rows}
    agreement = None
    if len(np.unique(judgments.rater)) > 1:
        judged = Judged(judgments, clusters, how=how)
        result = agree(judged, confidence=confidence_level, resamples=resamples, seed=seed)
        agreement, signatures["agree"] = result.report, result.signature
        problems.notes += result.notes
    share = against.votes.share[against.votes.n_judgments > 0]
    return CrowdStudy(
        name,
        len(share),
        len(np.unique(judgments.rater)),
        len(judgments),
        {(low, high): int(in_bin(share, low, high).sum()) for low, high in pairwise(HISTOGRAM)},
        agreement,
        found,
        reference_prevalence,
        signatures,
        list(dict.fromkeys(problems.notes)),
    )
