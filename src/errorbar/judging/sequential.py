"""When answers to gold items are reason enough to exclude a rater: a test for each class, after every gold answer.

Formula
    The rules are those of ``errorbar.crowdsourcing.rater_table``. ``sequential``: Wald's test of an accuracy of .85
    against .60 with 5 % of either error: after c of n gold items of a class were right, L = c log(.85/.60) +
    (n - c) log(.15/.40); the class fails once L <= -log 19, passes once L >= log 19, and what is decided stays decided.
    ``posterior``: fails once P(accuracy < ``policy_share`` | Beta(c + 1, n - c + 1)) > .95, from 4 gold items on.
    ``fixed``: fails if c/n < ``policy_share`` at n = ``policy_gold``, all classes taken together.
Conventions
    A rater is excluded once any class fails: who answers OK to everything is right on nine tenths of a gold set that is
    nine tenths OK, and wrong on every error. A class without a gold answer fails nobody. Where right answers are not
    from a list (the cloze test), all gold items are one class.
Source
    Wald 1945, Sequential tests of statistical hypotheses, Annals of Mathematical Statistics 16(2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.core.labels import counted
from errorbar.crowdsourcing.rater_table import RaterVerdict, Rule, fixed, follow, posterior, sprt
from errorbar.judging.rules import Rules

GOOD, BAD, ERROR = 0.85, 0.60, 0.05
"""Accuracies that the sequential test tells apart, and how often it may err."""
TOGETHER = "gold"
"""The class of all gold items where they are not told apart."""


@dataclass(frozen=True, slots=True)
class ClassTest:
    """The gold answers of a rater to the items of one class."""

    label: str  # the right answer
    n: int
    right: int
    verdict: RaterVerdict


def rule_of(rules: Rules) -> Rule | None:
    """The rule of a study's policy; None: no rater is excluded by it."""
    if rules.policy == "sequential":
        return sprt(GOOD, BAD, ERROR)
    if rules.policy == "posterior":
        return posterior(rules.policy_share)
    return fixed(rules.policy_share, rules.policy_gold) if rules.policy == "fixed" else None


def class_tests(rules: Rules, answers: Sequence[tuple[str, bool]]) -> list[ClassTest]:
    """What the policy says of a rater's gold answers.

    Args:
        rules: Of the study.
        answers: Class, and whether the answer was right, in the order in which they were given.
    """
    rule, runs = rule_of(rules), dict[str, list[bool]]()
    for label, right in answers:
        runs.setdefault(TOGETHER if rules.policy == "fixed" else label, []).append(right)
    return [
        ClassTest(label, len(run), sum(run), RaterVerdict.WATCH if rule is None else follow(rule, run))
        for label, run in sorted(runs.items())
    ]


def reason_to_exclude(rules: Rules, answers: Sequence[tuple[str, bool]]) -> str | None:
    """Why a rater with these gold answers is to be excluded, for the manager to read; None: there is no reason."""
    rule = rule_of(rules)
    failed = [test for test in class_tests(rules, answers) if test.verdict is RaterVerdict.DROP]
    if rule is None or not failed:
        return None
    said = [
        f"{test.right} of {counted(test.n, 'gold items')} right"
        + (f" where '{test.label}' is right" if test.label != TOGETHER else "")
        for test in failed
    ]
    return f"{'; '.join(said)} ({rule.name})"
