"""Intervals that may be looked at at any time: values, limits, twins, and how often they are ever wrong."""

from __future__ import annotations

from math import comb, isclose, log, nan
from pathlib import Path

import numpy as np
import pytest

from errorbar.core import UsageError
from errorbar.stats import (
    betting_bounds,
    empirical_bernstein_bounds,
    endless_p_value,
    endless_share_bounds,
    ever_crossed,
    finite_evidence,
    finite_share_bounds,
    look_boundaries,
    nominal_level,
    running_factor,
)
from errorbar.stats.anytime import Boundary, best_ratio, bets, endless_evidence, log_capital
from tests.stats.anytime_runs import (
    betting_run,
    decide_run,
    finite_run,
    planned_run,
    scores_run,
    width_run,
    win_rate_run,
)

MEASURED = (Path(__file__).resolve().parents[2] / "tests/measured/stopping.md").read_text(encoding="utf-8")
FAST, SLOW = 1000, 10_000


def kept_by_definition(positive: int, judged: int, size: int) -> list[int]:
    """Every M with hyp(S; N, M, t) > α / (t + 1), in whole numbers."""
    return [
        M
        for M in range(size + 1)
        if 20 * (judged + 1) * comb(M, positive) * comb(size - M, judged - positive) > comb(size, judged)
    ]


@pytest.mark.parametrize(
    ("size", "judged", "positive", "ends"),
    [(100, 20, 10, (24, 76)), (500, 100, 80, (334, 448)), (2000, 200, 20, (91, 368))],
)
def test_recorded_strata(size: int, judged: int, positive: int, ends: tuple[int, int]) -> None:
    """Computed once with scipy.stats.hypergeom over every M."""
    low, high = finite_share_bounds(positive, judged, size)
    assert (int(low), int(high)) == ends


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_every_small_stratum_is_its_definition(size: int) -> None:
    for judged in range(size + 1):
        for positive in range(judged + 1):
            kept = kept_by_definition(positive, judged, size)
            low, high = finite_share_bounds(positive, judged, size)
            assert list(range(int(low), int(high) + 1)) == kept


def test_limits_of_a_stratum() -> None:
    assert [int(end) for end in finite_share_bounds(0, 0, 50)] == [0, 50]
    assert [int(end) for end in finite_share_bounds(17, 50, 50)] == [17, 17]
    low, high = finite_share_bounds([0, 40], [40, 40], [50, 50])
    assert low[0] == 0
    assert high[1] == 50
    assert high[0] == 50 - low[1]  # all alike, seen from either side


def test_a_large_stratum_is_like_an_endless_stream() -> None:
    low, high = finite_share_bounds(30, 200, 10**9)
    assert np.allclose((low / 1e9, high / 1e9), endless_share_bounds(30, 200), atol=1e-6)


def test_evidence_is_what_it_is_called() -> None:
    assert isclose(float(finite_evidence(1, 3, 9, 4)), -log(4 * comb(4, 1) * comb(5, 2) / comb(9, 3)))
    assert float(finite_evidence(3, 3, 9, 2)) == np.inf
    assert isclose(float(endless_evidence(2, 5, 0.3)), -log(6 * 10 * 0.3**2 * 0.7**3))


def test_endless_ends_are_where_the_evidence_is_enough() -> None:
    S, t = np.array([0, 3, 50, 99, 100]), 100
    low, high = endless_share_bounds(S, t)
    assert low[0] == 0
    assert high[-1] == 1
    assert np.allclose(endless_evidence(S[1:], t, low[1:]), log(20), atol=1e-6)
    assert np.allclose(endless_evidence(S[:-1], t, high[:-1]), log(20), atol=1e-6)
    assert [float(end) for end in endless_share_bounds(0, 0)] == [0, 1]


def test_the_p_value_agrees_with_the_interval() -> None:
    for wins in range(101):
        low, high = endless_share_bounds(wins, 100)
        assert (endless_p_value(wins, 100) > 0.05) == (low < 0.5 < high)
    assert endless_p_value(0, 0) == 1


@pytest.mark.parametrize("counts", [(3, 2, 5), (1, 6, 5), (-1, 2, 5), (0.5, 2, 5)])
def test_impossible_counts(counts: tuple[float, float, float]) -> None:
    with pytest.raises(UsageError) as caught:
        finite_share_bounds(*counts)
    assert caught.value.problems[0].code == "anytime-counts"


@pytest.mark.parametrize("share", [-0.1, 1.5, nan])
def test_impossible_shares(share: float) -> None:
    with pytest.raises(UsageError, match=r"\[anytime-counts\]"):
        endless_p_value(3, 10, share)


def test_capital_is_its_definition() -> None:
    x, mean, size = [0.2, 1.0, 0.7, 0.0], 0.55, 9
    λ = bets(x)  # noqa: PLC2401 - as in the formula
    up = down = 0.5
    for at, score in enumerate(x):
        rest = (size * mean - sum(x[:at])) / (size - at)
        up *= 1 + min(λ[at], 0.5 / rest) * (score - rest)
        down *= 1 - min(λ[at], 0.5 / (1 - rest)) * (score - rest)
    high, low = log_capital(x, mean, size=size)
    assert np.allclose([high[-1], low[-1]], np.log([up, down]))


def test_bets_are_known_before_the_score() -> None:
    """The first bet is √(2 ln 40 / (¼ ln 2)), and no bet changes with later scores."""
    assert isclose(bets([0.9])[0], np.sqrt(2 * np.log(40) / (0.25 * np.log(2))))
    assert np.array_equal(bets([0.1, 0.9, 0.3])[:3], bets([0.1, 0.9, 0.8])[:3])


def test_betting_ends_are_where_the_capital_is_enough() -> None:
    x = np.random.default_rng(3).beta(2, 1, 200)
    for size in (None, 900):
        low, high = betting_bounds(x, size=size)
        assert isclose(log_capital(x, low, size=size)[0][-1], log(20), abs_tol=1e-4)
        assert isclose(log_capital(x, high, size=size)[1][-1], log(20), abs_tol=1e-4)


def test_limits_of_betting() -> None:
    assert [float(end) for end in betting_bounds([])] == [0, 1]
    assert [float(end) for end in betting_bounds([0.0] * 9, size=9)] == [0, 0]
    x = [1.0, 0.5, 0.0, 0.25]
    assert np.allclose(betting_bounds(x, size=4), np.mean(x))
    low, high = betting_bounds(np.ones(50))
    assert high == 1
    assert low > 0.7
    mirrored = betting_bounds(np.zeros(50))
    assert np.allclose([1 - mirrored[1], 1 - mirrored[0]], [low, high])


def test_empirical_bernstein_is_its_definition() -> None:
    x = np.random.default_rng(4).random(60)
    total = weight = spread = 0.0
    for at, (score, bet) in enumerate(zip(x, np.minimum(bets(x), 0.5), strict=True)):
        before = (0.5 + x[:at].sum()) / (at + 1)
        total, weight = total + bet * score, weight + bet
        spread += (score - before) ** 2 * (-log(1 - bet) - bet)
    low, high = empirical_bernstein_bounds(x)
    half = (log(40) + spread) / weight
    assert np.allclose([low[-1], high[-1]], [total / weight - half, total / weight + half])


def test_scores_from_nought_to_one() -> None:
    for scores in ([1.2], [-0.1], [float("nan")]):
        with pytest.raises(UsageError):
            betting_bounds(scores)
    with pytest.raises(UsageError):
        betting_bounds([0.1, 0.2], size=1)


@pytest.mark.parametrize(
    ("looks", "pocock", "obrien_fleming"),
    [(2, 2.178, 1.977), (3, 2.289, 2.004), (4, 2.361, 2.024), (5, 2.413, 2.040), (10, 2.555, 2.087)],
)
def test_published_boundaries(looks: int, pocock: float, obrien_fleming: float) -> None:
    """Jennison and Turnbull 2000, Group Sequential Methods, tables 2.1 and 2.3, α = .05."""
    assert look_boundaries(looks, kind="pocock")[0] == pytest.approx(pocock, abs=0.00051)
    assert look_boundaries(looks)[-1] == pytest.approx(obrien_fleming, abs=0.00051)


@pytest.mark.parametrize(
    ("looks", "share", "wrong"), [(5, 0.7, 0.058), (5, 0.95, 0.067), (10, 0.7, 0.064), (10, 0.95, 0.081)]
)
def test_equal_looks_at_a_stratum_that_is_mostly_judged_are_wrong_more_often(
    looks: int, share: float, wrong: float
) -> None:
    """The information of n of N items is n / (1 - n / N); the figures stand in ``sampling.plan``."""
    n = share * np.arange(1, looks + 1) / looks
    information = n / (1 - n)
    assert ever_crossed(look_boundaries(looks), information / information[-1]) == pytest.approx(wrong, abs=0.0005)


def test_boundaries_of_the_five_looks() -> None:
    found = look_boundaries(5)
    assert np.round(found, 3).tolist() == [4.562, 3.226, 2.634, 2.281, 2.040]
    assert ever_crossed(found, 5) == pytest.approx(0.05, abs=1e-9)
    assert ever_crossed([1.959964] * 5, 5) == pytest.approx(0.142, abs=0.0005)  # Armitage, McPherson & Rowe 1969
    z = 1.959964
    assert (found[-1] / z) ** 2 == pytest.approx(1.08, abs=0.005)
    assert (look_boundaries(5, kind="pocock")[0] / z) ** 2 == pytest.approx(1.52, abs=0.005)


def test_one_look_is_a_plain_interval() -> None:
    assert look_boundaries(1)[0] == pytest.approx(1.959964, abs=1e-6)
    assert nominal_level(1.959964) == pytest.approx(0.95, abs=1e-6)


def test_unequal_looks() -> None:
    times = [0.1, 0.5, 1.0]
    assert ever_crossed(look_boundaries(times), times) == pytest.approx(0.05, abs=1e-9)
    for bad in (0, 101, [0.5, 0.5, 1.0], [0.5, 0.9], []):
        with pytest.raises(UsageError):
            look_boundaries(bad)


def test_the_factor_is_smallest_where_it_was_asked_for() -> None:
    assert best_ratio() == pytest.approx(0.1218, abs=5e-5)
    wanted = 0.05 / 3.0351224
    assert running_factor(wanted, 0.05) == pytest.approx(3.035, abs=0.0005)
    others = running_factor(np.array([0.2, 0.5, 0.9, 1.1, 2, 5]) * wanted, 0.05)
    assert (others > running_factor(wanted, 0.05)).all()
    times_the_items = (running_factor(wanted, 0.05) / 1.959964) ** 2
    assert times_the_items == pytest.approx(2.40, abs=0.005)


def test_seldom_ever_wrong() -> None:
    """A thousand runs: two standard errors above a twentieth is .064."""
    assert finite_run(300, 0.5, FAST)["ever wrong"] < 0.06
    assert finite_run(300, 0.5, FAST)["naive"] > 0.3
    assert betting_run(300, 0.2, FAST)["ever wrong"] < 0.06
    found = win_rate_run(0.5, FAST)
    assert max(found[rule] for rule in ("beta", "betting", "empirical Bernstein", "asymptotic")) < 0.06
    assert found["naive"] > 0.3
    assert max(scores_run(FAST).values()) < 0.06
    assert planned_run(FAST)["planned"] < 0.07


def in_page(name: str, found: float) -> None:
    assert f"| {name} | {found:.3f} |" in MEASURED


@pytest.mark.slow
@pytest.mark.parametrize("size", [300, 1000])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_strata_are_never_wrong_too_often(size: int, share: float) -> None:
    found = finite_run(size, share, SLOW)
    assert found["ever wrong"] <= 0.05
    in_page(f"prior-posterior ratio, {size:,} items, {100 * share:.0f} % positive", found["ever wrong"])
    bet = betting_run(size, share, SLOW)["ever wrong"]
    assert bet <= 0.05
    in_page(f"betting, {size:,} items, {100 * share:.0f} % positive", bet)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_win_rates_are_never_wrong_too_often(share: float) -> None:
    for rule, found in win_rate_run(share, SLOW).items():
        if rule not in ("naive", "every 25th"):
            assert found <= 0.05
        in_page(f"win rate {share:.1f}, {rule}", found)


@pytest.mark.slow
def test_scores_are_never_wrong_too_often() -> None:
    for rule, found in scores_run(SLOW).items():
        assert found <= 0.05
        in_page(f"scores, {rule}", found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["obrien-fleming", "pocock"])
def test_planned_looks_are_wrong_as_often_as_said(kind: Boundary) -> None:
    """Counts of 200 judgments come in steps, and no more than .05 is left of each."""
    found = planned_run(100_000, kind)
    assert 0.045 <= found["planned"] <= 0.051
    assert 0.135 <= found["naive"] <= 0.155
    in_page(f"five planned looks, {kind}", found["planned"])


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_stopping_on_the_width_keeps_coverage(share: float) -> None:
    found = width_run(share, SLOW)["coverage"]
    assert 0.935 <= found <= 0.96
    in_page(f"Wilson, stopped on its width, {100 * share:.0f} % positive", found)


@pytest.mark.slow
def test_how_many_judgments_decide() -> None:
    """A fixed number with a power of .8 needs 194: (1.960 · .5 + .842 · √(.6 · .4))² / .1²."""
    found = decide_run(0.6, SLOW)["judgments"]
    assert found == pytest.approx(242, abs=5)
    assert f"mean number of judgments until a win rate of .6 is told from one half: {found:.0f}" in MEASURED
