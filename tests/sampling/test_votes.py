"""Estimates assisted by the votes of raters who are cheap and may be wrong."""

from __future__ import annotations

import numpy as np
import pytest

from errorbar import Judgments, Problems
from errorbar.core import InputError
from errorbar.sampling import (
    AssistedTotals,
    Frame,
    Key,
    Sample,
    draw_sample,
    estimate_sample,
    estimate_systems,
    judge_sample,
    voted_totals,
)
from errorbar.sampling.prediction_powered import assisted_total
from tests.helpers.expectations import expect_refusal, require
from tests.sampling.examples import TWO, frame


def test_cheap_labels_by_simulation_and_never_worse() -> None:
    rng = np.random.default_rng(7)
    truth = (rng.random(2000) < 0.2).astype(float)
    good = np.clip(truth * 0.7 + 0.1 + rng.normal(0, 0.1, 2000), 0, 1)
    noise = rng.random(2000)
    # y has standard deviation .4, y - cheap = .3 y - .1 + noise of .1 has about .156: a ratio of .39.
    for cheap, gain in ((good, 0.42), (noise, 1.05)):
        values, alone, expected = [], [], []
        for _ in range(500):
            rows = rng.choice(2000, 150, replace=False)
            total, variance, trust = assisted_total(truth[rows], cheap[rows], cheap, 2000)
            assert 0 <= trust <= 1
            plain = 2000**2 * truth[rows].var(ddof=1) * (1 / 150 - 1 / 2000)
            assert variance <= plain * (1 + 1e-9)
            values.append(total)
            alone.append(2000 * truth[rows].mean())
            expected.append(variance)
        assert np.std(values) <= gain * np.std(alone)
        assert np.mean(values) == pytest.approx(truth.sum(), rel=0.03)
        assert np.sqrt(np.mean(expected)) == pytest.approx(np.std(values), rel=0.15)


def test_votes_that_lack_an_item_leave_experts_alone() -> None:
    population = frame()
    key = draw_sample(population, np.array([30, 60]))
    judged = judge_sample(
        Judgments.from_columns(list(key.items()), ["e"] * 90, ["error" if k % 3 else "ok" for k in range(90)]),
        key,
        Problems(),
    )
    problems = Problems()
    found = voted_totals(population, key, judged, {}, problems)
    assert found.trust.tolist() == [0, 0]
    assert [note.code for note in problems.notes] == ["sample-votes"] * 2
    with_none = estimate_sample(key.strata, judged.sample, assisted=found)
    without = estimate_sample(key.strata, judged.sample)
    assert [row.estimate for row in with_none.rows] == [row.estimate for row in without.rows]


def test_votes_help_both_systems_and_their_difference() -> None:
    # 500 in the place of 540 errors in 11: P is 740 / 1,000 and 700 / 1,100.
    sample = Sample.of([400, 300, 300, 3000], [360, 180, 120, 120])
    only_first = np.array([500.0, np.nan, np.nan, np.nan])
    helped = AssistedTotals(only_first, only_first / 100, np.zeros(4), (600, 0, 0, 0), only_first / 100)
    found = estimate_systems(TWO, sample, assisted=helped)
    assert [system["P"].estimate.value for system in found.systems] == pytest.approx([0.74, 700 / 1100])
    assert found.differences[0].estimate.value == pytest.approx(0.74 - 700 / 1100)


Y = [1.0] * 4 + [0.0] * 6


CHEAP = [1.0, 1, 1, 0, 0, 0, 0, 0, 0, 1]


def test_an_assisted_total_by_hand() -> None:
    # 20 items with votes of mean .3 in 100: T = 100 (λ .3 + .4 - λ .4). s_Y² = 2.4/9, s_d² = s_Y² (1 - λ²) as the
    # spreads are equal; Var = 100² [s_Y² (1/20 - 1/100) + s_d² (1/10 - 1/20)].
    voted = np.array([*CHEAP, 1.0, 1, *[0.0] * 8])
    total, variance, trust = assisted_total(np.array(Y), np.array(CHEAP), voted, 100)
    assert trust == pytest.approx(7 / 12)
    assert total == pytest.approx(100 * (0.4 - 0.1 * 7 / 12))
    assert variance == pytest.approx(1e4 * (2.4 / 9 * 0.04 + 2.4 / 9 * (1 - 49 / 144) * 0.05))


def test_where_votes_are_not_trusted() -> None:
    votes = np.array(CHEAP)
    # Nine labels are fewer than ten, votes or experts that all say the same teach nothing, nor do votes that mislead.
    for labels, cheap in ((Y[:9], votes[:9]), (Y, np.full(10, 0.5)), ([1.0] * 10, votes), (Y, 1 - votes)):
        assert assisted_total(np.array(labels), cheap, cheap, 20)[2] == 0


def assisted_study(
    labels: dict[str, list[float]], votes: list[float], rest: float
) -> tuple[Frame, Key, Judgments, dict[str, float]]:
    """Half of the flagged items are judged, the votes of the other half have a mean; of 40 other items nobody votes.

    Args:
        labels: Rater to truths of the flagged items that are judged; of ten others each rater says that two are errors.
        votes: Votes of those flagged items.
        rest: Share of votes of the flagged items that are not drawn.
    """
    flags = [True] * (2 * len(votes)) + [False] * 40
    population = Frame(tuple(f"i{k}" for k in range(len(flags))), np.array([flags]))
    key = draw_sample(population, np.array([len(votes), 10]))
    flagged, others = ([item for item, at in key.items().items() if at == side] for side in (0, 1))
    rows = [
        (item, rater, "error" if y else "ok")
        for rater, truths in labels.items()
        for item, y in (*zip(flagged, truths, strict=True), *((item, k < 2) for k, item in enumerate(others)))
    ]
    cheap = dict.fromkeys(population.items[: 2 * len(votes)], rest) | dict(zip(flagged, votes, strict=True))
    return population, key, Judgments.from_columns(*map(list, zip(*rows, strict=True))), cheap


def test_votes_help_in_their_stratum() -> None:
    population, key, judgments, cheap = assisted_study({"e": Y * 2}, CHEAP * 2, 0.2)
    problems = Problems()
    judged = judge_sample(judgments, key, problems)
    found = voted_totals(population, key, judged, cheap, problems)
    assert found.voted == (40, 0)
    assert found.trust.tolist() == pytest.approx([7 / 12, 0])
    # As by hand above with 40 items of which all have votes: T = 40 (.4 - .1 λ), Var = 40² s_d² / 40, s_Y² = 4.8/19.
    assert found.totals[0] == pytest.approx(40 * (0.4 - 0.1 * 7 / 12))
    assert found.variances[0] == pytest.approx(1600 * 4.8 / 19 * (1 - 49 / 144) / 40)
    # Guarded: the mean of Y - λ f is .4 (1 - λ); one error has no vote, one item without all of them.
    middle, trust = 0.4 * 5 / 12, 7 / 12
    assert require(found.guarded)[0] == pytest.approx(
        found.variances[0] + 1600 / 40 * ((1 - middle) ** 2 + (trust + middle) ** 2) / 19
    )
    assert np.isnan([found.totals[1], found.variances[1]]).all()
    (note,) = problems.notes
    assert note.what == "10 of 10 items that experts judged in stratum 'unflagged' have no vote"
    # Hits are what the votes helped to find; misses 40 * 2/10 with the error of experts alone.
    made = estimate_systems(key.strata, judged.sample, assisted=found).systems[0]
    alone = estimate_sample(key.strata, judged.sample)
    assert made["hits"].estimate.value == pytest.approx(40 * (0.4 - 0.1 * 7 / 12))
    assert made["hits"].standard_error == pytest.approx(found.variances[0] ** 0.5)
    assert made["misses"].estimate == alone["misses"].estimate
    assert made["misses"].standard_error == alone["misses"].standard_error
    assert made["P"].bayes is None
    with expect_refusal("sample-frame-other", kind=InputError):
        voted_totals(Frame(population.items, ~population.flags), key, judged, cheap, problems)


def test_votes_and_graded_truths() -> None:
    # Of two raters who agree but on four of 20 items, each of those has y (1 - y) / (k - 1) = .25: in the mean .05.
    other = [*Y[:3], 0, 1, *Y[5:]]
    population, key, judgments, cheap = assisted_study({"e": Y * 2, "f": other * 2}, CHEAP * 2, 0.2)
    judged = judge_sample(judgments, key, Problems(), truth="graded")
    assert require(judged.sample.within).tolist() == pytest.approx([0.05, 0])
    found = voted_totals(population, key, judged, cheap, Problems())
    total, variance, trust = assisted_total(
        np.array([1, 1, 1, 0.5, 0.5, 0, 0, 0, 0, 0] * 2), np.array(CHEAP * 2), np.array([*CHEAP * 2, *[0.2] * 20]), 40
    )
    assert (found.totals[0], found.variances[0], found.trust[0]) == pytest.approx((total, variance + 40 * 0.05, trust))
    # One rater for each: how raters vary is not known, so neither is what votes save; that is no fault of the votes.
    population, key, judgments, cheap = assisted_study({"e": Y * 2}, CHEAP * 2, 0.2)
    problems = Problems()
    alone = voted_totals(population, key, judge_sample(judgments, key, problems, truth="graded"), cheap, problems)
    assert alone.trust.tolist() == [0, 0]
    assert np.isnan(alone.totals).all()
    assert problems.notes == []


def test_votes_that_lead_out_of_the_stratum_are_not_used() -> None:
    # f = .5 + y/2 gives λ = 1: with no vote on the other fifty T = 100 (.275 + .1 - .55) is below 0.
    y, votes = [1.0] * 5 + [0.0] * 45, [1.0] * 5 + [0.5] * 45
    population, key, judgments, cheap = assisted_study({"e": y}, votes, 0.0)
    total, _, trust = assisted_total(np.array(y), np.array(votes), np.array([*votes, *[0.0] * 50]), 100)
    assert (total, trust) == pytest.approx((-17.5, 1))
    found = voted_totals(population, key, judge_sample(judgments, key, Problems()), cheap, Problems())
    assert found.trust.tolist() == [0, 0]
    assert np.isnan(found.totals).all()


@pytest.mark.parametrize("x", [4, 5, 15, 16])
def test_experts_stand_alone_where_few_of_either_kind_were_judged(x: int) -> None:
    # Four errors, or four items without one, tell nothing of how votes go wrong (docs/measurements/sampling.md).
    y = [1.0] * x + [0.0] * (20 - x)
    population, key, judgments, cheap = assisted_study({"e": y}, y, 0.2)
    found = voted_totals(population, key, judge_sample(judgments, key, Problems()), cheap, Problems())
    assert (found.trust[0] > 0) == (5 <= x <= 15)
