"""Pools of judges: the nested analysis of variance, ways to deal judges, and the test of system x pool."""

from __future__ import annotations

import re
from itertools import combinations, pairwise, permutations
from math import inf
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import f_oneway, ttest_ind

from errorbar.core import Interval, Undefined
from errorbar.stats.pools import Dealing, PoolVariance, count_ways, deal_judges, three_way
from tests.stats.pool_runs import PoolWorld, deal, without_each

CELLS = (0.50, 0.52), (0.56, 0.58), (0.44, 0.46), (0.60, 0.62)
"""Four pools of two judges, and their nested analysis by hand: pool means .51 .57 .45 .61, grand mean .535."""
STUDIES = 1000


def of_cells(cells: tuple[tuple[float, ...], ...], texts: tuple[float, ...] = (0.001, -0.001)) -> PoolVariance:
    means = np.array([np.mean(cell) for cell in cells])
    parts = three_way([means, *(means + shift for shift in texts)], [without_each(cell) for cell in cells])
    assert isinstance(parts, PoolVariance)
    return parts


def test_the_components_are_those_of_the_nested_analysis_of_variance() -> None:
    parts = of_cells(CELLS)
    assert parts.value == pytest.approx(0.535)
    assert parts.pools == pytest.approx(0.0048)  # (.0098 - .0002) / 2, the mean squares between pools and within
    assert parts.between == pytest.approx(0.001225)  # .0098 / 8
    assert parts.texts == pytest.approx(1e-6)  # 1/2 (.001^2 + .001^2)
    assert parts.variance == pytest.approx(0.001226)
    assert parts.df == pytest.approx(0.001226**2 / (1e-12 + 0.001225**2 / 3))


def test_pools_that_differ_less_than_judges_vary_as_judges_do() -> None:
    parts = of_cells(((0.40, 0.60), (0.41, 0.60), (0.40, 0.61)))
    assert parts.pools == 0
    assert parts.between < parts.within == pytest.approx(parts.variance - parts.texts)
    assert parts.within_df == pytest.approx(3, rel=0.02)  # three pools with one degree of freedom each


def test_pools_of_one_judge_vary_by_their_scores_alone() -> None:
    parts = of_cells(((0.4,), (0.5,), (0.7,)))
    assert (parts.within, parts.within_df) == (0, inf)
    assert parts.between == pytest.approx(np.var([0.4, 0.5, 0.7], ddof=1) / 3)
    assert isinstance(parts.interval(0.95), Interval)


def test_there_is_no_interval_without_texts_that_vary() -> None:
    assert three_way([[0.4, 0.5, 0.6]], [[], [], []]) is Undefined.ONE_UNIT
    same = [[0.4, 0.5, 0.6]] * 4
    assert three_way(same, [[], [], []]) is Undefined.SAME_TEXTS


@pytest.mark.parametrize(
    ("sizes", "n"), [((5, 5), 126), ((3, 4), 35), ((2, 2, 2), 15), ((2, 1, 2), 15), ((1, 1, 1), 1), ((1, 9), 10)]
)
def test_all_ways_are_all_partitions_into_groups_of_such_sizes(sizes: tuple[int, ...], n: int) -> None:
    ways, exact = deal_judges(sizes)
    assert (len(ways), count_ways(sizes), exact) == (n, n, True)
    if sum(sizes) < 8:
        cuts = np.cumsum([0, *sizes]).tolist()
        every = {
            frozenset(frozenset(order[a:b]) for a, b in pairwise(cuts)) for order in permutations(range(sum(sizes)))
        }
        assert {frozenset(way) for way in ways} == every


def test_of_many_ways_some_are_drawn_and_the_seed_decides_which() -> None:
    ways, exact = deal_judges((8, 8))
    assert (len(ways), exact, count_ways((8, 8))) == (2000, False, 6435)
    assert deal_judges((8, 8))[0] == ways != deal_judges((8, 8), seed=1)[0]


def by_hand(table: np.ndarray, members: list[list[int]], sets: list[tuple[int, ...]], k: int) -> float:
    """Q of some groups by the definition: every mean anew, text by text and judge by judge."""

    def mean(row: np.ndarray, group: list[int], size: int) -> float:
        return float(np.mean([row[at] for at, own in enumerate(sets) if len(own) == size and set(own) <= set(group)]))

    values, variances = [], []
    for group in members:
        values.append(mean(table[0], group, k))
        left = np.array([mean(row, group, k) for row in table[1:]])
        n, m = len(left), len(group)
        judges = 0.0
        if m > 1:
            size = k if m > k else k - 1
            without = np.array([mean(table[0], [j for j in group if j != i], size) for i in group])
            judges = (m - 1) / m * ((without - without.mean()) ** 2).sum()
        variances.append((n - 1) / n * ((left - left.mean()) ** 2).sum() + judges)
    weights = 1 / np.array(variances)
    grand = (weights * values).sum() / weights.sum()
    return float((weights * (np.array(values) - grand) ** 2).sum())


@pytest.mark.parametrize(("sizes", "k"), [((2, 3), 1), ((3, 3), 2), ((2, 2, 2), 2), ((2, 4), 2), ((1, 2, 2), 1)])
def test_q_and_p_are_those_of_the_definition(sizes: tuple[int, ...], k: int) -> None:
    rng, m = np.random.default_rng(list(sizes)), sum(sizes)
    sets = [own for size in ((k - 1, k) if k > 1 else (k,)) for own in combinations(range(m), size)]
    masks = np.array([[i in own for i in range(m)] for own in sets], np.uint8)
    table = rng.normal(size=(1, len(sets))) + 0.2 * rng.normal(size=(8, len(sets)))
    (test,) = Dealing.of(masks, k, sizes).test([table])
    cuts = np.cumsum([0, *sizes]).tolist()
    own = [list(range(a, b)) for a, b in pairwise(cuts)]
    observed = by_hand(table, own, sets, k)
    ways = [by_hand(table, [sorted(group) for group in way], sets, k) for way in deal_judges(sizes)[0]]
    assert test.q == pytest.approx(observed)
    assert test.p == test.p_unadjusted == pytest.approx(np.mean(np.array(ways) >= observed * (1 - 1e-9)))
    assert test.exact
    assert test.smallest_p == 1 / len(ways)


def test_with_one_judge_in_each_pool_nothing_can_be_significant() -> None:
    table = PoolWorld((1, 1), apart=(0.0, 50.0)).draw(np.random.default_rng(1))[0]
    (test,) = Dealing.of(np.eye(2, dtype=np.uint8), 1, (1, 1)).test([table])
    assert (test.p, test.smallest_p, test.n_ways) == (1.0, 1.0, 1)


def test_of_two_pools_the_p_of_welch_is_that_of_his_t() -> None:
    table = PoolWorld((3, 5), apart=(0.0, 3.0)).draw(np.random.default_rng(8))[0]
    (test,) = Dealing.of(np.eye(8, dtype=np.uint8), 1, (3, 5)).test([table])
    assert test.p_welch == pytest.approx(ttest_ind(table[0, :3], table[0, 3:], equal_var=False).pvalue)


def test_of_three_pools_the_p_of_welch_is_that_of_scipy() -> None:
    table = PoolWorld((3, 4, 2), apart=(0.0, 3.0, 1.0)).draw(np.random.default_rng(8))[0]
    (test,) = Dealing.of(np.eye(9, dtype=np.uint8), 1, (3, 4, 2)).test([table])
    scores = table[0, :3], table[0, 3:7], table[0, 7:]
    assert test.p_welch == pytest.approx(f_oneway(*scores, equal_var=False).pvalue)


def test_a_pool_of_one_judge_has_no_p_of_welch() -> None:
    table = PoolWorld((1, 3)).draw(np.random.default_rng(1))[0]
    (test,) = Dealing.of(np.eye(4, dtype=np.uint8), 1, (1, 3)).test([table])
    assert test.p_welch is None


def test_welch_hardly_errs_where_a_small_pool_varies_more() -> None:
    """A part of docs/measurements/pools.md; .05 of 400 has a standard error of .011."""
    alone, both = PoolWorld((3, 7), deviations=(3.0, 1.0)).reject_and_agree(np.random.default_rng(5), 400)
    assert alone > 0.1
    assert both <= 0.09


def test_estimated_spreads_do_not_show_where_the_test_errs() -> None:
    """Why the warning is by Welch's test: a share of .5 of 60 wrong studies has a standard error of .065."""
    tables = PoolWorld((3, 7), deviations=(3.0, 1.0)).draw(np.random.default_rng(9), 400)
    twice = np.array([row[0, :3].var(ddof=1) >= 4 * row[0, 3:].var(ddof=1) for row in tables])
    wrong = np.array([(deal((3, 7)).test([row])[0].p or 1.0) <= 0.05 for row in tables])
    assert twice.mean() > 0.5
    assert twice[wrong].mean() < 0.45


def test_a_difference_that_no_text_changes_cannot_be_tested() -> None:
    (test,) = Dealing.of(np.eye(4, dtype=np.uint8), 1, (2, 2)).test([np.ones((5, 4))])
    assert test.p is None


def test_the_adjusted_p_is_no_smaller_and_one_pair_needs_no_adjustment() -> None:
    world, masks = PoolWorld((4, 4), apart=(0.0, 5.0)), np.eye(8, dtype=np.uint8)
    tables = list(world.draw(np.random.default_rng(2), 5))
    tests = Dealing.of(masks, 1, (4, 4)).test(tables)
    assert all(test.p is not None and test.p_unadjusted is not None and test.p >= test.p_unadjusted for test in tests)
    alone = [Dealing.of(masks, 1, (4, 4)).test([table])[0] for table in tables]
    assert [test.p for test in alone] == [test.p_unadjusted for test in tests]


def test_where_ways_are_drawn_p_has_a_floor() -> None:
    world = PoolWorld((8, 8), apart=(0.0, 60.0))
    (test,) = Dealing.of(np.eye(16, dtype=np.uint8), 1, (8, 8)).test([world.draw(np.random.default_rng(3))[0]])
    assert not test.exact
    assert test.p == test.smallest_p == 1 / 2001


def test_the_record_errs_in_at_most_6_and_covers_at_least_93() -> None:
    """Where nothing depends on the pool and judges vary alike; over 4, 6 and 10 pools."""
    sections = (Path(__file__).parents[1] / "measured/pools.md").read_text(encoding="utf-8").split("\n## ")
    rows = {
        section.partition("\n")[0]: [re.findall(r"(?<= )\.\d{3}", line) for line in section.splitlines()]
        for section in sections
    }
    size, coverage = (np.array([row for row in rows[name] if row], float) for name in ("Size", "Coverage"))
    assert size.shape == (5, 9)
    assert size[:, :5].max() <= 0.06
    assert coverage.shape == (9, 6)
    assert coverage.min() >= 0.93


def test_the_test_errs_at_its_level_and_finds_what_there_is() -> None:
    """Parts of docs/measurements/pools.md; a share of .05 of 400 has a standard error of .011."""
    rng = np.random.default_rng(5)
    assert PoolWorld((5, 5)).reject(rng, 400) <= 0.085
    assert PoolWorld((5, 5), apart=(0.0, 8.0)).reject(rng, 400) > 0.95
    assert PoolWorld((2,) * 4, between=16.0).cover(rng, 300) > 0.92


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(5, 5), (3, 7), (3, 3, 3), (2, 2, 2, 2)])
def test_size_of_the_test(sizes: tuple[int, ...]) -> None:
    """The table *Size*; three standard errors of .05 are .015 with 2,000 studies."""
    rng = np.random.default_rng([6, *sizes])
    for world in (PoolWorld(sizes), PoolWorld(sizes, skewed=True)):
        assert world.reject(rng, 2000) <= 0.065
    assert PoolWorld(sizes).reject_any(rng, STUDIES, 3) <= 0.071


@pytest.mark.slow
@pytest.mark.parametrize("n_pools", [4, 6, 10])
@pytest.mark.parametrize("between", [0.0, 16.0])
def test_coverage_over_pools(n_pools: int, between: float) -> None:
    """The table *Coverage*; three standard errors of .95 are .02 with 1,000 studies."""
    assert PoolWorld((2,) * n_pools, between=between).cover(np.random.default_rng(n_pools), STUDIES) >= 0.93
