"""Rules that drop raters: exact operating characteristics against STATISTICS.md section 6."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from errorbar import Judgments
from errorbar.core import Interval, Undefined, UsageError
from errorbar.crowdsourcing import (
    RaterRule,
    RaterVerdict,
    characteristic,
    fixed,
    follow,
    posterior,
    rater_rows,
    running,
    sprt,
)
from errorbar.crowdsourcing.rater_table import posterior_below
from errorbar.stats import proportion_interval
from errorbar.testing import accurate, constant, simulate, spammer
from tests.helpers.expectations import expect_refusal, require


@pytest.mark.parametrize(
    ("rule", "accuracy", "drop", "within"),
    [
        # STATISTICS.md section 6, at most 20 gold items; its sequential figures are simulations, ours are exact.
        (fixed(0.7, 5), 0.85, 0.165, 5e-4),
        (fixed(0.7, 10), 0.85, 0.050, 5e-4),
        (fixed(0.7, 20), 0.85, 0.022, 5e-4),
        (fixed(0.7, 5), 0.5, 1 - 0.188, 6e-4),
        (fixed(0.7, 10), 0.5, 1 - 0.172, 5e-4),
        (fixed(0.7, 20), 0.5, 1 - 0.058, 5e-4),
        (running(0.7, 5), 0.85, 0.28, 5e-3),
        (posterior(0.7, 0.95, 4), 0.85, 0.017, 2e-3),
        (posterior(0.7, 0.95, 4), 0.5, 0.77, 5e-3),
        (sprt(0.85, 0.60, 0.05), 0.85, 0.023, 2e-3),
        (sprt(0.85, 0.60, 0.05), 0.5, 0.91, 5e-3),
    ],
)
def test_error_rates_of_rules(rule: RaterRule, accuracy: float, drop: float, within: float) -> None:
    assert characteristic(rule, accuracy, 20).drop == pytest.approx(drop, abs=within)


def test_gold_items_used_until_a_coin_flipper_is_dropped() -> None:
    # STATISTICS.md section 6: 8 for the posterior rule, 9.3 for SPRT, of those who are dropped.
    assert characteristic(posterior(), 0.5, 20).mean_items_dropped == pytest.approx(8, abs=0.5)
    assert characteristic(sprt(), 0.5, 20).mean_items_dropped == pytest.approx(9.3, abs=0.1)


@pytest.mark.parametrize("rule", [sprt(), posterior(), running(), fixed()])
def test_the_exact_characteristic_agrees_with_simulation(rule: RaterRule) -> None:
    answers = np.random.default_rng(3).random((4000, 15)) < 0.7
    verdicts = [follow(rule, row.tolist()) for row in answers]
    exact = characteristic(rule, 0.7, 15)
    assert verdicts.count(RaterVerdict.DROP) / 4000 == pytest.approx(exact.drop, abs=0.025)
    assert verdicts.count(RaterVerdict.KEEP) / 4000 == pytest.approx(exact.keep, abs=0.025)


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (sprt(), "sprt(good=0.85,bad=0.6,error=0.05)"),
        (posterior(), "posterior(threshold=0.7,certainty=0.95,least=4)"),
        (running(), "running(threshold=0.7,least=5)"),
        (fixed(), "fixed(threshold=0.7,least=10)"),
    ],
)
def test_rules_say_their_parameters(rule: RaterRule, name: str) -> None:
    assert rule.name == name
    assert characteristic(rule, 0.5).rule == name


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        (sprt, {"good": 1.0}),
        (sprt, {"bad": 0.0}),
        (sprt, {"bad": 0.85}),
        (sprt, {"error": 0.0}),
        (sprt, {"error": 0.5}),
        (posterior, {"threshold": 0.0}),
        (posterior, {"threshold": 1.0}),
        (posterior, {"certainty": 0.5}),
        (posterior, {"certainty": 1.0}),
        (running, {"threshold": 0.0}),
        (running, {"threshold": 1.0}),
        (fixed, {"threshold": 0.0}),
        (fixed, {"threshold": 1.0}),
    ],
)
def test_rules_are_checked(rule: Callable[..., RaterRule], options: dict[str, float]) -> None:
    with expect_refusal("crowd-rule"):
        rule(**options)


def test_a_rater_at_the_threshold_is_not_below_it() -> None:
    once, always = fixed(0.5, 2), running(0.5, 2)
    assert [once.decide(2, right) for right in range(3)] == [RaterVerdict.DROP, RaterVerdict.KEEP, RaterVerdict.KEEP]
    assert [always.decide(2, right) for right in range(3)] == [
        RaterVerdict.DROP,
        RaterVerdict.WATCH,
        RaterVerdict.WATCH,
    ]
    assert (once.decide(1, 0), always.decide(1, 0)) == (RaterVerdict.WATCH, RaterVerdict.WATCH)
    # P(accuracy < .7) of 4 wrong of 4 is 1 - .3^5 = .998: sure, but only from the fourth gold item on.
    sure = posterior()
    assert [sure.decide(n, 0) for n in (3, 4)] == [RaterVerdict.WATCH, RaterVerdict.DROP]


def test_the_characteristic_by_hand() -> None:
    # Accuracy .5, dropped below half right from the second item on: after two, both wrong, 1/4; after three, one of the
    # first two right and then wrong, 2/8.
    found = characteristic(running(0.5, 2), 0.5, 3)
    assert (found.keep, found.drop) == (0, 1 / 2)
    assert found.mean_items == 1 + 1 + 3 / 4
    assert found.mean_items_dropped == (2 + 3) / 2
    sure = characteristic(fixed(0.5, 1), 1.0, 1)
    assert (sure.keep, sure.drop, sure.mean_items) == (1, 0, 1)
    assert np.isnan(sure.mean_items_dropped)
    assert characteristic(fixed(0.5, 1), 0.0, 1).drop == 1
    for accuracy, most in ((-0.1, 1), (1.1, 1), (0.5, 0)):
        with pytest.raises(UsageError, match="a fraction, at least 1 item"):
            characteristic(fixed(), accuracy, most)


@pytest.mark.parametrize(
    ("right", "n", "trust", "wilson", "below"),
    [  # STATISTICS.md section 6: smoothed trust, Wilson lower bound, P(accuracy < .7)
        (7, 10, 0.6667, 0.3968, 0.5696),
        (2, 2, 0.75, 0.3424, 0.3430),
        (18, 20, 0.8636, 0.6990, 0.0271),
        (3, 5, 0.5714, 0.2307, 0.7443),
    ],
)
def test_trust_of_gold_answers(right: int, n: int, trust: float, wilson: float, below: float) -> None:
    table = Judgments.from_columns(map(str, range(n)), "a" * n, "E" * right + "O" * (n - right), labels="EO")
    assert rater_rows(table, dict.fromkeys(table.items, "E"))[0].trust == pytest.approx(trust, abs=5e-5)
    assert posterior_below(right, n, 0.7) == pytest.approx(below, abs=5e-5)
    interval = proportion_interval(right, n)
    assert isinstance(interval, Interval)
    assert interval.low == pytest.approx(wilson, abs=5e-5)


def test_a_rater_who_always_says_ok_does_not_pass_on_mostly_correct_gold() -> None:
    raters = [accurate(0.95)] * 8 + [constant(error=False)]
    made = simulate(raters, np.random.default_rng(5), n_items=300, per_item=9, prevalence=0.1)
    gold = made.gold(range(300))
    rows = rater_rows(made.judgments, gold)
    assert rows[8].verdict is RaterVerdict.DROP
    assert rows[8].by_label == {"ok": RaterVerdict.KEEP, "error": RaterVerdict.DROP}
    assert [row.verdict for row in rows[:8]] == [RaterVerdict.KEEP] * 8
    assert rater_rows(made.judgments, gold, per_label=False)[8].verdict is RaterVerdict.KEEP
    assert require(rows[8].bias)["error"] < -0.05
    assert rows[8].gold_by_label["error"].value == 0


def test_agreement_with_the_rest_leaves_the_rater_out() -> None:
    # x: a E, b E, c O; y: a O, b E. a: x agrees with 1 of 2, y with 0 of 1, so .25; c agrees with none.
    table = Judgments.from_columns("xxxyyz", "abcabc", "EEOOEO", labels="EO")
    rows = {row.rater: row for row in rater_rows(table, seconds=[1, 2, 3, 5, np.nan, 4])}
    assert rows["a"].rest == pytest.approx(0.25)
    assert rows["c"].rest == 0
    assert rows["c"].n_rest == 1  # z was judged by nobody else
    assert (rows["c"].gold.value, rows["c"].gold.undefined) == (None, Undefined.NO_UNITS)
    assert rows["a"].bias == pytest.approx({"E": 0.5 - (0.5 + 1) / 2, "O": 0.5 - (0.5 + 0) / 2})
    assert rows["a"].median_seconds == 3
    assert rows["a"].verdict is RaterVerdict.WATCH


def test_spammers_are_found() -> None:
    made = simulate([accurate(0.9)] * 15 + [spammer()] * 5, np.random.default_rng(2), n_items=600, per_item=10)
    verdicts = [row.verdict for row in rater_rows(made.judgments, made.gold(range(600)))]
    assert verdicts[15:] == [RaterVerdict.DROP] * 5
    assert verdicts[:15].count(RaterVerdict.DROP) <= 1


def test_bad_gold_is_one_clear_line() -> None:
    table = Judgments.from_columns("xy", "ab", "EO")
    with pytest.raises(UsageError, match="known: E, O"):
        rater_rows(table, {"x": "Q"})
    with pytest.raises(UsageError, match="none of the 1 gold items was judged"):
        rater_rows(table, {"q": "E"})
    with pytest.raises(UsageError, match="0 < bad < good < 1"):
        sprt(0.6, 0.85)
