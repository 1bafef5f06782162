"""Differences tested at once over texts and judges: by the t of a single pair, and what must not depend on anything."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import stdtr

from errorbar.stats import JointSpread, blocks, jackknife, max_t_p_values, scaled_influence

Floats = NDArray[np.float64]
N_TEXTS, DRAWS = 40, 20_000


def make_spread(n_systems: int, *, judges: float = 0.0, moderated: bool = False, seed: int = 0) -> JointSpread:
    """Systems that share half of how they vary over texts; variances over judges as given, four degrees of freedom."""
    rng = np.random.default_rng(seed)
    influence = rng.normal(size=(N_TEXTS, 1)) + rng.normal(size=(N_TEXTS, n_systems))
    texts = (influence - influence.mean(axis=0)) / np.sqrt(N_TEXTS * (N_TEXTS - 1))
    return JointSpread(
        texts, judges * np.eye(n_systems), 4.0, np.zeros(n_systems), np.full(n_systems, np.inf), moderated
    )


def adjusted(spread: JointSpread, t: list[float], pairs: list[tuple[int, int]], draws: int = DRAWS) -> Floats:
    return max_t_p_values(spread, pairs, np.array(t), blocks(3, "test", replicates=draws))[0]


def all_pairs(n_systems: int) -> list[tuple[int, int]]:
    return list(combinations(range(n_systems), 2))


def satterthwaite_p(spread: JointSpread, pair: tuple[int, int], t: float) -> float:
    (texts,), (judges,) = spread.variances([pair])
    df = (texts + judges) ** 2 / (texts**2 / (N_TEXTS - 1) + judges**2 / spread.judges_df)
    return float(2 * stdtr(df, -t))


def test_influence_adds_up_to_the_variance_of_the_jackknife() -> None:
    without = np.random.default_rng(1).normal(size=(12, 3))
    scaled = scaled_influence(without)
    assert np.sum(scaled**2, axis=0) == pytest.approx([jackknife(column) for column in without.T])


@pytest.mark.parametrize("moderated", [False, True])
@pytest.mark.parametrize("t", [0.3, 1.5, 2.5])
def test_two_systems_over_texts_alone_have_the_p_of_their_t(t: float, moderated: bool) -> None:
    """Of one part of the variance both ways to draw are a t, here with 39 degrees of freedom."""
    expected = 2 * float(stdtr(N_TEXTS - 1, -t))
    error = np.sqrt(expected * (1 - expected) / DRAWS)
    assert adjusted(make_spread(2, moderated=moderated), [t], [(0, 1)])[0] == pytest.approx(expected, abs=4 * error)


@pytest.mark.parametrize("judges", [0.01, 0.05, 0.5])
def test_two_systems_over_both_have_nearly_that_of_satterthwaite(judges: float) -> None:
    """Variances that are drawn too come closer to it than a chance with long tails, which errs to the safe side."""
    for t in (2.0, 3.0):
        p = {}
        for moderated in (False, True):
            spread = make_spread(2, judges=judges, moderated=moderated)
            p[moderated] = adjusted(spread, [t], [(0, 1)])[0]
        expected = satterthwaite_p(spread, (0, 1), t)
        assert abs(p[True] - expected) <= 0.006
        assert p[False] >= p[True] - 0.002


def test_a_pair_that_dominates_is_adjusted_for_all_and_the_last_for_none() -> None:
    spread, pairs = make_spread(5), all_pairs(5)
    t = [50.0] + [0.1 * k for k in range(9, 0, -1)]
    p = adjusted(spread, t, pairs)
    assert p[0] == 1 / (1 + DRAWS)
    last = 2 * float(stdtr(N_TEXTS - 1, -t[-1]))
    assert p[-1] >= last - 0.02


def test_p_falls_with_t_and_is_at_least_that_of_the_pair_alone() -> None:
    spread, pairs = make_spread(6, judges=0.05, moderated=True), all_pairs(6)
    t = np.random.default_rng(4).uniform(0, 5, len(pairs))
    p = adjusted(spread, t.tolist(), pairs)
    assert (np.diff(p[np.argsort(-t)]) >= 0).all()
    alone = [adjusted(spread, [own], [pair])[0] for own, pair in zip(t.tolist(), pairs, strict=True)]
    assert (p >= np.array(alone) - 0.02).all()
    assert adjusted(spread, t.tolist(), pairs, draws=99).min() >= 0.01


def test_steps_down() -> None:
    """The second pair is adjusted for those that remain, so it has a smaller p than if it were the first."""
    spread, pairs = make_spread(3), all_pairs(3)
    first = adjusted(spread, [2.2, 0.1, 0.1], pairs)[0]
    assert adjusted(spread, [2.2, 9.0, 0.1], pairs)[0] < first - 0.005


def test_the_order_of_systems_changes_nothing_but_chance() -> None:
    spread, pairs = make_spread(5, judges=0.05, moderated=True), all_pairs(5)
    t = np.random.default_rng(5).uniform(1, 4, len(pairs))
    order = [3, 0, 4, 2, 1]
    place = {system: k for k, system in enumerate(order)}
    moved = JointSpread(spread.texts[:, order], spread.judges, 4.0, spread.runs, spread.runs_df, moderated=True)
    renamed = [(place[a], place[b]) for a, b in pairs]
    both = adjusted(spread, t.tolist(), pairs), adjusted(moved, t.tolist(), renamed)
    assert both[0] == pytest.approx(both[1], abs=0.015)


@pytest.mark.parametrize("moderated", [False, True])
def test_a_twin_of_a_system_changes_nothing_but_chance(moderated: bool) -> None:
    """A pair of twins has no variance and is not tested; a twin's pairs are those of its twin."""
    spread, pairs = make_spread(4, judges=0.05, moderated=moderated), all_pairs(4)
    t = [3.0, 2.5, 2.0, 3.5, 1.5, 1.0]
    twin = [0, 1, 2, 3, 3]
    more = JointSpread(
        spread.texts[:, twin],
        spread.judges[np.ix_(twin, twin)],
        4.0,
        np.zeros(5),
        np.full(5, np.inf),
        moderated=moderated,
    )
    again = [pair for pair in all_pairs(5) if pair != (3, 4)]
    known = dict(zip(pairs, t, strict=True))
    p = adjusted(more, [known[min(a, 3), min(b, 3)] for a, b in again], again)
    assert [p[again.index(pair)] for pair in pairs] == pytest.approx(adjusted(spread, t, pairs), abs=0.015)


@pytest.mark.parametrize("moderated", [False, True])
def test_runs_add_their_variance(moderated: bool) -> None:
    """As much from runs as from texts: T of twice the variance, with tails as long as those of few runs at most."""
    plain = make_spread(2)
    (texts,), _ = plain.variances([(0, 1)])
    spread = JointSpread(
        plain.texts, plain.judges, 4.0, np.array([texts, 0.0]), np.array([4.0, np.inf]), moderated=moderated
    )
    drawn = spread.draw_t([(0, 1)], DRAWS, np.random.default_rng(2))[:, 0]
    assert float(np.median(drawn)) == pytest.approx(0.71, abs=0.05)
    p = np.mean(drawn >= 2.5)
    df = (2 * texts) ** 2 / (texts**2 / (N_TEXTS - 1) + texts**2 / 4)
    least, most = (2 * float(stdtr(own, -2.5)) for own in (df, 4.0))
    assert p == pytest.approx(least, abs=0.012) if moderated else least < p < most


def test_a_covariance_with_negative_eigenvalues_is_drawn_all_the_same() -> None:
    spread = make_spread(3)
    judges = 0.05 * np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    assert np.linalg.eigvalsh(judges)[0] < 0
    odd = JointSpread(spread.texts, judges, 4.0, spread.runs, spread.runs_df, moderated=True)
    p = adjusted(odd, [2.0, 2.0, 2.0], all_pairs(3))
    assert np.isfinite(p).all()
    assert (p > 0.05).all()
