"""Step-down max-T: by hand, against a twin that follows the definition, and what it does not depend on."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorbar.core import UsageError
from errorbar.stats import adjust, needed_swaps, smallest_holm, smallest_max_t, step_down_max_t, stream

Floats = NDArray[np.float64]


def signs(n: int) -> Floats:
    """All ways to swap n documents, the one that swaps nothing first; shape (2^n, n)."""
    return np.array(list(product((1.0, -1.0), repeat=n)))


def swapped(differences: list[list[float]]) -> tuple[Floats, Floats]:
    """Pairs whose difference is a sum over documents: observed, and under all ways to swap."""
    table = np.array(differences, np.float64)
    return table.sum(axis=1), table @ signs(table.shape[1]).T


def twin(observed: Floats, table: Floats, *, exact: bool) -> list[float]:
    """The definition, pair by pair: who remains, how large they are, running maximum."""
    ways = table.shape[1]
    spread = [
        (sum(x * x for x in row) / ways) ** 0.5 if exact else ((sum(x * x for x in row) + d * d) / (ways + 1)) ** 0.5
        for d, row in zip(observed, table.tolist(), strict=True)
    ]
    t = [abs(d) / s if s else 0.0 for d, s in zip(observed, spread, strict=True)]
    found, before = [0.0] * len(t), 0.0
    for place, k in enumerate(sorted(range(len(t)), key=lambda k: -t[k])):
        rest = sorted(range(len(t)), key=lambda k: -t[k])[place:]
        extreme = sum(
            max(abs(table[j, r]) / spread[j] if spread[j] else 0.0 for j in rest) >= t[k] - 1e-9 for r in range(ways)
        )
        before = found[k] = max(before, extreme / ways if exact else (extreme + 1) / (ways + 1))
    return found


class TestByHand:
    def test_two_pairs_on_three_documents(self) -> None:
        """Sums (2, 1, 1) and (1, 1, −1) under the eight ways to swap.

        Sizes of the first: 4 (+++), 2 (++−), 2 (+−+), 0 (+−−), and the mirror images: s² = (16 + 4 + 4 + 0) / 4 = 6,
        t = 4 / √6 = 1.633. Of the second: 1, 3, 1, 1: s² = 12 / 4 = 3, T = .577, 1.732, .577, .577, t = .577.
        The first comes first: of the four, the larger T is at least 1.633 at +++ (1.633) and ++− (1.732): p = 2/4,
        where alone it has 1/4. The second is as extreme as observed under every way: 1.
        """
        observed, table = swapped([[2, 1, 1], [1, 1, -1]])
        assert step_down_max_t(observed, table, exact=True).tolist() == [0.5, 1.0]
        assert step_down_max_t(observed[:1], table[:1], exact=True).tolist() == [0.25]
        assert step_down_max_t(observed[::-1], table[::-1], exact=True).tolist() == [1.0, 0.5]

    def test_step_down(self) -> None:
        """Ten equal documents, and the same with one against the rest.

        t = 10 / √10 and 8 / √10. As extreme as the first: 2 ways for either pair, which are other ways: 4 of 1,024. The
        second is tested alone: 2 (1 + 10) ways.
        """
        observed, table = swapped([[1.0] * 10, [1.0] * 9 + [-1.0]])
        assert step_down_max_t(observed, table, exact=True).tolist() == [4 / 1024, 22 / 1024]

    def test_random_ways_count_the_observed_one(self) -> None:
        """Differences 1, −1 and 2, observed 3: s² = (1 + 1 + 4 + 9) / 4, and no way is as extreme: 1 / 4."""
        assert step_down_max_t([3.0], [[1.0, -1.0, 2.0]]).tolist() == [0.25]
        # Of another pair, observed 1, T is .2 / s with s² = (.04 · 3 + 1) / 4: below 3 / √3.75 = 1.549; both keep 1/4.
        assert step_down_max_t([3.0, 1.0], [[1.0, -1.0, 2.0], [0.2, 0.2, -0.2]]).tolist() == [0.25, 0.25]

    def test_the_smallest_value_does_not_depend_on_the_number_of_pairs(self) -> None:
        """1 / (R + 1) for 105 pairs, where Holm gives 105 / 2001 = .0525."""
        rng = stream(1)
        table = rng.normal(size=(105, 2000))
        observed = np.full(105, 100.0)
        assert step_down_max_t(observed, table).tolist() == [1 / 2001] * 105
        assert adjust([1 / 2001] * 105).tolist() == pytest.approx([105 / 2001] * 105)


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 10**6), st.booleans())
def test_the_twin_agrees(n: int, pairs: int, seed: int, exact: bool) -> None:
    rng = stream(seed, "twin")
    documents = rng.integers(-3, 4, size=(pairs, n)).astype(np.float64)
    observed = documents.sum(axis=1)
    ways = signs(n) if exact else rng.choice([1.0, -1.0], size=(40, n))
    table = documents @ ways.T
    assert step_down_max_t(observed, table, exact=exact) == pytest.approx(twin(observed, table, exact=exact))


@given(st.integers(1, 6), st.integers(0, 10**6))
def test_never_below_the_p_value_alone_nor_the_smallest_possible(pairs: int, seed: int) -> None:
    rng = stream(seed, "bounds")
    n = 9
    documents = rng.normal(0.4, 1, size=(pairs, n))
    table = documents @ rng.choice([1.0, -1.0], size=(99, n)).T
    observed = documents.sum(axis=1)
    alone = [(1 + np.count_nonzero(np.abs(row) >= abs(d))) / 100 for d, row in zip(observed, table, strict=True)]
    adjusted = step_down_max_t(observed, table)
    smallest = smallest_max_t(observed, table, np.abs(documents).sum(axis=1), adjusted)
    assert (adjusted >= np.array(alone) - 1e-12).all()
    assert (smallest <= adjusted).all()
    assert (smallest >= 0.01 - 1e-12).all()
    assert (step_down_max_t(observed, table, p_values=np.full(pairs, 0.7)) >= 0.7).all()
    order = rng.permutation(pairs)
    assert step_down_max_t(observed[order], table[order]).tolist() == adjusted[order].tolist()
    # Neither the scale of a pair nor which system comes first matters.
    scale = rng.choice([-4.0, 0.25, 2.0], size=pairs)  # powers of two: no rounding
    assert step_down_max_t(observed * scale, table * scale[:, None]).tolist() == adjusted.tolist()


class TestDegenerate:
    def test_a_pair_that_is_0_under_every_way(self) -> None:
        found = step_down_max_t([0.0, 5.0], [[0.0, 0.0], [1.0, -1.0]])
        assert found.tolist() == [1.0, 1 / 3]

    def test_rounding_is_no_difference(self) -> None:
        """.1 + .2 − .3 is 5.6e-17, which divided by its own spread would be larger than anything."""
        noise = 0.1 + 0.2 - 0.3
        found = step_down_max_t([0.3, 0.0], [[0.1, -0.1, 0.1], [0.0, noise, 0.0]])
        assert found.tolist() == [1 / 4, 1.0]

    def test_ties_but_for_rounding_are_as_extreme(self) -> None:
        assert step_down_max_t([0.1 + 0.2], [[0.3, -0.3, 0.1]]).tolist() == [3 / 4]

    def test_an_undefined_difference_after_a_swap_is_larger_than_any(self) -> None:
        found = step_down_max_t([3.0, 2.0], [[1.0, -1.0, 1.0], [np.nan, 0.1, 0.1]])
        assert found.tolist() == [2 / 4, 2 / 4]
        assert step_down_max_t([3.0], [[np.nan, np.nan]]).tolist() == [1.0]

    def test_one_document(self) -> None:
        """Both ways are as extreme, of any number of pairs."""
        observed, table = swapped([[5], [1]])
        assert step_down_max_t(observed, table, exact=True).tolist() == [1.0, 1.0]

    def test_no_pair(self) -> None:
        assert step_down_max_t([], np.zeros((0, 5))).tolist() == []
        assert smallest_max_t([], np.zeros((0, 5)), [], []).tolist() == []

    def test_misuse_is_named(self) -> None:
        for observed, table in (([1.0], [[1.0], [2.0]]), ([1.0], np.zeros((1, 0))), (1.0, [[1.0]])):
            with pytest.raises(UsageError, match=r"\[max-t-shape\]"):
                step_down_max_t(observed, table)
        with pytest.raises(UsageError, match=r"\[max-t-values\]"):
            step_down_max_t([np.nan], [[1.0]])


class TestSmallest:
    """Which adjusted p-value a pair could have had."""

    def test_few_documents(self) -> None:
        """A pair that differs in 3 of 12 documents is at most 3 apart, which is √3 of its deviations.

        The other pair differs in all twelve: |S| > √3 √12 = 6 in 2 (1 + 12 + 66) of 4,096 ways (|S| = 12, 10, 8), so
        that no difference of the first is better than 158 / 4096 = .0386, while its own observed 1 has p = 1.
        """
        first = [1.0, 1.0, -1.0] + [0.0] * 9
        observed, table = swapped([first, [1.0, -1.0] * 6])
        adjusted = step_down_max_t(observed, table, exact=True)
        smallest = smallest_max_t(observed, table, observed, adjusted, exact=True)
        assert adjusted.tolist() == [1.0, 1.0]
        assert smallest.tolist() == [158 / 4096, 2 / 4096]  # the second: nothing exceeds √12

    def test_a_larger_pair_that_is_not_significant_comes_first(self) -> None:
        """Adjusted p-values do not fall with t: where the pair before has .5, the next can have no less."""
        observed, table = swapped([[3.0, 3.0, 3.0], [1.0, -1.0, 0.0]])
        adjusted = step_down_max_t(observed, table, exact=True)
        assert adjusted.tolist() == [2 / 8, 1.0]
        assert smallest_max_t(observed, table, observed, adjusted, exact=True).tolist() == [2 / 8, 2 / 8]

    def test_random_ways(self) -> None:
        rng = stream(2)
        table = rng.normal(size=(3, 999))
        adjusted = step_down_max_t([0.1, 0.2, 0.3], table)
        assert smallest_max_t([0.1, 0.2, 0.3], table, [50] * 3, adjusted).tolist() == [1 / 1000] * 3
        # No further apart than was seen: the largest of three pairs exceeds that of one about twice in a thousand.
        assert smallest_max_t([0.1, 0.2, 0.3], table, [0] * 3, adjusted).max() > 1 / 1000

    @given(st.lists(st.tuples(st.floats(0.001, 1), st.floats(0, 1)), min_size=1, max_size=12))
    def test_holm(self, drawn: list[tuple[float, float]]) -> None:
        """What Holm gives where one p-value is as small as it can be, and the others are as they are."""
        p = [value for value, _ in drawn]
        least = [value * share for value, share in drawn]
        expected = [adjust([*p[:k], least[k], *p[k + 1 :]])[k] for k in range(len(p))]
        assert smallest_holm(p, least) == pytest.approx(expected)

    def test_holm_of_105_pairs_with_2000_swaps(self) -> None:
        assert smallest_holm([1 / 2001] * 105, [1 / 2001] * 105) == pytest.approx([105 / 2001] * 105)


@pytest.mark.parametrize(
    ("alpha", "pairs", "ways"),
    [
        (0.05, 1, 2000),
        (0.05, 105, 41_999),  # section 6 of the notes on judges: 41,999 at K = 105
        (1 - 0.95, 105, 41_999),  # 0.050000000000000044
        (0.05, 5, 2000),  # 20 · 5 / .05 − 1 = 1,999
        (0.01, 1, 2000),
        (1 - 0.999, 1, 19_999),
        (0.3, 6, 2000),
        (0.07, 105, 29_999),
    ],
)
def test_how_many_swaps_decide(alpha: float, pairs: int, ways: int) -> None:
    assert needed_swaps(alpha, pairs) == ways
