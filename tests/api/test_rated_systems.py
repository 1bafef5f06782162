"""``compare(aggregate=...)``: ratings by wins of sentences, their intervals, and swaps of two outputs among others."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import errorbar
from errorbar.api import ComparisonResult
from errorbar.api.rated_systems import ExpectedWinsRating, SystemRating, TrueSkillRating, sentence_values
from errorbar.core import Undefined, UsageError
from errorbar.formats import read_corpus
from errorbar.metrics import Selection, SwapPlan, System, compare_systems, parse_metrics
from errorbar.metrics.base import Swapping
from errorbar.ranking import Counts, expected_wins
from errorbar.ranking.sentence_wins import Aggregation, compare_outputs, rate_replicates, trueskill_means
from errorbar.stats import Resampling
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.helpers.official import read_lines, read_table

ORACLE = Path(__file__).parents[1] / "oracle/sentence_trueskill.csv"
"""As in tests/ranking/test_sentence_wins.py: what gec-metrics 0.1.1 makes of GLEU of CoNLL-2014's systems."""
RATINGS: tuple[SystemRating, ...] = (ExpectedWinsRating(), TrueSkillRating())
SOURCE = ["a b c ."] * 6
GOLD = ["X b c ."] * 6
OUTPUTS = {"most": ["a b c ."] + ["X b c ."] * 5, "half": ["X b c ."] * 3 + ["a b c ."] * 3, "none": ["a b c ."] * 6}


def compare_lists(aggregate: Aggregation = "expected-wins", systems: Any = OUTPUTS, **more: Any) -> ComparisonResult:  # noqa: ANN401
    """GLEU of lists in memory, rated."""
    arguments = {"gold": GOLD, "source": SOURCE, "metric": "gleu", "resamples": 200, **more}
    return errorbar.compare(systems=systems, aggregate=aggregate, **arguments)


def rate_by_hand(rating: SystemRating, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ratings of a table of scores, shape (sentences, systems), without what ``compare`` keeps."""
    outcomes = compare_outputs(table)
    if isinstance(rating, TrueSkillRating):
        return trueskill_means(outcomes)
    return expected_wins(Counts((outcomes > 0).sum(axis=0) * 1.0, (outcomes == 0).sum(axis=0) * 1.0))


def random_table(seed: int, sentences: int, systems: int) -> NDArray[np.float64]:
    """Scores that tie often, and that are related within a sentence."""
    rng = np.random.default_rng(seed)
    return np.asarray(2.0 * rng.integers(0, 4, (sentences, 1)) + rng.integers(0, 3, (sentences, systems)))


@pytest.mark.parametrize("rating", RATINGS, ids=lambda rating: rating.name)
def test_swapped_outputs_are_rated_as_another_table_is(rating: SystemRating) -> None:
    """All ways to swap the second and the fourth of five systems, each made by hand in the table of scores."""
    table = random_table(3, 6, 5)
    table[2, 1] = np.nan
    kept = rating.statistics_of(compare_outputs(table))
    ways = np.array(list(product([False, True], repeat=6)))
    both = np.concatenate([ways, ~ways])
    values = rating.fold(rating.join([kept[1], kept[3]]), Selection(swapping=Swapping(both, np.arange(6)))).values[:, 0]
    for way, first, second in zip(ways, values[:64], values[64:], strict=True):
        mixed = table.copy()
        mixed[way, 1], mixed[way, 3] = table[way, 3], table[way, 1]
        expected = rate_by_hand(rating, mixed)
        assert (first, second) == pytest.approx((expected[1], expected[3]), abs=1e-12)


@pytest.mark.parametrize("rating", RATINGS, ids=lambda rating: rating.name)
def test_sentences_that_swaps_do_not_change_do_not_differ(rating: SystemRating) -> None:
    table = random_table(4, 80, 3)
    kept = rating.statistics_of(compare_outputs(table))
    for first, second in combinations(range(3), 2):
        assert (rating.differ(kept[first], kept[second]) == (table[:, first] != table[:, second])).all()


def test_the_kernel_plays_as_its_twin() -> None:
    table = random_table(5, 40, 6)
    table[7, 2] = np.nan
    outcomes, rng = compare_outputs(table), np.random.default_rng(6)
    units = np.sort(rng.integers(0, 40, (9, 40)), axis=1)
    units[3, :5] = -1
    expected = [trueskill_means(outcomes[row[row >= 0]]) for row in units]
    assert rate_replicates(outcomes, units) == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("aggregate", ["expected-wins", "trueskill"])
def test_lists_in_python(aggregate: Aggregation) -> None:
    """most beats half in three sentences and none in five, and loses one to half; half beats none in three."""
    result = errorbar.compare(
        gold=GOLD, systems=OUTPUTS, source=SOURCE, metric="gleu", aggregate=aggregate, resamples=200
    )
    document = result.to_dict()
    assert document["aggregate"] == aggregate
    assert f"|wins:{aggregate}|" in result.signature
    assert [row.name for row in result.ranking()] == ["most", "half", "none"]
    assert len(result.rating_intervals) == 3
    if aggregate == "expected-wins":
        assert result.found.values.tolist() == [(3 / 4 + 1) / 2, (1 / 4 + 1) / 2, 0.0]


def test_two_identical_systems_score_alike() -> None:
    outputs = {**OUTPUTS, "twin": OUTPUTS["half"]}
    result = errorbar.compare(
        gold=GOLD, systems=outputs, source=SOURCE, metric="gleu", aggregate="expected-wins", resamples=200
    )
    verdicts = {(pair.first, pair.second): pair.verdict.result for pair in result.pairs}
    assert verdicts["half", "twin"] == "score alike"


def test_systems_that_only_tie_have_no_rating_and_the_reason() -> None:
    outputs = dict.fromkeys(("one", "two"), OUTPUTS["half"])
    result = compare_lists(systems=outputs)
    assert result.rating_intervals == (Undefined.ONLY_TIES, Undefined.ONLY_TIES)
    assert result.to_dict()["systems"][0]["expected_wins"] is None  # type: ignore[index]  # a list of records
    assert "against the other system with" in str(result)


def test_every_system_right_everywhere_has_nothing_to_win() -> None:
    outputs = dict.fromkeys(("one", "two"), GOLD)
    with pytest.raises(UsageError, match="no sentence with scores of two systems") as caught:
        compare_lists(systems=outputs, metric="gotoscorer")
    assert caught.value.code == "metric-lacks"


def test_workers_change_no_digit() -> None:
    one, two = (compare_lists("trueskill", jobs=jobs) for jobs in (1, 2))
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize("more", [{"judges": "random"}, {"pools": {"one": ["0"]}}])
def test_what_has_no_effect_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        compare_lists("trueskill", **more)
    assert caught.value.code == "useless-option"


def test_several_runs_are_refused(errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, monkeypatch)
    done = errorbar(*_COMMAND, "both=most.txt,half.txt", "none.txt")
    assert done.code != 0
    assert "both has 2 runs" in done.err


def test_one_sentence_is_refused() -> None:
    outputs = {name: lines[:1] for name, lines in OUTPUTS.items()}
    with pytest.raises(UsageError) as caught:
        compare_lists(systems=outputs, gold=GOLD[:1], source=SOURCE[:1])
    assert caught.value.code == "one-unit"


_COMMAND = (
    "compare",
    "--source",
    "source.txt",
    "--gold",
    "gold.txt",
    "--metric",
    "gleu",
    "--aggregate",
    "expected-wins",
)


def _write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for name, lines in {"source": SOURCE, "gold": GOLD, **OUTPUTS}.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))


def test_tables_and_json(errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, monkeypatch)
    arguments = (*_COMMAND, "most.txt", "half.txt", "none.txt", "--resamples", "200")
    document = validated("compare", errorbar(*arguments, "--format", "json").out)
    assert document["systems"][0]["expected_wins"] == 0.875
    interval = document["systems"][0]["interval"]
    assert interval["low"] < 0.875 <= interval["high"]
    shown = errorbar(*arguments).out
    assert "Expected Wins: of wins of gleu by sentence against the 2 other systems" in shown
    assert "expected_wins_low" in errorbar(*arguments, "--format", "csv").out
    assert r"\begin{tabular}" in errorbar(*arguments, "--format", "latex").out


@pytest.mark.slow
@pytest.mark.parametrize("aggregate", ["expected-wins", "trueskill"])
def test_conll2014(aggregate: Aggregation, data: Path) -> None:
    """TrueSkill is that of the published program; Expected Wins that of judgments, of the same outcomes."""
    systems = [data / "conll14_systems/official_submissions" / row["system"] for row in read_table(ORACLE)]
    gold = data / "conll14/noalt/official-2014.combined.m2"
    result = errorbar.compare(gold, systems, "gleu", aggregate=aggregate, ci=False, swaps=20)
    if aggregate == "trueskill":
        assert result.found.values.tolist() == pytest.approx([float(row["mu"]) for row in read_table(ORACLE)], abs=1e-6)
        return
    (metric,) = parse_metrics("gleu")
    corpus = read_corpus([gold])
    columns = [sentence_values(metric, metric.measure(corpus, read_lines(path))) for path in systems]
    expected = rate_by_hand(ExpectedWinsRating(), np.stack(columns, axis=1))
    assert result.found.values == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("rating", RATINGS, ids=lambda rating: rating.name)
def test_equal_systems_differ_seldom(rating: SystemRating) -> None:
    """Of 300 studies of four equal systems 15 err at 5%; measured 13 and 12. Of a binomial 27 is the 99.8% point."""
    n_wrong, n_pairs = 0, 0
    for seed in range(300):
        kept = rating.statistics_of(compare_outputs(random_table(seed, 50, 4)))
        systems = [System(name, one) for name, one in zip("abcd", kept, strict=True)]
        how, plan = Resampling(seed=seed), SwapPlan(swaps=400)
        pairs = compare_systems(rating, systems, np.arange(50), how, plan, intervals=False).pairs
        n_wrong += any(pair.significant for pair in pairs)
        n_pairs += sum(pair.p_unadjusted is not None and pair.p_unadjusted <= 0.05 for pair in pairs)
    assert 4 <= n_wrong <= 27
    assert 0.03 < n_pairs / 1800 < 0.07
