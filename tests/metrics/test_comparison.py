"""Comparing systems: p-values by enumeration, pairing, and what changes no digit.

By hand: every sentence has one reference edit. A system that finds it in k of n sentences and proposes nothing else
has P = 1, R = k/n, so that F grows with k; a mixture of two systems is told by its k.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from errorbar import M2, Corpus, Resampling
from errorbar.core import Interval, Undefined, UsageError
from errorbar.metrics import Comparison, Documents, Pair, SwapPlan, System, compare_systems
from errorbar.metrics.edit_metric import score_totals
from errorbar.stats import detectable_difference, draw_resamples
from errorbar.stats import resampling as units
from tests.ceilings.examples import random_corpus
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.folds import fold_resamples
from tests.helpers.pairs import with_tests

SOURCE, FIXED = "a b c", "X b c"


def finds(name: str, found: str) -> System:
    """A system that finds the edits marked 1."""
    data = corpus(*[sentence(SOURCE, {"0": [edit(0, 1, "X")]}) for _ in found])
    return System(name, M2().measure(data, [FIXED if mark == "1" else SOURCE for mark in found]))


def compared(*systems: System, clusters: list[int] | None = None, plan: SwapPlan | None = None) -> Comparison:
    n = len(systems[0].statistics)
    return compare_systems(M2(), systems, np.array(clusters or range(n)), Resampling(replicates=1000), plan)


def pair(*systems: System, clusters: list[int] | None = None) -> Pair:
    (only,) = compared(*systems, clusters=clusters).pairs
    return only


class TestExactPValues:
    @pytest.mark.parametrize(
        ("first", "second", "p", "ways"),
        [
            ("111", "000", 2 / 8, 8),  # only the two pure ones, k = 3 and k = 0, are as far apart
            ("110", "001", 8 / 8, 8),  # k is 2 against 1 and 3 against 0: all are as far apart or more
            ("1111", "0001", 2 / 8, 8),  # the fourth sentence is the same and is not swapped
            ("1110", "0001", 10 / 16, 16),  # |k - 2| >= 1: all of 16 but the six with k = 2
            ("1000", "0000", 2 / 2, 2),  # one sentence differs: swapping it mirrors the difference
        ],
    )
    def test_sentences(self, first: str, second: str, p: float, ways: int) -> None:
        test = pair(finds("a", first), finds("b", second)).swaps.alone
        assert (test.p_value, test.n_replicates, test.exact) == (p, ways, True)

    def test_essays_are_swapped_whole(self) -> None:
        # Two essays of two and one sentences: four ways, of which the two pure ones are as far apart.
        assert pair(finds("a", "111"), finds("b", "000"), clusters=[0, 0, 1]).swaps.alone.p_value == 2 / 4
        assert (
            pair(finds("a", "111"), finds("b", "000"), clusters=[7, 3, 7]).swaps.alone.p_value == 2 / 4
        )  # names do not count

    def test_essays_of_different_sizes(self) -> None:
        # Essays are worth +2, +1 and -1 sentences: |±2 ±1 ±1| >= 2 but for 2 - 1 - 1 and its mirror image.
        assert pair(finds("a", "1110"), finds("b", "0001"), clusters=[0, 0, 1, 2]).swaps.alone.p_value == 6 / 8

    def test_the_sampled_p_is_near_the_exact_one(self) -> None:
        systems = finds("a", "1" * 9 + "0" * 3), finds("b", "0" * 9 + "1" * 3)  # 4,096 ways
        exact = compared(*systems, plan=SwapPlan(swaps=4096)).pairs[0].swaps.alone
        drawn = compared(*systems, plan=SwapPlan(swaps=4095)).pairs[0].swaps.alone
        assert (exact.exact, drawn.exact) == (True, False)
        # |k - 6| >= 3 in a binomial of 12: 2 (1 + 12 + 66 + 220) of 4,096.
        assert exact.p_value == 598 / 4096
        assert drawn.p_value == pytest.approx(598 / 4096, abs=0.02)


def test_the_difference_and_the_scores() -> None:
    found = compared(finds("a", "1110"), finds("b", "1000"))
    np.testing.assert_allclose(found.scores[:, :2], [[1, 0.75], [1, 0.25]])
    # F0.5 = 1.25 P R / (0.25 P + R)
    assert found.pairs[0].difference == pytest.approx(1.25 * 0.75 / 1 - 1.25 * 0.25 / 0.5)


def test_systems_that_did_the_same_have_a_reason_and_no_p_value() -> None:
    same = pair(finds("a", "1010"), finds("b", "1010"))
    assert (same.difference, same.swaps.alone.p_value, same.p_swaps) == (0.0, None, None)
    assert same.swaps.alone.undefined == same.power.undefined == Undefined.NO_DISAGREEMENT
    assert same.interval == Undefined.NO_VARIATION  # resamples are shared: the difference is 0 in each


def study() -> tuple[Corpus, dict[str, System], NDArray[np.int64]]:
    data, (s0, s1) = random_corpus(60, 3, 20)
    lines = {"s0": s0.lines, "s1": s1.lines, "mixed": [*s0.lines[:45], *s1.lines[45:]]}
    lines["source"] = [s.text for s in data.sentences]
    documents = Documents()
    documents.add(data.sentences)
    return data, {name: System(name, M2().measure(data, ll)) for name, ll in lines.items()}, documents.clusters()


def by_name(found: Comparison) -> dict[frozenset[str], Pair]:
    return {frozenset((one.first, one.second)): one for one in found.pairs}


class TestDigits:
    RESAMPLING = Resampling(replicates=1500)

    def test_workers_change_none(self) -> None:
        _, systems, clusters = study()
        one, two = (
            compare_systems(M2(), list(systems.values()), clusters, Resampling(replicates=1500, jobs=jobs))
            for jobs in (1, 2)
        )
        np.testing.assert_array_equal(one.scores, two.scores)
        assert one.pairs == two.pairs

    def test_another_seed_gives_other_ones(self) -> None:
        _, systems, clusters = study()
        runs = [
            compare_systems(M2(), list(systems.values()), clusters, Resampling(replicates=1500, seed=seed)).pairs
            for seed in (0, 0, 1)
        ]
        assert runs[0] == runs[1]
        assert runs[0][0].interval != runs[2][0].interval
        assert [p.swaps.alone.n_extreme for p in runs[0]] != [p.swaps.alone.n_extreme for p in runs[2]]

    def test_another_system_changes_no_pair_but_for_the_adjustment(self) -> None:
        _, systems, clusters = study()
        few = by_name(compare_systems(M2(), [systems["s0"], systems["s1"]], clusters, self.RESAMPLING))
        many = by_name(compare_systems(M2(), list(systems.values()), clusters, self.RESAMPLING))
        for names, alone in few.items():
            among = many[names]
            assert (among.swaps.alone, among.interval, among.power) == (alone.swaps.alone, alone.interval, alone.power)
            assert (among.p_swaps or 0) >= (alone.p_swaps or 0)

    def test_the_order_of_systems_does_not_matter(self) -> None:
        _, systems, clusters = study()
        there = by_name(compare_systems(M2(), list(systems.values()), clusters, self.RESAMPLING))
        back = by_name(compare_systems(M2(), list(systems.values())[::-1], clusters, self.RESAMPLING))
        for names, one in there.items():
            other = back[names]
            assert one.difference == -other.difference
            assert (one.swaps.alone.p_value, one.p_swaps) == (other.swaps.alone.p_value, other.p_swaps)
            assert isinstance(one.interval, Interval)
            assert isinstance(other.interval, Interval)
            assert (one.interval.low, one.interval.high) == pytest.approx((-other.interval.high, -other.interval.low))


def test_the_interval_is_that_of_shared_resamples() -> None:
    _, systems, clusters = study()
    resampling = Resampling("percentile", 700)
    (found,) = compare_systems(M2(), [systems["s0"], systems["mixed"]], clusters, resampling).pairs
    (draw,) = draw_resamples(clusters, resampling, "bootstrap")
    units = draw()
    first, second = (fold_resamples(M2(), systems[n].statistics, [lambda: units])[:, 2] for n in ("s0", "mixed"))
    assert isinstance(found.interval, Interval)
    assert [found.interval.low, found.interval.high] == pytest.approx(
        np.quantile(first - second, [0.025, 0.975]), rel=1e-12
    )
    # Three quarters of the two outputs are the same, so the difference varies less than either.
    assert found.interval.high - found.interval.low < np.ptp(np.quantile(first, [0.025, 0.975]))


def test_holm_by_hand() -> None:
    """Sorted p-values times 3, 2, 1, made monotone: the smallest of three is tripled."""
    _, systems, clusters = study()
    three = [systems[n] for n in ("s0", "s1", "source")]
    found = compare_systems(M2(), three, clusters, Resampling(replicates=9), SwapPlan("holm", 999))
    raw = sorted(one.swaps.alone.p_value or 0 for one in found.pairs)
    expected = np.minimum(1, np.maximum.accumulate([raw[0] * 3, raw[1] * 2, raw[2]]))
    assert sorted(one.p_swaps or 0 for one in found.pairs) == pytest.approx(expected)
    table = found.p_table()
    assert np.isnan(np.diag(table)).all()
    for (a, b), one in zip(combinations(range(3), 2), found.pairs, strict=True):
        assert table[a, b] == table[b, a] == one.p_swaps


def test_no_difference_is_detectable_that_is_not_there_or_that_swaps_cannot_find() -> None:
    """Six sentences of which each system finds what the other does not vary so that F would have to differ by 1.8."""
    six = pair(finds("a", "100000"), finds("b", "011111"))
    assert (six.swaps.smallest_p or 1) <= 0.05
    assert detectable_difference(six.power.standard_deviation or 0, 6) > 1
    assert six.power.detectable is None
    assert six.power.power is not None
    assert 0 < six.power.power < 0.1
    five = pair(finds("a", "11111"), finds("b", "00001"))
    assert five.undecided
    assert (five.power.power, five.power.detectable) == (0, None)


def test_power_counts_clusters_also_where_the_jackknife_groups_them() -> None:
    """n is the number of sentences, not of the at most 400 groups in which they were left out."""
    rng = np.random.default_rng(0)
    n = 4 * units.MOST_GROUPS
    first, second = ("".join(rng.choice(["0", "1"], n)) for _ in range(2))
    power = pair(finds("a", first), finds("b", second)).power
    assert power.n == n
    # Detectable with a power of .8 at the level .05 are about (z(.975) + z(.8)) / sqrt(n) deviations, 2.8016 / sqrt(n).
    assert power.standard_deviation is not None
    assert power.detectable == pytest.approx(2.8016 * power.standard_deviation / np.sqrt(n), rel=5e-3)
    # A difference of means of independent sentences needs about as many more as the square of the ratio of effects.
    assert power.detectable is not None
    assert power.units_needed == pytest.approx(n * (power.detectable / 0.01) ** 2, rel=0.02)


def test_scores_are_those_of_the_metric() -> None:
    _, systems, clusters = study()
    found = compare_systems(M2(beta=1.0), list(systems.values()), clusters, Resampling(replicates=10))
    for name, row in zip(found.names, found.scores, strict=True):
        totals = M2(beta=1.0).fold(systems[name].statistics).counts[0]
        np.testing.assert_array_equal(row, score_totals(totals, 1.0))


class TestMisuse:
    def test_one_system(self) -> None:
        with pytest.raises(UsageError, match="at least two systems"):
            compared(finds("a", "10"))

    @pytest.mark.parametrize(
        ("clusters", "said"),
        [
            ([0], r"a single sentence does not show how sentences vary .*; add others"),
            ([5, 5], r"a single document does not show how documents vary .*; add others, or resample sentences"),
        ],
    )
    def test_one_sentence_or_essay(self, clusters: list[int], said: str) -> None:
        marks = "1" * len(clusters)
        with pytest.raises(UsageError, match=said):
            compared(finds("a", marks), finds("b", marks), clusters=clusters)

    def test_a_closed_formula(self) -> None:
        systems = [finds("a", "10"), finds("b", "01")]
        with pytest.raises(UsageError, match="no closed formula for a difference"):
            compare_systems(M2(), systems, np.arange(2), Resampling("closed"))


MARKS = {"none": "0" * 12, "most": "1" * 9 + "0" * 3, "all": "1" * 12}


def test_the_ranking_has_numbers_for_systems_and_letters_for_groups() -> None:
    """k of 12 is 12, 9 and 0: with Holm p is .25, 6 / 2^12 and 4 / 2^9, as derived in tests/cli/test_compare.py.

    That all and most differ in three sentences only, so that p could not be below 2 / 2^3, is said, and is no finding.
    """
    found = compared(*(finds(*one) for one in MARKS.items()), plan=SwapPlan("holm", 5000))
    rows = found.ranking()
    assert [(row.number, row.name, row.better, row.group, row.undecided) for row in rows] == [
        (1, "all", (3,), "?", (2,)),
        (2, "most", (3,), "?", (1,)),
        (3, "none", (), "a", ()),
    ]
    assert rows[0].scores == (1.0, 1.0, 1.0)
    assert [(row.better, row.group) for row in with_tests(found, alpha=0.3).ranking()] == [
        ((2, 3), "a"),
        ((3,), "b"),
        ((), "c"),
    ]
    # Beside them one that could have been better than most, and is not: a finding, and a letter that both share.
    other = finds("other", "1" * 3 + "0" * 3 + "1" * 6)
    named = {row.name: row for row in compared(*(finds(*m) for m in MARKS.items()), other).ranking()}
    assert (named["most"].group, named["other"].group) == ("a?", "a?")
