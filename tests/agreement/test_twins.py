"""Vectorised code against twins that read like the definition, on random judgments."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import isclose
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from errorbar import Judgments, Resampling
from errorbar.agreement import (
    Level,
    agreement_report,
    cohen_kappa,
    confusion,
    item_counts,
    krippendorff_alpha,
    observed_agreement,
    pair_table,
    pairwise_agreement,
)
from errorbar.agreement.coefficients import ItemCounts, conger_kappa, fleiss_kappa, scott_pi, specific_agreement
from errorbar.stats import Units
from tests.helpers.expectations import require

ORDER = ("0", "1", "2", "4")
rows = st.lists(st.lists(st.sampled_from([None, *ORDER]), min_size=3, max_size=3).map(tuple), min_size=1, max_size=12)


def judgments_of(table: list[tuple[str | None, ...]]) -> Judgments:
    return Judgments.from_matrix(table, raters=("a", "b", "c"), labels=ORDER)


def alpha_twin(table: list[tuple[str | None, ...]], level: Level) -> float | None:
    """Every ordered pair of judgments of an item, weighted 1/(m - 1), one by one."""
    units = [[v for v in row if v is not None] for row in table]
    units = [unit for unit in units if len(unit) > 1]
    given_to = Counter(v for unit in units for v in unit)
    n = sum(given_to.values())

    def difference(a: str, b: str) -> float:
        if level == "nominal":
            return float(a != b)
        x, y = float(a), float(b)
        if level == "interval":
            return (x - y) ** 2
        if level == "ratio":
            return ((x - y) / (x + y)) ** 2 if x + y else 0.0
        low, high = sorted((ORDER.index(a), ORDER.index(b)))
        between = sum(given_to[ORDER[g]] for g in range(low, high + 1))
        return (between - (given_to[a] + given_to[b]) / 2) ** 2 if a != b else 0.0

    observed = sum(difference(a, b) / (len(u) - 1) for u in units for a, b in permutations(u, 2))
    everyone = [v for unit in units for v in unit]
    expected = sum(difference(a, b) for a, b in permutations(everyone, 2))
    return 1 - (n - 1) * observed / expected if expected else None


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@given(rows)
def test_alpha(level: Level, table: list[tuple[str | None, ...]]) -> None:
    found = krippendorff_alpha(judgments_of(table), level=level, order=ORDER)
    twin = alpha_twin(table, level)
    assert (found.value is None) == (twin is None)
    if twin is not None:
        assert found.value == pytest.approx(twin, abs=1e-9)
    else:
        assert found.undefined is not None


@given(rows)
def test_observed_and_specific_agreement(table: list[tuple[str | None, ...]]) -> None:
    units = [[v for v in row if v is not None] for row in table]
    units = [unit for unit in units if len(unit) > 1]
    judgments = judgments_of(table)
    shares = [np.mean([a == b for a, b in permutations(unit, 2)]) for unit in units]
    found = observed_agreement(judgments)
    assert found.n_units == len(units)
    assert found.value is None if not units else isclose(found.value or 0.0, float(np.mean(shares)), abs_tol=1e-12)
    for label in ORDER:
        second = [b == label for unit in units for a, b in permutations(unit, 2) if a == label]
        value = specific_agreement(judgments)[label].value
        assert value is None if not second else value == pytest.approx(np.mean(second))


@given(rows)
def test_pairs_and_confusion(table: list[tuple[str | None, ...]]) -> None:
    judgments = judgments_of(table)
    pairs = pairwise_agreement(judgments)
    assert [pair.table.raters for pair in pairs] == list(combinations("abc", 2))
    for pair in pairs:
        first, second = ("abc".index(name) for name in pair.table.raters)
        twin = np.zeros((4, 4))
        for row in table:
            a, b = row[first], row[second]
            if a is not None and b is not None:
                twin[ORDER.index(a), ORDER.index(b)] += 1
        assert (pair.table.counts == twin).all()
        assert (pair_table(judgments, *pair.table.raters).counts == twin).all()
    met = np.zeros((4, 4))
    for row in table:
        unit = [v for v in row if v is not None]
        for a, b in permutations(unit, 2):
            met[ORDER.index(a), ORDER.index(b)] += 1 / (len(unit) - 1)
    assert np.allclose(confusion(judgments).counts, met)


@given(st.lists(st.tuples(st.sampled_from(ORDER), st.sampled_from(ORDER)), min_size=1, max_size=12))
def test_two_complete_raters_are_the_special_case(table: list[tuple[str, str]]) -> None:
    """Conger's kappa of two raters is Cohen's, Fleiss' is Scott's."""
    judgments = Judgments.from_matrix(table, raters=("a", "b"), labels=ORDER)
    pair = pair_table(judgments, "a", "b")
    cohen, conger = cohen_kappa(pair).estimate.value, conger_kappa(judgments).value
    assert conger == (None if cohen is None else pytest.approx(cohen, abs=1e-9))
    scott = scott_pi(pair).value
    assert fleiss_kappa(judgments).value == (None if scott is None else pytest.approx(scott, abs=1e-9))


def one_row_per_item(judgments: Judgments) -> ItemCounts:
    """Label counts with no two items in one row."""
    n = len(judgments.items)
    table = (np.ones(len(judgments)), (judgments.item, judgments.label))
    counts = sparse.csr_array(table, shape=(n, len(judgments.labels)))
    return ItemCounts(counts, Units(np.ones(n)), judgments.labels)


def test_items_without_patterns() -> None:
    """One row for each item gives the same coefficients as one for each pattern, however patterns are found."""
    generator = np.random.default_rng(7)
    said = (None, *ORDER)
    table = [tuple(said[code] for code in row) for row in generator.integers(0, 5, (200, 3))]
    judgments = Judgments.from_matrix(table, labels=ORDER)
    many = Judgments.from_matrix(table, labels=(*ORDER, *(f"unused {n}" for n in range(70))))  # no number holds a row
    alone = one_row_per_item(judgments)
    for some in (judgments, many):
        patterns = item_counts(some)
        assert patterns.counts.shape[0] < 60
        for level in ("nominal", "ordinal"):
            order = some.labels if level == "ordinal" else None
            found = krippendorff_alpha(patterns, level=level, order=order).value
            assert found == pytest.approx(krippendorff_alpha(alone, level=level, order=ORDER).value)
        assert np.allclose(confusion(patterns).counts[:4, :4], confusion(alone).counts)


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_items_changes_no_row(table: list[tuple[str | None, ...]], random: Random) -> None:
    """The rows that are resampled are the same in the same order, so draws and intervals are, too."""
    shuffled = random.sample(table, len(table))
    for labels in (ORDER, (*ORDER, *(f"unused {n}" for n in range(70)))):
        counts, counts_shuffled = (
            item_counts(Judgments.from_matrix(ordered, labels=labels)) for ordered in (table, shuffled)
        )
        assert counts.counts.toarray().tolist() == counts_shuffled.counts.toarray().tolist()
        assert counts.units.frequency.tolist() == counts_shuffled.units.frequency.tolist()


def test_patterns_are_resampled_like_items() -> None:
    """A multinomial draw of pattern frequencies is a draw of items: intervals agree but for the luck of the draw."""
    generator = np.random.default_rng(7)
    table = [tuple(generator.choice(["0", "1"], p=[0.8, 0.2]) for _ in range(3)) for _ in range(300)]
    judgments = Judgments.from_matrix(table)

    def interval(counts: ItemCounts, seed: int) -> tuple[float, float]:
        resampling = Resampling("percentile", 4000, seed=seed)
        found = require(krippendorff_alpha(counts, resampling=resampling).interval)
        return found.low, found.high

    patterns = interval(item_counts(judgments), 1)
    assert interval(one_row_per_item(judgments), 2) == pytest.approx(patterns, abs=0.015)


def test_one_cluster_per_item_is_no_clustering() -> None:
    generator = np.random.default_rng(11)
    table = [tuple(generator.choice(["0", "1"], p=[0.7, 0.3]) for _ in range(2)) for _ in range(200)]
    judgments = Judgments.from_matrix(table)
    resampling = [Resampling("percentile", 4000, seed=seed) for seed in (1, 2)]
    alone = agreement_report(judgments, resampling=resampling[0]).coefficients["fleiss"]
    grouped = agreement_report(judgments, clusters=range(200), resampling=resampling[1]).coefficients["fleiss"]
    interval = require(alone.interval)
    assert grouped.interval is not None
    assert grouped.n_clusters == 200
    assert (grouped.interval.low, grouped.interval.high) == pytest.approx((interval.low, interval.high), abs=0.02)


def test_units_say_how_many_clusters() -> None:
    counts = item_counts(Judgments.from_matrix([["a", "a"], ["a", "b"], ["b", "b"]]), [5, 5, 9])
    assert counts.units.n_clusters == 2
    assert Units(np.ones(2)).n_clusters is None
