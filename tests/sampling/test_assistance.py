"""With a model's help intervals hold as often as without, and are no wider: docs/measurements/assisted.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from errorbar import Problems
from errorbar.core import Estimate, Undefined
from errorbar.sampling import (
    AssistedTotals,
    Estimation,
    Frame,
    JudgedSample,
    Sample,
    Strata,
    estimate_systems,
    stratify,
)
from errorbar.sampling.assistance import Assistance, WeighedScore, weigh_assistance, weigh_sample
from errorbar.sampling.prediction_powered import StratumVotes, combined_totals
from tests.helpers.expectations import require
from tests.sampling.assistance_runs import JUDGED, MODELS, Model, measure

MEASURED = (Path(__file__).resolve().parents[1] / "measured" / "assisted.md").read_text(encoding="utf-8")
CELLS = [
    (model, rate, judged)
    for model in MODELS
    for rate, counts in JUDGED.items()
    for judged in counts
    if f"| {model.__name__}, {rate}, {judged}: P |" in MEASURED
]


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_a_few_studies_of_every_model(model: Model) -> None:
    for row in measure(model, "usual", 100, 60).values():
        assert row["assisted"] >= 0.87  # .95 less 3 standard errors of 60 studies
        assert row["width"] <= 1.05


@pytest.mark.measured
@pytest.mark.parametrize(("model", "rate", "judged"), CELLS)
def test_the_table(model: Model, rate: str, judged: int) -> None:
    for name, row in measure(model, rate, judged).items():
        assert row["assisted"] >= 0.93
        assert row["width"] <= 1.05
        shares = " | ".join(f"{row[key]:.3f}" for key in ("alone", "assisted", "Rogan-Gladen", "disagree", "width"))
        assert f"| {model.__name__}, {rate}, {judged}: {name} | {shares} |" in MEASURED


def test_the_record_has_the_usual_errors_of_every_model() -> None:
    assert {model.__name__ for model, rate, judged in CELLS if rate == "usual" and judged >= 30} == {
        model.__name__ for model in MODELS
    }


def one_stratum(part: StratumVotes, trust: float) -> tuple[WeighedScore, AssistedTotals, Strata]:
    """The share of errors of a stratum, of two alike."""
    total = part.size * (trust * part.voted.mean() + (part.labels - trust * part.cheap).mean())
    both, ones = np.array([total, total]), np.ones(2)
    totals = AssistedTotals(both, ones, trust * ones, (len(part.voted),) * 2, ones, (part, part))
    strata = Strata.of_sizes(part.size, part.size)
    slope = np.array([1 / part.size, 0.0])
    score = WeighedScore("P", "s", lambda errors: float(errors[0] / part.size), lambda _: slope)
    return score, totals, strata


def test_rogan_and_gladen_by_hand() -> None:
    """Sensitivity 4/5, specificity 9/10, 45 of 100 items called errors: (.45 - .1) / (.8 - .1) = .5."""
    labels = np.repeat([1.0, 0.0], [5, 10])
    cheap = np.concatenate([[1.0] * 4, [0.0], [1.0], [0.0] * 9])
    voted = np.repeat([1.0, 0.0], [45, 55])
    score, totals, strata = one_stratum(StratumVotes(labels, cheap, voted, 100), 0.5)
    value = float(totals.totals[0]) / 100
    estimate = Estimate(value, 15).with_interval(Undefined.ZERO_WIDTH)
    weighed = weigh_assistance(score, strata, totals, (estimate, estimate), totals.totals)
    assert weighed.rogan_gladen.value == pytest.approx(0.5)
    assert weighed.cheap_only == pytest.approx(0.45)
    # Rogan and Gladen 1978: Var = [π² se (1 - se) / n₁ + (1 - π)² sp (1 - sp) / n₀] / (se + sp - 1)², here of a stratum
    # that is judged twice over (two alike, of which the score takes one), by 15 of 100; residuals divide by n - 1.
    classic = (0.25 * 0.16 / 10 + 0.25 * 0.09 / 20) / 0.49 * (15 / 14) * (1 - 0.15)
    interval = require(weighed.rogan_gladen.interval)
    # By chance the rates of that stratum differ from those of both, which have twice as many errors and others.
    of_stratum = (0.16 * 33.333 + 0.09 * 66.667) * 0.01**2 / 2 / 0.49
    assert (interval.high - interval.low) / 2 == pytest.approx(1.95996 * np.sqrt(classic + of_stratum), rel=1e-4)


def studies_of_one_rate(judged: tuple[int, int], mistakes: float, n: int) -> list[tuple[Assistance, float]]:
    """R and the true one in studies of 200 flagged and 300 other items; a model errs as often in both strata."""
    rng = np.random.default_rng(17)
    codes = np.repeat([0, 1], [200, 300])
    frame = Frame(tuple(f"i{at}" for at in range(500)), (codes == 0)[None])
    strata, _ = stratify(frame)
    result = []
    for _ in range(n):
        truth = (rng.random(500) < np.array([0.6, 0.2])[codes]).astype(float)
        says = np.abs(truth - (rng.random(500) < mistakes))
        rows = np.concatenate([rng.choice(np.flatnonzero(codes == at), judged[at], replace=False) for at in (0, 1)])
        sample = Sample.of([*judged], np.bincount(codes[rows], truth[rows], 2).tolist())
        people = JudgedSample([frame.items[at] for at in rows.tolist()], codes[rows], truth[rows], sample)
        cheap = dict(zip(frame.items, says.tolist(), strict=True))
        assisted = combined_totals(strata, codes, frame.items, people, cheap, Problems())
        found = estimate_systems(strata, sample, Estimation(), assisted=assisted)
        weighed = weigh_sample(strata, sample, Estimation(), assisted, found)[1]
        true = truth[codes == 0].sum() / truth.sum()
        result.append((weighed, true))
    return result


def test_no_disagreement_is_told_where_the_model_errs_alike_in_all_strata() -> None:
    """Also where nearly all is judged: by chance, strata of one rate hold more or fewer mistakes."""
    runs = studies_of_one_rate((190, 280), 0.08, 150)
    assert np.mean([weighed.disagree for weighed, _ in runs]) <= 0.11  # .05 and 3 standard errors
    ends = [(require(weighed.rogan_gladen.interval), true) for weighed, true in runs]
    assert np.mean([interval.low <= true <= interval.high for interval, true in ends]) >= 0.89


def test_a_model_that_is_always_right_never_disagrees_by_rounding() -> None:
    assert not any(weighed.disagree for weighed, _ in studies_of_one_rate((120, 150), 0.0, 50))


def test_a_few_items_without_an_error_contradict_nobody() -> None:
    """Four of five and none of five: people alone say R = 1, which the model does not believe."""
    strata, codes = Strata.of_sizes(400, 1600), np.repeat([0, 1], [400, 1600])
    items = [f"i{at}" for at in range(2000)]
    truth = np.array([1.0, 1.0, 1.0, 1.0, 0.0, *[0.0] * 5])
    votes = np.where(codes == 0, np.arange(2000) % 4 > 0, np.arange(2000) % 5 == 4).astype(float)
    rows = [1, 2, 3, 5, 0, 400, 401, 402, 403, 405]
    sample = Sample.of([5, 5], [4.0, 0.0])
    judged = JudgedSample([items[at] for at in rows], codes[rows], truth, sample)
    assisted = combined_totals(strata, codes, items, judged, dict(zip(items, votes.tolist(), strict=True)), Problems())
    found = estimate_systems(strata, sample, Estimation(), assisted=assisted)
    for weighed in weigh_sample(strata, sample, Estimation(), assisted, found):
        assert weighed.rogan_gladen.value == pytest.approx(weighed.cheap_only)
        assert not weighed.disagree


def test_a_model_that_repeats_people_saves_and_one_that_never_varies_does_not() -> None:
    rng = np.random.default_rng(3)
    truth = (rng.random(1000) < 0.4).astype(np.float64)
    rows = rng.choice(1000, 100, replace=False)
    for cheap, n_least, n_most in ((truth, 300.0, 900.0), (np.ones(1000), 0.0, 0.0)):
        score, totals, strata = one_stratum(StratumVotes(truth[rows], cheap[rows], cheap, 1000), float(cheap.var() > 0))
        estimate = Estimate(0.4, 100).with_interval(Undefined.ZERO_WIDTH)
        saved = weigh_assistance(score, strata, totals, (estimate, estimate), totals.totals).saved
        assert n_least <= require(saved.value) <= n_most
    assert saved.no_interval is Undefined.NOT_TRUSTED


def test_one_judged_item_of_a_stratum_has_people_alone() -> None:
    strata, codes = Strata.of_sizes(50, 100), np.repeat([0, 1], [50, 100])
    items = [f"i{at}" for at in range(150)]
    sample = Sample.of([1, 30], [1.0, 10.0])
    truth = np.repeat([1.0, 1.0, 0.0], [1, 10, 20])
    judged = JudgedSample([items[0], *items[50:80]], np.repeat([0, 1], [1, 30]), truth, sample)
    votes = dict(zip(items, [1.0] * 60 + [0.0] * 90, strict=True))
    assisted = combined_totals(strata, codes, items, judged, votes, Problems())
    assert assisted.trust[0] == 0
    assert assisted.trust[1] > 0
    how = Estimation(seed=None)
    found = estimate_systems(strata, sample, how, assisted=assisted)
    weighed = weigh_sample(strata, sample, how, assisted, found)
    assert [one.rogan_gladen.undefined for one in weighed] == [Undefined.TOO_FEW_JUDGMENTS] * 3
    assert weighed[0].alone == weighed[0].assisted
