"""Constants of a population of judges: by loops, against another study's, and how often their intervals hold."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from errorbar import M2, Problems, fit_judges
from errorbar.api.fit_judges import JudgeFit
from errorbar.core import Scale
from errorbar.metrics import (
    CoverageSimulation,
    JudgedText,
    JudgeVariances,
    Selection,
    StudyPlan,
    choose_sets,
    cover,
    fit_constants,
    fit_slope,
    judge_text,
    prepare_study,
)
from errorbar.metrics.population_fit import fresh_variance
from errorbar.metrics.populations import known_population
from errorbar.stats import TwoWay, VariancePrior
from errorbar.stats.two_way import moderate
from tests.ceilings.examples import random_corpus

SYSTEMS = ["AMU", "CAMB", "CUUI", "IITB", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]
LARGE = ["AMU", "CAMB", "CUUI", "NTHU", "PKU", "POST", "RAC", "UMC"]  # over 200 true positives
HELD_OUT = ["A3", "A6", "A9", "CUUI", "NTHU", "RAC", "UMC"]
MEASURED = Path(__file__).resolve().parents[2] / "tests/measured/judge-populations.md"
PERCENT = Scale(0.0, 1.0)


def text(name: str, n_judges: int, *, author: int = -1, n_texts: int = 30, strictness: float = 0.1) -> JudgedText:
    """A made text whose score against a set is a mean of its judges', and that varies over texts by normal noise."""
    rng = np.random.default_rng([*name.encode()])
    sets = [own for own in choose_sets(range(n_judges), min(5, n_judges - 1)) if author not in own]
    of_judge = 0.5 + strictness * rng.standard_normal(n_judges)
    influence = 0.2 * rng.standard_normal((len(sets), n_texts))
    values = np.array([of_judge[list(own)].mean() for own in sets])
    influence -= influence.mean(axis=1, keepdims=True)
    return JudgedText(name, author, {own: row for row, own in enumerate(sets)}, values, influence)


def test_every_set_and_every_smaller_one_inside() -> None:
    assert choose_sets([0, 1, 3], 2) == [(0,), (1,), (3,), (0, 1), (0, 3), (1, 3)]
    drawn = choose_sets(range(30), 3)  # 4,060 sets of three
    assert sum(len(own) == 3 for own in drawn) == 300
    assert {own[:i] + own[i + 1 :] for own in drawn if len(own) == 3 for i in range(3)} <= {*drawn}


def test_variances_over_fresh_judges_are_those_of_loops() -> None:
    """Of means of judges' own scores zeta_k is the sample variance of these by k, whatever the number of judges."""
    judged = text("a", 6)
    alone = [judged.values[judged.sets[i,]] for i in range(6)]
    for k in (1, 2, 3):
        fresh = judged.fresh_variance(k)
        sets = [own for own in judged.sets if len(own) == k]
        apart = [(one, other) for one, other in combinations(sets, 2) if not {*one} & {*other}]
        plain = np.mean([(judged.values[judged.sets[a]] - judged.values[judged.sets[b]]) ** 2 / 2 for a, b in apart])
        assert fresh is not None
        assert fresh.variance == pytest.approx(plain)
        assert fresh.variance == pytest.approx(np.var(alone, ddof=1) / k)
        assert not fresh.from_above


def test_where_any_two_sets_share_a_judge_the_variance_is_bounded_from_above() -> None:
    """Of means D_c is linear in c, so that the bound is the variance itself; with fewer judges nothing is known."""
    judged = text("b", 5)
    fresh = judged.fresh_variance(3)
    assert fresh is not None
    assert fresh.from_above
    assert fresh.variance == pytest.approx(np.var([judged.values[judged.sets[i,]] for i in range(5)], ddof=1) / 3)
    assert judged.fresh_variance(4) is None


def test_texts_by_judges_are_compared_against_those_who_wrote_neither() -> None:
    one, other = text("c", 6, author=0), text("d", 6, author=4)
    fresh = fresh_variance(one, other, 1)
    differences = [one.values[one.sets[i,]] - other.values[other.sets[i,]] for i in (1, 2, 3, 5)]
    assert fresh is not None
    assert fresh.mean == pytest.approx(np.mean(differences))
    assert fresh.variance == pytest.approx(np.var(differences, ddof=1))


def test_constants_are_means_of_shares() -> None:
    """c_2 the geometric mean of squared points, c_1 the upper quartile; the floor half the geometric mean of zeta_2."""
    texts = [text(name, 8) for name in "efgh"]
    known = fit_constants(texts, 2, floor=None, exponent=0.75, df=3.0, named=("m2", "f"))
    assert known is not None
    fresh = {k: [text.fresh_variance(k) for text in texts] for k in (1, 2)}
    shares = {k: [1e4 * one.variance / one.mean**2 for one in own if one] for k, own in fresh.items()}
    assert known.constants[2] == pytest.approx(exp(np.mean([log(each) for each in shares[2]])), rel=0.05)
    assert known.constants[1] == pytest.approx(np.quantile(shares[1], 0.75), rel=0.01)
    usual = exp(np.mean([log(1e4 * one.variance) for one in fresh[2] if one]))
    assert known.floor == pytest.approx(usual / 2, rel=0.5)


def test_systems_that_do_alike_on_every_text_show_no_slope() -> None:
    """Of two texts influences often cancel: the logarithm of a ratio of 0 is not taken, and others count."""
    texts = [text(name, 6, n_texts=2) for name in "qrst"]
    alike = [replace(judged, influence=texts[0].influence) for judged in texts[:2]]
    with np.errstate(all="raise"):
        assert fit_slope(alike, 2) is None
        with_others = fit_slope([*alike, *texts[2:]], 2)
    assert with_others is not None
    assert np.isfinite(with_others)


def test_a_draw_of_every_text_once_is_the_corpus() -> None:
    """The variance over texts of draws is, on average, (n - 1)/n of the jackknife's; values vary by as much."""
    judged = text("i", 6)
    drawn = CoverageSimulation([judged], 4000).draw(judged, None, 2)
    assert drawn is not None
    rows = [row for own, row in judged.sets.items() if len(own) == 2]
    over_texts = np.mean(judged.influence[rows] ** 2) / 29
    assert drawn.over_texts[0].mean() == pytest.approx(over_texts * 29 / 30, rel=0.02)
    fresh = judged.fresh_variance(2)
    assert fresh is not None
    assert drawn.values.var() == pytest.approx(over_texts * 29 / 30 + fresh.variance, rel=0.06)


def test_the_interval_is_the_one_that_scores_print() -> None:
    """Draw by draw, with ``TwoWay`` moderated by the population."""
    judged, known = text("j", 6), JudgeVariances("m2", "f", {3: 8.0})
    drawn = CoverageSimulation([judged], 50).draw(judged, None, 3)
    assert drawn is not None
    holds = []
    for value, over_texts, over_judges in zip(drawn.values, drawn.over_texts[0], drawn.over_judges, strict=True):
        own = TwoWay(float(value), float(over_texts), float(over_judges), 0.0, 30, 3, 2.0)
        own = moderate(own, VariancePrior(known.of_score(float(value), 3, 3), known.df))
        ends = PERCENT.ends(own.value, own.half_width(0.95))
        holds.append(ends is not None and ends[0] <= drawn.truth <= ends[1])
    assert cover(drawn, known, 3, 0.95, PERCENT).holds == pytest.approx(np.mean(holds))


def test_intervals_hold_the_truth_where_the_model_is_true() -> None:
    """Twelve judges whose scores are normal: nominal 95 % holds in .93 or more, with one to four of them."""
    texts = [text(name, 12, strictness=0.06) for name in "klmnop"]
    known = fit_constants(texts, 4, floor=None, exponent=0.0, df=3.0, named=("m2", "f"))
    assert known is not None
    simulation = CoverageSimulation(texts, 1000)
    for k in (1, 2, 3, 4):
        pairs = [(one, None) for one in texts] + [*combinations(texts, 2)]
        drawn = [simulation.draw(one, other, k) for one, other in pairs]
        held = [cover(each, known, k, 0.95, PERCENT).holds for each in drawn if each is not None]
        assert np.mean(held[:6]) > 0.93
        assert np.mean(held[6:]) > 0.93


def test_influence_and_values_are_those_of_folds() -> None:
    """Of a corpus at random, with a text left out by hand."""
    data, systems = random_corpus(n_sentences=30, n_annotators=4, n_documents=6)
    study = prepare_study(data, systems, M2(), Problems(), StudyPlan((1,)))
    groups = np.arange(30) // 5
    sets = choose_sets(range(4), 2)
    statistics = study.humans[1].statistics
    judged = judge_text(M2(), statistics, ("A1", 1), sets, groups, 4)[2]
    assert {*judged.sets} == {own for own in sets if 1 not in own}
    whole = M2().fold(statistics.take(np.arange(30)), _only((0, 3))).values[0, 2]
    without = [M2().fold(statistics.take(np.flatnonzero(groups != g)), _only((0, 3))).values[0, 2] for g in range(6)]
    row = judged.sets[0, 3]
    assert judged.values[row] == pytest.approx(whole)
    assert judged.influence[row] == pytest.approx(5 * (np.mean(without) - np.array(without)))


def _only(judges: tuple[int, ...]) -> Selection:
    mask = np.zeros((1, 4), np.uint8)
    mask[0, list(judges)] = 1
    return Selection(annotators=mask)


@cache
def fitted(data: Path, up_to: int, draws: int, seed: int = 0) -> JudgeFit:
    """Ten annotators and twelve systems of CoNLL-2014, some held out."""
    gold = [str(data / f"bn2015_10gec/A{i}.m2") for i in range(1, 11)]
    systems = [str(data / "conll14_systems/official_submissions" / name) for name in SYSTEMS]
    essays = data / "conll14/noalt/official-2014.0.sgml"
    options = {"documents": essays, "lenient": True, "hold_out": HELD_OUT, "draws": draws, "seed": seed}
    return fit_judges(gold, systems, up_to=up_to, **options)  # type: ignore[arg-type]  # of several types


def test_the_constants_of_another_study(data: Path) -> None:
    """Geometric means of zeta_k / F0.5^2 over ten annotators and eight systems, which it rounds to 72, 15 and 8.

    Computed independently of this code, of the same files (JUDGES.md, section 8, of the project's reference material).
    """
    f = fitted(data, 3, 0).measures[2]
    known = [text.by_judges for text in f.texts if text.annotator or text.name in LARGE]
    assert len(known) == 18
    for k, constant in ((1, "72"), (2, "15"), (3, "8")):
        fresh = [own[k] for own in known]
        shares = [1e4 * one.variance / one.mean**2 for one in fresh if one is not None]
        assert f"{exp(float(np.mean(np.log(shares)))):.0f}" == constant


def test_what_is_shipped_is_what_the_fit_gives(data: Path) -> None:
    """Of M2's F0.5, against one to three judges; the page and the slow test have the rest."""
    f, shipped = fitted(data, 3, 0).measures[2], known_population().find("m2", "f", 1)
    assert f.variances is not None
    assert shipped is not None
    assert f.variances.constants == {k: shipped.constants[k] for k in (1, 2, 3)}
    assert (f.variances.floor, f.variances.exponent, f.variances.df) == (shipped.floor, shipped.exponent, shipped.df)


@cache
def page() -> dict[tuple[int, str, bool, bool], tuple[float, float]]:
    """Percent of the table of M2's F0.5, by judges, kind, whether held out and of differences: mean and worst."""
    text = MEASURED.read_text(encoding="utf-8")
    rows = text.split("## M2, F0.5")[1].split("\n## ")[0].splitlines()
    table = {}
    for line in rows:
        if match := re.match(r"\| (\d) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", line):
            for cell, held, difference in zip(match.groups()[2:], (0, 0, 1, 1), (0, 1, 0, 1), strict=True):
                if number := re.match(r"([\d.]+) \(([\d.]+)\)", cell):
                    table[int(match[1]), match[2], bool(held), bool(difference)] = float(number[1]), float(number[2])
    assert len(table) == 108
    return table


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_the_page_says(data: Path) -> None:
    """Scores of 2014 and annotators and differences within each, fitted and held out, by other random numbers.

    The page counts differences that are wrong, which is what does not hold.
    """
    measure = fitted(data, 5, 500, 1).measures[2]
    for k in range(1, 6):
        for kind, names in (("2014", {*SYSTEMS}), ("annotators", {f"A{i}" for i in range(1, 11)})):
            for held, difference in product((False, True), (False, True)):
                # of differences the page has those of two systems that are both fitted, or both held out
                who = names & {*HELD_OUT} if held else names - {*HELD_OUT}
                shares = [
                    interval.holds
                    for group in measure.coverage
                    if (group.k, group.difference) == (k, difference)
                    for interval in group.intervals
                    if {*interval.names} <= who
                ]
                if (k, kind, held, difference) in page():
                    mean, worst = page()[k, kind, held, difference]
                    share = 100 * float(np.mean(shares))
                    assert (100 - share if difference else share) == pytest.approx(mean, abs=1.5)
                    assert share > 93
                    if difference:
                        assert 100 * (1 - min(shares)) == pytest.approx(worst, abs=3.5)
