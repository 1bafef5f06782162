"""Numbers that no float holds are refused by an error of errorbar, in statistics and in what scores and compares."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import errorbar
from errorbar import ErrorbarError, stats

HUGE = 10**400
CALLS: list[Callable[[], object]] = [
    lambda: stats.proportion_interval(HUGE, HUGE),
    lambda: stats.f_score_interval(HUGE, 1, 2),
    lambda: stats.true_share(HUGE, HUGE, 0.9, 0.9),
    lambda: stats.mcnemar_test(2**63, 3),
    lambda: stats.units_for_power(HUGE, 0.5),
    lambda: stats.units_for_half_width(1.0, HUGE),
    lambda: stats.power_of_test(0.5, 1.0, HUGE),
    lambda: stats.correlate([1, 2, 3, HUGE], [1, 2, 3, 4]),
    lambda: stats.bootstrap_interval(0.5, [0.1, HUGE], method="percentile"),
    lambda: errorbar.score("gold.m2", ["a.txt"], beta=HUGE),
    lambda: errorbar.score("gold.m2", ["a.txt"], confidence=HUGE),
    lambda: errorbar.compare("gold.m2", ["a.txt", "b.txt"], fail_if_worse=HUGE),
    lambda: errorbar.compare("gold.m2", ["a.txt", "b.txt"], resamples=HUGE),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_number_that_is_too_large_is_named(call: Callable[[], object]) -> None:
    with pytest.raises(ErrorbarError) as caught:
        call()
    assert caught.value.code == "number-too-large"


def test_a_function_of_statistics_is_one_object() -> None:
    assert stats.adjust is stats.adjust
    assert stats.adjust.__name__ == "adjust"
