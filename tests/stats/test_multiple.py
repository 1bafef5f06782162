from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from errorbar.core import UsageError
from errorbar.stats import adjust, better_rows, letter, shared_letters
from errorbar.stats.multiple import NO_LETTERS, AdjustMethod

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)
METHODS: tuple[AdjustMethod, ...] = ("holm", "benjamini-hochberg", "benjamini-yekutieli")


# Section 10 of the statistics notes; statsmodels 0.15 (multipletests) agrees.
@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("holm", [0.03, 0.06, 0.06, 0.02]),
        ("benjamini-hochberg", [0.02, 0.04, 0.04, 0.02]),
        ("benjamini-yekutieli", [0.041667, 0.083333, 0.083333, 0.041667]),
    ],
)
def test_published_values(method: AdjustMethod, expected: list[float]) -> None:
    assert adjust([0.01, 0.04, 0.03, 0.005], method=method) == pytest.approx(np.array(expected), abs=6e-7)


@given(p_values)
def test_scipy_agrees(p: list[float]) -> None:
    assert adjust(p, method="benjamini-hochberg") == pytest.approx(false_discovery_control(p, method="bh"))
    assert adjust(p, method="benjamini-yekutieli") == pytest.approx(false_discovery_control(p, method="by"))


@pytest.mark.parametrize("method", METHODS)
@given(p=p_values)
def test_never_smaller_and_in_the_same_order(method: AdjustMethod, p: list[float]) -> None:
    adjusted = adjust(p, method=method)
    assert (adjusted >= np.array(p) - 1e-15).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    assert adjust(p[::-1], method=method).tolist() == adjusted[::-1].tolist()


@given(p_values)
def test_holm_is_stricter_than_benjamini_hochberg(p: list[float]) -> None:
    assert (adjust(p) >= adjust(p, method="benjamini-hochberg") - 1e-12).all()


def test_nothing_to_adjust() -> None:
    assert adjust([]).tolist() == []


def test_misuse_is_named() -> None:
    with pytest.raises(UsageError, match=r"\[p-values\]"):
        adjust([0.5, float("nan")])
    for wrong in (-0.1, 1.1):
        with pytest.raises(UsageError, match=r"\[p-values\]"):
            adjust([0.5, wrong])
    with pytest.raises(UsageError, match=r"\[adjust-method\]"):
        adjust([0.5], method="bonferoni")  # type: ignore[arg-type]  # wrong on purpose


def table(n: int, *different: tuple[int, int]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    p = np.ones((n, n))
    for i, j in different:
        p[i, j] = p[j, i] = 0.01
    return p


class TestLetters:
    def test_names(self) -> None:
        assert [letter(k) for k in (0, 25, 26, 51, 52, 701, 702)] == ["a", "z", "aa", "az", "ba", "zz", "aaa"]

    def test_better_than(self) -> None:
        # b beats c and d; a beats nobody, although it is higher: it differs from nobody.
        assert better_rows([0.5, 0.4, 0.3, 0.2], table(4, (1, 2), (1, 3))) == [(), (2, 3), (), ()]

    def test_a_pair_without_p_value_is_not_significant(self) -> None:
        p = np.full((2, 2), np.nan)
        assert better_rows([2, 1], p) == [(), ()]
        assert shared_letters(p) == ["a", "a"]

    def test_at_the_level_is_significant(self) -> None:
        p = np.array([[1, 0.05], [0.05, 1]])
        assert better_rows([2, 1], p) == [(1,), ()]
        assert better_rows([2, 1], p, alpha=0.049) == [(), ()]

    def test_the_level_is_5_percent_by_default(self) -> None:
        above = np.array([[1, 0.051], [0.051, 1]])
        assert better_rows([2, 1], above) == [(), ()]
        assert shared_letters(above) == ["a", "a"]
        assert shared_letters(above, alpha=0.051) == ["a", "b"]

    def test_of_equal_systems_none_is_better(self) -> None:
        # Two F that agree may differ significantly in a test of something else.
        assert better_rows([1, 1], table(2, (0, 1))) == [(), ()]

    def test_shared_letters_by_hand(self) -> None:
        # Only the ends of a chain differ: the middle shares a letter with both.
        assert shared_letters(table(3, (0, 2))) == ["a", "ab", "b"]
        assert shared_letters(table(3, (0, 1), (0, 2), (1, 2))) == ["a", "b", "c"]
        assert shared_letters(table(4)) == ["a"] * 4

    def test_more_groups_than_anybody_reads(self) -> None:
        """Systems in threes that differ pairwise: 3 to the k groups of k systems; 4 threes have 81, 3 have 27."""
        thirds = [(3 * k + a, 3 * k + b) for k in range(4) for a, b in ((0, 1), (0, 2), (1, 2))]
        assert shared_letters(table(12, *thirds)) == [NO_LETTERS] * 12
        assert {len(names) for names in shared_letters(table(6, *thirds[:6]))} == {3}  # 9 groups, 3 of each system
        dense = np.random.default_rng(1).random((100, 100)) < 0.7
        undecided = np.triu(dense, 1) | np.triu(dense, 1).T
        assert shared_letters(table(100), undecided=undecided) == [NO_LETTERS] * 100

    @given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.sets(
        st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] < pair[1])))))  # fmt: skip
    def test_sharing_a_letter_is_not_differing(self, drawn: tuple[int, set[tuple[int, int]]]) -> None:
        n, different = drawn
        letters = shared_letters(table(n, *different))
        assert all(letters)
        for i in range(n):
            for j in range(i + 1, n):
                assert bool(set(letters[i]) & set(letters[j])) == ((i, j) not in different)
        # No letter is superfluous: each is all that some pair, or some system, has in common.
        needed = {name for a in letters for b in letters if len(common := set(a) & set(b)) == 1 for name in common}
        assert needed == set("".join(letters))

    def test_undecided_systems_share_no_letter_and_say_so(self) -> None:
        """a and b do not differ significantly, a and c do, of b and c nothing is known: b shares a's letter only."""
        undecided = np.zeros((3, 3), bool)
        undecided[1, 2] = undecided[2, 1] = True
        assert shared_letters(table(3, (0, 2)), undecided=undecided) == ["a", "a?", "?"]
        # Of nothing anything is known: no letters, rather than one for all or one for each.
        assert shared_letters(np.full((3, 3), 0.0525), undecided=~np.eye(3, dtype=bool)) == ["?", "?", "?"]
        # Systems that are alike share a letter also where both are undecided against a third.
        undecided[0, 2] = undecided[2, 0] = True
        assert shared_letters(table(3), undecided=undecided) == ["a?", "a?", "?"]

    @given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.lists(
        st.integers(0, 2), min_size=n * n, max_size=n * n))))  # fmt: skip
    def test_every_pair_can_be_read_off(self, drawn: tuple[int, list[int]]) -> None:
        """Sharing a letter: not significant. Both with a question mark and no letter in common: the column says."""
        n, flat = drawn
        kind = np.triu(np.array(flat).reshape(n, n), 1)
        kind = kind + kind.T
        p, undecided = np.where(kind == 1, 0.01, 1.0), kind == 2
        letters = shared_letters(p, undecided=undecided)
        assert all(letters)
        for i in range(n):
            assert ("?" in letters[i]) == bool(undecided[i].any())
            for j in range(i + 1, n):
                shared = set(letters[i]) & set(letters[j]) - {"?"}
                assert bool(shared) == (kind[i, j] == 0)

    def test_misuse_is_named(self) -> None:
        with pytest.raises(UsageError, match=r"undecided pairs do not fit .*\[p-value-table\]"):
            shared_letters(table(2), undecided=[[False, True], [False, False]])
        with pytest.raises(UsageError, match=r"symmetric, 2 x 2\) \[p-value-table\]"):
            better_rows([1, 2], [[1, 0.2], [0.3, 1]])
        with pytest.raises(UsageError, match=r"\[p-value-table\]"):
            better_rows([1, 2, 3], [[1, 0.2], [0.2, 1]])
