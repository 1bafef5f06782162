"""A rater who judged an item twice: what to do is a policy with a name."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.judgments import Judgments

RepeatPolicy = Literal["refuse", "first", "last", "keep"]
POLICIES: tuple[RepeatPolicy, ...] = get_args(RepeatPolicy)


def settle_repeats(judgments: Judgments, policy: RepeatPolicy) -> Judgments:
    """Keep one judgment, or all, of a rater for an item.

    Args:
        judgments: The judgments, in the order given.
        policy: ``refuse``, ``first``, ``last``, or ``keep``: repeated judgments count as often.

    Raises:
        UsageError: If there are repeats and they are refused, or the policy is unknown.
    """
    if policy not in POLICIES:
        what = f"no policy for repeated judgments is called '{policy}'"
        raise UsageError(Problem("crowd-repeats", what, fix=nearest(policy, POLICIES)))
    if policy == "keep" or not (n := judgments.n_repeated()):
        return judgments
    if policy == "refuse":
        pairs = judgments.item.astype(np.int64) * len(judgments.raters) + judgments.rater
        _, first = np.unique(pairs, return_index=True)
        row = int(np.flatnonzero(~np.isin(np.arange(len(pairs)), first))[0])
        who, item = judgments.raters[judgments.rater[row]], judgments.items[judgments.item[row]]
        repeated = "1 judgment repeats" if n == 1 else f"{n:,} judgments repeat"
        what = f"{repeated} an item that the same rater had judged before, first: '{who}' of '{item}'"
        raise UsageError(Problem("crowd-repeats", what, fix="choose first, last or keep (--repeats)"))
    pairs = judgments.item.astype(np.int64) * len(judgments.raters) + judgments.rater
    if policy == "first":
        _, kept = np.unique(pairs, return_index=True)
    else:
        _, backward = np.unique(pairs[::-1], return_index=True)
        kept = len(pairs) - 1 - backward
    return judgments.take(np.sort(kept))
