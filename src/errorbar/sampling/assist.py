"""Prediction-powered totals inside the strata of a drawn sample.

Where fewer than ``FEW`` errors, or fewer than ``FEW`` items without one, were judged, the experts stand alone: the
votes' own errors cannot be learnt from so few. Intervals rest on a variance that is guarded (``ppi``).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.sampling.draw import check_frame
from errorbar.sampling.frame import Frame
from errorbar.sampling.judged import Judged
from errorbar.sampling.key import Key
from errorbar.sampling.ppi import assisted_total, guarded_variance
from errorbar.sampling.strata import stratify
from errorbar.sampling.totals import FEW, Assisted


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
    totals, variances, guarded, trust = (np.full(len(strata), np.nan) for _ in range(4))
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
        truth, size = judged.truth[own], int(strata.sizes[at])
        trust[at] = 0.0
        if min(truth.sum(), (1 - truth).sum()) < FEW:
            continue  # how far votes go wrong cannot be seen on so few
        total, variance, weight = assisted_total(truth, expert[own], seen, size)
        if weight > 0 and 0 < total < size:
            raters = 0.0 if sample.within is None else size * float(sample.within[at])
            trust[at], totals[at], variances[at] = weight, total, variance + raters
            guarded[at] = guarded_variance(truth, expert[own], seen, size, weight) + raters
    return Assisted(totals, variances, trust, tuple(voted), guarded)
