"""All that a report shows of judgments of a crowd, and of systems against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.answers import USUAL
from errorbar.metrics.crowd_agreement import REFERENCE_PREVALENCE, in_bin
from errorbar.metrics.crowd_weighted import Crowd
from errorbar.stats.resampling import Resampling
from errorbar.studies.agree import agree
from errorbar.studies.crowd import Against, CrowdScores, crowd_rows
from errorbar.studies.curve import Curves, curve_rows
from errorbar.studies.flag_input import Flags
from errorbar.studies.judgment_input import Judged
from errorbar.studies.model import CrowdStudy

HISTOGRAM = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Edges of the histogram of agreement."""


def study_crowd(
    judgments: Judgments | Judged,
    systems: Mapping[str, Flags],
    problems: Problems,
    *,
    name: str = "",
    error: str | Sequence[str] = USUAL,
    metric: Crowd | None = None,
    resampling: Resampling | None = None,
    reference_prevalence: float = REFERENCE_PREVALENCE,
) -> CrowdStudy:
    """Compute everything that a report shows of a crowd.

    The numbers are those of ``crowd``, ``curve`` and ``agree`` for the same input, seed and numbers of resamples.

    Args:
        judgments: The judgments.
        systems: Name to its flag for each item; shape (items,) each.
        problems: Where warnings go; what it holds already is kept.
        name: What to call the judgments.
        error: The labels that mean an error, in any case, or rules about numbers such as ``<4``.
        metric: By what systems are scored; None: the usual way.
        resampling: How all intervals are made, but always as percentiles; None: the usual way.
        reference_prevalence: Share of errors that kappa is standardised to.

    Raises:
        UsageError: If no label means an error, or the judgments do not allow the shares.
    """
    judged = Judged(judgments) if isinstance(judgments, Judgments) else judgments
    table, how = judged.judgments, replace(resampling or Resampling(), method="percentile")
    against = Against.of(judged, metric or Crowd(), error, how.seed)
    scores = CrowdScores(tuple(crowd_rows(against, systems, how)), against.unit, ())
    rows = curve_rows(against, systems, how, prevalence=reference_prevalence)
    agreement = None
    if len(np.unique(table.rater)) > 1:
        agreement = agree(judged, confidence=how.confidence_level, resamples=how.replicates, seed=how.seed)
        problems.notes += agreement.notes
    share = against.votes.share[against.votes.n_judgments > 0]
    return CrowdStudy(
        name,
        len(share),
        len(np.unique(table.rater)),
        len(table),
        {(low, high): int(in_bin(share, low, high).sum()) for low, high in pairwise(HISTOGRAM)},
        scores,
        Curves(tuple(rows), reference_prevalence, how.seed, ()),
        agreement,
        list(dict.fromkeys(problems.notes)),
        how.confidence_level,
    )
