"""Prediction-powered totals inside the strata of a drawn sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.sampling.draw import check_frame
from errorbar.sampling.frame import Frame
from errorbar.sampling.judged import Judged
from errorbar.sampling.key import Key
from errorbar.sampling.ppi import assisted_total
from errorbar.sampling.strata import Floats, stratify


@dataclass(frozen=True, slots=True, eq=False)
class Assisted:
    """Totals that use cheap labels.

    Attributes:
        totals: Errors of each stratum; NaN where the experts stand alone; shape (strata,), as the others.
        variances: Their variances.
        trust: How far the cheap labels were used, 0 to 1.
        voted: Items of each stratum that have cheap labels.
    """

    totals: Floats
    variances: Floats
    trust: Floats
    voted: tuple[int, ...]


def assist(frame: Frame, key: Key, judged: Judged, cheap: Mapping[str, float], problems: Problems) -> Assisted:
    """Combine experts' labels of the sample with cheap labels of many items.

    Args:
        frame: What the sample was drawn from.
        key: The key of the sample.
        judged: What the experts said.
        cheap: Item to the share of cheap judgments that say error, 0 to 1.
        problems: Where warnings go.

    Raises:
        InputError: If the frame is another one.
    """
    check_frame(frame, key)
    strata, codes = stratify(frame, key.edges)
    votes = np.array([cheap.get(item, np.nan) for item in frame.items])
    expert = np.array([cheap.get(item, np.nan) for item in judged.items])
    totals, variances, trust = (np.full(len(strata), np.nan) for _ in range(3))
    voted = []
    for at, name in enumerate(strata.names):
        seen = votes[(codes == at) & ~np.isnan(votes)]
        own = judged.stratum == at
        voted.append(len(seen))
        lacking = int(np.isnan(expert[own]).sum())
        sample = judged.sample
        if sample.corrected is not None and not sample.corrected[at]:
            # One judgment for each item of a graded truth: how raters vary is not known, nor then what votes save.
            trust[at] = 0.0
            continue
        if lacking or own.sum() < 2:
            what = f"{lacking} of {int(own.sum())} items that experts judged in stratum '{name}' have no vote"
            fix = "there the experts' labels stand alone; collect votes for every drawn item"
            problems.note("sample-votes", what, Place(), fix=fix)
            trust[at] = 0.0
            continue
        total, variance, weight = assisted_total(judged.truth[own], expert[own], seen, int(strata.sizes[at]))
        trust[at] = weight
        if weight > 0 and 0 < total < strata.sizes[at]:
            within = 0.0 if sample.within is None else float(sample.within[at])
            totals[at], variances[at] = total, variance + float(strata.sizes[at]) * within
        else:
            trust[at] = 0.0
    return Assisted(totals, variances, trust, tuple(voted))
