"""Policies that exclude raters by gold items: by hand, their exact characteristics, and against simulated raters."""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np
import pytest

from errorbar.crowdsourcing import RaterVerdict, characteristic, sprt
from errorbar.judging import StudyRules
from errorbar.judging.quality import class_tests, reason_to_exclude
from errorbar.judging.study.rules import Policy
from tests.judging.policy_characteristic import policy_characteristic

OK, ERROR = ("OK", True), ("ERROR", False)


@pytest.mark.parametrize("policy", ["sequential", "posterior", "fixed", "none"])
def test_without_gold_nobody_fails(policy: Policy) -> None:
    rules = StudyRules(policy=policy)
    assert class_tests(rules, []) == []
    assert reason_to_exclude(rules, []) is None
    assert reason_to_exclude(rules, [OK] * 40) is None, "a class without gold fails nobody"


def test_three_wrong_answers_are_just_not_enough_and_four_are() -> None:
    """3 log(.15/.40) is -2.9425, the bound -log 19 = -2.9444."""
    assert reason_to_exclude(StudyRules(), [ERROR] * 3) is None
    why = "0 of 4 gold items right where 'ERROR' is right (policy: sequential)"
    assert reason_to_exclude(StudyRules(), [ERROR] * 4) == why


def test_who_always_says_ok_falls_although_nine_tenths_of_the_gold_is_ok() -> None:
    page = [*[OK] * 9, ERROR]
    assert reason_to_exclude(StudyRules(), page * 3) is None
    assert "0 of 4 gold items" in (reason_to_exclude(StudyRules(), page * 4) or "")
    assert (
        reason_to_exclude(StudyRules(policy="fixed"), page * 4) is None
    )  # 90 % right: what a test of all together lets by


def test_what_is_decided_stays_decided() -> None:
    good, then_bad = [("OK", True)] * 9, [("OK", False)] * 30
    (test,) = class_tests(StudyRules(), good)
    assert (test.label, test.verdict) == ("OK", RaterVerdict.KEEP)
    assert reason_to_exclude(StudyRules(), good + then_bad) is None


def test_every_class_that_fails_is_named() -> None:
    wrong = [("OK", False), ("ERROR", False)] * 4
    assert (reason_to_exclude(StudyRules(), wrong) or "").startswith(
        "0 of 4 gold items right where 'ERROR' is right; 0 of 4"
    )


def test_the_fixed_policy_is_one_test_of_all_gold_items() -> None:
    rules = StudyRules(policy="fixed", policy_share=0.7, policy_gold=10)
    six, seven = ([*[("A", True)] * right, *[("B", False)] * (10 - right)] for right in (6, 7))
    assert reason_to_exclude(rules, six[:9]) is None
    assert reason_to_exclude(rules, six) == "6 of 10 gold items right (policy: fixed)"
    assert reason_to_exclude(rules, seven) is None


def test_the_posterior_policy_is_of_each_class() -> None:
    rules = StudyRules(policy="posterior", policy_share=0.7)
    assert reason_to_exclude(rules, [("A", False)] * 3) is None  # from 4 gold items on
    assert "where 'A' is right" in (reason_to_exclude(rules, [*[("B", True)] * 9, *[("A", False)] * 4]) or "")


def test_without_a_policy_nobody_is_excluded() -> None:
    assert reason_to_exclude(StudyRules(policy="none"), [ERROR] * 99) is None
    assert policy_characteristic(StudyRules(policy="none"), {"A": 0.0}, 9).excluded == 0


def test_the_published_rates_are_of_one_class_and_the_mean_is_of_those_dropped() -> None:
    """2.3 % of .85 raters, 91 % of coin-flippers and 9.3 gold items (STATISTICS 6): at most 20 items of one class."""
    good, coin = (characteristic(sprt(), accuracy, 20) for accuracy in (0.85, 0.5))
    assert (good.drop, coin.drop) == pytest.approx((0.0235521, 0.9123936), abs=1e-7)
    assert coin.mean_items_dropped == pytest.approx(9.356025)
    assert coin.mean_items == pytest.approx(10.257683)  # of all coin-flippers, the undecided at their 20th
    one = policy_characteristic(StudyRules(), {"all": 0.5}, 20)
    assert (one.excluded, one.mean_gold) == pytest.approx((coin.drop, coin.mean_items_dropped))


def test_two_classes_by_hand() -> None:
    """Excluded at the first wrong answer: fixed(threshold, 1) of one class, and the mean over turns."""
    rules = StudyRules(policy="fixed", policy_share=1.0 - 1e-9, policy_gold=2)
    found = policy_characteristic(rules, {"A": 0.5, "B": 0.5}, 3)
    assert (found.excluded, found.mean_gold) == pytest.approx((0.75, 2))
    always_ok = policy_characteristic(StudyRules(), {"OK": 1.0, "ERROR": 0.0}, 10)
    assert (always_ok.excluded, always_ok.mean_gold) == (1, 8)  # in turns: the fourth ERROR is the eighth item


CASES = {
    "good": {"OK": 0.85, "ERROR": 0.85},
    "mild": {"OK": 0.95, "ERROR": 0.60},
    "coin": {"OK": 0.5, "ERROR": 0.5},
    "often-ok": {"OK": 0.9, "ERROR": 0.1},
}


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["sequential", "posterior", "fixed"])
@pytest.mark.parametrize("case", CASES)
def test_exact_characteristics_agree_with_simulated_raters(policy: str, case: str) -> None:
    rules, accuracies, n, most = StudyRules(policy=policy), CASES[case], 4000, 10  # type: ignore[arg-type]
    generator = np.random.default_rng(16)
    answered = []
    for _ in range(n):
        turns = list(islice(cycle(accuracies.items()), 2 * most))
        draws = generator.random(len(turns))
        answers = [(label, bool(draw < right)) for (label, right), draw in zip(turns, draws, strict=True)]
        found = (at for at in range(1, len(turns) + 1) if reason_to_exclude(rules, answers[:at]))
        answered.append(next(found, 0))
    exact = policy_characteristic(rules, accuracies, most)
    share, error = float(np.mean(np.array(answered) > 0)), (exact.excluded * (1 - exact.excluded) / n) ** 0.5
    assert share == pytest.approx(exact.excluded, abs=4 * error + 1e-9)
    if share > 0.2:
        times = np.array([at for at in answered if at])
        assert times.mean() == pytest.approx(exact.mean_gold, abs=4 * times.std() / len(times) ** 0.5 + 1e-9)
