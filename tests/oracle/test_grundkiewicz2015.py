"""The human ranking of the CoNLL-2014 systems, from its judgments (Grundkiewicz, Junczys-Dowmunt & Gillian 2015).

The paper's figures: Expected Wins and TrueSkill of its table of rankings, and its correlations of metrics with Expected
Wins, which its program computed from scores rounded to three digits.
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from errorbar import Problems, compare, meta
from errorbar.core import Comparisons
from errorbar.formats import read_metric_scores, read_rankings
from errorbar.ranking import count, expected_wins, judge_agreement, rank_systems
from errorbar.ranking.metric_agreement import metric_agreement, plain_scores
from errorbar.ranking.wins import head_to_head, matched_runs, wmt_skill
from tests.helpers.expectations import require
from tests.helpers.page_rows import rows_of_page
from tests.ranking.examples import drawn

EXPECTED_WINS = {
    "AMU": 0.628,
    "RAC": 0.566,
    "CAMB": 0.561,
    "CUUI": 0.550,
    "POST": 0.539,
    "UFC": 0.513,
    "PKU": 0.506,
    "UMC": 0.495,
    "IITB": 0.485,
    "SJTU": 0.463,
    "INPUT": 0.456,
    "NTHU": 0.437,
    "IPN": 0.300,
}
TRUESKILL = {
    "AMU": 0.273,
    "CAMB": 0.182,
    "RAC": 0.114,
    "CUUI": 0.105,
    "POST": 0.080,
    "PKU": -0.001,
    "UMC": -0.022,
    "UFC": -0.041,
    "IITB": -0.055,
    "INPUT": -0.062,
    "SJTU": -0.074,
    "NTHU": -0.142,
    "IPN": -0.358,
}
# Metric: Spearman, Pearson. Of F0.18 the paper's Pearson (.701) is the largest over all betas, that of .17.
CORRELATIONS = {
    "m2": (0.692, 0.627),
    "m2 F1": (0.648, 0.610),
    "m2 F0.25": (0.720, 0.680),
    "m2 F0.18": (0.758, 0.700),
    "m2 F0.17": (None, 0.701),
    "m2 F0.1": (0.670, 0.652),
    "iwacc": (-0.154, -0.098),
    "bleu": (-0.346, -0.240),
    "meteor": (-0.374, -0.241),
}


@pytest.fixture(scope="module")
def folder(data: Path) -> Path:
    place = data / "rankings_grundkiewicz2015"
    if not (place / "judgments.xml").exists():
        pytest.skip("needs the human rankings: no rankings_grundkiewicz2015 in ../shared/data beside the repository")
    return place


@pytest.fixture(scope="module")
def judged(folder: Path) -> Comparisons:
    return read_rankings(folder / "judgments.xml")


def test_counts(folder: Path) -> None:
    problems = Problems()
    judged = read_rankings(folder / "judgments.xml", problems)
    tied = judged.outcome == 0
    # Counted by a program of its own, straight from the XML: 2,319 items less 13 skipped ones.
    assert (len(judged.items), len(judged), int(tied.sum())) == (2306, 109_098, 59_117)
    assert (int(judged.shown.sum()), int((judged.shown & tied).sum())) == (20_516, 5_694)
    assert [note.what for note in problems.notes] == ["13 items were skipped by their judges"]


def test_expected_wins_are_the_published_ones_in_their_order(judged: Comparisons) -> None:
    (result,) = rank_systems(judged, how=drawn(200))
    assert [system.system for system in result.systems] == list(EXPECTED_WINS)
    assert {system.system: round(system.score.value or 0, 3) for system in result.systems} == EXPECTED_WINS
    assert result.systems[0].cluster == 1
    assert (result.systems[-1].rank, result.systems[-1].low, result.systems[-1].high) == (13, 13, 13)


@pytest.mark.slow
def test_methods_that_heed_ties_have_the_published_order_of_trueskill(judged: Comparisons) -> None:
    (terry,) = rank_systems(judged, ["bradley-terry"], drawn(20))
    (skill,) = rank_systems(judged, ["trueskill"], drawn(2))
    assert [system.system for system in terry.systems] == [system.system for system in skill.systems] == list(TRUESKILL)
    # All comparisons once; the paper's program draws every pair of systems about as often, hence the distance.
    distances = [abs((system.score.value or 0) - TRUESKILL[system.system]) for system in skill.systems]
    assert max(distances) < 0.012


@pytest.mark.parametrize("n", rows_of_page([60, 400]))
def test_the_wmts_own_way_gives_the_published_scores(judged: Comparisons, n: int) -> None:
    runs = matched_runs(judged, wmt_skill(len(judged)), n, np.random.default_rng(7))
    found = dict(zip(judged.systems, runs.mean(axis=0).tolist(), strict=True))
    assert sorted(found, key=lambda system: -found[system]) == list(TRUESKILL)
    # Three standard errors of 400 runs are .0021; and the rounding of the paper.
    assert found == pytest.approx(TRUESKILL, abs=0.0005 + 0.0021 * sqrt(400 / n))


def test_published_correlations(folder: Path, judged: Comparisons) -> None:
    betas = (1, 0.25, 0.18, 0.17, 0.1)
    metrics = [
        metric
        for name in ("m2", "iwacc", "bleu", "meteor")
        for metric in read_metric_scores(folder / "metrics" / f"scores.{name}", betas=betas)
    ]
    human = plain_scores(EXPECTED_WINS)
    assert [metric.metric for metric in metrics] == [*CORRELATIONS][:1] + [f"m2 F{beta:g}" for beta in betas] + [
        "iwacc",
        "bleu",
        "meteor",
    ]
    values = expected_wins(count(judged)).tolist()
    exact = plain_scores(dict(zip(judged.systems, values, strict=True)))
    for metric in metrics:
        spearman, pearson = CORRELATIONS[metric.metric]
        found = metric_agreement(human, metric).correlations
        unrounded = metric_agreement(exact, metric).correlations
        for kind, published in (("spearman", spearman), ("pearson", pearson)):
            if published is not None:
                value, other = found[kind].value, unrounded[kind].value  # type: ignore[index]  # both are there
                assert value == pytest.approx(published, abs=0.0006)
                assert other == pytest.approx(published, abs=0.0035)


def test_judges(judged: Comparisons) -> None:
    """Counted by plain loops over a dictionary of sentence, pair and judge."""
    inter, intra = judge_agreement(judged)
    assert inter.kappa.value == pytest.approx(0.3278651657, abs=1e-9)
    assert intra.kappa.value == pytest.approx(0.5255257767, abs=1e-9)
    assert (inter.kappa.n_units, intra.kappa.n_units) == (95_729, 5_205)


@pytest.mark.slow
def test_soft_accuracy_from_two_sided_p_values(folder: Path, data: Path, judged: Comparisons) -> None:
    """Put together another way: a sign test of each pair's decided comparisons, and the p-values of ``compare``."""
    gold = data / "conll14/noalt/official-2014.combined.m2"
    systems = [data / "conll14_systems/official_submissions" / name for name in judged.systems]
    found = meta(folder / "judgments.xml", gold=gold, systems=systems, by="comparison", tests=False, resamples=20)
    (m2,) = found.agreements
    # Grundkiewicz et al. print .627 and .692, of scores of their own; those of the official scorer are these.
    assert m2.correlations["pearson"].value == pytest.approx(0.623, abs=5e-4)
    assert m2.correlations["spearman"].value == pytest.approx(0.687, abs=5e-4)
    won = {(first, second): (wins, losses) for first, second, wins, losses, _ in head_to_head(judged)}
    losses = []
    for pair in compare(gold, systems, ci=False).pairs:
        wins, lost = won.get((pair.first, pair.second)) or won[pair.second, pair.first][::-1]
        human = 1 - binom.cdf(wins, wins + lost, 0.5) + binom.pmf(wins, wins + lost, 0.5) / 2
        p = require(pair.swaps.alone.p_value)
        losses.append(abs(human - (p / 2 if pair.difference > 0 else 1 - p / 2)))
    (soft,) = found.soft
    assert soft.accuracy.n_units == len(losses) == 78
    assert soft.accuracy.value == pytest.approx(1 - np.mean(losses), abs=0.003)
