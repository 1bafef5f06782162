"""Rank-then-aggregate: wins by sentence against the program of Goto et al. 2025, the vectorized twin, and by hand."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import errorbar
from errorbar.core import Comparisons, InputError, MetricScores, UsageError
from errorbar.formats import read_corpus
from errorbar.metrics import parse_metrics
from errorbar.ranking.sentence_wins import SKILL, aggregate_sentences, compare_outputs, trueskill_means
from errorbar.ranking.wins import play
from tests.helpers.official import read_lines, read_table

RECORDED = Path(__file__).parents[1] / "oracle/sentence_trueskill.csv"
"""GLEU of single sentences, rounded to nine places, of CoNLL-2014's systems in the order of their names: what
``run_trueskill`` of gec-metrics 0.1.1 makes of their pairs, over trueskill 0.4.5, whose normal distribution is right to
seven digits."""
HUMAN = MetricScores("human", {"a": 3.0, "b": 2.0, "c": 1.0})
BY_SENTENCE = {
    "1": {"a": 1.0, "b": 0.5, "c": 0.0},
    "2": {"a": 0.5, "b": 0.5, "c": 0.6},
    "3": {"a": 0.2, "b": 0.9, "c": 0.2},
}
METRIC = MetricScores("it", {"a": 0.6, "b": 0.7, "c": 0.3}, BY_SENTENCE)


def test_expected_wins_by_hand() -> None:
    """a and b win one each; a and c win one each and tie; b beats c twice and loses once."""
    scores = aggregate_sentences(METRIC, "expected-wins")
    assert scores.metric == "it expected-wins"
    assert scores.systems == pytest.approx({"a": 1 / 2, "b": (1 / 2 + 2 / 3) / 2, "c": (1 / 2 + 1 / 3) / 2})
    assert scores.sentences["2"] == {"a": -0.5, "b": -0.5, "c": 1.0}


def test_the_score_of_the_corpus_is_left_alone() -> None:
    assert aggregate_sentences(METRIC, "corpus") is METRIC


def test_a_system_without_a_score_of_a_sentence_is_not_compared_there() -> None:
    rows = {**BY_SENTENCE, "4": {"a": 0.0, "c": 1.0}}
    scores = aggregate_sentences(MetricScores("it", METRIC.systems, rows), "expected-wins")
    assert scores.systems["b"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert scores.sentences["4"] == {"a": -1.0, "c": 1.0}


def test_trueskill_is_that_of_judgments_in_this_order() -> None:
    rng = np.random.default_rng(5)
    table = rng.integers(0, 3, (40, 5)).astype(np.float64)
    table[3, 1] = np.nan
    outcomes = compare_outputs(table)
    names, pairs = "abcde", []
    for row in outcomes:
        pairs += [(names[i], names[j], int(row[i, j])) for i, j in combinations(range(5), 2) if not np.isnan(row[i, j])]
    comparisons = Comparisons.from_pairs(pairs)
    mu, _ = play(comparisons, np.arange(len(pairs), dtype=np.int32)[None], SKILL)
    by_name = dict(zip(comparisons.systems, mu[0].tolist(), strict=True))
    assert trueskill_means(outcomes).tolist() == pytest.approx([by_name[name] for name in names], abs=1e-12)


@pytest.mark.slow
def test_trueskill_of_the_published_program(data: Path) -> None:
    rows = read_table(RECORDED)
    reference = read_corpus([data / "conll14/noalt/official-2014.combined.m2"])
    (metric,), columns = parse_metrics("gleu"), []
    for row in rows:
        lines = read_lines(data / "conll14_systems/official_submissions" / row["system"])
        values = metric.parts(metric.measure(reference, lines)).values
        assert values is not None
        columns.append([round(value, 9) for value in values[:, 0].tolist()])
    means = trueskill_means(compare_outputs(np.array(columns).T)).tolist()
    assert means == pytest.approx([float(row["mu"]) for row in rows], abs=1e-6)


def test_meta_shows_a_metric_each_way() -> None:
    result = errorbar.meta(HUMAN, METRIC, aggregate=["corpus", "expected-wins", "trueskill"], tests=False)
    assert [one.metric for one in result.agreements] == ["it", "it expected-wins", "it trueskill"]
    spearman = [one.correlations["spearman"].value for one in result.agreements]
    assert spearman[:2] == pytest.approx([0.5, 0.5])
    assert [signature is None for signature in result.signatures.values()] == [True] * 3


def test_signatures_name_what_wins_became() -> None:
    human = Comparisons.from_pairs([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 3)
    result = errorbar.meta(human, METRIC, aggregate=["corpus", "expected-wins", "trueskill"], tests=False, ci=False)
    own, wins, skill = (str(signature) for signature in result.signatures.values())
    assert wins.replace("|wins:expected-wins", "") == own
    assert "|wins:trueskill|" in skill


def test_the_signature_of_trueskill_names_the_order_of_systems() -> None:
    """It depends on it, and wins do not."""
    human = Comparisons.from_pairs([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 3)
    turned = MetricScores("it", dict(reversed(list(METRIC.systems.items()))), BY_SENTENCE)
    one, other = (
        errorbar.meta(human, metric, aggregate=["expected-wins", "trueskill"], ci=False).signatures
        for metric in (METRIC, turned)
    )
    assert one["it expected-wins"] == other["it expected-wins"]
    assert one["it trueskill"] != other["it trueskill"]


def test_sentences_are_played_in_the_order_of_their_numbers() -> None:
    """However the rows of a table, or what is in memory, are sorted; sentence 10 comes behind sentence 9."""
    rng = np.random.default_rng(2)
    rows = {str(k): dict(zip("abc", rng.random(3).tolist(), strict=True)) for k in range(1, 13)}
    turned = dict(reversed(rows.items()))
    expected = trueskill_means(compare_outputs(np.array([list(row.values()) for row in rows.values()])))
    for sentences in (rows, turned):
        result = errorbar.compare(scores=MetricScores("it", {}, sentences), aggregate="trueskill", ci=False)
        assert result.found.values == pytest.approx(expected)
    one, other = (
        errorbar.meta(HUMAN, MetricScores("it", METRIC.systems, sentences), aggregate="trueskill").to_dict()
        for sentences in (rows, turned)
    )
    assert one == other


def test_the_same_way_twice_is_one() -> None:
    result = errorbar.meta(HUMAN, METRIC, aggregate=["corpus", "corpus", "expected-wins"], tests=False)
    assert [one.metric for one in result.agreements] == ["it", "it expected-wins"]


def test_a_recorded_metric_that_is_called_as_wins_is_refused() -> None:
    clash = MetricScores("it expected-wins", METRIC.systems, BY_SENTENCE)
    with pytest.raises(UsageError) as caught:
        errorbar.meta(HUMAN, [METRIC, clash], aggregate=["corpus", "expected-wins"])
    assert caught.value.code == "meta-same-name"


def test_a_system_that_only_ties_is_named_with_the_reason() -> None:
    rows = {name: dict.fromkeys(row, 0.5) for name, row in BY_SENTENCE.items()}
    with pytest.raises(InputError, match="'a', which humans ranked; it neither won nor lost a sentence"):
        errorbar.meta(HUMAN, MetricScores("it", METRIC.systems, rows), aggregate="expected-wins")


def test_scores_of_systems_alone_have_no_wins() -> None:
    with pytest.raises(UsageError, match="no has no scores of sentences") as caught:
        errorbar.meta(HUMAN, MetricScores("no", METRIC.systems), aggregate="trueskill")
    assert caught.value.code == "meta-sentences"
