"""Majority: the label that most judgments gave.

Formula
    share_k = Σ weights of the judgments that say k / Σ weights of all judgments of the item; the answer is the label
    of the largest share.
Conventions
    Weights are those of the judgments, 1 where they have none. A tie has no answer unless a label is named to win it:
    the order of labels never decides. An item that nobody judged has no share and no answer.
Source
    Counting, with the trap that some packages settle ties by the order of labels.
"""

from __future__ import annotations

from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import UNKNOWN, Answers, make_answers, need_judgments, shares_of


def majority(judgments: Judgments, *, ties: str = UNKNOWN) -> Answers:
    """The label that most judgments gave.

    Args:
        judgments: The judgments.
        ties: ``unknown``, or the label that wins a tie it takes part in.

    Raises:
        UsageError: If there is no judgment, or no such label.
    """
    need_judgments(judgments)
    return make_answers("majority", judgments, shares_of(judgments.label_weights()), ties)
