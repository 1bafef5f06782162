"""How many raters equal an expert, and mining."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from errorbar import Judgments
from errorbar.core import UsageError
from errorbar.crowdsourcing import NgramCounts, against_experts, how_many, mine
from errorbar.crowdsourcing.howmany import majority_accuracy
from errorbar.crowdsourcing.mining import extraneous_score
from errorbar.testing import accurate, simulate


def test_exact_curves() -> None:
    # STATISTICS.md section 5: K = 20, 14 right; then three items with 14, 14 (of 6 errors) and 10 right.
    one_item = {1: 0.70, 2: 0.70, 3: 910 / 1140, 5: 0.868679, 7: 0.922343, 9: 0.962074, 11: 0.988080, 13: 1, 20: 1}
    for k, value in one_item.items():
        assert majority_accuracy([14], [20], k) == pytest.approx(value, abs=5e-7)
    three_items = {1: 0.633333, 3: 0.698830, 5: 0.745786, 9: 0.808050, 20: 0.833333}
    for k, value in three_items.items():
        assert majority_accuracy([14, 14, 10], [20] * 3, k) == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize(("right", "total", "k"), [(3, 7, 3), (4, 6, 4), (5, 6, 2)])
def test_the_exact_curve_is_the_mean_over_all_subsets(right: int, total: int, k: int) -> None:
    votes = [1] * right + [0] * (total - right)
    wins = [sum(part) > k / 2 or 0.5 * (sum(part) == k / 2) for part in combinations(votes, k)]
    assert majority_accuracy([right], [total], k) == pytest.approx(np.mean(wins))


def test_more_raters_reach_the_expert_and_she_is_not_her_own_truth() -> None:
    raters = [accurate(0.8)] * 15 + [accurate(0.95)] * 3
    made = simulate(raters, np.random.default_rng(0), n_items=800, per_item=18, prevalence=0.3)
    experts = made.judgments.raters[15:]
    found = against_experts(made.judgments, experts, np.random.default_rng(1), n_draws=50)
    assert [p.k for p in found.curve] == [1, 3, 5, 7, 9, 11, 13, 15]
    assert found.curve[0].accuracy < 0.82
    assert found.expert_accuracy is not None
    assert found.curve[-1].accuracy > found.curve[0].accuracy + 0.1
    assert found.enough in {5, 7, 9, 11}
    assert found.n_experts == 3
    point = found.curve[2]
    assert point.low is not None
    assert point.kappa is not None
    assert point.high is not None
    assert point.low < point.kappa < point.high
    # The left-out truth is the other experts where they agree, so an expert is right in about .95 of it.
    assert found.expert_accuracy == pytest.approx(0.95, abs=0.02)


def test_one_expert_is_the_truth_and_has_no_line() -> None:
    table = Judgments.from_columns("xxxyyy", "abcabc", "EEOOOE", labels="EO")
    found = against_experts(table, ["a"], np.random.default_rng(1))
    assert found.expert_accuracy is None
    assert found.curve[0].accuracy == pytest.approx(0.5)
    with pytest.raises(UsageError, match="there is no crowd"):
        against_experts(table, ["a", "b", "c"], np.random.default_rng(1))
    with pytest.raises(UsageError, match="no item with a known answer"):
        how_many(table, [{"q": "E"}], np.random.default_rng(1))


def test_what_does_not_vary_has_no_range() -> None:
    # One other rater: the only "majority of 1" there is, so every draw is the same.
    table = Judgments.from_columns("xxyyzz", "ababab", "EEOOOE", labels="EO")
    point = against_experts(table, ["a"], np.random.default_rng(1)).curve[0]
    assert point.kappa == pytest.approx(0.4)  # agreement 2/3, by chance 1/3 * 2/3 + 2/3 * 1/3 = 4/9: (6 - 4) / (9 - 4)
    assert (point.low, point.high) == (None, None)


def test_an_even_number_is_as_good_as_one_less() -> None:
    for k in (2, 4, 6):
        assert majority_accuracy([14], [20], k) == pytest.approx(majority_accuracy([14], [20], k - 1))


def test_numbers_of_raters_that_no_item_has() -> None:
    table = Judgments.from_columns("xxxyy", "abcab", "EEOOO", labels="EO")
    truth = {"x": "E", "y": "O"}
    found = how_many(table, [truth], np.random.default_rng(1), ks=[3, 9])
    assert [(point.k, point.n_items) for point in found.curve] == [(3, 1)]
    with pytest.raises(UsageError, match=r"the number of draws must be at most 1,000,000, got 1,000,000,000,000"):
        how_many(table, [truth], np.random.default_rng(1), n_draws=10**12)
    with pytest.raises(UsageError, match=r"no item has 4 judgments \(expected k from 1 to 3\)"):
        how_many(table, [truth], np.random.default_rng(1), ks=[9, 4])


def test_as_many_subsets_are_drawn_as_asked_for() -> None:
    table = Judgments.from_columns("xxxyyyzzz", "abcabcabc", "EEOOOEOOO", labels="EO")
    once, often = (against_experts(table, ["a"], np.random.default_rng(1), ks=[1], n_draws=n).curve[0] for n in (1, 50))
    assert (once.low, once.high) == (None, None)
    assert often.low is not None
    assert once.accuracy == often.accuracy == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)


def test_ties_of_an_even_number_are_tossed() -> None:
    # Two raters who contradict each other on each of 400 items: every majority of two is a toss.
    names = [str(n) for n in range(400)]
    table = Judgments.from_columns(names * 2, ["a"] * 400 + ["b"] * 400, "EO" * 200 + "OE" * 200, labels="EO")
    truth = {name: "EEOO"[n % 4] for n, name in enumerate(names)}
    (point,) = how_many(table, [truth], np.random.default_rng(1), ks=[2]).curve
    assert point.accuracy == 0.5
    assert point.kappa == pytest.approx(0, abs=0.02)  # a draw has a standard error of .05, the mean of 200 .0035


GOOD = ["we discuss the plan", "we discuss the idea", "they discuss the plan today", "look at the plan"] * 5


def counts() -> NgramCounts:
    table = NgramCounts()
    for line in GOOD:
        table.add(line.split(), {"about", "at"})
    return table


def test_mining_finds_the_word_the_text_does_better_without() -> None:
    table = counts()
    assert table.pairs["discuss", "the"] == 15
    assert table.triples == {("look", "at", "the"): 5}
    text = [line.split() for line in ["We discuss about the plan", "look at the plan", "quite about nothing"]]
    found = mine(text, table, {"about", "at"}, np.random.default_rng(0), n=5, error_rate=0.5)
    assert found.n_repeated == 0
    assert sorted((item.item, item.kind) for item in found.items) == [("1:2-3", "candidate"), ("2:1-2", "correct")]
    first = next(item for item in found.items if item.kind == "candidate")
    assert first.text() == "We discuss [about] the plan"
    n2, n3 = table.n_pairs, table.n_triples
    assert first.score == pytest.approx(np.log(15.5 / n2) - np.log(0.5 / n3))  # the formula, by hand
    assert extraneous_score(table, "quite", "about", "nothing") is None


def test_each_correct_instance_is_mixed_in_once() -> None:
    # One candidate and four correct instances, all of which an error rate of a fifth needs.
    right = ("look at the plan", "Look at the idea", "they look at the plan", "look at the day")
    text = [line.split() for line in ("We discuss about the plan", *right)]
    for seed in range(5):
        found = mine(text, counts(), {"about", "at"}, np.random.default_rng(seed), error_rate=0.2)
        kinds = sorted((item.sentence, item.kind) for item in found.items)
        assert kinds == [(1, "candidate"), *((n, "correct") for n in range(2, 6))]


def test_mining_says_why_it_cannot() -> None:
    with pytest.raises(UsageError, match="does better without"):
        mine([["look", "at", "the", "plan"]], counts(), {"at"}, np.random.default_rng(0))
    with pytest.raises(UsageError, match="1 correct instances are wanted and 0 are there"):
        mine([["discuss", "about", "the"]], counts(), {"about"}, np.random.default_rng(0))


def test_counts_of_other_words_are_refused() -> None:
    """Of words without triples every one would look extraneous."""
    text = [["discuss", "about", "the"]]
    with pytest.raises(UsageError, match="the counts were not made for the"):
        mine(text, counts(), {"about", "the"}, np.random.default_rng(0), error_rate=1)
    assert len(mine(text, counts(), {"about"}, np.random.default_rng(0), error_rate=1).items) == 1


def test_counts_are_written_frequent_first() -> None:
    table = NgramCounts()
    table.add(["B", "a", "b", "a"], {"a", "b"})
    pairs = ["b a\t2", "<s> b\t1", "a </s>\t1", "a b\t1"]
    triples = ["<s> b a\t1", "a b a\t1", "b a </s>\t1", "b a b\t1"]
    assert list(table.lines()) == ["# errorbar n-gram counts 2\t5\t4\ta b", *pairs, *triples]
    table.prune(2)
    assert list(table.lines()) == ["# errorbar n-gram counts 2\t5\t4\ta b", "b a\t2"], "totals stay"


def test_counts_survive_a_file() -> None:
    table = counts()
    again = NgramCounts.parse(table.lines(), "file")
    assert (again.pairs, again.triples) == (table.pairs, table.triples)
    assert (again.n_pairs, again.n_triples, again.targets) == (table.n_pairs, table.n_triples, table.targets)
    table.prune(6)
    assert ("look", "at") not in table.pairs
    with pytest.raises(UsageError, match="line 1: not a file of n-gram counts"):
        NgramCounts.parse(["hello"], "file")


def test_each_truth_counts_alike_in_kappa() -> None:
    """Item 1 is an error to everybody, item 2 to half of the raters: one of them says so or not, even chances.

    Against the truth that item 2 is none, kappa is 0 or 1. Against the truth that it is one, kappa is 0, and undefined
    where the rater says so, as only one label is left. The means are 1/2 and 0, theirs is 1/4; all draws together would
    give 1/3.
    """
    said = [("1", rater, "error") for rater in "abcd"] + [("2", r, "error" if r in "ab" else "ok") for r in "abcd"]
    crowd = Judgments.from_columns(*zip(*said, strict=True), labels=("ok", "error"))
    truths = [{"1": "error", "2": "ok"}, {"1": "error", "2": "error"}]
    found = how_many(crowd, truths, np.random.default_rng(0), ks=[1], n_draws=4000)
    assert found.curve[0].kappa == pytest.approx(0.25, abs=0.02)
