"""How often, and after how many gold items, a policy excludes a rater of known accuracies; exact.

Formula
    Of classes whose runs are independent, at most m gold items of each: P(excluded) = 1 - Π (1 - D_c(m)), with D_c the
    probability that the test of one class fails within m items (``characteristic``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from math import nan, prod

from errorbar.crowdsourcing import characteristic
from errorbar.judging import StudyRules
from errorbar.judging.quality import rule_of


@dataclass(frozen=True, slots=True)
class PolicyCharacteristic:
    """How a policy treats a rater of known accuracies."""

    excluded: float  # the probability, within the gold items that there are
    mean_gold: float  # gold items before the exclusion, of those who are excluded; NaN if nobody is


def policy_characteristic(rules: StudyRules, accuracies: Mapping[str, float], most: int) -> PolicyCharacteristic:
    """How often, and after how many gold items, a policy excludes a rater; exact.

    Args:
        rules: Of the study.
        accuracies: Class to the probability that the rater answers its gold items rightly.
        most: Gold items of each class, which come in turns.
    """
    rule, shares = rule_of(rules), list(accuracies.values())
    if rule is None or not shares:
        return PolicyCharacteristic(0.0, nan)
    if rules.policy == "fixed":
        return _fixed(rules, list(islice(cycle(shares), most * len(shares))))
    steps = [[0.0, *(characteristic(rule, share, n).drop for n in range(1, most + 1))] for share in shares]
    stays, spent, size = 1.0, 0.0, len(shares)
    for passed in range(1, most * size + 1):
        full, some = divmod(passed, size)  # turns that are over, and classes whose next item has come
        still = prod(1 - steps[each][full + (each < some)] for each in range(size))
        spent, stays = spent + passed * (stays - still), still
    return PolicyCharacteristic(1 - stays, spent / (1 - stays) if stays < 1 else nan)


def _fixed(rules: StudyRules, shares: Sequence[float]) -> PolicyCharacteristic:
    """Of one test after some gold items, each answered rightly with its own probability."""
    n = rules.policy_gold
    if len(shares) < n:
        return PolicyCharacteristic(0.0, nan)
    right = [1.0]  # the probability of each number of right answers
    for share in shares[:n]:
        right = [a * (1 - share) + b * share for a, b in zip([*right, 0.0], [0.0, *right], strict=True)]
    excluded = sum(chance for c, chance in enumerate(right) if c < rules.policy_share * n)
    return PolicyCharacteristic(excluded, float(n) if excluded else nan)
