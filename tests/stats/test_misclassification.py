"""The true share behind raters who err: section 4 of the statistics notes, and coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core import Interval, Undefined, UsageError
from errorbar.stats import proportion_interval, true_share


def test_rogan_and_gladen() -> None:
    # Section 4: (.35 + .95 - 1) / (.85 + .95 - 1) = .375.
    found = true_share(35, 100, 0.85, 0.95)
    assert found.value == pytest.approx(0.375)
    plain = proportion_interval(35, 100)
    assert isinstance(plain, Interval)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(
        ((plain.low - 0.05) / 0.8, (plain.high - 0.05) / 0.8)
    )
    wider = true_share(35, 100, 0.85, 0.95, n_gold=(100, 100))
    assert wider.value == found.value
    assert wider.interval is not None
    assert wider.interval.low < found.interval.low < found.interval.high < wider.interval.high
    # By the formula, worked with other code: z² = 3.841459, p' .355549, Se' .843137, Sp' .941176, π' .378369.
    assert (wider.interval.low, wider.interval.high) == pytest.approx((0.252032, 0.506971), abs=5e-7)


def test_the_interval_says_its_level_and_method() -> None:
    known = true_share(35, 100, 0.85, 0.95, confidence_level=0.8).interval
    plain = proportion_interval(35, 100, confidence_level=0.8)
    assert known is not None
    assert isinstance(plain, Interval)
    assert (known.low, known.high) == pytest.approx(((plain.low - 0.05) / 0.8, (plain.high - 0.05) / 0.8))
    assert (known.confidence_level, known.method) == (0.8, "wilson, rogan-gladen")
    gold = [
        true_share(35, 100, 0.85, 0.95, n_gold=(100, 100), confidence_level=level).interval for level in (0.8, 0.95)
    ]
    assert gold[0] is not None
    assert gold[1] is not None
    assert gold[1].low < gold[0].low < gold[0].high < gold[1].high
    assert (gold[0].confidence_level, gold[0].method) == (0.8, "lang-reiczigel")


def test_too_few_gold_items_say_nothing() -> None:
    # Se' = (100 * .2 + 1) / 102 = .206 and Sp' = (.9 + 1) / 3 = .633: together less than 1.
    found = true_share(20, 100, 0.2, 0.9, n_gold=(100, 1))
    assert found.value == pytest.approx(1)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0, 1)


@given(st.integers(0, 50), st.floats(0.55, 1), st.floats(0.55, 1))
def test_it_undoes_what_the_raters_do(x: int, sensitivity: float, specificity: float) -> None:
    true = x / 50
    seen = true * sensitivity + (1 - true) * (1 - specificity)
    assert true_share(1000 * seen, 1000, sensitivity, specificity).value == pytest.approx(true, abs=1e-9)


def test_perfect_raters_change_nothing() -> None:
    found, plain = true_share(7, 20, 1, 1), proportion_interval(7, 20)
    assert found.value == pytest.approx(0.35)
    assert isinstance(plain, Interval)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((plain.low, plain.high))


def test_values_and_ends_stay_between_0_and_1() -> None:
    low, high = true_share(1, 100, 0.8, 0.9), true_share(99, 100, 0.8, 0.9)
    assert (low.value, high.value) == (0, 1)
    for found in (low, high, true_share(1, 100, 0.8, 0.9, n_gold=(10, 10))):
        assert found.interval is None or 0 <= found.interval.low < found.interval.high <= 1
    nothing = true_share(0, 0, 0.8, 0.9)
    assert nothing.undefined is nothing.no_interval is Undefined.NO_UNITS
    # Every share that the interval of 1 of 100 holds is one that false alarms alone explain.
    assert true_share(1, 100, 0.8, 0.9).no_interval is Undefined.ZERO_WIDTH


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((5, 4, 0.8, 0.9), "proportion-counts"),
        ((3, 4, 1.2, 0.9), "rater-rates"),
        ((3, 4, 0.5, 0.5), "rater-rates"),
        ((3, 4, 0.3, 0.4), "rater-rates"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[float, int, float, float], code: str) -> None:
    with pytest.raises(UsageError) as caught:
        true_share(*arguments)
    assert caught.value.code == code
    with pytest.raises(UsageError, match="gold items 0 and 5"):
        true_share(3, 4, 0.8, 0.9, n_gold=(0, 5))


@pytest.mark.parametrize(
    ("share", "n", "rates", "gold"),
    [(0.3, 300, (0.85, 0.95), (60, 60)), (0.1, 500, (0.8, 0.97), (30, 100)), (0.5, 100, (0.7, 0.8), (40, 40))],
)
def test_coverage(share: float, n: int, rates: tuple[float, float], gold: tuple[int, int]) -> None:
    """2,000 simulated studies each: the interval that knows of the gold items holds the truth, the other does not."""
    rng = np.random.default_rng(n)
    called = share * rates[0] + (1 - share) * (1 - rates[1])
    held = np.zeros(2)
    for x, *right in zip(
        rng.binomial(n, called, 2000).tolist(),
        *(rng.binomial(size, rate, 2000).tolist() for size, rate in zip(gold, rates, strict=True)),
        strict=True,
    ):
        se, sp = (count / size for count, size in zip(right, gold, strict=True))
        for at, given_gold in enumerate((gold, None)):
            made = true_share(x, n, se, sp, n_gold=given_gold).interval
            held[at] += made is not None and made.low <= share <= made.high
    assert 0.94 <= held[0] / 2000 <= 0.985
    assert held[1] / 2000 < 0.90


def test_only_the_ends_are_cut() -> None:
    """π' inside of the formula may lie beyond 0 and 1.

    8 of 9: z² = 3.8415, p' = 9.9207 / 12.8415 = .7726, Se' = 22.5594 / 42 = .5371, Sp' = 20.3344 / 27 = .7531,
    π' = .5257 / .2903 = 1.811; v₁ = .2486 / 42 = .00592, v₀ = .1859 / 27 = .00689, s² = (.1757 / 12.8415 + 1.811² v₁ +
    .811² v₀) / .2903² = .4469, d = 7.683 (1.811 v₁ + .811 v₀) = .1253: 1.936 ± 1.310.
    """
    found = true_share(8, 9, 0.538985, 0.773374, n_gold=(40, 25)).interval
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.6265, 1), abs=5e-4)
