"""Trust-weighted voting: a judgment counts as much as its rater is trusted.

Formula
    trust_w = mean over the judgments of w of (1 if the majority of the item is that label; 1/m if it leads in a tie of
    m labels; else 0). share_k = Σ trust of the raters who say k / Σ trust of all raters of the item.
Conventions
    Trust may instead be given, e.g. the share of gold items a rater got right; then share_k of the leading label is
    the "answer confidence" of crowd platforms. A judgment's own weight multiplies the trust. The majority includes
    the rater's own vote. An item whose raters all have trust 0 has no share and no answer.
Source
    Worker agreement with aggregate ("Wawa"), the rule of CrowdFlower (Figure Eight) for answer confidence.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import UNKNOWN, Answers, Floats, leaders, make_answers, need_judgments, shares_of


def agreement_trust(judgments: Judgments) -> Floats:
    """How often each rater agrees with the majority; NaN for a rater without judgments; shape (raters,).

    Raises:
        UsageError: If there is no judgment.
    """
    need_judgments(judgments)
    first = leaders(shares_of(judgments.label_weights()))
    credit = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
    n = len(judgments.raters)
    got = np.bincount(judgments.rater, credit[judgments.item, judgments.label], minlength=n)
    asked = np.bincount(judgments.rater, minlength=n)
    trust: Floats = np.full(n, np.nan)
    np.divide(got, asked, out=trust, where=asked > 0)
    return trust


def trust_weighted(judgments: Judgments, trust: Mapping[str, float] | None = None, *, ties: str = UNKNOWN) -> Answers:
    """Vote with trusts as weights.

    Args:
        judgments: The judgments.
        trust: Trust of each rater, at least 0; None: their agreement with the majority.
        ties: ``unknown``, or the label that wins a tie it takes part in.

    Raises:
        UsageError: If there is no judgment, no such label, or a rater has no trust or a negative one.
    """
    need_judgments(judgments)
    if trust is None:
        values = agreement_trust(judgments)
    else:
        values = np.array([_trust_of(name, trust) for name in judgments.raters])
    weight = values[judgments.rater]
    if judgments.weight is not None:
        weight = weight * judgments.weight
    weighed = Judgments(
        judgments.item, judgments.rater, judgments.label, judgments.items, judgments.raters, judgments.labels, weight
    )
    return make_answers("trust", judgments, shares_of(weighed.label_weights()), ties)


def _trust_of(name: str, trust: Mapping[str, float]) -> float:
    if name not in trust:
        fix = nearest(name, trust) if trust else "give a trust to every rater"
        raise UsageError(Problem("crowd-trust", f"rater '{name}' has no trust", fix=fix))
    value = trust[name]
    if not (np.isfinite(value) and value >= 0):
        what = f"the trust of rater '{name}' is {value}"
        raise UsageError(Problem("crowd-trust", what, expected="a number of at least 0"))
    return float(value)
