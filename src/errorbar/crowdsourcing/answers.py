"""Answers of a crowd: for each item a share of each label and maybe an answer; which labels mean an error.

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

import json
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.corpus import ContentHash
from errorbar.core.judgments import Judgments, code_of
from errorbar.core.labels import as_number, quote_labels
from errorbar.core.problems import Problem, UsageError, nearest

UNKNOWN = "unknown"  # the policy that gives a tie no answer; any other policy is the name of a label that wins its ties
NO_ANSWER = -1
_EQUAL = 1e-9  # shares closer than this are a tie: sums of trusts differ by rounding
USUAL = "error"  # the label that means an error unless another is named
_RULE = re.compile(r"\s*(<=|>=|<|>)\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*")
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_LONGEST_SIGNED = 60
_SIGNED_AS_IT_IS = re.compile(r"[^+|#]+")
"""A name that cannot be taken for two names, for another part of a signature or for a hash."""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """One way to turn judgments into answers."""

    items: tuple[str, ...]
    labels: tuple[str, ...]
    shares: Floats  # or probabilities; NaN for an item nobody judged; (items, labels)
    answer: NDArray[np.int32]  # code of the leading label, NO_ANSWER for ties and for items nobody judged
    n_judgments: NDArray[np.int64]  # of each item

    def share_of(self, codes: Sequence[int]) -> Floats:
        """Share of some labels together; NaN for an item nobody judged; shape (items,)."""
        share: Floats = np.clip(self.shares[:, list(codes)].sum(axis=1), 0, 1)
        return share

    def name(self, item: int) -> str:
        """The answer to an item in words, ``unknown`` where there is none."""
        code = int(self.answer[item])
        return UNKNOWN if code == NO_ANSWER else self.labels[code]


def leaders(shares: Floats) -> NDArray[np.bool_]:
    """Which labels have the largest share; none of an item without shares; shape (items, labels)."""
    if not shares.shape[1]:
        return np.zeros(shares.shape, np.bool_)
    return np.asarray(shares >= shares.max(axis=1, keepdims=True) - _EQUAL, np.bool_)


def make_answers(judgments: Judgments, shares: Floats, ties: str) -> Answers:
    """Choose the leading label of each item; ``ties`` is ``unknown``, or the label that wins a tie it takes part in."""
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
    return np.asarray(np.divide(weights, total, out=np.full(weights.shape, np.nan), where=total > 0))


def need_judgments(judgments: Judgments) -> None:
    """Refuse an empty table."""
    if not len(judgments):
        raise UsageError(Problem("crowd-empty", "there is no judgment", expected="at least one"))


def majority(judgments: Judgments, *, ties: str = UNKNOWN) -> Answers:
    """The label that most judgments gave; ``ties`` are as of ``make_answers``."""
    need_judgments(judgments)
    return make_answers(judgments, shares_of(judgments.label_weights()), ties)


def agreement_trust(judgments: Judgments) -> Floats:
    """How often each rater agrees with the majority; NaN for a rater without judgments; shape (raters,)."""
    need_judgments(judgments)
    first = leaders(shares_of(judgments.label_weights()))
    credit = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
    n = len(judgments.raters)
    got = np.bincount(judgments.rater, credit[judgments.item, judgments.label], minlength=n)
    asked = np.bincount(judgments.rater, minlength=n)
    return np.asarray(np.divide(got, asked, out=np.full(n, np.nan), where=asked > 0))


def trust_weighted(judgments: Judgments, trust: Mapping[str, float] | None = None, *, ties: str = UNKNOWN) -> Answers:
    """Vote with trusts as weights; ``ties`` are as of ``make_answers``.

    ``trust`` is that of each rater, at least 0; None: their agreement with the majority.
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
    if not 0 <= trust[name] < np.inf:
        message = f"the trust of rater '{name}' is {trust[name]}"
        raise UsageError(Problem("crowd-trust", message, expected="a number of at least 0"))
    return float(trust[name])


def error_codes(labels: Sequence[str], wanted: str | Sequence[str] = ()) -> list[int]:
    """Codes of the labels that mean an error, ascending.

    ``wanted`` are labels in any case, or rules (``<4``, ``<=3``, ``>1``, ``>=2``) that numbers satisfy; (): ``error``.
    """
    texts = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    wrong: set[int] = set()
    for text in texts or (USUAL,):
        codes = _codes_called(text, labels)
        if not codes and _RULE.fullmatch(text):
            codes = [labels.index(label) for label in labels_of_rule(text, labels)]
            if not codes:
                message, fix = f"no label is {text}", f"known: {quote_labels(labels)}"
                raise UsageError(Problem("crowd-error-label", message, fix=fix))
        elif len(codes) != 1:
            fix = f"name the label that means an error: --error=LABEL; {nearest(text, labels[:50])}"
            if len(labels) == 1:
                fix = f"name it with --error=LABEL, or where nothing was called an error: --labels='{labels[0]},{text}'"
            raise UsageError(Problem("crowd-error-label", f"no label is called '{text}'", fix=fix))
        wrong.update(codes)
    return sorted(wrong)


def labels_of_rule(text: str, labels: Sequence[str], *, numbers_only: bool = True) -> tuple[str, ...]:
    """The labels that satisfy a rule; the text itself where it is no rule, or is one of the labels.

    Labels that are no numbers are refused, or else passed over.
    """
    rule = _RULE.fullmatch(text)
    if rule is None or text in labels:
        return (text,)
    bound = as_number(rule[2])
    numbers = {label: as_number(label) for label in labels}
    strange = [label for label, number in numbers.items() if isnan(number)]
    if isnan(bound) or (strange and numbers_only):
        message = f"the rule {text} is about numbers, and '{quote_labels(strange[:1]) or rule[2]}' is none"
        fix = "name the labels one by one, or say which mean 'cannot say' (--unknown=LABEL)"
        raise UsageError(Problem("crowd-error-label", message, fix=fix))
    return tuple(label for label, number in numbers.items() if _COMPARE[rule[1]](number, bound))


def error_convention(labels: Sequence[str], codes: Sequence[int]) -> tuple[str, ...]:
    """The words of a signature on the labels that mean an error; none where no option would choose the same.

    Two choices never say the same: names that are long together, or that hold a character which tells parts of a
    signature apart, are signed by the hash of their list.
    """
    if list(codes) == _codes_called(USUAL, labels) and len(codes) == 1:
        return ()
    names = [labels[code] for code in codes]
    joined = "+".join(names)
    if len(joined) <= _LONGEST_SIGNED and all(map(_SIGNED_AS_IT_IS.fullmatch, names)):
        return (f"error:{joined}",)
    content = ContentHash()
    content.add([json.dumps(names)])
    return (f"error:#{content.short()}",)


def _codes_called(text: str, labels: Sequence[str]) -> list[int]:
    """Codes of the labels of a name: of the one spelled so, else of those spelled so but for case."""
    codes = [code for code, label in enumerate(labels) if label == text]
    return codes or [code for code, label in enumerate(labels) if label.lower() == text.lower()]
