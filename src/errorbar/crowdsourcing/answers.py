"""What a crowd's judgments say about each item: a share of each label and, where one leads, an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import Problem, UsageError
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
        method: Name of the way.
        items: Names of the items.
        labels: Names of the labels.
        shares: Share or probability of each label; NaN for an item nobody judged; shape (items, labels).
        answer: Code of the leading label, ``NO_ANSWER`` for ties and for items nobody judged; shape (items,).
        n_judgments: Judgments of each item; shape (items,).
        ties: What was done about ties.
    """

    method: str
    items: tuple[str, ...]
    labels: tuple[str, ...]
    shares: Floats
    answer: NDArray[np.int32]
    n_judgments: NDArray[np.int64]
    ties: str

    def share_of(self, codes: Sequence[int]) -> Floats:
        """Share of some labels together; NaN for an item nobody judged; shape (items,)."""
        share: Floats = np.clip(self.shares[:, list(codes)].sum(axis=1), 0, 1)
        return share

    def is_tied(self) -> NDArray[np.bool_]:
        """Judged items on which several labels lead together; shape (items,)."""
        return np.asarray(leaders(self.shares).sum(axis=1) > 1, np.bool_)


def leaders(shares: Floats) -> NDArray[np.bool_]:
    """Which labels have the largest share; none of an item without shares; shape (items, labels)."""
    if not shares.shape[1]:
        return np.zeros(shares.shape, np.bool_)
    best = shares.max(axis=1, keepdims=True)
    return np.asarray(shares >= best - _EQUAL, np.bool_)


def make_answers(method: str, judgments: Judgments, shares: Floats, ties: str) -> Answers:
    """Choose the leading label of each item.

    Args:
        method: Name of the way.
        judgments: What the shares were made from.
        shares: Share of each label; shape (items, labels).
        ties: ``unknown``, or the label that wins a tie it takes part in.

    Raises:
        UsageError: If ``ties`` is neither.
    """
    counts = np.bincount(judgments.item, minlength=len(judgments.items))
    return leading_answers(method, judgments.items, judgments.labels, shares, counts, ties)


def leading_answers(
    method: str,
    items: tuple[str, ...],
    labels: tuple[str, ...],
    shares: Floats,
    n_judgments: NDArray[np.int64],
    ties: str,
) -> Answers:
    """As ``make_answers``, where the judgments themselves are not kept.

    Raises:
        UsageError: If ``ties`` is neither ``unknown`` nor a label.
    """
    first = leaders(shares)
    alone = first.sum(axis=1) == 1
    answer = np.where(alone, first.argmax(axis=1) if labels else 0, NO_ANSWER).astype(np.int32)
    if ties != UNKNOWN:
        favored = code_of(ties, labels, "label")
        answer[first[:, favored]] = favored
    return Answers(method, items, labels, shares, answer, n_judgments, ties)


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
