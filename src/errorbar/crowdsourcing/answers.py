"""What a crowd's judgments say about each item: a share of each label and, where one leads, an answer.

Formula
    Majority: share_k = Σ weights of the judgments that say k / Σ weights of all judgments of the item; the answer is
    the label of the largest share.
    Trust-weighted: share_k = Σ trust of the raters who say k / Σ trust of all raters of the item. Unless it is given,
    trust_w = mean over the judgments of w of (1 if the majority of the item is that label; 1/m if it leads in a tie of
    m labels; else 0).
Conventions
    Weights are those of the judgments, 1 where they have none; they multiply the trust. A tie has no answer unless a
    label is named to win it: the order of labels never decides. An item that nobody judged, or only raters of trust 0,
    has no share and no answer. A trust may be given, e.g. the share of gold items a rater got right; then share_k of
    the leading label is the "answer confidence" of crowd platforms. The majority includes the rater's own vote.
Source
    Counting, with the trap that some packages settle ties by the order of labels. Worker agreement with aggregate
    ("Wawa"), the rule of CrowdFlower (Figure Eight) for answer confidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.judgments import Judgments, code_of

Floats = NDArray[np.float64]
UNKNOWN = "unknown"
"""The policy that gives a tie no answer; any other policy is the name of a label that wins its ties."""
NO_ANSWER = -1
_EQUAL = 1e-9
"""Shares closer than this are a tie: sums of trusts differ by rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """One way to turn judgments into answers.

    Attributes:
        items: Names of the items.
        labels: Names of the labels.
        shares: Share or probability of each label; NaN for an item nobody judged; shape (items, labels).
        answer: Code of the leading label, ``NO_ANSWER`` for ties and for items nobody judged; shape (items,).
        n_judgments: Judgments of each item; shape (items,).
    """

    items: tuple[str, ...]
    labels: tuple[str, ...]
    shares: Floats
    answer: NDArray[np.int32]
    n_judgments: NDArray[np.int64]

    def share_of(self, codes: Sequence[int]) -> Floats:
        """Share of some labels together; NaN for an item nobody judged; shape (items,)."""
        share: Floats = np.clip(self.shares[:, list(codes)].sum(axis=1), 0, 1)
        return share


def leaders(shares: Floats) -> NDArray[np.bool_]:
    """Which labels have the largest share; none of an item without shares; shape (items, labels)."""
    if not shares.shape[1]:
        return np.zeros(shares.shape, np.bool_)
    best = shares.max(axis=1, keepdims=True)
    return np.asarray(shares >= best - _EQUAL, np.bool_)


def make_answers(judgments: Judgments, shares: Floats, ties: str) -> Answers:
    """Choose the leading label of each item.

    ``ties`` is ``unknown``, or the label that wins a tie it takes part in.

    Raises:
        UsageError: If ``ties`` is neither.
    """
    first = leaders(shares)
    alone = first.sum(axis=1) == 1
    answer = np.where(alone, first.argmax(axis=1) if judgments.labels else 0, NO_ANSWER).astype(np.int32)
    if ties != UNKNOWN:
        favored = code_of(ties, judgments.labels, "label")
        answer[first[:, favored]] = favored
    counts = np.bincount(judgments.item, minlength=len(judgments.items))
    return Answers(judgments.items, judgments.labels, shares, answer, counts)


def shares_of(weights: Floats) -> Floats:
    """Rows divided by their sums, NaN where the sum is 0; shape (items, labels)."""
    total = weights.sum(axis=1, keepdims=True)
    shares: Floats = np.full(weights.shape, np.nan)
    np.divide(weights, total, out=shares, where=total > 0)
    return shares


def need_judgments(judgments: Judgments) -> None:
    """Refuse an empty table.

    Raises:
        UsageError: If there is no judgment.
    """
    if not len(judgments):
        raise UsageError(Problem("crowd-empty", "there is no judgment", expected="at least one"))


def majority(judgments: Judgments, *, ties: str = UNKNOWN) -> Answers:
    """The label that most judgments gave; ``ties`` are as of ``make_answers``.

    Raises:
        UsageError: If there is no judgment, or no such label.
    """
    need_judgments(judgments)
    return make_answers(judgments, shares_of(judgments.label_weights()), ties)


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
    """Vote with trusts as weights; ``ties`` are as of ``make_answers``.

    ``trust`` is that of each rater, at least 0; None: their agreement with the majority.

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
    return make_answers(judgments, shares_of(replace(judgments, weight=weight).label_weights()), ties)


def _trust_of(name: str, trust: Mapping[str, float]) -> float:
    if name not in trust:
        fix = nearest(name, trust) if trust else "give a trust to every rater"
        raise UsageError(Problem("crowd-trust", f"rater '{name}' has no trust", fix=fix))
    value = trust[name]
    if not (np.isfinite(value) and value >= 0):
        what = f"the trust of rater '{name}' is {value}"
        raise UsageError(Problem("crowd-trust", what, expected="a number of at least 0"))
    return float(value)
