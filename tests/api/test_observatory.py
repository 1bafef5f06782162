"""meta --all: what it computes, by hand and by meta; how often claims hold that are not so; faults of its file."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import errorbar
from errorbar.core import InputError, UsageError
from errorbar.ranking.observatory import View, observe_metrics
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

SYSTEMS = ("a", "b", "c", "d", "e", "f")
ALL = np.arange(len(SYSTEMS))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four judges compare outputs of thirty sentences; the metric near has scores of sentences, flat of systems."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    quality = dict(zip(SYSTEMS, np.linspace(1, 0, len(SYSTEMS)), strict=True))
    judged, near = ["system1,system2,winner,item,judge,sentence"], ["system,metric,sentence,score"]
    for sentence in range(1, 31):
        for one, two in combinations(SYSTEMS, 2):
            apart = quality[one] - quality[two] + rng.normal(0, 0.6)
            judged.append(f"{one},{two},{one if apart > 0 else two},{sentence},j{sentence % 4},{sentence}")
        near += [f"{system},near,{sentence},{quality[system] + rng.normal(0, 0.5):.4f}" for system in SYSTEMS]
    Path("judged.csv").write_text("\n".join(judged) + "\n")
    Path("near.csv").write_text("\n".join(near) + "\n")
    Path("flat.csv").write_text("system,metric,score\n" + "".join(f"{s},flat,{ord(s) % 3}\n" for s in SYSTEMS))
    Path("known.csv").write_text("system,score\n" + "".join(f"{s},{quality[s]}\n" for s in SYSTEMS))
    Path("all.toml").write_text(
        '[[ranking]]\nname = "judged"\nhuman = "judged.csv"\nscores = ["near.csv", "flat.csv"]\nwindow = 4\n'
        'aggregate = ["corpus", "expected-wins"]\n[ranking.subsets]\nbest = ["a", "b", "c", "d"]\n\n'
        '[[ranking]]\nname = "known"\nhuman = "known.csv"\nscores = ["near.csv", "flat.csv"]\n'
    )


def test_values_are_those_of_meta() -> None:
    result = errorbar.observe("all.toml")
    assert [(one.ranking, one.subset) for one in result.rankings] == [
        ("judged", "all systems"),
        ("judged", "best"),
        *(("judged", f"places {at}–{at + 3}") for at in (1, 2, 3)),
        ("known", "all systems"),
    ]
    first = result.rankings[0].observed
    assert first.metrics == ("near", "near expected-wins", "flat")
    same = errorbar.meta("judged.csv", ["near.csv", "flat.csv"], tests=False, ci=False)
    for at, metric in ((0, "near"), (2, "flat")):
        agreement = next(one for one in same.agreements if one.metric == metric)
        assert first.agreements["pearson"][at].value == pytest.approx(agreement.correlations["pearson"].value)
    assert first.agreements["spa"][0].value == pytest.approx(same.soft[0].accuracy.value)
    assert first.agreements["spa"][2].value is None
    assert set(first.alone["spa"]) == {"systems", "texts", "judges"}
    assert set(result.rankings[-1].observed.alone["pearson"]) == {"systems"}


def test_the_jackknife_by_hand() -> None:
    """Over systems: z = artanh r without each of six; V = 5/6 of the sum of squares about their mean; t of 5."""
    human, metric = np.array([6.0, 5, 4, 3, 2, 1]), np.array([5.0, 6, 3, 4, 2, 0])
    observed = observe_metrics(["it"], View(human, metric[None]), {}, ALL)
    z = [np.arctanh(np.corrcoef(np.delete(human, at), np.delete(metric, at))[0, 1]) for at in range(6)]
    spread = np.sqrt(5 / 6 * ((np.array(z) - np.mean(z)) ** 2).sum())
    whole = np.arctanh(np.corrcoef(human, metric)[0, 1])
    (estimate,) = observed.agreements["pearson"]
    assert estimate.value == pytest.approx(np.tanh(whole))
    assert estimate.interval is not None
    ends = estimate.interval.low, estimate.interval.high
    assert ends == pytest.approx(np.tanh([whole - 2.570582 * spread, whole + 2.570582 * spread]), abs=1e-6)


def test_a_source_that_varies_makes_the_interval_wider() -> None:
    rng = np.random.default_rng(8)
    human, metrics = np.linspace(1, 0, 6), rng.normal(0, 0.3, (2, 6)) + np.linspace(1, 0, 6)
    whole = View(human, metrics)
    views = [View(human + rng.normal(0, 0.05, 6), metrics + rng.normal(0, 0.05, (2, 6))) for _ in range(10)]
    alone = observe_metrics(["one", "two"], whole, {}, ALL).agreements["pearson"][0].interval
    both = observe_metrics(["one", "two"], whole, {"texts": views}, ALL).agreements["pearson"][0].interval
    assert alone is not None
    assert both is not None
    assert both.high - both.low > alone.high - alone.low


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 15])
def test_claims_that_are_not_so_seldom_hold(n: int) -> None:
    """Three metrics that agree equally well, 400 times: a claim holds in .05 of them or fewer, but for its error."""
    rng, wrong, studies = np.random.default_rng(n), 0, 400
    for _ in range(studies):
        human = rng.normal(0, 1, n)
        metrics = human + rng.normal(0, 0.8, n) * 0.5 + rng.normal(0, 0.8, (3, n))
        observed = observe_metrics(list("xyz"), View(human, metrics), {}, np.arange(n))
        wrong += any(claim.survives(0.05) for claim in observed.claims)
    assert wrong / studies <= 0.05 + 3 * (0.05 * 0.95 / studies) ** 0.5


@pytest.mark.slow
def test_a_claim_that_is_so_holds() -> None:
    rng, held = np.random.default_rng(1), 0
    for _ in range(50):
        human = rng.normal(0, 1, 15)
        metrics = human + np.array([[0.1], [3.0]]) * rng.normal(0, 1, (2, 15))
        observed = observe_metrics(["good", "bad"], View(human, metrics), {}, np.arange(15))
        held += observed.claims[0].survives(0.05) and observed.claims[0].first == "good"
    assert held >= 40


def test_the_command_says_what_the_function_does(errorbar: CommandLine) -> None:
    document = validated("observatory", errorbar("meta", "--all", "all.toml", "--format", "json").out)
    assert [one["subset"] for one in document["rankings"]][:2] == ["all systems", "best"]
    claims = document["rankings"][0]["claims"]
    assert {claim["first"] for claim in claims} <= {"near", "near expected-wins", "flat"}
    assert all(claim["survives"] == (claim["adjusted"] <= document["alpha"]) for claim in claims)
    shown = errorbar("meta", "--all", "all.toml").out
    assert "claims 'the one agrees better than the other' hold at 0.05" in shown
    assert json.dumps(document["rankings"][0]["metrics"][0]["spa"]["over"]).count("low") == 3


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ('human = "judged.csv"', 'human = "gone.csv"', "ranking-file-no-file"),
        ('name = "judged"', 'nam = "judged"', "ranking-file-key"),
        ("window = 4", 'window = "4"', "ranking-file-value"),
        ('"expected-wins"', '"wins"', "ranking-file-value"),
        ('scores = ["near.csv", "flat.csv"]\nwindow', "window", "ranking-file-value"),
        ('best = ["a"', 'best = ["z"', "meta-unknown-system"),
        ('best = ["a", "b", "c", "d"]', 'best = ["a", "b"]', "meta-few-systems"),
        ("[[ranking]]", "[[ranking", "ranking-file-toml"),
    ],
)
def test_faults_of_the_file(before: str, after: str, code: str) -> None:
    text = Path("all.toml").read_text()
    assert before in text
    Path("all.toml").write_text(text.replace(before, after, 1))
    with pytest.raises((InputError, UsageError)) as caught:
        errorbar.observe("all.toml")
    assert code in [problem.code for problem in caught.value.problems]


def test_what_the_file_says_is_not_said_again(errorbar: CommandLine) -> None:
    assert "--method is not used with --all" in errorbar("meta", "--all", "all.toml", "--method", "trueskill").err
    assert "--all and near.csv" in errorbar("meta", "--all", "all.toml", "near.csv").err
